//! The order in which updates within a budget place bodies that moved.
//!
//! Bodies wait in batches: those that moved while a batch was placed are the next one. So each is
//! placed after at most the bodies of two batches. Within a batch short runs of bodies are taken in
//! any order. Two bodies that move in every frame are only compared if they are placed in the same
//! frame; in a fixed order, that would never happen to two that are far apart in it.

use super::Bodies;

/// Bodies in a run, which are next to each other in memory if they moved in the order of their
/// slots.
const BODIES_IN_RUN: usize = 16;

/// A batch of bodies that moved.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Waiting {
    slots: Vec<u32>,
    /// The number of bodies at the end of the list that are left of the current run.
    left_in_run: usize,
    /// The state of the generator that chooses runs. The same on every machine.
    state: u64,
}

impl Waiting {
    pub(in super::super) fn iter(&self) -> impl Iterator<Item = &u32> {
        self.slots.iter()
    }

    pub(super) fn reserve(&mut self, bodies: usize) {
        self.slots.reserve(bodies.saturating_sub(self.slots.len()));
    }

    fn clear(&mut self) {
        self.slots.clear();
        self.left_in_run = 0;
    }

    /// The next body; the same until it is removed.
    fn next(&mut self) -> Option<u32> {
        if self.left_in_run == 0 {
            self.choose_run();
        }
        self.slots.last().copied()
    }

    fn remove_next(&mut self) {
        self.slots.pop();
        self.left_in_run = self.left_in_run.saturating_sub(1);
    }

    /// Moves a run to the end of the list.
    fn choose_run(&mut self) {
        let count = self.slots.len();
        // Single bodies of the last few, or these would be taken together each time.
        let length = if count < 2 * BODIES_IN_RUN { 1 } else { BODIES_IN_RUN };
        let runs = count / length;
        if runs == 0 {
            return;
        }
        // Knuth's multiplier; the high bits are the best.
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let chosen = (((self.state >> 32) * runs as u64) >> 32) as usize;
        let (from, to) = (chosen * length, count - length);
        for n in 0..length.min(to - from) {
            self.slots.swap(from + n, to + n);
        }
        self.left_in_run = length;
    }
}

impl Bodies {
    /// The body that is placed next, of those that changed; the same until it is placed.
    pub(in super::super) fn next_to_place(&mut self) -> Option<u32> {
        loop {
            let Some(slot) = self.waiting.next() else {
                if self.changed.is_empty() {
                    self.has_stale_changes = false;
                    return None;
                }
                std::mem::swap(&mut self.waiting.slots, &mut self.changed);
                self.changed_with_children = 0;
                continue;
            };
            if self.marks.get(slot as usize).is_some_and(|marks| marks.is_changed) {
                return Some(slot);
            }
            self.waiting.remove_next();
        }
    }

    /// Notes that a body that changed was placed, which stays in its list.
    pub(in super::super) fn note_placed(&mut self, slot: u32) {
        self.marks[slot as usize].is_changed = false;
        self.changed_count -= 1;
        self.has_stale_changes = true;
        self.note_move(slot);
    }

    /// Makes `changed` the list of all bodies that changed, each once, for an update without a
    /// budget.
    pub(in super::super) fn gather_waiting(&mut self) {
        self.changed_with_children = 0;
        if self.waiting.slots.is_empty() && !self.has_stale_changes {
            return;
        }
        self.waiting.clear();
        self.has_stale_changes = false;
        let marks = self.marks.iter().enumerate();
        let changed = marks.filter(|(_, marks)| marks.is_changed).map(|(slot, _)| slot as u32);
        self.changed.clear();
        self.changed.extend(changed);
    }

    /// Records that the bodies that are attached to those that changed, directly or indirectly,
    /// changed too.
    pub(in super::super) fn change_attached(&mut self) {
        if self.attached_count == 0 {
            return;
        }
        while let Some(slot) = self.changed.get(self.changed_with_children).copied() {
            let mut child = self.records[slot as usize].first_child;
            while child != super::NONE {
                self.change(child);
                child = self.records[child as usize].next_sibling;
            }
            self.changed_with_children += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes some of the bodies, which all move in every frame, and returns in which frame two
    /// given ones were first taken together.
    fn frames_until_together(bodies: u32, at_a_time: usize, [a, b]: [u32; 2]) -> Option<u32> {
        let mut waiting = Waiting::default();
        let mut changed: Vec<u32> = (0..bodies).collect();
        let mut last_taken = vec![0; bodies as usize];
        for frame in 1..4000 {
            let mut taken = Vec::new();
            for _ in 0..at_a_time {
                if waiting.next().is_none() {
                    std::mem::swap(&mut waiting.slots, &mut changed);
                }
                taken.extend(waiting.next());
                waiting.remove_next();
            }
            for slot in &taken {
                let waited = frame - std::mem::replace(&mut last_taken[*slot as usize], frame);
                assert!(waited as usize <= 2 * (bodies as usize).div_ceil(at_a_time) + 1);
            }
            if taken.contains(&a) && taken.contains(&b) {
                return Some(frame);
            }
            changed.extend(taken);
        }
        None
    }

    #[test]
    fn every_body_has_its_turn_and_any_two_are_taken_together() {
        for pair in [[0, 500], [3, 997], [250, 251], [17, 333]] {
            let frames = frames_until_together(1000, 100, pair);
            assert!(frames.is_some_and(|frames| frames < 2000), "{pair:?}: {frames:?}");
        }
        assert!(frames_until_together(5, 3, [0, 4]).is_some());
    }
}
