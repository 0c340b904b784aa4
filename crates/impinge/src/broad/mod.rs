//! Many moving boxes: which of them overlap, frame by frame.
//!
//! In every frame a [`BroadPhase`] gets the boxes of all items, and the list of those that moved.
//! It reports the pairs that started and stopped overlapping. Every broad phase reports exactly the
//! pairs whose boxes share a point: boxes may be enlarged internally, but the reported pairs are
//! those of the boxes themselves.
//!
//! - [`Neighbours`]: the fastest for most kinds of motion, and the default;
//! - [`Incremental`]: stops within microseconds when its budget is spent;
//! - [`AllPairs`]: the oracle that the others are tested against;
//! - [`PhaseKind`]: a kind of broad phase, also one that a program defines: [`BroadPhase`] lists
//!   what an implementation must do, and [`testing`] checks it.
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
mod incremental;
mod key_hasher;
mod kind;
pub(crate) mod lists;
mod neighbours;
#[cfg(feature = "serde")]
mod serial;
pub mod testing;

use std::fmt::Debug;

use crate::pair::Budget;

pub use all_pairs::AllPairs;
pub use box_f32::BoxF32;
pub use frame::{Changes, Completeness, FrameInput, Moved, Pair};
pub use incremental::Incremental;
pub(crate) use key_hasher::KeyHasher;
pub use kind::PhaseKind;
pub(crate) use neighbours::MIN_SLOTS_FOR_WORKERS;
pub use neighbours::{NeighbourStats, Neighbours};

/// A method that finds the pairs of boxes that overlap.
///
/// One value processes one set of items from frame to frame. It uses the threads of the current
/// `rayon` pool where that is faster.
///
/// # What an implementation must do
///
/// - Two items form a pair if and only if [`FrameInput::overlap`] says so. Boxes may be enlarged
///   internally, but the answers are those of this test.
/// - [`FrameInput::bounds`] may be longer or shorter than in the last frame. An item beyond the
///   end, and an item with an empty box, is absent: it forms no pair.
/// - [`Moved::Only`] lists every item of the common length of the two lists whose box changed. It
///   may also list items that did not move, items twice, and numbers beyond the end. Items between
///   the two lengths need not be listed.
/// - The first frame is compared with a frame without items.
/// - Each pair appears once, in [`Changes::began`], in [`Changes::ended`] and in
///   [`BroadPhase::pairs`].
/// - The results, and their order, depend on the sequence of frames alone: not on the number of
///   threads, hash order or time.
/// - A [`World`](crate::World) and [`BroadPhase::update_unlimited`] pass empty [`Changes`], so an
///   implementation only appends. It may also clear them.
/// - If the [`Budget`] ends, an update may stop and return [`Completeness::Incomplete`]. The items
///   that were not compared with all others are then [`Changes::pending`], and the next update
///   continues with them. A world keeps the state of pairs of pending items. [`Incremental`] stops;
///   the other broad phases of this crate ignore the budget and are always complete.
///
/// [`testing`] has checks of all this. A world uses the broad phase that a [`PhaseKind`] of its
/// options creates. The complete program to start from is `examples/own_broad_phase.rs`; in short:
///
/// ```
/// use impinge::broad::{
///     BroadPhase, Changes, Completeness, FrameInput, Pair, PhaseKind, testing,
/// };
/// use impinge::pair::Budget;
/// use impinge::world::WorldOptions;
///
/// /// Compares each item with all others.
/// #[derive(Debug, Default)]
/// struct Plain {
///     pairs: Vec<Pair>,
/// }
///
/// impl BroadPhase for Plain {
///     fn update(
///         &mut self,
///         frame: &FrameInput<'_>,
///         _: &mut Budget<'_>,
///         changes: &mut Changes,
///     ) -> Completeness {
///         let count = frame.bounds.len() as u32;
///         let all = (0..count).flat_map(|a| (a + 1..count).map(move |b| Pair { a, b }));
///         let now: Vec<Pair> = all.filter(|pair| frame.overlap(pair.a, pair.b)).collect();
///         let before = std::mem::replace(&mut self.pairs, now);
///         changes.began.extend(self.pairs.iter().filter(|pair| !before.contains(pair)));
///         changes.ended.extend(before.iter().filter(|pair| !self.pairs.contains(pair)));
///         Completeness::Complete
///     }
///
///     fn pairs(&self, to: &mut Vec<Pair>) {
///         to.extend_from_slice(&self.pairs);
///     }
///
///     fn bytes(&self) -> usize {
///         self.pairs.capacity() * size_of::<Pair>()
///     }
/// }
///
/// testing::agrees_with_the_oracle(Plain::default, false);
/// let plain = PhaseKind::new("plain", || Box::new(Plain::default()));
/// let options = WorldOptions::default().phase(plain);
/// ```
pub trait BroadPhase: Debug + Send + Sync {
    /// Takes the boxes of this frame and appends the changes since the last frame to `changes`,
    /// which are empty.
    fn update(
        &mut self,
        frame: &FrameInput<'_>,
        budget: &mut Budget<'_>,
        changes: &mut Changes,
    ) -> Completeness;

    /// As [`BroadPhase::update`], without a limit. Clears `changes` first.
    fn update_unlimited(&mut self, frame: &FrameInput<'_>, changes: &mut Changes) {
        changes.clear();
        let completeness = self.update(frame, &mut Budget::unlimited(), changes);
        debug_assert_eq!(completeness, Completeness::Complete, "a broad phase gave up");
    }

    /// Whether an update stops when its budget is spent, within microseconds. By default it does
    /// not.
    fn can_stop(&self) -> bool {
        false
    }

    /// Allocates memory for this many items and overlapping pairs, so that updates do not have to.
    /// Does nothing by default.
    fn reserve(&mut self, items: usize, pairs: usize) {
        let _ = (items, pairs);
    }

    /// Appends the pairs that overlap, as of the last frame, in any order.
    fn pairs(&self, to: &mut Vec<Pair>);

    /// The number of overlapping pairs of an item, as of the last frame, for a broad phase with
    /// lists of the pairs of each item; `None` without such lists, which is the default. With them,
    /// changed rules of a world are [applied in parts](crate::World::update_within).
    fn pair_count(&self, item: u32) -> Option<usize> {
        let _ = item;
        None
    }

    /// The pair at a position of the list of an item, if there is such a list; `None` behind its
    /// end. A new pair is added at the end, and the last pair takes the position of one that is
    /// removed, so that a visit from the last to the first position finds all pairs that remain.
    fn pair_at(&self, item: u32, position: usize) -> Option<Pair> {
        let _ = (item, position);
        None
    }

    /// The allocated memory, in bytes.
    fn bytes(&self) -> usize;
}
