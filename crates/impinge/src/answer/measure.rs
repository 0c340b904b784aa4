//! What is measured between two bodies.

use std::fmt;

use crate::math::{Aabb, Vec3, length_up};

/// How far apart two bodies are, and where: `lower <= distance <= upper`, all rounding accounted
/// for.
///
/// A mesh is its surface: a solid inside another is as far away as its surface is, except in
/// queries about a [`Shape::solid`](crate::Shape::solid).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    /// They are at least this far apart; never negative. Zero if they meet, if the gap is too
    /// narrow for `f64` to bound it, or if nothing is known.
    pub lower: f64,
    /// They are at most this far apart. Zero if and only if they meet, except where a curved body
    /// takes part, which has bounds only. Infinite if nothing is known.
    pub upper: f64,
    /// A closest point of A, in A's frame, rounded; of bodies that meet, a common point.
    pub point_a: Vec3,
    /// A closest point of B, in A's frame, rounded; of bodies that meet, a common point.
    pub point_b: Vec3,
    /// The triangle of A with its closest point, if A is a mesh. `None` for all other bodies, and
    /// where the common point lies inside a solid. Where hundreds of triangles are equally close to
    /// the rounding of `f64`, because the bodies are far apart, it is one of them.
    pub feature_a: Option<u32>,
    /// The triangle of B with its closest point, likewise.
    pub feature_b: Option<u32>,
}

/// How two convex bodies stand to each other: the signed distance, with its direction and points.
///
/// The signed distance is the distance of bodies that are apart, and minus the depth of bodies that
/// overlap: `lower <= signed distance <= upper`, all rounding accounted for. `lower > 0` proves
/// that they are apart, `upper < 0` that they overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The signed distance is at least this. Minus infinity if the depth has no bound.
    pub lower: f64,
    /// The signed distance is at most this. Infinite if nothing is known.
    pub upper: f64,
    /// From A towards B, in A's frame, of length one to rounding. B moved along it by the depth
    /// leaves A, or only touches it. Zero if floating point finds no direction.
    pub direction: Vec3,
    /// The point of A closest to B, or deepest in it, in A's frame, rounded.
    pub point_a: Vec3,
    /// The point of B closest to A, or deepest in it, in A's frame, rounded.
    pub point_b: Vec3,
}

/// What is known about two bodies where a query could not decide whether they meet: bounds of the
/// signed distance, which hold.
///
/// The lower bound is minus what moves them apart: B moved by at most that much, in a direction of
/// its own choice, has no inner point in common with A, neither of hulls nor of solids. The bounds
/// of meshes are derived in `docs/notes/maybe.md`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The signed distance is at least this: they are at most `-lower` deep in each other.
    pub lower: f64,
    /// The signed distance is at most this: if positive, they are at most so far apart.
    pub upper: f64,
    /// What is left open is at most this deep. Of two meshes: each pair of triangles that meet can
    /// be brought apart, until the two share at most boundary points, by moving one of them by at
    /// most this much; it is never more than `-lower`, and shrinks to zero with a growing budget
    /// where the surfaces do not meet. Of two shapes it is `-lower`.
    pub open_depth: f64,
    /// How much is left open: pairs of nodes of two trees, triangles of a mesh against a curved
    /// body, or one pair of convex bodies. Never zero.
    pub open: usize,
}

impl Distance {
    /// Of bodies that share this point.
    pub(crate) fn zero(point: Vec3) -> Self {
        Self::between(0.0, 0.0, [point; 2])
    }

    /// Of bodies that are no meshes.
    #[inline(always)]
    pub(crate) fn between(lower: f64, upper: f64, [point_a, point_b]: [Vec3; 2]) -> Self {
        Self { lower, upper, point_a, point_b, feature_a: None, feature_b: None }
    }

    /// Names the triangles that are this far apart.
    #[inline(always)]
    #[must_use]
    pub(crate) fn of_triangles(self, a: u32, b: u32) -> Self {
        Self { feature_a: Some(a), feature_b: Some(b), ..self }
    }

    /// The same with A and B exchanged, still in A's frame.
    #[must_use]
    pub fn swapped(self) -> Self {
        Self {
            point_a: self.point_b,
            point_b: self.point_a,
            feature_a: self.feature_b,
            feature_b: self.feature_a,
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

impl Bounds {
    /// Nothing is known of two bodies.
    pub const UNKNOWN: Self =
        Self { lower: f64::NEG_INFINITY, upper: f64::INFINITY, open_depth: f64::INFINITY, open: 1 };

    /// What two boxes tell about what is in them, if neither is empty: the furthest corners bound
    /// the gap, the smallest overlap along an axis bounds the depth. Both in the same frame.
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

    /// Of what is made of parts: at least one pair of parts is open, and this is known of the whole
    /// and of the other pairs of parts.
    pub(crate) fn joined(self, other: Self) -> Self {
        Self {
            lower: self.lower.min(other.lower),
            upper: self.upper.min(other.upper),
            open_depth: self.open_depth.max(other.open_depth),
            open: self.open + other.open,
        }
    }

    /// Of two meshes of which nothing is known but how deep they are in each other at most.
    #[must_use]
    pub(crate) fn of_meshes(total_depth: f64) -> Self {
        Self { lower: 0.0 - total_depth, upper: f64::INFINITY, open_depth: 0.0, open: 0 }
    }

    /// Takes note of a point of A and one of B, both in A's frame.
    pub(crate) fn offer(&mut self, a: Vec3, b: Vec3) {
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
    fn boxes_bound_what_is_in_them() {
        let unit = Aabb { min: Vec3::ZERO, max: Vec3::ONE };
        let at = |x: f64| Aabb { min: Vec3::X * x, max: Vec3::ONE + Vec3::X * x };
        let bounds = Bounds::of_boxes(&unit, &at(0.75));
        // The furthest corners are 1.75, 1 and 1 apart; along x they overlap by a quarter.
        assert!(bounds.upper >= 5.0625_f64.sqrt() && bounds.upper < 2.25 + 1e-14);
        assert!(bounds.lower <= -0.25 && bounds.lower > -0.25 - 1e-14);
        let apart = Bounds::of_boxes(&unit, &at(3.0));
        assert!(apart.upper > 4.0 && apart.lower >= -f64::MIN_POSITIVE);
        let endless = Aabb { min: Vec3::NEG_INFINITY, max: Vec3::INFINITY };
        assert_eq!(Bounds::of_boxes(&endless, &endless), Bounds::UNKNOWN);
        assert_eq!(Bounds::of_boxes(&unit, &Aabb::EMPTY), Bounds::UNKNOWN);
    }
}
