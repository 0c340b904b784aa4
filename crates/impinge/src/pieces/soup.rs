//! A surface clipped at planes: polygons without adjacency.
//!
//! Most corners of cut polygons are not `f64` numbers. A corner therefore carries a slack: it
//! represents an ideal point of the surface that is within that distance, coordinate by coordinate,
//! and the ideal polygons contain the true cut surface. To ensure this where an edge is nearly
//! parallel to the plane, the ideal corner is taken a little beyond the plane instead of on it.
//! Corners that happen to be exact (all, where edges are parallel to axes) have slack zero and are
//! the true corners.
//!
//! A polygon that lies in the plane belongs to one side only, the one its normal points away from:
//! on the other side of the plane it is only a face of the neighbour. A polygon that only touches
//! the plane belongs to its own side only. So nothing is lost, and no side has flat parts that
//! belong to the other.
//!
//! This holds for axis-parallel planes, where the side of a corner is exact. At other planes every
//! corner that may be on a side is kept there.

use super::planes::Plane;
use crate::arrays::MapEach;
use crate::exact::orient2d;
use crate::math::{Aabb, Vec3, newell};

/// Bound of the rounding error of a computed corner, for coordinates at most two in size.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// The largest slack of a crossing in the plane. An edge whose crossing would have a larger one is
/// cut a little beyond the plane.
const MAX_CROSSING_SLACK: f64 = 2e-13;

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

    /// The number of polygons.
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

    /// A bound of the distance between a corner and its ideal corner.
    pub(super) fn slack(&self) -> f64 {
        2.0 * self.slacks.iter().map(|s| s.max_element()).fold(0.0, f64::max)
    }

    /// The box of all corners.
    pub(super) fn bounds(&self) -> Aabb {
        Aabb::from_points(self.points.iter().copied())
    }

    /// About `count` of the polygons, at regular intervals.
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

    /// Points whose hull contains all ideal polygons.
    pub(super) fn outer_points(&self) -> Vec<Vec3> {
        let mut all = Vec::with_capacity(self.points.len());
        append_outer_points(&self.points, &self.slacks, &mut all);
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

    /// A lower bound of the distance of `p` from the ideal polygons, up to rounding: the distance
    /// from their boxes. Infinite if there are none.
    pub(super) fn distance_from(&self, p: Vec3) -> f64 {
        let mut least = f64::INFINITY;
        for (points, slacks) in self.polygons() {
            let of = |sign: f64| points.iter().zip(slacks).map(move |(p, s)| *p + *s * sign);
            let b = Aabb::from_points(of(-1.5).chain(of(1.5)));
            least = least.min((b.min - p).max(p - b.max).max(Vec3::ZERO).length());
        }
        least
    }

    /// The part of the surface below the plane. A corner whose side is uncertain because of
    /// rounding is kept.
    pub(super) fn below(&self, plane: &Plane) -> Self {
        let mut result = Self::default();
        let mut heights = Vec::new();
        for (points, slacks) in self.polygons() {
            heights.clear();
            heights.extend(points.iter().zip(slacks).map(|(p, slack)| Height {
                height: -plane.depth(*p),
                uncertainty: plane.normal.abs().dot(*slack) + super::planes::ROUNDING,
            }));
            let is_out = |i: usize| heights[i].height > heights[i].uncertainty;
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
                let (m, slack) = crossing_oblique(end(inner), end(outer));
                result.points.push(m);
                result.slacks.push(slack);
            }
            if result.points.len() > start {
                result.ends.push(result.points.len() as u32);
            }
        }
        result
    }

    /// The part of the surface on one side of the plane where coordinate `axis` is `at`, including
    /// the plane.
    pub(super) fn clipped(&self, axis: usize, at: f64, keep: Keep) -> Self {
        let mut result = Self::default();
        let mut heights = Vec::new();
        for (points, slacks) in self.polygons() {
            heights.clear();
            // Heights beyond the plane; the sign of a difference is exact.
            heights.extend(points.iter().map(|p| match keep {
                Keep::Low => p[axis] - at,
                Keep::High => at - p[axis],
            }));
            let is_out = |i: usize| heights[i] > slacks[i][axis];
            let start = result.points.len();
            let n = points.len();
            let exact_on_axis = slacks.iter().all(|s| s[axis] == 0.0);
            if exact_on_axis && heights.iter().all(|o| *o >= 0.0) {
                let touches = heights.iter().any(|o| *o > 0.0);
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
                let corner =
                    |k: usize| Corner { p: points[k], slack: slacks[k], height: heights[k] };
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

/// Appends points whose hull contains the ideal ones.
pub(super) fn append_outer_points(points: &[Vec3], slacks: &[Vec3], all: &mut Vec<Vec3>) {
    for (p, slack) in points.iter().zip(slacks) {
        // The factor covers the rounding of the sums.
        let s = *slack * 1.5;
        let sides = s.to_array().map_each(|s| if s == 0.0 { &[0.0][..] } else { &[-1.0, 1.0][..] });
        for x in sides[0] {
            for y in sides[1] {
                all.extend(sides[2].iter().map(|z| *p + s * Vec3::new(*x, *y, *z)));
            }
        }
    }
}

/// The height of a corner above a plane.
#[derive(Clone, Copy)]
struct Height {
    height: f64,
    /// A bound of its error: the slack of the corner and rounding.
    uncertainty: f64,
}

/// A point of an edge at a plane, or slightly above it, with its slack. Both ends are given as
/// point, slack and height; the first may be below the plane, the second is above.
fn crossing_oblique(
    (p, slack_p, inner): (Vec3, Vec3, Height),
    (q, slack_q, outer): (Vec3, Vec3, Height),
) -> (Vec3, Vec3) {
    let (slack, uncertainty) = (slack_p.max(slack_q), inner.uncertainty.max(outer.uncertainty));
    let length = outer.height - inner.height;
    if length <= 0.0 {
        return (q, slack_q);
    }
    // If the heights are larger than their uncertainty, the true crossing moves by less than twice
    // the uncertainty over the length.
    let spread = (q - p).abs() / length;
    let sum = slack + (spread + Vec3::ONE) * (2.0 * uncertainty + ROUNDING);
    if sum.max_element() <= MAX_CROSSING_SLACK && -inner.height > 4.0 * uncertainty {
        return (p + (q - p) * (-inner.height / length).min(1.0), sum);
    }
    let t = ((uncertainty + ROUNDING - inner.height) / length).max(0.0);
    if t >= 1.0 {
        return (q, slack_q);
    }
    (p + (q - p) * t, slack + Vec3::splat(ROUNDING))
}

struct Corner {
    p: Vec3,
    slack: Vec3,
    height: f64,
}

/// A point of the edge at the plane, or slightly beyond it, with its slack; `None` if the inner
/// corner is exactly in the plane.
fn crossing(inner: &Corner, outer: &Corner, axis: usize, at: f64) -> Option<(Vec3, Vec3)> {
    let (p, q) = (inner.p, outer.p);
    let slack = inner.slack.max(outer.slack);
    let length = outer.height - inner.height;
    if inner.height == 0.0 && slack[axis] == 0.0 {
        return None;
    }
    if slack == Vec3::ZERO {
        let t = -inner.height / length;
        let mut m = p + (q - p) * t;
        m[axis] = at;
        let exact = [(axis + 1) % 3, (axis + 2) % 3].into_iter().all(|o| {
            if p[o] == q[o] {
                m[o] = p[o];
            }
            let projected = |v: Vec3| [v[axis], v[o]];
            orient2d(projected(p), projected(q), projected(m)).is_zero()
        });
        if exact {
            return Some((m, Vec3::ZERO));
        }
    }
    let spread = (q - p).abs() / length;
    let mut sum = slack + (spread + Vec3::ONE) * (2.0 * slack[axis] + ROUNDING);
    if sum.max_element() <= MAX_CROSSING_SLACK && -inner.height > 2.0 * slack[axis] {
        // The crossing is taken in the plane; `sum` bounds the error from the ends and the
        // quotient.
        let t = -inner.height / length;
        let mut m = p + (q - p) * t.min(1.0);
        for o in 0..3 {
            if p[o] == q[o] && slack[o] == 0.0 {
                (m[o], sum[o]) = (p[o], 0.0);
            }
        }
        (m[axis], sum[axis]) = (at, 0.0);
        return Some((m, sum));
    }
    let t = ((slack[axis] + ROUNDING - inner.height) / length).max(0.0);
    if t >= 1.0 {
        return Some((q, outer.slack));
    }
    let mut m = p + (q - p) * t;
    let mut sum = slack + Vec3::splat(ROUNDING);
    for o in 0..3 {
        // The whole edge has this coordinate.
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
        // A polygon that touches the plane is on its own side only, one in the plane on the side
        // its normal points away from.
        assert_eq!(Soup::of([t]).clipped(1, 0.3, Keep::Low).len(), 0);
        assert_eq!(Soup::of([t]).clipped(1, 0.3, Keep::High).points(), t);
        assert_eq!(Soup::of([t]).clipped(2, 0.7, Keep::Low).points(), t);
        assert_eq!(Soup::of([t]).clipped(2, 0.7, Keep::High).len(), 0);
    }

    #[test]
    fn cut_polygons_contain_the_true_cut() {
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
