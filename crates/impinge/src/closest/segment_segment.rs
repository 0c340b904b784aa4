//! Segment and segment.

use super::exhaustive::exhaustive_search;
use super::frame::Local;
use crate::answer::Distance;
use crate::math::Vec3;

/// The closest points of two closed segments, and bounds of their distance.
///
/// Segments may be parallel, overlap, or have equal ends. If several pairs are closest, one of them
/// is returned.
///
/// ```
/// use impinge::Vec3;
/// use impinge::closest::segment_segment;
///
/// let crossing = [Vec3::new(0.0, -1.0, 1.0), Vec3::new(0.0, 1.0, 1.0)];
/// let found = segment_segment(&[-Vec3::X, Vec3::X], &crossing);
/// assert_eq!((found.point_a, found.point_b), (Vec3::ZERO, Vec3::Z));
/// assert!(found.lower <= 1.0 && 1.0 <= found.upper && found.upper - found.lower < 1e-13);
/// ```
#[must_use]
pub fn segment_segment(a: &[Vec3; 2], b: &[Vec3; 2]) -> Distance {
    match Local::new(a, b) {
        Ok(local) => local.finish(&exhaustive_search(&local.a, &local.b, local.size)).distance,
        Err(answer) => answer.distance,
    }
}
