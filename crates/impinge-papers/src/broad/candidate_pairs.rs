//! Pairs of items that are kept from frame to frame.

use impinge::broad::{BoxF32, Changes, FrameInput, Pair};
use impinge::internals::Stamps;

use super::Movers;

/// No link, no slot.
const NONE: u32 = u32::MAX;

/// A set of pairs. A pair is found by its items through a hash table with open addressing, and the
/// pairs of one item through a list. Iteration is in the order of an array, so that results do not
/// depend on the hash table.
///
/// Every pair in the set is a candidate. A broad phase may keep candidates that are near each
/// other, and report a pair only while it overlaps.
#[derive(Clone, Debug, Default)]
pub(crate) struct CandidatePairs {
    entries: Vec<Entry>,
    /// Slots of `entries`, [`NONE`] where free; the length is a power of two, at least twice the
    /// number of entries.
    table: Vec<u32>,
    /// The first link of each item's list.
    heads: Vec<u32>,
    done: Stamps,
}

/// A pair in the lists of both of its items. The link of slot `s` in the list of item `items[side]`
/// is `2 s + side`.
#[derive(Clone, Copy, Debug)]
struct Entry {
    items: [u32; 2],
    next: [u32; 2],
    before: [u32; 2],
    reported: bool,
}

impl CandidatePairs {
    /// Makes space for items below `count`.
    pub(crate) fn reserve(&mut self, count: usize) {
        if self.heads.len() < count {
            self.heads.resize(count, NONE);
            self.done.reserve(count);
        }
    }

    /// The number of pairs, reported or not.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Adds a pair unless it is in the set; reports that it began if it overlaps.
    pub(crate) fn add(&mut self, pair: Pair, overlaps: bool, changes: &mut Changes) {
        if self.entries.len() * 2 >= self.table.len() {
            self.grow();
        }
        let place = self.place(pair);
        if self.table[place] != NONE {
            return;
        }
        let slot = self.entries.len() as u32;
        assert!(slot < 1 << 31, "two billion pairs");
        self.table[place] = slot;
        let items = [pair.a, pair.b];
        let next = items.map(|item| self.heads[item as usize]);
        self.entries.push(Entry { items, next, before: [NONE; 2], reported: overlaps });
        for side in 0..2 {
            self.relink(slot, side);
        }
        if overlaps {
            changes.began.push(pair);
        }
    }

    /// Removes a pair if it is in the set; reports that it ended if it was reported as begun.
    pub(crate) fn remove(&mut self, pair: Pair, changes: &mut Changes) {
        if self.table.is_empty() {
            return;
        }
        let slot = self.table[self.place(pair)];
        if slot != NONE {
            if self.entries[slot as usize].reported {
                changes.ended.push(pair);
            }
            self.remove_slot(slot);
        }
    }

    /// Compares every pair of an item that moved again, and reports which began and which ended. A
    /// pair that does not overlap stays in the set only if `keep` returns true.
    pub(crate) fn refresh(
        &mut self,
        frame: &FrameInput<'_>,
        movers: &Movers,
        changes: &mut Changes,
        keep: impl Fn(Pair) -> bool,
    ) {
        if movers.are_many() {
            // From the last to the first, because the last pair takes the slot of a removed one.
            for slot in (0..self.entries.len() as u32).rev() {
                self.recheck(slot, frame, changes, &keep);
            }
            return;
        }
        self.done.clear();
        for &item in movers.items() {
            let mut link = self.heads[item as usize];
            while link != NONE {
                let (slot, side) = (link >> 1, link as usize & 1);
                let entry = &self.entries[slot as usize];
                let mut next = entry.next[side];
                if !self.done.has(entry.items[1 - side])
                    && !self.recheck(slot, frame, changes, &keep)
                    && next >> 1 == self.entries.len() as u32
                {
                    // The next pair was the last one, and took the slot of this one.
                    next = slot << 1 | next & 1;
                }
                link = next;
            }
            self.done.mark(item);
        }
    }

    /// Removes all pairs whose axis-aligned boxes do not overlap.
    pub(crate) fn remove_disjoint(&mut self, bounds: &[BoxF32], changes: &mut Changes) {
        for slot in (0..self.entries.len() as u32).rev() {
            let Entry { items: [a, b], reported, .. } = self.entries[slot as usize];
            let boxes = bounds.get(a as usize).zip(bounds.get(b as usize));
            if !boxes.is_some_and(|(a, b)| a.overlaps(b)) {
                if reported {
                    changes.ended.push(Pair { a, b });
                }
                self.remove_slot(slot);
            }
        }
    }

    /// Compares one pair again; returns whether it stays in the set.
    fn recheck(
        &mut self,
        slot: u32,
        frame: &FrameInput<'_>,
        changes: &mut Changes,
        keep: &impl Fn(Pair) -> bool,
    ) -> bool {
        let entry = &mut self.entries[slot as usize];
        let pair = entry.pair();
        let now = frame.overlap(pair.a, pair.b);
        if now != entry.reported {
            entry.reported = now;
            if now { &mut changes.began } else { &mut changes.ended }.push(pair);
        }
        let stays = now || keep(pair);
        if !stays {
            self.remove_slot(slot);
        }
        stays
    }

    /// Appends the pairs that overlap.
    pub(crate) fn reported(&self, to: &mut Vec<Pair>) {
        to.extend(self.entries.iter().filter(|e| e.reported).map(Entry::pair));
    }

    /// The memory held, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>()
            + (self.table.capacity() + self.heads.capacity()) * size_of::<u32>()
            + self.done.bytes()
    }

    /// Removes a pair; the last pair takes its slot.
    fn remove_slot(&mut self, slot: u32) {
        let place = self.place(self.entries[slot as usize].pair());
        self.free(place);
        let entry = self.entries[slot as usize];
        for side in 0..2 {
            let (next, before) = (entry.next[side], entry.before[side]);
            match before {
                NONE => self.heads[entry.items[side] as usize] = next,
                _ => self.entries[before as usize >> 1].next[before as usize & 1] = next,
            }
            if next != NONE {
                self.entries[next as usize >> 1].before[next as usize & 1] = before;
            }
        }
        let last = self.entries.len() as u32 - 1;
        if slot != last {
            let place = self.place(self.entries[last as usize].pair());
            self.table[place] = slot;
        }
        self.entries.swap_remove(slot as usize);
        if slot != last {
            for side in 0..2 {
                self.relink(slot, side);
            }
        }
    }

    /// Makes the neighbours of an entry in one of its lists link to its slot.
    fn relink(&mut self, slot: u32, side: usize) {
        let link = slot << 1 | side as u32;
        let Entry { items, next, before, .. } = self.entries[slot as usize];
        match before[side] {
            NONE => self.heads[items[side] as usize] = link,
            l => self.entries[l as usize >> 1].next[l as usize & 1] = link,
        }
        if next[side] != NONE {
            self.entries[next[side] as usize >> 1].before[next[side] as usize & 1] = link;
        }
    }

    /// The place of a pair in the table, or the free place where it would be added.
    #[inline]
    fn place(&self, pair: Pair) -> usize {
        let mask = self.table.len() - 1;
        let mut place = self.hash_slot(pair);
        loop {
            let slot = self.table[place];
            if slot == NONE || self.entries[slot as usize].items == [pair.a, pair.b] {
                return place;
            }
            place = (place + 1) & mask;
        }
    }

    /// The place where the search for a pair starts.
    #[inline]
    fn hash_slot(&self, pair: Pair) -> usize {
        let key = u64::from(pair.a) << 32 | u64::from(pair.b);
        let mixed = (key ^ key >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 32) as usize & (self.table.len() - 1)
    }

    /// Frees a place, and moves the entries back that had been displaced past it by collisions.
    fn free(&mut self, place: usize) {
        let mask = self.table.len() - 1;
        let (mut hole, mut at) = (place, place);
        loop {
            at = (at + 1) & mask;
            let slot = self.table[at];
            if slot == NONE {
                break;
            }
            let hash_slot = self.hash_slot(self.entries[slot as usize].pair());
            // It may fill the hole unless its search starts after the hole.
            if at.wrapping_sub(hash_slot) & mask >= at.wrapping_sub(hole) & mask {
                self.table[hole] = slot;
                hole = at;
            }
        }
        self.table[hole] = NONE;
    }

    fn grow(&mut self) {
        let size = (self.table.len() * 2).max(16);
        self.table.clear();
        self.table.resize(size, NONE);
        for slot in 0..self.entries.len() {
            let place = self.place(self.entries[slot].pair());
            self.table[place] = slot as u32;
        }
    }
}

impl Entry {
    #[inline]
    fn pair(&self) -> Pair {
        Pair { a: self.items[0], b: self.items[1] }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use impinge::broad::Moved;
    use impinge::internals::Random;

    use super::*;

    /// Checks that the lists of all items hold every pair twice, once for each of its items, and
    /// that every pair is found in the table.
    fn validate(set: &CandidatePairs) {
        let mut links = 0;
        for (item, head) in set.heads.iter().enumerate() {
            let (mut link, mut before) = (*head, NONE);
            while link != NONE {
                let (entry, side) = (&set.entries[link as usize >> 1], link as usize & 1);
                assert_eq!((entry.items[side], entry.before[side]), (item as u32, before));
                (before, link) = (link, entry.next[side]);
                links += 1;
            }
        }
        assert_eq!(links, 2 * set.entries.len());
        for (slot, entry) in set.entries.iter().enumerate() {
            assert_eq!(set.table[set.place(entry.pair())], slot as u32);
        }
        assert_eq!(set.table.iter().filter(|s| **s != NONE).count(), set.entries.len());
    }

    #[test]
    fn random_operations_have_the_results_of_an_ordered_set() {
        let mut random = Random::new(5);
        let (mut set, mut known) = (CandidatePairs::default(), BTreeSet::new());
        set.reserve(40);
        let mut changes = Changes::default();
        for round in 0..20_000 {
            let (a, b) = (random.index(40) as u32, random.index(40) as u32);
            if a == b {
                continue;
            }
            changes.clear();
            let pair = Pair::new(a, b);
            if random.index(2) == 0 {
                set.add(pair, true, &mut changes);
                assert_eq!(changes.began.len(), usize::from(known.insert(pair)));
            } else {
                set.remove(pair, &mut changes);
                assert_eq!(changes.ended.len(), usize::from(known.remove(&pair)));
            }
            if round % 1000 == 0 {
                validate(&set);
            }
        }
        let mut pairs = Vec::new();
        set.reported(&mut pairs);
        pairs.sort_unstable();
        assert_eq!(pairs, known.into_iter().collect::<Vec<_>>());
    }

    #[test]
    fn checking_the_movers_has_the_results_of_checking_all() {
        let mut random = Random::new(6);
        let mut boxes = vec![BoxF32 { min: [0.0; 3], max: [1.0; 3] }; 64];
        let mut sets = [CandidatePairs::default(), CandidatePairs::default()];
        let mut movers = [Movers::default(), Movers::default()];
        let mut changes = [Changes::default(), Changes::default()];
        for round in 0..300 {
            let named: Vec<u32> = (0..6).map(|_| random.index(64) as u32).collect();
            for item in &named {
                let x = random.range(0.0, 4.0) as f32;
                boxes[*item as usize] = BoxF32 { min: [x, 0.0, 0.0], max: [x + 1.0, 1.0, 1.0] };
            }
            for (k, moved) in [Moved::Only(&named), Moved::All].into_iter().enumerate() {
                let frame = FrameInput { bounds: &boxes, oriented: None, moved };
                changes[k].clear();
                movers[k].gather(&frame);
                let (set, changes) = (&mut sets[k], &mut changes[k]);
                set.reserve(64);
                // Pairs with an even sum stay as candidates.
                set.refresh(&frame, &movers[k], changes, |p| (p.a + p.b) % 2 == 0);
                for a in 0..64 {
                    for b in a + 1..64 {
                        if frame.overlap(a, b) {
                            set.add(Pair { a, b }, true, changes);
                        }
                    }
                }
                changes.sort();
                validate(set);
            }
            assert_eq!(changes[0], changes[1], "round {round}");
            assert_eq!(sets[0].len(), sets[1].len());
        }
    }
}
