//! Splits a set of triangles in two by the surface-area heuristic: with sixteen bins for each axis,
//! or, for few triangles, after sorting them along each axis. Sorted triangles are split at
//! multiples of the leaf size, or at any position if some of them are large.

use glam::Vec4;

use crate::arrays::MapEach;
use crate::wide::{Wide, dispatch};
use crate::workers::join;

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

    /// Twice the centre along an axis.
    #[inline(always)]
    fn twice_center(&self, axis: usize) -> f32 {
        self.min.as_ref()[axis] + self.max.as_ref()[axis]
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
        size.to_array().map_each(|s| if s > 0.0 { BINS as f32 * 0.9999 / s } else { 0.0 }),
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
        Some((_, border, cut)) => {
            let middle = partition(items, grid.is_before(border));
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
    let (mut all, more) = join(|| centers(left), || centers(right));
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
    /// Whether the centre of an item lies in a bin before the border.
    fn is_before(&self, border: Border) -> impl Fn(&Item) -> bool + Copy + Sync + use<> {
        let Border { axis, bin } = border;
        let (low, scale) = (self.low[axis], self.scale[axis]);
        // The border is not behind the last bin, so that larger places need not be moved there.
        move |item| (((item.twice_center(axis) - low) * scale) as u32) < bin as u32
    }

    fn fill(&self, items: &[Item]) -> Bins {
        if items.len() >= MIN_ITEMS_FOR_THREADS {
            let (left, right) = items.split_at(items.len() / 2);
            let (mut all, more) = join(|| self.fill(left), || self.fill(right));
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
    let blocks = n.div_ceil(step);
    let mut best: Option<(f32, usize, Cut)> = None;
    let mut orders = [[0_u8; MAX_SORTED_ITEMS]; 3];
    // The boxes of the items between two borders.
    let (mut few, mut many);
    let boxes: &mut [GrowingBox] = if step == LEAF_SIZE {
        few = [GrowingBox::EMPTY; MAX_SORTED_ITEMS / LEAF_SIZE];
        &mut few
    } else {
        many = [GrowingBox::EMPTY; MAX_SORTED_ITEMS];
        &mut many
    };
    let size = centers(items);
    for axis in 0..3 {
        if size.max[axis] - size.min[axis] <= 0.0 {
            continue;
        }
        let order = &mut orders[axis][..n];
        sort_along(items, axis, order);
        for (bounds, block) in boxes.iter_mut().zip(order.chunks(step)) {
            *bounds = GrowingBox::EMPTY;
            for k in block {
                let item = &items[usize::from(*k)];
                bounds.add(item.min, item.max);
            }
        }
        let mut right = [0.0_f32; MAX_SORTED_ITEMS];
        let mut grown = GrowingBox::EMPTY;
        for block in (1..blocks).rev() {
            grown.add(boxes[block].min, boxes[block].max);
            right[block] = grown.area() * leaf_count((n - block * step) as u32);
        }
        let mut grown = GrowingBox::EMPTY;
        for block in 1..blocks {
            grown.add(boxes[block - 1].min, boxes[block - 1].max);
            let left = grown.area() * leaf_count((block * step) as u32);
            let right = right[block];
            if best.is_none_or(|b| left + right < b.0) {
                let cut = Cut { middle: block * step, left_cost: left, right_cost: right };
                best = Some((left + right, axis, cut));
            }
        }
    }
    let Some((_, axis, cut)) = best else {
        return halves(n);
    };
    reorder(items, &orders[axis]);
    cut
}

/// Moves to each position the item with the index that `order` has there.
fn reorder(items: &mut [Item], order: &[u8; MAX_SORTED_ITEMS]) {
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
            let from = usize::from(order[to]);
            if from == start {
                items[to] = first;
                break;
            }
            items[to] = items[from];
            to = from;
        }
    }
}

/// Sets `order` to the indices of the items, sorted by their centres along an axis; equal centres
/// keep their order.
fn sort_along(items: &[Item], axis: usize, order: &mut [u8]) {
    let mut keys = [i32::MAX; MAX_SORTED_ITEMS];
    for (key, item) in keys.iter_mut().zip(items) {
        // An integer with the order of the numbers.
        let bits = item.twice_center(axis).to_bits() as i32;
        *key = bits ^ ((bits >> 31) & i32::MAX);
    }
    let ranks = dispatch::run(Ranks { keys: &keys, count: items.len() });
    for (item, rank) in ranks[..items.len()].iter().enumerate() {
        order[*rank as usize] = item as u8;
    }
}

/// Computes, for each of the first `count` keys, the number of keys that are smaller, or equal and
/// before it: its position after a stable sort. For so few keys, comparing all pairs takes half the
/// time of sorting. The keys behind `count` have the largest value, so that they change no rank.
struct Ranks<'a> {
    keys: &'a [i32; MAX_SORTED_ITEMS],
    count: usize,
}

impl dispatch::Task for Ranks<'_> {
    type Output = [i32; MAX_SORTED_ITEMS];

    #[inline(always)]
    fn run<W: Wide>(self) -> Self::Output {
        let keys = self.keys;
        let end = self.count.next_multiple_of(8);
        let mut ranks = [0; MAX_SORTED_ITEMS];
        for first in (0..end).step_by(8) {
            // Eight keys at a time are compared with all keys.
            let mut eight = [0; 8];
            eight.copy_from_slice(&keys[first..first + 8]);
            for (rank, key) in ranks[..first].iter_mut().zip(&keys[..first]) {
                *rank += eight.iter().map(|k| i32::from(k < key)).sum::<i32>();
            }
            for (k, other) in eight.iter().enumerate() {
                for lane in 0..8 {
                    let is_before = i32::from(*other == eight[lane]) & i32::from(k < lane);
                    ranks[first + lane] += i32::from(*other < eight[lane]) | is_before;
                }
            }
            let behind = first + 8..end;
            for (rank, key) in ranks[behind.clone()].iter_mut().zip(&keys[behind]) {
                *rank += eight.iter().map(|k| i32::from(k <= key)).sum::<i32>();
            }
        }
        ranks
    }
}

/// Moves the items that satisfy `first` to the front; returns their number. The order does not
/// depend on the number of threads.
fn partition(items: &mut [Item], first: impl Fn(&Item) -> bool + Copy + Sync) -> usize {
    if items.len() >= MIN_ITEMS_FOR_THREADS {
        let half = items.len() / 2;
        let (left, right) = items.split_at_mut(half);
        let (i, j) = join(|| partition(left, first), || partition(right, first));
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
    join(|| swap_slices(p, r), || swap_slices(q, s));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    #[test]
    fn few_items_are_sorted_as_by_a_stable_sort() {
        let mut random = Random::new(41);
        let values = [-0.0, 0.0, 1.0, -1.0, 1e-40, -1e-40, f32::MAX, f32::MIN, f32::INFINITY];
        let mut ties = 0;
        for round in 0..3000 {
            let count = 1 + random.index(MAX_SORTED_ITEMS);
            let items: Vec<Item> = (0..count as u32)
                .map(|triangle| {
                    let center = match round % 3 {
                        0 => values[random.index(values.len())],
                        1 => random.index(5) as f32 - 2.0,
                        _ => random.range(-1.0, 1.0) as f32,
                    };
                    Item { min: Vec4::splat(-0.0), max: Vec4::splat(center), triangle }
                })
                .collect();
            let mut order = [0_u8; MAX_SORTED_ITEMS];
            sort_along(&items, round % 3, &mut order[..count]);
            let key = |k: &u8| items[usize::from(*k)].twice_center(round % 3);
            let mut expected: Vec<u8> = (0..count as u8).collect();
            expected.sort_by(|p, q| key(p).total_cmp(&key(q)));
            assert_eq!(order[..count], expected);
            ties += expected.windows(2).filter(|two| key(&two[0]) == key(&two[1])).count();
            let mut moved = items.clone();
            reorder(&mut moved, &order);
            assert!(moved.iter().zip(&expected).all(|(item, k)| item.triangle == u32::from(*k)));
        }
        assert!(ties > 10_000, "{ties}");
    }
}
