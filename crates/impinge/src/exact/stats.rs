//! Counts of the predicates that each stage decided.

use std::fmt;
use std::ops::AddAssign;

use super::filter_counter::FilterCounter;

/// How many signs each stage of the predicates decided.
///
/// Filled by the `_counted` variants of the predicates. The plain variants do not count, at no
/// cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FilterStats {
    /// Decided by a float evaluation and its error bound.
    pub filter: u64,
    /// Decided by adaptive expansions.
    pub adaptive: u64,
    /// Decided by integers of any length, because a product of tiny coordinates would underflow.
    pub integer: u64,
}

impl FilterStats {
    /// The number of signs decided by any stage.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.filter + self.adaptive + self.integer
    }
}

impl AddAssign for FilterStats {
    fn add_assign(&mut self, other: Self) {
        self.filter += other.filter;
        self.adaptive += other.adaptive;
        self.integer += other.integer;
    }
}

impl fmt::Display for FilterStats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "filter {}, adaptive {}, integer {}", self.filter, self.adaptive, self.integer)
    }
}

impl FilterCounter for FilterStats {
    #[inline]
    fn filter(&mut self, signs: u64) {
        self.filter += signs;
    }
    #[inline]
    fn adaptive(&mut self) {
        self.adaptive += 1;
    }
    #[inline]
    fn integer(&mut self) {
        self.integer += 1;
    }
}
