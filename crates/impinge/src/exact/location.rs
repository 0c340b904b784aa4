//! Where a point lies with respect to a polygon or a solid.

use std::fmt;

/// Inside, on the boundary, or outside: the exact answer of a point-in-polygon or
/// point-in-polyhedron test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Location {
    /// In the open interior.
    Inside,
    /// Exactly on an edge, a vertex or a face.
    Boundary,
    /// Neither inside nor on the boundary.
    Outside,
}

impl Location {
    /// Whether the point belongs to the closed set: inside or on the boundary.
    #[inline]
    #[must_use]
    pub fn is_in_closed_set(self) -> bool {
        self != Self::Outside
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Inside => "inside",
            Self::Boundary => "on the boundary",
            Self::Outside => "outside",
        })
    }
}
