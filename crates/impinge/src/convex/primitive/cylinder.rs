//! Cylinders.

use std::borrow::Cow;

use super::{check_length, on_circle};
use crate::convex::Body;
use crate::convex::body::U;
use crate::error::Error;
use crate::math::Vec3;

/// A solid circular cylinder about z, from `-half_height` to `half_height`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cylinder {
    half_height: f64,
    radius: f64,
}

impl Cylinder {
    /// The cylinder of these lengths; a disc or a segment if one is zero.
    ///
    /// # Errors
    /// If a length is not finite, negative or too large.
    pub fn new(half_height: f64, radius: f64) -> Result<Self, Error> {
        check_length(half_height, "half the height of the cylinder")?;
        check_length(radius, "the radius of the cylinder")?;
        Ok(Self { half_height, radius })
    }

    /// Half the height.
    #[must_use]
    pub fn half_height(&self) -> f64 {
        self.half_height
    }

    /// The radius.
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.radius
    }
}

impl Body for Cylinder {
    type Memory = ();

    fn furthest(&self, direction: Vec3, _memory: &mut ()) -> Vec3 {
        let [x, y] = on_circle(direction, self.radius);
        let z = if direction.z < 0.0 { -self.half_height } else { self.half_height };
        Vec3::new(x, y, z)
    }

    fn support_error(&self) -> f64 {
        8.0 * U * self.radius
    }

    fn ball(&self) -> (Vec3, f64) {
        (Vec3::ZERO, self.half_height.hypot(self.radius) * (1.0 + 8.0 * U))
    }

    fn core_points(&self) -> Option<Cow<'_, [Vec3]>> {
        None
    }
}
