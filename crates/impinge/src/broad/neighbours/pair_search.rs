//! All overlapping pairs of many boxes, from scratch.
//!
//! Space is cut into blocks of a few thousand boxes each, so that the data of a block fits into the
//! cache of a core, empty space costs little, and workers can share the blocks. A box is entered
//! into every block that it touches; [`ColumnSweep`] finds the pairs of a block. A block with too
//! many boxes, as in dense clusters, is cut again.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::column_sweep::{ColumnSweep, Found};
use super::lock;
use super::packed_box::PackedBox;
use super::record::{Record, StartBits};
use crate::wide::Wide;
use crate::wide::dispatch::{self, Task};

/// The number of boxes that a block should have.
const BOXES_PER_BLOCK: usize = 4096;
/// Up to this many boxes are not cut into blocks at all.
const MAX_BOXES_UNCUT: usize = 16 << 10;
/// A block with more boxes than this is cut again.
const MAX_BOXES_PER_BLOCK: usize = 8 * BOXES_PER_BLOCK;
/// The largest number of times that a block is cut again.
const MAX_CUTS: u32 = 4;
/// A block is not cut again if that would make more records than this for each record of the block.
const MAX_COPIES_PER_CUT: usize = 3;
/// The size of the sample that determines where blocks lie.
const SAMPLED_BOXES: usize = 256;
/// With fewer blocks than this, workers take longer to wake than one needs for all blocks.
const MIN_BLOCKS_FOR_WORKERS: usize = 3;

/// Finds all pairs of a list of boxes; owns the memory for that.
#[derive(Debug, Default)]
pub(super) struct PairSearch {
    /// A record for each box that is not empty.
    input: Vec<Record>,
    /// The records of all blocks, one block after the other.
    records: Vec<Record>,
    /// Where each block begins and ends in `records`.
    spans: Vec<[u32; 2]>,
    /// Memory for cutting: the records of each block, and where they end.
    counts: Vec<u32>,
    ends: Vec<u32>,
    /// One for each worker.
    sweeps: Vec<Mutex<ColumnSweep>>,
    /// The results of each block.
    found: Vec<Mutex<Found>>,
    blocks: usize,
}

/// A grid of blocks. Coordinates outside it belong to the outermost blocks.
struct BlockGrid {
    origin: [f32; 3],
    per_unit: [f32; 3],
    count: [u32; 3],
}

impl BlockGrid {
    /// Blocks of about [`BOXES_PER_BLOCK`] of these boxes.
    fn new(records: &[Record]) -> Self {
        let step = records.len().div_ceil(SAMPLED_BOXES);
        let mut origin = [0.0_f32; 3];
        let mut extent = [0.0_f32; 3];
        let mut values = [0.0_f32; SAMPLED_BOXES];
        for k in 0..3 {
            let mut n = 0;
            for record in records.iter().step_by(step) {
                values[n] = record.0[k].clamp(-1e30, 1e30);
                n += 1;
            }
            let values = &mut values[..n];
            values.sort_unstable_by(f32::total_cmp);
            // Without a sixteenth on each side, so that a few boxes far away do not make the blocks
            // larger.
            let (low, high) = (values[n / 16], values[n - 1 - n / 16]);
            origin[k] = low - 0.15 * (high - low);
            extent[k] = 1.3 * (high - low);
        }
        let wanted = records.len().div_ceil(BOXES_PER_BLOCK) as f32;
        let longest = extent.into_iter().fold(0.0_f32, f32::max);
        let mut size = longest;
        let mut count = [1_u32; 3];
        // Finds the edge of cubes of which there are about as many as wanted.
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

    /// The index of the block of a coordinate along axis `k`. Monotone in `x`.
    #[inline(always)]
    fn of(&self, k: usize, x: f32) -> u32 {
        (((x - self.origin[k]) * self.per_unit[k]) as u32).min(self.count[k] - 1)
    }

    fn total(&self) -> usize {
        self.count.iter().map(|c| *c as usize).product()
    }

    /// Calls `visit` with each block that the box touches, and the axes along which it starts
    /// there.
    #[inline(always)]
    fn for_each_block(&self, record: &Record, mut visit: impl FnMut(usize, StartBits)) {
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
                    let starts = StartBits::from(i == first[0])
                        | StartBits::from(j == first[1]) << 1
                        | StartBits::from(k == first[2]) << 2;
                    let block = (i * self.count[1] + j) * self.count[2] + k;
                    visit(block as usize, starts);
                }
            }
        }
    }
}

impl PairSearch {
    /// Finds all pairs of overlapping boxes, as indices into the list. Empty boxes have no pairs.
    pub(super) fn run(&mut self, boxes: &[PackedBox]) {
        dispatch::run(CollectRecords { boxes, records: &mut self.input });
        self.records.clear();
        self.spans.clear();
        self.cut(0..0, 0);
        self.blocks = self.spans.len();
        while self.found.len() < self.blocks {
            self.found.push(Mutex::default());
        }
        let workers =
            if self.blocks < MIN_BLOCKS_FOR_WORKERS { 1 } else { rayon::current_num_threads() };
        while self.sweeps.len() < workers {
            self.sweeps.push(Mutex::default());
        }
        let next = AtomicUsize::new(0);
        let work = |sweep: &Mutex<ColumnSweep>| {
            let mut sweep = lock(sweep);
            loop {
                let block = next.fetch_add(1, Ordering::Relaxed);
                let Some([start, end]) = self.spans.get(block) else { break };
                let records = &self.records[*start as usize..*end as usize];
                sweep.find(records, &mut lock(&self.found[block]));
            }
        };
        match &self.sweeps[..workers] {
            [only] => work(only),
            all => all.par_iter().for_each(work),
        }
    }

    /// The results, block by block, in an order that does not depend on the workers.
    pub(super) fn found(&mut self) -> impl Iterator<Item = &Found> {
        self.found[..self.blocks]
            .iter_mut()
            .map(|found| &*found.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner))
    }

    /// Cuts the input (at depth zero), or a part of the records, into blocks, and those with too
    /// many boxes again.
    fn cut(&mut self, part: std::ops::Range<usize>, depth: u32) {
        let is_input = depth == 0;
        let count = if is_input { self.input.len() } else { part.len() };
        if is_input && count <= MAX_BOXES_UNCUT {
            self.records.extend_from_slice(&self.input);
            self.spans.push([0, count as u32]);
            return;
        }
        let from: &[Record] = if is_input { &self.input } else { &self.records[part.clone()] };
        let grid = BlockGrid::new(from);
        let mut counts = std::mem::take(&mut self.counts);
        let mut ends = std::mem::take(&mut self.ends);
        counts.clear();
        counts.resize(grid.total(), 0);
        for record in from {
            grid.for_each_block(record, |block, _| counts[block] += 1);
        }
        let base = self.records.len() as u32;
        ends.clear();
        ends.extend(counts.iter().scan(base, |sum, count| {
            *sum += count;
            Some(*sum)
        }));
        let sum = ends[ends.len() - 1];
        if !is_input && (sum - base) as usize > MAX_COPIES_PER_CUT * count {
            // The boxes are large: cutting would only make copies.
            self.spans.push([part.start as u32, part.end as u32]);
        } else {
            let source = if is_input {
                std::mem::take(&mut self.input)
            } else {
                self.records[part].to_vec()
            };
            self.records.resize(sum as usize, Record::BLANK);
            for record in source.iter().rev() {
                grid.for_each_block(record, |block, starts| {
                    ends[block] -= 1;
                    self.records[ends[block] as usize] = record.with_starts(starts);
                });
            }
            if is_input {
                self.input = source;
            }
            for (start, count) in ends.iter().zip(&counts) {
                if *count as usize > MAX_BOXES_PER_BLOCK && depth < MAX_CUTS {
                    self.cut(*start as usize..(start + count) as usize, depth + 1);
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
        let sweeps: usize = self.sweeps.iter().map(|sweep| lock(sweep).bytes()).sum();
        records
            + 8 * self.spans.capacity()
            + 4 * (self.counts.capacity() + self.ends.capacity())
            + found
            + sweeps
    }
}

/// Makes records of the boxes that are not empty.
struct CollectRecords<'a> {
    boxes: &'a [PackedBox],
    records: &'a mut Vec<Record>,
}

impl Task for CollectRecords<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Wide>(self) {
        let Self { boxes, records } = self;
        records.resize(boxes.len(), Record::BLANK);
        let mut count = 0;
        for (item, packed) in boxes.iter().enumerate() {
            Record::write::<W>(packed, item as u32, &mut records[count]);
            count += usize::from(!packed.is_empty());
        }
        records.truncate(count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    /// Evenly spread boxes, dense clusters with a few large boxes, and boxes in one place: each
    /// pair is found once, and each box is in the order once, at any number of workers.
    #[test]
    fn each_pair_is_found_once() {
        let mut random = Random::new(12);
        for (count, clusters, side) in [(900, 0, 9.0), (20_000, 0, 60.0), (40_000, 2, 300.0)] {
            let mut boxes = vec![PackedBox::EMPTY];
            for n in 1..count {
                let center = match clusters {
                    0 => 0.0,
                    _ => 100.0 * random.index(clusters) as f64,
                };
                let spread = if clusters > 0 && n % 8 > 0 { 30.0 } else { side };
                let low = [0; 3].map(|_| (center + random.range(0.0, spread)) as f32);
                let size = if n % 5000 == 3 { 40.0 } else { 0.8 };
                boxes.push(match n % 100 {
                    7 => PackedBox::EMPTY,
                    _ => PackedBox::new(low, low.map(|x| -x - size)),
                });
            }
            let mut expected = brute_pairs(&boxes);
            expected.sort_unstable();
            assert!(expected.len() > 500);
            for workers in [1, 3] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(workers).build().unwrap();
                let mut search = PairSearch::default();
                for _ in 0..2 {
                    pool.install(|| search.run(&boxes));
                    let mut pairs: Vec<[u32; 2]> =
                        search.found().flat_map(|found| &found.pairs).copied().collect();
                    pairs.iter_mut().for_each(|pair| pair.sort_unstable());
                    pairs.sort_unstable();
                    assert!(pairs == expected, "{} of {}", pairs.len(), expected.len());
                    let mut order: Vec<u32> =
                        search.found().flat_map(|found| &found.order).copied().collect();
                    order.sort_unstable();
                    let not_empty = (0..count as u32).filter(|n| !boxes[*n as usize].is_empty());
                    assert!(order.into_iter().eq(not_empty));
                }
            }
        }
    }

    /// All pairs, by a sweep along the first axis.
    fn brute_pairs(boxes: &[PackedBox]) -> Vec<[u32; 2]> {
        let all = boxes.iter().map(PackedBox::bounds).zip(0..);
        let mut sorted: Vec<_> = all.filter(|(bounds, _)| !bounds.is_empty()).collect();
        sorted.sort_unstable_by(|a, b| a.0.min[0].total_cmp(&b.0.min[0]));
        let mut pairs = Vec::new();
        for (n, (bounds, a)) in sorted.iter().enumerate() {
            let near = sorted[n + 1..].iter().take_while(|(b, _)| b.min[0] <= bounds.max[0]);
            let near = near.filter(|(b, _)| b.overlaps(bounds));
            pairs.extend(near.map(|(_, b)| [*a.min(b), *a.max(b)]));
        }
        pairs
    }
}
