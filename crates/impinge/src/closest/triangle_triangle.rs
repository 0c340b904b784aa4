//! Triangle and triangle.
//!
//! The search uses the early exit of the PQP library (Larsen, Gottschalk, Lin and Manocha 1999,
//! "Fast proximity queries with swept sphere volumes"): the closest points of two sides are those
//! of the triangles if the third vertices are beyond the planes through these points. The remaining
//! case is a vertex above a face.

use super::WithError;
use super::bounds::{lower_bound, upper_bound};
use super::exhaustive::exhaustive_search;
use super::frame::{Local, LocalDistance, UNIT_ROUNDOFF};
use super::point_triangle::point_triangle;
use crate::answer::Distance;
use crate::arrays::MapEach;
use crate::exact::{EXACT_RANGE, triangles_intersect};
use crate::math::Vec3;

/// The largest accepted difference of the bounds, as a multiple of the size of the local frame:
/// 5.7e-14. The bounds of a search without errors differ by 80 to 130 unit roundoffs.
const MAX_BOUNDS_GAP: f64 = 512.0 * UNIT_ROUNDOFF;

/// The closest points of two closed triangles, and bounds of their distance.
///
/// `lower` and `upper` are both zero if and only if the triangles share a point, which is decided
/// exactly; both points are then the same. Triangles may have zero area. Beyond [`EXACT_RANGE`] the
/// exact decision is not available; the bounds hold there, too, but are never both zero unless all
/// points are equal.
///
/// ```
/// use impinge::Vec3;
/// use impinge::closest::triangle_triangle;
///
/// let a = [Vec3::ZERO, Vec3::X, Vec3::Y];
/// let above = triangle_triangle(&a, &a.map(|p| p + Vec3::Z));
/// assert!(above.lower <= 1.0 && 1.0 <= above.upper && above.upper - above.lower < 1e-13);
/// let touching = triangle_triangle(&a, &a.map(|p| p + Vec3::X));
/// assert_eq!((touching.lower, touching.upper), (0.0, 0.0));
/// ```
#[must_use]
pub fn triangle_triangle(a: &[Vec3; 3], b: &[Vec3; 3]) -> Distance {
    triangle_triangle_with_error(a, b).distance
}

/// As [`triangle_triangle`], with the error of the points.
#[inline]
#[must_use]
pub fn triangle_triangle_with_error(a: &[Vec3; 3], b: &[Vec3; 3]) -> WithError {
    if triangles_intersect(a, b) { common_point(a, b) } else { disjoint_with_error(a, b) }
}

/// The closest points of two triangles that do not share a point.
///
/// The bounds hold for triangles that do, too, but then `upper` is not zero and may be large.
/// `lower` may be zero although the triangles are disjoint, if their distance is below the rounding
/// errors.
#[inline]
#[must_use]
pub fn disjoint(a: &[Vec3; 3], b: &[Vec3; 3]) -> Distance {
    disjoint_with_error(a, b).distance
}

/// As [`disjoint`], with the error of the points.
#[inline]
fn disjoint_with_error(a: &[Vec3; 3], b: &[Vec3; 3]) -> WithError {
    let local = match Local::new(a, b) {
        Ok(local) => local,
        Err(answer) => return answer,
    };
    let Local { a, b, size, .. } = &local;
    let size = *size;
    let found = search(a, b);
    let mut answer = LocalDistance {
        p: found.p,
        q: found.q,
        lower: lower_bound(found.q - found.p, a, b, size),
        upper: upper_bound(found.p, found.q, size),
    };
    // If the points are very close, their difference is not an accurate direction; the normal of
    // the two features is.
    if answer.upper - answer.lower > MAX_BOUNDS_GAP * size {
        answer.lower = answer.lower.max(lower_bound(found.perpendicular, a, b, size));
    }
    if answer.upper - answer.lower > MAX_BOUNDS_GAP * size {
        let other = exhaustive_search(a, b, size);
        answer.lower = answer.lower.max(other.lower);
        if other.upper < answer.upper {
            (answer.p, answer.q, answer.upper) = (other.p, other.q, other.upper);
        }
    }
    answer.lower = answer.lower.min(answer.upper);
    local.finish(&answer)
}

/// Closest points without bounds.
struct Candidate {
    p: Vec3,
    q: Vec3,
    /// A direction perpendicular to the two features that the points are on; zero if not known.
    perpendicular: Vec3,
}

/// The closest points by floating-point arithmetic, which usually need no second search.
///
/// The sides at the closest pair of vertices come first: nine squared distances usually save
/// several pairs of sides. Random triangles with sides of about 1, at gaps of 10, 1 and 0.01 along
/// a random direction: 52, 92 and 149 ns a search, against 84, 138 and 192 ns in index order.
/// Testing before the sides whether the two vertices are the closest points takes 42, 98 and 159
/// ns: it is faster only at large distances, where a query rarely reaches triangles.
#[inline]
fn search(a: &[Vec3; 3], b: &[Vec3; 3]) -> Candidate {
    let ea = [a[1] - a[0], a[2] - a[1], a[0] - a[2]];
    let eb = [b[1] - b[0], b[2] - b[1], b[0] - b[2]];
    let aa = ea.map_each(Vec3::length_squared);
    let bb = eb.map_each(Vec3::length_squared);
    let (first_i, first_j) = closest_vertices(a, b);
    let mut best = Candidate { p: a[0], q: b[0], perpendicular: Vec3::ZERO };
    let mut best_square = f64::INFINITY;
    let mut best_sides = (0, 0);
    // The sides that start and end at the vertex, then the opposite side.
    const ORDER: [usize; 3] = [0, 2, 1];
    for di in ORDER {
        let i = (first_i + di) % 3;
        for dj in ORDER {
            let j = (first_j + dj) % 3;
            let (p, q) = side_side(a[i], ea[i], aa[i], b[j], eb[j], bb[j]);
            let v = q - p;
            let square = v.length_squared();
            if square < best_square {
                (best.p, best.q, best_square, best_sides) = (p, q, square, (i, j));
                let third_a = (a[(i + 2) % 3] - p).dot(v);
                let third_b = (b[(j + 2) % 3] - q).dot(v);
                if third_a <= 0.0 && third_b >= 0.0 {
                    best.perpendicular = ea[i].cross(eb[j]);
                    return best;
                }
            }
        }
    }
    if let Some((p, q, n)) = vertex_face(a, &ea, b) {
        if (q - p).length_squared() < best_square {
            return Candidate { p, q, perpendicular: n };
        }
    }
    if let Some((q, p, n)) = vertex_face(b, &eb, a) {
        if (q - p).length_squared() < best_square {
            return Candidate { p, q, perpendicular: n };
        }
    }
    best.perpendicular = ea[best_sides.0].cross(eb[best_sides.1]);
    best
}

/// The closest pair of vertices.
#[inline]
fn closest_vertices(a: &[Vec3; 3], b: &[Vec3; 3]) -> (usize, usize) {
    let mut best = (0, 0);
    let mut best_square = f64::INFINITY;
    for (i, p) in a.iter().enumerate() {
        for (j, q) in b.iter().enumerate() {
            let square = p.distance_squared(*q);
            if square < best_square {
                (best, best_square) = ((i, j), square);
            }
        }
    }
    best
}

/// The closest points of the sides `a + s u` and `b + t v` by the normal equations (Ericson 2005,
/// "Real-Time Collision Detection", section 5.1.9); `uu` and `vv` are the squared lengths, which
/// may be zero.
#[inline]
fn side_side(a: Vec3, u: Vec3, uu: f64, b: Vec3, v: Vec3, vv: f64) -> (Vec3, Vec3) {
    let r = a - b;
    let (ur, vr, uv) = (u.dot(r), v.dot(r), u.dot(v));
    let ratio = |x: f64, y: f64| if y > 0.0 { (x / y).clamp(0.0, 1.0) } else { 0.0 };
    let mut s = ratio(uv * vr - ur * vv, uu * vv - uv * uv);
    let t_free = uv * s + vr;
    let t = if t_free <= 0.0 {
        s = ratio(-ur, uu);
        0.0
    } else if t_free >= vv {
        s = ratio(uv - ur, uu);
        1.0
    } else {
        t_free / vv
    };
    (a + u * s, b + v * t)
}

/// The vertex of `other` above the inside of the face, if all of `other` is on one side: the foot,
/// the vertex, and the face's normal.
#[inline]
fn vertex_face(face: &[Vec3; 3], e: &[Vec3; 3], other: &[Vec3; 3]) -> Option<(Vec3, Vec3, Vec3)> {
    let n = e[0].cross(e[1]);
    let [h0, h1, h2] = other.map_each(|x| (x - face[0]).dot(n));
    let nearest = if h0 > 0.0 && h1 > 0.0 && h2 > 0.0 {
        if h0 <= h1 && h0 <= h2 {
            0
        } else if h1 <= h2 {
            1
        } else {
            2
        }
    } else if h0 < 0.0 && h1 < 0.0 && h2 < 0.0 {
        if h0 >= h1 && h0 >= h2 {
            0
        } else if h1 >= h2 {
            1
        } else {
            2
        }
    } else {
        return None;
    };
    let x = other[nearest];
    let w = x - face[0];
    let nn = n.length_squared();
    // Coordinates in the basis (e[0], -e[2]) of the sides from the first vertex.
    let s = e[2].cross(w).dot(n) / nn;
    let t = e[0].cross(w).dot(n) / nn;
    (s >= 0.0 && t >= 0.0 && s + t <= 1.0).then(|| (face[0] + e[0] * s - e[2] * t, x, n))
}

/// The answer for triangles that share a point.
///
/// A shared point is where a side of one triangle meets the other, up to rounding. The result is
/// the candidate with the smallest certain bound of its distance to both triangles.
#[cold]
fn common_point(a: &[Vec3; 3], b: &[Vec3; 3]) -> WithError {
    let closest = disjoint_with_error(a, b);
    let in_range = |p: &Vec3| p.abs().cmple(Vec3::splat(EXACT_RANGE)).all();
    if !a.iter().chain(b).all(in_range) {
        return closest;
    }
    let mut best = closest;
    let mut best_error = f64::INFINITY;
    let mut try_point = |x: Vec3| {
        let error = point_triangle(x, a).upper.max(point_triangle(x, b).upper);
        if error < best_error {
            best_error = error;
            best = WithError { distance: Distance::zero(x), point_error: error };
        }
    };
    try_point(closest.distance.point_a);
    try_point(closest.distance.point_b);
    for (one, other) in [(a, b), (b, a)] {
        for i in 0..3 {
            if let Some(x) = piercing_point([one[i], one[(i + 1) % 3]], other) {
                try_point(x);
            }
        }
    }
    let (lower, upper) = (0.0, 0.0);
    WithError { distance: Distance { lower, upper, ..best.distance }, ..best }
}

/// The computed point where the segment crosses the triangle's plane, if it does.
fn piercing_point(segment: [Vec3; 2], triangle: &[Vec3; 3]) -> Option<Vec3> {
    let local = Local::new(triangle, &segment).ok()?;
    let n = (local.a[1] - local.a[0]).cross(local.a[2] - local.a[0]);
    let (h, k) = (n.dot(local.b[0]), n.dot(local.b[1]));
    let t = h / (h - k);
    (0.0..=1.0).contains(&t).then(|| segment[0].lerp(segment[1], t))
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use super::*;
    use impinge_oracles::points as oracle;

    #[test]
    fn bounds_hold_at_every_scale_without_the_exact_predicate() {
        let mut random = oracle::Random::new(1);
        let mut disjoint_pairs = 0;
        for case in 0..oracle::cases(3_000) {
            let scale = 10f64.powi(60 - (case % 384) as i32);
            let mut p = [0; 6].map(|_| random.point());
            if case % 3 == 0 {
                // A needle, close to the other triangle.
                p[1] = p[0] + random.point() * 1e-6;
                p[3] = p[0].lerp(p[2], 0.5) + random.point() * 1e-4;
            }
            let p = p.map(|x| x * scale);
            let frame = oracle::Frame::of(&p);
            let [a, b, c, d, e, f] = frame.points(&p);
            let square = oracle::triangle_triangle(&[a, b, c], &[d, e, f]);
            let found = disjoint(&[p[0], p[1], p[2]], &[p[3], p[4], p[5]]);
            assert_ne!(frame.compare_square(found.lower, &square), Ordering::Greater, "{p:?}");
            assert_ne!(frame.compare_square(found.upper, &square), Ordering::Less, "{p:?}");
            if !square.is_zero() {
                disjoint_pairs += 1;
                let size = p.iter().map(|x| (*x - p[0]).abs().max_element()).fold(0.0, f64::max);
                let gap = found.upper - found.lower;
                assert!(gap <= 1e-13 * size + 1.5e-323, "{p:?}: {found:?}");
                assert!(found.upper > 0.0);
            }
        }
        assert!(disjoint_pairs > 1_000);
    }
}
