//! What is measured between two hulls.

use crate::answer::{Contact, Distance};
use crate::convex::decide::{Common, Gap, Verdict};
use crate::math::Vec3;

/// How deep two bodies overlap: the shortest translation that leaves them without an inner point in
/// common is between `lower` and `upper` long, all rounding accounted for.
///
/// Mostly the bounds agree to 1e-11 of the size of the bodies. Where floating point cannot bring
/// them together (depths of less than a millionth of the size, say), they are what they are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Overlap {
    /// No translation of B shorter than this separates the bodies.
    pub(super) lower: f64,
    /// B moved by this along the direction, before that is rounded, leaves A or touches it.
    pub(super) upper: f64,
    /// The way out for B, in A's frame, of length one to rounding.
    pub(super) direction: Vec3,
    /// The deepest point of A in B, in A's frame, rounded.
    pub(super) point_a: Vec3,
    /// The deepest point of B in A, in A's frame, rounded: `upper` against the direction from
    /// `point_a`, to rounding.
    pub(super) point_b: Vec3,
}

impl Overlap {
    /// Nothing but a common point.
    pub(super) fn unknown(point: Vec3) -> Self {
        let (lower, upper) = (0.0, f64::INFINITY);
        Self { lower, upper, direction: Vec3::ZERO, point_a: point, point_b: point }
    }
}

/// How two bodies stand to each other, with the evidence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Standing {
    /// They share no point. With the direction from A to B, of length one to rounding.
    Apart(Distance, Vec3, Gap),
    /// They share a point.
    Meeting(Overlap, Common),
}

/// What a query is asked for.
pub(super) trait Answer: Sized {
    /// Whether how deep the bodies overlap matters.
    const DEPTH: bool;

    /// Of bodies that share no point; `direction` from A to B, of length one to rounding.
    fn apart(distance: Distance, direction: Vec3, gap: Gap) -> Self;

    /// Of bodies that share a point.
    fn meeting(overlap: Overlap, common: Common) -> Self;

    /// Of either.
    #[inline]
    fn of(standing: Standing) -> Self {
        match standing {
            Standing::Apart(distance, direction, gap) => Self::apart(distance, direction, gap),
            Standing::Meeting(overlap, common) => Self::meeting(overlap, common),
        }
    }
}

impl Answer for (Contact, Verdict) {
    const DEPTH: bool = true;

    #[inline(always)]
    fn apart(distance: Distance, direction: Vec3, gap: Gap) -> Self {
        let Distance { lower, upper, point_a, point_b, .. } = distance;
        (Contact { lower, upper, direction, point_a, point_b }, Verdict::Separated(gap))
    }

    #[inline(always)]
    fn meeting(overlap: Overlap, common: Common) -> Self {
        let Overlap { direction, point_a, point_b, .. } = overlap;
        // A difference, so that zero keeps its sign.
        let (lower, upper) = (0.0 - overlap.upper, 0.0 - overlap.lower);
        (Contact { lower, upper, direction, point_a, point_b }, Verdict::Intersecting(common))
    }
}

impl Answer for Distance {
    const DEPTH: bool = false;

    #[inline(always)]
    fn apart(distance: Distance, _: Vec3, _: Gap) -> Self {
        distance
    }

    #[inline(always)]
    fn meeting(Overlap { point_a, point_b, .. }: Overlap, _: Common) -> Self {
        Self::between(0.0, 0.0, [point_a, point_b])
    }
}

#[cfg(test)]
impl Answer for Standing {
    const DEPTH: bool = true;

    fn apart(distance: Distance, direction: Vec3, gap: Gap) -> Self {
        Self::Apart(distance, direction, gap)
    }

    fn meeting(overlap: Overlap, common: Common) -> Self {
        Self::Meeting(overlap, common)
    }
}
