//! One writer, one reader, and the newest value: the swapped buffers of Zachmann (1994), section
//! 6.4, without their lock.
//!
//! The cell has three slots, and an atomic byte contains the number of the middle slot and whether
//! its value was not read yet. One of the other two slots belongs to the writer, one to the reader.
//! To publish, the writer puts its value into its slot and exchanges that slot for the middle one;
//! to update, the reader exchanges its slot for the middle one and takes the value out. Each is one
//! atomic exchange (two, if the writer first takes back an unread value) and a bounded number of
//! steps: no side waits, retries or fails, even if the other side stops.
//!
//! At any time the writer has one of the three slot numbers, the reader another, and the third is
//! in the middle: this is so at the start, and an exchange with the middle permutes them. So a slot
//! has one owner, and its lock is always free for the owner.
//!
//! **Orderings.** Every change of the byte is a read-modify-write with `AcqRel`. Each side accesses
//! a slot only between the exchange that acquired it and the exchange that releases it. The
//! exchange that acquires a slot reads the byte that the exchange which released it wrote, so the
//! release of the one synchronises with the acquire of the other, and all accesses to the slot
//! before happen before all accesses after. The plain load of the fresh bit is `Relaxed`: no other
//! data is read because of it, an exchange follows. All threads see the values of one atomic in the
//! same order, so a reader never finds an older value after a newer one.

use std::fmt;
use std::mem;

use super::merge::Merge;
use super::sync::{Arc, AtomicU8, Ordering, Slot};

/// The bits of the byte with the number of a slot.
const INDEX: u8 = 0b011;
/// The bit that is set if the value in the middle was not read.
const FRESH: u8 = 0b100;

struct Cell<T> {
    slots: [Slot<T>; 3],
    /// The number of the slot that neither side owns, and whether its value is fresh.
    middle: AtomicU8,
}

impl<T> Cell<T> {
    /// Exchanges the slot `own` for the middle one. Returns the number of that slot, and whether
    /// its value is fresh.
    fn exchange(&self, own: u8, fresh: u8) -> (u8, bool) {
        let before = self.middle.swap(own | fresh, Ordering::AcqRel);
        (before & INDEX, before & FRESH != 0)
    }

    fn is_fresh(&self) -> bool {
        self.middle.load(Ordering::Relaxed) & FRESH != 0
    }

    fn slot(&self, index: u8) -> &Slot<T> {
        &self.slots[usize::from(index)]
    }
}

/// The two ends of a new cell, in which all buffers are `T::default()`.
///
/// Four buffers are in use after both ends were used: the writer's value, the middle slot, and two
/// of the reader (its value, and the one before, which goes back at the next update). They
/// circulate and are never dropped, so that no memory is allocated after each has had its largest
/// content.
///
/// ```
/// use impinge::internals::exchange::latest;
///
/// let (mut writer, mut reader) = latest::<Vec<u32>>();
/// writer.value_mut().push(1);
/// assert!(!writer.publish());
/// writer.value_mut().clear();
/// writer.value_mut().push(2);
/// assert!(writer.publish()); // the first was not read
/// assert!(reader.update());
/// assert_eq!(*reader.value(), [2]);
/// assert!(!reader.update()); // nothing new
/// assert_eq!(*reader.value(), [2]);
/// ```
#[must_use]
pub fn latest<T: Default>() -> (Writer<T>, Reader<T>) {
    let slots = [(); 3].map(|()| Slot::new(T::default()));
    let cell = Arc::new(Cell { slots, middle: AtomicU8::new(1) });
    let reader = Reader { cell: Arc::clone(&cell), spare: 2, value: T::default() };
    (Writer { cell, back: 0, value: T::default() }, reader)
}

/// The end that publishes.
pub struct Writer<T> {
    cell: Arc<Cell<T>>,
    /// The writer's slot.
    back: u8,
    value: T,
}

impl<T> Writer<T> {
    /// The value that will be published next. After [`publish`](Self::publish) this is an old
    /// buffer with its old content, to be overwritten.
    #[must_use]
    pub fn value(&self) -> &T {
        &self.value
    }

    /// The same, to fill.
    #[must_use]
    pub fn value_mut(&mut self) -> &mut T {
        &mut self.value
    }

    /// Makes the value the newest one. Returns whether that replaced a value that was never read.
    pub fn publish(&mut self) -> bool {
        let replaced = self.publish_slot();
        // After `publish_slot` the value is what was in the writer's slot, usually a buffer without
        // memory. The slot that came back has a buffer with memory.
        self.cell.slot(self.back).swap(&mut self.value);
        replaced
    }

    /// Publishes the value, merged with the last published one if that was not read yet. Returns
    /// whether it was merged. Afterwards the value is empty.
    ///
    /// The unread value is first taken back: between that and the second exchange the reader finds
    /// no new value, and never the newer part without the older.
    pub fn publish_merged(&mut self) -> bool
    where
        T: Merge,
    {
        // The slot that goes into the middle is not fresh, so the reader does not take it.
        let (back, unread) = self.cell.exchange(self.back, 0);
        self.back = back;
        if unread {
            let mut newer = mem::take(&mut self.value);
            let slot = self.cell.slot(back);
            slot.swap(&mut self.value);
            self.value.merge(&mut newer);
            slot.swap(&mut newer);
        }
        // In both cases an old buffer is in the writer's slot, and is exchanged for the value.
        self.publish_slot();
        self.value.clear();
        unread
    }

    /// Whether the last published value was not read yet.
    #[must_use]
    pub fn is_unread(&self) -> bool {
        self.cell.is_fresh()
    }

    fn publish_slot(&mut self) -> bool {
        self.cell.slot(self.back).swap(&mut self.value);
        let (back, unread) = self.cell.exchange(self.back, FRESH);
        self.back = back;
        unread
    }
}

/// The end that reads.
pub struct Reader<T> {
    cell: Arc<Cell<T>>,
    /// The reader's slot, with the value before the last, which goes back at the next update.
    spare: u8,
    value: T,
}

impl<T> Reader<T> {
    /// Takes the newest published value if it was not taken yet, and returns whether it was.
    /// Otherwise the value does not change.
    pub fn update(&mut self) -> bool {
        if !self.cell.is_fresh() {
            return false;
        }
        let (spare, fresh) = self.cell.exchange(self.spare, 0);
        self.spare = spare;
        // If it is no longer fresh, the writer has taken it back to merge it.
        if fresh {
            self.cell.slot(spare).swap(&mut self.value);
        }
        fresh
    }

    /// The value that the last [`update`](Self::update) took; before the first, `T::default()`.
    #[must_use]
    pub fn value(&self) -> &T {
        &self.value
    }

    /// The same, to be cleared or changed. Its remaining content comes back to the writer in one of
    /// the buffers of [`Writer::publish`].
    #[must_use]
    pub fn value_mut(&mut self) -> &mut T {
        &mut self.value
    }
}

impl<T: fmt::Debug> fmt::Debug for Writer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer").field("value", &self.value).finish_non_exhaustive()
    }
}

impl<T: fmt::Debug> fmt::Debug for Reader<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader").field("value", &self.value).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newest_wins() {
        let (mut writer, mut reader) = latest::<u32>();
        assert!(!reader.update());
        for n in 1..=10 {
            *writer.value_mut() = n;
            assert_eq!(writer.publish(), n > 1);
        }
        assert!(writer.is_unread() && reader.update());
        assert_eq!(*reader.value(), 10);
        assert!(!writer.is_unread() && !reader.update());
        assert_eq!(*reader.value(), 10);
        *writer.value_mut() = 11;
        assert!(!writer.publish());
        assert!(reader.update());
        assert_eq!(*reader.value(), 11);
    }

    #[test]
    fn merged_values_lose_nothing() {
        let (mut writer, mut reader) = latest::<Vec<u32>>();
        let mut seen = Vec::new();
        for n in 0..1000 {
            writer.value_mut().push(n);
            writer.publish_merged();
            assert!(writer.value().is_empty());
            if n * n % 7 == 2 {
                assert!(reader.update());
                seen.append(reader.value_mut());
            }
        }
        if reader.update() {
            seen.append(reader.value_mut());
        }
        assert_eq!(seen, (0..1000).collect::<Vec<_>>());
    }

    /// The lists have few different addresses, for several patterns of use of the two ends.
    #[test]
    fn buffers_are_reused() {
        let (mut writer, mut reader) = latest::<Vec<u64>>();
        let mut addresses = Vec::new();
        for n in 0..10_000_u64 {
            let value = writer.value_mut();
            value.extend([n; 50]);
            addresses.push(value.as_ptr());
            writer.publish_merged();
            // After seven unread frames the merged list has at most 400 entries; in the first
            // rounds every buffer grows to that.
            if n % 8 == 7 || n % 16 < 3 {
                assert!(reader.update());
                reader.value_mut().clear();
            }
        }
        let mut steady = addresses.split_off(1000);
        steady.sort_unstable();
        steady.dedup();
        assert!(steady.len() <= 5, "{} buffers", steady.len());
    }
}
