//! Which stage of a query decided: counted in tests, so that a test of all three knows that it
//! reached them.

/// A stage of a query.
#[derive(Clone, Copy, Debug)]
pub(super) enum Stage {
    /// The search in `f32`, or balls around the bodies.
    Rough,
    /// The search in `f64`, or integers of fixed width.
    Fine,
    /// Exact arithmetic.
    Exact,
}

#[cfg(test)]
thread_local! {
    static DECIDED: std::cell::Cell<[u32; 3]> = const { std::cell::Cell::new([0; 3]) };
}

/// Notes, in tests, which stage decided.
#[inline(always)]
pub(super) fn decided(stage: Stage) {
    #[cfg(test)]
    DECIDED.with(|decided| {
        let mut counts = decided.get();
        counts[stage as usize] += 1;
        decided.set(counts);
    });
    #[cfg(not(test))]
    let _ = stage;
}

/// How many queries of this thread each stage decided since the last call.
#[cfg(test)]
pub(super) fn take() -> [u32; 3] {
    DECIDED.take()
}
