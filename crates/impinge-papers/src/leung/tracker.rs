//! Tracking of a pair of hulls from frame to frame (Leung 1996, sections 5.5 and 6.1).
//!
//! Closest points are not needed while the bodies are far from each other, and do not exist once
//! they overlap. So the combined algorithm searches for a separating vector in every frame, which
//! is fast. When it finds that the bodies intersect, it computes closest points at the pose of the
//! frame before, the last collision-free one. Each search provides the start of the other: the
//! pairs of vertices found by the search for a separating vector are the initial simplex of the
//! search for closest points. The vector between the closest points is the first direction of the
//! next frame.
//!
//! A tracker uses either the published algorithms ([`separating`](super::separating) and
//! [`closest_points`]) or the [production queries](impinge::convex::intersects). Both have the same
//! goals and, because verdicts are exact, the same verdicts.

use super::closest::{Variant, closest_points};
use super::separating::{self, Options, Prepared, Query, Scratch};
use impinge::Distance;
use impinge::convex::{
    BodyCache, ClosestOptions, HullCache, HullMemory, Iterated, SeparationCertificate, Verdict,
    VertexPairs, distance_cached, intersects_cached,
};
use impinge::internals::decide::{self, Hint};
use impinge::math::{Pose, Vec3};

/// The query that is made in every frame (Leung 1996, section 6.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Goal {
    /// Whether the bodies intersect.
    Verdict,
    /// The closest points in every frame.
    ClosestPoints,
    /// Whether the bodies intersect and, if so, the closest points at the last collision-free pose.
    #[default]
    Combined,
}

/// The algorithms that a tracker uses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    /// The separating-vector algorithm with these options, and the improved Gilbert algorithm, as
    /// published.
    Published(Options),
    /// [`intersects_cached`] and [`distance_cached`].
    Production,
}

/// One pair of moving hulls, with the caches of the last frame.
///
/// ```
/// use impinge_papers::leung::{Goal, Method, Tracker};
/// use impinge_papers::leung::separating::{Prepared, Scratch};
/// use impinge::convex::Hull;
/// use impinge::{Pose, Vec3};
///
/// let corners = |k: u32| Vec3::new((k & 1) as f64, (k >> 1 & 1) as f64, (k >> 2) as f64);
/// let cube = Hull::new(&(0..8).map(corners).collect::<Vec<_>>())?;
/// let (body, mut scratch) = (Prepared::new(&cube), Scratch::default());
/// let mut tracker = Tracker::new(&body, &body, Goal::Combined, Method::Production);
/// for step in 0..10 {
///     let pose = Pose::from_translation([1.5 - 0.125 * f64::from(step), 0.25, 0.0])?;
///     let frame = tracker.step(&pose, &mut scratch);
///     assert_eq!(frame.meets, step >= 4); // at 1.0
///     if let Some(last_closest) = frame.closest {
///         // Those of the frame before.
///         assert!(frame.meets && (last_closest.distance.upper - 0.125).abs() < 1e-12);
///     }
/// }
/// # Ok::<(), impinge::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Tracker<'h> {
    a: &'h Prepared<'h>,
    b: &'h Prepared<'h>,
    goal: Goal,
    method: Method,
    state: TrackerState,
}

/// The state that a frame stores for the next frame of the same pair, without the hulls, so that it
/// can be stored separately.
#[derive(Clone, Debug, Default)]
pub struct TrackerState {
    production_cache: HullCache,
    vector_cache: separating::SeparatingCache,
    simplex_cache: BodyCache<HullMemory, HullMemory>,
    /// The pose of the last collision-free frame, until closest points have been computed there.
    free_pose: Option<Pose>,
    /// The closest points at that pose, once computed.
    last_closest: Option<Closest>,
}

/// Closest points and their pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest {
    /// The bounds of the distance, and the points in A's frame.
    pub distance: Distance,
    /// The pose of B in A's frame: that of the frame itself, or the last collision-free one.
    pub pose: Pose,
}

/// The results of one frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Whether the bodies share a point. Exact.
    pub meets: bool,
    /// The proof of `meets`. `None` if the closest points alone show that the bodies are separated.
    pub proof: Option<Verdict>,
    /// With [`Goal::ClosestPoints`], those of this frame. With [`Goal::Combined`], while the bodies
    /// intersect, those of the last collision-free frame, or `None` if there was none.
    pub closest: Option<Closest>,
}

impl<'h> Tracker<'h> {
    /// A tracker of two hulls, with empty caches.
    #[must_use]
    pub fn new(a: &'h Prepared<'h>, b: &'h Prepared<'h>, goal: Goal, method: Method) -> Self {
        Self::with_state(a, b, goal, method, TrackerState::default())
    }

    /// Continues with the state of an earlier frame.
    #[must_use]
    pub fn with_state(
        a: &'h Prepared<'h>,
        b: &'h Prepared<'h>,
        goal: Goal,
        method: Method,
        state: TrackerState,
    ) -> Self {
        Self { a, b, goal, method, state }
    }

    /// The state after the last frame.
    #[must_use]
    pub fn into_state(self) -> TrackerState {
        self.state
    }

    /// Computes the next frame: B at `pose` in A's frame. One `scratch` can be shared by all pairs
    /// of a thread.
    pub fn step(&mut self, pose: &Pose, scratch: &mut Scratch) -> Frame {
        if self.goal == Goal::ClosestPoints {
            return self.step_with_closest_points(pose);
        }
        let (a, b) = (self.a, self.b);
        let (decision, seeds) = match self.method {
            Method::Production => (
                intersects_cached(a.hull(), b.hull(), pose, &mut self.state.production_cache),
                VertexPairs::NONE,
            ),
            Method::Published(options) => {
                let query = Query { a, b, pose, options };
                let output = separating::separate(query, &mut self.state.vector_cache, scratch);
                let decision = output.verdict.decided();
                (decision.unwrap_or_else(|| decide_exactly(a, b, pose, &output.hint)), output.seeds)
            }
        };
        let meets = decision.is_intersecting();
        if self.goal == Goal::Combined {
            if !meets {
                (self.state.free_pose, self.state.last_closest) = (Some(*pose), None);
            } else if let Some(free_pose) = self.state.free_pose.take() {
                self.state.last_closest = Some(Closest {
                    distance: self.closest_at_free_pose(&free_pose, seeds),
                    pose: free_pose,
                });
            }
        }
        Frame { meets, proof: Some(decision), closest: self.state.last_closest }
    }

    /// Computes the closest points at the last collision-free pose, and the first direction of the
    /// next frame from them (section 5.5).
    fn closest_at_free_pose(&mut self, free_pose: &Pose, seeds: VertexPairs) -> Distance {
        let (a, b) = (self.a, self.b);
        if self.method == Method::Production {
            return distance_cached(
                a.hull(),
                b.hull(),
                free_pose,
                &mut self.state.production_cache,
            );
        }
        self.state.simplex_cache = BodyCache::from_pairs(&seeds);
        let found = self.published_closest_points(free_pose);
        let vertices = (self.state.simplex_cache.a.last(), self.state.simplex_cache.b.last());
        if let (Some(p), Some(q)) = vertices {
            let start = separating::SeparatingCache::from_closest(
                found.answer.point_b - found.answer.point_a,
                p,
                q,
            );
            if !start.is_empty() {
                self.state.vector_cache = start;
            }
        }
        found.answer
    }

    /// Computes a frame with closest points.
    fn step_with_closest_points(&mut self, pose: &Pose) -> Frame {
        let (a, b) = (self.a, self.b);
        let (distance, proof) = match self.method {
            Method::Production => {
                let distance =
                    distance_cached(a.hull(), b.hull(), pose, &mut self.state.production_cache);
                // Both bounds are zero if and only if the bodies share a point. For a gap below the
                // smallest positive number only the lower bound is zero.
                let proof = (distance.lower <= 0.0).then(|| {
                    intersects_cached(a.hull(), b.hull(), pose, &mut self.state.production_cache)
                });
                (distance, proof)
            }
            Method::Published(_) => {
                let found = self.published_closest_points(pose);
                let hint = Hint { pairs: VertexPairs::NONE, direction: found.direction };
                let proof = (found.answer.lower <= 0.0).then(|| decide_exactly(a, b, pose, &hint));
                let mut distance = found.answer;
                if proof.is_some_and(|proof| proof.is_intersecting()) {
                    (distance.lower, distance.upper) = (0.0, 0.0);
                }
                (distance, proof)
            }
        };
        let meets = proof.is_some_and(|proof| proof.is_intersecting());
        Frame { meets, proof, closest: Some(Closest { distance, pose: *pose }) }
    }

    /// The improved Gilbert algorithm, started from its last result.
    fn published_closest_points(&mut self, pose: &Pose) -> Iterated<Distance> {
        let (a, b) = (self.a.hull(), self.b.hull());
        let options = ClosestOptions::default().tolerance(0.0);
        closest_points(a, b, pose, &options, Variant::PUBLISHED, &mut self.state.simplex_cache)
    }
}

/// The exact decision.
fn decide_exactly(a: &Prepared<'_>, b: &Prepared<'_>, pose: &Pose, hint: &Hint) -> Verdict {
    let there: Vec<Vec3> = b.hull().vertices().iter().map(|v| pose.transform_point(*v)).collect();
    decide::decide(a.hull().vertices(), &there, hint)
}

impl Frame {
    /// The proof that the bodies are separated, if there is one.
    #[must_use]
    pub fn gap(&self) -> Option<SeparationCertificate> {
        match self.proof? {
            Verdict::Separated(gap) => Some(gap),
            Verdict::Intersecting(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::convex::{Hull, distance, intersects};
    use impinge::internals::Random;

    fn ellipsoid(random: &mut Random, n: usize, axes: Vec3) -> Hull {
        Hull::new(&(0..n).map(|_| random.direction() * axes).collect::<Vec<_>>()).unwrap()
    }

    const METHODS: [Method; 2] = [Method::Production, Method::Published(Options::THESIS)];

    #[test]
    fn all_goals_and_methods_agree_with_single_queries() {
        let mut random = Random::new(61);
        let (p, q) = (
            ellipsoid(&mut random, 60, Vec3::ONE),
            ellipsoid(&mut random, 40, Vec3::new(1.0, 0.5, 0.2)),
        );
        let (a, b, mut scratch) = (Prepared::new(&p), Prepared::new(&q), Scratch::default());
        let (mut hits, mut found_again) = (0, 0);
        for method in METHODS {
            for goal in [Goal::Verdict, Goal::ClosestPoints, Goal::Combined] {
                let mut tracker = Tracker::new(&a, &b, goal, method);
                let mut free_pose = None;
                for step in 0..300 {
                    let t = f64::from(step) * 0.05;
                    let at = Vec3::new(2.2 * (t * 0.7).cos(), 0.3 * t.sin(), 0.2);
                    let turn = [0.0, (t * 0.3).sin(), 0.4, 1.0];
                    let pose = Pose::from_quaternion(turn, at).unwrap();
                    let frame = tracker.step(&pose, &mut scratch);
                    let expected = intersects(&p, &q, &pose).is_intersecting();
                    assert_eq!(frame.meets, expected, "{method:?} {goal:?} {step}");
                    let there: Vec<Vec3> =
                        q.vertices().iter().map(|v| pose.transform_point(*v)).collect();
                    assert!(frame.proof.is_none_or(|proof| proof.verify(p.vertices(), &there)));
                    hits += usize::from(expected);
                    match goal {
                        Goal::Verdict => assert_eq!(frame.closest, None),
                        Goal::ClosestPoints => {
                            let found = frame.closest.unwrap();
                            assert_eq!(found.pose, pose);
                            assert_bounds_overlap(&found.distance, &distance(&p, &q, &pose));
                        }
                        Goal::Combined => {
                            assert_eq!(frame.closest.is_some(), expected && free_pose.is_some());
                            if let (Some(found), Some(free_pose)) = (frame.closest, free_pose) {
                                found_again += 1;
                                assert_eq!(found.pose, free_pose);
                                assert_bounds_overlap(
                                    &found.distance,
                                    &distance(&p, &q, &free_pose),
                                );
                            }
                        }
                    }
                    if !expected {
                        free_pose = Some(pose);
                    }
                }
            }
        }
        assert!(hits > 300 && found_again > 100, "{hits} {found_again}");
    }

    /// With the published termination rule the distance may be slightly too large, but within the
    /// bounds.
    fn assert_bounds_overlap(found: &Distance, expected: &Distance) {
        assert!(found.lower <= expected.upper && expected.lower <= found.upper, "{found:?}");
    }

    #[test]
    fn bodies_that_meet_from_the_start_have_no_last_free_pose() {
        let mut random = Random::new(62);
        let p = ellipsoid(&mut random, 20, Vec3::ONE);
        let (a, mut scratch) = (Prepared::new(&p), Scratch::default());
        for method in METHODS {
            let mut tracker = Tracker::new(&a, &a, Goal::Combined, method);
            for _ in 0..3 {
                let frame = tracker.step(&Pose::IDENTITY, &mut scratch);
                assert!(frame.meets && frame.closest.is_none() && frame.gap().is_none());
            }
        }
    }
}
