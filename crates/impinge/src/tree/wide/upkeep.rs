//! Keeping a tree good while its mesh deforms: refit what moved, notice what has become slow,
//! rebuild that and nothing else.
//!
//! A tree over a rigid mesh knows no way up. [`Upkeep`] holds what a deforming one needs beside it:
//! for each triangle its leaf, for each leaf and node where it hangs, and for each node what it
//! costs.
//!
//! **Cost.** What a query pays below a node grows with the surface of the boxes there (Goldsmith &
//! Salmon 1987, "Automatic creation of object hierarchies for ray tracing"): the cost of a node is
//! the sum of the surfaces of all boxes below it, and the measure is that cost over the surface of
//! the node's own box, compared with the same ratio when the node was built. Stretching, turning or
//! scaling a part changes both; triangles that part company change only the cost.
//!
//! **What is rebuilt.** Bottom up, a node is to be rebuilt if its ratio exceeds the limit even with
//! everything that is to be rebuilt below it as good as new. So a crumpled corner is rebuilt as a
//! corner, and the whole tree only if the damage is everywhere. Refitting enlarged volumes and
//! rebuilding are the two ways that Klosowski et al. 1998 name for deforming objects in section
//! 6.1.

use crate::mesh::Mesh;

use super::Tree;
use super::node::{Link, LocalBox};
use super::refit::fit_node;

/// Where a leaf or node hangs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hook {
    pub(super) node: u32,
    pub(super) slot: u8,
}

impl Hook {
    /// The hook of what is not below any node.
    pub(super) const ROOT: Self = Self { node: u32::MAX, slot: 0 };
}

/// What is known about a node beside its boxes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Care {
    pub(super) hook: Hook,
    /// Nodes above it.
    pub(super) depth: u32,
    /// Half the surface of all boxes below it, in local units.
    pub(super) cost: f64,
    /// The cost that will be left when everything planned below is rebuilt.
    pub(super) left: f64,
    /// The cost over the surface of the own box when it was built.
    pub(super) fresh: f64,
    pub(super) planned: bool,
}

impl Care {
    pub(super) fn new(hook: Hook, depth: u32) -> Self {
        Self { hook, depth, cost: 0.0, left: 0.0, fresh: 0.0, planned: false }
    }
}

/// What a deforming mesh keeps beside its tree.
#[derive(Clone, Debug)]
pub(crate) struct Upkeep {
    pub(super) nodes: Vec<Care>,
    /// Where each leaf hangs.
    pub(super) leaves: Vec<Hook>,
    /// The leaf of each triangle.
    pub(super) leaf_of: Vec<u32>,
    /// Nodes and leaves that no longer lie beside their neighbours in the tree.
    pub(super) strayed: usize,
    /// A node is rebuilt when its ratio has grown by this factor.
    limit: f64,
    /// Leaves in the making of a list; all false between calls.
    marked: Vec<bool>,
}

/// What following a move of vertices took: the answer of
/// [`Deforming::move_all`](crate::Deforming::move_all).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Refitted {
    /// Leaves whose corners were computed again.
    pub leaves: usize,
    /// Nodes whose boxes were computed again.
    pub nodes: usize,
    /// Triangles whose subtree was built anew.
    pub rebuilt: usize,
}

impl Upkeep {
    /// For a tree that is as good as new. `limit` is the factor by which the cost of a subtree may
    /// grow; at least one.
    pub(crate) fn new(tree: &Tree, mesh: &Mesh, limit: f64) -> Self {
        let mut upkeep = Self {
            nodes: Vec::new(),
            leaves: Vec::new(),
            leaf_of: vec![0; mesh.triangles().len()],
            strayed: 0,
            limit,
            marked: Vec::new(),
        };
        upkeep.hang(tree);
        for node in tree.all_nodes().into_iter().rev() {
            upkeep.appraise(tree, node as usize);
        }
        upkeep
    }

    /// The factor by which the cost of a subtree may grow.
    pub(crate) fn limit(&self) -> f64 {
        self.limit
    }

    /// Finds out where everything hangs.
    pub(super) fn hang(&mut self, tree: &Tree) {
        self.nodes.clear();
        self.nodes.resize(tree.nodes.len(), Care::new(Hook::ROOT, 0));
        self.leaves.clear();
        self.leaves.resize(tree.leaves.len(), Hook::ROOT);
        for node in tree.all_nodes() {
            let depth = self.nodes[node as usize].depth + 1;
            for (slot, link) in tree.nodes[node as usize].links() {
                let hook = Hook { node, slot: slot as u8 };
                if link.is_leaf() {
                    self.leaves[link.index()] = hook;
                } else {
                    self.nodes[link.index()] = Care::new(hook, depth);
                }
            }
        }
        for (index, leaf) in tree.leaves.iter().enumerate() {
            for triangle in &leaf.triangles[..leaf.count as usize] {
                self.leaf_of[*triangle as usize] = index as u32;
            }
        }
    }

    /// Takes the cost of a node, from those below it, as what it is when new.
    pub(super) fn appraise(&mut self, tree: &Tree, node: usize) {
        let (cost, _) = self.costs(tree, node);
        let own = surface(&tree.nodes[node].own);
        let care = &mut self.nodes[node];
        (care.cost, care.left) = (cost, cost);
        // Nothing is known about a node that was built as a point or a line: one is the ratio of a
        // good one.
        care.fresh = if own > 0.0 { cost / own } else { 1.0 };
    }

    /// The cost of a node, now and with everything planned below it rebuilt.
    fn costs(&self, tree: &Tree, node: usize) -> (f64, f64) {
        let (mut cost, mut left) = (0.0, 0.0);
        for (slot, link) in tree.nodes[node].links() {
            let own = surface(&tree.nodes[node].get(slot));
            (cost, left) = (cost + own, left + own);
            if !link.is_leaf() {
                cost += self.nodes[link.index()].cost;
                left += self.nodes[link.index()].left;
            }
        }
        (cost, left)
    }

    /// Fits the tree to `mesh` after its vertices have moved: all of them, or those of the
    /// triangles given (which may be named more than once).
    ///
    /// `tree` must be the one this belongs to.
    pub(crate) fn refit(
        &mut self,
        tree: &mut Tree,
        mesh: &Mesh,
        moved: Option<&[u32]>,
    ) -> Refitted {
        // Whatever was learnt from the tree as it was does not hold any more.
        tree.stamp = Tree::new_stamp();
        let some = moved.filter(|_| tree.frame.suits(mesh)).map(|t| self.leaves_of(t));
        let most = tree.leaves.len() / 2;
        let leaves = some.filter(|some| some.len() <= most).unwrap_or_else(|| {
            tree.frame = tree.frame.refitted(mesh);
            (0..tree.leaves.len() as u32).collect()
        });
        let mut touched = Vec::with_capacity(leaves.len());
        for leaf in &leaves {
            let bounds = tree.refit_leaf(mesh, *leaf as usize);
            let hook = self.leaves[*leaf as usize];
            self.set(tree, hook, &bounds, Link::leaf(*leaf as usize));
            if hook != Hook::ROOT {
                touched.push(hook.node);
            }
        }
        let touched = self.settle(tree, touched, true);
        let rebuilt = self.rebuild(tree, mesh, &touched);
        Refitted { leaves: leaves.len(), nodes: touched.len(), rebuilt }
    }

    /// The leaves of triangles, each once, ascending.
    fn leaves_of(&mut self, triangles: &[u32]) -> Vec<u32> {
        self.marked.resize(self.leaves.len(), false);
        let mut leaves = Vec::new();
        for triangle in triangles {
            let leaf = self.leaf_of[*triangle as usize];
            if !std::mem::replace(&mut self.marked[leaf as usize], true) {
                leaves.push(leaf);
            }
        }
        for leaf in &leaves {
            self.marked[*leaf as usize] = false;
        }
        leaves.sort_unstable();
        leaves
    }

    /// Writes a box to where its leaf or node hangs.
    pub(super) fn set(&self, tree: &mut Tree, hook: Hook, bounds: &LocalBox, link: Link) {
        if hook == Hook::ROOT {
            tree.set_root(bounds, link);
        } else {
            tree.hang(hook.node as usize, hook.slot as usize, bounds, link);
        }
    }

    /// Brings boxes and costs of the nodes and of all above them up to date, and marks what is to
    /// be rebuilt if `plan`. Returns the nodes it has visited, each once, those below before those
    /// above.
    pub(super) fn settle(&mut self, tree: &mut Tree, nodes: Vec<u32>, plan: bool) -> Vec<u32> {
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
                let hook = self.settle_one(tree, node as usize, plan);
                if let Some(above) = levels.last_mut() {
                    above.push(hook.node);
                }
                visited.push(node);
            }
        }
        visited
    }

    fn settle_one(&mut self, tree: &mut Tree, node: usize, plan: bool) -> Hook {
        let bounds = fit_node(&tree.nodes[node]);
        tree.nodes[node].own = bounds;
        let (cost, left) = self.costs(tree, node);
        let care = &mut self.nodes[node];
        (care.cost, care.left) = (cost, left);
        let expected = care.fresh * surface(&bounds);
        care.planned = plan && left > self.limit * expected;
        if care.planned {
            care.left = expected;
        }
        let hook = care.hook;
        self.set(tree, hook, &bounds, Link::node(node));
        hook
    }

    /// Rebuilds the highest of the nodes that are planned. Returns the number of triangles below
    /// them.
    fn rebuild(&mut self, tree: &mut Tree, mesh: &Mesh, settled: &[u32]) -> usize {
        let mut tops = Vec::new();
        for node in settled.iter().rev() {
            // Those above come first, and hand their mark down to what is settled below them.
            let above = self.nodes[*node as usize].hook.node;
            let covered = above != u32::MAX && self.nodes[above as usize].planned;
            if self.nodes[*node as usize].planned && !covered {
                tops.push(*node);
            }
            self.nodes[*node as usize].planned |= covered;
        }
        for node in settled {
            self.nodes[*node as usize].planned = false;
        }
        if tops.is_empty() {
            return 0;
        }
        let parts: Vec<_> = tops.iter().map(|node| tree.below(*node)).collect();
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

/// Half the surface of a box.
pub(super) fn surface(bounds: &LocalBox) -> f64 {
    let [x, y, z] = bounds.half.map(|h| 2.0 * f64::from(h));
    x * y + y * z + z * x
}
