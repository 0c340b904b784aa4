//! Vectors of integers of any length.

use num_bigint::BigInt;

use crate::exact::integer::times_pow2;
use crate::math::Vec3;

/// A vector in a unit that the caller knows.
pub(super) type Vector = [BigInt; 3];

pub(super) fn minus(u: &Vector, v: &Vector) -> Vector {
    [0, 1, 2].map(|k| &u[k] - &v[k])
}

pub(super) fn dot(u: &Vector, v: &Vector) -> BigInt {
    &u[0] * &v[0] + &u[1] * &v[1] + &u[2] * &v[2]
}

pub(super) fn cross(u: &Vector, v: &Vector) -> Vector {
    [(1, 2), (2, 0), (0, 1)].map(|(i, j)| &u[i] * &v[j] - &u[j] * &v[i])
}

/// `v`, or its opposite.
pub(super) fn signed(v: Vector, negative: bool) -> Vector {
    if negative { v.map(|x| -x) } else { v }
}

/// The sum of `weights[k] * vectors[k]`.
pub(super) fn combination<'a>(
    weights: &[BigInt],
    vectors: impl Iterator<Item = &'a Vector>,
) -> Vector {
    let mut sum = [const { BigInt::ZERO }; 3];
    for (weight, vector) in weights.iter().zip(vectors) {
        for k in 0..3 {
            sum[k] += weight * &vector[k];
        }
    }
    sum
}

/// The vector, rounded and divided by a power of two such that the absolute value of its largest
/// component is between 1/2 and 1. Each component has a relative error of at most `2^-53 + 2^-63`,
/// or an absolute error of at most `2^-1074`.
pub(super) fn rounded(v: &Vector) -> Vec3 {
    let bits = v.iter().map(BigInt::bits).max().unwrap_or(0);
    let component = |x: &BigInt| {
        // The two leading digits have 65 bits at least, if there are more than two.
        let digits = x.iter_u64_digits();
        let below = 64 * digits.len().saturating_sub(2);
        let leading =
            digits.rev().take(2).fold(0_u128, |value, digit| (value << 64) | u128::from(digit));
        let size = times_pow2(leading as f64, below as i64 - bits as i64);
        if x.sign() == num_bigint::Sign::Minus { -size } else { size }
    };
    Vec3::new(component(&v[0]), component(&v[1]), component(&v[2]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_keeps_the_direction() {
        let v = [1_i64, -3, 8].map(BigInt::from);
        assert_eq!(rounded(&v), Vec3::new(1.0, -3.0, 8.0) / 16.0);
        for shift in [1_u32, 63, 64, 65, 500, 5000] {
            let far = v.clone().map(|x| x << shift);
            assert_eq!(rounded(&far), Vec3::new(1.0, -3.0, 8.0) / 16.0, "{shift}");
        }
        let mixed = [BigInt::from(5), BigInt::from(-1) << 1000_u32, BigInt::ZERO];
        let expected = Vec3::new(2.5 * 2_f64.powi(-1000), -0.5, 0.0);
        assert_eq!(rounded(&mixed), expected);
        assert_eq!(rounded(&[const { BigInt::ZERO }; 3]), Vec3::ZERO);
    }
}
