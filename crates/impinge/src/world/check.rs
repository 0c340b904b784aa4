//! Checks of many pairs, by any number of threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::Witness;
use super::bodies::Bodies;
use super::events::Stats;
use super::narrow::{self, Standing};
use super::pairs::{Key, Record};
use super::selection::{Chooser, Selection};
use crate::answer::Bounds;
use crate::math::Pose;
use crate::wide::prefetch;

/// How many pairs ahead poses are prefetched.
const PREFETCH_PAIRS: usize = 2;

/// What an update has to know about a pair that was checked.
#[derive(Clone, Debug)]
pub(super) struct Finding {
    pub(super) key: Key,
    pub(super) result: Outcome,
}

/// What a check brought.
#[derive(Clone, Debug)]
pub(super) enum Outcome {
    /// The pair began to meet, or ended.
    Changed {
        standing: Standing,
        /// Of what began.
        witness: Option<Witness>,
    },
    /// It is not decided whether the pair meets.
    Undecided(Bounds),
}

/// The findings of an update.
#[derive(Debug, Default)]
pub(super) struct Findings {
    list: Vec<Finding>,
}

impl Findings {
    /// Brings them into an order that does not depend on which thread found them.
    pub(super) fn sort(&mut self) {
        self.list.sort_unstable_by_key(|finding| finding.key);
    }

    /// Takes them out, and keeps the room.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = Finding> + '_ {
        self.list.drain(..)
    }
}

/// Checks that are made against the same bodies in the same update.
#[derive(Debug)]
pub(super) struct Checks<'a> {
    bodies: &'a Bodies,
    /// What was selected, if anything was.
    selection: Option<Selection<'a>>,
    frame: u64,
    findings: Mutex<&'a mut Findings>,
    checked: AtomicUsize,
    by_hulls: AtomicUsize,
}

impl<'a> Checks<'a> {
    pub(super) fn new(
        bodies: &'a Bodies,
        selection: Selection<'a>,
        frame: u64,
        findings: &'a mut Findings,
    ) -> Self {
        let none = AtomicUsize::new;
        let findings = Mutex::new(findings);
        let selection = (!selection.is_empty()).then_some(selection);
        Self { bodies, selection, frame, findings, checked: none(0), by_hulls: none(0) }
    }

    /// Checks those of some pairs of which one body has moved, those that were not checked yet, and
    /// those that are undecided.
    ///
    /// A pair keeps its standing where that changes from meeting to apart or back, until the
    /// finding is read.
    pub(super) fn check<R: AsMut<Record>>(&self, records: &mut [R]) {
        let (mut checked, mut by_hulls) = (0, 0);
        for n in 0..records.len() {
            // Poses of half of the bodies come from other threads.
            if let Some(soon) = records.get_mut(n + PREFETCH_PAIRS) {
                let (a, b) = soon.as_mut().key.slots();
                prefetch(&self.bodies.poses[a as usize]);
                prefetch(&self.bodies.poses[b as usize]);
            }
            let record = records[n].as_mut();
            let (a, b) = record.key.slots();
            let has_moved = |slot: u32| self.bodies.marks[slot as usize].has_moved;
            let is_open = record.standing == Standing::Unknown || record.undecided;
            if is_open || has_moved(a) || has_moved(b) {
                self.check_one(record);
                checked += 1;
                by_hulls += usize::from(record.by_hulls);
            }
        }
        self.checked.fetch_add(checked, Ordering::Relaxed);
        self.by_hulls.fetch_add(by_hulls, Ordering::Relaxed);
    }

    fn check_one(&self, record: &mut Record) {
        let key = record.key;
        let (a, b) = key.slots();
        let own = &self.bodies.records[a as usize];
        let its = &self.bodies.records[b as usize];
        let frame = &self.bodies.poses[a as usize];
        let pose = Pose::relative(frame, &self.bodies.poses[b as usize]);
        let (Some(one), Some(other)) = (&own.geometry, &its.geometry) else {
            unreachable!("pairs go with their bodies");
        };
        let memory = record.memory.get_or_insert_default();
        let was_cold = memory.is_cold();
        let classes = [own.class, its.class];
        let chooser = Chooser { selection: self.selection, key, classes };
        let found = narrow::check(one, other, &pose, &chooser, memory);
        record.by_hulls = memory.by_hulls;
        record.stamp = self.frame;
        record.forms = [own.form, its.form];
        let standing = match found.standing() {
            Ok(standing) => standing,
            Err(bounds) => {
                record.undecided = true;
                self.note(key, Outcome::Undecided(bounds));
                return;
            }
        };
        record.undecided = false;
        if record.standing.meets() == standing.meets() {
            record.standing = standing;
            return;
        }
        let witness = if standing.meets() {
            let forms = (one, other);
            let is_cold = was_cold && memory.is_by_cost();
            let cold = is_cold.then_some(&found);
            narrow::witness(forms, frame, &pose, key, cold, memory)
                .or_else(|| narrow::own_witness(&found, forms, frame, &pose))
        } else {
            None
        };
        self.note(key, Outcome::Changed { standing, witness });
    }

    fn note(&self, key: Key, result: Outcome) {
        let mut findings = self.findings.lock().unwrap_or_else(PoisonError::into_inner);
        findings.list.push(Finding { key, result });
    }

    /// Adds up what was done.
    pub(super) fn count(self, stats: &mut Stats) {
        stats.checked += self.checked.into_inner();
        stats.by_hulls += self.by_hulls.into_inner();
    }
}
