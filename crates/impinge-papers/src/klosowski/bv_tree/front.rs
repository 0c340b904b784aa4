//! Starting where the last query ended (Klosowski et al. 1998, section 6.1, "temporal coherence").
//!
//! Which node of a pair is opened depends on the trees alone
//! ([`Order::Larger`](super::Order::Larger), by sizes that do not change with the pose), so all
//! pairs that a query can ever visit form one tree of pairs, whatever the pose. A query ends at
//! pairs that do not overlap or are two leaves: a cut through that tree. The next query starts
//! there. It goes down where a pair overlaps now, and up where a pair and the one it came from do
//! not, and what it finds is what it would have found from the roots, in the same order.
//!
//! A pair's parent needs no storage. Sizes fall on the way down, so of the two parents' openings
//! the later one was that of the smaller parent.

use std::ops::ControlFlow;

use super::counters::Counter;
use super::query::BvQuery;
use super::traverse::meet;
use super::tumble::Tumble;
use crate::klosowski::volume::Volume;
use impinge::math::Pose;
use impinge::pair::Sink;

/// Every so many queries the front may go up. Where it cannot, trying costs up to as much as going
/// on from it.
const UP_EVERY: u32 = 4;

/// Where the last query ended: kept by the caller, one for each pair of bodies. A new one, or one
/// of other trees, starts from the roots.
#[derive(Clone, Debug, Default)]
pub struct Front {
    /// Pairs of nodes, in the order of the traversal.
    pairs: Vec<(u32, u32)>,
    /// Room for the next ones.
    next: Vec<(u32, u32)>,
    /// The trees they are of.
    keys: [u64; 2],
    age: u32,
}

impl Front {
    /// A front that starts from the roots.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How many pairs of nodes the next query starts from.
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
    /// As [`BvQuery::traverse`] with [`Order::Larger`](super::Order::Larger), starting from where
    /// the last query with this front ended. The same pairs, in the same order, from any front.
    pub fn coherent(&mut self, pose: &Pose, front: &mut Front, sink: &mut dyn Sink) {
        self.coherent_counted(pose, front, sink, &mut ());
    }

    /// As [`BvQuery::coherent`], telling `counter` what it does.
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
        let known =
            front.keys == keys && front.pairs.iter().all(|(a, b)| *a < nodes[0] && *b < nodes[1]);
        if front.pairs.is_empty() || !known {
            front.pairs.clear();
            front.pairs.push((0, 0));
            front.keys = keys;
        }
        front.age = front.age.wrapping_add(1);
        let may_rise = front.age % UP_EVERY == 0;
        let Front { pairs, next, .. } = front;
        next.clear();
        let mut i = 0;
        while i < pairs.len() {
            let (a, b) = pairs[i];
            i += 1;
            if self.overlap(a, b, counter) {
                if self.sink_below(a, b, next, sink, counter).is_break() {
                    break;
                }
                continue;
            }
            let top = if may_rise { self.raise(a, b, counter) } else { (a, b) };
            next.push(top);
            while i < pairs.len() && self.is_below(pairs[i], top) {
                i += 1;
            }
        }
        next.extend_from_slice(&pairs[i..]);
        std::mem::swap(pairs, next);
    }

    /// Goes down from a pair that overlaps; where it ends goes to `ends`, all of it even if the
    /// sink says stop.
    fn sink_below<C: Counter>(
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
                self.open(a, b, open_a);
            }
            if overlaps && leaves {
                let stop = self
                    .leaves(a, b, counter, |i, here, j, there| meet(here, there, i, j, sink))
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

    /// The uppermost pair above one that does not overlap that does not, either, and that begins
    /// with it: all that follows and is below it can be skipped.
    fn raise<C: Counter>(&mut self, a: u32, b: u32, counter: &mut C) -> (u32, u32) {
        let mut top = (a, b);
        while let Some((parent, first)) = self.pair_above(top) {
            if !first || self.overlap(parent.0, parent.1, counter) {
                break;
            }
            top = parent;
        }
        top
    }

    /// The pair that was opened to reach this one, and whether this one was the first to come from
    /// it.
    pub(super) fn pair_above(&self, (a, b): (u32, u32)) -> Option<((u32, u32), bool)> {
        let (up_a, up_b) = (self.a.node(a).parent(), self.b.node(b).parent());
        let from_a = || ((up_a, b), self.a.node(up_a).children().start == a);
        let from_b = || ((a, up_b), self.b.node(up_b).children().start == b);
        match (a, b) {
            (0, 0) => None,
            (_, 0) => Some(from_a()),
            (0, _) => Some(from_b()),
            // Of the two parents the larger was opened first, A's if they are equal.
            _ if self.a.node(up_a).size() >= self.b.node(up_b).size() => Some(from_b()),
            _ => Some(from_a()),
        }
    }

    /// Whether a pair of the front is below another pair: both its nodes are in the other's.
    fn is_below(&self, pair: (u32, u32), top: (u32, u32)) -> bool {
        let (p, q) = (self.a.node(pair.0).triangles(), self.a.node(top.0).triangles());
        let (r, s) = (self.b.node(pair.1).triangles(), self.b.node(top.1).triangles());
        q.start <= p.start && p.end <= q.end && s.start <= r.start && r.end <= s.end
    }
}
