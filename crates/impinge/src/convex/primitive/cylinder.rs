//! Cylinders.

use std::borrow::Cow;

use super::on_circle;
use crate::convex::Support;
use crate::convex::body::{MIN_DENORMAL, UNIT_ROUNDOFF};
use crate::math::Vec3;

axial! {
    /// A solid circular cylinder about z, from `-half_height` to `half_height`.
    Cylinder, "cylinder",
    /// The cylinder of these lengths; a disc or a segment if one is zero.
    new
}

impl Support for Cylinder {
    type Memory = ();

    fn furthest(&self, direction: Vec3, _memory: &mut ()) -> Vec3 {
        let [x, y] = on_circle(direction, self.radius);
        let z = if direction.z < 0.0 { -self.half_height } else { self.half_height };
        Vec3::new(x, y, z)
    }

    fn support_error(&self) -> f64 {
        8.0 * UNIT_ROUNDOFF * self.radius + 8.0 * MIN_DENORMAL
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
