//! Runs many samples on all threads.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use rayon::prelude::*;

use crate::checker::{Checker, RowResults};
use crate::family::FAMILIES;
use crate::queries::{Case, Row, rows};
use crate::sample::Sample;

/// The results of every row, in the order of the table.
#[derive(Clone, Debug)]
pub struct Findings {
    /// The number of samples.
    pub samples: u64,
    /// Name and results of each row.
    pub results: Vec<(&'static str, RowResults)>,
}

impl Findings {
    /// Empty findings.
    #[must_use]
    pub fn new() -> Self {
        Self {
            samples: 0,
            results: rows().iter().map(|r| (r.name, RowResults::default())).collect(),
        }
    }

    /// The number of cases of all rows.
    #[must_use]
    pub fn cases(&self) -> u64 {
        self.results.iter().map(|(_, t)| t.cases).sum()
    }

    /// The number of wrong answers of all rows.
    #[must_use]
    pub fn failed(&self) -> u64 {
        self.results.iter().map(|(_, t)| t.failed).sum()
    }

    /// The digest of all answers.
    #[must_use]
    pub fn digest(&self) -> u64 {
        let mix = |sum: u64, t: &RowResults| sum.rotate_left(7).wrapping_add(t.digest);
        self.results.iter().fold(0, |sum, (_, t)| mix(sum, t))
    }

    /// Adds the findings of another thread or of another part of a run.
    pub fn add(&mut self, other: Self) {
        self.samples += other.samples;
        for ((_, sum), (_, part)) in self.results.iter_mut().zip(other.results) {
            sum.add(part);
        }
    }
}

impl Default for Findings {
    fn default() -> Self {
        Self::new()
    }
}

/// Runs all rows whose name contains `only` on the samples `range` of `seed`.
///
/// The findings are the same on any number of threads.
#[must_use]
pub fn run(seed: u64, range: std::ops::Range<u64>, only: &str) -> Findings {
    let rows = rows();
    range
        .into_par_iter()
        .fold(Findings::new, |mut findings, index| {
            run_sample(&rows, seed, index, only, &mut findings);
            findings
        })
        .reduce(Findings::new, |mut sum, part| {
            sum.add(part);
            sum
        })
}

/// Runs all rows on one sample. A panic counts as a wrong answer of its row.
fn run_sample(rows: &[Row], seed: u64, index: u64, only: &str, findings: &mut Findings) {
    let sample = Sample::new(seed, index);
    let case = Case::new(&sample);
    findings.samples += 1;
    let round = index / FAMILIES.len() as u64;
    for (row, (_, results)) in rows.iter().zip(&mut findings.results) {
        if round % row.interval != 0 || !row.name.contains(only) {
            continue;
        }
        let start = Instant::now();
        let result = catch_unwind(AssertUnwindSafe(|| {
            let mut checker = Checker::new(results, index);
            (row.run)(&case, &mut checker);
        }));
        results.time += start.elapsed();
        if let Err(panic) = result {
            let text = panic
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| panic.downcast_ref::<&str>().copied());
            let mut checker = Checker::new(results, index);
            checker.fail(format!("panicked: {}", text.unwrap_or("without a message")));
        }
    }
}
