//! Boxes.

use std::borrow::Cow;

use super::check_length;
use crate::convex::Support;
use crate::convex::body::length_up;
use crate::error::Error;
use crate::math::Vec3;

/// A box along the axes, about the origin: the hull of its eight corners.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cuboid {
    half: Vec3,
}

impl Cuboid {
    /// The box from `-half_extents` to `half_extents`.
    ///
    /// # Errors
    /// If a length is not finite, negative or too large.
    pub fn new(half_extents: impl Into<Vec3>) -> Result<Self, Error> {
        let half = half_extents.into();
        for (length, axis) in half.to_array().into_iter().zip(["x", "y", "z"]) {
            check_length(length, &format!("half the extent of the box along {axis}"))?;
        }
        Ok(Self { half })
    }

    /// Half the lengths of the sides.
    #[must_use]
    pub fn half_extents(&self) -> Vec3 {
        self.half
    }

    /// The corners. Corner `i` has the positive x, y or z if bit 0, 1 or 2 of `i` is set.
    #[must_use]
    pub fn corners(&self) -> [Vec3; 8] {
        let side = |i: usize, bit: usize| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
        [0, 1, 2, 3, 4, 5, 6, 7].map(|i| Vec3::new(side(i, 0), side(i, 1), side(i, 2)) * self.half)
    }
}

impl Support for Cuboid {
    type Memory = ();

    fn furthest(&self, direction: Vec3, _memory: &mut ()) -> Vec3 {
        let side = |d: f64, h: f64| if d < 0.0 { -h } else { h };
        Vec3::new(
            side(direction.x, self.half.x),
            side(direction.y, self.half.y),
            side(direction.z, self.half.z),
        )
    }

    fn support_error(&self) -> f64 {
        0.0
    }

    fn ball(&self) -> (Vec3, f64) {
        (Vec3::ZERO, length_up(self.half))
    }

    fn core_points(&self) -> Option<Cow<'_, [Vec3]>> {
        Some(Cow::Owned(self.corners().to_vec()))
    }
}
