//! Generated shapes: the usual solids and surfaces, from their sizes and counts.
//!
//! The shapes of the papers, and a small machine with known faults, are in `impinge-samples`.
//!
//! **Closed** means here: of one or more pieces, each a manifold without boundary that is oriented
//! outward, without two vertices of a piece at the same position (poles and seams are shared).
//! Shapes are closed unless their documentation says "open". Polygons are planar up to rounding;
//! where that is not possible, triangles are used.
//!
//! **Parameters.** Lengths are positive numbers from [`MIN_LENGTH`] to [`MAX_LENGTH`] in any unit,
//! and a shape has at most [`MAX_POLYGONS`] polygons. Invalid parameters give
//! [`ErrorKind::BadParameter`](crate::ErrorKind::BadParameter) with the allowed range, also lengths
//! that differ so much that edges are shorter than 2e-13 of the largest coordinate.
//!
//! **Deterministic.** The same parameters and seed give the same bits in every run on one platform.
//! Random numbers are the same on all platforms; sines and cosines come from the platform's
//! library, so coordinates may differ in the last bit between platforms.

pub(crate) mod builder;
pub(crate) mod circle;
pub(crate) mod grid;
#[cfg(feature = "internals")]
pub(crate) mod loft;
pub(crate) mod params;
pub(crate) mod parts;
pub(crate) mod prism;
pub(crate) mod revolve;
pub(crate) mod solids;
pub(crate) mod sphere;
pub(crate) mod sweep;
#[cfg(any(test, feature = "internals"))]
pub(crate) mod testing;
pub(crate) mod torus;

pub use grid::{height_field, plane};
pub use params::{MAX_LENGTH, MAX_POLYGONS, MIN_LENGTH};
pub use parts::{Hole, bolt, open_box, plate};
pub use prism::{prism, star_prism};
pub use revolve::{capsule, cone, cylinder, open_cylinder, revolve, tube};
pub use solids::{cuboid, cuboid_grid, octahedron, tetrahedron};
pub use sphere::{ellipsoid, icosphere, spherical_shell, uv_sphere};
pub use sweep::{coil, pipe, round_corners};
pub use torus::torus;
