//! Start values for the next query of the same pair.

use super::curved::BodyMemories;
use crate::convex;
use crate::pair;

/// The final state of the last query of a pair. The next query starts from it.
///
/// Keep one for each pair of shapes. A cache of other shapes, or of an old query, only costs a
/// little time; answers stay correct.
#[derive(Clone, Debug, Default)]
pub struct ShapeCache {
    /// For two polytopes, or a polytope and the last triangle.
    pub(crate) hulls: convex::HullCache,
    /// For two bodies of which one is curved.
    pub(super) bodies: BodyMemories,
    /// For two meshes.
    pub(super) meshes: pair::MeshCache,
    /// The triangle that a body met in the last query, or that was closest to it.
    pub(super) triangle: Option<u32>,
    /// The buffers of the searches for furthest vertices that bound the distance of boxes.
    pub(super) probe: convex::HullMemory,
    /// The hull of the last triangle, which is replaced by the next without allocating.
    pub(super) tested: Option<convex::TriangleHull>,
}

impl ShapeCache {
    /// Clears the cache, keeping its allocations.
    pub(crate) fn clear(&mut self) {
        let mut last = std::mem::take(self);
        last.meshes.forget();
        for memory in &mut last.bodies {
            memory.restart_at(None);
        }
        let Self { bodies, meshes, probe, tested, .. } = last;
        *self = Self { bodies, meshes, probe, tested, ..Self::default() };
    }
}
