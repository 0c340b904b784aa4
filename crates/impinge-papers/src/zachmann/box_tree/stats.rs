//! Statistics of a box-tree.

use super::BoxTree;

/// The size and shape of a box-tree.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stats {
    /// The depth of the deepest leaf; the root is at 0.
    pub depth: usize,
    /// Nodes, leaves included.
    pub nodes: usize,
    /// Leaves that contain triangles.
    pub leaves: usize,
    /// Leaves without triangles.
    pub empty_leaves: usize,
    /// The maximum number of triangles of a leaf.
    pub largest_leaf: usize,
    /// The mean number of triangles per leaf that is not empty.
    pub triangles_per_leaf: f64,
    /// The number of triangles in all leaves divided by that of the mesh.
    pub triangle_copies: f64,
    /// The number of edges in all leaves divided by that of the mesh.
    pub edge_copies: f64,
}

impl BoxTree {
    /// Computes the statistics in one pass over the tree.
    #[must_use]
    pub fn stats(&self) -> Stats {
        let mut stats = Stats { nodes: self.nodes.len(), ..Stats::default() };
        let mut depths = vec![0_usize; self.nodes.len()];
        for (i, node) in self.nodes.iter().enumerate() {
            if !node.is_leaf() {
                depths[node.link as usize] = depths[i] + 1;
                depths[node.link as usize + 1] = depths[i] + 1;
                continue;
            }
            stats.depth = stats.depth.max(depths[i]);
            let size = self.leaf(node.link).triangles.len();
            stats.largest_leaf = stats.largest_leaf.max(size);
            if size == 0 {
                stats.empty_leaves += 1;
            } else {
                stats.leaves += 1;
            }
        }
        let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
        stats.triangles_per_leaf = share(self.triangles.len(), stats.leaves);
        stats.triangle_copies = share(self.triangles.len(), self.shared.len());
        let edges = self.edges.iter().max().map_or(0, |e| *e as usize + 1);
        stats.edge_copies = share(self.edges.len(), edges);
        stats
    }
}
