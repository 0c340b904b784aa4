//! New skins for boxes that left theirs, and new neighbours.

use rayon::prelude::*;

use super::drift::{Kind, slot_of};
use super::groups::{Group, Place};
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
        let crossing = self.drift.step.is_some() && self.drift.members > 0;
        if self.escaped.is_empty() && !crossing {
            return;
        }
        let escaped = std::mem::take(&mut self.escaped);
        for entry in &escaped {
            self.dress(slot_of(*entry), Kind::of(*entry));
        }
        self.escaped = escaped;
        if self.layered && self.items.len() <= self.still.room() {
            for entry in &self.escaped {
                let slot = slot_of(*entry);
                let [own, other] = match self.adrift[slot] {
                    false => [&mut self.still, &mut self.moving],
                    true => [&mut self.moving, &mut self.still],
                };
                own.set(slot as u32, &self.fat[slot]);
                other.set(slot as u32, &Turned::EMPTY);
            }
        } else {
            self.still.rebuild(&self.fat, |slot| {
                slot > 0 && !self.adrift.get(slot).copied().unwrap_or(false)
            });
            self.moving.rebuild(&self.fat, |slot| self.adrift.get(slot).copied().unwrap_or(false));
            self.layered = true;
        }
        let batches = self.escaped.len().div_ceil(BATCH);
        if self.portions.len() < batches.max(1) {
            self.portions.resize_with(batches.max(1), Portion::default);
        }
        let mut portions = std::mem::take(&mut self.portions);
        let all = &*self;
        let look = |(escaped, portion): (&[u32], &mut Portion)| {
            let Portion { adopted, seen, .. } = portion;
            adopted.clear();
            dispatch::run(Look { all, escaped, adopted, seen });
        };
        let found = &mut portions[..batches];
        if self.escaped.len() > 4 * BATCH && rayon::current_num_threads() > 1 {
            self.escaped.par_chunks(BATCH).zip(found).for_each(look);
        } else {
            self.escaped.chunks(BATCH).zip(found).for_each(look);
        }
        for portion in &portions[..batches] {
            self.keep(&portion.adopted);
        }
        if crossing {
            let Portion { adopted, seen, .. } = &mut portions[0];
            adopted.clear();
            dispatch::run(Cross { all: self, adopted, seen });
            self.crossed = adopted.len();
            self.keep(adopted);
        }
        self.portions = portions;
    }

    /// Puts pairs of slots into the lists, if they are not there.
    fn keep(&mut self, pairs: &[[u32; 2]]) {
        for [low, high] in pairs {
            if self.groups.find(*low as usize, *high).is_none() {
                self.groups.add(*low as usize, *high);
                if self.both_ways {
                    self.lists.push(&mut self.behind[*high as usize], *low);
                }
            }
        }
    }

    /// Looks through some of the lists for pairs whose boxes with skins do not overlap any more.
    pub(super) fn purge(&mut self) {
        let slots = self.items.len();
        for _ in 0..(PURGED * (self.escaped.len() + self.crossed)).min(slots) {
            let slot = self.skin.next_to_purge(slots);
            let own = self.fat_at(slot);
            let (empty, own) = (own.is_empty(), own.bounds());
            let mut number = self.groups.first_of(slot);
            while let Some(group) = number {
                number = self.groups.after(group);
                let Group { overlapping, others, .. } = self.groups.groups[group as usize];
                for (place, other) in others.into_iter().enumerate() {
                    let apart = || empty || !own.overlaps(&self.fat_at(other as usize).bounds());
                    if other == 0 || overlapping >> place & 1 == 1 || !apart() {
                        continue;
                    }
                    self.groups.remove(Place(group, place as u32));
                    if self.both_ways {
                        self.lists.remove(&mut self.behind[other as usize], slot as u32);
                    }
                }
            }
        }
        self.crossed = 0;
        if self.groups.is_scattered() {
            self.groups.tidy(&mut self.spare.groups);
        }
    }
}

/// Looks for neighbours of boxes that have new skins.
struct Look<'a> {
    all: &'a Neighbours,
    escaped: &'a [u32],
    adopted: &'a mut Vec<[u32; 2]>,
    seen: &'a mut Vec<u32>,
}

impl Task for Look<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Wide>(self) {
        let all = self.all;
        let by = all.drift.offset;
        for entry in self.escaped {
            let slot = slot_of(*entry) as u32;
            let turned = &all.fat[slot as usize];
            if turned.is_empty() {
                continue;
            }
            self.seen.clear();
            if all.adrift[slot as usize] {
                all.moving.near::<W>(turned, self.seen);
                all.still.near::<W>(&turned.shifted(by), self.seen);
            } else {
                all.still.near::<W>(turned, self.seen);
                if all.drift.members > 0 {
                    all.moving.near::<W>(&turned.shifted(by.map(|x| -x)), self.seen);
                }
            }
            for other in &*self.seen {
                let (low, high) = (slot.min(*other), slot.max(*other));
                // Most of them are neighbours already.
                if low != high && all.groups.find(low as usize, high).is_none() {
                    self.adopted.push([low, high]);
                }
            }
        }
    }
}

/// Looks for neighbours among boxes adrift and boxes that are not.
struct Cross<'a> {
    all: &'a Neighbours,
    adopted: &'a mut Vec<[u32; 2]>,
    seen: &'a mut Vec<u32>,
}

impl Task for Cross<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Wide>(self) {
        let all = self.all;
        all.moving.across::<W>(&all.still, all.drift.offset, self.seen, self.adopted);
    }
}
