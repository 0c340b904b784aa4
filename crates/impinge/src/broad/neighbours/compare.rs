//! The last pass of a frame: the boxes of the pairs in the lists are compared, and changes are
//! reported.

use std::ops::Range;

use super::boxes::SkinnedBoxes;
use super::packed_box::{PackedBox, overlap_bits};
use super::pair_lists::PairLists;
use super::pair_rows::PairRows;
use super::slots::Slots;
use super::{Padded, min_batches_per_worker};
use crate::broad::{Changes, FrameInput, Pair};
use crate::math::OrientedBox;
use crate::wide::dispatch::{self, Task};
use crate::wide::{Lookup, Row, Wide, prefetch};
use crate::workers::{self, Chunks};

/// Rows in a batch for one worker.
const ROWS_PER_BATCH: usize = 1024;
/// The number of steps ahead for which pairs and lists are prefetched.
const PREFETCH_STEPS: usize = 8;
/// Rows with changes that are collected before the changes are reported.
const CHANGED_ROWS_PER_REPORT: usize = 64;

/// Compares the boxes of the pairs in the lists.
#[derive(Clone, Debug, Default)]
pub(super) struct Comparison {
    /// The changes in each batch of rows.
    batches: Vec<Padded<Changes>>,
    /// While only the pairs of some items are compared: the slots of these,
    slots: Vec<u32>,
    /// the places of their pairs,
    places: Vec<u32>,
    /// and the places of pairs that changed, with one if their boxes overlap now.
    toggled: Vec<[u32; 2]>,
}

impl Comparison {
    /// Compares all pairs. Returns their number, with free places.
    pub(super) fn compare_all(
        &mut self,
        frame: &FrameInput<'_>,
        slots: &Slots,
        boxes: &SkinnedBoxes,
        pairs: &mut PairLists,
        changes: &mut Changes,
    ) -> usize {
        let min_batches = min_batches_per_worker(slots.len());
        let view = View::new(frame, slots, boxes);
        let (rows, overlapping) = pairs.rows_mut().lookup_in(view.tight);
        let length = overlapping.len();
        if min_batches > length {
            dispatch::run(Compare { view, rows, overlapping, changes });
            return length * 8;
        }
        let count = length.div_ceil(ROWS_PER_BATCH);
        if self.batches.len() < count {
            self.batches.resize_with(count, Padded::default);
        }
        let batches = &mut self.batches[..count];
        type Batches<'a> = &'a mut [Padded<Changes>];
        type Piece<'a> = (Range<usize>, (Batches<'a>, Chunks<&'a mut [u8]>));
        let compare = |(numbers, (batches, chunks)): Piece<'_>| {
            let chunks = chunks.list.chunks_mut(ROWS_PER_BATCH);
            for ((n, batch), overlapping) in numbers.zip(batches).zip(chunks) {
                let first = n * ROWS_PER_BATCH;
                let rows = rows.part(first..first + overlapping.len());
                let changes = &mut batch.0;
                changes.clear();
                dispatch::run(Compare { view, rows, overlapping, changes });
            }
        };
        let chunks = Chunks { list: overlapping, size: ROWS_PER_BATCH };
        workers::share((0..count, (&mut *batches, chunks)), min_batches, compare, || ());
        for batch in batches {
            changes.began.extend_from_slice(&batch.0.began);
            changes.ended.extend_from_slice(&batch.0.ended);
        }
        length * 8
    }

    /// Compares the pairs of some items. Returns their number.
    pub(super) fn compare_some(
        &mut self,
        frame: &FrameInput<'_>,
        items: &[u32],
        slots: &Slots,
        boxes: &SkinnedBoxes,
        pairs: &mut PairLists,
        changes: &mut Changes,
    ) -> usize {
        pairs.build_reverse();
        self.slots.clear();
        self.slots.extend(items.iter().filter_map(|item| slots.of_items().get(*item as usize)));
        self.find_places(pairs);
        let view = View::new(frame, slots, boxes);
        let Self { places, toggled, .. } = self;
        toggled.clear();
        dispatch::run(CompareSome { view, rows: pairs.rows(), places, toggled });
        let rows = pairs.rows_mut();
        for [place, overlaps] in toggled {
            let overlaps = *overlaps == 1;
            // A pair of two items that are both named is there twice.
            if rows.overlaps(*place) != overlaps {
                rows.invert_overlap(*place);
                report(slots.items(), rows.slots(*place), overlaps, changes);
            }
        }
        self.places.len()
    }

    /// Finds the places of all pairs of the slots.
    fn find_places(&mut self, pairs: &PairLists) {
        let (rows, reverse) = (pairs.rows(), pairs.reverse());
        self.places.clear();
        for (n, slot) in self.slots.iter().enumerate() {
            if let Some(ahead) = self.slots.get(n + PREFETCH_STEPS) {
                rows.prefetch(*ahead);
                prefetch(reverse.of(*ahead));
            }
            self.places.extend(rows.of(*slot as usize));
            self.places.extend(reverse.places(*reverse.of(*slot)));
        }
    }

    pub(super) fn bytes(&self) -> usize {
        let batches = self.batches.iter().map(|batch| &batch.0);
        let batches: usize =
            batches.map(|changes| changes.began.capacity() + changes.ended.capacity()).sum();
        8 * batches
            + 4 * (self.slots.capacity() + self.places.capacity())
            + 8 * self.toggled.capacity()
    }
}

/// Reports that the boxes of two slots started or stopped overlapping.
#[inline(always)]
fn report(items: &[u32], [low, high]: [u32; 2], overlap: bool, changes: &mut Changes) {
    let pair = Pair::new(items[low as usize], items[high as usize]);
    let list = if overlap { &mut changes.began } else { &mut changes.ended };
    list.push(pair);
}

/// The input of a comparison.
#[derive(Clone, Copy)]
struct View<'a> {
    /// The item in each slot.
    items: &'a [u32],
    tight: &'a [PackedBox],
    oriented: Option<&'a [OrientedBox]>,
}

impl<'a> View<'a> {
    fn new(frame: &FrameInput<'a>, slots: &'a Slots, boxes: &'a SkinnedBoxes) -> Self {
        Self { items: slots.items(), tight: boxes.tight(), oriented: frame.oriented }
    }

    /// Reports the pairs of a row whose bits changed.
    #[inline(always)]
    fn report_row(&self, row: &Row, now: u8, before: u8, changes: &mut Changes) {
        let mut changed = now ^ before;
        while changed != 0 {
            let column = changed.trailing_zeros() as usize & 7;
            let pair = [row.low[column], row.high[column]];
            report(self.items, pair, now >> column & 1 == 1, changes);
            changed &= changed - 1;
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

    /// Whether the oriented boxes overlap too, if the frame has any.
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
    rows: Lookup<'a, PackedBox>,
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
        // Rows that changed are collected without a branch and reported later: they are rare and
        // unpredictable.
        let mut changed = [(0, 0); CHANGED_ROWS_PER_REPORT];
        let mut count = 0;
        let (mut entries, length) = (rows.entries(), known.len());
        for n in 0..length {
            let Some((low, high)) = entries.next() else { break };
            let mut bits = overlap_bits::<W>(&low, &high);
            if ORIENTED {
                bits = view.confirm_row(&rows.rows()[n], bits);
            }
            changed[count % CHANGED_ROWS_PER_REPORT] = (n, bits as u8);
            count += usize::from(known[n] != bits as u8);
            if count == CHANGED_ROWS_PER_REPORT || n + 1 == length {
                for (n, now) in &changed[..count] {
                    view.report_row(&rows.rows()[*n], *now, known[*n], changes);
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
    rows: &'a PairRows,
    places: &'a [u32],
    /// As in [`Comparison`].
    toggled: &'a mut Vec<[u32; 2]>,
}

impl Task for CompareSome<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Wide>(self) {
        let Self { view, rows, places, toggled } = self;
        for (n, place) in places.iter().enumerate() {
            if let Some(ahead) = places.get(n + PREFETCH_STEPS) {
                for slot in rows.slots(*ahead) {
                    prefetch(&view.tight[slot as usize]);
                }
            }
            let [low, high] = rows.slots(*place);
            let [own, other] = [low, high].map(|slot| &view.tight[slot as usize]);
            let overlaps = own.overlaps::<W>(other) && view.confirm(low, high);
            if overlaps != rows.overlaps(*place) {
                toggled.push([*place, u32::from(overlaps)]);
            }
        }
    }
}
