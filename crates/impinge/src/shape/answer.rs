//! What queries about shapes answer.

use std::fmt;

use crate::convex::decide::{Common, Gap};
use crate::math::Vec3;

/// Whether two shapes share a point, with the evidence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// They share none.
    Separated(Clear),
    /// They share one at least.
    Intersecting(Meeting),
    /// One of them is curved, and they touch to some twelve digits, or are smaller than some
    /// 1e-280, where the support of a curved body is known to 1e-290 only: the bounds of the signed
    /// distance, which hold, leave it open.
    Undecided(Bounds),
}

/// Why two shapes share no point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clear {
    /// They are at least this far apart: a certain bound, though not always the best. Zero if the
    /// gap is too narrow for `f64` to bound it; infinite if a mesh has no triangles.
    pub lower: f64,
    /// The unit vector from A towards B across which a plane lies between them, in A's frame, to
    /// rounding; `None` if no such plane is known.
    pub direction: Option<Vec3>,
    /// Of two polytopes without margins: a certificate about their [core
    /// points](super::Shape::core_points), those of B at the pose.
    pub gap: Option<Gap>,
}

/// Why two shapes share a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meeting {
    /// A common point, in A's frame, rounded.
    pub point: Vec3,
    /// The triangle of A that meets B, if A is a mesh and one does.
    pub a: Option<u32>,
    /// The triangle of B that meets A, if B is a mesh and one does.
    pub b: Option<u32>,
    /// Of polytopes without margins: a certificate about their [core
    /// points](super::Shape::core_points), those of B at the pose. A triangle named above counts as
    /// a polytope of its three corners.
    pub common: Option<Common>,
    /// They overlap by at least this, where one of them is curved and this is the proof; else zero.
    pub depth: f64,
}

/// Bounds of the signed distance: the distance of shapes that are apart, minus the depth of shapes
/// that overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// It is at least this.
    pub lower: f64,
    /// It is at most this.
    pub upper: f64,
}

/// How far apart two shapes are: `lower <= distance <= upper`, all rounding accounted for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    /// They are at least this far apart.
    pub lower: f64,
    /// They are at most this far apart. Zero for shapes that certainly meet; of shapes without
    /// curved cores, for those only.
    pub upper: f64,
    /// A closest point of A, in A's frame, rounded; for shapes that meet, a common point.
    pub point_a: Vec3,
    /// A closest point of B, in A's frame, rounded; for shapes that meet, a common point.
    pub point_b: Vec3,
    /// The triangle of A with its closest point, if A is a mesh; `None` for what lies inside a
    /// solid.
    pub a: Option<u32>,
    /// The triangle of B with its closest point, if B is a mesh; `None` for what lies inside a
    /// solid.
    pub b: Option<u32>,
}

/// How two convex shapes stand to each other.
///
/// The signed distance is the distance of shapes that are apart, and minus the length of the
/// shortest translation that takes them apart for shapes that overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The signed distance is at least this: if positive, the shapes are apart.
    pub lower: f64,
    /// The signed distance is at most this: if negative, they overlap.
    pub upper: f64,
    /// From A to B, the way out for B, in A's frame, of length one to rounding. Zero if floating
    /// point finds none.
    pub direction: Vec3,
    /// The point of A closest to B, or deepest in it, in A's frame, rounded.
    pub point_a: Vec3,
    /// The point of B closest to A, or deepest in it, in A's frame, rounded.
    pub point_b: Vec3,
}

impl Verdict {
    /// Whether the shapes certainly share a point.
    #[must_use]
    pub fn is_intersecting(&self) -> bool {
        matches!(self, Self::Intersecting(_))
    }

    /// Whether the shapes certainly share none.
    #[must_use]
    pub fn is_separated(&self) -> bool {
        matches!(self, Self::Separated(_))
    }

    /// From bounds of the signed distance, with a point that is common if any is.
    pub(super) fn from_bounds(bounds: Bounds, direction: Vec3, point: Vec3) -> Self {
        if bounds.lower > 0.0 {
            let direction = (direction != Vec3::ZERO).then_some(direction);
            Self::Separated(Clear { lower: bounds.lower, direction, gap: None })
        } else if bounds.upper < 0.0 {
            Self::Intersecting(Meeting { depth: -bounds.upper, ..Meeting::at(point) })
        } else {
            Self::Undecided(bounds)
        }
    }
}

impl Clear {
    /// Nothing is there to be met.
    pub(super) const NOTHING: Self = Self { lower: f64::INFINITY, direction: None, gap: None };
}

impl Meeting {
    pub(super) fn at(point: Vec3) -> Self {
        Self { point, a: None, b: None, common: None, depth: 0.0 }
    }
}

impl Distance {
    /// Of shapes that meet.
    pub(super) fn zero(meeting: &Meeting) -> Self {
        let Meeting { point, a, b, .. } = *meeting;
        Self { lower: 0.0, upper: 0.0, point_a: point, point_b: point, a, b }
    }
}

/// Answers that can be read with A and B exchanged, still in A's frame.
pub(super) trait Flip {
    fn flip(self) -> Self;
}

impl Flip for Verdict {
    fn flip(self) -> Self {
        match self {
            Self::Separated(clear) => Self::Separated(Clear {
                direction: clear.direction.map(|d| -d),
                gap: clear.gap.map(Gap::swapped),
                ..clear
            }),
            Self::Intersecting(meeting) => Self::Intersecting(Meeting {
                a: meeting.b,
                b: meeting.a,
                common: meeting.common.map(Common::swapped),
                ..meeting
            }),
            Self::Undecided(bounds) => Self::Undecided(bounds),
        }
    }
}

impl Flip for Distance {
    fn flip(self) -> Self {
        Self { point_a: self.point_b, point_b: self.point_a, a: self.b, b: self.a, ..self }
    }
}

impl Flip for Contact {
    fn flip(self) -> Self {
        Self { direction: -self.direction, point_a: self.point_b, point_b: self.point_a, ..self }
    }
}

impl<T: Flip> Flip for Option<T> {
    fn flip(self) -> Self {
        self.map(Flip::flip)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Separated(clear) => write!(f, "at least {:.6} apart", clear.lower),
            Self::Intersecting(Meeting { point: p, .. }) => {
                write!(f, "meeting at ({:.6}, {:.6}, {:.6})", p.x, p.y, p.z)
            }
            Self::Undecided(Bounds { lower, upper }) => {
                write!(f, "undecided: between {lower:e} and {upper:e}")
            }
        }
    }
}
