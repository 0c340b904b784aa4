//! Asks every public query of impinge about inputs made to break it, and judges the answers.
//!
//! - [`family`]: one table of families of inputs. A family arranges two triangle meshes (shared
//!   vertices, coplanar faces, needles, nothing at all, ...), [`regime`] sets scale, offset and
//!   pose.
//! - [`truth`]: what is true about a sample, found in integers by the [`oracle`]s, which share no
//!   code with the library.
//! - [`queries`]: one table of rows. A row asks one or several public queries about every step of a
//!   sample, verifies every verdict, bound and certificate, and adds the answers to a digest.
//! - [`run`]: many samples on all threads, counted row by row.
//!
//! A *case* is one step of one sample asked through one row. The test `surface` reads the source of
//! the library and fails if a public query has no row.
//!
//! Digests of all answers to the samples of the test are kept in `digests.txt`. A change that
//! should not change answers must reproduce them; one that should writes them anew with
//! `--write-digests`.
//!
//! ```sh
//! cargo test -p impinge-adversary                                   # minutes
//! cargo run --release -p impinge-adversary -- --cases 100000000     # the long run
//! ```

pub mod digests;
pub mod family;
pub mod judge;
pub mod oracle;
pub mod queries;
pub mod regime;
pub mod report;
pub mod run;
pub mod sample;
pub mod truth;

pub use impinge_oracles::common::Random;

/// The examples of the project's README compile. It is no part of the packages that are published,
/// so none of these can do this.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
