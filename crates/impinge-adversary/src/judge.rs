//! Counts cases, keeps failures, and digests answers.

use std::fmt::{Debug, Write};
use std::time::Duration;

use xxhash_rust::xxh3::xxh3_64;

/// Failures of a row that are kept with their messages.
const KEPT: usize = 5;

/// What was found for one row of the table of queries.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// How many answers were judged.
    pub cases: u64,
    /// How many of them were wrong.
    pub failed: u64,
    /// The first wrong ones.
    pub failures: Vec<(u64, String)>,
    /// A sum of the hashes of all answers, each with the number of its sample: the same whatever
    /// the order and the number of threads.
    pub digest: u64,
    /// The time it took, truth and all.
    pub time: Duration,
    /// How often each named thing happened.
    pub counts: Vec<(&'static str, u64)>,
}

impl Tally {
    /// Adds what another thread found.
    pub fn add(&mut self, other: Self) {
        self.cases += other.cases;
        self.failed += other.failed;
        self.time += other.time;
        self.digest = self.digest.wrapping_add(other.digest);
        self.failures.extend(other.failures);
        self.failures.sort();
        self.failures.truncate(KEPT);
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

/// What a row reports to while it looks at one sample.
#[derive(Debug)]
pub struct Judge<'t> {
    tally: &'t mut Tally,
    sample: u64,
    /// Text of all answers to this sample.
    answers: String,
}

impl<'t> Judge<'t> {
    /// For one sample.
    pub fn new(tally: &'t mut Tally, sample: u64) -> Self {
        Self { tally, sample, answers: String::new() }
    }

    /// One more answer is judged; what it was goes into the digest.
    pub fn case(&mut self, answer: &impl Debug) {
        self.tally.cases += 1;
        write!(self.answers, "{answer:?};").expect("a string takes everything");
    }

    /// The answer is wrong unless `holds`.
    pub fn check(&mut self, holds: bool, message: impl FnOnce() -> String) {
        if !holds {
            self.fail(message());
        }
    }

    /// The answer is wrong.
    pub fn fail(&mut self, message: String) {
        self.tally.failed += 1;
        if self.tally.failures.len() < KEPT {
            self.tally.failures.push((self.sample, message));
        }
    }

    /// Something happened that a test wants to have happened.
    pub fn count(&mut self, name: &'static str) {
        self.tally.count(name, 1);
    }

    /// As [`Judge::count`], several times.
    pub fn count_by(&mut self, name: &'static str, by: u64) {
        self.tally.count(name, by);
    }
}

impl Drop for Judge<'_> {
    fn drop(&mut self) {
        let hash = xxh3_64(self.answers.as_bytes());
        let mixed = (hash ^ self.sample).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.tally.digest = self.tally.digest.wrapping_add(mixed);
    }
}
