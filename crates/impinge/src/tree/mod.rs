//! Trees of bounding volumes over the triangles of a mesh.
//!
//! [`Tree`] is the one that queries use: wide nodes, single precision, vector instructions. [`BoxTree`] is Zachmann's. All trees report the same pairs; they differ in what they cost.

pub mod boxes;
mod wide;

pub use boxes::BoxTree;
pub use wide::{Tree, traverse};
