//! The separating-vector algorithm for two hulls: Leung 1996, "An Efficient Collision Detection
//! Algorithm for Polytopes in Virtual Environments", chapters 3 and 4.
//!
//! Each step tests one direction: it finds the vertex of A furthest along the direction and the
//! vertex of B furthest against it. If the second lies beyond the first, the direction separates
//! the bodies. If not, the pair of vertices determines the next direction ([`Rule`]), and the
//! vector between them is kept. Once no vector is in front of all kept vectors ([`Hemisphere`],
//! [`HalfPlanes`]), the bodies cannot be separated. For bodies that move little, the vector of the
//! last frame ([`SeparatingCache`]) usually still separates them and the supporting vertices are
//! close to the last ones. So the time hardly depends on the number of vertices.
//!
//! | section of the thesis | here |
//! | --- | --- |
//! | 3.2 greedy, 3.7 conservative, 3.8 between | [`Rule`] |
//! | 3.3 local search, time-stamps, own frame | [`climb`](impinge::internals::HullInternals::climb) with a rotated direction |
//! | 3.4 first direction, 3.5 table of 8 x 16 directions, 3.6 cache | [`Prepared`], [`SeparatingCache`] |
//! | 4.2.1 hemisphere, 4.2.2 half-planes | [`Hemisphere`], [`HalfPlanes`] |
//! | 4.3 recurrence, lemmas 3 and 8 | [`Search`] |
//!
//! **Certainty.** [`Verdict::Separated`] and [`Verdict::Intersecting`] are certain, and contain a
//! proof that [`impinge::internals::decide`] can verify. Bodies that touch or nearly touch may be
//! [`Verdict::Undecided`], with a start for the exact decision in [`SeparatingOutput::hint`].
//! [`decide()`] runs the search and then, if needed, the exact decision. An iteration limit never
//! causes a wrong verdict.
//!
//! ```
//! use impinge::{Pose, Vec3};
//! use impinge::convex::Hull;
//! use impinge_papers::leung::separating::{
//!     SeparatingCache, Options, Prepared, Query, Scratch, Verdict, separate,
//! };
//!
//! let corners = (0..8).map(|i| Vec3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64));
//! let cube = Hull::new(&corners.collect::<Vec<_>>())?;
//! let body = Prepared::new(&cube);
//! let (mut cache, mut scratch) = (SeparatingCache::default(), Scratch::default());
//! let pose = Pose::from_translation([1.25, 0.5, 0.5])?;
//! let query = Query { a: &body, b: &body, pose: &pose, options: Options::default() };
//! let output = separate(query, &mut cache, &mut scratch);
//! let Verdict::Separated(proof) = output.verdict else { panic!("the cubes are disjoint") };
//! assert!(proof.lower > 0.0 && proof.lower <= 0.25);
//! // In the next frame the same vector still separates the bodies.
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

pub use cache::SeparatingCache;
pub use half_plane::HalfPlanes;
pub use hemisphere::Hemisphere;
pub use output::{Feasibility, Options, Query, Reason, SeparatingOutput, Termination, Verdict};
pub use prepared::{Preparation, Prepared};
pub use rule::Rule;
pub use search::{Scratch, Search};

use impinge::convex;
use impinge::internals::decide;
use impinge::math::Vec3;

/// Searches for a separating vector until there is a verdict.
///
/// `cache` belongs to the pair and is kept between frames. One `scratch` can be shared by all pairs
/// of a thread.
pub fn separate(
    query: Query<'_>,
    cache: &mut SeparatingCache,
    scratch: &mut Scratch,
) -> SeparatingOutput {
    Search::new(query, cache, scratch).run(cache)
}

/// As [`separate`], followed by the exact decision if the search has no verdict. Returns with
/// certainty whether the bodies share a point, with the proof.
///
/// The exact decision is needed for bodies within rounding of touching. Its time is proportional to
/// the number of vertices of both bodies.
pub fn decide(
    query: Query<'_>,
    cache: &mut SeparatingCache,
    scratch: &mut Scratch,
) -> convex::Verdict {
    let output = separate(query, cache, scratch);
    output.verdict.decided().unwrap_or_else(|| {
        let moved: Vec<Vec3> =
            query.b.hull().vertices().iter().map(|v| query.pose.transform_point(*v)).collect();
        decide::decide(query.a.hull().vertices(), &moved, &output.hint)
    })
}
