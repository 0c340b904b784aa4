//! The names of `impinge/src/world/exchange/sync.rs`, with the types of the model checker.

use std::fmt;
use std::mem;
use std::sync::Mutex;

use loom::sync::atomic::AtomicUsize;

pub(super) use loom::sync::Arc;
pub(super) use loom::sync::atomic::{AtomicU8, Ordering};
pub(super) use loom::thread::{Builder, JoinHandle, park};

/// A slot that checks that it has one owner at a time, and that each exchange happens before the
/// next one.
///
/// The lock is of `std`, which the checker does not track, so it adds no ordering and hides no
/// missing ordering. An atomic counts the exchanges with relaxed ordering: where the protocol does
/// not order two exchanges, the checker lets the second load the count from before the first, which
/// then differs from the count inside the lock.
pub(super) struct Slot<T> {
    inside: Mutex<(T, usize)>,
    count: AtomicUsize,
}

impl<T> Slot<T> {
    pub(super) fn new(value: T) -> Self {
        Self { inside: Mutex::new((value, 0)), count: AtomicUsize::new(0) }
    }

    /// Exchanges `value` for what is in the slot. The caller owns the slot.
    pub(super) fn swap(&self, value: &mut T) {
        // The checker may switch threads at each use of the count, with the lock held.
        let Ok(mut inside) = self.inside.try_lock() else {
            panic!("two threads own one slot");
        };
        let count = self.count.load(Ordering::Relaxed);
        assert_eq!(count, inside.1, "an exchange of the slot does not happen before the next one");
        mem::swap(&mut inside.0, value);
        inside.1 += 1;
        self.count.store(inside.1, Ordering::Relaxed);
    }
}

impl<T> fmt::Debug for Slot<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Slot")
    }
}
