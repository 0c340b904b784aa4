//! Brute force: compares every vertex.

use crate::convex::Hull;
use crate::exact::{Sign, compare_along};
use crate::math::Vec3;

impl Hull {
    /// The vertex that lies furthest in `direction` (in the hull's frame, of any finite length), by
    /// comparing all vertices.
    ///
    /// Exact: no vertex lies further, not even by less than a rounding error. If several lie
    /// equally far, the one with the lowest index; so 0 for a zero direction. For a direction that
    /// is not finite, an arbitrary vertex.
    #[must_use]
    pub fn support(&self, direction: Vec3) -> u32 {
        let mut best = 0;
        for (i, p) in self.vertices.iter().enumerate().skip(1) {
            if compare_along(direction, self.vertices[best], *p) == Sign::Positive {
                best = i;
            }
        }
        best as u32
    }
}
