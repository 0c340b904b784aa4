//! The nearest of the points at a distance `h` from a surface, for one `h` after another.
//!
//! The points move along fixed directions as `h` changes, so their tree is ordered once; for each
//! `h` only the boxes of its nodes are computed.

use crate::math::Vec3;

/// Points of a leaf.
const LEAF: usize = 8;

/// Points in the order that [`order`] gives them, with boxes around blocks of them.
#[derive(Clone, Debug)]
pub(super) struct SpikeTree {
    points: Vec<Vec3>,
    /// Of the nodes: node `i` has the children `2 i` and `2 i + 1`, and the last half are the
    /// leaves. Boxes of nodes without points are empty.
    boxes: Vec<[Vec3; 2]>,
}

/// Sorts items such that blocks of near places follow each other.
pub(super) fn order<T>(items: &mut [T], place: impl Fn(&T) -> Vec3) {
    let mut open = vec![(0, items.len())];
    while let Some((start, end)) = open.pop() {
        if end - start <= LEAF {
            continue;
        }
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for item in &items[start..end] {
            low = low.min(place(item));
            high = high.max(place(item));
        }
        let extent = high - low;
        let axis = (0..3).fold(0, |best, a| if extent[a] > extent[best] { a } else { best });
        // The first half is a complete tree.
        let leaves = (end - start).div_ceil(LEAF).next_power_of_two();
        let middle = start + leaves / 2 * LEAF;
        items[start..end].select_nth_unstable_by(middle - start, |a, b| {
            place(a)[axis].total_cmp(&place(b)[axis])
        });
        open.extend([(start, middle), (middle, end)]);
    }
}

impl SpikeTree {
    /// The tree of points in the order of [`order`]. Points at infinity are never the nearest.
    pub(super) fn new(points: Vec<Vec3>) -> Self {
        let leaves = points.len().div_ceil(LEAF).next_power_of_two();
        let mut boxes = vec![[Vec3::INFINITY, Vec3::NEG_INFINITY]; 2 * leaves];
        for (around, block) in boxes[leaves..].iter_mut().zip(points.chunks(LEAF)) {
            for p in block.iter().filter(|p| p.x < f64::INFINITY) {
                *around = [around[0].min(*p), around[1].max(*p)];
            }
        }
        for i in (1..leaves).rev() {
            let [[low, high], [other_low, other_high]] = [boxes[2 * i], boxes[2 * i + 1]];
            boxes[i] = [low.min(other_low), high.max(other_high)];
        }
        Self { points, boxes }
    }

    pub(super) fn point(&self, i: u32) -> Option<Vec3> {
        self.points.get(i as usize).copied()
    }

    /// The nearest point and its squared distance; infinity without points. The search is short if
    /// the point `guess` is near, and ends at any point whose squared distance is at most `enough`.
    pub(super) fn nearest(&self, c: Vec3, guess: u32, enough: f64) -> (u32, f64) {
        let square = |i: u32| self.point(i).map_or(f64::INFINITY, |p| p.distance_squared(c));
        let gap = |node: usize| {
            let [low, high] = self.boxes[node];
            (low - c).max(c - high).max(Vec3::ZERO).length_squared()
        };
        let mut best = (guess, square(guess));
        let leaves = self.boxes.len() / 2;
        let (mut stack, mut open) = ([(0.0, 0_usize); 64], 1);
        stack[0] = (gap(1), 1);
        while open > 0 && best.1 > enough {
            open -= 1;
            let (least, node) = stack[open];
            if least >= best.1 {
                continue;
            }
            if node < leaves {
                let [mut near, mut far] = [2 * node, 2 * node + 1].map(|i| (gap(i), i));
                if far.0 < near.0 {
                    (near, far) = (far, near);
                }
                stack[open..open + 2].copy_from_slice(&[far, near]);
                open += 2;
                continue;
            }
            let first = (node - leaves) * LEAF;
            for i in first..(first + LEAF).min(self.points.len()) {
                let found = self.points[i].distance_squared(c);
                if found < best.1 {
                    best = (i as u32, found);
                }
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    #[test]
    fn the_nearest_point_is_found_from_any_guess() {
        let mut random = Random::new(4);
        for count in [0, 1, 7, 8, 9, 16, 17, 64, 500] {
            let mut points: Vec<Vec3> =
                (0..count).map(|_| (random.in_cube() * 6.0).round() / 6.0).collect();
            order(&mut points, |p| *p);
            // Some are not in the tree.
            points.iter_mut().step_by(5).skip(1).for_each(|p| *p = Vec3::INFINITY);
            let tree = SpikeTree::new(points.clone());
            for k in 0..50 {
                let c = random.in_cube();
                let squares = points.iter().map(|p| p.distance_squared(c));
                let least = squares.fold(f64::INFINITY, f64::min);
                let (place, square) = tree.nearest(c, k * 11, 0.0);
                assert_eq!(square, least);
                let found = tree.point(place).map(|p| p.distance_squared(c));
                assert!(count == 0 || found == Some(least));
                let (_, other) = tree.nearest(c, 0, 2.0 * least);
                assert!(other == least || other <= 2.0 * least);
            }
        }
    }
}
