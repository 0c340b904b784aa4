//! Up to four corners of the Minkowski difference, and the point of their hull that is closest to
//! the origin.

use super::vector::{Number, Vector};
use crate::math::Vec3;

/// A vertex of the Minkowski difference A - B, with the vertices it is the difference of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Corner<V> {
    /// `a - b`, in A's frame, rounded.
    pub(super) w: V,
    pub(super) a: u32,
    pub(super) b: u32,
}

impl<V: Vector> Corner<V> {
    pub(super) const NONE: Self = Self { w: V::ZERO, a: 0, b: 0 };
}

/// Corners whose hull is a point, a segment, a triangle or a tetrahedron; the newest is the last.
#[derive(Clone, Copy, Debug)]
pub(super) struct Simplex<V> {
    /// Points and vertices are separate arrays, so that each is loaded in the pieces it was stored
    /// in; other loads wait until the store has reached memory.
    points: [V; 4],
    /// The vertex of A in the low half, that of B in the high half.
    vertices: [u64; 4],
    len: usize,
}

/// Where the origin lies relative to a simplex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Nearest<V: Vector> {
    /// Outside. The closest point is `direction * (height / |direction|^2)`; the division is left
    /// until it is needed.
    Toward {
        /// From the origin to the closest point, of any length.
        direction: V,
        /// The product of the direction and the closest point.
        height: V::Number,
    },
    /// Inside the tetrahedron or on it, to rounding.
    Inside,
}

impl<V: Vector> Nearest<V> {
    #[inline(always)]
    fn toward(direction: V, at: V) -> Self {
        Self::Toward { direction, height: direction.dot(at) }
    }

    /// The square of the distance; zero inside.
    #[inline(always)]
    pub(super) fn square(&self) -> V::Number {
        match self {
            Self::Toward { direction, height } => height.square_over(direction.dot(*direction)),
            Self::Inside => V::Number::ZERO,
        }
    }
}

/// The corners of a triangle that its closest point needs, as bits.
const A: usize = 1;
const B: usize = 2;
const C: usize = 4;

/// For each set of corners of a triangle: their number, and the indices of the first two in order.
const CORNERS_OF_SET: [(usize, [usize; 2]); 8] = [
    (0, [0, 1]),
    (1, [0, 1]),
    (1, [1, 1]),
    (2, [0, 1]),
    (1, [2, 1]),
    (2, [0, 2]),
    (2, [1, 2]),
    (3, [0, 1]),
];

impl<V: Vector> Simplex<V> {
    pub(super) const EMPTY: Self = Self { points: [V::ZERO; 4], vertices: [0; 4], len: 0 };

    /// The first `len` of these points, with their vertices, that of A in the low half, that of B
    /// in the high half.
    #[inline(always)]
    pub(super) fn new(points: [V; 4], vertices: [u64; 4], len: usize) -> Self {
        Self { points, vertices, len }
    }

    /// The same vertices with other points.
    #[inline(always)]
    pub(super) fn at<U: Vector>(&self, points: [U; 4]) -> Simplex<U> {
        Simplex { points, vertices: self.vertices, len: self.len }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    #[inline(always)]
    pub(super) fn corner(&self, k: usize) -> Corner<V> {
        let (a, b) = (self.vertices[k & 3] as u32, (self.vertices[k & 3] >> 32) as u32);
        Corner { w: self.points[k & 3], a, b }
    }

    pub(super) fn corners(&self) -> impl Iterator<Item = Corner<V>> + '_ {
        (0..self.len).map(|k| self.corner(k))
    }

    /// All four corners, if the simplex is a tetrahedron.
    #[inline(always)]
    pub(super) fn tetrahedron_corners(&self) -> Option<[Corner<V>; 4]> {
        (self.len == 4).then(|| [self.corner(0), self.corner(1), self.corner(2), self.corner(3)])
    }

    /// Copies the corner at `from` over the one at `to`.
    #[inline(always)]
    fn copy(&mut self, from: usize, to: usize) {
        self.points[to & 3] = self.points[from & 3];
        self.vertices[to & 3] = self.vertices[from & 3];
    }

    /// Whether one of the corners is the difference of these vertices.
    #[inline(always)]
    pub(super) fn has(&self, corner: &Corner<V>) -> bool {
        let vertices = u64::from(corner.a) | u64::from(corner.b) << 32;
        let mut found = false;
        for k in 0..4 {
            found |= (self.vertices[k] == vertices) & (k < self.len);
        }
        found
    }

    #[inline(always)]
    pub(super) fn push(&mut self, corner: Corner<V>) {
        debug_assert!(self.len < 4, "a simplex has at most four corners");
        self.points[self.len & 3] = corner.w;
        self.vertices[self.len & 3] = u64::from(corner.a) | u64::from(corner.b) << 32;
        self.len += 1;
    }

    /// Finds the closest point and drops the corners that it does not need. The newest corner must
    /// lie nearer to the origin than the others, measured along their closest point: then the new
    /// closest point needs it.
    #[inline(always)]
    pub(super) fn reduce(&mut self) -> Nearest<V> {
        match self.len {
            1 => self.vertex(0),
            2 => self.segment(),
            3 => self.triangle(),
            _ => self.tetrahedron(),
        }
    }

    /// As [`reduce`](Self::reduce), for corners that are most likely all needed.
    #[inline(always)]
    pub(super) fn reduce_expecting_all(&mut self) -> Nearest<V> {
        let all = *self;
        let nearest = self.reduce();
        if self.len == all.len || nearest == Nearest::Inside {
            return nearest;
        }
        *self = all;
        self.reduce_any_order()
    }

    /// As [`reduce`](Self::reduce), for corners from a cache. The result may not be the closest
    /// part of the simplex, but it is a valid start. Not inlined, so that cold searches keep their
    /// registers.
    #[inline(never)]
    pub(super) fn reduce_cached(&mut self) -> Nearest<V> {
        self.reduce()
    }

    /// As [`reduce`](Self::reduce), for corners in any order.
    pub(super) fn reduce_any_order(&mut self) -> Nearest<V> {
        let all = *self;
        let mut best = self.reduce();
        if all.len == 1 || best == Nearest::Inside {
            return best;
        }
        let mut square = best.square();
        // Every corner is tried as the newest: one that the closest point needs gives it.
        for first in 1..all.len {
            let mut rotated = Self::EMPTY;
            for k in 0..all.len {
                rotated.push(all.corner((first + k) % all.len));
            }
            let nearest = rotated.reduce();
            if nearest.square() < square {
                (best, square) = (nearest, nearest.square());
                *self = rotated;
            }
        }
        best
    }

    #[inline(always)]
    fn vertex(&mut self, k: usize) -> Nearest<V> {
        self.copy(k, 0);
        self.len = 1;
        Nearest::toward(self.points[0], self.points[0])
    }

    #[inline(always)]
    fn segment(&mut self) -> Nearest<V> {
        let (old, new) = (self.points[0], self.points[1]);
        let edge = old - new;
        let (along, square) = (-new.dot(edge), edge.dot(edge));
        if along <= V::Number::ZERO {
            self.vertex(1)
        } else if along < square {
            Nearest::toward(new * square + edge * along, new)
        } else {
            self.vertex(0)
        }
    }

    #[inline(always)]
    fn triangle(&mut self) -> Nearest<V> {
        let (needed, nearest) = nearest_of_triangle(self.points[0], self.points[1], self.points[2]);
        self.keep(needed);
        nearest
    }

    /// Keeps those of the first three corners whose bits are set.
    #[inline(always)]
    fn keep(&mut self, needed: usize) {
        if needed != A | B | C {
            let (len, [first, second]) = CORNERS_OF_SET[needed & 7];
            self.copy(first, 0);
            self.copy(second, 1);
            self.len = len;
        } else {
            self.len = 3;
        }
    }

    #[inline(always)]
    fn tetrahedron(&mut self) -> Nearest<V> {
        let [a, b, c, d] = self.points;
        let (u, v, w) = (a - d, b - d, c - d);
        // Each is six times the signed volume of the tetrahedron of the origin and a face through
        // the newest corner; `whole` is that of the whole.
        let (face_c, face_a, face_b) = (u.cross(v), v.cross(w), w.cross(u));
        let whole = face_c.dot(w);
        let zero = V::Number::ZERO;
        let d = if whole < zero { d } else { -d };
        let (at_a, at_b, at_c) = (face_a.dot(d), face_b.dot(d), face_c.dot(d));
        let all = if whole < zero { -whole } else { whole };
        let out = usize::from(at_a < zero)
            | usize::from(at_b < zero) << 1
            | usize::from(at_c < zero) << 2
            | usize::from(at_a + at_b + at_c > all) << 3;
        if (out == 0) & (whole != zero) {
            return Nearest::Inside;
        }
        if matches!(out, 1 | 2 | 4) & (whole != zero) {
            // The newest corner replaces the one opposite the face.
            let dropped = out.trailing_zeros() as usize;
            self.copy(2, dropped);
            self.copy(3, 2);
            return self.triangle();
        }
        let out = if whole == zero { 15 } else { out };
        let (all, mut best, mut least) = (*self, (*self, Nearest::Inside), V::Number::INFINITY);
        for dropped in 0..4 {
            if out >> dropped & 1 != 0 {
                let mut face = all;
                if dropped < 3 {
                    face.copy(2, dropped);
                    face.copy(3, 2);
                }
                let nearest = face.triangle();
                let square = nearest.square();
                if square < least {
                    (best, least) = ((face, nearest), square);
                }
            }
        }
        *self = best.0;
        best.1
    }
}

impl Simplex<Vec3> {
    /// The corners with their weights for the closest point; the weights add up to one.
    #[inline(always)]
    pub(super) fn weights(&self) -> [(Corner<Vec3>, f64); 3] {
        let corners = [self.corner(0), self.corner(1), self.corner(2)];
        let weights = weights([corners[0].w, corners[1].w, corners[2].w], self.len);
        [(corners[0], weights[0]), (corners[1], weights[1]), (corners[2], weights[2])]
    }
}

/// The weights of the first `len` corners for the point closest to the origin, which must need all
/// of them. They add up to one.
#[inline(always)]
pub(super) fn weights([a, b, c]: [Vec3; 3], len: usize) -> [f64; 3] {
    match len {
        1 => [1.0, 0.0, 0.0],
        2 => {
            let edge = a - b;
            let weight = (-b.dot(edge) / edge.length_squared()).clamp_to(1.0);
            [weight, 1.0 - weight, 0.0]
        }
        _ => {
            let (u, v) = (a - c, b - c);
            let n = u.cross(v);
            let m = c.cross(n) / n.length_squared();
            let at_a = v.dot(m).clamp_to(1.0);
            let at_b = (-u.dot(m)).clamp_to(1.0 - at_a);
            [at_a, at_b, 1.0 - at_a - at_b]
        }
    }
}

/// The point of a triangle closest to the origin, if that needs the corner `c`, and the set of
/// corners that it needs.
#[inline(always)]
fn nearest_of_triangle<V: Vector>(a: V, b: V, c: V) -> (usize, Nearest<V>) {
    let zero = V::Number::ZERO;
    let (u, v) = (a - c, b - c);
    let n = u.cross(v);
    let whole = n.dot(n);
    let m = c.cross(n);
    let (at_a, at_b) = (v.dot(m), -u.dot(m));
    if (at_a > zero) & (at_b > zero) & (at_a + at_b < whole) {
        let height = n.dot(c);
        let direction = if height < zero { -n } else { n };
        return (
            A | B | C,
            Nearest::Toward { direction, height: if height < zero { -height } else { height } },
        );
    }
    // On one of the edges through c, or at c.
    let (along_u, along_v) = (-c.dot(u), -c.dot(v));
    let (square_u, square_v) = (u.dot(u), v.dot(v));
    // The decrease of the squared distance from `c` along each edge, times both squares.
    let (on_u, on_v) = (along_u.clamp_to(square_u), along_v.clamp_to(square_v));
    let gain_u = (along_u + along_u - on_u) * on_u * square_v;
    let gain_v = (along_v + along_v - on_v) * on_v * square_u;
    let (on, square, edge, other) =
        if gain_u >= gain_v { (on_u, square_u, u, A) } else { (on_v, square_v, v, B) };
    if on <= zero {
        return (C, Nearest::toward(c, c));
    }
    if on >= square {
        return (other, Nearest::toward(c + edge, c + edge));
    }
    (other | C, Nearest::toward(c * square + edge * on, c))
}
