//! Leung.
pub mod closest;
mod hull_tree;
pub mod methods;
pub mod separating;
mod support;
mod tracker;

pub use hull_tree::{HullTest, HullTree, exact};
pub use support::{BruteForce, DirectionTable, Hierarchy, HierarchySearch, LocalSearch};
pub use tracker::{Closest, Frame, Memory, Method, Tracker, Want};
