//! Processes pairs of leaves: `f32` dismisses most pairs of triangles and bounds the others, `f64`
//! decides which of them the sink receives.
//!
//! Triangles that may be close enough are measured eight pairs at a time
//! ([`near_batch`](super::near_batch)). In a search for the minimum, their upper bounds lower the
//! sink's bound without `f64` arithmetic. The pairs become candidates, which are checked by
//! [`closest`] in `f64` at the end, when few of them are still within the bound.
//!
//! If very many candidates remain because they are equally close, a quick `f64` bound is computed
//! before [`closest`], and the following pairs are not measured in `f32`.

use std::ops::{ControlFlow, Deref, DerefMut};

use crate::closest::{self, PRUNING_SLACK};
use crate::exact::triangles_intersect;
use crate::math::Vec3;
use crate::sink::{NearPair, NearSink};
use crate::wide::{Wide, dispatch};

use super::candidate::Candidate;
use super::near::{NearQuery, Step};
use super::near_batch::Batch;
use super::near_boxes::Goal;
use super::near_leaf::{Close, close};
use super::node::Link;

/// When this many candidates are collected, they are checked.
pub(super) const CANDIDATES_PER_CHECK: usize = 256;

/// If the `f64` gaps leave less than one in this many candidates, the following pairs become
/// candidates without being measured in `f32`.
pub(super) const DIRECT_DIVISOR: usize = 4;

/// Maximum number of pairs of leaves that the first descent processes.
pub(super) const MAX_DONE_LEAF_PAIRS: usize = 16;

/// A search, with what it keeps.
pub(super) struct Search<'s> {
    pub(super) sink: &'s mut dyn NearSink,
    pub(super) kept: &'s mut Kept,
}

impl Deref for Search<'_> {
    type Target = Kept;

    #[inline(always)]
    fn deref(&self) -> &Kept {
        self.kept
    }
}

impl DerefMut for Search<'_> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Kept {
        self.kept
    }
}

/// What a search keeps, which is its state where it can be continued.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) goal: Goal,
    /// The smallest upper bound of any pair so far, in B's local unit; the goal's direction belongs
    /// to that pair.
    pub(super) best: f32,
    pub(super) batch: Batch,
    /// Pairs of leaves that the first descent has processed, which must not be processed again; the
    /// first `done_count` are real.
    pub(super) done: [(Link, Link); MAX_DONE_LEAF_PAIRS],
    pub(super) done_count: usize,
    /// Pairs to be checked in `f64`.
    pub(super) candidates: Vec<Candidate>,
    /// Whether pairs become candidates without being measured in `f32`. That is the case where many
    /// pairs are equally close, and `f32` cannot distinguish their distances.
    pub(super) direct: bool,
}

impl Kept {
    /// Reuses the memory of `candidates`.
    #[inline(always)]
    pub(super) fn new(goal: Goal, mut candidates: Vec<Candidate>) -> Self {
        candidates.clear();
        Self {
            goal,
            best: f32::INFINITY,
            batch: Batch::EMPTY,
            done: [(Link::NONE, Link::NONE); MAX_DONE_LEAF_PAIRS],
            done_count: 0,
            candidates,
            direct: false,
        }
    }

    /// Starts anew, and keeps the memory.
    pub(super) fn restart(&mut self, goal: Goal) {
        (self.goal, self.best, self.direct) = (goal, f32::INFINITY, false);
        (self.batch.count, self.done_count) = (0, 0);
        self.candidates.clear();
    }

    /// Records that a pair of leaves is processed; false if there is no room for it.
    #[inline(always)]
    pub(super) fn mark_done(&mut self, pair: &Step) -> bool {
        let has_room = self.done_count < MAX_DONE_LEAF_PAIRS;
        if has_room {
            self.done[self.done_count] = (pair.a, pair.b);
            self.done_count += 1;
        }
        has_room
    }

    #[inline(always)]
    pub(super) fn is_done(&self, pair: &Step) -> bool {
        self.done[..self.done_count].contains(&(pair.a, pair.b))
    }
}

/// Raises the lower bounds of the candidates to the gaps along their normals, in `f64`. Where many
/// pairs are equally close, this dismisses nearly all of them.
struct Gaps<'q> {
    query: &'q NearQuery<'q>,
    candidates: &'q mut [Candidate],
}

impl dispatch::Task for Gaps<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Wide>(self) {
        let mut group = closest::PairGroup::EMPTY;
        let mut gaps = [0.0; closest::PAIRS_PER_GROUP];
        for some in self.candidates.chunks_mut(closest::PAIRS_PER_GROUP) {
            for (lane, candidate) in some.iter().enumerate() {
                let (triangle_a, triangle_b) = self.query.triangles(candidate.a, candidate.b);
                group.set(lane, &triangle_a, &triangle_b);
            }
            group.face_gaps(&mut gaps);
            for (candidate, gap) in some.iter_mut().zip(&gaps) {
                let gap = *gap * self.query.tree_b.frame.scale;
                candidate.lower = candidate.lower.max(gap);
            }
        }
    }
}

impl NearQuery<'_> {
    /// Processes the triangles of two leaves.
    #[inline(always)]
    pub(super) fn leaf_pair<W: Wide>(
        &self,
        pair: &Step,
        search: &mut Search<'_>,
    ) -> ControlFlow<()> {
        let (a, b) = (&self.tree_a.leaves[pair.a.index()], &self.tree_b.leaves[pair.b.index()]);
        let mut found = Close::NONE;
        close::<W>(a, b, self.relative, &search.goal, &mut found);
        if search.direct {
            for (i, j) in &found.pairs[..found.count] {
                let (t, u) = (a.triangles[usize::from(i & 7)], b.triangles[usize::from(j & 7)]);
                search.candidates.push(Candidate::new(0.0, t, u));
            }
            return self.check_if_many(search);
        }
        for k in 0..found.count {
            search.batch.add(a, b, &found, found.pairs[k]);
            if search.batch.count == 8 {
                self.measure::<W>(search)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Lowers the bound to `upper`, an upper bound of the distance of two points of the meshes in
    /// B's local unit; `toward` leads from A's point to B's in B's axes.
    #[inline(always)]
    pub(super) fn offer_upper_bound(&self, upper: f32, toward: [f32; 3], search: &mut Search<'_>) {
        if upper < search.best {
            search.best = upper;
            let toward = Vec3::from_array(toward.map(f64::from));
            let toward = (self.relative.rotation * toward).try_normalize();
            // Upper bound of the excess of the pair's `f64` upper bound over its distance.
            let slack = 2.0 * PRUNING_SLACK * self.relative.span / self.tree_a.frame.scale;
            search.sink.announce_upper_bound(f64::from(upper) / self.tree_b.frame.scale + slack);
            search.goal = self.goal(search.sink.bound(), toward.unwrap_or(search.goal.toward));
        }
    }

    /// Computes the bounds of the batch, and empties it.
    #[inline(always)]
    pub(super) fn measure<W: Wide>(&self, search: &mut Search<'_>) -> ControlFlow<()> {
        if search.batch.count == 0 {
            return ControlFlow::Continue(());
        }
        let (count, lower) = self.measure_batch::<W>(search);
        for k in 0..count {
            let (t, u) = search.batch.triangles[k];
            if lower[k] <= 0.0 {
                self.pair(t, u, true, search)?;
            } else if lower[k] <= search.goal.limit {
                search.candidates.push(Candidate::new(f64::from(lower[k]), t, u));
            }
        }
        self.check_if_many(search)
    }

    /// Lowers the bound by the upper bounds of the batch, and empties it; the number of its pairs,
    /// whose triangles remain in the batch, and their lower bounds.
    #[inline(always)]
    pub(super) fn measure_batch<W: Wide>(&self, search: &mut Search<'_>) -> (usize, [f32; 8]) {
        let count = std::mem::take(&mut search.batch.count);
        let bounds = search.batch.measure::<W>();
        let mut nearest = 0;
        for k in 1..count {
            if bounds.upper[k] < bounds.upper[nearest] {
                nearest = k;
            }
        }
        self.offer_upper_bound(bounds.upper[nearest], bounds.toward.get(nearest), search);
        (count, bounds.lower)
    }

    /// Checks the candidates if there are many.
    #[inline(always)]
    fn check_if_many(&self, search: &mut Search<'_>) -> ControlFlow<()> {
        if search.candidates.len() >= CANDIDATES_PER_CHECK {
            self.check_candidates(search)
        } else {
            ControlFlow::Continue(())
        }
    }

    /// Checks the candidates in `f64`, the closest first.
    #[inline(never)]
    pub(super) fn check_candidates(&self, search: &mut Search<'_>) -> ControlFlow<()> {
        if search.candidates.len() >= closest::PAIRS_PER_GROUP {
            let limit = self.limit(search);
            search.candidates.retain(|candidate| candidate.lower <= limit);
            self.raise_lower_bounds(&mut search.candidates);
            self.dismiss_beyond(limit, search);
        }
        Candidate::arrange(&mut search.candidates);
        while let Some(first) = search.candidates.first().copied() {
            if first.lower > self.limit(search) {
                break;
            }
            Candidate::remove_first(&mut search.candidates);
            self.pair(first.a, first.b, false, search)?;
        }
        search.candidates.clear();
        ControlFlow::Continue(())
    }

    /// Raises the lower bounds of candidates to their gaps in `f64`.
    pub(super) fn raise_lower_bounds(&self, candidates: &mut [Candidate]) {
        dispatch::run(Gaps { query: self, candidates });
    }

    /// Dismisses candidates beyond the limit by their gaps.
    pub(super) fn dismiss_beyond(&self, limit: f64, search: &mut Search<'_>) {
        let before = search.candidates.len();
        search.candidates.retain(|candidate| candidate.lower <= limit);
        search.direct = search.candidates.len() < before / DIRECT_DIVISOR;
    }

    /// Pairs with a larger distance, in B's local unit, are dismissed: the bound plus an upper
    /// bound of the gap between the bounds of [`closest`].
    #[inline(always)]
    pub(super) fn limit(&self, search: &Search<'_>) -> f64 {
        let slack = PRUNING_SLACK * self.relative.span / self.tree_a.frame.scale;
        (search.sink.bound() + slack) * self.tree_b.frame.scale
    }

    /// Two triangles in A's frame. Written out because `array::map` is a function call.
    #[inline(always)]
    pub(super) fn triangles(&self, t: u32, u: u32) -> ([Vec3; 3], [Vec3; 3]) {
        let [i, j, k] = self.a.triangles()[t as usize];
        let at = |v: u32| self.a.vertices()[v as usize];
        let here = [at(i), at(j), at(k)];
        let [i, j, k] = self.b.triangles()[u as usize];
        let at = |v: u32| self.pose.transform_point(self.b.vertices()[v as usize]);
        (here, [at(i), at(j), at(k)])
    }

    /// Checks two triangles in `f64`, like [`closest::triangle_triangle`], but runs the
    /// intersection test first only if it is `likely` to succeed, and otherwise only if the lower
    /// bound is zero.
    #[inline(never)]
    pub(super) fn pair(
        &self,
        t: u32,
        u: u32,
        likely: bool,
        search: &mut Search<'_>,
    ) -> ControlFlow<()> {
        let (here, there) = self.triangles(t, u);
        let mut closest = None;
        let mut meet = likely && triangles_intersect(&here, &there);
        if !meet {
            let found = closest::disjoint(&here, &there);
            meet = !likely && found.lower == 0.0 && triangles_intersect(&here, &there);
            closest = Some(found);
        }
        if meet {
            search.sink.meet(t, u)?;
            closest = Some(closest::triangle_triangle(&here, &there));
        }
        match closest {
            Some(closest) if closest.lower <= search.sink.bound() => {
                let flow = search.sink.pair(&NearPair::new(t, u, closest));
                search.goal = self.goal(search.sink.bound(), search.goal.toward);
                flow
            }
            _ => ControlFlow::Continue(()),
        }
    }
}
