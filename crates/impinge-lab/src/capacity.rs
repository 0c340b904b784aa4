//! How much work the machine lets several threads do at once: without that, what threads gain
//! cannot be told from what else the machine does.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// How long threads spin, and how often.
const SPIN: Duration = Duration::from_millis(40);
const ROUNDS: usize = 5;

/// Of what so many threads should do at once, compared with one: below this, figures on threads are
/// not to be trusted.
const ENOUGH: f64 = 0.9;

/// What several threads that only count did together, as a multiple of what one did alone. The
/// median of several rounds, one and several in turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Capacity {
    threads: usize,
    times: f64,
}

impl Capacity {
    /// Measures now, for a fifth of a second or so.
    pub(crate) fn measure(threads: usize) -> Self {
        let threads = threads.max(1);
        let mut ratios: Vec<f64> =
            (0..ROUNDS).map(|_| count(threads) as f64 / count(1).max(1) as f64).collect();
        ratios.sort_by(f64::total_cmp);
        Self { threads, times: ratios[ROUNDS / 2] }
    }

    /// The smaller of two, before and after a measurement.
    pub(crate) fn least(self, other: Self) -> Self {
        if other.times < self.times { other } else { self }
    }

    /// Whether the machine had the threads' cores free, so that gains mean something.
    pub(crate) fn is_enough(self) -> bool {
        self.times >= ENOUGH * self.threads as f64
    }

    /// A paragraph on it, with a warning where it was not enough.
    pub(crate) fn sentence(self) -> String {
        let Self { threads, times } = self;
        let control = format!(
            "Control: {threads} threads that only count did {times:.2} times the work of one, at the time of these measurements."
        );
        if self.is_enough() {
            control
        } else {
            format!(
                "{control} **The machine was busy: the figures on more than one thread show that, not what threads gain, and are to be taken again when it is idle.**"
            )
        }
    }
}

/// How far threads count together.
fn count(threads: usize) -> u64 {
    let spin = || {
        let (start, mut n) = (Instant::now(), 0_u64);
        while start.elapsed() < SPIN {
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
    fn a_busy_machine_is_told_of() {
        let (busy, free) =
            (Capacity { threads: 2, times: 0.8 }, Capacity { threads: 2, times: 1.95 });
        assert!(!busy.is_enough() && free.is_enough());
        assert!(busy.sentence().contains("busy") && !free.sentence().contains("busy"));
        assert_eq!(free.least(busy), busy);
        assert!(Capacity::measure(1).times > 0.2);
    }
}
