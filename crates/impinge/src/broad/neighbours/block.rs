//! All overlapping pairs of a few thousand boxes: columns of cells, and a sweep along one axis.
//!
//! Space is cut into columns along the sweep axis, about four mean sides wide, and each column into
//! short cells. A box is entered into every column that it touches, in the cell where it begins;
//! one counting sort brings the entries of a column into the order of their cells. A box can only
//! overlap the entries between its own and those of the cell in which it ends, which are neighbours
//! in memory: eight are compared at a time. Two boxes may meet in several columns; the pair counts
//! in the column, and the block, where the lower corner of their intersection lies.

use super::record::{Flags, Record};
use crate::wide::dispatch::{self, Task};
use crate::wide::{Wide, lanes_of};

/// How many mean sides a column is wide. Between 3 and 5 makes no difference; wider columns have
/// longer runs, narrower ones more entries.
const WIDTH: f32 = 4.0;
/// How many mean sides a cell is long.
const LENGTH: f32 = 0.5;
/// More cells than this many times the boxes are not worth clearing.
const CELLS_A_BOX: usize = 2;

/// What a block works with, kept from frame to frame. No two share a cache line.
#[derive(Clone, Debug, Default)]
#[repr(align(128))]
pub(super) struct Block {
    /// Where the entries of each cell begin; one more than there are cells.
    starts: Vec<u32>,
    /// For each entry its record.
    entries: Vec<u32>,
    /// The cells of each record.
    places: Vec<Place>,
    entering: Entering,
    sides: Sides,
}

/// The cells that a box touches: the first along each axis in lanes 0 to 2, the last in lanes 4 to
/// 6, plus [`MAGIC`].
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
struct Place([f32; 8]);

/// Adding this to a small number makes the lowest bits of the sum that number, rounded.
const MAGIC: f32 = 8_388_608.0;

impl Place {
    #[inline(always)]
    fn lane(&self, lane: usize) -> u32 {
        self.0[lane].to_bits() & 0xffff
    }

    /// Appends the cells that the box is entered in.
    #[inline(always)]
    fn enter(&self, cells: &Cells, number: u32, to: &mut Entering) {
        let long = cells.count[2];
        let across = cells.count[1] * long;
        let (wide, high) = (self.lane(4) - self.lane(0), self.lane(5) - self.lane(1));
        let first = self.lane(0) * across + self.lane(1) * long + self.lane(2);
        if (wide | high) > 1 {
            for i in 0..=wide {
                for j in 0..=high {
                    to.push(&[first + i * across + j * long], number, 1);
                }
            }
            return;
        }
        // Nearly always one, two or four cells: all that these may be are written, and as many are
        // kept as there are.
        let second = first + if high == 1 { long } else { across };
        let four = [first, second, first + across, first + across + long];
        to.push(&four, number, (1 + wide as usize) << high);
    }
}

/// Boxes with the cells they are entered in.
#[derive(Clone, Debug, Default)]
struct Entering {
    cells: Vec<u32>,
    numbers: Vec<u32>,
    count: usize,
}

impl Entering {
    /// Makes room for some more.
    #[inline(always)]
    fn reserve(&mut self) {
        if self.cells.len() < self.count + 4 {
            let room = 2 * self.count + 64;
            self.cells.resize(room, 0);
            self.numbers.resize(room, 0);
        }
    }

    /// Appends the first of some cells, at most four.
    #[inline(always)]
    fn push<const N: usize>(&mut self, cells: &[u32; N], number: u32, count: usize) {
        self.reserve();
        self.cells[self.count..self.count + N].copy_from_slice(cells);
        self.numbers[self.count..self.count + N].fill(number);
        self.count += count;
    }

    /// The cells, and the numbers of the boxes.
    fn all(&self) -> (&[u32], &[u32]) {
        (&self.cells[..self.count], &self.numbers[..self.count])
    }
}

/// What is found in a block. No two share a cache line.
#[derive(Clone, Debug, Default)]
#[repr(align(128))]
pub(super) struct Found {
    /// Items that begin in this block, neighbours close to each other.
    pub(super) order: Vec<u32>,
    /// Pairs of items.
    pub(super) pairs: Vec<[u32; 2]>,
}

impl Found {
    pub(super) fn bytes(&self) -> usize {
        4 * self.order.capacity() + 8 * self.pairs.capacity()
    }
}

/// The entries in order, each side of the boxes for itself.
#[derive(Clone, Debug, Default)]
struct Sides {
    /// Lower sides, then upper ones.
    sides: [Vec<f32>; 6],
    flags: Vec<Flags>,
    /// The entry after the last of the cell in which the box ends.
    ends: Vec<u32>,
    items: Vec<u32>,
}

impl Sides {
    fn resize(&mut self, count: usize) {
        for side in &mut self.sides {
            // Eight are compared at a time.
            side.resize(count + 8, 0.0);
        }
        self.flags.resize(count, 0);
        self.ends.resize(count, 0);
        self.items.resize(count, 0);
    }
}

/// How a block is cut into columns and cells.
#[derive(Clone, Copy, Debug)]
struct Cells {
    /// The axes across and along the columns.
    axes: [usize; 3],
    /// Along these axes.
    origin: [f32; 3],
    per_unit: [f32; 3],
    count: [u32; 3],
}

impl Cells {
    /// For so many boxes that begin between `low` and `high`, with the sums of their sides, all in
    /// the first three lanes.
    #[inline(never)]
    fn new(low: &[f32; 8], high: &[f32; 8], sum: &[f32; 8], boxes: usize) -> Self {
        let mean = [0, 1, 2].map(|k| sum[k] / boxes as f32);
        let extent = [0, 1, 2].map(|k| high[k] - low[k]);
        let long = |k: usize| extent[k] / mean[k].max(f32::MIN_POSITIVE);
        let along = (0..3).max_by(|a, b| long(*a).total_cmp(&long(*b))).unwrap_or(2);
        let axes = [(along + 1) % 3, (along + 2) % 3, along];
        let mut size = [0.0_f32; 3];
        let mut count = [1_u32; 3];
        // The cells must not be too many: as long as they are, they get larger.
        let most = (CELLS_A_BOX * boxes) as f32 + 64.0;
        let mut scale = 1.0_f32;
        loop {
            for n in 0..3 {
                let k = axes[n];
                let parts = if n == 2 { LENGTH } else { WIDTH };
                size[n] = (mean[k] * parts).max(extent[k] * 1e-4).max(SHORTEST) * scale;
                count[n] = ((extent[k] / size[n]) as u32 + 1).min(1 << 14);
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
    fn lanes(&self) -> CellLanes {
        let twice = |v: [f32; 3]| [v[0], v[1], v[2], 0.0, v[0], v[1], v[2], 0.0];
        let [u, v, w] = self.axes.map(|k| k as u8);
        CellLanes {
            order: [u, v, w, 3, 4 + u, 4 + v, 4 + w, 7],
            origin: twice(self.origin),
            per_unit: twice(self.per_unit),
            last: twice(self.count.map(|c| (c - 1) as f32)),
        }
    }
}

/// The same for the lower and the upper sides of a box at once.
struct CellLanes {
    order: [u8; 8],
    origin: [f32; 8],
    per_unit: [f32; 8],
    last: [f32; 8],
}

/// Cells lie between this and its negative. The sum of the sides of more than 10^8 boxes within
/// is finite, so that no mean, extent or cell number is infinite or NaN.
const FURTHEST: f32 = 1e30;
/// No cell is shorter than this, so that the number of cells in a unit is finite.
const SHORTEST: f32 = 1e-36;

/// Brings sides that are too far away, or infinite, to where cells can be numbered. Both may lie
/// beyond the same end: boxes there share the first or the last cell.
#[inline(never)]
fn clamp(low: &mut [f32; 8], high: &mut [f32; 8]) {
    for k in 0..3 {
        low[k] = low[k].clamp(-FURTHEST, FURTHEST);
        high[k] = high[k].clamp(low[k], FURTHEST);
    }
}

/// Looks at the records and decides how to cut the block; then says where each is.
struct Survey<'a> {
    records: &'a [Record],
    places: &'a mut Vec<Place>,
}

impl Task for Survey<'_> {
    type Output = Cells;

    #[inline(always)]
    fn run<W: Wide>(self) -> Cells {
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
        let halves = W::index(&[4, 5, 6, 7, 0, 1, 2, 3]);
        let (least, most, zero) = (W::load(&low), W::load(&high), W::splat(0.0));
        let mut sum = zero;
        for record in records {
            let sides = W::load(&record.0);
            let length = sides.permute(halves).min(most).sub(sides.max(least));
            sum = sum.add(length.max(zero));
        }
        let cells = Cells::new(&low, &high, &sum.array(), records.len());
        let lanes = cells.lanes();
        let order = W::index(&lanes.order);
        let (origin, per_unit) = (W::load(&lanes.origin), W::load(&lanes.per_unit));
        let last = W::load(&lanes.last);
        let magic = W::splat(MAGIC);
        self.places.resize(records.len(), Place([0.0; 8]));
        for (record, place) in records.iter().zip(self.places.iter_mut()) {
            // Every step is monotone, so boxes that overlap have cells that do.
            let at = W::load(&record.0).permute(order).sub(origin).mul(per_unit);
            at.max(zero).min(last).add(magic).store(&mut place.0);
        }
        cells
    }
}

impl Block {
    /// Finds the pairs of the records, and the order.
    pub(super) fn find(&mut self, records: &[Record], found: &mut Found) {
        found.pairs.clear();
        found.order.clear();
        if records.is_empty() {
            return;
        }
        let cells = dispatch::run(Survey { records, places: &mut self.places });
        self.sort(&cells);
        self.gather(records, &cells, &mut found.order);
        dispatch::run(Sweep { sides: &self.sides, pairs: &mut found.pairs });
    }

    /// Brings the entries in the order of their cells.
    fn sort(&mut self, cells: &Cells) {
        self.entering.count = 0;
        for (number, place) in self.places.iter().enumerate() {
            place.enter(cells, number as u32, &mut self.entering);
        }
        self.starts.clear();
        self.starts.resize(cells.total() + 1, 0);
        let (entered, numbers) = self.entering.all();
        for cell in entered {
            self.starts[*cell as usize] += 1;
        }
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        self.entries.resize(sum as usize, 0);
        // From the back, so that records keep their order within a cell and each start ends where
        // it belongs.
        for (cell, number) in entered.iter().zip(numbers).rev() {
            let start = &mut self.starts[*cell as usize];
            *start -= 1;
            self.entries[*start as usize] = *number;
        }
    }

    /// Copies the sides of the boxes into the order of the entries.
    fn gather(&mut self, records: &[Record], cells: &Cells, order: &mut Vec<u32>) {
        let count = self.entries.len();
        let s = &mut self.sides;
        s.resize(count);
        let [x0, y0, z0, x1, y1, z1] = &mut s.sides;
        let (x0, y0, z0) = (&mut x0[..count], &mut y0[..count], &mut z0[..count]);
        let (x1, y1, z1) = (&mut x1[..count], &mut y1[..count], &mut z1[..count]);
        let (flags, ends) = (&mut s.flags[..count], &mut s.ends[..count]);
        let items = &mut s.items[..count];
        let long = cells.count[2] as usize;
        // The column of the entry at hand, and where its entries end.
        let (mut i, mut j, mut first, mut end) = (0, 0, 0, self.starts[long]);
        for (at, number) in self.entries.iter().enumerate() {
            while at as u32 >= end {
                first += long;
                end = self.starts[first + long];
                j += 1;
                if j == cells.count[1] {
                    (i, j) = (i + 1, 0);
                }
            }
            let (record, place) = (&records[*number as usize], &self.places[*number as usize]);
            let sides = &record.0;
            (x0[at], y0[at], z0[at]) = (sides[0], sides[1], sides[2]);
            (x1[at], y1[at], z1[at]) = (sides[4], sides[5], sides[6]);
            let here = Flags::from(place.lane(0) == i) | Flags::from(place.lane(1) == j) << 1;
            flags[at] = here | record.flags() << 2;
            items[at] = record.item();
            ends[at] = self.starts[first + place.lane(6) as usize + 1];
            if flags[at] == ALL {
                order.push(record.item());
            }
        }
    }

    /// The memory it holds, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let s = &self.sides;
        let floats: usize = s.sides.iter().map(Vec::capacity).sum();
        4 * (self.starts.capacity() + self.entries.capacity())
            + 4 * (self.entering.cells.capacity() + self.entering.numbers.capacity())
            + self.places.capacity() * size_of::<Place>()
            + 4 * (floats + s.ends.capacity() + s.items.capacity())
            + s.flags.capacity()
    }
}

/// Begins in this column, along both axes, and in this block, along three.
const ALL: Flags = 0b1_1111;

#[inline(always)]
fn eight<W: Wide>(from: &[f32], at: usize) -> W {
    W::load(from[at..at + 8].try_into().expect("a slice of eight"))
}

/// Compares every entry with those after it.
struct Sweep<'a> {
    sides: &'a Sides,
    pairs: &'a mut Vec<[u32; 2]>,
}

/// So many hits are looked at together.
const HITS: usize = 256;

/// Entries that overlap, written down without asking how many there are: none of that can be
/// foreseen.
struct Hits {
    entries: [u32; HITS + 8],
    others: [u32; HITS + 8],
    count: usize,
}

impl Hits {
    /// Notes those of eight entries in a row whose bits are set; there must be room for them.
    #[inline(always)]
    fn note<W: Wide>(&mut self, entry: usize, first: usize, bits: u32) {
        let others = self.others[self.count..].first_chunk_mut::<8>();
        let entries = self.entries[self.count..].first_chunk_mut::<8>();
        let (Some(others), Some(entries)) = (others, entries) else {
            unreachable!("there is room for eight");
        };
        lanes_of::<W>(first as u32, bits, others);
        *entries = [entry as u32; 8];
        self.count += bits.count_ones() as usize;
    }

    /// Appends the pairs that count here, and forgets all.
    #[inline(always)]
    fn take(&mut self, s: &Sides, pairs: &mut Vec<[u32; 2]>) {
        let mut end = pairs.len();
        pairs.resize(end + self.count, [0; 2]);
        for (a, b) in self.entries.iter().zip(&self.others).take(self.count) {
            let (a, b) = (*a as usize, *b as usize);
            pairs[end] = [s.items[a], s.items[b]];
            end += usize::from(s.flags[a] | s.flags[b] == ALL);
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
        let mut hits = Hits { entries: [0; HITS + 8], others: [0; HITS + 8], count: 0 };
        for at in 0..s.items.len() {
            let end = s.ends[at] as usize;
            let low = [W::splat(x0[at]), W::splat(y0[at]), W::splat(z0[at])];
            let high = [W::splat(x1[at]), W::splat(y1[at]), W::splat(z1[at])];
            let mut next = at + 1;
            while next < end {
                let x = eight::<W>(x0, next).le(high[0]).and(low[0].le(eight(x1, next)));
                let y = eight::<W>(y0, next).le(high[1]).and(low[1].le(eight(y1, next)));
                let z = eight::<W>(z0, next).le(high[2]).and(low[2].le(eight(z1, next)));
                let there = 255 >> 8_usize.saturating_sub(end - next);
                hits.note::<W>(at, next, x.and(y).and(z).bits() & there);
                if hits.count >= HITS {
                    hits.take(s, self.pairs);
                }
                next += 8;
            }
        }
        hits.take(s, self.pairs);
    }
}
