//! Brute force: every vertex is asked.

use super::{Certainty, Climb, VertexSearch};
use crate::convex::Hull;
use crate::exact::{Sign, compare_along};
use crate::math::Vec3;

impl Hull {
    /// The vertex that lies furthest in `direction` (in the hull's frame, of any finite length), by asking all.
    ///
    /// Exact: no vertex lies further, not even by less than a rounding error. Of several that lie equally far, the
    /// one of lowest number; so 0 for the direction zero. For a direction that is not finite some vertex.
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

/// Asks every vertex, exactly: [`Hull::support`] as a [`VertexSearch`]. The reference for the others.
#[derive(Clone, Copy, Debug)]
pub struct BruteForce<'h>(pub &'h Hull);

impl VertexSearch for BruteForce<'_> {
    fn hull(&self) -> &Hull {
        self.0
    }

    fn start(&self, _direction: Vec3) -> u32 {
        0
    }

    fn search(&self, direction: Vec3, _start: u32, climb: &mut Climb) -> u32 {
        climb.count(self.0.vertices.len());
        self.0.support(direction)
    }

    fn certainty(&self) -> Certainty {
        Certainty::Exact
    }

    fn extra_bytes(&self) -> usize {
        0
    }
}
