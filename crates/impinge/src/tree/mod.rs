//! Trees of bounding volumes over the triangles of a mesh.
//!
//! [`Tree`] is the one that queries use: wide nodes, single precision, vector instructions. [`BvTree`] is the tree of Klosowski et al. 1998 over any
//! [`Volume`](crate::volume::Volume), with its building rules and traversals; [`BoxTree`] is Zachmann's of 1994. All trees report the same pairs; they differ in what they
//! cost.

pub mod boxes;
pub mod bv;
mod wide;

pub use boxes::BoxTree;
pub use bv::{BuildOptions, BvQuery, BvTree};
pub use wide::{Cache, FORMAT, Refitted, Tree, TreeSize, near, traverse};
pub(crate) use wide::{
    Effort, SearchLimits, Seek, Upkeep, are_far, first_cached, first_soon, first_within, near_far,
    par_pairs,
};
