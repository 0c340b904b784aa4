//! The three traversals (Klosowski et al. 1998, section 4.2).

use std::ops::ControlFlow;

use super::counters::Counter;
use super::query::BvQuery;
use super::tumble::Tumble;
use crate::klosowski::volume::Volume;
use impinge::exact::triangles_intersect;
use impinge::math::{Pose, Vec3};
use impinge::pair::Sink;

/// In what order two trees are descended. The pairs found are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The paper's Algorithm 1: the environment's tree down to a leaf, then the flying object's.
    Environment,
    /// The paper's variant: wherever a node of the flying object meets a leaf of the environment,
    /// its children start at the environment's root again. Once for each node: what other leaves it
    /// meets does not matter then.
    Restart,
    /// The larger of the two nodes is opened, a leaf never.
    #[default]
    Larger,
}

impl<V: Volume, T: Tumble<V>> BvQuery<'_, V, T> {
    /// Sends every pair of triangles that share a point to `sink`, each once, with B at `pose` in
    /// A's frame.
    pub fn traverse(&mut self, pose: &Pose, order: Order, sink: &mut dyn Sink) {
        self.traverse_counted(pose, order, sink, &mut ());
    }

    /// As [`BvQuery::traverse`], telling `counter` what it does.
    pub fn traverse_counted<C: Counter>(
        &mut self,
        pose: &Pose,
        order: Order,
        sink: &mut dyn Sink,
        counter: &mut C,
    ) {
        if self.begin(pose, 0.0) {
            let _ = self
                .descend(order, counter, &mut |i, here, j, there| meet(here, there, i, j, sink));
        }
    }

    /// Hands all pairs of triangles in leaves that overlap to `found`, from the roots down.
    pub(super) fn descend<C: Counter>(
        &mut self,
        order: Order,
        counter: &mut C,
        found: &mut impl FnMut(u32, &[Vec3; 3], u32, &[Vec3; 3]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if order == Order::Restart {
            return self.descend_restarting(counter, found);
        }
        self.stack.push((0, 0));
        while let Some((a, b)) = self.stack.pop() {
            if !self.overlap(a, b, counter) {
                continue;
            }
            if self.a.node(a).is_leaf() && self.b.node(b).is_leaf() {
                self.leaves(a, b, counter, &mut *found)?;
                continue;
            }
            let open_a = match order {
                Order::Larger => self.opens_a(a, b),
                _ => !self.a.node(a).is_leaf(),
            };
            self.open(a, b, open_a);
        }
        ControlFlow::Continue(())
    }

    /// Whether of two nodes, not both leaves, the one of A is opened: depends on the trees alone,
    /// not on the pose.
    #[inline]
    pub(super) fn opens_a(&self, a: u32, b: u32) -> bool {
        let (p, q) = (self.a.node(a), self.b.node(b));
        !p.is_leaf() && (q.is_leaf() || p.size() >= q.size())
    }

    /// Plans the children of one node with the other, the first child next.
    #[inline]
    pub(super) fn open(&mut self, a: u32, b: u32, open_a: bool) {
        if open_a {
            self.stack.extend(self.a.node(a).children().rev().map(|child| (child, b)));
        } else {
            self.stack.extend(self.b.node(b).children().rev().map(|child| (a, child)));
        }
    }

    fn descend_restarting<C: Counter>(
        &mut self,
        counter: &mut C,
        found: &mut impl FnMut(u32, &[Vec3; 3], u32, &[Vec3; 3]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut flying = vec![0];
        while let Some(b) = flying.pop() {
            self.stack.push((0, b));
            while let Some((a, _)) = self.stack.pop() {
                if !self.overlap(a, b, counter) {
                    continue;
                }
                if !self.a.node(a).is_leaf() {
                    self.open(a, b, true);
                } else if self.b.node(b).is_leaf() {
                    self.leaves(a, b, counter, &mut *found)?;
                } else {
                    flying.extend(self.b.node(b).children().rev());
                    self.stack.clear();
                }
            }
        }
        ControlFlow::Continue(())
    }
}

/// Hands a pair that shares a point to the sink.
#[inline]
pub(super) fn meet(
    here: &[Vec3; 3],
    there: &[Vec3; 3],
    i: u32,
    j: u32,
    sink: &mut dyn Sink,
) -> ControlFlow<()> {
    if triangles_intersect(here, there) { sink.pair(i, j) } else { ControlFlow::Continue(()) }
}
