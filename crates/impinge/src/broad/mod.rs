//! Many moving boxes: which of them overlap, frame by frame.
//!
//! Once a frame a [`BroadPhase`] is given the boxes of all items, and which of them moved. It
//! reports the pairs that started and stopped overlapping. Every broad phase reports exactly the
//! pairs whose boxes share a point: boxes may be enlarged inside, but never in what is reported.
//!
//! - [`Neighbours`]: the fastest for most kinds of motion, and the default;
//! - [`AllPairs`]: the oracle that the others are tested against;
//! - [`DynamicTree`]: a binary tree of boxes with insertion and removal (Klosowski et al. 1998,
//!   section 6.1);
//! - [`PhaseKind`]: a broad phase by its name, also one that a program defines.
//!
//! Grids, octrees, slab octrees and sweep and prune, as published, are in the crate
//! `impinge-papers`.
//!
//! ```
//! use impinge::broad::{AllPairs, Bounds, BroadPhase, Changes, Frame, Moved, Pair};
//!
//! let mut boxes = [0.0, 2.0].map(|x| Bounds { min: [x, 0.0, 0.0], max: [x + 1.0, 1.0, 1.0] });
//! let (mut phase, mut changes) = (AllPairs::new(), Changes::default());
//! phase.update(&Frame { bounds: &boxes, oriented: None, moved: Moved::All }, &mut changes);
//! assert!(changes.began.is_empty());
//! (boxes[1].min[0], boxes[1].max[0]) = (1.0, 2.0);
//! phase.update(&Frame { bounds: &boxes, oriented: None, moved: Moved::Only(&[1]) }, &mut changes);
//! assert_eq!(changes.began, [Pair { a: 0, b: 1 }]); // they share a face
//! ```

mod all_pairs;
mod bounds;
pub(crate) mod difference;
mod dynamic_tree;
mod frame;
mod kind;
pub(crate) mod lists;
pub(crate) mod movers;
mod neighbours;
pub(crate) mod pair_set;
#[cfg(feature = "serde")]
mod serial;
pub(crate) mod stamps;
#[cfg(any(test, feature = "internals"))]
pub mod testing;

use std::fmt::Debug;

pub use all_pairs::AllPairs;
pub use bounds::Bounds;
pub use dynamic_tree::{DynamicTree, DynamicTreeOptions, DynamicTreeStats};
pub use frame::{Changes, Frame, Moved, Pair};
pub use kind::PhaseKind;
pub use neighbours::{NeighbourStats, Neighbours};

/// A method that finds the pairs of boxes that overlap.
///
/// One value follows one set of items from frame to frame. It uses the threads of the current
/// `rayon` pool where that pays; the results do not depend on their number.
pub trait BroadPhase: Debug + Send + Sync {
    /// The name in tables.
    fn name(&self) -> &'static str;

    /// Takes the boxes of this frame and reports the changes since the last frame. The first frame
    /// is compared with a frame without items.
    fn update(&mut self, frame: &Frame<'_>, changes: &mut Changes);

    /// Appends the pairs that overlap, as of the last frame, in any order.
    fn pairs(&self, to: &mut Vec<Pair>);

    /// The memory it holds, in bytes.
    fn bytes(&self) -> usize;
}
