//! The four methods of Figures 6.6 to 6.11, each with its own state for every pair, on one recording.

use std::time::Instant;

use anyhow::Result;
use impinge::Pose;
use impinge::convex::Climb;
use impinge::convex::separating::{self, Body, Cache, Options, Query, Scratch, Verdict};

use super::gilbert::{self, Simplex};
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
    /// Separating vectors, and on a hit closest points at the last free pose.
    Combined,
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
        }
    }
}

/// What a replay gave.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timed {
    /// Microseconds a frame.
    pub(super) frame: f64,
    /// Nanoseconds a request.
    pub(super) request: f64,
    pub(super) hits: usize,
    /// Requests where the baseline went in circles.
    pub(super) circles: usize,
}

/// What the methods know of one pair.
#[derive(Clone, Debug, Default)]
struct State {
    cache: Cache,
    tracked: Tracked,
    simplex: Simplex,
    /// The last pose at which the pair was free.
    free: Option<Pose>,
}

/// A recording with what the methods precompute.
pub(super) struct Arena<'r> {
    recording: &'r Recording,
    bodies: Vec<Body<'r>>,
    polytopes: Vec<Polytope>,
}

impl<'r> Arena<'r> {
    pub(super) fn new(recording: &'r Recording) -> Result<Self> {
        Ok(Self {
            recording,
            bodies: recording.hulls.iter().map(Body::new).collect(),
            polytopes: recording.hulls.iter().map(Polytope::new).collect::<Result<_>>()?,
        })
    }

    /// The whole recording, `passes` times; each frame counts with its fastest pass.
    pub(super) fn time(&self, method: Method, passes: usize) -> Timed {
        let mut best = vec![f64::INFINITY; self.recording.frames.len()];
        let mut timed = Timed { frame: 0.0, request: 0.0, hits: 0, circles: 0 };
        for _ in 0..passes.max(1) {
            let mut states = vec![State::default(); self.recording.episodes];
            let mut tools = Tools::default();
            (timed.hits, timed.circles) = (0, 0);
            for (frame, best) in self.recording.frames.iter().zip(&mut best) {
                let start = Instant::now();
                for request in frame {
                    let state = &mut states[request.episode as usize];
                    timed.hits += usize::from(self.ask(method, request, state, &mut tools));
                }
                *best = best.min(start.elapsed().as_secs_f64());
            }
            timed.circles = tools.circles;
        }
        let seconds: f64 = best.iter().sum();
        timed.frame = seconds * 1e6 / best.len().max(1) as f64;
        timed.request = seconds * 1e9 / self.recording.requests().max(1) as f64;
        timed
    }

    /// Whether the pair meets.
    fn ask(&self, method: Method, request: &Request, state: &mut State, tools: &mut Tools) -> bool {
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
                tools.circles += usize::from(found.fell_back);
                found.meet
            }
            Method::Gilbert => {
                gilbert::closest(query.a, query.b, query.pose, &mut state.simplex, &mut tools.climb)
                    .meet
            }
            Method::Vectors => {
                meets(&separating::separate(query, &mut state.cache, &mut tools.scratch).verdict)
            }
            Method::Combined => combined(query, state, tools),
        }
    }
}

#[derive(Default)]
struct Tools {
    scratch: Scratch,
    climb: Climb,
    circles: usize,
}

/// The answer of the thesis' algorithm: where nothing is certain (bodies that touch to rounding), what its rule says.
fn meets(verdict: &Verdict) -> bool {
    match verdict {
        Verdict::Separated(_) => false,
        Verdict::Intersecting(_) => true,
        Verdict::Undecided(reason) => *reason == separating::Reason::Exhausted,
    }
}

/// Section 5.5: on a hit after a free frame the closest points at the free pose, started with the pairs that recurred; what they find starts the next search.
fn combined(query: Query<'_>, state: &mut State, tools: &mut Tools) -> bool {
    let output = separating::separate(query, &mut state.cache, &mut tools.scratch);
    if !meets(&output.verdict) {
        state.free = Some(*query.pose);
        return false;
    }
    if let Some(pose) = state.free.take() {
        state.simplex.pairs.clear();
        state.simplex.pairs.extend_from_slice(output.seeds.as_slice());
        let found = gilbert::closest(query.a, query.b, &pose, &mut state.simplex, &mut tools.climb);
        if let Some([a, b]) = state.simplex.pairs.first() {
            state.cache = Cache::from_closest(found.vector, *a, *b);
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::super::world::{Setting, Shape, record};
    use super::*;

    #[test]
    fn all_methods_see_the_same_hits() {
        let recording = record(&Setting::usual(&Shape::ALL, 40, 60, 40, 3)).unwrap();
        let arena = Arena::new(&recording).unwrap();
        for method in Method::ALL {
            let timed = arena.time(method, 1);
            assert_eq!(timed.hits, recording.hits, "{}", method.name());
            assert!(timed.frame > 0.0 && timed.circles * 50 < recording.requests());
        }
    }
}
