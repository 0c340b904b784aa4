//! Whether two shapes meet, without the full evidence.

use super::answer::{Flip, Verdict};
use crate::math::Vec3;

/// Whether two shapes share a point, with the evidence that needs no extra work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum QuickVerdict {
    /// They share none. `gap` is a lower bound of their distance, zero if no gap was measured.
    Apart { gap: f64 },
    /// They share a point.
    Meeting {
        /// A common point, in A's frame, rounded, if it needs no extra work.
        point: Option<Vec3>,
        /// For each shape the triangle that meets the other shape, if it is a mesh and one does.
        triangles: [Option<u32>; 2],
        /// A lower bound of the depth of overlap, if one of them is curved and this bound is the
        /// proof; otherwise zero.
        depth: f64,
    },
    /// Zero is between the bounds of the signed distance of curved shapes.
    Undecided,
}

impl QuickVerdict {
    /// From two triangles that meet.
    pub(super) fn of_triangles((a, b): (u32, u32)) -> Self {
        Self::Meeting { point: None, triangles: [Some(a), Some(b)], depth: 0.0 }
    }

    /// From a common point.
    pub(super) fn at(point: Vec3) -> Self {
        Self::Meeting { point: Some(point), triangles: [None, None], depth: 0.0 }
    }
}

impl From<Verdict> for QuickVerdict {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Separated(clear) => Self::Apart { gap: clear.lower },
            Verdict::Intersecting(meeting) => Self::Meeting {
                point: Some(meeting.point),
                triangles: [meeting.triangle_a, meeting.triangle_b],
                depth: meeting.depth,
            },
            Verdict::Undecided(_) => Self::Undecided,
        }
    }
}

impl Flip for QuickVerdict {
    fn flip(self) -> Self {
        match self {
            Self::Meeting { point, triangles: [a, b], depth } => {
                Self::Meeting { point, triangles: [b, a], depth }
            }
            Self::Apart { .. } | Self::Undecided => self,
        }
    }
}
