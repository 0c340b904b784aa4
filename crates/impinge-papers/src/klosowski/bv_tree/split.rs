//! The axis and the point where a node is split (Klosowski et al. 1998, section 3.3.4).

use super::build::{Input, MAX_RULE_DEPTH};
use super::{Measure, SplitPoint, SplitRule};
use crate::klosowski::volume::{Dop6, Volume};
use impinge::math::Vec3;

/// A triangle during construction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    /// The centroid.
    pub(super) center: Vec3,
    pub(super) triangle: u32,
}

/// Divides two or more items in two parts: reorders them and returns the start of the second part.
/// Neither part is empty.
pub(super) fn split<V: Volume>(input: &Input<'_, V>, items: &mut [Item], depth: u32) -> usize {
    let options = input.options;
    if depth >= MAX_RULE_DEPTH {
        return median(items, splatter(items));
    }
    let at = |items: &mut [Item], axis: usize| match options.at {
        SplitPoint::Mean => mean(items, axis),
        SplitPoint::Median => median(items, axis),
    };
    match options.split {
        SplitRule::LongestSide => {
            let axis = longest_side(input, items);
            at(items, axis)
        }
        SplitRule::Splatter | SplitRule::BottomUp => {
            let axis = splatter(items);
            at(items, axis)
        }
        SplitRule::MinSum => best_axis(input, items, at, |p, q| p + q),
        SplitRule::MinMax => best_axis(input, items, at, f64::max),
        SplitRule::AllPoints(measure) => best_point(input, items, usize::MAX, measure),
        SplitRule::SampledPoints(n, measure) => {
            best_point(input, items, n.max(1) as usize, measure)
        }
    }
}

/// The axis along which the box of the items is longest. For k-DOPs and boxes this is the longest
/// side of the volume itself.
fn longest_side<V: Volume>(input: &Input<'_, V>, items: &[Item]) -> usize {
    let bounds = items
        .iter()
        .map(|item| input.boxes[item.triangle as usize])
        .reduce(|sum, b| sum.merged(&b));
    bounds.map_or(0, |b| {
        largest(Vec3::new(
            b.max()[0] - b.min()[0],
            b.max()[1] - b.min()[1],
            b.max()[2] - b.min()[2],
        ))
    })
}

/// The axis along which the variance of the centroids is largest.
fn splatter(items: &[Item]) -> usize {
    let mean = mean_center(items);
    // Scaled, so that the squares of small differences do not underflow.
    let size = items.iter().fold(0.0_f64, |s, i| s.max((i.center - mean).abs().max_element()));
    if size == 0.0 {
        return 0;
    }
    let (s, t) = impinge::internals::unit_scale(size);
    largest(items.iter().fold(Vec3::ZERO, |sum, item| {
        let d = (item.center - mean) * s * t;
        sum + d * d
    }))
}

/// The axis of the largest component; the first one if components are equal.
fn largest(v: Vec3) -> usize {
    if v.x >= v.y && v.x >= v.z {
        0
    } else if v.y >= v.z {
        1
    } else {
        2
    }
}

/// The mean of the centroids, computed relative to one of them so that items far from the origin
/// lose no digits.
fn mean_center(items: &[Item]) -> Vec3 {
    let n = items.len() as f64;
    let origin = items.first().map_or(Vec3::ZERO, |item| item.center);
    origin + items.iter().fold(Vec3::ZERO, |sum, item| sum + (item.center - origin) / n)
}

/// Splits at the mean of the centroids. Splits at the median if all items would be on one side.
fn mean(items: &mut [Item], axis: usize) -> usize {
    let border = mean_center(items)[axis];
    let middle = partition(items, |item| item.center[axis] < border);
    if middle == 0 || middle == items.len() { median(items, axis) } else { middle }
}

/// Splits at the median: the lower half comes first.
fn median(items: &mut [Item], axis: usize) -> usize {
    let middle = items.len() / 2;
    items.select_nth_unstable_by(middle, |p, q| by_center(p, q, axis));
    // The selection determines which items are in each half, but not their order.
    items[..middle].sort_unstable_by_key(|item| item.triangle);
    items[middle..].sort_unstable_by_key(|item| item.triangle);
    middle
}

fn by_center(p: &Item, q: &Item, axis: usize) -> std::cmp::Ordering {
    p.center[axis].total_cmp(&q.center[axis]).then(p.triangle.cmp(&q.triangle))
}

/// Moves the items that satisfy `first` to the front, keeping their order, and returns their
/// number.
fn partition(items: &mut [Item], first: impl Fn(&Item) -> bool) -> usize {
    let mut rest = Vec::new();
    let mut len = 0;
    for i in 0..items.len() {
        if first(&items[i]) {
            items[len] = items[i];
            len += 1;
        } else {
            rest.push(items[i]);
        }
    }
    items[len..].copy_from_slice(&rest);
    len
}

/// The measure of a volume, or its surface area if the volumes are `flat`.
fn value<V: Volume>(volume: &V, measure: Measure, flat: bool) -> f64 {
    match measure {
        Measure::Volume if !flat => volume.volume(),
        _ => volume.surface(),
    }
}

/// Whether the content of a bounding volume is at the level of rounding errors.
fn is_flat<V: Volume>(volume: &V) -> bool {
    let surface = volume.surface();
    // The comparison is negated on purpose: numbers that underflow to zero count as flat.
    let thick = volume.volume() > 1e-12 * surface * surface.sqrt();
    !thick
}

/// Splits along the axis for which `sum` of the volumes of the two parts is smallest.
fn best_axis<V: Volume>(
    input: &Input<'_, V>,
    items: &mut [Item],
    at: impl Fn(&mut [Item], usize) -> usize,
    sum: impl Fn(f64, f64) -> f64,
) -> usize {
    let flat = is_flat(&input.around(items));
    let mut best: Option<(f64, Vec<Item>, usize)> = None;
    for axis in 0..3 {
        let mut tried = items.to_vec();
        let middle = at(&mut tried, axis);
        let (left, right) = tried.split_at(middle);
        let part = |items: &[Item]| value(&input.around(items), Measure::Volume, flat);
        let cost = sum(part(left), part(right));
        if best.as_ref().is_none_or(|b| cost < b.0) {
            best = Some((cost, tried, middle));
        }
    }
    let Some((_, tried, middle)) = best else {
        return items.len() / 2;
    };
    items.copy_from_slice(&tried);
    middle
}

/// Tries up to `samples` split points per axis. The best point of each axis is determined by boxes,
/// the best axis by the tree's own kind of volume.
fn best_point<V: Volume>(
    input: &Input<'_, V>,
    items: &mut [Item],
    samples: usize,
    measure: Measure,
) -> usize {
    let n = items.len();
    // The split points, as numbers of items in the first part.
    let points: Vec<usize> = if samples >= n - 1 {
        (1..n).collect()
    } else {
        (1..=samples).map(|i| (i * n / (samples + 1)).clamp(1, n - 1)).collect()
    };
    let flat = is_flat(&input.around(items));
    let mut best: Option<(f64, Vec<Item>, usize)> = None;
    for axis in 0..3 {
        let mut sorted = items.to_vec();
        sorted.sort_unstable_by(|p, q| by_center(p, q, axis));
        let middle = sweep(&input.boxes, &sorted, &points, measure);
        let (left, right) = sorted.split_at(middle);
        let part = |items: &[Item]| value(&input.around(items), measure, flat) * items.len() as f64;
        let cost = part(left) + part(right);
        if best.as_ref().is_none_or(|b| cost < b.0) {
            best = Some((cost, sorted, middle));
        }
    }
    let Some((_, sorted, middle)) = best else {
        return n / 2;
    };
    items.copy_from_slice(&sorted);
    middle
}

/// The best of the split points of sorted items, by the measure of their boxes. If costs are equal,
/// the most balanced split is returned.
fn sweep(boxes: &[Dop6], sorted: &[Item], points: &[usize], measure: Measure) -> usize {
    let n = sorted.len();
    let single = |i: usize| boxes[sorted[i].triangle as usize];
    let flat = is_flat(&(1..n).fold(single(0), |sum, i| sum.merged(&single(i))));
    let mut right = vec![0.0; points.len()];
    let (mut sum, mut end) = (single(n - 1), n - 1);
    for (right, point) in right.iter_mut().zip(points).rev() {
        sum = (*point..end).fold(sum, |sum, i| sum.merged(&single(i)));
        end = end.min(*point);
        *right = value(&sum, measure, flat) * (n - point) as f64;
    }
    let (mut sum, mut start) = (single(0), 1);
    let mut best = (f64::INFINITY, usize::MAX, n / 2);
    for (right, point) in right.iter().zip(points) {
        sum = (start..*point).fold(sum, |sum, i| sum.merged(&single(i)));
        start = *point;
        let cost = value(&sum, measure, flat) * *point as f64 + right;
        let uneven = (2 * point).abs_diff(n);
        if cost < best.0 || (cost == best.0 && uneven < best.1) {
            best = (cost, uneven, *point);
        }
    }
    best.2
}
