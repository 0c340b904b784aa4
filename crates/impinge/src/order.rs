//! Sorting by comparisons that are called through a pointer.
//!
//! A sort of the standard library with a closure of its own is two thousand lines of code to
//! compile, so places that are not time-critical share one for each type of item.

use std::cmp::Ordering;

/// Sorts the list; items that compare as equal may be exchanged.
pub(crate) fn sort_by<T>(list: &mut [T], compare: &dyn Fn(&T, &T) -> Ordering) {
    list.sort_unstable_by(compare);
}

/// Moves the item that belongs at index `at` there, smaller ones before it, larger ones behind.
pub(crate) fn select_by<T>(list: &mut [T], at: usize, compare: &dyn Fn(&T, &T) -> Ordering) {
    list.select_nth_unstable_by(at, compare);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    #[test]
    fn lists_are_sorted_and_divided() {
        let mut random = Random::new(5);
        for count in [0, 1, 2, 5, 40, 1000] {
            let list: Vec<u32> = (0..count).map(|_| random.index(700) as u32).collect();
            let mut known = list.clone();
            known.sort();
            known.reverse();
            let mut found = list.clone();
            sort_by(&mut found, &|a, b| b.cmp(a));
            assert_eq!(found, known);
            for at in [0, list.len() / 3, list.len().saturating_sub(1)] {
                let mut found = list.clone();
                if at < found.len() {
                    select_by(&mut found, at, &|a, b| b.cmp(a));
                    assert_eq!(found[at], known[at]);
                    assert!(found[..at].iter().all(|x| *x >= known[at]));
                    assert!(found[at..].iter().all(|x| *x <= known[at]));
                }
            }
        }
    }
}
