//! Timing of queries and of building: each pose alone, the fastest of a few passes, as in the peer
//! measurements.

use std::time::{Duration, Instant};

use impinge::tree::Tree;
use impinge::{Mesh, Pose};

use crate::report::CpuClock;

/// The maximum number of passes over the poses.
const MAX_PASSES: usize = 5;

/// Times and answers of a query at each pose.
pub(crate) struct Timed<T> {
    /// Microseconds, the fastest of all passes.
    pub(crate) us: Vec<f64>,
    /// The answers of the first pass.
    pub(crate) answers: Vec<T>,
    /// The number of passes made.
    pub(crate) passes: usize,
}

/// Times a query at every pose, in up to [`MAX_PASSES`] passes within the budget. A first pass
/// stops after twice the budget, but not before the fifth pose; later passes cover only the poses
/// of the first one.
pub(crate) fn time<T>(
    budget: Duration,
    poses: &[Pose],
    mut query: impl FnMut(&Pose) -> T,
) -> Timed<T> {
    let mut timed = Timed { us: Vec::new(), answers: Vec::new(), passes: 0 };
    let start = Instant::now();
    while timed.passes < MAX_PASSES && (timed.passes == 0 || start.elapsed() < budget) {
        let count = if timed.passes == 0 { poses.len() } else { timed.us.len() };
        for (i, pose) in poses[..count].iter().enumerate() {
            let clock = Instant::now();
            let answer = std::hint::black_box(query(pose));
            let us = clock.elapsed().as_secs_f64() * 1e6;
            if timed.passes > 0 {
                timed.us[i] = us.min(timed.us[i]);
                continue;
            }
            timed.us.push(us);
            timed.answers.push(answer);
            if i >= 4 && start.elapsed() > 2 * budget {
                break;
            }
        }
        timed.passes += 1;
    }
    timed
}

/// Time of building the tree of a mesh, the fastest of several runs.
pub(crate) fn build(mesh: &Mesh, times: usize) -> Duration {
    let once = || {
        let start = Instant::now();
        std::hint::black_box(Tree::build(mesh));
        start.elapsed()
    };
    (0..times).map(|_| once()).min().unwrap_or_default()
}

/// Processor time of `make` in seconds. It is called in batches that are long enough for the clock;
/// the fastest of at least three batches within `budget` seconds counts.
pub(crate) fn preparation<T>(budget: f64, mut make: impl FnMut() -> T) -> f64 {
    let start = Instant::now();
    std::hint::black_box(make());
    let count = (BATCH_SECONDS / start.elapsed().as_secs_f64().max(1e-7)).ceil().clamp(1.0, 1e5);
    let start = Instant::now();
    let (mut best, mut batches) = (f64::INFINITY, 0);
    while batches < 3 || (batches < 100 && start.elapsed().as_secs_f64() < budget) {
        let clock = CpuClock::start();
        for _ in 0..count as usize {
            std::hint::black_box(make());
        }
        best = best.min(clock.seconds() / count);
        batches += 1;
    }
    best
}

/// Approximate duration of a batch in seconds.
const BATCH_SECONDS: f64 = 0.05;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn preparation_measures_a_busy_loop() {
        let spin = || {
            let start = Instant::now();
            while start.elapsed().as_secs_f64() < 2e-3 {}
        };
        let seconds = preparation(0.0, spin);
        // On a busy machine other processes take part of the two milliseconds.
        assert!(seconds > 1e-5 && seconds < 0.1, "{seconds}");
    }
}
