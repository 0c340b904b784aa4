//! Closest points of points, segments and triangles, with certain bounds of the distance.
//!
//! Each function takes `f64` coordinates as they are and returns a [`Distance`]: a pair of
//! points and two numbers with `lower <= distance <= upper`, where the distance is the exact one of
//! the coordinates given. The bounds hold for every input: degenerate triangles, parallel and
//! zero-length segments, denormal and huge coordinates, far from the origin. They do not rest on
//! the search for the points being accurate:
//!
//! - `upper` is the distance of two points that are known to be near their sets, plus how near;
//! - `lower` is the gap between the two sets as seen along one direction. Any direction gives a
//!   valid bound; the right one gives a tight bound.
//!
//! If a coordinate, or the difference of two, is not finite, nothing is known: `lower` is zero and
//! `upper` infinite. `upper` is taken before the points are rounded to the caller's frame, so far
//! from the origin it is closer to the truth than the distance of the two points is; these are
//! within some 1e-15 of the sets' size and of the distance from the origin of their sets.
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

use crate::answer::Distance;

/// Closest points, and how far they may be off their sets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WithError {
    /// The points, and bounds of the distance.
    pub distance: Distance,
    /// How far each point may be off its set: some 1e-15 of the sets' size and of the distance from
    /// the origin. Infinite if nothing is known.
    pub point_error: f64,
}
