//! A broad phase that stops when its budget is spent, and continues in the next update.
//!
//! Items that moved wait in a queue. For each of them, the stored pairs that do not overlap any
//! more have ended; then boxes near it are found in grids (`cells.rs`), and pairs that are not
//! stored yet began. The work for one item depends on what is near it. An item with many boxes near
//! it, like the floor under everything, is compared with all other items instead, in the order of
//! their numbers, and this comparison can stop after each of them.

mod cells;
mod pair_set;

use std::collections::VecDeque;

use super::{BroadPhase, Changes, Completeness, FrameInput, Moved, Pair};
use crate::pair::Budget;
use cells::Cells;
use pair_set::PairSet;

/// Units of work for an item, in addition to one for each comparison of two boxes.
const UNITS_PER_ITEM: u64 = 8;
/// An item with more stored pairs, or more boxes near it, is compared with all items.
const MAX_NEAR: usize = 256;
/// Number of comparisons between two checks of the budget.
const COMPARISONS_AT_A_TIME: u32 = 64;

/// A broad phase for frames with a deadline: [`BroadPhase::update`] stops when the budget is spent,
/// and the items that were not processed are [pending](Changes::pending). Without a budget it takes
/// several times as long as [`Neighbours`](super::Neighbours) where most boxes move.
///
/// ```
/// use impinge::broad::{
///     BoxF32, BroadPhase, Changes, Completeness, FrameInput, Incremental, Moved,
/// };
/// use impinge::pair::Budget;
///
/// let boxes = [0.0, 0.5].map(|x| BoxF32 { min: [x, 0.0, 0.0], max: [x + 1.0, 1.0, 1.0] });
/// let (mut phase, mut changes) = (Incremental::new(), Changes::default());
/// let frame = FrameInput { bounds: &boxes, oriented: None, moved: Moved::All };
/// let outcome = phase.update(&frame, &mut Budget::steps(8), &mut changes);
/// assert_eq!((outcome, &changes.pending[..]), (Completeness::Incomplete, &[1][..]));
///
/// // The next update continues, also if no box has moved since.
/// let frame = FrameInput { moved: Moved::Only(&[]), ..frame };
/// changes.clear();
/// let outcome = phase.update(&frame, &mut Budget::unlimited(), &mut changes);
/// assert_eq!((outcome, changes.began.len()), (Completeness::Complete, 1));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Incremental {
    cells: Cells,
    pairs: PairSet,
    /// Items that moved and were not processed since, each once.
    queue: VecDeque<u32>,
    /// For each item, its state in the queue.
    states: Vec<Waiting>,
    /// Items near the one that is processed.
    near: Vec<u32>,
    /// The length of the list of boxes in the last frame.
    listed: usize,
}

/// Whether an item is in the queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Waiting {
    #[default]
    No,
    /// Nothing was done for it since it moved.
    Yes,
    /// It is stored in its cell, and was compared with all items below this number.
    Compared(u32),
}

impl Incremental {
    /// Without items.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn enqueue(&mut self, item: u32) {
        let state = &mut self.states[item as usize];
        if *state == Waiting::No {
            self.queue.push_back(item);
        }
        *state = Waiting::Yes;
    }

    /// Processes an item. Returns false if the budget is spent before it is finished.
    fn process(
        &mut self,
        item: u32,
        frame: &FrameInput<'_>,
        budget: &mut Budget<'_>,
        changes: &mut Changes,
    ) -> bool {
        let mut first = match self.states[item as usize] {
            Waiting::Compared(first) => first,
            Waiting::No | Waiting::Yes => {
                if !budget.take(UNITS_PER_ITEM) {
                    return false;
                }
                let bounds = frame.of(item);
                self.cells.set(item, &bounds);
                self.near.clear();
                let near = &mut self.near;
                let is_near = self.pairs.count_of(item) <= MAX_NEAR
                    && (bounds.is_empty()
                        || self.cells.candidates(&bounds, |other| {
                            near.push(other);
                            near.len() <= MAX_NEAR
                        }));
                if is_near {
                    self.compare_near(item, frame, changes);
                    // The comparisons have taken place; they leave less for the next item.
                    let compared = self.near.len() + self.pairs.count_of(item);
                    let _ = budget.take(compared as u64);
                    return true;
                }
                0
            }
        };
        let count = self.states.len() as u32;
        while first < count {
            let end = (first + COMPARISONS_AT_A_TIME).min(count);
            if !budget.take(u64::from(end - first)) {
                self.states[item as usize] = Waiting::Compared(first);
                return false;
            }
            for other in (first..end).filter(|other| *other != item) {
                self.compare(item, other, frame, changes);
            }
            first = end;
        }
        true
    }

    /// Compares an item with its stored pairs and with the items near it.
    fn compare_near(&mut self, item: u32, frame: &FrameInput<'_>, changes: &mut Changes) {
        // Removing a pair moves the last one to its position.
        for position in (0..self.pairs.count_of(item)).rev() {
            let pair = self.pairs.pair_of(item, position);
            if !frame.overlap(pair.a, pair.b) {
                self.pairs.remove(pair);
                changes.ended.push(pair);
            }
        }
        let near = std::mem::take(&mut self.near);
        for other in near.iter().copied().filter(|other| *other != item) {
            self.compare(item, other, frame, changes);
        }
        self.near = near;
    }

    /// Compares two items.
    fn compare(&mut self, a: u32, b: u32, frame: &FrameInput<'_>, changes: &mut Changes) {
        let pair = Pair::new(a, b);
        if frame.overlap(a, b) {
            if !self.pairs.contains(pair) {
                self.pairs.insert(pair);
                changes.began.push(pair);
            }
        } else if self.pairs.remove(pair) {
            changes.ended.push(pair);
        }
    }
}

impl BroadPhase for Incremental {
    fn update(
        &mut self,
        frame: &FrameInput<'_>,
        budget: &mut Budget<'_>,
        changes: &mut Changes,
    ) -> Completeness {
        let count = frame.bounds.len().max(self.states.len());
        self.states.resize(count, Waiting::No);
        self.cells.grow(count);
        self.pairs.grow(count);
        // Items that appear or disappear because the list of boxes has another length.
        let now = frame.bounds.len();
        let before = std::mem::replace(&mut self.listed, now);
        for item in before.min(now) as u32..before.max(now) as u32 {
            // An item that appears without a box has nothing to compare: there may be very many,
            // which get their boxes in later frames.
            if now < before || !frame.of(item).is_empty() {
                self.enqueue(item);
            }
        }
        match frame.moved {
            Moved::All => (0..count as u32).for_each(|item| self.enqueue(item)),
            Moved::Only(items) => {
                for item in items.iter().copied().filter(|item| (*item as usize) < count) {
                    self.enqueue(item);
                }
            }
        }
        while let Some(item) = self.queue.front().copied() {
            if !self.process(item, frame, budget, changes) {
                changes.pending.extend(self.queue.iter().copied());
                return Completeness::Incomplete;
            }
            self.states[item as usize] = Waiting::No;
            self.queue.pop_front();
        }
        Completeness::Complete
    }

    fn can_stop(&self) -> bool {
        true
    }

    fn reserve(&mut self, items: usize, pairs: usize) {
        self.states.reserve(items.saturating_sub(self.states.len()));
        self.queue.reserve(items.saturating_sub(self.queue.len()));
        self.pairs.reserve(pairs);
        self.cells.grow(items);
        self.pairs.grow(items);
    }

    fn pairs(&self, to: &mut Vec<Pair>) {
        to.extend(self.pairs.iter());
    }

    fn pair_count(&self, item: u32) -> Option<usize> {
        Some(self.pairs.count_of(item))
    }

    fn pair_at(&self, item: u32, position: usize) -> Option<Pair> {
        (position < self.pairs.count_of(item)).then(|| self.pairs.pair_of(item, position))
    }

    fn bytes(&self) -> usize {
        self.cells.bytes()
            + self.pairs.bytes()
            + self.queue.capacity() * size_of::<u32>()
            + self.states.capacity() * size_of::<Waiting>()
            + self.near.capacity() * size_of::<u32>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broad::testing::{Boxes, SCATTERS, agrees_with_the_oracle, memory_stops_growing};
    use crate::broad::{AllPairs, BoxF32};

    #[test]
    fn reports_what_the_oracle_does() {
        agrees_with_the_oracle(Incremental::new, false);
        agrees_with_the_oracle(Incremental::new, true);
        memory_stops_growing(Incremental::new);
    }

    #[test]
    fn items_that_appear_without_a_box_take_no_work() {
        let (mut phase, mut changes) = (Incremental::new(), Changes::default());
        let mut boxes = vec![BoxF32::EMPTY; 1000];
        let mut update = |boxes: &[BoxF32], moved: &[u32]| {
            changes.clear();
            let view = FrameInput { bounds: boxes, oriented: None, moved: Moved::Only(moved) };
            let completeness = phase.update(&view, &mut Budget::steps(20), &mut changes);
            (completeness, changes.pending.len(), changes.began.len())
        };
        assert_eq!(update(&boxes, &[]), (Completeness::Complete, 0, 0));
        boxes[3] = BoxF32 { min: [0.0; 3], max: [1.0; 3] };
        boxes[900] = boxes[3];
        assert_eq!(update(&boxes, &[3, 900]), (Completeness::Complete, 0, 1));
    }

    /// Updates with small budgets: what is reported is right, what is missing concerns pending
    /// items only, and nothing waits for ever.
    #[test]
    fn small_budgets_delay_pairs_of_pending_items_only() {
        for (seed, scatter) in SCATTERS.into_iter().enumerate() {
            let mut boxes = Boxes::new(900 + seed as u64, scatter, 600);
            // One box that overlaps all others.
            boxes.bounds[7] = BoxF32 { min: [-1e6; 3], max: [1e6; 3] };
            let (mut phase, mut oracle) = (Incremental::new(), AllPairs::new());
            let (mut found, mut known) = (Changes::default(), Changes::default());
            let mut stored = std::collections::BTreeSet::new();
            let (mut incomplete, mut last) = (0, Completeness::Complete);
            for frame in 0..400 {
                let rests = frame % 80 > 20;
                if rests {
                    boxes.moved.clear();
                } else {
                    boxes.step();
                }
                let moved = if frame == 0 { Moved::All } else { Moved::Only(&boxes.moved) };
                let view = FrameInput { bounds: &boxes.bounds, oriented: None, moved };
                found.clear();
                last = phase.update(&view, &mut Budget::steps(300), &mut found);
                incomplete += usize::from(last == Completeness::Incomplete);
                assert_eq!(last == Completeness::Complete, found.pending.is_empty());
                for pair in &found.began {
                    assert!(view.overlap(pair.a, pair.b) && stored.insert(*pair));
                }
                for pair in &found.ended {
                    assert!(!view.overlap(pair.a, pair.b) && stored.remove(pair));
                }
                let all = FrameInput { moved: Moved::All, ..view };
                oracle.update_unlimited(&all, &mut known);
                let mut truth = Vec::new();
                oracle.pairs(&mut truth);
                let truth: std::collections::BTreeSet<Pair> = truth.into_iter().collect();
                let is_pending = |item: &u32| found.pending.contains(item);
                for pair in truth.symmetric_difference(&stored) {
                    assert!(is_pending(&pair.a) || is_pending(&pair.b), "{scatter:?} {pair:?}");
                }
            }
            // Without further motion everything is compared at last.
            let mut frames = 0;
            while last == Completeness::Incomplete {
                let moved = Moved::Only(&[]);
                let view = FrameInput { bounds: &boxes.bounds, oriented: None, moved };
                found.clear();
                last = phase.update(&view, &mut Budget::steps(300), &mut found);
                frames += 1;
                assert!(frames < 10_000, "{scatter:?}");
            }
            assert!(incomplete > 50, "{scatter:?}: {incomplete}");
        }
    }
}
