//! Exact questions about one polygon: on a line, in a plane, convex, crossing itself (Zachmann
//! 1994, section 4.2.2).

use std::cmp::Ordering;

use super::area_sign::area_sign;
use crate::exact::{Sign, orient2d, orient3d};
use crate::math::{Aabb, Vec3, axes_by_size, drop_axis, newell};

/// Whether three points lie on one line, exactly.
pub(super) fn collinear(a: Vec3, b: Vec3, c: Vec3) -> bool {
    (0..3)
        .all(|axis| orient2d(drop_axis(a, axis), drop_axis(b, axis), drop_axis(c, axis)).is_zero())
}

/// The first three corners that are not on one line, if any: they span the plane of a planar
/// polygon and, if it is convex, turn its way.
pub(super) fn spanning_corners(
    mut points: impl Iterator<Item = Vec3> + Clone,
) -> Option<[Vec3; 3]> {
    let a = points.clone().next()?;
    let b = points.clone().find(|p| *p != a)?;
    let c = points.find(|p| !collinear(a, b, *p))?;
    // `b` is the first corner that differs from `a`, so none of those before `c` lies off the line
    // and the order a, b, c is that of the polygon.
    Some([a, b, c])
}

/// Whether all corners lie in one plane, exactly. True for corners on one line.
pub(super) fn planar(mut points: impl Iterator<Item = Vec3> + Clone) -> bool {
    match spanning_corners(points.clone()) {
        None => true,
        Some([a, b, c]) => points.all(|p| orient3d(a, b, c, p).is_zero()),
    }
}

/// The largest distance of a corner from the plane through the corners' mean with Newell's normal,
/// and the diagonal of the polygon's box. Zero distance where there is no normal.
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

/// Whether the polygon, seen along the axis it faces most, is convex: it turns one way only, and
/// goes around once, that is, its corners in lexicographic order rise once and fall once. Straight
/// runs and repeated corners in a row are allowed; polygons of zero area are not convex.
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

/// Whether triangles of a polygon cover it without overlap, as seen along an axis: none is turned
/// against the others, and the outline goes around no point twice.
///
/// Triangles of one orientation, with sides that cancel but for the outline, cover a point as often
/// as the outline winds around it, so that the outline alone tells whether they overlap. The axes
/// are tried in the order of the polygon's normal. A polygon on one line is covered. If the
/// triangles are turned against each other along every axis, as after a deformation, the outline is
/// judged along the first.
pub(super) fn covered_once(points: &[Vec3], triangles: &[[Vec3; 3]]) -> bool {
    if !points.iter().all(|p| p.is_finite()) {
        return false;
    }
    let mut views = Vec::new();
    for axis in axes_by_size(newell(points.iter().copied())) {
        let flat: Vec<[f64; 2]> = points.iter().map(|p| drop_axis(*p, axis)).collect();
        if !on_a_line(&flat) {
            views.push((axis, flat));
        }
    }
    let Some((_, first)) = views.first() else { return true };
    let mut judged = false;
    for (axis, flat) in &views {
        let sign = area_sign(flat);
        let turned = |t: &[Vec3; 3]| {
            let [a, b, c] = t.map(|p| drop_axis(p, *axis));
            let turn = orient2d(a, b, c);
            if sign.is_zero() { !turn.is_zero() } else { turn * sign == Sign::Negative }
        };
        if triangles.iter().any(turned) {
            continue;
        }
        judged = true;
        if winds_once(flat) {
            return true;
        }
    }
    !judged && winds_once(first)
}

/// Whether all points are on one line.
pub(super) fn on_a_line(points: &[[f64; 2]]) -> bool {
    let Some(a) = points.first() else { return true };
    let Some(b) = points.iter().find(|p| *p != a) else { return true };
    points.iter().all(|p| orient2d(*a, *b, *p).is_zero())
}

/// Whether a closed polyline of finite points goes around every point once or not at all, all in
/// the same sense, and does not pass through itself: no two sides cross, and no corner lies on a
/// side with its neighbours on both sides of it. It may touch itself, as at the bridge to a hole.
///
/// The winding number is constant on each part of the plane between the sides. If no sides cross,
/// the border of every such part has a corner at which the outline meets itself, or is the whole
/// outline, which then is a simple polygon. So it is enough to look at the sectors around the
/// corners where the outline meets itself.
pub(super) fn winds_once(points: &[[f64; 2]]) -> bool {
    let one = match area_sign(points) {
        Sign::Zero => 0,
        Sign::Positive => 1,
        Sign::Negative => -1,
    };
    let outline = Outline::new(points);
    let mut corners = Vec::new();
    let passes = outline.any_pair(|i, j| {
        if outline.pass(i, j) {
            return true;
        }
        let meets = outline.contacts(i, j);
        corners.extend(meets.into_iter().flatten().map(Meeting::corner));
        false
    });
    if passes {
        return false;
    }
    let key = |i: &usize| points[*i].map(|x| x + 0.0);
    let order = |i: &usize, j: &usize| key(i).map(f64::to_bits).cmp(&key(j).map(f64::to_bits));
    corners.sort_unstable_by(order);
    corners.dedup_by(|i, j| order(i, j).is_eq());
    corners.into_iter().all(|i| {
        let rays = outline.rays(points[i]);
        let mut winding = outline.winding_beside(points[i]);
        let mut fits = winding == 0 || winding == one;
        for group in rays.chunk_by(|(p, _), (q, _)| angle(points[i], *p, *q).is_eq()) {
            winding += group.iter().map(|(_, change)| change).sum::<i32>();
            fits &= winding == 0 || winding == one;
        }
        fits
    })
}

/// The order of two points other than `p` by the angle at which they are seen from it, from beyond
/// the direction of x once around to that direction.
fn angle(p: [f64; 2], a: [f64; 2], b: [f64; 2]) -> Ordering {
    let half = |q: [f64; 2]| !(q[1] > p[1] || (q[1] == p[1] && q[0] < p[0]));
    half(a).cmp(&half(b)).then_with(|| match orient2d(p, a, b) {
        Sign::Positive => Ordering::Less,
        Sign::Zero => Ordering::Equal,
        Sign::Negative => Ordering::Greater,
    })
}

/// Where an outline comes back to a corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meeting {
    /// Two corners at one place.
    Corners(usize, usize),
    /// A corner within a side.
    Side {
        /// The first corner of the side.
        side: usize,
        /// The corner that lies on it.
        corner: usize,
    },
}

impl Meeting {
    fn corner(self) -> usize {
        match self {
            Self::Corners(_, corner) | Self::Side { corner, .. } => corner,
        }
    }
}

/// Up to `limit` places where a polygon in the plane comes back to one of its corners.
pub(super) fn meetings(points: &[[f64; 2]], limit: usize) -> Vec<Meeting> {
    let outline = Outline::new(points);
    let mut found: Vec<Meeting> = Vec::new();
    outline.any_pair(|i, j| {
        for meeting in outline.contacts(i, j).into_iter().flatten() {
            if !found.contains(&meeting) {
                found.push(meeting);
            }
        }
        found.len() >= limit
    });
    found
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

    /// Whether `found` holds for a pair of different sides whose boxes share a point.
    fn any_pair(&self, mut found: impl FnMut(usize, usize) -> bool) -> bool {
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
                    if found(a - self.leaves, b - self.leaves) {
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

    /// Calls `show` with every side that can be reached through wanted boxes.
    fn visit(&self, wanted: impl Fn(&[f64; 4]) -> bool, mut show: impl FnMut(usize)) {
        let mut stack = vec![1];
        while let Some(node) = stack.pop() {
            if !wanted(&self.boxes[node]) {
                continue;
            }
            if node < self.leaves {
                stack.extend([2 * node, 2 * node + 1]);
            } else {
                show(node - self.leaves);
            }
        }
    }

    /// The points that sides lead to from `p`, in the order of [`angle`], with what is added to the
    /// winding number where a turn counter-clockwise about `p` passes the side.
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
        rays.sort_by(|(a, _), (b, _)| angle(p, *a, *b));
        rays
    }

    /// The winding number about a point next to `p`, seen from it just beyond the direction of x:
    /// the point is shifted along x, and along y by much less than that.
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

    /// Whether the first corners of two sides lie on the other side, but for the corner between
    /// sides in a row.
    fn contacts(&self, i: usize, j: usize) -> [Option<Meeting>; 2] {
        let n = self.points.len();
        [(i, j), (j, i)].map(|(side, corner)| {
            let end = (side + 1) % n;
            let (a, b, p) = (self.at(side), self.at(end), self.at(corner));
            let within = |k: usize| a[k].min(b[k]) <= p[k] && p[k] <= a[k].max(b[k]);
            if corner == end || !within(0) || !within(1) || !orient2d(a, b, p).is_zero() {
                None
            } else if p == a {
                Some(Meeting::Corners(side.min(corner), side.max(corner)))
            } else if p == b {
                Some(Meeting::Corners(end.min(corner), end.max(corner)))
            } else {
                Some(Meeting::Side { side, corner })
            }
        })
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
        let crosses = |points: &[[f64; 2]]| !winds_once(points);
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
