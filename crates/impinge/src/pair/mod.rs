//! Queries about two meshes: do they meet, where, and how far apart are they.
//!
//! Every query takes A, B and the pose of B in A's frame. The vertices of B are the points that
//! [`Pose::transform_point`](crate::Pose::transform_point) returns. The methods differ in speed
//! only: they report the same pairs of triangles.
//!
//! - both meshes' [trees](crate::tree) at once: [`traverse`] and everything that uses it; the
//!   default;
//! - triangles in the overlap of the two boxes, sorted along one axis: where a tree is not faster;
//! - every triangle against every triangle: the oracle of all tests.
//!
//! Queries about triangles that are close to each other are [`near`], which also descends both
//! trees, [`within`] and [`distance`].
//!
//! A traversal passes each pair it finds to a [`Sink`], or a [`NearSink`], which decides when to
//! stop:
//!
//! ```
//! use impinge::pair::{Count, intersecting_pairs, traverse};
//! use impinge::{Pose, shapes};
//!
//! let ball = shapes::icosphere(1.0, 2)?;
//! let pose = Pose::from_translation([1.0, 0.0, 0.0])?;
//! let mut count = Count::default();
//! traverse(&ball, &ball, &pose, &mut count);
//! assert_eq!(count.pairs, intersecting_pairs(&ball, &ball, &pose).len());
//! # Ok::<(), impinge::Error>(())
//! ```

mod blocks;
pub(crate) mod brute;
mod budgeted;
mod distance;
mod hit;
mod near;
mod near_blocks;
pub(crate) mod posed;
mod separation;
pub(crate) mod sweep;

pub use crate::bias::Bias;
pub use crate::budget::Budget;
pub use crate::sink::{Collect, Count, First, NearPair, NearSink, Sink};
pub use budgeted::{
    AllSearch, DistanceSearch, DistanceWithin, FirstSearch, HitVerdict, PairsWithin,
    all_pairs_within, distance_within, first_hit_within, first_pair_within,
};
pub(crate) use distance::closest_pair;
pub use distance::distance;
pub use hit::{BudgetVerdict, EdgeAndFace, Hit, Verdict};
use near::{FAR_SLACK, near_far};
pub use near::{near, within};
pub(crate) use posed::Posed;
pub use separation::Separation;

use crate::arrays::MapEach;
use crate::math::Pose;
use crate::mesh::Mesh;
pub use crate::tree::wide::MeshCache;
use crate::tree::{self, MAX_TRIANGLES_FOR_SWEEP, MAX_TRIANGLES_WITHOUT_TREE};
use crate::workers;

/// Whether the surfaces of `a` and `b` share a point, with `b` at `pose` in `a`'s frame.
///
/// The answer is exact and carries its evidence: two triangles with a common point, or a
/// [`Separation`] that the caller can verify. A mesh without triangles is separated from
/// everything. For solids that may lie inside each other without their surfaces meeting, use
/// [`check_pair`](crate::check::check_pair).
///
/// ```
/// use impinge::{Pose, Verdict, shapes};
///
/// let a = shapes::cuboid([2.0, 2.0, 2.0])?;
/// let b = shapes::uv_sphere(1.0, 12, 24)?;
/// let pose = Pose::from_translation([0.0, 0.0, 1.5])?; // of b, in a's frame
/// match impinge::intersects(&a, &b, &pose) {
///     Verdict::Separated(proof) => println!("free: {proof}"),
///     Verdict::Intersecting(hit) => println!("{hit}"),
/// }
/// # assert!(impinge::intersects(&a, &b, &pose).is_intersecting());
/// # Ok::<(), impinge::Error>(())
/// ```
#[must_use]
pub fn intersects(a: &Mesh, b: &Mesh, pose: &Pose) -> Verdict {
    match first_hit(a, b, pose) {
        Some(hit) => Verdict::Intersecting(hit),
        None => Verdict::Separated(Separation::find(a, b, pose)),
    }
}

/// Two triangles that share a point, if there are any: [`intersects`] without the work of finding
/// evidence for "separated".
///
/// If there are several pairs, the result depends on the meshes and the pose alone.
#[must_use]
pub fn first_hit(a: &Mesh, b: &Mesh, pose: &Pose) -> Option<Hit> {
    let (i, j) = first_pair(a, b, pose)?;
    resolve(a, b, pose, i, j)
}

/// As [`first_hit`], but only the numbers of the triangles: computing how they meet, and where,
/// doubles the time.
#[must_use]
pub fn first_pair(a: &Mesh, b: &Mesh, pose: &Pose) -> Option<(u32, u32)> {
    let mut first = First::default();
    traverse(a, b, pose, &mut first);
    first.pair
}

/// As [`first_pair`], but only if a few steps are enough to find it; `None` is not a verdict.
fn first_pair_if_quick(a: &Mesh, b: &Mesh, pose: &Pose) -> Option<(u32, u32)> {
    if uses_trees(a, b) {
        tree::first_in_few_steps((a, a.tree()), (b, b.tree()), pose)
    } else {
        None
    }
}

/// As [`first_hit`], for meshes that move a little from query to query: `cache` keeps results of
/// the last query. The answer is as exact as without a cache; if there are several pairs, the
/// result may depend on earlier queries.
///
/// Keep one cache for each pair of bodies. If it is used with other meshes, or after a mesh has
/// changed, it is reset.
///
/// ```
/// use impinge::pair::{MeshCache, first_hit, first_hit_cached};
/// use impinge::{Pose, shapes};
///
/// let ring = shapes::torus(1.0, 0.4, 48, 24)?;
/// let mut cache = MeshCache::default();
/// for step in 0..100 {
///     let pose = Pose::from_translation([0.04 * f64::from(step), 0.0, 0.0])?;
///     let hit = first_hit_cached(&ring, &ring, &pose, &mut cache);
///     assert_eq!(hit.is_some(), first_hit(&ring, &ring, &pose).is_some());
/// }
/// # Ok::<(), impinge::Error>(())
/// ```
#[must_use]
pub fn first_hit_cached(a: &Mesh, b: &Mesh, pose: &Pose, cache: &mut MeshCache) -> Option<Hit> {
    let (i, j) = first_pair_cached(a, b, pose, cache)?;
    resolve(a, b, pose, i, j)
}

/// As [`first_hit_cached`], but only the numbers of the triangles: computing how they meet, and
/// where, takes longer than the query.
#[must_use]
pub fn first_pair_cached(
    a: &Mesh,
    b: &Mesh,
    pose: &Pose,
    cache: &mut MeshCache,
) -> Option<(u32, u32)> {
    // With a cache the query is repeated, so that building a tree is worth its cost also where one
    // of the two is small.
    let large = a.triangles().len().max(b.triangles().len()) > MAX_TRIANGLES_FOR_SWEEP;
    if (large || uses_trees(a, b)) && !a.is_empty() && !b.is_empty() {
        if let Some(pair) = tree::first_cached((a, a.tree()), (b, b.tree()), pose, cache) {
            return pair;
        }
    }
    first_pair(a, b, pose)
}

/// As [`intersecting_pairs`], on all threads of the current `rayon` pool: for one pair of large
/// meshes. The pairs do not depend on the number of threads.
///
/// ```
/// use impinge::pair::{intersecting_pairs, par_intersecting_pairs};
/// use impinge::{Pose, shapes};
///
/// let ring = shapes::torus(1.0, 0.4, 96, 48)?;
/// let pose = Pose::from_translation([0.5, 0.0, 0.1])?;
/// let pairs = par_intersecting_pairs(&ring, &ring, &pose);
/// assert_eq!(pairs, intersecting_pairs(&ring, &ring, &pose));
/// # Ok::<(), impinge::Error>(())
/// ```
#[must_use]
pub fn par_intersecting_pairs(a: &Mesh, b: &Mesh, pose: &Pose) -> Vec<(u32, u32)> {
    if a.triangles().len().min(b.triangles().len()) > MAX_TRIANGLES_WITHOUT_TREE {
        let (tree_a, tree_b) = workers::join(|| a.tree(), || b.tree());
        if let Some(pairs) = tree::par_pairs((a, tree_a), (b, tree_b), pose) {
            return pairs;
        }
    }
    intersecting_pairs(a, b, pose)
}

/// Sends every pair of triangles that share a point to `sink`, by the fastest method: the meshes'
/// [trees](crate::tree), which are built on first use, or a sweep where a mesh is small or the
/// sizes differ too much.
pub fn traverse(a: &Mesh, b: &Mesh, pose: &Pose, sink: &mut dyn Sink) {
    if !(uses_trees(a, b) && tree::traverse((a, a.tree()), (b, b.tree()), pose, sink)) {
        sweep::traverse(&Posed::new(a, &Pose::IDENTITY), &Posed::new(b, pose), sink);
    }
}

/// Whether [`traverse`] uses the trees of these meshes. An application can build or load them
/// beforehand.
#[must_use]
pub fn uses_trees(a: &Mesh, b: &Mesh) -> bool {
    a.triangles().len().min(b.triangles().len()) > MAX_TRIANGLES_WITHOUT_TREE
}

/// The hit of a pair that was found to meet.
fn resolve(a: &Mesh, b: &Mesh, pose: &Pose, i: u32, j: u32) -> Option<Hit> {
    let triangle_b = b.triangle(j as usize).map_each(|v| pose.transform_point(v));
    Hit::between((i, &a.triangle(i as usize)), (j, &triangle_b))
}

/// Every pair of triangles that share a point, sorted by triangle of `a`, then of `b`.
///
/// ```
/// use impinge::{Pose, shapes};
///
/// let cube = shapes::cuboid([1.0, 1.0, 1.0])?;
/// let beside = Pose::from_translation([1.0, 0.25, 0.25])?; // face on face
/// for hit in impinge::all_pairs(&cube, &cube, &beside) {
///     println!("{} and {}: {}", hit.triangle_a, hit.triangle_b, hit.kind);
/// }
/// # assert!(!impinge::all_pairs(&cube, &cube, &beside).is_empty());
/// # Ok::<(), impinge::Error>(())
/// ```
#[must_use]
pub fn all_pairs(a: &Mesh, b: &Mesh, pose: &Pose) -> Vec<Hit> {
    let pairs = intersecting_pairs(a, b, pose);
    pairs.into_iter().filter_map(|(i, j)| resolve(a, b, pose, i, j)).collect()
}

/// As [`all_pairs`], but only the numbers of the triangles: computing how they meet takes several
/// times longer than deciding that they do.
#[must_use]
pub fn intersecting_pairs(a: &Mesh, b: &Mesh, pose: &Pose) -> Vec<(u32, u32)> {
    let mut pairs = Collect::default();
    traverse(a, b, pose, &mut pairs);
    pairs.into_sorted()
}
