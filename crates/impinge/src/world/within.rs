//! Updates within a budget (Hubbard 1995, sections I and VII, made exact): an update stops when the
//! time is up, and reports what it knows.
//!
//! 1. Bodies that moved are placed one by one, in the order in which they moved, and the broad
//!    phase compares their boxes. A body that was not reached is *open*: all its pairs are
//!    undecided.
//! 2. Pairs of the bodies that were placed enter a queue, ordered by importance and age
//!    (`backlog.rs`).
//! 3. Pairs are checked in this order, each within the rest of the budget. A pair that was not
//!    decided stays in the queue.
//!
//! A pair with an open body is never checked, as its poses are not those of one moment; its state
//! and its events stay as they are. If the boxes of such a pair do not overlap any more, the pair
//! is *held*: it ends when both bodies are up to date, or continues.

use rayon::prelude::*;

use super::backlog::Entry;
use super::callbacks::Importance;
use super::check::{CheckOutcome, CheckOutcomes, Checks, Outcome};
use super::events::{Report, Stats, Undecided};
use super::pairs::Key;
use super::selection::Selection;
use super::update::UndecidedPair;
use super::{BodyPart, Geometry, Handle, World};
use crate::answer::Bounds;
use crate::broad::{Completeness, FrameInput, Incremental, Moved};
use crate::math::{Aabb, Vec3};
use crate::pair::Budget;

/// Units of work to place a body.
const UNITS_PER_BODY: u64 = 4;
/// Units of work to take a pair from the queue, in addition to those of its check.
const UNITS_PER_CHECK: u64 = 4;
/// Bodies that are placed before the broad phase compares their boxes.
const BODIES_AT_A_TIME: usize = 16;
/// The share of the budget for bodies and boxes while pairs wait for checks.
const SHARE_OF_BROAD_PHASE: f64 = 0.5;
/// The number of bodies up to which a report lists those that were not compared.
const MAX_LISTED_BODIES: usize = 256;

/// A pair that waits for a check, as the function of [`World::set_importance`] gets it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct PairInfo {
    /// The body in the smaller slot.
    pub a: Handle,
    /// The body in the larger slot.
    pub b: Handle,
    /// The number that the application set for the [first body](super::Body::user).
    pub user_a: u64,
    /// The number that the application set for the second body.
    pub user_b: u64,
    /// The boxes of the two, in the world's frame.
    pub boxes: [Aabb; 2],
    /// Whether they met at the last check that decided.
    pub met: bool,
    /// The number of updates since the first that did not decide the pair; zero for a pair that was
    /// decided in the last one.
    pub frames_open: u64,
}

impl World {
    /// As [`World::update`], but stops when the budget is spent. What is decided is exact; what is
    /// not decided is reported as such, keeps the state of the last check that decided, causes no
    /// event, and is continued by the next update.
    ///
    /// The report has the number of [undecided pairs](Report::open_pairs) and of [bodies that were
    /// not compared](Report::open_bodies), whose pairs are all undecided; [`World::undecided`] and
    /// [`World::not_compared`] name them. No pair waits for ever: see [`World::set_importance`].
    ///
    /// The update uses the calling thread only, and [persisting](super::WorldOptions::persisting)
    /// pairs are not reported. With a limit of [steps](Budget::steps) reports are the same on every
    /// machine. Some work is done at once: placing one body with its box (of which
    /// [`BoxKind::Tight`](super::BoxKind::Tight) visits every vertex), and deciding anew which
    /// pairs are compared after a change of the [rules](World::set_rules). A world needs memory as
    /// it grows, and allocating it takes time: [`World::reserve`] does that before. Meshes should
    /// be [prepared](World::prepare). The first call replaces a broad phase that cannot
    /// [stop](crate::broad::BroadPhase::can_stop) by [`Incremental`], which compares all boxes
    /// again, within the budget.
    ///
    /// ```
    /// use impinge::convex::Sphere;
    /// use impinge::pair::Budget;
    /// use impinge::world::{Body, World};
    /// use impinge::Pose;
    ///
    /// let mut world = World::new();
    /// let ball = Sphere::new(1.0)?;
    /// for n in 0..100 {
    ///     let at = Pose::from_translation([1.5 * f64::from(n), 0.0, 0.0])?;
    ///     world.add(Body::new(ball.clone()).at(at))?;
    /// }
    /// // In a loop that runs 1000 times a second: Budget::micros(500).
    /// let report = world.update_within(&mut Budget::steps(300));
    /// assert!(!report.is_complete() && report.open_bodies() > 0);
    /// let mut meeting = report.stats().meeting;
    /// while !world.update_within(&mut Budget::steps(300)).is_complete() {
    ///     assert!(world.report().stats().meeting >= meeting); // nothing is taken back
    ///     meeting = world.report().stats().meeting;
    /// }
    /// assert_eq!(world.report().stats().meeting, 99);
    /// # Ok::<(), impinge::Error>(())
    /// ```
    pub fn update_within(&mut self, budget: &mut Budget<'_>) -> &Report {
        self.leave_motion_phase();
        self.enter_budget();
        self.begin_report();
        self.report_removed();
        let share = if self.backlog.has_checks() { SHARE_OF_BROAD_PHASE } else { 1.0 };
        budget.part(share, |budget| self.place_and_compare(budget));
        if self.recheck_interest {
            self.recheck_compared_pairs();
        }
        self.check_queue(budget);
        // What the checks have left.
        self.place_and_compare(budget);
        self.check_queue(budget);
        self.finish_report_within();
        &self.report
    }

    /// Sets the function that rates pairs for [updates within a budget](World::update_within); with
    /// `None` all pairs are equally important. Called when a pair enters the queue: after one of
    /// its bodies moved, or when a check did not decide it.
    ///
    /// A pair is due one frame after it entered the queue, divided by its importance, and the queue
    /// is in the order of due frames. So twice the importance halves the delay, up to a frame for
    /// importances from one, and none waits for ever. Importances are limited to 1e-6 to 1e6. The
    /// function decides by what it knows: the sizes of the boxes, their distance to the viewer,
    /// speeds that the application knows, or how long the pair is open.
    ///
    /// ```
    /// use impinge::World;
    /// use impinge::world::PairInfo;
    ///
    /// let viewer = impinge::Vec3::ZERO;
    /// let mut world = World::new();
    /// world.set_importance(Some(Box::new(move |pair: &PairInfo| {
    ///     let distance = (pair.boxes[0].center() - viewer).length();
    ///     pair.boxes[0].extent().length() / distance.max(1e-3)
    /// })));
    /// ```
    pub fn set_importance(&mut self, importance: Option<Importance>) {
        self.callbacks.importance = importance;
    }

    /// Allocates memory for this many bodies and pairs with overlapping boxes, for updates within a
    /// budget that must not be late while the world grows. Replaces the broad phase as
    /// [`World::update_within`] does.
    pub fn reserve(&mut self, bodies: usize, pairs: usize) {
        self.leave_motion_phase();
        self.enter_budget();
        self.phase.reserve(bodies, pairs);
        self.pairs.reserve(bodies, pairs);
        self.backlog.reserve(pairs);
        self.bodies.reserve(bodies);
    }

    /// Builds the trees of all meshes. Updates within a budget do not build them, and pairs of
    /// larger meshes without trees stay undecided unless their boxes decide. Takes the time of
    /// [`Mesh::prepare`](crate::Mesh::prepare) for each mesh that was not prepared before; on all
    /// threads.
    pub fn prepare(&self) {
        let records = self.bodies.records.iter().filter_map(|record| record.geometry.as_ref());
        let parts: Vec<&BodyPart> = records.flat_map(Geometry::parts).collect();
        parts.into_par_iter().for_each(|part| {
            if let Some(mesh) = part.shape().mesh() {
                mesh.prepare();
            }
        });
    }

    /// All pairs that are undecided, as of the last update, in any order, with bounds of their
    /// signed distance from their boxes. Pairs of the bodies of [`World::not_compared`] are
    /// undecided too, and are listed here only if the broad phase knew them before.
    pub fn undecided(&self) -> impl Iterator<Item = Undecided> + '_ {
        let records = self.pairs.records.iter();
        records.filter(|record| record.undecided || self.has_open_body(record.key)).map(|record| {
            let (a, b) = record.key.slots();
            let bounds = match self.has_open_body(record.key) {
                true => Bounds::UNKNOWN,
                false => Bounds::of_boxes(&self.box_of(a), &self.box_of(b)),
            };
            let since = match self.backlog.is_active {
                true => record.waiting().since,
                false => self.undecided_since(record.key),
            };
            Undecided {
                a: self.bodies.handle(a),
                b: self.bodies.handle(b),
                met: record.state.meets(),
                since: if since == 0 { self.report.frame } else { since },
                bounds,
            }
        })
    }

    /// The bodies that were not compared with all others, as of the last update: they moved or were
    /// added, and the budget was spent. All their pairs are undecided.
    pub fn not_compared(&self) -> impl Iterator<Item = Handle> + '_ {
        let slots = 0..self.bodies.records.len() as u32;
        let open = slots.filter(|slot| self.bodies.is_taken(*slot) && self.bodies.is_open(*slot));
        open.map(|slot| self.bodies.handle(slot))
    }

    /// The pairs that are undecided after updates of either kind, sorted.
    pub(super) fn undecided_pairs(&self) -> Vec<UndecidedPair> {
        if !self.backlog.is_active {
            return self.undecided.clone();
        }
        let open = self.pairs.records.iter().filter(|record| record.undecided);
        let mut pairs: Vec<UndecidedPair> = open
            .map(|record| UndecidedPair { key: record.key, since: record.waiting().since })
            .collect();
        pairs.sort_unstable_by_key(|pair| pair.key);
        pairs
    }

    fn undecided_since(&self, key: Key) -> u64 {
        let known = self.undecided.binary_search_by_key(&key, |pair| pair.key);
        known.map_or(0, |n| self.undecided[n].since)
    }

    fn has_open_body(&self, key: Key) -> bool {
        let (a, b) = key.slots();
        self.backlog.is_active && (self.bodies.is_open(a) || self.bodies.is_open(b))
    }

    /// A box around a body that is up to date.
    fn box_of(&self, slot: u32) -> Aabb {
        let bounds = self.bodies.bounds[slot as usize];
        let point = |p: [f32; 3]| Vec3::from_array(p.map(f64::from));
        Aabb { min: point(bounds.min), max: point(bounds.max) }
    }

    /// Prepares the world for updates within a budget, after one without.
    fn enter_budget(&mut self) {
        if self.backlog.is_active && self.phase.can_stop() && !self.phase_is_new {
            return;
        }
        self.leave_budget();
        if !self.phase.can_stop() {
            self.set_phase(Box::new(Incremental::new()));
        }
        self.backlog.clear();
        self.backlog.is_active = true;
        if std::mem::take(&mut self.phase_is_new) {
            if self.bodies.changed_count < self.bodies.records.len() {
                for slot in 0..self.bodies.records.len() as u32 {
                    if self.bodies.is_taken(slot) {
                        self.bodies.change(slot);
                    }
                }
            }
            // The pairs remain that the broad phase finds.
            self.pairs.records.iter_mut().for_each(|record| record.boxes_apart = true);
            self.backlog.held_pairs = self.pairs.records.len();
        }
        let frame = self.report.frame;
        for UndecidedPair { key, since } in std::mem::take(&mut self.undecided) {
            let Some(number) = self.pairs.number(key) else { continue };
            self.pairs.records[number as usize].waiting_mut().since = since;
            self.pairs.records[number as usize].undecided = false;
            self.enqueue(number, frame);
        }
    }

    /// Prepares the world for an update without a budget, after one within.
    pub(super) fn leave_budget(&mut self) {
        if !self.backlog.is_active {
            return;
        }
        self.undecided = self.undecided_pairs();
        let held = self.backlog.held_pairs > 0;
        self.backlog.clear();
        self.bodies.gather_waiting();
        self.bodies.change_pending();
        for record in &mut self.pairs.records {
            if record.cache.is_some() {
                *record.waiting_mut() = super::narrow::Waiting::default();
            }
            record.boxes_apart = false;
        }
        // The pairs of the broad phase decide which of the held ones remain.
        self.recheck_interest |= held;
    }

    /// Places bodies and compares their boxes until none is left or the budget is spent.
    fn place_and_compare(&mut self, budget: &mut Budget<'_>) {
        // A body whose parent has moved is open, too.
        self.bodies.change_attached();
        if self.bodies.waiting.is_empty() {
            // Without a copy: there may be a hundred thousand.
            self.bodies.waiting = std::mem::take(&mut self.bodies.changed).into();
        } else {
            let Self { bodies, .. } = self;
            bodies.waiting.extend(bodies.changed.drain(..));
        }
        loop {
            self.place_some(budget);
            if self.bodies.moved.is_empty() && self.backlog.pending.is_empty() {
                return;
            }
            self.changes.clear();
            let frame = FrameInput {
                moved: Moved::Only(&self.bodies.moved),
                ..self.bodies.broad_phase_frame(false)
            };
            self.completeness = self.phase.update(&frame, budget, &mut self.changes);
            self.take_changes();
            if self.completeness == Completeness::Incomplete || budget.is_over() {
                return;
            }
        }
    }

    /// Places a few bodies.
    fn place_some(&mut self, budget: &mut Budget<'_>) {
        while self.bodies.moved.len() < BODIES_AT_A_TIME {
            let Some(slot) = self.bodies.waiting.front().copied() else { return };
            if !self.bodies.marks[slot as usize].is_changed {
                self.bodies.waiting.pop_front();
                continue;
            }
            if !budget.take(UNITS_PER_BODY) {
                return;
            }
            self.bodies.place_first_of_chain(slot);
        }
    }

    /// Takes over what the broad phase found, and puts the pairs of the bodies that it has compared
    /// into the queue.
    fn take_changes(&mut self) {
        let Stats { boxes_began, boxes_ended, moved, broad_phases, .. } = &mut self.report.stats;
        *broad_phases += 1;
        *boxes_began += self.changes.began.len();
        *boxes_ended += self.changes.ended.len();
        *moved += self.bodies.moved.len();
        self.changes.pending.sort_unstable();
        self.changes.pending.dedup();
        let mut compared = std::mem::take(&mut self.backlog.pending);
        compared.extend_from_slice(&self.bodies.moved);
        for slot in &compared {
            self.bodies.marks[*slot as usize].is_pending = false;
        }
        let slots = self.bodies.marks.len();
        for slot in self.changes.pending.iter().filter(|slot| (**slot as usize) < slots) {
            self.bodies.marks[*slot as usize].is_pending = true;
        }
        for n in 0..self.changes.began.len() {
            let pair = self.changes.began[n];
            let key = Key::new(pair.a, pair.b);
            if let Some(record) = self.pairs.get_mut(key) {
                // Also if the pair is not compared any more, and is removed later.
                let was_held = std::mem::take(&mut record.boxes_apart);
                self.backlog.held_pairs -= usize::from(was_held);
            }
            self.add_pair_if_compared(pair.a, pair.b);
        }
        for n in 0..self.changes.ended.len() {
            let pair = self.changes.ended[n];
            self.end_or_hold(Key::new(pair.a, pair.b));
        }
        compared.sort_unstable();
        compared.dedup();
        let frame = self.report.frame;
        for slot in compared.iter().copied() {
            if self.bodies.is_open(slot) {
                continue;
            }
            // Ending a pair moves another one to its position.
            for position in (0..self.pairs.of(slot).len()).rev() {
                let number = self.pairs.of(slot)[position];
                let record = &self.pairs.records[number as usize];
                if record.boxes_apart {
                    self.end_or_hold(record.key);
                } else {
                    self.enqueue(number, frame);
                }
            }
        }
        self.bodies.clear_moves();
        compared.clear();
        compared.extend(self.changes.pending.iter().filter(|slot| (**slot as usize) < slots));
        self.backlog.pending = compared;
    }

    /// Ends a pair whose boxes do not overlap, or holds it if one of the bodies is open.
    fn end_or_hold(&mut self, key: Key) {
        if !self.has_open_body(key) {
            self.remove_pair(key);
        } else if let Some(record) = self.pairs.get_mut(key) {
            let was_held = std::mem::replace(&mut record.boxes_apart, true);
            self.backlog.held_pairs += usize::from(!was_held);
        }
    }

    /// Puts a pair into the queue.
    fn enqueue(&mut self, number: u32, frame: u64) {
        let record = &mut self.pairs.records[number as usize];
        let importance = match &self.callbacks.importance {
            None => 1.0,
            Some(importance) => {
                let (a, b) = record.key.slots();
                let [of_a, of_b] = [a, b].map(|slot| &self.bodies.records[slot as usize]);
                let since = record.waiting().since;
                let info = PairInfo {
                    a: self.bodies.handle(a),
                    b: self.bodies.handle(b),
                    user_a: of_a.user,
                    user_b: of_b.user,
                    boxes: [a, b].map(|slot| {
                        let bounds = self.bodies.bounds[slot as usize];
                        let point = |p: [f32; 3]| Vec3::from_array(p.map(f64::from));
                        Aabb { min: point(bounds.min), max: point(bounds.max) }
                    }),
                    met: record.state.meets(),
                    frames_open: if since == 0 { 0 } else { frame.saturating_sub(since) },
                };
                importance(&info)
            }
        };
        self.backlog.add(record, frame, importance);
    }

    /// Decides again which pairs are compared, after a change of the rules.
    fn recheck_compared_pairs(&mut self) {
        self.recheck_interest = false;
        let is_compared = |key: &Key| {
            let (a, b) = key.slots();
            self.matrix.is_compared(&self.bodies, a, b).0
        };
        let keys = self.pairs.records.iter().map(|record| record.key);
        let removed: Vec<Key> = keys.filter(|key| !is_compared(key)).collect();
        for key in removed {
            self.remove_pair(key);
        }
        let known = self.pairs.records.len();
        let mut pairs = Vec::new();
        self.phase.pairs(&mut pairs);
        pairs.sort_unstable();
        for pair in pairs {
            self.add_pair_if_compared(pair.a, pair.b);
        }
        for number in known..self.pairs.records.len() {
            self.enqueue(number as u32, self.report.frame);
        }
    }

    /// Checks pairs in the order of the queue until it is empty or the budget is spent.
    fn check_queue(&mut self, budget: &mut Budget<'_>) {
        // Pairs that a check did not decide enter the queue again after it.
        let mut again: Vec<Entry> = Vec::new();
        let mut outcomes = std::mem::take(&mut self.outcomes);
        while let Some(entry) = self.backlog.pop(&self.pairs) {
            if !budget.take(UNITS_PER_CHECK) {
                self.backlog.put_back(entry);
                break;
            }
            if self.has_open_body(entry.key) {
                // It enters the queue again when both bodies are up to date.
                if let Some(record) = self.pairs.get_mut(entry.key) {
                    record.waiting_mut().entry = 0;
                }
                continue;
            }
            if self.check_one_within(entry.key, budget, &mut outcomes) {
                again.push(entry);
            }
        }
        self.outcomes = outcomes;
        for Entry { key, .. } in again {
            let Some(number) = self.pairs.number(key) else { continue };
            self.pairs.records[number as usize].waiting_mut().entry = 0;
            self.enqueue(number, self.report.frame);
        }
    }

    /// Checks a pair. Returns whether it is undecided.
    fn check_one_within(
        &mut self,
        key: Key,
        budget: &mut Budget<'_>,
        outcomes: &mut CheckOutcomes,
    ) -> bool {
        let frame = self.report.frame;
        let selection = Selection::new(&self.settings.methods, &self.options, &self.methods);
        let Some(number) = self.pairs.number(key) else { return false };
        let record = &mut self.pairs.records[number as usize];
        let since = record.waiting().since;
        let checks = Checks::new(&self.bodies, selection, frame, outcomes);
        checks.check_one(record, budget);
        self.report.stats.checked += 1;
        self.report.stats.decided_by_hulls += usize::from(record.decided_by_hulls);
        let undecided = record.undecided;
        if !undecided {
            record.undecided = true; // as it was before the check
            self.backlog.note_decided(record);
        }
        for CheckOutcome { result, .. } in outcomes.drain() {
            match result {
                Outcome::Changed { state, witness } => self.report_change(key, state, witness),
                Outcome::Undecided(bounds) => {
                    self.report_undecided(key, since, bounds);
                }
            }
        }
        undecided
    }

    fn finish_report_within(&mut self) {
        let open_bodies = self.bodies.changed_count + self.backlog.pending.len();
        self.report.open_bodies = open_bodies;
        self.report.open_pairs = self.backlog.open_pairs;
        if (1..=MAX_LISTED_BODIES).contains(&open_bodies) {
            let Self { bodies, backlog, report, .. } = self;
            let slots = bodies.waiting.iter().chain(&bodies.changed).chain(&backlog.pending);
            let mut open: Vec<u32> = slots.copied().collect();
            open.retain(|slot| bodies.is_open(*slot) && bodies.is_taken(*slot));
            open.sort_unstable();
            open.dedup();
            report.open_bodies = open.len();
            report.not_compared.extend(open.into_iter().map(|slot| bodies.handle(slot)));
        }
        self.report.stats.pairs = self.pairs.records.len();
        self.report.undecided.sort_unstable_by_key(|pair| (pair.a.slot, pair.b.slot));
        // A pair may be checked twice if its body moved down the chain of its parents.
        self.report.undecided.dedup_by_key(|pair| (pair.a, pair.b));
        self.finish_report();
    }
}
