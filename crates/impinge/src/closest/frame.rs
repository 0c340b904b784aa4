//! The local frame of a query: relative to one vertex, scaled so that fourth powers neither
//! overflow nor underflow.

use super::WithError;
use super::bounds::POINT_SLACK;
use crate::answer::Distance;
pub(super) use crate::math::rounding::UNIT_ROUNDOFF;
use crate::math::{Vec3, exponent, next_down, next_up, power_of_two};

/// Coordinates are not scaled if the size is between these limits.
pub(super) const MIN_UNSCALED_SIZE: f64 = 1e-30;
pub(super) const MAX_UNSCALED_SIZE: f64 = 1e30;

/// Two sets of points in their local frame.
pub(super) struct Local<const N: usize, const K: usize> {
    pub(super) a: [Vec3; N],
    pub(super) b: [Vec3; K],
    /// The largest absolute value of a coordinate in `a` and `b`; the error of every coordinate is
    /// at most `UNIT_ROUNDOFF * size`.
    pub(super) size: f64,
    origin: Vec3,
    /// Local coordinates are 2^`exponent` times the caller's, relative to `origin`.
    exponent: i32,
}

/// Closest points and bounds of the distance, in the local frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct LocalDistance {
    pub(super) p: Vec3,
    pub(super) q: Vec3,
    pub(super) lower: f64,
    pub(super) upper: f64,
}

impl<const N: usize, const K: usize> Local<N, K> {
    /// Moves the sets to their local frame. The error is the answer for sets without a local frame:
    /// all points are equal, or differences are not finite.
    #[inline]
    pub(super) fn new(a: &[Vec3; N], b: &[Vec3; K]) -> Result<Self, WithError> {
        let origin = a[0];
        let (mut a, mut b) = (*a, *b);
        a.iter_mut().for_each(|p| *p -= origin);
        b.iter_mut().for_each(|p| *p -= origin);
        let mut extent = Vec3::ZERO;
        let mut sum = Vec3::ZERO;
        for p in a.iter().chain(&b) {
            extent = extent.max(p.abs());
            // A sum keeps NaN and infinity, a maximum does not keep NaN.
            sum += *p;
        }
        let mut size = extent.max_element();
        let mut exponent = 0;
        if !(MIN_UNSCALED_SIZE..=MAX_UNSCALED_SIZE).contains(&size) || !sum.is_finite() {
            if size == 0.0 && sum == Vec3::ZERO && origin.is_finite() {
                return Err(WithError { distance: Distance::zero(origin), point_error: 0.0 });
            }
            if !a.iter().chain(&b).all(|p| p.is_finite()) {
                let points = [origin, origin + b[0]];
                let distance = Distance::between(0.0, f64::INFINITY, points);
                return Err(WithError { distance, point_error: f64::INFINITY });
            }
            exponent = -log2_floor(size);
            a.iter_mut().for_each(|p| *p = scale(*p, exponent));
            b.iter_mut().for_each(|p| *p = scale(*p, exponent));
            size = scale(Vec3::splat(size), exponent).x;
        }
        Ok(Self { a, b, size, origin, exponent })
    }

    /// The result in the caller's frame; the lower bound is rounded down, the others up.
    #[inline]
    pub(super) fn finish(&self, local: &LocalDistance) -> WithError {
        let (mut p, mut q) = (local.p, local.q);
        let (mut lower, mut upper) = (local.lower, local.upper);
        // The error per coordinate, before the move back to the caller's origin.
        let mut slack = POINT_SLACK * self.size;
        if self.exponent != 0 {
            (p, q) = (scale(p, -self.exponent), scale(q, -self.exponent));
            let unscaled = scale(Vec3::new(lower, upper, slack), -self.exponent);
            lower = next_down(unscaled.x).max(0.0);
            upper = next_up(unscaled.y);
            slack = next_up(next_up(unscaled.z));
        }
        let (a, b) = (self.origin + p, self.origin + q);
        // The rounding error of the sum is at most half a unit in the last place, and zero if the
        // sum is denormal.
        let rounding = UNIT_ROUNDOFF * a.abs().max(b.abs()).max_element();
        // 1.75 exceeds the square root of three.
        let point_error = next_up(1.75 * (slack + next_up(rounding)));
        WithError { distance: Distance::between(lower, upper, [a, b]), point_error }
    }
}

/// The exponent of a positive number: the `k` with `2^k <= x < 2^(k + 1)`.
fn log2_floor(x: f64) -> i32 {
    // A denormal number is made normal first.
    let (x, shift) = if x < f64::MIN_POSITIVE { (x * power_of_two(64), 64) } else { (x, 0) };
    exponent(x) - shift
}

/// `p * 2^k`, for `k` up to 1100 in size; rounded at most once, and only where the result is
/// denormal.
fn scale(p: Vec3, k: i32) -> Vec3 {
    let half = k / 2;
    p * power_of_two(half) * power_of_two(k - half)
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
}
