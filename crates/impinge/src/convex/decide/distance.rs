//! Distances by exact arithmetic: the comparison of a distance with a sum of radii, and closest
//! points with the tightest bounds.

use std::cmp::Ordering;

use num_bigint::BigInt;

use super::Hint;
use super::active::Active;
use super::certificate::VertexPairs;
use super::filter::certain_gap_in_pieces;
use super::vector::{Vector, pay_for_conversion, product, quarters, words_of};
use crate::arrays::MapEach;
#[cfg(any(test, feature = "internals"))]
use crate::convex::interruptible::finish;
use crate::convex::interruptible::pay_quarters;
use crate::exact::Sign;
use crate::exact::integer::{decompose, quotient, scale, sign, times_pow2};
use crate::math::Vec3;

/// The sign of the distance of the hulls of `a` and `b` minus the sum of the radii: negative if the
/// bodies, each enlarged by its radius, share an inner point, zero if they just touch, positive if
/// they are apart.
///
/// Exact for all finite coordinates and radii, because the squared distance of two polytopes is a
/// quotient of integers. The points of both are in one frame. The distance to a body without points
/// is infinite. If a number is not finite, the function returns, but the result is meaningless.
///
/// ```
/// use impinge::Vec3;
/// use impinge::internals::decide::{Hint, compare_distance};
/// use impinge::exact::Sign;
///
/// // The distance is 5, exactly.
/// let (a, b) = ([Vec3::ZERO, Vec3::Z], [Vec3::new(3.0, 4.0, 0.0)]);
/// assert_eq!(compare_distance(&a, &b, 2.0, 3.0, &Hint::NONE), Sign::Zero);
/// assert_eq!(compare_distance(&a, &b, 2.0, 3.0 + 1e-15, &Hint::NONE), Sign::Negative);
/// assert_eq!(compare_distance(&a, &b, 5.0, -1e-300, &Hint::NONE), Sign::Positive);
/// ```
#[cfg(any(test, feature = "internals"))]
#[must_use]
pub fn compare_distance(a: &[Vec3], b: &[Vec3], radius_a: f64, radius_b: f64, hint: &Hint) -> Sign {
    finish(compare_in_pieces(a, b, [radius_a, radius_b], hint))
}

/// As [`compare_distance`], in pieces.
pub(crate) async fn compare_in_pieces(
    a: &[Vec3],
    b: &[Vec3],
    radii: [f64; 2],
    hint: &Hint,
) -> Sign {
    compare_exactly(a, b, radii, hint).await.unwrap_or(Sign::Positive)
}

async fn compare_exactly(a: &[Vec3], b: &[Vec3], radii: [f64; 2], hint: &Hint) -> Option<Sign> {
    let [radius_a, radius_b] = radii;
    pay_for_conversion(2).await;
    let radii = scale(radii)?;
    let radius_sum = &radii.values[0] + &radii.values[1];
    if radius_sum.sign() == num_bigint::Sign::Minus {
        return Some(Sign::Positive);
    }
    let squared_radius_sum = (&radius_sum * &radius_sum, 2 * radii.exponent);
    // The computed sum may be too small by one rounding.
    let upper_sum = (radius_a + radius_b) * (1.0 + 2.0 * f64::EPSILON) + f64::MIN_POSITIVE;
    if certain_gap_in_pieces(hint.direction, a, b).await > upper_sum {
        return Some(Sign::Positive);
    }
    let mut active = Active::new(a, b, &hint.pairs).await?;
    loop {
        // The point of the set is a point of the difference, so its distance is an upper bound.
        let here = compare_squared(&active, &squared_radius_sum).await;
        if here == Sign::Negative
            || certain_gap_in_pieces(active.direction(), a, b).await > upper_sum
        {
            return Some(here);
        }
        if !active.improve().await? {
            return Some(here);
        }
    }
}

/// The sign of the squared distance of the set minus `x * 2^e`.
async fn compare_squared(active: &Active<'_>, (x, e): &(BigInt, i32)) -> Sign {
    let (numerator, denominator, exponent) = active.squared().await;
    let other = product(x, &denominator).await;
    let unit = exponent.min(*e);
    sign(&((numerator << (exponent - unit) as u32) - (other << (e - unit) as u32)))
}

/// The closest points of two polytopes, with the tightest bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest {
    /// The vertices whose differences span the closest point: one to three affinely independent
    /// ones, up to four if the bodies share a point.
    pub pairs: VertexPairs,
    /// The closest point of A, each coordinate the `f64` nearest to the exact one; in the frame of
    /// the points.
    pub point_a: Vec3,
    /// The closest point of B, likewise.
    pub point_b: Vec3,
    /// The largest `f64` that is not above the distance.
    pub lower: f64,
    /// The smallest `f64` that is not below the distance: the same or the next one.
    pub upper: f64,
}

/// The closest points of the hulls of `a` and `b`, both in one frame, by exact arithmetic.
///
/// For all finite coordinates; `None` if one is not finite, or if a body has no points. Both points
/// are the same common point if the bodies share one.
#[cfg(any(test, feature = "internals"))]
#[must_use]
pub fn closest(a: &[Vec3], b: &[Vec3], hint: &Hint) -> Option<Closest> {
    finish(closest_in_pieces(a, b, hint))
}

/// As [`closest`], in pieces.
pub(crate) async fn closest_in_pieces(a: &[Vec3], b: &[Vec3], hint: &Hint) -> Option<Closest> {
    let mut active = Active::new(a, b, &hint.pairs).await?;
    while active.improve().await? {}
    let (on_a, on_b, total, exponent) = active.points().await;
    let (lower, upper) = root(active.squared().await).await;
    let point_a = rounded_quotient(&on_a, &total, exponent).await;
    let point_b = rounded_quotient(&on_b, &total, exponent).await;
    Some(Closest { pairs: active.pairs(), point_a, point_b, lower, upper })
}

/// The vector divided by a number, in units of `2^exponent`; each coordinate the nearest `f64`.
async fn rounded_quotient(v: &Vector, divisor: &BigInt, exponent: i32) -> Vec3 {
    // A quotient of two or three words.
    pay_quarters(quarters(6, 9 * words_of(divisor))).await;
    Vec3::from([0, 1, 2].map_each(|k| quotient(&v[k], divisor, exponent)))
}

/// The root of `numerator / denominator * 2^exponent`, rounded down and up. The number is not
/// negative and the exponent even.
///
/// An estimate from the leading digits is corrected by comparisons of its square, so that no long
/// number is divided.
pub(super) async fn root((numerator, denominator, exponent): (BigInt, BigInt, i32)) -> (f64, f64) {
    if numerator.sign() == num_bigint::Sign::NoSign {
        return (0.0, 0.0);
    }
    pay_quarters(quarters(24, 32 * (words_of(&numerator) + words_of(&denominator)))).await;
    let ((n, e), (d, f)) = (leading(&numerator), leading(&denominator));
    // An even exponent, so that its half is exact.
    let unit = e - f + i64::from(exponent);
    let (quotient, half) = ((n / d) * if unit % 2 == 0 { 1.0 } else { 2.0 }, unit.div_euclid(2));
    let mut lower = times_pow2(quotient.sqrt(), half).min(f64::MAX);
    // The order of the square of a number and the quotient. Two or three steps lead from the
    // estimate to the root.
    let compare = |x: f64| {
        let (mantissa, e) = decompose(x).unwrap_or((0, 0));
        let square = BigInt::from(i128::from(mantissa) * i128::from(mantissa)) * &denominator;
        let shift = 2 * i64::from(e) - i64::from(exponent);
        match shift >= 0 {
            true => (square << shift as u64).cmp(&numerator),
            false => square.cmp(&(&numerator << (-shift) as u64)),
        }
    };
    let next = |x: f64| f64::from_bits(x.to_bits() + 1);
    let mut order = compare(lower);
    while order == Ordering::Greater {
        lower = f64::from_bits(lower.to_bits() - 1);
        order = compare(lower);
    }
    while order == Ordering::Less && lower < f64::MAX {
        let above = compare(next(lower));
        if above == Ordering::Greater {
            break;
        }
        (lower, order) = (next(lower), above);
    }
    (lower, if order == Ordering::Equal { lower } else { next(lower) })
}

/// The two leading words as a number, and the exponent of its unit.
fn leading(x: &BigInt) -> (f64, i64) {
    let digits = x.iter_u64_digits();
    let below = digits.len().saturating_sub(2);
    let leading = digits.rev().take(2).fold(0_u128, |sum, digit| (sum << 64) | u128::from(digit));
    (leading as f64, 64 * below as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    #[test]
    fn radii_are_compared_exactly() {
        let third = 1.0 / 3.0;
        let (a, b) = ([Vec3::ZERO], [Vec3::splat(third)]);
        let compare = |ra: f64, rb: f64| compare_distance(&a, &b, ra, rb, &Hint::NONE);
        // The distance is irrational, so it lies strictly between two neighbouring `f64`.
        let found = closest(&a, &b, &Hint::NONE).unwrap();
        assert_eq!(found.upper.to_bits(), found.lower.to_bits() + 1);
        assert_eq!(compare(found.lower, 0.0), Sign::Positive);
        assert_eq!(compare(0.0, found.upper), Sign::Negative);
        assert_eq!(compare(found.lower, 1e-30), Sign::Positive);
        assert_eq!(compare(found.upper, -1e-30), Sign::Negative);
        assert_eq!(compare(0.0, 0.0), Sign::Positive);
        assert_eq!(compare(-1.0, 0.0), Sign::Positive);
        assert_eq!(compare_distance(&a, &a, 0.0, 0.0, &Hint::NONE), Sign::Zero);
        assert_eq!(compare_distance(&a, &a, 0.0, 1e-320, &Hint::NONE), Sign::Negative);
        assert_eq!(compare_distance(&a, &[], 1.0, 1.0, &Hint::NONE), Sign::Positive);
        let _ = compare_distance(&a, &b, f64::NAN, 1.0, &Hint::NONE);
    }

    #[test]
    fn rounded_points_are_as_far_apart_as_the_bounds_say() {
        let mut random = Random::new(2);
        for _ in 0..100 {
            let a: Vec<_> = (0..12).map(|_| random.in_cube()).collect();
            let offset = random.direction() * 4.0;
            let b: Vec<_> = (0..12).map(|_| random.in_cube() + offset).collect();
            let found = closest(&a, &b, &Hint::NONE).unwrap();
            assert!((found.point_a.distance(found.point_b) - found.lower).abs() < 1e-14);
            assert!((1..=3).contains(&found.pairs.len()));
            let again = closest(&a, &b, &Hint { pairs: found.pairs, direction: Vec3::ZERO });
            assert_eq!(again, Some(found));
            for (radius, sign) in [(found.lower, Sign::Positive), (found.upper, Sign::Negative)] {
                assert_eq!(compare_distance(&a, &b, radius, 0.0, &Hint::NONE), sign);
            }
        }
    }
}
