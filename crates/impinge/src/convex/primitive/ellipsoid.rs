//! Ellipsoids.

use std::borrow::Cow;

use super::check_length;
use crate::convex::Support;
use crate::convex::body::U;
use crate::error::Error;
use crate::math::Vec3;

/// A solid ellipsoid with its axes along x, y and z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ellipsoid {
    axes: Vec3,
}

/// More than products that underflow can take from the height of a support: some 1e-323, over the
/// length of a direction that is no shorter than 1e-30.
const UNDERFLOW: f64 = 1e-290;

impl Ellipsoid {
    /// The ellipsoid with these half lengths of its axes; flat if one is zero.
    ///
    /// # Errors
    /// If a length is not finite, negative or too large.
    pub fn new(half_axes: impl Into<Vec3>) -> Result<Self, Error> {
        let axes = half_axes.into();
        for (length, axis) in axes.to_array().into_iter().zip(["x", "y", "z"]) {
            check_length(length, &format!("the half axis of the ellipsoid along {axis}"))?;
        }
        Ok(Self { axes })
    }

    /// The half lengths of the axes.
    #[must_use]
    pub fn half_axes(&self) -> Vec3 {
        self.axes
    }
}

impl Support for Ellipsoid {
    type Memory = ();

    fn furthest(&self, direction: Vec3, _memory: &mut ()) -> Vec3 {
        // The image of the unit ball: its furthest point along the direction stretched, stretched.
        let stretched = self.axes * direction;
        let largest = stretched.abs().max_element();
        if !(largest > 0.0 && largest.is_finite()) {
            return Vec3::ZERO;
        }
        // Squares that lose digits would put the point beside the surface.
        let scaled =
            if (1e-140..1e140).contains(&largest) { stretched } else { stretched / largest };
        self.axes * (scaled / scaled.length())
    }

    fn support_error(&self) -> f64 {
        8.0 * U * self.axes.max_element() + UNDERFLOW
    }

    fn ball(&self) -> (Vec3, f64) {
        (Vec3::ZERO, self.axes.max_element())
    }

    fn core_points(&self) -> Option<Cow<'_, [Vec3]>> {
        None
    }
}
