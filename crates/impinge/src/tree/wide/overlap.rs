//! Upper bounds of the penetration depth of two subtrees, in `f64`, for undecided answers.
//!
//! The contents of a subtree lie in a box and in a disc. Moving one subtree along a direction by
//! the overlap of their intervals there separates them. The smallest overlap over a few directions
//! bounds the depth; `docs/notes/maybe.md` has the derivation.

use glam::{DMat3, DVec3};

use super::Tree;
use super::disc::Disc;
use super::frame::Frame;
use super::node::{Link, LocalBox};
use super::relative::rounding_of_vertices;
use super::uneven::Parts;
use crate::arrays::MapEach;
use crate::math::{Pose, direction};

/// Two trees in their relative pose in `f64`, in A's unit and its tree's axes, relative to its
/// tree's origin.
#[derive(Debug)]
pub(super) struct Overlaps<'q> {
    tree_a: &'q Tree,
    tree_b: &'q Tree,
    /// The rotation from the axes of B's tree, and the position of its origin.
    rotation: DMat3,
    origin: DVec3,
    /// Upper bound of the rounding error of an end of an interval, including that of the vertices.
    slack: f64,
    /// The direction between the origins of the trees, of length one.
    toward: DVec3,
}

/// A subtree, and the end of its interval along the direction between the trees that is closer to
/// the other tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    pub(super) link: Link,
    end: f64,
}

impl Side {
    pub(super) const NONE: Self = Self { link: Link::NONE, end: 0.0 };
}

/// The box and the disc of a subtree, in its tree's axes, relative to the tree's origin.
pub(super) struct Bounds {
    pub(super) center: DVec3,
    pub(super) half: DVec3,
    /// The disc: its normal, of length one, and its extents.
    normal: DVec3,
    offset: f64,
    half_thickness: f64,
    radius: f64,
}

impl<'q> Overlaps<'q> {
    pub(super) fn new(tree_a: &'q Tree, tree_b: &'q Tree, pose: &Pose) -> Self {
        let (rotation, origin) = Frame::relative(&tree_a.frame, &tree_b.frame, pose);
        // 32 ulps of the largest number involved, four times; each end of an interval takes about
        // twenty roundings.
        let slack = 4.0 * rounding_of_vertices(tree_a, tree_b, pose);
        let toward = direction(origin).unwrap_or(DVec3::X);
        Self { tree_a, tree_b, rotation, origin, slack, toward }
    }

    /// The subtree of A itself, or its children if `open`.
    pub(super) fn side_a(&self, link: Link, open: bool) -> Parts {
        let end = |bounds: Bounds| bounds.interval(self.toward).1;
        parts(self.tree_a, link, open, end)
    }

    /// The same for a subtree of B.
    pub(super) fn side_b(&self, link: Link, open: bool) -> Parts {
        let own = self.rotation.transpose() * self.toward;
        let shift = self.toward.dot(self.origin);
        parts(self.tree_b, link, open, |bounds| bounds.interval(own).0 + shift)
    }

    /// As [`of`](Self::of), along the direction between the trees only, and towards B.
    pub(super) fn along_centers(&self, a: &Side, b: &Side) -> f64 {
        let overlap = a.end - b.end;
        overlap + overlap.abs() * 1e-14 + self.slack
    }

    /// Upper bound of the length of the shortest translation that separates the contents of `b`
    /// from those of `a`; if negative, a lower bound of their distance, negated.
    pub(super) fn of(&self, a: Link, b: Link) -> f64 {
        let (bounds_a, bounds_b) = self.bounds(a, b);
        let rotation = &self.rotation;
        let mut least = f64::INFINITY;
        for axis in [DVec3::X, DVec3::Y, DVec3::Z, bounds_a.normal] {
            least = least.min(self.along(axis, &bounds_a, &bounds_b));
        }
        for axis in [rotation.x_axis, rotation.y_axis, rotation.z_axis, *rotation * bounds_b.normal]
        {
            least = least.min(self.along(axis.normalize(), &bounds_a, &bounds_b));
        }
        least + least.abs() * 1e-14 + self.slack
    }

    /// As [`of`](Self::of), with the direction, of length one in A's axes, along which `b` leaves
    /// `a` by that translation.
    pub(super) fn shallowest(&self, a: Link, b: Link) -> (f64, DVec3) {
        let (bounds_a, bounds_b) = self.bounds(a, b);
        let [x, y, z] = [self.rotation.x_axis, self.rotation.y_axis, self.rotation.z_axis];
        let normal = self.rotation * bounds_b.normal;
        let axes = [DVec3::X, DVec3::Y, DVec3::Z, bounds_a.normal, x, y, z, normal];
        let mut least = (f64::INFINITY, DVec3::ZERO);
        for axis in axes.map(DVec3::normalize) {
            let ((low, high), (low_b, high_b)) =
                (bounds_a.interval(axis), self.moved(axis, &bounds_b));
            for (overlap, way) in [(high - low_b, axis), (high_b - low, -axis)] {
                if overlap < least.0 {
                    least = (overlap, way);
                }
            }
        }
        (least.0 + least.0.abs() * 1e-14 + self.slack, least.1)
    }

    /// As [`of`](Self::of), along one direction of length one in A's axes: by how far `b` has to
    /// move along it to leave `a`.
    pub(super) fn depth_along(&self, a: Link, b: Link, way: DVec3) -> f64 {
        let (bounds_a, bounds_b) = self.bounds(a, b);
        let overlap = bounds_a.interval(way).1 - self.moved(way, &bounds_b).0;
        overlap + overlap.abs() * 1e-14 + self.slack
    }

    /// The difference of the mean normals of two patches, where they are nearly flat: out of A and
    /// into B, for outward normals; in A's axes. A patch that is as thick as it is wide has no
    /// normal.
    pub(super) fn normal_difference(&self, a: Link, b: Link) -> DVec3 {
        let (bounds_a, bounds_b) = self.bounds(a, b);
        let normal = bounds_a.flat_normal() - self.rotation * bounds_b.flat_normal();
        normal * 0.5
    }

    /// The direction between the centres of two subtrees, in A's axes, of length one; zero if they
    /// coincide.
    pub(super) fn between_centers(&self, a: Link, b: Link) -> DVec3 {
        let (bounds_a, bounds_b) = self.bounds(a, b);
        let b = self.rotation * bounds_b.center + self.origin;
        direction(b - bounds_a.center).unwrap_or(DVec3::ZERO)
    }

    fn bounds(&self, a: Link, b: Link) -> (Bounds, Bounds) {
        let (tree_a, tree_b) = (self.tree_a, self.tree_b);
        let bounds_a = Bounds::new(tree_a.bounds_of(a), tree_a.frame.unit);
        (bounds_a, Bounds::new(tree_b.bounds_of(b), tree_b.frame.unit))
    }

    /// The middle of what the boxes of two subtrees have in common along A's axes, relative to A's
    /// origin.
    pub(super) fn middle(&self, a: Link, b: Link) -> DVec3 {
        let (bounds_a, bounds_b) = self.bounds(a, b);
        let along = |axis: DVec3| {
            let ((low, high), (low_b, high_b)) =
                (bounds_a.interval(axis), self.moved(axis, &bounds_b));
            0.5 * low.max(low_b) + 0.5 * high.min(high_b)
        };
        DVec3::new(along(DVec3::X), along(DVec3::Y), along(DVec3::Z))
    }

    /// The interval of a subtree of B along a direction, in A's axes.
    fn moved(&self, axis: DVec3, b: &Bounds) -> (f64, f64) {
        // The transpose, not the inverse: `axis . (R x) = (R^T axis) . x` holds whether or not `R`
        // is a rotation.
        let (low, high) = b.interval(self.rotation.transpose() * axis);
        let shift = axis.dot(self.origin);
        (low + shift, high + shift)
    }

    /// The overlap along a direction of length one, in A's axes.
    fn along(&self, axis: DVec3, a: &Bounds, b: &Bounds) -> f64 {
        let ((low, high), (low_b, high_b)) = (a.interval(axis), self.moved(axis, b));
        (high - low_b).min(high_b - low)
    }
}

/// A subtree, or its children if `open`, with the ends of their intervals.
fn parts(tree: &Tree, link: Link, open: bool, end: impl Fn(Bounds) -> f64) -> Parts {
    let mut parts = Parts::NONE;
    if !open {
        let bounds = Bounds::new(tree.bounds_of(link), tree.frame.unit);
        parts.push(Side { link, end: end(bounds) });
        return parts;
    }
    let node = &tree.nodes[link.index()];
    for (slot, link) in node.links() {
        let bounds = Bounds::new((node.get(slot), node.discs.get(slot)), tree.frame.unit);
        parts.push(Side { link, end: end(bounds) });
    }
    parts
}

impl Bounds {
    /// `unit` is the length of the tree's local unit in the unit of the result.
    pub(super) fn new((bounds, disc): (LocalBox, Disc), unit: f64) -> Self {
        let wide = |v: [f32; 3]| DVec3::from_array(v.map_each(f64::from));
        let normal = wide(disc.normal);
        // The disc's heights are products with the stored normal, whose length is one only up to
        // `f32` rounding.
        let length = normal.length();
        let height = unit / length;
        Self {
            center: wide(bounds.center) * unit,
            half: wide(bounds.half) * unit,
            normal: normal / length,
            offset: f64::from(disc.offset) * height,
            half_thickness: f64::from(disc.half_thickness) * height,
            radius: f64::from(disc.radius) * unit,
        }
    }

    /// The normal of the disc times the share by which it is thinner than wide.
    fn flat_normal(&self) -> DVec3 {
        let share = 1.0 - self.half_thickness / self.radius;
        if share > 0.0 { self.normal * share } else { DVec3::ZERO }
    }

    /// The interval of its products with a direction of any length.
    pub(super) fn interval(&self, axis: DVec3) -> (f64, f64) {
        let middle = axis.dot(self.center);
        let reach = axis.abs().dot(self.half);
        let (cos, sin) = (axis.dot(self.normal), axis.cross(self.normal).length());
        let flat = cos.abs() * self.half_thickness + sin * self.radius;
        let shift = cos * self.offset;
        (middle + (-reach).max(shift - flat), middle + reach.min(shift + flat))
    }
}
