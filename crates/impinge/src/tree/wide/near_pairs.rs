//! From pairs of leaves to pairs of triangles that the sink gets: `f32` dismisses most and bounds the rest, `f64` has the last word.
//!
//! Triangles that may be close enough are measured eight pairs at a time ([`near_batch`](super::near_batch)). What they are at most apart lowers the bound of a sink that is
//! after the minimum, without any `f64` arithmetic; the pairs are put off until the end, when few of them are left, and then looked at by [`closest`] in `f64`.

use std::ops::ControlFlow;

use crate::closest;
use crate::exact::triangles_intersect;
use crate::math::Vec3;
use crate::sink::{NearPair, NearSink};
use crate::wide::Wide;

use super::near::{NearQuery, SLACK, Step};
use super::near_batch::Batch;
use super::near_boxes::Goal;
use super::near_leaf::{Close, close};
use super::node::Link;

/// So many pairs are put off at most.
const CANDIDATES: usize = 256;

/// So many pairs of leaves are looked at first at most.
const SEEN: usize = 16;

/// What is known so far.
pub(super) struct Search<'s> {
    sink: &'s mut dyn NearSink,
    pub(super) goal: Goal,
    /// The smallest upper bound of any pair seen, in B's local unit, which the goal's direction is of.
    best: f32,
    batch: Batch,
    /// Pairs of leaves that were looked at first and must not be again; the first `seen_count` are real.
    seen: [(Link, Link); SEEN],
    seen_count: usize,
    /// Pairs that are left to `f64`: a lower bound of the distance in B's local unit, and the triangles.
    candidates: Vec<(f32, u32, u32)>,
}

impl<'s> Search<'s> {
    /// `candidates` lends its memory.
    pub(super) fn new(
        sink: &'s mut dyn NearSink,
        goal: Goal,
        mut candidates: Vec<(f32, u32, u32)>,
    ) -> Self {
        candidates.clear();
        Self {
            sink,
            goal,
            best: f32::INFINITY,
            batch: Batch::EMPTY,
            seen: [(Link::NONE, Link::NONE); SEEN],
            seen_count: 0,
            candidates,
        }
    }

    /// Takes note of a pair of leaves; false if there is no room for it.
    #[inline(always)]
    pub(super) fn see(&mut self, pair: &Step) -> bool {
        let room = self.seen_count < SEEN;
        if room {
            self.seen[self.seen_count] = (pair.a, pair.b);
            self.seen_count += 1;
        }
        room
    }

    #[inline(always)]
    pub(super) fn has_seen(&self, pair: &Step) -> bool {
        self.seen[..self.seen_count].contains(&(pair.a, pair.b))
    }

    /// The memory back.
    pub(super) fn into_candidates(self) -> Vec<(f32, u32, u32)> {
        self.candidates
    }
}

impl NearQuery<'_> {
    /// Looks at the triangles of two leaves.
    #[inline(always)]
    pub(super) fn leaf_pair<W: Wide>(
        &self,
        pair: &Step,
        search: &mut Search<'_>,
    ) -> ControlFlow<()> {
        let (a, b) = (&self.tree_a.leaves[pair.a.index()], &self.tree_b.leaves[pair.b.index()]);
        let mut found = Close::NONE;
        close::<W>(a, b, &self.relative, &search.goal, &mut found);
        for k in 0..found.count {
            search.batch.add(a, b, &found, found.pairs[k]);
            if search.batch.count == 8 {
                self.measure::<W>(search)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Takes note that two points of the meshes are at most `upper` apart, in B's local unit, `toward` leading from A's to B's in B's axes.
    #[inline(always)]
    pub(super) fn improve(&self, upper: f32, toward: [f32; 3], search: &mut Search<'_>) {
        if upper < search.best {
            search.best = upper;
            let toward = Vec3::from_array(toward.map(f64::from));
            let toward = (self.pose.rotation() * toward).try_normalize();
            // More than the pair's bounds in `f64` can be above its distance.
            let room = 2.0 * SLACK * self.relative.span / self.tree_a.scale;
            search.sink.foresee(f64::from(upper) / self.tree_b.scale + room);
            search.goal = self.goal(search.sink.bound(), toward.unwrap_or(search.goal.toward));
        }
    }

    /// Bounds the distances of the batch, and empties it.
    #[inline(always)]
    pub(super) fn measure<W: Wide>(&self, search: &mut Search<'_>) -> ControlFlow<()> {
        let count = std::mem::take(&mut search.batch.count);
        if count == 0 {
            return ControlFlow::Continue(());
        }
        let bounds = search.batch.measure::<W>();
        let mut nearest = 0;
        for k in 1..count {
            if bounds.upper[k] < bounds.upper[nearest] {
                nearest = k;
            }
        }
        self.improve(bounds.upper[nearest], bounds.toward.get(nearest), search);
        for k in 0..count {
            let (t, u) = search.batch.triangles[k];
            if bounds.lower[k] <= 0.0 {
                self.pair(t, u, true, search)?;
            } else if bounds.lower[k] <= search.goal.limit {
                search.candidates.push((bounds.lower[k], t, u));
            }
        }
        if search.candidates.len() >= CANDIDATES {
            self.settle(search)
        } else {
            ControlFlow::Continue(())
        }
    }

    /// Looks at the candidates in `f64`, the closest first.
    #[inline(never)]
    pub(super) fn settle(&self, search: &mut Search<'_>) -> ControlFlow<()> {
        let mut candidates = std::mem::take(&mut search.candidates);
        candidates.sort_unstable_by(|x, y| x.0.total_cmp(&y.0).then((x.1, x.2).cmp(&(y.1, y.2))));
        for (lower, t, u) in candidates.drain(..) {
            if lower > search.goal.limit {
                break;
            }
            self.pair(t, u, false, search)?;
        }
        search.candidates = candidates;
        ControlFlow::Continue(())
    }

    /// Looks at two triangles in `f64`: as [`closest::triangle_triangle`], but asks whether they meet where that is likely, or possible.
    #[inline(never)]
    fn pair(&self, t: u32, u: u32, likely: bool, search: &mut Search<'_>) -> ControlFlow<()> {
        let here = self.a.triangle(t as usize);
        let there: [Vec3; 3] = self.b.triangle(u as usize).map(|v| self.pose.transform_point(v));
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
                let flow = search.sink.pair(&NearPair { a: t, b: u, closest });
                search.goal = self.goal(search.sink.bound(), search.goal.toward);
                flow
            }
            _ => ControlFlow::Continue(()),
        }
    }
}
