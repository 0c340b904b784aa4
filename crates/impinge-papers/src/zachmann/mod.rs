//! G. Zachmann 1994, "Exact and fast collision detection" (diploma thesis, Darmstadt).
//!
//! # What the thesis describes
//!
//! A collision module for virtual reality: exact pairwise tests for polygon soups, convex bodies
//! and closed objects; a box-tree that is traversed by clipping box edges; octrees and grids of
//! moving boxes; and the module that contains them, with an interest matrix, callbacks and
//! detection in parallel to the application.
//!
//! # Where it is
//!
//! | section | what | here |
//! | --- | --- | --- |
//! | 3.2 | edges against polygons, three pre-checks, relaxed modes | [`edges`] |
//! | 3.4.1 | convex bodies: edges clipped at half-spaces | [`clipping`] |
//! | 3.4.2 | convex bodies: a separating plane by the perceptron rule | [`perceptron`] |
//! | 3.5 | closed objects: the Monte-Carlo test | [`monte_carlo`] |
//! | 3.6 | the box-tree | [`box_tree`] |
//! | 5.4 to 5.7 | octree, grid with stabbing, octree of slabs, sorting with coherence | [`broad`] |
//! | 6.5 | two algorithms raced on one pair | [`race`] |
//!
//! The engine contains the methods that production uses: point in polygon and polyhedron
//! (3.2.2, 3.3, 3.5; [`impinge::exact`]), the pieces of section 3.7.2 ([`impinge::pieces`]), the
//! boundary representation of chapter 4 ([`impinge::mesh`]), the boxes of section 5.2, and the
//! module of chapters 6 and 7 ([`impinge::world`]).
//!
//! # Errors found in the thesis
//!
//! - 3.4.1: if no face is collected, the thesis concludes that the edges are outside. All of them
//!   may also be inside. And faces that are skipped because the box of the body misses their boxes
//!   can still clip an edge; see [`clipping`].
//! - 3.4.2: the thesis proposes to use only vertices in the intersection of the two boxes. Two
//!   crossed bars have none there; see [`perceptron`].
//! - 3.6.3: the printed weights of the interval search do not sum to one; see [`box_tree`].
//! - 3.6.5: the threshold of 200 polygons for the torus contradicts the preceding figures, which
//!   suggest 20.
//! - 6.6: with many objects the race of two algorithms made frames slower; the thesis gives no
//!   reason. Waking a thread for each pair takes longer than the check: see [`race`].
//!
//! # How it performs
//!
//! Figures and commands are in `docs/results`: `zachmann-3-2.md`, `zachmann-3-4.md`,
//! `zachmann-3-6.md` and `zachmann-5.md`, each next to the thesis' own numbers. In short:
//!
//! - The pre-checks decide most of the time of edges against polygons, as in the thesis; the
//!   edge-against-face boxes gain less than its factor of eleven.
//! - The box-tree becomes faster than edges against polygons at 222 to 748 polygons per object,
//!   later than in the thesis; triangle pairs at the leaves, which the thesis did not test, double
//!   its speed.
//! - Clipping takes 0.23 to 2.1 times as long as the algorithm for arbitrary polyhedra where bodies
//!   nearly always meet; separating vectors ([`leung`](crate::leung)) are faster than both.
//! - One moving object among 500 at rest: the grid gains a factor of 190 (thesis: 5). If all
//!   objects move, the engine's [`Neighbours`](impinge::broad::Neighbours) is faster than grid
//!   and octree from 30 objects on.

pub mod box_tree;
pub mod broad;
pub mod clipping;
pub mod edges;
pub mod methods;
mod monte_carlo;
pub mod perceptron;
pub mod race;

pub use monte_carlo::{MonteCarlo, MonteCarloOutcome, monte_carlo};
