//! Maintains the quality of a tree while its mesh deforms: refits what moved, detects subtrees that
//! have become slow, and rebuilds only those.
//!
//! A tree has no links to parents. [`TreeRefitState`] holds what a deforming mesh needs in
//! addition: the leaf of each triangle, the parent of each leaf and node, and the cost of each
//! node.
//!
//! **Cost.** The expected cost of a query below a node grows with the surface area of the boxes
//! there (Goldsmith & Salmon 1987, "Automatic creation of object hierarchies for ray tracing"). The
//! cost of a node is the sum of the surface areas of all boxes below it. The measure is the ratio
//! of that cost to the surface area of the node's own box, compared with the same ratio when the
//! node was built. Stretching, rotating or scaling a part changes both; triangles that move apart
//! change only the cost.
//!
//! **What is rebuilt.** Bottom up, a node is marked for rebuilding if its ratio exceeds the limit
//! even with the cost that remains after the marked subtrees below it are rebuilt. So local damage
//! is repaired locally, and the whole tree is rebuilt only if the damage is everywhere. Refitting
//! enlarged volumes and rebuilding are the two ways that Klosowski et al. 1998 name for deforming
//! objects in section 6.1.

use crate::arrays::MapEach;
use crate::mesh::Mesh;

use super::Tree;
use super::node::{Link, LocalBox};
use super::refit::fit_node;

/// The parent of a leaf or node: a node and one of its slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Parent {
    pub(super) node: u32,
    pub(super) slot: u8,
}

impl Parent {
    /// The parent of the root, which has none.
    pub(super) const NONE: Self = Self { node: u32::MAX, slot: 0 };
}

/// The parent and the cost of a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeState {
    pub(super) parent: Parent,
    /// Number of nodes above it.
    pub(super) depth: u32,
    /// Half the surface area of all boxes below it, in local units.
    pub(super) cost: f64,
    /// The cost after everything marked below it is rebuilt.
    pub(super) cost_after_rebuild: f64,
    /// Ratio of the cost to the surface area of its own box when it was built.
    pub(super) built_ratio: f64,
    /// Whether the node is marked for rebuilding.
    pub(super) is_marked: bool,
}

impl NodeState {
    pub(super) fn new(parent: Parent, depth: u32) -> Self {
        Self {
            parent,
            depth,
            cost: 0.0,
            cost_after_rebuild: 0.0,
            built_ratio: 0.0,
            is_marked: false,
        }
    }
}

/// The state that a deforming mesh keeps in addition to its tree.
#[derive(Clone, Debug)]
pub(crate) struct TreeRefitState {
    pub(super) nodes: Vec<NodeState>,
    /// The parent of each leaf.
    pub(super) leaves: Vec<Parent>,
    /// The leaf of each triangle.
    pub(super) leaf_of: Vec<u32>,
    /// Number of nodes and leaves that are not stored next to their neighbours in the tree.
    pub(super) displaced: usize,
    /// A node is rebuilt when its ratio has grown by this factor.
    limit: f64,
    /// Flags of leaves that are used while a list is made; all false between calls.
    is_listed: Vec<bool>,
}

/// The work that an update after a move of vertices took: the result of
/// [`Deforming::move_all`](crate::Deforming::move_all).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Refitted {
    /// Number of leaves whose corners were computed again.
    pub leaves: usize,
    /// Number of nodes whose boxes were computed again.
    pub nodes: usize,
    /// Number of triangles whose subtree was rebuilt.
    pub rebuilt: usize,
}

impl TreeRefitState {
    /// For a newly built tree. `limit` is the factor by which the cost of a subtree may grow; at
    /// least one.
    pub(crate) fn new(tree: &Tree, mesh: &Mesh, limit: f64) -> Self {
        let mut state = Self {
            nodes: Vec::new(),
            leaves: Vec::new(),
            leaf_of: vec![0; mesh.triangles().len()],
            displaced: 0,
            limit,
            is_listed: Vec::new(),
        };
        state.find_parents(tree);
        for node in tree.all_nodes().into_iter().rev() {
            state.record_built_cost(tree, node as usize);
        }
        state
    }

    /// The factor by which the cost of a subtree may grow.
    pub(crate) fn limit(&self) -> f64 {
        self.limit
    }

    /// Computes the parents of all nodes and leaves, and the leaves of all triangles.
    pub(super) fn find_parents(&mut self, tree: &Tree) {
        self.nodes.clear();
        self.nodes.resize(tree.nodes.len(), NodeState::new(Parent::NONE, 0));
        self.leaves.clear();
        self.leaves.resize(tree.leaves.len(), Parent::NONE);
        for node in tree.all_nodes() {
            let depth = self.nodes[node as usize].depth + 1;
            for (slot, link) in tree.nodes[node as usize].links() {
                let parent = Parent { node, slot: slot as u8 };
                if link.is_leaf() {
                    self.leaves[link.index()] = parent;
                } else {
                    self.nodes[link.index()] = NodeState::new(parent, depth);
                }
            }
        }
        for (index, leaf) in tree.leaves.iter().enumerate() {
            for triangle in &leaf.triangles[..leaf.count as usize] {
                self.leaf_of[*triangle as usize] = index as u32;
            }
        }
    }

    /// Computes the cost of a node from those below it, and records it as the cost when built.
    pub(super) fn record_built_cost(&mut self, tree: &Tree, node: usize) {
        let (cost, _) = self.costs(tree, node);
        let area = surface(&tree.nodes[node].bounds);
        let state = &mut self.nodes[node];
        (state.cost, state.cost_after_rebuild) = (cost, cost);
        // A node that was built as a point or a line has no ratio; one is the ratio of a good node.
        state.built_ratio = if area > 0.0 { cost / area } else { 1.0 };
    }

    /// The cost of a node, now and after everything marked below it is rebuilt.
    fn costs(&self, tree: &Tree, node: usize) -> (f64, f64) {
        let (mut cost, mut cost_after_rebuild) = (0.0, 0.0);
        for (slot, link) in tree.nodes[node].links() {
            let area = surface(&tree.nodes[node].get(slot));
            (cost, cost_after_rebuild) = (cost + area, cost_after_rebuild + area);
            if !link.is_leaf() {
                cost += self.nodes[link.index()].cost;
                cost_after_rebuild += self.nodes[link.index()].cost_after_rebuild;
            }
        }
        (cost, cost_after_rebuild)
    }

    /// Fits the tree to `mesh` after its vertices have moved: all of them, or those of the given
    /// triangles (which may be listed more than once).
    ///
    /// `tree` must be the tree that this state belongs to.
    pub(crate) fn refit(
        &mut self,
        tree: &mut Tree,
        mesh: &Mesh,
        moved: Option<&[u32]>,
    ) -> Refitted {
        // Caches of the previous state of the tree become invalid.
        tree.stamp = Tree::new_stamp();
        let some = moved.filter(|_| tree.frame.fits(mesh)).map(|t| self.leaves_of(t));
        let max_leaves = tree.leaves.len() / 2;
        let leaves = some.filter(|some| some.len() <= max_leaves).unwrap_or_else(|| {
            tree.frame = tree.frame.refitted(mesh);
            (0..tree.leaves.len() as u32).collect()
        });
        let mut changed = Vec::with_capacity(leaves.len());
        for leaf in &leaves {
            let bounds = tree.refit_leaf(mesh, *leaf as usize);
            let parent = self.leaves[*leaf as usize];
            self.set_child(tree, parent, &bounds, Link::leaf(*leaf as usize));
            if parent != Parent::NONE {
                changed.push(parent.node);
            }
        }
        let changed = self.update_upward(tree, changed, true);
        let rebuilt = self.rebuild(tree, mesh, &changed);
        Refitted { leaves: leaves.len(), nodes: changed.len(), rebuilt }
    }

    /// The leaves of triangles, each once, ascending.
    fn leaves_of(&mut self, triangles: &[u32]) -> Vec<u32> {
        self.is_listed.resize(self.leaves.len(), false);
        let mut leaves = Vec::new();
        for triangle in triangles {
            let leaf = self.leaf_of[*triangle as usize];
            if !std::mem::replace(&mut self.is_listed[leaf as usize], true) {
                leaves.push(leaf);
            }
        }
        for leaf in &leaves {
            self.is_listed[*leaf as usize] = false;
        }
        leaves.sort_unstable();
        leaves
    }

    /// Writes the box and link of a leaf or node to the slot of its parent.
    pub(super) fn set_child(&self, tree: &mut Tree, parent: Parent, bounds: &LocalBox, link: Link) {
        if parent == Parent::NONE {
            tree.set_root(bounds, link);
        } else {
            tree.set_child(parent.node as usize, parent.slot as usize, bounds, link);
        }
    }

    /// Updates the boxes and costs of the nodes and of all nodes above them, and marks nodes for
    /// rebuilding if `mark` is set. Returns the updated nodes, each once, children before parents.
    pub(super) fn update_upward(
        &mut self,
        tree: &mut Tree,
        nodes: Vec<u32>,
        mark: bool,
    ) -> Vec<u32> {
        let mut levels: Vec<Vec<u32>> = Vec::new();
        for node in nodes {
            let depth = self.nodes[node as usize].depth as usize;
            if levels.len() <= depth {
                levels.resize(depth + 1, Vec::new());
            }
            levels[depth].push(node);
        }
        let mut visited = Vec::new();
        while let Some(mut level) = levels.pop() {
            level.sort_unstable();
            level.dedup();
            for node in level {
                let parent = self.update_node(tree, node as usize, mark);
                if let Some(above) = levels.last_mut() {
                    above.push(parent.node);
                }
                visited.push(node);
            }
        }
        visited
    }

    fn update_node(&mut self, tree: &mut Tree, node: usize, mark: bool) -> Parent {
        let bounds = fit_node(&tree.nodes[node]);
        tree.nodes[node].bounds = bounds;
        let (cost, cost_after_rebuild) = self.costs(tree, node);
        let state = &mut self.nodes[node];
        (state.cost, state.cost_after_rebuild) = (cost, cost_after_rebuild);
        let expected = state.built_ratio * surface(&bounds);
        state.is_marked = mark && cost_after_rebuild > self.limit * expected;
        if state.is_marked {
            state.cost_after_rebuild = expected;
        }
        let parent = state.parent;
        self.set_child(tree, parent, &bounds, Link::node(node));
        parent
    }

    /// Rebuilds the highest of the marked nodes among `updated`. Returns the number of triangles
    /// below them.
    fn rebuild(&mut self, tree: &mut Tree, mesh: &Mesh, updated: &[u32]) -> usize {
        let mut roots = Vec::new();
        for node in updated.iter().rev() {
            // Parents come before children and pass their mark on to them.
            let above = self.nodes[*node as usize].parent.node;
            let covered = above != u32::MAX && self.nodes[above as usize].is_marked;
            if self.nodes[*node as usize].is_marked && !covered {
                roots.push(*node);
            }
            self.nodes[*node as usize].is_marked |= covered;
        }
        for node in updated {
            self.nodes[*node as usize].is_marked = false;
        }
        if roots.is_empty() {
            return 0;
        }
        let parts: Vec<_> = roots.iter().map(|node| tree.subtree(*node)).collect();
        let count = parts.iter().map(|part| part.triangles.len()).sum();
        if 2 * count > self.leaf_of.len() {
            *tree = Tree::build(mesh);
            *self = Self::new(tree, mesh, self.limit);
            return self.leaf_of.len();
        }
        self.replace(tree, mesh, parts);
        count
    }
}

/// Half the surface area of a box.
pub(super) fn surface(bounds: &LocalBox) -> f64 {
    let [x, y, z] = bounds.half.map_each(|h| 2.0 * f64::from(h));
    x * y + y * z + z * x
}
