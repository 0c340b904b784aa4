//! What one query leaves for the next of the same pair.

use super::curved::Memory;
use crate::convex;
use crate::pair;

/// Where the last query of a pair ended. A similar query starts there.
///
/// Keep one for each pair of shapes. It may be used with other shapes, or after long: it costs a
/// little time then, and changes no answer's truth.
#[derive(Clone, Debug, Default)]
pub struct ShapeCache {
    /// Of two polytopes, or of a polytope and the last triangle.
    pub(crate) hulls: convex::HullCache,
    /// Of two bodies of which one is curved.
    pub(super) bodies: Memory,
    /// Of two meshes.
    pub(super) meshes: pair::MeshCache,
    /// The triangle that a body met last, or came closest to.
    pub(super) triangle: Option<u32>,
}

impl ShapeCache {
    /// Forgets all, keeping the room.
    pub(crate) fn forget(&mut self) {
        let mut meshes = std::mem::take(&mut self.meshes);
        meshes.forget();
        *self = Self { meshes, ..Self::default() };
    }
}
