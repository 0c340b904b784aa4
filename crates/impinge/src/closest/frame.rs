//! The local frame of a query: relative to one vertex, scaled so that fourth powers neither
//! overflow nor vanish.

use super::WithError;
use super::bounds::POINT_SLACK;
use crate::answer::Distance;
use crate::math::Vec3;
pub(super) use crate::math::rounding::U;

/// Sizes between these stay as they are.
pub(super) const SMALL: f64 = 1e-30;
pub(super) const LARGE: f64 = 1e30;

/// Two sets of points in their local frame.
pub(super) struct Local<const N: usize, const K: usize> {
    pub(super) a: [Vec3; N],
    pub(super) b: [Vec3; K],
    /// The largest absolute value of a coordinate in `a` and `b`; every coordinate is off by
    /// `U * size` at most.
    pub(super) size: f64,
    origin: Vec3,
    /// Local coordinates are 2^`exponent` times the caller's.
    exponent: i32,
}

/// What is known in the local frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answer {
    pub(super) p: Vec3,
    pub(super) q: Vec3,
    pub(super) lower: f64,
    pub(super) upper: f64,
}

impl<const N: usize, const K: usize> Local<N, K> {
    /// Moves the sets to their frame. The error is the answer for sets that have none: all points
    /// equal, or differences that are not finite.
    #[inline]
    pub(super) fn new(a: &[Vec3; N], b: &[Vec3; K]) -> Result<Self, WithError> {
        let origin = a[0];
        let mut a = a.map(|p| p - origin);
        let mut b = b.map(|p| p - origin);
        let mut reach = Vec3::ZERO;
        let mut sum = Vec3::ZERO;
        for p in a.iter().chain(&b) {
            reach = reach.max(p.abs());
            // NaN and infinity stay in a sum, but NaN does not in a maximum.
            sum += *p;
        }
        let mut size = reach.max_element();
        let mut exponent = 0;
        if !(SMALL..=LARGE).contains(&size) || !sum.is_finite() {
            if size == 0.0 && sum == Vec3::ZERO && origin.is_finite() {
                return Err(WithError { distance: Distance::zero(origin), point_error: 0.0 });
            }
            if !a.iter().chain(&b).all(|p| p.is_finite()) {
                let points = [origin, origin + b[0]];
                let distance = Distance::between(0.0, f64::INFINITY, points);
                return Err(WithError { distance, point_error: f64::INFINITY });
            }
            exponent = -log2_floor(size);
            a = a.map(|p| scale(p, exponent));
            b = b.map(|p| scale(p, exponent));
            size = scale(Vec3::splat(size), exponent).x;
        }
        Ok(Self { a, b, size, origin, exponent })
    }

    /// The answer in the caller's frame; every bound is rounded to its safe side.
    #[inline]
    pub(super) fn finish(&self, answer: &Answer) -> WithError {
        let (mut p, mut q) = (answer.p, answer.q);
        let (mut lower, mut upper) = (answer.lower, answer.upper);
        // Per coordinate, before the move back to the caller's origin.
        let mut off = POINT_SLACK * self.size;
        if self.exponent != 0 {
            (p, q) = (scale(p, -self.exponent), scale(q, -self.exponent));
            let back = scale(Vec3::new(lower, upper, off), -self.exponent);
            (lower, upper, off) = (below(back.x), above(back.y), above(above(back.z)));
        }
        let (a, b) = (self.origin + p, self.origin + q);
        // The sum is rounded by half a unit in the last place at most, and exact if denormal.
        let rounding = U * a.abs().max(b.abs()).max_element();
        // 1.75 exceeds the square root of three.
        let point_error = above(1.75 * (off + above(rounding)));
        WithError { distance: Distance::between(lower, upper, [a, b]), point_error }
    }
}

/// The exponent of a positive number: the `k` with `2^k <= x < 2^(k + 1)`.
fn log2_floor(x: f64) -> i32 {
    // A denormal number is made normal first.
    let (x, shift) = if x < f64::MIN_POSITIVE { (x * power_of_two(64), 64) } else { (x, 0) };
    ((x.to_bits() >> 52) & 0x7ff) as i32 - 1023 - shift
}

/// `2^k` for `k` in -1022..=1023.
fn power_of_two(k: i32) -> f64 {
    debug_assert!((-1022..=1023).contains(&k), "2^{k} is not a normal number");
    f64::from_bits(((k + 1023) as u64) << 52)
}

/// `p * 2^k`, for `k` up to 1100 in size; rounded at most once, and only where the result is
/// denormal.
fn scale(p: Vec3, k: i32) -> Vec3 {
    let half = k / 2;
    p * power_of_two(half) * power_of_two(k - half)
}

/// The next float above a number that is not negative.
fn above(x: f64) -> f64 {
    if x < f64::INFINITY { f64::from_bits(x.abs().to_bits() + 1) } else { x }
}

/// The next float below a positive number; zero for zero, and finite for infinity.
fn below(x: f64) -> f64 {
    if x > 0.0 { f64::from_bits(x.to_bits() - 1) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents_of_all_kinds_of_numbers() {
        for k in [-1074, -1060, -1022, -500, 0, 1, 700, 1023] {
            let x = scale(Vec3::ONE, k).x;
            assert_eq!(log2_floor(x), k);
            assert_eq!(scale(Vec3::splat(x), -k).x, 1.0);
        }
        assert_eq!(log2_floor(1.999), 0);
    }

    #[test]
    fn next_floats() {
        assert_eq!(above(0.0), 5e-324);
        assert_eq!(above(-0.0), 5e-324);
        assert_eq!(above(1.0), 1.0 + f64::EPSILON);
        assert_eq!(above(f64::INFINITY), f64::INFINITY);
        assert!(above(f64::NAN).is_nan());
        assert_eq!(below(5e-324), 0.0);
        assert_eq!(below(0.0), 0.0);
        assert_eq!(below(f64::INFINITY), f64::MAX);
    }
}
