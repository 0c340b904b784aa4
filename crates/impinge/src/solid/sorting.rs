//! Sorting that can be interrupted: blocks that are sorted, then merged.

use crate::arrays::MapEach;
use crate::budget::{Budget, Paid, Quantum};
use crate::order::sort_few_by;

/// Items of a block that is sorted at once.
const BLOCK: usize = 32;

/// Items that are merged at once.
const MERGED_AT_ONCE: usize = 64;

/// Units of either.
const UNITS: u64 = 6;

/// The state of sorting a list. It keeps its memory from list to list.
#[derive(Debug)]
pub(crate) struct Sorting<T> {
    merged: Vec<T>,
    /// Items in each sorted run; zero while blocks are sorted.
    run: usize,
    /// The next item to be sorted, or the next items of the two runs to be merged.
    next: [usize; 2],
    is_finished: bool,
    payment: Paid,
}

impl<T> Default for Sorting<T> {
    fn default() -> Self {
        let payment = Paid::default();
        Self { merged: Vec::new(), run: 0, next: [0; 2], is_finished: false, payment }
    }
}

impl<T: Copy + Ord> Sorting<T> {
    /// Forgets the list, and keeps the memory.
    pub(crate) fn reset(&mut self) {
        self.merged.clear();
        (self.run, self.next, self.is_finished) = (0, [0; 2], false);
        self.payment = Paid::default();
    }

    /// Continues sorting; false if the budget is spent. The list must be the same until the state
    /// is reset.
    pub(crate) fn sort(&mut self, items: &mut Vec<T>, budget: &mut Budget<'_>) -> bool {
        if self.is_finished {
            return true;
        }
        if self.run == 0 {
            while self.next[0] < items.len() {
                if !self.payment.afford(UNITS, Quantum::Exact, budget) {
                    return false;
                }
                let end = items.len().min(self.next[0] + BLOCK);
                sort_few_by(&mut items[self.next[0]..end], T::lt);
                self.next[0] = end;
            }
            self.run = BLOCK;
            self.start_merge(items.len());
        }
        while self.run < items.len() {
            while self.merged.len() < items.len() {
                if !self.payment.afford(UNITS, Quantum::Exact, budget) {
                    return false;
                }
                self.merge(items);
            }
            std::mem::swap(items, &mut self.merged);
            self.run *= 2;
            self.start_merge(items.len());
        }
        self.is_finished = true;
        true
    }

    fn start_merge(&mut self, count: usize) {
        self.merged.clear();
        self.merged.reserve(count);
        self.next = [0, self.run.min(count)];
    }

    /// Merges some items of the current pair of runs.
    fn merge(&mut self, items: &[T]) {
        let first = self.merged.len() / (2 * self.run) * (2 * self.run);
        let [middle, end] = [1, 2].map_each(|runs| items.len().min(first + runs * self.run));
        let [mut i, mut j] = self.next;
        let wanted = end.min(self.merged.len() + MERGED_AT_ONCE);
        while self.merged.len() < wanted {
            if i < middle && (j >= end || items[i] <= items[j]) {
                self.merged.push(items[i]);
                i += 1;
            } else {
                self.merged.push(items[j]);
                j += 1;
            }
        }
        self.next = if wanted == end { [end, items.len().min(end + self.run)] } else { [i, j] };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    #[test]
    fn lists_are_sorted_in_parts_with_as_many_units() {
        let mut random = Random::new(12);
        let (mut sorting, mut whole_sorting) = (Sorting::default(), Sorting::default());
        for count in [0, 1, 2, 31, 32, 33, 64, 65, 96, 100, 127, 128, 129, 1000, 5000] {
            let mut items: Vec<usize> = (0..count).map(|_| random.index(count / 2 + 1)).collect();
            let (mut expected, mut other) = (items.clone(), items.clone());
            expected.sort_unstable();
            let mut spent = 0;
            loop {
                let mut part = Budget::steps(7);
                let is_sorted = sorting.sort(&mut items, &mut part);
                spent += part.spent();
                if is_sorted {
                    break;
                }
            }
            assert_eq!(items, expected);
            let mut whole = Budget::steps(1 << 40);
            assert!(whole_sorting.sort(&mut other, &mut whole));
            sorting.reset();
            whole_sorting.reset();
            assert_eq!((other, spent), (expected, whole.spent()), "{count}");
        }
    }
}
