//! Bottom-up construction by locally ordered clustering (Meister and Bittner 2018): clusters of
//! triangles are merged with their best neighbours. Klosowski et al. 1998, section 3.3.2, leave
//! this alternative open.

use rayon::prelude::*;

use super::build::{
    Input, MAX_RULE_DEPTH, MAX_TRIANGLES_PER_THREAD, Subtree, divide, finish, is_leaf,
};
use super::split::Item;
use crate::klosowski::volume::Volume;
use impinge::math::{Aabb, Vec3};

/// How many positions along the curve, on either side, are searched for a partner.
const SEARCH_RADIUS: usize = 12;

/// If fewer than one in this many clusters has a mutual partner, adjacent clusters are merged
/// instead. So the number of rounds stays logarithmic.
const CLUSTERS_PER_MUTUAL_PARTNER: usize = 16;

/// A cluster: one triangle, or two other clusters by their numbers.
#[derive(Clone, Copy, Debug)]
enum Cluster {
    Single(Item),
    Pair(u32, u32),
}

/// Builds the tree of all items and reorders the items to match.
pub(super) fn build<V: Volume>(input: &Input<'_, V>, items: &mut [Item]) -> Subtree<V> {
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

/// All clusters. A cluster comes after the two it consists of.
struct Clusters {
    clusters: Vec<Cluster>,
    counts: Vec<u32>,
}

/// Builds the subtree of one cluster. Writes its triangles to `items`, whose first has position
/// `start` in the order of the tree.
fn collect<V: Volume>(
    input: &Input<'_, V>,
    all: &Clusters,
    cluster: u32,
    items: &mut [Item],
    start: u32,
    depth: u32,
) -> Subtree<V> {
    if let Cluster::Pair(p, q) = all.clusters[cluster as usize] {
        if depth < MAX_RULE_DEPTH && !is_leaf(input, items.len()) {
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
    // Either a leaf, or a chain of clusters that is too deep. The latter is divided top-down
    // instead.
    divide(input, items, start, depth)
}

/// Merges clusters until one is left. That one is the last in the result.
fn merge_all<V: Volume>(input: &Input<'_, V>, items: &[Item]) -> Vec<Cluster> {
    let bounds = |item: &Item| {
        let [p, q, r] = input.triangles[item.triangle as usize];
        Aabb { min: p.min(q).min(r), max: p.max(q).max(r) }
    };
    let mut clusters: Vec<Cluster> = items.iter().map(|item| Cluster::Single(*item)).collect();
    let mut active: Vec<(Aabb, u32)> = items.iter().map(bounds).zip(0_u32..).collect();
    while active.len() > 1 {
        let n = active.len();
        let best: Vec<usize> = if input.options.parallel && n > MAX_TRIANGLES_PER_THREAD {
            (0..n).into_par_iter().map(|i| partner(&active, i)).collect()
        } else {
            (0..n).map(|i| partner(&active, i)).collect()
        };
        let mutual = (0..n).filter(|i| best[best[*i]] == *i).count();
        let few_mutual_partners = mutual * CLUSTERS_PER_MUTUAL_PARTNER < n;
        let with = |i: usize| if few_mutual_partners { (i ^ 1).min(n - 1) } else { best[i] };
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

/// The cluster within the search radius whose box merged with that of cluster `i` is smallest. Ties
/// are broken by position, so that at least one pair is always mutual.
fn partner(active: &[(Aabb, u32)], i: usize) -> usize {
    let (from, to) = (i.saturating_sub(SEARCH_RADIUS), (i + SEARCH_RADIUS + 1).min(active.len()));
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
            // If all centroids are equal, zero divided by zero is NaN, which is cast to cell zero.
            ((x - low) / extent * f64::from((1 << 20) - 1)) as u64
        };
        let Vec3 { x, y, z } = item.center;
        spread(cell(x, bounds.min.x))
            | spread(cell(y, bounds.min.y)) << 1
            | spread(cell(z, bounds.min.z)) << 2
    };
    items.sort_by_cached_key(|item| (code(item), item.triangle));
}

/// Inserts two zero bits between the twenty bits of a cell number.
fn spread(x: u64) -> u64 {
    let mut x = x & 0x1f_ffff;
    x = (x | x << 32) & 0x001f_0000_0000_ffff;
    x = (x | x << 16) & 0x001f_0000_ff00_00ff;
    x = (x | x << 8) & 0x100f_00f0_0f00_f00f;
    x = (x | x << 4) & 0x10c3_0c30_c30c_30c3;
    (x | x << 2) & 0x1249_2492_4924_9249
}
