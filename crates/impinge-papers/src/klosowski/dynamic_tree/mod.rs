//! A dynamic tree of boxes (Klosowski et al. 1998, section 6.1: insertion and deletion in the
//! environment, with rebalancing).
//!
//! Each leaf holds an item in a box a little larger than the item's, so that an item that moves
//! little keeps its leaf. Pairs of leaves that overlap are kept as candidates, and the boxes of
//! their items are compared when one of them moves: the reported pairs are exact. Only an item that
//! left the box of its leaf is reinserted into the tree and searches it for overlapping leaves. The
//! cost of a frame depends on the items that move, not on those at rest.

mod tree;

use impinge::broad::{BoxF32, BroadPhase, Changes, Completeness, FrameInput, Pair, PhaseKind};
use impinge::internals::Stamps;
use impinge::pair::Budget;

use crate::broad::{CandidatePairs, Movers};
use tree::{NO_NODE, Tree, overlap, surface};

/// [`DynamicTree`], by its name in lists of broad phases.
pub const TREE: PhaseKind = PhaseKind::new("tree", || Box::new(DynamicTree::new()));

/// An item is reinserted if the surface of its leaf is more than this many times that of a new
/// leaf.
const MAX_SURFACE_RATIO: f64 = 4.0;
/// Up to this many reinsertions the tree is not rebuilt.
const MAX_REINSERTIONS_WITHOUT_REBUILD: usize = 64;

/// The balance of a [`DynamicTree`] between comparisons and changes of the tree.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct DynamicTreeOptions {
    /// The margin of the box of a leaf around that of its item, on each side, as a share of the
    /// item's longest side. Negative numbers and NaN count as zero.
    pub margin: f32,
    /// The tree is rebuilt if more than this share of its leaves is reinserted in one frame.
    pub rebuild: f32,
}

impl Default for DynamicTreeOptions {
    /// For motion of about a fiftieth of a side per frame: in measurements of random walks with
    /// that step, margins from 0.1 to 0.2 were the fastest.
    fn default() -> Self {
        Self { margin: 0.15, rebuild: 0.4 }
    }
}

impl DynamicTreeOptions {
    /// With this [`margin`](Self#structfield.margin).
    #[must_use]
    pub fn margin(mut self, margin: f32) -> Self {
        self.margin = margin;
        self
    }

    /// With this [`rebuild`](Self#structfield.rebuild).
    #[must_use]
    pub fn rebuild(mut self, rebuild: f32) -> Self {
        self.rebuild = rebuild;
        self
    }
}

impl DynamicTreeOptions {
    /// For fast motion: leaves without a margin.
    #[must_use]
    pub fn tight() -> Self {
        Self { margin: 0.0, ..Self::default() }
    }
}

/// The size of a [`DynamicTree`], and the work of its last update.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DynamicTreeStats {
    /// Leaves, one for each item whose box is not empty.
    pub leaves: usize,
    /// The number of edges from the root to the deepest leaf.
    pub height: usize,
    /// The sum of the surfaces of all inner boxes, divided by that of the root.
    pub cost: f64,
    /// Pairs of leaves that overlap.
    pub candidates: usize,
    /// Items that were reinserted in the last update.
    pub reinserted: usize,
    /// Whether the last update rebuilt the tree.
    pub rebuilt: bool,
}

/// A broad phase by a dynamic tree of boxes. Best for many bodies of any sizes that are at rest or
/// move little.
#[derive(Clone, Debug, Default)]
pub struct DynamicTree {
    options: DynamicTreeOptions,
    tree: Tree,
    /// The leaf of each item, or [`NO_NODE`].
    leaf: Vec<u32>,
    movers: Movers,
    pairs: CandidatePairs,
    /// Items that need another leaf in this frame.
    to_reinsert: Vec<u32>,
    /// Items that were processed in this frame.
    done: Stamps,
    /// Memory for a rebuild: all items with the boxes of their leaves.
    new_leaves: Vec<(u32, BoxF32)>,
    rebuilt: bool,
}

impl DynamicTree {
    /// A broad phase without items.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A broad phase without items, with the given options.
    #[must_use]
    pub fn with(options: DynamicTreeOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// The size of the tree, and the work of the last update. Visits all nodes.
    #[must_use]
    pub fn stats(&self) -> DynamicTreeStats {
        DynamicTreeStats {
            leaves: self.tree.leaves(),
            height: self.tree.height(),
            cost: self.tree.cost(),
            candidates: self.pairs.len(),
            reinserted: self.to_reinsert.len(),
            rebuilt: self.rebuilt,
        }
    }

    /// Checks the tree, and that each item has a leaf whose box contains the item's. `bounds` are
    /// the boxes of the last frame.
    ///
    /// # Errors
    /// If an invariant is violated (a bug); the message states which.
    pub fn validate(&self, bounds: &[BoxF32]) -> Result<(), String> {
        let mut count = 0;
        self.tree.validate(|item, node, leaf_box| {
            count += 1;
            let own = bounds.get(item as usize).copied().unwrap_or(BoxF32::EMPTY);
            match self.leaf.get(item as usize) {
                Some(leaf) if *leaf == node && !own.is_empty() && leaf_box.contains(&own) => Ok(()),
                leaf => Err(format!(
                    "node {node} has item {item} with box {own:?}, whose leaf is {leaf:?}"
                )),
            }
        })?;
        let items = bounds.iter().filter(|b| !b.is_empty()).count();
        if items == count { Ok(()) } else { Err(format!("{count} leaves of {items} items")) }
    }

    /// The box of a leaf for an item with this box.
    fn leaf_box(&self, own: &BoxF32) -> BoxF32 {
        let longest = (0..3).map(|k| own.max[k] - own.min[k]).fold(0.0, f32::max);
        let by = longest * self.options.margin;
        if by > 0.0 && by.is_finite() { own.grown(by) } else { *own }
    }

    /// Finds the items that need another leaf, and removes the leaves of absent items.
    fn find_items_to_reinsert(&mut self, frame: &FrameInput<'_>, movers: &Movers) {
        self.to_reinsert.clear();
        for &item in movers.items() {
            let (own, leaf) = (frame.of(item), self.leaf[item as usize]);
            if own.is_empty() {
                if leaf != NO_NODE {
                    self.tree.remove(leaf);
                    self.leaf[item as usize] = NO_NODE;
                }
            } else if leaf == NO_NODE || !self.is_suitable(leaf, &own) {
                self.to_reinsert.push(item);
            }
        }
    }

    /// Whether the box of a leaf contains that of an item and is not much too large for it.
    fn is_suitable(&self, leaf: u32, own: &BoxF32) -> bool {
        let leaf_box = self.tree.bounds(leaf);
        (0..3).all(|k| leaf_box.min[k] <= own.min[k] && own.max[k] <= leaf_box.max[k])
            && surface(leaf_box) <= MAX_SURFACE_RATIO * surface(&self.leaf_box(own))
    }

    /// Reinserts the items that need another leaf, or rebuilds the tree.
    fn reinsert(&mut self, frame: &FrameInput<'_>) {
        let count = self.to_reinsert.len();
        self.rebuilt = count > MAX_REINSERTIONS_WITHOUT_REBUILD
            && count as f64 > f64::from(self.options.rebuild) * self.tree.leaves() as f64;
        if self.rebuilt {
            self.done.clear();
            for item in &self.to_reinsert {
                self.done.mark(*item);
            }
            self.new_leaves.clear();
            for (item, own) in frame.bounds.iter().enumerate().filter(|(_, b)| !b.is_empty()) {
                let leaf_box = match self.leaf[item] {
                    leaf if leaf == NO_NODE || self.done.has(item as u32) => self.leaf_box(own),
                    leaf => *self.tree.bounds(leaf),
                };
                self.new_leaves.push((item as u32, leaf_box));
            }
            let Self { tree, new_leaves, leaf, .. } = self;
            tree.build(new_leaves, |item, node| leaf[item as usize] = node);
            return;
        }
        for k in 0..count {
            let item = self.to_reinsert[k];
            let leaf = self.leaf[item as usize];
            if leaf != NO_NODE {
                self.tree.remove(leaf);
            }
            let leaf_box = self.leaf_box(&frame.of(item));
            self.leaf[item as usize] = self.tree.insert(item, leaf_box);
        }
    }
}

impl BroadPhase for DynamicTree {
    fn update(
        &mut self,
        frame: &FrameInput<'_>,
        _: &mut Budget<'_>,
        changes: &mut Changes,
    ) -> Completeness {
        changes.clear();
        self.movers.gather(frame);
        let movers = std::mem::take(&mut self.movers);
        if self.leaf.len() < movers.count() {
            self.leaf.resize(movers.count(), NO_NODE);
            self.pairs.reserve(movers.count());
            self.done.reserve(movers.count());
        }
        self.find_items_to_reinsert(frame, &movers);
        self.reinsert(frame);
        let Self { tree, leaf, pairs, to_reinsert, done, .. } = self;
        pairs.refresh(frame, &movers, changes, |p| {
            let (a, b) = (leaf[p.a as usize], leaf[p.b as usize]);
            a != NO_NODE && b != NO_NODE && overlap(tree.bounds(a), tree.bounds(b))
        });
        done.clear();
        for &item in &*to_reinsert {
            done.mark(item);
            let leaf_box = *tree.bounds(leaf[item as usize]);
            tree.query(&leaf_box, |other| {
                if !done.has(other) {
                    pairs.add(Pair::new(item, other), frame.overlap(item, other), changes);
                }
            });
        }
        self.movers = movers;
        Completeness::Complete
    }

    fn pairs(&self, to: &mut Vec<Pair>) {
        self.pairs.reported(to);
    }

    fn bytes(&self) -> usize {
        self.tree.bytes()
            + (self.leaf.capacity() + self.to_reinsert.capacity()) * size_of::<u32>()
            + self.movers.bytes()
            + self.pairs.bytes()
            + self.done.bytes()
            + self.new_leaves.capacity() * size_of::<(u32, BoxF32)>()
    }
}

#[cfg(test)]
mod tests {
    use impinge::broad::Moved;
    use impinge::internals::broad::testing::{
        Boxes, SCATTERS, Scatter, agrees_with_the_oracle, memory_stops_growing,
    };

    use super::*;

    #[test]
    fn agrees() {
        agrees_with_the_oracle(DynamicTree::new, false);
        agrees_with_the_oracle(DynamicTree::new, true);
        agrees_with_the_oracle(|| DynamicTree::with(DynamicTreeOptions::tight()), false);
        let odd = DynamicTreeOptions { margin: f32::NAN, rebuild: f32::NAN };
        agrees_with_the_oracle(|| DynamicTree::with(odd), false);
    }

    #[test]
    fn repeated_frames_allocate_nothing() {
        memory_stops_growing(DynamicTree::new);
    }

    #[test]
    fn the_tree_is_valid_after_any_operations() {
        for (seed, scatter) in SCATTERS.into_iter().enumerate() {
            let mut boxes = Boxes::new(seed as u64, scatter, 200);
            let (mut phase, mut changes) = (DynamicTree::new(), Changes::default());
            for frame in 0..100 {
                let moved = if frame == 0 { Moved::All } else { Moved::Only(&boxes.moved) };
                let view = FrameInput { bounds: &boxes.bounds, oriented: None, moved };
                phase.update_unlimited(&view, &mut changes);
                phase.validate(&boxes.bounds).unwrap();
                boxes.step();
            }
            let mut wrong = boxes.bounds.clone();
            wrong.iter_mut().for_each(|b| b.min[0] -= 1e6);
            assert!(phase.validate(&wrong[1..]).is_err());
        }
    }

    #[test]
    fn items_at_rest_are_not_reinserted() {
        let mut boxes = Boxes::new(5, Scatter::Even, 3000);
        let (mut phase, mut changes) = (DynamicTree::new(), Changes::default());
        phase.update_unlimited(
            &FrameInput { bounds: &boxes.bounds, oriented: None, moved: Moved::All },
            &mut changes,
        );
        let stats = phase.stats();
        assert!(stats.rebuilt && stats.leaves == 3000 && stats.height < 16, "{stats:?}");
        phase.update_unlimited(
            &FrameInput { bounds: &boxes.bounds, oriented: None, moved: Moved::All },
            &mut changes,
        );
        assert_eq!((phase.stats().reinserted, changes.began.len(), changes.ended.len()), (0, 0, 0));
        // One item moves: after a small step it is still in its leaf, after a large one it is not.
        for (step, reinserted) in [(0.001, 0), (3.0, 1)] {
            (boxes.bounds[7].min[1], boxes.bounds[7].max[1]) =
                (boxes.bounds[7].min[1] + step, boxes.bounds[7].max[1] + step);
            let view =
                FrameInput { bounds: &boxes.bounds, oriented: None, moved: Moved::Only(&[7]) };
            phase.update_unlimited(&view, &mut changes);
            assert_eq!(phase.stats().reinserted, reinserted);
            phase.validate(&boxes.bounds).unwrap();
        }
    }

    #[test]
    fn a_body_that_shrinks_gets_a_small_leaf() {
        let (mut phase, mut changes) = (DynamicTree::new(), Changes::default());
        for size in [100.0, 99.0, 1.0, 0.99] {
            let bounds = [BoxF32 { min: [0.0; 3], max: [size; 3] }];
            phase.update_unlimited(
                &FrameInput { bounds: &bounds, oriented: None, moved: Moved::All },
                &mut changes,
            );
            assert_eq!(phase.stats().reinserted, usize::from(size == 100.0 || size == 1.0));
        }
    }
}
