//! Converts floats to integers in a common unit, relative to one of the points.

use glam::DVec3 as Vec3;
use num_bigint::BigInt;
use num_traits::{Signed, Zero};

pub use super::hulls::integer;

/// A vector of integers.
pub type Int3 = [BigInt; 3];

/// The points of two bodies as integers: differences from the first point, in the largest power of
/// two that divides them all. Distances and orientations depend on differences only, so bodies far
/// from the origin have small numbers too.
#[derive(Debug)]
pub struct Units {
    /// A's points.
    pub a: Vec<Int3>,
    /// B's points.
    pub b: Vec<Int3>,
    /// The unit is `2^exponent`.
    pub exponent: i64,
    /// The number of bits of the largest coordinate.
    pub bits: u64,
}

impl Units {
    /// Converts the points of two bodies in one frame.
    #[must_use]
    pub fn new(a: &[Vec3], b: &[Vec3]) -> Self {
        let origin = a.first().or(b.first()).copied().unwrap_or(Vec3::ZERO);
        let origin = origin.to_array().map(integer);
        let convert = |points: &[Vec3]| -> Vec<Int3> {
            let from_origin = |p: &Vec3| {
                let p = p.to_array().map(integer);
                [0, 1, 2].map(|k| &p[k] - &origin[k])
            };
            points.iter().map(from_origin).collect()
        };
        let (mut a, mut b) = (convert(a), convert(b));
        let zeros = a.iter().chain(&b).flatten().filter_map(BigInt::trailing_zeros).min();
        let zeros = zeros.unwrap_or(0);
        let mut bits = 0;
        for x in a.iter_mut().chain(&mut b).flatten() {
            *x >>= zeros;
            bits = bits.max(x.bits());
        }
        Self { a, b, exponent: zeros as i64 - 1074, bits }
    }
}

/// A squared length as a quotient of integers with a positive denominator.
#[derive(Clone, Debug)]
pub struct Square {
    /// The numerator.
    pub numerator: BigInt,
    /// The denominator.
    pub denominator: BigInt,
    /// The unit of length is `2^exponent`.
    pub exponent: i64,
}

impl Square {
    /// Whether it is zero.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.numerator.is_zero()
    }

    /// Compares the square of `x`, which may be negative, with this square. The square of an
    /// infinite `x` is larger.
    #[must_use]
    pub fn compare(&self, x: f64) -> std::cmp::Ordering {
        assert!(!x.is_nan());
        if x.is_infinite() {
            return std::cmp::Ordering::Greater;
        }
        let x = integer(x);
        let (mut left, mut right) = (&x * &x * &self.denominator, self.numerator.clone());
        // The unit of `x` is 2^-1074.
        let shift = 2 * (self.exponent + 1074);
        if shift >= 0 {
            right <<= shift;
        } else {
            left <<= -shift;
        }
        left.cmp(&right)
    }

    /// Whether `lower <= root <= upper`, for the root of this square and bounds that are not
    /// negative.
    #[must_use]
    pub fn is_between(&self, lower: f64, upper: f64) -> bool {
        lower >= 0.0 && upper >= 0.0 && self.compare(lower).is_le() && self.compare(upper).is_ge()
    }

    /// The approximate root, for messages.
    #[must_use]
    pub fn root(&self) -> f64 {
        if self.numerator.is_zero() {
            return 0.0;
        }
        // Keep about as many bits as an `f64` has, and make the exponent even.
        let (n, d) = (self.numerator.bits() as i64, self.denominator.bits() as i64);
        let (shift_n, shift_d) = ((n - 60).max(0), (d - 60).max(0));
        let as_float = |x: &BigInt| -> f64 { x.abs().to_string().parse().unwrap_or(f64::NAN) };
        let quotient =
            as_float(&(&self.numerator >> shift_n)) / as_float(&(&self.denominator >> shift_d));
        let exponent = shift_n - shift_d + 2 * self.exponent;
        let odd = exponent.rem_euclid(2);
        let half = (exponent - odd) / 2;
        let root = (quotient * if odd == 1 { 2.0 } else { 1.0 }).sqrt();
        root * 2.0_f64.powi((half / 2) as i32) * 2.0_f64.powi((half - half / 2) as i32)
    }
}
