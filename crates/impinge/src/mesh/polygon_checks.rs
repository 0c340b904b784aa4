//! Exact predicates for one polygon: collinear, planar, convex, self-crossing (Zachmann 1994,
//! section 4.2.2).

use std::cmp::Ordering;

use super::area_sign::area_sign;
use crate::arrays::{MapEach, MapToVec};
use crate::exact::{Sign, orient2d, orient3d};
use crate::math::{Aabb, Vec3, axes_by_size, drop_axis, newell};
use crate::order::{sort_by, sort_numbers_by};

/// Whether three points are collinear, exactly.
pub(super) fn collinear(a: Vec3, b: Vec3, c: Vec3) -> bool {
    (0..3)
        .all(|axis| orient2d(drop_axis(a, axis), drop_axis(b, axis), drop_axis(c, axis)).is_zero())
}

/// The first three corners that are not collinear, if any. They span the plane of a planar polygon
/// and, if it is convex, have its orientation.
pub(super) fn spanning_corners(
    mut points: impl Iterator<Item = Vec3> + Clone,
) -> Option<[Vec3; 3]> {
    let a = points.clone().next()?;
    let b = points.clone().find(|p| *p != a)?;
    let c = points.find(|p| !collinear(a, b, *p))?;
    // `b` is the first corner that differs from `a`, so all corners before `c` lie on the line a, b
    // and the order a, b, c is that of the polygon.
    Some([a, b, c])
}

/// Whether all corners are coplanar, exactly. True for collinear corners.
pub(super) fn planar(mut points: impl Iterator<Item = Vec3> + Clone) -> bool {
    match spanning_corners(points.clone()) {
        None => true,
        Some([a, b, c]) => points.all(|p| orient3d(a, b, c, p).is_zero()),
    }
}

/// The largest distance of a corner from the plane through the mean of the corners with Newell's
/// normal, and the diagonal of the polygon's box. The distance is zero if there is no normal.
pub(super) fn deviation(points: impl ExactSizeIterator<Item = Vec3> + Clone) -> (f64, f64) {
    let bounds = Aabb::from_points(points.clone());
    let longest = bounds.extent().max_element();
    if longest <= 0.0 {
        return (0.0, 0.0);
    }
    // Scaled first: squares of tiny extents underflow.
    let diagonal = (bounds.extent() / longest).length() * longest;
    let Some(normal) = newell(points.clone()).try_normalize() else { return (0.0, diagonal) };
    let center = bounds.center();
    let count = points.len() as f64;
    let mean = points.clone().map(|p| normal.dot(p - center)).sum::<f64>() / count;
    let largest = points.map(|p| (normal.dot(p - center) - mean).abs()).fold(0.0, f64::max);
    (largest, diagonal)
}

/// Whether the projection of the polygon along the axis nearest to its normal is convex: it turns
/// in one direction only and winds once, that is, its corners rise once and fall once in
/// lexicographic order. Straight runs and consecutive repeated corners are allowed; polygons of
/// zero area are not convex.
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

/// Whether the triangles of a polygon cover it without overlap in a projection along an axis: all
/// have the same orientation, and the outline winds around no point twice.
///
/// Triangles of one orientation, whose sides cancel except for the outline, cover each point as
/// often as the outline winds around it. So the outline alone determines whether they overlap. The
/// axes are tried in the order of the components of the polygon's normal, largest first. A
/// collinear polygon counts as covered. If the triangles have different orientations along every
/// axis, which a deformation can cause, the outline in the first projection decides.
pub(super) fn covered_once(points: &[Vec3], triangles: &[[Vec3; 3]]) -> bool {
    if !points.iter().all(|p| p.is_finite()) {
        return false;
    }
    let mut projections = Vec::new();
    for axis in axes_by_size(newell(points.iter().copied())) {
        let flat: Vec<[f64; 2]> = points.map_to_vec(|p| drop_axis(*p, axis));
        if !all_collinear(&flat) {
            projections.push((axis, flat));
        }
    }
    let Some((_, first)) = projections.first() else { return true };
    let mut oriented_in_any = false;
    for (axis, flat) in &projections {
        let sign = area_sign(flat);
        let is_reversed = |t: &[Vec3; 3]| {
            let [a, b, c] = t.map_each(|p| drop_axis(p, *axis));
            let turn = orient2d(a, b, c);
            if sign.is_zero() { !turn.is_zero() } else { turn * sign == Sign::Negative }
        };
        if triangles.iter().any(is_reversed) {
            continue;
        }
        oriented_in_any = true;
        if winds_once(flat) {
            return true;
        }
    }
    !oriented_in_any && winds_once(first)
}

/// Whether all points are collinear.
pub(super) fn all_collinear(points: &[[f64; 2]]) -> bool {
    let Some(a) = points.first() else { return true };
    let Some(b) = points.iter().find(|p| *p != a) else { return true };
    points.iter().all(|p| orient2d(*a, *b, *p).is_zero())
}

/// Whether a closed polyline of finite points winds around every point once or not at all, always
/// in the same direction, and does not pass through itself: no two sides cross, and no corner lies
/// on a side with its neighbours on both sides of it. It may touch itself, as at the bridge to a
/// hole.
///
/// The winding number is constant on each region of the plane between the sides. If no sides cross,
/// the boundary of every such region has a corner at which the outline touches itself, or is the
/// whole outline, which then is a simple polygon. So it is enough to check the sectors around the
/// corners where the outline touches itself.
pub(super) fn winds_once(points: &[[f64; 2]]) -> bool {
    let expected = match area_sign(points) {
        Sign::Zero => 0,
        Sign::Positive => 1,
        Sign::Negative => -1,
    };
    let outline = Outline::new(points);
    let mut corners = Vec::new();
    let passes_through = outline.any_pair(|i, j| {
        if outline.passes_through(i, j) {
            return true;
        }
        let contacts = outline.contacts(i, j);
        corners.extend(contacts.into_iter().flatten().map(SelfContact::corner));
        false
    });
    if passes_through {
        return false;
    }
    let key = |i: &usize| points[*i].map_each(|x| x + 0.0);
    let order =
        |i: &usize, j: &usize| key(i).map_each(f64::to_bits).cmp(&key(j).map_each(f64::to_bits));
    sort_by(&mut corners, &order);
    corners.dedup_by(|i, j| order(i, j).is_eq());
    corners.into_iter().all(|i| {
        let rays = outline.rays(points[i]);
        let mut winding = outline.winding_beside(points[i]);
        let mut is_valid = winding == 0 || winding == expected;
        for group in rays.chunk_by(|(p, _), (q, _)| compare_angles(points[i], *p, *q).is_eq()) {
            winding += group.iter().map(|(_, change)| change).sum::<i32>();
            is_valid &= winding == 0 || winding == expected;
        }
        is_valid
    })
}

/// The order of two points other than `p` by their polar angle about `p`, in the range from just
/// above zero to a full turn.
fn compare_angles(p: [f64; 2], a: [f64; 2], b: [f64; 2]) -> Ordering {
    let half = |q: [f64; 2]| !(q[1] > p[1] || (q[1] == p[1] && q[0] < p[0]));
    half(a).cmp(&half(b)).then_with(|| match orient2d(p, a, b) {
        Sign::Positive => Ordering::Less,
        Sign::Zero => Ordering::Equal,
        Sign::Negative => Ordering::Greater,
    })
}

/// A place where an outline touches or crosses itself at a corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SelfContact {
    /// Two corners with equal coordinates.
    Corners(usize, usize),
    /// A corner inside a side.
    Side {
        /// The first corner of the side.
        side: usize,
        /// The corner that lies on it.
        corner: usize,
    },
}

impl SelfContact {
    fn corner(self) -> usize {
        match self {
            Self::Corners(_, corner) | Self::Side { corner, .. } => corner,
        }
    }
}

/// Up to `limit` self-contacts of a polygon in the plane.
pub(super) fn self_contacts(points: &[[f64; 2]], limit: usize) -> Vec<SelfContact> {
    let outline = Outline::new(points);
    let mut found: Vec<SelfContact> = Vec::new();
    outline.any_pair(|i, j| {
        for contact in outline.contacts(i, j).into_iter().flatten() {
            if !found.contains(&contact) {
                found.push(contact);
            }
        }
        found.len() >= limit
    });
    found
}

/// A closed polyline with a tree of boxes over runs of its sides.
struct Outline<'a> {
    points: &'a [[f64; 2]],
    /// `[min x, min y, max x, max y]` in heap order: node `i` has the children `2 i` and `2 i + 1`;
    /// side `s` is node `first_leaf + s`.
    boxes: Vec<[f64; 4]>,
    first_leaf: usize,
}

impl<'a> Outline<'a> {
    fn new(points: &'a [[f64; 2]]) -> Self {
        let first_leaf = points.len().next_power_of_two();
        let empty = [f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY];
        let mut boxes = vec![empty; 2 * first_leaf];
        let join = |a: [f64; 4], b: [f64; 4]| {
            [a[0].min(b[0]), a[1].min(b[1]), a[2].max(b[2]), a[3].max(b[3])]
        };
        for (i, p) in points.iter().enumerate() {
            let q = points[(i + 1) % points.len()];
            boxes[first_leaf + i] = join([p[0], p[1], p[0], p[1]], [q[0], q[1], q[0], q[1]]);
        }
        for i in (1..first_leaf).rev() {
            boxes[i] = join(boxes[2 * i], boxes[2 * i + 1]);
        }
        Self { points, boxes, first_leaf }
    }

    /// Whether `found` holds for a pair of different sides whose boxes share a point.
    fn any_pair(&self, mut found: impl FnMut(usize, usize) -> bool) -> bool {
        let mut stack = vec![(1, 1)];
        while let Some((a, b)) = stack.pop() {
            if a == b {
                if a < self.first_leaf {
                    let (l, r) = (2 * a, 2 * a + 1);
                    stack.extend([(l, l), (r, r), (l, r)]);
                }
                continue;
            }
            let (p, q) = (self.boxes[a], self.boxes[b]);
            // Empty boxes are skipped here as well.
            if !(p[0] <= q[2] && q[0] <= p[2] && p[1] <= q[3] && q[1] <= p[3]) {
                continue;
            }
            match (a < self.first_leaf, b < self.first_leaf) {
                (false, false) => {
                    if found(a - self.first_leaf, b - self.first_leaf) {
                        return true;
                    }
                }
                // Both nodes are at the same depth.
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

    /// Calls `visit_side` for every side for which `enter` holds for the boxes of all its
    /// ancestors.
    fn visit(&self, enter: impl Fn(&[f64; 4]) -> bool, mut visit_side: impl FnMut(usize)) {
        let mut stack = vec![1];
        while let Some(node) = stack.pop() {
            if !enter(&self.boxes[node]) {
                continue;
            }
            if node < self.first_leaf {
                stack.extend([2 * node, 2 * node + 1]);
            } else {
                visit_side(node - self.first_leaf);
            }
        }
    }

    /// The end points of the sides that contain `p`, other than `p`, in the order of
    /// [`compare_angles`]. Each comes with the change of the winding number when a
    /// counter-clockwise turn about `p` passes the side.
    fn rays(&self, p: [f64; 2]) -> Vec<([f64; 2], i32)> {
        let mut rays = Vec::new();
        self.visit(
            |b| b[0] <= p[0] && p[0] <= b[2] && b[1] <= p[1] && p[1] <= b[3],
            |i| {
                let (a, b) = (self.at(i), self.at(i + 1));
                if a != b && orient2d(a, b, p).is_zero() {
                    rays.extend((b != p).then_some((b, 1)));
                    rays.extend((a != p).then_some((a, -1)));
                }
            },
        );
        sort_numbers_by(&mut rays, &|(a, _), (b, _)| compare_angles(p, *a, *b));
        rays
    }

    /// The winding number about a point next to `p` at a polar angle just above zero: `p` shifted
    /// along x, and along y by much less.
    fn winding_beside(&self, p: [f64; 2]) -> i32 {
        let mut winding = 0;
        self.visit(
            |b| b[2] > p[0] && b[1] <= p[1] && p[1] < b[3],
            |i| {
                let (a, b) = (self.at(i), self.at(i + 1));
                let (up, down) = (a[1] <= p[1] && b[1] > p[1], b[1] <= p[1] && a[1] > p[1]);
                let (low, high) = if up { (a, b) } else { (b, a) };
                if (up || down) && orient2d(low, high, p) == Sign::Positive {
                    winding += if up { 1 } else { -1 };
                }
            },
        );
        winding
    }

    /// The contacts of the first corner of each of two sides with the other side, except for the
    /// common corner of consecutive sides.
    fn contacts(&self, i: usize, j: usize) -> [Option<SelfContact>; 2] {
        let n = self.points.len();
        [(i, j), (j, i)].map_each(|(side, corner)| {
            let end = (side + 1) % n;
            let (a, b, p) = (self.at(side), self.at(end), self.at(corner));
            let within = |k: usize| a[k].min(b[k]) <= p[k] && p[k] <= a[k].max(b[k]);
            if corner == end || !within(0) || !within(1) || !orient2d(a, b, p).is_zero() {
                None
            } else if p == a {
                Some(SelfContact::Corners(side.min(corner), side.max(corner)))
            } else if p == b {
                Some(SelfContact::Corners(end.min(corner), end.max(corner)))
            } else {
                Some(SelfContact::Side { side, corner })
            }
        })
    }

    fn at(&self, i: usize) -> [f64; 2] {
        self.points[i % self.points.len()]
    }

    /// Whether sides `i` and `j` cross, or the outline passes through one of them at the first
    /// corner of the other.
    fn passes_through(&self, i: usize, j: usize) -> bool {
        let (a, b, c, d) = (self.at(i), self.at(i + 1), self.at(j), self.at(j + 1));
        let (sc, sd) = (orient2d(a, b, c), orient2d(a, b, d));
        let (sa, sb) = (orient2d(c, d, a), orient2d(c, d, b));
        let opposite = |s: Sign, t: Sign| s * t == Sign::Negative;
        if opposite(sc, sd) && opposite(sa, sb) {
            return true;
        }
        let before = self.points.len() - 1;
        (sc.is_zero() && opposite(sa, sb) && opposite(orient2d(a, b, self.at(j + before)), sd))
            || (sa.is_zero()
                && opposite(sc, sd)
                && opposite(orient2d(c, d, self.at(i + before)), sb))
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
            let reversed: Vec<Vec3> = p.iter().rev().copied().collect();
            assert!(planar(p.iter().copied()));
            assert_eq!(convex(p.iter().copied()), convex(reversed.iter().copied()));
            convex(p.iter().copied())
        };
        let square = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]];
        assert!(check(&square));
        assert!(check(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]]));
        assert!(!check(&[[0.0, 0.0], [2.0, 1.0], [0.0, 2.0], [1.0, 1.0]]));
        // A square outline that winds twice and a pentagram turn in one direction only.
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
        let (distance, diagonal) = deviation(p.iter().copied());
        assert!(distance > 0.0 && distance / diagonal < 1e-15);
        p[3].z += 1.0;
        let (distance, diagonal) = deviation(p.iter().copied());
        assert!(distance / diagonal > 0.01 && distance < 1.0);
        assert!(planar([Vec3::ONE; 3].into_iter()) && planar(std::iter::empty()));
    }

    #[test]
    fn crossings_are_distinguished_from_contacts() {
        let crosses = |points: &[[f64; 2]]| !winds_once(points);
        assert!(crosses(&[[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [0.0, 3.0]]));
        assert!(crosses(&[[0.0, 3.0], [-2.0, -3.0], [3.0, 1.0], [-3.0, 1.0], [2.0, -3.0]]));
        // A corner that ends before a side, on it and beyond it.
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
