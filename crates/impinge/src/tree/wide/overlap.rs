//! Upper bounds of the penetration depth of two subtrees, in `f64`, for undecided answers.
//!
//! The contents of a subtree lie in a box and in a disc. Moving one subtree along a direction by
//! the overlap of their intervals there separates them. The smallest overlap over a few directions
//! bounds the depth; `docs/notes/maybe.md` has the derivation.

use glam::{DMat3, DVec3};

use super::disc::Disc;
use super::frame::Frame;
use super::node::{Link, LocalBox};
use super::traverse::Query;

/// Two trees in their relative pose in `f64`, in A's unit and its tree's axes, relative to its
/// tree's origin.
#[derive(Debug)]
pub(super) struct Overlaps<'q> {
    query: &'q Query<'q>,
    /// The rotation from the axes of B's tree, and the position of its origin.
    rotation: DMat3,
    origin: DVec3,
    /// Upper bound of the rounding error of an end of an interval, including that of the vertices.
    slack: f64,
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
    pub(super) fn new(query: &'q Query<'q>) -> Self {
        let (rotation, origin) =
            Frame::relative(&query.tree_a.frame, &query.tree_b.frame, query.pose);
        // `coarse` is 32 ulps of the largest number involved; each end of an interval takes about
        // twenty roundings.
        let slack = 4.0 * f64::from(query.relative.coarse) / query.tree_b.frame.scale;
        Self { query, rotation, origin, slack }
    }

    /// Upper bound of the length of the shortest translation that separates the contents of `b`
    /// from those of `a`; if negative, a lower bound of their distance, negated.
    pub(super) fn of(&self, a: Link, b: Link) -> f64 {
        let (tree_a, tree_b) = (self.query.tree_a, self.query.tree_b);
        let bounds_a = Bounds::new(tree_a.bounds_of(a), tree_a.frame.unit);
        let bounds_b = Bounds::new(tree_b.bounds_of(b), tree_b.frame.unit);
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

    /// The overlap along a direction of length one, in A's axes.
    fn along(&self, axis: DVec3, a: &Bounds, b: &Bounds) -> f64 {
        let (low, high) = a.interval(axis);
        // The transpose, not the inverse: `axis . (R x) = (R^T axis) . x` holds whether or not `R`
        // is a rotation.
        let (low_b, high_b) = b.interval(self.rotation.transpose() * axis);
        let shift = axis.dot(self.origin);
        (high - (low_b + shift)).min(high_b + shift - low)
    }
}

impl Bounds {
    /// `unit` is the length of the tree's local unit in the unit of the result.
    pub(super) fn new((bounds, disc): (LocalBox, Disc), unit: f64) -> Self {
        let wide = |v: [f32; 3]| DVec3::from_array(v.map(f64::from));
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
