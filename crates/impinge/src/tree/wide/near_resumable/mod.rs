//! A search for the closest pair that can be interrupted after every unit of work and continued
//! later; the steps are those of [`near`](super::near).
//!
//! The pair of subtrees with the smallest lower bound is opened next, up to the width of a bucket.
//! So the lower bound of the distance improves steadily: it is the least of all pairs that are not
//! decided. `docs/notes/budgets.md` has the proof that it never falls.

mod triangles;

use std::ops::ControlFlow;

use crate::budget::{Budget, Paid, Quantum};
use crate::closest::PRUNING_SLACK;
use crate::math::{Pose, Vec3};
use crate::mesh::Mesh;
use crate::sink::NearSink;
use crate::wide::{Wide, dispatch, prefetch};

use super::buckets::Buckets;
use super::near::{NearQuery, PREFETCH_PAIRS, Step, Work};
use super::near_boxes::Goal;
use super::near_first::Beam;
use super::near_leaf::Close;
use super::near_pairs::{Kept, Search};
use super::node::Link;
use super::relative::Relative;
use super::resumable::Progress;
use super::{LEAF_PAIRS_PER_BATCH, Tree};

/// The state of a search. It can be continued as long as the meshes, their trees and the pose are
/// the same.
#[derive(Debug)]
pub(crate) struct NearSearch {
    relative: Option<Relative>,
    kept: Kept,
    course: Course,
}

/// How far a search came.
#[derive(Debug)]
struct Course {
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
    /// Lower bound of the distances of pairs in the list of leaves, and of the candidates.
    leaves_lower: f32,
    candidates_lower: f32,
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
    check: Check,
    /// Units already paid for the next piece of work.
    paid: Paid,
}

/// The stages of a check of the candidates.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Check {
    /// No check is under way.
    Collecting,
    /// The lower bounds of the candidates before `done` are raised; those beyond `limit` are
    /// dismissed then.
    Raising { done: usize, limit: f64 },
    /// The candidates are arranged, and measured one after the other, the closest first.
    Measuring,
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

/// No pair.
const NO_STEP: Step = Step { a: Link::NONE, b: Link::NONE, lower: 0.0 };

impl Default for NearSearch {
    fn default() -> Self {
        let nowhere =
            Goal { limit: 0.0, toward_a: [0.0; 3], toward_b: [0.0; 3], toward: Vec3::ZERO };
        Self { relative: None, kept: Kept::new(nowhere, Vec::new()), course: Course::default() }
    }
}

impl Default for Course {
    fn default() -> Self {
        Self {
            phase: Phase::Finished,
            level: Beam::of(NO_STEP),
            level_done: 0,
            next_level: Beam::of(NO_STEP),
            queue: Buckets::default(),
            work: Work::default(),
            leaves_done: 0,
            leaves_lower: f32::INFINITY,
            candidates_lower: f32::INFINITY,
            close: Close::NONE,
            close_done: 0,
            leaves: NO_STEP,
            batch_lower: f32::INFINITY,
            likely: [(0, 0); 8],
            likely_count: 0,
            check: Check::Collecting,
            paid: Paid::NOTHING,
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
    /// Starts a query with the relative position of the trees, if `f32` is precise enough for it,
    /// and both meshes have triangles; otherwise the search is finished.
    pub(crate) fn start(
        &mut self,
        (a, tree_a): (&Mesh, &Tree),
        (b, tree_b): (&Mesh, &Tree),
        pose: &Pose,
        bound: f64,
        relative: Option<&Relative>,
    ) {
        self.course.phase = Phase::Finished;
        let (Some(relative), Some((_, root_a)), Some((_, root_b))) =
            (relative, tree_a.root, tree_b.root)
        else {
            return;
        };
        let relative = self.relative.insert(relative.clone());
        let query = NearQuery { a, b, tree_a, tree_b, pose, relative };
        self.kept.restart(query.goal(bound, Vec3::ZERO));
        self.course.start(Step { a: root_a, b: root_b, lower: 0.0 });
    }

    /// Continues the search until it is finished, the sink ends it, or the budget is spent. The
    /// meshes, the trees and the pose must be those of the start, and the sink must be in the state
    /// of the last run.
    pub(crate) fn run(
        &mut self,
        a: (&Mesh, &Tree),
        b: (&Mesh, &Tree),
        pose: &Pose,
        sink: &mut dyn NearSink,
        budget: &mut Budget<'_>,
    ) -> Progress {
        let Self { relative: Some(relative), kept, course } = self else {
            return Progress::Finished;
        };
        if course.phase == Phase::Finished {
            return Progress::Finished;
        }
        let query = NearQuery { a: a.0, b: b.0, tree_a: a.1, tree_b: b.1, pose, relative };
        let mut search = Search { sink, kept };
        let everywhere_the_same = budget.is_reproducible();
        let task = Run { query: &query, course, search: &mut search, budget };
        let end = if everywhere_the_same {
            dispatch::run_reproducibly(task)
        } else {
            dispatch::run(task)
        };
        if let Err(End::Stopped) = end {
            return Progress::Stopped;
        }
        self.course.phase = Phase::Finished;
        Progress::Finished
    }

    /// Lower bound of the distance of all pairs that are not decided, in the unit of A.
    pub(crate) fn lower(&self, tree_a: &Tree, tree_b: &Tree) -> f64 {
        let Some(relative) = &self.relative else { return 0.0 };
        if self.course.phase == Phase::Descent {
            return 0.0;
        }
        let least = self.course.lower(&self.kept);
        // Bounds in `f32` hold up to this for the certified bounds of a pair.
        let slack = 2.0 * PRUNING_SLACK * relative.span / tree_a.frame.scale;
        (least / tree_b.frame.scale - slack).max(0.0)
    }
}

impl Course {
    /// Starts with the roots.
    fn start(&mut self, roots: Step) {
        self.phase = Phase::Descent;
        (self.level, self.level_done, self.next_level.count) = (Beam::of(roots), 0, 0);
        self.queue.clear();
        self.work.steps.clear();
        self.work.leaves.clear();
        (self.leaves_done, self.close.count, self.close_done) = (0, 0, 0);
        (self.leaves_lower, self.candidates_lower) = (f32::INFINITY, f32::INFINITY);
        (self.batch_lower, self.likely_count) = (f32::INFINITY, 0);
        (self.check, self.paid) = (Check::Collecting, Paid::NOTHING);
    }

    /// Lower bound of the distance of all pairs that are not decided, in B's local unit.
    fn lower(&self, kept: &Kept) -> f64 {
        let mut least = self.queue.least();
        if self.leaves_done < self.work.leaves.len() {
            least = least.min(self.leaves_lower);
        }
        if self.close_done < self.close.count {
            least = least.min(self.leaves.lower);
        }
        if kept.batch.count + self.likely_count > 0 {
            least = least.min(self.batch_lower);
        }
        let least = f64::from(least);
        let Some(first) = kept.candidates.first() else { return least };
        let is_arranged = self.check == Check::Measuring;
        least.min(if is_arranged { first.lower } else { f64::from(self.candidates_lower) })
    }

    #[inline(always)]
    fn afford(&mut self, cost: u64, quantum: Quantum, budget: &mut Budget<'_>) -> Result<(), End> {
        if self.paid.afford(cost, quantum, budget) { Ok(()) } else { Err(End::Stopped) }
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
            match query.root() {
                root if root.a.is_leaf() & root.b.is_leaf() => self.push_leaves(root),
                root => self.queue.push(root),
            }
        }
        if self.phase == Phase::Pairs {
            self.open_pairs::<W>(query, search, budget)?;
            self.phase = Phase::Rest;
        }
        self.finish_batch::<W>(query, search, budget)?;
        self.check(query, search, budget)
    }

    #[inline(always)]
    fn push_leaves(&mut self, pair: Step) {
        self.leaves_lower = self.leaves_lower.min(pair.lower);
        self.work.leaves.push(pair);
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
                self.afford_leaves(budget)?;
                if !search.mark_done(&step) {
                    break;
                }
                self.level_done += 1;
                query.offer_centers::<W>(&step, search);
                // In the descent, `lower` is the squared distance of the centres.
                let pair = Step { lower: 0.0, ..step };
                self.compare_leaves::<W>(query, &pair, search, budget)?;
            } else {
                self.afford(1, Quantum::Open, budget)?;
                self.level_done += 1;
                query.expand::<W>(&step, &mut self.next_level);
            }
        }
        self.finish_batch::<W>(query, search, budget)
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
                self.compare_batch::<W>(query, search, budget)?;
            }
            if self.queue.least() > search.goal.limit {
                self.queue.clear();
            }
            if self.queue.count == 0 {
                return Ok(());
            }
            self.afford(1, Quantum::Open, budget)?;
            let Some(step) = self.queue.pop() else { continue };
            if let Some((a, b)) = self.queue.peek() {
                query.prefetch_nodes(&Step { a, b, lower: 0.0 });
            }
            if step.lower <= search.goal.limit {
                let leaves = self.work.leaves.len();
                query.open::<W>(&step, &search.goal, &mut self.work);
                // Rounding may make a child closer than its parent.
                let raised = |lower: f32| if lower > step.lower { lower } else { step.lower };
                let mut least = self.leaves_lower;
                for pair in &mut self.work.leaves[leaves..] {
                    pair.lower = raised(pair.lower);
                    least = if pair.lower < least { pair.lower } else { least };
                }
                self.leaves_lower = least;
                for found in self.work.steps.drain(..) {
                    self.queue.push(Step { lower: raised(found.lower), ..found });
                }
            }
        }
    }

    /// Compares the pairs of leaves that were found, and empties their list.
    #[inline(always)]
    fn compare_batch<W: Wide>(
        &mut self,
        query: &NearQuery<'_>,
        search: &mut Search<'_>,
        budget: &mut Budget<'_>,
    ) -> Result<(), End> {
        while self.leaves_done < self.work.leaves.len() {
            if let Some(pair) = self.work.leaves.get(self.leaves_done + PREFETCH_PAIRS) {
                prefetch(&query.tree_a.leaves[pair.a.index()]);
                prefetch(&query.tree_b.leaves[pair.b.index()]);
            }
            let pair = self.work.leaves[self.leaves_done];
            if pair.lower <= search.goal.limit && !search.is_done(&pair) {
                self.afford_leaves(budget)?;
                self.leaves_done += 1;
                self.compare_leaves::<W>(query, &pair, search, budget)?;
            } else {
                self.leaves_done += 1;
            }
        }
        self.work.leaves.clear();
        (self.leaves_done, self.leaves_lower) = (0, f32::INFINITY);
        Ok(())
    }
}

impl NearQuery<'_> {
    /// The whole meshes.
    fn root(&self) -> Step {
        match (self.tree_a.root, self.tree_b.root) {
            (Some((_, a)), Some((_, b))) => Step { a, b, lower: 0.0 },
            _ => NO_STEP,
        }
    }
}

/// A part of a search, compiled for each backend.
struct Run<'r, 'q, 's, 'b> {
    query: &'r NearQuery<'q>,
    course: &'r mut Course,
    search: &'r mut Search<'s>,
    budget: &'r mut Budget<'b>,
}

impl dispatch::Task for Run<'_, '_, '_, '_> {
    type Output = Result<(), End>;

    #[inline(always)]
    fn run<W: Wide>(self) -> Self::Output {
        self.course.search::<W>(self.query, self.search, self.budget)
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
                    let relative = Relative::new(tree_a, tree_b, pose);
                    let (of_a, of_b) = ((a, tree_a), (b, tree_b));
                    state.start(of_a, of_b, pose, f64::INFINITY, relative.as_ref());
                    let mut sink = Closest { bound: f64::INFINITY, pairs: Vec::new() };
                    let mut budget = Budget::steps(limit);
                    let NearSearch { relative, kept, course } = &mut state;
                    let relative = relative.as_ref().unwrap();
                    let query = NearQuery { a, b, tree_a, tree_b, pose, relative };
                    let mut search = Search { sink: &mut sink, kept };
                    let task =
                        Run { query: &query, course, search: &mut search, budget: &mut budget };
                    let end = if portable {
                        task.run::<<Baseline as Wide>::Reproducible>()
                    } else {
                        dispatch::run_reproducibly(task)
                    };
                    let (best, lower) = (state.kept.best, state.lower(tree_a, tree_b));
                    let candidates = state.kept.candidates.clone();
                    let open = (lower, state.course.queue.count, candidates);
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
