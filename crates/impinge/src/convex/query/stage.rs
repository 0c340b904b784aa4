//! Counts, in tests, which stage decided a query, so that a test knows whether it has reached all
//! of them.

/// A stage of a query.
#[derive(Clone, Copy, Debug)]
pub(super) enum Stage {
    /// The search in `f32`, or the bounding balls of the bodies.
    F32,
    /// The search in `f64`, or integers of fixed width.
    F64,
    /// Exact arithmetic.
    Exact,
}

#[cfg(test)]
thread_local! {
    static DECIDED: std::cell::Cell<[u32; 3]> = const { std::cell::Cell::new([0; 3]) };
}

/// Counts, in tests, the stage that decided a query.
#[inline(always)]
pub(super) fn record_stage(stage: Stage) {
    #[cfg(test)]
    DECIDED.with(|decided| {
        let mut counts = decided.get();
        counts[stage as usize] += 1;
        decided.set(counts);
    });
    #[cfg(not(test))]
    let _ = stage;
}

/// The number of queries of this thread that each stage decided since the last call.
#[cfg(test)]
pub(super) fn take_counts() -> [u32; 3] {
    DECIDED.take()
}
