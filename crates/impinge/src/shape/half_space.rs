//! Half-spaces: the deepest point of the other shape decides. Exact for polytopes and meshes.

use std::ops::ControlFlow;

use num_bigint::BigInt;

use super::answer::{ShapeHit, ShapeSeparation, Verdict, from_interval, zero_distance};
use super::cache::ShapeCache;
use super::form::{Placed, Surface};
use super::margins::Interval;
use super::plane::Plane;
use crate::answer::{Contact, Distance};
use crate::convex;
use crate::convex::interruptible::{finish, pay};
use crate::exact::Sign;
use crate::exact::integer::{scale, sign};
use crate::math::Vec3;
use crate::tree::BoxSearch;

/// The deepest point of a body, from one support query.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deepest {
    /// The point of the core, in the frame of the query.
    point: Vec3,
    /// Its height, rounded.
    height: f64,
    /// Interval of the signed distance of the body, margin included.
    bounds: Interval,
}

fn deepest(plane: &Plane, body: &Placed<'_>, cache: &mut ShapeCache) -> Deepest {
    let placed = convex::PosedBody::new(&body.body, body.pose);
    let (point, _) = placed.furthest(-plane.unit, &mut cache.bodies[1]);
    let (Interval { lower, upper }, height) = plane.height(point);
    let (margin, error) = (body.body.margin, placed.error);
    let slack = 4.0 * f64::EPSILON * (lower.abs() + upper.abs() + margin + error);
    let bounds =
        Interval { lower: lower - margin - error - slack, upper: upper - margin + error + slack };
    Deepest { point, height, bounds }
}

/// Vertices compared with a plane in a unit of work, where floating point decides, and the units of
/// an exact comparison.
const VERTICES_PER_UNIT: usize = 16;
const UNITS_OF_EXACT_SIDE: u64 = 16;

impl Deepest {
    /// The bounds of the signed distance.
    pub(super) fn bounds(&self) -> Interval {
        self.bounds
    }

    /// The deepest point and its foot on the plane.
    pub(super) fn points(&self, plane: &Plane) -> [Vec3; 2] {
        [self.point - plane.unit * self.height, self.point]
    }

    fn verdict(&self, plane: &Plane, meets: bool) -> Verdict {
        if meets {
            return Verdict::Intersecting(ShapeHit::at(self.common_point(plane)));
        }
        let (lower, direction) = (self.bounds.lower.max(0.0), Some(plane.unit));
        Verdict::Separated(ShapeSeparation { lower, direction, certificate: None })
    }

    /// A common point of the half-space and the body, if there is one.
    fn common_point(&self, plane: &Plane) -> Vec3 {
        self.point - plane.unit * self.height.max(0.0)
    }
}

/// Whether a body reaches into the half-space.
pub(super) fn body_meets(plane: &Plane, body: &Placed<'_>, cache: &mut ShapeCache) -> Verdict {
    start_body_meets(plane, body, cache)
        .unwrap_or_else(|found| finish(finish_body_meets(plane, body, &found)))
}

/// The first piece of [`body_meets`].
pub(super) fn start_body_meets(
    plane: &Plane,
    body: &Placed<'_>,
    cache: &mut ShapeCache,
) -> Result<Verdict, Deepest> {
    let found = deepest(plane, body, cache);
    if body.body.hull().is_none() {
        return Ok(from_interval(found.bounds, plane.unit, found.common_point(plane)));
    }
    let meets =
        found.bounds.lower <= 0.0 && plane.side(found.point, body.body.margin) != Sign::Positive;
    if found.bounds.lower > 0.0 || meets { Ok(found.verdict(plane, meets)) } else { Err(found) }
}

/// The rest of [`body_meets`]: the furthest vertex was found in the body's own frame. It need not
/// be the furthest of the moved vertices, which are rounded.
pub(super) async fn finish_body_meets(
    plane: &Plane,
    body: &Placed<'_>,
    found: &Deepest,
) -> Verdict {
    let vertices = body.body.hull().map_or(&[][..], |hull| hull.vertices());
    for row in vertices.chunks(VERTICES_PER_UNIT) {
        pay(1).await;
        for v in row {
            let p = body.pose.transform_point(*v);
            let side = match plane.quick_side(p, body.body.margin) {
                Some(side) => side,
                None => {
                    pay(UNITS_OF_EXACT_SIDE).await;
                    plane.side(p, body.body.margin)
                }
            };
            if side != Sign::Positive {
                return found.verdict(plane, true);
            }
        }
    }
    found.verdict(plane, false)
}

/// The distance of a body from the half-space.
pub(super) fn body_distance(plane: &Plane, body: &Placed<'_>, cache: &mut ShapeCache) -> Distance {
    start_body_distance(plane, body, cache)
        .unwrap_or_else(|found| finish(finish_body_distance(plane, body, &found)))
}

/// The first piece of [`body_distance`].
pub(super) fn start_body_distance(
    plane: &Plane,
    body: &Placed<'_>,
    cache: &mut ShapeCache,
) -> Result<Distance, Deepest> {
    let verdict = start_body_meets(plane, body, cache)?;
    Ok(distance_of(plane, body, &verdict, &deepest(plane, body, cache)))
}

/// The rest of [`body_distance`].
pub(super) async fn finish_body_distance(
    plane: &Plane,
    body: &Placed<'_>,
    found: &Deepest,
) -> Distance {
    distance_of(plane, body, &finish_body_meets(plane, body, found).await, found)
}

fn distance_of(plane: &Plane, body: &Placed<'_>, verdict: &Verdict, found: &Deepest) -> Distance {
    if let Verdict::Intersecting(meeting) = verdict {
        return zero_distance(meeting);
    }
    let min_upper = if verdict.is_separated() { f64::from_bits(1) } else { 0.0 };
    Distance {
        lower: found.bounds.lower.max(0.0),
        upper: found.bounds.upper.max(min_upper),
        point_a: found.point - plane.unit * found.height,
        point_b: found.point - plane.unit * body.body.margin,
        triangle_a: None,
        triangle_b: None,
    }
}

/// The signed distance of a body from the half-space.
pub(super) fn body_contact(plane: &Plane, body: &Placed<'_>, cache: &mut ShapeCache) -> Contact {
    let found = deepest(plane, body, cache);
    Contact {
        lower: found.bounds.lower,
        upper: found.bounds.upper,
        direction: plane.unit,
        point_a: found.point - plane.unit * found.height,
        point_b: found.point - plane.unit * body.body.margin,
    }
}

/// What the search for the lowest vertex of a mesh has found.
#[derive(Clone, Copy, Debug)]
pub(super) struct LowestFound {
    pub(super) meeting: Option<ShapeHit>,
    /// The bounds of the lowest vertex, the vertex and its triangle.
    best: Option<(Interval, Vec3, u32)>,
    lower: f64,
}

impl Default for LowestFound {
    fn default() -> Self {
        Self { meeting: None, best: None, lower: f64::INFINITY }
    }
}

/// The search for the lowest vertex of a mesh.
pub(super) struct Lowest<'a> {
    plane: &'a Plane,
    surface: &'a Surface<'a>,
    /// The normal and the offset of the plane in the mesh's frame, and a bound of the error of
    /// heights computed with them.
    normal: Vec3,
    offset: f64,
    slack: f64,
    /// Whether one vertex in the half-space is enough.
    first_only: bool,
    pub(super) found: LowestFound,
}

impl<'a> Lowest<'a> {
    /// A search, or the continuation of one that has found this.
    pub(super) fn new(
        plane: &'a Plane,
        surface: &'a Surface<'a>,
        first_only: bool,
        found: LowestFound,
    ) -> Self {
        let (normal, offset) = plane.in_frame_of(surface.pose);
        let bounds = surface.mesh.bounds();
        let size = if bounds.is_empty() {
            0.0
        } else {
            bounds.min.abs().max(bounds.max.abs()).element_sum()
        };
        let moved = surface.pose.translation().abs() + plane.through.abs();
        // About twenty roundings of numbers no larger than this sum. The pose may stretch by its
        // tolerance; the normal is transformed with the transpose, which takes that into account.
        let slack =
            64.0 * f64::EPSILON * (size + moved.element_sum() + offset.abs()) + f64::MIN_POSITIVE;
        Self { plane, surface, normal, offset, slack, first_only, found }
    }

    fn find(plane: &'a Plane, surface: &'a Surface<'a>, first_only: bool) -> LowestFound {
        let mut lowest = Self::new(plane, surface, first_only, LowestFound::default());
        // The result is in `lowest`, whether the search was stopped early or not.
        let _ = surface.search(&mut lowest);
        lowest.found
    }
}

impl LowestFound {
    /// The verdict after the search, for a mesh that is not empty.
    pub(super) fn verdict(&self, plane: &Plane) -> Verdict {
        self.meeting.map_or_else(
            || {
                let (lower, direction) = (self.lower.max(0.0), Some(plane.unit));
                Verdict::Separated(ShapeSeparation { lower, direction, certificate: None })
            },
            Verdict::Intersecting,
        )
    }

    /// The distance from the vertices so far, of which others, and all subtrees that were not
    /// searched, have at least the distance `lower`; `None` without a vertex.
    pub(super) fn distance(&self, plane: &Plane, lower: f64) -> Option<Distance> {
        if let Some(meeting) = &self.meeting {
            return Some(zero_distance(meeting));
        }
        let (bounds, point, triangle) = self.best?;
        let upper = bounds.upper.max(f64::from_bits(1));
        Some(Distance {
            lower: self.lower.min(lower).min(upper).max(0.0),
            upper,
            point_a: point - plane.unit * plane.height(point).1,
            point_b: point,
            triangle_a: None,
            triangle_b: Some(triangle),
        })
    }
}

impl BoxSearch for Lowest<'_> {
    fn lower_bound(&mut self, center: Vec3, half: Vec3) -> f64 {
        self.normal.dot(center) - self.normal.abs().dot(half) - self.offset - self.slack
    }

    fn limit(&self) -> f64 {
        match &self.found.best {
            Some((bounds, ..)) if !self.first_only => bounds.upper,
            _ if self.first_only => 0.0,
            _ => f64::INFINITY,
        }
    }

    fn skipped(&mut self, lower: f64) {
        self.found.lower = self.found.lower.min(lower);
    }

    fn triangle(&mut self, index: u32, lower: f64) -> ControlFlow<()> {
        let found = &mut self.found;
        for corner in self.surface.triangle(index) {
            if self.plane.side(corner, 0.0) != Sign::Positive {
                found.meeting = Some(ShapeHit { triangle_b: Some(index), ..ShapeHit::at(corner) });
                return ControlFlow::Break(());
            }
            let (bounds, _) = self.plane.height(corner);
            found.lower = found.lower.min(bounds.lower.max(lower));
            if found.best.is_none_or(|(best, ..)| bounds.upper < best.upper) {
                found.best = Some((bounds, corner, index));
            }
        }
        ControlFlow::Continue(())
    }
}

/// Whether a mesh reaches into the half-space.
pub(super) fn mesh_meets(plane: &Plane, surface: &Surface<'_>) -> Verdict {
    if surface.mesh.is_empty() {
        return Verdict::Separated(ShapeSeparation::NOTHING);
    }
    Lowest::find(plane, surface, true).verdict(plane)
}

/// The distance of a mesh from the half-space.
pub(super) fn mesh_distance(plane: &Plane, surface: &Surface<'_>) -> Option<Distance> {
    Lowest::find(plane, surface, false).distance(plane, f64::INFINITY)
}

/// Whether two half-spaces share a point: always, unless they face each other exactly. The first
/// one is in its own frame.
pub(super) fn planes_meet(a: &Plane, b: &Plane) -> Verdict {
    let distance = planes_distance(a, b);
    if distance.upper == 0.0 {
        return Verdict::Intersecting(ShapeHit::at(distance.point_a));
    }
    let (lower, direction) = (distance.lower, Some(a.unit));
    Verdict::Separated(ShapeSeparation { lower, direction, certificate: None })
}

/// The distance of two half-spaces. The first one is in its own frame.
pub(super) fn planes_distance(a: &Plane, b: &Plane) -> Distance {
    // The points on the planes closest to the origin and to `b.through`.
    let foot = |plane: &Plane, through: Vec3| through - plane.unit * plane.height(through).1;
    let (on_a, on_b) = (foot(a, Vec3::ZERO), foot(b, b.through));
    if !are_opposite_with_gap(a, b) {
        return zero_distance(&ShapeHit::at(common_point(a, b, on_a, on_b)));
    }
    let (Interval { lower, upper }, height) = b.height(on_a);
    // The foot has a distance of a few roundings from its plane.
    let slack = 16.0 * f64::EPSILON * on_a.abs().element_sum();
    Distance {
        lower: (lower - slack).max(0.0),
        upper: (upper + slack).max(f64::from_bits(1)),
        point_a: on_a,
        point_b: on_a - b.unit * height,
        triangle_a: None,
        triangle_b: None,
    }
}

/// A common point, rounded, of two half-spaces that have one.
fn common_point(a: &Plane, b: &Plane, on_a: Vec3, on_b: Vec3) -> Vec3 {
    if b.height(on_a).1 <= 0.0 {
        return on_a;
    }
    if a.height(on_b).1 <= 0.0 {
        return on_b;
    }
    // Along A's plane into B.
    let along = b.unit - a.unit * a.unit.dot(b.unit);
    let slope = along.dot(b.unit);
    let point = on_a - along * (b.height(on_a).1 / slope);
    if point.is_finite() { point } else { on_a }
}

/// Whether the normals are exactly opposite and there is a gap between the half-spaces: with
/// `b.normal = -k a.normal`, whether `-(b.offset + b.normal . through) > k a.offset`.
fn are_opposite_with_gap(a: &Plane, b: &Plane) -> bool {
    let facing = a.unit.dot(b.unit);
    if facing > -0.5 || a.unit.cross(b.unit).length() > 1e-12 {
        return false;
    }
    let t = b.through;
    let (Some(m), Some(n), Some(t), Some(o), Some(p)) = (
        scale(a.normal.to_array()),
        scale(b.normal.to_array()),
        scale(t.to_array()),
        scale([a.offset]),
        scale([b.offset]),
    ) else {
        return false;
    };
    let (u, v) = (&m.values, &n.values);
    let is_opposite = (0..3).all(|i| &u[i] * &v[(i + 1) % 3] == &u[(i + 1) % 3] * &v[i]);
    if !is_opposite {
        return false;
    }
    // (b.offset + b.normal . t) (a . a) < (b . a) a.offset, every term with its exponent.
    let dot =
        |x: &[BigInt; 3], y: &[BigInt; 3]| -> BigInt { x.iter().zip(y).map(|(x, y)| x * y).sum() };
    let term = |x: BigInt, e: i32| (x, e);
    let squared = dot(u, u);
    let terms = [
        term(&p.values[0] * &squared, p.exponent + 2 * m.exponent),
        term(dot(v, &t.values) * &squared, n.exponent + t.exponent + 2 * m.exponent),
        term(-dot(v, u) * &o.values[0], n.exponent + m.exponent + o.exponent),
    ];
    let unit = terms.iter().map(|(_, e)| *e).min().unwrap_or(0);
    let sum: BigInt = terms.iter().map(|(x, e)| x << (e - unit) as u32).sum();
    sign(&sum) == Sign::Negative
}
