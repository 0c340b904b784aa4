//! Klosowski.
pub mod bv_tree;
pub mod volume;
