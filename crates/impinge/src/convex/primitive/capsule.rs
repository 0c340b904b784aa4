//! Capsules.

use std::borrow::Cow;

use super::check_length;
use crate::convex::Body;
use crate::error::Error;
use crate::math::Vec3;

/// All points within a radius of a segment on z: a segment with a margin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    half_height: f64,
    radius: f64,
}

impl Capsule {
    /// The capsule about the segment from `-half_height` to `half_height` on z. The caps are beyond the ends of the segment.
    ///
    /// # Errors
    /// If a length is not finite, negative or too large.
    pub fn new(half_height: f64, radius: f64) -> Result<Self, Error> {
        check_length(half_height, "half the height of the capsule")?;
        check_length(radius, "the radius of the capsule")?;
        Ok(Self { half_height, radius })
    }

    /// Half the length of the segment.
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

impl Body for Capsule {
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
