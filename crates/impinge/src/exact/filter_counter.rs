//! The interface that counts stages of predicates.

/// Counts the stage that decided; `()` ignores it and compiles to nothing.
pub(super) trait FilterCounter {
    fn filter(&mut self, signs: u64);
    fn adaptive(&mut self);
    fn integer(&mut self);
}

impl FilterCounter for () {
    #[inline(always)]
    fn filter(&mut self, _signs: u64) {}
    #[inline(always)]
    fn adaptive(&mut self) {}
    #[inline(always)]
    fn integer(&mut self) {}
}
