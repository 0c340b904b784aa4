//! Trees of bounding volumes over the triangles of a mesh.
//!
//! [`Tree`] is the one that queries use: wide nodes, single precision, vector instructions. All trees report the same pairs; they differ in what they cost.

mod wide;

pub use wide::{Tree, near, traverse};
