//! Cuts simple planar polygons into triangles: a fan for convex ones, ear clipping for the others.
//!
//! G. H. Meisters: Polygons have ears, Amer. Math. Monthly 82, 1975.

use crate::math::Vec3;

/// The triangles of a polygon, as indices into `corners`, in the polygon's sense of rotation.
///
/// Always `corners.len() - 2` triangles that use every edge of the polygon. A polygon that crosses itself is cut too,
/// into triangles that overlap.
pub(super) fn triangulate(corners: &[Vec3]) -> Vec<[usize; 3]> {
    let n = corners.len();
    if n < 4 {
        return if n == 3 { vec![[0, 1, 2]] } else { Vec::new() };
    }
    let flat = project(corners);
    let turn = |a: usize, b: usize, c: usize| area(flat[a], flat[b], flat[c]);
    if (0..n).all(|i| turn(i, (i + 1) % n, (i + 2) % n) > 0.0) {
        return (1..n - 1).map(|i| [0, i, i + 1]).collect();
    }
    let mut left: Vec<usize> = (0..n).collect();
    let mut triangles = Vec::with_capacity(n - 2);
    let mut at = 0;
    while left.len() > 3 {
        let m = left.len();
        let ear = (0..m).map(|k| (at + k) % m).find(|i| is_ear(&flat, &left, *i));
        // Only a polygon that crosses itself, or is flat to rounding, has no ear; it is cut all the same.
        let i = ear.unwrap_or(at % m);
        triangles.push([left[(i + m - 1) % m], left[i], left[(i + 1) % m]]);
        left.remove(i);
        at = i;
    }
    triangles.push([left[0], left[1], left[2]]);
    triangles
}

/// Drops the coordinate in which the normal is largest, so that the polygon turns anticlockwise.
fn project(corners: &[Vec3]) -> Vec<[f64; 2]> {
    let mut normal = Vec3::ZERO;
    for (i, a) in corners.iter().enumerate() {
        normal += (*a - corners[0]).cross(corners[(i + 1) % corners.len()] - corners[0]);
    }
    let size = normal.abs();
    let drop = if size.x >= size.y && size.x >= size.z {
        0
    } else if size.y >= size.z {
        1
    } else {
        2
    };
    let (u, v) = ((drop + 1) % 3, (drop + 2) % 3);
    let flip = if normal[drop] < 0.0 { -1.0 } else { 1.0 };
    corners.iter().map(|c| [c[u] * flip, c[v]]).collect()
}

/// Twice the signed area of a triangle.
fn area(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// Whether the corner at position `i` of `left` can be cut off: convex, and no other corner in its triangle.
fn is_ear(flat: &[[f64; 2]], left: &[usize], i: usize) -> bool {
    let m = left.len();
    let [a, b, c] = [left[(i + m - 1) % m], left[i], left[(i + 1) % m]];
    let [pa, pb, pc] = [flat[a], flat[b], flat[c]];
    if area(pa, pb, pc) <= 0.0 {
        return false;
    }
    left.iter().all(|k| {
        let p = flat[*k];
        [a, b, c].contains(k)
            || area(pa, pb, p) < 0.0
            || area(pb, pc, p) < 0.0
            || area(pc, pa, p) < 0.0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area_of(corners: &[Vec3], triangles: &[[usize; 3]]) -> (f64, f64) {
        let parts: Vec<f64> = triangles
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|i| corners[i]);
                (b - a).cross(c - a).dot(Vec3::new(1.0, 2.0, 3.0).normalize()) / 2.0
            })
            .collect();
        (parts.iter().sum(), parts.iter().fold(f64::INFINITY, |m, p| m.min(*p)))
    }

    /// The outline in the plane with normal (1, 2, 3).
    fn lift(outline: &[[f64; 2]]) -> Vec<Vec3> {
        let n = Vec3::new(1.0, 2.0, 3.0).normalize();
        let u = n.cross(Vec3::X).normalize();
        let v = n.cross(u);
        outline.iter().map(|p| u * p[0] + v * p[1] + n * 5.0).collect()
    }

    #[test]
    fn convex_polygons_become_fans() {
        let square = [Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::Y];
        assert_eq!(triangulate(&square), [[0, 1, 2], [0, 2, 3]]);
        assert!(triangulate(&square[..2]).is_empty());
    }

    #[test]
    fn stars_and_combs_are_covered_once() {
        let star: Vec<[f64; 2]> = (0..14)
            .map(|i| {
                let [c, s] = super::super::circle::turn(i, 14);
                let r = if i % 2 == 0 { 1.0 } else { 0.2 };
                [c * r, s * r]
            })
            .collect();
        let mut comb = vec![[0.0, -1.0], [10.0, -1.0]];
        for i in (0..10).rev() {
            let x = f64::from(i);
            comb.extend([[x + 0.9, 3.0], [x + 0.5, 0.0], [x + 0.1, 3.0]]);
        }
        for outline in [star, comb] {
            let mut exact = 0.0;
            for (i, a) in outline.iter().enumerate() {
                let b = outline[(i + 1) % outline.len()];
                exact += (a[0] * b[1] - a[1] * b[0]) / 2.0;
            }
            assert!(exact > 0.0);
            let corners = lift(&outline);
            let triangles = triangulate(&corners);
            assert_eq!(triangles.len(), corners.len() - 2);
            let (sum, least) = area_of(&corners, &triangles);
            assert!((sum - exact).abs() < 1e-12 && least > 0.0, "{sum} {exact} {least}");
        }
    }

    #[test]
    fn a_polygon_without_ears_is_cut_into_all_its_triangles() {
        let flat: Vec<Vec3> = (0..6).map(|i| Vec3::X * f64::from(i)).collect();
        assert_eq!(triangulate(&flat).len(), 4);
    }
}
