//! The corners of the set that two triangles share: first symbolic, then as rounded points.
//!
//! Which corners there are is decided exactly from signs alone. Only a corner that is no vertex of
//! either triangle needs arithmetic for its position: the point where an edge crosses a plane or
//! another edge in the same plane. With `h` the (signed, scaled) height of the edge's ends it is
//! `(h_p q - h_q p) / (h_p - h_q)`, in double-double arithmetic where its error is certainly
//! small enough, and in integers otherwise.

use super::double::Double;
use super::element::project;
use super::integer;
use super::orient::MIN_WITHOUT_UNDERFLOW;
use crate::arrays::MapEach;
use crate::math::Vec3;
use crate::math::rounding::UNIT_ROUNDOFF;

/// A corner of the shared set, by the numbers of the caller's corners.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Corner {
    /// A corner of A.
    A(usize),
    /// A corner of B.
    B(usize),
    /// Where this edge of A crosses the plane of B; its ends are strictly on different sides.
    EdgeA([usize; 2]),
    /// Where this edge of B crosses the plane of A; its ends are strictly on different sides.
    EdgeB([usize; 2]),
    /// Where an edge of A and an edge of B in one plane cross in an inner point of both. They are
    /// not parallel in the projection along the axis.
    Edges { a: [usize; 2], b: [usize; 2], axis: usize },
}

/// The shared set, by its corners.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outline {
    Point(Corner),
    Segment(Corner, Corner),
    /// A piece of positive area of a common plane; the projection along this axis is one to one.
    Area {
        axis: usize,
    },
}

impl Corner {
    /// The same corner with the triangles exchanged.
    pub(super) fn swapped(self) -> Self {
        match self {
            Self::A(i) => Self::B(i),
            Self::B(i) => Self::A(i),
            Self::EdgeA(e) => Self::EdgeB(e),
            Self::EdgeB(e) => Self::EdgeA(e),
            Self::Edges { a, b, axis } => Self::Edges { a: b, b: a, axis },
        }
    }

    /// Whether it is a corner of one of the triangles.
    pub(super) fn is_vertex(self) -> bool {
        matches!(self, Self::A(_) | Self::B(_))
    }

    /// Whether it is a corner of A.
    pub(super) fn is_vertex_of_a(self) -> bool {
        matches!(self, Self::A(_))
    }

    /// The position. A vertex is returned unchanged; otherwise each coordinate is within half a
    /// unit in its last place plus `2^-60` of the edge's extent in that coordinate, and never
    /// outside the edge's box.
    pub(super) fn position(self, a: &[Vec3; 3], b: &[Vec3; 3]) -> Vec3 {
        match self {
            Self::A(i) => a[i],
            // A corner of both is returned as A's: they may differ in the sign of a zero.
            Self::B(i) => a.iter().copied().find(|v| *v == b[i]).unwrap_or(b[i]),
            Self::EdgeA([i, j]) => crossing_point(a[i], a[j], &Crossed::Plane(b)),
            Self::EdgeB([i, j]) => crossing_point(b[i], b[j], &Crossed::Plane(a)),
            Self::Edges { a: [i, j], b: [k, l], axis } => {
                crossing_point(a[i], a[j], &Crossed::Line([b[k], b[l]], axis))
            }
        }
    }
}

impl Outline {
    /// The same outline with the triangles exchanged.
    pub(super) fn swapped(self) -> Self {
        match self {
            Self::Point(p) => Self::Point(p.swapped()),
            Self::Segment(p, q) => Self::Segment(p.swapped(), q.swapped()),
            Self::Area { axis } => Self::Area { axis },
        }
    }
}

/// What an edge crosses.
enum Crossed<'a> {
    Plane(&'a [Vec3; 3]),
    Line([Vec3; 2], usize),
}

/// The largest error of an edge parameter (0 to 1 along the edge) due to double-double heights that
/// is accepted.
const MAX_PARAMETER_ERROR: f64 = 1.0 / (1_u64 << 62) as f64;
/// The relative error of a double-double height, derived in `docs/notes/filters.md`.
const DOUBLE_BOUND: f64 = SQUARED_ROUNDOFF * 1024.0;
const SQUARED_ROUNDOFF: f64 = UNIT_ROUNDOFF * UNIT_ROUNDOFF;
/// Coordinates no larger than this cannot overflow in double-double products of three.
const MAX_WITHOUT_OVERFLOW: f64 = 1e80;

/// The point of the edge `pq` on `crossed`.
fn crossing_point(p: Vec3, q: Vec3, crossed: &Crossed<'_>) -> Vec3 {
    let point =
        crossing_in_double(p, q, crossed).unwrap_or_else(|| crossing_in_integers(p, q, crossed));
    point.clamp(p.min(q), p.max(q))
}

/// [`crossing_point`] in double-double arithmetic; `None` where the error may be too large.
fn crossing_in_double(p: Vec3, q: Vec3, crossed: &Crossed<'_>) -> Option<Vec3> {
    let in_range = |v: &Vec3| {
        v.to_array().iter().all(|x| {
            *x == 0.0 || (x.abs() >= MIN_WITHOUT_UNDERFLOW && x.abs() <= MAX_WITHOUT_OVERFLOW)
        })
    };
    let crossed_in_range = match crossed {
        Crossed::Plane(plane) => plane.iter().all(in_range),
        Crossed::Line(line, _) => line.iter().all(in_range),
    };
    if !(crossed_in_range && in_range(&p) && in_range(&q)) {
        return None;
    }
    let (height_p, magnitude_p) = height(p, crossed);
    let (height_q, magnitude_q) = height(q, crossed);
    let span = height_p - height_q;
    // The error of the edge's parameter is at most the sum of the heights' errors over their
    // distance.
    let error = DOUBLE_BOUND * (magnitude_p + magnitude_q);
    if !(error.is_finite() && span.high.abs() * MAX_PARAMETER_ERROR > error) {
        return None;
    }
    let t = height_p / span;
    let coordinate = |p: f64, q: f64| (Double::difference(q, p) * t + Double::from(p)).high;
    let point = Vec3::new(coordinate(p.x, q.x), coordinate(p.y, q.y), coordinate(p.z, q.z));
    point.is_finite().then_some(point)
}

/// The scaled height of `p` over `crossed`, and an upper bound of the size of the products that it
/// is the sum of.
fn height(p: Vec3, crossed: &Crossed<'_>) -> (Double, f64) {
    match *crossed {
        Crossed::Plane(&[a, b, c]) => {
            let difference = |p: Vec3| [0, 1, 2].map_each(|i| Double::difference(p[i], a[i]));
            let [u, v, w] = [b, c, p].map_each(difference);
            let height = (u[1] * v[2] - u[2] * v[1]) * w[0]
                + (u[2] * v[0] - u[0] * v[2]) * w[1]
                + (u[0] * v[1] - u[1] * v[0]) * w[2];
            let largest = |i: usize| u[i].high.abs().max(v[i].high.abs()).max(w[i].high.abs());
            (height, largest(0) * largest(1) * largest(2))
        }
        Crossed::Line([a, b], axis) => {
            let [a, b, p] = [a, b, p].map_each(|v| project(v, axis));
            let difference = |p: [f64; 2]| [0, 1].map_each(|i| Double::difference(p[i], a[i]));
            let (u, v) = (difference(b), difference(p));
            let largest = |i: usize| u[i].high.abs().max(v[i].high.abs());
            (u[0] * v[1] - u[1] * v[0], largest(0) * largest(1))
        }
    }
}

/// [`crossing_point`] in integers, each coordinate rounded once, to nearest. Zero if a coordinate
/// is not finite.
#[cold]
fn crossing_in_integers(p: Vec3, q: Vec3, crossed: &Crossed<'_>) -> Vec3 {
    let (a, b, c) = match *crossed {
        Crossed::Plane(&[a, b, c]) => (a, b, c),
        Crossed::Line([a, b], _) => (a, b, b),
    };
    let coordinates = [p.x, p.y, p.z, q.x, q.y, q.z, a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z];
    let Some(scaled) = integer::scale(coordinates) else {
        return Vec3::ZERO;
    };
    let v = &scaled.values;
    let point = |k: usize| &v[3 * k..3 * k + 3];
    let heights = [0, 1].map_each(|k| match *crossed {
        Crossed::Plane(_) => integer::det3(point(2), point(3), point(4), point(k)),
        Crossed::Line(_, axis) => {
            let projected =
                |k: usize| [(axis + 1) % 3, (axis + 2) % 3].map_each(|i| point(k)[i].clone());
            integer::det2(&projected(2), &projected(3), &projected(k))
        }
    });
    let span = &heights[0] - &heights[1];
    let coordinate = |i: usize| {
        let numerator = &heights[0] * &point(1)[i] - &heights[1] * &point(0)[i];
        integer::quotient(&numerator, &span, scaled.exponent)
    };
    Vec3::new(coordinate(0), coordinate(1), coordinate(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn double_and_integers_agree() {
        let v = |x, y, z| Vec3::new(x, y, z);
        let plane = [v(0.1, 0.2, 0.3), v(1.7, 0.4, -0.2), v(-0.3, 2.1, 0.6)];
        let (p, q) = (v(0.3, 0.5, 4.0), v(0.45, 0.77, -3.0));
        let crossed = Crossed::Plane(&plane);
        assert_eq!(crossing_in_double(p, q, &crossed), Some(crossing_in_integers(p, q, &crossed)));
        for axis in 0..3 {
            let crossed = Crossed::Line([v(0.1, 0.3, 0.9), v(0.8, 0.4, 0.2)], axis);
            let (p, q) = (v(0.0, 0.1, 0.3), v(1.0, 0.7, 0.5));
            assert_eq!(
                crossing_in_double(p, q, &crossed),
                Some(crossing_in_integers(p, q, &crossed))
            );
        }
    }

    #[test]
    fn tiny_coordinates_use_integers() {
        let plane = [Vec3::ZERO, Vec3::X, Vec3::Y];
        let p = Vec3::new(0.25, 0.25, 1e-310);
        let q = Vec3::new(0.5, 0.25, -1e-310);
        assert_eq!(crossing_in_double(p, q, &Crossed::Plane(&plane)), None);
        assert_eq!(crossing_point(p, q, &Crossed::Plane(&plane)), Vec3::new(0.375, 0.25, 0.0));
    }

    #[test]
    fn nearly_parallel_edges_use_integers() {
        // The plane and the edge differ in the last bits of one coordinate.
        let up = f64::from_bits(1e6_f64.to_bits() + 1);
        let down = f64::from_bits(1e6_f64.to_bits() - 1);
        let plane = [Vec3::new(0.0, 0.0, 1e6), Vec3::new(1e6, 0.0, 1e6), Vec3::new(0.0, 1e6, 1e6)];
        let (p, q) = (Vec3::new(0.0, 10.0, up), Vec3::new(9e5, 10.0, down));
        let point = crossing_point(p, q, &Crossed::Plane(&plane));
        assert_eq!((point.x, point.z), (4.5e5, 1e6));
    }
}
