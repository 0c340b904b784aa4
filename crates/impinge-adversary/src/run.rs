//! Many samples on all threads.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use rayon::prelude::*;

use crate::family::FAMILIES;
use crate::judge::{Judge, Tally};
use crate::queries::{Case, Row, rows};
use crate::sample::Sample;

/// What was found for every row, in the order of the table.
#[derive(Clone, Debug)]
pub struct Findings {
    /// How many samples were asked about.
    pub samples: u64,
    /// One for each row.
    pub tallies: Vec<(&'static str, Tally)>,
}

impl Findings {
    /// Nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self { samples: 0, tallies: rows().iter().map(|r| (r.name, Tally::default())).collect() }
    }

    /// All cases.
    #[must_use]
    pub fn cases(&self) -> u64 {
        self.tallies.iter().map(|(_, t)| t.cases).sum()
    }

    /// All wrong answers.
    #[must_use]
    pub fn failed(&self) -> u64 {
        self.tallies.iter().map(|(_, t)| t.failed).sum()
    }

    /// One number for all answers.
    #[must_use]
    pub fn digest(&self) -> u64 {
        let mix = |sum: u64, t: &Tally| sum.rotate_left(7).wrapping_add(t.digest);
        self.tallies.iter().fold(0, |sum, (_, t)| mix(sum, t))
    }

    /// Adds what another thread or an earlier part of a run found.
    pub fn add(&mut self, other: Self) {
        self.samples += other.samples;
        for ((_, sum), (_, part)) in self.tallies.iter_mut().zip(other.tallies) {
            sum.add(part);
        }
    }
}

impl Default for Findings {
    fn default() -> Self {
        Self::new()
    }
}

/// Asks all rows whose name contains `only` about samples `range` of the stream of `seed`.
///
/// The findings are the same on any number of threads.
#[must_use]
pub fn run(seed: u64, range: std::ops::Range<u64>, only: &str) -> Findings {
    let rows = rows();
    range
        .into_par_iter()
        .fold(Findings::new, |mut findings, index| {
            ask(&rows, seed, index, only, &mut findings);
            findings
        })
        .reduce(Findings::new, |mut sum, part| {
            sum.add(part);
            sum
        })
}

/// One sample through all rows. A panic is a wrong answer of the row in which it happened.
fn ask(rows: &[Row], seed: u64, index: u64, only: &str, findings: &mut Findings) {
    let sample = Sample::new(seed, index);
    let case = Case::new(&sample);
    findings.samples += 1;
    let round = index / FAMILIES.len() as u64;
    for (row, (_, tally)) in rows.iter().zip(&mut findings.tallies) {
        if round % row.every != 0 || !row.name.contains(only) {
            continue;
        }
        let start = Instant::now();
        let asked = catch_unwind(AssertUnwindSafe(|| {
            let mut judge = Judge::new(tally, index);
            (row.ask)(&case, &mut judge);
        }));
        tally.time += start.elapsed();
        if let Err(panic) = asked {
            let text = panic
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| panic.downcast_ref::<&str>().copied());
            let mut judge = Judge::new(tally, index);
            judge.fail(format!("panicked: {}", text.unwrap_or("without a message")));
        }
    }
}
