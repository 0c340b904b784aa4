//! New skins for boxes that left theirs, and new neighbours.
//!
//! At the beginning of a frame every pair of boxes whose skins overlap is in the lists (but for
//! pairs of a box adrift and another, which are looked for in every frame). So of the boxes that a
//! new skin overlaps, those that the old one overlapped are neighbours already and need not be
//! looked up, unless their own skins are new, too: these are marked.

use std::sync::Mutex;

use super::drift::{Kind, slot_of};
use super::pairs::Pairs;
use super::record::Turned;
use super::search::Search;
use super::{Neighbours, Portion, lock};
use crate::crew::{self, Chunks};
use crate::wide::Wide;
use crate::wide::dispatch::{self, Task};

/// Boxes that a thread takes at a time.
const BATCH: usize = 64;
/// For each new pair of a box adrift and another, so many lists are looked through for neighbours
/// that are none any more.
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
        let (escaped, left) = (std::mem::take(&mut self.escaped), std::mem::take(&mut self.left));
        let found = self.look_for(&escaped, &left, Among::All);
        for entry in &escaped {
            self.still.mark(slot_of(*entry) as u32, false);
        }
        self.keep(found);
        (self.escaped, self.left) = (escaped, left);
        if crossing {
            let mut crossing = std::mem::take(&mut self.crossing);
            dispatch::run(Reach { all: self, to: &mut crossing });
            let found = self.look_for(&crossing.entries, &crossing.unknown, Among::Still);
            self.crossed = self.keep(found);
            self.crossing = crossing;
        }
    }

    /// Looks for neighbours of boxes that have new skins, or that are adrift, and leaves them in
    /// the first of the portions. Says in how many.
    fn look_for(&mut self, entries: &[u32], left: &[Turned], among: Among) -> usize {
        let batches = entries.len().div_ceil(BATCH);
        if self.portions.len() < batches {
            self.portions.resize_with(batches, Portion::default);
        }
        while self.searches.len() <= rayon::current_num_threads() {
            self.searches.push(Mutex::default());
        }
        let mut portions = std::mem::take(&mut self.portions);
        let all = &*self;
        type Piece<'a> = (&'a mut [Portion], Chunks<(&'a [u32], &'a [Turned])>);
        let look = |(portions, boxes): Piece<'_>| {
            let thread = rayon::current_thread_index().map_or(0, |thread| thread + 1);
            let mut search = lock(&all.searches[thread]);
            let (entries, left) = boxes.list;
            let chunks = entries.chunks(BATCH).zip(left.chunks(BATCH));
            for (portion, (entries, left)) in portions.iter_mut().zip(chunks) {
                let (adopted, search) = (&mut portion.adopted, &mut *search);
                adopted.clear();
                dispatch::run(Look { all, entries, left, among, adopted, search });
            }
        };
        let boxes = Chunks { list: (entries, left), size: BATCH };
        crew::share((&mut portions[..batches], boxes), 2, look, || ());
        self.portions = portions;
        batches
    }

    /// Puts the pairs of slots in the first portions into the lists, if they are not there. Says
    /// how many there are.
    fn keep(&mut self, portions: usize) -> usize {
        let mut count = 0;
        for portion in 0..portions {
            let pairs = std::mem::take(&mut self.portions[portion].adopted);
            count += pairs.len();
            self.keep_pairs(&pairs);
            self.portions[portion].adopted = pairs;
        }
        count
    }

    /// Puts pairs of slots into the lists, if they are not there.
    fn keep_pairs(&mut self, pairs: &[[u32; 2]]) {
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

/// Where neighbours are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Among {
    All,
    /// Those that are not adrift.
    Still,
}

/// Looks for neighbours of some boxes.
struct Look<'a> {
    all: &'a Neighbours,
    entries: &'a [u32],
    /// The skins they had, if these were compared with those of all others that are not adrift.
    left: &'a [Turned],
    among: Among,
    adopted: &'a mut Vec<[u32; 2]>,
    search: &'a mut Search,
}

impl Task for Look<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Wide>(mut self) {
        self.look::<W>(false);
        if self.all.drift.members > 0 && self.among == Among::All {
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
        for (entry, left) in self.entries.iter().zip(self.left) {
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

/// Boxes adrift that may have come close to others.
#[derive(Clone, Debug, Default)]
pub(super) struct Crossing {
    /// As in [`Neighbours::escaped`].
    entries: Vec<u32>,
    /// For each an empty box: what the others overlapped is not known.
    unknown: Vec<Turned>,
}

impl Crossing {
    pub(super) fn bytes(&self) -> usize {
        4 * self.entries.capacity() + size_of::<Turned>() * self.unknown.capacity()
    }
}

/// Finds them.
struct Reach<'a> {
    all: &'a Neighbours,
    to: &'a mut Crossing,
}

impl Task for Reach<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Wide>(self) {
        let Self { all, to } = self;
        to.entries.clear();
        let entry = |slot: u32| Kind::Adrift.entry(slot as usize);
        all.moving.reaching::<W>(&all.still, all.drift.offset, |slot| to.entries.push(entry(slot)));
        to.unknown.resize(to.entries.len(), Turned::EMPTY);
    }
}
