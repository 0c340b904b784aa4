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
}

impl ShapeCache {
    /// Clears the cache, keeping its allocations.
    pub(crate) fn clear(&mut self) {
        let mut meshes = std::mem::take(&mut self.meshes);
        meshes.forget();
        *self = Self { meshes, ..Self::default() };
    }
}
