//! Supporting vertices: four ways behind the interface of the engine,
//! [`VertexSearch`](impinge::convex::VertexSearch).

mod brute;
mod hierarchy;
mod local;
mod table;

pub use brute::BruteForce;
pub use hierarchy::{Hierarchy, HierarchySearch};
pub use local::LocalSearch;
pub use table::DirectionTable;
