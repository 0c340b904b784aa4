//! The vertex of a hull that lies furthest in a direction: the supporting vertex.
//!
//! Leung 1996, sections 2.5, 3.3, 3.5 and 5.3. Four searches implement one interface,
//! [`VertexSearch`]:
//!
//! | search | vertices evaluated | additional memory | exact |
//! | --- | --- | --- | --- |
//! | [`BruteForce`] | all | none | yes |
//! | [`LocalSearch::exact`] | those near the path from the start to the result | 512 bytes if a [`DirectionTable`] gives the start | yes |
//! | [`LocalSearch::rounded`] | the same, by plain `f64` products | the same | up to rounding, see [`Certainty::Rounded`] |
//! | [`HierarchySearch`] | O(log n) if degrees are bounded | about 35 bytes for each vertex | yes |
//!
//! Directions are in the hull's own frame: the caller rotates the direction once instead of every
//! vertex (Leung 1996, section 3.3). The state of a search (the vertices visited and their number)
//! is in a [`Climb`](impinge::internals::support::Climb) of the caller, one for any number of
//! hulls.
//!
//! **Exact** means: no vertex lies further, not even by less than a rounding error.

mod brute;
mod hierarchy;
mod local;
mod search;
mod table;

pub use brute::BruteForce;
pub use hierarchy::{Hierarchy, HierarchySearch};
pub use local::LocalSearch;
pub use search::{Certainty, VertexSearch};
pub use table::DirectionTable;
