//! The primitives of `std` that the hand-over is made of, in one place.
//!
//! `impinge-loom` compiles the other files of this folder against a `sync` of its own, in which
//! these names are the model checker's.

use std::fmt;
use std::mem;
use std::sync::{Mutex, TryLockError};

pub(super) use std::sync::Arc;
pub(super) use std::sync::atomic::{AtomicU8, Ordering};
pub(super) use std::thread::{Builder, JoinHandle, park};

/// A place that one thread at a time may reach, by a protocol outside of it.
///
/// The lock is how safe code says so. It is never waited for: by the protocol no other thread holds
/// it.
pub(super) struct Slot<T>(Mutex<T>);

impl<T> Slot<T> {
    pub(super) fn new(value: T) -> Self {
        Self(Mutex::new(value))
    }

    /// Exchanges `value` for what is in the slot. The caller owns the slot.
    pub(super) fn swap(&self, value: &mut T) {
        match self.0.try_lock() {
            Ok(mut inside) => mem::swap(&mut *inside, value),
            // Only `mem::swap` runs under the lock, and it does not panic; a poisoned value would
            // be whole anyway.
            Err(TryLockError::Poisoned(error)) => mem::swap(&mut *error.into_inner(), value),
            Err(TryLockError::WouldBlock) => unreachable!("two threads own one slot"),
        }
    }
}

/// Says nothing of the content: to look at it would take the lock from its owner.
impl<T> fmt::Debug for Slot<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Slot")
    }
}
