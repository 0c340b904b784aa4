//! Pairs of triangles that are close to each other: simultaneous descent of both trees with a limit
//! that the sink may lower as pairs arrive.
//!
//! A search for the minimum spends most of its work on proving that no other pair is closer. A good
//! upper bound and a good direction shorten that proof. So the search starts with a quick descent
//! ([`near_first`](super::near_first)), whose upper bound is within a few percent of the minimum
//! for meshes that are apart. Then subtrees are opened in no particular order, and pairs of them
//! are dismissed by lower bounds ([`near_boxes`](super::near_boxes)). The most effective one is the
//! gap along the direction between the closest points known so far.
//! [`near_pairs`](super::near_pairs) handles the triangles.
//!
//! Two bunnies of 69,000 triangles, 0.01 to 0.05 apart, take 100 openings, 104 pairs of leaves, 213
//! pairs of triangles in `f32` and 10 in `f64`. With the answer known in advance, it is 87, 81, 146
//! and 10: the work of the proof. With one box against eight at a time and without discs it was 790
//! steps and 507 pairs of leaves.

use std::cell::Cell;
use std::ops::ControlFlow;

use crate::closest::PRUNING_SLACK;
use crate::math::{Pose, Vec3};
use crate::mesh::Mesh;
use crate::sink::NearSink;
use crate::wide::{Wide, dispatch, prefetch};

use super::candidate::Candidate;
use super::disc::Disc;
use super::near_boxes::{Goal, MovedBox, MovedBoxes, NodeBoxes};
use super::near_pairs::{Kept, Search};
use super::node::{Link, LocalBox};
use super::relative::Relative;
use super::{LEAF_PAIRS_PER_BATCH, MAX_SIZE_RATIO, Tree};

/// Number of pairs of leaves between the prefetched pair and the one that is processed.
pub(super) const PREFETCH_PAIRS: usize = 2;

/// Two meshes with their trees.
#[derive(Clone, Copy, Debug)]
pub(super) struct NearQuery<'a> {
    pub(super) a: &'a Mesh,
    pub(super) b: &'a Mesh,
    pub(super) tree_a: &'a Tree,
    pub(super) tree_b: &'a Tree,
    pub(super) pose: &'a Pose,
    pub(super) relative: &'a Relative,
}

/// Two subtrees, and a lower bound of their distance in B's local unit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) a: Link,
    pub(super) b: Link,
    pub(super) lower: f32,
}

/// Sends every pair of triangles whose certified lower bound does not exceed the sink's bound to
/// `sink`. `pose` is the pose of B in A's frame. The trees must be those of the meshes.
///
/// Returns false without doing anything if one mesh is a million times smaller than the other or
/// than the distance between them, which exceeds the precision of `f32`;
/// [`pair::near`](crate::pair::near) then uses another method.
#[must_use]
pub fn near(
    (a, tree_a): (&Mesh, &Tree),
    (b, tree_b): (&Mesh, &Tree),
    pose: &Pose,
    sink: &mut dyn NearSink,
) -> bool {
    let Some(relative) = Relative::new(tree_a, tree_b, pose) else {
        return false;
    };
    let query = NearQuery { a, b, tree_a, tree_b, pose, relative: &relative };
    dispatch::run(RunNear { query: &query, sink });
    true
}

/// The pairs that remain to be processed. Each thread keeps the lists from query to query, so that
/// small queries do not allocate.
#[derive(Debug, Default)]
pub(super) struct Work {
    /// Pairs with at least one node.
    pub(super) steps: Vec<Step>,
    /// Pairs of leaves.
    pub(super) leaves: Vec<Step>,
    candidates: Vec<Candidate>,
}

thread_local! {
    static WORK: Cell<Work> = Cell::default();
}

impl Work {
    #[inline(always)]
    fn push(&mut self, step: Step) {
        let list =
            if step.a.is_leaf() & step.b.is_leaf() { &mut self.leaves } else { &mut self.steps };
        list.push(step);
    }
}

/// The search, compiled for each backend.
struct RunNear<'q> {
    query: &'q NearQuery<'q>,
    sink: &'q mut dyn NearSink,
}

impl dispatch::Task for RunNear<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Wide>(self) {
        self.query.run::<W>(self.sink);
    }
}

/// [`NearQuery::open`], compiled once for each backend.
struct Open<'s, 'q> {
    query: &'s NearQuery<'q>,
    step: &'s Step,
    goal: &'s Goal,
    work: &'s mut Work,
}

impl dispatch::Task for Open<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Wide>(self) {
        self.query.open_here::<W>(self.step, self.goal, self.work);
    }
}

impl NearQuery<'_> {
    #[inline(always)]
    pub(super) fn run<W: Wide>(&self, sink: &mut dyn NearSink) {
        // A bound that is NaN admits no pair either.
        let wanted = sink.bound() >= 0.0;
        let (true, Some((_, a)), Some((_, b))) = (wanted, self.tree_a.root, self.tree_b.root)
        else {
            return;
        };
        let mut work = WORK.take();
        work.steps.clear();
        work.leaves.clear();
        let goal = self.goal(sink.bound(), Vec3::ZERO);
        let mut kept = Kept::new(goal, std::mem::take(&mut work.candidates));
        let mut search = Search { sink, kept: &mut kept };
        // It does not matter here whether the sink stopped the search.
        let _ = self.search::<W>(Step { a, b, lower: 0.0 }, &mut work, &mut search);
        work.candidates = kept.candidates;
        WORK.set(work);
    }

    #[inline(always)]
    fn search<W: Wide>(
        &self,
        root: Step,
        work: &mut Work,
        search: &mut Search<'_>,
    ) -> ControlFlow<()> {
        self.descend::<W>(root, search)?;
        work.push(root);
        loop {
            if work.leaves.len() >= LEAF_PAIRS_PER_BATCH || work.steps.is_empty() {
                self.leaf_pairs::<W>(&mut work.leaves, search)?;
            }
            let Some(step) = work.steps.pop() else { break };
            if let Some(next) = work.steps.last() {
                self.prefetch_nodes(next);
            }
            if step.lower <= search.goal.limit {
                self.open::<W>(&step, &search.goal, work);
            }
        }
        self.measure::<W>(search)?;
        self.check_candidates(search)
    }

    /// Processes all pairs of leaves, and empties the list.
    #[inline(always)]
    fn leaf_pairs<W: Wide>(
        &self,
        pairs: &mut Vec<Step>,
        search: &mut Search<'_>,
    ) -> ControlFlow<()> {
        for k in 0..pairs.len() {
            if let Some(pair) = pairs.get(k + PREFETCH_PAIRS) {
                prefetch(&self.tree_a.leaves[pair.a.index()]);
                prefetch(&self.tree_b.leaves[pair.b.index()]);
            }
            let pair = pairs[k];
            if pair.lower <= search.goal.limit && !search.is_done(&pair) {
                self.leaf_pair::<W>(&pair, search)?;
            }
        }
        pairs.clear();
        ControlFlow::Continue(())
    }

    /// Prefetches the nodes of a pair.
    #[inline(always)]
    pub(super) fn prefetch_nodes(&self, step: &Step) {
        if !step.a.is_leaf() {
            prefetch(&self.tree_a.nodes[step.a.index()]);
        }
        if !step.b.is_leaf() {
            prefetch(&self.tree_b.nodes[step.b.index()]);
        }
    }

    /// Opens one subtree or both, and adds the pairs of children within the limit to the lists.
    #[inline(always)]
    pub(super) fn open<W: Wide>(&self, step: &Step, goal: &Goal, work: &mut Work) {
        W::run_out_of_line(Open { query: self, step, goal, work });
    }

    #[inline(always)]
    fn open_here<W: Wide>(&self, step: &Step, goal: &Goal, work: &mut Work) {
        let Relative { to_a, to_b, .. } = self.relative;
        let (toward_b_in_a, toward_b_in_b) = (&goal.toward_a, &goal.toward_b);
        let negated = |v: &[f32; 3]| [-v[0], -v[1], -v[2]];
        let (toward_a_in_a, toward_a_in_b) = (&negated(toward_b_in_a), &negated(toward_b_in_b));
        let limit = goal.limit;
        // Both are opened, unless one is a leaf or much smaller.
        let (mut open_a, mut open_b) = (!step.a.is_leaf(), !step.b.is_leaf());
        if open_a && open_b {
            let size_a = self.tree_a.nodes[step.a.index()].bounds.size() * to_b.unit;
            let size_b = self.tree_b.nodes[step.b.index()].bounds.size();
            open_a = size_a * MAX_SIZE_RATIO >= size_b;
            open_b = size_b * MAX_SIZE_RATIO >= size_a;
        }
        if !open_b {
            let (bounds, disc) = self.tree_b.bounds_of(step.b);
            let single = MovedBox::new(&bounds, &disc, to_a, toward_a_in_b, toward_a_in_a);
            let node = &self.tree_a.nodes[step.a.index()];
            let boxes = NodeBoxes::<W>::new(node, to_b, to_a, toward_b_in_a);
            let (lower, mut near) = boxes.lower_bounds(&single, limit * to_a.unit);
            let lower = lower.mul(W::splat(to_b.unit)).array();
            while near != 0 {
                let slot = near.trailing_zeros() as usize;
                near &= near - 1;
                work.push(Step { a: node.link[slot], b: step.b, lower: lower[slot] });
            }
            return;
        }
        let node = &self.tree_b.nodes[step.b.index()];
        let boxes = NodeBoxes::<W>::new(node, to_a, to_b, toward_a_in_b);
        if !open_a {
            let (bounds, disc) = self.tree_a.bounds_of(step.a);
            let single = MovedBox::new(&bounds, &disc, to_b, toward_b_in_a, toward_b_in_b);
            let (lower, mut near) = boxes.lower_bounds(&single, limit);
            let lower = lower.array();
            while near != 0 {
                let slot = near.trailing_zeros() as usize;
                near &= near - 1;
                work.push(Step { a: step.a, b: node.link[slot], lower: lower[slot] });
            }
            return;
        }
        let other = &self.tree_a.nodes[step.a.index()];
        let rows = MovedBoxes::new::<W>(other, to_b, toward_b_in_a, toward_b_in_b);
        let mut remaining = boxes.rows_within(&rows.support, limit) & rows.real;
        while remaining != 0 {
            let i = remaining.trailing_zeros() as usize;
            remaining &= remaining - 1;
            let (lower, mut near) = boxes.lower_bounds(&rows.get(i), limit);
            let lower = lower.array();
            while near != 0 {
                let slot = near.trailing_zeros() as usize;
                near &= near - 1;
                work.push(Step { a: other.link[i], b: node.link[slot], lower: lower[slot] });
            }
        }
    }

    /// The goal for a bound, in A's unit, and a direction along the axes of its tree, which has
    /// length one or zero.
    pub(super) fn goal(&self, bound: f64, toward: Vec3) -> Goal {
        let relative = self.relative;
        let limit =
            (bound * self.tree_a.frame.scale).min(relative.span) + relative.span * PRUNING_SLACK;
        let shortened = |v: Vec3| (v * (1.0 - 1.0 / f64::from(1 << 20))).as_vec3().to_array();
        Goal {
            // Rounded to nearest, and then enlarged by more than the rounding error.
            limit: limit as f32 * relative.to_b.unit * (1.0 + 8.0 * f32::EPSILON)
                + f32::MIN_POSITIVE,
            toward_a: shortened(toward),
            toward_b: shortened(relative.rotation.transpose() * toward),
            toward,
        }
    }
}

impl Tree {
    /// The box of a subtree, and its disc: that of a leaf, or the ball around a node's box.
    #[inline(always)]
    pub(super) fn bounds_of(&self, link: Link) -> (LocalBox, Disc) {
        if link.is_leaf() {
            let leaf = &self.leaves[link.index()];
            return (leaf.bounds(), leaf.disc);
        }
        let bounds = self.nodes[link.index()].bounds;
        (bounds, Disc::ball(bounds.reach()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;
    use crate::sink::NearPair;
    use crate::wide::dispatch::Baseline;

    /// Keeps pairs up to a bound. With `follow` the bound is the smallest upper bound so far.
    struct Keep {
        bound: f64,
        follow: bool,
        pairs: Vec<NearPair>,
    }

    impl NearSink for Keep {
        fn bound(&self) -> f64 {
            self.bound
        }

        fn announce_upper_bound(&mut self, upper: f64) {
            if self.follow {
                self.bound = self.bound.min(upper);
            }
        }

        fn pair(&mut self, pair: &NearPair) -> ControlFlow<()> {
            self.announce_upper_bound(pair.closest.upper);
            self.pairs.push(*pair);
            ControlFlow::Continue(())
        }
    }

    impl Keep {
        /// The part of the result that does not depend on the order: the pairs within the final
        /// bound.
        fn finish(mut self) -> Vec<NearPair> {
            let least = self.pairs.iter().map(|p| p.closest.upper).fold(f64::INFINITY, f64::min);
            let bound = if self.follow { least } else { self.bound };
            self.pairs.retain(|p| p.closest.lower <= bound);
            self.pairs.sort_unstable_by_key(|p| (p.triangle_a, p.triangle_b));
            self.pairs
        }
    }

    #[test]
    fn both_backends_find_the_same_pairs() {
        let mut pairs = 0;
        samples::pairs(10, [0.0, 1.0, 4.0], |a, b, pose| {
            let (tree_a, tree_b) = (a.tree(), b.tree());
            let relative = Relative::new(tree_a, tree_b, pose).unwrap();
            let query = NearQuery { a, b, tree_a, tree_b, pose, relative: &relative };
            for (bound, follow) in
                [(f64::INFINITY, true), (0.0, false), (0.01, false), (0.3, false)]
            {
                let keep = || Keep { bound, follow, pairs: Vec::new() };
                let (mut plain, mut best) = (keep(), keep());
                query.run::<Baseline>(&mut plain);
                dispatch::run(RunNear { query: &query, sink: &mut best });
                let plain = plain.finish();
                pairs += plain.len();
                assert_eq!(plain, best.finish());
            }
        });
        assert!(pairs > 10_000, "{pairs}");
    }
}
