//! The boxes of a frame that may differ from those of the last one.

use crate::broad::{FrameInput, Moved};

/// If at least one item in this many is named, all boxes are read.
const MIN_SHARE_DIVISOR_ALL: usize = 4;
/// If fewer than one item in this many is named, the pairs of the named items are compared one by
/// one. Otherwise all rows are compared: in a row a pair takes less time.
const MIN_SHARE_DIVISOR_FEW: usize = 24;

/// The part of a frame that has to be processed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// All boxes are read, all pairs compared.
    All,
    /// The boxes of the named items are read, all pairs compared.
    Some,
    /// The boxes of the named items are read, and their pairs compared.
    Few,
}

/// The items that a frame names as moved, and those that were added or removed because the length
/// of the list changed. An item may be named twice.
#[derive(Clone, Debug, Default)]
pub(super) struct MovedItems {
    items: Vec<u32>,
    /// The number of items in the last frame.
    count: usize,
}

impl MovedItems {
    /// The named items. Without meaning if the scope is [`Scope::All`].
    pub(super) fn items(&self) -> &[u32] {
        &self.items
    }

    /// The number of items in the last frame.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Reads what moved.
    pub(super) fn gather(&mut self, frame: &FrameInput<'_>, slots: usize) -> Scope {
        let (now, before) = (frame.bounds.len(), self.count);
        self.count = now;
        self.items.clear();
        let Moved::Only(items) = frame.moved else { return Scope::All };
        self.items.extend_from_slice(items);
        self.items.extend(now.min(before) as u32..now.max(before) as u32);
        match self.items.len() {
            named if named * MIN_SHARE_DIVISOR_ALL >= slots => Scope::All,
            named if named * MIN_SHARE_DIVISOR_FEW < slots => Scope::Few,
            _ => Scope::Some,
        }
    }

    pub(super) fn bytes(&self) -> usize {
        4 * self.items.capacity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broad::BoxF32;

    #[test]
    fn the_scope_depends_on_the_number_of_named_items() {
        let boxes = [BoxF32::EMPTY; 100];
        let mut moved = MovedItems::default();
        let mut gather = |count: usize, what: Moved<'_>| {
            let frame = FrameInput { bounds: &boxes[..count], oriented: None, moved: what };
            (moved.gather(&frame, 101), moved.items().to_vec())
        };
        assert_eq!(gather(100, Moved::Only(&[])).0, Scope::All);
        assert_eq!(gather(100, Moved::Only(&[3, 3, 9])), (Scope::Few, vec![3, 3, 9]));
        assert_eq!(gather(98, Moved::Only(&[0; 6])).0, Scope::Some);
        assert_eq!(gather(100, Moved::Only(&[7])), (Scope::Few, vec![7, 98, 99]));
        assert_eq!(gather(100, Moved::Only(&[1; 26])).0, Scope::All);
        assert_eq!(gather(100, Moved::All).0, Scope::All);
    }
}
