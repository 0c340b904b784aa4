//! Closest points of two convex bodies.
//!
//! The improved Gilbert algorithm of Leung 1996, sections 5.1 to 5.4, after E. Gilbert, D. Johnson,
//! S. Keerthi 1988, "A Fast Procedure for Computing the Distance Between Complex Objects in
//! Three-Dimensional Space". The bodies are apart as far as the origin is from `M = B - A`, all
//! differences of their points. A simplex of points of `M` walks towards the origin: its point
//! nearest to the origin gives a direction, the furthest point of `M` in that direction joins the
//! simplex, and what the nearest point does not need is dropped.
//!
//! The nearest point of a simplex is found by signed volumes; a [`Strategy`] may replace that and
//! what else varies, as the published algorithms of `impinge-papers` do.
//!
//! **The bounds hold**, whatever the iteration does. Every point of the simplex is a difference of
//! points of the bodies, so its nearest point is no nearer than the distance: `upper`. Every
//! support in a direction is a pair of parallel planes with the bodies on either side: `lower`.
//! What supports, poses and sums round is added (`docs/notes/convex-shapes.md`). The iteration ends
//! when the bounds meet, when a point of the simplex comes again (Leung 1996, section 5.4), when it
//! comes no nearer, or at the limit; [`Stop`] says which, and the bounds are returned as they are.

mod difference;
mod iterate;
mod reduced;
pub(super) mod signed_volumes;
mod strategy;

pub(super) use difference::{Difference, Vertex};
pub(super) use iterate::{Ended, iterate};
pub use iterate::{closest_points, closest_points_by};
pub use reduced::Reduced;
pub use strategy::{SignedVolumes, Strategy};

use super::body::{HullMemory, Mark};
use super::decide::Pairs;
use crate::math::Vec3;

/// The vector over its length; zero if it has none.
#[must_use]
pub fn unit(v: Vec3) -> Vec3 {
    let largest = v.abs().max_element();
    if largest > 0.0 { (v / largest).normalize_or_zero() } else { Vec3::ZERO }
}

/// What [`closest_points`] may be told.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ClosestOptions {
    /// The iteration ends when the bounds of the distance differ by no more than this times the
    /// distance.
    pub tolerance: f64,
    /// The most iterations. Reaching it is no answer: the bounds are returned as they are.
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
    /// The bounds met within the tolerance, or within what rounding leaves.
    Converged,
    /// A support that came before came again: for polytopes, the end but for rounding.
    Repeated,
    /// A step that brought nothing: rounding.
    Stalled,
    /// The simplex holds the origin as far as rounding can tell: the cores meet or nearly so.
    Inside,
    /// The limit of the iterations.
    Limit,
}

/// What an iteration on two bodies found, and how it ended: of [`closest_points`] a
/// [`Distance`](crate::Distance), of [`penetration`](super::penetration) a
/// [`Contact`](crate::Contact).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Iterated<T> {
    /// What was asked for.
    pub answer: T,
    /// From A to B in A's frame, a unit vector; zero where the cores of the bodies meet as far as
    /// rounding can tell.
    pub direction: Vec3,
    /// How far the points of the answer may be from their bodies.
    pub point_error: f64,
    /// The number of supports asked of each body.
    pub iterations: u32,
    /// Why the iteration ended.
    pub stop: Stop,
}

/// What a query leaves for the next one of the same two bodies at a similar pose: how to find the
/// last simplex again (Leung 1996, section 5.4) and the last supports.
///
/// `C` and `D` are the [`Support::Memory`](super::Support::Memory) of A and B. An empty one,
/// [`Default::default`], will do.
///
/// Keep one for each pair of bodies. It may be used with other bodies, or after they changed: it
/// holds [`Mark`]s, not points, and asks the bodies at hand for the points. That costs a little
/// time then, and the bounds hold.
#[derive(Clone, Debug)]
pub struct BodyCache<C, D> {
    /// What A's search remembers.
    pub a: C,
    /// What B's search remembers.
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
    /// The start of a search that begins at a simplex of these vertices of two hulls; numbers that
    /// they do not have are left out there.
    #[must_use]
    pub fn from_pairs(pairs: &Pairs) -> Self {
        let simplex = pairs.as_slice().iter().map(|pair| pair.map(Mark::Vertex)).collect();
        Self { simplex, ..Self::default() }
    }
}
