//! Vectors, poses, axis-aligned boxes, the plane of a polygon, and seeded random numbers for all that samples.

mod aabb;
mod length;
mod polygon;
mod pose;
mod random;

pub use aabb::Aabb;
pub(crate) use length::{direction, length_down, length_up, next_down, next_up};
pub(crate) use polygon::{axes_by_size, newell};
pub use polygon::{drop_axis, newell_normal};
pub(crate) use pose::STRETCH;
pub use pose::{Pose, REPAIRABLE_ROTATION, ROTATION_TOLERANCE};
pub(crate) use random::Random;

/// A point or vector of three `f64`: [`glam::DVec3`].
pub use glam::DVec3 as Vec3;

use crate::error::{Error, ErrorKind};

/// The largest absolute value of a coordinate or of a translation's component.
///
/// Within it every predicate is exact, down to the smallest denormal number; beyond it construction fails with
/// [`ErrorKind::OutOfRange`]. The bound leaves room for what is computed from coordinates: the fifth power of it, as
/// the moments of inertia need, is still finite.
pub const MAX_COORDINATE: f64 = 1e60;

/// Checks that every component of `v` is finite and within [`MAX_COORDINATE`]; `what` names it in the error.
pub(crate) fn check_range(v: Vec3, what: impl FnOnce() -> String) -> Result<(), Error> {
    if !v.is_finite() {
        return Err(Error::new(
            ErrorKind::NotFinite,
            format!(
                "{} is ({}, {}, {}): coordinates must be finite numbers",
                what(),
                v.x,
                v.y,
                v.z
            ),
        ));
    }
    if v.abs().max_element() > MAX_COORDINATE {
        return Err(Error::new(
            ErrorKind::OutOfRange,
            format!(
                "{} is ({:e}, {:e}, {:e}): coordinates must not exceed {MAX_COORDINATE:e} in size; choose a larger unit",
                what(),
                v.x,
                v.y,
                v.z
            ),
        ));
    }
    Ok(())
}

/// Equal for points with equal coordinates, whatever the signs of their zeros, and ordered in some fixed way.
pub(crate) fn coordinate_key(p: Vec3) -> [u64; 3] {
    // Adding zero gives both zeros one sign.
    (p + Vec3::ZERO).to_array().map(f64::to_bits)
}

/// Two powers of two whose product brings `size` (positive, finite) to about one; two, because the reciprocal of a
/// denormal number is not finite.
pub(crate) fn unit_scale(size: f64) -> (f64, f64) {
    let exponent =
        if size < f64::MIN_POSITIVE { -1022 } else { (size.to_bits() >> 52) as i32 - 1023 };
    let power = |e: i32| f64::from_bits(((1023 + e) as u64) << 52);
    let half = -exponent / 2;
    (power(half), power(-exponent - half))
}
