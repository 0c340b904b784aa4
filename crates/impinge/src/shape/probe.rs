//! How far a box around triangles is from a convex body, at least.
//!
//! Two bounds that cost a few products each: the gap between the box and the box of the body along
//! the mesh's axes; and the gap along the direction from the body to the closest point of the mesh
//! so far, beyond which most of a mesh lies.

use super::form::{Convex, Placed, Surface};
use crate::convex::{self, HullMemory};
use crate::math::{Vec3, length_down};

/// A convex core, seen from a mesh.
pub(super) struct Probe<'a> {
    core: convex::PosedBody<'a, Convex<'a>>,
    memory: HullMemory,
    surface: &'a Surface<'a>,
    /// The box of the core in the mesh's frame, grown by the slack.
    low: Vec3,
    high: Vec3,
    /// More than rounding can move anything here.
    slack: f64,
    /// Of a length in the mesh's frame at least so much is left in that of the query: the matrix of
    /// a pose is a rotation to its tolerance only.
    shrink: f64,
    /// A direction in the mesh's frame, and how far along it the core ends.
    toward: Option<(Vec3, f64)>,
}

impl<'a> Probe<'a> {
    pub(super) fn new(body: &'a Placed<'a>, surface: &'a Surface<'a>) -> Self {
        let core = convex::PosedBody::new(&body.body, body.pose);
        let mut memory = HullMemory::default();
        let (rotation, translation) = (surface.pose.rotation(), surface.pose.translation());
        let axes = [rotation.x_axis, rotation.y_axis, rotation.z_axis];
        let (mut low, mut high, mut reach) = (Vec3::ZERO, Vec3::ZERO, 0.0_f64);
        for (i, axis) in axes.into_iter().enumerate() {
            let (top, _) = core.furthest(axis, &mut memory);
            let (bottom, _) = core.furthest(-axis, &mut memory);
            high[i] = axis.dot(top - translation);
            low[i] = axis.dot(bottom - translation);
            reach = reach.max(top.abs().element_sum()).max(bottom.abs().element_sum());
        }
        let bounds = surface.mesh.bounds();
        let own =
            if bounds.is_empty() { Vec3::ZERO } else { bounds.min.abs().max(bounds.max.abs()) };
        let size = own.element_sum() + translation.abs().element_sum() + reach;
        // How far the pose is from a rotation shifts what is measured along its axes.
        let product = rotation.transpose() * rotation;
        let identity = [Vec3::X, Vec3::Y, Vec3::Z];
        let off =
            (0..3).map(|i| (product.col(i) - identity[i]).abs().max_element()).fold(0.0, f64::max);
        let slack = (64.0 * f64::EPSILON + 2.0 * off) * size + 2.0 * core.error + f64::MIN_POSITIVE;
        // With all entries of `R^T R - 1` at most `off`, `|R^T z|` is at most `(1 + 1.5 off) |z|`.
        let shrink = 1.0 - 2.0 * off - 16.0 * f64::EPSILON;
        let (low, high) = (low - Vec3::splat(slack), high + Vec3::splat(slack));
        Self { core, memory, surface, low, high, slack, shrink, toward: None }
    }

    /// A certain lower bound of the distance of a box, in the mesh's frame, from the core.
    pub(super) fn apart(&self, center: Vec3, half: Vec3) -> f64 {
        let gap = (center - half - self.high).max(self.low - center - half).max(Vec3::ZERO);
        let aside = length_down(gap) * self.shrink - self.slack;
        let Some((direction, end)) = self.toward else { return aside };
        let ahead = direction.dot(center) - direction.abs().dot(half) - end;
        aside.max(ahead * self.shrink)
    }

    /// The same for a triangle given by its corners in the mesh's frame.
    pub(super) fn apart_from(&self, corners: &[Vec3; 3]) -> f64 {
        let [p, q, r] = *corners;
        let (low, high) = (p.min(q).min(r), p.max(q).max(r));
        let gap = (low - self.high).max(self.low - high).max(Vec3::ZERO);
        let aside = length_down(gap) * self.shrink - self.slack;
        let Some((direction, end)) = self.toward else { return aside };
        let ahead = direction.dot(p).min(direction.dot(q)).min(direction.dot(r)) - end;
        aside.max(ahead * self.shrink)
    }

    /// From now on also looks along `direction`, a unit vector from the body to the mesh in the
    /// frame of the query.
    pub(super) fn look(&mut self, direction: Vec3) {
        if direction == Vec3::ZERO {
            return;
        }
        let (top, _) = self.core.furthest(direction, &mut self.memory);
        let pose = self.surface.pose;
        let end = direction.dot(top - pose.translation()) + self.slack;
        self.toward = Some((pose.rotation().transpose() * direction, end));
    }
}
