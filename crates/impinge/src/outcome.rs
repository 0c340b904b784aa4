//! The answer of a query with a budget (Klosowski et al. 1998, section 5.2.3).

use crate::math::{Vec3, length_up};

/// What is known about two meshes when a query ends, perhaps early. Every number holds, whatever
/// the budget was.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// These two triangles share a point.
    Hit {
        /// The triangle of A.
        a: u32,
        /// The triangle of B.
        b: u32,
    },
    /// The surfaces share no point.
    Separated {
        /// They are at least this far apart. Zero where no gap was measured, or rounding could hide
        /// it; infinite if a mesh has no triangles.
        distance_at_least: f64,
    },
    /// The budget was spent before it was known.
    Maybe(Maybe),
}

/// What is known about two meshes that may or may not meet.
///
/// Derived in `docs/notes/maybe.md`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Maybe {
    /// If triangles meet, each of the pairs that do can be brought apart, until they share at most
    /// boundary points, by moving one of the two by at most this much: the deepest overlap of two
    /// volumes that were not yet told apart. Shrinks to zero as the budget grows, where surfaces do
    /// not meet.
    pub pair_depth: f64,
    /// Moving B by at most this much, in a direction of its own choice, brings everything apart:
    /// surfaces, hulls, and solids that contain each other. The overlap of the two outermost
    /// volumes.
    pub total_depth: f64,
    /// The surfaces are at most this far apart.
    pub distance_at_most: f64,
    /// How many pairs of nodes are not decided.
    pub pairs_left: usize,
}

impl Maybe {
    /// Takes note of a point of A and one of B, both in A's frame.
    pub fn offer(&mut self, a: Vec3, b: Vec3) {
        self.distance_at_most = self.distance_at_most.min(length_up(a - b));
    }
}

impl Outcome {
    /// Whether the surfaces certainly share a point.
    #[must_use]
    pub fn is_hit(&self) -> bool {
        matches!(self, Self::Hit { .. })
    }

    /// Whether the surfaces certainly share no point.
    #[must_use]
    pub fn is_separated(&self) -> bool {
        matches!(self, Self::Separated { .. })
    }
}
