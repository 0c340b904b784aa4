//! Many moving boxes: which of them overlap, frame by frame.
//!
//! In every frame a [`BroadPhase`] gets the boxes of all items, and the list of those that moved.
//! It reports the pairs that started and stopped overlapping. Every broad phase reports exactly the
//! pairs whose boxes share a point: boxes may be enlarged internally, but the reported pairs are
//! those of the boxes themselves.
//!
//! - [`Neighbours`]: the fastest for most kinds of motion, and the default;
//! - [`AllPairs`]: the oracle that the others are tested against;
//! - [`PhaseKind`]: a kind of broad phase, also one that a program defines.
//!
//! Grids, octrees, slab octrees, sweep and prune, and a dynamic tree, as published, are in the
//! crate `impinge-papers`.
//!
//! ```
//! use impinge::broad::{AllPairs, BoxF32, BroadPhase, Changes, FrameInput, Moved, Pair};
//!
//! let mut boxes = [0.0, 2.0].map(|x| BoxF32 { min: [x, 0.0, 0.0], max: [x + 1.0, 1.0, 1.0] });
//! let (mut phase, mut changes) = (AllPairs::new(), Changes::default());
//! let frame = FrameInput { bounds: &boxes, oriented: None, moved: Moved::All };
//! phase.update_unlimited(&frame, &mut changes);
//! assert!(changes.began.is_empty());
//! (boxes[1].min[0], boxes[1].max[0]) = (1.0, 2.0);
//! let frame = FrameInput { bounds: &boxes, oriented: None, moved: Moved::Only(&[1]) };
//! phase.update_unlimited(&frame, &mut changes);
//! assert_eq!(changes.began, [Pair { a: 0, b: 1 }]); // they share a face
//! ```

mod all_pairs;
mod box_f32;
mod difference;
pub(crate) mod frame;
mod kind;
pub(crate) mod lists;
mod neighbours;
#[cfg(feature = "serde")]
mod serial;
#[cfg(any(test, feature = "internals"))]
pub mod testing;

use std::fmt::Debug;

use crate::pair::Budget;

pub use all_pairs::AllPairs;
pub use box_f32::BoxF32;
pub use frame::{Changes, Completeness, FrameInput, Moved, Pair};
pub use kind::PhaseKind;
pub(crate) use neighbours::MIN_SLOTS_FOR_WORKERS;
pub use neighbours::{NeighbourStats, Neighbours};

/// A method that finds the pairs of boxes that overlap.
///
/// One value processes one set of items from frame to frame. It uses the threads of the current
/// `rayon` pool where that is faster; the results do not depend on their number.
pub trait BroadPhase: Debug + Send + Sync {
    /// The name in tables.
    fn name(&self) -> &'static str;

    /// Takes the boxes of this frame and reports the changes since the last frame. The first frame
    /// is compared with a frame without items.
    ///
    /// May stop when the budget is spent, and returns whether it did. A [`World`](crate::World)
    /// sets no limit in [`World::update`](crate::World::update), and does not change the state of
    /// pairs that were not compared. The broad phases of this crate ignore the budget and are
    /// always complete.
    fn update(
        &mut self,
        frame: &FrameInput<'_>,
        budget: &mut Budget<'_>,
        changes: &mut Changes,
    ) -> Completeness;

    /// As [`BroadPhase::update`], without a limit.
    fn update_unlimited(&mut self, frame: &FrameInput<'_>, changes: &mut Changes) {
        let completeness = self.update(frame, &mut Budget::unlimited(), changes);
        debug_assert_eq!(
            completeness,
            Completeness::Complete,
            "{} stopped before all boxes were compared",
            self.name()
        );
    }

    /// Appends the pairs that overlap, as of the last frame, in any order.
    fn pairs(&self, to: &mut Vec<Pair>);

    /// The allocated memory, in bytes.
    fn bytes(&self) -> usize;
}
