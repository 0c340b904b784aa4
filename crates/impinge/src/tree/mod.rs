//! Trees of bounding volumes over the triangles of a mesh.
//!
//! [`Tree`] is the one that queries use: wide nodes, single precision, vector instructions. The
//! trees of the papers, which report the same pairs at other costs, are in the crate
//! `impinge-papers`.

mod plain;
pub(crate) mod wide;

use crate::answer::{Bounds, Verdict};

/// Up to so many triangles, looking at all of them takes less than building a tree: of one mesh, or
/// of the smaller of two.
pub(crate) const MOST_WITHOUT_TREE: usize = 8;

/// Up to so many triangles in the larger of two meshes, a sweep over both takes less than a query
/// of their trees, also if these exist.
pub(crate) const MOST_FOR_SWEEP: usize = 32;

/// What a search within a budget finds: a lower bound of the distance, infinite if a mesh has no
/// triangles; two triangles that meet; or what is known.
pub(crate) type Within = Verdict<f64, (u32, u32), Bounds>;

pub(crate) use plain::PlainTree;
pub(crate) use plain::first_within as first_within_plain;
pub(crate) use wide::{
    Cast, Effort, SearchLimits, Seek, Upkeep, are_far, first_cached, first_soon, first_within,
    near, near_far, par_pairs, traverse,
};
pub use wide::{FORMAT, Refitted, Tree, TreeSize};
