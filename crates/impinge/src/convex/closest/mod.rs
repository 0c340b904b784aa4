//! Closest points of two convex bodies.
//!
//! The improved Gilbert algorithm of Leung 1996, sections 5.1 to 5.4, after E. Gilbert, D. Johnson,
//! S. Keerthi 1988, "A Fast Procedure for Computing the Distance Between Complex Objects in
//! Three-Dimensional Space". The distance of the bodies is that of the origin from `M = B - A`, the
//! set of all differences of their points. A simplex of points of `M` moves towards the origin: its
//! point nearest to the origin gives a direction, the furthest point of `M` in that direction joins
//! the simplex, and points that the nearest point does not need are dropped.
//!
//! The nearest point of a simplex is found by signed volumes. A [`Strategy`] may replace that and
//! the other variable parts, as the published algorithms of `impinge-papers` do.
//!
//! **The bounds hold** for every course of the iteration. Every point of the simplex is a
//! difference of points of the bodies, so the distance of its nearest point is an upper bound:
//! `upper`. Every support point gives a pair of parallel planes with the bodies on either side:
//! `lower`. The rounding of support points, poses and sums is included
//! (`docs/notes/convex-shapes.md`). The iteration ends when the bounds agree, when a point of the
//! simplex is found again (Leung 1996, section 5.4), when a step brings no progress, or at the
//! limit. [`Stop`] says which; the bounds are returned as they are.

mod difference;
mod iterate;
mod reduced;
pub(super) mod signed_volumes;
mod strategy;

pub(super) use difference::{Difference, Vertex};
pub(crate) use iterate::closest_in_pieces;
pub use iterate::closest_points;
#[cfg(feature = "internals")]
pub use iterate::closest_points_by;
pub(super) use iterate::{Iteration, iterate};
#[cfg(feature = "internals")]
pub use reduced::Reduced;
pub use strategy::{SignedVolumes, Strategy};

use super::body::{HullMemory, Mark};
use super::decide::VertexPairs;
use crate::arrays::MapEach;
use crate::math::Vec3;

/// The vector divided by its length; zero if the length is zero.
#[must_use]
pub fn unit(v: Vec3) -> Vec3 {
    let largest = v.abs().max_element();
    if largest > 0.0 { (v / largest).normalize_or_zero() } else { Vec3::ZERO }
}

/// The options of [`closest_points`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ClosestOptions {
    /// The iteration ends when the bounds of the distance differ by no more than this times the
    /// distance.
    pub tolerance: f64,
    /// The most iterations. At the limit the bounds are returned as they are.
    pub limit: u32,
}

impl Default for ClosestOptions {
    /// To 1e-12 of the distance, at most 256 iterations.
    fn default() -> Self {
        Self { tolerance: 1e-12, limit: 256 }
    }
}

impl ClosestOptions {
    /// With this [`tolerance`](Self#structfield.tolerance).
    #[must_use]
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// With this [`limit`](Self#structfield.limit).
    #[must_use]
    pub fn limit(mut self, limit: u32) -> Self {
        self.limit = limit;
        self
    }
}

/// Why an iteration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The bounds agree within the tolerance, or within rounding.
    Converged,
    /// A support point was found again: for polytopes the end, except for rounding.
    Repeated,
    /// A step brought no progress, because of rounding.
    Stalled,
    /// The simplex contains the origin to rounding: the cores intersect or nearly do.
    Inside,
    /// The limit of iterations was reached.
    Limit,
}

/// The result of an iteration on two bodies, and how it ended: of [`closest_points`] a
/// [`Distance`](crate::Distance), of [`penetration`](super::penetration) a
/// [`Contact`](crate::Contact).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Iterated<T> {
    /// The answer.
    pub answer: T,
    /// From A to B in A's frame, a unit vector; zero where the cores of the bodies intersect to
    /// rounding.
    pub direction: Vec3,
    /// The most that the points of the answer may be away from their bodies.
    pub point_error: f64,
    /// The number of support points computed for each body.
    pub iterations: u32,
    /// Why the iteration ended.
    pub stop: Stop,
}

/// The state that a query keeps for the next one of the same two bodies at a similar pose: the
/// marks of the last simplex (Leung 1996, section 5.4) and the memory of the last searches.
///
/// `C` and `D` are the [`Support::Memory`](super::Support::Memory) of A and B. A query also accepts
/// an empty cache, [`Default::default`].
///
/// Keep one for each pair of bodies. It may be used with other bodies, or after they changed: it
/// holds [`Mark`]s, not points, and the current bodies compute the points. A cache that does not
/// match costs a little time; the bounds hold.
#[derive(Clone, Debug)]
pub struct BodyCache<C, D> {
    /// The memory of A's search.
    pub a: C,
    /// The memory of B's search.
    pub b: D,
    /// The marks of the pairs of points whose differences span the last simplex.
    pub(super) simplex: Vec<[Mark; 2]>,
}

impl<C: Default, D: Default> Default for BodyCache<C, D> {
    fn default() -> Self {
        Self { a: C::default(), b: D::default(), simplex: Vec::new() }
    }
}

impl BodyCache<HullMemory, HullMemory> {
    /// A cache from which a search starts at a simplex of these vertices of two hulls. The search
    /// ignores indices that a hull does not have.
    #[must_use]
    pub fn from_pairs(pairs: &VertexPairs) -> Self {
        let simplex = pairs.as_slice().iter().map(|pair| pair.map_each(Mark::Vertex)).collect();
        Self { simplex, ..Self::default() }
    }
}
