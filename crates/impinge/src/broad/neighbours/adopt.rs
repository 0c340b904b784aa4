//! New skins for boxes that left theirs, and new neighbours.

use rayon::prelude::*;

use super::groups::{Group, Groups, Place};
use super::layers::Layers;
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
        let (fat, layers, groups) = (&self.fat[..], &self.layers, &self.groups);
        let look = |(escaped, portion): (&[u32], &mut Portion)| {
            let Portion { adopted, seen, .. } = portion;
            adopted.clear();
            dispatch::run(Look { fat, layers, groups, escaped, adopted, seen });
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
                if self.groups.find(*low as usize, *high).is_none() {
                    self.groups.add(*low as usize, *high);
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
            let mut number = self.groups.first_of(slot);
            while let Some(group) = number {
                number = self.groups.after(group);
                let Group { overlapping, others, .. } = self.groups.groups[group as usize];
                for (place, other) in others.into_iter().enumerate() {
                    let apart = || empty || !own.overlaps(&self.fat[other as usize].bounds());
                    if other == 0 || overlapping >> place & 1 == 1 || !apart() {
                        continue;
                    }
                    self.groups.remove(Place(group, place as u32));
                    if self.both_ways {
                        let owners = self.behind.of(other as usize);
                        let owner = owners.iter().position(|owner| *owner as usize == slot);
                        let owner = owner.expect("the lists are kept both ways");
                        self.behind.remove(other as usize, owner);
                    }
                }
            }
        }
        if self.groups.is_scattered() {
            self.groups.tidy(&mut self.spare.groups);
        }
        if self.both_ways && self.behind.is_wasteful() {
            self.behind.compact(&mut self.spare.behind);
        }
    }
}

/// Looks for neighbours of boxes that have new skins.
struct Look<'a> {
    fat: &'a [Turned],
    layers: &'a Layers,
    groups: &'a Groups,
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
                if low != high && self.groups.find(low as usize, high).is_none() {
                    self.adopted.push([low, high]);
                }
            }
        }
    }
}
