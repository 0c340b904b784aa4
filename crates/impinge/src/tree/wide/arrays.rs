//! Read access to the arrays of a tree.

use super::Tree;
use super::frame::Frame;
use super::leaf::Leaf;
use super::node::{Link, LocalBox, Node};

/// The arrays of a tree. All coordinates are in its local frame.
///
/// Every node and every leaf is the target of exactly one link, and every triangle is in exactly
/// one leaf. The box of a slot contains everything below it.
#[derive(Clone, Copy, Debug)]
pub struct Arrays<'a> {
    /// The local frame.
    pub frame: &'a Frame,
    /// The nodes; an index is that of a link.
    pub nodes: &'a [Node],
    /// The leaves; an index is that of a link to a leaf.
    pub leaves: &'a [Leaf],
    /// The box of the whole mesh and the link to the root; `None` without triangles.
    pub root: Option<(LocalBox, Link)>,
    /// An upper bound of the distance of any point of the mesh from the local origin.
    pub reach: f64,
}

/// The arrays of a tree.
#[must_use]
pub fn arrays(tree: &Tree) -> Arrays<'_> {
    let Tree { frame, nodes, leaves, root, reach, .. } = tree;
    Arrays { frame, nodes, leaves, root: *root, reach: *reach }
}
