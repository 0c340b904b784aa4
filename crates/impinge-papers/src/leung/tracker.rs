//! A pair of hulls from frame to frame (Leung 1996, sections 5.5 and 6.1).
//!
//! Closest points are of no use while bodies are far from each other, and too late once they
//! overlap. So the combined algorithm looks for a separating vector in every frame, which is quick,
//! and when it finds that the bodies meet it looks for closest points at the pose of the frame
//! before, the last free one. Each search starts the other: pairs of vertices that the search for a
//! separating vector met seed the simplex of the search for closest points, and the way between the
//! closest points is the first direction of the next frame.
//!
//! Both the algorithms as published ([`separating`](super::separating) and [`closest_points`]) and
//! the [production queries](super::intersects) can be tracked, with the same options and, as
//! verdicts are exact, the same verdicts.

use super::closest::{Variant, closest_points};
use super::separating::{self, Options, Prepared, Query, Scratch};
use impinge::Distance;
use impinge::convex::{
    BodyCache, ClosestOptions, Gap, HullCache, HullMemory, Iterated, Pairs, Verdict,
    distance_cached, intersects_cached,
};
use impinge::internals::decide::{self, Hint};
use impinge::math::{Pose, Vec3};

/// What is wanted of every frame (Leung 1996, section 6.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Want {
    /// Whether the bodies meet, and nothing else.
    Verdict,
    /// The closest points in every frame.
    ClosestPoints,
    /// Whether they meet and, if so, the closest points at the last free pose.
    #[default]
    Combined,
}

/// By which algorithms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    /// The separating-vector algorithm with these options, and the improved Gilbert algorithm, as
    /// published.
    Published(Options),
    /// [`intersects_cached`] and [`distance_cached`].
    Production,
}

/// One pair of moving hulls: what is wanted, and what the last frame left.
///
/// ```
/// use impinge_papers::leung::separating::{Prepared, Scratch};
/// use impinge::convex::{Hull, Method, Tracker, Want};
/// use impinge::{Pose, Vec3};
///
/// let corners = |k: u32| Vec3::new((k & 1) as f64, (k >> 1 & 1) as f64, (k >> 2) as f64);
/// let cube = Hull::new(&(0..8).map(corners).collect::<Vec<_>>())?;
/// let (body, mut scratch) = (Prepared::new(&cube), Scratch::default());
/// let mut tracker = Tracker::new(&body, &body, Want::Combined, Method::Production);
/// for step in 0..10 {
///     let pose = Pose::from_translation([1.5 - 0.125 * f64::from(step), 0.25, 0.0])?;
///     let frame = tracker.step(&pose, &mut scratch);
///     assert_eq!(frame.meets, step >= 4); // at 1.0
///     if let Some(last) = frame.closest {
///         assert!(frame.meets && (last.distance.upper - 0.125).abs() < 1e-12); // the frame before
///     }
/// }
/// # Ok::<(), impinge::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Tracker<'h> {
    a: &'h Prepared<'h>,
    b: &'h Prepared<'h>,
    want: Want,
    method: Method,
    memory: Memory,
}

/// What a frame leaves for the next of the same pair.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    hulls: HullCache,
    vector: separating::Cache,
    simplex: BodyCache<HullMemory, HullMemory>,
    /// The pose of the last frame, if the bodies were free there.
    free: Option<Pose>,
    /// The closest points there, once they were looked for.
    last: Option<Closest>,
}

/// Closest points, and the pose they are of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest {
    /// Bounds of the distance and the points, in A's frame.
    pub distance: Distance,
    /// The pose of B in A's frame: of the frame itself, or the last free one.
    pub pose: Pose,
}

/// What is known about one frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Whether the bodies share a point; exact.
    pub meets: bool,
    /// The proof, where the method leaves one: always but where closest points alone show that the
    /// bodies are free.
    pub proof: Option<Verdict>,
    /// With [`Want::ClosestPoints`] those of this frame. With [`Want::Combined`], while the bodies
    /// meet, those of the last free frame; `None` if there was none.
    pub closest: Option<Closest>,
}

impl<'h> Tracker<'h> {
    /// Two hulls that nothing is known about yet.
    #[must_use]
    pub fn new(a: &'h Prepared<'h>, b: &'h Prepared<'h>, want: Want, method: Method) -> Self {
        Self::with_memory(a, b, want, method, Memory::default())
    }

    /// Goes on from what an earlier frame left.
    #[must_use]
    pub fn with_memory(
        a: &'h Prepared<'h>,
        b: &'h Prepared<'h>,
        want: Want,
        method: Method,
        memory: Memory,
    ) -> Self {
        Self { a, b, want, method, memory }
    }

    /// What the last frame left.
    #[must_use]
    pub fn into_memory(self) -> Memory {
        self.memory
    }

    /// The next frame: B at `pose` in A's frame. `scratch` may serve all pairs of a thread.
    pub fn step(&mut self, pose: &Pose, scratch: &mut Scratch) -> Frame {
        if self.want == Want::ClosestPoints {
            return self.measured(pose);
        }
        let (a, b) = (self.a, self.b);
        let (decision, seeds) = match self.method {
            Method::Production => {
                (intersects_cached(a.hull(), b.hull(), pose, &mut self.memory.hulls), Pairs::NONE)
            }
            Method::Published(options) => {
                let query = Query { a, b, pose, options };
                let output = separating::separate(query, &mut self.memory.vector, scratch);
                let decision = output.verdict.decision();
                (decision.unwrap_or_else(|| exactly(a, b, pose, &output.hint)), output.seeds)
            }
        };
        let meets = decision.is_intersecting();
        if self.want == Want::Combined {
            if !meets {
                (self.memory.free, self.memory.last) = (Some(*pose), None);
            } else if let Some(free) = self.memory.free.take() {
                self.memory.last =
                    Some(Closest { distance: self.look_back(&free, seeds), pose: free });
            }
        }
        Frame { meets, proof: Some(decision), closest: self.memory.last }
    }

    /// The closest points at the last free pose; what they tell starts the next frame (section
    /// 5.5).
    fn look_back(&mut self, free: &Pose, seeds: Pairs) -> Distance {
        let (a, b) = (self.a, self.b);
        if self.method == Method::Production {
            return distance_cached(a.hull(), b.hull(), free, &mut self.memory.hulls);
        }
        self.memory.simplex = BodyCache::from_pairs(&seeds);
        let found = self.gilbert(free);
        let vertices = (self.memory.simplex.a.last(), self.memory.simplex.b.last());
        if let (Some(p), Some(q)) = vertices {
            let start =
                separating::Cache::from_closest(found.answer.point_b - found.answer.point_a, p, q);
            if !start.is_empty() {
                self.memory.vector = start;
            }
        }
        found.answer
    }

    /// A frame with closest points.
    fn measured(&mut self, pose: &Pose) -> Frame {
        let (a, b) = (self.a, self.b);
        let (distance, proof) = match self.method {
            Method::Production => {
                let distance = distance_cached(a.hull(), b.hull(), pose, &mut self.memory.hulls);
                // Both bounds are zero if and only if the bodies share a point; a gap below the
                // smallest number leaves the lower one zero.
                let proof = (distance.lower <= 0.0)
                    .then(|| intersects_cached(a.hull(), b.hull(), pose, &mut self.memory.hulls));
                (distance, proof)
            }
            Method::Published(_) => {
                let found = self.gilbert(pose);
                let hint = Hint { pairs: Pairs::NONE, direction: found.direction };
                let proof = (found.answer.lower <= 0.0).then(|| exactly(a, b, pose, &hint));
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

    /// The improved Gilbert algorithm, from where it ended last.
    fn gilbert(&mut self, pose: &Pose) -> Iterated<Distance> {
        let (a, b) = (self.a.hull(), self.b.hull());
        let options = ClosestOptions::default().tolerance(0.0);
        closest_points(a, b, pose, &options, Variant::PUBLISHED, &mut self.memory.simplex)
    }
}

/// The exact decision.
fn exactly(a: &Prepared<'_>, b: &Prepared<'_>, pose: &Pose, hint: &Hint) -> Verdict {
    let there: Vec<Vec3> = b.hull().vertices().iter().map(|v| pose.transform_point(*v)).collect();
    decide::decide(a.hull().vertices(), &there, hint)
}

impl Frame {
    /// The proof that the bodies are free, where the method leaves one.
    #[must_use]
    pub fn gap(&self) -> Option<Gap> {
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
    fn all_wants_and_methods_agree_with_single_queries() {
        let mut random = Random::new(61);
        let (p, q) = (
            ellipsoid(&mut random, 60, Vec3::ONE),
            ellipsoid(&mut random, 40, Vec3::new(1.0, 0.5, 0.2)),
        );
        let (a, b, mut scratch) = (Prepared::new(&p), Prepared::new(&q), Scratch::default());
        let (mut hits, mut recalled) = (0, 0);
        for method in METHODS {
            for want in [Want::Verdict, Want::ClosestPoints, Want::Combined] {
                let mut tracker = Tracker::new(&a, &b, want, method);
                let mut free = None;
                for step in 0..300 {
                    let t = f64::from(step) * 0.05;
                    let at = Vec3::new(2.2 * (t * 0.7).cos(), 0.3 * t.sin(), 0.2);
                    let turn = [0.0, (t * 0.3).sin(), 0.4, 1.0];
                    let pose = Pose::from_quaternion(turn, at).unwrap();
                    let frame = tracker.step(&pose, &mut scratch);
                    let expected = intersects(&p, &q, &pose).is_intersecting();
                    assert_eq!(frame.meets, expected, "{method:?} {want:?} {step}");
                    let there: Vec<Vec3> =
                        q.vertices().iter().map(|v| pose.transform_point(*v)).collect();
                    assert!(frame.proof.is_none_or(|proof| proof.verify(p.vertices(), &there)));
                    hits += usize::from(expected);
                    match want {
                        Want::Verdict => assert_eq!(frame.closest, None),
                        Want::ClosestPoints => {
                            let found = frame.closest.unwrap();
                            assert_eq!(found.pose, pose);
                            same(&found.distance, &distance(&p, &q, &pose));
                        }
                        Want::Combined => {
                            assert_eq!(frame.closest.is_some(), expected && free.is_some());
                            if let (Some(found), Some(free)) = (frame.closest, free) {
                                recalled += 1;
                                assert_eq!(found.pose, free);
                                same(&found.distance, &distance(&p, &q, &free));
                            }
                        }
                    }
                    if !expected {
                        free = Some(pose);
                    }
                }
            }
        }
        assert!(hits > 300 && recalled > 100, "{hits} {recalled}");
    }

    /// The published rule for the end may leave the distance a little too large, but bounded.
    fn same(found: &Distance, expected: &Distance) {
        assert!(found.lower <= expected.upper && expected.lower <= found.upper, "{found:?}");
    }

    #[test]
    fn bodies_that_meet_from_the_start_have_no_last_free_pose() {
        let mut random = Random::new(62);
        let p = ellipsoid(&mut random, 20, Vec3::ONE);
        let (a, mut scratch) = (Prepared::new(&p), Scratch::default());
        for method in METHODS {
            let mut tracker = Tracker::new(&a, &a, Want::Combined, method);
            for _ in 0..3 {
                let frame = tracker.step(&Pose::IDENTITY, &mut scratch);
                assert!(frame.meets && frame.closest.is_none() && frame.gap().is_none());
            }
        }
    }
}
