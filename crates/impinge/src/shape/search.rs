//! A convex body against a mesh.
//!
//! The mesh's tree is descended with [bounds](super::probe) for boxes. The remaining triangles are
//! [tested one by one](super::triangle), exactly if the body is a polytope, with or without a
//! margin.

use std::ops::ControlFlow;

use super::answer::{ShapeHit, ShapeSeparation, Verdict, zero_distance};
use super::cache::ShapeCache;
use super::convexes::BodiesRest;
use super::form::{Placed, Surface};
use super::margins::unit;
use super::probe::Probe;
use super::triangle::{CombinedVerdict, Tester};
use crate::answer::Distance;
use crate::arrays::MapEach;
use crate::convex::Kernels;
use crate::exact::Location;
use crate::math::Vec3;
use crate::solid::locate_at;
use crate::tree::{BoxSearch, MAX_TRIANGLES_WITHOUT_TREE};

impl Surface<'_> {
    /// The corners of a triangle in the frame of the query.
    pub(super) fn triangle(&self, index: u32) -> [Vec3; 3] {
        self.mesh.triangle(index as usize).map_each(|v| self.pose.transform_point(v))
    }

    /// Passes every triangle that is not certainly beyond the limit to `search`.
    pub(super) fn search(&self, search: &mut impl BoxSearch) -> ControlFlow<()> {
        let count = self.mesh.triangles().len();
        if count > MAX_TRIANGLES_WITHOUT_TREE {
            return self.mesh.tree().search(search);
        }
        (0..count as u32).try_for_each(|triangle| search.triangle(triangle, f64::NEG_INFINITY))
    }

    /// Whether the mesh is a solid that contains the point.
    pub(super) fn contains(&self, point: Vec3) -> bool {
        self.solid && locate_at(point, self.mesh, self.pose) != Location::Outside
    }
}

/// What is left of the comparison with a triangle, with a lower bound of the distance of the core
/// from it.
pub(super) struct Pending {
    pub(super) triangle: u32,
    pub(super) lower: f64,
    pub(super) rest: BodiesRest,
}

/// A search for triangles of a mesh that a body meets.
pub(super) struct IntersectionSearch<'a> {
    pub(super) probe: Probe<'a>,
    pub(super) tester: Tester<'a>,
    pub(super) surface: &'a Surface<'a>,
    pub(super) combined: CombinedVerdict,
    /// All triangles that are met or undecided, if the search is for all.
    pub(super) all: Option<MetTriangles>,
    /// The kernels of a search that stops at a comparison that takes long, which is then in
    /// `pending`; `None` for a search without interruption.
    pub(super) in_pieces: Option<Kernels>,
    pub(super) pending: Option<Pending>,
}

impl IntersectionSearch<'_> {
    fn test(&mut self, index: u32) -> ControlFlow<()> {
        let own = self.surface.mesh.triangle(index as usize);
        let apart = self.probe.triangle_distance(&own);
        if apart > self.tester.margin() {
            self.skipped(apart);
            return ControlFlow::Continue(());
        }
        let corners = self.surface.triangle(index);
        let verdict = if let Some(kernels) = self.in_pieces {
            match self.tester.start_meets(corners, kernels) {
                Ok(verdict) => verdict,
                Err(rest) => {
                    self.pending = Some(Pending { triangle: index, lower: apart, rest });
                    return ControlFlow::Break(());
                }
            }
        } else {
            self.tester.meets(corners)
        };
        self.take(index, verdict)
    }

    /// Takes the verdict about a triangle.
    pub(super) fn take(&mut self, index: u32, verdict: Verdict) -> ControlFlow<()> {
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

    fn triangle(&mut self, index: u32, _: f64) -> ControlFlow<()> {
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
    let probe = Probe::new(body, surface, std::mem::take(&mut cache.probe));
    let tester = Tester::new(body, cache);
    let mut search = IntersectionSearch {
        probe,
        tester,
        surface,
        combined: CombinedVerdict::NONE,
        all: None,
        in_pieces: None,
        pending: None,
    };
    // The triangle of the last query is likely to be met again.
    let flow = last.map_or(ControlFlow::Continue(()), |triangle| search.test(triangle));
    if flow.is_continue() {
        // The result is in the combined, whether the search was stopped early or not.
        let _ = surface.search(&mut search);
    }
    let IntersectionSearch { probe, tester, combined, .. } = search;
    tester.finish(probe);
    let CombinedVerdict { met, open, lower } = combined;
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

/// What a search for the closest triangle has found.
#[derive(Clone, Copy, Debug)]
pub(super) struct NearestFound {
    pub(super) best: Option<Distance>,
    /// The least lower bound of a triangle that was measured.
    pub(super) lower: f64,
    /// Triangles whose core is further away need not be measured.
    limit: f64,
}

impl Default for NearestFound {
    fn default() -> Self {
        Self { best: None, lower: f64::INFINITY, limit: f64::INFINITY }
    }
}

/// A search for the triangle closest to a body.
pub(super) struct NearestSearch<'a> {
    pub(super) probe: Probe<'a>,
    pub(super) tester: Tester<'a>,
    pub(super) surface: &'a Surface<'a>,
    pub(super) found: NearestFound,
    /// The kernels of a search that stops at a comparison that takes long, which is then in
    /// `pending`; `None` for a search without interruption.
    pub(super) in_pieces: Option<Kernels>,
    pub(super) pending: Option<Pending>,
}

impl NearestSearch<'_> {
    fn test(&mut self, index: u32, lower: f64) -> ControlFlow<()> {
        let own = self.surface.mesh.triangle(index as usize);
        if self.probe.triangle_distance(&own) > self.found.limit {
            return ControlFlow::Continue(());
        }
        let corners = self.surface.triangle(index);
        let found = if let Some(kernels) = self.in_pieces {
            match self.tester.start_distance(corners, kernels) {
                Ok(found) => found,
                Err(rest) => {
                    self.pending = Some(Pending { triangle: index, lower, rest });
                    return ControlFlow::Break(());
                }
            }
        } else {
            self.tester.distance(corners)
        };
        self.take(index, lower, found)
    }

    /// Takes the distance of a triangle; the distance of the core from a box around it is at least
    /// `lower`.
    pub(super) fn take(&mut self, index: u32, lower: f64, distance: Distance) -> ControlFlow<()> {
        let found = &mut self.found;
        let of_box = without_margin(lower, self.tester.margin());
        found.lower = found.lower.min(distance.lower.max(of_box).min(distance.upper));
        if found.best.is_none_or(|best| distance.upper < best.upper) {
            found.best = Some(Distance { triangle_b: Some(index), ..distance });
            // The limit is for the distance of the core.
            found.limit = (distance.upper + self.tester.margin()) * (1.0 + 4.0 * f64::EPSILON);
            self.probe.set_direction(unit(distance.point_b - distance.point_a));
            self.tester.cache_triangle(index);
        }
        if distance.upper == 0.0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// A lower bound of the distance of a body, from that of its core.
pub(super) fn without_margin(lower: f64, margin: f64) -> f64 {
    let difference = lower - margin;
    difference - difference.abs() * f64::EPSILON
}

impl BoxSearch for NearestSearch<'_> {
    fn lower_bound(&mut self, center: Vec3, half: Vec3) -> f64 {
        self.probe.box_distance(center, half)
    }

    fn limit(&self) -> f64 {
        self.found.limit
    }

    fn skipped(&mut self, _: f64) {}

    fn triangle(&mut self, index: u32, lower: f64) -> ControlFlow<()> {
        self.test(index, lower)
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
    let probe = Probe::new(body, surface, std::mem::take(&mut cache.probe));
    let tester = Tester::new(body, cache);
    let found = NearestFound::default();
    let mut search =
        NearestSearch { probe, tester, surface, found, in_pieces: None, pending: None };
    let first = |triangle| search.test(triangle, f64::NEG_INFINITY);
    let flow = last.map_or(ControlFlow::Continue(()), first);
    if flow.is_continue() {
        let _ = surface.search(&mut search);
    }
    let NearestSearch { probe, tester, found, .. } = search;
    tester.finish(probe);
    let NearestFound { best, lower, .. } = found;
    let best = best?;
    let point = body.point();
    if best.upper > 0.0 && surface.contains(point) {
        return Some(zero_distance(&ShapeHit::at(point)));
    }
    Some(Distance { lower: lower.min(best.upper), ..best })
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
    let probe = Probe::new(body, surface, std::mem::take(&mut cache.probe));
    let tester = Tester::new(body, cache);
    let all = Some(MetTriangles::default());
    let mut search = IntersectionSearch {
        probe,
        tester,
        surface,
        combined: CombinedVerdict::NONE,
        all,
        in_pieces: None,
        pending: None,
    };
    let _ = surface.search(&mut search);
    let mut all = search.all.unwrap_or_default();
    all.triangles.sort_unstable();
    all.undecided.sort_unstable();
    all
}
