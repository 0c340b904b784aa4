//! New skins for boxes that left theirs, and new neighbours.

use rayon::prelude::*;

use super::layers::Layers;
use super::lists::Lists;
use super::record::Turned;
use super::{Neighbours, Portion};
use crate::wide::Wide;
use crate::wide::dispatch::{self, Task};

/// Boxes that a thread takes at a time.
const BATCH: usize = 64;
/// For each box that left its skin, so many lists are looked through for neighbours that are none any more.
const PURGED: usize = 4;

impl Neighbours {
    /// Gives new skins to those who left theirs, and finds their neighbours.
    pub(super) fn adopt(&mut self) {
        if self.escaped.is_empty() {
            return;
        }
        for entry in &self.escaped {
            let (slot, fast) = (*entry as usize / 2, entry & 1 == 1);
            self.fat[slot] = self.skin.around(&self.tight[slot], fast);
        }
        if self.layered && self.items.len() <= self.layers.room() {
            for entry in &self.escaped {
                self.layers.set(entry / 2, &self.fat[*entry as usize / 2]);
            }
        } else {
            self.layers.rebuild(&self.fat);
            self.layered = true;
        }
        let batches = self.escaped.len().div_ceil(BATCH);
        if self.portions.len() < batches {
            self.portions.resize_with(batches, Portion::default);
        }
        let (fat, layers, ahead) = (&self.fat[..], &self.layers, &self.ahead);
        let look = |(escaped, portion): (&[u32], &mut Portion)| {
            let Portion { adopted, seen, .. } = portion;
            adopted.clear();
            dispatch::run(Look { fat, layers, ahead, escaped, adopted, seen });
        };
        let portions = &mut self.portions[..batches];
        if self.escaped.len() > 4 * BATCH && rayon::current_num_threads() > 1 {
            self.escaped.par_chunks(BATCH).zip(portions).for_each(look);
        } else {
            self.escaped.chunks(BATCH).zip(portions).for_each(look);
        }
        for portion in &self.portions[..batches] {
            for [low, high] in &portion.adopted {
                // Two that both left their skins find each other twice.
                if !self.ahead.of(*low as usize).iter().any(|entry| entry / 2 == *high) {
                    self.ahead.push(*low as usize, 2 * high);
                    if self.both_ways {
                        self.behind.push(*high as usize, *low);
                    }
                }
            }
        }
    }

    /// Looks through some of the lists for pairs whose boxes with skins do not overlap any more.
    pub(super) fn purge(&mut self) {
        let slots = self.items.len();
        for _ in 0..(PURGED * self.escaped.len()).min(slots) {
            let slot = self.skin.next_to_purge(slots);
            let own = self.fat[slot].bounds();
            let empty = self.fat[slot].is_empty();
            let mut place = 0;
            while let Some(entry) = self.ahead.of(slot).get(place).copied() {
                let other = entry as usize / 2;
                let apart = || empty || !own.overlaps(&self.fat[other].bounds());
                if entry & 1 == 0 && apart() {
                    self.ahead.remove(slot, place);
                    if self.both_ways {
                        let owners = self.behind.of(other);
                        let owner = owners.iter().position(|owner| *owner as usize == slot);
                        self.behind.remove(other, owner.expect("the lists are kept both ways"));
                    }
                } else {
                    place += 1;
                }
            }
        }
        if self.ahead.is_wasteful() {
            self.ahead.compact(&mut self.spare.ahead);
        }
        if self.both_ways && self.behind.is_wasteful() {
            self.behind.compact(&mut self.spare.ahead);
        }
    }
}

/// Looks for neighbours of boxes that have new skins.
struct Look<'a> {
    fat: &'a [Turned],
    layers: &'a Layers,
    ahead: &'a Lists,
    escaped: &'a [u32],
    adopted: &'a mut Vec<[u32; 2]>,
    seen: &'a mut Vec<u32>,
}

impl Task for Look<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Wide>(self) {
        for entry in self.escaped {
            let slot = entry / 2;
            let turned = &self.fat[slot as usize];
            if turned.is_empty() {
                continue;
            }
            self.seen.clear();
            self.layers.near::<W>(turned, self.seen);
            for other in &*self.seen {
                let (low, high) = (slot.min(*other), slot.max(*other));
                // Most of them are neighbours already.
                let known = || self.ahead.of(low as usize).iter().any(|entry| entry / 2 == high);
                // The tree takes empty places for boxes at infinity.
                let real = self.fat.get(*other as usize).is_some_and(|fat| !fat.is_empty());
                if real && low != high && !known() {
                    self.adopted.push([low, high]);
                }
            }
        }
    }
}
