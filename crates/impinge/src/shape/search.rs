//! A convex body against a mesh.
//!
//! The mesh's tree is descended with [bounds](super::probe) for boxes, and what is left of the
//! triangles is [compared one by one](super::triangle): exactly if the body is a polytope, with a
//! margin or not.

use std::ops::ControlFlow;

use super::answer::{Clear, Meeting, Verdict, zero};
use super::cache::ShapeCache;
use super::form::{Form, Placed, Surface};
use super::kind::Shape;
use super::margins::unit;
use super::probe::Probe;
use super::triangle::{Tally, Tester};
use crate::answer::Distance;
use crate::exact::Location;
use crate::math::{Pose, Vec3};
use crate::solid::locate_at;
use crate::tree::{MAX_TRIANGLES_WITHOUT_TREE, Seek};

impl Surface<'_> {
    /// The corners of a triangle in the frame of the query.
    pub(super) fn triangle(&self, index: u32) -> [Vec3; 3] {
        self.mesh.triangle(index as usize).map(|v| self.pose.transform_point(v))
    }

    /// Hands every triangle that is not certainly beyond the limit to `seek`.
    pub(super) fn seek(&self, seek: &mut impl Seek) -> ControlFlow<()> {
        let count = self.mesh.triangles().len();
        if count > MAX_TRIANGLES_WITHOUT_TREE {
            return self.mesh.tree().seek(seek);
        }
        (0..count as u32).try_for_each(|triangle| seek.triangle(triangle))
    }

    /// Whether the inside of the solid, if it is one, holds a point that is not on the surface.
    fn holds(&self, point: Vec3) -> bool {
        self.solid && locate_at(point, self.mesh, self.pose) != Location::Outside
    }
}

/// A search through a mesh for what a body meets.
struct Meets<'a> {
    probe: Probe<'a>,
    tester: Tester<'a>,
    surface: &'a Surface<'a>,
    tally: Tally,
    /// All triangles that are met, and all that are undecided, if they are wanted.
    all: Option<Met>,
}

impl Meets<'_> {
    fn look(&mut self, index: u32) -> ControlFlow<()> {
        let own = self.surface.mesh.triangle(index as usize);
        let apart = self.probe.apart_from(&own);
        if apart > self.tester.margin() {
            self.skipped(apart);
            return ControlFlow::Continue(());
        }
        let verdict = self.tester.meets(self.surface.triangle(index));
        self.tally.add(index, verdict);
        if let Some(all) = &mut self.all {
            match verdict {
                Verdict::Separated(_) => {}
                Verdict::Intersecting(_) => all.triangles.push(index),
                Verdict::Undecided(_) => all.undecided.push(index),
            }
            return ControlFlow::Continue(());
        }
        if self.tally.met.is_some() {
            self.tester.keep(index);
            return ControlFlow::Break(());
        }
        if let Verdict::Separated(Clear { direction: Some(direction), .. }) = verdict {
            self.probe.look(direction);
        }
        ControlFlow::Continue(())
    }
}

impl Seek for Meets<'_> {
    fn lower_bound(&mut self, center: Vec3, half: Vec3) -> f64 {
        self.probe.apart(center, half)
    }

    fn limit(&self) -> f64 {
        self.tester.margin()
    }

    fn skipped(&mut self, lower: f64) {
        // The difference rounds once.
        let lower = (lower - self.tester.margin()) * (1.0 - f64::EPSILON);
        self.tally.lower = self.tally.lower.min(lower);
    }

    fn triangle(&mut self, index: u32) -> ControlFlow<()> {
        self.look(index)
    }
}

/// Whether a body meets a mesh. The body is A of the answer.
pub(super) fn intersects(
    body: &Placed<'_>,
    surface: &Surface<'_>,
    cache: &mut ShapeCache,
) -> Verdict {
    if surface.mesh.is_empty() {
        return Verdict::Separated(Clear::NOTHING);
    }
    let last = cache.triangle.filter(|t| (*t as usize) < surface.mesh.triangles().len());
    let probe = Probe::new(body, surface);
    let tester = Tester::new(body, cache);
    let mut meets = Meets { probe, tester, surface, tally: Tally::NONE, all: None };
    // The triangle that was met last may still be.
    let flow = last.map_or(ControlFlow::Continue(()), |triangle| meets.look(triangle));
    if flow.is_continue() {
        // Whether it was stopped is in the tally.
        let _ = surface.seek(&mut meets);
    }
    let Tally { met, open, lower } = meets.tally;
    if let Some(meeting) = met {
        return Verdict::Intersecting(meeting);
    }
    let point = body.point();
    if surface.holds(point) {
        return Verdict::Intersecting(Meeting::at(point));
    }
    open.map_or(
        Verdict::Separated(Clear { lower: lower.max(0.0), direction: None, gap: None }),
        Verdict::Undecided,
    )
}

/// A search for the triangle closest to a body.
struct Nearest<'a> {
    probe: Probe<'a>,
    tester: Tester<'a>,
    surface: &'a Surface<'a>,
    best: Option<Distance>,
    lower: f64,
    limit: f64,
}

impl Nearest<'_> {
    fn look(&mut self, index: u32) -> ControlFlow<()> {
        let own = self.surface.mesh.triangle(index as usize);
        if self.probe.apart_from(&own) > self.limit {
            return ControlFlow::Continue(());
        }
        let found = self.tester.distance(self.surface.triangle(index));
        self.lower = self.lower.min(found.lower);
        if self.best.is_none_or(|best| found.upper < best.upper) {
            self.best = Some(Distance { feature_b: Some(index), ..found });
            // The limit is that of the core.
            self.limit = (found.upper + self.tester.margin()) * (1.0 + 4.0 * f64::EPSILON);
            self.probe.look(unit(found.point_b - found.point_a));
            self.tester.keep(index);
        }
        if found.upper == 0.0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl Seek for Nearest<'_> {
    fn lower_bound(&mut self, center: Vec3, half: Vec3) -> f64 {
        self.probe.apart(center, half)
    }

    fn limit(&self) -> f64 {
        self.limit
    }

    fn skipped(&mut self, _: f64) {}

    fn triangle(&mut self, index: u32) -> ControlFlow<()> {
        self.look(index)
    }
}

/// How far a body is from a mesh. The body is A of the answer.
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
    let mut nearest = Nearest { probe, tester, surface, best: None, lower, limit };
    let flow = last.map_or(ControlFlow::Continue(()), |triangle| nearest.look(triangle));
    if flow.is_continue() {
        let _ = surface.seek(&mut nearest);
    }
    let best = nearest.best?;
    let point = body.point();
    if best.upper > 0.0 && surface.holds(point) {
        return Some(zero(&Meeting::at(point)));
    }
    Some(Distance { lower: nearest.lower.min(best.upper), ..best })
}

/// The triangles of a mesh that a body meets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Met {
    /// Those that it certainly meets, ascending.
    pub triangles: Vec<u32>,
    /// Those that nobody knows about, because the body is curved and touches them to rounding,
    /// ascending. Empty for all other bodies.
    pub undecided: Vec<u32>,
}

/// Which triangles of the mesh `a` or `b` the other one, a convex body, meets, with `b` at `pose`
/// in `a`'s frame. `None` if not exactly one is a mesh and the other a convex body; for two meshes
/// there is [`pair::all_pairs`](crate::pair::all_pairs).
///
/// The body is solid: triangles inside of it count. The mesh is its surface, also if the shape is
/// the solid that it bounds.
///
/// ```
/// use impinge::convex::Sphere;
/// use impinge::{Pose, shape, shapes};
///
/// let cube = shapes::cuboid([2.0, 2.0, 2.0])?.into();
/// let ball = Sphere::new(1.0)?.into(); // touches all six sides from within, each on its diagonal
/// let met = shape::triangles_met(&cube, &ball, &Pose::IDENTITY).expect("a mesh and a body");
/// assert_eq!((met.triangles.len(), met.undecided.len()), (12, 0));
/// # Ok::<(), impinge::Error>(())
/// ```
#[must_use]
pub fn triangles_met(a: &Shape, b: &Shape, pose: &Pose) -> Option<Met> {
    let here = &Pose::IDENTITY;
    let (body, surface) = match (a.form(), b.form()) {
        (Form::Convex(body), Form::Mesh { mesh, solid }) => {
            (Placed { body, pose: here, is_a: true }, Surface { mesh, solid, pose })
        }
        (Form::Mesh { mesh, solid }, Form::Convex(body)) => {
            (Placed { body, pose, is_a: false }, Surface { mesh, solid, pose: here })
        }
        _ => return None,
    };
    let mut cache = ShapeCache::default();
    let probe = Probe::new(&body, &surface);
    let tester = Tester::new(&body, &mut cache);
    let all = Some(Met::default());
    let mut meets = Meets { probe, tester, surface: &surface, tally: Tally::NONE, all };
    let _ = surface.seek(&mut meets);
    let mut all = meets.all.unwrap_or_default();
    all.triangles.sort_unstable();
    all.undecided.sort_unstable();
    Some(all)
}
