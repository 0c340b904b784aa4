//! The first piece of a query about two shapes without a mesh: it decides almost always.

use super::super::answer::{Flip, Verdict};
use super::super::cache::ShapeCache;
use super::super::convexes::{self, BodiesRest};
use super::super::dispatch::Query;
use super::super::form::{Convex, Placed, Surface};
use super::super::half_space::{self, Deepest};
use super::super::plane::Plane;
use super::super::quick_verdict::QuickVerdict;
use crate::answer::{Contact, Distance};
use crate::convex::Kernels;
use crate::math::Pose;

/// What is left.
#[derive(Debug)]
pub(super) enum Rest {
    /// All: one of the shapes is a mesh.
    All,
    /// The rest of a query about two bodies.
    Bodies(BodiesRest),
    /// The vertices of a body whose deepest point is close to the plane.
    Plane(Deepest),
}

/// Implements the first piece of a query from functions for each pair of forms.
macro_rules! first_piece {
    ($(#[$about:meta])* $name:ident -> $answer:ty {
        bodies: $bodies:expr, planes: $planes:expr, plane_body: $plane_body:expr
    }) => {
        $(#[$about])*
        pub(super) struct $name<'c> {
            pub(super) cache: &'c mut ShapeCache,
            /// Whether the tables of hulls may be built.
            pub(super) may_build: bool,
            pub(super) kernels: Kernels,
        }

        impl Query for $name<'_> {
            type Answer = Result<$answer, Rest>;

            fn meshes(&mut self, _: &Surface<'_>, _: &Surface<'_>) -> Self::Answer {
                Err(Rest::All)
            }

            #[inline]
            fn bodies(&mut self, a: &Convex<'_>, b: &Convex<'_>, pose: &Pose) -> Self::Answer {
                if !self.may_build && convexes::lack_tables(a, b) {
                    return Err(Rest::Bodies(BodiesRest::NoTables));
                }
                $bodies(a, b, pose, &mut *self.cache, self.kernels).map_err(Rest::Bodies)
            }

            fn planes(&mut self, a: &Plane, b: &Plane) -> Self::Answer {
                Ok($planes(a, b))
            }

            fn body_mesh(&mut self, _: &Placed<'_>, _: &Surface<'_>) -> Self::Answer {
                Err(Rest::All)
            }

            fn plane_mesh(&mut self, _: &Plane, _: &Surface<'_>) -> Self::Answer {
                Err(Rest::All)
            }

            fn plane_body(&mut self, a: &Plane, b: &Placed<'_>) -> Self::Answer {
                $plane_body(a, b, &mut *self.cache).map_err(Rest::Plane)
            }
        }
    };
}

first_piece! {
    /// Whether the shapes meet, with the evidence.
    StartIntersects -> Verdict {
        bodies: convexes::start_intersects,
        planes: half_space::planes_meet,
        plane_body: half_space::start_body_meets
    }
}

first_piece! {
    /// Whether the shapes meet, with the evidence that needs no extra work.
    StartMeet -> QuickVerdict {
        bodies: convexes::start_meet,
        planes: |a: &Plane, b: &Plane| QuickVerdict::from(half_space::planes_meet(a, b)),
        plane_body: |a: &Plane, b: &Placed<'_>, cache: &mut ShapeCache| {
            half_space::start_body_meets(a, b, cache).map(QuickVerdict::from)
        }
    }
}

first_piece! {
    /// Their distance.
    StartDistance -> Distance {
        bodies: convexes::start_distance,
        planes: half_space::planes_distance,
        plane_body: half_space::start_body_distance
    }
}

/// Their signed distance; `None` if it is not defined.
pub(super) struct StartContact<'c> {
    pub(super) cache: &'c mut ShapeCache,
    /// Whether the tables of hulls may be built.
    pub(super) may_build: bool,
    pub(super) kernels: Kernels,
}

impl Query for StartContact<'_> {
    type Answer = Result<Option<Contact>, Rest>;

    fn meshes(&mut self, _: &Surface<'_>, _: &Surface<'_>) -> Self::Answer {
        Ok(None)
    }

    fn bodies(&mut self, a: &Convex<'_>, b: &Convex<'_>, pose: &Pose) -> Self::Answer {
        if !self.may_build && convexes::lack_tables(a, b) {
            return Err(Rest::Bodies(BodiesRest::NoTables));
        }
        convexes::start_contact(a, b, pose, self.cache, self.kernels)
            .map(Some)
            .map_err(Rest::Bodies)
    }

    fn planes(&mut self, _: &Plane, _: &Plane) -> Self::Answer {
        Ok(None)
    }

    fn body_mesh(&mut self, _: &Placed<'_>, _: &Surface<'_>) -> Self::Answer {
        Ok(None)
    }

    fn plane_mesh(&mut self, _: &Plane, _: &Surface<'_>) -> Self::Answer {
        Ok(None)
    }

    fn plane_body(&mut self, a: &Plane, b: &Placed<'_>) -> Self::Answer {
        Ok(Some(half_space::body_contact(a, b, self.cache)))
    }
}

/// What is left goes on in the order in which it began.
impl Flip for Rest {
    fn flip(self) -> Self {
        self
    }
}
