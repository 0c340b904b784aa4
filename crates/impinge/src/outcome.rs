//! The answer of a query with a budget (Klosowski et al. 1998, section 5.2.3).

use crate::math::{Vec3, length_up};

/// What is known about two meshes when a query ends, possibly because its budget is spent. All
/// numbers are valid bounds with any budget.
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
        /// A lower bound of their distance. Zero if no gap was measured, or if it is within the
        /// rounding error; infinite if a mesh has no triangles.
        distance_at_least: f64,
    },
    /// The budget was spent before the query was decided.
    Maybe(Maybe),
}

/// What is known about two meshes whose surfaces may or may not share a point.
///
/// Derived in `docs/notes/maybe.md`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Maybe {
    /// If triangles intersect, each intersecting pair can be separated, until the two share at most
    /// boundary points, by moving one of them by at most this length: the deepest overlap of two
    /// volumes that are not known to be disjoint. If the surfaces are disjoint, it decreases to
    /// zero as the budget grows.
    pub pair_depth: f64,
    /// There is a translation of B by at most this length that separates everything: surfaces,
    /// hulls, and solids that contain each other. The overlap of the two outermost volumes.
    pub total_depth: f64,
    /// An upper bound of the distance of the surfaces.
    pub distance_at_most: f64,
    /// The number of pairs of nodes that are not decided.
    pub pairs_left: usize,
}

impl Maybe {
    /// Lowers the upper bound to the distance of a point of A and a point of B, both in A's frame.
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
