//! Matrices that are a rotation times a uniform scale.
//!
//! A matrix `A` from a file, of which only the nine numbers are known, is decomposed as `s R` with
//! `R` suitable for a pose. The scale can be taken from the sum of squares: `s^2 = tr(A^T A) / 3`.
//! Two matrices of the same scale and different rotations give numbers that differ in their last
//! bits, and meshes scaled by different numbers cannot be shared. So `s` is replaced by a nearby
//! number that the matrix could have been computed from, and `R = A / s` contains the difference.
//!
//! # Change of the scale
//!
//! Let `u = 2^-53`, and let `A` be `s R` with an error of at most `e` times its Frobenius norm.
//! Then the root of the mean of squares is `s` within a relative `e`, too, and its evaluation (nine
//! squares of one sign, eight sums, a quotient, a root) adds less than `8u`. Let `e` include them.
//!
//! - Matrices written in single precision have `e <= 2^-24` ([`SINGLE_PRECISION_ERROR`]). They are
//!   not rotations to within [`ROTATION_TOLERANCE`], except by chance.
//! - Matrices computed in double precision, as products of `k` rotations with errors of `6u` each,
//!   have `e = 6ku + 8u`. [`DOUBLE_PRECISION_ERROR`] `= 32u` is enough for four of them.
//! - Larger errors (longer products, numbers printed with ten digits) change the angles and lengths
//!   of the columns: the largest entry of `A^T A / s^2 - I` is as large as twice the error of a
//!   column's length. So `e` is taken to be half that entry at least.
//!
//! For the first matrix of a scale, the number within `e` of the computed one with the fewest
//! decimal digits is chosen: `0.001` rather than `0.0010000000000000002`. The number computed from
//! a later matrix is within `2e` of that of the first, so any number within `3e` that was chosen
//! before is used again.
//!
//! # Effect on vertices
//!
//! If `A / s` is a rotation to within [`ROTATION_TOLERANCE`] it is kept bit for bit, and a vertex
//! `R (s v) + t` is `A v + t` within rounding: one rounding for each entry of `R` and one for each
//! coordinate of `s v`, at most `2u (|A| |v|)` in each coordinate, which is no more than the
//! evaluation of `A v` itself loses. The choice of `s` has no influence on that. The deviation of
//! `R` from a rotation has one, in [`Pose::relative`](crate::Pose::relative); it grows by at most
//! twice the relative change of `s`: less than `2^-45` for matrices that are rotations to rounding.
//!
//! Otherwise it is replaced by the nearest rotation, as without a scale, and vertices move by a few
//! `e` times their distance from the origin of the part.

use std::collections::BTreeSet;

use glam::DMat3;

use crate::math::{ROTATION_TOLERANCE, unit_scale};

/// The largest deviation from a rotation, as the largest entry of `M^T M - I`, of a file's matrix
/// that is treated as a rotation written in single precision.
pub(super) const MAX_ROTATION_DEVIATION: f64 = 4e-6;

/// The relative error of the scale of a matrix written in single precision.
const SINGLE_PRECISION_ERROR: f64 = 0.5 * f32::EPSILON as f64;

/// The relative error of the scale of a matrix computed in double precision.
const DOUBLE_PRECISION_ERROR: f64 = 16.0 * f64::EPSILON;

/// The scales chosen so far. Scales that differ only by rounding are replaced by one of these.
#[derive(Debug, Default)]
pub(super) struct Scales(BTreeSet<u64>);

impl Scales {
    /// Adds a scale that is known exactly. It must be positive.
    pub(super) fn insert(&mut self, scale: f64) {
        // Positive numbers have the same order as their bits.
        self.0.insert(scale.to_bits());
    }

    /// The uniform scale of a matrix that is a scale times a rotation, at least to single
    /// precision. `None` if it is not, if it mirrors, or if the scale would overflow or underflow.
    ///
    /// Among the possible numbers, the result is the closest one that was chosen before, otherwise
    /// the one with the fewest decimal digits.
    pub(super) fn scale_of(&mut self, linear: &DMat3) -> Option<f64> {
        let largest = linear.to_cols_array().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        if largest == 0.0 || !largest.is_finite() {
            return None;
        }
        let (first, second) = unit_scale(largest);
        let unit = *linear * first * second;
        let gram = unit.transpose() * unit;
        let mean = (gram.x_axis.x + gram.y_axis.y + gram.z_axis.z) / 3.0;
        let deviation = (gram * mean.recip() - DMat3::IDENTITY).to_cols_array();
        let deviation = deviation.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        if deviation > MAX_ROTATION_DEVIATION || unit.determinant() <= 0.0 {
            return None;
        }
        let scale = mean.sqrt() / first / second;
        if !scale.is_finite() {
            return None;
        }
        let error = if deviation <= ROTATION_TOLERANCE {
            DOUBLE_PRECISION_ERROR
        } else {
            SINGLE_PRECISION_ERROR
        };
        let error = error.max(0.5 * deviation) * scale;
        let scale =
            self.nearest_known(scale, 3.0 * error).unwrap_or_else(|| fewest_digits(scale, error));
        self.insert(scale);
        Some(scale)
    }

    /// The closest scale that was chosen before, if it is no further away than `reach`.
    fn nearest_known(&self, scale: f64, reach: f64) -> Option<f64> {
        let below = self.0.range(..=scale.to_bits()).next_back();
        let above = self.0.range(scale.to_bits()..).next();
        [below, above]
            .into_iter()
            .flatten()
            .map(|bits| f64::from_bits(*bits))
            .filter(|seen| (seen - scale).abs() <= reach)
            .min_by(|a, b| (a - scale).abs().total_cmp(&(b - scale).abs()))
    }
}

/// The number with the fewest decimal digits that is no further from `x` than `reach`.
fn fewest_digits(x: f64, reach: f64) -> f64 {
    (0..17)
        .filter_map(|digits| format!("{x:.digits$e}").parse::<f64>().ok())
        .find(|y| *y > 0.0 && (y - x).abs() <= reach)
        .unwrap_or(x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Random, Vec3};

    fn random_rotation(random: &mut Random, scale: f64) -> DMat3 {
        DMat3::from_quat(random.rotation()) * scale
    }

    #[test]
    fn scales_of_rotated_matrices_are_one_number() {
        let mut random = Random::new(7);
        for scale in [0.001, 1.0 / 3.0, 0.0254, 1e-300, 1e-30, 1e300, 123_456.789] {
            let mut scales = Scales::default();
            for _ in 0..2000 {
                let two = random_rotation(&mut random, 1.0) * random_rotation(&mut random, scale);
                let found = scales.scale_of(&two).unwrap();
                assert!(
                    (found / scale - 1.0).abs() <= 3.0 * DOUBLE_PRECISION_ERROR,
                    "{scale:e} {found:e}"
                );
            }
            assert_eq!(scales.0.len(), 1, "{scale:e}");
            if fewest_digits(scale, DOUBLE_PRECISION_ERROR * scale) == scale {
                assert!(scales.0.contains(&scale.to_bits()));
            }
        }
    }

    #[test]
    fn single_precision_is_within_its_bound() {
        let mut random = Random::new(8);
        for scale in [0.1, 1.0 / 25.4, 3e-7, 9.87654e5] {
            let mut scales = Scales::default();
            for _ in 0..20_000 {
                let matrix = random_rotation(&mut random, scale).to_cols_array();
                let rounded = matrix.map(|x| f64::from(x as f32));
                let found = scales.scale_of(&DMat3::from_cols_array(&rounded)).unwrap();
                assert!(
                    (found / scale - 1.0).abs() <= 3.0 * SINGLE_PRECISION_ERROR,
                    "{scale:e} {found:e}"
                );
            }
            assert_eq!(scales.0.len(), 1, "{scale:e}");
        }
    }

    #[test]
    fn scales_that_differ_stay_apart() {
        let mut scales = Scales::default();
        for scale in [0.001, 0.001 * (1.0 + 1e-12), 0.001_000_01, 0.0009] {
            assert_eq!(scales.scale_of(&DMat3::from_diagonal(Vec3::splat(scale))), Some(scale));
        }
        assert_eq!(scales.0.len(), 4);
        // The closest, from both sides.
        let nearest_known = |by: f64| scales.nearest_known(0.001 * (1.0 + by), 1e-3);
        assert_eq!(nearest_known(-1e-15), Some(0.001));
        assert_eq!(nearest_known(0.9e-12), Some(0.001 * (1.0 + 1e-12)));
        assert_eq!(scales.nearest_known(0.5, 0.1), None);
    }

    #[test]
    fn other_matrices_have_no_scale() {
        let mut scales = Scales::default();
        let mut of = |m: DMat3| scales.scale_of(&m);
        assert_eq!(of(DMat3::ZERO), None);
        assert_eq!(of(DMat3::from_diagonal(Vec3::splat(-1e-3))), None);
        assert_eq!(of(DMat3::from_diagonal(Vec3::new(1e-3, 1e-3, 1.00001e-3))), None);
        assert_eq!(of(DMat3::from_diagonal(Vec3::new(1e-3, 1e-3, 0.0))), None);
        assert_eq!(of(DMat3::from_cols(Vec3::X, Vec3::new(1e-5, 1.0, 0.0), Vec3::Z)), None);
        assert_eq!(of(DMat3::from_cols(Vec3::Y, Vec3::X, Vec3::Z)), None);
        assert_eq!(of(DMat3::from_diagonal(Vec3::splat(f64::NAN))), None);
        assert_eq!(of(DMat3::from_diagonal(Vec3::new(f64::INFINITY, 1.0, 1.0))), None);
        for scale in [5e-324, 1e-310, f64::MIN_POSITIVE, 1e308, f64::MAX] {
            let found = of(DMat3::from_diagonal(Vec3::splat(scale))).unwrap();
            assert!((found / scale - 1.0).abs() <= DOUBLE_PRECISION_ERROR, "{scale:e} {found:e}");
        }
    }
}
