//! The lists of neighbours: pairs of slots whose skins overlap, or did in an earlier frame.

use super::boxes::SkinnedBoxes;
use super::escape::Escape;
use super::pair_rows::PairRows;
use super::pair_search::PairSearch;
use super::reverse_lists::ReverseLists;
use super::slots::Slots;
use crate::broad::{Changes, Pair};
use crate::wide::Wide;
use crate::wide::dispatch::{self, Task};

/// The lists that are cleaned for each new pair of a box in the group and a box outside it.
const CLEANED_LISTS_PER_GROUP_PAIR: usize = 4;

/// The pairs that are compared in every frame.
///
/// Invariants between frames, which [`PairLists::validate`] checks: the rows and the reverse lists
/// are valid; the boxes of a pair that is marked as overlapping overlap. (That every pair of
/// overlapping boxes is in the lists is tested against the oracle.)
#[derive(Clone, Debug, Default)]
pub(super) struct PairLists {
    rows: PairRows,
    reverse: ReverseLists,
    /// Memory for a rebuild, and for putting the rows in order.
    spare: PairRows,
    /// Memory for a rebuild: the lengths of the lists, then where each is filled.
    lengths: Vec<u32>,
    /// The slot whose list was cleaned last in turn.
    last_cleaned: usize,
}

impl PairLists {
    /// Adds empty lists for new slots at the end.
    pub(super) fn grow(&mut self, slots: usize) {
        self.rows.grow(slots);
        self.reverse.grow(slots);
    }

    /// The pairs in rows.
    #[inline(always)]
    pub(super) fn rows(&self) -> &PairRows {
        &self.rows
    }

    #[inline(always)]
    pub(super) fn rows_mut(&mut self) -> &mut PairRows {
        &mut self.rows
    }

    /// The pairs by their higher slots; current only after [`PairLists::build_reverse`].
    #[inline(always)]
    pub(super) fn reverse(&self) -> &ReverseLists {
        &self.reverse
    }

    /// Builds the reverse lists, unless they are current.
    pub(super) fn build_reverse(&mut self) {
        self.reverse.build(&self.rows);
    }

    /// Whether a pair is in the lists.
    #[inline(always)]
    pub(super) fn contains(&self, low: u32, high: u32) -> bool {
        self.rows.find(low, high).is_some()
    }

    /// Adds a pair whose boxes did not overlap in the last frame, unless it is in the lists.
    pub(super) fn insert(&mut self, low: u32, high: u32) {
        if !self.contains(low, high) {
            let place = self.rows.add(low, high);
            self.reverse.add(high, place);
        }
    }

    /// Replaces all lists by the pairs of a search, in which the slots are numbered as before a
    /// reordering; `new_slots` has the new slot of each. Pairs that overlapped in the last frame
    /// and are not found any more have ended.
    pub(super) fn rebuild(
        &mut self,
        search: &mut PairSearch,
        new_slots: &[u32],
        slots: &Slots,
        boxes: &SkinnedBoxes,
        changes: &mut Changes,
    ) {
        let lengths = &mut self.lengths;
        lengths.clear();
        lengths.resize(new_slots.len(), 0);
        let in_order = |[a, b]: [u32; 2]| {
            let (a, b) = (new_slots[a as usize], new_slots[b as usize]);
            if a < b { (a, b) } else { (b, a) }
        };
        for found in search.found() {
            for pair in &found.pairs {
                lengths[in_order(*pair).0 as usize] += 1;
            }
        }
        std::mem::swap(&mut self.rows, &mut self.spare);
        self.rows.reset(lengths);
        for found in search.found() {
            for pair in &found.pairs {
                let (low, high) = in_order(*pair);
                self.rows.fill(&mut lengths[low as usize], low, high);
            }
        }
        self.carry_over_overlaps(new_slots, slots, boxes, changes);
        self.reverse.invalidate();
    }

    /// Marks the pairs that overlapped in the last frame, which are those of `spare`.
    fn carry_over_overlaps(
        &mut self,
        new_slots: &[u32],
        slots: &Slots,
        boxes: &SkinnedBoxes,
        changes: &mut Changes,
    ) {
        let tight = boxes.tight();
        for pair in self.spare.overlapping() {
            let [a, b] = pair.map(|old| new_slots[old as usize]);
            // For most pairs that ended, a comparison of their boxes is enough, without a search in
            // the lists.
            let overlap = || tight[a as usize].bounds().overlaps(&tight[b as usize].bounds());
            let place = overlap().then(|| self.rows.find(a.min(b), a.max(b))).flatten();
            match place {
                Some(place) => self.rows.invert_overlap(place),
                None => changes.ended.push(Pair::new(slots.item(a), slots.item(b))),
            }
        }
    }

    /// Removes pairs whose skins do not overlap any more from the lists of the boxes that left
    /// their skins, and from some other lists in turn; puts the rows in order if that saves time.
    /// `group_pairs` is the number of new pairs of a box in the group and a box outside it.
    pub(super) fn remove_disjoint(
        &mut self,
        boxes: &SkinnedBoxes,
        escapes: &[Escape],
        group_pairs: usize,
    ) {
        dispatch::run(RemoveDisjoint { lists: self, boxes, escapes, group_pairs });
        if self.rows.is_scattered() {
            self.rows.put_in_order(&mut self.spare);
            self.reverse.invalidate();
        }
    }

    /// Checks the invariants.
    ///
    /// # Panics
    /// If one of them is violated (a bug).
    pub(super) fn validate(&self, boxes: &SkinnedBoxes) {
        self.rows.validate();
        self.reverse.validate(&self.rows);
        for pair in self.rows.overlapping() {
            let [a, b] = pair.map(|slot| boxes.tight()[slot as usize].bounds());
            assert!(a.overlaps(&b), "the boxes of slots {pair:?} do not overlap");
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.rows.bytes() + self.reverse.bytes() + self.spare.bytes() + 4 * self.lengths.capacity()
    }
}

/// Removes pairs with disjoint skins from the lists of boxes that left their skins, and as many
/// others in turn.
struct RemoveDisjoint<'a> {
    lists: &'a mut PairLists,
    boxes: &'a SkinnedBoxes,
    escapes: &'a [Escape],
    group_pairs: usize,
}

impl Task for RemoveDisjoint<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Wide>(self) {
        let Self { lists, boxes, escapes, group_pairs } = self;
        let slots = lists.rows.slot_count();
        for escape in escapes {
            Self::remove_disjoint_of_slot::<W>(lists, boxes, escape.slot());
        }
        let in_turn = escapes.len() + CLEANED_LISTS_PER_GROUP_PAIR * group_pairs;
        for _ in 0..in_turn.min(slots) {
            let next = lists.last_cleaned + 1;
            lists.last_cleaned = if next < slots { next } else { 0 };
            Self::remove_disjoint_of_slot::<W>(lists, boxes, lists.last_cleaned);
        }
    }
}

impl RemoveDisjoint<'_> {
    #[inline(always)]
    fn remove_disjoint_of_slot<W: Wide>(lists: &mut PairLists, boxes: &SkinnedBoxes, slot: usize) {
        let PairLists { rows, reverse, .. } = lists;
        let own = boxes.skin_at(slot);
        let mut cursor = rows.cursor(slot);
        while let Some(other) = rows.higher_slot_at(cursor) {
            let place = cursor.place;
            if rows.overlaps(place) || own.overlaps::<W>(&boxes.skin_at(other as usize)) {
                rows.advance(&mut cursor);
                continue;
            }
            reverse.remove(other, place);
            rows.remove(&mut cursor);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    /// The reverse lists follow the lists through insertions and removals; a removal from all
    /// lists leaves no pair, as the boxes are empty.
    #[test]
    fn reverse_lists_follow_the_lists() {
        let mut random = Random::new(8);
        let (mut lists, mut boxes) = (PairLists::default(), SkinnedBoxes::default());
        boxes.grow(80);
        for round in 0..60 {
            lists.grow(20 + round);
            for _ in 0..40 {
                let (a, b) = (random.index(19 + round) as u32, random.index(19 + round) as u32);
                if a != b {
                    lists.insert(1 + a.min(b), 1 + a.max(b));
                }
            }
            if round % 3 == 1 {
                lists.build_reverse();
            }
            lists.remove_disjoint(&boxes, &[], round % 7);
            lists.validate(&boxes);
        }
        assert!(lists.rows().find(0, 0).is_none());
        lists.remove_disjoint(&boxes, &[], 1000);
        lists.validate(&boxes);
        assert!((0..79).all(|slot| lists.rows().of(slot).count() == 0));
    }

    #[test]
    #[should_panic(expected = "do not overlap")]
    fn validation_finds_a_wrong_overlap() {
        let (mut lists, mut boxes) = (PairLists::default(), SkinnedBoxes::default());
        lists.grow(4);
        boxes.grow(4);
        lists.insert(1, 3);
        lists.rows_mut().invert_overlap(0);
        lists.validate(&boxes);
    }
}
