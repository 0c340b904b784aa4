//! Generated shapes, scenes and motions: input for tests, experiments, benchmarks and the command
//! line when no file is given.

pub mod motion;
pub mod shapes;

/// The engine that the samples are built against.
pub use impinge;

/// Compiles and runs the examples of the package's README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
