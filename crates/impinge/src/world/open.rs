//! What updates within a budget leave open, and the last stages of these updates: events of pairs
//! that continue to meet, and the report.

use super::backlog::Backlog;
use super::events::Undecided;
use super::pairs::{Key, Record};
use super::update::UndecidedPair;
use super::{Handle, World};
use crate::answer::Bounds;
use crate::math::{Aabb, Vec3};
use crate::pair::Budget;

/// Pairs that are visited for events of pairs that continue to meet for one unit of work.
const VISITS_PER_UNIT: usize = 8;
/// The number of bodies up to which a report lists those that were not compared.
const MAX_LISTED_BODIES: usize = 64;

impl World {
    /// All pairs that are undecided, as of the last update, in any order, with bounds of their
    /// signed distance from their boxes where the bodies are now. Pairs of the bodies of
    /// [`World::not_compared`] are undecided too, and are listed here only if the broad phase knew
    /// them before.
    pub fn undecided(&self) -> impl Iterator<Item = Undecided> + '_ {
        let records = self.pairs.records.iter();
        records.filter(|record| self.is_open(record)).map(|record| {
            let (a, b) = record.key.slots();
            let bounds = Bounds::of_boxes(&self.box_of(a), &self.box_of(b));
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
    /// added, or the rules have changed, and the budget was spent. All their pairs are undecided.
    pub fn not_compared(&self) -> impl Iterator<Item = Handle> + '_ {
        let slots = 0..self.bodies.records.len() as u32;
        let is_open = |slot: u32| {
            let is_listing = self.bodies.marks[slot as usize].is_listing;
            self.bodies.is_open(slot) || is_listing || self.backlog.rules.is_behind(slot)
        };
        let open = slots.filter(move |slot| self.bodies.is_taken(*slot) && is_open(*slot));
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

    /// Whether a pair is undecided.
    fn is_open(&self, record: &Record) -> bool {
        let (a, b) = record.key.slots();
        let is_listing = |slot: u32| self.bodies.marks[slot as usize].is_listing;
        // One that was decided in this update does not have to enter the queue.
        let is_decided = record.stamp == self.report.frame;
        record.undecided
            || self.has_open_body(record.key)
            || !is_decided && (is_listing(a) || is_listing(b))
            || self.backlog.rules.is_behind(a)
    }

    pub(super) fn has_open_body(&self, key: Key) -> bool {
        let (a, b) = key.slots();
        self.backlog.is_active && (self.bodies.is_open(a) || self.bodies.is_open(b))
    }

    /// A box around a body where it is now.
    fn box_of(&self, slot: u32) -> Aabb {
        let bounds = self.bodies.box_now(slot);
        let point = |p: [f32; 3]| Vec3::from_array(p.map(f64::from));
        Aabb { min: point(bounds.min), max: point(bounds.max) }
    }

    /// Adds events of pairs that continue to meet, if the options include them, until all are
    /// visited or the budget is spent.
    pub(super) fn report_persisting_within(&mut self, budget: &mut Budget<'_>) {
        if !self.options.persisting {
            return;
        }
        let count = self.pairs.records.len();
        let mut visited = 0;
        while visited < count && budget.step() {
            for _ in 0..VISITS_PER_UNIT.min(count - visited) {
                let n = if self.backlog.next_persisting < count {
                    self.backlog.next_persisting
                } else {
                    0
                };
                self.backlog.next_persisting = n + 1;
                let record = &self.pairs.records[n];
                let is_new = record.since == self.report.frame;
                if record.state.meets() && !is_new && !self.is_open(record) {
                    let event = self.persists(record.key, record.state);
                    self.report.events.push(event);
                }
                visited += 1;
            }
        }
        self.report.open_persisting = count - visited;
    }

    pub(super) fn finish_report_within(&mut self) {
        let behind = self.backlog.rules.behind();
        let Backlog { pending, listing, .. } = &self.backlog;
        let open_bodies = self.bodies.changed_count + pending.len() + listing.len();
        self.report.open_bodies = open_bodies + behind;
        self.report.open_pairs = self.backlog.open_pairs;
        if (1..=MAX_LISTED_BODIES).contains(&open_bodies) && behind == 0 {
            let Self { bodies, backlog, report, .. } = self;
            let slots = bodies.waiting.iter().chain(&bodies.changed).chain(&backlog.pending);
            let mut open: Vec<u32> = slots.chain(&backlog.listing).copied().collect();
            open.retain(|slot| {
                let is_listing = bodies.marks[*slot as usize].is_listing;
                (bodies.is_open(*slot) || is_listing) && bodies.is_taken(*slot)
            });
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
