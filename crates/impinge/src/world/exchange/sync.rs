//! The primitives of `std` that the exchange uses, in one place.
//!
//! `impinge-loom` compiles the other files of this folder against another `sync`, in which these
//! names are those of the model checker.

use std::fmt;
use std::mem;
use std::sync::{Mutex, TryLockError};

pub(super) use std::sync::Arc;
pub(super) use std::sync::atomic::{AtomicU8, Ordering};
pub(super) use std::thread::{Builder, JoinHandle, park};

/// A value that one thread at a time may access, by a protocol outside of it.
///
/// The lock expresses this in safe code. It never waits: by the protocol no other thread holds it.
pub(super) struct Slot<T>(Mutex<T>);

impl<T> Slot<T> {
    pub(super) fn new(value: T) -> Self {
        Self(Mutex::new(value))
    }

    /// Exchanges `value` with the value in the slot. The caller owns the slot.
    pub(super) fn swap(&self, value: &mut T) {
        match self.0.try_lock() {
            Ok(mut inside) => mem::swap(&mut *inside, value),
            // Only `mem::swap` runs under the lock, and it does not panic; a poisoned value would
            // be valid anyway.
            Err(TryLockError::Poisoned(error)) => mem::swap(&mut *error.into_inner(), value),
            Err(TryLockError::WouldBlock) => unreachable!("two threads own one slot"),
        }
    }
}

/// Without the content: reading it would lock the slot, which belongs to its owner.
impl<T> fmt::Debug for Slot<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Slot")
    }
}
