//! The corners of a contact: vertices of one mesh on the other, and crossings of edges.

use crate::arrays::MapEach;
use crate::budget::{Budget, Paid, Quantum};
use crate::exact::{
    Sign, orient2d, orient3d, orient3d_quickly, segment_triangle, units_of_exact_test,
};
use crate::math::{Vec3, coordinate_key as key};
use crate::pair::Posed;
use crate::stamps::Stamps;

use super::fan::ContactPoint;
use super::sorting::Sorting;

/// The coordinates of a point as numbers that have an order.
type Key = [u64; 3];

/// A corner of a contact, and the first pair of triangles that has it.
pub(super) type Contact = (ContactPoint, (u32, u32));

/// The corners of a contact, each once and with the first pair that has it, in parts.
#[derive(Debug, Default)]
pub(super) struct ContactSearch {
    stage: Stage,
    /// The next pair, and the next of its tests: six corners, then nine pairs of edges.
    pair: usize,
    test: usize,
    /// The vertices of both meshes that are known to be corners.
    known: [Stamps; 2],
    /// Vertices, and crossings of edges, with the number of the first pair that has them.
    corners: Vec<(Key, u32)>,
    crossings: Vec<([Key; 4], u32)>,
    corner_sorting: Sorting<(Key, u32)>,
    crossing_sorting: Sorting<([Key; 4], u32)>,
    /// The next corner to be returned, then the next crossing.
    next: usize,
    payment: Paid,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    #[default]
    Pairs,
    SortCorners,
    SortCrossings,
    Finished,
}

/// Tests of the corners of two triangles, and of them and pairs of edges.
const CORNER_TESTS: usize = 6;
const TESTS: usize = CORNER_TESTS + 9;

impl ContactSearch {
    /// Forgets the query, and keeps the memory.
    pub(super) fn reset(&mut self) {
        (self.stage, self.pair, self.test, self.next) = (Stage::Pairs, 0, 0, 0);
        self.known.iter_mut().for_each(Stamps::clear);
        self.corners.clear();
        self.crossings.clear();
        self.corner_sorting.reset();
        self.crossing_sorting.reset();
        self.payment = Paid::default();
    }

    /// Continues the search; false if the budget is spent. The list is complete once the search is
    /// finished.
    pub(super) fn run(
        &mut self,
        a: &Posed<'_>,
        b: &Posed<'_>,
        pairs: &[(u32, u32)],
        budget: &mut Budget<'_>,
    ) -> bool {
        if self.stage == Stage::Pairs {
            if self.pair == 0 && self.test == 0 {
                self.known[0].reserve(a.vertices().len());
                self.known[1].reserve(b.vertices().len());
            }
            if !self.compare(a, b, pairs, budget) {
                return false;
            }
            self.stage = Stage::SortCorners;
        }
        if self.stage == Stage::SortCorners {
            if !self.corner_sorting.sort(&mut self.corners, budget) {
                return false;
            }
            self.stage = Stage::SortCrossings;
        }
        if self.stage == Stage::SortCrossings {
            if !self.crossing_sorting.sort(&mut self.crossings, budget) {
                return false;
            }
            self.stage = Stage::Finished;
        }
        true
    }

    fn compare(
        &mut self,
        a: &Posed<'_>,
        b: &Posed<'_>,
        pairs: &[(u32, u32)],
        budget: &mut Budget<'_>,
    ) -> bool {
        while let Some(pair) = pairs.get(self.pair) {
            let triangles = [a.triangle(pair.0), b.triangle(pair.1)];
            let vertices =
                [a.mesh().triangles()[pair.0 as usize], b.mesh().triangles()[pair.1 as usize]];
            while self.test < TESTS {
                // The tests of the corners, or of the edges, by filters.
                let units = u64::from(self.test == 0 || self.test == CORNER_TESTS);
                let open = self.open_test(&triangles, &vertices);
                let exact = open.map_or(0, |points| units_of_exact_test(&points));
                if !self.payment.afford(units + exact, Quantum::Exact, budget) {
                    return false;
                }
                if open.is_some() {
                    self.test(&triangles, &vertices);
                }
                self.test += 1;
            }
            (self.pair, self.test) = (self.pair + 1, 0);
        }
        true
    }

    /// The points of the next test; `None` if the vertex is known, or if the filter decides that
    /// there is no contact, because the four points are not in a plane.
    fn open_test(&self, triangles: &[[Vec3; 3]; 2], vertices: &[[u32; 3]; 2]) -> Option<[Vec3; 4]> {
        let [p, q, r, s] = match corner_of(self.test) {
            Some((own, corner)) => {
                if self.known[own].has(vertices[own][corner]) {
                    return None;
                }
                let [q, r, s] = triangles[1 - own];
                [q, r, s, triangles[own][corner]]
            }
            None => {
                let [[p, q], [r, s]] = edges_of(self.test, triangles);
                [p, q, r, s]
            }
        };
        orient3d_quickly(p, q, r, s).is_none().then_some([p, q, r, s])
    }

    fn test(&mut self, triangles: &[[Vec3; 3]; 2], vertices: &[[u32; 3]; 2]) {
        let pair = self.pair as u32;
        if let Some((own, corner)) = corner_of(self.test) {
            let p = triangles[own][corner];
            if segment_triangle(p, p, &triangles[1 - own]).is_some() {
                self.known[own].mark(vertices[own][corner]);
                self.corners.push((key(p), pair));
            }
            return;
        }
        let [e, f] = edges_of(self.test, triangles);
        if cross_in_interiors(e, f) {
            let ordered = |[p, q]: [Vec3; 2]| {
                let (p, q) = (key(p), key(q));
                if p <= q { [p, q] } else { [q, p] }
            };
            let (e, f) = (ordered(e), ordered(f));
            self.crossings.push(([e[0], e[1], f[0], f[1]], pair));
        }
    }

    /// The next corner of the contact, once the search is finished.
    pub(super) fn next(&mut self, pairs: &[(u32, u32)]) -> Option<Contact> {
        let point = |key: Key| Vec3::from_array(key.map_each(f64::from_bits));
        while let Some((key, pair)) = self.corners.get(self.next) {
            self.next += 1;
            // Vertices of both meshes, or several of one, may have the same coordinates.
            if self.next < 2 || self.corners[self.next - 2].0 != *key {
                return Some((ContactPoint::Corner(point(*key)), pairs[*pair as usize]));
            }
        }
        while let Some((ends, pair)) = self.crossings.get(self.next - self.corners.len()) {
            self.next += 1;
            let at = self.next - self.corners.len();
            if at < 2 || self.crossings[at - 2].0 != *ends {
                let [e0, e1, f0, f1] = ends.map_each(point);
                let point = ContactPoint::Crossing { e: [e0, e1], f: [f0, f1] };
                return Some((point, pairs[*pair as usize]));
            }
        }
        None
    }
}

/// The triangle and its corner that a test compares with the other triangle; `None` for edges.
fn corner_of(test: usize) -> Option<(usize, usize)> {
    (test < CORNER_TESTS).then_some((test / 3, test % 3))
}

/// The edges of both triangles that a test compares.
fn edges_of(test: usize, [a, b]: &[[Vec3; 3]; 2]) -> [[Vec3; 2]; 2] {
    let (i, j) = ((test - CORNER_TESTS) / 3, (test - CORNER_TESTS) % 3);
    [[a[i], a[(i + 1) % 3]], [b[j], b[(j + 1) % 3]]]
}

/// Whether two segments cross in one point that is in the interior of both.
fn cross_in_interiors(e: [Vec3; 2], f: [Vec3; 2]) -> bool {
    if !orient3d(e[0], e[1], f[0], f[1]).is_zero() {
        return false;
    }
    // In their common plane, the ends of each segment must be strictly on opposite sides of the
    // other. Projection along an axis preserves this unless the plane projects to a line; then all
    // points are collinear and the signs are zero.
    [(0, 1), (1, 2), (2, 0)].into_iter().any(|(x, y)| {
        let flat = |p: Vec3| [p[x], p[y]];
        let [p, q, r, s] = [e[0], e[1], f[0], f[1]].map_each(flat);
        let opposite = |x: Sign, y: Sign| x * y == Sign::Negative;
        opposite(orient2d(p, q, r), orient2d(p, q, s))
            && opposite(orient2d(r, s, p), orient2d(r, s, q))
    })
}
