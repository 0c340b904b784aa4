//! The vertices of a hull that can be furthest in the directions of one cell of a cube map.
//!
//! A direction belongs to the face of the cube that it pierces, and there to a cell of a square
//! grid. A vertex is furthest in some direction of the cell if the cell meets the cone of
//! directions `d` with `(v - u) . d >= 0` for all neighbours `u`; in the coordinates of the face
//! each of these is a half-plane, so the cell is clipped at them, and the vertex is a candidate if
//! something is left. Those vertices are connected by edges of the hull (their cones tile a convex
//! set of directions), so they are collected by walking from one of them.
//!
//! Two cases are decided without rounded coordinates. First, the walk starts at a vertex found by
//! exact comparisons: vertices may be so close together that they coincide in rounded coordinates,
//! and a climb in rounded coordinates would end there although the hull extends further. Second, an
//! edge not longer than the rounding of its ends has no direction, so it clips nothing.

use crate::convex::Hull;
use crate::convex::support::Climb;
use crate::math::Vec3;

/// Cells along one side of a face of the cube for a hull of `vertices` vertices: about two cells
/// for each vertex, so that most cells fill one block or less.
pub(super) fn cells_per_side(vertices: usize) -> u32 {
    ((vertices as f64 / 3.0).sqrt().ceil() as u32).clamp(2, 64)
}

/// The margin by which a cell is enlarged: more than the rounding of [`cell_of`] and of the
/// clipping.
const CELL_MARGIN: f64 = 1e-5;

/// An upper bound of the error of an edge's product with a direction in a cell, from the rounding
/// of both ends of the edge: less than `2^-53` in each coordinate of each.
const EDGE_ERROR: f64 = 2e-15;

/// The axes along the sides of each face.
const SIDES: [[usize; 2]; 3] = [[1, 2], [2, 0], [0, 1]];

/// The cell of a direction.
#[inline(always)]
pub(super) fn cell_of(direction: [f32; 3], side: u32) -> usize {
    let size = direction.map(f32::abs);
    let axis = usize::from(size[1] > size[0]);
    let axis = if size[2] > size[axis] { 2 } else { axis };
    let [i, j] = SIDES[axis];
    let back = usize::from(direction[axis] < 0.0);
    let half = 0.5 * side as f32;
    let scale = half / size[axis];
    // Adding this number rounds to the nearest integer and leaves it in the lowest bits; NaN goes
    // to the first or the last cell. Rounding may move a direction on the border of two faces past
    // either end of its row; the bounds keep it at that end.
    const ROUND_TO_INTEGER: f32 = 12_582_912.0;
    let last = side as i32 - 1;
    let place = |x: f32| {
        let bits = (x * scale + (half - 0.5) + ROUND_TO_INTEGER).to_bits();
        (bits.wrapping_sub(ROUND_TO_INTEGER.to_bits()) as i32).max(0).min(last) as usize
    };
    let width = side as usize;
    ((2 * axis + back) * width + place(direction[i])) * width + place(direction[j])
}

/// Calls `each` with the candidate vertices of every cell, in the order of the cells. `local` are
/// the hull's vertices relative to its center, at most one long.
pub(super) fn for_each(hull: &Hull, local: &[Vec3], side: u32, mut each: impl FnMut(&[u32])) {
    let mut seen = vec![u32::MAX; local.len()];
    let mut found: Vec<u32> = Vec::new();
    let (mut start, mut climb) = (0, Climb::default());
    let width = 2.0 / f64::from(side);
    let mut number = 0;
    for face in 0..6 {
        let (axis, forward) = (face / 2, if face % 2 == 0 { 1.0 } else { -1.0 });
        for i in 0..side {
            for j in 0..side {
                let low = [i, j].map(|k| f64::from(k) * width - 1.0 - CELL_MARGIN);
                let high = [i, j].map(|k| f64::from(k + 1) * width - 1.0 + CELL_MARGIN);
                let cell = Cell { axis, forward, low, high };
                start = hull.climb(cell.center(), start, &mut climb);
                found.clear();
                found.push(start);
                seen[start as usize] = number;
                let mut next = 0;
                while next < found.len() {
                    for neighbor in hull.neighbors(found[next]) {
                        if seen[*neighbor as usize] != number {
                            seen[*neighbor as usize] = number;
                            if cell.meets_cone(hull, local, *neighbor) {
                                found.push(*neighbor);
                            }
                        }
                    }
                    next += 1;
                }
                each(&found);
                number += 1;
            }
        }
    }
}

/// A square of directions, `forward` along `axis` and from `low` to `high` along the other two.
#[derive(Clone, Copy, Debug)]
struct Cell {
    axis: usize,
    forward: f64,
    low: [f64; 2],
    high: [f64; 2],
}

impl Cell {
    fn center(&self) -> Vec3 {
        let mut d = Vec3::ZERO;
        d[self.axis] = self.forward;
        for k in 0..2 {
            d[SIDES[self.axis][k]] = 0.5 * (self.low[k] + self.high[k]);
        }
        d
    }

    /// Whether `vertex` is furthest in some direction of the cell.
    fn meets_cone(&self, hull: &Hull, local: &[Vec3], vertex: u32) -> bool {
        let ([x0, y0], [x1, y1]) = (self.low, self.high);
        let mut polygon = vec![[x0, y0], [x1, y0], [x1, y1], [x0, y1]];
        let mut clipped = Vec::with_capacity(8);
        let [i, j] = SIDES[self.axis];
        for neighbor in hull.neighbors(vertex) {
            let edge = local[vertex as usize] - local[*neighbor as usize];
            let (c, x, y) = (edge[self.axis] * self.forward, edge[i], edge[j]);
            let slack = 1e-12 * (c.abs() + x.abs() + y.abs()) + EDGE_ERROR;
            let inside = |p: &[f64; 2]| c + x * p[0] + y * p[1] + slack;
            clipped.clear();
            for k in 0..polygon.len() {
                let (p, q) = (polygon[k], polygon[(k + 1) % polygon.len()]);
                let (at_p, at_q) = (inside(&p), inside(&q));
                if at_p >= 0.0 {
                    clipped.push(p);
                }
                if (at_p >= 0.0) != (at_q >= 0.0) {
                    let t = at_p / (at_p - at_q);
                    clipped.push([p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])]);
                }
            }
            std::mem::swap(&mut polygon, &mut clipped);
            if polygon.is_empty() {
                return false;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    /// Directions of any length lie in their cells; many of them lie on the borders of faces and
    /// cells.
    #[test]
    fn directions_lie_in_their_cells() {
        let mut random = Random::new(77);
        for round in 0..200_000 {
            let side = 2 + random.index(63) as u32;
            let length = random.range(1e-3, 2.0) as f32;
            let mut d = [0; 3].map(|_| random.range(-1.0, 1.0) as f32 * length);
            if round % 2 == 0 {
                // Two components of equal size, and sometimes three.
                let signs = [1.0, -1.0];
                d[1] = d[0] * signs[random.index(2)];
                if random.index(3) == 0 {
                    d[2] = d[0] * signs[random.index(2)];
                }
            }
            let cell = cell_of(d, side);
            let width = side as usize;
            let (face, i, j) = (cell / width / width, cell / width % width, cell % width);
            let axis = face / 2;
            let size = f64::from(d[axis].abs());
            assert!(face < 6 && d.iter().all(|x| f64::from(x.abs()) <= size), "{d:?} {side}");
            assert_eq!(face % 2 == 1, d[axis] < 0.0, "{d:?} {side}");
            for (k, n) in [i, j].into_iter().enumerate() {
                let x = f64::from(d[SIDES[axis][k]]) / size;
                let low = 2.0 * n as f64 / f64::from(side) - 1.0;
                let high = low + 2.0 / f64::from(side);
                assert!(low - 1e-6 <= x && x <= high + 1e-6, "{d:?} {side}: {x} not in cell {n}");
            }
        }
    }
}
