//! The only place in this module where a query branches on the kinds of both shapes. Outside of it
//! only the world does, which chooses among several methods for two meshes (`world/narrow.rs`).
//!
//! Kinds have three [forms](Form), so there are nine ordered pairs; three of them are computed with
//! A and B exchanged. Everything is computed in A's frame from the start: only the names are
//! exchanged and no pose is inverted, which would round.

use super::answer::{Flip, Verdict};
use super::cache::ShapeCache;
use super::form::{Convex, Form, Placed, Surface};
use super::kind::Shape;
use super::plane::Plane;
use super::quick_verdict::QuickVerdict;
use super::{MetTriangles, convexes, half_space, meshes, search};
use crate::answer::{Contact, Distance};
use crate::math::{Pose, Vec3};

/// A query, with an implementation for every pair of forms.
pub(super) trait Query {
    type Answer: Flip;
    fn meshes(a: &Surface<'_>, b: &Surface<'_>, cache: &mut ShapeCache) -> Self::Answer;
    fn bodies(a: &Convex<'_>, b: &Convex<'_>, pose: &Pose, cache: &mut ShapeCache) -> Self::Answer;
    fn planes(a: &Plane, b: &Plane) -> Self::Answer;
    fn body_mesh(a: &Placed<'_>, b: &Surface<'_>, cache: &mut ShapeCache) -> Self::Answer;
    fn plane_mesh(a: &Plane, b: &Surface<'_>) -> Self::Answer;
    fn plane_body(a: &Plane, b: &Placed<'_>, cache: &mut ShapeCache) -> Self::Answer;
}

/// Answers a query about two shapes, B at `pose` in A's frame.
#[inline]
pub(super) fn answer<Q: Query>(
    a: &Shape,
    b: &Shape,
    pose: &Pose,
    cache: &mut ShapeCache,
) -> Q::Answer {
    let here = &Pose::IDENTITY;
    match (a.form(), b.form()) {
        (Form::Mesh { mesh: a, solid }, Form::Mesh { mesh: b, solid: other }) => Q::meshes(
            &Surface { mesh: a, solid, pose: here },
            &Surface { mesh: b, solid: other, pose },
            cache,
        ),
        (Form::Convex(a), Form::Convex(b)) => Q::bodies(&a, &b, pose, cache),
        (Form::HalfSpace(a), Form::HalfSpace(b)) => {
            Q::planes(&Plane::new(a, None), &Plane::new(b, Some(pose)))
        }
        (Form::Convex(body), Form::Mesh { mesh, solid }) => Q::body_mesh(
            &Placed { body, pose: here, is_a: true },
            &Surface { mesh, solid, pose },
            cache,
        ),
        (Form::HalfSpace(plane), Form::Mesh { mesh, solid }) => {
            Q::plane_mesh(&Plane::new(plane, None), &Surface { mesh, solid, pose })
        }
        (Form::HalfSpace(plane), Form::Convex(body)) => {
            Q::plane_body(&Plane::new(plane, None), &Placed { body, pose, is_a: false }, cache)
        }
        // With A and B exchanged.
        (Form::Mesh { mesh, solid }, Form::Convex(body)) => Q::body_mesh(
            &Placed { body, pose, is_a: false },
            &Surface { mesh, solid, pose: here },
            cache,
        )
        .flip(),
        (Form::Mesh { mesh, solid }, Form::HalfSpace(plane)) => {
            Q::plane_mesh(&Plane::new(plane, Some(pose)), &Surface { mesh, solid, pose: here })
                .flip()
        }
        (Form::Convex(body), Form::HalfSpace(plane)) => {
            let body = Placed { body, pose: here, is_a: true };
            Q::plane_body(&Plane::new(plane, Some(pose)), &body, cache).flip()
        }
    }
}

/// Whether the shapes meet, with the evidence.
pub(super) struct IntersectsQuery;

impl Query for IntersectsQuery {
    type Answer = Verdict;

    fn meshes(a: &Surface<'_>, b: &Surface<'_>, cache: &mut ShapeCache) -> Verdict {
        meshes::intersects(a, b, cache)
    }

    fn bodies(a: &Convex<'_>, b: &Convex<'_>, pose: &Pose, cache: &mut ShapeCache) -> Verdict {
        convexes::intersects(a, b, pose, cache)
    }

    fn planes(a: &Plane, b: &Plane) -> Verdict {
        half_space::planes_meet(a, b)
    }

    fn body_mesh(a: &Placed<'_>, b: &Surface<'_>, cache: &mut ShapeCache) -> Verdict {
        search::intersects(a, b, cache)
    }

    fn plane_mesh(a: &Plane, b: &Surface<'_>) -> Verdict {
        half_space::mesh_meets(a, b)
    }

    fn plane_body(a: &Plane, b: &Placed<'_>, cache: &mut ShapeCache) -> Verdict {
        half_space::body_meets(a, b, cache)
    }
}

/// Whether the shapes meet, with the evidence that needs no extra work: the query of a world.
pub(super) struct QuickIntersectsQuery;

impl Query for QuickIntersectsQuery {
    type Answer = QuickVerdict;

    fn meshes(a: &Surface<'_>, b: &Surface<'_>, cache: &mut ShapeCache) -> QuickVerdict {
        meshes::meet(a, b, cache)
    }

    fn bodies(a: &Convex<'_>, b: &Convex<'_>, pose: &Pose, cache: &mut ShapeCache) -> QuickVerdict {
        convexes::meet(a, b, pose, cache)
    }

    fn planes(a: &Plane, b: &Plane) -> QuickVerdict {
        half_space::planes_meet(a, b).into()
    }

    fn body_mesh(a: &Placed<'_>, b: &Surface<'_>, cache: &mut ShapeCache) -> QuickVerdict {
        search::intersects(a, b, cache).into()
    }

    fn plane_mesh(a: &Plane, b: &Surface<'_>) -> QuickVerdict {
        half_space::mesh_meets(a, b).into()
    }

    fn plane_body(a: &Plane, b: &Placed<'_>, cache: &mut ShapeCache) -> QuickVerdict {
        half_space::body_meets(a, b, cache).into()
    }
}

/// The distance of the shapes.
pub(super) struct DistanceQuery;

impl Query for DistanceQuery {
    type Answer = Option<Distance>;

    fn meshes(a: &Surface<'_>, b: &Surface<'_>, _: &mut ShapeCache) -> Option<Distance> {
        meshes::distance(a, b)
    }

    fn bodies(
        a: &Convex<'_>,
        b: &Convex<'_>,
        pose: &Pose,
        cache: &mut ShapeCache,
    ) -> Option<Distance> {
        Some(convexes::distance(a, b, pose, cache))
    }

    fn planes(a: &Plane, b: &Plane) -> Option<Distance> {
        Some(half_space::planes_distance(a, b))
    }

    fn body_mesh(a: &Placed<'_>, b: &Surface<'_>, cache: &mut ShapeCache) -> Option<Distance> {
        search::distance(a, b, cache)
    }

    fn plane_mesh(a: &Plane, b: &Surface<'_>) -> Option<Distance> {
        half_space::mesh_distance(a, b)
    }

    fn plane_body(a: &Plane, b: &Placed<'_>, cache: &mut ShapeCache) -> Option<Distance> {
        Some(half_space::body_distance(a, b, cache))
    }
}

/// The signed distance of the shapes.
pub(super) struct ContactQuery;

impl Query for ContactQuery {
    type Answer = Option<Contact>;

    fn meshes(_: &Surface<'_>, _: &Surface<'_>, _: &mut ShapeCache) -> Option<Contact> {
        None
    }

    fn bodies(
        a: &Convex<'_>,
        b: &Convex<'_>,
        pose: &Pose,
        cache: &mut ShapeCache,
    ) -> Option<Contact> {
        Some(convexes::contact(a, b, pose, cache))
    }

    fn planes(_: &Plane, _: &Plane) -> Option<Contact> {
        None
    }

    fn body_mesh(_: &Placed<'_>, _: &Surface<'_>, _: &mut ShapeCache) -> Option<Contact> {
        None
    }

    fn plane_mesh(_: &Plane, _: &Surface<'_>) -> Option<Contact> {
        None
    }

    fn plane_body(a: &Plane, b: &Placed<'_>, cache: &mut ShapeCache) -> Option<Contact> {
        Some(half_space::body_contact(a, b, cache))
    }
}

/// A point of one of two meshes inside the solid that is the other; `None` for other forms.
pub(super) struct ContainedPointQuery;

impl Query for ContainedPointQuery {
    type Answer = Option<Vec3>;

    fn meshes(a: &Surface<'_>, b: &Surface<'_>, _: &mut ShapeCache) -> Option<Vec3> {
        meshes::inside(a, b)
    }

    fn bodies(_: &Convex<'_>, _: &Convex<'_>, _: &Pose, _: &mut ShapeCache) -> Option<Vec3> {
        None
    }

    fn planes(_: &Plane, _: &Plane) -> Option<Vec3> {
        None
    }

    fn body_mesh(_: &Placed<'_>, _: &Surface<'_>, _: &mut ShapeCache) -> Option<Vec3> {
        None
    }

    fn plane_mesh(_: &Plane, _: &Surface<'_>) -> Option<Vec3> {
        None
    }

    fn plane_body(_: &Plane, _: &Placed<'_>, _: &mut ShapeCache) -> Option<Vec3> {
        None
    }
}

/// The triangles of a mesh that a convex body meets; `None` for other forms.
pub(super) struct TrianglesMetQuery;

impl Query for TrianglesMetQuery {
    type Answer = Option<MetTriangles>;

    fn meshes(_: &Surface<'_>, _: &Surface<'_>, _: &mut ShapeCache) -> Self::Answer {
        None
    }

    fn bodies(_: &Convex<'_>, _: &Convex<'_>, _: &Pose, _: &mut ShapeCache) -> Self::Answer {
        None
    }

    fn planes(_: &Plane, _: &Plane) -> Self::Answer {
        None
    }

    fn body_mesh(a: &Placed<'_>, b: &Surface<'_>, cache: &mut ShapeCache) -> Self::Answer {
        Some(search::triangles_met(a, b, cache))
    }

    fn plane_mesh(_: &Plane, _: &Surface<'_>) -> Self::Answer {
        None
    }

    fn plane_body(_: &Plane, _: &Placed<'_>, _: &mut ShapeCache) -> Self::Answer {
        None
    }
}
