//! Handles of bodies, which become invalid when the body is removed.

use std::fmt;

use crate::error::{Error, ErrorKind};

/// Identifies a body in a [`World`](super::World).
///
/// A handle is valid until its body is removed. From then on it is invalid, also when another body
/// uses the slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Handle {
    pub(super) slot: u32,
    pub(super) generation: u32,
}

impl Handle {
    /// The index of the body in lists of all bodies: below [`World::slots`](super::World::slots),
    /// and reused after the body is removed.
    #[must_use]
    pub fn slot(self) -> usize {
        self.slot as usize
    }

    /// The error for a handle whose body was removed.
    pub(super) fn removed_error(self) -> Error {
        Error::new(
            ErrorKind::NoSuchBody,
            format!(
                "{self} was removed, or belongs to another world; \
                 keep only handles of bodies that exist"
            ),
        )
    }
}

impl fmt::Display for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "body {}.{}", self.slot, self.generation)
    }
}
