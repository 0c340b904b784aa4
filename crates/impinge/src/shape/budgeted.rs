//! Whether two shapes meet, within a budget, in parts.
//!
//! Two meshes are searched by [`FirstSearch`], and a mesh and a convex body by a descent of the
//! mesh's tree that can be interrupted after every box and triangle. Other pairs take one step: a
//! microsecond, or tens of them where integers decide.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::answer::{Flip, ShapeHit, ShapeSeparation, Verdict};
use super::cache::ShapeCache;
use super::form::{Form, Placed, Surface};
use super::kind::{Kind, Shape};
use super::meshes;
use super::probe::Probe;
use super::search::IntersectionSearch;
use super::triangle::{CombinedVerdict, Tester};
use crate::answer::{self, Bounds};
use crate::budget::Budget;
use crate::math::{Aabb, Pose, Vec3};
use crate::mesh::Mesh;
use crate::pair::{FirstSearch, Separation};
use crate::tree::{BoxStack, MAX_TRIANGLES_FOR_SWEEP};

/// Units of a query without parts, and of the location of a point in a solid.
const UNITS_OF_QUERY: u64 = 16;

/// The state of a query of two shapes. Keep one for each pair of shapes whose query may be
/// continued. It keeps the shapes, which are shared, to recognise them.
#[derive(Debug, Default)]
pub struct ShapeSearch {
    key: Option<(Shape, Shape, Pose)>,
    cache: ShapeCache,
    surfaces: FirstSearch,
    boxes: BoxStack,
    combined: Option<CombinedVerdict>,
    toward: Option<(Vec3, f64)>,
    /// The final answer.
    verdict: Option<Verdict>,
    /// Units already paid for the next piece of work.
    paid: u64,
}

impl ShapeSearch {
    /// A state that belongs to no query yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets the query, and keeps the memory: the next call starts anew.
    pub fn reset(&mut self) {
        self.key = None;
    }

    /// Whether the query has its final answer, which further calls return again. An answer that is
    /// final and undecided is about curved shapes that touch.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.key.is_some() && self.verdict.is_some()
    }

    /// Continues the query, or starts it. See [`intersects_within`](super::intersects_within).
    pub fn run(&mut self, a: &Shape, b: &Shape, pose: &Pose, budget: &mut Budget<'_>) -> Verdict {
        let belongs = self
            .key
            .as_ref()
            .is_some_and(|(c, d, at)| at == pose && is_same(a, c) && is_same(b, d));
        if !belongs {
            self.key = Some((a.clone(), b.clone(), *pose));
            self.cache.clear();
            self.surfaces.reset();
            self.boxes.clear();
            (self.combined, self.toward) = (None, None);
            (self.verdict, self.paid) = (None, 0);
        }
        if let Some(verdict) = self.verdict {
            return verdict;
        }
        let (verdict, is_final) = self.search(a, b, pose, budget);
        if is_final {
            self.verdict = Some(verdict);
        }
        verdict
    }

    /// The verdict so far, and whether it is final.
    fn search(
        &mut self,
        a: &Shape,
        b: &Shape,
        pose: &Pose,
        budget: &mut Budget<'_>,
    ) -> (Verdict, bool) {
        let here = &Pose::IDENTITY;
        match (a.form(), b.form()) {
            (Form::Mesh { mesh: a, solid }, Form::Mesh { mesh: b, solid: other }) => {
                let surfaces = [
                    Surface { mesh: a, solid, pose: here },
                    Surface { mesh: b, solid: other, pose },
                ];
                self.meshes(&surfaces, budget)
            }
            (Form::Convex(body), Form::Mesh { mesh, solid }) => self.body_and_mesh(
                &Placed { body, pose: here, is_a: true },
                &Surface { mesh, solid, pose },
                budget,
            ),
            (Form::Mesh { mesh, solid }, Form::Convex(body)) => {
                let (verdict, is_final) = self.body_and_mesh(
                    &Placed { body, pose, is_a: false },
                    &Surface { mesh, solid, pose: here },
                    budget,
                );
                (verdict.flip(), is_final)
            }
            _ => {
                if !self.afford(UNITS_OF_QUERY, budget) {
                    return (Verdict::Undecided(Bounds::UNKNOWN), false);
                }
                (super::intersects_cached(a, b, pose, &mut self.cache), true)
            }
        }
    }

    fn afford(&mut self, cost: u64, budget: &mut Budget<'_>) -> bool {
        while self.paid < cost {
            if !budget.step() {
                return false;
            }
            self.paid += 1;
        }
        self.paid = 0;
        true
    }

    fn meshes(&mut self, [a, b]: &[Surface<'_>; 2], budget: &mut Budget<'_>) -> (Verdict, bool) {
        let proof = match self.surfaces.run(a.mesh, b.mesh, b.pose, budget) {
            answer::Verdict::Undecided(known) => return (Verdict::Undecided(known), false),
            answer::Verdict::Intersecting(hit) => {
                let (triangle_a, triangle_b) = (Some(hit.triangle_a), Some(hit.triangle_b));
                let hit = ShapeHit { triangle_a, triangle_b, ..ShapeHit::at(hit.point) };
                return (Verdict::Intersecting(hit), true);
            }
            answer::Verdict::Separated(proof) => proof,
        };
        if a.solid || b.solid {
            let points = [(a, b), (b, a)]
                .map(|(own, other)| if other.solid { own.mesh.shells().count() as u64 } else { 0 });
            if !self.afford(UNITS_OF_QUERY * (points[0] + points[1]), budget) {
                let (box_a, box_b) = (a.mesh.bounds(), b.mesh.bounds().transformed(b.pose));
                return (Verdict::Undecided(Bounds::of_boxes(&box_a, &box_b)), false);
            }
            if let Some(point) = meshes::inside(a, b) {
                return (Verdict::Intersecting(ShapeHit::at(point)), true);
            }
        }
        let lower = match proof {
            Separation::Empty => f64::INFINITY,
            other => other.lower(),
        };
        (Verdict::Separated(ShapeSeparation { lower, direction: None, certificate: None }), true)
    }

    fn body_and_mesh(
        &mut self,
        body: &Placed<'_>,
        surface: &Surface<'_>,
        budget: &mut Budget<'_>,
    ) -> (Verdict, bool) {
        let mesh = surface.mesh;
        if mesh.is_empty() {
            return (Verdict::Separated(ShapeSeparation::NOTHING), true);
        }
        let mut probe = Probe::new(body, surface);
        let (low, high) = probe.core_box();
        let margin = Vec3::splat(body.body.margin);
        let around = Aabb { min: low - margin, max: high + margin };
        let known = bounds_in_frame(&mesh.bounds(), &around, probe.shrink());
        let tree = mesh.built_tree();
        if tree.is_none() && mesh.triangles().len() > MAX_TRIANGLES_FOR_SWEEP {
            if !budget.is_unlimited() {
                let gap = (mesh.bounds().min - around.max).max(around.min - mesh.bounds().max);
                if gap.max_element() <= 0.0 || surface.solid {
                    return (Verdict::Undecided(known), false);
                }
                let lower = (gap.max_element() * probe.shrink() * (1.0 - 1e-12)).max(0.0);
                let clear = ShapeSeparation { lower, direction: None, certificate: None };
                return (Verdict::Separated(clear), true);
            }
            mesh.prepare();
        }
        probe.restore_direction(self.toward);
        let tester = Tester::new(body, &mut self.cache);
        let combined = self.combined.unwrap_or(CombinedVerdict::NONE);
        let mut search = IntersectionSearch { probe, tester, surface, combined, all: None };
        let flow = match mesh.built_tree() {
            Some(tree) => tree.search_within(&mut self.boxes, &mut search, budget),
            None => self.boxes.all_triangles(mesh.triangles().len(), &mut search, budget),
        };
        let CombinedVerdict { met, open, lower } = search.combined;
        self.toward = search.probe.direction();
        self.combined = Some(search.combined);
        if let Some(meeting) = met {
            return (Verdict::Intersecting(meeting), true);
        }
        if flow == ControlFlow::Continue(false) {
            return (Verdict::Undecided(Bounds { open: self.boxes.len().max(1), ..known }), false);
        }
        if surface.solid {
            if !self.afford(UNITS_OF_QUERY, budget) {
                return (Verdict::Undecided(known), false);
            }
            let point = body.point();
            if surface.contains(point) {
                return (Verdict::Intersecting(ShapeHit::at(point)), true);
            }
        }
        let clear = ShapeSeparation { lower: lower.max(0.0), direction: None, certificate: None };
        (open.map_or(Verdict::Separated(clear), Verdict::Undecided), true)
    }
}

/// The bounds of two boxes in the frame of a mesh, for lengths in the frame of the query, which are
/// at most as much longer as the factor `shrink` allows.
fn bounds_in_frame(a: &Aabb, b: &Aabb, shrink: f64) -> Bounds {
    let known = Bounds::of_boxes(a, b);
    let up = |x: f64| x * (2.0 - shrink) * (1.0 + 1e-12);
    Bounds {
        lower: -up(-known.lower),
        upper: up(known.upper),
        open_depth: up(known.open_depth),
        open: known.open,
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

/// Builds what queries of a mesh within a budget need: the tree, and the pieces of a solid.
pub(super) fn prepare(mesh: &Mesh, solid: bool) {
    mesh.prepare();
    if solid {
        let _ = (mesh.shells(), mesh.topology().is_balanced());
    }
}
