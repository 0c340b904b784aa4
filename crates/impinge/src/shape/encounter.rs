//! The answer to "do they meet?" where nobody has asked for the evidence yet.

use super::answer::{Flip, Verdict};
use crate::math::Vec3;

/// Whether two shapes share a point, with what was found on the way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Encounter {
    /// They share none. They are at least this far apart, or more: zero where no gap was measured.
    Apart { gap: f64 },
    /// They share one.
    Meeting {
        /// A common point, in A's frame, rounded, where it came without extra work.
        point: Option<Vec3>,
        /// The triangles that meet, where a shape is a mesh and one of its triangles does.
        triangles: [Option<u32>; 2],
        /// They overlap by at least this, where one of them is curved and this is the proof; else
        /// zero.
        depth: f64,
    },
    /// Bounds of the signed distance of curved shapes leave it open.
    Undecided,
}

impl Encounter {
    /// Two triangles that meet.
    pub(super) fn of_triangles((a, b): (u32, u32)) -> Self {
        Self::Meeting { point: None, triangles: [Some(a), Some(b)], depth: 0.0 }
    }

    /// A common point.
    pub(super) fn at(point: Vec3) -> Self {
        Self::Meeting { point: Some(point), triangles: [None, None], depth: 0.0 }
    }
}

impl From<Verdict> for Encounter {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Separated(clear) => Self::Apart { gap: clear.lower },
            Verdict::Intersecting(meeting) => Self::Meeting {
                point: Some(meeting.point),
                triangles: [meeting.feature_a, meeting.feature_b],
                depth: meeting.depth,
            },
            Verdict::Undecided(_) => Self::Undecided,
        }
    }
}

impl Flip for Encounter {
    fn flip(self) -> Self {
        match self {
            Self::Meeting { point, triangles: [a, b], depth } => {
                Self::Meeting { point, triangles: [b, a], depth }
            }
            Self::Apart { .. } | Self::Undecided => self,
        }
    }
}
