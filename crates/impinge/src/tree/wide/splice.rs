//! Replaces subtrees in place.
//!
//! The arrays of a tree have no gaps. A new subtree takes the positions of the old one, in the same
//! order, so that neighbours in the tree stay neighbours in memory. If it needs more positions,
//! they are added at the end; if it needs fewer, the last entries of the array move into the gaps.
//! Entries that are displaced in this way are counted. When they exceed an eighth of the tree, the
//! arrays are sorted into the order of a new tree.

use crate::mesh::Mesh;

use super::maintenance::{NodeState, Parent, TreeRefitState};
use super::node::{Link, Node};
use super::{Tree, build};

/// A node and everything below it.
#[derive(Debug)]
pub(super) struct Subtree {
    nodes: Vec<u32>,
    leaves: Vec<u32>,
    /// Ascending, so that the rebuilt subtree does not depend on the previous structure.
    pub(super) triangles: Vec<u32>,
}

impl Tree {
    /// Collects a node and everything below it. Nodes and leaves are sorted by their positions.
    pub(super) fn subtree(&self, node: u32) -> Subtree {
        let mut subtree = Subtree { nodes: vec![node], leaves: Vec::new(), triangles: Vec::new() };
        let mut next = 0;
        while let Some(node) = subtree.nodes.get(next).copied() {
            next += 1;
            for (_, link) in self.nodes[node as usize].links() {
                if link.is_leaf() {
                    let leaf = &self.leaves[link.index()];
                    subtree.triangles.extend(&leaf.triangles[..leaf.count as usize]);
                    subtree.leaves.push(link.index() as u32);
                } else {
                    subtree.nodes.push(link.index() as u32);
                }
            }
        }
        subtree.nodes.sort_unstable();
        subtree.leaves.sort_unstable();
        subtree.triangles.sort_unstable();
        subtree
    }

    /// Sorts nodes and leaves into the order of a new tree; returns for each new position the old
    /// one, of nodes and of leaves.
    fn sort_arrays(&mut self) -> (Vec<u32>, Vec<u32>) {
        let nodes = self.all_nodes();
        let mut position = vec![0_u32; nodes.len()];
        for (new, old) in nodes.iter().enumerate() {
            position[*old as usize] = new as u32;
        }
        let mut ordered: Vec<Node> =
            nodes.iter().map(|n| self.nodes[*n as usize].clone()).collect();
        // Leaves are in the order in which a walk visits them.
        let mut leaves = Vec::with_capacity(self.leaves.len());
        let mut open: Vec<Link> = self.root.map(|(_, link)| link).into_iter().collect();
        let mut leaf_position = vec![0_u32; self.leaves.len()];
        while let Some(link) = open.pop() {
            if link.is_leaf() {
                leaf_position[link.index()] = leaves.len() as u32;
                leaves.push(link.index() as u32);
            } else {
                open.extend(self.nodes[link.index()].links().rev().map(|(_, link)| link));
            }
        }
        let renamed = |link: Link| {
            if link.is_leaf() {
                Link::leaf(leaf_position[link.index()] as usize)
            } else {
                Link::node(position[link.index()] as usize)
            }
        };
        for node in &mut ordered {
            for link in node.link.iter_mut().filter(|link| **link != Link::NONE) {
                *link = renamed(*link);
            }
        }
        self.nodes = ordered;
        self.leaves = leaves.iter().map(|l| self.leaves[*l as usize].clone()).collect();
        self.root = self.root.map(|(bounds, link)| (bounds, renamed(link)));
        (nodes, leaves)
    }
}

impl TreeRefitState {
    /// Rebuilds the given subtrees, which are disjoint.
    pub(super) fn replace(&mut self, tree: &mut Tree, mesh: &Mesh, parts: Vec<Subtree>) {
        let (mut free_nodes, mut free_leaves, mut changed) = (Vec::new(), Vec::new(), Vec::new());
        for part in parts {
            let parent = self.parent_of(&part);
            let new = build::build_part(mesh, tree.frame, &part.triangles);
            self.displaced += new.nodes.len().saturating_sub(part.nodes.len());
            self.displaced += new.leaves.len().saturating_sub(part.leaves.len());
            let nodes = positions(&part.nodes, new.nodes.len(), &mut free_nodes, tree.nodes.len());
            let leaves =
                positions(&part.leaves, new.leaves.len(), &mut free_leaves, tree.leaves.len());
            self.insert_subtree(tree, &new, parent, &nodes, &leaves);
            if parent != Parent::NONE {
                changed.push(parent.node);
            }
        }
        // The boxes of the new subtrees contain the same triangles, but differ in the last bits.
        self.update_upward(tree, changed, false);
        self.close_gaps(tree, free_nodes, free_leaves);
        if 8 * self.displaced > tree.nodes.len() + tree.leaves.len() {
            self.sort_arrays(tree);
        }
    }

    /// The parent of a subtree: the parent of its highest node.
    fn parent_of(&self, part: &Subtree) -> Parent {
        let root = part.nodes.iter().min_by_key(|n| self.nodes[**n as usize].depth);
        root.map_or(Parent::NONE, |n| self.nodes[*n as usize].parent)
    }

    /// Copies the tree `new` to the given positions, and makes it a child of `parent`.
    fn insert_subtree(
        &mut self,
        tree: &mut Tree,
        new: &Tree,
        parent: Parent,
        nodes: &[u32],
        leaves: &[u32],
    ) {
        let Some((bounds, root)) = &new.root else { return };
        let renamed = |link: Link| {
            if link.is_leaf() {
                Link::leaf(leaves[link.index()] as usize)
            } else {
                Link::node(nodes[link.index()] as usize)
            }
        };
        for (leaf, position) in new.leaves.iter().zip(leaves) {
            let at = *position as usize;
            if at == tree.leaves.len() {
                tree.leaves.push(leaf.clone());
                self.leaves.push(Parent::NONE);
            } else {
                tree.leaves[at] = leaf.clone();
            }
            for triangle in &leaf.triangles[..leaf.count as usize] {
                self.leaf_of[*triangle as usize] = *position;
            }
        }
        for (node, position) in new.nodes.iter().zip(nodes) {
            let mut node = node.clone();
            for link in node.link.iter_mut().filter(|link| **link != Link::NONE) {
                *link = renamed(*link);
            }
            let at = *position as usize;
            if at == tree.nodes.len() {
                tree.nodes.push(node);
                self.nodes.push(NodeState::new(Parent::NONE, 0));
            } else {
                tree.nodes[at] = node;
            }
        }
        self.set_child(tree, parent, bounds, renamed(*root));
        self.set_parent(renamed(*root), parent);
        let order: Vec<usize> =
            new.all_nodes().into_iter().map(|node| nodes[node as usize] as usize).collect();
        for node in &order {
            let links: Vec<_> = tree.nodes[*node].links().collect();
            for (slot, link) in links {
                self.set_parent(link, Parent { node: *node as u32, slot: slot as u8 });
            }
        }
        for node in order.into_iter().rev() {
            self.record_built_cost(tree, node);
        }
    }

    /// Records the parent of a link.
    fn set_parent(&mut self, link: Link, parent: Parent) {
        if link.is_leaf() {
            self.leaves[link.index()] = parent;
        } else {
            let depth = self.nodes.get(parent.node as usize).map(|state| state.depth + 1);
            self.nodes[link.index()] = NodeState::new(parent, depth.unwrap_or(0));
        }
    }

    /// Moves the last nodes and leaves into the free positions.
    fn close_gaps(&mut self, tree: &mut Tree, mut nodes: Vec<u32>, mut leaves: Vec<u32>) {
        leaves.sort_unstable();
        for free in leaves.into_iter().rev() {
            // All positions behind this one are in use: free ones are removed in descending order.
            let free = free as usize;
            tree.leaves.swap_remove(free);
            self.leaves.swap_remove(free);
            if let Some(leaf) = tree.leaves.get(free) {
                for triangle in &leaf.triangles[..leaf.count as usize] {
                    self.leaf_of[*triangle as usize] = free as u32;
                }
                self.relink(tree, self.leaves[free], Link::leaf(free));
                self.displaced += 1;
            }
        }
        nodes.sort_unstable();
        for free in nodes.into_iter().rev() {
            let free = free as usize;
            tree.nodes.swap_remove(free);
            self.nodes.swap_remove(free);
            if free < tree.nodes.len() {
                self.relink(tree, self.nodes[free].parent, Link::node(free));
                for (_, link) in tree.nodes[free].links() {
                    if link.is_leaf() {
                        self.leaves[link.index()].node = free as u32;
                    } else {
                        self.nodes[link.index()].parent.node = free as u32;
                    }
                }
                self.displaced += 1;
            }
        }
    }

    fn relink(&self, tree: &mut Tree, parent: Parent, link: Link) {
        if parent == Parent::NONE {
            tree.root = tree.root.map(|(bounds, _)| (bounds, link));
        } else {
            tree.nodes[parent.node as usize].link[parent.slot as usize] = link;
        }
    }

    fn sort_arrays(&mut self, tree: &mut Tree) {
        let (nodes, _) = tree.sort_arrays();
        let old = std::mem::take(&mut self.nodes);
        self.find_parents(tree);
        for (state, from) in self.nodes.iter_mut().zip(nodes) {
            *state = NodeState { parent: state.parent, depth: state.depth, ..old[from as usize] };
        }
        self.displaced = 0;
    }
}

/// Positions for `count` entries: first the old ones, then free ones, then new ones from `end` on.
/// Old positions that are not needed become free.
fn positions(old: &[u32], count: usize, free: &mut Vec<u32>, end: usize) -> Vec<u32> {
    let mut positions: Vec<u32> = old.iter().copied().take(count).collect();
    free.extend(old.iter().skip(count));
    while positions.len() < count {
        let Some(position) = free.pop() else { break };
        positions.push(position);
    }
    let missing = count - positions.len();
    positions.extend(end as u32..(end + missing) as u32);
    positions
}
