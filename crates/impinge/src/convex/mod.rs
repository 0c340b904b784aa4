//! Convex bodies: hulls with exact topology, primitives, and the queries between two of them.
//!
//! A [`Hull`] is the hull of any points. Its corners, its polygonal faces and its adjacency are
//! those of real arithmetic on the `f64` coordinates as they are. Points, segments and planar
//! polygons are hulls too.
//!
//! It is built by quickhull (Barber, Dobkin & Huhdanpaa 1996, "The Quickhull Algorithm for Convex
//! Hulls") on triangles. Every side of a plane is decided exactly
//! ([`orient3d`](crate::exact::orient3d) behind one error bound for each face). Then coplanar
//! triangles are merged, also exactly.
//!
//! | question | answer |
//! | --- | --- |
//! | Do two hulls share a point? | [`intersects`]: an exact [`Verdict`] with its proof |
//! | How far apart are they, how deep do they overlap? | [`distance`], [`contact`]: bounds that hold, points, direction |
//! | The same for hulls that move a little from query to query? | [`intersects_cached`], [`distance_cached`], [`contact_cached`] with a [`HullCache`] |
//! | The same within a deadline, continued later? | [`intersects_within`], [`distance_within`], [`contact_within`]; [`ProofSearch`] for the verification of a proof |
//! | What else is convex? | [`Sphere`], [`Capsule`], [`Cuboid`], [`Cylinder`], [`Cone`], [`Ellipsoid`], [`Rounded`]; [`HalfSpace`]; and every type that implements [`Support`] |
//! | How far apart, how deep, for any two of these? | [`closest_points`], [`penetration`] |
//! | Which vertex lies furthest? | [`Hull::support`] |
//!
//! The published methods (separating vectors, clipping, perceptron planes, trackers) are in the
//! crate `impinge-papers`.

pub(crate) mod body;
mod build;
pub(crate) mod closest;
pub(crate) mod decide;
mod hull;
mod initial_simplex;
mod inner_box;
pub(crate) mod interruptible;
mod merge;
mod penetration;
mod planar;
mod point_cloud;
mod posed_body;
mod primitive;
pub(crate) mod query;
#[cfg(feature = "serde")]
mod serial;
pub(crate) mod support;
mod triangle_hull;
#[cfg(any(test, feature = "internals"))]
mod validate;

pub use body::{HullMemory, Mark, Support};
pub(crate) use closest::closest_in_pieces as closest_points_in_pieces;
pub use closest::{BodyCache, ClosestOptions, Iterated, Stop, closest_points};
pub use decide::{IntersectionCertificate, SeparationCertificate, Verdict, VertexPairs};
pub use hull::Hull;
pub(crate) use penetration::penetration_in_pieces;
pub use penetration::{PenetrationOptions, penetration};
pub(crate) use point_cloud::PointCloud;
pub(crate) use posed_body::PosedBody;
pub use primitive::{Capsule, Cone, Cuboid, Cylinder, Ellipsoid, HalfSpace, Rounded, Sphere};
pub use query::{
    HullCache, HullContactSearch, HullDistanceSearch, HullSearch, ProofSearch, VerdictWithin,
    contact, contact_cached, contact_within, distance, distance_cached, distance_within,
    intersects, intersects_cached, intersects_within,
};
pub(crate) use query::{
    Kernels, Rest, bounds_at, bounds_at_f32, finish_contact, finish_distance, finish_intersects,
    known_at_start, moved_vertices, start_contact, start_distance, start_intersects,
};
pub(crate) use support::Climb;
pub(crate) use triangle_hull::TriangleHull;
