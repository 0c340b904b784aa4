//! Closest points of points, segments and triangles, with certain bounds of the distance.
//!
//! Each function takes `f64` coordinates as they are and returns a [`ClosestPoints`]: a pair of
//! points and two numbers with `lower <= distance <= upper`, where the distance is the exact one of
//! the coordinates given. The bounds hold for every input: degenerate triangles, parallel and
//! zero-length segments, denormal and huge coordinates, far from the origin. They do not rest on
//! the search for the points being accurate:
//!
//! - `upper` is the distance of two points that are known to be near their sets, plus how near;
//! - `lower` is the gap between the two sets as seen along one direction. Any direction gives a
//!   valid bound; the right one gives a tight bound.
//!
//! All is computed relative to one of the vertices and, where squares could overflow or vanish,
//! scaled by a power of two. So `upper - lower` is some 1e-14 of the largest difference of two
//! coordinates, wherever the origin is, and at most 1e-13 of it in every case tested. The constants
//! are derived in `docs/notes/closest.md`.

mod bounds;
mod face_gaps;
mod frame;
mod point_segment;
mod point_triangle;
mod segment_segment;
mod thorough;
pub(crate) mod triangle_triangle;

pub(crate) use face_gaps::{GROUP, Group};
pub use point_segment::point_segment;
pub use point_triangle::point_triangle;
pub use segment_segment::segment_segment;
pub(crate) use triangle_triangle::disjoint;
pub use triangle_triangle::triangle_triangle;

use crate::math::Vec3;

/// Two closest points and what is certain about the distance. All in the frame and unit of the
/// coordinates given.
///
/// If a coordinate, or the difference of two, is not finite, nothing is known: `lower` is zero,
/// `upper` and `point_error` are infinite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosestPoints {
    /// The point on the first set, within `point_error` of it.
    pub a: Vec3,
    /// The point on the second set, within `point_error` of it.
    pub b: Vec3,
    /// The distance is not less than this. Zero when the sets meet.
    pub lower: f64,
    /// The distance is not more than this. Taken before the points were rounded to the caller's
    /// frame, so far from the origin it is closer to the truth than the distance of `a` and `b` is.
    pub upper: f64,
    /// How far `a` and `b` may be off their sets: some 1e-15 of the sets' size and of the distance
    /// from the origin.
    pub point_error: f64,
}
