//! The order of two points along a direction.
//!
//! The sign of `d . (b - a)` in the stages of the other predicates: a float evaluation with its
//! error bound, an expansion of the twelve exact partial products (Shewchuk 1997, grow-expansion),
//! and integers.
//!
//! The filter: each of the three products carries the rounding of a difference, of itself and of at
//! most two sums, so the value is off by less than `4.01 eps` of the sum of the products' sizes,
//! and that sum, as computed, is too small by less than `4.01 eps` of itself. Six `eps` cover both.
//! The error due to underflow is below `2^-1000`.

use super::Sign;
use super::double::{Double, two_product, two_sum};
use super::integer;
use super::orient::{EXACT_RANGE, MIN_WITHOUT_UNDERFLOW};
use crate::math::Vec3;
use crate::math::rounding::{PRODUCT_UNDERFLOW, UNIT_ROUNDOFF};

/// The filter's relative error, derived above.
const BOUND: f64 = 6.0 * UNIT_ROUNDOFF;

/// The sign of `direction . (b - a)`: positive if `b` lies further along the direction than `a`.
///
/// Exact for all finite values within [`EXACT_RANGE`], and for directions of any finite length. If
/// a number is not finite, the function returns, but the result is meaningless.
///
/// ```
/// use impinge::Vec3;
/// use impinge::exact::Sign;
/// use impinge::internals::exact::compare_along;
///
/// // The float products are equal.
/// let (a, b) = (Vec3::new(1e16, 0.0, 0.0), Vec3::new(1e16, 1e-3, 0.0));
/// assert_eq!(compare_along(Vec3::ONE, a, b), Sign::Positive);
/// ```
#[inline]
#[must_use]
pub fn compare_along(direction: Vec3, a: Vec3, b: Vec3) -> Sign {
    let w = b - a;
    let products = [direction.x * w.x, direction.y * w.y, direction.z * w.z];
    let value = products[0] + products[1] + products[2];
    let size = products[0].abs() + products[1].abs() + products[2].abs();
    let bound = BOUND * size + PRODUCT_UNDERFLOW;
    // An infinite product makes the bound infinite, so that neither comparison holds.
    if value > bound {
        Sign::Positive
    } else if value < -bound {
        Sign::Negative
    } else {
        compare_exactly(direction, a, b)
    }
}

/// The sign where the filter is not certain. The common zero (equal in every coordinate in which
/// the direction is not zero) needs no arithmetic.
#[cold]
#[inline(never)]
fn compare_exactly(direction: Vec3, a: Vec3, b: Vec3) -> Sign {
    if (0..3).all(|i| direction[i] == 0.0 || a[i] == b[i]) {
        return Sign::Zero;
    }
    let fits_expansions =
        |x: f64| x == 0.0 || (x.abs() >= MIN_WITHOUT_UNDERFLOW && x.abs() <= EXACT_RANGE);
    if [direction, a, b].into_iter().all(|v| v.to_array().into_iter().all(fits_expansions)) {
        compare_by_expansion(direction, a, b)
    } else {
        integer::compare_along(direction, a, b)
    }
}

/// The sign of the exact sum of all partial products.
fn compare_by_expansion(direction: Vec3, a: Vec3, b: Vec3) -> Sign {
    // The components are nonoverlapping and in ascending order of size: the last that is not zero
    // has the sign of the sum.
    let mut sum = [0.0; 12];
    let mut length = 0;
    for i in 0..3 {
        let w = Double::difference(b[i], a[i]);
        for factor in [w.low, w.high] {
            let product = two_product(direction[i], factor);
            for term in [product.low, product.high] {
                let mut carried = term;
                for component in &mut sum[..length] {
                    let s = two_sum(carried, *component);
                    *component = s.low;
                    carried = s.high;
                }
                sum[length] = carried;
                length += 1;
            }
        }
    }
    Sign::of(sum.into_iter().rev().find(|c| *c != 0.0).unwrap_or(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    #[test]
    fn every_stage_agrees_with_integers() {
        let mut random = Random::new(11);
        let mut zeros = 0;
        for round in 0..20_000 {
            let mut d = random.in_cube();
            let a = random.in_cube() * 10_f64.powi((round % 7) * 8 - 20);
            let mut b = a + random.in_cube() * a.length() * 10_f64.powi(-(round % 17));
            match round % 4 {
                // Perpendicular up to rounding.
                0 => d = d.cross(b - a),
                // Exactly perpendicular where the difference is exact.
                1 => {
                    d = Vec3::new(3.0, 5.0, 7.0);
                    b = (a * 8.0).round() + Vec3::new(7.0, 0.0, -3.0);
                    let a = (a * 8.0).round();
                    let sign = compare_along(d, a, b);
                    zeros += usize::from(sign.is_zero());
                    assert_eq!(sign, integer::compare_along(d, a, b), "{d} {a} {b}");
                }
                2 => d *= 1e-300,
                _ => {}
            }
            assert_eq!(compare_along(d, a, b), integer::compare_along(d, a, b), "{d} {a} {b}");
            assert_eq!(compare_by_expansion(d, b, a), -compare_by_expansion(d, a, b));
        }
        assert!(zeros > 1000, "{zeros}");
    }

    #[test]
    fn extremes_are_decided() {
        let tiny = f64::from_bits(1);
        let b = Vec3::new(0.0, tiny, 0.0);
        assert_eq!(compare_along(Vec3::Y * tiny, Vec3::ZERO, b), Sign::Positive);
        assert_eq!(compare_along(Vec3::new(f64::MAX, -1.0, 0.0), Vec3::ZERO, b), Sign::Negative);
        let far = Vec3::new(1e60, -1e60, 0.0);
        assert_eq!(compare_along(Vec3::splat(f64::MAX), Vec3::ZERO, far), Sign::Zero);
        assert_eq!(compare_along(Vec3::splat(f64::MAX), b, far), Sign::Negative);
        assert_eq!(compare_along(Vec3::ZERO, b, far), Sign::Zero);
        // No panic.
        let _ = compare_along(Vec3::splat(f64::NAN), b, far);
    }
}
