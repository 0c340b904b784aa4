//! The tree that pair queries descend: eight-wide nodes of `f32` boxes over leaves of eight
//! triangles.
//!
//! **Layout.** Boxes and corners are stored in a local [frame](frame::Frame) about the middle of
//! the mesh, along the directions its edges run in, scaled by a power of two, in `f32`: boxes
//! rounded outward, corners with a known error. A node holds eight boxes side by side and a leaf
//! eight triangles, so that one instruction works on all of them. Each box comes with a sheet, a
//! flat cylinder about the same triangles, which sees gaps that boxes askew to the surface do not.
//! About 66 bytes a triangle. Plain arrays; [`Tree::validate`] states what they promise.
//!
//! **Traversal.** Both trees are descended at once. A step compares the eight boxes of a node with
//! the eight of another, along the three axes of each frame, and then the sheets of those that
//! overlap with each other and with the boxes. If one node is more than three times as large as the
//! other, or the other is a leaf, the one is opened alone. Pairs of leaves are collected and
//! compared in batches, small ones at first, while the next leaves are fetched. Where the first hit
//! is enough, the pair that is likeliest to meet by its sheets is looked at first.
//!
//! **Near pairs.** The same descent with a limit instead of overlap, and lower bounds of distances
//! instead of box tests, finds distances and pairs within epsilon.
//!
//! **Far apart.** Where the meshes are much smaller than the way between them, `f32` tells no pairs
//! from each other; [`far`] finds near pairs in `f64`, leaving out what all pairs have in common.
//!
//! **Budgets.** The same descent with another [`Pace`](traverse::Pace): it opens the likeliest and
//! the deepest pair in turn, and sums up what is left when its time is up.
//!
//! **Exact.** Boxes are grown by more than rounding can move anything, and the `f32` triangle test
//! says "apart" or "crossing" only where its error bound allows; what it leaves open goes to
//! [`exact`](crate::exact). The bounds are derived in `docs/notes/tree.md`. So the pairs are those
//! of brute force, whatever the machine.
//!
//! **Machines.** On x86-64 with AVX2 and FMA, found at run time, vectors are registers; elsewhere
//! they are arrays. A plain build has both.
//!
//! **Tried and left out.**
//!
//! - Slabs across the normal in the leaves alone: a quarter less time for nested spheres a
//!   hundredth apart, 0.2 us more for every query. Sheets in all nodes took their place.
//! - Four steps at a time, their nodes fetched beforehand; fetching leaves when a pair of them is
//!   put on the list: no gain.
//! - Eight or sixteen steps at a time: 2 % where meshes do not meet, a third and more lost in the
//!   first hit of deep overlap.
//! - Sheets and boxes against each other also where a leaf meets a node: what it saves is what it
//!   costs. Two nodes along the way from centre to centre, or between the normals: 1 to 3 % fewer
//!   steps.
//! - Splitting the group with the most triangles next, instead of the one that costs most: no gain.
//! - Sheets against the box where one node is opened alone, and the likeliest of its slots first: 3
//!   % for a small body in a room, 1 to 2 % lost elsewhere.
//! - First hits with a step in flight after the first ten, as where every pair counts: 3 to 6 %
//!   lost for shallow overlap, nothing won.
//! - Boxes of B that miss all of A's node found along A's axes first, or as well: 1 to 5 % lost.
//! - The start of a query, rotations and margins, compiled for AVX2 with the rest: a fifth more
//!   instructions, and 25 ns lost.
//! - Axes along the principal directions of a scanned surface: no gain; sheets see what is askew
//!   there.

#![allow(
    clippy::needless_range_loop,
    reason = "lanes and axes are indices into several arrays at once"
)]

#[cfg(test)]
mod boundary_tests;
mod budgeted;
mod build;
mod cached;
mod far;
mod frame;
mod gather;
mod lanes;
mod leaf;
mod near;
mod near_batch;
mod near_boxes;
mod near_first;
mod near_leaf;
mod near_pairs;
mod node;
mod overlap;
mod pairs;
mod parallel;
mod ray;
mod refit;
mod relative;
#[cfg(test)]
mod samples;
mod seek;
mod sheet;
mod size;
mod splice;
mod split;
mod store;
mod traverse;
mod triangles;
mod two_nodes;
mod upkeep;
mod validate;

use std::sync::atomic::{AtomicU64, Ordering};

use crate::mesh::Mesh;
use frame::Frame;
use leaf::Leaf;
use node::{Link, LocalBox, Node};

pub(crate) use budgeted::first_within;
pub use cached::MeshCache;
pub(crate) use cached::first_cached;
pub(crate) use far::{Effort, SearchLimits, are_far, near_far};
pub use near::near;
pub(crate) use parallel::par_pairs;
pub(crate) use ray::Cast;
pub(crate) use seek::Seek;
pub use size::TreeSize;
pub use store::FORMAT;
pub(crate) use traverse::first_soon;
pub use traverse::traverse;
pub use upkeep::Refitted;
pub(crate) use upkeep::Upkeep;

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
    /// The box of everything and where it leads; `None` without triangles.
    root: Option<(LocalBox, Link)>,
    /// No point is further from the origin than this, in local units.
    reach: f64,
    /// No coordinate of the mesh, and no sum on the way to its local ones, is larger than this.
    largest: f64,
    /// No two trees that differ have the same.
    stamp: u64,
}

impl Tree {
    /// Builds the tree of a mesh: top down, by the surface-area heuristic over sixteen bins an
    /// axis. Any mesh will do: one triangle, all triangles equal, all centres equal, none at all.
    #[must_use]
    pub fn build(mesh: &Mesh) -> Self {
        build::build(mesh)
    }

    /// A stamp that no tree had before.
    fn new_stamp() -> u64 {
        static LAST: AtomicU64 = AtomicU64::new(0);
        LAST.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Bytes the tree takes beside the mesh.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.nodes.len() * size_of::<Node>() + self.leaves.len() * size_of::<Leaf>()
    }
}
