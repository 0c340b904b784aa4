//! Brute force: evaluates every vertex.

use super::{Certainty, VertexSearch};
use impinge::convex::Hull;
use impinge::internals::support::Climb;
use impinge::math::Vec3;

/// Evaluates every vertex exactly: [`Hull::support`] as a [`VertexSearch`]. The reference for the
/// other searches.
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
        climb.count(self.0.vertices().len());
        self.0.support(direction)
    }

    fn certainty(&self) -> Certainty {
        Certainty::Exact
    }

    fn extra_bytes(&self) -> usize {
        0
    }
}
