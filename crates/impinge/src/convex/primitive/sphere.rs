//! Spheres.

use std::borrow::Cow;

use super::check_length;
use crate::convex::Support;
use crate::error::Error;
use crate::math::Vec3;

/// A ball about the origin: a point with a margin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    radius: f64,
}

impl Sphere {
    /// The ball of `radius`; a point if that is zero.
    ///
    /// # Errors
    /// If the radius is not finite, negative or too large.
    pub fn new(radius: f64) -> Result<Self, Error> {
        check_length(radius, "the radius of the sphere")?;
        Ok(Self { radius })
    }

    /// The radius.
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.radius
    }
}

impl Support for Sphere {
    type Memory = ();

    fn furthest(&self, _direction: Vec3, _memory: &mut ()) -> Vec3 {
        Vec3::ZERO
    }

    fn support_error(&self) -> f64 {
        0.0
    }

    fn ball(&self) -> (Vec3, f64) {
        (Vec3::ZERO, 0.0)
    }

    fn margin(&self) -> f64 {
        self.radius
    }

    fn core_points(&self) -> Option<Cow<'_, [Vec3]>> {
        Some(Cow::Borrowed(&[Vec3::ZERO]))
    }
}
