//! Lengths and directions at every scale: vectors whose squares would be denormal are scaled first.

use super::rounding::UNIT_ROUNDOFF;
use super::{Vec3, next_down, next_up, unit_scale};

/// Scale factor for lengths whose squares would be denormal. A power of two.
const SCALE_FOR_SQUARES: f64 = 4.149_515_568_880_993e180; // 2^600

/// Lengths below this are scaled before they are squared.
const MIN_UNSCALED_LENGTH: f64 = 1e-140;

/// An upper bound of the length of the exact difference of two points whose rounded difference,
/// component by component, is `v`.
#[inline]
#[must_use]
pub fn length_up(v: Vec3) -> f64 {
    let largest = v.abs().max_element();
    if largest < MIN_UNSCALED_LENGTH {
        if largest == 0.0 {
            return 0.0;
        }
        return next_up(
            (v * SCALE_FOR_SQUARES).length() * (1.0 + 8.0 * UNIT_ROUNDOFF) / SCALE_FOR_SQUARES,
        );
    }
    v.length() * (1.0 + 8.0 * UNIT_ROUNDOFF)
}

/// A lower bound of the length of the exact difference of two points whose rounded difference,
/// component by component, is `v`.
#[inline]
#[must_use]
pub fn length_down(v: Vec3) -> f64 {
    if v.abs().max_element() < MIN_UNSCALED_LENGTH {
        return next_down(
            (v * SCALE_FOR_SQUARES).length() * (1.0 - 8.0 * UNIT_ROUNDOFF) / SCALE_FOR_SQUARES,
        )
        .max(0.0);
    }
    v.length() * (1.0 - 8.0 * UNIT_ROUNDOFF)
}

/// The unit vector along `v`, for every length; `None` if `v` is zero or not finite.
#[must_use]
pub fn direction(v: Vec3) -> Option<Vec3> {
    let largest = v.abs().max_element();
    if !(largest > 0.0 && v.is_finite()) {
        return None;
    }
    let (s, t) = unit_scale(largest);
    (v * s * t).try_normalize()
}

#[cfg(test)]
mod tests {
    use num_rational::BigRational;

    use super::super::Random;
    use super::*;

    fn exact(x: f64) -> BigRational {
        BigRational::from_float(x).unwrap()
    }

    #[test]
    fn lengths_are_enclosed_at_every_scale() {
        let mut random = Random::new(2);
        for scale in [1e60, 1.0, 1e-139, 1e-155, 1e-161, 1e-200, 1e-300, 1e-318, 5e-324] {
            for _ in 0..200 {
                let v = random.in_cube() * scale;
                let square = exact(v.x).pow(2) + exact(v.y).pow(2) + exact(v.z).pow(2);
                let (lo, hi) = (length_down(v), length_up(v));
                assert!(exact(lo).pow(2) <= square && square <= exact(hi).pow(2), "{v}");
                assert!(hi - lo <= 1e-14 * hi + 2e-323);
            }
        }
        assert_eq!((length_up(Vec3::ZERO), length_down(Vec3::ZERO)), (0.0, 0.0));
    }

    #[test]
    fn directions_have_length_one_at_every_scale() {
        let mut random = Random::new(3);
        for exponent in -323..=61 {
            let v = random.in_cube() * 10.0_f64.powi(exponent) + Vec3::X * 5e-324;
            let Some(d) = direction(v) else {
                assert_eq!(v, Vec3::ZERO);
                continue;
            };
            assert!((d.length() - 1.0).abs() < 4.0 * f64::EPSILON, "{v} {d}");
            let largest = v.abs().max_element();
            assert!(
                (d * (largest / d.abs().max_element()) - v).abs().max_element()
                    <= 1e-15 * largest + 5e-324
            );
        }
        assert_eq!(direction(Vec3::ZERO), None);
        assert_eq!(direction(Vec3::X * f64::INFINITY), None);
    }
}
