//! The direction in which an answer that is not certain can be wrong.

/// The direction in which an answer can be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Bias {
    /// "Collision" may be wrong, "no collision" is certain.
    TowardsCollision,
    /// "No collision" may be wrong, "collision" is certain.
    TowardsNoCollision,
}
