//! A body at a pose.
//!
//! For a core of points the set meant is the hull of the points as [`Pose::transform_point`] rounds
//! them; for a curved core it is its image under `x -> R x + t` in real numbers. Either way a ball
//! of the margin's radius goes around every point, in the outer frame.

use super::body::{Mark, SMALLEST, Support, U, length_up};
use crate::math::{Pose, Vec3};

/// A body at a pose, with the error of its support there.
pub(crate) struct Placed<'a, B: Support> {
    body: &'a B,
    pose: &'a Pose,
    /// As [`Support::support_error`], in the outer frame.
    pub(crate) error: f64,
}

impl<'a, B: Support> Placed<'a, B> {
    pub(crate) fn new(body: &'a B, pose: &'a Pose) -> Self {
        let (middle, radius) = body.ball();
        let reach = length_up(middle) + radius;
        // The direction turned, the point moved: docs/notes/convex-shapes.md.
        let moving = 40.0 * U * reach + 4.0 * U * length_up(pose.translation()) + 16.0 * SMALLEST;
        Self { body, pose, error: body.support_error() * 1.0001 + moving }
    }

    /// The furthest point of the core in `direction`, both in the outer frame, and what to find it
    /// again by.
    pub(crate) fn furthest(&self, direction: Vec3, memory: &mut B::Memory) -> (Vec3, Mark) {
        let direction = self.pose.rotation().transpose() * direction;
        let point = self.body.furthest(direction, memory);
        (self.pose.transform_point(point), self.body.mark(direction, memory))
    }

    /// The point that a mark stands for, if there is one, in the outer frame.
    pub(crate) fn recall(&self, mark: Mark, memory: &mut B::Memory) -> Option<Vec3> {
        self.body.recall(mark, memory).map(|point| self.pose.transform_point(point))
    }

    /// The middle and the radius of a ball around the core, in the outer frame, roughly.
    pub(crate) fn ball(&self) -> (Vec3, f64) {
        let (middle, radius) = self.body.ball();
        (self.pose.transform_point(middle), radius * (1.0 + 1e-6) + self.error)
    }
}
