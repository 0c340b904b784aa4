//! The last pass of a frame: the boxes in the lists compared, and what is different said.

use std::ops::Range;

use super::pairs::Pairs;
use super::record::{Turned, overlapping};
use super::{Neighbours, Portion};
use crate::broad::lists::List;
use crate::broad::{Changes, Frame, Pair};
use crate::crew::{self, Chunks};
use crate::math::OrientedBox;
use crate::wide::dispatch::{self, Task};
use crate::wide::{Lookup, Row, Wide, prefetch};

/// Rows that a thread takes at a time.
const PORTION: usize = 1024;
/// What is asked for so many steps before it is read.
const AHEAD: usize = 8;
/// Rows that are noted before what is different in them is said.
const NOTED: usize = 64;

impl Neighbours {
    /// Looks at all lists.
    pub(super) fn compare_all(&mut self, frame: &Frame<'_>, changes: &mut Changes) {
        let sharing = self.sharing();
        let view = View { items: &self.items, tight: &self.tight, oriented: frame.oriented };
        let (rows, overlapping) = self.near.within(&self.tight);
        let length = overlapping.len();
        self.stats.compared = length * 8;
        if sharing > length {
            dispatch::run(Compare { view, rows, overlapping, changes });
            return;
        }
        let count = length.div_ceil(PORTION);
        if self.portions.len() < count {
            self.portions.resize_with(count, Portion::default);
        }
        let portions = &mut self.portions[..count];
        type Piece<'a> = (Range<usize>, (&'a mut [Portion], Chunks<&'a mut [u8]>));
        let compare = |(numbers, (portions, known)): Piece<'_>| {
            let chunks = known.list.chunks_mut(PORTION);
            for ((n, portion), overlapping) in numbers.zip(portions).zip(chunks) {
                let rows = rows.part(n * PORTION..n * PORTION + overlapping.len());
                let changes = &mut portion.changes;
                changes.clear();
                dispatch::run(Compare { view, rows, overlapping, changes });
            }
        };
        let known = Chunks { list: overlapping, size: PORTION };
        crew::share((0..count, (&mut *portions, known)), sharing, compare, || ());
        for Portion { changes: some, .. } in portions {
            changes.began.extend_from_slice(&some.began);
            changes.ended.extend_from_slice(&some.ended);
        }
    }

    /// Looks at the lists of some items, and at those they are in.
    pub(super) fn compare_some(&mut self, frame: &Frame<'_>, items: &[u32], changes: &mut Changes) {
        self.list_both_ways();
        let mut few = std::mem::take(&mut self.few);
        few.slots.clear();
        few.slots.extend(items.iter().filter_map(|item| self.slots.get(*item as usize)));
        few.places.clear();
        for (n, slot) in few.slots.iter().enumerate() {
            if let Some(soon) = few.slots.get(n + AHEAD) {
                self.near.prefetch(*soon);
                prefetch(&self.behind[*soon as usize]);
            }
            few.places.extend(self.near.of(*slot as usize));
            few.places.extend(self.lists.numbers(self.behind[*slot as usize]));
        }
        self.stats.compared = few.places.len();
        let view = View { items: &self.items, tight: &self.tight, oriented: frame.oriented };
        let (near, places, toggled) = (&self.near, &few.places[..], &mut few.toggled);
        toggled.clear();
        dispatch::run(CompareSome { view, near, places, toggled });
        for [place, overlaps] in &few.toggled {
            // A pair of two that moved is there twice.
            if self.near.overlaps(*place) != (*overlaps == 1) {
                self.near.toggle(*place);
                let [low, high] = self.near.slots(*place);
                say(&self.items, [low, high], *overlaps == 1, changes);
            }
        }
        self.few = few;
    }

    /// Makes lists of the pairs in which each slot is the higher one.
    fn list_both_ways(&mut self) {
        if self.both_ways {
            return;
        }
        self.both_ways = true;
        self.lists.reset();
        self.behind.clear();
        self.behind.resize(self.items.len(), List::default());
        for slot in 0..self.items.len() {
            for place in self.near.of(slot) {
                let [_, other] = self.near.slots(place);
                self.lists.push(&mut self.behind[other as usize], place);
            }
        }
    }
}

/// Memory for looking at a few.
#[derive(Clone, Debug, Default)]
pub(super) struct Few {
    slots: Vec<u32>,
    /// The places of their pairs.
    places: Vec<u32>,
    /// Places of pairs that are different, and one if they overlap now.
    toggled: Vec<[u32; 2]>,
}

impl Few {
    pub(super) fn bytes(&self) -> usize {
        4 * (self.slots.capacity() + self.places.capacity()) + 8 * self.toggled.capacity()
    }
}

/// Says that two slots overlap now, or do so no more.
#[inline(always)]
fn say(items: &[u32], [low, high]: [u32; 2], overlap: bool, changes: &mut Changes) {
    let pair = Pair::new(items[low as usize], items[high as usize]);
    let to = if overlap { &mut changes.began } else { &mut changes.ended };
    to.push(pair);
}

/// What comparing needs to see.
#[derive(Clone, Copy)]
struct View<'a> {
    items: &'a [u32],
    tight: &'a [Turned],
    oriented: Option<&'a [OrientedBox]>,
}

impl View<'_> {
    /// Says which pairs of a row are different now.
    #[inline(always)]
    fn say(&self, row: &Row, now: u8, before: u8, changes: &mut Changes) {
        let mut different = now ^ before;
        while different != 0 {
            let column = different.trailing_zeros() as usize & 7;
            let pair = [row.low[column], row.high[column]];
            say(self.items, pair, now >> column & 1 == 1, changes);
            different &= different - 1;
        }
    }

    /// The bits of those pairs whose oriented boxes overlap too.
    #[inline(always)]
    fn confirm_row(&self, row: &Row, mut bits: u32) -> u32 {
        for column in 0..8 {
            if bits >> column & 1 == 1 && !self.confirm(row.low[column], row.high[column]) {
                bits &= !(1 << column);
            }
        }
        bits
    }

    /// Whether the oriented boxes overlap too, if there are any.
    #[inline(always)]
    fn confirm(&self, a: u32, b: u32) -> bool {
        match self.oriented {
            None => true,
            Some(boxes) => {
                // In the order of the items, as everywhere: rounding may depend on it.
                let [a, b] = [a, b].map(|slot| self.items[slot as usize] as usize);
                boxes[a.min(b)].overlaps(&boxes[a.max(b)])
            }
        }
    }
}

/// Compares the pairs in some rows.
struct Compare<'a> {
    view: View<'a>,
    rows: Lookup<'a, Turned>,
    overlapping: &'a mut [u8],
    changes: &'a mut Changes,
}

impl Task for Compare<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Wide>(self) {
        match self.view.oriented {
            None => self.compare::<W, false>(),
            Some(_) => self.compare::<W, true>(),
        }
    }
}

impl Compare<'_> {
    #[inline(always)]
    fn compare<W: Wide, const ORIENTED: bool>(self) {
        let Self { view, rows, overlapping: known, changes } = self;
        // Which rows are different is noted without asking, and looked at later: few are, and none
        // can be foreseen.
        let mut noted = [(0, 0); NOTED];
        let mut count = 0;
        let (mut entries, length) = (rows.entries(), known.len());
        for n in 0..length {
            let Some((low, high)) = entries.next() else { break };
            let mut overlapping = overlapping::<W>(&low, &high);
            if ORIENTED {
                overlapping = view.confirm_row(&rows.rows()[n], overlapping);
            }
            noted[count % NOTED] = (n, overlapping as u8);
            count += usize::from(known[n] != overlapping as u8);
            if count == NOTED || n + 1 == length {
                for (n, now) in &noted[..count] {
                    view.say(&rows.rows()[*n], *now, known[*n], changes);
                    known[*n] = *now;
                }
                count = 0;
            }
        }
    }
}

/// Compares the pairs in some places.
struct CompareSome<'a> {
    view: View<'a>,
    near: &'a Pairs,
    places: &'a [u32],
    /// As in [`Few`].
    toggled: &'a mut Vec<[u32; 2]>,
}

impl Task for CompareSome<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Wide>(self) {
        let Self { view, near, places, toggled } = self;
        for (n, place) in places.iter().enumerate() {
            if let Some(soon) = places.get(n + AHEAD) {
                for slot in near.slots(*soon) {
                    prefetch(&view.tight[slot as usize]);
                }
            }
            let [low, high] = near.slots(*place);
            let [own, other] = [low, high].map(|slot| &view.tight[slot as usize]);
            let overlaps = own.overlaps::<W>(other) && view.confirm(low, high);
            if overlaps != near.overlaps(*place) {
                toggled.push([*place, u32::from(overlaps)]);
            }
        }
    }
}
