//! Trees of bounding volumes over the triangles of a mesh.
//!
//! [`Tree`] serves the queries: wide nodes, single precision, vector instructions. The trees of the
//! papers, which report the same pairs at other costs, are in the crate `impinge-papers`.

mod plain;
pub(crate) mod wide;

use crate::answer::{Bounds, Verdict};

/// Number of triangles, of one mesh or of the smaller of two, up to which testing all of them takes
/// less time than building a tree.
pub(crate) const MAX_TRIANGLES_WITHOUT_TREE: usize = 8;

/// Number of triangles in the larger of two meshes up to which a sweep over both takes less time
/// than a query of their trees, even if the trees exist.
pub(crate) const MAX_TRIANGLES_FOR_SWEEP: usize = 32;

/// Result of a search within a budget: a lower bound of the distance (infinite if a mesh has no
/// triangles), two triangles that meet, or the bounds that are known.
pub(crate) type Within = Verdict<f64, (u32, u32), Bounds>;

pub(crate) use plain::PlainTree;
pub(crate) use plain::first_within as first_within_plain;
pub(crate) use wide::{
    BoxSearch, RayQuery, SearchCounts, SearchLimits, TreeRefitState, are_far, first_cached,
    first_in_few_steps, first_within, near, near_far, par_pairs, traverse,
};
pub use wide::{FORMAT_VERSION, Refitted, Tree, TreeSize};
