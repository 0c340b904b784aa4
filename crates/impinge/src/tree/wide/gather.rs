//! Joins subtrees that threads have built in parallel. The number of nodes and leaves is known only
//! then, so all threads copy each of them once to its final position.

use std::ops::Range;

use rayon::prelude::*;

use crate::workers;

use super::build::Part;
use super::disc::Disc;
use super::leaf::Leaf;
use super::node::{Link, LocalBox, Node};
use super::refit::{disc_of, fit_node};

/// A subtree that is not yet in the arrays of the tree.
pub(super) enum Piece {
    /// Built by one thread.
    Part(Part),
    /// A node over other pieces.
    Fork(Box<Fork>),
}

/// A node and the pieces below its slots.
pub(super) struct Fork {
    /// Its links and discs are set when the pieces are joined.
    node: Node,
    below: Vec<Piece>,
}

impl Fork {
    /// A node over up to eight pieces with their boxes.
    pub(super) fn new(below: Vec<(Piece, LocalBox)>) -> Self {
        let mut node = Node::EMPTY;
        for (slot, (_, bounds)) in below.iter().enumerate() {
            node.set(slot, bounds, &Disc::ball(bounds.reach()), Link::node(0));
        }
        node.bounds = fit_node(&node);
        Self { node, below: below.into_iter().map(|(piece, _)| piece).collect() }
    }

    /// The box of everything below.
    pub(super) fn bounds(&self) -> LocalBox {
        self.node.bounds
    }
}

/// A range of consecutive nodes and leaves of the arrays.
struct Segment {
    part: Part,
    /// The positions of its first node and leaf.
    node: usize,
    leaf: usize,
    /// Whether its links are relative to these positions; otherwise they are absolute.
    relative_links: bool,
}

/// A slot of a fork, and the range of the leaves below it.
struct Slot {
    node: usize,
    slot: usize,
    leaves: Range<usize>,
}

/// The layout of the arrays, found by a walk over the pieces.
#[derive(Default)]
struct Layout {
    segments: Vec<Segment>,
    slots: Vec<Slot>,
    nodes: usize,
    leaves: usize,
}

impl Layout {
    /// Assigns positions to a piece; returns the link of its root.
    fn add(&mut self, piece: Piece) -> Link {
        let (node, leaf) = (self.nodes, self.leaves);
        match piece {
            Piece::Part(part) => {
                let root = if part.root().is_leaf() { Link::leaf(leaf) } else { Link::node(node) };
                self.nodes += part.nodes.len();
                self.leaves += part.leaves.len();
                self.segments.push(Segment { part, node, leaf, relative_links: true });
                root
            }
            Piece::Fork(fork) => {
                let segment = self.segments.len();
                let part = Part { nodes: vec![fork.node], leaves: Vec::new() };
                self.segments.push(Segment { part, node, leaf, relative_links: false });
                self.nodes += 1;
                for (slot, piece) in fork.below.into_iter().enumerate() {
                    let first = self.leaves;
                    let link = self.add(piece);
                    self.segments[segment].part.nodes[0].link[slot] = link;
                    self.slots.push(Slot { node, slot, leaves: first..self.leaves });
                }
                Link::node(node)
            }
        }
    }
}

/// The subtree of the piece, in the layout in which one thread would have built it.
pub(super) fn gather((piece, bounds): (Piece, LocalBox)) -> (Part, LocalBox) {
    let mut layout = Layout::default();
    layout.add(piece);
    let Layout { segments, slots, nodes, leaves } = layout;
    // The last segment that begins at or before a position. Segments without leaves begin where the
    // next one does.
    let segment_of = |position: usize, begin: fn(&Segment) -> usize| {
        &segments[segments.partition_point(|segment| begin(segment) <= position) - 1]
    };
    let copied = |position: usize| {
        let segment = segment_of(position, |segment| segment.leaf);
        segment.part.leaves[position - segment.leaf].clone()
    };
    let leaves: Vec<Leaf> = (0..leaves).into_par_iter().map(copied).collect();
    let copied = |position: usize| {
        let segment = segment_of(position, |segment| segment.node);
        let mut node = segment.part.nodes[position - segment.node].clone();
        if segment.relative_links {
            for link in node.link.iter_mut().filter(|link| **link != Link::NONE) {
                *link = link.shifted(segment.node, segment.leaf);
            }
        }
        node
    };
    let mut nodes: Vec<Node> = (0..nodes).into_par_iter().map(copied).collect();
    let discs = workers::map(slots.len(), &|k| {
        let Slot { node, slot, leaves: below } = &slots[k];
        disc_of(&nodes[*node].get(*slot), &leaves[below.clone()])
    });
    for (at, disc) in slots.iter().zip(&discs) {
        nodes[at.node].discs.set(at.slot, disc);
    }
    (Part { nodes, leaves }, bounds)
}

#[cfg(test)]
mod tests {
    use super::super::Tree;
    use crate::shapes;

    #[test]
    fn the_number_of_threads_does_not_change_a_built_or_refitted_tree() {
        let ring = shapes::torus(1.0, 0.4, 240, 120).unwrap();
        let bent = ring.vertices().iter().map(|v| v.with_z(v.z + 0.3 * v.x * v.x)).collect();
        let bent = ring.with_vertices(bent).unwrap();
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let tree = Tree::build(&ring);
                let mut moved = tree.clone();
                moved.refit(&bent).unwrap();
                (tree, moved)
            })
        };
        let one = with(1);
        assert_eq!(one.0.validate(&ring), Ok(()));
        assert_eq!(one.1.validate(&bent), Ok(()));
        for threads in [2, 3, 8] {
            let many = with(threads);
            for (p, q) in [(&one.0, &many.0), (&one.1, &many.1)] {
                assert!(p.nodes == q.nodes && p.leaves == q.leaves, "{threads} threads");
                assert_eq!(p.root, q.root);
            }
        }
    }
}
