//! Triangulation of polygons of any shape, by ear clipping with exact predicates.
//!
//! A corner is an ear if the triangle with its two neighbours lies in the polygon; cutting it off
//! leaves a smaller polygon (Meisters 1975). Cutting an ear can only turn its two neighbours into
//! ears, so a queue of changed corners replaces the repeated search. Only corners that are not
//! convex can lie in an ear, so a tree over those corners answers the containment query. Corners
//! that coincide with a corner of the ear (holes joined to the outline by a bridge that the outline
//! follows in both directions, after Held 2001, FIST) block it only if the outline enters the ear
//! there.
//!
//! A polygon of `n` corners always gives `n - 2` triangles. For simple and weakly simple polygons
//! they cover it without overlap and none is reversed. Other polygons are cut into loops where they
//! touch themselves. Where that does not help, corners are cut that are no ears: forced ears. Both
//! are reported.
//!
//! A *spike* is a corner at which the outline turns straight back.

use std::collections::VecDeque;

use super::area_sign::area_sign;
use super::connectivity::index;
use super::corner_tree::CornerTree;
use super::polygon_checks::{SelfContact, all_collinear, covered_once, self_contacts};
use crate::arrays::{MapEach, MapToVec};
use crate::exact::{Sign, orient2d};
use crate::math::{Vec3, axes_by_size, drop_axis, newell};

/// Ears whose new side does not touch the rest of the outline. The levels give the order in which
/// corners are cut, lowest first.
const LEVEL_PROPER: usize = 0;
/// Ears whose new side may touch the rest of the outline.
const LEVEL_TOUCHING: usize = 1;
/// Corners in the middle of a straight run, whose triangle is empty.
const LEVEL_FLAT: usize = 2;
/// Forced ears: convex corners whose triangle the outline enters. The polygon crosses itself.
const LEVEL_FORCED: usize = 3;
/// Forced ears at reflex corners, when nothing else is left.
const LEVEL_REFLEX: usize = 4;
const LEVEL_COUNT: usize = 5;

/// The most ways of cutting a loop that are tried.
const MAX_CUTS_TRIED: usize = 32;
/// The least number of corners that trial cuts may visit before loops are no longer cut: bounds the
/// time for adversarial polygons.
const MIN_CORNER_VISITS_FOR_CUTS: usize = 20_000;

/// Triangulates one polygon after another and reuses its buffers.
#[derive(Debug, Default)]
pub(super) struct Triangulator {
    points: Vec<[f64; 2]>,
    next: Vec<u32>,
    prev: Vec<u32>,
    /// How often the neighbours of each corner have changed; queue entries with an older stamp are
    /// stale.
    stamps: Vec<u32>,
    /// Whether each corner has not been cut yet.
    alive: Vec<bool>,
    convex: Vec<bool>,
    tree: CornerTree,
    /// Corners with their stamps, by level.
    queues: [VecDeque<(u32, u32)>; LEVEL_COUNT],
    /// The number of corners that have not been cut.
    remaining: usize,
    /// Whether spikes are cut before all other corners. An ear along two of whose sides a spike
    /// runs can pass as free. On the other hand, slits (spikes into the interior) need no empty
    /// triangles if they are not cut first.
    spikes_first: bool,
}

impl Triangulator {
    /// Appends the triangles of the polygon of these corners to `out`. Returns `false` if there are
    /// forced ears or triangles of both orientations. Each triangle consists of three
    /// ascending positions in the polygon, replaced by `corners[position]`.
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
        let mut best_axis = None;
        for axis in axes {
            self.points.clear();
            self.points.extend(points().map(|p| drop_axis(p, axis)));
            if all_collinear(&self.points) {
                // The polygon is seen edge-on.
                continue;
            }
            // The axis of the largest component of the normal is the best one for loops.
            best_axis = best_axis.or(Some(axis));
            if area_sign(&self.points) == Sign::Negative {
                // Mirroring makes the polygon counter-clockwise.
                self.points.iter_mut().for_each(|p| p.reverse());
            }
            out.truncate(start);
            if n == 4 && (0..4).all(|i| self.turn(i, (i + 1) % 4, (i + 2) % 4) == Sign::Positive) {
                // Shortcut for convex quadrilaterals, which are common; clipping gives the same.
                out.extend([[0, 1, 2], [0, 2, 3]].map(|t: [usize; 3]| t.map_each(|i| corners[i])));
                return true;
            }
            if self.clip(corners, out) {
                return true;
            }
        }
        out.truncate(start);
        let Some(axis) = best_axis else {
            // The corners are collinear: all triangles are empty.
            return self.clip(corners, out);
        };
        let flat: Vec<[f64; 2]> = points().map(|p| drop_axis(p, axis)).collect();
        self.clip_loops(&flat, corners, out)
    }

    /// Triangulates a polygon for which plain clipping forces ears. The polygon is cut at
    /// self-contacts into loops, and each loop is clipped in its own orientation. Returns `false`
    /// if there are loops of both orientations, or if a loop has forced ears.
    ///
    /// A cut joins two corners of equal coordinates, or a corner and the ends of the side that it
    /// lies on, so that the triangles between the loops are empty. Cuts that give loops without
    /// forced ears are preferred, and among these a cut whose loops have the same orientation.
    fn clip_loops(&mut self, flat: &[[f64; 2]], corners: &[u32], out: &mut Vec<[u32; 3]>) -> bool {
        let mut visits_left = MIN_CORNER_VISITS_FOR_CUTS.max(16 * flat.len());
        let mut open: Vec<Vec<u32>> = vec![(0..index(flat.len())).collect()];
        let (mut orientations, mut forced) = ([false; 2], false);
        let mut scratch = Vec::new();
        while let Some(ring) = open.pop() {
            let start = out.len();
            match self.clip_loop(flat, &ring, corners, out) {
                Some(Sign::Positive) => orientations[0] = true,
                Some(Sign::Negative) => orientations[1] = true,
                Some(Sign::Zero) => {}
                None => {
                    let points: Vec<[f64; 2]> = ring.map_to_vec(|i| flat[*i as usize]);
                    let cuts = if visits_left == 0 {
                        Vec::new()
                    } else {
                        self_contacts(&points, MAX_CUTS_TRIED)
                    };
                    let mut best_cut = None;
                    for cut in &cuts {
                        visits_left = visits_left.saturating_sub(ring.len());
                        let (_, loops) = cut_ring(&ring, *cut);
                        let mut signs = Vec::with_capacity(2);
                        for l in &loops {
                            scratch.clear();
                            signs.extend(self.clip_loop(flat, l, corners, &mut scratch));
                        }
                        if signs.len() == loops.len() {
                            best_cut = best_cut.or(Some(*cut));
                            // Loops of one orientation do not cover points around which the outline
                            // winds once in each direction, that is, with winding number zero.
                            if !(signs.contains(&Sign::Positive) && signs.contains(&Sign::Negative))
                            {
                                best_cut = Some(*cut);
                                break;
                            }
                        }
                        if visits_left == 0 {
                            break;
                        }
                    }
                    let Some(cut) = best_cut.or(cuts.first().copied()) else {
                        forced = true;
                        continue;
                    };
                    out.truncate(start);
                    let (empty, loops) = cut_ring(&ring, cut);
                    out.extend(empty.iter().map(|t| t.map_each(|i| corners[i as usize])));
                    open.extend(loops);
                }
            }
        }
        !forced && orientations != [true; 2]
    }

    /// Clips one loop in its own orientation, which is returned; `None` if there are forced ears.
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
        let vertices: Vec<u32> = ring.map_to_vec(|i| corners[*i as usize]);
        // Without forced ears no triangle is reversed: those of a loop of zero area are all empty.
        self.spikes_first = true;
        let unforced = self.clip(&vertices, out);
        self.spikes_first = false;
        unforced.then_some(sign)
    }

    /// Clips ears of the counter-clockwise polygon `self.points` until nothing is left. Returns
    /// whether there was no forced ear.
    fn clip(&mut self, corners: &[u32], out: &mut Vec<[u32; 3]>) -> bool {
        let n = self.points.len();
        let mut emit = |t: [u32; 3]| {
            let low = (0..3).min_by_key(|k| t[*k]).unwrap_or(0);
            out.push([0, 1, 2].map_each(|k| corners[t[(low + k) % 3] as usize]));
        };
        self.reset(n);
        let mut unforced = true;
        let mut clipped_since_retry = 0;
        while self.remaining > 3 {
            let Some(level) = (0..LEVEL_COUNT).find(|q| !self.queues[*q].is_empty()) else { break };
            if level >= LEVEL_FORCED && clipped_since_retry * 8 >= self.remaining {
                // Ears were cut since the other corners were last checked: check these again before
                // an ear is forced.
                clipped_since_retry = 0;
                self.queues.iter_mut().for_each(VecDeque::clear);
                for i in 0..index(n) {
                    if self.alive[i as usize] {
                        self.queues[LEVEL_PROPER].push_back((i, self.stamps[i as usize]));
                    }
                }
                continue;
            }
            let Some((b, stamp)) = self.queues[level].pop_front() else { break };
            if !self.alive[b as usize] || self.stamps[b as usize] != stamp {
                continue;
            }
            let allowed = self.level_of(b, level);
            if allowed > level {
                self.queues[allowed].push_back((b, stamp));
                continue;
            }
            unforced &= allowed < LEVEL_FORCED;
            emit([self.prev[b as usize], b, self.next[b as usize]]);
            self.cut_ear(b);
            clipped_since_retry += 1;
        }
        if let Some(b) = (0..n).find(|i| self.alive[*i]) {
            let (a, c) = (self.prev[b], self.next[b]);
            unforced &= self.turn(a, index(b), c) != Sign::Negative;
            emit([a, index(b), c]);
        }
        unforced
    }

    /// Prepares the corner list, the tree and the queues for `n` corners.
    fn reset(&mut self, n: usize) {
        let count = index(n);
        self.remaining = n;
        self.next.clear();
        self.next.extend((1..count).chain([0]));
        self.prev.clear();
        self.prev.extend([count - 1].into_iter().chain(0..count - 1));
        self.stamps.clear();
        self.stamps.resize(n, 0);
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
        // Starts at the second corner: a convex quadrilateral gives (0, 1, 2) and (0, 2, 3).
        for i in (1..count).chain([0]) {
            self.enqueue(i);
        }
    }

    /// Removes corner `b` and enqueues its neighbours.
    fn cut_ear(&mut self, b: u32) {
        let (a, c) = (self.prev[b as usize], self.next[b as usize]);
        self.alive[b as usize] = false;
        self.next[a as usize] = c;
        self.prev[c as usize] = a;
        self.remaining -= 1;
        self.tree.remove(b);
        for i in [a, c] {
            self.stamps[i as usize] += 1;
            self.convex[i as usize] =
                self.turn(self.prev[i as usize], i, self.next[i as usize]) == Sign::Positive;
            if self.convex[i as usize] {
                self.tree.remove(i);
            }
            self.enqueue(i);
        }
    }

    fn enqueue(&mut self, i: u32) {
        let entry = (i, self.stamps[i as usize]);
        if self.spikes_first && !self.convex[i as usize] && self.is_spike(i) {
            self.queues[LEVEL_PROPER].push_front(entry);
        } else {
            self.queues[LEVEL_PROPER].push_back(entry);
        }
    }

    /// Whether a corner is a spike or a repeated point.
    fn is_spike(&self, b: u32) -> bool {
        let (a, c) = (self.prev[b as usize], self.next[b as usize]);
        let [p, q, r] = [a, b, c].map_each(|i| self.points[i as usize]);
        let between = (p < q && q < r) || (r < q && q < p);
        !between && self.turn(a, b, c).is_zero()
    }

    fn turn(&self, a: u32, b: u32, c: u32) -> Sign {
        let p = |i: u32| self.points[i as usize];
        orient2d(p(a), p(b), p(c))
    }

    /// The lowest level, from `level` on, at which the corner may be cut.
    fn level_of(&self, b: u32, level: usize) -> usize {
        if level >= LEVEL_FORCED {
            return level;
        }
        let (a, c) = (self.prev[b as usize], self.next[b as usize]);
        match self.turn(a, b, c) {
            Sign::Negative => LEVEL_REFLEX,
            // Spikes and repeated points can always be cut. Other corners lie between their
            // neighbours.
            Sign::Zero => {
                if self.is_spike(b) {
                    level
                } else {
                    LEVEL_FLAT
                }
            }
            Sign::Positive if level > LEVEL_TOUCHING => LEVEL_FORCED,
            Sign::Positive => {
                if !self.is_blocked(a, b, c, level == LEVEL_PROPER) {
                    level
                } else if level == LEVEL_PROPER {
                    LEVEL_TOUCHING
                } else {
                    LEVEL_FORCED
                }
            }
        }
    }

    /// Whether the outline enters the triangle of the convex corner `b` or, if `strict`, touches
    /// its new side.
    fn is_blocked(&self, a: u32, b: u32, c: u32, strict: bool) -> bool {
        let points = &self.points;
        let (next, prev) = (&self.next, &self.prev);
        let t = [a, b, c].map_each(|i| points[i as usize]);
        let low = [0, 1].map_each(|k| t[0][k].min(t[1][k]).min(t[2][k]));
        let high = [0, 1].map_each(|k| t[0][k].max(t[1][k]).max(t[2][k]));
        let side = |k: usize, p: [f64; 2]| orient2d(t[k], t[(k + 1) % 3], p);
        // Whether the outline enters the triangle at `a` or `c`.
        let (before, after) =
            (points[prev[a as usize] as usize], points[next[c as usize] as usize]);
        let enters =
            |k: usize, l: usize, q| side(k, q) == Sign::Positive && side(l, q) == Sign::Positive;
        if enters(2, 0, before) || enters(1, 2, after) {
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
            let sides = [0, 1, 2].map_each(|k| side(k, p));
            if sides.contains(&Sign::Negative) {
                return false;
            }
            if strict && sides == [Sign::Positive, Sign::Positive, Sign::Zero] {
                return true;
            }
            // A point on the boundary of the triangle blocks if one of the two sides of the outline
            // leads inside. A point in the interior always blocks.
            [prev[j as usize], next[j as usize]].into_iter().any(|q| {
                let q = points[q as usize];
                (0..3).all(|k| !sides[k].is_zero() || side(k, q) == Sign::Positive)
            })
        };
        self.tree.any(&t, blocks)
    }
}

/// The empty triangles and the loops that result from cutting a ring of corners. Rings and
/// triangles are ascending.
fn cut_ring(ring: &[u32], cut: SelfContact) -> (Vec<[u32; 3]>, Vec<Vec<u32>>) {
    let n = ring.len();
    let triangle = |t: [usize; 3]| {
        let mut t = t.map_each(|i| ring[i % n]);
        t.sort_unstable();
        t
    };
    // The corners `low..=high`, and the corners outside `low..high`.
    let run = |low: usize, high: usize| ring[low..=high].to_vec();
    let rest = |low: usize, high: usize| [&ring[..low], &ring[high..]].concat();
    match cut {
        SelfContact::Corners(i, j) if j == i + 1 || (i == 0 && j == n - 1) => {
            (vec![triangle([j + n - 1, j, j + 1])], vec![rest(j, j + 1)])
        }
        SelfContact::Corners(i, j) => (
            vec![triangle([i, i + 1, j]), triangle([i, j, j + 1])],
            vec![run(i + 1, j), rest(i + 1, j + 1)],
        ),
        SelfContact::Side { side, corner } => {
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
/// outline by a bridge that the outline follows in both directions. The polygon is projected along
/// the axis of the largest component of its Newell normal. If it is not planar and its projection
/// crosses itself, another axis is used along which it does not. Fewer than three points give no
/// triangles.
///
/// The second value is true if the triangles cover the polygon without overlap, exactly: all have
/// one orientation, and the outline winds around no point twice and does not pass through itself.
/// The outline may touch itself in corners and along sides. If the value is false:
///
/// - If the outline winds around all points in one direction, the triangles cover each point as
///   often as the outline winds around it.
/// - Otherwise the outline is cut where it touches itself at a corner, and each loop is
///   triangulated in its own orientation. Loops of opposite orientations may overlap; both are
///   covered. A loop is covered exactly, unless two of its sides cross between their ends:
///   triangles between the given corners cannot follow such an outline, and some reach beyond it.
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
    let triangles: Vec<[Vec3; 3]> =
        out.iter().map(|t| t.map_each(|i| points[i as usize])).collect();
    let clean = unforced && (points.len() == 3 || covered_once(points, &triangles));
    (out, clean)
}

#[cfg(test)]
#[path = "triangulate_tests.rs"]
mod tests;
