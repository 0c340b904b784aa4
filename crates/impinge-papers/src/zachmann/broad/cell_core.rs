//! The common part of the octree and its generalisation to slabs: everything except the choice of
//! the cells of a box.

use super::cell_tree::CellTree;
use super::layout::{Fit, Layout, Spread};
use crate::broad::{CandidatePairs, Movers};
use impinge::broad::{Changes, FrameInput, Pair};
use impinge::internals::Stamps;
use impinge::math::Aabb;

/// The size of an [`Octree`](super::Octree) or a [`SlabOctree`](super::SlabOctree), and the work of
/// its last update.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CellTreeStats {
    /// The number of cells of all levels.
    pub cells: usize,
    /// Cells with at least one item.
    pub occupied: usize,
    /// References to items in the cells of each level, from the root down.
    pub entries: Vec<usize>,
    /// Cells that items were added to or removed from in the last update.
    pub touched: usize,
    /// Pairs compared in the last update; time-stamps exclude pairs that were compared before.
    pub compared: usize,
    /// How often new cells have been chosen.
    pub layouts: u32,
}

impl CellTreeStats {
    /// The mean number of items in a cell, over all cells.
    #[must_use]
    pub fn mean_entries(&self) -> f64 {
        let entries: usize = self.entries.iter().sum();
        if self.cells == 0 { 0.0 } else { entries as f64 / self.cells as f64 }
    }
}

/// The tree, its pairs, and how well the cells suit the boxes.
#[derive(Clone, Debug)]
pub(super) struct CellCore {
    pub(super) tree: CellTree,
    movers: Movers,
    pairs: CandidatePairs,
    seen: Stamps,
    done: Stamps,
    fit: Fit,
    presence: Vec<Presence>,
    /// Items that are present, and those of them that are outside the domain.
    present: usize,
    outside: usize,
    compared: usize,
    layouts: u32,
    sample: Vec<f32>,
}

/// Whether an item is present, and outside the domain.
#[derive(Clone, Copy, Debug, Default)]
struct Presence {
    present: bool,
    outside: bool,
}

impl CellCore {
    pub(super) fn new(tree: CellTree) -> Self {
        Self {
            tree,
            movers: Movers::default(),
            pairs: CandidatePairs::default(),
            seen: Stamps::default(),
            done: Stamps::default(),
            fit: Fit::default(),
            presence: Vec::new(),
            present: 0,
            outside: 0,
            compared: 0,
            layouts: 0,
            sample: Vec::new(),
        }
    }

    /// Starts a frame. The movers are given back to [`CellCore::finish`].
    pub(super) fn begin(&mut self, frame: &FrameInput<'_>, changes: &mut Changes) -> Movers {
        changes.clear();
        self.movers.gather(frame);
        let count = self.movers.count();
        if self.presence.len() < count {
            self.presence.resize(count, Presence::default());
            self.tree.reserve(count);
            self.pairs.reserve(count);
            self.seen.reserve(count);
            self.done.reserve(count);
        }
        (self.tree.touched, self.compared) = (0, 0);
        std::mem::take(&mut self.movers)
    }

    /// Updates the counts of items that are present and outside.
    pub(super) fn count(&mut self, item: u32, frame: &FrameInput<'_>, layout: &Layout) {
        let bounds = frame.of(item);
        let present = !bounds.is_empty();
        let new = Presence { present, outside: present && layout.is_center_outside(&bounds) };
        let old = std::mem::replace(&mut self.presence[item as usize], new);
        self.present = self.present + usize::from(new.present) - usize::from(old.present);
        self.outside = self.outside + usize::from(new.outside) - usize::from(old.outside);
    }

    /// The distribution of the boxes, if new cells should be chosen. `domain` overrides the domain
    /// of the distribution.
    pub(super) fn outdated(
        &mut self,
        frame: &FrameInput<'_>,
        domain: Option<Aabb>,
    ) -> Option<Spread> {
        if !self.fit.is_outdated(self.present, self.outside) {
            return None;
        }
        self.fit = Fit::to(self.present);
        let mut spread = Spread::of(frame.bounds, &mut self.sample)?;
        // A given domain may be empty or not finite, which `Layout::new` repairs.
        spread.domain = Layout::new(domain.unwrap_or(spread.domain), [1; 3]).domain;
        Some(spread)
    }

    /// Replaces the tree by another one, in which no item is entered.
    pub(super) fn replace_tree(&mut self, tree: CellTree) {
        self.tree = tree;
        self.tree.reserve(self.presence.len());
        self.presence.fill(Presence::default());
        (self.present, self.outside) = (0, 0);
        self.layouts += 1;
    }

    /// Compares the old pairs of the items that moved again, and finds their new pairs in the tree.
    pub(super) fn finish(&mut self, frame: &FrameInput<'_>, movers: Movers, changes: &mut Changes) {
        let Self { tree, seen, done, pairs, compared, .. } = self;
        pairs.refresh(frame, &movers, changes, |_| false);
        done.clear();
        for &item in movers.items() {
            seen.clear();
            seen.mark(item);
            tree.neighbours(item, |other| {
                if !done.has(other) && seen.mark(other) {
                    *compared += 1;
                    if frame.overlap(item, other) {
                        pairs.add(Pair::new(item, other), true, changes);
                    }
                }
            });
            done.mark(item);
        }
        self.movers = movers;
    }

    pub(super) fn pairs(&self, to: &mut Vec<Pair>) {
        self.pairs.reported(to);
    }

    pub(super) fn stats(&self) -> CellTreeStats {
        let (entries, occupied) = self.tree.levels();
        CellTreeStats {
            cells: self.tree.len(),
            occupied,
            entries,
            touched: self.tree.touched,
            compared: self.compared,
            layouts: self.layouts,
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.tree.bytes()
            + self.movers.bytes()
            + self.pairs.bytes()
            + self.seen.bytes()
            + self.done.bytes()
            + self.presence.capacity() * size_of::<Presence>()
            + self.sample.capacity() * size_of::<f32>()
    }
}
