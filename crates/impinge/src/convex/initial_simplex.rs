//! The exact dimension of a point set, and the simplex from which a hull is built.
//!
//! Floating point chooses: two points far apart, one far from their line, one far from the plane of
//! the three. Exact predicates confirm each choice; if they reject it, every point is tested
//! exactly. So a point set is reported as flat if and only if it is flat in real arithmetic.

use crate::exact::{Sign, orient2d, orient3d};
use crate::math::{Aabb, Vec3, axes_by_size, drop_axis};

/// What a point set spans, with the indices of points that span it.
pub(super) enum Span {
    /// All points are equal to this one.
    Point(u32),
    /// All points lie between these two.
    Segment([u32; 2]),
    /// All points lie in the plane of these three, which turn left when the axis `drop` is left
    /// out.
    Plane { corners: [u32; 3], drop: usize },
    /// The last of four points lies strictly below the plane of the others.
    Space { corners: [u32; 4], bounds: Aabb },
}

/// Finds what `points` (not empty, all finite) span; `bounds` is their box.
pub(super) fn find(points: &[Vec3], bounds: Aabb) -> Span {
    let extent = bounds.max - bounds.min;
    let widest = (0..3).fold(0, |w, i| if extent[i] > extent[w] { i } else { w });
    if extent[widest] == 0.0 {
        return Span::Point(0);
    }
    // The ends along the widest axis. On a line they are the ends of the line.
    let find_end = |value: f64| points.iter().position(|p| p[widest] == value).unwrap_or(0);
    let (i, j) = (find_end(bounds.min[widest]), find_end(bounds.max[widest]));
    let (a, b) = (points[i], points[j]);

    let along = (b - a) / extent[widest];
    let scale = 1.0 / extent[widest];
    let from_line = |p: Vec3| ((p - a) * scale).cross(along).length_squared();
    let spans = |p: Vec3| (0..3).any(|axis| !turn(a, b, p, axis).is_zero());
    let Some(k) = furthest(points, from_line, spans) else {
        return Span::Segment([i as u32, j as u32]);
    };
    let c = points[k];

    let normal = along.cross((c - a) * scale).normalize_or_zero();
    let from_plane = |p: Vec3| normal.dot(p - a).abs();
    let side = |p: Vec3| orient3d(a, b, c, p);
    let corners = [i as u32, j as u32, k as u32];
    match furthest(points, from_plane, |p| !side(p).is_zero()) {
        Some(l) => {
            let [i, j, k] = corners;
            let below = side(points[l]) == Sign::Negative;
            let corners = if below { [i, j, k, l as u32] } else { [i, k, j, l as u32] };
            Span::Space { corners, bounds }
        }
        None => plane(a, b, c, corners),
    }
}

/// The plane of three points that are not on a line, in the order that turns left in the coordinate
/// plane where their triangle is largest.
fn plane(a: Vec3, b: Vec3, c: Vec3, [i, j, k]: [u32; 3]) -> Span {
    for drop in axes_by_size((b - a).cross(c - a)) {
        match turn(a, b, c, drop) {
            Sign::Positive => return Span::Plane { corners: [i, j, k], drop },
            Sign::Negative => return Span::Plane { corners: [i, k, j], drop },
            Sign::Zero => {}
        }
    }
    debug_assert!(false, "the three points {i}, {j}, {k} are collinear");
    Span::Plane { corners: [i, j, k], drop: 2 }
}

/// Which way `a`, `b`, `c` turn with the axis `drop` left out.
fn turn(a: Vec3, b: Vec3, c: Vec3, drop: usize) -> Sign {
    orient2d(drop_axis(a, drop), drop_axis(b, drop), drop_axis(c, drop))
}

/// The index of a point that is accepted: the one with the largest measure if it is, otherwise the
/// first that is. `None` if none is accepted.
fn furthest(
    points: &[Vec3],
    measure: impl Fn(Vec3) -> f64,
    accepted: impl Fn(Vec3) -> bool,
) -> Option<usize> {
    let mut best = (0.0, 0);
    for (i, p) in points.iter().enumerate() {
        let m = measure(*p);
        if m > best.0 {
            best = (m, i);
        }
    }
    if accepted(points[best.1]) { Some(best.1) } else { points.iter().position(|p| accepted(*p)) }
}
