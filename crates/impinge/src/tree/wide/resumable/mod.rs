//! A search for triangles that meet which can be interrupted after every unit of work and continued
//! later (Klosowski et al. 1998, section 5.2.3; Hubbard 1995, section V). `docs/notes/budgets.md`
//! derives the bounds and says what a unit is.
//!
//! **Order.** A search for the first hit is depth first, the likeliest pair first, like the one
//! without a budget; but a share of its steps opens the oldest pairs. A search for all pairs opens
//! the oldest pairs only. When all pairs of a *generation* are opened, the remaining ones are
//! within the boxes of its pairs, which bound the penetration. The work of a search that finds
//! nothing does not depend on the order.
//!
//! **The same on every machine.** Unless only a deadline is set, the kernels run with vectors whose
//! results are the same everywhere, so that they find the same children in the same order.

mod depth;
mod open_pairs;
mod pending;

use crate::answer::Bounds;
use crate::budget::{Budget, Quantum};
use crate::math::{Pose, length_up};
use crate::mesh::Mesh;
use crate::wide::{Wide, dispatch, prefetch};

use super::leaf::Leaf;
use super::node::Link;
use super::overlap::Overlaps;
use super::relative::Relative;
use super::traverse::{BATCH_GROWTH_DIVISOR, PREFETCH_PAIRS, Query};
use super::{LEAF_PAIRS_PER_BATCH, Tree};
use depth::BoxMap;
use open_pairs::{MAX_GENERATION, OpenPairs};
use pending::Pending;

/// One in this many pairs of leaves is measured for the upper bound of the distance.
const LEAF_PAIRS_PER_SAMPLE: usize = 64;

/// The first of them.
const FIRST_SAMPLE: usize = 8;

/// The state of a search. It can be continued as long as the meshes, their trees and the pose are
/// the same.
#[derive(Debug)]
pub(crate) struct HitSearch {
    relative: Option<Relative>,
    /// Lower bound of the distance of the boxes of the meshes, once it was needed.
    gap: Option<f64>,
    /// Upper bound of the depth of the meshes, once it was needed.
    total_depth: Option<f64>,
    course: Course,
}

/// How far a search came.
#[derive(Debug)]
struct Course {
    open: OpenPairs,
    /// For the bounds of the depth, once they were needed.
    map: Option<BoxMap>,
    /// The limit of openings.
    max_opened: u64,
    /// Whether a batch of pairs of leaves is being compared.
    is_comparing: bool,
    /// The number of pairs of leaves compared so far, up to a limit; determines the batches.
    compared: usize,
    /// The number of pairs of leaves until the next one is measured.
    until_sample: usize,
    /// Pairs of triangles of one pair of leaves that may meet.
    pending: Pending,
    /// Upper bound of the distance.
    upper: f64,
    /// Whether everything was compared, or the receiver of pairs stopped the search.
    is_finished: bool,
}

impl Default for HitSearch {
    fn default() -> Self {
        let course = Course {
            open: OpenPairs::default(),
            map: None,
            max_opened: u64::MAX,
            is_comparing: false,
            compared: 0,
            until_sample: 0,
            pending: Pending::NONE,
            upper: f64::INFINITY,
            is_finished: true,
        };
        Self { relative: None, gap: None, total_depth: None, course }
    }
}

/// Where pairs of triangles that meet are sent.
pub(crate) trait Receiver {
    /// Whether the first pair stops the search.
    const STOPS_AT_FIRST: bool;
    fn pair(&mut self, a: u32, b: u32);
}

/// The result of a part of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// All was compared, or the receiver stopped the search.
    Finished,
    /// The budget is spent.
    Stopped,
}

impl HitSearch {
    /// Starts a query; false where [`traverse`](super::traverse) returns false.
    pub(crate) fn start(
        &mut self,
        tree_a: &Tree,
        tree_b: &Tree,
        pose: &Pose,
        depth_first: bool,
    ) -> bool {
        let Some(relative) = Relative::new(tree_a, tree_b, pose) else { return false };
        let roots = tree_a.root.zip(tree_b.root);
        let course = &mut self.course;
        course.map = None;
        (self.relative, self.gap, self.total_depth) = (Some(relative), None, None);
        course.open.start(roots.map(|(a, b)| (a.1, b.1)), depth_first);
        course.pending.clear();
        // A search for all pairs starts with full batches.
        let full = BATCH_GROWTH_DIVISOR * LEAF_PAIRS_PER_BATCH;
        course.compared = if depth_first { 0 } else { full };
        (course.is_comparing, course.max_opened) = (false, u64::MAX);
        (course.upper, course.until_sample) = (f64::INFINITY, FIRST_SAMPLE);
        course.is_finished = roots.is_none();
        true
    }

    /// The relative position of the trees of the query that was started last.
    pub(crate) fn relative(&self) -> Option<&Relative> {
        self.relative.as_ref()
    }

    /// The search stops for good after this many openings.
    pub(crate) fn limit_openings(&mut self, openings: u64) {
        self.course.max_opened = openings;
    }

    /// Whether the search reached its limit of openings, and compared all leaves found until then.
    pub(crate) fn reached_limit(&self) -> bool {
        let Course { open, pending, max_opened, .. } = &self.course;
        open.opened >= *max_opened && open.found.leaves.count == 0 && pending.is_empty()
    }

    /// Continues the search until it is finished or the budget is spent. The meshes, the trees and
    /// the pose must be those of the start.
    pub(crate) fn run<R: Receiver>(
        &mut self,
        a: (&Mesh, &Tree),
        b: (&Mesh, &Tree),
        pose: &Pose,
        receiver: &mut R,
        budget: &mut Budget<'_>,
    ) -> Progress {
        let Self { relative: Some(relative), course, .. } = self else {
            return Progress::Finished;
        };
        if course.is_finished {
            return Progress::Finished;
        }
        let query = Query::new(a, b, pose, relative);
        let everywhere_the_same = budget.is_reproducible();
        let task = Run { query: &query, course, receiver, budget };
        let progress = if everywhere_the_same {
            dispatch::run_reproducibly(task)
        } else {
            dispatch::run(task)
        };
        course.is_finished = progress == Progress::Finished;
        progress
    }

    /// The number of pairs of nodes or leaves that are not decided.
    pub(super) fn open(&self) -> usize {
        let Course { open, pending, .. } = &self.course;
        open.count() + open.found.leaves.count + usize::from(!pending.is_empty())
    }

    /// Calls `each` with every pair of nodes or leaves that is not decided.
    pub(super) fn for_each_open(&self, each: &mut dyn FnMut(Link, Link)) {
        let Course { open, pending, .. } = &self.course;
        open.for_each(each);
        if !pending.is_empty() {
            let (a, b) = pending.leaves();
            each(a, b);
        }
    }

    /// The bounds of a search that is not finished.
    pub(crate) fn bounds(
        &mut self,
        (a, tree_a): (&Mesh, &Tree),
        (b, tree_b): (&Mesh, &Tree),
        pose: &Pose,
    ) -> Bounds {
        let total = match (self.total_depth, tree_a.root, tree_b.root) {
            (Some(total), ..) => total,
            (None, Some((_, root_a)), Some((_, root_b))) => {
                let here = a.triangle(tree_a.some_triangle(root_a))[0];
                let there = b.triangle(tree_b.some_triangle(root_b))[0];
                let corners = length_up(here - pose.transform_point(there));
                self.course.upper = self.course.upper.min(corners);
                let total = Overlaps::new(tree_a, tree_b, pose).of(root_a, root_b).max(0.0);
                *self.total_depth.insert(total)
            }
            _ => return Bounds::UNKNOWN,
        };
        let Course { open, upper, .. } = &self.course;
        Bounds {
            open_depth: total.min(open.depth * tree_a.frame.unit * (1.0 + 1e-14)),
            open: self.open(),
            upper: *upper,
            ..Bounds::of_meshes(total)
        }
    }

    /// Lower bound of the distance of the boxes of the meshes, zero if they overlap. The trees must
    /// be those of the start.
    pub(crate) fn gap(&mut self, tree_a: &Tree, tree_b: &Tree) -> f64 {
        let gap = self.known_gap(tree_a, tree_b);
        *self.gap.insert(gap)
    }

    /// As [`gap`](Self::gap), without keeping it.
    pub(crate) fn known_gap(&self, tree_a: &Tree, tree_b: &Tree) -> f64 {
        if let Some(gap) = self.gap {
            return gap;
        }
        match (&self.relative, tree_a.root, tree_b.root) {
            (Some(relative), Some((box_a, _)), Some((box_b, _))) => {
                relative.gap_of_boxes(&box_a, &box_b) * tree_a.frame.unit * (1.0 - 1e-14)
            }
            _ => f64::INFINITY,
        }
    }
}

impl Course {
    #[inline(always)]
    fn search<W: Wide, R: Receiver>(
        &mut self,
        query: &Query<'_>,
        receiver: &mut R,
        budget: &mut Budget<'_>,
    ) -> Progress {
        let depth_limit = budget.depth_limit();
        let max_generation = if depth_limit < u32::MAX { usize::MAX } else { MAX_GENERATION };
        loop {
            if !self.is_comparing {
                while self.open.found.leaves.count <= self.compared / BATCH_GROWTH_DIVISOR {
                    if self.open.is_generation_over() {
                        // The generation ends when its pairs of leaves are compared, too.
                        if self.open.found.leaves.count > 0 || self.open.count() == 0 {
                            break;
                        }
                        self.open.next_generation();
                    }
                    if self.is_at_limit(depth_limit) {
                        break;
                    }
                    if !budget.step_of(Quantum::Open) {
                        return Progress::Stopped;
                    }
                    if R::STOPS_AT_FIRST {
                        self.open.open_next::<W, true>(query, &mut self.map, max_generation);
                    } else {
                        self.open.open_next::<W, false>(query, &mut self.map, max_generation);
                    }
                }
                self.compared = (self.compared + self.open.found.leaves.count)
                    .min(BATCH_GROWTH_DIVISOR * LEAF_PAIRS_PER_BATCH);
                self.is_comparing = true;
            }
            let (course, receiver) = (&mut *self, &mut *receiver);
            let batch = Batch { query, course, receiver, budget: &mut *budget };
            if let Some(progress) = W::run_out_of_line(batch) {
                return progress;
            }
            self.is_comparing = false;
            if self.open.count() == 0 {
                return Progress::Finished;
            }
            if self.is_at_limit(depth_limit) {
                return Progress::Stopped;
            }
        }
    }

    /// Whether no further pairs may be opened.
    #[inline(always)]
    fn is_at_limit(&self, depth_limit: u32) -> bool {
        self.open.generation >= depth_limit || self.open.opened >= self.max_opened
    }

    /// Compares all pairs of leaves that were found; `None` if the search goes on.
    #[inline(always)]
    fn compare_leaves<W: Wide, R: Receiver>(
        &mut self,
        query: &Query<'_>,
        receiver: &mut R,
        budget: &mut Budget<'_>,
    ) -> Option<Progress> {
        loop {
            if !self.pending.is_empty() {
                if let Some(progress) = self.pending.decide(query, receiver, budget) {
                    return Some(progress);
                }
            }
            if self.open.found.leaves.count == 0 {
                return None;
            }
            // Several pairs at once as long as the budget need not be asked: counters in memory
            // take a share of the time of a pair that can be measured.
            let run = self.open.found.leaves.count.min(self.until_sample - 1).max(1);
            let mut paid = budget.claim(run as u64);
            if paid == 0 {
                if !budget.step_of(Quantum::Leaves) {
                    return Some(Progress::Stopped);
                }
                paid = 1;
            }
            if self.until_sample == 1 {
                self.sample(query);
            }
            if self.compare_run::<W, R>(query, paid, receiver, budget) {
                return Some(Progress::Finished);
            }
        }
    }

    /// Measures the last pair of leaves for the upper bound of the distance.
    #[inline(always)]
    fn sample(&mut self, query: &Query<'_>) {
        let leaves = &self.open.found.leaves;
        self.upper = self.upper.min(query.corner_distance(leaves.get(leaves.count - 1)));
        self.until_sample += LEAF_PAIRS_PER_SAMPLE;
    }

    /// Compares the last pairs of leaves, as many as are paid for, up to one with triangles for
    /// which the budget does not suffice; true if a pair of triangles stopped the search.
    #[inline(always)]
    fn compare_run<W: Wide, R: Receiver>(
        &mut self,
        query: &Query<'_>,
        mut paid: u64,
        receiver: &mut R,
        budget: &mut Budget<'_>,
    ) -> bool {
        let leaves = &mut self.open.found.leaves;
        let mut left = leaves.count;
        let mut stops = false;
        while paid > 0 && !stops && self.pending.is_empty() {
            paid -= 1;
            left -= 1;
            if left >= PREFETCH_PAIRS {
                let (a, b) = query.leaves(leaves.get(left - PREFETCH_PAIRS));
                prefetch(a);
                prefetch(b);
            }
            let pair = leaves.get(left);
            stops = self.pending.compare::<W, R>(query, pair, receiver, (&mut paid, budget));
        }
        budget.give_back(paid);
        self.until_sample -= leaves.count - left;
        leaves.count = left;
        stops
    }
}

/// A part of a search, compiled for each backend.
struct Run<'r, 'q, 'b, R> {
    query: &'r Query<'q>,
    course: &'r mut Course,
    receiver: &'r mut R,
    budget: &'r mut Budget<'b>,
}

impl<R: Receiver> dispatch::Task for Run<'_, '_, '_, R> {
    type Output = Progress;

    #[inline(always)]
    fn run<W: Wide>(self) -> Progress {
        self.course.search::<W, R>(self.query, self.receiver, self.budget)
    }
}

/// [`Course::compare_leaves`], compiled once for each backend.
struct Batch<'r, 'q, 'b, R> {
    query: &'r Query<'q>,
    course: &'r mut Course,
    receiver: &'r mut R,
    budget: &'r mut Budget<'b>,
}

impl<R: Receiver> dispatch::Task for Batch<'_, '_, '_, R> {
    type Output = Option<Progress>;

    #[inline(always)]
    fn run<W: Wide>(self) -> Self::Output {
        self.course.compare_leaves::<W, R>(self.query, self.receiver, self.budget)
    }
}

impl Query<'_> {
    #[inline(always)]
    fn leaves(&self, (a, b): (Link, Link)) -> (&Leaf, &Leaf) {
        (&self.tree_a.leaves[a.index()], &self.tree_b.leaves[b.index()])
    }

    /// Upper bound of the distance of the first corners of two leaves.
    #[inline(never)]
    fn corner_distance(&self, leaves: (Link, Link)) -> f64 {
        let (a, b) = self.leaves(leaves);
        let here = self.a.vertices()[self.a.triangles()[a.triangles[0] as usize][0] as usize];
        let there = self.b.vertices()[self.b.triangles()[b.triangles[0] as usize][0] as usize];
        length_up(here - self.pose.transform_point(there))
    }
}

impl Tree {
    /// Any triangle below the link.
    pub(super) fn some_triangle(&self, mut link: Link) -> usize {
        while !link.is_leaf() {
            link = self.nodes[link.index()].link[0];
        }
        self.leaves[link.index()].triangles[0] as usize
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;
    use crate::wide::dispatch::Baseline;
    use crate::wide::dispatch::Task as _;

    #[derive(Debug, Default, PartialEq)]
    struct All(Vec<(u32, u32)>);

    impl Receiver for All {
        const STOPS_AT_FIRST: bool = false;

        fn pair(&mut self, a: u32, b: u32) {
            self.0.push((a, b));
        }
    }

    #[derive(Debug, Default, PartialEq)]
    struct One(Option<(u32, u32)>);

    impl Receiver for One {
        const STOPS_AT_FIRST: bool = true;

        fn pair(&mut self, a: u32, b: u32) {
            self.0 = Some((a, b));
        }
    }

    /// With the same number of steps, both backends open the same pairs in the same order, find the
    /// same pairs, and know the same bounds.
    fn check<R: Receiver + Default + PartialEq + std::fmt::Debug>(seed: u64) {
        let (mut steps, mut finished) = (0, 0);
        samples::pairs(seed, [0.0, 1.0, 2.0], |a, b, pose| {
            let (tree_a, tree_b) = (a.tree(), b.tree());
            for limit in [1, 7, 60, 500, 1 << 40] {
                let mut outcomes = Vec::new();
                for portable in [false, true] {
                    let (mut search, mut found) = (HitSearch::default(), R::default());
                    assert!(search.start(tree_a, tree_b, pose, R::STOPS_AT_FIRST));
                    let mut budget = Budget::steps(limit);
                    let HitSearch { relative, course, .. } = &mut search;
                    let relative = relative.as_ref().unwrap();
                    let query = Query { a, b, tree_a, tree_b, pose, relative };
                    let task =
                        Run { query: &query, course, receiver: &mut found, budget: &mut budget };
                    let progress = if portable {
                        task.run::<<Baseline as Wide>::Reproducible>()
                    } else {
                        dispatch::run_reproducibly(task)
                    };
                    let known = search.bounds((a, tree_a), (b, tree_b), pose);
                    outcomes.push((
                        progress,
                        budget.spent(),
                        known,
                        search.course.open.opened,
                        found,
                    ));
                }
                assert_eq!(outcomes[0], outcomes[1], "{limit} steps");
                steps += outcomes[0].1;
                finished += usize::from(outcomes[0].0 == Progress::Finished);
            }
        });
        assert!(steps > 800 && finished > 40, "{steps} {finished}");
    }

    #[test]
    fn both_backends_take_the_same_steps() {
        check::<One>(21);
        check::<All>(22);
    }
}
