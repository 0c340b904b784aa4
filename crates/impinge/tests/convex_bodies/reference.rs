//! The signed distance of the hulls of two point sets, from the hull of all differences.

use impinge::Vec3;
use impinge::convex::Hull;
use impinge::exact::{Sign, orient3d};

/// The distance of the hulls, or minus the depth, up to rounding of about 1e-15 of the size.
pub(crate) fn signed_distance(a: &[Vec3], b: &[Vec3]) -> f64 {
    let differences: Vec<Vec3> = a.iter().flat_map(|p| b.iter().map(move |q| *q - *p)).collect();
    let hull = Hull::new(&differences).unwrap();
    let p = |i: u32| hull.vertices()[i as usize];
    match hull.dimension() {
        0 => p(0).length(),
        1 => to_segment(p(0), p(1)),
        dimension => {
            let mut outside = f64::INFINITY;
            let mut inside = f64::INFINITY;
            let mut is_inside = dimension == 3;
            for face in hull.faces() {
                for k in 1..face.len() - 1 {
                    outside = outside.min(to_triangle([p(face[0]), p(face[k]), p(face[k + 1])]));
                }
                let [a, b, c] = [p(face[0]), p(face[1]), p(face[2])];
                is_inside &= orient3d(a, b, c, Vec3::ZERO) == Sign::Negative;
                inside = inside.min(height(&face.iter().map(|i| p(*i)).collect::<Vec<_>>()));
            }
            if is_inside { -inside } else { outside }
        }
    }
}

/// The height of a face over the origin. Infinite for a sliver, whose neighbours are equally near.
fn height(corners: &[Vec3]) -> f64 {
    let o = corners[0];
    let mut normal = Vec3::ZERO;
    let size = corners.iter().map(|p| p.distance_squared(o)).fold(0.0, f64::max);
    for k in 1..corners.len() - 1 {
        normal += (corners[k] - o).cross(corners[k + 1] - o);
    }
    if normal.length() < 1e-10 * size { f64::INFINITY } else { normal.normalize().dot(o) }
}

fn to_segment(a: Vec3, b: Vec3) -> f64 {
    let along = b - a;
    let t = (-a.dot(along) / along.length_squared()).clamp(0.0, 1.0);
    (a + along * if t.is_nan() { 0.0 } else { t }).length()
}

/// The distance of the origin from a triangle: from its plane if the projection is inside, and from
/// all sides.
fn to_triangle([a, b, c]: [Vec3; 3]) -> f64 {
    let normal = (b - a).cross(c - a).normalize_or_zero();
    let foot = normal * normal.dot(a);
    let inside = |p: Vec3, q: Vec3| (q - p).cross(foot - p).dot(normal) > 0.0;
    let mut best = to_segment(a, b).min(to_segment(b, c)).min(to_segment(c, a));
    if normal != Vec3::ZERO && inside(a, b) && inside(b, c) && inside(c, a) {
        best = best.min(foot.length());
    }
    best
}
