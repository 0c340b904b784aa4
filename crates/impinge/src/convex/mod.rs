//! Convex bodies: hulls with exact topology, primitives, and what there is to ask about two of
//! them.
//!
//! A [`Hull`] is the hull of any points: its corners, its polygonal faces and who neighbours whom
//! are those of real arithmetic on the `f64` coordinates as they are. Points, segments and planar
//! polygons are hulls too.
//!
//! How it is built: quickhull (Barber, Dobkin & Huhdanpaa 1996, "The Quickhull Algorithm for Convex
//! Hulls") on triangles, with every "above the plane?" decided exactly
//! ([`orient3d`](crate::exact::orient3d) behind one error bound a face); then coplanar triangles
//! are merged, also exactly.
//!
//! | question | answer |
//! | --- | --- |
//! | Do two hulls meet? | [`intersects`]: an exact [`Verdict`] with its proof |
//! | How far apart are they, how deep do they overlap? | [`distance`], [`contact`]: bounds that hold, points, direction |
//! | The same for hulls that move a little from query to query? | [`intersects_cached`], [`distance_cached`], [`contact_cached`] with a [`HullCache`] |
//! | What else is convex? | [`Sphere`], [`Capsule`], [`Cuboid`], [`Cylinder`], [`Cone`], [`Ellipsoid`], [`Rounded`]; [`HalfSpace`]; and whatever implements [`Support`] |
//! | How far apart, how deep, for any two of these? | [`closest_points`], [`penetration`] |
//! | Which vertex lies furthest? | [`Hull::support`] |
//!
//! The published methods (separating vectors, clipping, perceptron planes, trackers) are in the
//! crate `impinge-papers`.

pub(crate) mod body;
mod build;
pub(crate) mod closest;
mod cloud;
pub(crate) mod decide;
mod flat;
mod hull;
mod inner;
mod merge;
mod patch;
mod penetration;
mod placed;
mod primitive;
pub(crate) mod query;
#[cfg(feature = "serde")]
mod serial;
mod simplex;
pub(crate) mod support;
mod validate;

pub use body::{HullMemory, Mark, Support};
pub use closest::{BodyCache, ClosestOptions, Iterated, Stop, closest_points};
pub(crate) use cloud::Cloud;
pub use decide::{Common, Gap, Pairs, Verdict};
pub use hull::Hull;
pub(crate) use patch::Patch;
pub use penetration::{PenetrationOptions, penetration};
pub(crate) use placed::Placed;
pub use primitive::{Capsule, Cone, Cuboid, Cylinder, Ellipsoid, HalfSpace, Rounded, Sphere};
pub use query::{
    HullCache, contact, contact_cached, distance, distance_cached, intersects, intersects_cached,
};
pub(crate) use query::{bounds_at, rough_bounds_at};
pub(crate) use support::Climb;
