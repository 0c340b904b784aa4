//! The size of a tree.

use super::Tree;
use super::node::Link;

/// The size of a tree, in the sense of [`Tree::size`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TreeSize {
    /// Inner nodes.
    pub nodes: usize,
    /// Leaves.
    pub leaves: usize,
    /// Triangles in the leaves.
    pub triangles: usize,
    /// Nodes on the longest path from the root to a leaf; zero if there is one leaf or none.
    pub depth: usize,
    /// Bytes without the mesh.
    pub bytes: usize,
}

impl TreeSize {
    /// Bytes for each triangle, without the mesh; zero if there are no triangles.
    #[must_use]
    pub fn bytes_per_triangle(&self) -> f64 {
        if self.triangles == 0 { 0.0 } else { self.bytes as f64 / self.triangles as f64 }
    }
}

impl Tree {
    /// The number of nodes, leaves and triangles, the depth, and the memory.
    ///
    /// ```
    /// let size = impinge::shapes::torus(1.0, 0.4, 64, 32)?.tree().size();
    /// assert_eq!(size.triangles, 4096);
    /// assert!(size.leaves >= 512 && size.depth >= 3);
    /// # Ok::<(), impinge::Error>(())
    /// ```
    #[must_use]
    pub fn size(&self) -> TreeSize {
        let mut depth = 0;
        let mut open: Vec<(Link, usize)> =
            self.root.map(|(_, link)| (link, 0)).into_iter().collect();
        while let Some((link, levels)) = open.pop() {
            depth = depth.max(levels);
            if !link.is_leaf() {
                open.extend(self.nodes[link.index()].links().map(|(_, link)| (link, levels + 1)));
            }
        }
        TreeSize {
            nodes: self.nodes.len(),
            leaves: self.leaves.len(),
            triangles: self.triangle_count(),
            depth,
            bytes: self.bytes(),
        }
    }
}
