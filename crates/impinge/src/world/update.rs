//! The update: from poses to events.

use super::check::Checks;
use super::events::{Event, EventKind, Report, Stats};
use super::narrow::Standing;
use super::pairs::{Key, Listed, Record};
use super::{Handle, World};
use crate::broad::Pair;
use crate::workers;

/// With fewer pairs than this, threads that have to be woken take longer to share them than one to
/// check them; threads that are awake do with fewer.
const MANY: usize = 48;
const MANY_AWAKE: usize = 16;
/// At least so many pairs are checked at a time.
const PIECE: usize = 2;
/// One more thread is called for so many bodies that change, and for so many pairs; for fewer it
/// would not be worth waking.
const BODIES_EACH: usize = 128;
const PAIRS_EACH: usize = 64;
/// With so many bodies the broad phase has work for all threads itself.
const CROWD: usize = 8192;

impl World {
    /// Brings all up to date and says what happened since the last update. Only bodies that moved,
    /// and their pairs, cost anything.
    ///
    /// Uses the threads of the current `rayon` pool; what it says, and in which order, does not
    /// depend on their number. Called by one of these, it lets others stand by, who may take up
    /// other jobs of the pool, for which it then waits, as every `rayon::join` may: what takes long
    /// belongs in another pool.
    pub fn update(&mut self) -> &Report {
        let changed = self.bodies.changed.len();
        let most = changed * 4 > self.bodies.records.len();
        let pairs = if most { self.pairs.records.len() } else { 0 };
        let helpers = changed / BODIES_EACH + pairs / PAIRS_EACH;
        workers::keep_workers_awake(helpers, || self.bring_up_to_date());
        &self.report
    }

    fn bring_up_to_date(&mut self) {
        self.bodies.settle();
        let frame = self.report.frame + 1;
        self.report.frame = frame;
        self.report.events.clear();
        self.report.stats = Stats { moved: self.bodies.moved.len(), ..Stats::default() };
        let most_moved = self.bodies.moved.len() * 4 > self.bodies.records.len();
        let side_by_side = most_moved
            && !self.reconsider
            && self.pairs.records.len() >= MANY
            && self.bodies.records.len() < CROWD
            && rayon::current_num_threads() > 1;
        if side_by_side {
            self.find_boxes_and_check();
        } else {
            self.find_boxes();
        }
        let known = self.find_pairs();
        match (side_by_side, most_moved) {
            (true, _) => self.check_from(known, MANY_AWAKE),
            (false, true) => self.check_from(0, MANY),
            (false, false) => self.check_listed(known),
        }
        self.conclude();
        self.bodies.forget_moves();
    }

    /// What the last update found out.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Lets the broad phase look at the boxes.
    fn find_boxes(&mut self) {
        if self.bodies.moved.is_empty() && !self.reconsider {
            self.changes.clear();
            return;
        }
        let view = self.bodies.view(self.reconsider);
        self.phase.update(&view, &mut self.changes);
    }

    /// Lets the broad phase look at the boxes while other threads check the pairs of the last
    /// update. A check of a pair whose boxes do not overlap any more is one too many; its finding
    /// is not used.
    fn find_boxes_and_check(&mut self) {
        let Self { bodies, phase, changes, pairs, .. } = self;
        let view = bodies.view(false);
        let checks = Checks::new(bodies, self.report.frame, &mut self.findings);
        workers::share(
            &mut pairs.records[..],
            PIECE,
            |records: &mut [Record]| checks.check(records),
            || phase.update(&view, changes),
        );
        checks.count(&mut self.report.stats);
    }

    /// Follows the broad phase and the interest matrix. Says how many pairs there were before;
    /// those after them are new.
    fn find_pairs(&mut self) -> usize {
        let Stats { boxes_began, boxes_ended, .. } = &mut self.report.stats;
        (*boxes_began, *boxes_ended) = (self.changes.began.len(), self.changes.ended.len());
        let known = if self.reconsider {
            self.reconsider = false;
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

    /// Takes up a pair whose boxes overlap, if it matters.
    fn consider(&mut self, a: u32, b: u32) {
        let key = Key::new(a, b);
        if self.matrix.matters(&self.bodies, a, b).0 && self.pairs.number(key).is_none() {
            self.pairs.insert(key, self.settings.method(key));
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
        let there = |key: &Key| {
            let (a, b) = key.slots();
            pairs.binary_search(&Pair { a, b }).is_ok()
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

    /// Checks the pairs from this number on of which one has moved, and those that nobody has
    /// looked at; by all threads if there are `many`.
    fn check_from(&mut self, first: usize, many: usize) {
        let records = &mut self.pairs.records[first..];
        let checks = Checks::new(&self.bodies, self.report.frame, &mut self.findings);
        share(records, &checks, many);
        checks.count(&mut self.report.stats);
    }

    /// The same for few movers, without a look at all pairs; those from the number `known` on are
    /// new.
    fn check_listed(&mut self, known: usize) {
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
        for number in known..self.pairs.records.len() {
            list(number as u32, &mut self.pairs.records);
        }
        let checks = Checks::new(&self.bodies, frame, &mut self.findings);
        share(&mut self.listed[..], &checks, MANY);
        checks.count(&mut self.report.stats);
        for Listed { number, record } in self.listed.drain(..) {
            self.pairs.records[number as usize] = record;
        }
    }

    /// Makes events of what changed.
    fn conclude(&mut self) {
        let mut findings = std::mem::take(&mut self.findings);
        // Threads find in any order.
        findings.sort();
        for finding in findings.drain() {
            let Some(record) = self.pairs.get_mut(finding.key) else {
                continue;
            };
            let found = finding.found;
            record.standing = found;
            let (a, b) = finding.key.slots();
            let (a, b) = (self.bodies.handle(a), self.bodies.handle(b));
            if found.meets() {
                record.since = self.report.frame;
                self.meeting += 1;
                let witness = finding.witness;
                let event = Event { witness, ..event(EventKind::Began, a, b, found) };
                self.report.events.push(event);
            } else {
                self.meeting -= 1;
                self.report.events.push(ended(a, b));
            }
        }
        self.findings = findings;
        if self.options.persisting {
            for record in &self.pairs.records {
                if record.standing.meets() && record.since != self.report.frame {
                    let (a, b) = record.key.slots();
                    let (a, b) = (self.bodies.handle(a), self.bodies.handle(b));
                    let event = event(EventKind::Persists, a, b, record.standing);
                    self.report.events.push(event);
                }
            }
        }
        self.report.stats.meeting = self.meeting;
        self.report.events.sort_unstable_by_key(|event| (event.a, event.b, event.kind));
    }
}

/// Checks pairs, by all threads if there are many.
fn share<R: AsMut<Record> + Send>(records: &mut [R], checks: &Checks<'_>, many: usize) {
    if records.len() < many {
        checks.check(records);
    } else {
        workers::share(records, PIECE, |records: &mut [R]| checks.check(records), || ());
    }
}

fn event(kind: EventKind, a: Handle, b: Handle, standing: Standing) -> Event {
    let certain = !matches!(standing, Standing::Undecided);
    Event { kind, a, b, certain, witness: None }
}

fn ended(a: Handle, b: Handle) -> Event {
    event(EventKind::Ended, a, b, Standing::Apart)
}
