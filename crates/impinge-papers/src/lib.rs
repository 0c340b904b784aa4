//! The published collision-detection systems that impinge unites, one module per paper.
//!
//! | module | paper |
//! | --- | --- |
//! | [`zachmann`] | G. Zachmann 1994, "Exact and fast collision detection" |
//! | [`klosowski`] | J. Klosowski et al. 1998, "Efficient collision detection using bounding volume hierarchies of k-DOPs" |
//! | [`leung`] | K. Leung 1996, "An efficient collision detection algorithm for polytopes in virtual environments" |
//! | [`hubbard`] | P. Hubbard 1995, "Collision detection for interactive graphics applications" |
//!
//! Each front page describes the contents of the paper, where they are implemented, errors found in
//! the paper, and the performance. All methods return the same results as the engine. Those that
//! may be wrong (relaxed modes, the Monte-Carlo test) document their bias.
//!
//! The pairwise methods plug into a [`World`](impinge::World) by their names: [`METHODS`].

mod broad;
pub mod hubbard;
pub mod klosowski;
pub mod leung;
mod methods;
mod visited_pairs;
pub mod zachmann;

pub use methods::{METHODS, method_by_name};
