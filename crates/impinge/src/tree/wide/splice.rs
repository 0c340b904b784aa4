//! Parts of a tree replaced in place.
//!
//! The arrays of a tree have no holes. A new part takes the places of the old one, in the same
//! order, so that what is near in the tree stays near in memory; if it needs more, they are added
//! at the end, and if it needs fewer, the last ones of the array move into the gaps. What has thus
//! strayed from its neighbours is counted, and when it is an eighth of the tree, the arrays are put
//! into the order of a new tree.

use crate::mesh::Mesh;

use super::node::{Link, Node};
use super::upkeep::{Care, Hook, Upkeep};
use super::{Tree, build};

/// What hangs below a node, the node included.
#[derive(Debug)]
pub(super) struct Below {
    nodes: Vec<u32>,
    leaves: Vec<u32>,
    /// Ascending, so that what is built of them does not depend on how they were arranged.
    pub(super) triangles: Vec<u32>,
}

impl Tree {
    /// Everything from a node down. Nodes and leaves are sorted by their places.
    pub(super) fn below(&self, node: u32) -> Below {
        let mut below = Below { nodes: vec![node], leaves: Vec::new(), triangles: Vec::new() };
        let mut next = 0;
        while let Some(node) = below.nodes.get(next).copied() {
            next += 1;
            for (_, link) in self.nodes[node as usize].links() {
                if link.is_leaf() {
                    let leaf = &self.leaves[link.index()];
                    below.triangles.extend(&leaf.triangles[..leaf.count as usize]);
                    below.leaves.push(link.index() as u32);
                } else {
                    below.nodes.push(link.index() as u32);
                }
            }
        }
        below.nodes.sort_unstable();
        below.leaves.sort_unstable();
        below.triangles.sort_unstable();
        below
    }

    /// Puts nodes and leaves into the order of a new tree; returns for each new place the old one,
    /// of nodes and of leaves.
    fn put_in_order(&mut self) -> (Vec<u32>, Vec<u32>) {
        let nodes = self.all_nodes();
        let mut place = vec![0_u32; nodes.len()];
        for (new, old) in nodes.iter().enumerate() {
            place[*old as usize] = new as u32;
        }
        let mut ordered: Vec<Node> =
            nodes.iter().map(|n| self.nodes[*n as usize].clone()).collect();
        // Leaves come in the order in which a walk meets them.
        let mut leaves = Vec::with_capacity(self.leaves.len());
        let mut open: Vec<Link> = self.root.map(|(_, link)| link).into_iter().collect();
        let mut leaf_place = vec![0_u32; self.leaves.len()];
        while let Some(link) = open.pop() {
            if link.is_leaf() {
                leaf_place[link.index()] = leaves.len() as u32;
                leaves.push(link.index() as u32);
            } else {
                open.extend(self.nodes[link.index()].links().rev().map(|(_, link)| link));
            }
        }
        let renamed = |link: Link| {
            if link.is_leaf() {
                Link::leaf(leaf_place[link.index()] as usize)
            } else {
                Link::node(place[link.index()] as usize)
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

impl Upkeep {
    /// Builds the parts, which have nothing in common, anew.
    pub(super) fn replace(&mut self, tree: &mut Tree, mesh: &Mesh, parts: Vec<Below>) {
        let (mut free_nodes, mut free_leaves, mut touched) = (Vec::new(), Vec::new(), Vec::new());
        for part in parts {
            let hook = self.top_hook(&part);
            let new = build::over(mesh, tree.frame, &part.triangles);
            self.strayed += new.nodes.len().saturating_sub(part.nodes.len());
            self.strayed += new.leaves.len().saturating_sub(part.leaves.len());
            let nodes = places(&part.nodes, new.nodes.len(), &mut free_nodes, tree.nodes.len());
            let leaves =
                places(&part.leaves, new.leaves.len(), &mut free_leaves, tree.leaves.len());
            self.graft(tree, &new, hook, &nodes, &leaves);
            if hook != Hook::ROOT {
                touched.push(hook.node);
            }
        }
        // The new parts' boxes hold the same triangles, but not to the last bit.
        self.settle(tree, touched, false);
        self.close_gaps(tree, free_nodes, free_leaves);
        if 8 * self.strayed > tree.nodes.len() + tree.leaves.len() {
            self.put_in_order(tree);
        }
    }

    /// Where a part hangs: on the one of its nodes that is highest.
    fn top_hook(&self, part: &Below) -> Hook {
        let top = part.nodes.iter().min_by_key(|n| self.nodes[**n as usize].depth);
        top.map_or(Hook::ROOT, |n| self.nodes[*n as usize].hook)
    }

    /// Copies the tree `new` to the places given, and hangs it on `hook`.
    fn graft(&mut self, tree: &mut Tree, new: &Tree, hook: Hook, nodes: &[u32], leaves: &[u32]) {
        let Some((bounds, top)) = &new.root else { return };
        let renamed = |link: Link| {
            if link.is_leaf() {
                Link::leaf(leaves[link.index()] as usize)
            } else {
                Link::node(nodes[link.index()] as usize)
            }
        };
        for (leaf, place) in new.leaves.iter().zip(leaves) {
            let at = *place as usize;
            if at == tree.leaves.len() {
                tree.leaves.push(leaf.clone());
                self.leaves.push(Hook::ROOT);
            } else {
                tree.leaves[at] = leaf.clone();
            }
            for triangle in &leaf.triangles[..leaf.count as usize] {
                self.leaf_of[*triangle as usize] = *place;
            }
        }
        for (node, place) in new.nodes.iter().zip(nodes) {
            let mut node = node.clone();
            for link in node.link.iter_mut().filter(|link| **link != Link::NONE) {
                *link = renamed(*link);
            }
            let at = *place as usize;
            if at == tree.nodes.len() {
                tree.nodes.push(node);
                self.nodes.push(Care::new(Hook::ROOT, 0));
            } else {
                tree.nodes[at] = node;
            }
        }
        self.set(tree, hook, bounds, renamed(*top));
        self.adopt(renamed(*top), hook);
        let order: Vec<usize> =
            new.all_nodes().into_iter().map(|node| nodes[node as usize] as usize).collect();
        for node in &order {
            let links: Vec<_> = tree.nodes[*node].links().collect();
            for (slot, link) in links {
                self.adopt(link, Hook { node: *node as u32, slot: slot as u8 });
            }
        }
        for node in order.into_iter().rev() {
            self.appraise(tree, node);
        }
    }

    /// Notes where something hangs now.
    fn adopt(&mut self, link: Link, hook: Hook) {
        if link.is_leaf() {
            self.leaves[link.index()] = hook;
        } else {
            let above = self.nodes.get(hook.node as usize).map(|care| care.depth + 1);
            self.nodes[link.index()] = Care::new(hook, above.unwrap_or(0));
        }
    }

    /// Moves the last nodes and leaves into the free places.
    fn close_gaps(&mut self, tree: &mut Tree, mut nodes: Vec<u32>, mut leaves: Vec<u32>) {
        leaves.sort_unstable();
        for free in leaves.into_iter().rev() {
            // Places behind this one are taken: those that were free have gone already.
            let free = free as usize;
            tree.leaves.swap_remove(free);
            self.leaves.swap_remove(free);
            if let Some(leaf) = tree.leaves.get(free) {
                for triangle in &leaf.triangles[..leaf.count as usize] {
                    self.leaf_of[*triangle as usize] = free as u32;
                }
                self.relink(tree, self.leaves[free], Link::leaf(free));
                self.strayed += 1;
            }
        }
        nodes.sort_unstable();
        for free in nodes.into_iter().rev() {
            let free = free as usize;
            tree.nodes.swap_remove(free);
            self.nodes.swap_remove(free);
            if free < tree.nodes.len() {
                self.relink(tree, self.nodes[free].hook, Link::node(free));
                for (_, link) in tree.nodes[free].links() {
                    if link.is_leaf() {
                        self.leaves[link.index()].node = free as u32;
                    } else {
                        self.nodes[link.index()].hook.node = free as u32;
                    }
                }
                self.strayed += 1;
            }
        }
    }

    fn relink(&self, tree: &mut Tree, hook: Hook, link: Link) {
        if hook == Hook::ROOT {
            tree.root = tree.root.map(|(bounds, _)| (bounds, link));
        } else {
            tree.nodes[hook.node as usize].link[hook.slot as usize] = link;
        }
    }

    fn put_in_order(&mut self, tree: &mut Tree) {
        let (nodes, _) = tree.put_in_order();
        let old = std::mem::take(&mut self.nodes);
        self.hang(tree);
        for (care, from) in self.nodes.iter_mut().zip(nodes) {
            *care = Care { hook: care.hook, depth: care.depth, ..old[from as usize] };
        }
        self.strayed = 0;
    }
}

/// Places for `count` things: the old ones first, then those that others have left, then new ones
/// from `end` on. Old ones that are not needed become free.
fn places(old: &[u32], count: usize, free: &mut Vec<u32>, end: usize) -> Vec<u32> {
    let mut places: Vec<u32> = old.iter().copied().take(count).collect();
    free.extend(old.iter().skip(count));
    while places.len() < count {
        let Some(place) = free.pop() else { break };
        places.push(place);
    }
    let missing = count - places.len();
    places.extend(end as u32..(end + missing) as u32);
    places
}
