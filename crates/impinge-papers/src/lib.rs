//! The published collision-detection systems that impinge unites, one module a paper.
//!
//! | module | paper |
//! | --- | --- |
//! | [`zachmann`] | G. Zachmann 1994, "Exact and fast collision detection" |
//! | [`klosowski`] | J. Klosowski et al. 1998, "Efficient collision detection using bounding volume hierarchies of k-DOPs" |
//! | [`leung`] | K. Leung 1996, "An efficient collision detection algorithm for polytopes in virtual environments" |
//!
//! Each front page documents what the paper describes, where it is implemented, what was found
//! wrong in it, and how it performs. All methods return the same results as the engine. Those that
//! may be wrong (relaxed modes, the Monte-Carlo test) document their bias.

pub mod klosowski;
pub mod leung;
pub mod zachmann;
