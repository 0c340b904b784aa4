//! Searches for supporting vertices: brute force, local search with and without a table, and a
//! hierarchy. All implement the engine's interface,
//! [`VertexSearch`](impinge::internals::support::VertexSearch).

mod brute;
mod hierarchy;
mod local;
mod table;

pub use brute::BruteForce;
pub use hierarchy::{Hierarchy, HierarchySearch};
pub use local::LocalSearch;
pub use table::DirectionTable;
