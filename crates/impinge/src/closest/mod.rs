//! Closest points of points, segments and triangles, with certain bounds of the distance.
//!
//! Each function takes `f64` coordinates as they are and returns a [`Distance`]: a pair of
//! points and two numbers with `lower <= distance <= upper`, where the distance is the exact one of
//! the coordinates given. The bounds hold for every input: degenerate triangles, parallel and
//! zero-length segments, denormal and huge coordinates, far from the origin. They do not depend on
//! the accuracy of the search for the points:
//!
//! - `upper` is the distance of two points, plus a bound of the distance of each to its set;
//! - `lower` is the gap between the projections of the two sets to one direction. Any direction
//!   gives a valid bound; the direction between the closest points gives a tight bound.
//!
//! If a coordinate, or the difference of two, is not finite, nothing is known: `lower` is zero and
//! `upper` infinite. `upper` is computed before the points are rounded to the caller's frame, so
//! far from the origin it is more accurate than the distance of the two points. The points are
//! within about 1e-15 of their sets, relative to the sets' size and to the distance from the
//! origin.
//!
//! Everything is computed relative to one of the vertices and, where squares could overflow or
//! underflow, scaled by a power of two. So `upper - lower` is about 1e-14 of the largest difference
//! of two coordinates, for any origin, and at most 1e-13 of it in every case tested. The constants
//! are derived in `docs/notes/closest.md`.

mod bounds;
mod exhaustive;
mod face_gaps;
mod frame;
mod point_segment;
mod point_triangle;
mod segment_segment;
pub(crate) mod triangle_triangle;

pub(crate) use bounds::MIN_SQUARED_LENGTH;
pub(crate) use face_gaps::{PAIRS_PER_GROUP, PairGroup};
pub use point_segment::point_segment;
pub use point_triangle::point_triangle;
pub use segment_segment::segment_segment;
pub(crate) use triangle_triangle::disjoint;
pub use triangle_triangle::triangle_triangle;

use crate::answer::Distance;

/// Searches skip pairs whose distance certainly exceeds the bound by more than this share of the
/// size of both bodies.
///
/// It is far more than the gap between the bounds of this module (at most 2^-44 of the pair's
/// size), so that only those bounds decide whether a pair is reported, not the search; and far less
/// than the precision of `f32`.
pub(crate) const PRUNING_SLACK: f64 = 1.0 / (1_u64 << 35) as f64;

/// Closest points, and a bound of the distance of each to its set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WithError {
    /// The points, and bounds of the distance.
    pub distance: Distance,
    /// An upper bound of the distance of each point to its set: about 1e-15 of the sets' size and
    /// of the distance from the origin. Infinite if nothing is known.
    pub point_error: f64,
}
