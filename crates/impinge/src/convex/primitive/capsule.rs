//! Capsules.

use std::borrow::Cow;

use crate::convex::Support;
use crate::math::Vec3;

axial! {
    /// All points within a radius of a segment on z: a segment with a margin.
    Capsule, "capsule",
    /// The capsule about the segment from `-half_height` to `half_height` on z. The caps are beyond
    /// the ends of the segment.
    new
}

impl Support for Capsule {
    type Memory = ();

    fn furthest(&self, direction: Vec3, _memory: &mut ()) -> Vec3 {
        let z = if direction.z < 0.0 { -self.half_height } else { self.half_height };
        Vec3::new(0.0, 0.0, z)
    }

    fn support_error(&self) -> f64 {
        0.0
    }

    fn ball(&self) -> (Vec3, f64) {
        (Vec3::ZERO, self.half_height)
    }

    fn margin(&self) -> f64 {
        self.radius
    }

    fn core_points(&self) -> Option<Cow<'_, [Vec3]>> {
        let end = Vec3::new(0.0, 0.0, self.half_height);
        Some(Cow::Owned(vec![-end, end]))
    }
}
