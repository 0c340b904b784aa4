//! Binary or wider trees over any kind of bounding volume: the BV-trees of Klosowski et al. 1998.
//!
//! [`BvTree`] is built by one builder whose rules are parameters ([`BuildOptions`], sections 3.3
//! and 4.3). [`BvQuery`] stores two meshes with their trees and offers the queries: intersecting
//! pairs in one of three traversal [orders](Order) (section 4.2), pairs within a distance
//! ([`BvQuery::near`]), a query within a [`Budget`](impinge::pair::Budget) (section 5.2.3), and
//! queries along a motion that start from the [`Front`] of the last query (section 6.1). A
//! [`Counter`] optionally counts the operations (section 3.1).
//!
//! A is the environment and stays at rest. B is the flying object. A [`Tumble`] (section 4.1) moves
//! a volume of B when it is first needed, at most once per query.
//!
//! ```
//! use impinge_papers::klosowski::bv_tree::{BuildOptions, BvQuery, BvTree, Counts, Order};
//! use impinge_papers::klosowski::volume::Dop18;
//! use impinge::pair::Collect;
//! use impinge::{Pose, shapes};
//!
//! let (pot, ring) = (shapes::uv_sphere(1.0, 24, 48)?, shapes::torus(1.0, 0.2, 32, 16)?);
//! let environment = BvTree::<Dop18>::build(&pot, &BuildOptions::environment());
//! let flying = BvTree::<Dop18>::build(&ring, &BuildOptions::flying());
//! let mut query = BvQuery::new((&pot, &environment), (&ring, &flying))?;
//!
//! let (mut pairs, mut counts) = (Collect::default(), Counts::default());
//! let pose = Pose::from_translation([0.1, 0.0, 0.3])?;
//! query.traverse_counted(&pose, Order::Environment, &mut pairs, &mut counts);
//! println!("{} pairs", pairs.pairs.len());
//! let Counts { volume_pairs, triangle_pairs, updates } = counts;
//! println!("N_v = {volume_pairs}, N_p = {triangle_pairs}, N_u = {updates}");
//! # assert!(!pairs.pairs.is_empty() && counts.updates <= flying.nodes().len() as u64);
//! # Ok::<(), impinge::Error>(())
//! ```

mod budget;
mod build;
mod cluster;
mod counters;
mod front;
mod near;
mod options;
mod query;
mod shapes;
mod split;
mod traverse;
mod tumble;
mod validate;

use std::ops::Range;

pub use counters::{Costs, Counter, Counts, Recording};
pub use front::Front;
pub use options::{BuildOptions, Measure, SplitPoint, SplitRule, Threshold};
pub use query::{BvQuery, Scratch};
pub use shapes::{ByShape, DopShapes, TumbleOptions};
pub use traverse::Order;
pub use tumble::{ByMotion, Tumble};

use crate::klosowski::volume::Volume;
use impinge::mesh::{Fingerprint, Mesh};

/// A tree of bounding volumes over the triangles of a mesh.
///
/// The tree is stored in plain arrays with these invariants, which [`BvTree::validate`] checks:
///
/// - `order` holds every triangle of the mesh once. The triangles of a node are a range of `order`,
///   and those of its children are consecutive parts of that range;
/// - node 0 is the root, if there are triangles. The children of a node have consecutive numbers,
///   larger than that of the node;
/// - an inner node has at least two children, each with at least one triangle;
/// - the volume of a node contains the corners of all its triangles;
/// - the [`Node::size`] of a child is at most that of its parent.
#[derive(Clone, Debug, PartialEq)]
pub struct BvTree<V> {
    nodes: Vec<Node>,
    /// The volume of each node.
    volumes: Vec<V>,
    order: Vec<u32>,
    /// A hash that identifies the tree.
    key: u64,
    /// The fingerprint of the mesh.
    mesh: Fingerprint,
}

/// A node: the ranges of its triangles and children, and its parent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Node {
    start: u32,
    count: u32,
    /// The first child.
    child: u32,
    /// The number of children; zero for leaves.
    degree: u32,
    /// The root is its own parent.
    parent: u32,
    size: f64,
}

impl Node {
    /// Whether the node has no children.
    #[inline]
    #[must_use]
    pub fn is_leaf(&self) -> bool {
        self.degree == 0
    }

    /// The numbers of the children.
    #[inline]
    #[must_use]
    pub fn children(&self) -> Range<u32> {
        self.child..self.child + self.degree
    }

    /// The number of the parent. The root is its own parent.
    #[must_use]
    pub fn parent(&self) -> u32 {
        self.parent
    }

    /// The range of [`BvTree::order`] that holds the triangles of the node.
    #[inline]
    #[must_use]
    pub fn triangles(&self) -> Range<usize> {
        self.start as usize..(self.start + self.count) as usize
    }

    /// The largest [`Volume::size`] among the volumes of the node and its descendants. The larger
    /// of two nodes is opened.
    #[inline]
    #[must_use]
    pub fn size(&self) -> f64 {
        self.size
    }
}

impl<V: Volume> BvTree<V> {
    /// Builds the tree of a mesh. Every mesh is accepted: one triangle, all triangles equal, all
    /// centroids equal, no triangles. The tree does not depend on [`BuildOptions::parallel`].
    #[must_use]
    pub fn build(mesh: &Mesh, options: &BuildOptions) -> Self {
        build::build(mesh, options)
    }

    /// The nodes. The first one is the root. Empty if the mesh has no triangles.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The volume of each node, in the frame of the mesh.
    #[must_use]
    pub fn volumes(&self) -> &[V] {
        &self.volumes
    }

    /// The triangles, ordered so that those of each node are consecutive.
    #[must_use]
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// The triangles of a node.
    ///
    /// # Panics
    /// If there is no such node.
    #[inline]
    #[must_use]
    pub fn triangles_of(&self, node: u32) -> &[u32] {
        &self.order[self.nodes[node as usize].triangles()]
    }

    /// The number of edges on the longest path from the root to a leaf; zero for a single leaf.
    #[must_use]
    pub fn height(&self) -> usize {
        let mut depth = vec![0; self.nodes.len()];
        for (i, node) in self.nodes.iter().enumerate().skip(1) {
            depth[i] = depth[node.parent as usize] + 1;
        }
        depth.into_iter().max().unwrap_or(0)
    }

    /// Memory of the tree in bytes, without the mesh.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.nodes.len() * (size_of::<Node>() + size_of::<V>())
            + self.order.len() * size_of::<u32>()
    }

    /// The sum of the volumes of all nodes: the paper's measure of the quality of a tree (section
    /// 3.3.4).
    #[must_use]
    pub fn total_volume(&self) -> f64 {
        self.volumes.iter().map(V::volume).sum()
    }
}
