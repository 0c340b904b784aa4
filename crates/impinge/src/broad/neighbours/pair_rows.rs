//! Pairs of slots in rows of eight, so that comparing all of them is one pass over memory, for any
//! lengths of the lists.

use crate::wide::{Lookup, Rows, prefetch};

/// Free places are searched for if at least one place in this many is free; otherwise a new place
/// is appended.
const PLACES_PER_FREE_PLACE: usize = 16;
/// The rows are put in order after one pair for this many places was added out of order,
const PLACES_PER_SCATTERED_PAIR: usize = 4;
/// and this many more.
const MIN_SCATTERED_PAIRS: usize = 256;
/// No place.
const NO_PLACE: u32 = u32::MAX;

/// The pairs of all slots, as a list for each slot. A pair is in the list of its lower slot. A
/// *place* is a row and a column in one number.
///
/// Invariants, which [`PairRows::validate`] checks: a place is in one list, or free. A place in the
/// list of a slot stores that slot and a higher one. A free place stores slot zero twice, whose box
/// is always empty, and is not marked as overlapping.
#[derive(Clone, Debug, Default)]
pub(super) struct PairRows {
    rows: Rows,
    /// For each row, a bit for each pair whose boxes overlap.
    overlapping: Vec<u8>,
    /// The place of the first pair of each slot.
    first: Vec<u32>,
    /// For each place, that of the next pair of the same slot.
    next: Vec<u32>,
    free_places: usize,
    /// The row where the last free place was found, unless it was found near the slot's pairs: the
    /// search continues there.
    next_free_row: usize,
    /// Pairs that were added among those of other slots since the rows were put in order.
    scattered: usize,
}

/// A position in the list of a slot.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor {
    slot: u32,
    before: u32,
    pub(super) place: u32,
}

impl PairRows {
    /// Removes all pairs and reserves a list of the given length for each slot. The lengths are
    /// replaced by the first places, from which [`PairRows::fill`] continues.
    pub(super) fn reset(&mut self, lengths: &mut [u32]) {
        self.clear();
        let count: usize = lengths.iter().map(|length| *length as usize).sum();
        self.rows.resize(count.div_ceil(8));
        self.overlapping.resize(count.div_ceil(8), 0);
        self.next.extend(1..=count as u32);
        let mut start = 0;
        for length in lengths {
            let end = start + *length;
            self.first.push(if start == end { NO_PLACE } else { start });
            // The end of this list or, if it is empty, of one before it.
            if let Some(last) = self.next.get_mut((end as usize).wrapping_sub(1)) {
                *last = NO_PLACE;
            }
            (*length, start) = (start, end);
        }
    }

    fn clear(&mut self) {
        self.rows.clear();
        self.overlapping.clear();
        self.first.clear();
        self.next.clear();
        (self.free_places, self.next_free_row, self.scattered) = (0, 0, 0);
    }

    /// Stores the next pair of a list reserved by [`PairRows::reset`].
    #[inline(always)]
    pub(super) fn fill(&mut self, place: &mut u32, low: u32, high: u32) {
        self.rows.put(*place, low, high);
        *place += 1;
    }

    /// Adds empty lists for new slots at the end.
    pub(super) fn grow(&mut self, slots: usize) {
        if self.first.len() < slots {
            self.first.resize(slots, NO_PLACE);
        }
    }

    /// The number of slots.
    pub(super) fn slot_count(&self) -> usize {
        self.first.len()
    }

    /// The rows as indices into a table with an entry for each slot, and for each row a bit for
    /// each pair whose boxes overlap.
    pub(super) fn lookup_in<'a, T>(&'a mut self, table: &'a [T]) -> (Lookup<'a, T>, &'a mut [u8]) {
        (self.rows.lookup_in(table), &mut self.overlapping)
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

    /// Inverts whether the boxes of the pair in a place overlap.
    #[inline(always)]
    pub(super) fn invert_overlap(&mut self, place: u32) {
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

    /// The places in the list of a slot.
    #[inline(always)]
    pub(super) fn of(&self, slot: usize) -> impl Iterator<Item = u32> {
        let some = |place: u32| (place != NO_PLACE).then_some(place);
        std::iter::successors(some(self.first[slot]), move |place| some(self.next[*place as usize]))
    }

    /// The place of a pair, if it is in the lists.
    #[inline(always)]
    pub(super) fn find(&self, low: u32, high: u32) -> Option<u32> {
        let mut place = self.first[low as usize];
        while place != NO_PLACE {
            if self.slots(place)[1] == high {
                return Some(place);
            }
            place = self.next[place as usize];
        }
        None
    }

    /// Prefetches the start of the list of a slot.
    #[inline(always)]
    pub(super) fn prefetch(&self, slot: u32) {
        prefetch(&self.first[slot as usize]);
    }

    /// Adds a pair whose boxes do not overlap; returns its place.
    pub(super) fn add(&mut self, low: u32, high: u32) -> u32 {
        let place = self.free_place_for(low as usize);
        self.next[place as usize] = std::mem::replace(&mut self.first[low as usize], place);
        self.rows.put(place, low, high);
        place
    }

    /// Takes a free place for a pair of a slot: near its other pairs, so that they are compared in
    /// the order of memory; if there is none, any free place; otherwise a new one.
    fn free_place_for(&mut self, slot: usize) -> u32 {
        let first = self.first[slot];
        let near = if first == NO_PLACE { None } else { self.free_place_in(first as usize / 8) };
        if let Some(place) = near {
            self.free_places -= 1;
            return place;
        }
        self.scattered += 1;
        // With that many free places, one is found in a step or two.
        if self.free_places * PLACES_PER_FREE_PLACE > self.next.len() {
            for _ in 0..self.rows.len() {
                let next = self.next_free_row + 1;
                self.next_free_row = if next < self.rows.len() { next } else { 0 };
                if let Some(place) = self.free_place_in(self.next_free_row) {
                    self.free_places -= 1;
                    return place;
                }
            }
        }
        let place = self.next.len() as u32;
        self.next.push(NO_PLACE);
        if place as usize / 8 == self.rows.len() {
            self.rows.resize(self.rows.len() + 1);
            self.overlapping.push(0);
        }
        place
    }

    /// A free place in a row.
    #[inline(always)]
    fn free_place_in(&self, row: usize) -> Option<u32> {
        let high = &self.rows.as_slice()[row].high;
        let column = high.iter().position(|slot| *slot == 0)?;
        let place = 8 * row + column;
        // The last row may have columns that are not places yet.
        (place < self.next.len()).then_some(place as u32)
    }

    /// The start of the list of a slot.
    #[inline(always)]
    pub(super) fn cursor(&self, slot: usize) -> Cursor {
        Cursor { slot: slot as u32, before: NO_PLACE, place: self.first[slot] }
    }

    /// The higher slot of the pair at a cursor, unless the list ends there.
    #[inline(always)]
    pub(super) fn higher_slot_at(&self, cursor: Cursor) -> Option<u32> {
        (cursor.place != NO_PLACE).then(|| self.slots(cursor.place)[1])
    }

    /// Moves a cursor to the next pair of the list.
    #[inline(always)]
    pub(super) fn advance(&self, cursor: &mut Cursor) {
        cursor.before = cursor.place;
        cursor.place = self.next[cursor.place as usize];
    }

    /// Removes the pair at a cursor, whose boxes do not overlap, and moves the cursor to the next.
    pub(super) fn remove(&mut self, cursor: &mut Cursor) {
        let place = cursor.place;
        let next = self.next[place as usize];
        match cursor.before {
            NO_PLACE => self.first[cursor.slot as usize] = next,
            before => self.next[before as usize] = next,
        }
        self.rows.put(place, 0, 0);
        self.free_places += 1;
        cursor.place = next;
    }

    /// Whether enough pairs are out of order that putting them in order saves time.
    pub(super) fn is_scattered(&self) -> bool {
        self.scattered > self.next.len() / PLACES_PER_SCATTERED_PAIR + MIN_SCATTERED_PAIRS
    }

    /// Puts all pairs in the order of the slots, with `spare` as memory. All places change.
    pub(super) fn put_in_order(&mut self, spare: &mut Self) {
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
                self.rows.put(here, slot as u32, spare.slots(place)[1]);
                self.overlapping[here as usize / 8] |=
                    u8::from(spare.overlaps(place)) << (here % 8);
            }
            self.first.push(if start as usize == self.next.len() { NO_PLACE } else { start });
            if let (Some(last), true) = (self.next.last_mut(), self.first[slot] != NO_PLACE) {
                *last = NO_PLACE;
            }
        }
        self.rows.resize(self.next.len().div_ceil(8));
        self.overlapping.truncate(self.rows.len());
    }

    /// Checks the invariants.
    ///
    /// # Panics
    /// If one of them is violated (a bug).
    pub(super) fn validate(&self) {
        assert_eq!(self.rows.len(), self.next.len().div_ceil(8));
        assert_eq!(self.rows.len(), self.overlapping.len());
        let mut used = 0;
        for slot in 0..self.first.len() {
            for place in self.of(slot) {
                used += 1;
                assert!(used <= self.next.len(), "the list of slot {slot} has a cycle");
                let [low, high] = self.slots(place);
                let is_of_slot = low as usize == slot && slot > 0 && high > low;
                assert!(is_of_slot, "{low} and {high} are in the list of slot {slot}");
                assert!((high as usize) < self.first.len(), "slot {high} does not exist");
            }
        }
        // Each place is in at most one list, that of its lower slot; so the others are the free
        // ones.
        assert_eq!(used + self.free_places, self.next.len(), "used and free places");
        let places = 0..8 * self.rows.len() as u32;
        let free = places.filter(|place| self.slots(*place) == [0, 0]);
        let free = free.inspect(|place| assert!(!self.overlaps(*place), "{place} is free"));
        assert_eq!(free.count(), 8 * self.rows.len() - used, "free places");
    }

    pub(super) fn bytes(&self) -> usize {
        self.rows.bytes()
            + self.overlapping.capacity()
            + 4 * (self.first.capacity() + self.next.capacity())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::math::Random;

    fn pairs(rows: &PairRows) -> BTreeSet<[u32; 2]> {
        let lists = (0..rows.slot_count()).flat_map(|slot| rows.of(slot));
        lists.map(|place| rows.slots(place)).collect()
    }

    /// Pairs are added and removed, the rows are put in order from time to time, and overlap bits
    /// stay with their pairs.
    #[test]
    fn rows_hold_the_pairs_that_were_added() {
        let mut random = Random::new(7);
        let (mut rows, mut spare) = (PairRows::default(), PairRows::default());
        let mut lengths = [0, 2, 0, 1, 0];
        rows.reset(&mut lengths);
        for [low, high] in [[1, 2], [3, 4], [1, 4]] {
            rows.fill(&mut lengths[low as usize], low, high);
        }
        rows.validate();
        rows.grow(50);
        let (mut known, mut overlapping) = (pairs(&rows), BTreeSet::new());
        assert_eq!(known, [[1, 2], [3, 4], [1, 4]].into());
        let mut reordered = 0;
        for round in 0..6000 {
            let (a, b) = (1 + random.index(49) as u32, 1 + random.index(49) as u32);
            let pair = [a.min(b), a.max(b)];
            match rows.find(pair[0], pair[1]) {
                _ if a == b => continue,
                None => {
                    let place = rows.add(pair[0], pair[1]);
                    assert!(rows.slots(place) == pair && !rows.overlaps(place));
                    assert!(known.insert(pair));
                }
                Some(place) if random.index(2) == 0 => {
                    rows.invert_overlap(place);
                    let is_new = overlapping.insert(pair);
                    assert_eq!(rows.overlaps(place), is_new);
                    if !is_new {
                        overlapping.remove(&pair);
                    }
                }
                Some(_) if !overlapping.contains(&pair) => {
                    let mut cursor = rows.cursor(pair[0] as usize);
                    while rows.higher_slot_at(cursor) != Some(pair[1]) {
                        rows.advance(&mut cursor);
                    }
                    rows.remove(&mut cursor);
                    assert!(known.remove(&pair));
                }
                Some(_) => {}
            }
            if rows.is_scattered() {
                rows.put_in_order(&mut spare);
                reordered += 1;
            }
            if round % 50 == 0 {
                rows.validate();
                assert_eq!(pairs(&rows), known);
                assert_eq!(rows.overlapping().collect::<BTreeSet<_>>(), overlapping);
            }
        }
        assert!(reordered > 0 && known.len() > 300, "{reordered}, {}", known.len());
    }

    #[test]
    #[should_panic(expected = "used and free places")]
    fn validation_finds_a_place_that_was_lost() {
        let mut rows = PairRows::default();
        rows.grow(9);
        rows.add(2, 5);
        rows.first[2] = NO_PLACE;
        rows.validate();
    }
}
