//! From pairs of leaves to pairs of triangles that the sink gets: `f32` dismisses most and bounds
//! the rest, `f64` has the last word.
//!
//! Triangles that may be close enough are measured eight pairs at a time
//! ([`near_batch`](super::near_batch)). What they are at most apart lowers the bound of a sink that
//! is after the minimum, without any `f64` arithmetic; the pairs are put off until the end, when
//! few of them are left, and then looked at by [`closest`] in `f64`.
//!
//! Where very many are left, because they are equally close, a quick bound in `f64` comes before
//! that, and before measuring.

use std::ops::ControlFlow;

use crate::closest;
use crate::exact::triangles_intersect;
use crate::math::Vec3;
use crate::sink::{NearPair, NearSink};
use crate::wide::{Wide, dispatch};

use super::near::{NearQuery, SLACK, Step};
use super::near_batch::Batch;
use super::near_boxes::Goal;
use super::near_leaf::{Close, close};
use super::node::Link;

/// So many pairs are put off at most.
const CANDIDATES: usize = 256;

/// If the gaps of candidates leave less than this share of them, the next ones need not be measured
/// before.
const DIRECT: usize = 4;

/// So many pairs of leaves are looked at first at most.
const SEEN: usize = 16;

/// What is known so far.
pub(super) struct Search<'s> {
    sink: &'s mut dyn NearSink,
    pub(super) goal: Goal,
    /// The smallest upper bound of any pair seen, in B's local unit, which the goal's direction is
    /// of.
    best: f32,
    batch: Batch,
    /// Pairs of leaves that were looked at first and must not be again; the first `seen_count` are
    /// real.
    seen: [(Link, Link); SEEN],
    seen_count: usize,
    /// Pairs that are left to `f64`: a lower bound of the distance in B's local unit, and the
    /// triangles.
    candidates: Vec<(f64, u32, u32)>,
    /// Whether pairs become candidates without being measured: where many are equally close `f32`
    /// tells none of them from the others.
    direct: bool,
}

impl<'s> Search<'s> {
    /// `candidates` lends its memory.
    pub(super) fn new(
        sink: &'s mut dyn NearSink,
        goal: Goal,
        mut candidates: Vec<(f64, u32, u32)>,
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
            direct: false,
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
    pub(super) fn into_candidates(self) -> Vec<(f64, u32, u32)> {
        self.candidates
    }
}

/// Raises the lower bounds of the candidates to the gaps along their normals, in `f64`. Where many
/// pairs are equally close, that dismisses nearly all of them.
struct Gaps<'q> {
    query: &'q NearQuery<'q>,
    candidates: &'q mut [(f64, u32, u32)],
}

impl dispatch::Task for Gaps<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Wide>(self) {
        let mut group = closest::PairGroup::EMPTY;
        let mut gaps = [0.0; closest::PAIRS_PER_GROUP];
        for some in self.candidates.chunks_mut(closest::PAIRS_PER_GROUP) {
            for (lane, (_, t, u)) in some.iter().enumerate() {
                let (here, there) = self.query.triangles(*t, *u);
                group.set(lane, &here, &there);
            }
            group.face_gaps(&mut gaps);
            for ((lower, _, _), gap) in some.iter_mut().zip(&gaps) {
                *lower = lower.max(*gap * self.query.tree_b.frame.scale);
            }
        }
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
        if search.direct {
            for (i, j) in &found.pairs[..found.count] {
                let (t, u) = (a.triangles[usize::from(i & 7)], b.triangles[usize::from(j & 7)]);
                search.candidates.push((0.0, t, u));
            }
            return self.settle_many(search);
        }
        for k in 0..found.count {
            search.batch.add(a, b, &found, found.pairs[k]);
            if search.batch.count == 8 {
                self.measure::<W>(search)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Takes note that two points of the meshes are at most `upper` apart, in B's local unit,
    /// `toward` leading from A's to B's in B's axes.
    #[inline(always)]
    pub(super) fn improve(&self, upper: f32, toward: [f32; 3], search: &mut Search<'_>) {
        if upper < search.best {
            search.best = upper;
            let toward = Vec3::from_array(toward.map(f64::from));
            let toward = (self.relative.turn * toward).try_normalize();
            // More than the pair's bounds in `f64` can be above its distance.
            let room = 2.0 * SLACK * self.relative.span / self.tree_a.frame.scale;
            search.sink.announce_upper_bound(f64::from(upper) / self.tree_b.frame.scale + room);
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
                search.candidates.push((f64::from(bounds.lower[k]), t, u));
            }
        }
        self.settle_many(search)
    }

    /// Looks at the candidates if there are many.
    #[inline(always)]
    fn settle_many(&self, search: &mut Search<'_>) -> ControlFlow<()> {
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
        if candidates.len() >= closest::PAIRS_PER_GROUP {
            let most = self.most(search);
            candidates.retain(|candidate| candidate.0 <= most);
            dispatch::run(Gaps { query: self, candidates: &mut candidates });
            let asked = candidates.len();
            candidates.retain(|candidate| candidate.0 <= most);
            search.direct = candidates.len() < asked / DIRECT;
        }
        candidates.sort_unstable_by(|x, y| x.0.total_cmp(&y.0).then((x.1, x.2).cmp(&(y.1, y.2))));
        for (lower, t, u) in candidates.drain(..) {
            if lower > self.most(search) {
                break;
            }
            self.pair(t, u, false, search)?;
        }
        search.candidates = candidates;
        ControlFlow::Continue(())
    }

    /// Pairs that are further apart, in B's local unit, are of no interest: the bound, and more
    /// than what the bounds of [`closest`] can be apart.
    #[inline(always)]
    fn most(&self, search: &Search<'_>) -> f64 {
        let room = SLACK * self.relative.span / self.tree_a.frame.scale;
        (search.sink.bound() + room) * self.tree_b.frame.scale
    }

    /// Two triangles as they are in A's frame. Written out: `array::map` is a call.
    #[inline(always)]
    fn triangles(&self, t: u32, u: u32) -> ([Vec3; 3], [Vec3; 3]) {
        let [i, j, k] = self.a.triangles()[t as usize];
        let at = |v: u32| self.a.vertices()[v as usize];
        let here = [at(i), at(j), at(k)];
        let [i, j, k] = self.b.triangles()[u as usize];
        let at = |v: u32| self.pose.transform_point(self.b.vertices()[v as usize]);
        (here, [at(i), at(j), at(k)])
    }

    /// Looks at two triangles in `f64`: as [`closest::triangle_triangle`], but asks whether they
    /// meet where that is likely, or possible.
    #[inline(never)]
    fn pair(&self, t: u32, u: u32, likely: bool, search: &mut Search<'_>) -> ControlFlow<()> {
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
