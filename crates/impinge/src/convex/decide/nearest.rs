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
pub(super) async fn nearest(w: &[Vector], required: u8) -> Option<Nearest> {
    let all = (1_u8 << w.len()) - 1;
    for members in SETS.into_iter().filter(|s| s & !all == 0 && s & required == required) {
        let corners = corners(w, members);
        let Some((weights, direction)) = inside(&corners).await else { continue };
        if is_closest(w, members, &direction, corners[0]).await {
            return Some(Nearest { members, weights, direction });
        }
    }
    None
}

/// Whether no corner outside of the set lies below the plane through `corner` perpendicular to
/// `direction`.
async fn is_closest(w: &[Vector], members: u8, direction: &Vector, corner: &Vector) -> bool {
    let mut level = None;
    for (k, other) in w.iter().enumerate() {
        if members & (1 << k) != 0 {
            continue;
        }
        let level = match &level {
            Some(level) => level,
            None => level.insert(dot(direction, corner).await),
        };
        if dot(direction, other).await < *level {
            return false;
        }
    }
    true
}

/// The points whose bits are set.
fn corners(w: &[Vector], set: u8) -> Vec<&Vector> {
    w.iter().enumerate().filter(|(k, _)| set & (1 << k) != 0).map(|(_, w)| w).collect()
}

/// The weights of the closest point to the origin on the point, line or plane through `w`, or in
/// space, and its direction. `None` if a weight is not positive or if the points are affinely
/// dependent, which makes the sum of the weights zero.
async fn inside(w: &[&Vector]) -> Option<(Vec<BigInt>, Vector)> {
    match w {
        [w0] => Some((vec![BigInt::from(1)], (*w0).clone())),
        [w0, w1] => {
            let e = minus(w1, w0);
            let first = positive(dot(&e, w1).await)?;
            let weights = vec![first, positive(-dot(&e, w0).await)?];
            let direction = combination(&weights, w).await;
            Some((weights, direction))
        }
        [w0, w1, w2] => {
            let m = cross(&minus(w1, w0), &minus(w2, w0)).await;
            let mut weights = Vec::with_capacity(3);
            for (u, v) in [(w1, w2), (w2, w0), (w0, w1)] {
                weights.push(positive(dot(&m, &cross(u, v).await).await)?);
            }
            let direction = match dot(&m, w0).await.sign() {
                Sign::NoSign => [const { BigInt::ZERO }; 3],
                sign => signed(m, sign == Sign::Minus),
            };
            Some((weights, direction))
        }
        [w0, w1, w2, w3] => {
            let (front, back) = (cross(w0, w1).await, cross(w2, w3).await);
            let first = dot(w1, &back).await;
            // If all weights are negative, their opposites are the weights.
            let flip = first.sign() == Sign::Minus;
            let weight = |t: BigInt| positive(if flip { -t } else { t });
            let mut weights = vec![weight(first)?];
            weights.push(weight(-dot(w0, &back).await)?);
            weights.push(weight(dot(w3, &front).await)?);
            weights.push(weight(-dot(w2, &front).await)?);
            Some((weights, [const { BigInt::ZERO }; 3]))
        }
        _ => None,
    }
}

/// The weight, if it is positive.
fn positive(weight: BigInt) -> Option<BigInt> {
    (weight.sign() == Sign::Plus).then_some(weight)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convex::interruptible::finish;
    use crate::math::Random;

    fn vectors(points: &[[i64; 3]]) -> Vec<Vector> {
        points.iter().map(|p| p.map(BigInt::from)).collect()
    }

    fn members(points: &[[i64; 3]]) -> u8 {
        finish(nearest(&vectors(points), 0)).unwrap().members
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
            let found = finish(nearest(&w, 0)).unwrap();
            let corners = corners(&w, found.members);
            let v = finish(combination(&found.weights, &corners));
            // `direction` is a positive multiple of `v`, and all points are at least as far along
            // it.
            let dot = |u: &Vector, v: &Vector| finish(dot(u, v));
            assert_eq!(finish(cross(&v, &found.direction)), [const { BigInt::ZERO }; 3]);
            assert_eq!(dot(&v, &v).sign(), dot(&v, &found.direction).sign());
            let total: BigInt = found.weights.iter().sum();
            assert!(w.iter().all(|w| dot(&v, w) * &total >= dot(&v, &v)), "{w:?}");
        }
    }
}
