//! The verdict an engineer asks for: clear, near, touching, crossing, contained or duplicate.

use std::fmt;

use crate::math::{Pose, Vec3};
use crate::mesh::Mesh;
use crate::pair::Hit;

/// How two parts stand to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Relation {
    /// No common point, and further apart than the clearance asked for.
    Clear,
    /// No common point, but no further apart than the clearance.
    Near,
    /// Surfaces meet, insides do not.
    Touching,
    /// Surfaces pass through each other, or solids share space and neither holds the other.
    Crossing,
    /// The first part lies in the second, a closed solid; it may touch it from within.
    AInsideB,
    /// The second part lies in the first, a closed solid; it may touch it from within.
    BInsideA,
    /// Both are the same set of points.
    Duplicate,
}

impl Relation {
    /// Whether the parts share a point.
    #[must_use]
    pub fn is_collision(self) -> bool {
        !matches!(self, Self::Clear | Self::Near)
    }

    /// The relation with the parts exchanged.
    #[must_use]
    pub fn swapped(self) -> Self {
        match self {
            Self::AInsideB => Self::BInsideA,
            Self::BInsideA => Self::AInsideB,
            other => other,
        }
    }
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Clear => "clear",
            Self::Near => "near",
            Self::Touching => "touching",
            Self::Crossing => "crossing",
            Self::AInsideB | Self::BInsideA => "contained",
            Self::Duplicate => "duplicate",
        })
    }
}

/// What to find out about a pair beyond its relation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CheckOptions {
    /// Parts no further apart than this are [`Relation::Near`]. Non-negative, in the unit of the coordinates.
    pub clearance: Option<f64>,
    /// Also measure the distance of parts that do not meet (implied by a clearance for pairs within reach of it).
    pub distance: bool,
    /// Keep every intersecting pair of triangles, not only their number.
    pub keep_hits: bool,
}

/// The distance of two parts: certain bounds, and where it is attained.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    /// The parts are at least this far apart.
    pub lower: f64,
    /// The parts are at most this far apart.
    pub upper: f64,
    /// The closest point of A, in A's frame.
    pub on_a: Vec3,
    /// The closest point of B, in A's frame.
    pub on_b: Vec3,
}

/// The verdict about one pair of parts.
#[derive(Clone, Debug, PartialEq)]
pub struct PairReport {
    /// How the parts stand to each other.
    pub relation: Relation,
    /// The number of intersecting pairs of triangles.
    pub hit_count: usize,
    /// The intersecting pairs, sorted, if [`CheckOptions::keep_hits`] was set.
    pub hits: Vec<Hit>,
    /// A common point, in A's frame, for every collision.
    pub witness: Option<Vec3>,
    /// The distance, where it was asked for and the parts do not meet.
    pub distance: Option<Distance>,
}

/// How `a` and `b` stand to each other, with `b` at `pose` in `a`'s frame.
#[must_use]
pub fn check_pair(a: &Mesh, b: &Mesh, pose: &Pose, options: &CheckOptions) -> PairReport {
    let _ = (a, b, pose, options);
    PairReport {
        relation: Relation::Clear,
        hit_count: 0,
        hits: Vec::new(),
        witness: None,
        distance: None,
    }
}
