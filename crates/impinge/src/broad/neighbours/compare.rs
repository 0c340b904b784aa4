//! The last pass of a frame: the boxes in the lists compared, and what is different said.

use rayon::prelude::*;

use super::lists::Lists;
use super::record::{Facing, Turned};
use super::{Neighbours, PORTION, Portion};
use crate::broad::{Changes, Frame, Pair};
use crate::volume::{Oriented, Volume};
use crate::wide::Wide;
use crate::wide::dispatch::{self, Task};

impl Neighbours {
    /// Looks at all lists.
    pub(super) fn compare_all(&mut self, frame: &Frame<'_>, changes: &mut Changes) {
        let slots = self.items.len();
        let count = slots.div_ceil(PORTION);
        if self.portions.len() < count {
            self.portions.resize_with(count, Portion::default);
        }
        let view = View::new(&self.items, &self.tight, &self.ahead, frame);
        let compare = |(n, portion): (usize, &mut Portion)| {
            portion.toggled.clear();
            let slots = n * PORTION..slots.min((n + 1) * PORTION);
            let toggled = &mut portion.toggled;
            portion.compared = dispatch::run(Compare { view, slots, toggled });
        };
        let portions = &mut self.portions[..count];
        if slots >= super::MANY && rayon::current_num_threads() > 1 {
            portions.par_iter_mut().enumerate().for_each(compare);
        } else {
            portions.iter_mut().enumerate().for_each(compare);
        }
        for portion in &self.portions[..count] {
            self.stats.compared += portion.compared;
            for [slot, entry] in &portion.toggled {
                toggle(&mut self.ahead, &self.items, *slot, *entry, changes);
            }
        }
    }

    /// Looks at the lists of some items, and at those they are in.
    pub(super) fn compare_some(&mut self, frame: &Frame<'_>, items: &[u32], changes: &mut Changes) {
        self.list_both_ways();
        let mut toggled = std::mem::take(&mut self.portions[0].toggled);
        for item in items {
            let Some(slot) = self.slots.get(*item as usize).copied() else { continue };
            toggled.clear();
            let view = View::new(&self.items, &self.tight, &self.ahead, frame);
            let at = slot as usize;
            let toggled = &mut toggled;
            self.stats.compared +=
                dispatch::run(Compare { view, slots: at..at + 1, toggled: &mut *toggled });
            let behind = self.behind.of(at);
            self.stats.compared += dispatch::run(CompareBehind { view, slot, behind, toggled });
            for [slot, entry] in &*toggled {
                toggle(&mut self.ahead, &self.items, *slot, *entry, changes);
            }
        }
        self.portions[0].toggled = toggled;
    }

    /// Makes lists of who has each slot in its list.
    fn list_both_ways(&mut self) {
        if self.both_ways {
            return;
        }
        self.both_ways = true;
        if self.portions.is_empty() {
            self.portions.push(Portion::default());
        }
        let lengths = &mut self.spare.lengths;
        lengths.clear();
        lengths.resize(self.items.len(), 0);
        for slot in 0..self.items.len() {
            for entry in self.ahead.of(slot) {
                lengths[*entry as usize / 2] += 1;
            }
        }
        self.behind.reset(lengths.iter().copied());
        for slot in 0..self.items.len() {
            for entry in self.ahead.of(slot) {
                self.behind.push(*entry as usize / 2, slot as u32);
            }
        }
    }
}

/// Turns an entry around and says so.
#[inline]
fn toggle(ahead: &mut Lists, items: &[u32], slot: u32, entry: u32, changes: &mut Changes) {
    let entry = ahead.entry(entry);
    *entry ^= 1;
    let pair = Pair::new(items[slot as usize], items[*entry as usize / 2]);
    if *entry & 1 == 1 { changes.began.push(pair) } else { changes.ended.push(pair) }
}

/// What comparing needs to see.
#[derive(Clone, Copy)]
struct View<'a> {
    items: &'a [u32],
    tight: &'a [Turned],
    ahead: &'a Lists,
    oriented: Option<&'a [Oriented]>,
}

impl<'a> View<'a> {
    fn new(items: &'a [u32], tight: &'a [Turned], ahead: &'a Lists, frame: &Frame<'a>) -> Self {
        Self { items, tight, ahead, oriented: frame.oriented }
    }

    /// Whether the oriented boxes overlap too, if there are any.
    #[inline(always)]
    fn confirm(&self, a: usize, b: usize) -> bool {
        match self.oriented {
            None => true,
            Some(boxes) => {
                let of = |slot: usize| &boxes[self.items[slot] as usize];
                of(a).overlaps(of(b))
            }
        }
    }
}

/// Compares the lists of a row of slots.
struct Compare<'a> {
    view: View<'a>,
    slots: std::ops::Range<usize>,
    toggled: &'a mut Vec<[u32; 2]>,
}

impl Task for Compare<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<W: Wide>(self) -> usize {
        match self.view.oriented {
            None => self.compare::<W, false>(),
            Some(_) => self.compare::<W, true>(),
        }
    }
}

impl Compare<'_> {
    #[inline(always)]
    fn compare<W: Wide, const ORIENTED: bool>(self) -> usize {
        let view = self.view;
        let tight = view.tight;
        let mut compared = 0;
        for slot in self.slots {
            let list = view.ahead.of(slot);
            let own = Facing::<W>::new(&tight[slot]);
            let mut place = 0;
            while place < list.len() {
                let entry = list[place];
                let other = entry as usize / 2;
                let mut overlap = own.overlaps(&tight[other]);
                if ORIENTED && overlap {
                    overlap = view.confirm(slot, other);
                }
                if u32::from(overlap) != entry & 1 {
                    self.toggled.push([slot as u32, view.ahead.start(slot) + place as u32]);
                }
                place += 1;
            }
            compared += list.len();
        }
        compared
    }
}

/// Compares a slot with those that have it in their lists.
struct CompareBehind<'a> {
    view: View<'a>,
    slot: u32,
    behind: &'a [u32],
    toggled: &'a mut Vec<[u32; 2]>,
}

impl Task for CompareBehind<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<W: Wide>(self) -> usize {
        let (view, slot) = (self.view, self.slot as usize);
        let own = Facing::<W>::new(&view.tight[slot]);
        for owner in self.behind {
            let other = *owner as usize;
            let overlap = own.overlaps(&view.tight[other]) && view.confirm(other, slot);
            let list = view.ahead.of(other);
            let place = list.iter().position(|entry| entry / 2 == self.slot);
            let place = place.expect("the lists are kept both ways");
            if overlap != (list[place] & 1 == 1) {
                self.toggled.push([*owner, view.ahead.start(other) + place as u32]);
            }
        }
        self.behind.len()
    }
}
