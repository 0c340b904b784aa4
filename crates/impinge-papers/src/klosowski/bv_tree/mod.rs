//! Binary (or wider) trees over any kind of bounding volume: the BV-trees of Klosowski et al. 1998.
//!
//! [`BvTree`] is built by one builder whose rules are parameters ([`BuildOptions`], sections 3.3
//! and 4.3). [`BvQuery`] holds two meshes with their trees and asks the questions: pairs that meet
//! in one of three [orders](Order) (section 4.2), pairs within a distance ([`BvQuery::near`]), an
//! answer within a [`Budget`](impinge::pair::Budget) (section 5.2.3), and queries along a motion
//! that start from the last one's [`Front`] (section 6.1). What they cost is counted by a
//! [`Counter`] (section 3.1), or not at all.
//!
//! A is the environment and stays at rest, B is the flying object: its volumes are moved when they
//! are first needed, each at most once a query, by a [`Tumble`] (section 4.1).
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
//! query.traverse_counted(&Pose::from_translation([0.1, 0.0, 0.3])?, Order::Environment, &mut pairs, &mut counts);
//! println!("{} pairs; N_v = {}, N_p = {}, N_u = {}", pairs.pairs.len(), counts.volume_pairs, counts.triangle_pairs, counts.updates);
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
use impinge::mesh::Mesh;

/// A tree of bounding volumes over the triangles of a mesh.
///
/// Plain arrays. What they promise, and [`BvTree::validate`] checks:
///
/// - `order` holds every triangle of the mesh once; a node's triangles are a range of it, and so
///   are those of each child;
/// - node 0 is the root, if there are triangles; the children of a node follow each other, and come
///   after it;
/// - a node that is not a leaf has two children or more, none without triangles;
/// - the volume of a node holds the corners of all its triangles;
/// - no child is larger, by [`Node::size`], than its parent.
#[derive(Clone, Debug, PartialEq)]
pub struct BvTree<V> {
    nodes: Vec<Node>,
    /// By node.
    volumes: Vec<V>,
    order: Vec<u32>,
    /// Tells trees apart.
    key: u64,
}

/// A node: where its triangles, children and parent are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Node {
    start: u32,
    count: u32,
    /// The first child.
    child: u32,
    /// How many children; zero for leaves.
    degree: u32,
    /// The root is its own.
    parent: u32,
    size: f64,
}

impl Node {
    /// Whether there are no children.
    #[inline]
    #[must_use]
    pub fn is_leaf(&self) -> bool {
        self.degree == 0
    }

    /// The children, as numbers of nodes.
    #[inline]
    #[must_use]
    pub fn children(&self) -> Range<u32> {
        self.child..self.child + self.degree
    }

    /// The parent; the root's own is the root.
    #[must_use]
    pub fn parent(&self) -> u32 {
        self.parent
    }

    /// Where in [`BvTree::order`] the node's triangles are.
    #[inline]
    #[must_use]
    pub fn triangles(&self) -> Range<usize> {
        self.start as usize..(self.start + self.count) as usize
    }

    /// [`Volume::size`] of the volume, or that of its largest descendant if that is larger: what
    /// decides which of two nodes is opened.
    #[inline]
    #[must_use]
    pub fn size(&self) -> f64 {
        self.size
    }
}

impl<V: Volume> BvTree<V> {
    /// Builds the tree of a mesh. Any mesh will do: one triangle, all triangles equal, all
    /// centroids equal, none at all. The same tree with and without [`BuildOptions::parallel`].
    #[must_use]
    pub fn build(mesh: &Mesh, options: &BuildOptions) -> Self {
        build::build(mesh, options)
    }

    /// The nodes; the first is the root. Empty without triangles.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The volume of each node, in the mesh's own frame.
    #[must_use]
    pub fn volumes(&self) -> &[V] {
        &self.volumes
    }

    /// The triangles, those of one node together.
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

    /// The length of the longest way from the root to a leaf; zero for one leaf alone.
    #[must_use]
    pub fn height(&self) -> usize {
        let mut depth = vec![0; self.nodes.len()];
        for (i, node) in self.nodes.iter().enumerate().skip(1) {
            depth[i] = depth[node.parent as usize] + 1;
        }
        depth.into_iter().max().unwrap_or(0)
    }

    /// Bytes the tree takes beside the mesh.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.nodes.len() * (size_of::<Node>() + size_of::<V>())
            + self.order.len() * size_of::<u32>()
    }

    /// The sum of the volumes of all nodes: the paper's measure of how well a tree fits (section
    /// 3.3.4).
    #[must_use]
    pub fn total_volume(&self) -> f64 {
        self.volumes.iter().map(V::volume).sum()
    }
}
