//! Quotients of exact numbers, and squared lengths.

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_traits::Signed;

use crate::number::{Number, decompose};

/// A fraction with positive denominator, not reduced.
#[derive(Clone, Debug)]
pub struct Fraction<N = BigInt> {
    pub numerator: N,
    pub denominator: N,
}

impl<N: Number> Fraction<N> {
    pub fn new(numerator: N, denominator: N) -> Self {
        assert!(denominator.signum() > 0);
        Self { numerator, denominator }
    }

    pub fn whole(numerator: N) -> Self {
        Self::new(numerator, N::from_scaled(1, 0))
    }

    pub fn is_zero(&self) -> bool {
        self.numerator.signum() == 0
    }

    pub fn compare(&self, other: &Self) -> Ordering {
        let left = self.numerator.times(&other.denominator);
        let right = other.numerator.times(&self.denominator);
        left.minus(&right).signum().cmp(&0)
    }

    /// The smaller of two; the first if they are equal.
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        if self.compare(&other).is_le() { self } else { other }
    }
}

/// A squared length.
#[derive(Clone, Debug)]
pub struct Square {
    /// The square in the unit of length.
    pub value: Fraction,
    /// The unit of length is `2^exponent`.
    pub exponent: i64,
}

impl Square {
    pub fn is_zero(&self) -> bool {
        self.value.is_zero()
    }

    /// Compares the square of `x`, which may be negative, with this square. The square of an
    /// infinite `x` is larger.
    pub fn compare(&self, x: f64) -> Ordering {
        assert!(!x.is_nan());
        if x.is_infinite() {
            return Ordering::Greater;
        }
        let (mantissa, exponent) = decompose(x);
        let mantissa = BigInt::from(mantissa);
        let left = &mantissa * &mantissa * &self.value.denominator;
        let right = &self.value.numerator;
        let shift = 2 * (i64::from(exponent) - self.exponent);
        if shift >= 0 { (left << shift).cmp(right) } else { left.cmp(&(right << -shift)) }
    }

    /// Whether `lower <= root <= upper`, for the root of this square and bounds that are not
    /// negative.
    pub fn is_between(&self, lower: f64, upper: f64) -> bool {
        lower >= 0.0 && upper >= 0.0 && self.compare(lower).is_le() && self.compare(upper).is_ge()
    }

    /// The approximate root, for messages.
    pub fn root(&self) -> f64 {
        if self.is_zero() {
            return 0.0;
        }
        let Fraction { numerator, denominator } = &self.value;
        // Keep about as many bits as an `f64` has, and make the exponent even.
        let (n, d) = (numerator.bits() as i64, denominator.bits() as i64);
        let (shift_n, shift_d) = ((n - 60).max(0), (d - 60).max(0));
        let as_float = |x: &BigInt| -> f64 { x.abs().to_string().parse().unwrap_or(f64::NAN) };
        let quotient = as_float(&(numerator >> shift_n)) / as_float(&(denominator >> shift_d));
        let exponent = shift_n - shift_d + 2 * self.exponent;
        let odd = exponent.rem_euclid(2);
        let half = (exponent - odd) / 2;
        let root = (quotient * if odd == 1 { 2.0 } else { 1.0 }).sqrt();
        root * 2.0_f64.powi((half / 2) as i32) * 2.0_f64.powi((half - half / 2) as i32)
    }
}
