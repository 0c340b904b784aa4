//! Outward rounding: `f64` bounds of exact real values.

use glam::DMat3;

use crate::math::Vec3;
#[cfg(feature = "internals")]
pub use crate::math::float::{next_down as down, next_up as up};
#[cfg(feature = "internals")]
pub use crate::math::length::length_down;
pub use crate::math::length::length_up;

/// Half a unit in the last place of 1: the largest relative error of one rounding.
pub const UNIT_ROUNDOFF: f64 = f64::EPSILON / 2.0;

/// More than products of two factors lose if they underflow.
pub const PRODUCT_UNDERFLOW: f64 = pow2(-1000);

/// More than products of three factors lose if they underflow, for factors up to
/// [`EXACT_RANGE`](crate::exact::EXACT_RANGE).
pub const TRIPLE_PRODUCT_UNDERFLOW: f64 = pow2(-700);

/// `2^exponent`, for normal numbers.
pub(crate) const fn pow2(exponent: i64) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// Added where products may be denormal: far more than the rounding errors of a hundred such
/// products.
pub const UNDERFLOW_MARGIN: f64 = f64::MIN_POSITIVE;

/// An upper bound of the spectral norm of `R^T R - I`: the largest relative change of squared
/// lengths by a matrix that should be a rotation.
#[must_use]
pub fn distortion(r: &DMat3) -> f64 {
    let g = r.transpose() * *r - DMat3::IDENTITY;
    let row = |v: Vec3| v.abs().element_sum();
    // The rounding error of a product of unit vectors is below 4 UNIT_ROUNDOFF; a row has three of
    // them.
    row(g.x_axis).max(row(g.y_axis)).max(row(g.z_axis)) + 16.0 * UNIT_ROUNDOFF
}
