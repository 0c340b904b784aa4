//! K. Leung 1996, "An efficient collision detection algorithm for polytopes in virtual
//! environments" (M.Phil. thesis, Hong Kong; the library `Q_COLLIDE`).
//!
//! # What the thesis describes
//!
//! Whether two polytopes meet is decided by a search for a vector that separates them. A direction
//! is tested; if it does not separate, its two supporting vertices determine the next direction.
//! With the vector and the vertices of the last frame stored for each pair, a test takes almost
//! constant time. In addition: exact termination, closest points at the last collision-free frame,
//! a pipeline from sweep-and-prune to closest points, and trees of hulls for bodies that are not
//! convex.
//!
//! # Where it is
//!
//! | section | what | here |
//! | --- | --- | --- |
//! | 3.2, 3.7, 3.8 | greedy and conservative directions, and the family of directions between them | [`separating::Rule`] |
//! | 3.3, 3.5 | supporting vertices by local search, 8 x 16 direction table | [`LocalSearch`], [`DirectionTable`] |
//! | 2.5, 5.3 | supporting vertices in O(log n) (Dobkin and Kirkpatrick) | [`Hierarchy`] |
//! | 3.4, 3.6 | first direction, cache of vector and vertices | [`separating::Prepared`], [`separating::SeparatingCache`] |
//! | 4.2, 4.3 | termination by hemisphere, half-planes, recurrence | [`separating::Hemisphere`], [`separating::HalfPlanes`] |
//! | 5.1 to 5.4 | closest points: improved Gilbert, Johnson's sub-algorithm | [`closest`] |
//! | 5.5, 6.1 | the combined algorithm and its options | [`Tracker`] |
//! | 5.6 | trees of hulls with convex pieces and meshes at the leaves | [`HullTree`] |
//!
//! Production searches by a certified variant of Gilbert's algorithm
//! ([`impinge::convex::intersects`]) and keeps the pipeline of section 3.1 ([`impinge::world`]).
//!
//! # Errors found in the thesis
//!
//! - 4.2.1: the hemisphere's new middle is along the sum of two projections that are not
//!   normalised. Unless these have equal lengths, the sum need not lie in the half-plane; see
//!   [`separating::Hemisphere`].
//! - 4.3: `S . (q - p) = 0` counts as "not colliding", as do recurring pairs of vertices. But
//!   bodies that touch share a point. Here "separated" requires a gap larger than rounding errors,
//!   and the exact decision is called for the remaining cases; see [`separating`].
//! - 5.4: any vertex that occurred before ends the iteration. But a vertex that was dropped may be
//!   needed again: of 3,000 pairs of hulls of 20 vertices, 6 ended with a distance up to 1 percent
//!   too large; see [`closest::Recurrence`].
//!
//! # How it performs
//!
//! `docs/results/leung.md` repeats Figures 6.3 to 6.11. Separating vectors are 1.5 to 2.4 times
//! as fast as tracking closest features on bodies of 20 vertices, and 3.4 to 7.3 times on 500; at
//! most 29 steps in 351,095 tests, 95 percent of free pairs in three. With coherence the time grows
//! as n^0.14, "almost constant", as the thesis says.

pub mod closest;
mod hull_tree;
pub mod methods;
pub mod separating;
mod support;
mod tracker;

pub use hull_tree::{HullTest, HullTree, exact};
pub use support::{
    BruteForce, Certainty, DirectionTable, Hierarchy, HierarchySearch, LocalSearch, VertexSearch,
};
pub use tracker::{Closest, Frame, Goal, Method, Tracker, TrackerState};
