//! The answers of queries between two hulls.

use crate::answer::{Contact, Distance};
use crate::convex::decide::{IntersectionCertificate, SeparationCertificate, Verdict};
use crate::math::Vec3;

/// The penetration depth of two bodies: the length of the shortest translation after which they
/// share no inner point lies between `lower` and `upper`, with all rounding.
///
/// The bounds usually agree to 1e-11 of the size of the bodies. Where floating point cannot bring
/// them closer (for example for depths of less than a millionth of the size), they are returned as
/// they are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Overlap {
    /// No translation of B shorter than this separates the bodies.
    pub(super) lower: f64,
    /// B translated by this along the direction (before the rounding of that) leaves A or touches
    /// it.
    pub(super) upper: f64,
    /// The direction in which B leaves A, in A's frame, of length one to rounding.
    pub(super) direction: Vec3,
    /// The deepest point of A in B, in A's frame, rounded.
    pub(super) point_a: Vec3,
    /// The deepest point of B in A, in A's frame, rounded: `upper` against the direction from
    /// `point_a`, to rounding.
    pub(super) point_b: Vec3,
}

impl Overlap {
    /// An overlap of which only a common point is known.
    pub(super) fn unknown(point: Vec3) -> Self {
        let (lower, upper) = (0.0, f64::INFINITY);
        Self { lower, upper, direction: Vec3::ZERO, point_a: point, point_b: point }
    }
}

/// The result for two bodies, with its proof.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Outcome {
    /// They share no point. The vector is the direction from A to B, of length one to rounding.
    Separated(Distance, Vec3, SeparationCertificate),
    /// They share a point.
    Intersecting(Overlap, IntersectionCertificate),
}

/// The type of a query's answer.
pub(super) trait Answer: Sized {
    /// Whether the answer includes the penetration depth.
    const DEPTH: bool;

    /// The answer for bodies that share no point; `direction` from A to B, of length one to
    /// rounding.
    fn separated(distance: Distance, direction: Vec3, gap: SeparationCertificate) -> Self;

    /// The answer for bodies that share a point.
    fn intersecting(overlap: Overlap, common: IntersectionCertificate) -> Self;

    /// The answer for either case.
    #[inline]
    fn of(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Separated(distance, direction, gap) => {
                Self::separated(distance, direction, gap)
            }
            Outcome::Intersecting(overlap, common) => Self::intersecting(overlap, common),
        }
    }
}

impl Answer for (Contact, Verdict) {
    const DEPTH: bool = true;

    #[inline(always)]
    fn separated(distance: Distance, direction: Vec3, gap: SeparationCertificate) -> Self {
        let Distance { lower, upper, point_a, point_b, .. } = distance;
        (Contact { lower, upper, direction, point_a, point_b }, Verdict::Separated(gap))
    }

    #[inline(always)]
    fn intersecting(overlap: Overlap, common: IntersectionCertificate) -> Self {
        let Overlap { direction, point_a, point_b, .. } = overlap;
        // Differences, because a negation would give zero the negative sign.
        let (lower, upper) = (0.0 - overlap.upper, 0.0 - overlap.lower);
        (Contact { lower, upper, direction, point_a, point_b }, Verdict::Intersecting(common))
    }
}

impl Answer for Distance {
    const DEPTH: bool = false;

    #[inline(always)]
    fn separated(distance: Distance, _: Vec3, _: SeparationCertificate) -> Self {
        distance
    }

    #[inline(always)]
    fn intersecting(Overlap { point_a, point_b, .. }: Overlap, _: IntersectionCertificate) -> Self {
        Self::between(0.0, 0.0, [point_a, point_b])
    }
}

#[cfg(test)]
impl Answer for Outcome {
    const DEPTH: bool = true;

    fn separated(distance: Distance, direction: Vec3, gap: SeparationCertificate) -> Self {
        Self::Separated(distance, direction, gap)
    }

    fn intersecting(overlap: Overlap, common: IntersectionCertificate) -> Self {
        Self::Intersecting(overlap, common)
    }
}
