//! Generated shapes, scenes and motions: what tests, experiments, benchmarks and the command line
//! work on where no file is given.

pub mod motion;
pub mod shapes;

/// The engine that the samples are built against.
pub use impinge;
