//! Signed volumes: the point of a simplex nearest to the origin, by comparing signs.
//!
//! Montanari, Petrinic & Barbieri 2017. The origin is projected on the affine hull of the simplex.
//! The volumes (areas, lengths) of the parts that the projection forms with all points but one have
//! the sign of the whole if the projection is inside. For each part with another sign, the simplex
//! without that point is reduced, and the nearest result counts. Our addition: rounding can give
//! the wrong signs for a sliver, which shows in a simplex point in front of the plane through the
//! result; then all parts of the simplex are reduced. Areas and lengths are measured in the
//! coordinate plane or on the axis where the simplex is largest, which keeps flat simplices well
//! conditioned.

use super::reduced::Reduced;
use crate::arrays::MapEach;
use crate::math::Vec3;

/// The nearest point of the simplex of one to four `points`.
pub(in crate::convex) fn reduce(points: &[Vec3]) -> Reduced {
    let found = match points.len() {
        1 => Reduced::point(0),
        2 => segment(points, [0, 1]),
        3 => triangle(points, [0, 1, 2]),
        _ => tetrahedron(points),
    };
    if found.len() == 4 || is_nearest(points, found.sum(|i| points[i])) {
        found
    } else {
        of_all_parts(points, found)
    }
}

/// Whether no point of the simplex lies in front of the plane through the nearest point by more
/// than rounding.
fn is_nearest(points: &[Vec3], nearest: Vec3) -> bool {
    let square = nearest.length_squared();
    points.iter().all(|p| nearest.dot(*p) >= square * (1.0 - 1e-10))
}

/// The nearest of `found` and the results of all segments and triangles of the simplex.
fn of_all_parts(points: &[Vec3], found: Reduced) -> Reduced {
    let n = points.len();
    let mut best = found;
    for i in 0..n {
        for j in i + 1..n {
            best = best.nearer(segment(points, [i, j]), points);
            for k in j + 1..n {
                best = best.nearer(triangle(points, [i, j, k]), points);
            }
        }
    }
    best
}

/// Whether two numbers have one sign, neither being zero.
fn same_sign(x: f64, y: f64) -> bool {
    (x > 0.0 && y > 0.0) || (x < 0.0 && y < 0.0)
}

/// The nearest point of a segment.
fn segment(points: &[Vec3], [i, j]: [usize; 2]) -> Reduced {
    let (p, q) = (points[i], points[j]);
    let along = q - p;
    let square = along.length_squared();
    let axis = largest(along);
    let whole = along[axis];
    if square == 0.0 || whole == 0.0 {
        return Reduced::point(i).nearer(Reduced::point(j), points);
    }
    // The signed lengths from the projection of the origin to q, and from p to the projection, on
    // the longest axis.
    let to_q = q.dot(along) / square * whole;
    let from_p = -p.dot(along) / square * whole;
    match (same_sign(whole, to_q), same_sign(whole, from_p)) {
        (true, true) => Reduced::weighted([i, j], [to_q.abs(), from_p.abs()]),
        (true, false) => Reduced::point(i),
        (false, true) => Reduced::point(j),
        (false, false) => Reduced::point(i).nearer(Reduced::point(j), points),
    }
}

/// The nearest point of a triangle.
fn triangle(points: &[Vec3], [i, j, k]: [usize; 3]) -> Reduced {
    let [p, q, r] = [points[i], points[j], points[k]];
    let normal = (q - p).cross(r - p);
    let axis = largest(normal);
    let whole = normal[axis];
    let square = normal.length_squared();
    let sides = [[j, k], [k, i], [i, j]];
    let mut parts = [0.0; 3];
    if square > 0.0 && whole != 0.0 {
        let origin = normal * (p.dot(normal) / square);
        let (x, y) = ((axis + 1) % 3, (axis + 2) % 3);
        let area = |a: Vec3, b: Vec3| {
            let (u, v) = (a - origin, b - origin);
            u[x] * v[y] - u[y] * v[x]
        };
        parts = [area(q, r), area(r, p), area(p, q)];
        if parts.iter().all(|part| same_sign(*part, whole)) {
            return Reduced::weighted([i, j, k], parts.map_each(f64::abs));
        }
    }
    let mut best = None;
    for (side, part) in sides.into_iter().zip(parts) {
        if !same_sign(part, whole) {
            best = Some(nearer(best, segment(points, side), points));
        }
    }
    best.unwrap_or(Reduced::point(i))
}

/// The nearest point of a tetrahedron.
fn tetrahedron(points: &[Vec3]) -> Reduced {
    let [p, q, r, s] = [points[0], points[1], points[2], points[3]];
    let (rs, pq) = (r.cross(s), p.cross(q));
    let parts = [q.dot(rs), -p.dot(rs), s.dot(pq), -r.dot(pq)];
    let whole = (q - p).dot((r - p).cross(s - p));
    if parts.iter().all(|part| same_sign(*part, whole)) {
        return Reduced::weighted([0, 1, 2, 3], parts.map_each(f64::abs));
    }
    let faces = [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]];
    let mut best = None;
    for (face, part) in faces.into_iter().zip(parts) {
        if !same_sign(part, whole) {
            best = Some(nearer(best, triangle(points, face), points));
        }
    }
    best.unwrap_or(Reduced::point(0))
}

fn nearer(best: Option<Reduced>, other: Reduced, points: &[Vec3]) -> Reduced {
    best.map_or(other, |best| best.nearer(other, points))
}

/// The index of the component with the largest absolute value.
fn largest(v: Vec3) -> usize {
    let v = v.abs();
    if v.x >= v.y && v.x >= v.z {
        0
    } else if v.y >= v.z {
        1
    } else {
        2
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    /// Whether no point of the simplex is nearer than the one found by more than `slack`.
    fn is_nearest_point(points: &[Vec3], reduced: &Reduced, slack: f64) -> bool {
        let nearest = reduced.sum(|i| points[i]);
        let weights: f64 = reduced.iter().map(|(_, w)| w).sum();
        let valid_weights =
            reduced.iter().all(|(_, w)| w > 0.0) && (weights - 1.0).abs() < 1e-15 * 8.0;
        let square = nearest.length_squared();
        let behind = |p: &Vec3| nearest.dot(*p) >= square - slack * nearest.length();
        valid_weights && (points.iter().all(behind) || nearest.length() < 10.0 * slack)
    }

    #[test]
    fn the_nearest_point_is_found() {
        let mut random = Random::new(17);
        for round in 0..40_000 {
            let n = 1 + round % 4;
            let offset = random.in_cube() * random.range(0.0, 3.0);
            let points: Vec<_> = (0..n).map(|_| random.in_cube() + offset).collect();
            assert!(is_nearest_point(&points, &reduce(&points), 1e-10), "{points:?}");
        }
    }

    #[test]
    fn the_nearest_point_of_flat_simplices_is_found() {
        let mut random = Random::new(18);
        for round in 0..40_000 {
            let n = 2 + round % 3;
            // Points on a line or in a plane, or equal points, up to rounding or exactly.
            let (u, v, o) = (random.in_cube(), random.in_cube(), random.in_cube());
            let flat = round % 2 == 0;
            let place = |random: &mut Random| match round / 4 % 4 {
                0 => o + u * random.unit() + v * random.unit() * f64::from(u8::from(flat)),
                1 => o + (u * 8.0).round() * random.index(3) as f64,
                2 => o + u * random.unit() + random.in_cube() * 1e-12,
                _ => o,
            };
            let points: Vec<_> = (0..n).map(|_| place(&mut random)).collect();
            assert!(is_nearest_point(&points, &reduce(&points), 1e-9), "{points:?}");
        }
    }
}
