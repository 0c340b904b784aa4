//! Convex hulls with exact topology, and the vertex of a hull that lies furthest in a direction.
//!
//! A [`Hull`] is the hull of any points: its corners, its polygonal faces and who neighbours whom are those of real
//! arithmetic on the `f64` coordinates as they are. Points, segments and planar polygons are hulls too.
//!
//! How it is built: quickhull (Barber, Dobkin & Huhdanpaa 1996, "The Quickhull Algorithm for Convex Hulls") on triangles, with every
//! "above the plane?" decided exactly ([`orient3d`](crate::exact::orient3d) behind one error bound a face); then coplanar triangles are merged,
//! also exactly.
//!
//! Whether two such bodies share a point is decided exactly, and proven, in [`decide`].

mod build;
pub mod decide;
mod flat;
mod hull;
mod inner;
mod merge;
pub mod pieces;
mod polytope;
mod simplex;
mod support;
mod validate;

pub use hull::Hull;
pub use polytope::polytope;
pub use support::Climb;
