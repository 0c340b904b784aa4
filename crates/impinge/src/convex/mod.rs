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

mod body;
mod build;
pub mod clipping;
mod closest;
pub mod decide;
mod flat;
mod hull;
mod inner;
mod merge;
mod penetration;
pub mod perceptron;
mod placed;
mod primitive;
pub mod race;
pub mod separating;
mod simplex;
mod support;
mod validate;

pub use body::{Body, Trail};
pub use closest::{
    Acceleration, ClosestCache, ClosestOptions, ClosestPoints, Recurrence, Reduction, Stop,
    closest_points,
};
pub use hull::Hull;
pub use penetration::{Penetration, PenetrationOptions, penetration};
pub use primitive::{
    Capsule, Cone, Cuboid, Cylinder, Ellipsoid, HalfSpace, HalfSpaceGap, Rounded, Sphere,
};
pub use support::{
    BruteForce, Certainty, Climb, DirectionTable, Hierarchy, HierarchySearch, LocalSearch,
    VertexSearch,
};
