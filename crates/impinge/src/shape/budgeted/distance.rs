//! The distance of two shapes within a budget.

use std::ops::ControlFlow;

use super::super::answer::{ShapeHit, zero_distance};
use super::super::cache::ShapeCache;
use super::super::convexes::{self, BodiesRest};
use super::super::dispatch::{self, Query};
use super::super::form::{Convex, Placed, Surface};
use super::super::half_space::{self, Lowest, LowestFound};
use super::super::kind::Shape;
use super::super::plane::Plane;
use super::super::probe::{Probe, ProbeProgress};
use super::super::search::{NearestFound, NearestSearch, Pending, without_margin};
use super::super::triangle::{Tester, finish_distance};
use super::first_piece::{Rest, StartDistance};
use super::verdict::known_of_plane;
use super::{
    Boxes, InsideSearch, Key, OwnedBody, Stopped, known_of_deepest, lacks_tree, pay_for_start,
};
use crate::answer::{Contact, Distance};
use crate::budget::Budget;
use crate::convex::Kernels;
use crate::convex::interruptible::Computation;
use crate::math::{Pose, Vec3};
use crate::pair::{DistanceSearch, DistanceWithin};
use crate::tree::BoxStack;

/// The state of a query for the distance of two shapes. Keep one for each pair of shapes whose
/// query may be continued. It is small until a query is stopped.
#[derive(Debug, Default)]
pub struct ShapeDistanceSearch {
    state: Option<Box<State>>,
}

/// A query that was stopped, or takes more than one piece.
#[derive(Debug, Default)]
struct State {
    key: Option<Key>,
    cache: ShapeCache,
    surfaces: DistanceSearch,
    boxes: BoxStack,
    nearest: NearestFound,
    probe: Option<ProbeProgress>,
    /// A triangle whose measurement was stopped, and the lower bound of a box around it.
    triangle: Option<(u32, f64, Computation<Distance>)>,
    lowest: LowestFound,
    bodies: Option<Stopped<Distance>>,
    /// The final answer.
    distance: Option<DistanceWithin>,
    inside: InsideSearch,
}

impl ShapeDistanceSearch {
    /// A state that belongs to no query yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets the query, and keeps the memory: the next call starts anew.
    pub fn reset(&mut self) {
        if let Some(state) = &mut self.state {
            // These keep shapes, too.
            (state.key, state.bodies, state.triangle) = (None, None, None);
        }
    }

    /// Continues the query, or starts it. See [`distance_within`].
    pub fn run(
        &mut self,
        a: &Shape,
        b: &Shape,
        pose: &Pose,
        budget: &mut Budget<'_>,
    ) -> DistanceWithin {
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
    ) -> DistanceWithin {
        if let Some(state) = &mut self.state {
            if state.key.as_ref().is_some_and(|key| key.is_of(a, b, pose)) {
                return state.run(a, b, pose, None, budget);
            }
        }
        let mut due = 0;
        let mut rest = Rest::All;
        if a.mesh().is_none() && b.mesh().is_none() {
            due = pay_for_start(budget);
            let (may_build, kernels) = (budget.is_unlimited(), Kernels::within(budget));
            match dispatch::answer(&mut StartDistance { cache, may_build, kernels }, a, b, pose) {
                Ok(distance) => return DistanceWithin::Final(distance),
                Err(left) => rest = left,
            }
        }
        self.start(a, b, pose, (rest, due), budget)
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
    ) -> DistanceWithin {
        let state = self.state.get_or_insert_default();
        state.key = Some(Key::new(a, b, pose));
        state.cache.clear();
        state.surfaces.reset();
        state.boxes.clear();
        (state.nearest, state.probe) = (NearestFound::default(), None);
        (state.triangle, state.bodies) = (None, None);
        (state.lowest, state.distance) = (LowestFound::default(), None);
        state.inside.reset();
        state.run(a, b, pose, Some(rest), budget)
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
    ) -> DistanceWithin {
        if let Some(distance) = self.distance {
            return distance;
        }
        let found = dispatch::answer(&mut Part { state: self, a, b, rest, budget }, a, b, pose);
        if found.is_final() {
            self.distance = Some(found);
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

/// The distance from bounds of the signed distance.
fn open(known: &Contact) -> DistanceWithin {
    let Contact { lower, upper, point_a, point_b, .. } = *known;
    DistanceWithin::Open(Distance::between(lower.max(0.0), upper.max(0.0), [point_a, point_b]))
}

impl Part<'_, '_> {
    /// Continues a query about two bodies, or a body and a half-space.
    fn continue_bodies(&mut self) -> DistanceWithin {
        let Some(stopped) = &mut self.state.bodies else { return DistanceWithin::Empty };
        match stopped.run(self.budget) {
            // The bounds of an iteration may have been tighter before its end, by rounding.
            Ok(distance @ Distance { lower, upper, .. }) if upper > 0.0 => {
                let known = stopped.known_so_far();
                let (lower, upper) = (lower.max(known.lower), upper.min(known.upper.max(0.0)));
                DistanceWithin::Final(Distance { lower: lower.min(upper), upper, ..distance })
            }
            Ok(distance) => DistanceWithin::Final(distance),
            Err(known) => open(&known),
        }
    }
}

impl Query for Part<'_, '_> {
    type Answer = DistanceWithin;

    fn meshes(&mut self, a: &Surface<'_>, b: &Surface<'_>) -> DistanceWithin {
        let Self { state, budget, .. } = self;
        let solid = a.solid || b.solid;
        let found = match state.surfaces.run(a.mesh, b.mesh, b.pose, budget) {
            // One may be inside the other.
            DistanceWithin::Open(found) if solid => {
                return DistanceWithin::Open(Distance { lower: 0.0, ..found });
            }
            DistanceWithin::Final(found) if solid && found.upper > 0.0 => found,
            other => return other,
        };
        match state.inside.nested([a, b], budget) {
            None => DistanceWithin::Open(Distance { lower: 0.0, ..found }),
            Some(Some(point)) => DistanceWithin::Final(zero_distance(&ShapeHit::at(point))),
            Some(None) => DistanceWithin::Final(found),
        }
    }

    fn bodies(&mut self, a: &Convex<'_>, b: &Convex<'_>, pose: &Pose) -> DistanceWithin {
        if let Some((Rest::Bodies(rest), due)) = self.rest.take() {
            let known = convexes::known_before(a, b, pose, &rest);
            if matches!(rest, BodiesRest::NoTables) {
                self.state.key = None;
                return open(&known);
            }
            let (a, b, pose) = (self.a.clone(), self.b.clone(), *pose);
            let computation = Computation::new(async move {
                let (Some(p), Some(q)) = (a.convex(), b.convex()) else { return UNKNOWN };
                let mut memory = Default::default();
                convexes::finish_distance(&p, &q, &pose, rest, &mut memory).await
            });
            self.state.bodies = Some(Stopped { computation, known, margins: None, due });
        }
        self.continue_bodies()
    }

    fn planes(&mut self, a: &Plane, b: &Plane) -> DistanceWithin {
        DistanceWithin::Final(half_space::planes_distance(a, b))
    }

    fn body_mesh(&mut self, body: &Placed<'_>, surface: &Surface<'_>) -> DistanceWithin {
        let Self { state, budget, a, b, .. } = self;
        let mesh = surface.mesh;
        if mesh.is_empty() {
            return DistanceWithin::Empty;
        }
        let memory = std::mem::take(&mut state.cache.probe);
        let mut probe = Probe::new(body, surface, memory);
        let boxes = Boxes::new(&probe, body, surface);
        let known = Distance {
            triangle_b: None,
            ..Distance::between(0.0, boxes.bounds().upper, [body.point(), surface.triangle(0)[0]])
        };
        // The inside of a solid is in its box.
        let least = boxes.gap().max(0.0);
        let lacks_table = body.body.hull().is_some_and(|hull| !hull.is_prepared());
        if lacks_tree(mesh, budget) || lacks_table && !budget.is_unlimited() {
            state.cache.probe = probe.into_memory();
            return DistanceWithin::Open(Distance { lower: least.min(known.upper), ..known });
        }
        if let Some(progress) = state.probe {
            probe.restore(progress);
        }
        let tester = Tester::new(body, &mut state.cache);
        let found = state.nearest;
        let mut search = NearestSearch {
            probe,
            tester,
            surface,
            found,
            in_pieces: Some(Kernels::within(budget)),
            pending: None,
        };
        let is_unfinished = loop {
            if let Some((triangle, lower, computation)) = &mut state.triangle {
                let Some(distance) = computation.run(budget) else { break true };
                let flow = search.take(*triangle, *lower, distance);
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
            let Some(Pending { triangle, lower, rest }) = search.pending.take() else {
                break flow == ControlFlow::Continue(false);
            };
            let body = OwnedBody::new(body, a, b);
            let hull = search.tester.last_triangle();
            let computation = Computation::new(async move {
                match body.placed() {
                    Some(placed) => finish_distance(&placed, &hull, rest).await,
                    None => UNKNOWN,
                }
            });
            state.triangle = Some((triangle, lower, computation));
        };
        state.probe = Some(search.probe.progress());
        state.nearest = search.found;
        let NearestSearch { probe, tester, .. } = search;
        tester.finish(probe);
        let NearestFound { best, lower, .. } = state.nearest;
        let best = match best {
            Some(best) if best.upper <= known.upper => best,
            Some(best) => Distance { upper: known.upper, ..best },
            None => known,
        };
        let margin = body.body.margin;
        let pending = state.triangle.as_ref().map_or(f64::INFINITY, |(_, lower, _)| *lower);
        let of_boxes = without_margin(state.boxes.lower().min(pending), margin);
        if is_unfinished {
            let lower = if surface.solid { least } else { lower.min(of_boxes).max(least) };
            return DistanceWithin::Open(Distance { lower: lower.min(best.upper), ..best });
        }
        let Some(best) = state.nearest.best else { return DistanceWithin::Open(known) };
        let point = body.point();
        if best.upper > 0.0 && surface.solid {
            match state.inside.contains(surface, point, budget) {
                None => {
                    let upper = best.upper.min(known.upper);
                    return DistanceWithin::Open(Distance { lower: least, upper, ..best });
                }
                Some(true) => return DistanceWithin::Final(zero_distance(&ShapeHit::at(point))),
                Some(false) => {}
            }
        }
        // The bounds of the boxes may be tighter, by rounding.
        let upper = best.upper.min(known.upper);
        DistanceWithin::Final(Distance { lower: lower.max(least).min(upper), upper, ..best })
    }

    fn plane_mesh(&mut self, plane: &Plane, surface: &Surface<'_>) -> DistanceWithin {
        let Self { state, budget, .. } = self;
        let mesh = surface.mesh;
        if mesh.is_empty() {
            return DistanceWithin::Empty;
        }
        let mut search = Lowest::new(plane, surface, false, state.lowest);
        let known = known_of_plane(plane, surface, &mut search);
        if lacks_tree(mesh, budget) {
            return open(&known);
        }
        let flow = match mesh.built_tree() {
            Some(tree) => tree.search_within(&mut state.boxes, &mut search, budget),
            None => {
                let count = mesh.triangles().len();
                state.boxes.all_triangles(count, &mesh.bounds(), &mut search, budget)
            }
        };
        state.lowest = search.found;
        let is_final = flow != ControlFlow::Continue(false);
        let lower = if is_final { f64::INFINITY } else { state.boxes.lower() };
        let Some(found) = state.lowest.distance(plane, lower) else { return open(&known) };
        let upper = found.upper.min(known.upper.max(0.0));
        let lower = found.lower.max(known.lower).min(upper);
        let found = Distance { lower, upper, ..found };
        if is_final { DistanceWithin::Final(found) } else { DistanceWithin::Open(found) }
    }

    fn plane_body(&mut self, plane: &Plane, body: &Placed<'_>) -> DistanceWithin {
        if let Some((Rest::Plane(found), due)) = self.rest.take() {
            let known = known_of_deepest(found.bounds(), plane, found.points(plane));
            let (plane, body) = (*plane, OwnedBody::new(body, self.a, self.b));
            let computation = Computation::new(async move {
                match body.placed() {
                    Some(placed) => half_space::finish_body_distance(&plane, &placed, &found).await,
                    None => UNKNOWN,
                }
            });
            self.state.bodies = Some(Stopped { computation, known, margins: None, due });
        }
        self.continue_bodies()
    }
}

/// Nothing is known about two bodies.
const UNKNOWN: Distance = Distance {
    lower: 0.0,
    upper: f64::INFINITY,
    point_a: Vec3::ZERO,
    point_b: Vec3::ZERO,
    triangle_a: None,
    triangle_b: None,
};

/// As [`distance`](super::super::distance()), but stops when the budget is spent, and then returns
/// the bounds so far; both improve. A further call with the same shapes and pose continues the
/// query; with others it starts anew.
///
/// All that [`intersects_within`](super::intersects_within) says of budgets holds here, too. The
/// lower bound of a solid stays that of the boxes until it is known that the other shape is not
/// inside.
///
/// ```
/// use impinge::convex::Sphere;
/// use impinge::pair::{Budget, DistanceWithin};
/// use impinge::shape::{self, Shape, ShapeDistanceSearch};
/// use impinge::{Pose, shapes};
///
/// let ring = Shape::from(shapes::torus(1.0, 0.4, 96, 48)?);
/// ring.prepare();
/// let ball = Shape::from(Sphere::new(0.5)?);
/// let pose = Pose::from_translation([3.0, 0.0, 0.0])?;
/// let mut search = ShapeDistanceSearch::new();
/// let d = loop {
///     match shape::distance_within(&ring, &ball, &pose, &mut Budget::micros(10), &mut search) {
///         DistanceWithin::Open(d) => println!("between {} and {}", d.lower, d.upper),
///         known => break known.distance().expect("no mesh is empty"),
///     }
/// };
/// assert!((d.upper - 1.1).abs() < 0.01);
/// # Ok::<(), impinge::Error>(())
/// ```
pub fn distance_within(
    a: &Shape,
    b: &Shape,
    pose: &Pose,
    budget: &mut Budget<'_>,
    search: &mut ShapeDistanceSearch,
) -> DistanceWithin {
    search.run(a, b, pose, budget)
}
