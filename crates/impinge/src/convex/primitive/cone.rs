//! Cones.

use std::borrow::Cow;

use super::{check_length, on_circle};
use crate::convex::Body;
use crate::convex::body::U;
use crate::error::Error;
use crate::math::Vec3;

/// A solid circular cone about z: the apex at `half_height`, the base at `-half_height`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cone {
    half_height: f64,
    radius: f64,
}

impl Cone {
    /// The cone of these lengths; a disc or a segment if one is zero.
    ///
    /// # Errors
    /// If a length is not finite, negative or too large.
    pub fn new(half_height: f64, radius: f64) -> Result<Self, Error> {
        check_length(half_height, "half the height of the cone")?;
        check_length(radius, "the radius of the cone")?;
        Ok(Self { half_height, radius })
    }

    /// Half the height.
    #[must_use]
    pub fn half_height(&self) -> f64 {
        self.half_height
    }

    /// The radius of the base.
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.radius
    }
}

impl Body for Cone {
    type Memory = ();

    fn furthest(&self, direction: Vec3, _memory: &mut ()) -> Vec3 {
        let Vec3 { x, y, z } = direction;
        // The apex lies at z h, the furthest point of the base at r |(x, y)| - z h.
        if 2.0 * z * self.half_height > self.radius * (x * x + y * y).sqrt() {
            return Vec3::new(0.0, 0.0, self.half_height);
        }
        let [x, y] = on_circle(direction, self.radius);
        Vec3::new(x, y, -self.half_height)
    }

    fn support_error(&self) -> f64 {
        16.0 * U * (self.radius + self.half_height)
    }

    fn ball(&self) -> (Vec3, f64) {
        (Vec3::ZERO, self.half_height.hypot(self.radius) * (1.0 + 8.0 * U))
    }

    fn core_points(&self) -> Option<Cow<'_, [Vec3]>> {
        None
    }
}
