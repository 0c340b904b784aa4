//! Double-double arithmetic: a number as the sum of two `f64`, about 106 bits.
//!
//! After Dekker 1971, "A floating-point technique for extending the available precision", and
//! Joldes, Muller & Popescu 2017, "Tight and rigorous error bounds for basic building blocks of
//! double-word arithmetic": algorithm 6 (sum, relative error below `4u^2`), 12 (product, below
//! `8u^2`) and a division by long division.

use std::ops::{Add, Div, Mul, Sub};

/// `high + low`, with `high` the nearest `f64` to the sum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Double {
    pub(super) high: f64,
    pub(super) low: f64,
}

/// The sum and its rounding error.
pub(super) fn two_sum(a: f64, b: f64) -> Double {
    let high = a + b;
    let b_part = high - a;
    let a_part = high - b_part;
    Double { high, low: (a - a_part) + (b - b_part) }
}

/// The sum and its rounding error, for `|a| >= |b|`.
fn fast_two_sum(a: f64, b: f64) -> Double {
    let high = a + b;
    Double { high, low: b - (high - a) }
}

/// `2^27 + 1`, the factor of Dekker's split of 53 bits into two halves.
const SPLITTER: f64 = 134_217_729.0;

/// A number as the sum of two with 26 bits each.
fn split(a: f64) -> [f64; 2] {
    let scaled = SPLITTER * a;
    let high = scaled - (scaled - a);
    [high, a - high]
}

/// The product and its rounding error.
pub(super) fn two_product(a: f64, b: f64) -> Double {
    let high = a * b;
    let ([ah, al], [bh, bl]) = (split(a), split(b));
    Double { high, low: al * bl - (((high - ah * bh) - al * bh) - ah * bl) }
}

impl Double {
    /// `a - b`, exactly.
    pub(super) fn difference(a: f64, b: f64) -> Self {
        two_sum(a, -b)
    }
}

impl From<f64> for Double {
    fn from(high: f64) -> Self {
        Self { high, low: 0.0 }
    }
}

impl Add for Double {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let (s, t) = (two_sum(self.high, other.high), two_sum(self.low, other.low));
        let v = fast_two_sum(s.high, s.low + t.high);
        fast_two_sum(v.high, t.low + v.low)
    }
}

impl Sub for Double {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + Self { high: -other.high, low: -other.low }
    }
}

impl Mul for Double {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let p = two_product(self.high, other.high);
        let cross = self.high * other.low + self.low * other.high;
        fast_two_sum(p.high, p.low + cross)
    }
}

impl Div for Double {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        let first = self.high / other.high;
        let remainder = self - other * Self::from(first);
        let second = remainder.high / other.high;
        let remainder = remainder - other * Self::from(second);
        let third = remainder.high / other.high;
        fast_two_sum(first, second) + Self::from(third)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_bits_that_f64_loses() {
        let x = Double::difference(1.0, 1e-25);
        assert_eq!((x.high, x.low), (1.0, -1e-25));
        let square = x * x - Double::from(1.0);
        assert!((square.high + 2e-25).abs() < 1e-40);
    }

    #[test]
    fn division_undoes_multiplication() {
        let (x, y) = (Double::difference(3.7, 1e-18), Double::difference(-0.3, 3e-19));
        let back = x * y / y - x;
        assert!(back.high.abs() < 1e-31, "{back:?}");
    }
}
