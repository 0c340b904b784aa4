//! Orientations and rounded points in integers of any length.
//!
//! A finite `f64` is an integer times a power of two. Scaled by the smallest power among the
//! coordinates of a predicate, all of them are integers, and the determinant is exact for all
//! magnitudes.

use num_bigint::{BigInt, BigUint};

use super::Sign;
use crate::arrays::MapEach;
use crate::math::Vec3;

/// A finite number as `mantissa * 2^exponent`; `None` if it is not finite.
pub(crate) fn decompose(x: f64) -> Option<(i64, i32)> {
    if !x.is_finite() {
        return None;
    }
    let bits = x.to_bits();
    let field = ((bits >> 52) & 0x7ff) as i32;
    let fraction = (bits & ((1 << 52) - 1)) as i64;
    let (magnitude, exponent) =
        if field == 0 { (fraction, -1074) } else { (fraction | (1 << 52), field - 1075) };
    Some((if x < 0.0 { -magnitude } else { magnitude }, exponent))
}

/// As [`decompose`], with an odd mantissa, so that the exponent is as large as possible; zeros for
/// zero and for numbers that are not finite.
pub(crate) fn decompose_odd(x: f64) -> (i64, i32) {
    match decompose(x) {
        None | Some((0, _)) => (0, 0),
        Some((mantissa, exponent)) => {
            let zeros = mantissa.trailing_zeros();
            (mantissa >> zeros, exponent + zeros as i32)
        }
    }
}

/// Coordinates as integers in a common unit, `2^exponent`.
pub(crate) struct Scaled<const N: usize> {
    pub(crate) values: [BigInt; N],
    pub(crate) exponent: i32,
}

/// The coordinates in their common unit; `None` if one is not finite.
pub(crate) fn scale<const N: usize>(coordinates: [f64; N]) -> Option<Scaled<N>> {
    let mut values = [const { BigInt::ZERO }; N];
    let exponent = scale_to(&coordinates, &mut values)?;
    Some(Scaled { values, exponent })
}

/// As [`scale`]; returns the exponent.
fn scale_to(coordinates: &[f64], values: &mut [BigInt]) -> Option<i32> {
    let parts: Vec<_> = coordinates.iter().map(|x| decompose(*x)).collect::<Option<_>>()?;
    let exponent = common_exponent(&parts);
    for (value, part) in values.iter_mut().zip(parts) {
        *value = in_unit(part, exponent);
    }
    Some(exponent)
}

/// As [`scale`], for any number of coordinates and without the exponent.
pub(crate) fn scale_all(coordinates: &[f64]) -> Option<Vec<BigInt>> {
    let parts: Vec<_> = coordinates.iter().map(|x| decompose(*x)).collect::<Option<_>>()?;
    let exponent = common_exponent(&parts);
    Some(parts.into_iter().map(|part| in_unit(part, exponent)).collect())
}

/// The exponent of the common unit of decomposed numbers.
fn common_exponent(parts: &[(i64, i32)]) -> i32 {
    // Zeros do not limit the unit; otherwise they would scale every other coordinate by 2^1074.
    let nonzero = parts.iter().filter(|(mantissa, _)| *mantissa != 0);
    nonzero.map(|(_, exponent)| *exponent).min().unwrap_or(0)
}

/// A decomposed number as an integer in the unit `2^unit`.
fn in_unit((mantissa, exponent): (i64, i32), unit: i32) -> BigInt {
    BigInt::from(mantissa) << (exponent - unit).max(0) as u32
}

/// The sign of an integer.
pub(crate) fn sign(x: &BigInt) -> Sign {
    match x.sign() {
        num_bigint::Sign::Minus => Sign::Negative,
        num_bigint::Sign::NoSign => Sign::Zero,
        num_bigint::Sign::Plus => Sign::Positive,
    }
}

/// The sign of `direction . (b - a)`; zero if a number is not finite.
pub(crate) fn compare_along(direction: Vec3, a: Vec3, b: Vec3) -> Sign {
    // The direction may have another unit: a positive factor does not change the sign.
    let direction = scale(direction.to_array());
    let points = scale([a.x, a.y, a.z, b.x, b.y, b.z]);
    let (Some(direction), Some(points)) = (direction, points) else { return Sign::Zero };
    let (d, p) = (&direction.values, &points.values);
    let product = |i: usize| &d[i] * (&p[i + 3] - &p[i]);
    sign(&(product(0) + product(1) + product(2)))
}

/// `(b - a) x (c - a)`.
pub(crate) fn det2(a: &[BigInt], b: &[BigInt], c: &[BigInt]) -> BigInt {
    (&b[0] - &a[0]) * (&c[1] - &a[1]) - (&b[1] - &a[1]) * (&c[0] - &a[0])
}

/// `(b - a) x (c - a) . (d - a)`.
pub(crate) fn det3(a: &[BigInt], b: &[BigInt], c: &[BigInt], d: &[BigInt]) -> BigInt {
    let [u, v, w] = [b, c, d].map_each(|p| [0, 1, 2].map_each(|i| &p[i] - &a[i]));
    (&u[1] * &v[2] - &u[2] * &v[1]) * &w[0]
        + (&u[2] * &v[0] - &u[0] * &v[2]) * &w[1]
        + (&u[0] * &v[1] - &u[1] * &v[0]) * &w[2]
}

/// [`orient2d`](super::orient2d) for any finite coordinates; zero if one is not finite.
pub(crate) fn orient2d(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> Sign {
    let Some(Scaled { values: v, .. }) = scale([a[0], a[1], b[0], b[1], c[0], c[1]]) else {
        return Sign::Zero;
    };
    sign(&det2(&v[0..2], &v[2..4], &v[4..6]))
}

/// [`orient3d`](super::orient3d) for any finite coordinates; zero if one is not finite.
pub(crate) fn orient3d(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> Sign {
    let coordinates = [a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z, d.x, d.y, d.z];
    let Some(Scaled { values: v, .. }) = scale(coordinates) else {
        return Sign::Zero;
    };
    sign(&det3(&v[0..3], &v[3..6], &v[6..9], &v[9..12]))
}

/// The `f64` nearest to `numerator / denominator * 2^exponent`, ties to even. Zero for a zero
/// denominator.
pub(crate) fn quotient(numerator: &BigInt, denominator: &BigInt, exponent: i32) -> f64 {
    let (n, d) = (numerator.magnitude(), denominator.magnitude());
    if n.bits() == 0 || d.bits() == 0 {
        return 0.0;
    }
    // Scale so that the integer quotient has 66 or 67 bits. A nonzero remainder sets its last bit
    // (a sticky bit).
    let shift = 66 + d.bits() as i64 - n.bits() as i64;
    let divide = |n: &BigUint, d: &BigUint| {
        let truncated = n / d;
        let has_remainder = &truncated * d != *n;
        (truncated, has_remainder)
    };
    let (truncated, has_remainder) = if shift >= 0 {
        divide(&(n << shift as u64), d)
    } else {
        divide(n, &(d << (-shift) as u64))
    };
    let digits = truncated.to_u64_digits();
    let mut bits =
        digits.iter().rev().fold(0_u128, |bits, digit| (bits << 64) | u128::from(*digit));
    bits |= u128::from(has_remainder);
    let unit = i64::from(exponent) - shift;
    // The exponent of the leading bit determines how many bits the result keeps: 53, or fewer for
    // a denormal.
    let length = 128 - i64::from(bits.leading_zeros());
    let kept = (length - 1 + unit + 1075).clamp(0, 53);
    let dropped = (length - kept) as u32;
    let half = 1_u128 << (dropped - 1);
    let dropped_bits = bits & ((half << 1) - 1);
    let mut mantissa = bits >> dropped;
    if dropped_bits > half || (dropped_bits == half && mantissa & 1 == 1) {
        mantissa += 1;
    }
    let magnitude = times_pow2(mantissa as f64, unit + i64::from(dropped));
    if (numerator.sign() == num_bigint::Sign::Minus)
        == (denominator.sign() == num_bigint::Sign::Minus)
    {
        magnitude
    } else {
        -magnitude
    }
}

/// `x * 2^exponent`, in steps of which each is exact as long as the result is representable.
pub(crate) fn times_pow2(mut x: f64, mut exponent: i64) -> f64 {
    let big = f64::from_bits((1023 + 1000) << 52);
    while exponent > 1000 && x.is_finite() {
        x *= big;
        exponent -= 1000;
    }
    while exponent < -1000 && x != 0.0 {
        // The mantissa has 53 bits, so a first step by 2^-1000 leaves a normal number.
        x /= big;
        exponent += 1000;
    }
    x * f64::from_bits(((exponent.clamp(-1000, 1000) + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(n: i128, d: i128, e: i32) -> f64 {
        quotient(&BigInt::from(n), &BigInt::from(d), e)
    }

    #[test]
    fn quotients_are_rounded_to_nearest() {
        assert_eq!(ratio(1, 3, 0), 1.0 / 3.0);
        assert_eq!(ratio(-2, 3, 0), -2.0 / 3.0);
        assert_eq!(ratio(7, -10, 0), -0.7);
        assert_eq!(ratio(0, 5, 3), 0.0);
        assert_eq!(ratio(5, 0, 3), 0.0);
        assert_eq!(ratio(1 << 60, 1, -60), 1.0);
        // A tie goes to the even neighbour, a slightly larger number is rounded up.
        assert_eq!(ratio((1 << 53) + 1, 1, 0), 9_007_199_254_740_992.0);
        assert_eq!(ratio(((1 << 53) + 1) * 1000 + 1, 1000, 0), 9_007_199_254_740_994.0);
    }

    #[test]
    fn quotients_reach_the_denormals() {
        let tiny = f64::from_bits(1);
        assert_eq!(ratio(1, 1, -1074), tiny);
        assert_eq!(ratio(1, 2, -1074), 0.0);
        assert_eq!(ratio(3, 2, -1074), 2.0 * tiny);
        assert_eq!(ratio(2, 3, -1074), tiny);
        assert_eq!(ratio(1, 3, -1074), 0.0);
        assert_eq!(ratio(1, 3, -2000), 0.0);
        assert_eq!(ratio((1 << 53) - 1, 1, -1075), f64::MIN_POSITIVE);
        assert_eq!(ratio(1, 1, 1023), f64::from_bits(2046 << 52));
        assert_eq!(ratio(1, 1, 1024), f64::INFINITY);
    }

    #[test]
    fn odd_mantissas() {
        for x in [1.0, -0.75, 1e60, 5e-324, -f64::MIN_POSITIVE, f64::MAX] {
            let (mantissa, exponent) = decompose_odd(x);
            assert_eq!(times_pow2(mantissa as f64, i64::from(exponent)), x);
            assert_eq!(mantissa & 1, 1);
        }
        for x in [0.0, -0.0, f64::INFINITY, f64::NAN] {
            assert_eq!(decompose_odd(x), (0, 0));
        }
    }

    #[test]
    fn scaling_ignores_zeros() {
        let scaled = scale([0.0, 3.0, -0.5]).unwrap();
        assert_eq!(scaled.values[0], BigInt::from(0));
        assert_eq!(&scaled.values[1], &(BigInt::from(-6) * &scaled.values[2]));
        assert!(scale([f64::NAN]).is_none());
        assert!(scale([f64::INFINITY, 1.0]).is_none());
    }
}
