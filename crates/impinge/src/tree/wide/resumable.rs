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
//! **The same on every machine.** Unless only a deadline is set, the kernels run without fused
//! operations, so that they find the same children in the same order everywhere.

use crate::answer::Bounds;
use crate::budget::Budget;
use crate::exact::{triangles_intersect, triangles_intersect_quickly};
use crate::math::{Pose, Vec3};
use crate::mesh::Mesh;
use crate::wide::{UnfusedTask, Wide, dispatch, prefetch};

use super::node::{Link, LocalBox};
use super::overlap::Overlaps;
use super::pairs::Pairs;
use super::relative::Relative;
use super::traverse::{BATCH_GROWTH_DIVISOR, PREFETCH_PAIRS, Query, Work};
use super::triangles::compare;
use super::{LEAF_PAIRS_PER_BATCH, Tree};

/// Openings of a search for the first hit that are all depth first, which finds nearly all hits.
const DEPTH_FIRST_STEPS: u64 = 64;

/// From there up to this number, one in [`STEPS_PER_OLD_PAIR`] opens the oldest pair; then every
/// second. So a hit is found at most that much later than depth first.
const FEW_OLD_PAIRS_STEPS: u64 = 2048;
const STEPS_PER_OLD_PAIR: u64 = 32;

/// When a generation has more children than this, no further old pairs are opened, so that the
/// lists of a search stay small.
const MAX_GENERATION: usize = 1 << 14;

/// One in this many pairs of leaves is measured for the upper bound of the distance.
const LEAF_PAIRS_PER_SAMPLE: usize = 64;

/// The first of them.
const FIRST_SAMPLE: usize = 8;

/// The boxes of all pairs of a generation are compared for the bound of the depth if it has at most
/// this many; otherwise only their sizes, in a search for the first hit.
const MAX_COMPARED_GENERATION: usize = 1 << 9;

/// If at most this many pairs of a generation remain when the number of openings is a power of two,
/// they are compared for the bound of the depth without being opened.
const MAX_COMPARED_REST: usize = 1 << 8;

/// Units of an exact test that the first error bound leaves open. It takes up to a few
/// microseconds; with these units the clock is read after one or two of them.
pub(crate) const UNITS_OF_EXACT_TEST: u64 = 16;

/// The state of a search. It can be continued as long as the meshes, their trees and the pose are
/// the same.
#[derive(Debug)]
pub(crate) struct HitSearch {
    /// The trees' stamps and the pose it belongs to.
    key: Option<(u64, u64, Pose)>,
    relative: Option<Relative>,
    /// The number of openings, and its limit.
    opened: u64,
    max_opened: u64,
    /// Whether only old pairs are opened.
    oldest_first: bool,
    /// The current generation; those before `oldest` are opened.
    current: Pairs,
    oldest: usize,
    /// The pairs of leaves to compare, and pairs to open that were found since: those found depth
    /// first, or all if only old pairs are opened.
    found: Work,
    /// The children of old pairs, unless only such are opened.
    children: Pairs,
    /// The number of generations before the current one.
    generation: u32,
    /// Whether the boxes of the current generation are compared for the bound of the depth.
    compares_boxes: bool,
    /// Whether a batch of pairs of leaves is being compared.
    is_comparing: bool,
    /// The number of pairs of leaves compared so far, up to a limit; determines the batches.
    compared: usize,
    /// The number of pairs of leaves until the next one is measured.
    until_sample: usize,
    /// Pairs of triangles of one pair of leaves that may meet.
    pending: Pending,
    /// Units already paid for the next piece of work.
    paid: u64,
    known: Known,
    /// Whether everything was compared, or the receiver of pairs stopped the search.
    is_finished: bool,
}

/// The bounds so far.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// Upper bound of the depth of every open pair, in A's local unit.
    depth: f64,
    /// The same for the descendants of the pairs of this generation that were opened.
    depth_of_children: f32,
    /// Upper bound of the distance.
    upper: f64,
}

/// Pairs of triangles that `f32` leaves open, or that certainly cross.
#[derive(Clone, Debug)]
struct Pending {
    pairs: [(u8, u8, bool); 64],
    next: usize,
    count: usize,
    leaves: (Link, Link),
    /// Whether the first error bound left the next pair open.
    is_open: bool,
}

impl Default for HitSearch {
    fn default() -> Self {
        Self {
            key: None,
            relative: None,
            opened: 0,
            max_opened: u64::MAX,
            oldest_first: false,
            current: Pairs::NONE,
            oldest: 0,
            found: Work::default(),
            children: Pairs::NONE,
            generation: 0,
            compares_boxes: true,
            is_comparing: false,
            compared: 0,
            until_sample: 0,
            pending: Pending {
                pairs: [(0, 0, false); 64],
                next: 0,
                count: 0,
                leaves: (Link::NONE, Link::NONE),
                is_open: false,
            },
            paid: 0,
            known: Known { depth: f64::INFINITY, depth_of_children: 0.0, upper: f64::INFINITY },
            is_finished: false,
        }
    }
}

/// Where pairs of triangles that meet are sent; `true` stops the search.
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
    /// Forgets the query, and keeps the memory.
    pub(crate) fn forget(&mut self) {
        self.key = None;
    }

    /// Whether the search belongs to these trees at this pose.
    #[inline]
    pub(crate) fn belongs_to(&self, a: &Tree, b: &Tree, pose: &Pose) -> bool {
        self.key.is_some_and(|key| key == (a.stamp, b.stamp, *pose))
    }

    /// Starts a query; false where [`traverse`](super::traverse) returns false.
    pub(crate) fn start(
        &mut self,
        tree_a: &Tree,
        tree_b: &Tree,
        pose: &Pose,
        depth_first: bool,
    ) -> bool {
        self.key = None;
        let Some(relative) = Relative::new(tree_a, tree_b, pose) else { return false };
        self.relative = Some(relative);
        (self.opened, self.max_opened, self.generation) = (0, u64::MAX, 0);
        (self.oldest, self.current.count, self.children.count) = (0, 0, 0);
        (self.found.steps.count, self.found.leaves.count) = (0, 0);
        (self.pending.next, self.pending.count, self.pending.is_open) = (0, 0, false);
        (self.paid, self.is_comparing, self.is_finished) = (0, false, false);
        self.compares_boxes = true;
        // A search for all pairs starts with full batches.
        let full = BATCH_GROWTH_DIVISOR * LEAF_PAIRS_PER_BATCH;
        self.compared = if depth_first { 0 } else { full };
        self.oldest_first = !depth_first;
        self.until_sample = FIRST_SAMPLE;
        self.known = Known { depth: f64::INFINITY, depth_of_children: 0.0, upper: f64::INFINITY };
        match (tree_a.root, tree_b.root) {
            (Some((_, a)), Some((_, b))) => self.found.add(a, b),
            _ => self.is_finished = true,
        }
        std::mem::swap(&mut self.current, &mut self.found.steps);
        self.key = Some((tree_a.stamp, tree_b.stamp, *pose));
        true
    }

    /// The search stops for good after this many openings.
    pub(crate) fn limit_openings(&mut self, openings: u64) {
        self.max_opened = openings;
    }

    /// Whether the search reached its limit of openings, and compared all leaves found until then.
    pub(crate) fn reached_limit(&self) -> bool {
        let remaining = self.found.leaves.count + self.pending.count;
        self.opened >= self.max_opened && remaining == 0
    }

    /// Continues the search until it is finished or the budget is spent.
    pub(crate) fn run<R: Receiver>(
        &mut self,
        a: (&Mesh, &Tree),
        b: (&Mesh, &Tree),
        pose: &Pose,
        receiver: &mut R,
        budget: &mut Budget<'_>,
    ) -> Progress {
        debug_assert!(self.belongs_to(a.1, b.1, pose), "the search was started for this query");
        if self.is_finished {
            return Progress::Finished;
        }
        let Some(relative) = self.relative.take() else { return Progress::Finished };
        let query = Query { a: a.0, b: b.0, tree_a: a.1, tree_b: b.1, pose, relative };
        let everywhere_the_same = budget.is_reproducible();
        let task = Run { query: &query, search: self, receiver, budget };
        let progress = if everywhere_the_same {
            dispatch::run(UnfusedTask(task))
        } else {
            dispatch::run(task)
        };
        self.is_finished = progress == Progress::Finished;
        self.relative = Some(query.relative);
        progress
    }

    /// The number of pairs of nodes and leaves that are not decided.
    pub(crate) fn open(&self) -> usize {
        let pending = usize::from(self.pending.next < self.pending.count);
        self.nodes_open() + self.found.leaves.count + pending
    }

    /// The bounds of a search that is not finished.
    pub(crate) fn bounds(
        &self,
        (a, tree_a): (&Mesh, &Tree),
        (b, tree_b): (&Mesh, &Tree),
        pose: &Pose,
    ) -> Bounds {
        let (Some((_, root_a)), Some((_, root_b))) = (tree_a.root, tree_b.root) else {
            return Bounds::UNKNOWN;
        };
        let total = self.depth_of_roots(tree_a, tree_b, pose).max(0.0);
        let mut known = Bounds {
            open_depth: total.min(self.known.depth * tree_a.frame.unit * (1.0 + 1e-14)),
            open: self.open(),
            upper: self.known.upper,
            ..Bounds::of_meshes(total)
        };
        let here = a.triangle(tree_a.some_triangle(root_a))[0];
        let there = b.triangle(tree_b.some_triangle(root_b))[0];
        known.include_points(here, pose.transform_point(there));
        known
    }

    /// Lower bound of the distance of a finished search without a hit.
    pub(crate) fn gap(&self, tree_a: &Tree, tree_b: &Tree) -> f64 {
        match (&self.relative, tree_a.root, tree_b.root) {
            (Some(relative), Some((a, _)), Some((b, _))) => {
                relative.gap_of_boxes(&a, &b) * tree_a.frame.unit * (1.0 - 1e-14)
            }
            (None, Some(_), Some(_)) => 0.0,
            _ => f64::INFINITY,
        }
    }

    /// Upper bound of the penetration depth of the outermost boxes; if negative, the distance is
    /// at least its absolute value.
    pub(crate) fn depth_of_roots(&self, tree_a: &Tree, tree_b: &Tree, pose: &Pose) -> f64 {
        match (tree_a.root, tree_b.root) {
            (Some((_, a)), Some((_, b))) => Overlaps::new(tree_a, tree_b, pose).of(a, b),
            _ => f64::NEG_INFINITY,
        }
    }

    /// Pays for work in units; false if the budget is spent. Units that were paid are kept for the
    /// next part of the search, so that a search in parts takes as many as one without
    /// interruption.
    #[inline(always)]
    fn afford(&mut self, cost: u64, budget: &mut Budget<'_>) -> bool {
        while self.paid < cost {
            if !budget.step() {
                return false;
            }
            self.paid += 1;
        }
        self.paid = 0;
        true
    }

    /// The number of pairs that remain to be opened.
    #[inline(always)]
    fn nodes_open(&self) -> usize {
        self.current.count - self.oldest + self.found.steps.count + self.children.count
    }

    /// Whether the oldest pair is opened next, instead of the one found last.
    #[inline(always)]
    fn opens_oldest(&self, max_generation: usize) -> bool {
        let turn = self.oldest_first
            || self.opened >= DEPTH_FIRST_STEPS
                && if self.opened < FEW_OLD_PAIRS_STEPS {
                    self.opened % STEPS_PER_OLD_PAIR == 0
                } else {
                    self.opened % 2 == 0
                };
        let list = if self.oldest_first { &self.found.steps } else { &self.children };
        turn && list.count <= max_generation
    }

    /// Starts the next generation: all pairs that remain. They are descendants of pairs of the last
    /// one.
    #[cold]
    #[inline(never)]
    fn next_generation(&mut self) {
        self.known.depth = self.known.depth.min(f64::from(self.known.depth_of_children));
        self.known.depth_of_children = 0.0;
        self.generation += 1;
        // Those found depth first come after the others, so that they are opened next.
        if self.children.count > 0 {
            for k in 0..self.found.steps.count {
                let (a, b) = self.found.steps.get(k);
                self.children.push(a, b);
            }
            std::mem::swap(&mut self.children, &mut self.current);
        } else {
            std::mem::swap(&mut self.found.steps, &mut self.current);
        }
        (self.oldest, self.found.steps.count, self.children.count) = (0, 0, 0);
        self.compares_boxes = self.current.count <= MAX_COMPARED_GENERATION;
        if self.oldest_first && !self.compares_boxes {
            // A search for all pairs opens every pair; bounds of large generations take too long.
            self.known.depth_of_children = f32::INFINITY;
        }
    }

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
                while self.found.leaves.count <= self.compared / BATCH_GROWTH_DIVISOR {
                    if self.oldest == self.current.count {
                        // The generation ends when its pairs of leaves are compared, too.
                        if self.found.leaves.count > 0 || self.nodes_open() == 0 {
                            break;
                        }
                        self.next_generation();
                    }
                    if self.generation >= depth_limit || self.opened >= self.max_opened {
                        break;
                    }
                    if !budget.step() {
                        return Progress::Stopped;
                    }
                    self.open_next::<W, R>(query, max_generation);
                }
                self.compared = (self.compared + self.found.leaves.count)
                    .min(BATCH_GROWTH_DIVISOR * LEAF_PAIRS_PER_BATCH);
                self.is_comparing = true;
            }
            if self.pending.count > 0 {
                if let Some(progress) = self.exact_tests(query, receiver, budget) {
                    return progress;
                }
            }
            while self.found.leaves.count > 0 {
                if !budget.step() {
                    return Progress::Stopped;
                }
                if self.leaf_pair::<W, R>(query, receiver) {
                    return Progress::Finished;
                }
                if self.pending.count > 0 {
                    if let Some(progress) = self.exact_tests(query, receiver, budget) {
                        return progress;
                    }
                }
            }
            self.is_comparing = false;
            if self.nodes_open() == 0 {
                return Progress::Finished;
            }
            if self.generation >= depth_limit || self.opened >= self.max_opened {
                return Progress::Stopped;
            }
        }
    }

    /// Opens the next pair.
    #[inline(always)]
    fn open_next<W: Wide, R: Receiver>(&mut self, query: &Query<'_>, max_generation: usize) {
        let opens_oldest = self.opens_oldest(max_generation);
        self.opened += 1;
        if self.opened & (self.opened - 1) == 0 && self.opened >= DEPTH_FIRST_STEPS {
            self.compare_rest(query);
        }
        let step = if opens_oldest {
            let step = self.current.get(self.oldest);
            self.oldest += 1;
            if self.oldest < self.current.count {
                query.prefetch(self.current.get(self.oldest));
            }
            self.include_depth(query, step);
            step
        } else if let Some(step) = self.found.steps.pop() {
            if self.found.steps.count > 0 {
                query.prefetch(self.found.steps.get(self.found.steps.count - 1));
            }
            step
        } else {
            self.current.count -= 1;
            let step = self.current.get(self.current.count);
            if self.current.count > self.oldest {
                query.prefetch(self.current.get(self.current.count - 1));
            }
            self.include_depth(query, step);
            step
        };
        let goes_to_children = opens_oldest && R::STOPS_AT_FIRST;
        if goes_to_children {
            std::mem::swap(&mut self.found.steps, &mut self.children);
        }
        if R::STOPS_AT_FIRST {
            query.step::<W, true>(step, &mut self.found);
        } else {
            query.step::<W, false>(step, &mut self.found);
        }
        if goes_to_children {
            std::mem::swap(&mut self.found.steps, &mut self.children);
        }
    }

    /// Computes a bound of the depth of all open pairs, if few pairs of the generation remain.
    #[cold]
    #[inline(never)]
    fn compare_rest(&mut self, query: &Query<'_>) {
        if self.current.count - self.oldest > MAX_COMPARED_REST {
            return;
        }
        let mut depth = self.known.depth_of_children;
        for k in self.oldest..self.current.count {
            let (a, b) = self.current.get(k);
            let (a, b) = (query.tree_a.box_of(a), query.tree_b.box_of(b));
            let own = query.relative.depth_of_boxes(&a, &b);
            depth = if own > depth { own } else { depth };
        }
        self.known.depth = self.known.depth.min(f64::from(depth));
    }

    /// Includes the depth of a pair of the current generation that is opened.
    #[inline(always)]
    fn include_depth(&mut self, query: &Query<'_>, (a, b): (Link, Link)) {
        let (a, b) = (query.tree_a.box_of(a), query.tree_b.box_of(b));
        let depth = if self.compares_boxes {
            query.relative.depth_of_boxes(&a, &b)
        } else if self.oldest_first {
            return;
        } else {
            query.relative.depth_of_sizes(&a, &b)
        };
        let known = &mut self.known.depth_of_children;
        *known = if depth > *known { depth } else { *known };
    }

    /// Compares the last pair of leaves; true if a pair of triangles stopped the search.
    #[inline(always)]
    fn leaf_pair<W: Wide, R: Receiver>(&mut self, query: &Query<'_>, receiver: &mut R) -> bool {
        let leaves = &mut self.found.leaves;
        leaves.count -= 1;
        let (link_a, link_b) = leaves.get(leaves.count);
        if leaves.count >= PREFETCH_PAIRS {
            let (a, b) = leaves.get(leaves.count - PREFETCH_PAIRS);
            prefetch(&query.tree_a.leaves[a.index()]);
            prefetch(&query.tree_b.leaves[b.index()]);
        }
        let (a, b) = (&query.tree_a.leaves[link_a.index()], &query.tree_b.leaves[link_b.index()]);
        self.until_sample -= 1;
        if self.until_sample == 0 {
            self.until_sample = LEAF_PAIRS_PER_SAMPLE;
            self.known.upper =
                self.known.upper.min(query.corner_distance(a.triangles[0], b.triangles[0]));
        }
        let pending = &mut self.pending;
        (pending.next, pending.count, pending.leaves) = (0, 0, (link_a, link_b));
        compare::<W>(a, b, &query.relative, |lane, other, certain| {
            if R::STOPS_AT_FIRST && certain && pending.count == 0 {
                receiver.pair(a.triangles[lane], b.triangles[other]);
                return true;
            }
            pending.pairs[pending.count & 63] = (lane as u8, other as u8, certain);
            pending.count += 1;
            // What follows a certain pair is not needed.
            R::STOPS_AT_FIRST && certain
        }) && self.pending.count == 0
    }

    /// Tests the pending pairs of triangles; `None` if the search goes on.
    #[inline(never)]
    fn exact_tests<R: Receiver>(
        &mut self,
        query: &Query<'_>,
        receiver: &mut R,
        budget: &mut Budget<'_>,
    ) -> Option<Progress> {
        let (a, b) = self.pending.leaves;
        let (a, b) = (&query.tree_a.leaves[a.index()], &query.tree_b.leaves[b.index()]);
        while self.pending.next < self.pending.count {
            let (lane, other, certain) = self.pending.pairs[self.pending.next];
            let (t, u) = (a.triangles[usize::from(lane)], b.triangles[usize::from(other)]);
            let mut meet = Some(certain);
            if !certain {
                let cost = if self.pending.is_open { UNITS_OF_EXACT_TEST } else { 1 };
                if !self.afford(cost, budget) {
                    return Some(Progress::Stopped);
                }
                let (here, there) = query.triangles(t, u);
                meet = if self.pending.is_open {
                    Some(triangles_intersect(&here, &there))
                } else {
                    triangles_intersect_quickly(&here, &there)
                };
            }
            self.pending.is_open = meet.is_none();
            let Some(meet) = meet else { continue };
            self.pending.next += 1;
            if meet {
                receiver.pair(t, u);
                if R::STOPS_AT_FIRST {
                    return Some(Progress::Finished);
                }
            }
        }
        self.pending.count = 0;
        None
    }
}

/// A part of a search, compiled for each backend.
struct Run<'r, 'q, 'b, R> {
    query: &'r Query<'q>,
    search: &'r mut HitSearch,
    receiver: &'r mut R,
    budget: &'r mut Budget<'b>,
}

impl<R: Receiver> dispatch::Task for Run<'_, '_, '_, R> {
    type Output = Progress;

    #[inline(always)]
    fn run<W: Wide>(self) -> Progress {
        self.search.search::<W, R>(self.query, self.receiver, self.budget)
    }
}

impl Query<'_> {
    /// Two triangles in A's frame.
    #[inline(always)]
    fn triangles(&self, t: u32, u: u32) -> ([Vec3; 3], [Vec3; 3]) {
        let there = self.b.triangle(u as usize).map(|v| self.pose.transform_point(v));
        (self.a.triangle(t as usize), there)
    }

    /// Upper bound of the distance of the first corners of two triangles.
    #[inline(never)]
    fn corner_distance(&self, t: u32, u: u32) -> f64 {
        let here = self.a.vertices()[self.a.triangles()[t as usize][0] as usize];
        let there = self.b.vertices()[self.b.triangles()[u as usize][0] as usize];
        crate::math::length_up(here - self.pose.transform_point(there))
    }
}

impl Relative {
    /// Upper bound of the length of the translation, along an axis of A's tree, that separates two
    /// boxes, in A's local unit; zero if they are apart.
    #[inline(always)]
    fn depth_of_boxes(&self, a: &LocalBox, b: &LocalBox) -> f32 {
        let (center, extent) = (self.to_a.point(&b.center), self.to_a.extent(&b.half));
        let mut least = f32::INFINITY;
        for k in 0..3 {
            let overlap = a.half[k] + extent[k] - (center[k] - a.center[k]).abs();
            least = if overlap < least { overlap } else { least };
        }
        // The extent has the margin already; the second one is for the sums here.
        (least + self.to_a.margin).max(0.0)
    }
}

impl Relative {
    /// As [`depth_of_boxes`](Self::depth_of_boxes), for any two positions: along the shortest side
    /// of either box.
    #[inline(always)]
    fn depth_of_sizes(&self, a: &LocalBox, b: &LocalBox) -> f32 {
        let thinnest = |h: &[f32; 3]| h[0].min(h[1]).min(h[2]);
        let unit = self.to_a.unit;
        let along_a = thinnest(&a.half) + b.size() * unit;
        let along_b = thinnest(&b.half) * unit + a.size();
        let least = if along_a < along_b { along_a } else { along_b };
        least * 1.000_01 + 2.0 * self.to_a.margin
    }

    /// Lower bound of the distance of two boxes, in A's local unit: along the axes of A's tree.
    fn gap_of_boxes(&self, a: &LocalBox, b: &LocalBox) -> f64 {
        let (center, extent) = (self.to_a.point(&b.center), self.to_a.extent(&b.half));
        let mut square = 0.0;
        for k in 0..3 {
            // The extent has the margin already; the second one is for the sums here.
            let apart = (center[k] - a.center[k]).abs() - (a.half[k] + extent[k]);
            let gap = f64::from(apart - self.to_a.margin).max(0.0);
            square += gap * gap;
        }
        square.sqrt() * (1.0 - 1e-14)
    }
}

impl Tree {
    /// The box of a subtree.
    #[inline(always)]
    fn box_of(&self, link: Link) -> LocalBox {
        if link.is_leaf() {
            self.leaves[link.index()].bounds()
        } else {
            self.nodes[link.index()].bounds
        }
    }

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
                    let relative = search.relative.take().unwrap();
                    let query = Query { a, b, tree_a, tree_b, pose, relative };
                    let task = UnfusedTask(Run {
                        query: &query,
                        search: &mut search,
                        receiver: &mut found,
                        budget: &mut budget,
                    });
                    let progress =
                        if portable { task.run::<Baseline>() } else { dispatch::run(task) };
                    search.relative = Some(query.relative);
                    let known = search.bounds((a, tree_a), (b, tree_b), pose);
                    outcomes.push((progress, budget.spent(), known, search.opened, found));
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
