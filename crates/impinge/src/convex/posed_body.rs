//! A body at a pose.
//!
//! If the core is the hull of points, the posed core is the hull of the points as
//! [`Pose::transform_point`] rounds them; a curved core becomes its image under `x -> R x + t` in
//! real numbers. In both cases a ball of the margin's radius is added around every point, in the
//! outer frame.

use super::body::{MIN_DENORMAL, Mark, Support, UNIT_ROUNDOFF, length_up};
use crate::math::{Pose, Vec3};

/// A body at a pose, with the error of its support point there.
pub(crate) struct PosedBody<'a, B: Support> {
    body: &'a B,
    pose: &'a Pose,
    /// As [`Support::support_error`], in the outer frame.
    pub(crate) error: f64,
}

impl<'a, B: Support> PosedBody<'a, B> {
    pub(crate) fn new(body: &'a B, pose: &'a Pose) -> Self {
        let (center, radius) = body.ball();
        let extent = length_up(center) + radius;
        // The rotation of the direction and the motion of the point: docs/notes/convex-shapes.md.
        let pose_error = 40.0 * UNIT_ROUNDOFF * extent
            + 4.0 * UNIT_ROUNDOFF * length_up(pose.translation())
            + 16.0 * MIN_DENORMAL;
        Self { body, pose, error: body.support_error() * 1.0001 + pose_error }
    }

    /// Units of a search for a furthest point.
    pub(crate) fn support_units(&self) -> u64 {
        self.body.support_units()
    }

    /// The furthest point of the core in `direction`, both in the outer frame, and the mark of that
    /// point.
    pub(crate) fn furthest(&self, direction: Vec3, memory: &mut B::Memory) -> (Vec3, Mark) {
        let direction = self.pose.rotation().transpose() * direction;
        let point = self.body.furthest(direction, memory);
        (self.pose.transform_point(point), self.body.mark(direction, memory))
    }

    /// The point of a mark, if there is one, in the outer frame.
    pub(crate) fn point_of_mark(&self, mark: Mark, memory: &mut B::Memory) -> Option<Vec3> {
        self.body.point_of_mark(mark, memory).map(|point| self.pose.transform_point(point))
    }

    /// The center and the radius of a ball around the core, in the outer frame, approximately.
    pub(crate) fn ball(&self) -> (Vec3, f64) {
        let (center, radius) = self.body.ball();
        (self.pose.transform_point(center), radius * (1.0 + 1e-6) + self.error)
    }
}
