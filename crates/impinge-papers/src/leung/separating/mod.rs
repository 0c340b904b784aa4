//! Do two hulls meet? The separating-vector algorithm of Leung 1996, "An Efficient Collision
//! Detection Algorithm for Polytopes in Virtual Environments", chapters 3 and 4.
//!
//! A direction is tried: the vertex of A furthest along it, the vertex of B furthest against it. If
//! the second lies beyond the first, the direction separates the bodies. If not, the pair of
//! vertices says where to look next ([`Rule`]), and is kept: once no vector is in front of all kept
//! ones ([`Hemisphere`], [`HalfPlanes`]), nothing separates them. For bodies that move little, the
//! vector of the last frame ([`Cache`]) is mostly still good and the vertices are close by, so that
//! the answer takes a time that hardly depends on how many vertices there are.
//!
//! | row of the thesis | here |
//! | --- | --- |
//! | 3.2 greedy, 3.7 conservative, 3.8 between | [`Rule`] |
//! | 3.3 local search, time-stamps, own frame | [`Hull::climb`](impinge::convex::Hull::climb) with a turned direction |
//! | 3.4 first direction, 3.5 table of 8 x 16 directions, 3.6 cache | [`Prepared`], [`Cache`] |
//! | 4.2.1 hemisphere, 4.2.2 half-planes | [`Hemisphere`], [`HalfPlanes`] |
//! | 4.3 recurrence, lemmas 3 and 8 | [`Search`] |
//!
//! **What is certain.** [`Verdict::Separated`] and [`Verdict::Intersecting`] are, and carry a proof
//! that [`decide`](impinge::convex::decide) can verify. What is left (bodies that touch, or nearly) is
//! [`Verdict::Undecided`], with a start for the exact decision in [`Output::hint`]; [`decide`] is
//! the two in a row. No limit is ever an answer.
//!
//! ```
//! use impinge::{Pose, Vec3};
//! use impinge::convex::Hull;
//! use impinge_papers::leung::separating::{Prepared, Cache, Options, Query, Scratch, Verdict, separate};
//!
//! let corners: Vec<Vec3> = (0..8).map(|i| Vec3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64)).collect();
//! let cube = Hull::new(&corners)?;
//! let body = Prepared::new(&cube);
//! let (mut cache, mut scratch) = (Cache::default(), Scratch::default());
//! let pose = Pose::from_translation([1.25, 0.5, 0.5])?;
//! let query = Query { a: &body, b: &body, pose: &pose, options: Options::default() };
//! let output = separate(query, &mut cache, &mut scratch);
//! assert!(matches!(output.verdict, Verdict::Separated(proof) if proof.gap > 0.0 && proof.gap <= 0.25));
//! // A frame later the vector is still good.
//! let pose = Pose::from_translation([1.24, 0.5, 0.5])?;
//! assert_eq!(separate(Query { pose: &pose, ..query }, &mut cache, &mut scratch).steps, 1);
//! # Ok::<(), impinge::Error>(())
//! ```

mod cache;
mod enclosing;
mod gap;
mod half_plane;
mod hemisphere;
mod output;
mod prepared;
mod rule;
mod search;
mod visited;

pub use cache::Cache;
pub use half_plane::HalfPlanes;
pub use hemisphere::Hemisphere;
pub use output::{Fit, Options, Output, Query, Reason, Termination, Verdict};
pub use prepared::Prepared;
pub use rule::Rule;
pub use search::{Scratch, Search};

use impinge::convex;
use impinge::math::Vec3;

/// Searches for a separating vector until there is a verdict.
///
/// `cache` belongs to the pair and carries over from frame to frame; `scratch` may serve all pairs
/// of a thread.
pub fn separate(query: Query<'_>, cache: &mut Cache, scratch: &mut Scratch) -> Output {
    Search::new(query, cache, scratch).run(cache)
}

/// As [`separate`], with the exact decision where the search has no verdict: whether the bodies
/// share a point, for certain, with the proof.
///
/// The exact decision, which bodies within rounding of touching need, takes a time proportional to
/// the vertices of both.
pub fn decide(query: Query<'_>, cache: &mut Cache, scratch: &mut Scratch) -> convex::Verdict {
    let output = separate(query, cache, scratch);
    output.verdict.decision().unwrap_or_else(|| {
        let moved: Vec<Vec3> =
            query.b.hull().vertices().iter().map(|v| query.pose.transform_point(*v)).collect();
        convex::decide::decide(query.a.hull().vertices(), &moved, &output.hint)
    })
}
