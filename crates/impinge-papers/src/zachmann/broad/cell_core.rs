//! What the octree and its generalisation to slabs have in common: everything but which cells a box
//! is in.

use super::cell_tree::CellTree;
use super::layout::{Fit, Layout, Spread};
use impinge::broad::{Changes, Frame, Pair};
use impinge::internals::Stamps;
use impinge::internals::broad::Movers;
use impinge::internals::broad::PairSet;
use impinge::math::Aabb;

/// What an [`Octree`](super::Octree) or a [`SlabOctree`](super::SlabOctree) holds, and what its
/// last update cost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CellTreeStats {
    /// All cells, of all levels.
    pub cells: usize,
    /// Cells with an item.
    pub occupied: usize,
    /// References to items in the cells of each level, from the root down.
    pub entries: Vec<usize>,
    /// Cells entered and left in the last update.
    pub touched: usize,
    /// Pairs compared in the last update, after time-stamps took out what was seen before.
    pub compared: usize,
    /// How often the cells have been chosen anew.
    pub layouts: u32,
}

impl CellTreeStats {
    /// Items in a cell on average, over all cells.
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
    pairs: PairSet,
    seen: Stamps,
    done: Stamps,
    fit: Fit,
    standing: Vec<Standing>,
    present: usize,
    outside: usize,
    compared: usize,
    layouts: u32,
    sample: Vec<f32>,
}

/// Whether an item is there, and in the domain.
#[derive(Clone, Copy, Debug, Default)]
struct Standing {
    present: bool,
    outside: bool,
}

impl CellCore {
    pub(super) fn new(tree: CellTree) -> Self {
        Self {
            tree,
            movers: Movers::default(),
            pairs: PairSet::default(),
            seen: Stamps::default(),
            done: Stamps::default(),
            fit: Fit::default(),
            standing: Vec::new(),
            present: 0,
            outside: 0,
            compared: 0,
            layouts: 0,
            sample: Vec::new(),
        }
    }

    /// Begins a frame. The movers go back with [`CellCore::finish`].
    pub(super) fn begin(&mut self, frame: &Frame<'_>, changes: &mut Changes) -> Movers {
        changes.clear();
        self.movers.gather(frame);
        let count = self.movers.count();
        if self.standing.len() < count {
            self.standing.resize(count, Standing::default());
            self.tree.reserve(count);
            self.pairs.reserve(count);
            self.seen.reserve(count);
            self.done.reserve(count);
        }
        (self.tree.touched, self.compared) = (0, 0);
        std::mem::take(&mut self.movers)
    }

    /// Counts an item as there or not.
    pub(super) fn count(&mut self, item: u32, frame: &Frame<'_>, layout: &Layout) {
        let bounds = frame.of(item);
        let present = !bounds.is_empty();
        let new = Standing { present, outside: present && layout.misses(&bounds) };
        let old = std::mem::replace(&mut self.standing[item as usize], new);
        self.present = self.present + usize::from(new.present) - usize::from(old.present);
        self.outside = self.outside + usize::from(new.outside) - usize::from(old.outside);
    }

    /// Where the boxes are, if the cells no longer suit them; `domain` is where they are to be, if
    /// that is given.
    pub(super) fn lost(&mut self, frame: &Frame<'_>, domain: Option<Aabb>) -> Option<Spread> {
        if !self.fit.is_lost(self.present, self.outside) {
            return None;
        }
        self.fit = Fit::to(self.present);
        let mut spread = Spread::of(frame.bounds, &mut self.sample)?;
        // A given domain may be no box at all, and is mended.
        spread.domain = Layout::new(domain.unwrap_or(spread.domain), [1; 3]).domain;
        Some(spread)
    }

    /// Takes another tree; all items are out.
    pub(super) fn replant(&mut self, tree: CellTree) {
        self.tree = tree;
        self.tree.reserve(self.standing.len());
        self.standing.fill(Standing::default());
        (self.present, self.outside) = (0, 0);
        self.layouts += 1;
    }

    /// Looks again at the old pairs of what moved, and asks the tree for new ones.
    pub(super) fn finish(&mut self, frame: &Frame<'_>, movers: Movers, changes: &mut Changes) {
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
            + self.standing.capacity() * size_of::<Standing>()
            + self.sample.capacity() * size_of::<f32>()
    }
}
