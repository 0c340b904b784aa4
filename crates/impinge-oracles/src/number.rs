//! Exact numbers: small integers, integers of any length, rationals, and floats as such.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, Zero};

/// An exact number. Without division, so that integers suffice.
pub trait Number: Clone + PartialEq {
    fn from_scaled(mantissa: i64, shift: u32) -> Self;
    fn plus(&self, other: &Self) -> Self;
    fn minus(&self, other: &Self) -> Self;
    fn times(&self, other: &Self) -> Self;
    /// -1, 0 or 1.
    fn signum(&self) -> i32;
    /// Divides homogeneous coordinates by common factors, if that makes the computation faster.
    fn reduce(coordinates: [Self; 4]) -> [Self; 4] {
        coordinates
    }
}

impl Number for i128 {
    fn from_scaled(mantissa: i64, shift: u32) -> Self {
        Self::from(mantissa) << shift
    }
    // The test profile checks for overflow.
    fn plus(&self, other: &Self) -> Self {
        self + other
    }
    fn minus(&self, other: &Self) -> Self {
        self - other
    }
    fn times(&self, other: &Self) -> Self {
        self * other
    }
    fn signum(&self) -> i32 {
        Self::signum(*self) as i32
    }
    fn reduce(coordinates: [Self; 4]) -> [Self; 4] {
        let gcd = coordinates.iter().fold(0_u128, |g, x| {
            let (mut g, mut x) = (g, x.unsigned_abs());
            while x != 0 {
                (g, x) = (x, g % x);
            }
            g
        });
        if gcd == 0 { coordinates } else { coordinates.map(|x| x / gcd as Self) }
    }
}

impl Number for BigInt {
    fn from_scaled(mantissa: i64, shift: u32) -> Self {
        Self::from(mantissa) << shift
    }
    fn plus(&self, other: &Self) -> Self {
        self + other
    }
    fn minus(&self, other: &Self) -> Self {
        self - other
    }
    fn times(&self, other: &Self) -> Self {
        self * other
    }
    fn signum(&self) -> i32 {
        match self.sign() {
            num_bigint::Sign::Minus => -1,
            num_bigint::Sign::NoSign => 0,
            num_bigint::Sign::Plus => 1,
        }
    }
}

impl Number for BigRational {
    fn from_scaled(mantissa: i64, shift: u32) -> Self {
        let two = Self::from_integer(2.into());
        Self::from_integer(mantissa.into()) * num_traits::pow(two, shift as usize)
    }
    fn plus(&self, other: &Self) -> Self {
        self + other
    }
    fn minus(&self, other: &Self) -> Self {
        self - other
    }
    fn times(&self, other: &Self) -> Self {
        self * other
    }
    fn signum(&self) -> i32 {
        if self.is_zero() {
            0
        } else if self.is_positive() {
            1
        } else {
            -1
        }
    }
    fn reduce(coordinates: [Self; 4]) -> [Self; 4] {
        let w = coordinates[3].clone();
        coordinates.map(|x| x / &w)
    }
}

/// A finite number as `mantissa * 2^exponent`, the mantissa odd or zero.
pub fn decompose(x: f64) -> (i64, i32) {
    assert!(x.is_finite());
    if x == 0.0 {
        return (0, 0);
    }
    let bits = x.abs().to_bits();
    let (field, fraction) = ((bits >> 52) as i32, (bits & ((1 << 52) - 1)) as i64);
    let (mantissa, exponent) =
        if field == 0 { (fraction, -1074) } else { (fraction + (1 << 52), field - 1075) };
    let zeros = mantissa.trailing_zeros();
    let mantissa = mantissa >> zeros;
    (if x < 0.0 { -mantissa } else { mantissa }, exponent + zeros as i32)
}

/// A finite number in units of `2^-1074`.
pub fn integer(x: f64) -> BigInt {
    let (mantissa, exponent) = decompose(x);
    BigInt::from(mantissa) << (exponent + 1074)
}

/// The common unit `2^unit` of some coordinates, and the number of bits of the largest of them in
/// that unit.
pub fn unit_and_bits(coordinates: impl Iterator<Item = f64>) -> (i32, u32) {
    let parts: Vec<_> = coordinates.map(decompose).filter(|(m, _)| *m != 0).collect();
    let unit = parts.iter().map(|(_, e)| *e).min().unwrap_or(0);
    let bits = |(m, e): &(i64, i32)| 64 - m.unsigned_abs().leading_zeros() + (e - unit) as u32;
    (unit, parts.iter().map(bits).max().unwrap_or(0))
}

/// A coordinate in a unit that divides it.
pub fn scaled<N: Number>(x: f64, unit: i32) -> N {
    let (mantissa, exponent) = decompose(x);
    if mantissa == 0 {
        N::from_scaled(0, 0)
    } else {
        N::from_scaled(mantissa, (exponent - unit) as u32)
    }
}
