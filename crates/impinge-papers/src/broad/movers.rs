//! The items that a broad phase must process in a frame.

use impinge::broad::{FrameInput, Moved};
use impinge::internals::Stamps;
use impinge::internals::broad::are_many;

/// The items whose boxes may have changed, each once, and those that were added or removed because
/// the length of the list changed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Movers {
    items: Vec<u32>,
    seen: Stamps,
    /// The length of the list of boxes in the last frame.
    before: usize,
    /// The number of items of this frame and of the last, whichever is larger.
    count: usize,
}

impl Movers {
    /// Reads which items moved. Numbers beyond the ends of both the last list and this one are
    /// ignored.
    pub(crate) fn gather(&mut self, frame: &FrameInput<'_>) {
        let now = frame.bounds.len();
        assert!(now < 1 << 31, "items are numbered by 31 bits");
        self.count = now.max(self.before);
        self.seen.reserve(self.count);
        self.seen.clear();
        self.items.clear();
        match frame.moved {
            Moved::All => self.items.extend(0..self.count as u32),
            Moved::Only(list) => {
                for item in
                    list.iter().copied().chain(now.min(self.before) as u32..self.count as u32)
                {
                    if (item as usize) < self.count && self.seen.mark(item) {
                        self.items.push(item);
                    }
                }
            }
        }
        self.before = now;
    }

    /// The items, each once.
    pub(crate) fn items(&self) -> &[u32] {
        &self.items
    }

    /// All items of this frame and of the last one have numbers below this.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Whether it is faster to process all items than only these.
    pub(crate) fn are_many(&self) -> bool {
        are_many(self.items.len(), self.count)
    }

    /// The memory held, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.items.capacity() * size_of::<u32>() + self.seen.bytes()
    }
}

#[cfg(test)]
mod tests {
    use impinge::broad::BoxF32;

    use super::*;

    #[test]
    fn each_mover_is_named_once_and_the_ends_of_the_lists_are_added() {
        let boxes = [BoxF32::EMPTY; 6];
        let mut movers = Movers::default();
        let mut gather = |count: usize, moved: Moved<'_>| {
            movers.gather(&FrameInput { bounds: &boxes[..count], oriented: None, moved });
            movers.items().to_vec()
        };
        assert_eq!(gather(3, Moved::Only(&[])), [0, 1, 2]);
        assert_eq!(gather(3, Moved::Only(&[1, 1, 7, u32::MAX, 1])), [1]);
        assert_eq!(gather(6, Moved::Only(&[4])), [4, 3, 5]);
        assert_eq!(gather(2, Moved::Only(&[5, 0])), [5, 0, 2, 3, 4]);
        assert_eq!(gather(2, Moved::All), [0, 1]);
        assert_eq!(gather(0, Moved::All), [0, 1]);
        assert!(gather(0, Moved::All).is_empty());
    }
}
