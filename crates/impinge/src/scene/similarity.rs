//! Matrices that are a rotation times a uniform scale.
//!
//! A matrix `A` from a file, of which nothing but its nine numbers is known, is written as `s R` with
//! `R` fit for a pose. The scale can be taken from the sum of squares: `s^2 = tr(A^T A) / 3`. Two
//! matrices of one scale and different rotations give two numbers that differ in their last bits,
//! and meshes scaled by different numbers cannot be shared. So `s` is brought to a number that the
//! matrix could have been made from, and `R = A / s` takes up the difference.
//!
//! # How far the scale is moved
//!
//! Let `u = 2^-53`, and let `A` be `s R` with an error of at most `e` times its Frobenius norm. Then
//! the root of the mean of squares is `s` within a relative `e`, too, and its evaluation (nine
//! squares of one sign, eight sums, a quotient, a root) adds less than `8u`. Let `e` include them.
//!
//! - Matrices written in single precision have `e <= 2^-24` ([`SINGLE`]). They are no rotations to
//!   within [`ROTATION_TOLERANCE`], save by chance.
//! - Matrices computed in double precision, as products of `k` rotations with errors of `6u` each,
//!   have `e = 6ku + 8u`. [`DOUBLE`] `= 32u` is enough for four of them.
//! - What is worse than that (longer products, numbers printed with ten digits) shows in the angles
//!   and lengths of the columns: the largest entry of `A^T A / s^2 - I` is as large as twice the
//!   error of a column's length. So `e` is taken to be half that entry at least.
//!
//! The first matrix of a scale settles for a number within `e` of what it gives, the one with the
//! fewest decimal digits: `0.001` rather than `0.0010000000000000002`. The next gives a number
//! within `2e` of that of the first, so it takes any number within `3e` that was settled for before.
//!
//! # What it does to vertices
//!
//! If `A / s` is a rotation to within [`ROTATION_TOLERANCE`] it is kept bit for bit, and a vertex
//! `R (s v) + t` is `A v + t` within rounding: one rounding for each entry of `R` and one for each
//! coordinate of `s v`, at most `2u (|A| |v|)` in each coordinate, which is no more than the
//! evaluation of `A v` itself loses. The choice of `s` does not enter. The deviation of `R` from a
//! rotation does, in [`Pose::relative`](crate::Pose::relative), and it grows by at most twice the
//! distance that `s` was moved: less than `2^-45` for matrices that are rotations to rounding.
//!
//! If it is not, the nearest rotation takes its place, as without a scale, and vertices move by a few
//! `e` times their distance from the origin of the part.

use std::collections::BTreeSet;

use glam::DMat3;

use crate::math::{ROTATION_TOLERANCE, unit_scale};

/// How far from a rotation a file's matrix may be, in the largest entry of `M^T M - I`, to count as
/// one written in single precision.
pub(super) const SINGLE_PRECISION: f64 = 4e-6;

/// The relative error of the scale of a matrix written in single precision.
const SINGLE: f64 = 0.5 * f32::EPSILON as f64;

/// The relative error of the scale of a matrix computed in double precision.
const DOUBLE: f64 = 16.0 * f64::EPSILON;

/// The scales that were found so far, so that those that differ by rounding become one.
#[derive(Debug, Default)]
pub(super) struct Scales(BTreeSet<u64>);

impl Scales {
    /// Remembers a scale that is known exactly. It must be positive.
    pub(super) fn insert(&mut self, scale: f64) {
        // Positive numbers are in the order of their bits.
        self.0.insert(scale.to_bits());
    }

    /// The uniform scale of a matrix that is one times a rotation, to single precision at least;
    /// `None` if it is not, mirrors, or is too large or too small for the scale to be a number.
    ///
    /// Of the numbers that the scale can be, it is the closest that was found before, or else the
    /// one with the fewest decimal digits.
    pub(super) fn of(&mut self, linear: &DMat3) -> Option<f64> {
        let largest = linear.to_cols_array().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        if largest == 0.0 || !largest.is_finite() {
            return None;
        }
        let (first, second) = unit_scale(largest);
        let unit = *linear * first * second;
        let gram = unit.transpose() * unit;
        let mean = (gram.x_axis.x + gram.y_axis.y + gram.z_axis.z) / 3.0;
        let off = (gram * mean.recip() - DMat3::IDENTITY).to_cols_array();
        let off = off.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        if off > SINGLE_PRECISION || unit.determinant() <= 0.0 {
            return None;
        }
        let scale = mean.sqrt() / first / second;
        if !scale.is_finite() {
            return None;
        }
        let error = if off <= ROTATION_TOLERANCE { DOUBLE } else { SINGLE };
        let error = error.max(0.5 * off) * scale;
        let scale = self.near(scale, 3.0 * error).unwrap_or_else(|| shortest(scale, error));
        self.insert(scale);
        Some(scale)
    }

    /// The closest scale that was found before, no further away than `reach`.
    fn near(&self, scale: f64, reach: f64) -> Option<f64> {
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
fn shortest(x: f64, reach: f64) -> f64 {
    (0..17)
        .filter_map(|digits| format!("{x:.digits$e}").parse::<f64>().ok())
        .find(|y| *y > 0.0 && (y - x).abs() <= reach)
        .unwrap_or(x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Random, Vec3};

    fn turned(random: &mut Random, scale: f64) -> DMat3 {
        DMat3::from_quat(random.rotation()) * scale
    }

    #[test]
    fn scales_of_turned_matrices_are_one_number() {
        let mut random = Random::new(7);
        for scale in [0.001, 1.0 / 3.0, 0.0254, 1e-300, 1e-30, 1e300, 123_456.789] {
            let mut scales = Scales::default();
            for _ in 0..2000 {
                let two = turned(&mut random, 1.0) * turned(&mut random, scale);
                let found = scales.of(&two).unwrap();
                assert!((found / scale - 1.0).abs() <= 3.0 * DOUBLE, "{scale:e} {found:e}");
            }
            assert_eq!(scales.0.len(), 1, "{scale:e}");
            if shortest(scale, DOUBLE * scale) == scale {
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
                let matrix = turned(&mut random, scale).to_cols_array();
                let rounded = matrix.map(|x| f64::from(x as f32));
                let found = scales.of(&DMat3::from_cols_array(&rounded)).unwrap();
                assert!((found / scale - 1.0).abs() <= 3.0 * SINGLE, "{scale:e} {found:e}");
            }
            assert_eq!(scales.0.len(), 1, "{scale:e}");
        }
    }

    #[test]
    fn scales_that_differ_stay_apart() {
        let mut scales = Scales::default();
        for scale in [0.001, 0.001 * (1.0 + 1e-12), 0.001_000_01, 0.0009] {
            assert_eq!(scales.of(&DMat3::from_diagonal(Vec3::splat(scale))), Some(scale));
        }
        assert_eq!(scales.0.len(), 4);
        // The closest, from both sides.
        let near = |by: f64| scales.near(0.001 * (1.0 + by), 1e-3);
        assert_eq!(near(-1e-15), Some(0.001));
        assert_eq!(near(0.9e-12), Some(0.001 * (1.0 + 1e-12)));
        assert_eq!(scales.near(0.5, 0.1), None);
    }

    #[test]
    fn no_other_matrix_has_a_scale() {
        let mut scales = Scales::default();
        let mut of = |m: DMat3| scales.of(&m);
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
            assert!((found / scale - 1.0).abs() <= DOUBLE, "{scale:e} {found:e}");
        }
    }
}
