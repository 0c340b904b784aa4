//! The point that lies furthest along a direction of integers.
//!
//! The rounded direction tells in one pass which points can be the furthest; only these are compared in integers.

use super::vector::{Vector, rounded};
use crate::exact::Sign;
use crate::exact::integer::{scale, sign};
use crate::math::Vec3;

/// An exact direction and its rounding.
pub(super) struct Direction {
    exact: Vector,
    rounded: Vec3,
}

/// The filter's relative error: five roundings a product (the direction, a difference, the product, two sums), and
/// the rounding of the sum of sizes.
const BOUND: f64 = 8.0 * f64::EPSILON / 2.0;

/// The filter's absolute error, for components and products that underflow.
const UNDERFLOW: f64 = f64::MIN_POSITIVE * 4_194_304.0;

impl Direction {
    pub(super) fn new(exact: Vector) -> Self {
        let rounded = rounded(&exact);
        Self { exact, rounded }
    }

    /// The opposite direction.
    pub(super) fn reversed(&self) -> Self {
        Self { exact: self.exact.clone().map(|x| -x), rounded: -self.rounded }
    }

    /// The direction rounded, with its largest component between 1/2 and 1.
    pub(super) fn rounded(&self) -> Vec3 {
        self.rounded
    }

    /// The place of the point furthest along the direction: `start`, if no other lies strictly further, and otherwise the first of those
    /// that lie equally far. `None` if a coordinate that is looked at is not finite.
    pub(super) fn furthest(&self, points: &[Vec3], start: usize) -> Option<usize> {
        let origin = *points.get(start)?;
        // The origin itself is at zero.
        let mut least = 0.0;
        for p in points {
            let (along, error) = self.along(*p - origin);
            let low = along - error;
            if low > least {
                least = low;
            }
        }
        let mut best = start;
        for (i, p) in points.iter().enumerate() {
            let (along, error) = self.along(*p - origin);
            // Not `>=`: what is not comparable is compared in integers.
            let is_less = along + error < least;
            if !is_less && i != start && self.compare(points[best], *p)? == Sign::Positive {
                best = i;
            }
        }
        Some(best)
    }

    /// How far `d`, a rounded difference of points, lies along the direction, and how much that can be off.
    #[inline]
    fn along(&self, d: Vec3) -> (f64, f64) {
        let products = self.rounded * d;
        let size = products.abs();
        let reach = d.abs();
        let error =
            BOUND * (size.x + size.y + size.z) + UNDERFLOW * (reach.x + reach.y + reach.z + 1.0);
        (products.x + products.y + products.z, error)
    }

    /// The sign of `direction . (q - p)`, exactly; `None` if a coordinate is not finite.
    fn compare(&self, p: Vec3, q: Vec3) -> Option<Sign> {
        if p == q {
            return Some(Sign::Zero);
        }
        let values = scale([p.x, p.y, p.z, q.x, q.y, q.z])?.values;
        let along = |k: usize| &self.exact[k] * (&values[k + 3] - &values[k]);
        Some(sign(&(along(0) + along(1) + along(2))))
    }
}

#[cfg(test)]
mod tests {
    use num_bigint::BigInt;

    use super::*;
    use crate::exact::compare_along;
    use crate::math::Random;

    #[test]
    fn the_furthest_point_is_the_exact_one() {
        let mut random = Random::new(8);
        for round in 0..300 {
            // A small integer direction, so that exact ties are many.
            let d = [0; 3].map(|_: i64| random.index(7) as i64 - 3);
            let f = Vec3::new(d[0] as f64, d[1] as f64, d[2] as f64);
            let scale = [1.0, 1e50, 1e-300, 0.1][round % 4];
            let mut points: Vec<_> = (0..40)
                .map(|_| (random.in_cube() * 3.0).round() * scale + Vec3::splat(scale))
                .collect();
            points.extend([points[3] + f * scale * 1e-16, points[7]]);
            let start = random.index(points.len());
            let direction = Direction::new(d.map(|x| BigInt::from(x) << 70_u32));
            for (direction, f) in [(direction.reversed(), -f), (direction, f)] {
                let found = direction.furthest(&points, start).unwrap();
                let further = |p: &Vec3| compare_along(f, points[found], *p) == Sign::Positive;
                assert!(!points.iter().any(further));
                let tied = compare_along(f, points[found], points[start]).is_zero();
                assert!(!tied || found == start);
            }
        }
    }

    #[test]
    fn not_a_number_is_no_answer() {
        let direction = Direction::new([1, 0, 0].map(BigInt::from));
        assert_eq!(direction.furthest(&[Vec3::ZERO, Vec3::splat(f64::NAN)], 0), None);
        assert_eq!(direction.furthest(&[], 0), None);
    }
}
