//! What changed between two lists of pairs.

use super::{Changes, Pair};

/// What is in the second sorted list and not in the first has begun, what is only in the first has
/// ended.
pub fn difference(old: &[Pair], new: &[Pair], changes: &mut Changes) {
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
