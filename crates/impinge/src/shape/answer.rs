//! The answers of queries about shapes.

use std::fmt;

use super::MetTriangles;
use super::margins::Interval;
use crate::answer::{self, Bounds, Contact, Distance, Within};
use crate::convex::{IntersectionCertificate, SeparationCertificate};
use crate::math::Vec3;
use crate::pair::DistanceWithin;

/// Whether two shapes share a point, with the evidence.
///
/// [`Undecided`](answer::Verdict::Undecided) only if one of them is curved and they touch to about
/// twelve digits, or are smaller than about 1e-280, where the support of a curved body has an error
/// of 1e-290: then the bounds of the signed distance are valid, but zero is between them.
pub type Verdict = answer::Verdict<ShapeSeparation, ShapeHit, Bounds>;

/// Why two shapes share no point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShapeSeparation {
    /// A certain lower bound of their distance, though not always the best one. Zero if the gap is
    /// too narrow for `f64` to bound it; infinite if a mesh has no triangles.
    pub lower: f64,
    /// The unit normal, from A towards B, of a plane between them, in A's frame, rounded; `None` if
    /// no such plane is known.
    pub direction: Option<Vec3>,
    /// For two polytopes without margins: a certificate about their [core
    /// points](super::Shape::core_points), those of B at the pose.
    pub certificate: Option<SeparationCertificate>,
}

/// Why two shapes share a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShapeHit {
    /// A common point, in A's frame, rounded.
    pub point: Vec3,
    /// The triangle of A that meets B, if A is a mesh and one does.
    pub triangle_a: Option<u32>,
    /// The triangle of B that meets A, if B is a mesh and one does.
    pub triangle_b: Option<u32>,
    /// For polytopes without margins: a certificate about their [core
    /// points](super::Shape::core_points), those of B at the pose. A triangle given above is a
    /// polytope with its three corners.
    pub certificate: Option<IntersectionCertificate>,
    /// A lower bound of the depth of overlap, if one of them is curved and this bound is the proof;
    /// otherwise zero.
    pub depth: f64,
}

/// The verdict from bounds of the signed distance, with a point that is common if the shapes meet.
pub(super) fn from_interval(known: Interval, direction: Vec3, point: Vec3) -> Verdict {
    if known.lower > 0.0 {
        let direction = (direction != Vec3::ZERO).then_some(direction);
        Verdict::Separated(ShapeSeparation { lower: known.lower, direction, certificate: None })
    } else if known.upper < 0.0 {
        Verdict::Intersecting(ShapeHit { depth: -known.upper, ..ShapeHit::at(point) })
    } else {
        let Interval { lower, upper } = known;
        Verdict::Undecided(Bounds { lower, upper, open_depth: 0.0 - lower, open: 1 })
    }
}

impl ShapeSeparation {
    /// For a mesh without triangles.
    pub(super) const NOTHING: Self =
        Self { lower: f64::INFINITY, direction: None, certificate: None };
}

impl ShapeHit {
    pub(super) fn at(point: Vec3) -> Self {
        Self { point, triangle_a: None, triangle_b: None, certificate: None, depth: 0.0 }
    }
}

/// The distance of shapes that meet.
pub(super) fn zero_distance(meeting: &ShapeHit) -> Distance {
    let ShapeHit { point, triangle_a, triangle_b, .. } = *meeting;
    Distance { triangle_a, triangle_b, ..Distance::zero(point) }
}

/// Exchanges A and B in an answer, which stays in the same frame.
pub(super) trait Flip {
    fn flip(self) -> Self;
}

impl Flip for Verdict {
    fn flip(self) -> Self {
        match self {
            Self::Separated(clear) => Self::Separated(ShapeSeparation {
                direction: clear.direction.map(|d| -d),
                certificate: clear.certificate.map(SeparationCertificate::swapped),
                ..clear
            }),
            Self::Intersecting(meeting) => Self::Intersecting(ShapeHit {
                triangle_a: meeting.triangle_b,
                triangle_b: meeting.triangle_a,
                certificate: meeting.certificate.map(IntersectionCertificate::swapped),
                ..meeting
            }),
            Self::Undecided(bounds) => Self::Undecided(bounds),
        }
    }
}

impl Flip for Distance {
    fn flip(self) -> Self {
        self.swapped()
    }
}

impl Flip for Contact {
    fn flip(self) -> Self {
        self.swapped()
    }
}

impl Flip for DistanceWithin {
    fn flip(self) -> Self {
        match self {
            Self::Empty => Self::Empty,
            Self::Final(distance) => Self::Final(distance.swapped()),
            Self::Open(distance) => Self::Open(distance.swapped()),
        }
    }
}

/// A common point, in A's frame.
impl Flip for Vec3 {
    fn flip(self) -> Self {
        self
    }
}

/// Triangles of the only mesh.
impl Flip for MetTriangles {
    fn flip(self) -> Self {
        self
    }
}

/// What is left of a query is not exchanged: it goes on in the order in which it began.
impl<T: Flip, R> Flip for Result<T, R> {
    fn flip(self) -> Self {
        self.map(Flip::flip)
    }
}

impl<T: Flip> Flip for Within<T> {
    fn flip(self) -> Self {
        self.map(Flip::flip)
    }
}

impl<T: Flip> Flip for Option<T> {
    fn flip(self) -> Self {
        self.map(Flip::flip)
    }
}

impl fmt::Display for ShapeSeparation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at least {:.6} apart", self.lower)
    }
}

impl fmt::Display for ShapeHit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let p = self.point;
        write!(f, "meeting at ({:.6}, {:.6}, {:.6})", p.x, p.y, p.z)
    }
}
