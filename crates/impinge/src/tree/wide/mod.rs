//! The tree that pair queries descend: eight-wide nodes of `f32` boxes over leaves of eight
//! triangles.
//!
//! **Layout.** Boxes and corners are stored in a local [frame](frame::Frame): its origin is the
//! centre of the mesh, its axes follow the directions of the edges, its unit is a power of two.
//! They are `f32` numbers; boxes are rounded outward, corners have a known error. A node holds
//! eight boxes side by side and a leaf eight triangles, so that one instruction works on all of
//! them. Each box comes with a [disc](disc::Disc), a flat cylinder around the same triangles, which
//! is tighter than the box where the surface is oblique to the axes. A triangle takes about 66
//! bytes. The arrays are plain; [`Tree::validate`] checks their invariants.
//!
//! **Traversal.** Both trees are descended simultaneously. A step compares the eight boxes of a
//! node with the eight of another, along the three axes of each frame; then, for the boxes that
//! overlap, the discs with each other and with the boxes. If one node is more than three times as
//! large as the other, or the other is a leaf, only the first is opened. Pairs of leaves are
//! collected and compared in batches, small ones at first, while the next leaves are prefetched. In
//! a search for the first hit, the pair that is most likely to meet, judged by its discs, is opened
//! first.
//!
//! **Near pairs.** The same descent, with a limit in place of overlap and with lower bounds of
//! distances in place of box tests, finds distances and pairs within epsilon.
//!
//! **Far apart.** Where the meshes are much smaller than their distance, `f32` cannot distinguish
//! the distances of pairs. [`far`] finds near pairs in `f64`, after subtracting the separation that
//! all pairs have in common.
//!
//! **Budgets.** The same descent with a state that the caller keeps ([`resumable`]): it stops when
//! the budget is spent, bounds what remains, and can be continued.
//!
//! **Exact.** Boxes are grown by more than the rounding error, and the `f32` triangle test answers
//! "apart" or "crossing" only beyond its error bound; all other pairs go to
//! [`exact`](crate::exact). `docs/notes/tree.md` derives the bounds. So the reported pairs are
//! those of brute force, on every machine.
//!
//! **Machines.** On x86-64 with AVX2 and FMA, detected at run time, vectors are registers;
//! elsewhere they are arrays. One build contains both.
//!
//! **Tried and rejected.**
//!
//! - Slabs across the normal in the leaves alone: a quarter less time for nested spheres with a gap
//!   of a hundredth, 0.2 us more for every query. Discs in all nodes replaced them.
//! - Four steps at a time, with their nodes prefetched; prefetching leaves when a pair of them is
//!   added to the list: no gain.
//! - Eight or sixteen steps at a time: 2 % gained where meshes do not meet, a third and more lost
//!   in first hits of deep overlap.
//! - Discs against boxes also where a leaf meets a node: the saving equals the cost. Two nodes
//!   along the direction between their centres, or between their normals: 1 to 3 % fewer steps.
//! - Splitting the group with the most triangles next, instead of the group with the highest cost:
//!   no gain.
//! - Discs against the box where one node is opened alone, and its likeliest slot first: 3 % gained
//!   for a small body in a room, 1 to 2 % lost elsewhere.
//! - First hits with one step prefetched after the first ten, as in searches for all pairs: 3 to 6
//!   % lost for shallow overlap, no gain elsewhere.
//! - Discarding first, or in addition, the boxes of B that miss all of A's node along A's axes: 1
//!   to 5 % lost.
//! - Compiling the start of a query (rotations and margins) for AVX2 with the rest: a fifth more
//!   instructions, 25 ns lost.
//! - Axes along the principal directions of a scanned surface: no gain; discs already bound
//!   surfaces that are oblique to the axes.

#![allow(
    clippy::needless_range_loop,
    reason = "lanes and axes are indices into several arrays at once"
)]

#[cfg(feature = "internals")]
pub(crate) mod arrays;
#[cfg(test)]
mod boundary_tests;
mod box_search;
mod buckets;
mod build;
mod cached;
mod candidate;
pub(crate) mod disc;
mod far;
pub(crate) mod frame;
mod gather;
mod lanes;
pub(crate) mod leaf;
mod maintenance;
mod near;
mod near_batch;
mod near_boxes;
mod near_first;
mod near_leaf;
mod near_pairs;
mod near_resumable;
pub(crate) mod node;
mod open_contact;
mod overlap;
mod pairs;
mod parallel;
mod ray;
mod refit;
mod relative;
mod resumable;
#[cfg(test)]
mod samples;
mod size;
mod splice;
mod split;
mod staged;
mod store;
mod traverse;
mod triangles;
mod two_nodes;
mod uneven;
mod validate;

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::mesh::Mesh;
use frame::Frame;
use leaf::Leaf;
use node::{Link, LocalBox, Node};

pub(crate) use box_search::{BoxSearch, BoxStack};
pub use cached::MeshCache;
pub(crate) use cached::first_cached;
pub(crate) use far::{SearchCounts, SearchLimits, are_far, near_far};
pub use maintenance::Refitted;
pub(crate) use maintenance::TreeRefitState;
pub use near::near;
pub(crate) use near_resumable::NearSearch;
pub(crate) use open_contact::contact_of_boxes;
pub(crate) use parallel::par_pairs;
pub(crate) use ray::{RayQuery, RaySearch, RayTest};
pub(crate) use resumable::{HitSearch, Progress, Receiver};
pub use size::TreeSize;
pub(crate) use staged::StagedTest;
pub use store::FORMAT_VERSION;
pub use traverse::traverse;
pub(crate) use traverse::{MAX_QUICK_STEPS, first_in_few_steps};
pub(crate) use uneven::{Aim, UnevenSearch};

/// Two nodes are opened together if the ratio of their sizes is at most this; otherwise the larger
/// is opened alone.
const MAX_SIZE_RATIO: f32 = 3.0;

/// When more pairs of leaves than this are collected, all of them are processed. Processing in
/// batches leaves time for prefetches.
const LEAF_PAIRS_PER_BATCH: usize = 32;

/// The smallest squared length that `f32` computes with a small relative error.
const MIN_SQUARED_LENGTH: f32 = 1e-30;

/// A tree of eight-wide nodes over the triangles of a mesh.
///
/// [`Mesh::tree`] keeps one with the mesh; queries use that.
///
/// ```
/// use impinge::shapes;
///
/// let ring = shapes::torus(1.0, 0.4, 64, 32)?;
/// let tree = ring.tree();
/// println!("{} bytes a triangle", tree.bytes() / ring.triangles().len());
/// assert_eq!(tree.validate(&ring), Ok(()));
/// # Ok::<(), impinge::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Tree {
    frame: Frame,
    nodes: Vec<Node>,
    leaves: Vec<Leaf>,
    /// The box of the whole mesh and the root's link; `None` without triangles.
    root: Option<(LocalBox, Link)>,
    /// Upper bound of the distance of any point from the local origin, in local units.
    reach: f64,
    /// Upper bound of the coordinates of the mesh, and of every intermediate sum when they are
    /// converted to local coordinates.
    largest: f64,
    /// Unique to this state of the tree: two trees that differ have different stamps.
    stamp: u64,
}

impl Tree {
    /// Builds the tree of a mesh: top down, by the surface-area heuristic with sixteen bins for
    /// each axis. Every mesh is accepted: one triangle, all triangles equal, all centres equal, no
    /// triangles.
    #[must_use]
    pub fn build(mesh: &Mesh) -> Self {
        build::build(mesh)
    }

    /// As [`build`](Self::build), reporting the number of triangles that are done. `None` if
    /// `report` returned [`ControlFlow::Break`]. Any thread may call `report`.
    pub(crate) fn build_watched(
        mesh: &Mesh,
        report: &(dyn Fn(usize) -> ControlFlow<()> + Sync),
    ) -> Option<Self> {
        build::build_watched(mesh, report)
    }

    /// A stamp that no other tree has had.
    fn new_stamp() -> u64 {
        static LAST: AtomicU64 = AtomicU64::new(0);
        LAST.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Differs from the stamps of all trees that differ from this one.
    pub(crate) fn stamp(&self) -> u64 {
        self.stamp
    }

    /// Bytes that the tree takes, without the mesh.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.nodes.len() * size_of::<Node>() + self.leaves.len() * size_of::<Leaf>()
    }
}
