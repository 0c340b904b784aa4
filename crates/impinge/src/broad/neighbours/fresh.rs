//! All found from scratch.

use super::Neighbours;
use super::drift::{Kind, slot_of};
use crate::broad::{Changes, Pair};

/// Fresh starts one after the other that do with the same order of slots.
const STARTS: u32 = 8;

/// How good the order of the slots is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Order {
    /// How many slots were put in order.
    slots: usize,
    /// How many more fresh starts it is good for; none that do not follow each other, in which
    /// boxes may have gone far.
    starts: u32,
}

impl Order {
    /// Whether the order is good enough for one more fresh start. If not, a new one is made.
    fn is_good(&mut self, slots: usize) -> bool {
        let good = self.starts > 0 && self.slots == slots;
        *self = if good {
            Self { starts: self.starts - 1, ..*self }
        } else {
            Self { slots, starts: STARTS }
        };
        good
    }

    /// A frame passes without a fresh start.
    pub(super) fn age(&mut self) {
        self.starts = 0;
    }
}

impl Neighbours {
    /// Gives all boxes new skins and slots and finds their neighbours. Pairs that overlapped, and
    /// are none of these, have ended.
    pub(super) fn start_afresh(&mut self, changes: &mut Changes) {
        self.skin.measure(&self.tight);
        // All but those who are too fast for one get a skin, whether they left theirs or not. The
        // moving coordinates begin anew.
        self.drift.offset = [0.0; 3];
        for (fat, tight) in self.fat.iter_mut().zip(&self.tight) {
            *fat = self.skin.around(tight);
        }
        if self.drift.members > 0 {
            for slot in 0..self.fat.len() {
                if self.adrift[slot] {
                    self.dress(slot, Kind::Adrift);
                }
            }
        }
        let escaped = std::mem::take(&mut self.escaped);
        for entry in &escaped {
            let slot = slot_of(*entry);
            match Kind::of(*entry) {
                Kind::Fast if !self.adrift[slot] => self.fat[slot] = self.tight[slot],
                kind => self.dress(slot, kind),
            }
        }
        self.escaped = escaped;
        self.columns.find(&self.fat);
        if self.order.is_good(self.items.len()) {
            self.keep_numbers();
        } else {
            self.renumber();
        }
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
        // The largest come last, so that the lists of pairs with them are those of the small: a
        // ground has everybody for a neighbour.
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

    /// Leaves every box its slot.
    fn keep_numbers(&mut self) {
        let spare = &mut self.spare;
        spare.ranks.clear();
        spare.ranks.extend(0..self.items.len() as u32);
        spare.items.clone_from(&self.items);
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
            // Most that are apart are told from their boxes, without a look at the lists.
            let meet =
                || self.tight[a as usize].bounds().overlaps(&self.tight[b as usize].bounds());
            let place = meet().then(|| self.near.find(a.min(b) as usize, a.max(b))).flatten();
            match place {
                Some(place) => self.near.toggle(place),
                None => changes.ended.push(Pair::new(spare.items[old], spare.items[other])),
            }
        }
    }
}
