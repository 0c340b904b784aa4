//! Triangles from polygons of any shape, by ear clipping with exact predicates.
//!
//! A corner is an ear when the triangle with its neighbours lies in the polygon; cutting it off leaves a smaller
//! polygon (Meisters 1975). Cutting never frees a corner other than the two neighbours, so a queue of changed corners
//! replaces the repeated search, and only corners that are not convex can lie in an ear, so a tree over those
//! answers the containment question. Corners that coincide with a corner of the ear (holes joined to the outline by
//! a bridge that is walked twice, after Held 2001, FIST) block it only if the outline enters the ear there.
//!
//! A polygon of `n` corners always gives `n - 2` triangles. For simple and weakly simple polygons they cover it
//! without overlap and none is turned around; for others, ears are forced, and the polygon is reported.

use std::collections::VecDeque;

use super::area_sign::area_sign;
use super::connectivity::index;
use super::corner_tree::CornerTree;
use super::polygon_checks::crosses_itself;
use crate::exact::{Sign, orient2d};
use crate::math::{Vec3, axes_by_size, drop_axis, newell};

/// What a corner is willing to be cut for. Lower ones come first.
const PROPER: usize = 0;
/// The new side may touch the rest of the outline.
const TOUCHING: usize = 1;
/// Corners in the middle of a straight run, whose triangle is empty.
const FLAT: usize = 2;
/// Convex corners, whatever lies in their triangle: the polygon crosses itself.
const FORCED: usize = 3;
/// Any corner at all.
const HOPELESS: usize = 4;

/// Triangulates one polygon after another, keeping its memory.
#[derive(Debug, Default)]
pub(super) struct Triangulator {
    points: Vec<[f64; 2]>,
    next: Vec<u32>,
    prev: Vec<u32>,
    /// How often the corner's neighbours have changed; older entries in the queues are stale.
    stamp: Vec<u32>,
    alive: Vec<bool>,
    convex: Vec<bool>,
    tree: CornerTree,
    queues: [VecDeque<(u32, u32)>; 5],
    left: usize,
}

impl Triangulator {
    /// Appends the triangles of the polygon of these corners to `out`; `false` if ears had to be forced. Each triangle is an increasing sequence of positions in the polygon, up to
    /// rotation with its smallest first, replaced by `corners[position]`.
    pub(super) fn triangulate(
        &mut self,
        vertices: &[Vec3],
        corners: &[u32],
        out: &mut Vec<[u32; 3]>,
    ) -> bool {
        let n = corners.len();
        if n == 3 {
            out.push([corners[0], corners[1], corners[2]]);
            return true;
        }
        let start = out.len();
        let points = || corners.iter().map(|v| vertices[*v as usize]);
        let axes = axes_by_size(newell(points()));
        let mut balanced = false;
        for (attempt, axis) in axes.into_iter().enumerate() {
            self.points.clear();
            self.points.extend(points().map(|p| drop_axis(p, axis)));
            let sign = area_sign(&self.points);
            if sign == Sign::Zero {
                // Seen from the side, or on one line, or as much area turned one way as the other.
                balanced |= !self.collinear();
                if balanced || attempt < 2 {
                    continue;
                }
            }
            if sign == Sign::Negative {
                // Mirrored, the polygon runs counter-clockwise.
                self.points.iter_mut().for_each(|p| p.reverse());
            }
            out.truncate(start);
            if n == 4 && (0..4).all(|i| self.turn(i, (i + 1) % 4, (i + 2) % 4) == Sign::Positive) {
                // What clipping would give, for the most common polygon.
                out.extend([[0, 1, 2], [0, 2, 3]].map(|t: [usize; 3]| t.map(|i| corners[i])));
                return true;
            }
            if self.clip(corners, out) {
                return true;
            }
        }
        // The axis the polygon faces most is the best one to force.
        out.truncate(start);
        self.points.clear();
        self.points.extend(points().map(|p| drop_axis(p, axes[0])));
        if area_sign(&self.points) == Sign::Negative {
            self.points.iter_mut().for_each(|p| p.reverse());
        }
        self.clip(corners, out);
        false
    }

    fn collinear(&self) -> bool {
        let a = self.points[0];
        let Some(b) = self.points.iter().copied().find(|p| *p != a) else { return true };
        self.points.iter().all(|p| orient2d(a, b, *p).is_zero())
    }

    /// Clips ears of the counter-clockwise polygon `self.points` until nothing is left.
    fn clip(&mut self, corners: &[u32], out: &mut Vec<[u32; 3]>) -> bool {
        let n = self.points.len();
        let mut emit = |t: [u32; 3]| {
            let low = (0..3).min_by_key(|k| t[*k]).unwrap_or(0);
            out.push([0, 1, 2].map(|k| corners[t[(low + k) % 3] as usize]));
        };
        self.start(n);
        let mut clean = true;
        let mut clipped_since_retry = 0;
        while self.left > 3 {
            let Some(level) = (0..5).find(|q| !self.queues[*q].is_empty()) else { break };
            if level >= FORCED && clipped_since_retry * 8 >= self.left {
                // Ears were cut since the others were last looked at: look again before forcing anything.
                clipped_since_retry = 0;
                self.queues.iter_mut().for_each(VecDeque::clear);
                for i in 0..index(n) {
                    if self.alive[i as usize] {
                        self.queues[PROPER].push_back((i, self.stamp[i as usize]));
                    }
                }
                continue;
            }
            let Some((b, stamp)) = self.queues[level].pop_front() else { break };
            if !self.alive[b as usize] || self.stamp[b as usize] != stamp {
                continue;
            }
            let verdict = self.level_of(b, level);
            if verdict > level {
                self.queues[verdict].push_back((b, stamp));
                continue;
            }
            clean &= verdict < FORCED;
            emit([self.prev[b as usize], b, self.next[b as usize]]);
            self.cut(b);
            clipped_since_retry += 1;
        }
        if let Some(b) = (0..n).find(|i| self.alive[*i]) {
            let (a, c) = (self.prev[b], self.next[b]);
            clean &= self.turn(a, index(b), c) != Sign::Negative;
            emit([a, index(b), c]);
        }
        clean
    }

    fn start(&mut self, n: usize) {
        let count = index(n);
        self.left = n;
        self.next.clear();
        self.next.extend((1..count).chain([0]));
        self.prev.clear();
        self.prev.extend([count - 1].into_iter().chain(0..count - 1));
        self.stamp.clear();
        self.stamp.resize(n, 0);
        self.alive.clear();
        self.alive.resize(n, true);
        self.convex.clear();
        for i in 0..n {
            let convex = self.turn(self.prev[i], index(i), self.next[i]) == Sign::Positive;
            self.convex.push(convex);
        }
        let convex = &self.convex;
        self.tree.build(&self.points, (0..count).filter(|i| !convex[*i as usize]));
        self.queues.iter_mut().for_each(VecDeque::clear);
        // From the second corner on: a convex quadrilateral gives (0, 1, 2) and (0, 2, 3).
        self.queues[PROPER].extend((1..count).chain([0]).map(|i| (i, 0)));
    }

    fn cut(&mut self, b: u32) {
        let (a, c) = (self.prev[b as usize], self.next[b as usize]);
        self.alive[b as usize] = false;
        self.next[a as usize] = c;
        self.prev[c as usize] = a;
        self.left -= 1;
        self.tree.remove(b);
        for i in [a, c] {
            self.stamp[i as usize] += 1;
            self.convex[i as usize] =
                self.turn(self.prev[i as usize], i, self.next[i as usize]) == Sign::Positive;
            if self.convex[i as usize] {
                self.tree.remove(i);
            }
            self.queues[PROPER].push_back((i, self.stamp[i as usize]));
        }
    }

    fn turn(&self, a: u32, b: u32, c: u32) -> Sign {
        let p = |i: u32| self.points[i as usize];
        orient2d(p(a), p(b), p(c))
    }

    /// At which level, `asked` or later, the corner may be cut.
    fn level_of(&self, b: u32, asked: usize) -> usize {
        if asked >= FORCED {
            return asked;
        }
        let (a, c) = (self.prev[b as usize], self.next[b as usize]);
        match self.turn(a, b, c) {
            Sign::Negative => HOPELESS,
            Sign::Zero => {
                let [p, q, r] = [a, b, c].map(|i| self.points[i as usize]);
                // Between its neighbours, or a repeated point or the end of a whisker, which can always go.
                let between = (p < q && q < r) || (r < q && q < p);
                if between { FLAT } else { asked }
            }
            Sign::Positive if asked > TOUCHING => FORCED,
            Sign::Positive => {
                if !self.blocked(a, b, c, asked == PROPER) {
                    asked
                } else if asked == PROPER {
                    TOUCHING
                } else {
                    FORCED
                }
            }
        }
    }

    /// Whether the outline enters the triangle of the convex corner `b` or, if `strict`, touches its new side.
    fn blocked(&self, a: u32, b: u32, c: u32, strict: bool) -> bool {
        let points = &self.points;
        let (next, prev) = (&self.next, &self.prev);
        let t = [a, b, c].map(|i| points[i as usize]);
        let low = [0, 1].map(|k| t[0][k].min(t[1][k]).min(t[2][k]));
        let high = [0, 1].map(|k| t[0][k].max(t[1][k]).max(t[2][k]));
        let side = |k: usize, p: [f64; 2]| orient2d(t[k], t[(k + 1) % 3], p);
        // The outline turns off into the triangle at `a` or `c` itself.
        let (before, after) =
            (points[prev[a as usize] as usize], points[next[c as usize] as usize]);
        let into =
            |k: usize, l: usize, q| side(k, q) == Sign::Positive && side(l, q) == Sign::Positive;
        if into(2, 0, before) || into(1, 2, after) {
            return true;
        }
        let blocks = |j: u32| {
            let p = points[j as usize];
            if p[0] < low[0] || p[0] > high[0] || p[1] < low[1] || p[1] > high[1] {
                return false;
            }
            if j == a || j == b || j == c {
                return false;
            }
            let sides = [0, 1, 2].map(|k| side(k, p));
            if sides.contains(&Sign::Negative) {
                return false;
            }
            if strict && sides == [Sign::Positive, Sign::Positive, Sign::Zero] {
                return true;
            }
            // On the boundary of the triangle: does one of the two sides of the outline lead inside? For a point
            // within it there is nothing left to ask.
            [prev[j as usize], next[j as usize]].into_iter().any(|q| {
                let q = points[q as usize];
                (0..3).all(|k| !sides[k].is_zero() || side(k, q) == Sign::Positive)
            })
        };
        self.tree.any(&t, blocks)
    }
}

/// The triangles of a polygon given by its corners in order: `n - 2` triples of positions in `points`.
///
/// The polygon may be non-convex, with repeated corners and straight runs; holes are joined to the outline by a
/// bridge walked twice. It is projected along the largest component of its Newell normal. The second value tells
/// whether the triangles cover it without overlap: it is false for polygons whose sides cross. (Loops that overlap
/// only by way of coinciding sides are not recognised.) Fewer than three points give no triangles.
///
/// ```
/// use impinge::{Vec3, mesh::triangulate_polygon};
///
/// let arrow = [[0.0, 0.0], [2.0, 1.0], [0.0, 2.0], [1.0, 1.0]].map(|[x, y]| Vec3::new(x, y, 0.0));
/// let (triangles, clean) = triangulate_polygon(&arrow);
/// assert_eq!(triangles, [[1, 2, 3], [0, 1, 3]]);
/// assert!(clean);
/// ```
#[must_use]
pub fn triangulate_polygon(points: &[Vec3]) -> (Vec<[u32; 3]>, bool) {
    let mut out = Vec::new();
    if points.len() < 3 {
        return (out, false);
    }
    let corners: Vec<u32> = (0..index(points.len())).collect();
    let unforced = Triangulator::default().triangulate(points, &corners, &mut out);
    (out, unforced && !crosses_itself(points.iter().copied()))
}

#[cfg(test)]
#[path = "triangulate_tests.rs"]
mod tests;
