//! Klosowski.
pub mod bv_tree;
pub mod methods;
pub mod volume;
