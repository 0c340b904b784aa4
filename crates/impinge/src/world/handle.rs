//! Names of bodies that notice when the body is gone.

use std::fmt;

use crate::error::{Error, ErrorKind};

/// The name of a body in a [`World`](super::World).
///
/// A handle stays the name of its body until that is removed; from then on it names nothing, even
/// when another body has taken the place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Handle {
    pub(super) slot: u32,
    pub(super) generation: u32,
}

impl Handle {
    /// The place of the body in lists of all bodies: below [`World::slots`](super::World::slots),
    /// and free again when the body is removed.
    #[must_use]
    pub fn slot(self) -> usize {
        self.slot as usize
    }

    /// What to say about a handle whose body is gone.
    pub(super) fn gone(self) -> Error {
        Error::new(
            ErrorKind::NoSuchBody,
            format!(
                "{self} was removed, or belongs to another world; keep handles of bodies that are there"
            ),
        )
    }
}

impl fmt::Display for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "body {}.{}", self.slot, self.generation)
    }
}
