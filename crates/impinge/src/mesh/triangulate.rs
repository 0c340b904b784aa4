//! Triangles from polygons of any shape, by ear clipping with exact predicates.
//!
//! A corner is an ear when the triangle with its neighbours lies in the polygon; cutting it off
//! leaves a smaller polygon (Meisters 1975). Cutting never frees a corner other than the two
//! neighbours, so a queue of changed corners replaces the repeated search, and only corners that
//! are not convex can lie in an ear, so a tree over those answers the containment question. Corners
//! that coincide with a corner of the ear (holes joined to the outline by a bridge that is walked
//! twice, after Held 2001, FIST) block it only if the outline enters the ear there.
//!
//! A polygon of `n` corners always gives `n - 2` triangles. For simple and weakly simple polygons
//! they cover it without overlap and none is turned around. Others are cut into loops where they
//! come back to a corner; where that does not help, ears are forced. Both are reported.

use std::collections::VecDeque;

use super::area_sign::area_sign;
use super::connectivity::index;
use super::corner_tree::CornerTree;
use super::polygon_checks::{Meeting, covered_once, meetings, on_a_line};
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

/// How many ways to cut a loop are tried.
const CUTS: usize = 32;
/// How many corners are looked at, at least, before loops are no longer cut: a limit of the time
/// that hostile polygons take.
const LOOP_WORK: usize = 20_000;

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
    /// Whether the ends of whiskers are cut before anything else. An ear next to a whisker that is
    /// walked along two of its sides can look free; slits, on the other hand, need no empty
    /// triangles if their ends are left alone.
    whiskers_first: bool,
}

impl Triangulator {
    /// Appends the triangles of the polygon of these corners to `out`; `false` if ears had to be
    /// forced or triangles turn both ways. Each triangle is an increasing sequence of positions in
    /// the polygon, up to rotation with its smallest first, replaced by `corners[position]`.
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
        let mut best = None;
        for axis in axes {
            self.points.clear();
            self.points.extend(points().map(|p| drop_axis(p, axis)));
            if on_a_line(&self.points) {
                // Seen from the side.
                continue;
            }
            // The axis the polygon faces most is the best one for loops.
            best = best.or(Some(axis));
            if area_sign(&self.points) == Sign::Negative {
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
        out.truncate(start);
        let Some(axis) = best else {
            // On one line: the triangles are empty in any case.
            return self.clip(corners, out);
        };
        let flat: Vec<[f64; 2]> = points().map(|p| drop_axis(p, axis)).collect();
        self.clip_loops(&flat, corners, out)
    }

    /// Triangles of a polygon whose ears had to be forced: it is cut where it comes back to a
    /// corner, into loops that are clipped each in its own sense. `false` if loops turn both ways,
    /// or if ears of a loop had to be forced.
    ///
    /// A cut joins two corners at one place, or a corner and the ends of the side it lies on, so
    /// that the triangles between the loops are empty. Of several cuts one is taken that leaves
    /// loops without forced ears, if there is one, and of those one whose loops turn the same way.
    fn clip_loops(&mut self, flat: &[[f64; 2]], corners: &[u32], out: &mut Vec<[u32; 3]>) -> bool {
        let mut work = LOOP_WORK.max(16 * flat.len());
        let mut open: Vec<Vec<u32>> = vec![(0..index(flat.len())).collect()];
        let (mut turns, mut forced) = ([false; 2], false);
        let mut scratch = Vec::new();
        while let Some(ring) = open.pop() {
            let start = out.len();
            match self.clip_loop(flat, &ring, corners, out) {
                Some(Sign::Positive) => turns[0] = true,
                Some(Sign::Negative) => turns[1] = true,
                Some(Sign::Zero) => {}
                None => {
                    let points: Vec<[f64; 2]> = ring.iter().map(|i| flat[*i as usize]).collect();
                    let cuts = if work == 0 { Vec::new() } else { meetings(&points, CUTS) };
                    let mut good = None;
                    for cut in &cuts {
                        work = work.saturating_sub(ring.len());
                        let (_, loops) = cut_ring(&ring, *cut);
                        let mut senses = Vec::with_capacity(2);
                        for l in &loops {
                            scratch.clear();
                            senses.extend(self.clip_loop(flat, l, corners, &mut scratch));
                        }
                        if senses.len() == loops.len() {
                            good = good.or(Some(*cut));
                            // Loops that turn one way do not cover what the outline goes around in
                            // both senses, that is, not at all.
                            if !(senses.contains(&Sign::Positive)
                                && senses.contains(&Sign::Negative))
                            {
                                good = Some(*cut);
                                break;
                            }
                        }
                        if work == 0 {
                            break;
                        }
                    }
                    let Some(cut) = good.or(cuts.first().copied()) else {
                        forced = true;
                        continue;
                    };
                    out.truncate(start);
                    let (empty, loops) = cut_ring(&ring, cut);
                    out.extend(empty.iter().map(|t| t.map(|i| corners[i as usize])));
                    open.extend(loops);
                }
            }
        }
        !forced && turns != [true; 2]
    }

    /// Clips one loop in its own sense, which is returned; `None` if ears had to be forced.
    fn clip_loop(
        &mut self,
        flat: &[[f64; 2]],
        ring: &[u32],
        corners: &[u32],
        out: &mut Vec<[u32; 3]>,
    ) -> Option<Sign> {
        if ring.len() < 3 {
            return Some(Sign::Zero);
        }
        self.points.clear();
        self.points.extend(ring.iter().map(|i| flat[*i as usize]));
        let sign = area_sign(&self.points);
        if sign == Sign::Negative {
            self.points.iter_mut().for_each(|p| p.reverse());
        }
        let names: Vec<u32> = ring.iter().map(|i| corners[*i as usize]).collect();
        // Without forced ears no triangle is turned: those of a loop of zero area are all empty.
        self.whiskers_first = true;
        let unforced = self.clip(&names, out);
        self.whiskers_first = false;
        unforced.then_some(sign)
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
                // Ears were cut since the others were last looked at: look again before forcing
                // anything.
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
        for i in (1..count).chain([0]) {
            self.enqueue(i);
        }
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
            self.enqueue(i);
        }
    }

    fn enqueue(&mut self, i: u32) {
        let entry = (i, self.stamp[i as usize]);
        if self.whiskers_first && !self.convex[i as usize] && self.is_whisker(i) {
            self.queues[PROPER].push_front(entry);
        } else {
            self.queues[PROPER].push_back(entry);
        }
    }

    /// Whether a corner is the end of a whisker or a repeated point.
    fn is_whisker(&self, b: u32) -> bool {
        let (a, c) = (self.prev[b as usize], self.next[b as usize]);
        let [p, q, r] = [a, b, c].map(|i| self.points[i as usize]);
        let between = (p < q && q < r) || (r < q && q < p);
        !between && self.turn(a, b, c).is_zero()
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
            // Between its neighbours, or a repeated point or the end of a whisker, which can always
            // go.
            Sign::Zero => {
                if self.is_whisker(b) {
                    asked
                } else {
                    FLAT
                }
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

    /// Whether the outline enters the triangle of the convex corner `b` or, if `strict`, touches
    /// its new side.
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
            // On the boundary of the triangle: does one of the two sides of the outline lead
            // inside? For a point within it there is nothing left to ask.
            [prev[j as usize], next[j as usize]].into_iter().any(|q| {
                let q = points[q as usize];
                (0..3).all(|k| !sides[k].is_zero() || side(k, q) == Sign::Positive)
            })
        };
        self.tree.any(&t, blocks)
    }
}

/// The empty triangles and the loops that a ring of corners is cut into. Rings and triangles are
/// ascending.
fn cut_ring(ring: &[u32], cut: Meeting) -> (Vec<[u32; 3]>, Vec<Vec<u32>>) {
    let n = ring.len();
    let triangle = |t: [usize; 3]| {
        let mut t = t.map(|i| ring[i % n]);
        t.sort_unstable();
        t
    };
    // The corners from one to another, and the rest with both of them or without.
    let run = |low: usize, high: usize| ring[low..=high].to_vec();
    let rest = |low: usize, high: usize| [&ring[..low], &ring[high..]].concat();
    match cut {
        Meeting::Corners(i, j) if j == i + 1 || (i == 0 && j == n - 1) => {
            (vec![triangle([j + n - 1, j, j + 1])], vec![rest(j, j + 1)])
        }
        Meeting::Corners(i, j) => (
            vec![triangle([i, i + 1, j]), triangle([i, j, j + 1])],
            vec![run(i + 1, j), rest(i + 1, j + 1)],
        ),
        Meeting::Side { side, corner } => {
            let end = (side + 1) % n;
            let loops = if corner > side {
                vec![run(side + 1, corner), rest(side + 1, corner)]
            } else {
                vec![run(corner, side), rest(corner + 1, side + 1)]
            };
            (vec![triangle([side, end, corner])], loops)
        }
    }
}

/// The triangles of a polygon given by its corners in order: `n - 2` triples of positions in
/// `points`.
///
/// The polygon may be non-convex, with repeated corners and straight runs; holes are joined to the
/// outline by a bridge walked twice. It is seen along the largest component of its Newell normal
/// (if it is not planar and crosses itself there, along another one where it does not). Fewer than
/// three points give no triangles.
///
/// The second value tells whether the triangles cover the polygon without overlap, exactly: all
/// turn one way, and the outline goes around no point twice and does not pass through itself. It
/// may touch itself in corners and along sides. Where it is false:
///
/// - If the outline goes around all points in one sense, the triangles cover each as often as the
///   outline goes around it.
/// - Otherwise the outline is cut where it comes back to a corner, and each of its loops is
///   triangulated in its own sense. Loops of opposite senses may overlap; both are covered. A loop
///   is covered exactly, unless two of its sides cross between their ends: triangles between the
///   given corners cannot follow such an outline, and some reach beyond it.
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
    let triangles: Vec<[Vec3; 3]> = out.iter().map(|t| t.map(|i| points[i as usize])).collect();
    let clean = unforced && (points.len() == 3 || covered_once(points, &triangles));
    (out, clean)
}

#[cfg(test)]
#[path = "triangulate_tests.rs"]
mod tests;
