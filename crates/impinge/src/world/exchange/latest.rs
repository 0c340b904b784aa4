//! One writer, one reader, and the newest value: the swapped buffers of Zachmann (1994), section
//! 6.4, without the lock that his needed.
//!
//! Three slots stand in the cell, and an atomic byte says which of them is in the middle and
//! whether what is there was not read yet. One of the other two belongs to the writer, one to the
//! reader. To publish, the writer puts its value into its slot and exchanges that slot for the
//! middle one; to update, the reader exchanges its slot for the middle one and takes the value out.
//! Each is one atomic exchange (two, where the writer first takes back what was not read) and a
//! bounded number of steps: nobody waits, retries or fails, whatever the other side does or whether
//! it ever does anything again.
//!
//! The three slot numbers are, at any time, one with the writer, one with the reader, one in the
//! middle: they start so, and an exchange with the middle permutes them. So a slot has one owner,
//! and its lock is always free for it.
//!
//! **Orderings.** Every change of the byte is a read-modify-write with `AcqRel`. Each side touches
//! a slot only between the exchange that got it and the exchange that gives it away. The exchange
//! that gets a slot reads the byte that the exchange which gave it away wrote, so the release of
//! the one synchronises with the acquire of the other, and all that was done with the slot before
//! happens before all that is done with it after. The plain load that asks for the fresh bit is
//! `Relaxed`: nothing is read on the strength of it, an exchange follows. Values of one atomic are
//! seen in one order, so a reader never finds an older value after a newer one.

use std::fmt;
use std::mem;

use super::merge::Merge;
use super::sync::{Arc, AtomicU8, Ordering, Slot};

/// The bits of the byte that number a slot.
const INDEX: u8 = 0b011;
/// The bit that says that the value in the middle was not read.
const FRESH: u8 = 0b100;

struct Cell<T> {
    slots: [Slot<T>; 3],
    /// The number of the slot that belongs to nobody, and whether it is fresh.
    middle: AtomicU8,
}

impl<T> Cell<T> {
    /// Gives the slot `mine` for the one in the middle: its number, and whether it is fresh.
    fn exchange(&self, mine: u8, fresh: u8) -> (u8, bool) {
        let before = self.middle.swap(mine | fresh, Ordering::AcqRel);
        (before & INDEX, before & FRESH != 0)
    }

    fn is_fresh(&self) -> bool {
        self.middle.load(Ordering::Relaxed) & FRESH != 0
    }

    fn slot(&self, index: u8) -> &Slot<T> {
        &self.slots[usize::from(index)]
    }
}

/// The two ends of a new cell, all of whose buffers are `T::default()`.
///
/// Four buffers are in use once both ends have been at work: one in the hand of the writer, one in
/// the middle, and two with the reader (the value it looks at, and the one before, which goes back
/// at the next update). They go round and are never dropped, so that no memory is allocated once
/// each has had its largest content.
///
/// ```
/// use impinge::internals::exchange::latest;
///
/// let (mut writer, mut reader) = latest::<Vec<u32>>();
/// writer.value_mut().push(1);
/// assert!(!writer.publish());
/// writer.value_mut().clear();
/// writer.value_mut().push(2);
/// assert!(writer.publish()); // nobody had looked at the first
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
    /// What will be published next. After [`publish`](Self::publish) this is an old buffer with its
    /// old content, to be written anew.
    #[must_use]
    pub fn value(&self) -> &T {
        &self.value
    }

    /// The same, to fill.
    #[must_use]
    pub fn value_mut(&mut self) -> &mut T {
        &mut self.value
    }

    /// Makes the value the newest one, and says whether that replaced one that was never read.
    pub fn publish(&mut self) -> bool {
        let replaced = self.hand_over();
        // What `hand_over` left in the hand is what was in the writer's slot, mostly a buffer
        // without memory. The one that came back has some.
        self.cell.slot(self.back).swap(&mut self.value);
        replaced
    }

    /// Publishes the value joined to the last published one, if that was not read yet; says whether
    /// it was so. Afterwards the value is empty.
    ///
    /// The unread value is first taken back: between that and the second exchange the reader finds
    /// nothing new, and never the newer half without the older.
    pub fn publish_merged(&mut self) -> bool
    where
        T: Merge,
    {
        // What goes into the middle is not fresh, so the reader will not look at it.
        let (back, unread) = self.cell.exchange(self.back, 0);
        self.back = back;
        if unread {
            let mut newer = mem::take(&mut self.value);
            let slot = self.cell.slot(back);
            slot.swap(&mut self.value);
            self.value.merge(&mut newer);
            slot.swap(&mut newer);
        }
        // Either way an old buffer is in the writer's slot, and comes to the hand in exchange for
        // the value.
        self.hand_over();
        self.value.clear();
        unread
    }

    /// Whether the last published value was not read yet.
    #[must_use]
    pub fn is_unread(&self) -> bool {
        self.cell.is_fresh()
    }

    fn hand_over(&mut self) -> bool {
        self.cell.slot(self.back).swap(&mut self.value);
        let (back, unread) = self.cell.exchange(self.back, FRESH);
        self.back = back;
        unread
    }
}

/// The end that reads.
pub struct Reader<T> {
    cell: Arc<Cell<T>>,
    /// The reader's slot, in which the value before the last waits to go back.
    spare: u8,
    value: T,
}

impl<T> Reader<T> {
    /// Takes the newest published value if there is one that was not taken yet, and says so.
    /// Otherwise the value stays as it is.
    pub fn update(&mut self) -> bool {
        if !self.cell.is_fresh() {
            return false;
        }
        let (spare, fresh) = self.cell.exchange(self.spare, 0);
        self.spare = spare;
        // If it is no longer fresh, the writer has taken it back, to publish more.
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

    /// The same, to be emptied or changed: what is left in it, the writer of [`Writer::publish`]
    /// will find in one of its buffers.
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

    /// The addresses of the lists stay the same few, whatever the rhythm of the two ends.
    #[test]
    fn buffers_go_round() {
        let (mut writer, mut reader) = latest::<Vec<u64>>();
        let mut places = Vec::new();
        for n in 0..10_000_u64 {
            let value = writer.value_mut();
            value.extend([n; 50]);
            places.push(value.as_ptr());
            writer.publish_merged();
            // After seven unread frames the merged list has 400 entries at most; the first rounds
            // let every buffer grow to that.
            if n % 8 == 7 || n % 16 < 3 {
                assert!(reader.update());
                reader.value_mut().clear();
            }
        }
        let mut steady = places.split_off(1000);
        steady.sort_unstable();
        steady.dedup();
        assert!(steady.len() <= 5, "{} buffers", steady.len());
    }
}
