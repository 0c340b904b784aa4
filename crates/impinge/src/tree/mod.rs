//! Trees of bounding volumes over the triangles of a mesh.
//!
//! [`Tree`] serves the queries: wide nodes, single precision, vector instructions. The trees of the
//! papers, which report the same pairs at other costs, are in the crate `impinge-papers`.

pub(crate) mod wide;

/// Number of triangles, of one mesh or of the smaller of two, up to which testing all of them takes
/// less time than building a tree.
pub(crate) const MAX_TRIANGLES_WITHOUT_TREE: usize = 8;

/// Number of triangles in the larger of two meshes up to which a sweep over both takes less time
/// than a query of their trees, even if the trees exist.
pub(crate) const MAX_TRIANGLES_FOR_SWEEP: usize = 32;

pub(crate) use wide::{
    Aim, BoxSearch, BoxStack, HitSearch, MAX_QUICK_STEPS, NearSearch, Progress, RayQuery,
    RaySearch, RayTest, Receiver, SearchCounts, SearchLimits, StagedTest, TreeRefitState,
    UnevenSearch, are_far, contact_of_boxes, first_cached, first_in_few_steps, near, near_far,
    par_pairs, traverse,
};
pub use wide::{FORMAT_VERSION, Refitted, Tree, TreeSize};
