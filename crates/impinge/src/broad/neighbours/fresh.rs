//! All found from scratch.

use super::Neighbours;
use super::drift::{Kind, slot_of};
use crate::broad::{Changes, Pair};

impl Neighbours {
    /// Gives all boxes new skins and slots and finds their neighbours. Pairs that overlapped, and are none of these, have ended.
    pub(super) fn start_afresh(&mut self, changes: &mut Changes) {
        self.skin.measure(&self.tight);
        // All but those who are too fast for one get a skin, whether they left theirs or not. The moving coordinates begin anew.
        self.drift.offset = [0.0; 3];
        let mut escaped = std::mem::take(&mut self.escaped);
        let mut next = escaped.iter().peekable();
        for slot in 0..self.fat.len() {
            let mut kind = if self.adrift[slot] { Kind::Adrift } else { Kind::Slow };
            while let Some(entry) = next.next_if(|entry| slot_of(**entry) == slot) {
                kind = Kind::of(*entry);
            }
            self.dress(slot, kind);
        }
        std::mem::swap(&mut self.escaped, &mut escaped);
        self.columns.find(&self.fat);
        self.renumber();
        self.list();
        self.take_over(changes);
        self.both_ways = false;
        self.layered = false;
    }

    /// Gives slots in the order of space. The boxes that are empty come last.
    fn renumber(&mut self) {
        let spare = &mut self.spare;
        spare.order.clear();
        spare.order.push(0);
        for found in self.columns.found() {
            spare.order.extend_from_slice(&found.order);
        }
        // The largest come last, so that the lists of pairs with them are those of the small: a ground has everybody for a neighbour.
        spare.large.clear();
        let large = self.skin.is_large(&self.fat);
        spare.large.extend(spare.order.iter().copied().filter(|slot| large(*slot)));
        if !spare.large.is_empty() {
            spare.order.retain(|slot| !large(*slot));
            spare.order.extend_from_slice(&spare.large);
        }
        drop(large);
        if spare.order.len() < self.fat.len() {
            let empty = self.fat.iter().enumerate().skip(1).filter(|(_, fat)| fat.is_empty());
            spare.order.extend(empty.map(|(slot, _)| slot as u32));
        }
        debug_assert_eq!(spare.order.len(), self.fat.len(), "every box begins in one place");
        spare.ranks.resize(self.fat.len(), 0);
        for (new, old) in spare.order.iter().enumerate() {
            spare.ranks[*old as usize] = new as u32;
        }
        for boxes in [&mut self.tight, &mut self.fat] {
            spare.boxes.clear();
            spare.boxes.extend(spare.order.iter().map(|old| boxes[*old as usize]));
            std::mem::swap(boxes, &mut spare.boxes);
        }
        spare.adrift.clear();
        spare.adrift.extend(spare.order.iter().map(|old| self.adrift[*old as usize]));
        std::mem::swap(&mut self.adrift, &mut spare.adrift);
        spare.items.clear();
        spare.items.extend(spare.order.iter().map(|old| self.items[*old as usize]));
        std::mem::swap(&mut self.items, &mut spare.items);
        for (slot, item) in self.items.iter().enumerate().skip(1) {
            self.slots[*item as usize] = slot as u32;
        }
    }

    /// Makes the lists of neighbours.
    fn list(&mut self) {
        let spare = &mut self.spare;
        spare.lengths.clear();
        spare.lengths.resize(self.fat.len(), 0);
        let ranks = &spare.ranks[..];
        let order = |[a, b]: [u32; 2]| {
            let (a, b) = (ranks[a as usize], ranks[b as usize]);
            if a < b { (a as usize, b) } else { (b as usize, a) }
        };
        for found in self.columns.found() {
            for pair in &found.pairs {
                spare.lengths[order(*pair).0] += 1;
            }
        }
        std::mem::swap(&mut self.near, &mut spare.near);
        self.near.reset(&mut spare.lengths);
        for found in self.columns.found() {
            for pair in &found.pairs {
                let (low, high) = order(*pair);
                self.near.fill(&mut spare.lengths[low], low as u32, high);
            }
        }
    }

    /// Marks the pairs that overlapped in the last frame.
    fn take_over(&mut self, changes: &mut Changes) {
        let spare = &self.spare;
        for [old, other] in spare.near.overlapping() {
            let (old, other) = (old as usize, other as usize);
            let (a, b) = (spare.ranks[old], spare.ranks[other]);
            match self.near.find(a.min(b) as usize, a.max(b)) {
                Some(place) => self.near.toggle(place),
                None => changes.ended.push(Pair::new(spare.items[old], spare.items[other])),
            }
        }
    }
}
