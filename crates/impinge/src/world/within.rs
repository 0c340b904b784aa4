//! Updates within a budget (Hubbard 1995, sections I and VII, made exact): an update stops when the
//! time is up, and reports what it knows.
//!
//! 1. Bodies that moved are placed one by one (`bodies/order.rs`), and the broad phase compares
//!    their boxes. A body that was not reached is *open*: all its pairs are undecided.
//! 2. Pairs of the bodies that were placed enter a queue, ordered by importance and age
//!    (`backlog.rs`).
//! 3. Pairs are checked in this order, each within the rest of the budget. A pair that was not
//!    decided stays in the queue.
//!
//! A pair with an open body is never checked, as its poses are not those of one moment; its state
//! and its events stay as they are. When it is the first of the queue, its bodies are placed and
//! compared before others. If the boxes of a pair with an open body do not overlap any more, the
//! pair is *held*: it ends when both bodies are up to date, or continues.

use rayon::prelude::*;

use super::backlog::Entry;
use super::callbacks::Importance;
use super::check::{CheckOutcome, CheckOutcomes, Checks, Outcome};
use super::events::{Report, Stats};
use super::pairs::Key;
use super::selection::Selection;
use super::update::UndecidedPair;
use super::{BodyPart, Geometry, Handle, World};
use crate::broad::{Completeness, FrameInput, Incremental, Moved};
use crate::math::{Aabb, Vec3};
use crate::pair::Budget;

/// Units of work to place a body.
const UNITS_PER_BODY: u64 = 4;
/// Units of work to take a pair from the queue, in addition to those of its check.
const UNITS_PER_CHECK: u64 = 4;
/// Pairs of a body that enter the queue for one unit of work.
const PAIRS_LISTED_PER_UNIT: usize = 2;
/// The number of pairs of a body up to which they enter the queue at once.
const MAX_PAIRS_LISTED_AT_ONCE: usize = 32;
/// Bodies that are placed before the broad phase compares their boxes.
const BODIES_AT_A_TIME: usize = 16;
/// The share of the budget for bodies and boxes while pairs wait for checks.
const SHARE_OF_BROAD_PHASE: f64 = 0.5;
/// The share of the rest for changed rules.
const SHARE_OF_RULES: f64 = 0.25;
/// The share of the budget for events of pairs that continue to meet, if the options include them.
const SHARE_OF_PERSISTING: f64 = 0.125;

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
    /// The update uses the calling thread only. With a limit of [steps](Budget::steps) reports are
    /// the same on every machine. After a change of the [rules](World::set_rules) the bodies whose
    /// pairs were not compared with them yet count as not compared. Events of
    /// [persisting](super::WorldOptions::persisting) pairs get an eighth of the budget: an update
    /// continues with them where the last one ended, undecided pairs have none, and
    /// [`Report::open_persisting`] is the number of pairs that were not visited.
    ///
    /// Some work is done at once: placing one body with its box (of which
    /// [`BoxKind::Tight`](super::BoxKind::Tight) visits every vertex), and marking the bodies that
    /// are attached to one that moved. A world needs memory as
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
        self.note_changed_rules();
        if self.options.persisting {
            budget.part(1.0 - SHARE_OF_PERSISTING, |budget| self.run_stages_within(budget));
            self.report_persisting_within(budget);
        } else {
            self.run_stages_within(budget);
        }
        self.finish_report_within();
        &self.report
    }

    /// The stages of an update within a budget.
    fn run_stages_within(&mut self, budget: &mut Budget<'_>) {
        let share = if self.backlog.has_checks() { SHARE_OF_BROAD_PHASE } else { 1.0 };
        budget.part(share, |budget| self.place_and_compare(budget));
        if self.backlog.rules.behind() > 0 {
            budget.part(SHARE_OF_RULES, |budget| self.apply_rules(budget));
        }
        self.check_queue(budget);
        // What the checks have left.
        self.apply_rules(budget);
        self.place_and_compare(budget);
        self.check_queue(budget);
        self.backlog.is_stopped = budget.is_over();
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
        self.backlog.rules.reserve(bodies);
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
        self.recheck_interest |= self.backlog.rules.clear();
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
        loop {
            let are_listed = self.list_pairs(budget);
            if are_listed {
                self.place_some(budget);
            }
            // The broad phase gets all bodies that are placed, at least as pending ones.
            let has_work = are_listed && !self.backlog.pending.is_empty();
            if self.bodies.moved.is_empty() && !has_work {
                return;
            }
            if !self.compare_boxes(budget) || !are_listed {
                return;
            }
        }
    }

    /// Places a few bodies. None as long as the broad phase has enough of them.
    fn place_some(&mut self, budget: &mut Budget<'_>) {
        while self.bodies.moved.len() + self.backlog.pending.len() < BODIES_AT_A_TIME {
            let Some(slot) = self.bodies.next_to_place() else { return };
            if !budget.take(UNITS_PER_BODY) {
                return;
            }
            self.bodies.place_first_of_chain(slot);
        }
    }

    /// Compares the boxes of the bodies that were placed. Returns whether all are compared.
    fn compare_boxes(&mut self, budget: &mut Budget<'_>) -> bool {
        self.changes.clear();
        let frame = FrameInput {
            moved: Moved::Only(&self.bodies.moved),
            ..self.bodies.broad_phase_frame(false)
        };
        self.completeness = self.phase.update(&frame, budget, &mut self.changes);
        self.take_changes(budget);
        self.completeness == Completeness::Complete
    }

    /// Places the two bodies of a pair and compares their boxes, before the bodies that wait
    /// longer: without that, two bodies that move in every frame would not be up to date at the
    /// same time. Returns false if the budget is spent before.
    fn bring_up_to_date(&mut self, key: Key, budget: &mut Budget<'_>) -> bool {
        let (a, b) = key.slots();
        for slot in [a, b] {
            while self.bodies.marks[slot as usize].is_changed {
                if !budget.take(UNITS_PER_BODY) {
                    // Those that are placed are pending from now on.
                    self.compare_boxes(budget);
                    return false;
                }
                self.bodies.place_first_of_chain(slot);
            }
        }
        // One that is removed is not placed, and is pending until the broad phase knows.
        self.compare_boxes(budget) || !self.has_open_body(key)
    }

    /// Takes over what the broad phase found, and puts the pairs of the bodies that it has compared
    /// into the queue, except of bodies with many.
    fn take_changes(&mut self, budget: &mut Budget<'_>) {
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
            // Also one that is not compared any more, to which the rules were not applied yet.
            if let Some(record) = self.pairs.get_mut(Key::new(pair.a, pair.b)) {
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
        for slot in compared.iter().copied() {
            if self.bodies.is_open(slot) {
                continue;
            }
            let count = self.pairs.of(slot).len();
            let marks = &mut self.bodies.marks[slot as usize];
            if count <= MAX_PAIRS_LISTED_AT_ONCE && !marks.is_listing {
                (0..count).rev().for_each(|position| self.list_pair(slot, position));
                // They are in the queue, and leave less for the next body.
                let _ = budget.take(count.div_ceil(PAIRS_LISTED_PER_UNIT) as u64);
            } else if !std::mem::replace(&mut marks.is_listing, true) {
                self.backlog.listing.push_back(slot);
            } else if self.backlog.listing.front() == Some(&slot) {
                self.backlog.listing_position = None;
            }
        }
        self.bodies.clear_moves();
        compared.clear();
        compared.extend(self.changes.pending.iter().filter(|slot| (**slot as usize) < slots));
        self.backlog.pending = compared;
    }

    /// Puts the pairs of bodies with many of them into the queue. Returns false if the budget is
    /// spent before.
    fn list_pairs(&mut self, budget: &mut Budget<'_>) -> bool {
        while let Some(slot) = self.backlog.listing.front().copied() {
            // Ending a pair moves the last one to its position, and new ones are added behind.
            let all = self.pairs.of(slot).len();
            let mut left = self.backlog.listing_position.unwrap_or(all).min(all);
            // One that has moved again is listed when its boxes are compared.
            if self.bodies.is_open(slot) {
                left = 0;
            }
            while left > 0 {
                if !budget.step() {
                    self.backlog.listing_position = Some(left);
                    return false;
                }
                let next = left.saturating_sub(PAIRS_LISTED_PER_UNIT);
                (next..left).rev().for_each(|position| self.list_pair(slot, position));
                left = next;
            }
            self.bodies.marks[slot as usize].is_listing = false;
            self.backlog.listing.pop_front();
            self.backlog.listing_position = None;
        }
        true
    }

    /// Puts a pair of a body into the queue, or ends it if its boxes are apart.
    fn list_pair(&mut self, slot: u32, position: usize) {
        let Some(number) = self.pairs.of(slot).get(position).copied() else { return };
        let record = &self.pairs.records[number as usize];
        // Bodies do not move during an update.
        let is_decided = record.stamp == self.report.frame && !record.undecided;
        if record.boxes_apart {
            self.end_or_hold(record.key);
        } else if !is_decided {
            self.enqueue(number, self.report.frame);
        }
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

    /// Puts a pair that is new into the queue.
    pub(super) fn enqueue_new(&mut self, key: Key) {
        if let Some(number) = self.pairs.number(key) {
            self.enqueue(number, self.report.frame);
        }
    }

    /// Decides again which pairs are compared, after a change of the rules.
    pub(super) fn recheck_compared_pairs(&mut self) {
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
        let mut again = std::mem::take(&mut self.backlog.again);
        let mut outcomes = std::mem::take(&mut self.outcomes);
        while let Some(entry) = self.backlog.pop(&self.pairs) {
            if self.is_not_compared_any_more(entry.key) {
                self.remove_pair(entry.key);
                continue;
            }
            if !budget.take(UNITS_PER_CHECK)
                || self.has_open_body(entry.key) && !self.bring_up_to_date(entry.key, budget)
            {
                self.backlog.put_back(entry);
                break;
            }
            let is_first = self.report.stats.checked == 0;
            if self.check_one_within(entry.key, budget, &mut outcomes) {
                if budget.is_over() && !is_first {
                    // It is the first of the next frame, with more of the budget than was left.
                    self.backlog.put_back(entry);
                } else {
                    again.push(entry);
                }
            }
        }
        self.outcomes = outcomes;
        for Entry { key, .. } in again.drain(..) {
            let Some(number) = self.pairs.number(key) else { continue };
            self.pairs.records[number as usize].waiting_mut().entry = 0;
            self.enqueue(number, self.report.frame);
        }
        self.backlog.again = again;
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
        checks.check_one(record, budget, &mut self.backlog.spare);
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
}
