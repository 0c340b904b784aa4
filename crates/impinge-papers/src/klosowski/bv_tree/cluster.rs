//! Bottom up: clusters of triangles merged with their best neighbours (locally ordered clustering,
//! Meister and Bittner 2018; the alternative that Klosowski et al. 1998, section 3.3.2, leave
//! open).

use rayon::prelude::*;

use super::build::{DEEP, Input, PARALLEL, Part, divide, finish, is_leaf};
use super::split::Item;
use crate::klosowski::volume::Volume;
use impinge::math::{Aabb, Vec3};

/// How far along the curve a partner may be.
const WINDOW: usize = 12;

/// If fewer than one in so many clusters found a partner, neighbours are merged as they stand: the
/// number of rounds stays logarithmic.
const PROGRESS: usize = 16;

/// A cluster: two others, or one triangle.
#[derive(Clone, Copy, Debug)]
enum Cluster {
    Single(Item),
    Pair(u32, u32),
}

/// Builds the part of all items and puts them into its order.
pub(super) fn build<V: Volume>(input: &Input<'_, V>, items: &mut [Item]) -> Part<V> {
    along_curve(items);
    let clusters = merge_all(input, items);
    let mut counts = vec![1_u32; clusters.len()];
    for (i, cluster) in clusters.iter().enumerate() {
        if let Cluster::Pair(p, q) = cluster {
            counts[i] = counts[*p as usize] + counts[*q as usize];
        }
    }
    let root = clusters.len() as u32 - 1;
    collect(input, &Clusters { clusters, counts }, root, items, 0, 0)
}

/// All clusters, parts before wholes.
struct Clusters {
    clusters: Vec<Cluster>,
    counts: Vec<u32>,
}

/// The part of one cluster; its triangles go into `items`, which begin at `start`.
fn collect<V: Volume>(
    input: &Input<'_, V>,
    all: &Clusters,
    cluster: u32,
    items: &mut [Item],
    start: u32,
    depth: u32,
) -> Part<V> {
    if let Cluster::Pair(p, q) = all.clusters[cluster as usize] {
        if depth < DEEP && !is_leaf(input, items.len()) {
            let (left, right) = items.split_at_mut(all.counts[p as usize] as usize);
            let border = start + left.len() as u32;
            let children = (
                collect(input, all, p, left, start, depth + 1),
                collect(input, all, q, right, border, depth + 1),
            );
            return finish(input, items, start, Some(children));
        }
    }
    let (mut stack, mut len) = (vec![cluster], 0);
    while let Some(cluster) = stack.pop() {
        match all.clusters[cluster as usize] {
            Cluster::Single(item) => {
                items[len] = item;
                len += 1;
            }
            Cluster::Pair(p, q) => stack.extend([q, p]),
        }
    }
    // A leaf; or a chain of clusters too long to follow, which is divided from the top instead.
    divide(input, items, start, depth)
}

/// Merges until one cluster is left, which is the last.
fn merge_all<V: Volume>(input: &Input<'_, V>, items: &[Item]) -> Vec<Cluster> {
    let bounds = |item: &Item| {
        let [p, q, r] = input.triangles[item.triangle as usize];
        Aabb { min: p.min(q).min(r), max: p.max(q).max(r) }
    };
    let mut clusters: Vec<Cluster> = items.iter().map(|item| Cluster::Single(*item)).collect();
    let mut active: Vec<(Aabb, u32)> = items.iter().map(bounds).zip(0_u32..).collect();
    while active.len() > 1 {
        let n = active.len();
        let best: Vec<usize> = if input.options.parallel && n > PARALLEL {
            (0..n).into_par_iter().map(|i| partner(&active, i)).collect()
        } else {
            (0..n).map(|i| partner(&active, i)).collect()
        };
        let mutual = (0..n).filter(|i| best[best[*i]] == *i).count();
        let stuck = mutual * PROGRESS < n;
        let with = |i: usize| if stuck { (i ^ 1).min(n - 1) } else { best[i] };
        let mut next = Vec::with_capacity(n);
        for i in 0..n {
            let j = with(i);
            if j == i || with(j) != i {
                next.push(active[i]);
            } else if i < j {
                let number = clusters.len() as u32;
                clusters.push(Cluster::Pair(active[i].1, active[j].1));
                next.push((active[i].0.union(&active[j].0), number));
            }
        }
        active = next;
    }
    clusters
}

/// The cluster within the window that makes the smallest box with cluster `i`. Ties go by position,
/// so that some pair always is mutual.
fn partner(active: &[(Aabb, u32)], i: usize) -> usize {
    let (from, to) = (i.saturating_sub(WINDOW), (i + WINDOW + 1).min(active.len()));
    let key = |j: usize| {
        let e = active[i].0.union(&active[j].0).extent();
        (e.x * e.y + e.y * e.z + e.z * e.x, e.element_sum(), i.min(j), i.max(j))
    };
    let mut best = (usize::MAX, (f64::INFINITY, f64::INFINITY, usize::MAX, usize::MAX));
    for j in (from..to).filter(|j| *j != i) {
        let k = key(j);
        if best.0 == usize::MAX || k < best.1 {
            best = (j, k);
        }
    }
    best.0
}

/// Sorts by the Morton code of the centroids.
fn along_curve(items: &mut [Item]) {
    let bounds = Aabb::from_points(items.iter().map(|item| item.center));
    let extent = bounds.extent().max_element();
    let code = |item: &Item| {
        let cell = |x: f64, low: f64| {
            // All centroids equal: zero by zero is NaN, and NaN becomes cell zero.
            ((x - low) / extent * f64::from((1 << 20) - 1)) as u64
        };
        let Vec3 { x, y, z } = item.center;
        spread(cell(x, bounds.min.x))
            | spread(cell(y, bounds.min.y)) << 1
            | spread(cell(z, bounds.min.z)) << 2
    };
    items.sort_by_cached_key(|item| (code(item), item.triangle));
}

/// Puts two zero bits between the twenty bits of a cell number.
fn spread(x: u64) -> u64 {
    let mut x = x & 0x1f_ffff;
    x = (x | x << 32) & 0x001f_0000_0000_ffff;
    x = (x | x << 16) & 0x001f_0000_ff00_00ff;
    x = (x | x << 8) & 0x100f_00f0_0f00_f00f;
    x = (x | x << 4) & 0x10c3_0c30_c30c_30c3;
    (x | x << 2) & 0x1249_2492_4924_9249
}
