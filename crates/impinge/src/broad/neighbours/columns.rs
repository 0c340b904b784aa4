//! All overlapping pairs of many boxes, from scratch.
//!
//! Space is cut into blocks of a few thousand boxes each, so that the work on one stays in a core's
//! own cache, empty space costs little, and threads have something to share. A box goes into every
//! block that it touches; [`Block`] finds the pairs of each. A block that is still too full,
//! because boxes gather in heaps, is cut again.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::block::{Block, Found};
use super::lock;
use super::record::{Flags, Record, Turned};
use crate::wide::Wide;
use crate::wide::dispatch::{self, Task};

/// How many boxes a block should have.
const TARGET: usize = 4096;
/// So many boxes are not cut into blocks at all.
const WHOLE: usize = 16 << 10;
/// A block with this many times more is cut again.
const TOO_FULL: usize = 8;
/// How often a block is cut again at most.
const DEPTH: u32 = 4;
/// How many boxes tell how all of them lie.
const SAMPLE: usize = 256;
/// Fewer blocks than this are not worth waking threads for.
const FEW: usize = 3;

/// The work of finding all pairs, with its memory.
#[derive(Debug, Default)]
pub(super) struct Columns {
    input: Vec<Record>,
    /// The records of all blocks, one block after the other.
    records: Vec<Record>,
    /// Where each block begins and ends in `records`.
    spans: Vec<[u32; 2]>,
    counts: Vec<u32>,
    ends: Vec<u32>,
    workers: Vec<Mutex<Block>>,
    found: Vec<Mutex<Found>>,
    blocks: usize,
}

/// How space is cut into blocks.
struct Blocks {
    origin: [f32; 3],
    per_unit: [f32; 3],
    count: [u32; 3],
}

impl Blocks {
    /// Blocks of about `TARGET` of these boxes, which are many.
    fn new(records: &[Record]) -> Self {
        let step = records.len().div_ceil(SAMPLE);
        let mut origin = [0.0_f32; 3];
        let mut extent = [0.0_f32; 3];
        let mut values = [0.0_f32; SAMPLE];
        for k in 0..3 {
            let mut n = 0;
            for record in records.iter().step_by(step) {
                values[n] = record.0[k].clamp(-1e30, 1e30);
                n += 1;
            }
            let values = &mut values[..n];
            values.sort_unstable_by(f32::total_cmp);
            // What lies outside counts to the outermost blocks, so a few boxes far away do no harm.
            let (low, high) = (values[n / 16], values[n - 1 - n / 16]);
            origin[k] = low - 0.15 * (high - low);
            extent[k] = 1.3 * (high - low);
        }
        let wanted = records.len().div_ceil(TARGET) as f32;
        let longest = extent.into_iter().fold(0.0_f32, f32::max);
        let mut size = longest;
        let mut count = [1_u32; 3];
        // The edge of cubes of which there are about as many as wanted.
        for _ in 0..200 {
            let of = |k: usize| ((extent[k] / size) as u32).clamp(1, 1024);
            count = [of(0), of(1), of(2)];
            if count.iter().map(|c| *c as f32).product::<f32>() >= wanted {
                break;
            }
            size *= 0.93;
        }
        let per_unit =
            [0, 1, 2].map(|k| if extent[k] > 0.0 { count[k] as f32 / extent[k] } else { 0.0 });
        Self { origin, per_unit, count }
    }

    /// The block of a coordinate. Monotone in `x`.
    #[inline(always)]
    fn of(&self, k: usize, x: f32) -> u32 {
        (((x - self.origin[k]) * self.per_unit[k]) as u32).min(self.count[k] - 1)
    }

    fn total(&self) -> usize {
        self.count.iter().map(|c| *c as usize).product()
    }

    /// Calls with each block that the box touches, and along which axes it begins there.
    #[inline(always)]
    fn each(&self, record: &Record, mut visit: impl FnMut(usize, Flags)) {
        let first: [u32; 3] = std::array::from_fn(|k| self.of(k, record.0[k]));
        let last: [u32; 3] = std::array::from_fn(|k| self.of(k, record.0[k + 4]));
        if first == last {
            let [i, j, k] = first;
            visit(((i * self.count[1] + j) * self.count[2] + k) as usize, 0b111);
            return;
        }
        for i in first[0]..=last[0] {
            for j in first[1]..=last[1] {
                for k in first[2]..=last[2] {
                    let begins = Flags::from(i == first[0])
                        | Flags::from(j == first[1]) << 1
                        | Flags::from(k == first[2]) << 2;
                    let block = (i * self.count[1] + j) * self.count[2] + k;
                    visit(block as usize, begins);
                }
            }
        }
    }
}

impl Columns {
    /// Finds all pairs of the boxes, numbered by their place in the list; empty ones have none.
    pub(super) fn find(&mut self, boxes: &[Turned]) {
        dispatch::run(Collect { boxes, to: &mut self.input });
        self.records.clear();
        self.spans.clear();
        self.split(0..0, 0);
        self.blocks = self.spans.len();
        while self.found.len() < self.blocks {
            self.found.push(Mutex::default());
        }
        let threads = if self.blocks < FEW { 1 } else { rayon::current_num_threads() };
        while self.workers.len() < threads {
            self.workers.push(Mutex::default());
        }
        let next = AtomicUsize::new(0);
        let work = |worker: &Mutex<Block>| {
            let mut worker = lock(worker);
            loop {
                let block = next.fetch_add(1, Ordering::Relaxed);
                let Some([start, end]) = self.spans.get(block) else { break };
                let records = &self.records[*start as usize..*end as usize];
                worker.find(records, &mut lock(&self.found[block]));
            }
        };
        match &self.workers[..threads] {
            [only] => work(only),
            many => many.par_iter().for_each(work),
        }
    }

    /// What was found, block by block, in an order that does not depend on threads.
    pub(super) fn found(&mut self) -> impl Iterator<Item = &Found> {
        self.found[..self.blocks]
            .iter_mut()
            .map(|found| &*found.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner))
    }

    /// Cuts the input (at depth zero), or a part of the records, into blocks, and what is too full
    /// again.
    fn split(&mut self, part: std::ops::Range<usize>, depth: u32) {
        let top = depth == 0;
        let count = if top { self.input.len() } else { part.len() };
        if top && count <= WHOLE {
            self.records.extend_from_slice(&self.input);
            self.spans.push([0, count as u32]);
            return;
        }
        let from: &[Record] = if top { &self.input } else { &self.records[part.clone()] };
        let blocks = Blocks::new(from);
        let mut counts = std::mem::take(&mut self.counts);
        let mut ends = std::mem::take(&mut self.ends);
        counts.clear();
        counts.resize(blocks.total(), 0);
        for record in from {
            blocks.each(record, |block, _| counts[block] += 1);
        }
        let base = self.records.len() as u32;
        ends.clear();
        ends.extend(counts.iter().scan(base, |sum, count| {
            *sum += count;
            Some(*sum)
        }));
        let sum = ends[ends.len() - 1];
        if !top && (sum - base) as usize > 3 * count {
            // Cutting would only make copies: large boxes are everywhere.
            self.spans.push([part.start as u32, part.end as u32]);
        } else {
            let source =
                if top { std::mem::take(&mut self.input) } else { self.records[part].to_vec() };
            self.records.resize(sum as usize, Record::BLANK);
            for record in source.iter().rev() {
                blocks.each(record, |block, begins| {
                    ends[block] -= 1;
                    self.records[ends[block] as usize] = record.within(begins);
                });
            }
            if top {
                self.input = source;
            }
            for (start, count) in ends.iter().zip(&counts) {
                if *count as usize > TOO_FULL * TARGET && depth < DEPTH {
                    self.split(*start as usize..(start + count) as usize, depth + 1);
                } else if *count > 0 {
                    self.spans.push([*start, start + count]);
                }
            }
        }
        (self.counts, self.ends) = (counts, ends);
    }

    /// The memory it holds, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let records = (self.input.capacity() + self.records.capacity()) * size_of::<Record>();
        let found: usize = self.found.iter().map(|found| lock(found).bytes()).sum();
        let workers: usize = self.workers.iter().map(|worker| lock(worker).bytes()).sum();
        records
            + 8 * self.spans.capacity()
            + 4 * (self.counts.capacity() + self.ends.capacity())
            + found
            + workers
    }
}

/// Makes records of boxes that are not empty.
struct Collect<'a> {
    boxes: &'a [Turned],
    to: &'a mut Vec<Record>,
}

impl Task for Collect<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Wide>(self) {
        self.to.resize(self.boxes.len(), Record::BLANK);
        let mut count = 0;
        for (item, turned) in self.boxes.iter().enumerate() {
            Record::write::<W>(turned, item as u32, &mut self.to[count]);
            count += usize::from(!turned.is_empty());
        }
        self.to.truncate(count);
    }
}
