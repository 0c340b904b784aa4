//! Temporal coherence: a query starts where the last query ended (Klosowski et al. 1998, section
//! 6.1).
//!
//! Which node of a pair is opened depends on the trees alone:
//! [`Order::Larger`](super::Order::Larger) compares sizes that do not change with the pose. So all
//! pairs that any query can visit form one tree of pairs, which does not depend on the pose. A
//! query ends at pairs that do not overlap, or that are two leaves. These pairs are a cut through
//! the tree of pairs, the front. The next query starts at the front. It descends where a pair
//! overlaps now, and ascends where neither a pair nor its parent overlaps. It reports the same
//! pairs in the same order as a query from the roots.
//!
//! The parent of a pair is computed, not stored. Sizes decrease from the root to the leaves, so of
//! the two parent nodes the smaller one was opened later.

use std::ops::ControlFlow;

use super::counters::Counter;
use super::query::BvQuery;
use super::traverse::report_if_intersecting;
use super::tumble::Tumble;
use crate::klosowski::volume::Volume;
use impinge::math::Pose;
use impinge::pair::Sink;

/// The front ascends only in every fourth query. Where it cannot ascend, the attempt costs up to as
/// much as the query itself.
const QUERIES_PER_ASCENT: u32 = 4;

/// The pairs of nodes where the last query ended. The caller keeps one front for each pair of
/// bodies. With a new front, or the front of other trees, a query starts from the roots.
#[derive(Clone, Debug, Default)]
pub struct Front {
    /// Pairs of nodes, in the order of the traversal.
    pairs: Vec<(u32, u32)>,
    /// Buffer for the pairs of the next front.
    next: Vec<(u32, u32)>,
    /// The keys of the two trees.
    keys: [u64; 2],
    age: u32,
}

impl Front {
    /// A front that starts from the roots.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of pairs of nodes that the next query starts from.
    #[must_use]
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether the next query starts from the roots.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }
}

impl<V: Volume, T: Tumble<V>> BvQuery<'_, V, T> {
    /// As [`BvQuery::traverse`] with [`Order::Larger`](super::Order::Larger), starting where the
    /// last query with this front ended. The pairs reported and their order do not depend on the
    /// front.
    pub fn coherent(&mut self, pose: &Pose, front: &mut Front, sink: &mut dyn Sink) {
        self.coherent_counted(pose, front, sink, &mut ());
    }

    /// As [`BvQuery::coherent`]. Counts the work in `counter`.
    pub fn coherent_counted<C: Counter>(
        &mut self,
        pose: &Pose,
        front: &mut Front,
        sink: &mut dyn Sink,
        counter: &mut C,
    ) {
        if !self.begin(pose, 0.0) {
            return;
        }
        let keys = [self.a.tree.key, self.b.tree.key];
        let nodes = [self.a.tree.nodes.len() as u32, self.b.tree.nodes.len() as u32];
        let is_valid =
            front.keys == keys && front.pairs.iter().all(|(a, b)| *a < nodes[0] && *b < nodes[1]);
        if front.pairs.is_empty() || !is_valid {
            front.pairs.clear();
            front.pairs.push((0, 0));
            front.keys = keys;
        }
        front.age = front.age.wrapping_add(1);
        let may_ascend = front.age % QUERIES_PER_ASCENT == 0;
        let Front { pairs, next, .. } = front;
        next.clear();
        let mut i = 0;
        while i < pairs.len() {
            let (a, b) = pairs[i];
            i += 1;
            if self.overlap(a, b, counter) {
                if self.descend_from(a, b, next, sink, counter).is_break() {
                    break;
                }
                continue;
            }
            let top = if may_ascend { self.ascend(a, b, counter) } else { (a, b) };
            next.push(top);
            while i < pairs.len() && self.is_below(pairs[i], top) {
                i += 1;
            }
        }
        next.extend_from_slice(&pairs[i..]);
        std::mem::swap(pairs, next);
    }

    /// Descends from a pair that overlaps and appends the pairs where the descent ends to `ends`.
    /// If the sink stops the query, the pairs not visited yet are appended too.
    fn descend_from<C: Counter>(
        &mut self,
        a: u32,
        b: u32,
        ends: &mut Vec<(u32, u32)>,
        sink: &mut dyn Sink,
        counter: &mut C,
    ) -> ControlFlow<()> {
        let mut pair = (a, b);
        let mut overlaps = true;
        loop {
            let (a, b) = pair;
            let leaves = self.a.node(a).is_leaf() && self.b.node(b).is_leaf();
            if !overlaps || leaves {
                ends.push(pair);
            } else {
                let open_a = self.opens_a(a, b);
                self.push_children(a, b, open_a);
            }
            if overlaps && leaves {
                let stop = self
                    .test_leaves(a, b, counter, |i, p, j, q| {
                        report_if_intersecting(p, q, i, j, sink)
                    })
                    .is_break();
                if stop {
                    ends.extend(self.stack.drain(..).rev());
                    return ControlFlow::Break(());
                }
            }
            let Some(next) = self.stack.pop() else {
                return ControlFlow::Continue(());
            };
            pair = next;
            overlaps = self.overlap(pair.0, pair.1, counter);
        }
    }

    /// For a pair that does not overlap: the uppermost of its ancestors that do not overlap either
    /// and whose first descendant is this pair. The pairs of the front that follow and descend from
    /// that ancestor can be skipped.
    fn ascend<C: Counter>(&mut self, a: u32, b: u32, counter: &mut C) -> (u32, u32) {
        let mut top = (a, b);
        while let Some((parent, first)) = self.parent_pair(top) {
            if !first || self.overlap(parent.0, parent.1, counter) {
                break;
            }
            top = parent;
        }
        top
    }

    /// The parent of a pair, and whether the pair is the parent's first child.
    pub(super) fn parent_pair(&self, (a, b): (u32, u32)) -> Option<((u32, u32), bool)> {
        let (up_a, up_b) = (self.a.node(a).parent(), self.b.node(b).parent());
        let from_a = || ((up_a, b), self.a.node(up_a).children().start == a);
        let from_b = || ((a, up_b), self.b.node(up_b).children().start == b);
        match (a, b) {
            (0, 0) => None,
            (_, 0) => Some(from_a()),
            (0, _) => Some(from_b()),
            // The larger of the two parents was opened first, or A's if their sizes are equal.
            _ if self.a.node(up_a).size() >= self.b.node(up_b).size() => Some(from_b()),
            _ => Some(from_a()),
        }
    }

    /// Whether `pair` descends from `top`: both its nodes are in the subtrees of the nodes of
    /// `top`.
    fn is_below(&self, pair: (u32, u32), top: (u32, u32)) -> bool {
        let (p, q) = (self.a.node(pair.0).triangles(), self.a.node(top.0).triangles());
        let (r, s) = (self.b.node(pair.1).triangles(), self.b.node(top.1).triangles());
        q.start <= p.start && p.end <= q.end && s.start <= r.start && r.end <= s.end
    }
}
