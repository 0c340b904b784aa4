//! The lists of neighbours: pairs of slots in rows of eight, so that comparing them is one pass
//! over memory, whatever the lengths of the lists.

use crate::wide::{Lookup, Rows, prefetch};

/// Where fewer than one place in so many is free, new ones are taken.
const HOLES: usize = 16;
/// No place.
const NONE: u32 = u32::MAX;

/// The lists of all slots. A pair is in the list of its lower slot. A *place* is a row and a column
/// in one number; those that are free hold slot zero twice, whose box is empty for ever.
#[derive(Clone, Debug, Default)]
pub(super) struct Pairs {
    rows: Rows,
    /// For each row a bit for each pair whose boxes overlap.
    overlapping: Vec<u8>,
    /// The place of the first pair of each slot.
    first: Vec<u32>,
    /// For each place that of the next pair of the same slot.
    next: Vec<u32>,
    /// How many places are free.
    holes: usize,
    /// The row where the last one was found that nobody near had use for.
    hunt: usize,
    /// Pairs that were added among those of other slots.
    added: usize,
}

/// A position in the list of a slot.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor {
    slot: u32,
    before: u32,
    pub(super) place: u32,
}

impl Pairs {
    /// Empties all and makes room for lists as long as told, which become the places where
    /// [`Pairs::fill`] goes on.
    pub(super) fn reset(&mut self, lengths: &mut [u32]) {
        self.clear();
        let count: usize = lengths.iter().map(|length| *length as usize).sum();
        self.rows.resize(count.div_ceil(8));
        self.overlapping.resize(count.div_ceil(8), 0);
        self.next.extend(1..=count as u32);
        let mut start = 0;
        for length in lengths {
            let end = start + *length;
            self.first.push(if start == end { NONE } else { start });
            // The end of this list or, if it is empty, of one before.
            if let Some(last) = self.next.get_mut((end as usize).wrapping_sub(1)) {
                *last = NONE;
            }
            (*length, start) = (start, end);
        }
    }

    fn clear(&mut self) {
        self.rows.clear();
        self.overlapping.clear();
        self.first.clear();
        self.next.clear();
        (self.holes, self.hunt, self.added) = (0, 0, 0);
    }

    /// The next pair of a list for which there is room, after [`Pairs::reset`].
    #[inline(always)]
    pub(super) fn fill(&mut self, cursor: &mut u32, low: u32, high: u32) {
        self.put(*cursor, low, high);
        *cursor += 1;
    }

    #[inline(always)]
    fn put(&mut self, place: u32, low: u32, high: u32) {
        self.rows.put(place, low, high);
    }

    pub(super) fn push_slot(&mut self) {
        self.first.push(NONE);
    }

    /// The rows with what a table has for the slots, and for each row a bit for each pair whose
    /// boxes overlap.
    pub(super) fn within<'a, T>(&'a mut self, table: &'a [T]) -> (Lookup<'a, T>, &'a mut [u8]) {
        (self.rows.within(table), &mut self.overlapping)
    }

    /// The two slots in a place.
    #[inline(always)]
    pub(super) fn slots(&self, place: u32) -> [u32; 2] {
        self.rows.get(place)
    }

    /// Whether the boxes of the pair in a place overlap.
    #[inline(always)]
    pub(super) fn overlaps(&self, place: u32) -> bool {
        self.overlapping[place as usize / 8] >> (place % 8) & 1 == 1
    }

    /// Turns that around.
    #[inline(always)]
    pub(super) fn toggle(&mut self, place: u32) {
        self.overlapping[place as usize / 8] ^= 1 << (place % 8);
    }

    /// The pairs whose boxes overlap.
    pub(super) fn overlapping(&self) -> impl Iterator<Item = [u32; 2]> {
        let rows =
            self.rows.as_slice().iter().zip(&self.overlapping).filter(|(_, bits)| **bits != 0);
        rows.flat_map(|(row, bits)| {
            let set = (0..8).filter(move |column| bits >> column & 1 == 1);
            set.map(|column| [row.low[column], row.high[column]])
        })
    }

    /// The places of the pairs of a slot.
    #[inline(always)]
    pub(super) fn of(&self, slot: usize) -> impl Iterator<Item = u32> {
        let some = |place: u32| (place != NONE).then_some(place);
        std::iter::successors(some(self.first[slot]), move |place| some(self.next[*place as usize]))
    }

    /// The place of a pair.
    #[inline(always)]
    pub(super) fn find(&self, low: usize, high: u32) -> Option<u32> {
        let mut place = self.first[low];
        while place != NONE {
            if self.slots(place)[1] == high {
                return Some(place);
            }
            place = self.next[place as usize];
        }
        None
    }

    /// Asks for the list of a slot to be fetched.
    #[inline(always)]
    pub(super) fn prefetch(&self, slot: u32) {
        prefetch(&self.first[slot as usize]);
    }

    /// Adds a pair whose boxes do not overlap; says where.
    pub(super) fn add(&mut self, low: usize, high: u32) -> u32 {
        let place = self.find_place(low);
        self.next[place as usize] = std::mem::replace(&mut self.first[low], place);
        self.put(place, low as u32, high);
        place
    }

    /// A free place for a pair of a slot: near its other pairs, so that comparing them goes through
    /// memory in order; or else any; or else a new one.
    fn find_place(&mut self, slot: usize) -> u32 {
        let home = self.first[slot];
        let near = if home == NONE { None } else { self.hole_in(home as usize / 8) };
        if let Some(place) = near {
            self.holes -= 1;
            return place;
        }
        self.added += 1;
        // So many that one is found in a step or two.
        if self.holes * HOLES > self.next.len() {
            for _ in 0..self.rows.len() {
                self.hunt = if self.hunt + 1 < self.rows.len() { self.hunt + 1 } else { 0 };
                if let Some(place) = self.hole_in(self.hunt) {
                    self.holes -= 1;
                    return place;
                }
            }
        }
        let place = self.next.len() as u32;
        self.next.push(NONE);
        if place as usize / 8 == self.rows.len() {
            self.rows.resize(self.rows.len() + 1);
            self.overlapping.push(0);
        }
        place
    }

    /// A free place in a row.
    #[inline(always)]
    fn hole_in(&self, row: usize) -> Option<u32> {
        let high = &self.rows.as_slice()[row].high;
        let column = high.iter().position(|slot| *slot == 0)?;
        let place = 8 * row + column;
        // The last row may have places that were never taken.
        (place < self.next.len()).then_some(place as u32)
    }

    /// The beginning of the list of a slot.
    #[inline(always)]
    pub(super) fn cursor(&self, slot: usize) -> Cursor {
        Cursor { slot: slot as u32, before: NONE, place: self.first[slot] }
    }

    /// The higher slot of the pair at a cursor, if the list does not end there.
    #[inline(always)]
    pub(super) fn look(&self, cursor: Cursor) -> Option<u32> {
        (cursor.place != NONE).then(|| self.slots(cursor.place)[1])
    }

    /// Goes on to the next pair of the list.
    #[inline(always)]
    pub(super) fn go_on(&self, cursor: &mut Cursor) {
        cursor.before = cursor.place;
        cursor.place = self.next[cursor.place as usize];
    }

    /// Takes out the pair at a cursor, whose boxes do not overlap, and goes on to the next.
    pub(super) fn take_out(&mut self, cursor: &mut Cursor) {
        let place = cursor.place;
        let next = self.next[place as usize];
        match cursor.before {
            NONE => self.first[cursor.slot as usize] = next,
            before => self.next[before as usize] = next,
        }
        self.put(place, 0, 0);
        self.holes += 1;
        cursor.place = next;
    }

    /// Whether so many pairs are out of order that putting them in order pays.
    pub(super) fn is_scattered(&self) -> bool {
        self.added > self.next.len() / 4 + 256
    }

    /// Puts all in the order of the slots, with `spare` for memory.
    pub(super) fn tidy(&mut self, spare: &mut Self) {
        std::mem::swap(self, spare);
        self.clear();
        let count = spare.next.len();
        self.rows.resize(count.div_ceil(8));
        self.overlapping.resize(count.div_ceil(8), 0);
        for slot in 0..spare.first.len() {
            let start = self.next.len() as u32;
            for place in spare.of(slot) {
                let here = self.next.len() as u32;
                self.next.push(here + 1);
                self.put(here, slot as u32, spare.slots(place)[1]);
                self.overlapping[here as usize / 8] |=
                    u8::from(spare.overlaps(place)) << (here % 8);
            }
            self.first.push(if start as usize == self.next.len() { NONE } else { start });
            if let (Some(last), true) = (self.next.last_mut(), self.first[slot] != NONE) {
                *last = NONE;
            }
        }
        self.rows.resize(self.next.len().div_ceil(8));
        self.overlapping.truncate(self.rows.len());
    }

    pub(super) fn bytes(&self) -> usize {
        self.rows.bytes()
            + self.overlapping.capacity()
            + 4 * (self.first.capacity() + self.next.capacity())
    }
}
