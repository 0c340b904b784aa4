//! Cones.

use std::borrow::Cow;

use super::{UNDERFLOW_ERROR, on_circle};
use crate::convex::Support;
use crate::convex::body::{MIN_DENORMAL, UNIT_ROUNDOFF};
use crate::math::Vec3;

axial! {
    /// A solid circular cone about z: the apex at `half_height`, the base at `-half_height`.
    Cone, "cone",
    /// The cone of these lengths; a disc or a segment if one is zero.
    new
}

impl Support for Cone {
    type Memory = ();

    fn furthest(&self, direction: Vec3, _memory: &mut ()) -> Vec3 {
        let Vec3 { x, y, z } = direction;
        // Along the direction the apex lies at z h, the furthest point of the base at r |(x, y)| -
        // z h.
        if 2.0 * z * self.half_height > self.radius * (x * x + y * y).sqrt() {
            return Vec3::new(0.0, 0.0, self.half_height);
        }
        let [x, y] = on_circle(direction, self.radius);
        Vec3::new(x, y, -self.half_height)
    }

    fn support_error(&self) -> f64 {
        16.0 * UNIT_ROUNDOFF * (self.radius + self.half_height) + UNDERFLOW_ERROR
    }

    fn ball(&self) -> (Vec3, f64) {
        (
            Vec3::ZERO,
            self.half_height.hypot(self.radius) * (1.0 + 8.0 * UNIT_ROUNDOFF) + MIN_DENORMAL,
        )
    }

    fn core_points(&self) -> Option<Cow<'_, [Vec3]>> {
        None
    }
}
