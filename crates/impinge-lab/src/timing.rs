//! How queries and building are timed: each pose alone, the fastest of a few passes, as in the peer
//! measurements.

use std::time::{Duration, Instant};

use impinge::tree::Tree;
use impinge::{Mesh, Pose};

use crate::report::CpuClock;

/// The most passes over the poses.
const PASSES: usize = 5;

/// What a query took and said at each pose.
pub(crate) struct Timed<T> {
    /// Microseconds, the fastest of all passes.
    pub(crate) us: Vec<f64>,
    /// What it said in the first pass.
    pub(crate) answers: Vec<T>,
    /// How many passes there were.
    pub(crate) passes: usize,
}

/// Times a query at every pose, in up to five passes within the budget; a first pass that takes
/// twice the budget stops there, and the others do not go further.
pub(crate) fn time<T>(
    budget: Duration,
    poses: &[Pose],
    mut query: impl FnMut(&Pose) -> T,
) -> Timed<T> {
    let mut timed = Timed { us: Vec::new(), answers: Vec::new(), passes: 0 };
    let start = Instant::now();
    while timed.passes < PASSES && (timed.passes == 0 || start.elapsed() < budget) {
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

/// How long building the tree of a mesh takes, the fastest of several times.
pub(crate) fn build(mesh: &Mesh, times: usize) -> Duration {
    let once = || {
        let start = Instant::now();
        std::hint::black_box(Tree::build(mesh));
        start.elapsed()
    };
    (0..times).map(|_| once()).min().unwrap_or_default()
}

/// Seconds that `make` takes on the processor: so many times in a row that the time this thread ran
/// can be told, the fastest of such rows within `budget` seconds, of three at least.
pub(crate) fn preparation<T>(budget: f64, mut make: impl FnMut() -> T) -> f64 {
    let start = Instant::now();
    std::hint::black_box(make());
    let count = (ROW / start.elapsed().as_secs_f64().max(1e-7)).ceil().clamp(1.0, 1e5);
    let start = Instant::now();
    let (mut best, mut rows) = (f64::INFINITY, 0);
    while rows < 3 || (rows < 100 && start.elapsed().as_secs_f64() < budget) {
        let clock = CpuClock::start();
        for _ in 0..count as usize {
            std::hint::black_box(make());
        }
        best = best.min(clock.seconds() / count);
        rows += 1;
    }
    best
}

/// Seconds a row of preparations takes about.
const ROW: f64 = 0.05;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preparation_takes_its_time() {
        let spin = || {
            let start = Instant::now();
            while start.elapsed().as_secs_f64() < 2e-3 {}
        };
        let seconds = preparation(0.0, spin);
        // On a busy machine part of the two milliseconds is somebody else's.
        assert!(seconds > 1e-5 && seconds < 0.1, "{seconds}");
    }
}
