//! A mesh prepared for queries about the neighbourhoods of many points.

use crate::arrays::MapToVec;
use crate::budget::{Budget, Paid, Quantum};
use crate::exact::{RayAxis, is_inside};
use crate::math::{Aabb, Vec3};
use crate::pair::Posed;
use crate::stamps::Stamps;
use crate::tree::{RayQuery, RayTest};

use super::crossings::Crossings;
use super::fan::ContactPoint;
use super::overlay::{NearPoint, has_free_space};
use super::pauses::Paused;
use super::plane::Plane;
use super::sorting::Sorting;

/// One of two meshes that meet in a region.
#[derive(Clone, Copy, Debug)]
pub(super) struct Surface<'a> {
    pub(super) mesh: &'a Posed<'a>,
    /// Rays go along the axis on which the region is thinnest: contacts extend along the others,
    /// and a ray along a contact crosses many of its triangles.
    pub(super) axis: usize,
    /// Whether the mesh is closed.
    pub(super) solid: bool,
    by_parity: bool,
}

impl<'a> Surface<'a> {
    /// Prepares `mesh` for points in `region`.
    pub(super) fn new(mesh: &'a Posed<'a>, region: &Aabb) -> Self {
        let solid = mesh.mesh().is_solid();
        let by_parity = solid && !mesh.mesh().is_balanced();
        Self { mesh, axis: region.extent().min_position(), solid, by_parity }
    }

    /// A ray from a point of contact; `None` if the point has no accurate approximation.
    fn ray_query(&self, point: &ContactPoint, along: RayAxis) -> Option<RayQuery<'a>> {
        let (from, slack) = point.nearby()?;
        Some(RayQuery { pose: self.mesh.pose(), from, slack, along })
    }
}

/// Triangles without a tree that are compared with a box in one unit.
const BOXES_PER_UNIT: u32 = 16;

/// Triangles that are copied in one unit.
const COPIES_PER_UNIT: usize = 16;

/// Collects the triangles of a surface that may contain a point, in parts.
#[derive(Debug, Default)]
pub(super) struct NearSearch {
    stage: NearStage,
    crossings: Crossings,
    beyond: i64,
    near: Vec<u32>,
    sorting: Sorting<u32>,
    payment: Paid,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum NearStage {
    #[default]
    Start,
    /// Triangles along the ray from the point.
    Ray,
    /// Without a ray: the next triangle to be compared by its box.
    Boxes(u32),
    Sort,
    Copy,
}

/// Collects the triangles that a ray does not certainly miss or cross: such a triangle does not
/// contain the point.
struct NearTest<'s> {
    mesh: &'s Posed<'s>,
    point: ContactPoint,
    along: RayAxis,
    near: &'s mut Vec<u32>,
}

impl RayTest for NearTest<'_> {
    fn units(&mut self, t: u32) -> u64 {
        match self.point {
            ContactPoint::Corner(p) => self.along.units_of_crossing(p, &self.mesh.triangle(t)),
            ContactPoint::Crossing { .. } => 0,
        }
    }

    fn crossing(&mut self, t: u32) -> Option<i64> {
        let count = match self.point {
            ContactPoint::Corner(p) => self.along.crossing(p, &self.mesh.triangle(t)),
            ContactPoint::Crossing { .. } => None,
        };
        if count.is_none() {
            self.near.push(t);
        }
        Some(count.unwrap_or(0))
    }
}

impl NearSearch {
    /// Forgets the query, and keeps the memory.
    pub(super) fn reset(&mut self) {
        self.stage = NearStage::Start;
    }

    /// Continues the search; `None` if the budget is spent. It starts anew after a result.
    pub(super) fn run(
        &mut self,
        surface: &Surface<'_>,
        point: ContactPoint,
        budget: &mut Budget<'_>,
    ) -> Option<NearPoint> {
        let (posed, mesh) = (surface.mesh, surface.mesh.mesh());
        let along = RayAxis { axis: surface.axis, forward: true };
        if self.stage == NearStage::Start {
            self.near.clear();
            self.sorting.reset();
            (self.beyond, self.payment) = (0, Paid::default());
            self.stage = NearStage::Boxes(0);
            if let Some(ray) = surface.ray_query(&point, along) {
                self.crossings.start(mesh, &ray);
                self.stage = NearStage::Ray;
            }
        }
        if self.stage == NearStage::Ray {
            let mut test = NearTest { mesh: posed, point, along, near: &mut self.near };
            self.beyond = self.crossings.run(mesh, &mut test, budget)?.unwrap_or(0);
            self.stage = NearStage::Sort;
        }
        if let NearStage::Boxes(next) = &mut self.stage {
            let mut ahead = point.bounds();
            ahead.max[surface.axis] = f64::INFINITY;
            while (*next as usize) < posed.len() {
                let units = u64::from(*next % BOXES_PER_UNIT == 0);
                if !self.payment.afford(units, Quantum::Exact, budget) {
                    return None;
                }
                if posed.triangle_bounds(*next).overlaps(&ahead) {
                    self.near.push(*next);
                }
                *next += 1;
            }
            self.stage = NearStage::Sort;
        }
        if self.stage == NearStage::Sort {
            if !self.sorting.sort(&mut self.near, budget) {
                return None;
            }
            self.stage = NearStage::Copy;
        }
        if !self.payment.afford((self.near.len() / COPIES_PER_UNIT) as u64, Quantum::Exact, budget)
        {
            return None;
        }
        self.stage = NearStage::Start;
        let triangles = self.near.map_to_vec(|t| posed.triangle(*t));
        let Surface { by_parity, solid: is_solid, .. } = *surface;
        Some(NearPoint { triangles, crossings: self.beyond, by_parity, is_solid })
    }
}

/// Whether the space next to a point on the given side of a plane through it (above, or below) is
/// certainly outside the mesh, in parts.
///
/// No triangle that contains the point may have a vertex on that side. Then all directions to that
/// side have the same winding number, which is counted along one ray: triangles that do not reach
/// that side do not meet it.
#[derive(Debug, Default)]
pub(super) struct FreeSideSearch {
    is_started: bool,
    crossings: Crossings,
}

struct FreeSideTest<'s> {
    mesh: &'s Posed<'s>,
    point: ContactPoint,
    plane: &'s Plane,
    above: bool,
    along: RayAxis,
}

impl RayTest for FreeSideTest<'_> {
    fn units(&mut self, t: u32) -> u64 {
        let triangle = self.mesh.triangle(t);
        let sides: u64 = triangle.iter().map(|v| self.plane.units_of_side(*v)).sum();
        match self.point {
            ContactPoint::Corner(p) => sides + self.along.units_of_crossing(p, &triangle),
            ContactPoint::Crossing { .. } => sides,
        }
    }

    fn crossing(&mut self, t: u32) -> Option<i64> {
        let triangle = self.mesh.triangle(t);
        match self.point {
            _ if !triangle.iter().any(|v| self.plane.is_on_side(*v, self.above)) => Some(0),
            ContactPoint::Corner(p) => self.along.crossing(p, &triangle),
            ContactPoint::Crossing { .. } => None,
        }
    }
}

impl FreeSideSearch {
    /// Forgets the query, and keeps the memory.
    pub(super) fn reset(&mut self) {
        self.is_started = false;
    }

    /// Continues the search; `None` if the budget is spent. It starts anew after a result.
    pub(super) fn run(
        &mut self,
        surface: &Surface<'_>,
        (above, plane): (bool, &Plane),
        point: ContactPoint,
        budget: &mut Budget<'_>,
    ) -> Option<bool> {
        let along = RayAxis { forward: plane.axis_points_up() == above, axis: plane.axis() };
        let mesh = surface.mesh.mesh();
        if !self.is_started {
            let Some(ray) = surface.ray_query(&point, along) else { return Some(false) };
            self.crossings.start(mesh, &ray);
            self.is_started = true;
        }
        let mut test = FreeSideTest { mesh: surface.mesh, point, plane, above, along };
        let winding = self.crossings.run(mesh, &mut test, budget)?;
        self.is_started = false;
        let Surface { solid, by_parity, .. } = *surface;
        Some(winding.is_some_and(|winding| !solid || !is_inside(winding, !by_parity)))
    }
}

/// Triangles whose shell is compared in one unit.
const SHELLS_PER_UNIT: usize = 16;

/// Whether there is space outside a solid next to a vertex of a connected piece of its surface, in
/// parts.
#[derive(Debug, Default)]
pub(super) struct FreeSpaceSearch {
    triangle: usize,
    corner: usize,
    /// Whether the vertex is being examined.
    is_in_vertex: bool,
    visited: Stamps,
    near: NearSearch,
    work: Option<Paused<bool>>,
    payment: Paid,
}

impl FreeSpaceSearch {
    /// Forgets the query.
    pub(super) fn reset(&mut self) {
        (self.triangle, self.corner, self.is_in_vertex, self.work) = (0, 0, false, None);
        self.visited.clear();
        self.near.reset();
        self.payment = Paid::default();
    }

    /// Continues the search; `None` if the budget is spent. It starts anew after a result.
    pub(super) fn run(
        &mut self,
        surface: &Surface<'_>,
        shell: usize,
        budget: &mut Budget<'_>,
    ) -> Option<bool> {
        let mesh = surface.mesh.mesh();
        self.visited.reserve(surface.mesh.vertices().len());
        while self.triangle < mesh.triangles().len() {
            let is_next = self.corner == 0 && !self.is_in_vertex;
            let units = u64::from(is_next && self.triangle % SHELLS_PER_UNIT == 0);
            if is_next && !self.payment.afford(units, Quantum::Exact, budget) {
                return None;
            }
            if mesh.shell_of(self.triangle) as usize != shell {
                self.triangle += 1;
                continue;
            }
            let v = mesh.triangles()[self.triangle][self.corner];
            if self.is_in_vertex || self.visited.mark(v) {
                self.is_in_vertex = true;
                if self.vertex(surface, surface.mesh.vertices()[v as usize], budget)? {
                    self.reset();
                    return Some(true);
                }
                self.is_in_vertex = false;
            }
            self.corner += 1;
            if self.corner == 3 {
                (self.triangle, self.corner) = (self.triangle + 1, 0);
            }
        }
        self.reset();
        Some(false)
    }

    /// Whether there is space outside the solid next to its own surface at its vertex `p`.
    fn vertex(&mut self, surface: &Surface<'_>, p: Vec3, budget: &mut Budget<'_>) -> Option<bool> {
        let point = ContactPoint::Corner(p);
        let work = match &mut self.work {
            Some(work) => work,
            work @ None => {
                let near = self.near.run(surface, point, budget)?;
                work.insert(Paused::new(has_free_space((point, surface.axis), near)))
            }
        };
        let found = work.run(&mut self.payment, budget)?;
        self.work = None;
        Some(found)
    }
}
