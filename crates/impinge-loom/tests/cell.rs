//! The cell: every interleaving of a few publications and updates.
//!
//! The checker prunes interleavings that it considers equivalent to others, so each model also
//! asserts which outcomes it reaches.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use impinge_loom::exchange::latest;
use loom::thread;

/// The distinct outcomes of the interleavings of a model.
fn outcomes<T: Ord + Clone + Send + 'static>(
    model: impl Fn() -> T + Sync + Send + 'static,
) -> Vec<T> {
    let seen = Arc::new(Mutex::new(BTreeSet::new()));
    let into = Arc::clone(&seen);
    loom::model(move || {
        let outcome = model();
        into.lock().unwrap().insert(outcome);
    });
    let seen = seen.lock().unwrap();
    seen.iter().cloned().collect()
}

/// The reader sees complete values, never an older one after a newer one, and the newest at the
/// end.
#[test]
fn reader_sees_complete_values_in_order_and_the_newest_last() {
    let outcomes = outcomes(|| {
        let (mut writer, mut reader) = latest::<[u32; 2]>();
        let writing = thread::spawn(move || {
            for n in 1..=3 {
                *writer.value_mut() = [n; 2];
                writer.publish();
            }
            writer
        });
        let mut seen = vec![0];
        for _ in 0..3 {
            let last = seen[seen.len() - 1];
            let new = reader.update();
            let [a, b] = *reader.value();
            assert_eq!(a, b);
            assert!(if new { a > last } else { a == last }, "{a} after {last}");
            if new {
                seen.push(a);
            }
        }
        let writer = writing.join().unwrap();
        assert_eq!(reader.update(), !seen.contains(&3));
        assert_eq!(*reader.value(), [3; 2]);
        assert!(!writer.is_unread());
        seen
    });
    // Every subset of the values, in order.
    assert_eq!(outcomes.len(), 8);
}

/// `publish` returns whether it replaced an unread value: every value is either seen or reported as
/// replaced.
#[test]
fn replaced_values_are_counted() {
    let outcomes = outcomes(|| {
        let (mut writer, mut reader) = latest::<u32>();
        let writing = thread::spawn(move || {
            let mut publish = |n| {
                *writer.value_mut() = n;
                writer.publish()
            };
            (1..=3).filter(|&n| publish(n)).count()
        });
        let mut taken = (0..2).filter(|_| reader.update()).count();
        let replaced = writing.join().unwrap();
        taken += usize::from(reader.update());
        assert_eq!(taken + replaced, 3);
        taken
    });
    assert_eq!(outcomes, [1, 2, 3]);
}

/// Merged values arrive exactly once and in order, whenever the reader updates; `publish_merged`
/// returns whether it merged; and the reader keeps its value until there is a newer one.
#[test]
fn merged_values_arrive_once_and_in_order() {
    let outcomes = outcomes(|| {
        let (mut writer, mut reader) = latest::<Vec<u32>>();
        let writing = thread::spawn(move || {
            let mut publish = |n| {
                writer.value_mut().push(n);
                let merged = writer.publish_merged();
                assert!(writer.value().is_empty());
                merged
            };
            (1..=3).filter(|&n| publish(n)).count()
        });
        let mut seen = vec![Vec::new()];
        for _ in 0..3 {
            if reader.update() {
                seen.push(reader.value().clone());
            }
            assert_eq!(seen[seen.len() - 1], *reader.value());
        }
        let merged = writing.join().unwrap();
        if reader.update() {
            seen.push(reader.value().clone());
        }
        assert_eq!(seen.concat(), [1, 2, 3]);
        assert_eq!(seen.len() - 1 + merged, 3);
        assert!(!seen[1..].contains(&Vec::new()));
        seen
    });
    // Every way to cut the list.
    assert_eq!(outcomes.len(), 4);
}

/// The two kinds of publication may be mixed.
#[test]
fn plain_publication_replaces_merged_values() {
    let outcomes = outcomes(|| {
        let (mut writer, mut reader) = latest::<Vec<u32>>();
        let writing = thread::spawn(move || {
            for n in 1..=2 {
                writer.value_mut().push(n);
                writer.publish_merged();
            }
            writer.value_mut().push(3);
            writer.publish()
        });
        let mut seen = Vec::new();
        for _ in 0..2 {
            if reader.update() {
                seen.extend_from_slice(reader.value());
            }
        }
        let replaced = writing.join().unwrap();
        assert!(reader.update() || seen.ends_with(&[3]));
        assert_eq!(*reader.value(), [3]);
        if !seen.ends_with(&[3]) {
            seen.push(3);
        }
        (replaced, seen)
    });
    assert_eq!(outcomes, [(false, vec![1, 2, 3]), (true, vec![1, 3]), (true, vec![3])]);
}
