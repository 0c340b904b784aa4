//! Vectors of integers of any length. A product is one piece of work, and products of short numbers
//! are paid together.

use num_bigint::BigInt;

use crate::arrays::MapEach;
use crate::convex::interruptible::pay_quarters;
use crate::exact::integer::times_pow2;
use crate::math::Vec3;

/// A vector in a unit that the caller knows.
pub(super) type Vector = [BigInt; 3];

pub(super) fn minus(u: &Vector, v: &Vector) -> Vector {
    [0, 1, 2].map_each(|k| &u[k] - &v[k])
}

/// Products of words in a piece of work: two to four microseconds.
const WORDS_IN_PIECE: u64 = 3000;

/// Quarters of units of `operations` with numbers of any length that take `words` products of
/// words together.
pub(super) fn quarters(operations: u64, words: u64) -> u64 {
    operations.div_ceil(3) + words / 128
}

/// The number of words of the longest component.
pub(super) fn words(v: &Vector) -> u64 {
    v.iter().map(words_of).max().unwrap_or(1)
}

pub(super) fn words_of(x: &BigInt) -> u64 {
    x.bits() / 64 + 1
}

/// The product of two numbers.
pub(super) async fn product(x: &BigInt, y: &BigInt) -> BigInt {
    pay_quarters(quarters(1, words_of(x) * words_of(y))).await;
    x * y
}

/// Pays for `count` vectors of integers from coordinates and their differences.
pub(super) async fn pay_for_conversion(count: u64) {
    pay_quarters(quarters(3 * count, 0)).await;
}

pub(super) async fn dot(u: &Vector, v: &Vector) -> BigInt {
    let each = words(u) * words(v);
    if 3 * each <= WORDS_IN_PIECE {
        pay_quarters(quarters(3, 3 * each)).await;
        return &u[0] * &v[0] + &u[1] * &v[1] + &u[2] * &v[2];
    }
    let mut sum = BigInt::ZERO;
    for k in 0..3 {
        sum += product(&u[k], &v[k]).await;
    }
    sum
}

pub(super) async fn cross(u: &Vector, v: &Vector) -> Vector {
    let each = words(u) * words(v);
    let component = |i: usize, j: usize| &u[i] * &v[j] - &u[j] * &v[i];
    if 6 * each <= WORDS_IN_PIECE {
        pay_quarters(quarters(6, 6 * each)).await;
        return [component(1, 2), component(2, 0), component(0, 1)];
    }
    let mut result = [const { BigInt::ZERO }; 3];
    for (k, x) in result.iter_mut().enumerate() {
        pay_quarters(quarters(2, 2 * each)).await;
        *x = component((k + 1) % 3, (k + 2) % 3);
    }
    result
}

/// `v`, or its opposite.
pub(super) fn signed(v: Vector, negative: bool) -> Vector {
    if negative { v.map_each(|x| -x) } else { v }
}

/// The sum of `weights[k] * vectors[k]`.
pub(super) async fn combination(weights: &[BigInt], vectors: &[&Vector]) -> Vector {
    let mut sum = [const { BigInt::ZERO }; 3];
    for (weight, vector) in weights.iter().zip(vectors) {
        let each = words_of(weight) * words(vector);
        if 3 * each <= WORDS_IN_PIECE {
            pay_quarters(quarters(3, 3 * each)).await;
            for k in 0..3 {
                sum[k] += weight * &vector[k];
            }
        } else {
            for k in 0..3 {
                sum[k] += product(weight, &vector[k]).await;
            }
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
