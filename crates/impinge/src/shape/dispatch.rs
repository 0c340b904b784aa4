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

/// A query, with what it needs besides the shapes, and an implementation for every pair of forms.
pub(super) trait Query {
    type Answer: Flip;
    fn meshes(&mut self, a: &Surface<'_>, b: &Surface<'_>) -> Self::Answer;
    fn bodies(&mut self, a: &Convex<'_>, b: &Convex<'_>, pose: &Pose) -> Self::Answer;
    fn planes(&mut self, a: &Plane, b: &Plane) -> Self::Answer;
    fn body_mesh(&mut self, a: &Placed<'_>, b: &Surface<'_>) -> Self::Answer;
    fn plane_mesh(&mut self, a: &Plane, b: &Surface<'_>) -> Self::Answer;
    fn plane_body(&mut self, a: &Plane, b: &Placed<'_>) -> Self::Answer;
}

/// Answers a query about two shapes, B at `pose` in A's frame.
#[inline]
pub(super) fn answer<Q: Query>(query: &mut Q, a: &Shape, b: &Shape, pose: &Pose) -> Q::Answer {
    let here = &Pose::IDENTITY;
    match (a.form(), b.form()) {
        (Form::Mesh { mesh: a, solid }, Form::Mesh { mesh: b, solid: other }) => query.meshes(
            &Surface { mesh: a, solid, pose: here },
            &Surface { mesh: b, solid: other, pose },
        ),
        (Form::Convex(a), Form::Convex(b)) => query.bodies(&a, &b, pose),
        (Form::HalfSpace(a), Form::HalfSpace(b)) => {
            query.planes(&Plane::new(a, None), &Plane::new(b, Some(pose)))
        }
        (Form::Convex(body), Form::Mesh { mesh, solid }) => query
            .body_mesh(&Placed { body, pose: here, is_a: true }, &Surface { mesh, solid, pose }),
        (Form::HalfSpace(plane), Form::Mesh { mesh, solid }) => {
            query.plane_mesh(&Plane::new(plane, None), &Surface { mesh, solid, pose })
        }
        (Form::HalfSpace(plane), Form::Convex(body)) => {
            query.plane_body(&Plane::new(plane, None), &Placed { body, pose, is_a: false })
        }
        // With A and B exchanged.
        (Form::Mesh { mesh, solid }, Form::Convex(body)) => query
            .body_mesh(&Placed { body, pose, is_a: false }, &Surface { mesh, solid, pose: here })
            .flip(),
        (Form::Mesh { mesh, solid }, Form::HalfSpace(plane)) => {
            let surface = Surface { mesh, solid, pose: here };
            query.plane_mesh(&Plane::new(plane, Some(pose)), &surface).flip()
        }
        (Form::Convex(body), Form::HalfSpace(plane)) => {
            let body = Placed { body, pose: here, is_a: true };
            query.plane_body(&Plane::new(plane, Some(pose)), &body).flip()
        }
    }
}

/// Whether the shapes meet, with the evidence.
pub(super) struct IntersectsQuery<'c>(pub(super) &'c mut ShapeCache);

impl Query for IntersectsQuery<'_> {
    type Answer = Verdict;

    fn meshes(&mut self, a: &Surface<'_>, b: &Surface<'_>) -> Verdict {
        meshes::intersects(a, b, self.0)
    }

    fn bodies(&mut self, a: &Convex<'_>, b: &Convex<'_>, pose: &Pose) -> Verdict {
        convexes::intersects(a, b, pose, self.0)
    }

    fn planes(&mut self, a: &Plane, b: &Plane) -> Verdict {
        half_space::planes_meet(a, b)
    }

    fn body_mesh(&mut self, a: &Placed<'_>, b: &Surface<'_>) -> Verdict {
        search::intersects(a, b, self.0)
    }

    fn plane_mesh(&mut self, a: &Plane, b: &Surface<'_>) -> Verdict {
        half_space::mesh_meets(a, b)
    }

    fn plane_body(&mut self, a: &Plane, b: &Placed<'_>) -> Verdict {
        half_space::body_meets(a, b, self.0)
    }
}

/// Whether the shapes meet, with the evidence that needs no extra work: the query of a world.
pub(super) struct QuickIntersectsQuery<'c>(pub(super) &'c mut ShapeCache);

impl Query for QuickIntersectsQuery<'_> {
    type Answer = QuickVerdict;

    fn meshes(&mut self, a: &Surface<'_>, b: &Surface<'_>) -> QuickVerdict {
        meshes::meet(a, b, self.0)
    }

    fn bodies(&mut self, a: &Convex<'_>, b: &Convex<'_>, pose: &Pose) -> QuickVerdict {
        convexes::meet(a, b, pose, self.0)
    }

    fn planes(&mut self, a: &Plane, b: &Plane) -> QuickVerdict {
        half_space::planes_meet(a, b).into()
    }

    fn body_mesh(&mut self, a: &Placed<'_>, b: &Surface<'_>) -> QuickVerdict {
        search::intersects(a, b, self.0).into()
    }

    fn plane_mesh(&mut self, a: &Plane, b: &Surface<'_>) -> QuickVerdict {
        half_space::mesh_meets(a, b).into()
    }

    fn plane_body(&mut self, a: &Plane, b: &Placed<'_>) -> QuickVerdict {
        half_space::body_meets(a, b, self.0).into()
    }
}

/// The distance of the shapes.
pub(super) struct DistanceQuery<'c>(pub(super) &'c mut ShapeCache);

impl Query for DistanceQuery<'_> {
    type Answer = Option<Distance>;

    fn meshes(&mut self, a: &Surface<'_>, b: &Surface<'_>) -> Option<Distance> {
        meshes::distance(a, b)
    }

    fn bodies(&mut self, a: &Convex<'_>, b: &Convex<'_>, pose: &Pose) -> Option<Distance> {
        Some(convexes::distance(a, b, pose, self.0))
    }

    fn planes(&mut self, a: &Plane, b: &Plane) -> Option<Distance> {
        Some(half_space::planes_distance(a, b))
    }

    fn body_mesh(&mut self, a: &Placed<'_>, b: &Surface<'_>) -> Option<Distance> {
        search::distance(a, b, self.0)
    }

    fn plane_mesh(&mut self, a: &Plane, b: &Surface<'_>) -> Option<Distance> {
        half_space::mesh_distance(a, b)
    }

    fn plane_body(&mut self, a: &Plane, b: &Placed<'_>) -> Option<Distance> {
        Some(half_space::body_distance(a, b, self.0))
    }
}

/// The signed distance of the shapes.
pub(super) struct ContactQuery<'c>(pub(super) &'c mut ShapeCache);

impl Query for ContactQuery<'_> {
    type Answer = Option<Contact>;

    fn meshes(&mut self, _: &Surface<'_>, _: &Surface<'_>) -> Option<Contact> {
        None
    }

    fn bodies(&mut self, a: &Convex<'_>, b: &Convex<'_>, pose: &Pose) -> Option<Contact> {
        Some(convexes::contact(a, b, pose, self.0))
    }

    fn planes(&mut self, _: &Plane, _: &Plane) -> Option<Contact> {
        None
    }

    fn body_mesh(&mut self, _: &Placed<'_>, _: &Surface<'_>) -> Option<Contact> {
        None
    }

    fn plane_mesh(&mut self, _: &Plane, _: &Surface<'_>) -> Option<Contact> {
        None
    }

    fn plane_body(&mut self, a: &Plane, b: &Placed<'_>) -> Option<Contact> {
        Some(half_space::body_contact(a, b, self.0))
    }
}

/// A point of one of two meshes inside the solid that is the other; `None` for other forms.
pub(super) struct ContainedPointQuery;

impl Query for ContainedPointQuery {
    type Answer = Option<Vec3>;

    fn meshes(&mut self, a: &Surface<'_>, b: &Surface<'_>) -> Option<Vec3> {
        meshes::inside(a, b)
    }

    fn bodies(&mut self, _: &Convex<'_>, _: &Convex<'_>, _: &Pose) -> Option<Vec3> {
        None
    }

    fn planes(&mut self, _: &Plane, _: &Plane) -> Option<Vec3> {
        None
    }

    fn body_mesh(&mut self, _: &Placed<'_>, _: &Surface<'_>) -> Option<Vec3> {
        None
    }

    fn plane_mesh(&mut self, _: &Plane, _: &Surface<'_>) -> Option<Vec3> {
        None
    }

    fn plane_body(&mut self, _: &Plane, _: &Placed<'_>) -> Option<Vec3> {
        None
    }
}

/// The triangles of a mesh that a convex body meets; `None` for other forms.
pub(super) struct TrianglesMetQuery<'c>(pub(super) &'c mut ShapeCache);

impl Query for TrianglesMetQuery<'_> {
    type Answer = Option<MetTriangles>;

    fn meshes(&mut self, _: &Surface<'_>, _: &Surface<'_>) -> Self::Answer {
        None
    }

    fn bodies(&mut self, _: &Convex<'_>, _: &Convex<'_>, _: &Pose) -> Self::Answer {
        None
    }

    fn planes(&mut self, _: &Plane, _: &Plane) -> Self::Answer {
        None
    }

    fn body_mesh(&mut self, a: &Placed<'_>, b: &Surface<'_>) -> Self::Answer {
        Some(search::triangles_met(a, b, self.0))
    }

    fn plane_mesh(&mut self, _: &Plane, _: &Surface<'_>) -> Self::Answer {
        None
    }

    fn plane_body(&mut self, _: &Plane, _: &Placed<'_>) -> Self::Answer {
        None
    }
}
