//! Shapes as used by the dispatch: every kind has one of three forms.

use std::borrow::Cow;

use crate::convex::{Cone, Cylinder, Ellipsoid, HalfSpace, Hull, HullMemory, Mark, Support};
use crate::math::{Pose, Vec3};
use crate::mesh::Mesh;

/// The form of a shape, which decides how a query computes its answer.
#[derive(Clone, Copy, Debug)]
pub(super) enum Form<'a> {
    Mesh { mesh: &'a Mesh, solid: bool },
    Convex(Convex<'a>),
    HalfSpace(&'a HalfSpace),
}

/// A mesh at a pose in the frame of the query.
#[derive(Clone, Copy, Debug)]
pub(super) struct Surface<'a> {
    pub(super) mesh: &'a Mesh,
    /// Whether its inside belongs to the point set.
    pub(super) solid: bool,
    pub(super) pose: &'a Pose,
}

/// A convex body at a pose in the frame of the query.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed<'a> {
    pub(super) body: Convex<'a>,
    pub(super) pose: &'a Pose,
    /// Whether it is the shape A of the query, at the identity.
    pub(super) is_a: bool,
}

impl Placed<'_> {
    /// A point of the core, in the frame of the query, exactly.
    pub(super) fn point(&self) -> Vec3 {
        let own = match self.body.core {
            Core::Hull(hull) => hull.vertices()[0],
            // The origin of its frame is in every curved core.
            Core::Cylinder(_) | Core::Cone(_) | Core::Ellipsoid(_) => Vec3::ZERO,
        };
        self.pose.transform_point(own)
    }
}

/// A convex core and a margin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Convex<'a> {
    pub(super) core: Core<'a>,
    pub(super) margin: f64,
}

/// The kinds of cores.
#[derive(Clone, Copy, Debug)]
pub(super) enum Core<'a> {
    Hull(&'a Hull),
    Cylinder(&'a Cylinder),
    Cone(&'a Cone),
    Ellipsoid(&'a Ellipsoid),
}

impl<'a> Convex<'a> {
    /// The core, if it is a polytope.
    pub(super) fn hull(&self) -> Option<&'a Hull> {
        match self.core {
            Core::Hull(hull) => Some(hull),
            Core::Cylinder(_) | Core::Cone(_) | Core::Ellipsoid(_) => None,
        }
    }
}

/// Evaluates an expression with the core of any kind.
macro_rules! core {
    ($self:ident, $body:ident => $call:expr) => {
        match $self.core {
            Core::Hull($body) => $call,
            Core::Cylinder($body) => $call,
            Core::Cone($body) => $call,
            Core::Ellipsoid($body) => $call,
        }
    };
}

impl Support for Convex<'_> {
    type Memory = HullMemory;

    fn furthest(&self, direction: Vec3, memory: &mut HullMemory) -> Vec3 {
        match self.core {
            Core::Hull(hull) => hull.furthest(direction, memory),
            Core::Cylinder(body) => body.furthest(direction, &mut ()),
            Core::Cone(body) => body.furthest(direction, &mut ()),
            Core::Ellipsoid(body) => body.furthest(direction, &mut ()),
        }
    }

    fn mark(&self, direction: Vec3, memory: &HullMemory) -> Mark {
        match self.hull() {
            Some(hull) => hull.mark(direction, memory),
            None => Mark::Direction(direction),
        }
    }

    fn point_of_mark(&self, mark: Mark, memory: &mut HullMemory) -> Option<Vec3> {
        match (self.hull(), mark) {
            (Some(hull), mark) => hull.point_of_mark(mark, memory),
            (None, Mark::Direction(direction)) => Some(self.furthest(direction, memory)),
            (None, Mark::Vertex(_)) => None,
        }
    }

    fn support_error(&self) -> f64 {
        core!(self, body => body.support_error())
    }

    fn ball(&self) -> (Vec3, f64) {
        core!(self, body => body.ball())
    }

    fn margin(&self) -> f64 {
        self.margin
    }

    fn support_units(&self) -> u64 {
        core!(self, body => body.support_units())
    }

    fn core_points(&self) -> Option<Cow<'_, [Vec3]>> {
        core!(self, body => body.core_points())
    }
}
