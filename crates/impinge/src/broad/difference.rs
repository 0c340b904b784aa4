//! The changes between two lists of pairs.

use super::{Changes, Pair};

/// Appends the pairs that are only in the second sorted list to those that began, and the pairs
/// that are only in the first one to those that ended.
pub(super) fn difference(old: &[Pair], new: &[Pair], changes: &mut Changes) {
    let (mut i, mut j) = (0, 0);
    while i < old.len() || j < new.len() {
        if j == new.len() || (i < old.len() && old[i] < new[j]) {
            changes.ended.push(old[i]);
            i += 1;
        } else if i == old.len() || new[j] < old[i] {
            changes.began.push(new[j]);
            j += 1;
        } else {
            i += 1;
            j += 1;
        }
    }
}
