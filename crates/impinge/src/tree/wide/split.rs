//! Where to cut a set of triangles in two: the surface-area heuristic over sixteen bins an axis, or
//! over a few triangles in order: at every eighth, or anywhere if some are large.

use glam::Vec4;

/// Triangles a leaf holds at most.
pub(super) const LEAF: usize = 8;
const BINS: usize = 16;

/// Up to so many are sorted rather than put into bins.
const FEW: usize = 64;

/// Items are looked at, and moved, in two halves by two threads, and those again, down to so many.
const MANY: usize = 1 << 14;

/// A triangle in the making: its box in the local frame, in `f32` for sorting only. The fourth
/// lanes are zero.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    pub(super) min: Vec4,
    pub(super) max: Vec4,
    pub(super) triangle: u32,
}

impl Item {
    /// Twice the centre; halving it would change no comparison.
    #[inline(always)]
    fn center(&self) -> Vec4 {
        self.min + self.max
    }
}

/// A box that grows.
#[derive(Clone, Copy, Debug)]
struct Growing {
    min: Vec4,
    max: Vec4,
}

impl Growing {
    const EMPTY: Self = Self { min: Vec4::INFINITY, max: Vec4::NEG_INFINITY };

    #[inline(always)]
    fn add(&mut self, min: Vec4, max: Vec4) {
        self.min = self.min.min(min);
        self.max = self.max.max(max);
    }

    /// Half the surface; zero if empty.
    #[inline(always)]
    fn area(&self) -> f32 {
        let d = self.max - self.min;
        if d.x < 0.0 { 0.0 } else { d.x * d.y + d.y * d.z + d.z * d.x }
    }
}

/// How items were cut: the first `middle` of them are one group, the rest the other, neither empty.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    pub(super) middle: usize,
    /// What the groups cost: surface times leaves.
    pub(super) left: f32,
    pub(super) right: f32,
}

/// Reorders the items into two groups.
pub(super) fn split(items: &mut [Item]) -> Cut {
    if items.len() <= FEW {
        return split_few(items);
    }
    let centers = centers(items);
    let size = centers.max - centers.min;
    let scale = Vec4::from_array(
        size.to_array().map(|s| if s > 0.0 { BINS as f32 * 0.9999 / s } else { 0.0 }),
    );
    let grid = Grid { low: centers.min, scale };
    let bins = grid.fill(items);
    let mut best: Option<(f32, Place, Cut)> = None;
    for axis in 0..3 {
        if size[axis] <= 0.0 {
            continue;
        }
        let mut right = [0.0_f32; BINS];
        let (mut grown, mut count) = (Growing::EMPTY, 0);
        for i in (1..BINS).rev() {
            let bin = &bins.0[axis][i];
            grown.add(bin.bounds.min, bin.bounds.max);
            count += bin.count;
            right[i] = grown.area() * groups(count);
        }
        let (mut grown, mut count) = (Growing::EMPTY, 0);
        for i in 1..BINS {
            let bin = &bins.0[axis][i - 1];
            grown.add(bin.bounds.min, bin.bounds.max);
            count += bin.count;
            if count == 0 || count as usize == items.len() {
                continue;
            }
            let left = grown.area() * groups(count);
            let cost = left + right[i];
            if best.is_none_or(|b| cost < b.0) {
                let cut = Cut { middle: count as usize, left, right: right[i] };
                best = Some((cost, Place { axis, border: i }, cut));
            }
        }
    }
    match best {
        Some((_, Place { axis, border }, cut)) => {
            let middle = partition(items, |item| grid.bin(item, axis) < border);
            debug_assert_eq!(middle, cut.middle, "bins count what is cut");
            cut
        }
        None => halves(items.len()), // all centres coincide, or the numbers are out of f32's range
    }
}

/// Between two bins.
#[derive(Clone, Copy)]
struct Place {
    axis: usize,
    border: usize,
}

/// Any halves will do.
fn halves(count: usize) -> Cut {
    Cut { middle: count / 2, left: f32::MAX, right: f32::MAX }
}

/// The box of the centres.
fn centers(items: &[Item]) -> Growing {
    let sum = |items: &[Item]| {
        let mut centers = Growing::EMPTY;
        for item in items {
            let c = item.center();
            centers.add(c, c);
        }
        centers
    };
    if items.len() < MANY {
        return sum(items);
    }
    let (left, right) = items.split_at(items.len() / 2);
    let (mut all, more) = rayon::join(|| centers(left), || centers(right));
    all.add(more.min, more.max);
    all
}

/// How centres are put into bins.
struct Grid {
    low: Vec4,
    scale: Vec4,
}

#[derive(Clone, Copy)]
struct Bin {
    bounds: Growing,
    count: u32,
}

struct Bins([[Bin; BINS]; 3]);

impl Grid {
    #[inline(always)]
    fn bin(&self, item: &Item, axis: usize) -> usize {
        (((item.center() - self.low) * self.scale)[axis] as u32 as usize).min(BINS - 1)
    }

    fn fill(&self, items: &[Item]) -> Bins {
        if items.len() >= MANY {
            let (left, right) = items.split_at(items.len() / 2);
            let (mut all, more) = rayon::join(|| self.fill(left), || self.fill(right));
            for (bin, more) in all.0.as_flattened_mut().iter_mut().zip(more.0.as_flattened()) {
                bin.bounds.add(more.bounds.min, more.bounds.max);
                bin.count += more.count;
            }
            return all;
        }
        self.fill_one(items)
    }

    fn fill_one(&self, items: &[Item]) -> Bins {
        let mut bins = Bins([[Bin { bounds: Growing::EMPTY, count: 0 }; BINS]; 3]);
        for item in items {
            let place = (item.center() - self.low) * self.scale;
            for axis in 0..3 {
                let bin = &mut bins.0[axis][(place[axis] as u32 as usize).min(BINS - 1)];
                bin.bounds.add(item.min, item.max);
                bin.count += 1;
            }
        }
        bins
    }
}

/// How many leaves' worth of triangles there are: what a visit costs.
#[inline(always)]
fn groups(count: u32) -> f32 {
    count.div_ceil(LEAF as u32) as f32
}

/// The share of the whole's surface that makes a triangle large.
const LARGE: f32 = 0.25;

/// Whether a triangle is about as large as all of them together, as walls are: which of them share
/// a leaf then matters more than that leaves are full.
fn are_large(items: &[Item]) -> bool {
    let (mut all, mut largest) = (Growing::EMPTY, 0.0_f32);
    for item in items {
        all.add(item.min, item.max);
        largest = largest.max(Growing { min: item.min, max: item.max }.area());
    }
    largest > LARGE * all.area()
}

/// The best cut along a sorted axis, at a multiple of the leaf size, so that leaves come out full;
/// anywhere if the triangles are large.
fn split_few(items: &mut [Item]) -> Cut {
    let n = items.len();
    let step = if are_large(items) { 1 } else { LEAF };
    let mut best: Option<(f32, [u64; FEW], Cut)> = None;
    let size = centers(items);
    for axis in 0..3 {
        if size.max[axis] - size.min[axis] <= 0.0 {
            continue;
        }
        // The centre, as an integer of the same order, over the place: sorted by one comparison.
        let mut keys = [u64::MAX; FEW];
        for (i, (key, item)) in keys.iter_mut().zip(items.iter()).enumerate() {
            let bits = item.center()[axis].to_bits();
            let ordered = if bits >> 31 == 0 { bits | 1 << 31 } else { !bits };
            *key = u64::from(ordered) << 32 | i as u64;
        }
        let keys = &mut keys;
        keys[..n].sort_unstable();
        let at = |k: usize| &items[keys[k] as u32 as usize];
        let mut right = [0.0_f32; FEW];
        let mut grown = Growing::EMPTY;
        let mut end = n;
        for border in (step..n).step_by(step).rev() {
            for k in border..end {
                grown.add(at(k).min, at(k).max);
            }
            end = border;
            right[border] = grown.area() * groups((n - border) as u32);
        }
        let mut grown = Growing::EMPTY;
        for border in (step..n).step_by(step) {
            for k in border - step..border {
                grown.add(at(k).min, at(k).max);
            }
            let left = grown.area() * groups(border as u32);
            let right = right[border];
            if best.is_none_or(|b| left + right < b.0) {
                best = Some((left + right, *keys, Cut { middle: border, left, right }));
            }
        }
    }
    let Some((_, order, cut)) = best else {
        return halves(n);
    };
    let mut sorted = [items[0]; FEW];
    for (to, key) in sorted.iter_mut().zip(&order[..n]) {
        *to = items[*key as u32 as usize];
    }
    items.copy_from_slice(&sorted[..n]);
    cut
}

/// Moves the items that satisfy `first` to the front; returns how many there are. Their order does
/// not depend on the number of threads.
fn partition(items: &mut [Item], first: impl Fn(&Item) -> bool + Copy + Sync) -> usize {
    if items.len() >= MANY {
        let half = items.len() / 2;
        let (left, right) = items.split_at_mut(half);
        let (i, j) = rayon::join(|| partition(left, first), || partition(right, first));
        // The end of the left half and the beginning of the right one change places, as far as both
        // reach.
        let count = j.min(half - i);
        exchange(&mut left[i..i + count], &mut right[j - count..j]);
        return i + j;
    }
    let (mut i, mut j) = (0, items.len());
    loop {
        while i < j && first(&items[i]) {
            i += 1;
        }
        while i < j && !first(&items[j - 1]) {
            j -= 1;
        }
        if i >= j {
            return i;
        }
        items.swap(i, j - 1);
    }
}

/// Two slices of the same length change places.
fn exchange(left: &mut [Item], right: &mut [Item]) {
    if left.len() < MANY {
        return left.swap_with_slice(right);
    }
    let half = left.len() / 2;
    let (p, q) = left.split_at_mut(half);
    let (r, s) = right.split_at_mut(half);
    rayon::join(|| exchange(p, r), || exchange(q, s));
}
