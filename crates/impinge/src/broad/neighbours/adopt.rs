//! New skins for boxes that left theirs, and new neighbours.
//!
//! At the beginning of a frame every pair of boxes whose skins overlap is in the lists (but for pairs of a box adrift and another, which are looked for in every frame). So of the boxes that a new skin overlaps,
//! those that the old one overlapped are neighbours already and need not be looked up, unless their own skins are new, too: these are marked.

use std::sync::Mutex;

use rayon::prelude::*;

use super::drift::{Kind, slot_of};
use super::pairs::Pairs;
use super::record::Turned;
use super::search::Search;
use super::{Neighbours, Portion, lock};
use crate::wide::Wide;
use crate::wide::dispatch::{self, Task};

/// Boxes that a thread takes at a time.
const BATCH: usize = 64;
/// For each pair of a box adrift and another, so many lists are looked through for neighbours that are none any more.
const PURGED: usize = 4;

impl Neighbours {
    /// Gives new skins to those who left theirs, and finds their neighbours.
    pub(super) fn adopt(&mut self) {
        let crossing = self.drift.step.is_some() && self.drift.members > 0;
        if self.escaped.is_empty() && !crossing {
            return;
        }
        let escaped = std::mem::take(&mut self.escaped);
        self.left.clear();
        for entry in &escaped {
            let slot = slot_of(*entry);
            let (was_adrift, old) = (self.adrift[slot], self.fat[slot]);
            self.dress(slot, Kind::of(*entry));
            let known = !was_adrift && !self.adrift[slot];
            self.left.push(if known { old } else { Turned::EMPTY });
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
        for entry in &self.escaped {
            self.still.mark(slot_of(*entry) as u32, true);
        }
        let batches = self.escaped.len().div_ceil(BATCH);
        if self.portions.len() < batches.max(1) {
            self.portions.resize_with(batches.max(1), Portion::default);
        }
        while self.searches.len() < rayon::current_num_threads() {
            self.searches.push(Mutex::default());
        }
        let mut portions = std::mem::take(&mut self.portions);
        let all = &*self;
        let look = |((escaped, left), portion): ((&[u32], &[Turned]), &mut Portion)| {
            let thread = rayon::current_thread_index().unwrap_or(0);
            let mut search = lock(&all.searches[thread]);
            let adopted = &mut portion.adopted;
            adopted.clear();
            dispatch::run(Look { all, escaped, left, adopted, search: &mut search });
        };
        let found = &mut portions[..batches];
        if self.escaped.len() > 4 * BATCH && rayon::current_num_threads() > 1 {
            let chunks = self.escaped.par_chunks(BATCH).zip(self.left.par_chunks(BATCH));
            chunks.zip(found).for_each(look);
        } else {
            let chunks = self.escaped.chunks(BATCH).zip(self.left.chunks(BATCH));
            chunks.zip(found).for_each(look);
        }
        for entry in &self.escaped {
            self.still.mark(slot_of(*entry) as u32, false);
        }
        for portion in &portions[..batches] {
            self.keep(&portion.adopted);
        }
        if crossing {
            let mut seen = std::mem::take(&mut self.seen);
            let adopted = &mut portions[0].adopted;
            adopted.clear();
            dispatch::run(Cross { all: self, adopted, seen: &mut seen });
            self.seen = seen;
            self.crossed = adopted.len();
            self.keep(adopted);
        }
        self.portions = portions;
    }

    /// Puts pairs of slots into the lists, if they are not there.
    fn keep(&mut self, pairs: &[[u32; 2]]) {
        for [low, high] in pairs {
            if self.near.find(*low as usize, *high).is_none() {
                let place = self.near.add(*low as usize, *high);
                if self.both_ways {
                    self.lists.push(&mut self.behind[*high as usize], place);
                }
            }
        }
    }

    /// Looks through some of the lists for pairs whose boxes with skins do not overlap any more.
    pub(super) fn purge(&mut self) {
        let mut near = std::mem::take(&mut self.near);
        dispatch::run(Purge { all: self, near: &mut near });
        self.crossed = 0;
        if near.is_scattered() {
            near.tidy(&mut self.spare.near);
            // The places are others.
            self.both_ways = false;
        }
        self.near = near;
    }
}

/// Purges the lists of boxes that left their skins, and as many others in turn.
struct Purge<'a> {
    all: &'a mut Neighbours,
    near: &'a mut Pairs,
}

impl Task for Purge<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Wide>(self) {
        let Self { all, near } = self;
        let slots = all.items.len();
        for n in 0..all.escaped.len() {
            Self::list::<W>(all, near, slot_of(all.escaped[n]));
        }
        for _ in 0..(all.escaped.len() + PURGED * all.crossed).min(slots) {
            let slot = all.skin.next_to_purge(slots);
            Self::list::<W>(all, near, slot);
        }
    }
}

impl Purge<'_> {
    #[inline(always)]
    fn list<W: Wide>(all: &mut Neighbours, near: &mut Pairs, slot: usize) {
        let own = all.fat_at(slot);
        let mut cursor = near.cursor(slot);
        while let Some(other) = near.look(cursor) {
            if near.overlaps(cursor.place) || own.overlaps::<W>(&all.fat_at(other as usize)) {
                near.go_on(&mut cursor);
                continue;
            }
            if all.both_ways {
                all.lists.remove(&mut all.behind[other as usize], cursor.place);
            }
            near.take_out(&mut cursor);
        }
    }
}

/// Looks for neighbours of boxes that have new skins.
struct Look<'a> {
    all: &'a Neighbours,
    escaped: &'a [u32],
    /// The skins they had, if these were compared with those of all others that are not adrift.
    left: &'a [Turned],
    adopted: &'a mut Vec<[u32; 2]>,
    search: &'a mut Search,
}

impl Task for Look<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Wide>(mut self) {
        self.look::<W>(false);
        if self.all.drift.members > 0 {
            self.look::<W>(true);
        }
    }
}

impl Look<'_> {
    /// Looks among those that are adrift, or those that are not.
    #[inline(always)]
    fn look<W: Wide>(&mut self, adrift: bool) {
        let (all, search) = (self.all, &mut *self.search);
        let by = all.drift.offset;
        search.clear();
        for (entry, left) in self.escaped.iter().zip(self.left) {
            let slot = slot_of(*entry);
            let turned = &all.fat[slot];
            if turned.is_empty() {
                continue;
            }
            match (all.adrift[slot], adrift) {
                // What overlapped the skin it had is a neighbour already.
                (false, false) => search.want(slot as u32, turned, left),
                (true, true) => search.want(slot as u32, turned, &Turned::EMPTY),
                (true, false) => search.want(slot as u32, &turned.shifted(by), &Turned::EMPTY),
                (false, true) => {
                    let shifted = turned.shifted(by.map(|x| -x));
                    search.want(slot as u32, &shifted, &Turned::EMPTY);
                }
            }
        }
        let layers = if adrift { &all.moving } else { &all.still };
        layers.search::<W>(search);
        for [a, b] in search.found() {
            let (low, high) = (a.min(b), a.max(b));
            // A few are neighbours since they last met.
            if low != high && all.near.find(low as usize, high).is_none() {
                self.adopted.push([low, high]);
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
