//! Ellipsoids.

use std::borrow::Cow;

use super::{UNDERFLOW_ERROR, check_length};
use crate::convex::Support;
use crate::convex::body::UNIT_ROUNDOFF;
use crate::error::Error;
use crate::math::Vec3;

/// A solid ellipsoid with its axes along x, y and z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ellipsoid {
    axes: Vec3,
}

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
        // The ellipsoid is the image of the unit ball under the scaling by the axes: the image of
        // the ball's furthest point along the scaled direction.
        let scaled_direction = self.axes * direction;
        let largest = scaled_direction.abs().max_element();
        if !(largest > 0.0 && largest.is_finite()) {
            return Vec3::ZERO;
        }
        // Squares that lose digits to underflow or overflow would put the point off the surface.
        let in_range = if (1e-140..1e140).contains(&largest) {
            scaled_direction
        } else {
            scaled_direction / largest
        };
        self.axes * (in_range / in_range.length())
    }

    fn support_error(&self) -> f64 {
        8.0 * UNIT_ROUNDOFF * self.axes.max_element() + UNDERFLOW_ERROR
    }

    fn ball(&self) -> (Vec3, f64) {
        (Vec3::ZERO, self.axes.max_element())
    }

    fn core_points(&self) -> Option<Cow<'_, [Vec3]>> {
        None
    }
}
