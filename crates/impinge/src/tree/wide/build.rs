//! Building: top down, eight children at once; the group with the highest cost is split next. With
//! several threads, subtrees are built in parallel and then joined ([`gather`](super::gather)).

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rayon::prelude::*;

use crate::mesh::Mesh;
use crate::order::sort_few_by;
use crate::workers::{self, lock};

use super::Tree;
use super::frame::Frame;
use super::gather::{Fork, Piece, gather};
use super::leaf::Leaf;
use super::node::{Link, LocalBox, Node};
use super::refit::{disc_of, fit_node};
use super::split::{Item, LEAF_SIZE, split};

/// Subtrees of at most this many triangles are built by one thread.
const MAX_TRIANGLES_FOR_ONE_THREAD: usize = 1 << 12;

/// Builds the tree of a mesh.
pub(super) fn build(mesh: &Mesh) -> Tree {
    build_items(mesh, Frame::of(mesh), mesh.triangles().len(), &|i| i as u32, None)
}

/// Builds the tree of some of a mesh's triangles, in the given frame.
pub(super) fn build_part(mesh: &Mesh, frame: Frame, triangles: &[u32]) -> Tree {
    build_items(mesh, frame, triangles.len(), &|i| triangles[i], None)
}

/// Builds the tree of a mesh, and reports the number of triangles that are done. `None` if `report`
/// returned [`ControlFlow::Break`]. Any thread may call `report`.
pub(super) fn build_watched(
    mesh: &Mesh,
    report: &(dyn Fn(usize) -> ControlFlow<()> + Sync),
) -> Option<Tree> {
    let watch = Watch { report, done: AtomicUsize::new(0), is_cancelled: AtomicBool::new(false) };
    let count = mesh.triangles().len();
    let tree = build_items(mesh, Frame::of(mesh), count, &|i| i as u32, Some(&watch));
    (!watch.is_cancelled()).then_some(tree)
}

/// The progress of a build that can be cancelled.
struct Watch<'a> {
    report: &'a (dyn Fn(usize) -> ControlFlow<()> + Sync),
    done: AtomicUsize,
    is_cancelled: AtomicBool,
}

impl Watch<'_> {
    fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }

    fn add(&self, triangles: usize) {
        let done = self.done.fetch_add(triangles, Ordering::Relaxed) + triangles;
        if (self.report)(done).is_break() {
            self.is_cancelled.store(true, Ordering::Relaxed);
        }
    }
}

/// Builds the tree of the triangles `triangle(0)..triangle(count)`.
fn build_items(
    mesh: &Mesh,
    frame: Frame,
    count: usize,
    triangle: &(dyn Fn(usize) -> u32 + Sync),
    watch: Option<&Watch<'_>>,
) -> Tree {
    let item = |i: usize| {
        let triangle = triangle(i);
        let [p, q, r] = mesh.triangle(triangle as usize);
        let (p, q, r) = (frame.local(p), frame.local(q), frame.local(r));
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
    let builder = Builder { mesh, tree: &tree, watch };
    let (part, bounds) = if count > MAX_TRIANGLES_FOR_ONE_THREAD && rayon::current_num_threads() > 1
    {
        // Enters the pool once: entering it for every parallel step takes longer.
        rayon::scope(|_| {
            let mut items: Vec<Item> = (0..count).into_par_iter().map(item).collect();
            gather(builder.piece(&mut items))
        })
    } else {
        builder.part(&mut (0..count).map(item).collect::<Vec<_>>())
    };
    let root = part.root();
    (tree.nodes, tree.leaves) = (part.nodes, part.leaves);
    tree.set_root(&bounds, root);
    tree
}

/// A subtree: nodes and leaves in preorder, with links among themselves.
#[derive(Debug, Default)]
pub(super) struct Part {
    pub(super) nodes: Vec<Node>,
    pub(super) leaves: Vec<Leaf>,
}

impl Part {
    /// The link of its root.
    pub(super) fn root(&self) -> Link {
        if self.nodes.is_empty() { Link::leaf(0) } else { Link::node(0) }
    }
}

struct Builder<'a> {
    mesh: &'a Mesh,
    /// Only its frame is used.
    tree: &'a Tree,
    watch: Option<&'a Watch<'a>>,
}

impl Builder<'_> {
    /// Builds the subtree of the items with all threads. The result is the same, node for node, as
    /// with one thread.
    fn piece(&self, items: &mut [Item]) -> (Piece, LocalBox) {
        if items.len() <= MAX_TRIANGLES_FOR_ONE_THREAD || self.is_cancelled() {
            let (part, bounds) = self.part(items);
            return (Piece::Part(part), bounds);
        }
        let groups: Vec<Mutex<&mut [Item]>> = groups(items).into_iter().map(Mutex::new).collect();
        let below = workers::map(groups.len(), &|k| self.piece(&mut lock(&groups[k])));
        let fork = Fork::new(below);
        let bounds = fork.bounds();
        (Piece::Fork(Box::new(fork)), bounds)
    }

    /// Builds the subtree of the items with one thread; returns it with its box.
    fn part(&self, items: &mut [Item]) -> (Part, LocalBox) {
        let mut part = Part::default();
        part.nodes.reserve(items.len() / 48 + 1);
        part.leaves.reserve(items.len() / 6 + 1);
        let (_, bounds) = self.watched_subtree(items, &mut part);
        (part, bounds)
    }

    /// Whether the result is not needed any more.
    fn is_cancelled(&self) -> bool {
        self.watch.is_some_and(Watch::is_cancelled)
    }

    /// As [`subtree`](Self::subtree), reporting progress after every few thousand triangles. A
    /// build that was cancelled makes a tree that is not used.
    fn watched_subtree(&self, items: &mut [Item], part: &mut Part) -> (Link, LocalBox) {
        let Some(watch) = self.watch else { return self.subtree(items, part) };
        if watch.is_cancelled() {
            return self.leaf(&items[..items.len().min(LEAF_SIZE)], part);
        }
        if items.len() <= MAX_TRIANGLES_FOR_ONE_THREAD {
            let built = self.subtree(items, part);
            watch.add(items.len());
            return built;
        }
        self.node(items, part, Self::watched_subtree)
    }

    /// Adds the subtree of the items to the part; returns its link and its box.
    fn subtree(&self, items: &mut [Item], part: &mut Part) -> (Link, LocalBox) {
        if items.len() <= LEAF_SIZE {
            return self.leaf(items, part);
        }
        self.node(items, part, Self::subtree)
    }

    /// Adds a node and, by `subtree`, those below it.
    #[inline(always)]
    fn node(
        &self,
        items: &mut [Item],
        part: &mut Part,
        subtree: fn(&Self, &mut [Item], &mut Part) -> (Link, LocalBox),
    ) -> (Link, LocalBox) {
        let index = part.nodes.len();
        part.nodes.push(Node::EMPTY);
        for (slot, group) in groups(items).into_iter().enumerate() {
            let first = part.leaves.len();
            let (link, bounds) = subtree(self, group, part);
            let disc = disc_of(&bounds, &part.leaves[first..]);
            part.nodes[index].set(slot, &bounds, &disc, link);
        }
        let bounds = fit_node(&part.nodes[index]);
        part.nodes[index].bounds = bounds;
        (Link::node(index), bounds)
    }

    fn leaf(&self, items: &[Item], part: &mut Part) -> (Link, LocalBox) {
        let mut triangles = [0; LEAF_SIZE];
        for (item, triangle) in items.iter().zip(&mut triangles) {
            *triangle = item.triangle;
        }
        let (leaf, bounds) = self.tree.fit_leaf(self.mesh, &triangles[..items.len()]);
        part.leaves.push(leaf);
        (Link::leaf(part.leaves.len() - 1), bounds)
    }
}

/// Splits the items into up to eight groups, in order. A set of more than one and at most eight
/// full nodes of leaves is split only until each group fits into one node of leaves: few full nodes
/// at the bottom, where queries do most of their work, are better than many half-empty ones.
fn groups(mut items: &mut [Item]) -> Vec<&mut [Item]> {
    let max_group = if items.len() <= LEAF_SIZE * 64 && items.len() > LEAF_SIZE * 8 {
        LEAF_SIZE * 8
    } else {
        LEAF_SIZE
    };
    let mut ranges = [(0, items.len(), f32::INFINITY); 8];
    let mut count = 1;
    while count < 8 {
        let splittable = (0..count).filter(|i| ranges[*i].1 - ranges[*i].0 > max_group);
        let Some(costliest) = splittable.max_by(|i, j| ranges[*i].2.total_cmp(&ranges[*j].2))
        else {
            break;
        };
        let (start, end, _) = ranges[costliest];
        let cut = split(&mut items[start..end]);
        ranges[costliest] = (start, start + cut.middle, cut.left_cost);
        ranges[count] = (start + cut.middle, end, cut.right_cost);
        count += 1;
    }
    sort_few_by(&mut ranges[..count], |r, s| r.0 < s.0);
    let mut groups = Vec::with_capacity(count);
    for (start, end, _) in &ranges[..count] {
        let (group, rest) = items.split_at_mut(end - start);
        groups.push(group);
        items = rest;
    }
    groups
}
