//! Convex bodies: hulls with exact topology, primitives, supports, closest points and penetration.
//!
//! A [`Hull`] is the hull of any points: its corners, its polygonal faces and who neighbours whom are those of real
//! arithmetic on the `f64` coordinates as they are. Points, segments and planar polygons are hulls too.
//!
//! How it is built: quickhull (Barber, Dobkin & Huhdanpaa 1996, "The Quickhull Algorithm for Convex Hulls") on triangles, with every
//! "above the plane?" decided exactly ([`orient3d`](crate::exact::orient3d) behind one error bound a face); then coplanar triangles are merged,
//! also exactly.
//!
//! | question | answer |
//! | --- | --- |
//! | Which vertex lies furthest? | [`Hull::support`], [`Hull::climb`], or a [`VertexSearch`]: [`LocalSearch`], [`HierarchySearch`], [`BruteForce`] |
//! | What else is convex? | a [`Body`]: [`Sphere`], [`Capsule`], [`Cuboid`], [`Cylinder`], [`Cone`], [`Ellipsoid`], [`Rounded`]; and [`HalfSpace`] |
//! | How far apart, and where? | [`closest_points`], for any two bodies |
//! | How deep, and which way out? | [`penetration`], for any two bodies |
//! | Do two hulls share a point? | [`decide`], exactly and proven; [`separating`], by the vector of the last frame; [`clipping`] and [`perceptron`] planes as published, [`race`] for two at once |
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
