//! The relation of two parts: clear, near, touching, crossing, contained or duplicate.

mod boxes;
mod duplicate;
mod pair;
mod relation;
mod repeats;
mod scene;
#[cfg(feature = "serde")]
mod serial;

pub use pair::{CheckOptions, PairReport, check_pair};
pub use relation::Relation;
pub use repeats::first_equal_pairs;
pub use scene::candidate_pairs;
