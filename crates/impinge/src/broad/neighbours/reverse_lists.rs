//! For each slot, the pairs in which it is the higher one.

use super::pair_rows::PairRows;
use crate::broad::lists::{List, Lists};

/// Lists that are the reverse of those in [`PairRows`]. They are built when only a few boxes move,
/// and kept up to date until the places of the pairs change.
///
/// Invariant while the lists are current, which [`ReverseLists::validate`] checks: every place of a
/// pair is in the list of its higher slot, once, and nothing else is.
#[derive(Clone, Debug, Default)]
pub(super) struct ReverseLists {
    lists: Lists,
    of_slot: Vec<List>,
    is_current: bool,
}

impl ReverseLists {
    /// The list of a slot, for [`ReverseLists::places`].
    #[inline(always)]
    pub(super) fn of(&self, slot: u32) -> &List {
        &self.of_slot[slot as usize]
    }

    /// The places in a list.
    #[inline(always)]
    pub(super) fn places(&self, list: List) -> impl Iterator<Item = u32> {
        self.lists.numbers(list)
    }

    /// Builds the lists, unless they are current.
    pub(super) fn build(&mut self, rows: &PairRows) {
        if self.is_current {
            return;
        }
        self.is_current = true;
        self.lists.reset();
        self.of_slot.clear();
        self.of_slot.resize(rows.slot_count(), List::default());
        for slot in 0..rows.slot_count() {
            for place in rows.of(slot) {
                let [_, high] = rows.slots(place);
                self.lists.push(&mut self.of_slot[high as usize], place);
            }
        }
    }

    /// Invalidates the lists, because the places have changed: they are built before the next use.
    pub(super) fn invalidate(&mut self) {
        self.is_current = false;
    }

    /// Adds empty lists for new slots at the end.
    pub(super) fn grow(&mut self, slots: usize) {
        if self.is_current && self.of_slot.len() < slots {
            self.of_slot.resize(slots, List::default());
        }
    }

    /// Adds a pair.
    pub(super) fn add(&mut self, high: u32, place: u32) {
        if self.is_current {
            self.lists.push(&mut self.of_slot[high as usize], place);
        }
    }

    /// Removes a pair.
    pub(super) fn remove(&mut self, high: u32, place: u32) {
        if self.is_current {
            self.lists.remove(&mut self.of_slot[high as usize], place);
        }
    }

    /// Checks the invariant.
    ///
    /// # Panics
    /// If it is violated (a bug).
    pub(super) fn validate(&self, rows: &PairRows) {
        if !self.is_current {
            return;
        }
        let mut count = 0;
        for slot in 0..rows.slot_count() {
            for place in rows.of(slot) {
                count += 1;
                let [_, high] = rows.slots(place);
                let times = self.places(*self.of(high)).filter(|other| *other == place).count();
                assert_eq!(times, 1, "place {place} in the reverse list of slot {high}");
            }
        }
        let all: usize = self.of_slot.iter().map(List::len).sum();
        assert_eq!(all, count, "entries of all reverse lists");
    }

    pub(super) fn bytes(&self) -> usize {
        self.lists.bytes() + size_of::<List>() * self.of_slot.capacity()
    }
}
