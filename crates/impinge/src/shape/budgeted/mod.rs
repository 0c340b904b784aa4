//! Queries about two shapes within a budget, which can be continued.
//!
//! | pair | first piece, always done | then |
//! | --- | --- | --- |
//! | two polytopes, with or without margins | the search in floating point | exact arithmetic in pieces; for the depth also a growing polytope |
//! | a curved body and another body | none | the iterations for closest points and for the depth |
//! | a half-space and a body | the deepest point | all vertices, where the deepest one is close to the plane |
//! | two half-spaces | all | |
//! | a mesh and a body or a half-space | none | boxes and triangles by the mesh's tree; a triangle is compared as a body |
//! | two meshes | none | [`FirstSearch`](crate::pair::FirstSearch), [`DistanceSearch`](crate::pair::DistanceSearch) |
//!
//! The first piece takes a few microseconds at most. Where it decides, no state is kept, so that
//! the query costs what it costs without a budget.

mod contact;
mod distance;
mod first_piece;
mod verdict;

pub use contact::{ShapeContactSearch, contact_within};
pub use distance::{ShapeDistanceSearch, distance_within};
pub use verdict::{ShapeSearch, intersects_within};

use std::sync::Arc;

use super::convexes::contact_of_cores;
use super::form::{Placed, Surface};
use super::kind::{Kind, Shape};
use super::margins::{Interval, Margins};
use super::meshes;
use super::plane::Plane;
use super::probe::Probe;
use crate::answer::{Bounds, Contact};
use crate::budget::{Budget, Paid, Quantum};
use crate::convex::interruptible::Computation;
use crate::exact::Location;
use crate::math::{Aabb, Pose, Vec3};
use crate::mesh::Mesh;
use crate::solid::{LocateSearch, Nesting, NestingSearch};
use crate::tree::MAX_TRIANGLES_FOR_SWEEP;

/// Units of the first piece of a query about two bodies. They stay due if the budget does not have
/// them.
const UNITS_OF_START: u64 = 2;

/// Units of the location of a point in a solid that is not prepared, which is done as a whole.
const UNITS_OF_LOCATION: u64 = 16;

/// The shapes and the pose of a query that was stopped. It keeps the shapes, which are shared, to
/// recognise them.
#[derive(Clone, Debug)]
struct Key {
    a: Shape,
    b: Shape,
    pose: Pose,
}

impl Key {
    fn new(a: &Shape, b: &Shape, pose: &Pose) -> Self {
        Self { a: a.clone(), b: b.clone(), pose: *pose }
    }

    fn is_of(&self, a: &Shape, b: &Shape, pose: &Pose) -> bool {
        self.pose == *pose && is_same(a, &self.a) && is_same(b, &self.b)
    }
}

/// Pays for the first piece; the units that are still due.
#[inline]
fn pay_for_start(budget: &mut Budget<'_>) -> u64 {
    let mut due = UNITS_OF_START;
    while due > 0 && budget.step() {
        due -= 1;
    }
    due
}

/// A query about two bodies, or a body and a half-space, that was stopped, with what was known
/// then.
#[derive(Debug)]
struct Stopped<T> {
    computation: Computation<T>,
    known: Contact,
    /// The margins, if the computation reports what it knows of the cores.
    margins: Option<Margins>,
    /// Units of the first piece that are still due.
    due: u64,
}

impl<T> Stopped<T> {
    /// Continues; what is known if the budget is spent before the end.
    fn run(&mut self, budget: &mut Budget<'_>) -> Result<T, Contact> {
        while self.due > 0 && budget.step() {
            self.due -= 1;
        }
        let found = if self.due == 0 { self.computation.run(budget) } else { None };
        found.ok_or_else(|| self.known_so_far())
    }

    fn known_so_far(&self) -> Contact {
        let now = self.computation.known().map(|now| match &self.margins {
            Some(margins) => contact_of_cores(now, margins),
            None => now,
        });
        now.map_or(self.known, |now| now.tightened(&self.known))
    }
}

/// A body in the order of the shapes of a query, for a computation that outlives the call.
#[derive(Debug)]
struct OwnedBody {
    shape: Shape,
    pose: Pose,
    is_a: bool,
}

impl OwnedBody {
    fn new(body: &Placed<'_>, a: &Shape, b: &Shape) -> Self {
        let shape = if body.is_a { a.clone() } else { b.clone() };
        Self { shape, pose: *body.pose, is_a: body.is_a }
    }

    fn placed(&self) -> Option<Placed<'_>> {
        let body = self.shape.convex()?;
        Some(Placed { body, pose: &self.pose, is_a: self.is_a })
    }
}

/// The bounds of a signed distance as bounds of an undecided verdict.
fn undecided_bounds(known: &Contact) -> Bounds {
    let (lower, upper) = (known.lower.min(0.0), known.upper.max(0.0));
    Bounds { lower, upper, open_depth: 0.0 - lower, open: 1 }
}

/// What is known of a body and a half-space from the deepest point; in the order of the query.
fn known_of_deepest(bounds: Interval, plane: &Plane, points: [Vec3; 2]) -> Contact {
    let Interval { lower, upper } = bounds;
    Contact { lower, upper, direction: plane.unit, point_a: points[0], point_b: points[1] }
}

/// Whether a query within this budget must do without the mesh's tree.
fn lacks_tree(mesh: &Mesh, budget: &Budget<'_>) -> bool {
    let lacks = mesh.built_tree().is_none() && mesh.triangles().len() > MAX_TRIANGLES_FOR_SWEEP;
    if lacks && budget.is_unlimited() {
        mesh.prepare();
        return false;
    }
    lacks
}

/// The boxes of a mesh and a body in the frame of the mesh.
struct Boxes {
    mesh: Aabb,
    body: Aabb,
    shrink: f64,
}

impl Boxes {
    fn new(probe: &Probe<'_>, body: &Placed<'_>, surface: &Surface<'_>) -> Self {
        let (low, high) = probe.core_box();
        let margin = Vec3::splat(body.body.margin);
        let body = Aabb { min: low - margin, max: high + margin };
        Self { mesh: surface.mesh.bounds(), body, shrink: probe.shrink() }
    }

    /// Bounds for lengths in the frame of the query, which are at most as much longer as the factor
    /// `shrink` allows.
    fn bounds(&self) -> Bounds {
        let known = Bounds::of_boxes(&self.mesh, &self.body);
        let up = |x: f64| x * (2.0 - self.shrink) * (1.0 + 1e-12);
        Bounds {
            lower: -up(-known.lower),
            upper: up(known.upper),
            open_depth: up(known.open_depth),
            open: known.open,
        }
    }

    /// A lower bound of the gap between the boxes; negative if they overlap.
    fn gap(&self) -> f64 {
        let gap = (self.mesh.min - self.body.max).max(self.body.min - self.mesh.max);
        let gap = gap.max_element();
        if gap > 0.0 { gap * self.shrink * (1.0 - 1e-12) } else { gap }
    }
}

/// Whether two shapes are the same: they share their data, or have equal parameters.
fn is_same(a: &Shape, b: &Shape) -> bool {
    let same_kind = match (a.kind(), b.kind()) {
        (Kind::Mesh(a), Kind::Mesh(b)) | (Kind::Solid(a), Kind::Solid(b)) => Arc::ptr_eq(a, b),
        (Kind::Hull(a), Kind::Hull(b)) => Arc::ptr_eq(a, b),
        (Kind::Sphere(a), Kind::Sphere(b)) => a == b,
        (Kind::Capsule(a), Kind::Capsule(b)) => a == b,
        (Kind::Cuboid(a), Kind::Cuboid(b)) => a == b,
        (Kind::Cylinder(a), Kind::Cylinder(b)) => a == b,
        (Kind::Cone(a), Kind::Cone(b)) => a == b,
        (Kind::Ellipsoid(a), Kind::Ellipsoid(b)) => a == b,
        (Kind::HalfSpace(a), Kind::HalfSpace(b)) => a == b,
        _ => false,
    };
    same_kind && a.margin() == b.margin()
}

/// The location of points of one shape in the other, a solid, in parts.
#[derive(Debug, Default)]
struct InsideSearch {
    locate: LocateSearch,
    nesting: NestingSearch,
    /// Of two meshes, once it is known: a point of one of them inside the other.
    found: Option<Option<Vec3>>,
    paid: Paid,
}

impl InsideSearch {
    /// Forgets the query, and keeps the memory.
    fn reset(&mut self) {
        self.locate.reset();
        self.nesting.reset();
        (self.found, self.paid) = (None, Paid::default());
    }

    /// Whether a point is in a solid; `None` if the budget is spent.
    fn contains(
        &mut self,
        surface: &Surface<'_>,
        point: Vec3,
        budget: &mut Budget<'_>,
    ) -> Option<bool> {
        if has_pieces(surface.mesh, budget) {
            let found = self.locate.run_at(point, surface.mesh, surface.pose, budget);
            return found.location().map(|location| location != Location::Outside);
        }
        let is_paid = self.paid.afford(UNITS_OF_LOCATION, Quantum::Exact, budget);
        is_paid.then(|| surface.contains(point))
    }

    /// A point of one mesh inside the other solid, for meshes whose surfaces do not meet; the outer
    /// option is `None` if the budget is spent.
    fn nested(
        &mut self,
        [a, b]: [&Surface<'_>; 2],
        budget: &mut Budget<'_>,
    ) -> Option<Option<Vec3>> {
        if self.found.is_none() {
            self.found = Some(if has_pieces(a.mesh, budget) && has_pieces(b.mesh, budget) {
                let of_b = ((b.mesh, b.pose), meshes::a_may_be_inside(a, b));
                match self.nesting.run(((a.mesh, a.pose), a.solid), of_b, budget) {
                    Nesting::Inside(point) => Some(point),
                    Nesting::Apart => None,
                    Nesting::Open => return None,
                }
            } else {
                let pieces = |own: &Surface<'_>, other: &Surface<'_>| match other.solid {
                    true => own.mesh.shells().count() as u64,
                    false => 0,
                };
                let units = UNITS_OF_LOCATION * (pieces(a, b) + pieces(b, a));
                if !self.paid.afford(units, Quantum::Exact, budget) {
                    return None;
                }
                meshes::inside(a, b)
            });
        }
        self.found
    }
}

/// Whether locations in this mesh stop within the budget. Those in a mesh that is not prepared are
/// paid and then done as a whole.
fn has_pieces(mesh: &Mesh, budget: &Budget<'_>) -> bool {
    budget.is_unlimited() || mesh.is_prepared()
}

/// Builds what queries of a mesh within a budget need: the tree, and the pieces of a solid.
pub(super) fn prepare(mesh: &Mesh, solid: bool) {
    mesh.prepare();
    if solid {
        let _ = (mesh.shells(), mesh.is_balanced());
    }
}
