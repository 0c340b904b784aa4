//! The last pass of a frame: the boxes in the lists compared, and what is different said.

use rayon::prelude::*;

use super::groups::{Group, Groups, Place};
use super::record::{Facing, Turned};
use super::{Neighbours, Portion};
use crate::broad::lists::List;
use crate::broad::{Changes, Frame, Pair};
use crate::volume::{Oriented, Volume};
use crate::wide::Wide;
use crate::wide::dispatch::{self, Task};

/// Groups that a thread takes at a time.
const PORTION: usize = 8192;

impl Neighbours {
    /// Looks at all lists.
    pub(super) fn compare_all(&mut self, frame: &Frame<'_>, changes: &mut Changes) {
        let groups = &self.groups.groups[..];
        let count = groups.len().div_ceil(PORTION);
        if self.portions.len() < count {
            self.portions.resize_with(count, Portion::default);
        }
        let view = View { items: &self.items, tight: &self.tight, oriented: frame.oriented };
        let compare = |(n, (groups, portion)): (usize, (&[Group], &mut Portion))| {
            let toggled = &mut portion.toggled;
            toggled.clear();
            dispatch::run(Compare { view, groups, first: n * PORTION, toggled });
        };
        let shared = self.is_shared();
        let portions = &mut self.portions[..count];
        if shared {
            groups.par_chunks(PORTION).zip(portions).enumerate().for_each(compare);
        } else {
            groups.chunks(PORTION).zip(portions).enumerate().for_each(compare);
        }
        self.stats.compared = groups.len() * 4;
        for portion in &self.portions[..count] {
            for [group, bits] in &portion.toggled {
                toggle(&mut self.groups, &self.items, *group, *bits, changes);
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
            let view = View { items: &self.items, tight: &self.tight, oriented: frame.oriented };
            for first in self.groups.of(slot as usize) {
                let groups = &self.groups.groups[first as usize..=first as usize];
                let first = first as usize;
                dispatch::run(Compare { view, groups, first, toggled: &mut toggled });
                self.stats.compared += 4;
            }
            let behind = self.behind[slot as usize];
            let groups = &self.groups;
            for owners in self.lists.pieces(behind) {
                dispatch::run(CompareBehind { view, groups, slot, owners, toggled: &mut toggled });
            }
            self.stats.compared += behind.len();
            for [group, bits] in &toggled {
                toggle(&mut self.groups, &self.items, *group, *bits, changes);
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
        self.lists.reset();
        self.behind.clear();
        self.behind.resize(self.items.len(), List::default());
        for slot in 0..self.items.len() {
            for other in self.groups.others(slot) {
                self.lists.push(&mut self.behind[other as usize], slot as u32);
            }
        }
    }
}

/// Turns some of the four around and says so.
#[inline]
fn toggle(groups: &mut Groups, items: &[u32], group: u32, bits: u32, changes: &mut Changes) {
    let group = &mut groups.groups[group as usize];
    group.overlapping ^= bits;
    for (place, other) in group.others.into_iter().enumerate() {
        if bits >> place & 1 == 1 {
            let pair = Pair::new(items[group.owner as usize], items[other as usize]);
            let began = group.overlapping >> place & 1 == 1;
            if began { changes.began.push(pair) } else { changes.ended.push(pair) }
        }
    }
}

/// What comparing needs to see.
#[derive(Clone, Copy)]
struct View<'a> {
    items: &'a [u32],
    tight: &'a [Turned],
    oriented: Option<&'a [Oriented]>,
}

impl View<'_> {
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

/// Compares a row of groups.
struct Compare<'a> {
    view: View<'a>,
    groups: &'a [Group],
    /// The number of the first of these groups.
    first: usize,
    /// Groups, and a bit for each of their neighbours that is different now.
    toggled: &'a mut Vec<[u32; 2]>,
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
        let tight = self.view.tight;
        for (n, group) in self.groups.iter().enumerate() {
            let own = Facing::<W>::new(&tight[group.owner as usize]);
            let [a, b, c, d] = group.others;
            let mut overlapping = u32::from(own.overlaps(&tight[a as usize]))
                | u32::from(own.overlaps(&tight[b as usize])) << 1
                | u32::from(own.overlaps(&tight[c as usize])) << 2
                | u32::from(own.overlaps(&tight[d as usize])) << 3;
            if ORIENTED {
                for (place, other) in group.others.into_iter().enumerate() {
                    if overlapping >> place & 1 == 1 && !self.view.confirm(group.owner, other) {
                        overlapping &= !(1 << place);
                    }
                }
            }
            if overlapping != group.overlapping {
                let number = (self.first + n) as u32;
                self.toggled.push([number, overlapping ^ group.overlapping]);
            }
        }
    }
}

/// Compares a slot with those that have it in their lists.
struct CompareBehind<'a> {
    view: View<'a>,
    groups: &'a Groups,
    slot: u32,
    owners: &'a [u32],
    toggled: &'a mut Vec<[u32; 2]>,
}

impl Task for CompareBehind<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Wide>(self) {
        let (view, slot) = (self.view, self.slot);
        let own = Facing::<W>::new(&view.tight[slot as usize]);
        for owner in self.owners {
            let other = *owner as usize;
            let overlaps = own.overlaps(&view.tight[other]) && view.confirm(*owner, slot);
            let place = self.groups.find(other, slot);
            let Place(group, place) = place.expect("the lists are kept both ways");
            let overlapped = self.groups.groups[group as usize].overlapping >> place & 1 == 1;
            if overlaps != overlapped {
                self.toggled.push([group, 1 << place]);
            }
        }
    }
}
