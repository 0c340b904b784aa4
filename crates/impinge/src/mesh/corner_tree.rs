//! A tree over corners of a polygon in the plane that finds the corners which may lie in a
//! triangle.
//!
//! A uniform grid was tried first. With many corners on one line, as on the back of a comb, it took
//! half a minute for 100,000 corners; the tree takes a fraction of a second.

use super::connectivity::{NONE, index};
use crate::arrays::MapEach;
use crate::order::select_by;

/// The most corners in a leaf.
const MAX_CORNERS_PER_LEAF: usize = 8;

/// Corners in a balanced tree of boxes, split at medians. Corners can be removed one by one.
#[derive(Debug, Default)]
pub(super) struct CornerTree {
    /// The corners, ordered so that every node is a range of them.
    items: Vec<u32>,
    /// The position of a corner in `items`; [`NONE`] if it is not in the tree or was removed.
    positions: Vec<u32>,
    /// A heap of nodes: `i` has the children `2 i` and `2 i + 1`; the root is 1.
    nodes: Vec<Node>,
    /// The first node of the last level. This node and those after it are the leaves.
    first_leaf: usize,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    start: u32,
    end: u32,
    /// The number of corners that have not been removed.
    remaining: u32,
    low: [f64; 2],
    high: [f64; 2],
}

impl CornerTree {
    /// Rebuilds the tree with the `chosen` corners.
    pub(super) fn build(&mut self, points: &[[f64; 2]], chosen: impl Iterator<Item = u32>) {
        self.items.clear();
        self.items.extend(chosen);
        self.first_leaf = self.items.len().div_ceil(MAX_CORNERS_PER_LEAF).next_power_of_two();
        let empty = Node { start: 0, end: 0, remaining: 0, low: [0.0; 2], high: [0.0; 2] };
        self.nodes.clear();
        self.nodes.resize(2 * self.first_leaf, empty);
        self.nodes[1].end = index(self.items.len());
        for i in 1..self.nodes.len() {
            let Node { start, end, .. } = self.nodes[i];
            let items = &mut self.items[start as usize..end as usize];
            let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
            for item in &*items {
                for k in 0..2 {
                    low[k] = low[k].min(points[*item as usize][k]);
                    high[k] = high[k].max(points[*item as usize][k]);
                }
            }
            self.nodes[i] = Node { start, end, remaining: end - start, low, high };
            if i >= self.first_leaf {
                continue;
            }
            let half = items.len() / 2;
            if half > 0 {
                let axis = usize::from(high[1] - low[1] > high[0] - low[0]);
                let key = |i: &u32| points[*i as usize][axis];
                select_by(items, half, &|a, b| key(a).total_cmp(&key(b)).then(a.cmp(b)));
            }
            let middle = start + index(half);
            (self.nodes[2 * i].start, self.nodes[2 * i].end) = (start, middle);
            (self.nodes[2 * i + 1].start, self.nodes[2 * i + 1].end) = (middle, end);
        }
        self.positions.clear();
        self.positions.resize(points.len(), NONE);
        for (k, item) in self.items.iter().enumerate() {
            self.positions[*item as usize] = index(k);
        }
    }

    /// Removes a corner; has no effect if it is not in the tree.
    pub(super) fn remove(&mut self, corner: u32) {
        let position = std::mem::replace(&mut self.positions[corner as usize], NONE);
        if position == NONE {
            return;
        }
        let mut node = 1;
        loop {
            self.nodes[node].remaining -= 1;
            if node >= self.first_leaf {
                return;
            }
            node = 2 * node + usize::from(position >= self.nodes[2 * node + 1].start);
        }
    }

    /// Whether `blocks` holds for a corner in the tree that may lie in the closed counter-clockwise
    /// triangle.
    pub(super) fn any(&self, triangle: &[[f64; 2]; 3], blocks: impl Fn(u32) -> bool) -> bool {
        let mut stack = [0; 64];
        stack[0] = 1;
        let mut depth = 1;
        while depth > 0 {
            depth -= 1;
            let at = stack[depth];
            let node = &self.nodes[at];
            if node.remaining == 0 || node.is_outside(triangle) {
                continue;
            }
            if at < self.first_leaf {
                stack[depth] = 2 * at + 1;
                stack[depth + 1] = 2 * at;
                depth += 2;
                continue;
            }
            let items = &self.items[node.start as usize..node.end as usize];
            let is_present = |i: &&u32| self.positions[**i as usize] != NONE;
            if items.iter().filter(is_present).any(|i| blocks(*i)) {
                return true;
            }
        }
        false
    }
}

impl Node {
    /// Whether the box certainly misses the triangle: it lies outside the triangle's box, or beyond
    /// one of the sides by more than the rounding error.
    fn is_outside(&self, t: &[[f64; 2]; 3]) -> bool {
        let beyond = |k: usize| {
            let [a, b, c] = t.map_each(|p| p[k]);
            self.low[k] > a.max(b).max(c) || self.high[k] < a.min(b).min(c)
        };
        if beyond(0) || beyond(1) {
            return true;
        }
        (0..3).any(|k| {
            let (p, q) = (t[k], t[(k + 1) % 3]);
            let (dx, dy) = (q[0] - p[0], q[1] - p[1]);
            // The corner of the box furthest to the left of the side.
            let x = if dy > 0.0 { self.low[0] } else { self.high[0] };
            let y = if dx > 0.0 { self.high[1] } else { self.low[1] };
            let (a, b) = (dx * (y - p[1]), dy * (x - p[0]));
            a - b < -(8.0 * f64::EPSILON * (a.abs() + b.abs()) + 1e-300)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;
    use std::cell::RefCell;

    #[test]
    fn all_corners_in_the_triangle_are_found_except_removed_ones() {
        let mut draws = Random::new(1);
        let mut random = || draws.index(50) as u32;
        for n in [0, 1, 7, 8, 9, 100, 500] {
            let points: Vec<[f64; 2]> =
                (0..n).map(|_| [(); 2].map(|()| f64::from(random()))).collect();
            let mut tree = CornerTree::default();
            tree.build(&points, (0..n).filter(|i| i % 3 != 0));
            for i in (0..n).filter(|i| i % 5 == 0) {
                tree.remove(i);
                tree.remove(i);
            }
            let kept = |i: &u32| i % 3 != 0 && i % 5 != 0;
            for _ in 0..100 {
                let [a, b, c] = [(); 3].map(|()| [(); 2].map(|()| f64::from(random())));
                let cross = |a: [f64; 2], b: [f64; 2], c: [f64; 2]| {
                    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
                };
                let t = if cross(a, b, c) >= 0.0 { [a, b, c] } else { [a, c, b] };
                let seen = RefCell::new(Vec::new());
                tree.any(&t, |i| {
                    seen.borrow_mut().push(i);
                    false
                });
                let seen = seen.into_inner();
                assert!(seen.iter().all(kept));
                for i in (0..n).filter(kept) {
                    let p = points[i as usize];
                    let inside = (0..3).all(|k| cross(t[k], t[(k + 1) % 3], p) >= 0.0);
                    assert!(!inside || seen.contains(&i));
                }
            }
        }
    }
}
