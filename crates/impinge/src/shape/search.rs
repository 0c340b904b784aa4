//! A convex body against a mesh.
//!
//! The mesh's tree is descended with [bounds](super::probe) for boxes. The remaining triangles are
//! [tested one by one](super::triangle), exactly if the body is a polytope, with or without a
//! margin.

use std::ops::ControlFlow;

use super::answer::{ShapeHit, ShapeSeparation, Verdict, zero_distance};
use super::cache::ShapeCache;
use super::form::{Placed, Surface};
use super::margins::unit;
use super::probe::Probe;
use super::triangle::{CombinedVerdict, Tester};
use crate::answer::Distance;
use crate::exact::Location;
use crate::math::Vec3;
use crate::solid::locate_at;
use crate::tree::{BoxSearch, MAX_TRIANGLES_WITHOUT_TREE};

impl Surface<'_> {
    /// The corners of a triangle in the frame of the query.
    pub(super) fn triangle(&self, index: u32) -> [Vec3; 3] {
        self.mesh.triangle(index as usize).map(|v| self.pose.transform_point(v))
    }

    /// Passes every triangle that is not certainly beyond the limit to `search`.
    pub(super) fn search(&self, search: &mut impl BoxSearch) -> ControlFlow<()> {
        let count = self.mesh.triangles().len();
        if count > MAX_TRIANGLES_WITHOUT_TREE {
            return self.mesh.tree().search(search);
        }
        (0..count as u32).try_for_each(|triangle| search.triangle(triangle))
    }

    /// Whether the mesh is a solid that contains the point.
    pub(super) fn contains(&self, point: Vec3) -> bool {
        self.solid && locate_at(point, self.mesh, self.pose) != Location::Outside
    }
}

/// A search for triangles of a mesh that a body meets.
pub(super) struct IntersectionSearch<'a> {
    pub(super) probe: Probe<'a>,
    pub(super) tester: Tester<'a>,
    pub(super) surface: &'a Surface<'a>,
    pub(super) combined: CombinedVerdict,
    /// All triangles that are met or undecided, if the search is for all.
    pub(super) all: Option<MetTriangles>,
}

impl IntersectionSearch<'_> {
    fn test(&mut self, index: u32) -> ControlFlow<()> {
        let own = self.surface.mesh.triangle(index as usize);
        let apart = self.probe.triangle_distance(&own);
        if apart > self.tester.margin() {
            self.skipped(apart);
            return ControlFlow::Continue(());
        }
        let verdict = self.tester.meets(self.surface.triangle(index));
        self.combined.add(index, verdict);
        if let Some(all) = &mut self.all {
            match verdict {
                Verdict::Separated(_) => {}
                Verdict::Intersecting(_) => all.triangles.push(index),
                Verdict::Undecided(_) => all.undecided.push(index),
            }
            return ControlFlow::Continue(());
        }
        if self.combined.met.is_some() {
            self.tester.cache_triangle(index);
            return ControlFlow::Break(());
        }
        if let Verdict::Separated(ShapeSeparation { direction: Some(direction), .. }) = verdict {
            self.probe.set_direction(direction);
        }
        ControlFlow::Continue(())
    }
}

impl BoxSearch for IntersectionSearch<'_> {
    fn lower_bound(&mut self, center: Vec3, half: Vec3) -> f64 {
        self.probe.box_distance(center, half)
    }

    fn limit(&self) -> f64 {
        self.tester.margin()
    }

    fn skipped(&mut self, lower: f64) {
        // The difference rounds once.
        let lower = (lower - self.tester.margin()) * (1.0 - f64::EPSILON);
        self.combined.lower = self.combined.lower.min(lower);
    }

    fn triangle(&mut self, index: u32) -> ControlFlow<()> {
        self.test(index)
    }
}

/// Whether a body meets a mesh. The body is A of the answer.
pub(super) fn intersects(
    body: &Placed<'_>,
    surface: &Surface<'_>,
    cache: &mut ShapeCache,
) -> Verdict {
    if surface.mesh.is_empty() {
        return Verdict::Separated(ShapeSeparation::NOTHING);
    }
    let last = cache.triangle.filter(|t| (*t as usize) < surface.mesh.triangles().len());
    let probe = Probe::new(body, surface);
    let tester = Tester::new(body, cache);
    let mut search =
        IntersectionSearch { probe, tester, surface, combined: CombinedVerdict::NONE, all: None };
    // The triangle of the last query is likely to be met again.
    let flow = last.map_or(ControlFlow::Continue(()), |triangle| search.test(triangle));
    if flow.is_continue() {
        // The result is in the combined, whether the search was stopped early or not.
        let _ = surface.search(&mut search);
    }
    let CombinedVerdict { met, open, lower } = search.combined;
    if let Some(meeting) = met {
        return Verdict::Intersecting(meeting);
    }
    let point = body.point();
    if surface.contains(point) {
        return Verdict::Intersecting(ShapeHit::at(point));
    }
    open.map_or(
        Verdict::Separated(ShapeSeparation {
            lower: lower.max(0.0),
            direction: None,
            certificate: None,
        }),
        Verdict::Undecided,
    )
}

/// A search for the triangle closest to a body.
struct NearestSearch<'a> {
    probe: Probe<'a>,
    tester: Tester<'a>,
    surface: &'a Surface<'a>,
    best: Option<Distance>,
    lower: f64,
    limit: f64,
}

impl NearestSearch<'_> {
    fn test(&mut self, index: u32) -> ControlFlow<()> {
        let own = self.surface.mesh.triangle(index as usize);
        if self.probe.triangle_distance(&own) > self.limit {
            return ControlFlow::Continue(());
        }
        let found = self.tester.distance(self.surface.triangle(index));
        self.lower = self.lower.min(found.lower);
        if self.best.is_none_or(|best| found.upper < best.upper) {
            self.best = Some(Distance { triangle_b: Some(index), ..found });
            // The limit is for the distance of the core.
            self.limit = (found.upper + self.tester.margin()) * (1.0 + 4.0 * f64::EPSILON);
            self.probe.set_direction(unit(found.point_b - found.point_a));
            self.tester.cache_triangle(index);
        }
        if found.upper == 0.0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl BoxSearch for NearestSearch<'_> {
    fn lower_bound(&mut self, center: Vec3, half: Vec3) -> f64 {
        self.probe.box_distance(center, half)
    }

    fn limit(&self) -> f64 {
        self.limit
    }

    fn skipped(&mut self, _: f64) {}

    fn triangle(&mut self, index: u32) -> ControlFlow<()> {
        self.test(index)
    }
}

/// The distance of a body from a mesh. The body is A of the answer.
pub(super) fn distance(
    body: &Placed<'_>,
    surface: &Surface<'_>,
    cache: &mut ShapeCache,
) -> Option<Distance> {
    if surface.mesh.is_empty() {
        return None;
    }
    let last = cache.triangle.filter(|t| (*t as usize) < surface.mesh.triangles().len());
    let (lower, limit) = (f64::INFINITY, f64::INFINITY);
    let probe = Probe::new(body, surface);
    let tester = Tester::new(body, cache);
    let mut search = NearestSearch { probe, tester, surface, best: None, lower, limit };
    let flow = last.map_or(ControlFlow::Continue(()), |triangle| search.test(triangle));
    if flow.is_continue() {
        let _ = surface.search(&mut search);
    }
    let best = search.best?;
    let point = body.point();
    if best.upper > 0.0 && surface.contains(point) {
        return Some(zero_distance(&ShapeHit::at(point)));
    }
    Some(Distance { lower: search.lower.min(best.upper), ..best })
}

/// The triangles of a mesh that a body meets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MetTriangles {
    /// The indices of the triangles that it certainly meets, ascending.
    pub triangles: Vec<u32>,
    /// The indices of the undecided triangles, ascending: the body is curved and touches them up to
    /// rounding. Empty for all other bodies.
    pub undecided: Vec<u32>,
}

/// The triangles of the mesh that a body meets.
pub(super) fn triangles_met(
    body: &Placed<'_>,
    surface: &Surface<'_>,
    cache: &mut ShapeCache,
) -> MetTriangles {
    let probe = Probe::new(body, surface);
    let tester = Tester::new(body, cache);
    let all = Some(MetTriangles::default());
    let mut search =
        IntersectionSearch { probe, tester, surface, combined: CombinedVerdict::NONE, all };
    let _ = surface.search(&mut search);
    let mut all = search.all.unwrap_or_default();
    all.triangles.sort_unstable();
    all.undecided.sort_unstable();
    all
}
