//! The point closest to the origin in the hull of up to four points, exactly.
//!
//! Johnson's sub-algorithm (Gilbert, Johnson & Keerthi 1988, "A fast procedure for computing the
//! distance between complex objects in three-dimensional space", section V) in integers: the right
//! face of the simplex is the one whose closest point to the origin has positive weights and is not
//! improved by any other corner. With exact signs there is always such a face, also for points that
//! coincide or lie in one plane, so no repair is needed.

use num_bigint::{BigInt, Sign};

use super::vector::{Vector, combination, cross, dot, minus, signed};

/// A face of the simplex and its point `v` closest to the origin, which is also the closest point
/// of the whole hull.
pub(super) struct Nearest {
    /// The corners of the face, as bits. They are affinely independent.
    pub(super) members: u8,
    /// The weights of the members, in order: all positive, with `v = sum t w / sum t`.
    pub(super) weights: Vec<BigInt>,
    /// A positive multiple of `v`; zero if the hull contains the origin.
    pub(super) direction: Vector,
}

/// Sets of up to four corners, the larger first.
const SETS: [u8; 15] = [15, 14, 13, 11, 7, 12, 10, 9, 6, 5, 3, 8, 4, 2, 1];

/// The face of the hull of `w`, one to four points in one unit, that has the closest point to the
/// origin. Only faces with all corners of the set `required` are considered; one of them must be
/// the right one.
///
/// There is a result for every number of points except zero.
pub(super) fn nearest(w: &[Vector], required: u8) -> Option<Nearest> {
    let all = (1_u8 << w.len()) - 1;
    let sets = SETS.into_iter().filter(|set| set & !all == 0 && set & required == required);
    sets.map(|set| (set, corners(w, set))).find_map(|(members, corners)| {
        let (weights, direction) = inside(&corners)?;
        let level = dot(&direction, corners[0]);
        let others = (0..w.len()).filter(|k| members & (1 << k) == 0);
        let is_closest = others.map(|k| dot(&direction, &w[k])).all(|along| along >= level);
        is_closest.then_some(Nearest { members, weights, direction })
    })
}

/// The points whose bits are set.
fn corners(w: &[Vector], set: u8) -> Vec<&Vector> {
    w.iter().enumerate().filter(|(k, _)| set & (1 << k) != 0).map(|(_, w)| w).collect()
}

/// The weights of the closest point to the origin on the point, line or plane through `w`, or in
/// space, and its direction. `None` if a weight is not positive or if the points are affinely
/// dependent, which makes the sum of the weights zero.
fn inside(w: &[&Vector]) -> Option<(Vec<BigInt>, Vector)> {
    match w {
        [w0] => Some((vec![BigInt::from(1)], (*w0).clone())),
        [w0, w1] => {
            let e = minus(w1, w0);
            let weights = [dot(&e, w1), -dot(&e, w0)];
            let weights = positive(weights.into_iter())?;
            let direction = combination(&weights, w.iter().copied());
            Some((weights, direction))
        }
        [w0, w1, w2] => {
            let m = cross(&minus(w1, w0), &minus(w2, w0));
            let sides = [(w1, w2), (w2, w0), (w0, w1)].into_iter();
            let weights = positive(sides.map(|(u, v)| dot(&m, &cross(u, v))))?;
            let direction = match dot(&m, w0).sign() {
                Sign::NoSign => [const { BigInt::ZERO }; 3],
                sign => signed(m, sign == Sign::Minus),
            };
            Some((weights, direction))
        }
        [w0, w1, w2, w3] => {
            let (front, back) = (cross(w0, w1), cross(w2, w3));
            let first = dot(w1, &back);
            // If all weights are negative, their opposites are the weights.
            let flip = first.sign() == Sign::Minus;
            let rest = [-dot(w0, &back), dot(w3, &front), -dot(w2, &front)];
            let weights = [first].into_iter().chain(rest);
            let weights = positive(weights.map(|t| if flip { -t } else { t }))?;
            Some((weights, [const { BigInt::ZERO }; 3]))
        }
        _ => None,
    }
}

/// The weights, if all are positive.
fn positive(weights: impl Iterator<Item = BigInt>) -> Option<Vec<BigInt>> {
    weights.map(|t| (t.sign() == Sign::Plus).then_some(t)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    fn vectors(points: &[[i64; 3]]) -> Vec<Vector> {
        points.iter().map(|p| p.map(BigInt::from)).collect()
    }

    fn members(points: &[[i64; 3]]) -> u8 {
        nearest(&vectors(points), 0).unwrap().members
    }

    #[test]
    fn closest_points_on_every_kind_of_face() {
        assert_eq!(members(&[[1, 2, 3]]), 1);
        assert_eq!(members(&[[1, 2, 3], [1, -2, 3]]), 3);
        assert_eq!(members(&[[1, 2, 3], [1, 3, 3]]), 1);
        assert_eq!(members(&[[-3, -3, 1], [9, -3, 1], [-3, 9, 1]]), 7);
        assert_eq!(members(&[[-3, 3, 1], [9, 3, 1], [3, 9, 1]]), 3);
        assert_eq!(members(&[[-3, -3, -1], [9, -3, -1], [-3, 9, -1], [0, 0, 5]]), 15);
        assert_eq!(members(&[[-3, -3, 1], [9, -3, 1], [-3, 9, 1], [0, 0, 5]]), 7);
        // The origin on a side, at a corner, in a face.
        assert_eq!(members(&[[-3, 0, 0], [9, 0, 0], [-3, 9, 1], [0, 2, 5]]), 3);
        assert_eq!(members(&[[5, 5, 5], [9, 0, 0], [0, 0, 0], [0, 2, 5]]), 4);
        assert_eq!(members(&[[0, 0, 7], [-3, -3, 0], [9, -3, 0], [-3, 9, 0]]), 14);
    }

    #[test]
    fn points_that_coincide_or_are_coplanar() {
        assert_eq!(members(&[[1, 1, 1]; 4]).count_ones(), 1);
        assert_eq!(members(&[[1, 1, 0], [1, -1, 0], [1, 3, 0], [1, -1, 0]]).count_ones(), 2);
        assert_eq!(members(&[[3, 3, 2], [-3, 3, 2], [-3, -3, 2], [3, -3, 2]]).count_ones(), 2);
        assert_eq!(members(&[[3, 4, 2], [-3, 3, 2], [-3, -3, 2], [3, -3, 2]]).count_ones(), 3);
        assert_eq!(members(&[[3, 4, 0], [-3, 3, 0], [-3, -3, 0], [3, -3, 0]]).count_ones(), 3);
    }

    #[test]
    fn the_answer_is_the_closest_point_for_all_small_simplices() {
        let mut random = Random::new(5);
        for _ in 0..3000 {
            let len = 1 + random.index(4);
            let mut w = Vec::new();
            for _ in 0..len {
                w.push([0; 3].map(|_: i64| random.index(7) as i64 - 3));
            }
            let w = vectors(&w);
            let found = nearest(&w, 0).unwrap();
            let corners = corners(&w, found.members);
            let v = combination(&found.weights, corners.iter().copied());
            // `direction` is a positive multiple of `v`, and all points are at least as far along
            // it.
            assert_eq!(cross(&v, &found.direction), [const { BigInt::ZERO }; 3]);
            assert_eq!(dot(&v, &v).sign(), dot(&v, &found.direction).sign());
            let total: BigInt = found.weights.iter().sum();
            assert!(w.iter().all(|w| dot(&v, w) * &total >= dot(&v, &v)), "{w:?}");
        }
    }
}
