//! Point and segment.

use super::exhaustive::exhaustive_search;
use super::frame::Local;
use crate::answer::Distance;
use crate::math::Vec3;

/// The point of a closed segment closest to `p`, and bounds of the distance.
///
/// `point_a` of the result is `p` itself, `point_b` the point of the segment. The ends of the
/// segment may be equal.
///
/// ```
/// use impinge::Vec3;
/// use impinge::closest::point_segment;
///
/// let found = point_segment(Vec3::new(1.0, 2.0, 0.0), &[Vec3::ZERO, Vec3::X * 3.0]);
/// assert_eq!(found.point_b, Vec3::X);
/// assert!(found.lower <= 2.0 && 2.0 <= found.upper && found.upper - found.lower < 1e-13);
/// ```
#[must_use]
pub fn point_segment(p: Vec3, segment: &[Vec3; 2]) -> Distance {
    match Local::new(&[p], segment) {
        Ok(local) => local.finish(&exhaustive_search(&local.a, &local.b, local.size)).distance,
        Err(answer) => answer.distance,
    }
}
