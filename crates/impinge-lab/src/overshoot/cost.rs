//! What a budget costs: the same query with and without one, in turn.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use impinge::internals::Random;
use impinge::pair::Budget;

use super::lateness::{quantile, verdict};
use super::scene::Query;
use crate::report::{count, short};

/// Parts of a search that is resumed.
pub(super) const PARTS: u64 = 100;

/// Queries of fewer units are left out.
pub(super) const MIN_UNITS: u64 = 10 * PARTS;

/// A comparison ends at the next place after this many seconds.
const MAX_SECONDS: f64 = 6.0;

/// What is promised: to the end, and in parts.
const MAX_RATIO: f64 = 1.05;
const MAX_RATIO_IN_PARTS: f64 = 1.10;

/// A limit of steps that is not reached.
const MANY_STEPS: u64 = u64::MAX / 4;

/// The costs of a query in relation to the one without a budget.
#[derive(Debug, Default)]
pub(super) struct Costs {
    /// Microseconds without a budget.
    us: Vec<f64>,
    units: Vec<f64>,
    ratios: [Vec<f64>; METHODS.len()],
}

/// What is compared with the query without a budget, and the promised ratio.
const METHODS: [(&str, f64); 4] = [
    ("unbudgeted again", f64::INFINITY),
    ("deadline", MAX_RATIO),
    ("steps", MAX_RATIO),
    ("100 parts", MAX_RATIO_IN_PARTS),
];

/// The headings of [`Costs::row`], behind those of the caller.
pub(super) fn headings() -> Vec<String> {
    let mut headings = vec!["places".to_owned(), "units".to_owned(), "unbudgeted, us".to_owned()];
    for (name, limit) in METHODS {
        headings.extend([name.to_owned(), "p10 to p90".to_owned()]);
        if limit.is_finite() {
            headings.push(format!("at most {limit:.2}"));
        }
    }
    headings
}

impl Costs {
    /// Compares at up to `places` places, in `passes` passes; queries of fewer than `min_units`
    /// units are left out.
    pub(super) fn measure(
        query: &mut dyn Query,
        (places, passes): (usize, usize),
        min_units: u64,
        random: &mut Random,
    ) -> Result<Self> {
        let mut costs = Self::default();
        let start = Instant::now();
        for _ in 0..places {
            if start.elapsed().as_secs_f64() > MAX_SECONDS && !costs.us.is_empty() {
                break;
            }
            query.place(random)?;
            let mut whole = Budget::steps(MANY_STEPS);
            ensure!(query.within(&mut whole), "undecided without a limit");
            if whole.spent() >= min_units {
                costs.place(query, passes, whole.spent());
            }
        }
        Ok(costs)
    }

    /// The methods take turns; the fastest pass of each counts.
    fn place(&mut self, query: &mut dyn Query, passes: usize, units: u64) {
        let far = Instant::now() + Duration::from_secs(1 << 30);
        let part = units.div_ceil(PARTS);
        let mut best = [f64::INFINITY; 1 + METHODS.len()];
        for _ in 0..passes {
            for (method, best) in best.iter_mut().enumerate() {
                query.reset();
                let start = Instant::now();
                match method {
                    0 | 1 => query.unbudgeted(),
                    2 => {
                        query.within(&mut Budget::deadline(far));
                    }
                    3 => {
                        query.within(&mut Budget::steps(MANY_STEPS));
                    }
                    _ => while !query.within(&mut Budget::steps(part)) {},
                }
                *best = best.min(start.elapsed().as_secs_f64() * 1e6);
            }
        }
        self.us.push(best[0]);
        self.units.push(units as f64);
        for (ratios, us) in self.ratios.iter_mut().zip(&best[1..]) {
            ratios.push(us / best[0]);
        }
    }

    /// Medians with their spread, and verdicts about the medians; `None` if nothing was compared.
    pub(super) fn row(&mut self, first: &[String]) -> Option<Vec<String>> {
        if self.us.is_empty() {
            return None;
        }
        let mut row = first.to_vec();
        row.push(count(self.us.len() as u64));
        for values in [&mut self.units, &mut self.us] {
            values.sort_by(f64::total_cmp);
            row.push(short(quantile(values, 0.5)));
        }
        for (ratios, (_, limit)) in self.ratios.iter_mut().zip(METHODS) {
            ratios.sort_by(f64::total_cmp);
            let [low, median, high] = [0.1, 0.5, 0.9].map(|share| quantile(ratios, share));
            row.extend([short(median), format!("{} to {}", short(low), short(high))]);
            if limit.is_finite() {
                row.push(verdict(median, limit));
            }
        }
        Some(row)
    }
}
