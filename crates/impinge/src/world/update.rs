//! The update: from poses to events.

use super::check::{Checks, Outcome};
use super::events::{Event, EventKind, Stats, Undecided};
use super::narrow::Standing;
use super::pairs::{Key, Listed, Record};
use super::selection::Selection;
use super::{Handle, Report, World};
use crate::broad::{Completeness, Pair};
use crate::pair::Budget;
use crate::workers;

/// Pairs from which on several threads check them; with fewer, threads that have to be woken take
/// longer to share them than one takes to check them.
const MIN_PAIRS_FOR_THREADS: usize = 48;
/// The same for threads that are awake.
const MIN_PAIRS_FOR_AWAKE_THREADS: usize = 16;
/// Pairs that a thread takes at a time, at least.
const MIN_PAIRS_AT_A_TIME: usize = 2;
/// Bodies that change, and pairs, for each further thread that is woken.
const BODIES_PER_THREAD: usize = 128;
const PAIRS_PER_THREAD: usize = 64;
/// Bodies from which on the broad phase has work for all threads itself.
const MIN_BODIES_FOR_PARALLEL_BROAD_PHASE: usize = 8192;

/// Which pairs are checked, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Schedule {
    /// Few bodies moved: their pairs are listed.
    Listed,
    /// Most bodies moved: all pairs are gone through.
    All,
    /// The same, those of the last update while the broad phase is at work.
    AllDuringBroadPhase,
}

impl World {
    /// Brings all up to date and says what happened since the last update. Only bodies that moved,
    /// and their pairs, cost anything.
    ///
    /// Uses the threads of the current `rayon` pool; what it says, and in which order, does not
    /// depend on their number. Called by one of these, it keeps others awake, which may take up
    /// other jobs of the pool, for which it then waits, as every `rayon::join` may: what takes long
    /// belongs in another pool.
    pub fn update(&mut self) -> &Report {
        let changed = self.bodies.changed.len();
        let most = changed * 4 > self.bodies.records.len();
        let pairs = if most { self.pairs.records.len() } else { 0 };
        let helpers = changed / BODIES_PER_THREAD + pairs / PAIRS_PER_THREAD;
        workers::keep_workers_awake(helpers, || self.run_stages());
        &self.report
    }

    /// The stages of an update.
    fn run_stages(&mut self) {
        self.bodies.update_poses();
        self.begin_report();
        let schedule = self.schedule();
        match schedule {
            Schedule::AllDuringBroadPhase => self.run_broad_phase_and_check(),
            Schedule::Listed | Schedule::All => self.run_broad_phase(),
        }
        let first_new = self.update_pairs();
        match schedule {
            Schedule::AllDuringBroadPhase => {
                self.check_from(first_new, MIN_PAIRS_FOR_AWAKE_THREADS);
            }
            Schedule::All => self.check_from(0, MIN_PAIRS_FOR_THREADS),
            Schedule::Listed => self.check_listed(first_new),
        }
        self.report_findings();
        self.report_persisting();
        self.finish_report();
        self.bodies.forget_moves();
    }

    /// What the last update found out.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }

    fn begin_report(&mut self) {
        let Report { frame, events, undecided, not_compared, stats } = &mut self.report;
        *frame += 1;
        events.clear();
        undecided.clear();
        not_compared.clear();
        *stats = Stats { moved: self.bodies.moved.len(), ..Stats::default() };
    }

    fn schedule(&self) -> Schedule {
        let bodies = self.bodies.records.len();
        if self.bodies.moved.len() * 4 <= bodies {
            return Schedule::Listed;
        }
        let during_broad_phase = !self.reconsider
            && self.pairs.records.len() >= MIN_PAIRS_FOR_THREADS
            && bodies < MIN_BODIES_FOR_PARALLEL_BROAD_PHASE
            && rayon::current_num_threads() > 1;
        if during_broad_phase { Schedule::AllDuringBroadPhase } else { Schedule::All }
    }

    /// Lets the broad phase look at the boxes.
    fn run_broad_phase(&mut self) {
        let is_behind = self.completeness == Completeness::Incomplete;
        if self.bodies.moved.is_empty() && !self.reconsider && !is_behind {
            self.changes.clear();
            return;
        }
        // A broad phase that is behind knows all boxes already but for those that moved.
        let view = self.bodies.view(self.reconsider && !is_behind);
        self.completeness = self.phase.update(&view, &mut Budget::unlimited(), &mut self.changes);
    }

    /// Lets the broad phase look at the boxes while other threads check the pairs of the last
    /// update. A check of a pair whose boxes do not overlap any more is one too many; its finding
    /// is not used.
    fn run_broad_phase_and_check(&mut self) {
        let Self { bodies, phase, changes, pairs, .. } = self;
        let view = bodies.view(false);
        let selection = Selection::new(&self.settings.methods, &self.options, &self.methods);
        let checks = Checks::new(bodies, selection, self.report.frame, &mut self.findings);
        self.completeness = workers::share(
            &mut pairs.records[..],
            MIN_PAIRS_AT_A_TIME,
            |records: &mut [Record]| checks.check(records),
            || phase.update(&view, &mut Budget::unlimited(), changes),
        );
        checks.count(&mut self.report.stats);
    }

    /// Follows the broad phase and the interest matrix. Says how many pairs there were before;
    /// those after them are new.
    fn update_pairs(&mut self) -> usize {
        let Stats { boxes_began, boxes_ended, .. } = &mut self.report.stats;
        (*boxes_began, *boxes_ended) = (self.changes.began.len(), self.changes.ended.len());
        if self.completeness == Completeness::Incomplete {
            self.report_not_compared();
        }
        let known = if self.reconsider {
            // Until the broad phase has compared all boxes, pairs of the others stay as they are.
            self.reconsider = self.completeness == Completeness::Incomplete;
            self.reconsider_all()
        } else {
            for n in 0..self.changes.ended.len() {
                let pair = self.changes.ended[n];
                self.drop_pair(Key::new(pair.a, pair.b));
            }
            let known = self.pairs.records.len();
            for n in 0..self.changes.began.len() {
                let pair = self.changes.began[n];
                self.consider(pair.a, pair.b);
            }
            known
        };
        for (a, b) in std::mem::take(&mut self.severed) {
            self.report.events.push(ended(a, b));
        }
        self.report.stats.pairs = self.pairs.records.len();
        known
    }

    /// Names the bodies that the broad phase has not compared with all others.
    fn report_not_compared(&mut self) {
        self.changes.pending.sort_unstable();
        self.changes.pending.dedup();
        let bodies = &self.bodies;
        let there = |slot: &&u32| bodies.is_taken(**slot);
        let slots = self.changes.pending.iter().filter(there);
        self.report.not_compared.extend(slots.map(|slot| bodies.handle(*slot)));
    }

    /// Takes up a pair whose boxes overlap, if it matters.
    fn consider(&mut self, a: u32, b: u32) {
        let key = Key::new(a, b);
        if self.matrix.matters(&self.bodies, a, b).0 && self.pairs.number(key).is_none() {
            self.pairs.insert(key);
        }
    }

    /// Lets go of a pair whose boxes do not overlap any more, or that does not matter.
    fn drop_pair(&mut self, key: Key) {
        if let Some(record) = self.pairs.remove(key) {
            if record.stamp == self.report.frame {
                self.report.stats.checked -= 1;
                self.report.stats.by_hulls -= usize::from(record.by_hulls);
            }
            if record.standing.meets() {
                self.meeting -= 1;
                let (a, b) = key.slots();
                self.report.events.push(ended(self.bodies.handle(a), self.bodies.handle(b)));
            }
        }
    }

    /// Asks about every pair of boxes anew whether it matters: after a change of the rules, or of
    /// the broad phase. Says how many pairs remain of those that were there.
    fn reconsider_all(&mut self) -> usize {
        let mut pairs = Vec::new();
        self.phase.pairs(&mut pairs);
        pairs.sort_unstable();
        let matters = |key: &Key| {
            let (a, b) = key.slots();
            self.matrix.matters(&self.bodies, a, b).0
        };
        let is_behind = self.completeness == Completeness::Incomplete;
        let pending = |slot: u32| self.changes.pending.binary_search(&slot).is_ok();
        let there = |key: &Key| {
            let (a, b) = key.slots();
            pairs.binary_search(&Pair { a, b }).is_ok() || (is_behind && (pending(a) || pending(b)))
        };
        let keys = self.pairs.records.iter().map(|record| record.key);
        let gone: Vec<Key> = keys.filter(|key| !matters(key) || !there(key)).collect();
        for key in gone {
            self.drop_pair(key);
        }
        let known = self.pairs.records.len();
        for pair in pairs {
            self.consider(pair.a, pair.b);
        }
        known
    }

    /// Checks the pairs from this number on of which one has moved, those that were not checked yet
    /// and those that are undecided; by all threads if there are at least `threads_from` of them.
    fn check_from(&mut self, first: usize, threads_from: usize) {
        let selection = Selection::new(&self.settings.methods, &self.options, &self.methods);
        let records = &mut self.pairs.records[first..];
        let frame = self.report.frame;
        let checks = Checks::new(&self.bodies, selection, frame, &mut self.findings);
        share(records, &checks, threads_from);
        checks.count(&mut self.report.stats);
    }

    /// The same for few movers, without a look at all pairs; those from the number `first_new` on
    /// are new.
    fn check_listed(&mut self, first_new: usize) {
        let frame = self.report.frame;
        self.listed.clear();
        // Stamps tell which are listed already (Zachmann 1994, section 7.3.1).
        let mut list = |number: u32, records: &mut [Record]| {
            let record = &mut records[number as usize];
            if std::mem::replace(&mut record.stamp, frame) != frame {
                self.listed.push(Listed { number, record: record.take() });
            }
        };
        for slot in &self.bodies.moved {
            for k in 0..self.pairs.of(*slot).len() {
                let number = self.pairs.of(*slot)[k];
                list(number, &mut self.pairs.records);
            }
        }
        // Also of bodies that did not move.
        for open in &self.undecided {
            if let Some(number) = self.pairs.number(open.key) {
                list(number, &mut self.pairs.records);
            }
        }
        for number in first_new..self.pairs.records.len() {
            list(number as u32, &mut self.pairs.records);
        }
        let selection = Selection::new(&self.settings.methods, &self.options, &self.methods);
        let checks = Checks::new(&self.bodies, selection, frame, &mut self.findings);
        share(&mut self.listed[..], &checks, MIN_PAIRS_FOR_THREADS);
        checks.count(&mut self.report.stats);
        for Listed { number, record } in self.listed.drain(..) {
            self.pairs.records[number as usize] = record;
        }
    }

    /// Makes events of what changed, and notes what is undecided.
    fn report_findings(&mut self) {
        let mut findings = std::mem::take(&mut self.findings);
        // Threads find in any order.
        findings.sort();
        let before = std::mem::take(&mut self.undecided);
        for finding in findings.drain() {
            let key = finding.key;
            let Some(record) = self.pairs.get_mut(key) else {
                continue;
            };
            let (a, b) = key.slots();
            let (a, b) = (self.bodies.handle(a), self.bodies.handle(b));
            let (standing, witness) = match finding.result {
                Outcome::Changed { standing, witness } => (standing, witness),
                Outcome::Undecided(bounds) => {
                    let known = before.binary_search_by_key(&key, |open| open.key);
                    let since = known.map_or(self.report.frame, |n| before[n].since);
                    self.undecided.push(Open { key, since });
                    let met = record.standing.meets();
                    self.report.undecided.push(Undecided { a, b, met, since, bounds });
                    continue;
                }
            };
            record.standing = standing;
            if standing.meets() {
                record.since = self.report.frame;
                self.meeting += 1;
                let event = event(EventKind::Began, a, b, standing);
                self.report.events.push(Event { witness, ..event });
            } else {
                self.meeting -= 1;
                self.report.events.push(event(EventKind::Ended, a, b, standing));
            }
        }
        self.findings = findings;
    }

    /// Makes events of pairs that go on meeting, if they are wanted.
    fn report_persisting(&mut self) {
        if !self.options.persisting {
            return;
        }
        for record in &self.pairs.records {
            if record.standing.meets() && record.since != self.report.frame {
                let (a, b) = record.key.slots();
                let (a, b) = (self.bodies.handle(a), self.bodies.handle(b));
                self.report.events.push(event(EventKind::Persists, a, b, record.standing));
            }
        }
    }

    fn finish_report(&mut self) {
        self.report.stats.meeting = self.meeting;
        self.report.events.sort_unstable_by_key(|event| (event.a, event.b, event.kind));
    }
}

/// A pair that the last update left undecided.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    pub(super) key: Key,
    /// The first update that did.
    pub(super) since: u64,
}

/// Checks pairs, by all threads if there are at least `threads_from` of them.
fn share<R: AsMut<Record> + Send>(records: &mut [R], checks: &Checks<'_>, threads_from: usize) {
    if records.len() < threads_from {
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

fn event(kind: EventKind, a: Handle, b: Handle, standing: Standing) -> Event {
    Event { kind, a, b, bias: standing.bias(), witness: None }
}

fn ended(a: Handle, b: Handle) -> Event {
    event(EventKind::Ended, a, b, Standing::Apart)
}
