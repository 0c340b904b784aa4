//! Principal axes from the covariance of points or of a surface.

use crate::arrays::MapEach;
use crate::math::{Aabb, Vec3, unit_scale};

/// The axes of the coordinate frame.
pub(super) const STANDARD: [Vec3; 3] = [Vec3::X, Vec3::Y, Vec3::Z];

/// The principal axes of points; arbitrary if all points coincide.
pub(super) fn of_points(points: &[Vec3]) -> [Vec3; 3] {
    let scale = Scale::of(points);
    let n = points.len() as f64;
    let mean = points.iter().fold(Vec3::ZERO, |sum, p| sum + scale.local(*p) / n);
    let mut moments = Moments::default();
    for p in points {
        moments.add(scale.local(*p) - mean, 1.0);
    }
    principal(&moments)
}

/// The principal axes of a surface, weighted by area. `None` if its area is negligible.
///
/// Corners `p`, `q`, `r` and centroid `m` of a triangle of area `A` give the second moment
/// `A / 12 (9 m m^T + p p^T + q q^T + r r^T)`.
pub(super) fn of_surface(triangles: &[[Vec3; 3]]) -> Option<[Vec3; 3]> {
    let scale = Scale::of(triangles.as_flattened());
    let local = |t: &[Vec3; 3]| t.map_each(|p| scale.local(p));
    let area = |[p, q, r]: &[Vec3; 3]| 0.5 * (*q - *p).cross(*r - *p).length();
    let (mut total, mut mean) = (0.0, Vec3::ZERO);
    for t in triangles.iter().map(local) {
        let a = area(&t);
        total += a;
        mean += (t[0] + t[1] + t[2]) * (a / 3.0);
    }
    if !(total > 1e-30 && total.is_finite()) {
        return None;
    }
    mean /= total;
    let mut moments = Moments::default();
    for t in triangles.iter().map(local) {
        let a = area(&t);
        let t = t.map_each(|p| p - mean);
        moments.add((t[0] + t[1] + t[2]) / 3.0, 9.0 * a);
        for p in t {
            moments.add(p, a);
        }
    }
    Some(principal(&moments))
}

/// Perpendicular unit vectors near three nearly perpendicular unit vectors. The first keeps its
/// direction, the second stays in its plane with the first.
pub(super) fn orthonormal(a: Vec3, b: Vec3, c: Vec3) -> [Vec3; 3] {
    let Some(a) = a.try_normalize() else {
        return STANDARD;
    };
    // Projected twice: the second projection removes the rounding error of the first.
    let b = b - a * a.dot(b);
    let Some(b) = b.try_normalize() else {
        return STANDARD;
    };
    let b = b - a * a.dot(b);
    let Some(b) = b.try_normalize() else {
        return STANDARD;
    };
    let third = a.cross(b);
    [a, b, if third.dot(c) < 0.0 { -third } else { third }]
}

/// Maps points to coordinates about the centre of their box, with size about one.
struct Scale {
    origin: Vec3,
    factors: (f64, f64),
}

impl Scale {
    fn of(points: &[Vec3]) -> Self {
        let bounds = Aabb::from_points(points.iter().copied());
        let size = bounds.extent().max_element();
        let factors = if size > 0.0 { unit_scale(size) } else { (1.0, 1.0) };
        Self { origin: bounds.center(), factors }
    }

    fn local(&self, p: Vec3) -> Vec3 {
        (p - self.origin) * self.factors.0 * self.factors.1
    }
}

/// The upper triangle of a symmetric matrix.
#[derive(Default)]
struct Moments {
    diagonal: [f64; 3],
    /// The entries yz, zx and xy: entry `k` does not involve axis `k`.
    mixed: [f64; 3],
}

impl Moments {
    fn add(&mut self, v: Vec3, weight: f64) {
        for k in 0..3 {
            self.diagonal[k] += weight * v[k] * v[k];
            self.mixed[k] += weight * v[(k + 1) % 3] * v[(k + 2) % 3];
        }
    }
}

/// The eigenvectors of a symmetric matrix by Jacobi rotations, which converge for every matrix,
/// finally at a quadratic rate.
fn principal(moments: &Moments) -> [Vec3; 3] {
    /// The most Jacobi sweeps; the loop ends earlier at convergence.
    const MAX_SWEEPS: usize = 16;
    let mut m = [[0.0; 3]; 3];
    for k in 0..3 {
        m[k][k] = moments.diagonal[k];
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        (m[i][j], m[j][i]) = (moments.mixed[k], moments.mixed[k]);
    }
    let mut vectors = STANDARD;
    for _ in 0..MAX_SWEEPS {
        let size = m[0][0].abs() + m[1][1].abs() + m[2][2].abs();
        let off_diagonal = m[0][1].abs() + m[1][2].abs() + m[2][0].abs();
        if off_diagonal <= 1e-15 * size || !off_diagonal.is_finite() {
            break;
        }
        for (p, q) in [(0, 1), (1, 2), (0, 2)] {
            if m[p][q] == 0.0 {
                continue;
            }
            let theta = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
            let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
            let c = 1.0 / (t * t + 1.0).sqrt();
            let s = t * c;
            if !(c.is_finite() && s.is_finite()) {
                continue;
            }
            for row in &mut m {
                (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
            }
            let (upper, lower) = (m[p], m[q]);
            m[p] = [0, 1, 2].map_each(|k| c * upper[k] - s * lower[k]);
            m[q] = [0, 1, 2].map_each(|k| s * upper[k] + c * lower[k]);
            (vectors[p], vectors[q]) =
                (vectors[p] * c - vectors[q] * s, vectors[p] * s + vectors[q] * c);
        }
    }
    orthonormal(vectors[0], vectors[1], vectors[2])
}
