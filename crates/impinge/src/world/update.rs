//! The update: from poses to events.
//!
//! 1. Poses and boxes of the bodies that moved, and of those attached to them (`placing.rs`).
//! 2. The broad phase: which pairs of boxes began and ended to overlap. If most bodies moved, other
//!    threads check the pairs of the last update meanwhile.
//! 3. Pairs are added and removed, as far as they are compared (`interest.rs`, `pairs.rs`).
//! 4. New pairs, and those of bodies that moved, are checked (`check.rs`, `narrow.rs`).
//! 5. The outcomes become events, sorted by the slots of their bodies.

use super::check::{CheckOutcome, Checks, Outcome};
use super::events::{Event, EventKind, Stats, Undecided};
use super::narrow::PairState;
use super::pairs::{Key, MovedOutRecord, Record};
use super::selection::Selection;
use super::{Handle, Report, Witness, World};
use crate::answer::Bounds;
use crate::broad::frame::are_many;
use crate::broad::{Completeness, MIN_SLOTS_FOR_WORKERS, Pair};
use crate::pair::Budget;
use crate::workers;

/// The number of pairs from which on several threads check them. With fewer, waking threads takes
/// longer than the checks on one thread.
const MIN_PAIRS_FOR_THREADS: usize = 48;
/// The same for threads that are awake.
const MIN_PAIRS_FOR_AWAKE_THREADS: usize = 16;
/// The smallest number of pairs that a thread takes at a time.
const MIN_PAIRS_AT_A_TIME: usize = 2;
/// The number of changed bodies for each further thread that is woken.
const BODIES_PER_THREAD: usize = 128;
/// The number of pairs for each further thread that is woken.
const PAIRS_PER_THREAD: usize = 64;

/// Which pairs are checked, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Schedule {
    /// Few bodies moved: their pairs are listed.
    Listed,
    /// Most bodies moved: all pairs are visited.
    All,
    /// The same; the pairs of the last update are checked while the broad phase runs.
    AllDuringBroadPhase,
}

impl World {
    /// Updates poses, boxes and pairs, and reports the changes since the last update. The time
    /// depends only on bodies that moved, and their pairs.
    ///
    /// Uses the threads of the current `rayon` pool; the report does not depend on their number. If
    /// it is called on one of these threads, it keeps others awake, which may start other jobs of
    /// the pool. The update then waits for these jobs, as `rayon::join` does: run long jobs in
    /// another pool.
    pub fn update(&mut self) -> &Report {
        self.leave_budget();
        self.leave_motion_phase();
        self.keep_workers_awake(&mut |world| world.run_stages(None));
        &self.report
    }

    /// Runs an update, with as many workers awake as it can use.
    pub(super) fn keep_workers_awake(&mut self, update: &mut (dyn FnMut(&mut Self) + Send)) {
        let changed = self.bodies.changed.len();
        let over_quarter_changed = are_many(changed, self.bodies.records.len());
        let pairs = if over_quarter_changed { self.pairs.records.len() } else { 0 };
        let helpers = changed / BODIES_PER_THREAD + pairs / PAIRS_PER_THREAD;
        workers::keep_workers_awake(helpers, &mut || update(self));
    }

    /// The stages of an update, at a time if it is known.
    pub(super) fn run_stages(&mut self, time: Option<f64>) {
        self.bodies.update_poses();
        self.begin_report();
        let schedule = match (self.schedule(), time) {
            (Schedule::AllDuringBroadPhase, Some(_)) => Schedule::All,
            (schedule, _) => schedule,
        };
        match (schedule, time) {
            (_, Some(time)) => self.run_motion_phase(time),
            (Schedule::AllDuringBroadPhase, None) => self.run_broad_phase_and_check(),
            (Schedule::Listed | Schedule::All, None) => self.run_broad_phase(),
        }
        let first_new = self.update_pairs();
        match schedule {
            Schedule::AllDuringBroadPhase => {
                self.check_from(first_new, MIN_PAIRS_FOR_AWAKE_THREADS);
            }
            Schedule::All => self.check_from(0, MIN_PAIRS_FOR_THREADS),
            Schedule::Listed => self.check_listed(first_new),
        }
        self.report_outcomes();
        self.report_persisting();
        self.finish_report();
        self.bodies.clear_moves();
    }

    /// The report of the last update.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }

    pub(super) fn begin_report(&mut self) {
        let report = &mut self.report;
        (report.open_pairs, report.open_bodies, report.open_persisting) = (0, 0, 0);
        report.frame += 1;
        report.events.clear();
        report.undecided.clear();
        report.not_compared.clear();
        report.outside.clear();
        report.renewals.clear();
        report.stats = Stats { moved: self.bodies.moved.len(), ..Stats::default() };
    }

    fn schedule(&self) -> Schedule {
        let bodies = self.bodies.records.len();
        if !are_many(self.bodies.moved.len(), bodies) {
            return Schedule::Listed;
        }
        let during_broad_phase = !self.recheck_interest
            && self.pairs.records.len() >= MIN_PAIRS_FOR_THREADS
            && bodies < MIN_SLOTS_FOR_WORKERS
            && rayon::current_num_threads() > 1;
        if during_broad_phase { Schedule::AllDuringBroadPhase } else { Schedule::All }
    }

    /// Runs the broad phase.
    fn run_broad_phase(&mut self) {
        self.changes.clear();
        let is_incomplete = self.completeness == Completeness::Incomplete;
        if self.bodies.moved.is_empty() && !self.recheck_interest && !is_incomplete {
            return;
        }
        self.phase_is_new = false;
        self.report.stats.broad_phases += 1;
        // An incomplete broad phase already has all boxes except those that moved.
        let frame = self.bodies.broad_phase_frame(self.recheck_interest && !is_incomplete);
        self.completeness = self.phase.update(&frame, &mut Budget::unlimited(), &mut self.changes);
    }

    /// Runs the broad phase while other threads check the pairs of the last update. If the boxes of
    /// a pair do not overlap any more, its check was unnecessary, and its outcome is not used.
    fn run_broad_phase_and_check(&mut self) {
        let Self { bodies, phase, changes, pairs, completeness, .. } = self;
        changes.clear();
        self.report.stats.broad_phases += 1;
        let frame = bodies.broad_phase_frame(false);
        let selection = Selection::new(&self.settings.methods, &self.options, &self.methods);
        let checks = Checks::new(bodies, selection, self.report.frame, &mut self.outcomes);
        workers::share(
            &mut pairs.records[..],
            MIN_PAIRS_AT_A_TIME,
            |records: &mut [Record]| checks.check(records),
            || *completeness = phase.update(&frame, &mut Budget::unlimited(), changes),
        );
        checks.add_to(&mut self.report.stats);
    }

    /// Adds and removes pairs according to the broad phase and the interest matrix. Returns the
    /// number of pairs that remain; the pairs after these are new.
    fn update_pairs(&mut self) -> usize {
        let Stats { boxes_began, boxes_ended, .. } = &mut self.report.stats;
        (*boxes_began, *boxes_ended) = (self.changes.began.len(), self.changes.ended.len());
        if self.completeness == Completeness::Incomplete {
            self.report_not_compared();
        }
        let known = if self.recheck_interest {
            // Until the broad phase has compared all boxes, pairs of the other bodies do not
            // change.
            self.recheck_interest = self.completeness == Completeness::Incomplete;
            self.recheck_all_pairs()
        } else {
            for n in 0..self.changes.ended.len() {
                let pair = self.changes.ended[n];
                self.remove_pair(Key::new(pair.a, pair.b));
            }
            let known = self.pairs.records.len();
            for n in 0..self.changes.began.len() {
                let pair = self.changes.began[n];
                self.add_pair_if_compared(pair.a, pair.b);
            }
            known
        };
        self.report_removed();
        self.report.stats.pairs = self.pairs.records.len();
        known
    }

    /// Reports the pairs of bodies that were removed.
    pub(super) fn report_removed(&mut self) {
        for (a, b) in std::mem::take(&mut self.ended_by_removal) {
            self.report.events.push(ended(a, b));
        }
    }

    /// Reports the bodies that the broad phase has not compared with all others.
    fn report_not_compared(&mut self) {
        self.changes.pending.sort_unstable();
        self.changes.pending.dedup();
        let bodies = &self.bodies;
        let is_taken = |slot: &&u32| bodies.is_taken(**slot);
        let slots = self.changes.pending.iter().filter(is_taken);
        self.report.not_compared.extend(slots.map(|slot| bodies.handle(*slot)));
        self.report.open_bodies = self.report.not_compared.len();
    }

    /// Adds a pair whose boxes overlap, if it is compared.
    pub(super) fn add_pair_if_compared(&mut self, a: u32, b: u32) {
        let key = Key::new(a, b);
        if !self.matrix.is_compared(&self.bodies, a, b).0 {
            return;
        }
        match self.pairs.get_mut(key) {
            Some(record) => record.boxes_apart = false,
            None => {
                self.pairs.insert(key);
            }
        }
    }

    /// Removes a pair whose boxes do not overlap any more, or that is not compared.
    pub(super) fn remove_pair(&mut self, key: Key) {
        if let Some(record) = self.pairs.remove(key) {
            self.backlog.note_removed(&record);
            if record.stamp == self.report.frame {
                self.report.stats.checked -= 1;
                self.report.stats.decided_by_hulls -= usize::from(record.decided_by_hulls);
            }
            if record.state.meets() {
                self.meeting -= 1;
                let (a, b) = key.slots();
                self.report.events.push(ended(self.bodies.handle(a), self.bodies.handle(b)));
            }
        }
    }

    /// Decides for every pair of boxes again whether it is compared, after a change of the rules or
    /// of the broad phase. Returns the number of earlier pairs that remain.
    fn recheck_all_pairs(&mut self) -> usize {
        let mut pairs = Vec::new();
        self.overlapping_pairs(&mut pairs);
        pairs.sort_unstable();
        let is_compared = |key: &Key| {
            let (a, b) = key.slots();
            self.matrix.is_compared(&self.bodies, a, b).0
        };
        let is_incomplete = self.completeness == Completeness::Incomplete;
        let is_pending = |slot: u32| self.changes.pending.binary_search(&slot).is_ok();
        let may_overlap = |key: &Key| {
            let (a, b) = key.slots();
            pairs.binary_search(&Pair { a, b }).is_ok()
                || (is_incomplete && (is_pending(a) || is_pending(b)))
        };
        let keys = self.pairs.records.iter().map(|record| record.key);
        let removed: Vec<Key> = keys.filter(|key| !is_compared(key) || !may_overlap(key)).collect();
        for key in removed {
            self.remove_pair(key);
        }
        let known = self.pairs.records.len();
        for pair in pairs {
            self.add_pair_if_compared(pair.a, pair.b);
        }
        known
    }

    /// Checks the pairs from number `first` on of which one body has moved, that were not checked
    /// yet, or that are undecided; on all threads if there are at least `min_pairs_for_threads`.
    fn check_from(&mut self, first: usize, min_pairs_for_threads: usize) {
        let selection = Selection::new(&self.settings.methods, &self.options, &self.methods);
        let records = &mut self.pairs.records[first..];
        let frame = self.report.frame;
        let checks = Checks::new(&self.bodies, selection, frame, &mut self.outcomes);
        check_shared(records, &checks, min_pairs_for_threads);
        checks.add_to(&mut self.report.stats);
    }

    /// The same if few bodies moved, without visiting all pairs. Pairs from number `first_new` on
    /// are new.
    fn check_listed(&mut self, first_new: usize) {
        let frame = self.report.frame;
        self.listed.clear();
        // Stamps mark the pairs that are already listed (Zachmann 1994, section 7.3.1).
        let mut list = |number: u32, records: &mut [Record]| {
            let record = &mut records[number as usize];
            if std::mem::replace(&mut record.stamp, frame) != frame {
                self.listed.push(MovedOutRecord { number, record: record.take() });
            }
        };
        for slot in &self.bodies.moved {
            for k in 0..self.pairs.of(*slot).len() {
                let number = self.pairs.of(*slot)[k];
                list(number, &mut self.pairs.records);
            }
        }
        // Undecided pairs are checked also if neither body moved.
        for pair in &self.undecided {
            if let Some(number) = self.pairs.number(pair.key) {
                list(number, &mut self.pairs.records);
            }
        }
        for number in first_new..self.pairs.records.len() {
            list(number as u32, &mut self.pairs.records);
        }
        let selection = Selection::new(&self.settings.methods, &self.options, &self.methods);
        let checks = Checks::new(&self.bodies, selection, frame, &mut self.outcomes);
        check_shared(&mut self.listed[..], &checks, MIN_PAIRS_FOR_THREADS);
        checks.add_to(&mut self.report.stats);
        for MovedOutRecord { number, record } in self.listed.drain(..) {
            self.pairs.records[number as usize] = record;
        }
    }

    /// Adds the events of pairs that changed, and the list of undecided pairs, to the report.
    fn report_outcomes(&mut self) {
        let mut outcomes = std::mem::take(&mut self.outcomes);
        // The threads add outcomes in any order.
        outcomes.sort();
        let before = std::mem::take(&mut self.undecided);
        for CheckOutcome { key, result } in outcomes.drain() {
            match result {
                Outcome::Changed { state, witness } => self.report_change(key, state, witness),
                Outcome::Undecided(bounds) => {
                    let known = before.binary_search_by_key(&key, |pair| pair.key);
                    let since = known.map_or(self.report.frame, |n| before[n].since);
                    if self.report_undecided(key, since, bounds) {
                        self.undecided.push(UndecidedPair { key, since });
                    }
                }
            }
        }
        self.report.open_pairs = self.undecided.len();
        self.outcomes = outcomes;
    }

    /// Sets the new state of a pair that started or stopped meeting, and adds the event.
    pub(super) fn report_change(&mut self, key: Key, state: PairState, witness: Option<Witness>) {
        let Some(record) = self.pairs.get_mut(key) else { return };
        let (a, b) = key.slots();
        let (a, b) = (self.bodies.handle(a), self.bodies.handle(b));
        record.state = state;
        if state.meets() {
            record.since = self.report.frame;
            self.meeting += 1;
            let event = event(EventKind::Began, a, b, state);
            self.report.events.push(Event { witness, ..event });
        } else {
            self.meeting -= 1;
            self.report.events.push(event(EventKind::Ended, a, b, state));
        }
    }

    /// Adds an undecided pair to the report. Returns whether the pair exists.
    pub(super) fn report_undecided(&mut self, key: Key, since: u64, bounds: Bounds) -> bool {
        let Some(record) = self.pairs.get(key) else { return false };
        let (a, b) = key.slots();
        let (a, b) = (self.bodies.handle(a), self.bodies.handle(b));
        let met = record.state.meets();
        self.report.undecided.push(Undecided { a, b, met, since, bounds });
        true
    }

    /// Adds events of pairs that continue to meet, if the options include them.
    fn report_persisting(&mut self) {
        if !self.options.persisting {
            return;
        }
        for record in &self.pairs.records {
            if record.state.meets() && record.since != self.report.frame {
                let event = self.persists(record.key, record.state);
                self.report.events.push(event);
            }
        }
    }

    /// The event of a pair that continues to meet.
    pub(super) fn persists(&self, key: Key, state: PairState) -> Event {
        let (a, b) = key.slots();
        event(EventKind::Persists, self.bodies.handle(a), self.bodies.handle(b), state)
    }

    pub(super) fn finish_report(&mut self) {
        self.report.stats.meeting = self.meeting;
        // By slots first: a slot may have had two bodies since the last update.
        self.report.events.sort_unstable_by_key(|event| {
            (event.a.slot, event.b.slot, event.a, event.b, event.kind)
        });
    }
}

/// A pair that the last update did not decide.
#[derive(Clone, Copy, Debug)]
pub(super) struct UndecidedPair {
    pub(super) key: Key,
    /// The first update that did not decide it.
    pub(super) since: u64,
}

/// Checks pairs, on all threads if there are at least `min_pairs_for_threads`.
fn check_shared<R: AsMut<Record> + Send>(
    records: &mut [R],
    checks: &Checks<'_>,
    min_pairs_for_threads: usize,
) {
    if records.len() < min_pairs_for_threads {
        checks.check(records);
    } else {
        workers::share(
            records,
            MIN_PAIRS_AT_A_TIME,
            |records: &mut [R]| checks.check(records),
            || (),
        );
    }
}

/// An event without a witness.
fn event(kind: EventKind, a: Handle, b: Handle, state: PairState) -> Event {
    Event { kind, a, b, bias: state.bias(), witness: None }
}

/// The event of a pair that stopped meeting.
fn ended(a: Handle, b: Handle) -> Event {
    event(EventKind::Ended, a, b, PairState::Apart)
}
