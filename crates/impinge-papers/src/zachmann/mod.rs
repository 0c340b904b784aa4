//! Zachmann.
pub mod box_tree;
pub mod broad;
pub mod clipping;
pub mod edges;
pub mod methods;
mod monte_carlo;
pub mod perceptron;
pub mod race;

pub use monte_carlo::{MonteCarlo, MonteCarloOutcome, monte_carlo};
