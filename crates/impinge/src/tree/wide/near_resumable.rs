//! A search for the closest pair that can be interrupted after every unit of work and continued
//! later; the steps are those of [`near`](super::near).
//!
//! The pair of subtrees with the smallest lower bound is opened next, up to the width of a bucket.
//! So the lower bound of the distance improves steadily: it is the least of all pairs that are not
//! decided. `docs/notes/budgets.md` has the proof that it never falls.

use std::ops::ControlFlow;

use crate::budget::Budget;
use crate::closest::PRUNING_SLACK;
use crate::exact::triangles_intersect_quickly;
use crate::math::{Pose, Vec3};
use crate::mesh::Mesh;
use crate::sink::NearSink;
use crate::wide::{UnfusedTask, Wide, dispatch, prefetch};

use super::buckets::Buckets;
use super::near::{NearQuery, PREFETCH_PAIRS, Step, Work};
use super::near_batch::Batch;
use super::near_boxes::Goal;
use super::near_first::Beam;
use super::near_leaf::{Close, close};
use super::near_pairs::{CANDIDATES_PER_CHECK, MAX_DONE_LEAF_PAIRS, Search};
use super::node::Link;
use super::relative::Relative;
use super::resumable::{Progress, UNITS_OF_EXACT_TEST};
use super::{LEAF_PAIRS_PER_BATCH, Tree};

/// Units of two leaves, and of two triangles in `f64`.
const UNITS_OF_LEAF_PAIR: u64 = 2;
const UNITS_OF_MEASUREMENT: u64 = 2;

/// Candidates that are compared and sorted in a unit.
const CANDIDATES_PER_UNIT: usize = 4;

/// The state of a search. It can be continued as long as the meshes, their trees and the pose are
/// the same.
#[derive(Debug)]
pub(crate) struct NearSearch {
    /// The trees' stamps and the pose it belongs to.
    key: Option<(u64, u64, Pose)>,
    relative: Option<Relative>,
    phase: Phase,
    /// The descent: the pairs of the current level, how many are done, and the next level.
    level: Beam,
    level_done: usize,
    next_level: Beam,
    queue: Buckets,
    /// Newly found pairs of subtrees, and pairs of leaves.
    work: Work,
    /// The pairs of leaves before this one are compared.
    leaves_done: usize,
    /// The pairs of triangles of two leaves, how many of them are in the batch, and a lower bound
    /// of their distances.
    close: Close,
    close_done: usize,
    leaves: Step,
    /// Lower bound of the distances of pairs in the batch and in `likely`.
    batch_lower: f32,
    /// Pairs that may meet.
    likely: [(u32, u32); 8],
    likely_count: usize,
    /// Whether the candidates are sorted and being checked, and how many are.
    is_checking: bool,
    checked: usize,
    /// Units already paid for the next piece of work.
    paid: u64,
    saved: Saved,
}

/// The stages of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The quick descent for a first bound.
    Descent,
    /// Opening pairs of subtrees.
    Pairs,
    /// What remains in the batch and among the candidates.
    Rest,
    Finished,
}

/// The parts of a [`Search`] between two runs.
#[derive(Debug)]
struct Saved {
    goal: Goal,
    best: f32,
    batch: Batch,
    done: [(Link, Link); MAX_DONE_LEAF_PAIRS],
    done_count: usize,
    candidates: Vec<(f64, u32, u32)>,
    direct: bool,
}

/// No pair.
const NO_STEP: Step = Step { a: Link::NONE, b: Link::NONE, lower: 0.0 };

impl Default for NearSearch {
    fn default() -> Self {
        Self {
            key: None,
            relative: None,
            phase: Phase::Finished,
            level: Beam::of(NO_STEP),
            level_done: 0,
            next_level: Beam::of(NO_STEP),
            queue: Buckets::default(),
            work: Work::default(),
            leaves_done: 0,
            close: Close::NONE,
            close_done: 0,
            leaves: NO_STEP,
            batch_lower: f32::INFINITY,
            likely: [(0, 0); 8],
            likely_count: 0,
            is_checking: false,
            checked: 0,
            paid: 0,
            saved: Saved {
                goal: Goal {
                    limit: 0.0,
                    toward_a: [0.0; 3],
                    toward_b: [0.0; 3],
                    toward: Vec3::ZERO,
                },
                best: f32::INFINITY,
                batch: Batch::EMPTY,
                done: [(Link::NONE, Link::NONE); MAX_DONE_LEAF_PAIRS],
                done_count: 0,
                candidates: Vec::new(),
                direct: false,
            },
        }
    }
}

/// Why a run ended early.
enum End {
    /// The budget is spent.
    Stopped,
    /// The sink ended the search.
    Broken,
}

/// Converts the flow of a sink.
fn go_on(flow: ControlFlow<()>) -> Result<(), End> {
    if flow.is_break() { Err(End::Broken) } else { Ok(()) }
}

impl NearSearch {
    pub(crate) fn forget(&mut self) {
        self.key = None;
    }

    pub(crate) fn belongs_to(&self, a: &Tree, b: &Tree, pose: &Pose) -> bool {
        self.key.is_some_and(|key| key == (a.stamp, b.stamp, *pose))
    }

    /// Starts a query; false where [`near`](super::near()) returns false.
    pub(crate) fn start(
        &mut self,
        (a, tree_a): (&Mesh, &Tree),
        (b, tree_b): (&Mesh, &Tree),
        pose: &Pose,
        bound: f64,
    ) -> bool {
        self.key = None;
        let Some(relative) = Relative::new(tree_a, tree_b, pose) else { return false };
        let (Some((_, root_a)), Some((_, root_b))) = (tree_a.root, tree_b.root) else {
            return false;
        };
        let query = NearQuery { a, b, tree_a, tree_b, pose, relative };
        let goal = query.goal(bound, Vec3::ZERO);
        self.relative = Some(query.relative);
        self.phase = Phase::Descent;
        (self.level, self.level_done) = (Beam::of(Step { a: root_a, b: root_b, lower: 0.0 }), 0);
        self.next_level.count = 0;
        self.queue.clear();
        self.work.steps.clear();
        self.work.leaves.clear();
        (self.leaves_done, self.close.count, self.close_done) = (0, 0, 0);
        (self.batch_lower, self.likely_count) = (f32::INFINITY, 0);
        (self.is_checking, self.checked, self.paid) = (false, 0, 0);
        let saved = &mut self.saved;
        (saved.goal, saved.best, saved.direct) = (goal, f32::INFINITY, false);
        (saved.batch.count, saved.done_count) = (0, 0);
        saved.candidates.clear();
        self.key = Some((tree_a.stamp, tree_b.stamp, *pose));
        true
    }

    /// Continues the search until it is finished, the sink ends it, or the budget is spent. The
    /// sink must be in the state of the last run.
    pub(crate) fn run(
        &mut self,
        a: (&Mesh, &Tree),
        b: (&Mesh, &Tree),
        pose: &Pose,
        sink: &mut dyn NearSink,
        budget: &mut Budget<'_>,
    ) -> Progress {
        debug_assert!(self.belongs_to(a.1, b.1, pose), "the search was started for this query");
        if self.phase == Phase::Finished {
            return Progress::Finished;
        }
        let Some(relative) = self.relative.take() else { return Progress::Finished };
        let query = NearQuery { a: a.0, b: b.0, tree_a: a.1, tree_b: b.1, pose, relative };
        let saved = &mut self.saved;
        let mut search = Search {
            sink,
            goal: saved.goal,
            best: saved.best,
            batch: saved.batch.clone(),
            done: saved.done,
            done_count: saved.done_count,
            candidates: std::mem::take(&mut saved.candidates),
            direct: saved.direct,
        };
        let everywhere_the_same = budget.is_reproducible();
        let task = Run { query: &query, state: self, search: &mut search, budget };
        let end = if everywhere_the_same {
            dispatch::run(UnfusedTask(task))
        } else {
            dispatch::run(task)
        };
        let Search { sink: _, goal, best, batch, done, done_count, candidates, direct } = search;
        self.saved = Saved { goal, best, batch, done, done_count, candidates, direct };
        self.relative = Some(query.relative);
        if let Err(End::Stopped) = end {
            return Progress::Stopped;
        }
        self.phase = Phase::Finished;
        Progress::Finished
    }

    /// Lower bound of the distance of all pairs that are not decided, in the unit of A.
    pub(crate) fn lower(&self, tree_a: &Tree, tree_b: &Tree) -> f64 {
        let Some(relative) = &self.relative else { return 0.0 };
        if self.phase == Phase::Descent {
            return 0.0;
        }
        let mut least = self.queue.least();
        for pair in &self.work.leaves[self.leaves_done..] {
            least = least.min(pair.lower);
        }
        if self.close_done < self.close.count {
            least = least.min(self.leaves.lower);
        }
        if self.saved.batch.count + self.likely_count > 0 {
            least = least.min(self.batch_lower);
        }
        let mut least = f64::from(least);
        for candidate in &self.saved.candidates[self.checked..] {
            least = least.min(candidate.0);
        }
        // Bounds in `f32` hold up to this for the certified bounds of a pair.
        let slack = 2.0 * PRUNING_SLACK * relative.span / tree_a.frame.scale;
        (least / tree_b.frame.scale - slack).max(0.0)
    }

    #[inline(always)]
    fn afford(&mut self, cost: u64, budget: &mut Budget<'_>) -> Result<(), End> {
        while self.paid < cost {
            if !budget.step() {
                return Err(End::Stopped);
            }
            self.paid += 1;
        }
        self.paid = 0;
        Ok(())
    }

    #[inline(always)]
    fn search<W: Wide>(
        &mut self,
        query: &NearQuery<'_>,
        search: &mut Search<'_>,
        budget: &mut Budget<'_>,
    ) -> Result<(), End> {
        // What the last run left.
        self.finish_pairs::<W>(query, search, budget)?;
        if self.phase == Phase::Descent {
            self.descend::<W>(query, search, budget)?;
            self.phase = Phase::Pairs;
            self.queue.reset(search.goal.limit);
            self.push(Step { lower: 0.0, ..self.root(query) });
        }
        if self.phase == Phase::Pairs {
            self.open_pairs::<W>(query, search, budget)?;
            self.phase = Phase::Rest;
        }
        if search.batch.count > 0 {
            self.measure::<W>(query, search);
        }
        self.finish_pairs::<W>(query, search, budget)?;
        self.check(query, search, budget)
    }

    fn root(&self, query: &NearQuery<'_>) -> Step {
        match (query.tree_a.root, query.tree_b.root) {
            (Some((_, a)), Some((_, b))) => Step { a, b, lower: 0.0 },
            _ => NO_STEP,
        }
    }

    fn push(&mut self, step: Step) {
        if step.a.is_leaf() & step.b.is_leaf() {
            self.work.leaves.push(step);
        } else {
            self.queue.push(step);
        }
    }

    /// The quick descent of [`near_first`](super::near_first).
    #[inline(always)]
    fn descend<W: Wide>(
        &mut self,
        query: &NearQuery<'_>,
        search: &mut Search<'_>,
        budget: &mut Budget<'_>,
    ) -> Result<(), End> {
        loop {
            if self.level_done == self.level.count {
                if self.next_level.count == 0 {
                    break;
                }
                (self.level, self.level_done) = (self.next_level, 0);
                self.next_level.count = 0;
            }
            let step = self.level.steps[self.level_done];
            if step.a.is_leaf() && step.b.is_leaf() {
                self.afford(UNITS_OF_LEAF_PAIR, budget)?;
                if !search.mark_done(&step) {
                    break;
                }
                self.level_done += 1;
                query.offer_centers::<W>(&step, search);
                // In the descent, `lower` is the squared distance of the centres.
                self.leaf_pair::<W>(query, &Step { lower: 0.0, ..step }, search);
                self.finish_pairs::<W>(query, search, budget)?;
            } else {
                self.afford(1, budget)?;
                self.level_done += 1;
                query.expand::<W>(&step, &mut self.next_level);
            }
        }
        if search.batch.count > 0 {
            self.measure::<W>(query, search);
        }
        self.finish_pairs::<W>(query, search, budget)
    }

    /// Opens pairs of subtrees, the closest first, and compares pairs of leaves in batches.
    #[inline(always)]
    fn open_pairs<W: Wide>(
        &mut self,
        query: &NearQuery<'_>,
        search: &mut Search<'_>,
        budget: &mut Budget<'_>,
    ) -> Result<(), End> {
        loop {
            let enough = self.work.leaves.len() >= LEAF_PAIRS_PER_BATCH || self.queue.count == 0;
            if enough || self.leaves_done > 0 {
                while self.leaves_done < self.work.leaves.len() {
                    let ahead = self.work.leaves.get(self.leaves_done + PREFETCH_PAIRS);
                    if let Some(pair) = ahead {
                        prefetch(&query.tree_a.leaves[pair.a.index()]);
                        prefetch(&query.tree_b.leaves[pair.b.index()]);
                    }
                    let pair = self.work.leaves[self.leaves_done];
                    if pair.lower <= search.goal.limit && !search.is_done(&pair) {
                        self.afford(UNITS_OF_LEAF_PAIR, budget)?;
                        self.leaves_done += 1;
                        self.leaf_pair::<W>(query, &pair, search);
                        self.finish_pairs::<W>(query, search, budget)?;
                    } else {
                        self.leaves_done += 1;
                    }
                }
                self.work.leaves.clear();
                self.leaves_done = 0;
            }
            if self.queue.least() > search.goal.limit {
                self.queue.clear();
            }
            if self.queue.count == 0 {
                return Ok(());
            }
            self.afford(1, budget)?;
            let Some(step) = self.queue.pop() else { continue };
            if let Some((a, b)) = self.queue.peek() {
                query.prefetch_nodes(&Step { a, b, lower: 0.0 });
            }
            if step.lower <= search.goal.limit {
                let leaves = self.work.leaves.len();
                query.open::<W>(&step, &search.goal, &mut self.work);
                // Rounding may make a child closer than its parent.
                for pair in &mut self.work.leaves[leaves..] {
                    pair.lower = pair.lower.max(step.lower);
                }
                for k in 0..self.work.steps.len() {
                    let found = self.work.steps[k];
                    self.queue.push(Step { lower: found.lower.max(step.lower), ..found });
                }
                self.work.steps.clear();
            }
        }
    }

    /// Finds the pairs of triangles of two leaves that may be within the limit.
    #[inline(always)]
    fn leaf_pair<W: Wide>(&mut self, query: &NearQuery<'_>, pair: &Step, search: &Search<'_>) {
        let (a, b) = (&query.tree_a.leaves[pair.a.index()], &query.tree_b.leaves[pair.b.index()]);
        close::<W>(a, b, &query.relative, &search.goal, &mut self.close);
        (self.close_done, self.leaves) = (0, *pair);
    }

    /// Passes the pairs of triangles found last through the batch and the check.
    #[inline(always)]
    fn finish_pairs<W: Wide>(
        &mut self,
        query: &NearQuery<'_>,
        search: &mut Search<'_>,
        budget: &mut Budget<'_>,
    ) -> Result<(), End> {
        loop {
            if self.likely_count > 0 {
                self.test_likely(query, search, budget)?;
            }
            if self.is_checking || search.candidates.len() >= CANDIDATES_PER_CHECK {
                self.check(query, search, budget)?;
            }
            if self.close_done == self.close.count {
                return Ok(());
            }
            let a = &query.tree_a.leaves[self.leaves.a.index()];
            let b = &query.tree_b.leaves[self.leaves.b.index()];
            if search.direct {
                for (i, j) in &self.close.pairs[self.close_done..self.close.count] {
                    let (t, u) = (a.triangles[usize::from(i & 7)], b.triangles[usize::from(j & 7)]);
                    search.candidates.push((f64::from(self.leaves.lower), t, u));
                }
                self.close_done = self.close.count;
                continue;
            }
            while self.close_done < self.close.count && search.batch.count < 8 {
                search.batch.add(a, b, &self.close, self.close.pairs[self.close_done]);
                self.close_done += 1;
            }
            self.batch_lower = self.batch_lower.min(self.leaves.lower);
            if search.batch.count == 8 {
                self.afford(1, budget)?;
                self.measure::<W>(query, search);
            }
        }
    }

    /// Tests pairs of triangles that may meet.
    #[inline(never)]
    fn test_likely(
        &mut self,
        query: &NearQuery<'_>,
        search: &mut Search<'_>,
        budget: &mut Budget<'_>,
    ) -> Result<(), End> {
        while self.likely_count > 0 {
            let (t, u) = self.likely[self.likely_count - 1];
            let (here, there) = query.triangles(t, u);
            let is_quick = triangles_intersect_quickly(&here, &there).is_some();
            let exact = if is_quick { 0 } else { UNITS_OF_EXACT_TEST };
            self.afford(UNITS_OF_MEASUREMENT + exact, budget)?;
            self.likely_count -= 1;
            go_on(query.pair(t, u, true, search))?;
        }
        if search.batch.count == 0 {
            self.batch_lower = f32::INFINITY;
        }
        Ok(())
    }

    /// Checks the candidates, and empties their list.
    #[inline(never)]
    fn check(
        &mut self,
        query: &NearQuery<'_>,
        search: &mut Search<'_>,
        budget: &mut Budget<'_>,
    ) -> Result<(), End> {
        if !self.is_checking {
            let cost = search.candidates.len().div_ceil(CANDIDATES_PER_UNIT);
            self.afford(cost as u64, budget)?;
            let mut candidates = std::mem::take(&mut search.candidates);
            query.order_candidates(&mut candidates, search);
            search.candidates = candidates;
            (self.is_checking, self.checked) = (true, 0);
        }
        while let Some((lower, t, u)) = search.candidates.get(self.checked).copied() {
            if lower > query.limit(search) {
                break;
            }
            self.afford(UNITS_OF_MEASUREMENT, budget)?;
            self.checked += 1;
            go_on(query.pair(t, u, false, search))?;
        }
        search.candidates.clear();
        (self.is_checking, self.checked) = (false, 0);
        Ok(())
    }

    /// Computes the bounds of the batch, and empties it.
    #[inline(always)]
    fn measure<W: Wide>(&mut self, query: &NearQuery<'_>, search: &mut Search<'_>) {
        let count = std::mem::take(&mut search.batch.count);
        let bounds = search.batch.measure::<W>();
        let mut nearest = 0;
        for k in 1..count {
            if bounds.upper[k] < bounds.upper[nearest] {
                nearest = k;
            }
        }
        query.offer_upper_bound(bounds.upper[nearest], bounds.toward.get(nearest), search);
        for k in 0..count {
            let (t, u) = search.batch.triangles[k];
            if bounds.lower[k] <= 0.0 {
                self.likely[self.likely_count] = (t, u);
                self.likely_count += 1;
            } else if bounds.lower[k] <= search.goal.limit {
                let lower = bounds.lower[k].max(self.batch_lower);
                search.candidates.push((f64::from(lower), t, u));
            }
        }
        if self.likely_count == 0 {
            self.batch_lower = f32::INFINITY;
        }
    }
}

/// A part of a search, compiled for each backend.
struct Run<'r, 'q, 's, 'b> {
    query: &'r NearQuery<'q>,
    state: &'r mut NearSearch,
    search: &'r mut Search<'s>,
    budget: &'r mut Budget<'b>,
}

impl dispatch::Task for Run<'_, '_, '_, '_> {
    type Output = Result<(), End>;

    #[inline(always)]
    fn run<W: Wide>(self) -> Self::Output {
        self.state.search::<W>(self.query, self.search, self.budget)
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;
    use crate::sink::NearPair;
    use crate::wide::dispatch::Baseline;
    use crate::wide::dispatch::Task as _;

    /// Follows the smallest upper bound.
    #[derive(Debug, PartialEq)]
    struct Closest {
        bound: f64,
        pairs: Vec<NearPair>,
    }

    impl NearSink for Closest {
        fn bound(&self) -> f64 {
            self.bound
        }

        fn announce_upper_bound(&mut self, upper: f64) {
            self.bound = self.bound.min(upper);
        }

        fn meet(&mut self, _: u32, _: u32) -> ControlFlow<()> {
            ControlFlow::Break(())
        }

        fn pair(&mut self, pair: &NearPair) -> ControlFlow<()> {
            self.announce_upper_bound(pair.closest.upper);
            self.pairs.push(*pair);
            ControlFlow::Continue(())
        }
    }

    /// With the same number of steps, both backends measure the same pairs in the same order, and
    /// know the same bounds.
    #[test]
    fn both_backends_take_the_same_steps() {
        let (mut steps, mut finished) = (0, 0);
        samples::pairs(23, [2.0, 4.0, 8.0], |a, b, pose| {
            let (tree_a, tree_b) = (a.tree(), b.tree());
            for limit in [1, 7, 60, 300, 1 << 40] {
                let mut outcomes = Vec::new();
                for portable in [false, true] {
                    let mut state = NearSearch::default();
                    assert!(state.start((a, tree_a), (b, tree_b), pose, f64::INFINITY));
                    let mut sink = Closest { bound: f64::INFINITY, pairs: Vec::new() };
                    let mut budget = Budget::steps(limit);
                    let relative = state.relative.take().unwrap();
                    let query = NearQuery { a, b, tree_a, tree_b, pose, relative };
                    let goal = state.saved.goal;
                    let mut search = Search::new(&mut sink, goal, Vec::new());
                    let task = UnfusedTask(Run {
                        query: &query,
                        state: &mut state,
                        search: &mut search,
                        budget: &mut budget,
                    });
                    let end = if portable { task.run::<Baseline>() } else { dispatch::run(task) };
                    let (best, count) = (search.best, search.batch.count);
                    state.saved.candidates = search.candidates;
                    state.saved.batch.count = count;
                    state.relative = Some(query.relative);
                    let lower = state.lower(tree_a, tree_b);
                    let open = (lower, state.queue.count, state.saved.candidates.clone());
                    outcomes.push((end.is_ok(), budget.spent(), best, open, sink));
                }
                assert_eq!(outcomes[0], outcomes[1], "{limit} steps");
                steps += outcomes[0].1;
                finished += usize::from(outcomes[0].0);
            }
        });
        assert!(steps > 4000 && finished > 20, "{steps} {finished}");
    }
}
