//! A dynamic tree of boxes (Klosowski et al. 1998, section 6.1: insertion and deletion in the
//! environment, with rebalancing).
//!
//! Each leaf holds an item in a box a little larger than its own, so that an item that moves little
//! stays where it is. Pairs of leaves that overlap are kept as candidates, and their items' own
//! boxes are compared when one of them moves: what is reported is exact. Only an item that left its
//! leaf's box is put elsewhere in the tree and asks it for other leaves; the cost of a frame is
//! that of what moves, however much stands still.

mod tree;

use super::movers::Movers;
use super::pair_set::PairSet;
use super::stamps::Stamps;
use super::{Bounds, BroadPhase, Changes, Completeness, Frame, Pair};
use crate::pair::Budget;
use tree::{NONE, Tree, meet, surface};

/// How a [`DynamicTree`] trades memory and comparisons for changes of the tree.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct DynamicTreeOptions {
    /// By how much a leaf's box is larger than the item's, on each side, as a share of the item's
    /// longest side. Zero or more; what is not counts as zero.
    pub margin: f32,
    /// The share of leaves that are put elsewhere in one frame, above which the tree is built anew.
    pub rebuild: f32,
}

impl Default for DynamicTreeOptions {
    /// For motion of about a fiftieth of a side in a frame: measured on random walks of that step,
    /// a margin of 0.1 to 0.2 costs least.
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
    /// For fast motion: leaves as tight as their items.
    #[must_use]
    pub fn tight() -> Self {
        Self { margin: 0.0, ..Self::default() }
    }
}

/// What a [`DynamicTree`] holds, and what its last update cost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DynamicTreeStats {
    /// Leaves: items that are there.
    pub leaves: usize,
    /// Edges from the root to the deepest leaf.
    pub height: usize,
    /// The surfaces of all inner boxes by that of the root's.
    pub cost: f64,
    /// Pairs of leaves that overlap.
    pub candidates: usize,
    /// Items that were put elsewhere in the last update.
    pub reinserted: usize,
    /// Whether the last update built the tree anew.
    pub rebuilt: bool,
}

/// A broad phase by a dynamic tree of boxes. Best for many bodies that stand still or move little,
/// of any sizes.
#[derive(Clone, Debug, Default)]
pub struct DynamicTree {
    options: DynamicTreeOptions,
    tree: Tree,
    /// The leaf of each item, or [`NONE`].
    leaf: Vec<u32>,
    movers: Movers,
    pairs: PairSet,
    strays: Vec<u32>,
    done: Stamps,
    building: Vec<(u32, Bounds)>,
    rebuilt: bool,
}

impl DynamicTree {
    /// Without items.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Without items.
    #[must_use]
    pub fn with(options: DynamicTreeOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// What it holds, and what the last update cost. Goes through the tree.
    #[must_use]
    pub fn stats(&self) -> DynamicTreeStats {
        DynamicTreeStats {
            leaves: self.tree.leaves(),
            height: self.tree.height(),
            cost: self.tree.cost(),
            candidates: self.pairs.len(),
            reinserted: self.strays.len(),
            rebuilt: self.rebuilt,
        }
    }

    /// Checks the tree, and that each item has a leaf around its box of the last frame, which is
    /// given again; says what is wrong.
    ///
    /// # Errors
    /// If an invariant does not hold, which would be a defect.
    pub fn validate(&self, bounds: &[Bounds]) -> Result<(), String> {
        let mut count = 0;
        self.tree.validate(|item, node, fat| {
            count += 1;
            let own = bounds.get(item as usize).copied().unwrap_or(Bounds::EMPTY);
            match self.leaf.get(item as usize) {
                Some(leaf) if *leaf == node && !own.is_empty() && fat.contains(&own) => Ok(()),
                leaf => {
                    Err(format!("node {node} is of item {item} in {own:?}, whose leaf is {leaf:?}"))
                }
            }
        })?;
        let there = bounds.iter().filter(|b| !b.is_empty()).count();
        if there == count { Ok(()) } else { Err(format!("{count} leaves of {there} items")) }
    }

    /// The box of an item's leaf.
    fn grown(&self, own: &Bounds) -> Bounds {
        let longest = (0..3).map(|k| own.max[k] - own.min[k]).fold(0.0, f32::max);
        let by = longest * self.options.margin;
        if by > 0.0 && by.is_finite() { own.grown(by) } else { *own }
    }

    /// Finds the items that need another leaf, and takes out those that are gone.
    fn find_strays(&mut self, frame: &Frame<'_>, movers: &Movers) {
        self.strays.clear();
        for &item in movers.items() {
            let (own, leaf) = (frame.of(item), self.leaf[item as usize]);
            if own.is_empty() {
                if leaf != NONE {
                    self.tree.remove(leaf);
                    self.leaf[item as usize] = NONE;
                }
            } else if leaf == NONE || !self.suits(leaf, &own) {
                self.strays.push(item);
            }
        }
    }

    /// Whether a leaf's box is around an item, and not far too large for it.
    fn suits(&self, leaf: u32, own: &Bounds) -> bool {
        let fat = self.tree.bounds(leaf);
        (0..3).all(|k| fat.min[k] <= own.min[k] && own.max[k] <= fat.max[k])
            && surface(fat) <= 4.0 * surface(&self.grown(own))
    }

    /// Puts the strays where they belong.
    fn reinsert(&mut self, frame: &Frame<'_>) {
        let count = self.strays.len();
        self.rebuilt = count > 64
            && count as f64 > f64::from(self.options.rebuild) * self.tree.leaves() as f64;
        if self.rebuilt {
            self.done.clear();
            for item in &self.strays {
                self.done.mark(*item);
            }
            self.building.clear();
            for (item, own) in frame.bounds.iter().enumerate().filter(|(_, b)| !b.is_empty()) {
                let fat = match self.leaf[item] {
                    leaf if leaf == NONE || self.done.has(item as u32) => self.grown(own),
                    leaf => *self.tree.bounds(leaf),
                };
                self.building.push((item as u32, fat));
            }
            let Self { tree, building, leaf, .. } = self;
            tree.build(building, |item, node| leaf[item as usize] = node);
            return;
        }
        for k in 0..count {
            let item = self.strays[k];
            let leaf = self.leaf[item as usize];
            if leaf != NONE {
                self.tree.remove(leaf);
            }
            let fat = self.grown(&frame.of(item));
            self.leaf[item as usize] = self.tree.insert(item, fat);
        }
    }
}

impl BroadPhase for DynamicTree {
    fn name(&self) -> &'static str {
        "dynamic tree"
    }

    fn update(
        &mut self,
        frame: &Frame<'_>,
        _: &mut Budget<'_>,
        changes: &mut Changes,
    ) -> Completeness {
        changes.clear();
        self.movers.gather(frame);
        let movers = std::mem::take(&mut self.movers);
        if self.leaf.len() < movers.count() {
            self.leaf.resize(movers.count(), NONE);
            self.pairs.reserve(movers.count());
            self.done.reserve(movers.count());
        }
        self.find_strays(frame, &movers);
        self.reinsert(frame);
        let Self { tree, leaf, pairs, strays, done, .. } = self;
        pairs.refresh(frame, &movers, changes, |p| {
            let (a, b) = (leaf[p.a as usize], leaf[p.b as usize]);
            a != NONE && b != NONE && meet(tree.bounds(a), tree.bounds(b))
        });
        done.clear();
        for &item in &*strays {
            done.mark(item);
            let fat = *tree.bounds(leaf[item as usize]);
            tree.query(&fat, |other| {
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
            + (self.leaf.capacity() + self.strays.capacity()) * size_of::<u32>()
            + self.movers.bytes()
            + self.pairs.bytes()
            + self.done.bytes()
            + self.building.capacity() * size_of::<(u32, Bounds)>()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Moved;
    use super::super::testing::{Boxes, SCATTERS, Scatter, agrees_with_the_oracle, grows_no_more};
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
    fn steady_frames_take_no_memory() {
        grows_no_more(DynamicTree::new);
    }

    #[test]
    fn the_tree_is_valid_after_any_operations() {
        for (seed, scatter) in SCATTERS.into_iter().enumerate() {
            let mut boxes = Boxes::new(seed as u64, scatter, 200);
            let (mut phase, mut changes) = (DynamicTree::new(), Changes::default());
            for frame in 0..100 {
                let moved = if frame == 0 { Moved::All } else { Moved::Only(&boxes.moved) };
                let view = Frame { bounds: &boxes.bounds, oriented: None, moved };
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
    fn what_stands_still_costs_nothing() {
        let mut boxes = Boxes::new(5, Scatter::Even, 3000);
        let (mut phase, mut changes) = (DynamicTree::new(), Changes::default());
        phase.update_unlimited(
            &Frame { bounds: &boxes.bounds, oriented: None, moved: Moved::All },
            &mut changes,
        );
        let stats = phase.stats();
        assert!(stats.rebuilt && stats.leaves == 3000 && stats.height < 16, "{stats:?}");
        phase.update_unlimited(
            &Frame { bounds: &boxes.bounds, oriented: None, moved: Moved::All },
            &mut changes,
        );
        assert_eq!((phase.stats().reinserted, changes.began.len(), changes.ended.len()), (0, 0, 0));
        // A mover among them: a small step stays in the leaf, a large one does not.
        for (step, reinserted) in [(0.001, 0), (3.0, 1)] {
            (boxes.bounds[7].min[1], boxes.bounds[7].max[1]) =
                (boxes.bounds[7].min[1] + step, boxes.bounds[7].max[1] + step);
            let view = Frame { bounds: &boxes.bounds, oriented: None, moved: Moved::Only(&[7]) };
            phase.update_unlimited(&view, &mut changes);
            assert_eq!(phase.stats().reinserted, reinserted);
            phase.validate(&boxes.bounds).unwrap();
        }
    }

    #[test]
    fn a_body_that_shrinks_gets_a_small_leaf() {
        let (mut phase, mut changes) = (DynamicTree::new(), Changes::default());
        for size in [100.0, 99.0, 1.0, 0.99] {
            let bounds = [Bounds { min: [0.0; 3], max: [size; 3] }];
            phase.update_unlimited(
                &Frame { bounds: &bounds, oriented: None, moved: Moved::All },
                &mut changes,
            );
            assert_eq!(phase.stats().reinserted, usize::from(size == 100.0 || size == 1.0));
        }
    }
}
