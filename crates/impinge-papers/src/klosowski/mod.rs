//! J. Klosowski, M. Held, J. Mitchell, H. Sowizral, K. Zikan 1998, "Efficient collision detection
//! using bounding volume hierarchies of k-DOPs".
//!
//! # What the paper describes
//!
//! A moving object and a fixed environment, each a tree of discrete oriented polytopes: volumes
//! bounded by slabs in k/2 fixed directions. The object's k-DOPs are "tumbled" as it turns; the
//! trees are built by simple splitting rules; a cost model of three counters explains the time of a
//! check.
//!
//! # Where it is
//!
//! | section | what | here |
//! | --- | --- | --- |
//! | 3.2, 3.3.3 | 6-, 14-, 18- and 26-DOPs with the paper's directions; oriented boxes and spheres for comparison | [`volume`] |
//! | 3.1 | cost model: `N_v`, `N_p`, `N_u` and the cost of each | [`Counts`](bv_tree::Counts), [`Costs`](bv_tree::Costs) |
//! | 3.3.4, 3.3.2 | splitting rules, mean and median; surface area, samples, bottom-up | [`BuildOptions`](bv_tree::BuildOptions) |
//! | 4.1 | tumbling: hill-climbing at the root, vertices of k-DOPs below | [`ByShape`](bv_tree::ByShape) |
//! | 4.2 | Algorithm 1, restart at the root; the larger node first | [`Order`](bv_tree::Order) |
//! | 4.3 | leaf thresholds, by hand or automatic | [`BuildOptions`](bv_tree::BuildOptions) |
//! | 4.4, 1 | all pairs, and pairs within an epsilon | [`BvQuery::near`](bv_tree::BvQuery::near) |
//! | 5.2.3 | "maybe" with a bound on the penetration | [`BvQuery::within`](bv_tree::BvQuery::within) |
//! | 6.1 | coherence: a query starts at the last query's front | [`Front`](bv_tree::Front) |
//! | 6.1 | an environment that changes: insertion and deletion, with rebalancing, as a broad phase | [`DynamicTree`](dynamic_tree::DynamicTree) |
//!
//! Production uses another tree ([`impinge::tree`]: eight children, `f32` boxes, its own frame),
//! and the ideas of the budget and of refitted deforming meshes.
//!
//! # Errors and open questions in the paper
//!
//! - 5.2.3 stops a traversal and answers "maybe", but does not describe how the volumes bound the
//!   penetration. `docs/notes/maybe.md` derives two separate bounds.
//! - A k-DOP around moved vertices is rounded. Without the margins of `docs/notes/volumes.md` it
//!   would not contain its triangles, and contacts would be missed.
//! - Table 5: the median is never faster than the mean in the paper; here it is, in 4 of 20 cells.
//! - The paper's data sets are not public. Two of our scenes of the same kind and size, Torus and
//!   Swept, are harder than those of the paper.
//!
//! # How it performs
//!
//! `docs/results/klosowski.md` repeats Tables 1 to 7 and Figure 3 on scenes of the same kind, next
//! to the paper's figures. 18-DOPs are the fastest of the four on all five data sets
//! (in the paper on three); 1.5 to 3.4 times as fast as 6-DOPs. Hill-climbing below the root is
//! usually slower, as in the paper. Opening the larger node first, which the paper did not try,
//! takes 0.5 to 1.0 times the time of Algorithm 1. The engine's tree is 0.62 to 118 times as fast
//! as the best k-DOP tree, depending on the data set.

pub mod bv_tree;
pub mod dynamic_tree;
pub mod methods;
pub mod volume;
