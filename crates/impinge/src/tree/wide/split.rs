//! Splits a set of triangles in two by the surface-area heuristic: with sixteen bins for each axis,
//! or, for few triangles, after sorting them along each axis. Sorted triangles are split at
//! multiples of the leaf size, or at any position if some of them are large.

use glam::Vec4;

/// Maximum number of triangles in a leaf.
pub(super) const LEAF_SIZE: usize = 8;
/// Bins for each axis.
const BINS: usize = 16;

/// Up to this many items are sorted along each axis instead of being put into bins.
const MAX_SORTED_ITEMS: usize = 64;

/// From this many items on, two threads each process half of them, recursively.
const MIN_ITEMS_FOR_THREADS: usize = 1 << 14;

/// A triangle of the set: its number and its box in the local frame, rounded to `f32`, which only
/// decides where to split. The fourth lanes are zero.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    pub(super) min: Vec4,
    pub(super) max: Vec4,
    pub(super) triangle: u32,
}

impl Item {
    /// Twice the centre; the factor changes no comparison.
    #[inline(always)]
    fn center(&self) -> Vec4 {
        self.min + self.max
    }
}

/// A box to which boxes are added.
#[derive(Clone, Copy, Debug)]
struct GrowingBox {
    min: Vec4,
    max: Vec4,
}

impl GrowingBox {
    const EMPTY: Self = Self { min: Vec4::INFINITY, max: Vec4::NEG_INFINITY };

    #[inline(always)]
    fn add(&mut self, min: Vec4, max: Vec4) {
        self.min = self.min.min(min);
        self.max = self.max.max(max);
    }

    /// Half the surface area; zero if empty.
    #[inline(always)]
    fn area(&self) -> f32 {
        let d = self.max - self.min;
        if d.x < 0.0 { 0.0 } else { d.x * d.y + d.y * d.z + d.z * d.x }
    }
}

/// The result of a split: the first `middle` items are one group, the others the second; neither is
/// empty.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    pub(super) middle: usize,
    /// The costs of the groups: surface area times number of leaves.
    pub(super) left_cost: f32,
    pub(super) right_cost: f32,
}

/// Reorders the items into two groups.
pub(super) fn split(items: &mut [Item]) -> Cut {
    if items.len() <= MAX_SORTED_ITEMS {
        return split_sorted(items);
    }
    let centers = centers(items);
    let size = centers.max - centers.min;
    let scale = Vec4::from_array(
        size.to_array().map(|s| if s > 0.0 { BINS as f32 * 0.9999 / s } else { 0.0 }),
    );
    let grid = Grid { low: centers.min, scale };
    let bins = grid.fill(items);
    let mut best: Option<(f32, Border, Cut)> = None;
    for axis in 0..3 {
        if size[axis] <= 0.0 {
            continue;
        }
        let mut right = [0.0_f32; BINS];
        let (mut grown, mut count) = (GrowingBox::EMPTY, 0);
        for i in (1..BINS).rev() {
            let bin = &bins.0[axis][i];
            grown.add(bin.bounds.min, bin.bounds.max);
            count += bin.count;
            right[i] = grown.area() * leaf_count(count);
        }
        let (mut grown, mut count) = (GrowingBox::EMPTY, 0);
        for i in 1..BINS {
            let bin = &bins.0[axis][i - 1];
            grown.add(bin.bounds.min, bin.bounds.max);
            count += bin.count;
            if count == 0 || count as usize == items.len() {
                continue;
            }
            let left = grown.area() * leaf_count(count);
            let cost = left + right[i];
            if best.is_none_or(|b| cost < b.0) {
                let cut = Cut { middle: count as usize, left_cost: left, right_cost: right[i] };
                best = Some((cost, Border { axis, bin: i }, cut));
            }
        }
    }
    match best {
        Some((_, Border { axis, bin }, cut)) => {
            let middle = partition(items, |item| grid.bin(item, axis) < bin);
            debug_assert_eq!(middle, cut.middle, "the bins count the items of the first group");
            cut
        }
        // All centres coincide, or coordinates exceed the range of f32.
        None => halves(items.len()),
    }
}

/// The border before a bin.
#[derive(Clone, Copy)]
struct Border {
    axis: usize,
    bin: usize,
}

/// A split in the middle, with the highest cost.
fn halves(count: usize) -> Cut {
    Cut { middle: count / 2, left_cost: f32::MAX, right_cost: f32::MAX }
}

/// The box of the centres.
fn centers(items: &[Item]) -> GrowingBox {
    let sum = |items: &[Item]| {
        let mut centers = GrowingBox::EMPTY;
        for item in items {
            let c = item.center();
            centers.add(c, c);
        }
        centers
    };
    if items.len() < MIN_ITEMS_FOR_THREADS {
        return sum(items);
    }
    let (left, right) = items.split_at(items.len() / 2);
    let (mut all, more) = rayon::join(|| centers(left), || centers(right));
    all.add(more.min, more.max);
    all
}

/// The mapping from centres to bins.
struct Grid {
    low: Vec4,
    scale: Vec4,
}

#[derive(Clone, Copy)]
struct Bin {
    bounds: GrowingBox,
    count: u32,
}

struct Bins([[Bin; BINS]; 3]);

impl Grid {
    #[inline(always)]
    fn bin(&self, item: &Item, axis: usize) -> usize {
        (((item.center() - self.low) * self.scale)[axis] as u32 as usize).min(BINS - 1)
    }

    fn fill(&self, items: &[Item]) -> Bins {
        if items.len() >= MIN_ITEMS_FOR_THREADS {
            let (left, right) = items.split_at(items.len() / 2);
            let (mut all, more) = rayon::join(|| self.fill(left), || self.fill(right));
            for (bin, more) in all.0.as_flattened_mut().iter_mut().zip(more.0.as_flattened()) {
                bin.bounds.add(more.bounds.min, more.bounds.max);
                bin.count += more.count;
            }
            return all;
        }
        self.fill_serial(items)
    }

    fn fill_serial(&self, items: &[Item]) -> Bins {
        let mut bins = Bins([[Bin { bounds: GrowingBox::EMPTY, count: 0 }; BINS]; 3]);
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

/// Number of leaves that hold this many triangles: the cost of a visit.
#[inline(always)]
fn leaf_count(count: u32) -> f32 {
    count.div_ceil(LEAF_SIZE as u32) as f32
}

/// A triangle is large if its box has more than this share of the surface area of the whole set.
const LARGE_AREA_SHARE: f32 = 0.25;

/// Whether a triangle is about as large as the whole set, like a wall of a room. Then it is more
/// important which triangles share a leaf than that leaves are full.
fn has_large_triangle(items: &[Item]) -> bool {
    let (mut all, mut largest) = (GrowingBox::EMPTY, 0.0_f32);
    for item in items {
        all.add(item.min, item.max);
        largest = largest.max(GrowingBox { min: item.min, max: item.max }.area());
    }
    largest > LARGE_AREA_SHARE * all.area()
}

/// The best split along a sorted axis: at a multiple of the leaf size, so that leaves are full; at
/// any position if a triangle is large.
fn split_sorted(items: &mut [Item]) -> Cut {
    let n = items.len();
    let step = if has_large_triangle(items) { 1 } else { LEAF_SIZE };
    let mut best: Option<(f32, usize, Cut)> = None;
    let mut keys = [[0_u64; MAX_SORTED_ITEMS]; 3];
    let size = centers(items);
    for axis in 0..3 {
        if size.max[axis] - size.min[axis] <= 0.0 {
            continue;
        }
        // The key is the centre as an integer with the same order, followed by the index of the
        // item: one comparison sorts both.
        let keys = &mut keys[axis][..n];
        for (i, (key, item)) in keys.iter_mut().zip(items.iter()).enumerate() {
            let bits = item.center()[axis].to_bits();
            let ordered = if bits >> 31 == 0 { bits | 1 << 31 } else { !bits };
            *key = u64::from(ordered) << 32 | i as u64;
        }
        keys.sort_unstable();
        let at = |k: usize| &items[keys[k] as u32 as usize];
        let mut right = [0.0_f32; MAX_SORTED_ITEMS];
        let mut grown = GrowingBox::EMPTY;
        let mut end = n;
        for border in (step..n).step_by(step).rev() {
            for k in border..end {
                grown.add(at(k).min, at(k).max);
            }
            end = border;
            right[border] = grown.area() * leaf_count((n - border) as u32);
        }
        let mut grown = GrowingBox::EMPTY;
        for border in (step..n).step_by(step) {
            for k in border - step..border {
                grown.add(at(k).min, at(k).max);
            }
            let left = grown.area() * leaf_count(border as u32);
            let right = right[border];
            if best.is_none_or(|b| left + right < b.0) {
                let cut = Cut { middle: border, left_cost: left, right_cost: right };
                best = Some((left + right, axis, cut));
            }
        }
    }
    let Some((_, axis, cut)) = best else {
        return halves(n);
    };
    reorder(items, &keys[axis][..n]);
    cut
}

/// Moves to each position the item whose index is in the lower half of the position's key.
fn reorder(items: &mut [Item], keys: &[u64]) {
    const { assert!(MAX_SORTED_ITEMS <= 64, "a bit for each item") };
    let mut done = 0_u64;
    for start in 0..items.len() {
        if done >> start & 1 == 1 {
            continue;
        }
        // The cycle of the permutation that contains this position.
        let first = items[start];
        let mut to = start;
        loop {
            done |= 1 << to;
            let from = keys[to] as u32 as usize;
            if from == start {
                items[to] = first;
                break;
            }
            items[to] = items[from];
            to = from;
        }
    }
}

/// Moves the items that satisfy `first` to the front; returns their number. The order does not
/// depend on the number of threads.
fn partition(items: &mut [Item], first: impl Fn(&Item) -> bool + Copy + Sync) -> usize {
    if items.len() >= MIN_ITEMS_FOR_THREADS {
        let half = items.len() / 2;
        let (left, right) = items.split_at_mut(half);
        let (i, j) = rayon::join(|| partition(left, first), || partition(right, first));
        // Swaps the end of the left half with the beginning of the right half.
        let count = j.min(half - i);
        swap_slices(&mut left[i..i + count], &mut right[j - count..j]);
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

/// Swaps two slices of the same length.
fn swap_slices(left: &mut [Item], right: &mut [Item]) {
    if left.len() < MIN_ITEMS_FOR_THREADS {
        return left.swap_with_slice(right);
    }
    let half = left.len() / 2;
    let (p, q) = left.split_at_mut(half);
    let (r, s) = right.split_at_mut(half);
    rayon::join(|| swap_slices(p, r), || swap_slices(q, s));
}
