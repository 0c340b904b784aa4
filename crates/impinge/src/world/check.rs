//! Checks of many pairs, on any number of threads: which pairs of a list are checked, with which
//! poses and methods, and what is done with the results. The check of one pair is `narrow.rs`.
//!
//! A check that changes the state of its pair, or does not decide, becomes a [`CheckOutcome`].
//! The update sorts and processes these, so that reports do not depend on the threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::Witness;
use super::bodies::Bodies;
use super::events::Stats;
use super::narrow::{self, PairState, SpareSearches, Work};
use super::pairs::{Key, Record};
use super::selection::{MethodSelector, Selection};
use crate::answer::Bounds;
use crate::math::Pose;
use crate::pair::Budget;
use crate::wide::prefetch;

/// The number of pairs ahead for which poses are prefetched.
const PREFETCH_PAIRS: usize = 2;

/// The result of the check of a pair, if it changes the state of the pair or is undecided.
#[derive(Clone, Debug)]
pub(super) struct CheckOutcome {
    pub(super) key: Key,
    pub(super) result: Outcome,
}

/// The outcome of a check.
#[derive(Clone, Debug)]
pub(super) enum Outcome {
    /// The pair started or stopped meeting.
    Changed {
        state: PairState,
        /// `None` if the pair stopped meeting.
        witness: Option<Witness>,
    },
    /// The check did not decide.
    Undecided(Bounds),
}

/// The outcomes of an update.
#[derive(Debug, Default)]
pub(super) struct CheckOutcomes {
    list: Vec<CheckOutcome>,
}

impl CheckOutcomes {
    /// Sorts them, so that their order does not depend on the threads.
    pub(super) fn sort(&mut self) {
        self.list.sort_unstable_by_key(|outcome| outcome.key);
    }

    /// Removes them, and keeps the memory.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = CheckOutcome> + '_ {
        self.list.drain(..)
    }
}

/// The checks of an update: bodies, methods and results.
#[derive(Debug)]
pub(super) struct Checks<'a> {
    bodies: &'a Bodies,
    /// The selected methods, if there are any.
    selection: Option<Selection<'a>>,
    frame: u64,
    outcomes: Mutex<&'a mut CheckOutcomes>,
    checked: AtomicUsize,
    decided_by_hulls: AtomicUsize,
}

impl<'a> Checks<'a> {
    pub(super) fn new(
        bodies: &'a Bodies,
        selection: Selection<'a>,
        frame: u64,
        outcomes: &'a mut CheckOutcomes,
    ) -> Self {
        let counter = || AtomicUsize::new(0);
        let outcomes = Mutex::new(outcomes);
        let selection = (!selection.is_empty()).then_some(selection);
        Self { bodies, selection, frame, outcomes, checked: counter(), decided_by_hulls: counter() }
    }

    /// Checks the pairs of `records` of which one body has moved, that were not checked yet, or
    /// that are undecided.
    ///
    /// If a pair starts or stops meeting, its state changes only when the outcome is processed.
    pub(super) fn check<R: AsMut<Record>>(&self, records: &mut [R]) {
        let (mut checked, mut decided_by_hulls) = (0, 0);
        let (mut budget, mut spare) = (Budget::unlimited(), SpareSearches::default());
        for n in 0..records.len() {
            // Half of the poses were written by other threads, so they are not in this core's
            // cache.
            if let Some(ahead) = records.get_mut(n + PREFETCH_PAIRS) {
                let (a, b) = ahead.as_mut().key.slots();
                prefetch(&self.bodies.poses[a as usize]);
                prefetch(&self.bodies.poses[b as usize]);
            }
            let record = records[n].as_mut();
            let (a, b) = record.key.slots();
            let has_moved = |slot: u32| self.bodies.marks[slot as usize].has_moved;
            let is_undecided = record.state == PairState::Unknown || record.undecided;
            if is_undecided || has_moved(a) || has_moved(b) {
                self.check_one(record, &mut budget, &mut spare);
                checked += 1;
                decided_by_hulls += usize::from(record.decided_by_hulls);
            }
        }
        self.checked.fetch_add(checked, Ordering::Relaxed);
        self.decided_by_hulls.fetch_add(decided_by_hulls, Ordering::Relaxed);
    }

    /// Checks one pair.
    pub(super) fn check_one(
        &self,
        record: &mut Record,
        budget: &mut Budget<'_>,
        spare: &mut SpareSearches,
    ) {
        let key = record.key;
        let (a, b) = key.slots();
        let record_a = &self.bodies.records[a as usize];
        let record_b = &self.bodies.records[b as usize];
        let frame = &self.bodies.poses[a as usize];
        let pose = Pose::relative(frame, &self.bodies.poses[b as usize]);
        let (Some(one), Some(other)) = (&record_a.geometry, &record_b.geometry) else {
            unreachable!("a pair is removed with its bodies");
        };
        let cache = record.cache.get_or_insert_default();
        let was_cold = cache.is_cold();
        let classes = [record_a.class, record_b.class];
        let selector = MethodSelector { selection: self.selection, key, classes };
        let wants_location = !record.state.meets();
        let work = &mut Work { budget, spare, wants_location };
        let result = narrow::check(one, other, &pose, &selector, cache, work);
        record.decided_by_hulls = cache.decided_by_hulls;
        record.stamp = self.frame;
        record.geometry_versions = [record_a.geometry_version, record_b.geometry_version];
        let state = match result.state() {
            Ok(state) => state,
            Err(bounds) => {
                record.undecided = true;
                self.add_outcome(key, Outcome::Undecided(bounds));
                return;
            }
        };
        record.undecided = false;
        if record.state.meets() == state.meets() {
            record.state = state;
            return;
        }
        let witness = if state.meets() && !budget.is_unlimited() {
            // A further check would take time.
            narrow::witness_of_result(&result, (one, other), frame, &pose)
        } else if state.meets() {
            let geometries = (one, other);
            let is_cold = was_cold && cache.is_by_cost();
            let cold_result = is_cold.then_some(&result);
            narrow::witness(geometries, frame, &pose, key, cold_result, cache)
                .or_else(|| narrow::witness_of_result(&result, geometries, frame, &pose))
        } else {
            None
        };
        self.add_outcome(key, Outcome::Changed { state, witness });
    }

    fn add_outcome(&self, key: Key, result: Outcome) {
        let mut outcomes = self.outcomes.lock().unwrap_or_else(PoisonError::into_inner);
        outcomes.list.push(CheckOutcome { key, result });
    }

    /// Adds the numbers of checks to the counts of the update.
    pub(super) fn add_to(self, stats: &mut Stats) {
        stats.checked += self.checked.into_inner();
        stats.decided_by_hulls += self.decided_by_hulls.into_inner();
    }
}
