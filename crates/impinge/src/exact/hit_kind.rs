//! How two triangles meet.

use std::fmt;

/// A corner, side or the inside of a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Feature {
    /// Corner 0, 1 or 2.
    Vertex(#[cfg_attr(feature = "serde", serde(deserialize_with = "crate::serial::corner"))] u8),
    /// The side from corner `i` to corner `(i + 1) % 3`, without its ends.
    Edge(#[cfg_attr(feature = "serde", serde(deserialize_with = "crate::serial::corner"))] u8),
    /// The triangle without its boundary.
    Face,
}

/// How two closed triangles that share a point meet.
///
/// Let `I` be the set they share. Each triangle has one smallest feature that holds all of `I`: a
/// corner, a side, or the triangle itself. The triangles cross or overlap when that is the face for
/// both, and touch otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum HitKind {
    /// The insides of the triangles intersect, and the triangles are not in one plane.
    Crossing,
    /// They share points, but their insides do not: `I` lies in these features. A triangle of zero
    /// area has no inside and can only touch.
    Touching {
        /// The smallest feature of A that holds `I`.
        feature_a: Feature,
        /// The smallest feature of B that holds `I`.
        feature_b: Feature,
    },
    /// They lie in one plane and share a piece of positive area.
    Coplanar,
}

impl HitKind {
    /// The same with the triangles exchanged.
    #[must_use]
    pub fn swapped(self) -> Self {
        match self {
            Self::Touching { feature_a, feature_b } => {
                Self::Touching { feature_a: feature_b, feature_b: feature_a }
            }
            other => other,
        }
    }
}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Vertex(i) => write!(f, "vertex {i}"),
            Self::Edge(i) => write!(f, "edge {i}"),
            Self::Face => f.write_str("face"),
        }
    }
}

impl fmt::Display for HitKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Crossing => f.write_str("crossing"),
            Self::Touching { feature_a: a, feature_b: b } => write!(f, "touching ({a} on {b})"),
            Self::Coplanar => f.write_str("coplanar overlap"),
        }
    }
}
