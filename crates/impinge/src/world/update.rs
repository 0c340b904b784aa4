//! The update: from poses to events.

use rayon::prelude::*;

use super::events::{Event, EventKind, Report, Stats};
use super::narrow::{self, Memory, Standing};
use super::pairs::Key;
use super::{Handle, World};
use crate::broad::{Frame, Moved, Pair};
use crate::math::Pose;

/// From so many checks on, threads share them.
const MANY: usize = 16;

/// A pair that is checked in this update.
#[derive(Debug)]
pub(super) struct Job {
    /// The number of the pair's record.
    number: u32,
    memory: Option<Box<Memory>>,
    found: Standing,
}

impl World {
    /// Brings all up to date and says what happened since the last update. Only bodies that moved, and their pairs, cost anything.
    ///
    /// Uses the threads of the current `rayon` pool; what it says, and in which order, does not depend on their number.
    pub fn update(&mut self) -> &Report {
        self.bodies.settle();
        let frame = self.report.frame + 1;
        self.report.frame = frame;
        self.report.events.clear();
        self.report.stats = Stats { moved: self.bodies.moved.len(), ..Stats::default() };
        self.find_boxes();
        self.find_pairs();
        self.list_jobs(frame);
        self.work();
        self.conclude();
        self.bodies.forget_moves();
        &self.report
    }

    /// What the last update found out.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Lets the broad phase look at the boxes.
    fn find_boxes(&mut self) {
        let bodies = &self.bodies;
        if bodies.moved.is_empty() && !self.reconsider {
            self.changes.clear();
            return;
        }
        let many = bodies.moved.len() * 2 > bodies.records.len();
        let view = Frame {
            bounds: &bodies.bounds,
            oriented: bodies.options.oriented.then_some(&bodies.oriented[..]),
            moved: if many || self.reconsider { Moved::All } else { Moved::Only(&bodies.moved) },
        };
        self.phase.update(&view, &mut self.changes);
        self.report.stats.boxes_began = self.changes.began.len();
        self.report.stats.boxes_ended = self.changes.ended.len();
    }

    /// Follows the broad phase and the interest matrix.
    fn find_pairs(&mut self) {
        if self.reconsider {
            self.reconsider = false;
            self.reconsider_all();
        } else {
            for n in 0..self.changes.ended.len() {
                let pair = self.changes.ended[n];
                self.drop_pair(Key::new(pair.a, pair.b));
            }
            for n in 0..self.changes.began.len() {
                let pair = self.changes.began[n];
                self.consider(pair.a, pair.b);
            }
        }
        for (a, b) in std::mem::take(&mut self.severed) {
            self.report.events.push(ended(a, b));
        }
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
            if record.standing.place().is_some() {
                self.meeting -= 1;
                let (a, b) = key.slots();
                self.report.events.push(ended(self.bodies.handle(a), self.bodies.handle(b)));
            }
        }
    }

    /// Asks about every pair of boxes anew whether it matters: after a change of the rules, or of the broad phase.
    fn reconsider_all(&mut self) {
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
        for pair in pairs {
            self.consider(pair.a, pair.b);
        }
    }

    /// Lists the pairs of which one has moved, and those that nobody has looked at.
    fn list_jobs(&mut self, frame: u64) {
        self.jobs.clear();
        let bodies = &self.bodies.records;
        if self.bodies.moved.len() * 4 > bodies.len() {
            for (number, record) in self.pairs.records.iter_mut().enumerate() {
                let (a, b) = record.key.slots();
                if record.standing == Standing::Unknown
                    || bodies[a as usize].has_moved
                    || bodies[b as usize].has_moved
                {
                    self.jobs.push(Job::new(number as u32, &mut record.memory));
                }
            }
        } else {
            // Stamps tell which are listed already (Zachmann 1994, section 7.3.1).
            for n in 0..self.bodies.moved.len() {
                let slot = self.bodies.moved[n];
                for k in 0..self.pairs.of(slot).len() {
                    let number = self.pairs.of(slot)[k];
                    self.list_job(number, frame);
                }
            }
            // New pairs, also of bodies that did not move, stand at the end.
            let mut number = self.pairs.records.len();
            while number > 0 && self.pairs.records[number - 1].standing == Standing::Unknown {
                number -= 1;
                self.list_job(number as u32, frame);
            }
        }
        self.report.stats.checked = self.jobs.len();
        self.report.stats.pairs = self.pairs.records.len();
    }

    /// Lists a pair, unless it is listed already.
    fn list_job(&mut self, number: u32, frame: u64) {
        let record = &mut self.pairs.records[number as usize];
        if std::mem::replace(&mut record.stamp, frame) != frame {
            self.jobs.push(Job::new(number, &mut record.memory));
        }
    }

    /// Checks the listed pairs, by all threads.
    fn work(&mut self) {
        let (bodies, pairs) = (&self.bodies, &self.pairs);
        let check = |job: &mut Job| {
            let record = &pairs.records[job.number as usize];
            let (a, b) = record.key.slots();
            let (a, b) = (a as usize, b as usize);
            let pose = Pose::relative(&bodies.poses[a], &bodies.poses[b]);
            let geometry = |slot: usize| bodies.records[slot].geometry.as_ref().expect("is there");
            let memory = job.memory.get_or_insert_default();
            job.found = narrow::check(geometry(a), geometry(b), &pose, record.wish, memory);
        };
        if self.jobs.len() >= MANY && rayon::current_num_threads() > 1 {
            self.jobs.par_iter_mut().with_min_len(4).with_max_len(16).for_each(check);
        } else {
            self.jobs.iter_mut().for_each(check);
        }
    }

    /// Puts the findings where they belong and makes events of them.
    fn conclude(&mut self) {
        for n in 0..self.jobs.len() {
            let job = &mut self.jobs[n];
            let memory = job.memory.take();
            let found = job.found;
            let by_hulls = memory.as_ref().is_some_and(|memory| memory.by_hulls);
            self.report.stats.by_hulls += usize::from(by_hulls);
            let record = &mut self.pairs.records[job.number as usize];
            record.memory = memory;
            let before = std::mem::replace(&mut record.standing, found);
            let key = record.key;
            let (a, b) = key.slots();
            record.forms = [a, b].map(|slot| self.bodies.records[slot as usize].form);
            let kind = match (before.place().is_some(), found.place().is_some()) {
                (false, true) => EventKind::Began,
                (true, false) => EventKind::Ended,
                _ => continue,
            };
            if kind == EventKind::Began {
                record.since = self.report.frame;
                self.meeting += 1;
            } else {
                self.meeting -= 1;
            }
            self.note(kind, key, found);
        }
        if self.options.persisting {
            for n in 0..self.pairs.records.len() {
                let record = &self.pairs.records[n];
                if record.standing.place().is_some() && record.since != self.report.frame {
                    self.note(EventKind::Persists, record.key, record.standing);
                }
            }
        }
        self.report.stats.meeting = self.meeting;
        self.report.events.sort_unstable_by_key(|event| (event.a, event.b, event.kind));
    }

    /// Makes an event.
    fn note(&mut self, kind: EventKind, key: Key, standing: Standing) {
        let (a, b) = key.slots();
        // Of pairs that go on meeting only if somebody asks.
        let place = standing.place().filter(|_| kind == EventKind::Began);
        let witness = place.map(|place| self.witness(key, place));
        self.report.events.push(Event {
            kind,
            a: self.bodies.handle(a),
            b: self.bodies.handle(b),
            certain: !matches!(standing, Standing::Undecided(_)),
            witness,
        });
    }
}

impl Job {
    fn new(number: u32, memory: &mut Option<Box<Memory>>) -> Self {
        Self { number, memory: memory.take(), found: Standing::Unknown }
    }
}

fn ended(a: Handle, b: Handle) -> Event {
    Event { kind: EventKind::Ended, a, b, certain: true, witness: None }
}
