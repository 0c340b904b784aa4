//! The three traversals (Klosowski et al. 1998, section 4.2).

use std::ops::ControlFlow;

use super::counters::Counter;
use super::query::BvQuery;
use super::tumble::Tumble;
use crate::klosowski::volume::Volume;
use impinge::exact::triangles_intersect;
use impinge::math::{Pose, Vec3};
use impinge::pair::Sink;

/// The order in which two trees are descended. The pairs found do not depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The paper's Algorithm 1: the environment's tree is descended to a leaf first, then the
    /// flying object's.
    Environment,
    /// The paper's variant: when a node of the flying object overlaps a leaf of the environment,
    /// its children restart at the environment's root. This happens once for each node; the other
    /// leaves it overlaps are then skipped.
    Restart,
    /// The larger of the two nodes is opened, unless it is a leaf.
    #[default]
    Larger,
}

impl<V: Volume, T: Tumble<V>> BvQuery<'_, V, T> {
    /// Sends every pair of triangles that share a point to `sink`, each once, with B at `pose` in
    /// A's frame.
    pub fn traverse(&mut self, pose: &Pose, order: Order, sink: &mut dyn Sink) {
        self.traverse_counted(pose, order, sink, &mut ());
    }

    /// As [`BvQuery::traverse`]. Counts the work in `counter`.
    pub fn traverse_counted<C: Counter>(
        &mut self,
        pose: &Pose,
        order: Order,
        sink: &mut dyn Sink,
        counter: &mut C,
    ) {
        if self.begin(pose, 0.0) {
            let _ = self.descend(order, counter, &mut |i, corners_a, j, corners_b| {
                report_if_intersecting(corners_a, corners_b, i, j, sink)
            });
        }
    }

    /// Descends from the roots and calls `found` for all pairs of triangles in overlapping leaves.
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
                self.test_leaves(a, b, counter, &mut *found)?;
                continue;
            }
            let open_a = match order {
                Order::Larger => self.opens_a(a, b),
                _ => !self.a.node(a).is_leaf(),
            };
            self.push_children(a, b, open_a);
        }
        ControlFlow::Continue(())
    }

    /// Whether the node of A is opened, of two nodes that are not both leaves. Depends on the trees
    /// alone, not on the pose.
    #[inline]
    pub(super) fn opens_a(&self, a: u32, b: u32) -> bool {
        let (p, q) = (self.a.node(a), self.b.node(b));
        !p.is_leaf() && (q.is_leaf() || p.size() >= q.size())
    }

    /// Pushes the children of one node, paired with the other node. The first child is on top of
    /// the stack.
    #[inline]
    pub(super) fn push_children(&mut self, a: u32, b: u32, open_a: bool) {
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
                    self.push_children(a, b, true);
                } else if self.b.node(b).is_leaf() {
                    self.test_leaves(a, b, counter, &mut *found)?;
                } else {
                    flying.extend(self.b.node(b).children().rev());
                    self.stack.clear();
                }
            }
        }
        ControlFlow::Continue(())
    }
}

/// Sends the pair to `sink` if the two triangles share a point.
#[inline]
pub(super) fn report_if_intersecting(
    corners_a: &[Vec3; 3],
    corners_b: &[Vec3; 3],
    i: u32,
    j: u32,
    sink: &mut dyn Sink,
) -> ControlFlow<()> {
    if triangles_intersect(corners_a, corners_b) {
        sink.pair(i, j)
    } else {
        ControlFlow::Continue(())
    }
}
