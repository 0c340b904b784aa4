//! Sorting by comparisons that are called through a pointer.
//!
//! A sort of the standard library with a closure of its own is two thousand lines of code to
//! compile, so places that are not time-critical share one for each type of item.

use std::cmp::Ordering;

/// Sorts the list; items that compare as equal may be exchanged.
pub(crate) fn sort_by<T>(list: &mut [T], compare: &dyn Fn(&T, &T) -> Ordering) {
    list.sort_unstable_by(compare);
}

/// Sorts the list; items that compare as equal keep their order. It sorts numbers of the items and
/// then moves the items, so that there is little code for each type: for lists that are sorted once
/// in a long computation.
pub(crate) fn sort_numbers_by<T>(list: &mut [T], compare: &dyn Fn(&T, &T) -> Ordering) {
    let order = order_of(list.len(), &|i, j| compare(&list[i], &list[j]));
    apply(order, &mut |i, j| list.swap(i, j));
}

/// The numbers below `count` in the order of the items that they stand for.
fn order_of(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    sort_by(&mut order, &|i, j| compare(*i, *j).then(i.cmp(j)));
    order
}

/// Calls `swap` so that the item `order[i]` gets to place `i`, for all places.
fn apply(mut order: Vec<usize>, swap: &mut dyn FnMut(usize, usize)) {
    for first in 0..order.len() {
        let mut place = first;
        loop {
            let from = std::mem::replace(&mut order[place], place);
            if from == first {
                break;
            }
            swap(place, from);
            place = from;
        }
    }
}

/// Sorts a list of a few items; items that compare as equal keep their order.
pub(crate) fn sort_few_by<T: Copy>(list: &mut [T], is_less: impl Fn(&T, &T) -> bool) {
    for end in 1..list.len() {
        let item = list[end];
        let mut place = end;
        while place > 0 && is_less(&item, &list[place - 1]) {
            list[place] = list[place - 1];
            place -= 1;
        }
        list[place] = item;
    }
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
            let mut found = list.clone();
            sort_numbers_by(&mut found, &|a, b| b.cmp(a));
            assert_eq!(found, known);
            let mut found = list.clone();
            sort_few_by(&mut found, |a, b| b < a);
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

    #[test]
    fn equal_items_keep_their_order() {
        let mut random = Random::new(6);
        for count in [0, 1, 2, 5, 40, 300] {
            let list: Vec<(usize, usize)> = (0..count).map(|i| (random.index(9), i)).collect();
            let mut known = list.clone();
            known.sort_by_key(|item| item.0);
            let mut found = list.clone();
            sort_numbers_by(&mut found, &|a, b| a.0.cmp(&b.0));
            assert_eq!(found, known);
            let mut found = list;
            sort_few_by(&mut found, |a, b| a.0 < b.0);
            assert_eq!(found, known);
        }
    }
}
