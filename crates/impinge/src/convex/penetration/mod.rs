//! The penetration depth of two convex bodies.
//!
//! The depth is the length of the shortest translation of B after which the bodies only touch: the
//! distance of the origin from the boundary of `M = B - A`. A polytope of points of `M` around the
//! origin grows where its surface is nearest (G. van den Bergen 2001, "Proximity Queries and
//! Penetration Depth Computation on 3D Game Objects", the expanding polytope): the furthest point
//! of `M` along the normal of the nearest face is added, until that point is no further than the
//! face.
//!
//! **The bounds hold** for every course of the expansion.
//! - *Upper bound.* For any unit vector `u` a translation of B by `h(u)` along `-u` separates the
//!   bodies, where `h(u)` is the height of the support point of `M` along `u`.
//! - *Lower bound.* The polytope is the exact hull of its (rounded) vertices: whether a vertex lies
//!   above a face is decided exactly. It lies in `M`, up to the error of its vertices. If the
//!   origin is exactly on the inner side of every face, the ball around it that no face intersects
//!   is inside.
//!
//! The rounding of support points, poses and sums is subtracted and added
//! (`docs/notes/convex-shapes.md`). Margins: the depth of two bodies is that of their cores plus
//! both margins, or both margins minus the distance of their cores.

mod expand;
mod polytope;

pub use expand::penetration;
pub(crate) use expand::penetration_in_pieces;

use super::closest::ClosestOptions;

/// The options of [`penetration`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct PenetrationOptions {
    /// The expansion ends when the bounds of the depth differ by no more than this times the depth.
    pub tolerance: f64,
    /// The most support points for the expansion. At the limit the bounds are returned as they are.
    pub limit: u32,
    /// The options of the search for closest points, which comes first.
    pub closest: ClosestOptions,
}

impl Default for PenetrationOptions {
    /// To 1e-9 of the depth, at most 512 supports.
    fn default() -> Self {
        Self { tolerance: 1e-9, limit: 512, closest: ClosestOptions::default() }
    }
}

impl PenetrationOptions {
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

    /// With these options for [the search for closest points](Self#structfield.closest).
    #[must_use]
    pub fn closest(mut self, closest: ClosestOptions) -> Self {
        self.closest = closest;
        self
    }
}
