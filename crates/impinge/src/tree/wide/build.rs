//! Building: top down, eight children at once, the costliest group cut next; subtrees side by side
//! where there are threads ([`gather`](super::gather)).

use rayon::prelude::*;

use crate::mesh::Mesh;

use super::Tree;
use super::frame::Frame;
use super::gather::{Fork, Piece, gather};
use super::leaf::Leaf;
use super::node::{Link, LocalBox, Node};
use super::refit::{fit_node, sheet};
use super::split::{Item, LEAF, split};

/// Subtrees of fewer triangles are built by one thread.
const ALONE: usize = 1 << 12;

/// The tree of a mesh, built anew.
pub(super) fn build(mesh: &Mesh) -> Tree {
    of_items(mesh, Frame::of(mesh), mesh.triangles().len(), |i| i as u32)
}

/// The tree of some of a mesh's triangles, in the given frame.
pub(super) fn over(mesh: &Mesh, frame: Frame, triangles: &[u32]) -> Tree {
    of_items(mesh, frame, triangles.len(), |i| triangles[i])
}

/// The tree of `count` triangles, whose numbers `triangle` tells.
fn of_items(
    mesh: &Mesh,
    frame: Frame,
    count: usize,
    triangle: impl Fn(usize) -> u32 + Sync,
) -> Tree {
    let item = |i: usize| {
        let triangle = triangle(i);
        let [p, q, r] = mesh.triangle(triangle as usize).map(|v| frame.local(v));
        Item {
            min: p.min(q).min(r).as_vec3().extend(0.0),
            max: p.max(q).max(r).as_vec3().extend(0.0),
            triangle,
        }
    };
    let mut tree = Tree {
        frame,
        nodes: Vec::new(),
        leaves: Vec::new(),
        root: None,
        reach: 0.0,
        largest: 0.0,
        stamp: Tree::new_stamp(),
    };
    if count == 0 {
        return tree;
    }
    let builder = Builder { mesh, tree: &tree };
    let (part, bounds) = if count > ALONE && rayon::current_num_threads() > 1 {
        // In the pool from here on: to enter it again and again would take longer.
        rayon::scope(|_| {
            let mut items: Vec<Item> = (0..count).into_par_iter().map(item).collect();
            gather(builder.piece(&mut items))
        })
    } else {
        builder.part(&mut (0..count).map(item).collect::<Vec<_>>())
    };
    let root = part.top();
    (tree.nodes, tree.leaves) = (part.nodes, part.leaves);
    tree.set_root(&bounds, root);
    tree
}

/// A subtree: nodes and leaves with links among themselves, in the order of a walk.
#[derive(Debug, Default)]
pub(super) struct Part {
    pub(super) nodes: Vec<Node>,
    pub(super) leaves: Vec<Leaf>,
}

impl Part {
    /// Where it begins.
    pub(super) fn top(&self) -> Link {
        if self.nodes.is_empty() { Link::leaf(0) } else { Link::node(0) }
    }
}

struct Builder<'a> {
    mesh: &'a Mesh,
    /// Only its frame.
    tree: &'a Tree,
}

impl Builder<'_> {
    /// The subtree of the items, by all threads. The same, node for node, as by one.
    fn piece(&self, items: &mut [Item]) -> (Piece, LocalBox) {
        if items.len() <= ALONE {
            let (part, bounds) = self.part(items);
            return (Piece::Part(part), bounds);
        }
        let below: Vec<_> = groups(items).into_par_iter().map(|group| self.piece(group)).collect();
        let fork = Fork::new(below);
        let own = fork.own();
        (Piece::Fork(Box::new(fork)), own)
    }

    /// The subtree of the items, by one thread, and its box.
    fn part(&self, items: &mut [Item]) -> (Part, LocalBox) {
        let mut part = Part::default();
        part.nodes.reserve(items.len() / 48 + 1);
        part.leaves.reserve(items.len() / 6 + 1);
        let (_, bounds) = self.subtree(items, &mut part);
        (part, bounds)
    }

    /// Adds the subtree of the items to the part; returns where it is and its box.
    fn subtree(&self, items: &mut [Item], part: &mut Part) -> (Link, LocalBox) {
        if items.len() <= LEAF {
            return self.leaf(items, part);
        }
        let index = part.nodes.len();
        part.nodes.push(Node::EMPTY);
        for (slot, group) in groups(items).into_iter().enumerate() {
            let first = part.leaves.len();
            let (link, bounds) = self.subtree(group, part);
            let sheet = sheet(&bounds, &part.leaves[first..]);
            part.nodes[index].set(slot, &bounds, &sheet, link);
        }
        let own = fit_node(&part.nodes[index]);
        part.nodes[index].own = own;
        (Link::node(index), own)
    }

    fn leaf(&self, items: &[Item], part: &mut Part) -> (Link, LocalBox) {
        let mut triangles = [0; LEAF];
        for (item, triangle) in items.iter().zip(&mut triangles) {
            *triangle = item.triangle;
        }
        let (leaf, bounds) = self.tree.fit_leaf(self.mesh, &triangles[..items.len()]);
        part.leaves.push(leaf);
        (Link::leaf(part.leaves.len() - 1), bounds)
    }
}

/// Up to eight groups of the items, in order. A few hundred are cut only until each group fits
/// under one node of leaves: better few full nodes at the bottom, where most of the work is, than
/// many half-empty ones.
fn groups(mut items: &mut [Item]) -> Vec<&mut [Item]> {
    let enough = if items.len() <= LEAF * 64 && items.len() > LEAF * 8 { LEAF * 8 } else { LEAF };
    let mut ranges = [(0, items.len(), f32::INFINITY); 8];
    let mut count = 1;
    while count < 8 {
        let splittable = (0..count).filter(|i| ranges[*i].1 - ranges[*i].0 > enough);
        let Some(widest) = splittable.max_by(|i, j| ranges[*i].2.total_cmp(&ranges[*j].2)) else {
            break;
        };
        let (start, end, _) = ranges[widest];
        let cut = split(&mut items[start..end]);
        ranges[widest] = (start, start + cut.middle, cut.left);
        ranges[count] = (start + cut.middle, end, cut.right);
        count += 1;
    }
    ranges[..count].sort_unstable_by_key(|r| r.0);
    let mut groups = Vec::with_capacity(count);
    for (start, end, _) in &ranges[..count] {
        let (group, rest) = items.split_at_mut(end - start);
        groups.push(group);
        items = rest;
    }
    groups
}
