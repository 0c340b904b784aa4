//! Every pair compared: the oracle of the broad phases.

use super::{BroadPhase, Changes, Completeness, FrameInput, Pair};
use crate::pair::Budget;

/// Compares every box with every other in every frame. The time grows with the square of the number
/// of items; meant for tests, and for a few dozen bodies.
#[derive(Clone, Debug, Default)]
pub struct AllPairs {
    /// The pairs of the last frame, sorted.
    pairs: Vec<Pair>,
    next: Vec<Pair>,
}

impl AllPairs {
    /// A broad phase without items.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl BroadPhase for AllPairs {
    fn update(
        &mut self,
        frame: &FrameInput<'_>,
        _: &mut Budget<'_>,
        changes: &mut Changes,
    ) -> Completeness {
        changes.clear();
        self.next.clear();
        let count = u32::try_from(frame.bounds.len()).expect("items are numbered by u32");
        for a in 0..count {
            if frame.of(a).is_empty() {
                continue;
            }
            self.next
                .extend((a + 1..count).filter(|b| frame.overlap(a, *b)).map(|b| Pair { a, b }));
        }
        super::difference::difference(&self.pairs, &self.next, changes);
        std::mem::swap(&mut self.pairs, &mut self.next);
        Completeness::Complete
    }

    fn pairs(&self, to: &mut Vec<Pair>) {
        to.extend_from_slice(&self.pairs);
    }

    fn bytes(&self) -> usize {
        (self.pairs.capacity() + self.next.capacity()) * size_of::<Pair>()
    }
}
