//! Exact predicates: orientations, and what two triangles share.
//!
//! **Exact** means: the answer is the one that real numbers would give for the `f64` coordinates as
//! they are. No tolerance enters anywhere, and rounding can change no verdict.
//!
//! **Range.** Coordinates are finite and at most [`EXACT_RANGE`] in size; that is far more than
//! [`MAX_COORDINATE`](crate::math::MAX_COORDINATE), so that moved vertices need no second check.
//! There is no lower limit: denormal numbers, and mixtures of huge and denormal ones, are decided
//! exactly too. Beyond the range, and for NaN, the functions return without a panic, but the result
//! is meaningless.
//!
//! **Definitions.** Triangles and segments are closed sets, so sharing one point is an
//! intersection. Let `I` be the set two triangles share. The smallest [`Feature`] of each triangle
//! that holds all of `I` (a corner, a side, or the triangle) gives the [`HitKind`]. A triangle of
//! zero area is a segment or a point, and can only touch. Its feature is a corner if `I` is that
//! corner (the lowest-numbered one if several coincide), otherwise the side that is the whole
//! segment (again the lowest-numbered).
//!
//! **Method.** A test of two triangles first computes all signs at once in `f64`, with one proven
//! error bound (`quick.rs`); the trees do the same before it in `f32`, eight pairs at a time
//! (`tree/wide/triangles.rs`). What stays open is decided sign by sign (`orient.rs`), in up to
//! three stages: a float evaluation with a proven error bound of its own (the filter; its constants
//! are derived in `docs/notes/filters.md`), the adaptive expansions of Shewchuk 1997, "Adaptive
//! Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates" (crate `robust`), and
//! integers of any length where products of tiny numbers would underflow (`integer.rs`). Only the
//! stages before the first sign by itself are on the common path.
//!
//! ```
//! use impinge::Vec3;
//! use impinge::exact::{HitKind, Feature, triangle_triangle};
//!
//! let v = |x, y, z| Vec3::new(x, y, z);
//! let floor = [v(0.0, 0.0, 0.0), v(4.0, 0.0, 0.0), v(0.0, 4.0, 0.0)];
//! let spike = [v(1.0, 1.0, 0.0), v(1.0, 2.0, 3.0), v(2.0, 1.0, 3.0)];
//! let kind = triangle_triangle(&floor, &spike);
//! let (feature_a, feature_b) = (Feature::Face, Feature::Vertex(0));
//! assert_eq!(kind, Some(HitKind::Touching { feature_a, feature_b }));
//! ```

pub(crate) mod along;
mod chord;
pub(crate) mod convex_polygon;
mod corner;
mod degenerate;
mod double;
mod element;
mod filter_counter;
mod flat;
mod hit_kind;
pub(crate) mod integer;
mod intersection;
mod location;
pub(crate) mod orient;
mod overlap;
pub(crate) mod polygon;
pub(crate) mod polyhedron;
mod quick;
mod segment;
mod sign;
#[cfg(any(test, feature = "internals"))]
pub(crate) mod stats;
pub(crate) mod triangle;

pub(crate) use along::compare_along;
pub use convex_polygon::point_in_convex_polygon;
pub use hit_kind::{Feature, HitKind};
pub use intersection::{Intersection, SharedSet, triangle_intersection};
pub use location::Location;
pub use orient::{EXACT_RANGE, orient2d, orient3d};
pub(crate) use orient::{orient3d_quickly, orientation_bound, units_of_exact_test};
pub use polygon::point_in_polygon;
pub(crate) use polyhedron::{
    RayAxis, is_inside, location_of, ray_crossing, units_of_ray_crossing, winding_number,
};
pub use segment::{SegmentFeature, SegmentHit, segment_triangle};
pub use sign::Sign;
pub use triangle::{triangle_triangle, triangles_intersect};
pub(crate) use triangle::{triangles_intersect_exactly, triangles_intersect_quickly};
