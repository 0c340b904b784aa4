//! Measures of two bodies: distance, signed distance, and bounds of it.

use std::fmt;

use crate::math::{Aabb, Vec3, length_up};

/// The distance of two bodies, with closest points: `lower <= distance <= upper`, including all
/// rounding.
///
/// A mesh is its surface: the distance of a solid inside another is the distance of their surfaces,
/// except in queries about a [`Shape::solid`](crate::Shape::solid).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    /// Lower bound of the distance; never negative. Zero if the bodies meet, if the gap is too
    /// narrow for `f64` to bound it, or if nothing is known.
    pub lower: f64,
    /// Upper bound of the distance. Zero if and only if the bodies meet, except where one of them
    /// is curved: then there are bounds only. Infinite if nothing is known.
    pub upper: f64,
    /// A closest point of A, in A's frame, rounded; of bodies that meet, a common point.
    pub point_a: Vec3,
    /// A closest point of B, in A's frame, rounded; of bodies that meet, a common point.
    pub point_b: Vec3,
    /// The triangle of A with its closest point, if A is a mesh. `None` for all other bodies, and
    /// where the common point lies inside a solid. Where hundreds of triangles are equally close up
    /// to the rounding of `f64`, because the bodies are far apart, it is one of them.
    pub triangle_a: Option<u32>,
    /// The triangle of B with its closest point, as `triangle_a`.
    pub triangle_b: Option<u32>,
}

/// The signed distance of two convex bodies, with its direction and points.
///
/// The signed distance is the distance of bodies that are apart, and minus the depth of bodies that
/// overlap: `lower <= signed distance <= upper`, including all rounding. `lower > 0` proves
/// that they are apart, `upper < 0` that they overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Lower bound of the signed distance. Minus infinity if the depth has no bound.
    pub lower: f64,
    /// Upper bound of the signed distance. Infinite if nothing is known.
    pub upper: f64,
    /// From A towards B, in A's frame, of length one to rounding. B moved along it by the depth
    /// leaves A, or only touches it. Zero if floating point finds no direction.
    pub direction: Vec3,
    /// The point of A closest to B, or deepest in it, in A's frame, rounded.
    pub point_a: Vec3,
    /// The point of B closest to A, or deepest in it, in A's frame, rounded.
    pub point_b: Vec3,
}

/// Certain bounds of the signed distance of two bodies, where a query could not decide whether they
/// meet.
///
/// The lower bound is minus a sufficient translation: there is a direction in which B, moved by at
/// most that length, has no inner point in common with A, neither of hulls nor of solids. The
/// bounds of meshes are derived in `docs/notes/maybe.md`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Lower bound of the signed distance: the penetration depth is at most `-lower`.
    pub lower: f64,
    /// Upper bound of the signed distance: if positive, also an upper bound of the distance.
    pub upper: f64,
    /// Upper bound of the depth of the pairs that are undecided. For two meshes: each pair of
    /// triangles that meet can be separated, until the two share at most boundary points, by a
    /// translation of one of them of at most this length; it is never more than `-lower`, and
    /// converges to zero with a growing budget where the surfaces do not meet. For two shapes it is
    /// `-lower`.
    pub open_depth: f64,
    /// The number of undecided items: pairs of nodes of two trees, triangles of a mesh against a
    /// curved body, or one pair of convex bodies. Never zero.
    pub open: usize,
}

impl Distance {
    /// The distance of bodies that share this point.
    pub(crate) fn zero(point: Vec3) -> Self {
        Self::between(0.0, 0.0, [point; 2])
    }

    /// A distance without triangles.
    #[inline(always)]
    pub(crate) fn between(lower: f64, upper: f64, [point_a, point_b]: [Vec3; 2]) -> Self {
        Self { lower, upper, point_a, point_b, triangle_a: None, triangle_b: None }
    }

    /// The same with the triangles that have this distance.
    #[inline(always)]
    #[must_use]
    pub(crate) fn of_triangles(self, a: u32, b: u32) -> Self {
        Self { triangle_a: Some(a), triangle_b: Some(b), ..self }
    }

    /// The same with A and B exchanged, still in A's frame.
    #[must_use]
    pub fn swapped(self) -> Self {
        Self {
            point_a: self.point_b,
            point_b: self.point_a,
            triangle_a: self.triangle_b,
            triangle_b: self.triangle_a,
            ..self
        }
    }
}

impl Contact {
    /// The same with A and B exchanged, still in A's frame.
    #[must_use]
    pub fn swapped(self) -> Self {
        Self { direction: -self.direction, point_a: self.point_b, point_b: self.point_a, ..self }
    }
}

impl Contact {
    /// The same with the tighter one of each bound, from other valid bounds.
    pub(crate) fn tightened(self, other: &Self) -> Self {
        Self { lower: self.lower.max(other.lower), upper: self.upper.min(other.upper), ..self }
    }
}

impl Bounds {
    /// Nothing is known about two bodies.
    pub const UNKNOWN: Self =
        Self { lower: f64::NEG_INFINITY, upper: f64::INFINITY, open_depth: f64::INFINITY, open: 1 };

    /// The bounds of two bodies, from their boxes in the same frame: the furthest corners bound the
    /// gap, the smallest overlap along an axis bounds the depth. [`Bounds::UNKNOWN`] if a box is
    /// empty or infinite.
    #[must_use]
    pub fn of_boxes(a: &Aabb, b: &Aabb) -> Self {
        let finite = |bounds: &Aabb| bounds.min.is_finite() && bounds.max.is_finite();
        if a.is_empty() || b.is_empty() || !finite(a) || !finite(b) {
            return Self::UNKNOWN;
        }
        let span = (a.max - b.min).max(b.max - a.min).max(Vec3::ZERO);
        let overlap = (a.max - b.min).min(b.max - a.min).min_element().max(0.0);
        // Each difference is rounded once.
        let up = |x: f64| x * (1.0 + 4.0 * f64::EPSILON) + f64::MIN_POSITIVE;
        let depth = up(overlap);
        Self { lower: -depth, upper: up(length_up(span)), open_depth: depth, open: 1 }
    }

    /// The bounds after B, or A, has moved by at most this length at every point: see
    /// [`Aabb::motion_bound`]. `docs/notes/budgets.md` has the proof.
    ///
    /// ```
    /// use impinge::Bounds;
    ///
    /// let known = Bounds { lower: -0.5, upper: 2.0, open_depth: 0.25, open: 3 };
    /// let later = known.widened(0.125);
    /// assert!(later.lower <= -0.625 && later.upper >= 2.125 && later.open_depth >= 0.375);
    /// ```
    #[must_use]
    pub fn widened(self, motion: f64) -> Self {
        // Each sum is rounded once.
        let more = |x: f64| x + motion + (x.abs() + motion) * f64::EPSILON;
        Self {
            lower: -more(-self.lower),
            upper: more(self.upper),
            open_depth: more(self.open_depth),
            open: self.open,
        }
    }

    /// The bounds of bodies with several pairs of parts, from the bounds of disjoint sets of these
    /// pairs, of which at least one is undecided.
    pub(crate) fn joined(self, other: Self) -> Self {
        Self {
            lower: self.lower.min(other.lower),
            upper: self.upper.min(other.upper),
            open_depth: self.open_depth.max(other.open_depth),
            open: self.open + other.open,
        }
    }

    /// The bounds of two meshes of which only an upper bound of the penetration depth is known.
    #[must_use]
    pub(crate) fn of_meshes(total_depth: f64) -> Self {
        Self { lower: 0.0 - total_depth, upper: f64::INFINITY, open_depth: 0.0, open: 0 }
    }

    /// Lowers the upper bound to the distance of a point of A and a point of B, both in A's frame.
    pub(crate) fn include_points(&mut self, a: Vec3, b: Vec3) {
        self.upper = self.upper.min(length_up(a - b));
    }
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "between {:e} and {:e}", self.lower, self.upper)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_bound_their_bodies() {
        let unit = Aabb { min: Vec3::ZERO, max: Vec3::ONE };
        let at = |x: f64| Aabb { min: Vec3::X * x, max: Vec3::ONE + Vec3::X * x };
        let bounds = Bounds::of_boxes(&unit, &at(0.75));
        // The furthest corners are 1.75, 1 and 1 apart; along x they overlap by a quarter.
        assert!(bounds.upper >= 5.0625_f64.sqrt() && bounds.upper < 2.25 + 1e-14);
        assert!(bounds.lower <= -0.25 && bounds.lower > -0.25 - 1e-14);
        let apart = Bounds::of_boxes(&unit, &at(3.0));
        assert!(apart.upper > 4.0 && apart.lower >= -f64::MIN_POSITIVE);
        let infinite = Aabb { min: Vec3::NEG_INFINITY, max: Vec3::INFINITY };
        assert_eq!(Bounds::of_boxes(&infinite, &infinite), Bounds::UNKNOWN);
        assert_eq!(Bounds::of_boxes(&unit, &Aabb::EMPTY), Bounds::UNKNOWN);
    }
}
