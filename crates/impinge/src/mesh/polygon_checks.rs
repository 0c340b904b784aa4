//! Exact questions about one polygon: on a line, in a plane, convex, crossing itself (Zachmann 1994, section 4.2.2).

use std::cmp::Ordering;

use crate::exact::{Sign, orient2d, orient3d};
use crate::math::{Aabb, Vec3, axes_by_size, drop_axis, newell};

/// Whether three points lie on one line, exactly.
pub(super) fn collinear(a: Vec3, b: Vec3, c: Vec3) -> bool {
    (0..3)
        .all(|axis| orient2d(drop_axis(a, axis), drop_axis(b, axis), drop_axis(c, axis)).is_zero())
}

/// The first three corners that are not on one line, if any: they span the plane of a planar polygon and, if it is
/// convex, turn its way.
pub(super) fn spanning_corners(
    mut points: impl Iterator<Item = Vec3> + Clone,
) -> Option<[Vec3; 3]> {
    let a = points.clone().next()?;
    let b = points.clone().find(|p| *p != a)?;
    let c = points.find(|p| !collinear(a, b, *p))?;
    // `b` is the first corner that differs from `a`, so none of those before `c` lies off the line and the order
    // a, b, c is that of the polygon.
    Some([a, b, c])
}

/// Whether all corners lie in one plane, exactly. True for corners on one line.
pub(super) fn planar(mut points: impl Iterator<Item = Vec3> + Clone) -> bool {
    match spanning_corners(points.clone()) {
        None => true,
        Some([a, b, c]) => points.all(|p| orient3d(a, b, c, p).is_zero()),
    }
}

/// The largest distance of a corner from the plane through the corners' mean with Newell's normal, and the diagonal
/// of the polygon's box. Zero distance where there is no normal.
pub(super) fn deviation(points: impl ExactSizeIterator<Item = Vec3> + Clone) -> (f64, f64) {
    let bounds = Aabb::from_points(points.clone());
    let longest = bounds.extent().max_element();
    if longest <= 0.0 {
        return (0.0, 0.0);
    }
    // Tiny extents would vanish when squared.
    let diagonal = (bounds.extent() / longest).length() * longest;
    let Some(normal) = newell(points.clone()).try_normalize() else { return (0.0, diagonal) };
    let center = bounds.center();
    let count = points.len() as f64;
    let mean = points.clone().map(|p| normal.dot(p - center)).sum::<f64>() / count;
    let largest = points.map(|p| (normal.dot(p - center) - mean).abs()).fold(0.0, f64::max);
    (largest, diagonal)
}

/// Whether the polygon, seen along the axis it faces most, is convex: it turns one way only, and goes around once,
/// that is, its corners in lexicographic order rise once and fall once. Straight runs and repeated corners in a row
/// are allowed; polygons of zero area are not convex.
pub(super) fn convex(points: impl Iterator<Item = Vec3>) -> bool {
    let points: Vec<Vec3> = points.collect();
    let mut flat: Vec<[f64; 2]> = Vec::new();
    for axis in axes_by_size(newell(points.iter().copied())) {
        flat.clear();
        flat.extend(points.iter().map(|p| drop_axis(*p, axis)));
        flat.dedup();
        while flat.len() > 1 && flat.first() == flat.last() {
            flat.pop();
        }
        let n = flat.len();
        if n < 3 {
            continue;
        }
        let at = |i: usize| flat[i % n];
        let (mut left, mut right, mut extrema) = (false, false, 0);
        for i in 0..n {
            match orient2d(at(i), at(i + 1), at(i + 2)) {
                Sign::Positive => left = true,
                Sign::Negative => right = true,
                Sign::Zero => {}
            }
            let order = |i: usize| at(i).partial_cmp(&at(i + 1)).unwrap_or(Ordering::Equal);
            extrema += usize::from(order(i) != order(i + 1));
        }
        if left || right {
            return left != right && extrema == 2;
        }
    }
    false
}

/// Whether the outline of the polygon, seen along the axis it faces most, passes through itself: two sides cross, or
/// a corner lies on a side with its neighbours on both sides of it. Touching, as at the bridge to a hole, is not
/// crossing.
pub(super) fn crosses_itself(points: impl ExactSizeIterator<Item = Vec3> + Clone) -> bool {
    if points.len() < 4 {
        return false;
    }
    let axis = axes_by_size(newell(points.clone()))[0];
    let flat: Vec<[f64; 2]> = points.map(|p| drop_axis(p, axis)).collect();
    Outline::new(&flat).crosses()
}

/// A closed polyline with a tree of boxes over runs of its sides.
struct Outline<'a> {
    points: &'a [[f64; 2]],
    /// A heap: node `i` has the children `2 i` and `2 i + 1`, side `s` is node `leaves + s`.
    boxes: Vec<[f64; 4]>,
    leaves: usize,
}

impl<'a> Outline<'a> {
    fn new(points: &'a [[f64; 2]]) -> Self {
        let leaves = points.len().next_power_of_two();
        let empty = [f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY];
        let mut boxes = vec![empty; 2 * leaves];
        let join = |a: [f64; 4], b: [f64; 4]| {
            [a[0].min(b[0]), a[1].min(b[1]), a[2].max(b[2]), a[3].max(b[3])]
        };
        for (i, p) in points.iter().enumerate() {
            let q = points[(i + 1) % points.len()];
            boxes[leaves + i] = join([p[0], p[1], p[0], p[1]], [q[0], q[1], q[0], q[1]]);
        }
        for i in (1..leaves).rev() {
            boxes[i] = join(boxes[2 * i], boxes[2 * i + 1]);
        }
        Self { points, boxes, leaves }
    }

    fn crosses(&self) -> bool {
        let mut stack = vec![(1, 1)];
        while let Some((a, b)) = stack.pop() {
            if a == b {
                if a < self.leaves {
                    let (l, r) = (2 * a, 2 * a + 1);
                    stack.extend([(l, l), (r, r), (l, r)]);
                }
                continue;
            }
            let (p, q) = (self.boxes[a], self.boxes[b]);
            // An empty box fails this too.
            if !(p[0] <= q[2] && q[0] <= p[2] && p[1] <= q[3] && q[1] <= p[3]) {
                continue;
            }
            match (a < self.leaves, b < self.leaves) {
                (false, false) => {
                    if self.pass(a - self.leaves, b - self.leaves) {
                        return true;
                    }
                }
                // Both nodes have the same depth.
                _ => stack.extend([
                    (2 * a, 2 * b),
                    (2 * a, 2 * b + 1),
                    (2 * a + 1, 2 * b),
                    (2 * a + 1, 2 * b + 1),
                ]),
            }
        }
        false
    }

    fn at(&self, i: usize) -> [f64; 2] {
        self.points[i % self.points.len()]
    }

    /// Whether side `i` and side `j` cross, or one passes through the other at its first corner.
    fn pass(&self, i: usize, j: usize) -> bool {
        let (a, b, c, d) = (self.at(i), self.at(i + 1), self.at(j), self.at(j + 1));
        let (sc, sd) = (orient2d(a, b, c), orient2d(a, b, d));
        let (sa, sb) = (orient2d(c, d, a), orient2d(c, d, b));
        let across = |s: Sign, t: Sign| s * t == Sign::Negative;
        if across(sc, sd) && across(sa, sb) {
            return true;
        }
        let before = self.points.len() - 1;
        (sc.is_zero() && across(sa, sb) && across(orient2d(a, b, self.at(j + before)), sd))
            || (sa.is_zero() && across(sc, sd) && across(orient2d(c, d, self.at(i + before)), sb))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flat(points: &[[f64; 2]]) -> Vec<Vec3> {
        // In a tilted plane with small integer coordinates: exact.
        points.iter().map(|[x, y]| Vec3::new(*x, *y, x + 2.0 * y)).collect()
    }

    #[test]
    fn convexity_is_global_and_ignores_orientation() {
        let check = |points: &[[f64; 2]]| {
            let p = flat(points);
            let back: Vec<Vec3> = p.iter().rev().copied().collect();
            assert!(planar(p.iter().copied()));
            assert_eq!(convex(p.iter().copied()), convex(back.iter().copied()));
            convex(p.iter().copied())
        };
        let square = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]];
        assert!(check(&square));
        assert!(check(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]]));
        assert!(!check(&[[0.0, 0.0], [2.0, 1.0], [0.0, 2.0], [1.0, 1.0]]));
        // The square walked twice and a pentagram turn one way only.
        assert!(!check(&[square, square].concat()));
        assert!(!check(&[[0.0, 3.0], [-2.0, -3.0], [3.0, 1.0], [-3.0, 1.0], [2.0, -3.0]]));
        // A spike, a line, a point, a figure of eight.
        assert!(!check(&[[0.0, 0.0], [4.0, 0.0], [2.0, 0.0], [2.0, 2.0]]));
        assert!(!check(&[[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [1.0, 1.0]]));
        assert!(!check(&[[1.0, 1.0]; 4]));
        assert!(!check(&[[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]));
    }

    #[test]
    fn planarity_is_exact() {
        let mut p = flat(&[[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]]);
        p[3].z = f64::from_bits(p[3].z.to_bits() + 1);
        assert!(!planar(p.iter().copied()));
        let (off, size) = deviation(p.iter().copied());
        assert!(off > 0.0 && off / size < 1e-15);
        p[3].z += 1.0;
        let (off, size) = deviation(p.iter().copied());
        assert!(off / size > 0.01 && off < 1.0);
        assert!(planar([Vec3::ONE; 3].into_iter()) && planar(std::iter::empty()));
    }

    #[test]
    fn crossings_are_told_from_touches() {
        let crosses = |points: &[[f64; 2]]| crosses_itself(flat(points).into_iter());
        assert!(crosses(&[[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [0.0, 3.0]]));
        assert!(crosses(&[[0.0, 3.0], [-2.0, -3.0], [3.0, 1.0], [-3.0, 1.0], [2.0, -3.0]]));
        // Through a side at a corner, and only up to it.
        let dip = |y: f64| [[0.0, 0.0], [4.0, 0.0], [4.0, 2.0], [2.0, y], [0.0, 2.0]];
        assert!(!crosses(&dip(0.0)) && !crosses(&dip(1.0)) && crosses(&dip(-1.0)));
        let through =
            [[0.0, 0.0], [4.0, 0.0], [4.0, 2.0], [2.0, 0.0], [1.0, -1.0], [1.0, 2.0], [0.0, 2.0]];
        assert!(crosses(&through));
        let keyhole = [
            [0.0, 0.0],
            [9.0, 0.0],
            [9.0, 9.0],
            [0.0, 9.0],
            [0.0, 0.0],
            [3.0, 3.0],
            [3.0, 6.0],
            [6.0, 6.0],
            [6.0, 3.0],
            [3.0, 3.0],
        ];
        assert!(!crosses(&keyhole));
    }
}
