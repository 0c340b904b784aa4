//! Closest points of two simplices of up to three vertices by testing every pair of features.
//!
//! For each pair of features (vertex, edge, face) the closest points of their lines or planes are a
//! candidate for the pair of points, and the direction perpendicular to both features is a
//! candidate for the lower bound. The best of each is kept. Testing all directions makes the lower
//! bound tight also where the true direction is next to the border of two cases: a direction with
//! an error `h` loses nothing at first order if the neighbouring feature's direction is tested as
//! well (`docs/notes/closest.md`).
//!
//! Formulas use cross products rather than the normal equations, whose solution for nearly parallel
//! edges at an angle `h` has an error of `U / h^2` instead of `U / h`; directions are made
//! orthogonal to their edges a second time.

use std::ops::RangeInclusive;

use super::bounds::{lower_bound, upper_bound};
use super::frame::LocalDistance;
use crate::arrays::MapEach;
use crate::math::Vec3;

/// Parameters along an edge for which the second iteration of [`Best::try_edges`] is made: 0 to 1,
/// widened for the error of the first.
const NEAR_EDGE: RangeInclusive<f64> = -0.01..=1.01;

/// The best points and the best lower bound of all pairs of features of the hulls of `a` and `b`.
///
/// If the hulls intersect in such a way that none of these pairs is closest, the bounds are still
/// valid but not tight.
pub(super) fn exhaustive_search(a: &[Vec3], b: &[Vec3], size: f64) -> LocalDistance {
    let mut best = Best { a, b, size, p: a[0], q: b[0], square: f64::INFINITY, lower: 0.0 };
    for &p in a {
        for &q in b {
            best.try_points(p, q);
            best.try_direction(q - p);
        }
    }
    for &p in a {
        for edge in edges(b) {
            let q = best.try_vertex_edge(p, edge);
            best.try_points(p, q);
        }
    }
    for &q in b {
        for edge in edges(a) {
            let p = best.try_vertex_edge(q, edge);
            best.try_points(p, q);
        }
    }
    for edge_a in edges(a) {
        for edge_b in edges(b) {
            best.try_edges(edge_a, edge_b);
        }
    }
    if let Some(face) = Face::new(a) {
        best.try_direction(face.normal);
        for &q in b {
            if let Some(p) = face.foot(q) {
                best.try_points(p, q);
            }
        }
    }
    if let Some(face) = Face::new(b) {
        best.try_direction(face.normal);
        for &p in a {
            if let Some(q) = face.foot(p) {
                best.try_points(p, q);
            }
        }
    }
    let upper = upper_bound(best.p, best.q, size);
    LocalDistance { p: best.p, q: best.q, lower: best.lower.min(upper), upper }
}

/// The sides of a point (none), a segment (one) or a triangle (three).
fn edges(points: &[Vec3]) -> impl Iterator<Item = [Vec3; 2]> {
    let n = points.len();
    let count = if n < 3 { n - 1 } else { n };
    (0..count).map(move |i| [points[i], points[(i + 1) % n]])
}

/// `n` without its component along `e`.
fn perpendicular_to(n: Vec3, e: Vec3) -> Vec3 {
    let ee = e.length_squared();
    if ee > 0.0 { n - e * (n.dot(e) / ee) } else { n }
}

/// The best points and the best lower bound so far.
struct Best<'a> {
    a: &'a [Vec3],
    b: &'a [Vec3],
    size: f64,
    p: Vec3,
    q: Vec3,
    square: f64,
    lower: f64,
}

impl Best<'_> {
    fn try_points(&mut self, p: Vec3, q: Vec3) {
        let square = (q - p).length_squared();
        if square < self.square {
            (self.p, self.q, self.square) = (p, q, square);
        }
    }

    fn try_direction(&mut self, n: Vec3) {
        self.lower = self.lower.max(lower_bound(n, self.a, self.b, self.size));
    }

    /// Tries the direction from the edge's line to `x`. Returns the point of the edge closest to
    /// `x`.
    fn try_vertex_edge(&mut self, x: Vec3, [a, b]: [Vec3; 2]) -> Vec3 {
        let (w, e) = (x - a, b - a);
        let ee = e.length_squared();
        if ee <= 0.0 {
            return a;
        }
        self.try_direction(perpendicular_to(perpendicular_to(w, e), e));
        a + e * (w.dot(e) / ee).clamp(0.0, 1.0)
    }

    /// Tries the common perpendicular of two edges' lines, and its feet if they are on the edges.
    fn try_edges(&mut self, [a, a_end]: [Vec3; 2], [b, b_end]: [Vec3; 2]) {
        let (u, v) = (a_end - a, b_end - b);
        let n = u.cross(v);
        let nn = n.length_squared();
        if nn <= 0.0 {
            return;
        }
        self.try_direction(perpendicular_to(perpendicular_to(n, u), v));
        let (mut s, mut t) = (0.0, 0.0);
        let (mut p, mut q) = (a, b);
        // The second iteration corrects the error of the first: the component of the difference
        // that is not along the perpendicular.
        for _ in 0..2 {
            let r = q - p;
            s += r.cross(v).dot(n) / nn;
            t += r.cross(u).dot(n) / nn;
            if !(NEAR_EDGE.contains(&s) && NEAR_EDGE.contains(&t)) {
                return;
            }
            (s, t) = (s.clamp(0.0, 1.0), t.clamp(0.0, 1.0));
            (p, q) = (a + u * s, b + v * t);
        }
        self.try_points(p, q);
    }
}

/// A triangle whose computed area is positive.
struct Face {
    /// The vertex opposite the longest side: the sides from it are the best conditioned basis of
    /// the plane.
    corner: Vec3,
    u: Vec3,
    v: Vec3,
    cross: Vec3,
    square: f64,
    normal: Vec3,
}

impl Face {
    fn new(points: &[Vec3]) -> Option<Self> {
        let &[a, b, c] = points else { return None };
        let [ab, bc, ca] = [b - a, c - b, a - c].map_each(Vec3::length_squared);
        let [corner, second, third] = if bc >= ab && bc >= ca {
            [a, b, c]
        } else if ca >= ab {
            [b, c, a]
        } else {
            [c, a, b]
        };
        let (u, v) = (second - corner, third - corner);
        let cross = u.cross(v);
        let square = cross.length_squared();
        if square <= 0.0 {
            return None;
        }
        let normal = perpendicular_to(cross, third - second);
        Some(Self { corner, u, v, cross, square, normal })
    }

    /// The foot of the perpendicular from `x`, if it is in the triangle.
    fn foot(&self, x: Vec3) -> Option<Vec3> {
        let (mut s, mut t) = (0.0, 0.0);
        let mut p = self.corner;
        for _ in 0..2 {
            let w = x - p;
            s += w.cross(self.v).dot(self.cross) / self.square;
            t += self.u.cross(w).dot(self.cross) / self.square;
            p = self.corner + self.u * s + self.v * t;
        }
        (s >= 0.0 && t >= 0.0 && s + t <= 1.0).then_some(p)
    }
}
