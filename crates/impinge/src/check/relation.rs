//! The relation of two parts.

use std::fmt;

/// The relation of two parts. A closed part is the solid it bounds; any other part is its surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Relation {
    /// No common point, and further apart than the clearance.
    Clear,
    /// No common point, but no further apart than the clearance.
    Near,
    /// The boundaries meet, the interiors do not.
    Touching,
    /// The surfaces cross, or the solids share space and neither contains the other.
    Crossing,
    /// The first part is inside the second, a closed solid; it may touch its surface from inside.
    AInsideB,
    /// The second part is inside the first, a closed solid; it may touch its surface from inside.
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
