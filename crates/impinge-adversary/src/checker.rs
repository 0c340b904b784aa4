//! Counts cases, stores failures, and computes digests of answers.

use std::fmt::{Debug, Write};
use std::time::Duration;

use xxhash_rust::xxh3::xxh3_64;

/// The number of failures of a row whose messages are stored.
const MAX_STORED_FAILURES: usize = 5;

/// The results of one row of the table of queries.
#[derive(Clone, Debug, Default)]
pub struct RowResults {
    /// The number of checked answers.
    pub cases: u64,
    /// The number of wrong answers.
    pub failed: u64,
    /// The first failures: sample index and message.
    pub failures: Vec<(u64, String)>,
    /// A sum of the hashes of all answers, each mixed with the index of its sample. Independent of
    /// the order and of the number of threads.
    pub digest: u64,
    /// The time spent, including the oracles.
    pub time: Duration,
    /// How often each named event occurred.
    pub counts: Vec<(&'static str, u64)>,
}

impl RowResults {
    /// Adds the results of another thread.
    pub fn add(&mut self, other: Self) {
        self.cases += other.cases;
        self.failed += other.failed;
        self.time += other.time;
        self.digest = self.digest.wrapping_add(other.digest);
        self.failures.extend(other.failures);
        self.failures.sort();
        self.failures.truncate(MAX_STORED_FAILURES);
        for (name, count) in other.counts {
            self.count(name, count);
        }
    }

    fn count(&mut self, name: &'static str, by: u64) {
        match self.counts.iter_mut().find(|(known, _)| *known == name) {
            Some((_, count)) => *count += by,
            None => self.counts.push((name, by)),
        }
    }
}

/// Collects the results of one row for one sample.
#[derive(Debug)]
pub struct Checker<'t> {
    results: &'t mut RowResults,
    sample: u64,
    /// The `Debug` text of all answers for this sample.
    answers: String,
}

impl<'t> Checker<'t> {
    /// A checker for one sample.
    pub fn new(results: &'t mut RowResults, sample: u64) -> Self {
        Self { results, sample, answers: String::new() }
    }

    /// Counts one answer and adds it to the digest.
    pub fn case(&mut self, answer: &impl Debug) {
        self.results.cases += 1;
        write!(self.answers, "{answer:?};").expect("writing to a string succeeds");
    }

    /// Records a wrong answer unless `holds`.
    pub fn check(&mut self, holds: bool, message: impl FnOnce() -> String) {
        if !holds {
            self.fail(message());
        }
    }

    /// Records a wrong answer.
    pub fn fail(&mut self, message: String) {
        self.results.failed += 1;
        if self.results.failures.len() < MAX_STORED_FAILURES {
            self.results.failures.push((self.sample, message));
        }
    }

    /// Counts an event. A test requires some events to occur.
    pub fn count(&mut self, name: &'static str) {
        self.results.count(name, 1);
    }

    /// Counts an event `by` times.
    pub fn count_by(&mut self, name: &'static str, by: u64) {
        self.results.count(name, by);
    }
}

impl Drop for Checker<'_> {
    fn drop(&mut self) {
        let hash = xxh3_64(self.answers.as_bytes());
        let mixed = (hash ^ self.sample).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.results.digest = self.results.digest.wrapping_add(mixed);
    }
}
