//! Whether two shapes meet, within a budget.

use std::ops::ControlFlow;

use super::super::answer::{ShapeHit, ShapeSeparation, Verdict};
use super::super::cache::ShapeCache;
use super::super::convexes::{self, BodiesRest};
use super::super::dispatch::{self, Query};
use super::super::form::{Convex, Placed, Surface};
use super::super::half_space::{self, Lowest, LowestFound};
use super::super::kind::Shape;
use super::super::plane::Plane;
use super::super::probe::{Probe, ProbeProgress};
use super::super::quick_verdict::QuickVerdict;
use super::super::search::{IntersectionSearch, Pending};
use super::super::triangle::{CombinedVerdict, Tester, finish_meets};
use super::first_piece::{Rest, StartIntersects, StartMeet};
use super::{
    Boxes, InsideSearch, Key, OwnedBody, Stopped, known_of_deepest, lacks_tree, pay_for_start,
    undecided_bounds,
};
use crate::answer::{self, Bounds, Contact, Within};
use crate::budget::Budget;
use crate::convex::Kernels;
use crate::convex::interruptible::Computation;
use crate::math::Pose;
use crate::pair::{FirstSearch, Separation};
use crate::tree::{BoxSearch, BoxStack};

/// The state of a query of two shapes. Keep one for each pair of shapes whose query may be
/// continued. It is small until a query is stopped.
#[derive(Debug, Default)]
pub struct ShapeSearch {
    state: Option<Box<State>>,
    is_finished: bool,
}

/// A query that was stopped, or takes more than one piece.
#[derive(Debug, Default)]
struct State {
    key: Option<Key>,
    cache: ShapeCache,
    surfaces: FirstSearch,
    boxes: BoxStack,
    combined: Option<CombinedVerdict>,
    probe: Option<ProbeProgress>,
    /// A comparison with a triangle that was stopped.
    triangle: Option<(u32, Computation<Verdict>)>,
    lowest: LowestFound,
    bodies: Option<Stopped<Verdict>>,
    /// The final answer.
    verdict: Option<Verdict>,
    inside: InsideSearch,
}

impl ShapeSearch {
    /// A state that belongs to no query yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets the query, and keeps the memory: the next call starts anew.
    pub fn reset(&mut self) {
        self.is_finished = false;
        if let Some(state) = &mut self.state {
            // These keep shapes, too.
            (state.key, state.bodies, state.triangle) = (None, None, None);
        }
    }

    /// Whether the last call returned its final answer, which further calls return again. An answer
    /// that is final and undecided is about curved shapes that touch.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.is_finished
    }

    /// Whether it has the memory of a state, which a query that takes more than the first piece
    /// does not have to allocate.
    pub(crate) fn has_memory(&self) -> bool {
        self.state.is_some()
    }

    /// Whether the state belongs to this query. If not, the first piece decided it, or it did not
    /// begin.
    pub(crate) fn has_state_of(&self, a: &Shape, b: &Shape, pose: &Pose) -> bool {
        let key = self.state.as_ref().and_then(|state| state.key.as_ref());
        key.is_some_and(|key| key.is_of(a, b, pose))
    }

    /// Continues the query, or starts it. See [`intersects_within`].
    pub fn run(&mut self, a: &Shape, b: &Shape, pose: &Pose, budget: &mut Budget<'_>) -> Verdict {
        self.run_cached(a, b, pose, &mut ShapeCache::default(), budget)
    }

    /// As [`run`](Self::run), starting from the final state of the last query of the pair, if none
    /// of them is a mesh.
    pub fn run_cached(
        &mut self,
        a: &Shape,
        b: &Shape,
        pose: &Pose,
        cache: &mut ShapeCache,
        budget: &mut Budget<'_>,
    ) -> Verdict {
        if let Some(verdict) = self.continue_with(a, b, pose, budget) {
            return verdict;
        }
        let mut due = 0;
        let mut rest = Rest::All;
        if a.mesh().is_none() && b.mesh().is_none() {
            due = pay_for_start(budget);
            let (may_build, kernels) = (budget.is_unlimited(), Kernels::within(budget));
            match dispatch::answer(&mut StartIntersects { cache, may_build, kernels }, a, b, pose) {
                Ok(verdict) => {
                    self.is_finished = true;
                    return verdict;
                }
                Err(left) => rest = left,
            }
        }
        self.start(a, b, pose, (rest, due), budget)
    }

    /// As [`run_cached`](Self::run_cached), with only the evidence that needs no extra work; bounds
    /// if the budget was spent.
    pub(crate) fn run_quick(
        &mut self,
        a: &Shape,
        b: &Shape,
        pose: &Pose,
        cache: &mut ShapeCache,
        budget: &mut Budget<'_>,
    ) -> Result<QuickVerdict, Bounds> {
        let verdict = match self.continue_with(a, b, pose, budget) {
            Some(verdict) => verdict,
            None if a.mesh().is_none() && b.mesh().is_none() => {
                let due = pay_for_start(budget);
                let (may_build, kernels) = (budget.is_unlimited(), Kernels::within(budget));
                match dispatch::answer(&mut StartMeet { cache, may_build, kernels }, a, b, pose) {
                    Ok(quick) => {
                        self.is_finished = true;
                        return Ok(quick);
                    }
                    Err(rest) => self.start(a, b, pose, (rest, due), budget),
                }
            }
            None => self.start(a, b, pose, (Rest::All, 0), budget),
        };
        match verdict {
            Verdict::Undecided(known) if !self.is_finished => Err(known),
            decided => Ok(decided.into()),
        }
    }

    /// Continues a query that was stopped; `None` if it was another one.
    #[inline]
    fn continue_with(
        &mut self,
        a: &Shape,
        b: &Shape,
        pose: &Pose,
        budget: &mut Budget<'_>,
    ) -> Option<Verdict> {
        let state = self.state.as_mut()?;
        if !state.key.as_ref().is_some_and(|key| key.is_of(a, b, pose)) {
            return None;
        }
        let verdict = state.run(a, b, pose, None, budget);
        self.is_finished = verdict.is_final();
        Some(verdict.get())
    }

    /// Starts a query that takes more than the first piece.
    #[inline(never)]
    fn start(
        &mut self,
        a: &Shape,
        b: &Shape,
        pose: &Pose,
        rest: (Rest, u64),
        budget: &mut Budget<'_>,
    ) -> Verdict {
        let state = self.state.get_or_insert_default();
        state.key = Some(Key::new(a, b, pose));
        state.cache.clear();
        state.surfaces.reset();
        state.boxes.clear();
        (state.combined, state.probe, state.triangle) = (None, None, None);
        (state.lowest, state.bodies) = (LowestFound::default(), None);
        state.inside.reset();
        state.verdict = None;
        let verdict = state.run(a, b, pose, Some(rest), budget);
        self.is_finished = verdict.is_final();
        verdict.get()
    }
}

impl State {
    fn run(
        &mut self,
        a: &Shape,
        b: &Shape,
        pose: &Pose,
        rest: Option<(Rest, u64)>,
        budget: &mut Budget<'_>,
    ) -> Within<Verdict> {
        if let Some(verdict) = self.verdict {
            return Within::Final(verdict);
        }
        let found = dispatch::answer(&mut Part { state: self, a, b, rest, budget }, a, b, pose);
        if let Within::Final(verdict) = found {
            self.verdict = Some(verdict);
        }
        found
    }
}

/// A part of the query.
struct Part<'c, 'b> {
    state: &'c mut State,
    a: &'c Shape,
    b: &'c Shape,
    /// What is left after the first piece and the units that are due, if this is the first part.
    rest: Option<(Rest, u64)>,
    budget: &'c mut Budget<'b>,
}

fn open(known: Bounds) -> Within<Verdict> {
    Within::Open(Verdict::Undecided(known))
}

impl Part<'_, '_> {
    /// Continues a query about two bodies, or a body and a half-space.
    fn continue_bodies(&mut self) -> Within<Verdict> {
        let Some(stopped) = &mut self.state.bodies else { return open(Bounds::UNKNOWN) };
        match stopped.run(self.budget) {
            Ok(Verdict::Undecided(last)) => {
                let known = undecided_bounds(&stopped.known_so_far());
                let (lower, upper) = (last.lower.max(known.lower), last.upper.min(known.upper));
                let bounds = Bounds { lower, upper, open_depth: 0.0 - lower, open: last.open };
                Within::Final(Verdict::Undecided(bounds))
            }
            Ok(verdict) => Within::Final(verdict),
            Err(known) => open(undecided_bounds(&known)),
        }
    }
}

impl Query for Part<'_, '_> {
    type Answer = Within<Verdict>;

    fn meshes(&mut self, a: &Surface<'_>, b: &Surface<'_>) -> Within<Verdict> {
        let Self { state, budget, .. } = self;
        let is_solid = a.solid || b.solid;
        let boxes = Bounds::of_boxes(&a.mesh.bounds(), &b.mesh.bounds().transformed(b.pose));
        // Done first: the bounds of the surfaces are tighter than those of the boxes, and are not
        // known any more when the surfaces are apart.
        let is_first = is_solid && !budget.is_unlimited();
        if is_first && state.inside.nested([a, b], budget).is_none() {
            return open(boxes);
        }
        let proof = match state.surfaces.run(a.mesh, b.mesh, b.pose, budget) {
            answer::Verdict::Undecided(known) if is_solid => {
                let (lower, upper) = (known.lower.max(boxes.lower), known.upper.min(boxes.upper));
                let open_depth = known.open_depth.min(0.0 - lower);
                return open(Bounds { lower, upper, open_depth, open: known.open });
            }
            answer::Verdict::Undecided(known) => return open(known),
            answer::Verdict::Intersecting(hit) => {
                let (triangle_a, triangle_b) = (Some(hit.triangle_a), Some(hit.triangle_b));
                let hit = ShapeHit { triangle_a, triangle_b, ..ShapeHit::at(hit.point) };
                return Within::Final(Verdict::Intersecting(hit));
            }
            answer::Verdict::Separated(proof) => proof,
        };
        if is_solid {
            match state.inside.nested([a, b], budget) {
                None => return open(boxes),
                Some(Some(point)) => {
                    return Within::Final(Verdict::Intersecting(ShapeHit::at(point)));
                }
                Some(None) => {}
            }
        }
        let lower = match proof {
            Separation::Empty => f64::INFINITY,
            other => other.lower(),
        };
        let clear = ShapeSeparation { lower, direction: None, certificate: None };
        Within::Final(Verdict::Separated(clear))
    }

    fn bodies(&mut self, a: &Convex<'_>, b: &Convex<'_>, pose: &Pose) -> Within<Verdict> {
        if let Some((Rest::Bodies(rest), due)) = self.rest.take() {
            if matches!(rest, BodiesRest::NoTables) {
                self.state.key = None;
                return open(undecided_bounds(&convexes::known_before(a, b, pose, &rest)));
            }
            let known = convexes::known_before(a, b, pose, &rest);
            let (a, b, pose) = (self.a.clone(), self.b.clone(), *pose);
            let computation = Computation::new(async move {
                let (Some(p), Some(q)) = (a.convex(), b.convex()) else {
                    return Verdict::Undecided(Bounds::UNKNOWN);
                };
                let mut memory = Default::default();
                convexes::finish_intersects(&p, &q, &pose, rest, &mut memory).await
            });
            self.state.bodies = Some(Stopped { computation, known, margins: None, due });
        }
        self.continue_bodies()
    }

    fn planes(&mut self, a: &Plane, b: &Plane) -> Within<Verdict> {
        Within::Final(half_space::planes_meet(a, b))
    }

    fn body_mesh(&mut self, body: &Placed<'_>, surface: &Surface<'_>) -> Within<Verdict> {
        let Self { state, budget, a, b, .. } = self;
        let mesh = surface.mesh;
        if mesh.is_empty() {
            return Within::Final(Verdict::Separated(ShapeSeparation::NOTHING));
        }
        let memory = std::mem::take(&mut state.cache.probe);
        let mut probe = Probe::new(body, surface, memory);
        let boxes = Boxes::new(&probe, body, surface);
        let known = boxes.bounds();
        let lacks_table = body.body.hull().is_some_and(|hull| !hull.is_prepared());
        if lacks_tree(mesh, budget) || lacks_table && !budget.is_unlimited() {
            state.cache.probe = probe.into_memory();
            let lower = boxes.gap();
            // The inside of a solid is in its box.
            if lower <= 0.0 {
                return open(known);
            }
            let clear = ShapeSeparation { lower, direction: None, certificate: None };
            return Within::Final(Verdict::Separated(clear));
        }
        if let Some(progress) = state.probe {
            probe.restore(progress);
        }
        let tester = Tester::new(body, &mut state.cache);
        let combined = state.combined.unwrap_or(CombinedVerdict::NONE);
        let mut search = IntersectionSearch {
            probe,
            tester,
            surface,
            combined,
            all: None,
            in_pieces: Some(Kernels::within(budget)),
            pending: None,
        };
        let is_unfinished = loop {
            if let Some((triangle, computation)) = &mut state.triangle {
                let Some(verdict) = computation.run(budget) else { break true };
                let flow = search.take(*triangle, verdict);
                state.triangle = None;
                if flow.is_break() {
                    break false;
                }
            }
            let flow = match mesh.built_tree() {
                Some(tree) => tree.search_within(&mut state.boxes, &mut search, budget),
                None => {
                    let count = mesh.triangles().len();
                    state.boxes.all_triangles(count, &mesh.bounds(), &mut search, budget)
                }
            };
            let Some(Pending { triangle, rest, .. }) = search.pending.take() else {
                break flow == ControlFlow::Continue(false);
            };
            let body = OwnedBody::new(body, a, b);
            let hull = search.tester.last_triangle();
            let computation = Computation::new(async move {
                match body.placed() {
                    Some(placed) => finish_meets(&placed, &hull, rest).await,
                    None => Verdict::Undecided(Bounds::UNKNOWN),
                }
            });
            state.triangle = Some((triangle, computation));
        };
        state.probe = Some(search.probe.progress());
        state.combined = Some(search.combined);
        let IntersectionSearch { probe, tester, combined, .. } = search;
        tester.finish(probe);
        let CombinedVerdict { met, open: undecided, lower } = combined;
        if let Some(meeting) = met {
            return Within::Final(Verdict::Intersecting(meeting));
        }
        if is_unfinished {
            return open(Bounds { open: state.boxes.len().max(1), ..known });
        }
        if surface.solid {
            let point = body.point();
            match state.inside.contains(surface, point, budget) {
                None => return open(known),
                Some(true) => return Within::Final(Verdict::Intersecting(ShapeHit::at(point))),
                Some(false) => {}
            }
        }
        let clear = ShapeSeparation { lower: lower.max(0.0), direction: None, certificate: None };
        Within::Final(undecided.map_or(Verdict::Separated(clear), Verdict::Undecided))
    }

    fn plane_mesh(&mut self, plane: &Plane, surface: &Surface<'_>) -> Within<Verdict> {
        let Self { state, budget, .. } = self;
        let mesh = surface.mesh;
        if mesh.is_empty() {
            return Within::Final(Verdict::Separated(ShapeSeparation::NOTHING));
        }
        let mut search = Lowest::new(plane, surface, true, state.lowest);
        let known = known_of_plane(plane, surface, &mut search);
        if lacks_tree(mesh, budget) {
            if known.lower <= 0.0 {
                return open(undecided_bounds(&known));
            }
            let (lower, direction) = (known.lower, Some(plane.unit));
            let clear = ShapeSeparation { lower, direction, certificate: None };
            return Within::Final(Verdict::Separated(clear));
        }
        let flow = match mesh.built_tree() {
            Some(tree) => tree.search_within(&mut state.boxes, &mut search, budget),
            None => {
                let count = mesh.triangles().len();
                state.boxes.all_triangles(count, &mesh.bounds(), &mut search, budget)
            }
        };
        state.lowest = search.found;
        if flow == ControlFlow::Continue(false) {
            let open_boxes = state.boxes.len().max(1);
            return open(Bounds { open: open_boxes, ..undecided_bounds(&known) });
        }
        Within::Final(state.lowest.verdict(plane))
    }

    fn plane_body(&mut self, plane: &Plane, body: &Placed<'_>) -> Within<Verdict> {
        if let Some((Rest::Plane(found), due)) = self.rest.take() {
            let known = known_of_deepest(found.bounds(), plane, found.points(plane));
            let (plane, body) = (*plane, OwnedBody::new(body, self.a, self.b));
            let computation = Computation::new(async move {
                match body.placed() {
                    Some(placed) => half_space::finish_body_meets(&plane, &placed, &found).await,
                    None => Verdict::Undecided(Bounds::UNKNOWN),
                }
            });
            self.state.bodies = Some(Stopped { computation, known, margins: None, due });
        }
        self.continue_bodies()
    }
}

/// What is known of a half-space and a mesh from the box of the mesh and its first vertex.
pub(super) fn known_of_plane(
    plane: &Plane,
    surface: &Surface<'_>,
    search: &mut Lowest<'_>,
) -> Contact {
    let bounds = surface.mesh.bounds();
    let half = (bounds.max - bounds.min) * (0.5 + f64::EPSILON);
    let lower = search.lower_bound(bounds.min * 0.5 + bounds.max * 0.5, half);
    let [corner, ..] = surface.triangle(0);
    let (height, near) = plane.height(corner);
    Contact {
        lower: lower.min(height.upper),
        upper: height.upper,
        direction: plane.unit,
        point_a: corner - plane.unit * near,
        point_b: corner,
    }
}

/// As [`intersects`](super::super::intersects()), but stops when the budget is spent, and then
/// returns bounds: [`ShapeSearch::is_finished`] tells such an answer from that of curved shapes
/// that touch. A further call with the same shapes and pose continues the query; with others it
/// starts anew.
///
/// A decided answer is that of [`intersects`](super::super::intersects()); its evidence is what the
/// query has found. With a budget of [steps](Budget::steps) it is the same on every machine. Meshes
/// should be [prepared](Shape::prepare); otherwise the answer follows from their boxes. Two
/// polytopes, and other pairs without a mesh, have a first piece of work of a few microseconds at
/// most that is always done and almost always decides.
///
/// ```
/// use impinge::convex::Capsule;
/// use impinge::pair::Budget;
/// use impinge::shape::{self, Shape, ShapeSearch};
/// use impinge::{Pose, shapes};
///
/// let bowl = Shape::from(shapes::torus(1.0, 0.4, 96, 48)?);
/// bowl.prepare();
/// let pen = Shape::from(Capsule::new(2.0, 0.1)?);
/// let pose = Pose::from_translation([0.1, 0.0, 0.0])?; // through the hole
/// let mut search = ShapeSearch::new();
/// let mut parts = 1;
/// while shape::intersects_within(&bowl, &pen, &pose, &mut Budget::micros(5), &mut search)
///     .is_undecided()
/// {
///     parts += 1;
/// }
/// println!("decided in part {parts}");
/// # Ok::<(), impinge::Error>(())
/// ```
pub fn intersects_within(
    a: &Shape,
    b: &Shape,
    pose: &Pose,
    budget: &mut Budget<'_>,
    search: &mut ShapeSearch,
) -> Verdict {
    search.run(a, b, pose, budget)
}
