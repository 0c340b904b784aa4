//! The relation of two parts: clear, near, touching, crossing, contained or duplicate.

mod boxes;
mod duplicate;
mod known;
mod pair;
mod pair_search;
mod relation;
mod repeats;
mod report_search;
mod scene;
#[cfg(feature = "serde")]
mod serial;

pub use known::{CheckStage, CheckWithin, PairKnown, Relations};
pub use pair::{CheckOptions, PairReport, check_pair};
pub use pair_search::{PairSearch, check_pair_within};
pub use relation::Relation;
pub use repeats::first_equal_pairs;
pub use scene::candidate_pairs;
