//! How deep two subtrees may reach into each other, in `f64`: a bound for answers of "maybe".
//!
//! What is below a link lies in a box, and in a sheet. Along any direction the two sides' intervals
//! overlap by so much, and moving one side by as much along it brings them apart. The smallest over
//! a few directions bounds the depth; `docs/notes/maybe.md` has the rest.

use glam::{DMat3, DVec3};

use super::frame::Frame;
use super::node::{Link, LocalBox};
use super::sheet::Sheet;
use super::traverse::Query;

/// Two trees as they stand to each other, with all digits, in A's unit and its tree's axes, about
/// its origin.
#[derive(Debug)]
pub(super) struct Overlaps<'q> {
    query: &'q Query<'q>,
    /// The rotation from the axes of B's tree, and where its origin lies.
    turn: DMat3,
    origin: DVec3,
    /// More than rounding, of the vertices and here, can move an end of an interval.
    slack: f64,
}

/// What bounds one subtree, in its tree's axes, about the tree's origin.
pub(super) struct Bounds {
    pub(super) center: DVec3,
    pub(super) half: DVec3,
    /// The sheet's normal, of length one, and its numbers.
    normal: DVec3,
    offset: f64,
    thick: f64,
    radius: f64,
}

impl<'q> Overlaps<'q> {
    pub(super) fn new(query: &'q Query<'q>) -> Self {
        let (turn, origin) = Frame::relative(&query.tree_a.frame, &query.tree_b.frame, query.pose);
        // `coarse` is 32 units in the last place of the largest number that enters; each end of an
        // interval takes some twenty roundings.
        let slack = 4.0 * f64::from(query.relative.coarse) / query.tree_b.frame.scale;
        Self { query, turn, origin, slack }
    }

    /// Moving what is below `b` by this much, in some direction, brings it apart from what is below
    /// `a`; if negative, they are as far apart at least. Rounded up.
    pub(super) fn of(&self, a: Link, b: Link) -> f64 {
        let (tree_a, tree_b) = (self.query.tree_a, self.query.tree_b);
        let here = Bounds::new(tree_a.single(a), tree_a.frame.unit);
        let there = Bounds::new(tree_b.single(b), tree_b.frame.unit);
        let turn = &self.turn;
        let mut least = f64::INFINITY;
        for axis in [DVec3::X, DVec3::Y, DVec3::Z, here.normal] {
            least = least.min(self.along(axis, &here, &there));
        }
        for axis in [turn.x_axis, turn.y_axis, turn.z_axis, *turn * there.normal] {
            least = least.min(self.along(axis.normalize(), &here, &there));
        }
        least + least.abs() * 1e-14 + self.slack
    }

    /// The overlap along a direction of length one, in A's axes.
    fn along(&self, axis: DVec3, here: &Bounds, there: &Bounds) -> f64 {
        let (low, high) = here.interval(axis);
        // Not the inverse: a dot product with a turned vector is one with the direction turned back
        // by the transpose, rotation or not.
        let (there_low, there_high) = there.interval(self.turn.transpose() * axis);
        let shift = axis.dot(self.origin);
        (high - (there_low + shift)).min(there_high + shift - low)
    }
}

impl Bounds {
    /// `unit` is the length of the tree's local unit in that of the result.
    pub(super) fn new((bounds, sheet): (LocalBox, Sheet), unit: f64) -> Self {
        let wide = |v: [f32; 3]| DVec3::from_array(v.map(f64::from));
        let normal = wide(sheet.normal);
        // The sheet's heights are those along the normal as stored, which is of length one only to
        // `f32` rounding.
        let length = normal.length();
        let height = unit / length;
        Self {
            center: wide(bounds.center) * unit,
            half: wide(bounds.half) * unit,
            normal: normal / length,
            offset: f64::from(sheet.offset) * height,
            thick: f64::from(sheet.thick) * height,
            radius: f64::from(sheet.radius) * unit,
        }
    }

    /// From where to where it reaches along a direction, of whatever length.
    pub(super) fn interval(&self, axis: DVec3) -> (f64, f64) {
        let middle = axis.dot(self.center);
        let reach = axis.abs().dot(self.half);
        let (cos, sin) = (axis.dot(self.normal), axis.cross(self.normal).length());
        let flat = cos.abs() * self.thick + sin * self.radius;
        let shift = cos * self.offset;
        (middle + (-reach).max(shift - flat), middle + reach.min(shift + flat))
    }
}
