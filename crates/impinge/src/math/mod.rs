//! Vectors, poses, axis-aligned and oriented boxes, the plane of a polygon, and seeded random
//! numbers.

mod aabb;
pub mod convert;
pub(crate) mod float;
pub(crate) mod length;
mod oriented;
pub(crate) mod polygon;
mod pose;
pub(crate) mod random;
pub(crate) mod rounding;
pub(crate) mod scale;
#[cfg(feature = "serde")]
mod serial;

pub use aabb::Aabb;
pub(crate) use float::{exponent, next_down, next_up, power_of_two};
pub(crate) use length::{direction, length_down, length_up};
pub use oriented::{OrientedBox, OrientedMotion};
pub(crate) use polygon::drop_axis;
pub(crate) use polygon::{axes_by_size, newell};
pub(crate) use pose::MAX_STRETCH;
pub use pose::{Pose, REPAIRABLE_ROTATION, ROTATION_TOLERANCE};
pub(crate) use random::Random;
pub(crate) use scale::{coordinate_key, unit_scale};
#[cfg(feature = "serde")]
pub(crate) use serial::StoredPose;

/// A point or vector of three `f64`: [`glam::DVec3`].
pub use glam::DVec3 as Vec3;

use crate::error::{Error, ErrorKind};

/// The largest absolute value of a coordinate or of a translation's component.
///
/// Up to this bound every predicate is exact, down to the smallest denormal number; beyond it
/// construction fails with [`ErrorKind::OutOfRange`]. The bound leaves room for values computed
/// from coordinates: its fifth power, which the moments of inertia need, is still finite.
pub const MAX_COORDINATE: f64 = 1e60;

/// Checks that every component of `v` is finite and within [`MAX_COORDINATE`]; `what` names the
/// vector in the error.
#[inline]
pub(crate) fn check_range(v: Vec3, what: impl FnOnce() -> String) -> Result<(), Error> {
    // A NaN fails the comparison.
    if v.abs().cmple(Vec3::splat(MAX_COORDINATE)).all() {
        return Ok(());
    }
    Err(out_of_range(v, &what()))
}

/// The error about a vector that is not within the range of coordinates.
#[cold]
fn out_of_range(v: Vec3, what: &str) -> Error {
    if !v.is_finite() {
        return Error::new(
            ErrorKind::NotFinite,
            format!("{what} is ({}, {}, {}): coordinates must be finite numbers", v.x, v.y, v.z),
        );
    }
    Error::new(
        ErrorKind::OutOfRange,
        format!(
            "{what} is ({:e}, {:e}, {:e}): coordinates must not exceed {MAX_COORDINATE:e} in size; choose a larger unit",
            v.x, v.y, v.z
        ),
    )
}
