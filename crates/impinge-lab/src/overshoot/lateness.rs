//! By how much queries are late that stop at a deadline.

use std::hint::black_box;
use std::time::{Duration, Instant};

use anyhow::Result;
use impinge::internals::Random;
use impinge::pair::Budget;

use super::scene::Query;
use crate::report::{short, thread_time};

/// The budgets in microseconds.
pub(super) const BUDGETS: [u64; 4] = [10, 100, 1000, 10_000];

/// What is promised for the 99.9 % quantile, in microseconds: of the processor time, and of the
/// wall clock on a core that does nothing else.
const MAX_CPU_P999: f64 = 20.0;
const MAX_WALL_P999: f64 = 50.0;

/// Lateness in microseconds: of the processor time and of the wall clock.
#[derive(Clone, Debug, Default)]
pub(super) struct Late {
    cpu: Vec<f64>,
    wall: Vec<f64>,
}

/// The headings of [`Late::row`], behind those of the caller.
pub(super) const HEADINGS: [&str; 11] = [
    "late",
    "CPU p50",
    "p99",
    "p99.9",
    "max",
    "CPU target",
    "wall p50",
    "p99",
    "p99.9",
    "max",
    "wall target",
];

impl Late {
    pub(super) fn add(&mut self, other: &Self) {
        self.cpu.extend(&other.cpu);
        self.wall.extend(&other.wall);
    }

    /// The number of late queries, quantiles, and verdicts.
    pub(super) fn row(&mut self, first: &[String]) -> Vec<String> {
        let mut row = first.to_vec();
        row.push(crate::report::count(self.cpu.len() as u64));
        for (values, limit) in [(&mut self.cpu, MAX_CPU_P999), (&mut self.wall, MAX_WALL_P999)] {
            values.sort_by(f64::total_cmp);
            for share in [0.5, 0.99, 0.999, 1.0] {
                row.push(short(quantile(values, share)));
            }
            row.push(verdict(quantile(values, 0.999), limit));
        }
        row
    }
}

/// Whether a measured value is within its limit.
pub(crate) fn verdict(value: f64, limit: f64) -> String {
    if value <= limit { "met".to_owned() } else { format!("missed by {}", short(value - limit)) }
}

/// The smallest value that at least this share of the sorted values do not exceed.
pub(crate) fn quantile(sorted: &[f64], share: f64) -> f64 {
    let at = (sorted.len() as f64 * share).ceil() as usize;
    sorted.get(at.max(1) - 1).copied().unwrap_or(0.0)
}

/// Memory that is written to empty the caches.
#[derive(Debug)]
pub(super) struct Caches(Vec<u8>);

impl Caches {
    pub(super) fn new(bytes: usize) -> Self {
        Self(vec![0; bytes])
    }

    pub(super) fn empty(&mut self) {
        self.0.iter_mut().step_by(64).for_each(|byte| *byte = byte.wrapping_add(1));
        black_box(&mut self.0);
    }
}

/// Runs one query with a budget, and records its lateness if the budget was spent; whether it was
/// decided.
fn record(query: &mut dyn Query, micros: u64, late: &mut Late) -> bool {
    let budget = Duration::from_micros(micros);
    let cpu = thread_time();
    let deadline = Instant::now() + budget;
    let decided = query.within(&mut Budget::deadline(deadline));
    let wall = Instant::now().saturating_duration_since(deadline);
    let cpu = (thread_time() - cpu).saturating_sub(budget);
    if !decided {
        late.cpu.push(cpu.as_secs_f64() * 1e6);
        late.wall.push(wall.as_secs_f64() * 1e6);
    }
    decided
}

/// The lateness of a query with one budget: each place from the start, and once more resumed.
pub(super) fn measure(
    query: &mut dyn Query,
    micros: u64,
    seconds: f64,
    random: &mut Random,
    mut cold: Option<&mut Caches>,
) -> Result<Late> {
    let mut late = Late::default();
    let start = Instant::now();
    while start.elapsed().as_secs_f64() < seconds {
        query.place(random)?;
        for _ in 0..2 {
            if let Some(caches) = &mut cold {
                caches.empty();
            }
            if record(query, micros, &mut late) {
                break;
            }
        }
    }
    Ok(late)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_values_of_the_list() {
        let sorted: Vec<f64> = (1..=1000).map(f64::from).collect();
        assert_eq!(
            [0.5, 0.99, 0.999, 1.0].map(|q| quantile(&sorted, q)),
            [500.0, 990.0, 999.0, 1000.0]
        );
        assert_eq!(quantile(&[], 0.5), 0.0);
    }

    #[test]
    fn verdicts_name_what_is_missing() {
        assert_eq!(verdict(20.0, 20.0), "met");
        assert_eq!(verdict(23.5, 20.0), "missed by 3.50");
    }

    #[test]
    fn the_time_of_the_thread_runs() {
        let start = thread_time();
        let mut sum = 0_u64;
        while thread_time() - start < Duration::from_millis(2) {
            sum = black_box(sum + 1);
        }
        assert!(sum > 0);
    }
}
