//! What updates within a budget leave for the next one: bodies that the broad phase has not
//! compared, and a queue of pairs to check.
//!
//! The queue is ordered by due frames. A pair is due one frame after it entered the queue, divided
//! by its importance: a pair of importance 10 is checked before pairs of importance 1 that entered
//! in the same frame, or up to nine tenths of a frame earlier. Due frames of later entries grow, so
//! every pair is reached after a number of frames that depends on its importance and the load.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, VecDeque};

use super::narrow::{SpareSearches, Waiting};
use super::pairs::{Key, Pairs, Record};
use super::rules::RuleVersions;

/// Importances are limited to this range.
const IMPORTANCE: [f64; 2] = [1e-6, 1e6];

/// An entry of the queue. It is void if the pair does not have its number any more.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    due: f64,
    number: u32,
    pub(super) key: Key,
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        // The heap returns the largest first: the one that is due first, of equal ones the oldest.
        other.due.total_cmp(&self.due).then_with(|| self.age(other))
    }
}

impl Entry {
    /// Larger for the older entry, also when numbers have wrapped.
    fn age(&self, other: &Self) -> Ordering {
        (other.number.wrapping_sub(self.number) as i32).cmp(&0)
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Entry {}

/// The work that is left.
#[derive(Debug, Default)]
pub(super) struct Backlog {
    queue: BinaryHeap<Entry>,
    last_number: u32,
    /// The number of pairs that are undecided.
    pub(super) open_pairs: usize,
    /// The number of pairs whose boxes are apart as far as known, see [`Record::boxes_apart`].
    pub(super) held_pairs: usize,
    /// Bodies whose boxes the broad phase has, and has not compared with all others.
    pub(super) pending: Vec<u32>,
    /// Bodies with many pairs, whose boxes are compared and whose pairs have yet to enter the
    /// queue.
    pub(super) listing: VecDeque<u32>,
    /// Pairs of the first of these below this position are left; `None` if all are.
    pub(super) listing_position: Option<usize>,
    /// The pairs that have yet to be compared with changed rules.
    pub(super) rules: RuleVersions,
    /// The record that is visited next for events of pairs that continue to meet.
    pub(super) next_persisting: usize,
    /// Whether the last update was stopped by its budget.
    pub(super) is_stopped: bool,
    /// Whether the last update was within a budget.
    pub(super) is_active: bool,
    /// Pairs that a check did not decide, while an update runs. Kept to reuse its memory.
    pub(super) again: Vec<Entry>,
    /// The memory of checks that were stopped and decided later.
    pub(super) spare: SpareSearches,
}

impl Backlog {
    /// Whether pairs wait for a check.
    pub(super) fn has_checks(&self) -> bool {
        !self.queue.is_empty()
    }

    /// Puts a pair into the queue, unless it is there already. It is undecided from now on.
    pub(super) fn add(&mut self, record: &mut Record, frame: u64, importance: f64) {
        self.open_pairs += usize::from(!std::mem::replace(&mut record.undecided, true));
        let key = record.key;
        let waiting = record.waiting_mut();
        if waiting.since == 0 {
            waiting.since = frame;
        }
        if waiting.entry != 0 {
            return;
        }
        // Zero is the number of no entry.
        self.last_number = self.last_number.checked_add(1).unwrap_or(1);
        waiting.entry = self.last_number;
        let importance = if importance.is_nan() { 1.0 } else { importance };
        let due = frame as f64 + 1.0 / importance.clamp(IMPORTANCE[0], IMPORTANCE[1]);
        self.queue.push(Entry { due, number: self.last_number, key });
    }

    /// Takes the pair that is due first.
    pub(super) fn pop(&mut self, pairs: &Pairs) -> Option<Entry> {
        loop {
            let entry = self.queue.pop()?;
            let number = pairs.get(entry.key).map(|record| record.waiting().entry);
            if number == Some(entry.number) {
                return Some(entry);
            }
        }
    }

    /// Puts an entry back that was taken.
    pub(super) fn put_back(&mut self, entry: Entry) {
        self.queue.push(entry);
    }

    /// Notes that a pair was decided.
    pub(super) fn note_decided(&mut self, record: &mut Record) {
        self.open_pairs -= usize::from(std::mem::take(&mut record.undecided));
        *record.waiting_mut() = Waiting::default();
    }

    /// Notes that a pair does not exist any more.
    pub(super) fn note_removed(&mut self, record: &Record) {
        if self.is_active {
            self.open_pairs -= usize::from(record.undecided);
            self.held_pairs -= usize::from(record.boxes_apart);
        }
    }

    /// Forgets the queue, for an update without a budget.
    pub(super) fn clear(&mut self) {
        self.queue.clear();
        self.pending.clear();
        self.listing.clear();
        self.listing_position = None;
        (self.open_pairs, self.held_pairs, self.is_active) = (0, 0, false);
    }

    /// Allocates memory for this many pairs.
    pub(super) fn reserve(&mut self, pairs: usize) {
        self.queue.reserve(pairs.saturating_sub(self.queue.len()));
    }
}
