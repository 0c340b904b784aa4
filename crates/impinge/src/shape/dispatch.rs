//! The one place where pairs of shapes are told apart.
//!
//! Kinds come in three [forms](Form), so there are nine ordered pairs; three of them are read the
//! other way round. Everything is computed in A's frame from the start, so that only the names are
//! exchanged and no pose is turned around, which would round.

use super::answer::{Flip, Verdict};
use super::cache::ShapeCache;
use super::encounter::Encounter;
use super::form::{Convex, Form, Placed, Surface};
use super::kind::Shape;
use super::plane::Plane;
use super::{convexes, half_space, meshes, search};
use crate::answer::{Contact, Distance};
use crate::math::Pose;

/// A question, with its answer for every pair of forms.
pub(super) trait Query {
    type Answer: Flip;
    fn meshes(a: &Surface<'_>, b: &Surface<'_>, cache: &mut ShapeCache) -> Self::Answer;
    fn bodies(a: &Convex<'_>, b: &Convex<'_>, pose: &Pose, cache: &mut ShapeCache) -> Self::Answer;
    fn planes(a: &Plane, b: &Plane) -> Self::Answer;
    fn body_mesh(a: &Placed<'_>, b: &Surface<'_>, cache: &mut ShapeCache) -> Self::Answer;
    fn plane_mesh(a: &Plane, b: &Surface<'_>) -> Self::Answer;
    fn plane_body(a: &Plane, b: &Placed<'_>, cache: &mut ShapeCache) -> Self::Answer;
}

/// Asks about two shapes, B at `pose` in A's frame.
pub(super) fn ask<Q: Query>(
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
        // The other way round.
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

/// Do they meet?
pub(super) struct Intersects;

impl Query for Intersects {
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

/// Do they meet? With as much evidence as costs nothing: the question of a world.
pub(super) struct Meet;

impl Query for Meet {
    type Answer = Encounter;

    fn meshes(a: &Surface<'_>, b: &Surface<'_>, cache: &mut ShapeCache) -> Encounter {
        meshes::meet(a, b, cache)
    }

    fn bodies(a: &Convex<'_>, b: &Convex<'_>, pose: &Pose, cache: &mut ShapeCache) -> Encounter {
        convexes::meet(a, b, pose, cache)
    }

    fn planes(a: &Plane, b: &Plane) -> Encounter {
        half_space::planes_meet(a, b).into()
    }

    fn body_mesh(a: &Placed<'_>, b: &Surface<'_>, cache: &mut ShapeCache) -> Encounter {
        search::intersects(a, b, cache).into()
    }

    fn plane_mesh(a: &Plane, b: &Surface<'_>) -> Encounter {
        half_space::mesh_meets(a, b).into()
    }

    fn plane_body(a: &Plane, b: &Placed<'_>, cache: &mut ShapeCache) -> Encounter {
        half_space::body_meets(a, b, cache).into()
    }
}

/// How far apart are they?
pub(super) struct Measure;

impl Query for Measure {
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
        Some(half_space::planes_apart(a, b))
    }

    fn body_mesh(a: &Placed<'_>, b: &Surface<'_>, cache: &mut ShapeCache) -> Option<Distance> {
        search::distance(a, b, cache)
    }

    fn plane_mesh(a: &Plane, b: &Surface<'_>) -> Option<Distance> {
        half_space::mesh_apart(a, b)
    }

    fn plane_body(a: &Plane, b: &Placed<'_>, cache: &mut ShapeCache) -> Option<Distance> {
        Some(half_space::body_apart(a, b, cache))
    }
}

/// How far apart, or how deep?
pub(super) struct Touch;

impl Query for Touch {
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
