//! Point and triangle.

use super::exhaustive::exhaustive_search;
use super::frame::Local;
use crate::answer::Distance;
use crate::math::Vec3;

/// The point of a closed triangle closest to `p`, and bounds of the distance.
///
/// `point_a` of the result is `p` itself, `point_b` the point of the triangle. The triangle may
/// have zero area.
///
/// ```
/// use impinge::Vec3;
/// use impinge::closest::point_triangle;
///
/// let triangle = [Vec3::ZERO, Vec3::X * 4.0, Vec3::Y * 4.0];
/// let found = point_triangle(Vec3::new(1.0, 1.0, 3.0), &triangle);
/// assert_eq!(found.point_b, Vec3::new(1.0, 1.0, 0.0));
/// assert!(found.lower <= 3.0 && 3.0 <= found.upper && found.upper - found.lower < 1e-13);
/// ```
#[must_use]
pub fn point_triangle(p: Vec3, triangle: &[Vec3; 3]) -> Distance {
    match Local::new(&[p], triangle) {
        Ok(local) => local.finish(&exhaustive_search(&local.a, &local.b, local.size)).distance,
        Err(answer) => answer.distance,
    }
}
