//! What is left of a query after its first piece of work.

use super::expand::Surface;
use crate::convex::decide::{Hint, IntersectionCertificate};

/// What is left to do.
#[derive(Debug)]
pub(crate) enum Rest {
    /// Floating point cannot decide: exact arithmetic does, from where the search ended.
    Exact(Hint),
    /// The bodies share a point, and the polytope for the depth is still growing.
    Growing(Growing),
}

impl Rest {
    /// Where exact arithmetic starts.
    pub(crate) fn hint(&self) -> Hint {
        match self {
            Self::Exact(hint) => *hint,
            Self::Growing(growing) => {
                Hint { pairs: growing.common.pairs, direction: crate::Vec3::ZERO }
            }
        }
    }
}

/// A polytope that is still growing.
#[derive(Debug)]
pub(crate) struct Growing {
    pub(super) surface: Box<Surface>,
    /// The proof that the bodies share a point.
    pub(super) common: IntersectionCertificate,
    /// Whether its corners come from the table for small hulls.
    pub(super) uses_small_hulls: bool,
}
