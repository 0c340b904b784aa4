//! What is measured between two hulls.

use crate::convex::decide::{Common, Gap};
use crate::math::Vec3;

/// How far apart two bodies are: `lower <= distance <= upper`, all rounding accounted for.
///
/// Both bounds are zero for bodies that share a point; the points are then one common point,
/// rounded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    /// The distance is at least this.
    pub lower: f64,
    /// The distance is at most this.
    pub upper: f64,
    /// A closest point of A, in A's frame, rounded.
    pub point_a: Vec3,
    /// A closest point of B, in A's frame, rounded.
    pub point_b: Vec3,
}

/// How deep two bodies overlap: the shortest translation that leaves them without an inner point in
/// common is between `lower` and `upper` long, all rounding accounted for.
///
/// Mostly the bounds agree to 1e-11 of the size of the bodies. Where floating point cannot bring
/// them together (depths of less than a millionth of the size, say), they are what they are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// No translation of B shorter than this separates the bodies.
    pub lower: f64,
    /// B moved by this along the direction, before that is rounded, leaves A or touches it.
    pub upper: f64,
    /// The way out for B, in A's frame, of length one to rounding.
    pub direction: Vec3,
    /// The deepest point of A in B, in A's frame, rounded.
    pub point_a: Vec3,
    /// The deepest point of B in A, in A's frame, rounded: `upper` against the direction from
    /// `point_a`, to rounding.
    pub point_b: Vec3,
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
pub enum Contact {
    /// They share no point.
    Apart(Distance, Gap),
    /// They share a point.
    Meeting(Overlap, Common),
}

impl Contact {
    /// Whether the bodies share a point.
    #[must_use]
    pub fn is_meeting(&self) -> bool {
        matches!(self, Self::Meeting(..))
    }

    /// The distance if they are apart, minus the depth if they overlap: the upper bounds of both.
    #[must_use]
    pub fn signed_distance(&self) -> f64 {
        match self {
            Self::Apart(distance, _) => distance.upper,
            Self::Meeting(overlap, _) => -overlap.upper,
        }
    }
}

/// What a query is asked for.
pub(super) trait Answer: From<Contact> {
    /// Whether how deep the bodies overlap matters.
    const DEPTH: bool;

    fn apart(distance: Distance, gap: Gap) -> Self;

    fn meeting(overlap: Overlap, common: Common) -> Self;
}

impl Answer for Contact {
    const DEPTH: bool = true;

    #[inline(always)]
    fn apart(distance: Distance, gap: Gap) -> Self {
        Self::Apart(distance, gap)
    }

    #[inline(always)]
    fn meeting(overlap: Overlap, common: Common) -> Self {
        Self::Meeting(overlap, common)
    }
}

impl Answer for Distance {
    const DEPTH: bool = false;

    #[inline(always)]
    fn apart(distance: Distance, _: Gap) -> Self {
        distance
    }

    #[inline(always)]
    fn meeting(Overlap { point_a, point_b, .. }: Overlap, _: Common) -> Self {
        Self { lower: 0.0, upper: 0.0, point_a, point_b }
    }
}

/// The distance of bodies that may meet.
impl From<Contact> for Distance {
    fn from(contact: Contact) -> Self {
        match contact {
            Contact::Apart(distance, gap) => Self::apart(distance, gap),
            Contact::Meeting(overlap, common) => Self::meeting(overlap, common),
        }
    }
}
