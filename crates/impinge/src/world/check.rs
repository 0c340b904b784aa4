//! Checks of many pairs, by any number of threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::Witness;
use super::bodies::Bodies;
use super::events::Stats;
use super::narrow::{self, Standing};
use super::pairs::{Key, Record};
use crate::math::Pose;
use crate::wide::prefetch;

/// Poses are asked for so many pairs before they are needed.
const AHEAD: usize = 2;

/// A pair that began to meet, or ended.
#[derive(Clone, Debug)]
pub(super) struct Finding {
    pub(super) key: Key,
    pub(super) found: Standing,
    /// Of what began.
    pub(super) witness: Option<Witness>,
}

/// The findings of an update.
#[derive(Debug, Default)]
pub(super) struct Findings {
    list: Vec<Finding>,
}

impl Findings {
    /// Brings them into an order that does not depend on who found them when.
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
    frame: u64,
    findings: Mutex<&'a mut Findings>,
    checked: AtomicUsize,
    by_hulls: AtomicUsize,
}

impl<'a> Checks<'a> {
    pub(super) fn new(bodies: &'a Bodies, frame: u64, findings: &'a mut Findings) -> Self {
        let none = AtomicUsize::new;
        let findings = Mutex::new(findings);
        Self { bodies, frame, findings, checked: none(0), by_hulls: none(0) }
    }

    /// Checks those of some pairs of which one body has moved, and those that nobody has looked at.
    ///
    /// A pair keeps its standing where that changes from meeting to apart or back, until somebody
    /// reads the finding.
    pub(super) fn check<R: AsMut<Record>>(&self, records: &mut [R]) {
        let (mut checked, mut by_hulls) = (0, 0);
        for n in 0..records.len() {
            // Poses of half of the bodies come from other threads.
            if let Some(soon) = records.get_mut(n + AHEAD) {
                let (a, b) = soon.as_mut().key.slots();
                prefetch(&self.bodies.poses[a as usize]);
                prefetch(&self.bodies.poses[b as usize]);
            }
            let record = records[n].as_mut();
            let (a, b) = record.key.slots();
            let has_moved = |slot: u32| self.bodies.marks[slot as usize].has_moved;
            if record.standing == Standing::Unknown || has_moved(a) || has_moved(b) {
                self.check_one(record);
                checked += 1;
                by_hulls += usize::from(record.by_hulls);
            }
        }
        self.checked.fetch_add(checked, Ordering::Relaxed);
        self.by_hulls.fetch_add(by_hulls, Ordering::Relaxed);
    }

    fn check_one(&self, record: &mut Record) {
        let (a, b) = record.key.slots();
        let own = &self.bodies.records[a as usize];
        let its = &self.bodies.records[b as usize];
        let frame = &self.bodies.poses[a as usize];
        let pose = Pose::relative(frame, &self.bodies.poses[b as usize]);
        let (Some(one), Some(other)) = (&own.geometry, &its.geometry) else {
            unreachable!("pairs go with their bodies");
        };
        let memory = record.memory.get_or_insert_default();
        let was_cold = memory.is_cold() && record.wish.is_none();
        let found = narrow::check(one, other, &pose, record.wish, memory);
        record.by_hulls = memory.by_hulls;
        record.stamp = self.frame;
        record.forms = [own.form, its.form];
        let standing = found.standing();
        if record.standing.meets() == standing.meets() {
            record.standing = standing;
            return;
        }
        let witness = standing.meets().then(|| {
            let cold = was_cold.then_some(&found);
            narrow::witness(one, other, frame, &pose, cold, memory)
        });
        let finding = Finding { key: record.key, found: standing, witness: witness.flatten() };
        let mut findings = self.findings.lock().unwrap_or_else(PoisonError::into_inner);
        findings.list.push(finding);
    }

    /// Adds up what was done.
    pub(super) fn count(self, stats: &mut Stats) {
        stats.checked += self.checked.into_inner();
        stats.by_hulls += self.by_hulls.into_inner();
    }
}
