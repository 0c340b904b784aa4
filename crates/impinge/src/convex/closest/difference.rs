//! The Minkowski difference: the set of all differences of a point of B and a point of A.

use super::BodyCache;
use crate::convex::body::{Mark, Support, UNIT_ROUNDOFF, length_up};
use crate::convex::posed_body::PosedBody;
use crate::math::{Pose, Vec3, unit_scale};

/// A point of the difference, with its two points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::convex) struct Vertex {
    /// `b - a`, scaled.
    pub(in crate::convex) m: Vec3,
    /// The point of A's core.
    pub(in crate::convex) a: Vec3,
    /// The point of B's core, in A's frame.
    pub(in crate::convex) b: Vec3,
    /// The marks of the two points; `None` for a sum of points.
    pub(in crate::convex) marks: Option<[Mark; 2]>,
}

/// `M = B - A` of the cores, in A's frame, scaled by a power of two to a size of about one.
pub(in crate::convex) struct Difference<'a, A: Support, B: Support> {
    a: &'a A,
    b: PosedBody<'a, B>,
    scale: (f64, f64),
    /// A bound of the error of a support point, scaled; without the rounding of the difference
    /// itself.
    error: f64,
    /// From the center of A to the center of B, scaled.
    pub(in crate::convex) center_offset: Vec3,
}

impl<'a, A: Support, B: Support> Difference<'a, A, B> {
    pub(in crate::convex) fn new(a: &'a A, b: &'a B, pose: &'a Pose) -> Self {
        let b = PosedBody::new(b, pose);
        let ((center_a, radius_a), (center_b, radius_b)) = (a.ball(), b.ball());
        let offset = center_b - center_a;
        let size = offset.abs().max_element() + radius_a + radius_b;
        let scale = if size > 0.0 { unit_scale(size) } else { (1.0, 1.0) };
        let (s, t) = scale;
        let error = (a.support_error() + b.error) * (1.0 + 4.0 * UNIT_ROUNDOFF) * s * t;
        Self { a, b, scale, error, center_offset: offset * s * t }
    }

    /// Units of a step of an iteration: two searches for a furthest point, and the simplex.
    pub(in crate::convex) fn units(&self) -> u64 {
        2 + self.a.support_units() + self.b.support_units()
    }

    /// The vertex furthest in `direction`, up to [`Difference::error`].
    pub(in crate::convex) fn furthest(
        &self,
        direction: Vec3,
        cache: &mut BodyCache<A::Memory, B::Memory>,
    ) -> Vertex {
        let a = self.a.furthest(-direction, &mut cache.a);
        let mark_a = self.a.mark(-direction, &cache.a);
        let (b, mark_b) = self.b.furthest(direction, &mut cache.b);
        self.vertex(a, b, [mark_a, mark_b])
    }

    /// The vertices whose marks the cache holds, as far as these bodies have them, without
    /// duplicates.
    pub(in crate::convex) fn point_of_mark(
        &self,
        cache: &mut BodyCache<A::Memory, B::Memory>,
    ) -> Vec<Vertex> {
        let mut vertices: Vec<Vertex> = Vec::with_capacity(4);
        for marks in cache.simplex.iter().take(4) {
            let points = (
                self.a.point_of_mark(marks[0], &mut cache.a),
                self.b.point_of_mark(marks[1], &mut cache.b),
            );
            if let (Some(a), Some(b)) = points {
                let vertex = self.vertex(a, b, *marks);
                if vertices.iter().all(|v| v.m != vertex.m) {
                    vertices.push(vertex);
                }
            }
        }
        vertices
    }

    fn vertex(&self, a: Vec3, b: Vec3, marks: [Mark; 2]) -> Vertex {
        let (s, t) = self.scale;
        Vertex { m: (b - a) * s * t, a, b, marks: Some(marks) }
    }

    /// The error of the vertex `m`: how far it may be from the set, and how much lower than the
    /// furthest point along its direction.
    pub(in crate::convex) fn error(&self, m: Vec3) -> f64 {
        self.error + 2.0 * UNIT_ROUNDOFF * length_up(m) + 1e-300
    }

    /// An upper bound, in the scaled frame, of the height of every point of the set along
    /// `direction`, divided by its length. `support` is the support point there.
    pub(in crate::convex) fn height(&self, direction: Vec3, support: Vec3) -> f64 {
        let along = direction.dot(support) / direction.length();
        // Three roundings of the product, whose terms are no larger than the lengths; one of the
        // length and one of the quotient.
        along + self.error(support) + 12.0 * UNIT_ROUNDOFF * length_up(support)
    }

    /// A scaled length in the caller's unit.
    pub(in crate::convex) fn unscaled(&self, length: f64) -> f64 {
        let (s, t) = self.scale;
        length / t / s
    }

    /// A bound, in the caller's unit, of the distance of weighted sums of core points from their
    /// cores.
    pub(in crate::convex) fn point_error(&self, a: Vec3, b: Vec3) -> f64 {
        self.unscaled(self.error) + 16.0 * UNIT_ROUNDOFF * (length_up(a) + length_up(b))
    }
}
