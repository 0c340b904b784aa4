//! A surface cut off at planes: polygons without adjacency.
//!
//! Most corners of cut polygons are not `f64` numbers. A corner therefore carries a slack: it
//! stands for an ideal point of the surface that is within that distance, coordinate by coordinate,
//! and the ideal polygons hold the true cut surface. To keep that promise where an edge is nearly
//! parallel to the plane, the ideal corner is taken a little beyond the plane instead of on it.
//! Corners that happen to be exact (all, where edges are parallel to axes) have slack zero and are
//! the true corners.
//!
//! A polygon that lies in the plane goes to one side only, the one it is turned away from: the
//! other side of a solid has nothing there but a face of its neighbour. A polygon that only touches
//! the plane goes to its own side only. So nothing is lost, and no side has flat parts that are not
//! its own.
//!
//! All that is for axis-parallel planes, where the side of a corner is exact. At other planes every
//! corner that may be on a side is kept there.

use super::planes::Plane;
use crate::exact::orient2d;
use crate::math::{Aabb, Vec3, newell};

/// What computing a corner may add to its slack, for coordinates at most two in size.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// Edges are cut in the plane if that leaves less than this open, others a little beyond the plane.
const VAGUE: f64 = 2e-13;

/// Polygons, each convex and planar up to rounding.
#[derive(Clone, Debug, Default)]
pub(super) struct Soup {
    points: Vec<Vec3>,
    slacks: Vec<Vec3>,
    /// Polygon `i` has the corners from `ends[i - 1]` to `ends[i]`.
    ends: Vec<u32>,
}

/// Which side of a plane is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keep {
    /// Coordinates up to the plane's.
    Low,
    /// Coordinates from the plane's.
    High,
}

impl Soup {
    /// The triangles as they are.
    pub(super) fn of(triangles: impl IntoIterator<Item = [Vec3; 3]>) -> Self {
        let mut soup = Self::default();
        for t in triangles {
            soup.points.extend(t);
            soup.slacks.extend([Vec3::ZERO; 3]);
            soup.ends.push(soup.points.len() as u32);
        }
        soup
    }

    /// How many polygons there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Every polygon's corners and slacks.
    pub(super) fn polygons(&self) -> impl Iterator<Item = (&[Vec3], &[Vec3])> {
        (0..self.ends.len()).map(|i| self.polygon(i))
    }

    fn polygon(&self, i: usize) -> (&[Vec3], &[Vec3]) {
        let start = if i == 0 { 0 } else { self.ends[i - 1] as usize };
        let range = start..self.ends[i] as usize;
        (&self.points[range.clone()], &self.slacks[range])
    }

    /// All corners.
    pub(super) fn points(&self) -> &[Vec3] {
        &self.points
    }

    /// Whether every corner is exact.
    #[cfg(test)]
    pub(super) fn is_exact(&self) -> bool {
        self.slacks.iter().all(|s| *s == Vec3::ZERO)
    }

    /// No ideal corner is further than this from its own.
    pub(super) fn slack(&self) -> f64 {
        2.0 * self.slacks.iter().map(|s| s.max_element()).fold(0.0, f64::max)
    }

    /// The box of all corners.
    pub(super) fn bounds(&self) -> Aabb {
        Aabb::from_points(self.points.iter().copied())
    }

    /// About `count` of the polygons, evenly taken.
    pub(super) fn thinned(&self, count: usize) -> Self {
        let step = self.len().div_ceil(count.max(1)).max(1);
        let mut soup = Self::default();
        for i in (0..self.len()).step_by(step) {
            let (points, slacks) = self.polygon(i);
            soup.points.extend_from_slice(points);
            soup.slacks.extend_from_slice(slacks);
            soup.ends.push(soup.points.len() as u32);
        }
        soup
    }

    /// Points whose hull holds all ideal polygons.
    pub(super) fn outer_points(&self) -> Vec<Vec3> {
        let mut all = Vec::with_capacity(self.points.len());
        outer(&self.points, &self.slacks, &mut all);
        all
    }

    /// The faces of a box.
    pub(super) fn of_box(b: &Aabb) -> Self {
        let mut soup = Self::default();
        for axis in 0..3 {
            for side in [b.min[axis], b.max[axis]] {
                let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                for [i, j] in [[false, false], [true, false], [true, true], [false, true]] {
                    let mut corner = b.min;
                    corner[axis] = side;
                    corner[u] = if i { b.max[u] } else { b.min[u] };
                    corner[v] = if j { b.max[v] } else { b.min[v] };
                    soup.points.push(corner);
                    soup.slacks.push(Vec3::ZERO);
                }
                soup.ends.push(soup.points.len() as u32);
            }
        }
        soup
    }

    /// All corners with their slacks.
    pub(super) fn corners(&self) -> impl Iterator<Item = (Vec3, Vec3)> + '_ {
        self.points.iter().copied().zip(self.slacks.iter().copied())
    }

    /// How far `p` is from the boxes of all ideal polygons, about and not more; infinite if there
    /// are none.
    pub(super) fn distance_from(&self, p: Vec3) -> f64 {
        let mut least = f64::INFINITY;
        for (points, slacks) in self.polygons() {
            let of = |sign: f64| points.iter().zip(slacks).map(move |(p, s)| *p + *s * sign);
            let b = Aabb::from_points(of(-1.5).chain(of(1.5)));
            least = least.min((b.min - p).max(p - b.max).max(Vec3::ZERO).length());
        }
        least
    }

    /// What of the surface is below the plane, and what may be: where rounding hides the side of a
    /// corner, it is kept.
    pub(super) fn below(&self, plane: &Plane) -> Self {
        let mut result = Self::default();
        let mut heights = Vec::new();
        for (points, slacks) in self.polygons() {
            heights.clear();
            heights.extend(points.iter().zip(slacks).map(|(p, slack)| Height {
                out: -plane.depth(*p),
                open: plane.normal.abs().dot(*slack) + super::planes::ROUNDING,
            }));
            let is_out = |i: usize| heights[i].out > heights[i].open;
            let (start, n) = (result.points.len(), points.len());
            for i in 0..n {
                let j = (i + 1) % n;
                if !is_out(i) {
                    result.points.push(points[i]);
                    result.slacks.push(slacks[i]);
                }
                if is_out(i) == is_out(j) {
                    continue;
                }
                let (inner, outer) = if is_out(j) { (i, j) } else { (j, i) };
                let end = |k: usize| (points[k], slacks[k], heights[k]);
                let (m, slack) = crossing_askew(end(inner), end(outer));
                result.points.push(m);
                result.slacks.push(slack);
            }
            if result.points.len() > start {
                result.ends.push(result.points.len() as u32);
            }
        }
        result
    }

    /// What of the surface is on one side of the plane where coordinate `axis` is `at`, the plane
    /// included.
    pub(super) fn clipped(&self, axis: usize, at: f64, keep: Keep) -> Self {
        let mut result = Self::default();
        let mut outs = Vec::new();
        for (points, slacks) in self.polygons() {
            outs.clear();
            // How far beyond the plane; the sign of a difference is exact.
            outs.extend(points.iter().map(|p| match keep {
                Keep::Low => p[axis] - at,
                Keep::High => at - p[axis],
            }));
            let is_out = |i: usize| outs[i] > slacks[i][axis];
            let start = result.points.len();
            let n = points.len();
            let sure = slacks.iter().all(|s| s[axis] == 0.0);
            if sure && outs.iter().all(|o| *o >= 0.0) {
                let touches = outs.iter().any(|o| *o > 0.0);
                let up = newell(points.iter().copied())[axis] > 0.0;
                if touches || up != (keep == Keep::Low) {
                    continue;
                }
            }
            for i in 0..n {
                let j = (i + 1) % n;
                if !is_out(i) {
                    result.points.push(points[i]);
                    result.slacks.push(slacks[i]);
                }
                if is_out(i) == is_out(j) {
                    continue;
                }
                let (inner, outer) = if is_out(j) { (i, j) } else { (j, i) };
                let corner = |k: usize| Corner { p: points[k], slack: slacks[k], out: outs[k] };
                if let Some((m, slack)) = crossing(&corner(inner), &corner(outer), axis, at) {
                    result.points.push(m);
                    result.slacks.push(slack);
                }
            }
            if result.points.len() > start {
                result.ends.push(result.points.len() as u32);
            }
        }
        result
    }
}

/// Adds points whose hull holds the ideal ones.
pub(super) fn outer(points: &[Vec3], slacks: &[Vec3], all: &mut Vec<Vec3>) {
    for (p, slack) in points.iter().zip(slacks) {
        // The sums are rounded, by less than the slack has room for.
        let s = *slack * 1.5;
        let sides = s.to_array().map(|s| if s == 0.0 { &[0.0][..] } else { &[-1.0, 1.0][..] });
        for x in sides[0] {
            for y in sides[1] {
                all.extend(sides[2].iter().map(|z| *p + s * Vec3::new(*x, *y, *z)));
            }
        }
    }
}

/// How far a corner is above a plane.
#[derive(Clone, Copy)]
struct Height {
    out: f64,
    /// What is left open by the slack of the corner and by rounding.
    open: f64,
}

/// A point of an edge at or a little above a plane, with its slack. The ends are points, slacks and
/// heights; the first may be below, the second is above.
fn crossing_askew(
    (p, slack_p, inner): (Vec3, Vec3, Height),
    (q, slack_q, outer): (Vec3, Vec3, Height),
) -> (Vec3, Vec3) {
    let (slack, open) = (slack_p.max(slack_q), inner.open.max(outer.open));
    let length = outer.out - inner.out;
    if length <= 0.0 {
        return (q, slack_q);
    }
    // The true crossing moves by less than twice what is open over the length if the heights are
    // clear of it.
    let spread = (q - p).abs() / length;
    let sum = slack + (spread + Vec3::ONE) * (2.0 * open + ROUNDING);
    if sum.max_element() <= VAGUE && -inner.out > 4.0 * open {
        return (p + (q - p) * (-inner.out / length).min(1.0), sum);
    }
    let t = ((open + ROUNDING - inner.out) / length).max(0.0);
    if t >= 1.0 {
        return (q, slack_q);
    }
    (p + (q - p) * t, slack + Vec3::splat(ROUNDING))
}

struct Corner {
    p: Vec3,
    slack: Vec3,
    out: f64,
}

/// A point of the edge at or a little beyond the plane, with its slack; `None` if the inner corner
/// is exactly in the plane.
fn crossing(inner: &Corner, outer: &Corner, axis: usize, at: f64) -> Option<(Vec3, Vec3)> {
    let (p, q) = (inner.p, outer.p);
    let slack = inner.slack.max(outer.slack);
    let length = outer.out - inner.out;
    if inner.out == 0.0 && slack[axis] == 0.0 {
        return None;
    }
    if slack == Vec3::ZERO {
        let t = -inner.out / length;
        let mut m = p + (q - p) * t;
        m[axis] = at;
        let exact = [(axis + 1) % 3, (axis + 2) % 3].into_iter().all(|o| {
            if p[o] == q[o] {
                m[o] = p[o];
            }
            let seen = |v: Vec3| [v[axis], v[o]];
            orient2d(seen(p), seen(q), seen(m)).is_zero()
        });
        if exact {
            return Some((m, Vec3::ZERO));
        }
    }
    let spread = (q - p).abs() / length;
    let mut sum = slack + (spread + Vec3::ONE) * (2.0 * slack[axis] + ROUNDING);
    if sum.max_element() <= VAGUE && -inner.out > 2.0 * slack[axis] {
        // The true crossing is as well known as the plane: within what the ends and the quotient
        // leave open.
        let t = -inner.out / length;
        let mut m = p + (q - p) * t.min(1.0);
        for o in 0..3 {
            if p[o] == q[o] && slack[o] == 0.0 {
                (m[o], sum[o]) = (p[o], 0.0);
            }
        }
        (m[axis], sum[axis]) = (at, 0.0);
        return Some((m, sum));
    }
    let t = ((slack[axis] + ROUNDING - inner.out) / length).max(0.0);
    if t >= 1.0 {
        return Some((q, outer.slack));
    }
    let mut m = p + (q - p) * t;
    let mut sum = slack + Vec3::splat(ROUNDING);
    for o in 0..3 {
        // All of the edge has this coordinate.
        if p[o] == q[o] && slack[o] == 0.0 {
            (m[o], sum[o]) = (p[o], 0.0);
        }
    }
    Some((m, sum))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    #[test]
    fn edges_parallel_to_an_axis_are_cut_exactly() {
        let t = [Vec3::new(0.1, 0.3, 0.7), Vec3::new(0.9, 0.3, 0.7), Vec3::new(0.1, 0.8, 0.7)];
        let soup = Soup::of([t]).clipped(0, 0.1, Keep::High);
        assert!(soup.is_exact() && soup.points() == t);
        let soup = Soup::of([t]).clipped(1, 0.5, Keep::Low);
        assert!(soup.points().contains(&Vec3::new(0.1, 0.5, 0.7)));
        assert_eq!(Soup::of([t]).clipped(1, 0.2, Keep::Low).len(), 0);
        // A touch is on its own side only, and a polygon in the plane where it is turned away from.
        assert_eq!(Soup::of([t]).clipped(1, 0.3, Keep::Low).len(), 0);
        assert_eq!(Soup::of([t]).clipped(1, 0.3, Keep::High).points(), t);
        assert_eq!(Soup::of([t]).clipped(2, 0.7, Keep::Low).points(), t);
        assert_eq!(Soup::of([t]).clipped(2, 0.7, Keep::High).len(), 0);
    }

    #[test]
    fn cut_polygons_hold_what_is_cut() {
        let mut random = Random::new(9);
        for case in 0..500 {
            let mut next = || random.range(-1.0, 1.0);
            let mut point = || Vec3::new(next(), next(), next());
            let mut t = [point(), point(), point()];
            if case % 3 == 0 {
                // Nearly parallel to the plane.
                t[1].x = t[0].x + 1e-15;
                t[2].x = t[0].x - 1e-15;
            }
            let at = t[0].x;
            for keep in [Keep::Low, Keep::High] {
                let soup = Soup::of([t]).clipped(0, at, keep).clipped(1, 0.1, Keep::Low);
                assert!(soup.slack() < 1e-12);
                let outer = Aabb::from_points(soup.outer_points());
                for k in 0..100 {
                    let (u, v) = (f64::from(k % 10) / 10.0, f64::from(k / 10) / 10.0);
                    let p = t[0] + (t[1] - t[0]) * u + (t[2] - t[0]) * (v * (1.0 - u));
                    let kept = p.y <= 0.1 - 1e-12
                        && if keep == Keep::Low { p.x < at - 1e-12 } else { p.x > at + 1e-12 };
                    assert!(!kept || outer.grown(1e-14).contains(p));
                }
            }
        }
    }
}
