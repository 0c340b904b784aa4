//! How long single units of work take, by what they are spent on.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::Result;
use impinge::internals::{Quantum, Random, observed_budget};

use super::lateness::{Caches, verdict};
use super::scene::Query;
use crate::report::{Table, count, short};

/// What is promised for the 99.9 % quantile of every kind of work, in microseconds.
const MAX_P999: f64 = 5.0;

/// Time of one call of a query, and of all calls at one place.
const CALL: Duration = Duration::from_micros(100);
const PLACE: Duration = Duration::from_millis(2);

/// A part of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    /// From the call to the first unit.
    Start,
    /// A unit.
    Unit(Quantum),
    /// From the last unit to the answer.
    Answer,
}

impl Part {
    fn name(self) -> &'static str {
        match self {
            Self::Start => "start or continue",
            Self::Unit(Quantum::Open) => "open subtrees",
            Self::Unit(Quantum::Leaves) => "two leaves in `f32`",
            Self::Unit(Quantum::Measure) => "eight distances in `f32`",
            Self::Unit(Quantum::Triangles) => "two triangles in `f64`",
            Self::Unit(Quantum::Exact) => "two triangles exactly",
            Self::Unit(Quantum::Sort) => "sort candidates",
            Self::Unit(Quantum::Other) => "other",
            Self::Answer => "answer",
        }
    }
}

/// Buckets for each factor of two.
const BUCKETS_PER_OCTAVE: f64 = 8.0;

/// Times in buckets, so that recording one neither allocates nor touches new memory.
#[derive(Clone, Debug)]
struct Histogram {
    counts: [u64; 256],
    total: u64,
    longest: Duration,
    /// The scene of the longest.
    scene: &'static str,
}

impl Histogram {
    const EMPTY: Self = Self { counts: [0; 256], total: 0, longest: Duration::ZERO, scene: "" };

    fn add(&mut self, time: Duration, scene: &'static str) {
        let bucket = ((time.as_nanos().max(1) as f64).log2() * BUCKETS_PER_OCTAVE) as usize;
        self.counts[bucket.min(255)] += 1;
        self.total += 1;
        if time > self.longest {
            (self.longest, self.scene) = (time, scene);
        }
    }

    /// Microseconds that at least this share does not exceed, up to the width of a bucket.
    fn quantile(&self, share: f64) -> f64 {
        let wanted = (self.total as f64 * share).ceil() as u64;
        let mut sum = 0;
        let bucket = self.counts.iter().position(|count| {
            sum += count;
            sum >= wanted
        });
        let top = bucket.map_or(0.0, |at| ((at + 1) as f64 / BUCKETS_PER_OCTAVE).exp2() * 1e-3);
        top.min(self.longest.as_secs_f64() * 1e6)
    }
}

/// The times of the parts of queries.
#[derive(Debug, Default)]
pub(super) struct Quanta(BTreeMap<Part, Histogram>);

impl Quanta {
    /// Follows a query at random places.
    pub(super) fn measure(
        &mut self,
        query: &mut dyn Query,
        scene: &'static str,
        seconds: f64,
        random: &mut Random,
        mut cold: Option<&mut Caches>,
    ) -> Result<()> {
        let start = Instant::now();
        while start.elapsed().as_secs_f64() < seconds {
            query.place(random)?;
            let begin = Instant::now();
            loop {
                if let Some(caches) = &mut cold {
                    caches.empty();
                }
                if self.call(query, scene) || cold.is_some() || begin.elapsed() > PLACE {
                    break;
                }
            }
        }
        Ok(())
    }

    /// One call of a query; whether it was decided.
    fn call(&mut self, query: &mut dyn Query, scene: &'static str) -> bool {
        let call = Instant::now();
        let (mut part, mut since) = (Part::Start, call);
        let mut observe = |quantum| {
            let now = Instant::now();
            self.0.entry(part).or_insert(Histogram::EMPTY).add(now - since, scene);
            let goes_on = now - call < CALL;
            part = if goes_on { Part::Unit(quantum) } else { Part::Answer };
            since = Instant::now();
            goes_on
        };
        let decided = query.within(&mut observed_budget(&mut observe));
        // The last unit of a query that was decided includes its answer.
        self.0.entry(part).or_insert(Histogram::EMPTY).add(since.elapsed(), scene);
        decided
    }

    pub(super) fn table(&self) -> Table {
        let mut table = Table::new([
            "part",
            "number",
            "p50",
            "p99",
            "p99.9",
            "target",
            "max",
            "scene of the maximum",
        ]);
        for (part, times) in &self.0 {
            let [median, p99, p999] = [0.5, 0.99, 0.999].map(|share| times.quantile(share));
            table.row([
                part.name().to_owned(),
                count(times.total),
                short(median),
                short(p99),
                short(p999),
                verdict(p999, MAX_P999),
                short(times.longest.as_secs_f64() * 1e6),
                times.scene.to_owned(),
            ]);
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_within_a_bucket() {
        let mut times = Histogram::EMPTY;
        for nanos in 1..=100_000 {
            times.add(Duration::from_nanos(nanos), "a");
        }
        for share in [0.1, 0.5, 0.99, 0.999] {
            let (found, exact) = (times.quantile(share), 100.0 * share);
            assert!(exact <= found && found <= exact * 1.1, "{share}: {found}");
        }
        assert_eq!(times.quantile(1.0), 100.0);
        assert_eq!((times.longest, times.scene), (Duration::from_micros(100), "a"));
    }
}
