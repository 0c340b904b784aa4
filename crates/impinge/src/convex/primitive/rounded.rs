//! Rounded bodies.

use std::borrow::Cow;

use super::check_length;
use crate::convex::{Mark, Support};
use crate::error::Error;
use crate::math::Vec3;

/// All points within a margin of another body: a rounded box, a hull with a clearance, a thick
/// disc.
///
/// ```
/// use impinge::convex::{Support, Cuboid, Rounded};
///
/// let pillow = Rounded::new(Cuboid::new([1.0, 2.0, 0.5])?, 0.25)?;
/// assert_eq!(pillow.margin(), 0.25);
/// assert_eq!(pillow.core_points().map(|points| points.len()), Some(8));
/// # Ok::<(), impinge::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rounded<B> {
    inside: B,
    margin: f64,
}

impl<B: Support> Rounded<B> {
    /// `body` with `margin` around it. The total margin is the `f64` sum of this and the body's
    /// own.
    ///
    /// # Errors
    /// If the margin, or its sum with the body's own, is not finite, negative or too large.
    pub fn new(body: B, margin: f64) -> Result<Self, Error> {
        check_length(margin, "the margin")?;
        let margin = margin + body.margin();
        check_length(margin, "the margin plus that of the body inside")?;
        Ok(Self { inside: body, margin })
    }

    /// The body inside.
    #[must_use]
    pub fn inside(&self) -> &B {
        &self.inside
    }
}

impl<B: Support> Support for Rounded<B> {
    type Memory = B::Memory;

    fn furthest(&self, direction: Vec3, memory: &mut Self::Memory) -> Vec3 {
        self.inside.furthest(direction, memory)
    }

    fn mark(&self, direction: Vec3, memory: &Self::Memory) -> Mark {
        self.inside.mark(direction, memory)
    }

    fn point_of_mark(&self, mark: Mark, memory: &mut Self::Memory) -> Option<Vec3> {
        self.inside.point_of_mark(mark, memory)
    }

    fn support_error(&self) -> f64 {
        self.inside.support_error()
    }

    fn ball(&self) -> (Vec3, f64) {
        self.inside.ball()
    }

    fn margin(&self) -> f64 {
        self.margin
    }

    fn support_units(&self) -> u64 {
        self.inside.support_units()
    }

    fn core_points(&self) -> Option<Cow<'_, [Vec3]>> {
        self.inside.core_points()
    }
}
