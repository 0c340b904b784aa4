//! The point that lies furthest along a direction of integers.
//!
//! One pass with the rounded direction finds the points that can be the furthest; only these are
//! compared in integers.

use num_bigint::BigInt;

use super::vector::{Vector, dot, quarters, rounded, words, words_of};
use crate::arrays::MapEach;
use crate::convex::interruptible::{pay, pay_quarters};
use crate::exact::Sign;
use crate::exact::integer::{scale, sign};
use crate::math::Vec3;
use crate::math::rounding::{PRODUCT_UNDERFLOW, UNIT_ROUNDOFF};

/// An exact direction and its rounding.
pub(super) struct Direction {
    exact: Vector,
    rounded: Vec3,
}

/// The filter's relative error: five roundings of a product (the direction, a difference, the
/// product, two sums), and the rounding of the sum of absolute values.
const RELATIVE_ERROR: f64 = 8.0 * UNIT_ROUNDOFF;

/// Points in a piece of work: about a microsecond.
pub(super) const POINTS_IN_PIECE: usize = 256;

/// Units of a loop over this number of points.
pub(super) fn units_of_points(points: &[Vec3]) -> u64 {
    1 + points.len() as u64 / 32
}

impl Direction {
    pub(super) fn new(exact: Vector) -> Self {
        let rounded = rounded(&exact);
        Self { exact, rounded }
    }

    /// The exact direction of a vector of `f64`; `None` if it is not finite.
    pub(super) fn of(v: Vec3) -> Option<Self> {
        Some(Self::new(scale(v.to_array())?.values))
    }

    /// The opposite direction.
    pub(super) fn reversed(&self) -> Self {
        Self { exact: self.exact.clone().map_each(|x| -x), rounded: -self.rounded }
    }

    /// The direction, in any unit.
    pub(super) fn exact(&self) -> &Vector {
        &self.exact
    }

    /// The direction rounded, with its largest component between 1/2 and 1.
    pub(super) fn rounded(&self) -> Vec3 {
        self.rounded
    }

    /// The index of the point furthest along the direction: `start`, if no other lies strictly
    /// further, otherwise the first of those that lie equally far. `None` if a coordinate that is
    /// compared is not finite.
    pub(super) async fn furthest(&self, points: &[Vec3], start: usize) -> Option<usize> {
        let origin = *points.get(start)?;
        // The origin itself is at zero.
        let mut least = 0.0;
        for row in points.chunks(POINTS_IN_PIECE) {
            pay(units_of_points(row)).await;
            for p in row {
                let (along, error) = self.along(*p - origin);
                let low = along - error;
                if low > least {
                    least = low;
                }
            }
        }
        let mut best = start;
        for (k, row) in points.chunks(POINTS_IN_PIECE).enumerate() {
            pay(units_of_points(row)).await;
            for (i, p) in row.iter().enumerate() {
                let i = k * POINTS_IN_PIECE + i;
                let (along, error) = self.along(*p - origin);
                // Not `>=`: NaN must be compared in integers.
                let is_less = along + error < least;
                if !is_less && i != start && self.compare(points[best], *p).await? == Sign::Positive
                {
                    best = i;
                }
            }
        }
        Some(best)
    }

    /// The distance of all of `b` beyond all of `a` along the direction, divided by its length,
    /// squared: `numerator / denominator * 2^exponent` with an even exponent. `None` if the
    /// direction does not separate them, or if a coordinate is not finite. Fast if the vertices of
    /// `near` are close to the gap.
    pub(super) async fn squared_gap(
        &self,
        a: &[Vec3],
        b: &[Vec3],
        near: [u32; 2],
    ) -> Option<(BigInt, BigInt, i32)> {
        let p = *a.get(self.furthest(a, near[0] as usize).await?)?;
        let q = *b.get(self.reversed().furthest(b, near[1] as usize).await?)?;
        let (along, exponent) = self.exact_along(p, q).await?;
        let squared_length = dot(&self.exact, &self.exact).await;
        let separates = sign(&along) == Sign::Positive;
        separates.then(|| (&along * &along, squared_length, 2 * exponent))
    }

    /// The product of `d`, a rounded difference of points, with the rounded direction, and its
    /// error bound.
    #[inline]
    fn along(&self, d: Vec3) -> (f64, f64) {
        let products = self.rounded * d;
        let size = products.abs();
        let abs_d = d.abs();
        let error = RELATIVE_ERROR * (size.x + size.y + size.z)
            + PRODUCT_UNDERFLOW * (abs_d.x + abs_d.y + abs_d.z + 1.0);
        (products.x + products.y + products.z, error)
    }

    /// The sign of `direction . (q - p)`, exactly; `None` if a coordinate is not finite.
    async fn compare(&self, p: Vec3, q: Vec3) -> Option<Sign> {
        if p == q {
            return Some(Sign::Zero);
        }
        self.exact_along(p, q).await.map(|(along, _)| sign(&along))
    }

    /// `direction . (q - p)` in units of `2^exponent`, and the exponent; `None` if a coordinate is
    /// not finite.
    async fn exact_along(&self, p: Vec3, q: Vec3) -> Option<(BigInt, i32)> {
        let scaled = scale([p.x, p.y, p.z, q.x, q.y, q.z])?;
        let longest = scaled.values.iter().map(words_of).max().unwrap_or(1);
        pay_quarters(quarters(9, 3 * words(&self.exact) * longest)).await;
        let along = |k: usize| &self.exact[k] * (&scaled.values[k + 3] - &scaled.values[k]);
        Some((along(0) + along(1) + along(2), scaled.exponent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convex::interruptible::finish;
    use crate::exact::compare_along;
    use crate::math::Random;

    #[test]
    fn the_furthest_point_is_the_exact_one() {
        let mut random = Random::new(8);
        for round in 0..300 {
            // A direction of small integers, so that exact ties are frequent.
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
                let found = finish(direction.furthest(&points, start)).unwrap();
                let further = |p: &Vec3| compare_along(f, points[found], *p) == Sign::Positive;
                assert!(!points.iter().any(further));
                let tied = compare_along(f, points[found], points[start]).is_zero();
                assert!(!tied || found == start);
            }
        }
    }

    #[test]
    fn non_finite_points_have_no_furthest_one() {
        let direction = Direction::new([1, 0, 0].map(BigInt::from));
        let points = [Vec3::ZERO, Vec3::splat(f64::NAN)];
        assert_eq!(finish(direction.furthest(&points, 0)), None);
        assert_eq!(finish(direction.furthest(&[], 0)), None);
    }
}
