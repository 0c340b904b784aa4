//! The four methods of Figures 6.6 to 6.11 on one recording, each with its own state for every
//! pair.

use std::hint::black_box;
use std::time::Instant;

use anyhow::Result;
use impinge::Distance;
use impinge::Pose;
use impinge::convex;
use impinge::convex::{BodyCache, ClosestOptions, HullMemory, Iterated};
use impinge_papers::leung::closest::{Variant, closest_points};
use impinge_papers::leung::separating::{
    self, Options, Prepared, Query, Scratch, SeparatingCache, Verdict,
};
use impinge_papers::leung::{DirectionTable, LocalSearch};

use super::world::{Recording, Request};
use crate::closest_feature::{Polytope, Tracked, track};

/// A method of the thesis' comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    /// Closest features tracked in every frame.
    Features,
    /// Separating vectors only.
    Vectors,
    /// The improved Gilbert algorithm in every frame.
    Gilbert,
    /// Separating vectors, and after a hit the closest points at the last free pose.
    Combined,
    /// The library's own verdict, [`convex::intersects_cached`]; not in the thesis.
    Query,
}

impl Method {
    pub(super) const ALL: [Self; 4] =
        [Self::Features, Self::Gilbert, Self::Combined, Self::Vectors];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Features => "closest features",
            Self::Vectors => "separating vector",
            Self::Gilbert => "improved Gilbert",
            Self::Combined => "combined",
            Self::Query => "intersects_cached",
        }
    }
}

/// Results of a replay.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timed {
    /// Microseconds per frame.
    pub(super) frame: f64,
    /// Nanoseconds per request.
    pub(super) request: f64,
    pub(super) hits: usize,
    /// Requests in which closest-feature tracking reached its step limit.
    pub(super) fallbacks: usize,
    /// Mean number of feature pairs, or of directions, visited per request.
    pub(super) steps: f64,
}

/// The state of all methods for one pair.
#[derive(Clone, Debug, Default)]
struct State {
    cache: SeparatingCache,
    tracked: Tracked,
    closest: BodyCache<HullMemory, HullMemory>,
    query: convex::HullCache,
    /// The last pose without intersection, until it is used.
    last_free: Option<Pose>,
}

/// A recording, and the data that the methods precompute.
pub(super) struct Replay<'r> {
    recording: &'r Recording,
    bodies: Vec<Prepared<'r>>,
    polytopes: Vec<Polytope>,
    tables: Vec<DirectionTable>,
}

impl<'r> Replay<'r> {
    pub(super) fn new(recording: &'r Recording) -> Result<Self> {
        Ok(Self {
            recording,
            bodies: recording.hulls.iter().map(Prepared::new).collect(),
            polytopes: recording.hulls.iter().map(Polytope::new).collect::<Result<_>>()?,
            tables: recording.hulls.iter().map(DirectionTable::new).collect(),
        })
    }

    /// Times a method on the whole recording, `passes` times; each frame counts with its fastest
    /// pass.
    pub(super) fn time(&self, method: Method, passes: usize) -> Timed {
        let mut best = vec![f64::INFINITY; self.recording.frames.len()];
        let mut timed = Timed { frame: 0.0, request: 0.0, hits: 0, fallbacks: 0, steps: 0.0 };
        for _ in 0..passes.max(1) {
            let mut states = vec![State::default(); self.recording.episodes];
            let mut pass = PassState::default();
            (timed.hits, timed.fallbacks) = (0, 0);
            for (frame, best) in self.recording.frames.iter().zip(&mut best) {
                let start = Instant::now();
                for request in frame {
                    let state = &mut states[request.episode as usize];
                    timed.hits += usize::from(self.intersects(method, request, state, &mut pass));
                }
                *best = best.min(start.elapsed().as_secs_f64());
            }
            timed.fallbacks = pass.fallbacks;
            timed.steps = pass.steps as f64 / self.recording.requests().max(1) as f64;
        }
        let seconds: f64 = best.iter().sum();
        timed.frame = seconds * 1e6 / best.len().max(1) as f64;
        timed.request = seconds * 1e9 / self.recording.requests().max(1) as f64;
        timed
    }

    /// Whether the pair intersects.
    fn intersects(
        &self,
        method: Method,
        request: &Request,
        state: &mut State,
        pass: &mut PassState,
    ) -> bool {
        let (a, b) = (request.a as usize, request.b as usize);
        let query = Query {
            a: &self.bodies[a],
            b: &self.bodies[b],
            pose: &request.pose,
            options: Options::THESIS,
        };
        match method {
            Method::Features => {
                let found = track(
                    &self.polytopes[a],
                    &self.polytopes[b],
                    &request.pose,
                    &mut state.tracked,
                );
                pass.fallbacks += usize::from(found.fell_back);
                pass.steps += u64::from(found.steps);
                black_box(found.distance);
                found.meet
            }
            Method::Gilbert => {
                let found = self.closest(request, &request.pose, &mut state.closest);
                pass.steps += u64::from(found.iterations);
                found.answer.lower <= 0.0
            }
            Method::Vectors => {
                let output = separating::separate(query, &mut state.cache, &mut pass.scratch);
                pass.steps += u64::from(output.steps);
                meets(&output.verdict)
            }
            Method::Combined => self.combined(request, query, state, pass),
            Method::Query => {
                let [a, b] = [a, b].map(|i| &self.recording.hulls[i]);
                convex::intersects_cached(a, b, &request.pose, &mut state.query).is_intersecting()
            }
        }
    }

    fn closest(
        &self,
        request: &Request,
        pose: &Pose,
        cache: &mut BodyCache<HullMemory, HullMemory>,
    ) -> Iterated<Distance> {
        let [a, b] = [request.a as usize, request.b as usize]
            .map(|i| LocalSearch::exact(&self.recording.hulls[i]).with_table(&self.tables[i]));
        let options = ClosestOptions::default().tolerance(0.0);
        closest_points(&a, &b, pose, &options, Variant::PUBLISHED, cache)
    }

    /// Section 5.5: on a hit after a free frame, computes the closest points at the free pose. That
    /// computation starts with the vertex pairs that recurred, and its result starts the next
    /// search.
    fn combined(
        &self,
        request: &Request,
        query: Query<'_>,
        state: &mut State,
        pass: &mut PassState,
    ) -> bool {
        let output = separating::separate(query, &mut state.cache, &mut pass.scratch);
        pass.steps += u64::from(output.steps);
        if !meets(&output.verdict) {
            state.last_free = Some(request.pose);
            return false;
        }
        if let Some(pose) = state.last_free.take() {
            state.closest = output.closest_start();
            let found = self.closest(request, &pose, &mut state.closest);
            if let (Some(a), Some(b)) = (state.closest.a.last(), state.closest.b.last()) {
                state.cache = SeparatingCache::from_closest(found.direction, a, b);
            }
        }
        true
    }
}

/// Scratch memory and counters of a pass.
#[derive(Default)]
struct PassState {
    scratch: Scratch,
    fallbacks: usize,
    steps: u64,
}

/// The answer of the thesis' algorithm. For bodies that touch up to rounding, no verdict is
/// certain; then the rule of the thesis decides.
fn meets(verdict: &Verdict) -> bool {
    match verdict {
        Verdict::Separated(_) => false,
        Verdict::Intersecting(_) => true,
        Verdict::Undecided(reason) => *reason == separating::Reason::Exhausted,
    }
}

#[cfg(test)]
mod tests {
    use super::super::world::{Setting, Shape, record};
    use super::*;

    #[test]
    fn all_methods_find_the_same_hits() {
        let recording = record(&Setting::thesis(&Shape::ALL, 40, 60, 40, 3)).unwrap();
        let replay = Replay::new(&recording).unwrap();
        for method in Method::ALL.into_iter().chain([Method::Query]) {
            let timed = replay.time(method, 1);
            assert_eq!(timed.hits, recording.hits, "{}", method.name());
            assert!(timed.frame > 0.0 && timed.fallbacks * 50 < recording.requests());
        }
    }
}
