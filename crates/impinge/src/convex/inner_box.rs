//! A box that certainly lies in the hull. Points inside it are discarded with six comparisons each.
//!
//! After Akl & Toussaint 1978, "A fast convex hull algorithm". Take the furthest point along each
//! diagonal of the cube, and a box each of whose corners is at most as far out as the point of its
//! octant, in every coordinate. Along any direction the furthest corner of the box is the one in
//! the direction's octant, and the point of that octant lies at least as far. So the box lies in
//! the hull of the eight points. Rounding may affect which points are chosen, but not this
//! argument: the comparisons are exact.

use crate::math::{Aabb, Vec3};

/// A box in the hull of the points; empty if this method finds none.
pub(super) fn find(points: &[Vec3]) -> Aabb {
    let Some(first) = points.first() else { return Aabb::EMPTY };
    let mut ends = [(f64::INFINITY, f64::NEG_INFINITY, *first, *first); 4];
    for p in points {
        let sums = [p.x + p.y + p.z, p.x + p.y - p.z, p.x - p.y + p.z, p.x - p.y - p.z];
        for (end, sum) in ends.iter_mut().zip(sums) {
            if sum < end.0 {
                (end.0, end.2) = (sum, *p);
            }
            if sum > end.1 {
                (end.1, end.3) = (sum, *p);
            }
        }
    }
    let mut inner_box = Aabb { min: Vec3::NEG_INFINITY, max: Vec3::INFINITY };
    let signs = [[1, 1, 1], [1, 1, -1], [1, -1, 1], [1, -1, -1]];
    for ((_, _, low, high), signs) in ends.into_iter().zip(signs) {
        for axis in 0..3 {
            let (low, high) =
                if signs[axis] > 0 { (low[axis], high[axis]) } else { (high[axis], low[axis]) };
            inner_box.min[axis] = inner_box.min[axis].max(low);
            inner_box.max[axis] = inner_box.max[axis].min(high);
        }
    }
    inner_box
}

/// Whether a point lies strictly inside the box.
#[inline]
pub(super) fn contains(inner_box: &Aabb, p: Vec3) -> bool {
    // Without early exit: six comparisons cost less than a mispredicted branch.
    (inner_box.min.cmplt(p) & p.cmplt(inner_box.max)).all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convex::Hull;
    use crate::math::Random;

    #[test]
    fn corners_of_the_box_are_in_the_hull() {
        let mut random = Random::new(4);
        let mut boxes = 0;
        for round in 0..300 {
            let points: Vec<Vec3> = (0..10 + round)
                .map(|_| match round % 3 {
                    0 => random.in_cube(),
                    1 => random.direction(),
                    _ => Vec3::from([0; 3].map(|_| random.index(4) as f64)),
                })
                .collect();
            let inner_box = find(&points);
            if inner_box.is_empty() {
                continue;
            }
            boxes += 1;
            let before = Hull::new(&points).unwrap();
            let mut with = points.clone();
            for i in 0..8 {
                let pick = |bit: u32| if i >> bit & 1 == 0 { inner_box.min } else { inner_box.max };
                with.push(Vec3::new(pick(0).x, pick(1).y, pick(2).z));
            }
            before.validate(&with).unwrap();
        }
        assert!(boxes > 100, "{boxes}");
        assert!(find(&[]).is_empty());
        assert!(!contains(&find(&[Vec3::ONE]), Vec3::ONE));
    }
}
