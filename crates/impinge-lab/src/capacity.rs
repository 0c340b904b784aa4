//! How much work several threads can do at once on this machine. Without this control, a small
//! speed-up by threads and a busy machine look the same.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Duration of one count.
const COUNT_TIME: Duration = Duration::from_millis(40);
/// Number of measurements, of which the median counts.
const ROUNDS: usize = 5;

/// The smallest share of the ideal speed-up for which measurements of threads can be trusted.
const MIN_EFFICIENCY: f64 = 0.9;

/// The work of several threads that only increment counters, relative to the work of one thread.
/// The median of several rounds; each round counts with all threads and with one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Capacity {
    threads: usize,
    speedup: f64,
}

impl Capacity {
    /// Measures now; this takes 0.4 s.
    pub(crate) fn measure(threads: usize) -> Self {
        let threads = threads.max(1);
        let mut ratios: Vec<f64> =
            (0..ROUNDS).map(|_| count(threads) as f64 / count(1).max(1) as f64).collect();
        ratios.sort_by(f64::total_cmp);
        Self { threads, speedup: ratios[ROUNDS / 2] }
    }

    /// The smaller of two capacities, measured before and after an experiment.
    pub(crate) fn min(self, other: Self) -> Self {
        if other.speedup < self.speedup { other } else { self }
    }

    /// Whether the machine had enough free cores for all threads.
    pub(crate) fn is_enough(self) -> bool {
        self.speedup >= MIN_EFFICIENCY * self.threads as f64
    }

    /// A paragraph that states the capacity, with a warning if it was not enough.
    pub(crate) fn sentence(self) -> String {
        let Self { threads, speedup } = self;
        let control = format!(
            "Control: {threads} threads that only increment counters did {speedup:.2} times the work of one thread during these measurements."
        );
        if self.is_enough() {
            control
        } else {
            format!(
                "{control} **The machine was busy: the numbers for more than one thread show its load, not the speed-up by threads. Measure again when it is idle.**"
            )
        }
    }
}

/// The sum of the counts that `threads` threads reach.
fn count(threads: usize) -> u64 {
    let spin = || {
        let (start, mut n) = (Instant::now(), 0_u64);
        while start.elapsed() < COUNT_TIME {
            for _ in 0..1000 {
                n = black_box(n + 1);
            }
        }
        n
    };
    std::thread::scope(|scope| {
        let spinning: Vec<_> = (0..threads).map(|_| scope.spawn(spin)).collect();
        spinning.into_iter().map(|thread| thread.join().unwrap_or(0)).sum()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_machine_is_reported() {
        let (busy, free) =
            (Capacity { threads: 2, speedup: 0.8 }, Capacity { threads: 2, speedup: 1.95 });
        assert!(!busy.is_enough() && free.is_enough());
        assert!(busy.sentence().contains("busy") && !free.sentence().contains("busy"));
        assert_eq!(free.min(busy), busy);
        assert!(Capacity::measure(1).speedup > 0.2);
    }
}
