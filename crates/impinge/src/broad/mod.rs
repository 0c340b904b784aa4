//! Many moving boxes: which of them overlap, frame by frame.
//!
//! A [`BroadPhase`] is given the boxes of all items once a frame, with a word on which of them moved, and says which pairs began to overlap and which ended. Every one reports the pairs whose boxes share a
//! point, exactly these: no box is fattened in what is reported.
//!
//! - [`Neighbours`]: the fastest for most of what moves, and the default;
//! - [`Auto`]: whichever is fastest, by trial;
//! - [`AllPairs`]: the oracle that the others are tested against;
//! - [`Grid`], [`Octree`] and [`SlabOctree`]: cells with lists of items, entered by axis-aligned or by oriented boxes (Zachmann 1994, sections 5.4 to 5.6);
//! - [`SweepAndPrune`]: ends of boxes kept in order on three axes (section 5.7);
//! - [`DynamicTree`]: a binary tree of boxes that items enter and leave (Klosowski et al. 1998, section 6.1);
//! - [`Choice`]: any of them by its name.
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
mod auto;
mod bounds;
mod cell_core;
mod cell_tree;
mod cells;
mod choice;
mod dynamic_tree;
mod entry;
mod frame;
mod grid;
mod layout;
mod lists;
mod movers;
mod neighbours;
mod octree;
mod pair_set;
mod slabs;
mod stab;
mod stamps;
mod sweep;
#[cfg(test)]
mod testing;

use std::fmt::Debug;

pub use all_pairs::AllPairs;
pub use auto::Auto;
pub use bounds::Bounds;
pub use cell_core::CellTreeStats;
pub use choice::Choice;
pub use dynamic_tree::{DynamicTree, DynamicTreeOptions, DynamicTreeStats};
pub use entry::Entry;
pub use frame::{Changes, Frame, Moved, Pair};
pub use grid::{Grid, GridOptions, GridStats};
use layout::Layout;
pub use neighbours::{NeighbourStats, Neighbours};
pub use octree::{Octree, OctreeOptions};
pub use slabs::{SlabOctree, SlabOctreeOptions, Slabs};
pub use sweep::{SweepAndPrune, SweepStats};

/// A way to find the pairs of boxes that overlap.
///
/// One value follows one set of items from frame to frame. It uses the threads of the current `rayon` pool where that pays; what it says does not depend on their number.
pub trait BroadPhase: Debug + Send + Sync {
    /// What it is called in tables.
    fn name(&self) -> &'static str;

    /// Takes the boxes of this frame and says what is different from the last one. The first frame is compared with one that had no items.
    fn update(&mut self, frame: &Frame<'_>, changes: &mut Changes);

    /// Appends the pairs that overlap, as of the last frame, in any order.
    fn pairs(&self, to: &mut Vec<Pair>);

    /// The memory it holds, in bytes.
    fn bytes(&self) -> usize;
}

/// What is in the second sorted list and not in the first has begun, what is only in the first has ended.
fn difference(old: &[Pair], new: &[Pair], changes: &mut Changes) {
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
