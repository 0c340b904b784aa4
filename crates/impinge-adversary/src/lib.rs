//! Runs every public query of impinge on adversarial inputs and checks the answers.
//!
//! - [`family`]: the table of families of inputs. A family arranges two triangle meshes (shared
//!   vertices, coplanar faces, needles, empty meshes, ...); [`regime`] sets scale, offset and pose.
//! - [`truth`]: the exact results for a sample, computed in integers by the [`oracle`]s, which
//!   share no code with the library.
//! - [`queries`]: the table of queries. A row runs one or several public queries at every step of a
//!   sample, verifies every verdict, bound and certificate, and adds the answers to a digest.
//! - [`run`]: runs many samples on all threads and counts the results of each row.
//!
//! A *case* is one checked answer. The test `surface` reads the source of the library and fails if
//! a public query has no row.
//!
//! Digests of all answers for the samples of the test are stored in `digests.txt`. A change that
//! should not change answers must reproduce them; a change that should rewrites them with
//! `--write-digests`.
//!
//! ```sh
//! cargo test -p impinge-adversary                                   # minutes
//! cargo run --release -p impinge-adversary -- --cases 100000000     # the long run
//! ```

pub mod checker;
pub mod digests;
pub mod family;
pub mod oracle;
pub mod queries;
pub mod regime;
pub mod report;
pub mod run;
pub mod sample;
pub mod truth;

pub use impinge_oracles::common::Random;

/// Compiles the examples of the project's README. The README is not part of any published package,
/// so no published crate can compile them.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
