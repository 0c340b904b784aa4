//! Lower bounds of the distance of a box or a triangle from a convex body.
//!
//! There are two bounds of a few products each: the gap between the box and the box of the body
//! along the mesh's axes; and the gap along the direction from the body to the closest point of the
//! mesh so far, as most of the mesh lies beyond that point.

use super::form::{Convex, Placed, Surface};
use crate::convex::{self, HullMemory};
use crate::math::{Vec3, length_down};

/// Bounds of a convex core in the frame of a mesh.
pub(super) struct Probe<'a> {
    core: convex::PosedBody<'a, Convex<'a>>,
    memory: HullMemory,
    surface: &'a Surface<'a>,
    /// The box of the core in the mesh's frame, grown by the slack.
    low: Vec3,
    high: Vec3,
    /// Bound of the error of any coordinate here.
    slack: f64,
    /// A length in the mesh's frame is at least this factor times as long in the frame of the
    /// query: the matrix of a pose is a rotation only within its tolerance.
    shrink: f64,
    /// A direction in the mesh's frame, and the largest coordinate of the core along it.
    toward: Option<(Vec3, f64)>,
}

/// The state of the second bound.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProbeProgress {
    toward: Option<(Vec3, f64)>,
    last: Option<u32>,
}

impl<'a> Probe<'a> {
    /// `memory` is that of any search, for its buffers.
    pub(super) fn new(
        body: &'a Placed<'a>,
        surface: &'a Surface<'a>,
        mut memory: HullMemory,
    ) -> Self {
        let core = convex::PosedBody::new(&body.body, body.pose);
        memory.restart_at(None);
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
        // The deviation of the pose from a rotation shifts coordinates along its axes.
        let product = rotation.transpose() * rotation;
        let identity = [Vec3::X, Vec3::Y, Vec3::Z];
        let deviation =
            (0..3).map(|i| (product.col(i) - identity[i]).abs().max_element()).fold(0.0, f64::max);
        let slack =
            (64.0 * f64::EPSILON + 2.0 * deviation) * size + 2.0 * core.error + f64::MIN_POSITIVE;
        // With all entries of `R^T R - 1` at most `deviation`, `|R^T z|` is at most `(1 + 1.5
        // deviation) |z|`.
        let shrink = 1.0 - 2.0 * deviation - 16.0 * f64::EPSILON;
        let (low, high) = (low - Vec3::splat(slack), high + Vec3::splat(slack));
        Self { core, memory, surface, low, high, slack, shrink, toward: None }
    }

    /// The box of the core in the mesh's frame, grown by the slack.
    pub(super) fn core_box(&self) -> (Vec3, Vec3) {
        (self.low, self.high)
    }

    /// A length in the mesh's frame is at least this factor times as long in the frame of the
    /// query.
    pub(super) fn shrink(&self) -> f64 {
        self.shrink
    }

    /// The state of the second bound, for a later probe of the same query.
    pub(super) fn progress(&self) -> ProbeProgress {
        ProbeProgress { toward: self.toward, last: self.memory.last() }
    }

    /// Sets the state that an earlier probe of the same query had.
    pub(super) fn restore(&mut self, progress: ProbeProgress) {
        self.toward = progress.toward;
        self.memory.restart_at(progress.last);
    }

    /// The memory, for another probe.
    pub(super) fn into_memory(self) -> HullMemory {
        self.memory
    }

    /// A certain lower bound of the distance of a box, in the mesh's frame, from the core.
    pub(super) fn box_distance(&self, center: Vec3, half: Vec3) -> f64 {
        let gap = (center - half - self.high).max(self.low - center - half).max(Vec3::ZERO);
        let box_gap = length_down(gap) * self.shrink - self.slack;
        let Some((direction, end)) = self.toward else { return box_gap };
        let direction_gap = direction.dot(center) - direction.abs().dot(half) - end;
        box_gap.max(direction_gap * self.shrink)
    }

    /// As [`Self::box_distance`], for a triangle given by its corners in the mesh's frame.
    pub(super) fn triangle_distance(&self, corners: &[Vec3; 3]) -> f64 {
        let [p, q, r] = *corners;
        let (low, high) = (p.min(q).min(r), p.max(q).max(r));
        let gap = (low - self.high).max(self.low - high).max(Vec3::ZERO);
        let box_gap = length_down(gap) * self.shrink - self.slack;
        let Some((direction, end)) = self.toward else { return box_gap };
        let direction_gap = direction.dot(p).min(direction.dot(q)).min(direction.dot(r)) - end;
        box_gap.max(direction_gap * self.shrink)
    }

    /// Sets the direction of the second bound: a unit vector from the body to the mesh, in the
    /// frame of the query.
    pub(super) fn set_direction(&mut self, direction: Vec3) {
        if direction == Vec3::ZERO {
            return;
        }
        let (top, _) = self.core.furthest(direction, &mut self.memory);
        let pose = self.surface.pose;
        let end = direction.dot(top - pose.translation()) + self.slack;
        self.toward = Some((pose.rotation().transpose() * direction, end));
    }
}
