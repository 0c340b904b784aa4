//! All overlapping pairs of a few thousand boxes: columns of cells, and a sweep along one axis.
//!
//! Space is cut into columns along the sweep axis, about four mean sides wide, and each column into
//! short cells. A box is entered into every column that it touches, in the cell where it starts;
//! one counting sort puts the entries of a column in the order of their cells. A box can only
//! overlap the entries between its own and those of the cell in which it ends, which are contiguous
//! in memory: eight are compared at a time. Two boxes may meet in several columns; the pair is
//! reported in the column, and the block, where the lower corner of their intersection lies.

use super::record::{Record, StartBits};
use crate::wide::dispatch::{self, Task};
use crate::wide::{Wide, lanes_of};

/// The width of a column, in mean sides. Values from 3 to 5 make no difference; wider columns have
/// longer runs of entries, narrower ones more entries.
const COLUMN_WIDTH: f32 = 4.0;
/// The length of a cell, in mean sides.
const CELL_LENGTH: f32 = 0.5;
/// With more cells for each box than this, clearing them would take longer than they save,
const MAX_CELLS_PER_BOX: usize = 2;
/// but this many more are allowed.
const EXTRA_CELLS: usize = 64;
/// The most cells along an axis; [`CellRange`] has sixteen bits for each.
const MAX_CELLS_PER_AXIS: u32 = 1 << 14;
/// The shortest cell, as a share of the extent of all boxes.
const MIN_CELL_SHARE: f32 = 1e-4;

/// Finds the pairs of a block; owns the memory for that. Aligned so that those of two workers are
/// never on one cache line.
#[derive(Clone, Debug, Default)]
#[repr(align(128))]
pub(super) struct ColumnSweep {
    /// Where the entries of each cell start, and after the last cell where they end.
    starts: Vec<u32>,
    /// The record of each entry.
    entries: Vec<u32>,
    /// The cells of each record.
    ranges: Vec<CellRange>,
    unsorted: UnsortedEntries,
    sides: SortedSides,
}

/// The cells that a box touches: the first along each axis in lanes 0 to 2, the last in lanes 4 to
/// 6, each plus [`TO_INTEGER`].
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
struct CellRange([f32; 8]);

/// The lowest bits of the sum of this and a small number are that number, rounded to an integer.
const TO_INTEGER: f32 = 8_388_608.0;

impl CellRange {
    #[inline(always)]
    fn cell(&self, lane: usize) -> u32 {
        self.0[lane].to_bits() & 0xffff
    }

    /// Appends an entry for each column that the box touches. `number` is that of its record.
    #[inline(always)]
    fn enter(&self, grid: &CellGrid, number: u32, to: &mut UnsortedEntries) {
        let column = grid.count[2];
        let layer = grid.count[1] * column;
        let (more_i, more_j) = (self.cell(4) - self.cell(0), self.cell(5) - self.cell(1));
        let first = self.cell(0) * layer + self.cell(1) * column + self.cell(2);
        if (more_i | more_j) > 1 {
            for i in 0..=more_i {
                for j in 0..=more_j {
                    to.push(&[first + i * layer + j * column], number, 1);
                }
            }
            return;
        }
        // Nearly always one, two or four columns: four entries are written, and only the count
        // depends on how many there are.
        let second = first + if more_j == 1 { column } else { layer };
        let four = [first, second, first + layer, first + layer + column];
        to.push(&four, number, (1 + more_i as usize) << more_j);
    }
}

/// The entries before they are sorted: cells, and records by their numbers.
#[derive(Clone, Debug, Default)]
struct UnsortedEntries {
    cells: Vec<u32>,
    numbers: Vec<u32>,
    /// Entries in use; the rest is memory to write to.
    count: usize,
}

impl UnsortedEntries {
    /// Makes space for four more.
    #[inline(always)]
    fn reserve(&mut self) {
        if self.cells.len() < self.count + 4 {
            let length = 2 * self.count + 64;
            self.cells.resize(length, 0);
            self.numbers.resize(length, 0);
        }
    }

    /// Appends entries for the first `count` of the cells, which are at most four.
    #[inline(always)]
    fn push<const N: usize>(&mut self, cells: &[u32; N], number: u32, count: usize) {
        self.reserve();
        self.cells[self.count..self.count + N].copy_from_slice(cells);
        self.numbers[self.count..self.count + N].fill(number);
        self.count += count;
    }

    /// The cells, and the numbers of the records.
    fn all(&self) -> (&[u32], &[u32]) {
        (&self.cells[..self.count], &self.numbers[..self.count])
    }
}

/// The results of a block. Aligned so that those of two workers are never on one cache line.
#[derive(Clone, Debug, Default)]
#[repr(align(128))]
pub(super) struct Found {
    /// The items that start in this block, in spatial order.
    pub(super) order: Vec<u32>,
    /// Pairs of items.
    pub(super) pairs: Vec<[u32; 2]>,
}

impl Found {
    pub(super) fn bytes(&self) -> usize {
        4 * self.order.capacity() + 8 * self.pairs.capacity()
    }
}

/// The boxes of the sorted entries, each side in a separate array.
#[derive(Clone, Debug, Default)]
struct SortedSides {
    /// Lower sides, then upper ones.
    sides: [Vec<f32>; 6],
    /// The axes along which the box starts here: two bits for the column, three for the block.
    starts: Vec<StartBits>,
    /// The entry after the last one of the cell in which the box ends.
    ends: Vec<u32>,
    items: Vec<u32>,
}

impl SortedSides {
    fn resize(&mut self, count: usize) {
        for side in &mut self.sides {
            // Eight are compared at a time.
            side.resize(count + 8, 0.0);
        }
        self.starts.resize(count, 0);
        self.ends.resize(count, 0);
        self.items.resize(count, 0);
    }
}

/// The columns and cells of a block.
#[derive(Clone, Copy, Debug)]
struct CellGrid {
    /// The two axes across the columns, and the one along them. The other fields are in the order
    /// of these axes.
    axes: [usize; 3],
    origin: [f32; 3],
    per_unit: [f32; 3],
    count: [u32; 3],
}

impl CellGrid {
    /// For a number of boxes that start between `low` and `high`. `sum` has the sums of their
    /// sides. All in the first three lanes.
    #[inline(never)]
    fn new(low: &[f32; 8], high: &[f32; 8], sum: &[f32; 8], boxes: usize) -> Self {
        let mean = [0, 1, 2].map(|k| sum[k] / boxes as f32);
        let extent = [0, 1, 2].map(|k| high[k] - low[k]);
        let mean_boxes = |k: usize| extent[k] / mean[k].max(f32::MIN_POSITIVE);
        let longest = (0..3).max_by(|a, b| mean_boxes(*a).total_cmp(&mean_boxes(*b)));
        let along = longest.unwrap_or(2);
        let axes = [(along + 1) % 3, (along + 2) % 3, along];
        let mut size = [0.0_f32; 3];
        let mut count = [1_u32; 3];
        // Cells are made larger until there are not too many.
        let most = (MAX_CELLS_PER_BOX * boxes) as f32 + EXTRA_CELLS as f32;
        let mut scale = 1.0_f32;
        loop {
            for n in 0..3 {
                let k = axes[n];
                let sides = if n == 2 { CELL_LENGTH } else { COLUMN_WIDTH };
                let least = (extent[k] * MIN_CELL_SHARE).max(MIN_CELL_SIZE);
                size[n] = (mean[k] * sides).max(least) * scale;
                count[n] = ((extent[k] / size[n]) as u32 + 1).min(MAX_CELLS_PER_AXIS);
            }
            let cells = count[0] as f32 * count[1] as f32 * count[2] as f32;
            if cells <= most {
                break;
            }
            scale *= 1.02 * (cells / most).cbrt().max(1.0);
        }
        let origin = axes.map(|k| low[k]);
        Self { axes, origin, per_unit: size.map(|s| 1.0 / s), count }
    }

    fn total(&self) -> usize {
        self.count.iter().map(|c| *c as usize).product()
    }

    #[inline(never)]
    fn lanes(&self) -> CellGridLanes {
        let twice = |v: [f32; 3]| [v[0], v[1], v[2], 0.0, v[0], v[1], v[2], 0.0];
        let [u, v, w] = self.axes.map(|k| k as u8);
        CellGridLanes {
            order: [u, v, w, 3, 4 + u, 4 + v, 4 + w, 7],
            origin: twice(self.origin),
            per_unit: twice(self.per_unit),
            last: twice(self.count.map(|c| (c - 1) as f32)),
        }
    }
}

/// A [`CellGrid`] for the lower and the upper sides of a box at once.
struct CellGridLanes {
    order: [u8; 8],
    origin: [f32; 8],
    per_unit: [f32; 8],
    last: [f32; 8],
}

/// All cells lie between this coordinate and its negative. The sum of the sides of more than 10^8
/// boxes in this range is finite, so that no mean, extent or cell number is infinite or NaN.
const MAX_CELL_COORDINATE: f32 = 1e30;
/// No cell is smaller than this, so that the number of cells in a unit is finite.
const MIN_CELL_SIZE: f32 = 1e-36;

/// Moves sides that are too far away, or infinite, into the range of cells. Both may lie beyond the
/// same end: boxes there share the first or the last cell.
#[inline(never)]
fn clamp(low: &mut [f32; 8], high: &mut [f32; 8]) {
    for k in 0..3 {
        low[k] = low[k].clamp(-MAX_CELL_COORDINATE, MAX_CELL_COORDINATE);
        high[k] = high[k].clamp(low[k], MAX_CELL_COORDINATE);
    }
}

/// Decides from the records how to cut the block, and finds the cells of each.
struct FindCells<'a> {
    records: &'a [Record],
    ranges: &'a mut Vec<CellRange>,
}

impl Task for FindCells<'_> {
    type Output = CellGrid;

    #[inline(always)]
    fn run<W: Wide>(self) -> CellGrid {
        let records = self.records;
        let mut low = W::splat(f32::INFINITY);
        let mut high = W::splat(f32::NEG_INFINITY);
        for record in records {
            let sides = W::load(&record.0);
            low = low.min(sides);
            high = high.max(sides);
        }
        let (mut low, mut high) = (low.array(), high.array());
        clamp(&mut low, &mut high);
        let swap_halves = W::index(&[4, 5, 6, 7, 0, 1, 2, 3]);
        let (least, most, zero) = (W::load(&low), W::load(&high), W::splat(0.0));
        let mut sum = zero;
        for record in records {
            let sides = W::load(&record.0);
            let length = sides.permute(swap_halves).min(most).sub(sides.max(least));
            sum = sum.add(length.max(zero));
        }
        let grid = CellGrid::new(&low, &high, &sum.array(), records.len());
        let lanes = grid.lanes();
        let order = W::index(&lanes.order);
        let (origin, per_unit) = (W::load(&lanes.origin), W::load(&lanes.per_unit));
        let last = W::load(&lanes.last);
        let to_integer = W::splat(TO_INTEGER);
        self.ranges.resize(records.len(), CellRange([0.0; 8]));
        for (record, range) in records.iter().zip(self.ranges.iter_mut()) {
            // Every step is monotone, so the cells of overlapping boxes overlap.
            let at = W::load(&record.0).permute(order).sub(origin).mul(per_unit);
            at.max(zero).min(last).add(to_integer).store(&mut range.0);
        }
        grid
    }
}

impl ColumnSweep {
    /// Finds the pairs of the records, and a spatial order of those that start in this block.
    pub(super) fn find(&mut self, records: &[Record], found: &mut Found) {
        found.pairs.clear();
        found.order.clear();
        if records.is_empty() {
            return;
        }
        let grid = dispatch::run(FindCells { records, ranges: &mut self.ranges });
        self.sort_entries(&grid);
        self.gather_sides(records, &grid, &mut found.order);
        dispatch::run(Sweep { sides: &self.sides, pairs: &mut found.pairs });
    }

    /// Sorts the entries by their cells.
    fn sort_entries(&mut self, grid: &CellGrid) {
        self.unsorted.count = 0;
        for (number, range) in self.ranges.iter().enumerate() {
            range.enter(grid, number as u32, &mut self.unsorted);
        }
        self.starts.clear();
        self.starts.resize(grid.total() + 1, 0);
        let (cells, numbers) = self.unsorted.all();
        for cell in cells {
            self.starts[*cell as usize] += 1;
        }
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        self.entries.resize(sum as usize, 0);
        // From the last to the first, so that records keep their order within a cell. Each start
        // begins as the end of its cell, and arrives at the start.
        for (cell, number) in cells.iter().zip(numbers).rev() {
            let start = &mut self.starts[*cell as usize];
            *start -= 1;
            self.entries[*start as usize] = *number;
        }
    }

    /// Copies the boxes into the order of the entries.
    fn gather_sides(&mut self, records: &[Record], grid: &CellGrid, order: &mut Vec<u32>) {
        let count = self.entries.len();
        let s = &mut self.sides;
        s.resize(count);
        let [x0, y0, z0, x1, y1, z1] = &mut s.sides;
        let (x0, y0, z0) = (&mut x0[..count], &mut y0[..count], &mut z0[..count]);
        let (x1, y1, z1) = (&mut x1[..count], &mut y1[..count], &mut z1[..count]);
        let (starts, ends) = (&mut s.starts[..count], &mut s.ends[..count]);
        let items = &mut s.items[..count];
        let column = grid.count[2] as usize;
        // The column of the current entry, its first cell, and where its entries end.
        let (mut i, mut j, mut first, mut end) = (0, 0, 0, self.starts[column]);
        for (at, number) in self.entries.iter().enumerate() {
            while at as u32 >= end {
                first += column;
                end = self.starts[first + column];
                j += 1;
                if j == grid.count[1] {
                    (i, j) = (i + 1, 0);
                }
            }
            let (record, range) = (&records[*number as usize], &self.ranges[*number as usize]);
            let sides = &record.0;
            (x0[at], y0[at], z0[at]) = (sides[0], sides[1], sides[2]);
            (x1[at], y1[at], z1[at]) = (sides[4], sides[5], sides[6]);
            let here =
                StartBits::from(range.cell(0) == i) | StartBits::from(range.cell(1) == j) << 1;
            starts[at] = here | record.starts() << 2;
            items[at] = record.item();
            ends[at] = self.starts[first + range.cell(6) as usize + 1];
            if starts[at] == ALL_AXES {
                order.push(record.item());
            }
        }
    }

    /// The memory it holds, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let s = &self.sides;
        let floats: usize = s.sides.iter().map(Vec::capacity).sum();
        4 * (self.starts.capacity() + self.entries.capacity())
            + 4 * (self.unsorted.cells.capacity() + self.unsorted.numbers.capacity())
            + self.ranges.capacity() * size_of::<CellRange>()
            + 4 * (floats + s.ends.capacity() + s.items.capacity())
            + s.starts.capacity()
    }
}

/// Starts in this column along both axes, and in this block along all three.
const ALL_AXES: StartBits = 0b1_1111;

#[inline(always)]
fn load_eight<W: Wide>(from: &[f32], at: usize) -> W {
    W::load(from[at..at + 8].try_into().expect("a slice of eight"))
}

/// Compares every entry with those after it, up to the end of the box.
struct Sweep<'a> {
    sides: &'a SortedSides,
    pairs: &'a mut Vec<[u32; 2]>,
}

/// Hits that are collected before they are reported.
const HITS_PER_REPORT: usize = 256;

/// Pairs of entries that overlap, collected without branches on how many there are: that is
/// unpredictable.
struct Hits {
    entries: [u32; HITS_PER_REPORT + 8],
    others: [u32; HITS_PER_REPORT + 8],
    count: usize,
}

impl Hits {
    /// Adds those of eight consecutive entries whose bits are set; there must be space for eight.
    #[inline(always)]
    fn push<W: Wide>(&mut self, entry: usize, first: usize, bits: u32) {
        let others = self.others[self.count..].first_chunk_mut::<8>();
        let entries = self.entries[self.count..].first_chunk_mut::<8>();
        let (Some(others), Some(entries)) = (others, entries) else {
            unreachable!("there is space for eight");
        };
        lanes_of::<W>(first as u32, bits, others);
        *entries = [entry as u32; 8];
        self.count += bits.count_ones() as usize;
    }

    /// Appends the pairs whose intersection starts here, and empties the list.
    #[inline(always)]
    fn report(&mut self, s: &SortedSides, pairs: &mut Vec<[u32; 2]>) {
        let mut end = pairs.len();
        pairs.resize(end + self.count, [0; 2]);
        for (a, b) in self.entries.iter().zip(&self.others).take(self.count) {
            let (a, b) = (*a as usize, *b as usize);
            pairs[end] = [s.items[a], s.items[b]];
            end += usize::from(s.starts[a] | s.starts[b] == ALL_AXES);
        }
        pairs.truncate(end);
        self.count = 0;
    }
}

impl Task for Sweep<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Wide>(self) {
        let s = self.sides;
        let [x0, y0, z0, x1, y1, z1] = &s.sides;
        let mut hits =
            Hits { entries: [0; HITS_PER_REPORT + 8], others: [0; HITS_PER_REPORT + 8], count: 0 };
        for at in 0..s.items.len() {
            let end = s.ends[at] as usize;
            let low = [W::splat(x0[at]), W::splat(y0[at]), W::splat(z0[at])];
            let high = [W::splat(x1[at]), W::splat(y1[at]), W::splat(z1[at])];
            let mut next = at + 1;
            while next < end {
                let x = load_eight::<W>(x0, next).le(high[0]).and(low[0].le(load_eight(x1, next)));
                let y = load_eight::<W>(y0, next).le(high[1]).and(low[1].le(load_eight(y1, next)));
                let z = load_eight::<W>(z0, next).le(high[2]).and(low[2].le(load_eight(z1, next)));
                let in_range = 255 >> 8_usize.saturating_sub(end - next);
                hits.push::<W>(at, next, x.and(y).and(z).bits() & in_range);
                if hits.count >= HITS_PER_REPORT {
                    hits.report(s, self.pairs);
                }
                next += 8;
            }
        }
        hits.report(s, self.pairs);
    }
}
