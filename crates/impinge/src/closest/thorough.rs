//! Closest points of two simplices of up to three vertices by trying every pair of features.
//!
//! For each pair of features (vertex, edge, face) the closest points of their lines or planes are a
//! candidate for the pair of points, and the direction square to both features is a candidate for
//! the lower bound. The best of each is kept. Trying all directions makes the lower bound tight
//! also where the true direction is next to the border of two cases: a direction that is off by `h`
//! loses nothing at first order if the neighbouring feature's direction is tried as well
//! (`docs/notes/closest.md`).
//!
//! Formulas use cross products rather than the normal equations, whose solution for nearly parallel
//! edges at an angle `h` is off by `U / h^2` instead of `U / h`; directions are made orthogonal to
//! their edges a second time.

use super::bounds::{lower, upper};
use super::frame::Answer;
use crate::math::Vec3;

/// The best points and the best lower bound of all pairs of features of the hulls of `a` and `b`.
///
/// If the hulls cross, so that none of these pairs is closest, the bounds are valid still but not
/// tight.
pub(super) fn thorough(a: &[Vec3], b: &[Vec3], size: f64) -> Answer {
    let mut best = Best { a, b, size, p: a[0], q: b[0], square: f64::INFINITY, lower: 0.0 };
    for &p in a {
        for &q in b {
            best.points(p, q);
            best.direction(q - p);
        }
    }
    for &p in a {
        for edge in edges(b) {
            let q = best.vertex_edge(p, edge);
            best.points(p, q);
        }
    }
    for &q in b {
        for edge in edges(a) {
            let p = best.vertex_edge(q, edge);
            best.points(p, q);
        }
    }
    for edge_a in edges(a) {
        for edge_b in edges(b) {
            best.edge_edge(edge_a, edge_b);
        }
    }
    if let Some(face) = Face::new(a) {
        best.direction(face.normal);
        for &q in b {
            if let Some(p) = face.below(q) {
                best.points(p, q);
            }
        }
    }
    if let Some(face) = Face::new(b) {
        best.direction(face.normal);
        for &p in a {
            if let Some(q) = face.below(p) {
                best.points(p, q);
            }
        }
    }
    let upper = upper(best.p, best.q, size);
    Answer { p: best.p, q: best.q, lower: best.lower.min(upper), upper }
}

/// The sides of a point (none), a segment (one) or a triangle (three).
fn edges(points: &[Vec3]) -> impl Iterator<Item = [Vec3; 2]> {
    let n = points.len();
    let count = if n < 3 { n - 1 } else { n };
    (0..count).map(move |i| [points[i], points[(i + 1) % n]])
}

/// `n` without its part along `e`.
fn square_to(n: Vec3, e: Vec3) -> Vec3 {
    let ee = e.length_squared();
    if ee > 0.0 { n - e * (n.dot(e) / ee) } else { n }
}

/// The best of what was tried.
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
    fn points(&mut self, p: Vec3, q: Vec3) {
        let square = (q - p).length_squared();
        if square < self.square {
            (self.p, self.q, self.square) = (p, q, square);
        }
    }

    fn direction(&mut self, n: Vec3) {
        self.lower = self.lower.max(lower(n, self.a, self.b, self.size));
    }

    /// Tries the direction from the edge's line to `x`; the point of the edge closest to `x`.
    fn vertex_edge(&mut self, x: Vec3, [a, b]: [Vec3; 2]) -> Vec3 {
        let (w, e) = (x - a, b - a);
        let ee = e.length_squared();
        if ee <= 0.0 {
            return a;
        }
        self.direction(square_to(square_to(w, e), e));
        a + e * (w.dot(e) / ee).clamp(0.0, 1.0)
    }

    /// Tries the common perpendicular of two edges' lines, and its feet if they are on the edges.
    fn edge_edge(&mut self, [a, a_end]: [Vec3; 2], [b, b_end]: [Vec3; 2]) {
        let (u, v) = (a_end - a, b_end - b);
        let n = u.cross(v);
        let nn = n.length_squared();
        if nn <= 0.0 {
            return;
        }
        self.direction(square_to(square_to(n, u), v));
        let (mut s, mut t) = (0.0, 0.0);
        let (mut p, mut q) = (a, b);
        // The second round corrects the first by what is left of the difference beside the
        // perpendicular.
        for _ in 0..2 {
            let r = q - p;
            s += r.cross(v).dot(n) / nn;
            t += r.cross(u).dot(n) / nn;
            if !((-0.01..=1.01).contains(&s) && (-0.01..=1.01).contains(&t)) {
                return;
            }
            (s, t) = (s.clamp(0.0, 1.0), t.clamp(0.0, 1.0));
            (p, q) = (a + u * s, b + v * t);
        }
        self.points(p, q);
    }
}

/// A triangle of positive area, as computed.
struct Face {
    /// The vertex opposite the longest side: the sides from it are the best basis of the plane.
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
        let [ab, bc, ca] = [b - a, c - b, a - c].map(Vec3::length_squared);
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
        let normal = square_to(cross, third - second);
        Some(Self { corner, u, v, cross, square, normal })
    }

    /// The foot of the perpendicular from `x`, if it is in the triangle.
    fn below(&self, x: Vec3) -> Option<Vec3> {
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
