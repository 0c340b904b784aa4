//! Trees of bounding volumes over the triangles of a mesh.
//!
//! [`Tree`] is the one that queries use: wide nodes, single precision, vector instructions. The
//! trees of the papers, which report the same pairs at other costs, are in the crate
//! `impinge-papers`.

mod plain;
mod wide;

pub(crate) use plain::PlainTree;
pub(crate) use plain::first_within as first_within_plain;
pub use wide::{Cache, FORMAT, Refitted, Tree, TreeSize, near, traverse};
pub(crate) use wide::{
    Cast, Effort, SearchLimits, Seek, Upkeep, are_far, first_cached, first_soon, first_within,
    near_far, par_pairs,
};
