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
use crate::exact::Sign;
use crate::exact::integer::{scale, sign};
use crate::math::Vec3;
use crate::tree::BoxSearch;

/// The deepest point of a body, from one support query.
struct Deepest {
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

impl Deepest {
    /// A common point of the half-space and the body, if there is one.
    fn common_point(&self, plane: &Plane) -> Vec3 {
        self.point - plane.unit * self.height.max(0.0)
    }
}

/// Whether a body reaches into the half-space.
pub(super) fn body_meets(plane: &Plane, body: &Placed<'_>, cache: &mut ShapeCache) -> Verdict {
    let found = deepest(plane, body, cache);
    let Some(hull) = body.body.hull() else {
        return from_interval(found.bounds, plane.unit, found.common_point(plane));
    };
    let meets = |point: &Vec3| plane.side(*point, body.body.margin) != Sign::Positive;
    if found.bounds.lower <= 0.0 {
        // The furthest vertex was found in the body's own frame. It need not be the furthest of the
        // moved vertices, which are rounded.
        let placed = || hull.vertices().iter().map(|v| body.pose.transform_point(*v));
        if meets(&found.point) || placed().any(|p| meets(&p)) {
            return Verdict::Intersecting(ShapeHit::at(found.common_point(plane)));
        }
    }
    let lower = found.bounds.lower.max(0.0);
    Verdict::Separated(ShapeSeparation { lower, direction: Some(plane.unit), certificate: None })
}

/// The distance of a body from the half-space.
pub(super) fn body_distance(plane: &Plane, body: &Placed<'_>, cache: &mut ShapeCache) -> Distance {
    let verdict = body_meets(plane, body, cache);
    if let Verdict::Intersecting(meeting) = verdict {
        return zero_distance(&meeting);
    }
    let found = deepest(plane, body, cache);
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

/// The search for the lowest vertex of a mesh.
struct Lowest<'a> {
    plane: &'a Plane,
    surface: &'a Surface<'a>,
    /// The normal and the offset of the plane in the mesh's frame, and a bound of the error of
    /// heights computed with them.
    normal: Vec3,
    offset: f64,
    slack: f64,
    /// Whether one vertex in the half-space is enough.
    first_only: bool,
    meeting: Option<ShapeHit>,
    /// The bounds of the lowest vertex, the vertex and its triangle.
    best: Option<(Interval, Vec3, u32)>,
    lower: f64,
}

impl<'a> Lowest<'a> {
    fn find(plane: &'a Plane, surface: &'a Surface<'a>, first_only: bool) -> Self {
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
        let mut lowest = Self {
            plane,
            surface,
            normal,
            offset,
            slack,
            first_only,
            meeting: None,
            best: None,
            lower: f64::INFINITY,
        };
        // The result is in `lowest`, whether the search was stopped early or not.
        let _ = surface.search(&mut lowest);
        lowest
    }
}

impl BoxSearch for Lowest<'_> {
    fn lower_bound(&mut self, center: Vec3, half: Vec3) -> f64 {
        self.normal.dot(center) - self.normal.abs().dot(half) - self.offset - self.slack
    }

    fn limit(&self) -> f64 {
        match &self.best {
            Some((bounds, ..)) if !self.first_only => bounds.upper,
            _ if self.first_only => 0.0,
            _ => f64::INFINITY,
        }
    }

    fn skipped(&mut self, lower: f64) {
        self.lower = self.lower.min(lower);
    }

    fn triangle(&mut self, index: u32) -> ControlFlow<()> {
        for corner in self.surface.triangle(index) {
            if self.plane.side(corner, 0.0) != Sign::Positive {
                self.meeting = Some(ShapeHit { triangle_b: Some(index), ..ShapeHit::at(corner) });
                return ControlFlow::Break(());
            }
            let (bounds, _) = self.plane.height(corner);
            self.lower = self.lower.min(bounds.lower);
            if self.best.is_none_or(|(best, ..)| bounds.upper < best.upper) {
                self.best = Some((bounds, corner, index));
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
    let found = Lowest::find(plane, surface, true);
    found.meeting.map_or_else(
        || {
            let lower = found.lower.max(0.0);
            Verdict::Separated(ShapeSeparation {
                lower,
                direction: Some(plane.unit),
                certificate: None,
            })
        },
        Verdict::Intersecting,
    )
}

/// The distance of a mesh from the half-space.
pub(super) fn mesh_distance(plane: &Plane, surface: &Surface<'_>) -> Option<Distance> {
    let found = Lowest::find(plane, surface, false);
    if let Some(meeting) = &found.meeting {
        return Some(zero_distance(meeting));
    }
    let (bounds, point, triangle) = found.best?;
    Some(Distance {
        lower: found.lower.min(bounds.upper).max(0.0),
        upper: bounds.upper.max(f64::from_bits(1)),
        point_a: point - plane.unit * plane.height(point).1,
        point_b: point,
        triangle_a: None,
        triangle_b: Some(triangle),
    })
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
