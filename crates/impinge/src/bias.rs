//! The direction of the possible error of an answer that is not certain.

use std::fmt;

/// The direction of the possible error of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Bias {
    /// "Collision" may be wrong, "no collision" is certain.
    TowardsCollision,
    /// "No collision" may be wrong, "collision" is certain.
    TowardsNoCollision,
}

impl fmt::Display for Bias {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::TowardsCollision => "towards collision",
            Self::TowardsNoCollision => "towards no collision",
        })
    }
}
