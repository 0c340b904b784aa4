//! The broad phase of [`World::update_at`](super::World::update_at): nothing is compared before the
//! earliest time at which it matters (Hubbard 1995, section VI).
//!
//! Every body has a *guard*, a box that contains its box in every frame until the guard is
//! replaced: the box that its bound sweeps until it expires, or, for a body without a bound, its
//! box, until it moves. The production broad phase keeps the pairs of guards that overlap. Each of
//! these sleeps until the earliest meeting of its bounds; awake pairs are compared by their boxes,
//! as the ordinary broad phase does, when one of the two has moved.
//!
//! No pair is late, whatever the bodies do, because nothing depends on limits that were kept: the
//! box of a body is compared with its bound in every frame in which it could have left it, and a
//! body outside has no bound any more. `docs/notes/space-time.md` has the proof.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::bodies::Bodies;
use super::body_motion::{Known, Path, aabb};
use super::events::Stats;
use super::interest::Matrix;
use super::motions::Motions;
use super::pairs::Key;
use super::waiting::WaitingPairs;
use crate::broad::{BoxF32, BroadPhase, Changes, FrameInput, Moved, Neighbours, Pair};
use crate::motion::{SpaceTimeBound, earliest_meeting};

/// Debug builds check the invariants after every frame of up to this many slots.
const MAX_SLOTS_TO_VALIDATE: usize = 512;

/// The state of the broad phase. Snapshots do not contain it: it is made again.
#[derive(Debug, Default)]
pub(super) struct MotionPhase {
    /// Whether the last update was one with a time.
    pub(super) is_active: bool,
    /// Whether no body has a guard yet.
    pub(super) is_new: bool,
    guards: Vec<BoxF32>,
    /// Slots whose guards are to be replaced, each once.
    changed: Vec<u32>,
    marks: Vec<Marks>,
    phase: Neighbours,
    phase_changes: Changes,
    pub(super) pairs: WaitingPairs,
    /// Pairs that woke by themselves in this frame.
    woken: Vec<u32>,
    /// Pairs that were awake and sleep again, or ended, in this frame.
    pub(super) passed: Vec<Key>,
    /// Slots of bodies that moved, and had no limits for a part of the time since the last frame.
    pub(super) unlimited: Vec<u32>,
    /// Slots whose bounds may shrink faster than their boxes move.
    shrinking: Vec<u32>,
    expiries: BinaryHeap<Reverse<Expiry>>,
    /// Slots of bodies that were found outside their bounds.
    pub(super) outside: Vec<u32>,
    /// Slots of bodies for which new limits would save work.
    pub(super) renew: Vec<u32>,
    /// The work since the last frame.
    ahead: Stats,
    /// Counts calls, so that each pair is considered once in each.
    round: u64,
}

/// What holds for a slot.
#[derive(Clone, Copy, Debug, Default)]
struct Marks {
    /// In `changed`.
    is_changed: bool,
    /// In `shrinking`.
    is_shrinking: bool,
    /// Counts what was known: expiries of earlier limits are void.
    version: u32,
}

#[derive(Clone, Copy, Debug)]
struct Expiry {
    time: f64,
    slot: u32,
    version: u32,
}

impl Ord for Expiry {
    fn cmp(&self, other: &Self) -> Ordering {
        let rest = |expiry: &Self| (expiry.slot, expiry.version);
        self.time.total_cmp(&other.time).then_with(|| rest(self).cmp(&rest(other)))
    }
}

impl PartialOrd for Expiry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Expiry {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Expiry {}

/// The bodies of a frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame<'a> {
    pub(super) bodies: &'a Bodies,
    pub(super) matrix: &'a Matrix,
    pub(super) time: f64,
    /// Whether the rules have changed that decide which pairs are compared.
    pub(super) rules_changed: bool,
}

impl Frame<'_> {
    fn is_compared(&self, key: Key) -> bool {
        let (a, b) = key.slots();
        self.matrix.is_compared(self.bodies, a, b).0
    }
}

impl MotionPhase {
    /// A phase that observes all bodies in its first frame.
    pub(super) fn started() -> Self {
        Self { is_active: true, is_new: true, ..Self::default() }
    }

    /// Processes a frame, and appends the pairs whose boxes began and ended to overlap to
    /// `changes`.
    pub(super) fn run(
        &mut self,
        frame: &Frame<'_>,
        motions: &mut Motions,
        changes: &mut Changes,
        stats: &mut Stats,
    ) {
        self.start_round(frame);
        let Stats { broad_phases, box_tests, meetings, observed, .. } =
            std::mem::take(&mut self.ahead);
        stats.broad_phases += broad_phases;
        stats.box_tests += box_tests;
        stats.meetings += meetings;
        stats.observed += observed;
        self.passed.clear();
        self.unlimited.clear();
        self.woken.clear();
        // By the bounds that held until now.
        self.pairs.wake_until(frame.time + motions.resolution, &mut self.woken);
        let is_new = std::mem::take(&mut self.is_new);
        if is_new {
            self.begin(frame, motions);
        }
        self.install(frame, motions, stats);
        self.expire(frame, motions);
        if is_new {
            (0..self.guards.len() as u32)
                .for_each(|slot| self.observe(slot, frame, motions, stats));
        } else {
            self.observe_moved(frame, motions, stats);
        }
        self.refresh(frame, motions, changes, stats);
        self.compare_awake(frame, motions, changes, stats);
        self.pairs.tidy();
        if cfg!(debug_assertions) && self.guards.len() <= MAX_SLOTS_TO_VALIDATE {
            self.validate(frame, motions);
        }
    }

    /// Processes what was set since the last frame, at its time, while no body has moved. Returns
    /// the time of the next event.
    pub(super) fn look_ahead(&mut self, frame: &Frame<'_>, motions: &mut Motions) -> f64 {
        self.start_round(frame);
        let mut stats = std::mem::take(&mut self.ahead);
        self.install(frame, motions, &mut stats);
        let mut changes = Changes::default();
        self.refresh(frame, motions, &mut changes, &mut stats);
        self.ahead = stats;
        // All boxes are those of the last frame.
        debug_assert!(changes.began.is_empty() && changes.ended.is_empty(), "{changes:?}");
        while self.expiries.peek().is_some_and(|expiry| self.is_void(&expiry.0)) {
            self.expiries.pop();
        }
        let expiry = self.expiries.peek().map_or(f64::INFINITY, |expiry| expiry.0.time);
        let waking = self.pairs.next().unwrap_or(f64::INFINITY);
        let next = if self.pairs.restless > 0 { frame.time } else { expiry.min(waking) };
        next.max(frame.time + motions.resolution)
    }

    fn start_round(&mut self, frame: &Frame<'_>) {
        self.round += 1;
        let slots = frame.bodies.records.len();
        self.guards.resize(slots, BoxF32::EMPTY);
        self.marks.resize(slots, Marks::default());
        self.pairs.grow(slots);
    }

    /// Enters all bodies.
    fn begin(&mut self, frame: &Frame<'_>, motions: &Motions) {
        for slot in 0..frame.bodies.records.len() as u32 {
            self.change(slot);
            if let Some(known) = motions.of(slot) {
                self.track(slot, known);
            }
        }
    }

    /// Takes over what was set.
    fn install(&mut self, frame: &Frame<'_>, motions: &mut Motions, stats: &mut Stats) {
        for (slot, known) in motions.take_pending(frame.time) {
            if let Some(known) = known {
                let ends = motions.of(slot).map(|earlier| earlier.until);
                let begins_late = motions.time.is_some_and(|last| known.from > last);
                if begins_late && ends.is_none_or(|end| end < known.from) {
                    self.unlimited.push(slot);
                }
            }
            let was_known = motions.set(slot, known);
            self.change(slot);
            match known {
                Some(known) => {
                    self.track(slot, &known);
                    self.observe(slot, frame, motions, stats);
                }
                None if was_known => self.renew.push(slot),
                None => {}
            }
        }
    }

    /// Notes when a body may leave its bound.
    fn track(&mut self, slot: u32, known: &Known) {
        let marks = &mut self.marks[slot as usize];
        marks.version = marks.version.wrapping_add(1);
        if known.until.is_finite() {
            let (time, version) = (known.until, marks.version);
            self.expiries.push(Reverse(Expiry { time, slot, version }));
        }
        let shrinks = matches!(known.path, Path::Within { shrinks: true, .. });
        if shrinks && !std::mem::replace(&mut marks.is_shrinking, true) {
            self.shrinking.push(slot);
        }
    }

    fn is_void(&self, expiry: &Expiry) -> bool {
        self.marks[expiry.slot as usize].version != expiry.version
    }

    /// Drops what has expired.
    fn expire(&mut self, frame: &Frame<'_>, motions: &mut Motions) {
        while let Some(Reverse(expiry)) = self.expiries.peek().copied() {
            if !self.is_void(&expiry) && expiry.time >= frame.time {
                break;
            }
            self.expiries.pop();
            if !self.is_void(&expiry) && motions.set(expiry.slot, None) {
                self.renew.push(expiry.slot);
                self.change(expiry.slot);
            }
        }
    }

    /// Observes the bodies that may have left their bounds: those that moved, and those that did
    /// not although their bounds did.
    fn observe_moved(&mut self, frame: &Frame<'_>, motions: &mut Motions, stats: &mut Stats) {
        for slot in &frame.bodies.moved {
            self.observe(*slot, frame, motions, stats);
        }
        let mut shrinking = std::mem::take(&mut self.shrinking);
        shrinking.retain(|slot| {
            let known = motions.of(*slot);
            let shrinks =
                known.is_some_and(|known| matches!(known.path, Path::Within { shrinks: true, .. }));
            if !shrinks {
                self.marks[*slot as usize].is_shrinking = false;
            } else if !frame.bodies.marks[*slot as usize].has_moved {
                self.observe(*slot, frame, motions, stats);
            }
            shrinks
        });
        self.shrinking = shrinking;
    }

    /// Compares a body with what is known about it.
    fn observe(&mut self, slot: u32, frame: &Frame<'_>, motions: &mut Motions, stats: &mut Stats) {
        let Some(known) = motions.of(slot) else {
            if frame.bodies.marks[slot as usize].has_moved {
                self.unlimited.push(slot);
            }
            self.change(slot);
            return;
        };
        stats.observed += 1;
        let (pose, bounds) =
            (&frame.bodies.poses[slot as usize], &frame.bodies.bounds[slot as usize]);
        // What has expired is dropped by itself.
        if frame.time <= known.until && !known.holds(pose, bounds, frame.time) {
            self.unlimited.push(slot);
            self.outside.push(slot);
            self.renew.push(slot);
            motions.set(slot, None);
            self.change(slot);
        } else if known.bound().is_none() {
            self.change(slot);
        }
    }

    /// Records that a body needs another guard.
    fn change(&mut self, slot: u32) {
        if !std::mem::replace(&mut self.marks[slot as usize].is_changed, true) {
            self.changed.push(slot);
        }
    }

    /// Replaces guards, finds the pairs of those that overlap, and computes when they can meet.
    fn refresh(
        &mut self,
        frame: &Frame<'_>,
        motions: &Motions,
        changes: &mut Changes,
        stats: &mut Stats,
    ) {
        if !self.changed.is_empty() {
            for slot in &self.changed {
                let bound = motions.of(*slot).and_then(Known::bound);
                self.guards[*slot as usize] = match bound {
                    Some(bound) => BoxF32::from(bound.swept(bound.start(), bound.end())),
                    None => frame.bodies.bounds[*slot as usize],
                };
            }
            let moved = Moved::Only(&self.changed);
            let guards = FrameInput { bounds: &self.guards, oriented: None, moved };
            self.phase.update_unlimited(&guards, &mut self.phase_changes);
            stats.broad_phases += 1;
        } else if !frame.rules_changed {
            return;
        } else {
            self.phase_changes.clear();
        }
        let mut ended = std::mem::take(&mut self.phase_changes.ended);
        let mut began = std::mem::take(&mut self.phase_changes.began);
        if frame.rules_changed {
            let keys = self.pairs.all().map(|record| record.key);
            let not_compared = keys.filter(|key| !frame.is_compared(*key));
            ended.extend(not_compared.map(pair));
            began.clear();
            self.phase.pairs(&mut began);
            began.retain(|pair| !self.pairs.contains(Key::new(pair.a, pair.b)));
        }
        for pair in ended.drain(..) {
            let key = Key::new(pair.a, pair.b);
            if let Some(removed) = self.pairs.remove(key) {
                if removed.overlaps {
                    changes.ended.push(pair);
                }
                if removed.is_awake {
                    self.passed.push(key);
                }
            }
        }
        for pair in began.drain(..) {
            let key = Key::new(pair.a, pair.b);
            if frame.is_compared(key) {
                let number = self.pairs.insert(key);
                self.consider(number, frame, motions, changes, stats);
            }
        }
        (self.phase_changes.ended, self.phase_changes.began) = (ended, began);
        for n in 0..self.changed.len() {
            let slot = self.changed[n];
            for k in 0..self.pairs.of(slot).len() {
                self.consider(self.pairs.of(slot)[k], frame, motions, changes, stats);
            }
            self.marks[slot as usize].is_changed = false;
        }
        self.changed.clear();
    }

    /// Decides until when a pair sleeps.
    fn consider(
        &mut self,
        number: u32,
        frame: &Frame<'_>,
        motions: &Motions,
        changes: &mut Changes,
        stats: &mut Stats,
    ) {
        let record = &mut self.pairs.records[number as usize];
        if std::mem::replace(&mut record.considered, self.round) == self.round {
            return;
        }
        let key = record.key;
        let (a, b) = key.slots();
        let known = [a, b].map(|slot| motions.of(slot));
        let bounds = known.map(|known| known.and_then(Known::bound));
        self.pairs.set_may_move(number, bounds.iter().any(Option::is_some));
        self.compare(number, frame, changes, stats);
        // Contacts before the last frame do not matter.
        let from = motions.time.unwrap_or(frame.time);
        let meeting = match bounds {
            // The guards that overlap are the boxes.
            [None, None] => Some(f64::NEG_INFINITY),
            _ => {
                stats.meetings += 1;
                let bound = |slot: u32, bound: Option<&SpaceTimeBound>| match bound {
                    Some(bound) => bound.starting_at(from),
                    None => SpaceTimeBound::resting(&aabb(&frame.bodies.bounds[slot as usize])),
                };
                earliest_meeting(&bound(a, bounds[0]), &bound(b, bounds[1]))
            }
        };
        let overlaps = self.pairs.records[number as usize].overlaps;
        if overlaps || meeting.is_some_and(|meeting| meeting <= frame.time + motions.resolution) {
            self.pairs.wake(number);
            if !overlaps {
                self.renew_old([a, b], frame, motions);
            }
        } else if self.pairs.sleep_until(number, meeting) {
            // Its bounds are about the time since the last frame, unless one began later.
            let is_since = |known: Option<&Known>| known.is_some_and(|known| known.from <= from);
            if !known.into_iter().all(is_since) {
                self.passed.push(key);
            }
        }
    }

    /// Compares the boxes of a pair.
    fn compare(
        &mut self,
        number: u32,
        frame: &Frame<'_>,
        changes: &mut Changes,
        stats: &mut Stats,
    ) {
        let record = &mut self.pairs.records[number as usize];
        record.compared = self.round;
        stats.box_tests += 1;
        let (a, b) = record.key.slots();
        let overlaps = frame.bodies.broad_phase_frame(false).overlap(a, b);
        if std::mem::replace(&mut record.overlaps, overlaps) != overlaps {
            let list = if overlaps { &mut changes.began } else { &mut changes.ended };
            list.push(Pair::new(a, b));
        }
    }

    /// Compares the pairs that are awake, of bodies that moved, and those that woke.
    fn compare_awake(
        &mut self,
        frame: &Frame<'_>,
        motions: &Motions,
        changes: &mut Changes,
        stats: &mut Stats,
    ) {
        for slot in &frame.bodies.moved {
            if !self.pairs.is_awake(*slot) {
                continue;
            }
            for k in 0..self.pairs.of(*slot).len() {
                self.compare_if_awake(self.pairs.of(*slot)[k], frame, motions, changes, stats);
            }
        }
        for n in 0..self.woken.len() {
            self.compare_if_awake(self.woken[n], frame, motions, changes, stats);
        }
    }

    fn compare_if_awake(
        &mut self,
        number: u32,
        frame: &Frame<'_>,
        motions: &Motions,
        changes: &mut Changes,
        stats: &mut Stats,
    ) {
        let record = &self.pairs.records[number as usize];
        if !record.is_awake || record.compared == self.round {
            return;
        }
        let (a, b) = record.key.slots();
        self.compare(number, frame, changes, stats);
        if !self.pairs.records[number as usize].overlaps {
            self.renew_old([a, b], frame, motions);
        }
    }

    /// Lists the bodies of a pair that is awake although its boxes are apart: with newer bounds it
    /// might sleep.
    fn renew_old(&mut self, slots: [u32; 2], frame: &Frame<'_>, motions: &Motions) {
        let is_old = |slot: &u32| {
            let known = motions.of(*slot);
            known.is_some_and(|known| known.bound().is_some() && known.from < frame.time)
        };
        self.renew.extend(slots.iter().filter(|slot| is_old(slot)));
    }

    /// Checks what the proof relies on, after a frame.
    ///
    /// # Panics
    /// If it does not hold (a bug).
    fn validate(&self, frame: &Frame<'_>, motions: &Motions) {
        self.pairs.validate();
        let bodies = frame.bodies;
        for slot in 0..self.guards.len() as u32 {
            let (guard, bounds) = (&self.guards[slot as usize], &bodies.bounds[slot as usize]);
            assert!(guard.contains(bounds), "the box of {slot} is outside its guard");
            if let Some(known) = motions.of(slot) {
                let pose = &bodies.poses[slot as usize];
                assert!(known.holds(pose, bounds, frame.time), "{slot} is outside its bound");
            }
        }
        let input = bodies.broad_phase_frame(false);
        for record in self.pairs.all() {
            let (a, b) = record.key.slots();
            assert_eq!(record.overlaps, input.overlap(a, b), "the pair of {a} and {b}");
        }
    }
}

fn pair(key: Key) -> Pair {
    let (a, b) = key.slots();
    Pair { a, b }
}
