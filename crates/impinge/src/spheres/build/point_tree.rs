//! A tree over points: all within a distance.

use crate::math::Vec3;
use crate::order::select_by;

/// The largest number of points of a leaf.
const LEAF: usize = 8;

/// Points in an order that halves each range at the median of its widest axis.
#[derive(Clone, Debug)]
pub(super) struct PointTree {
    points: Vec<Vec3>,
    /// The place of each point in the list that the tree was made from.
    places: Vec<u32>,
    /// The axis of each range that is not a leaf, by the place of its median.
    axes: Vec<u8>,
}

impl PointTree {
    pub(super) fn new(points: &[Vec3]) -> Self {
        let mut places: Vec<u32> = (0..points.len() as u32).collect();
        let mut axes = vec![0; points.len()];
        let mut open = vec![(0, points.len())];
        while let Some((start, end)) = open.pop() {
            if end - start <= LEAF {
                continue;
            }
            let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
            for place in &places[start..end] {
                low = low.min(points[*place as usize]);
                high = high.max(points[*place as usize]);
            }
            let extent = high - low;
            let axis = (0..3).fold(0, |best, a| if extent[a] > extent[best] { a } else { best });
            let middle = start.midpoint(end);
            let key = |place: &u32| points[*place as usize][axis];
            select_by(&mut places[start..end], middle - start, &|a, b| {
                key(a).total_cmp(&key(b)).then(a.cmp(b))
            });
            axes[middle] = axis as u8;
            open.extend([(start, middle), (middle + 1, end)]);
        }
        let points = places.iter().map(|place| points[*place as usize]).collect();
        Self { points, places, axes }
    }

    /// Calls `each` with the place of every point within `radius` and its squared distance.
    pub(super) fn within(&self, c: Vec3, radius: f64, mut each: impl FnMut(u32, f64)) {
        let limit = radius * radius;
        let mut stack = [(0_usize, 0_usize); 48];
        stack[0] = (0, self.points.len());
        let mut open = 1;
        let mut show = |i: usize| {
            let square = self.points[i].distance_squared(c);
            if square <= limit {
                each(self.places[i], square);
            }
        };
        while open > 0 {
            open -= 1;
            let (start, end) = stack[open];
            if end - start <= LEAF {
                (start..end).for_each(&mut show);
                continue;
            }
            let middle = start.midpoint(end);
            show(middle);
            let axis = self.axes[middle] as usize;
            let side = c[axis] - self.points[middle][axis];
            if side <= radius {
                stack[open] = (start, middle);
                open += 1;
            }
            if side >= -radius {
                stack[open] = (middle + 1, end);
                open += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    #[test]
    fn searches_agree_with_all_points() {
        let mut random = Random::new(4);
        for count in [0, 1, 7, 8, 9, 500] {
            // Coordinates on a grid, so that many are equal.
            let points: Vec<Vec3> =
                (0..count).map(|_| (random.in_cube() * 6.0).round() / 6.0).collect();
            let tree = PointTree::new(&points);
            for _ in 0..50 {
                let c = random.in_cube();
                let mut found = Vec::new();
                tree.within(c, 0.5, |i, _| found.push(i as usize));
                found.sort_unstable();
                let all: Vec<usize> =
                    (0..count).filter(|i| points[*i].distance_squared(c) <= 0.25).collect();
                assert_eq!(found, all);
            }
        }
    }
}
