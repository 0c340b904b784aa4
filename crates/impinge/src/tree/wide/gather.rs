//! Subtrees that threads have built side by side, put together: how many nodes and leaves there are
//! is known only then, so each is copied to its place once, by all threads.

use std::ops::Range;

use rayon::prelude::*;

use super::build::Part;
use super::leaf::Leaf;
use super::node::{Link, LocalBox, Node};
use super::refit::{fit_node, sheet};
use super::sheet::Sheet;

/// A subtree in the making.
pub(super) enum Piece {
    /// Built by one thread.
    Part(Part),
    /// A node over others.
    Fork(Box<Fork>),
}

/// A node, and what hangs below its slots.
pub(super) struct Fork {
    /// Its links and sheets are not known yet.
    node: Node,
    below: Vec<Piece>,
}

impl Fork {
    /// A node over up to eight pieces, given with their boxes.
    pub(super) fn new(below: Vec<(Piece, LocalBox)>) -> Self {
        let mut node = Node::EMPTY;
        for (slot, (_, bounds)) in below.iter().enumerate() {
            node.set(slot, bounds, &Sheet::ball(bounds.reach()), Link::node(0));
        }
        node.own = fit_node(&node);
        Self { node, below: below.into_iter().map(|(piece, _)| piece).collect() }
    }

    /// The box of everything below.
    pub(super) fn own(&self) -> LocalBox {
        self.node.own
    }
}

/// Something that takes a run of places in the arrays.
struct Run {
    part: Part,
    /// Where its nodes and leaves begin.
    node: usize,
    leaf: usize,
    /// Whether its links count from there, or from the beginning of the arrays.
    inner: bool,
}

/// A slot of a fork, and the leaves below it.
struct Slot {
    node: usize,
    slot: usize,
    leaves: Range<usize>,
}

/// The order of the arrays, as a walk over the pieces finds it.
#[derive(Default)]
struct Order {
    runs: Vec<Run>,
    slots: Vec<Slot>,
    nodes: usize,
    leaves: usize,
}

impl Order {
    /// Gives a piece its places; returns where it begins.
    fn add(&mut self, piece: Piece) -> Link {
        let (node, leaf) = (self.nodes, self.leaves);
        match piece {
            Piece::Part(part) => {
                let top = if part.top().is_leaf() { Link::leaf(leaf) } else { Link::node(node) };
                self.nodes += part.nodes.len();
                self.leaves += part.leaves.len();
                self.runs.push(Run { part, node, leaf, inner: true });
                top
            }
            Piece::Fork(fork) => {
                let run = self.runs.len();
                let part = Part { nodes: vec![fork.node], leaves: Vec::new() };
                self.runs.push(Run { part, node, leaf, inner: false });
                self.nodes += 1;
                for (slot, piece) in fork.below.into_iter().enumerate() {
                    let first = self.leaves;
                    let link = self.add(piece);
                    self.runs[run].part.nodes[0].link[slot] = link;
                    self.slots.push(Slot { node, slot, leaves: first..self.leaves });
                }
                Link::node(node)
            }
        }
    }
}

/// The subtree that the piece stands for, in the order in which one thread would have built it.
pub(super) fn gather((piece, bounds): (Piece, LocalBox)) -> (Part, LocalBox) {
    let mut order = Order::default();
    order.add(piece);
    let Order { runs, slots, nodes, leaves } = order;
    // The last run that begins at a place or before; runs without leaves begin where the next one
    // does.
    let run_of = |place: usize, begin: fn(&Run) -> usize| {
        &runs[runs.partition_point(|run| begin(run) <= place) - 1]
    };
    let copied = |place: usize| {
        let run = run_of(place, |run| run.leaf);
        run.part.leaves[place - run.leaf].clone()
    };
    let leaves: Vec<Leaf> = (0..leaves).into_par_iter().map(copied).collect();
    let copied = |place: usize| {
        let run = run_of(place, |run| run.node);
        let mut node = run.part.nodes[place - run.node].clone();
        if run.inner {
            for link in node.link.iter_mut().filter(|link| **link != Link::NONE) {
                *link = link.shifted(run.node, run.leaf);
            }
        }
        node
    };
    let mut nodes: Vec<Node> = (0..nodes).into_par_iter().map(copied).collect();
    let sheets: Vec<Sheet> = slots
        .par_iter()
        .map(|at| sheet(&nodes[at.node].get(at.slot), &leaves[at.leaves.clone()]))
        .collect();
    for (at, sheet) in slots.iter().zip(&sheets) {
        nodes[at.node].sheets.set(at.slot, sheet);
    }
    (Part { nodes, leaves }, bounds)
}

#[cfg(test)]
mod tests {
    use super::super::Tree;
    use crate::shapes;

    #[test]
    fn threads_build_and_refit_the_same_tree() {
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
