//! A tree over the slots, for finding the boxes near a box.
//!
//! Slots are in spatial order, so eight consecutive boxes lie close together, and eight such groups
//! too: the tree needs no pointers. Its lowest layer stores the boxes with skins, eight to a node;
//! a node above stores the boxes around eight nodes below, and so on. A box that changes is stored
//! in its slot, and the boxes above grow as far as they must; they shrink when the tree is
//! refitted.

use std::ops::ControlFlow;

use super::packed_box::PackedBox;
use crate::broad::BoxF32;
use crate::wide::{Lanes3, Wide, Wide3};

/// The tree is refitted after one change for this many boxes (and a few more).
const BOXES_PER_CHANGE_FOR_REFIT: usize = 4;
/// Changes that do not cause a refit, for a tree of any size.
const MIN_CHANGES_FOR_REFIT: usize = 64;
/// More layers than this would hold more than 2^32 boxes.
const MAX_LAYERS: usize = 11;

/// Nodes still to be opened, with their layers: in each layer at most the eight children of the
/// node that was opened last.
type Stack = [(u8, u32); 8 * MAX_LAYERS];

/// Eight boxes. An empty one is NaN, which overlaps nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    min: Lanes3,
    max: Lanes3,
}

const EMPTY: Node = Node { min: Lanes3::splat(f32::NAN), max: Lanes3::splat(f32::NAN) };

/// A tree over the boxes of some of the slots.
///
/// Invariant, which [`SlotTree::validate`] checks: lane `l` of node `n` above the lowest layer
/// contains all boxes of node `8 n + l` of the layer below.
#[derive(Clone, Debug, Default)]
pub(super) struct SlotTree {
    /// The lowest layer first; the last one has one node.
    layers: Vec<Vec<Node>>,
    /// For each node of the lowest layer, a bit for each box that is [marked](SlotTree::mark).
    marks: Vec<u8>,
    changes_since_refit: usize,
}

impl SlotTree {
    /// Rebuilds the tree for the boxes of those slots that `is_member` selects, with space for
    /// an eighth more slots.
    pub(super) fn rebuild(&mut self, boxes: &[PackedBox], is_member: impl Fn(usize) -> bool) {
        let mut nodes = (boxes.len() + boxes.len() / 8).div_ceil(8).max(1);
        let mut depth = 0;
        loop {
            if self.layers.len() == depth {
                self.layers.push(Vec::new());
            }
            self.layers[depth].clear();
            self.layers[depth].resize(nodes, EMPTY);
            depth += 1;
            if nodes == 1 {
                break;
            }
            nodes = nodes.div_ceil(8);
        }
        self.layers.truncate(depth);
        self.marks.clear();
        self.marks.resize(self.layers[0].len(), 0);
        for (n, (node, boxes)) in self.layers[0].iter_mut().zip(boxes.chunks(8)).enumerate() {
            for (lane, packed) in boxes.iter().enumerate() {
                if is_member(8 * n + lane) {
                    node.set(lane, packed);
                }
            }
        }
        self.refit();
    }

    /// The layers from the lowest to the one with a single node.
    #[inline(always)]
    pub(super) fn layers(&self) -> &[Vec<Node>] {
        &self.layers
    }

    /// The marks of each node of the lowest layer.
    #[inline(always)]
    pub(super) fn marks(&self) -> &[u8] {
        &self.marks
    }

    /// The number of slots that there is space for.
    pub(super) fn capacity(&self) -> usize {
        self.layers.first().map_or(0, |lowest| 8 * lowest.len())
    }

    /// Fits the boxes of all layers above the lowest.
    fn refit(&mut self) {
        self.changes_since_refit = 0;
        for depth in 1..self.layers.len() {
            let (below, above) = self.layers.split_at_mut(depth);
            for (node, children) in above[0].iter_mut().zip(below[depth - 1].chunks(8)) {
                *node = EMPTY;
                for (lane, child) in children.iter().enumerate() {
                    let (min, max) = child.around();
                    node.min.set(lane, min);
                    node.max.set(lane, max);
                }
            }
        }
    }

    /// Stores the box of a slot, for which there must be space.
    pub(super) fn set(&mut self, slot: u32, packed: &PackedBox) {
        let mut at = slot as usize;
        let lowest = &mut self.layers[0][at / 8];
        if packed.is_empty() && lowest.min.x[at % 8].is_nan() {
            return;
        }
        lowest.set(at % 8, packed);
        if !packed.is_empty() {
            let bounds = packed.bounds();
            for layer in &mut self.layers[1..] {
                at /= 8;
                if !layer[at / 8].grow(at % 8, bounds.min, bounds.max) {
                    break;
                }
            }
        }
        self.changes_since_refit += 1;
        let limit = MIN_CHANGES_FOR_REFIT + self.capacity() / BOXES_PER_CHANGE_FOR_REFIT;
        if self.changes_since_refit > limit {
            self.refit();
        }
    }

    /// Marks the box of a slot, or removes the mark.
    pub(super) fn mark(&mut self, slot: u32, is_marked: bool) {
        let (marks, bit) = (&mut self.marks[slot as usize / 8], 1 << (slot % 8));
        if is_marked { *marks |= bit } else { *marks &= !bit }
    }

    /// Calls `visit` with the slot of every box that overlaps the given one, until it breaks.
    #[inline(always)]
    fn for_each_overlapping<W: Wide>(
        &self,
        packed: &PackedBox,
        stack: &mut Stack,
        mut visit: impl FnMut(u32) -> ControlFlow<()>,
    ) {
        let bounds = packed.bounds();
        let mut height = 1;
        stack[0] = (self.layers.len() as u8 - 1, 0);
        while height > 0 {
            height -= 1;
            let (depth, at) = stack[height];
            let mut bits = self.layers[depth as usize][at as usize].overlap_bits::<W>(&bounds);
            while bits != 0 {
                let child = 8 * at + bits.trailing_zeros();
                bits &= bits - 1;
                if depth > 0 {
                    stack[height] = (depth - 1, child);
                    height += 1;
                } else if visit(child).is_break() {
                    return;
                }
            }
        }
    }

    /// Whether any box overlaps the given one.
    #[inline(always)]
    fn overlaps_any<W: Wide>(&self, packed: &PackedBox, stack: &mut Stack) -> bool {
        let mut found = false;
        self.for_each_overlapping::<W>(packed, stack, |_| {
            found = true;
            ControlFlow::Break(())
        });
        found
    }

    /// Calls `visit` with the slots of this tree, translated by `by`, whose lowest node overlaps a
    /// box of the other tree.
    #[inline(always)]
    pub(super) fn for_each_near<W: Wide>(
        &self,
        other: &Self,
        by: [f32; 3],
        mut visit: impl FnMut(u32),
    ) {
        let mut stack: Stack = [(0, 0); 8 * MAX_LAYERS];
        let mut other_stack: Stack = [(0, 0); 8 * MAX_LAYERS];
        let mut height = 1;
        stack[0] = (self.layers.len() as u8 - 1, 0);
        while height > 0 {
            height -= 1;
            let (depth, at) = stack[height];
            let node = &self.layers[depth as usize][at as usize];
            for lane in 0..8 {
                let (min, max) = (node.min.get(lane), node.max.get(lane));
                if min[0].is_nan() {
                    continue;
                }
                let child = 8 * at + lane as u32;
                if depth == 0 {
                    visit(child);
                    continue;
                }
                let packed = PackedBox::new(min, max.map(|side| -side)).translated_outward(by);
                if other.overlaps_any::<W>(&packed, &mut other_stack) {
                    stack[height] = (depth - 1, child);
                    height += 1;
                }
            }
        }
    }

    /// Checks the invariant; that there are no marks; and that the lowest layer stores for each
    /// slot the box that `expected` returns.
    ///
    /// # Panics
    /// If one of these conditions is violated (a bug).
    pub(super) fn validate(&self, expected: impl Fn(usize) -> PackedBox) {
        assert!(self.marks.iter().all(|marks| *marks == 0), "a mark was left");
        for slot in 0..self.capacity() {
            let (stored, known) = (self.layers[0][slot / 8].get(slot % 8), expected(slot));
            let is_same = if stored.is_empty() || known.is_empty() {
                stored.is_empty() == known.is_empty()
            } else {
                stored.bounds() == known.bounds()
            };
            assert!(is_same, "slot {slot} is {stored:?} in the tree, not {known:?}");
        }
        for (layer, below) in self.layers.iter().skip(1).zip(&self.layers) {
            for (n, child) in below.iter().enumerate() {
                let around = layer[n / 8].get(n % 8).bounds();
                let holds = (0..8).all(|lane| around.contains(&child.get(lane).bounds()));
                assert!(holds, "{around:?} does not contain all of {child:?}");
            }
        }
    }

    pub(super) fn bytes(&self) -> usize {
        let nodes: usize = self.layers.iter().map(Vec::capacity).sum();
        nodes * size_of::<Node>() + self.marks.capacity()
    }
}

impl Node {
    fn get(&self, lane: usize) -> PackedBox {
        PackedBox::new(self.min.get(lane), self.max.get(lane).map(|side| -side))
    }

    fn set(&mut self, lane: usize, packed: &PackedBox) {
        // An empty box is NaN in both forms.
        let bounds = packed.bounds();
        self.min.set(lane, bounds.min);
        self.max.set(lane, bounds.max);
    }

    /// Enlarges the box of a lane to contain the given one; false if it did already.
    fn grow(&mut self, lane: usize, min: [f32; 3], max: [f32; 3]) -> bool {
        let (own_min, own_max) = (self.min.get(lane), self.max.get(lane));
        let contains = (0..3).all(|k| own_min[k] <= min[k] && max[k] <= own_max[k]);
        if !contains {
            self.min.set(lane, [0, 1, 2].map(|k| own_min[k].min(min[k])));
            self.max.set(lane, [0, 1, 2].map(|k| own_max[k].max(max[k])));
        }
        !contains
    }

    /// The box around the eight boxes.
    fn around(&self) -> ([f32; 3], [f32; 3]) {
        // `min` and `max` of NaN and a number are the number.
        let least = |side: &[f32; 8]| side.iter().copied().fold(f32::NAN, f32::min);
        let most = |side: &[f32; 8]| side.iter().copied().fold(f32::NAN, f32::max);
        let (min, max) = (&self.min, &self.max);
        ([least(&min.x), least(&min.y), least(&min.z)], [most(&max.x), most(&max.y), most(&max.z)])
    }

    /// A bit for each of the boxes that share a point with the given one.
    #[inline(always)]
    pub(super) fn overlap_bits<W: Wide>(&self, bounds: &BoxF32) -> u32 {
        let low = Wide3::<W>::splat(bounds.min);
        let high = Wide3::<W>::splat(bounds.max);
        Wide3::load(&self.min).all_le(high).and(low.all_le(Wide3::load(&self.max))).bits()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;
    use crate::wide::dispatch::{self, Task};

    fn random_box(random: &mut Random) -> PackedBox {
        if random.index(9) == 0 {
            return PackedBox::EMPTY;
        }
        let low = [0; 3].map(|_| random.range(0.0, 20.0) as f32);
        PackedBox::new(low, low.map(|x| -x - random.range(0.0, 2.0) as f32))
    }

    struct Near<'a>(&'a SlotTree, &'a SlotTree, [f32; 3]);

    impl Task for Near<'_> {
        type Output = Vec<u32>;

        #[inline(always)]
        fn run<W: Wide>(self) -> Vec<u32> {
            let mut near = Vec::new();
            self.0.for_each_near::<W>(self.1, self.2, |slot| near.push(slot));
            near
        }
    }

    /// Boxes are stored, replaced and removed; the boxes above contain them, before and after the
    /// tree is refitted.
    #[test]
    fn the_tree_is_valid_after_any_changes() {
        let mut random = Random::new(4);
        for count in [1, 9, 70, 700] {
            let mut boxes: Vec<PackedBox> = (0..count).map(|_| random_box(&mut random)).collect();
            let mut tree = SlotTree::default();
            tree.rebuild(&boxes, |slot| slot % 5 != 0);
            assert!(tree.capacity() >= count);
            let member = |boxes: &[PackedBox], slot: usize| match boxes.get(slot) {
                Some(packed) if slot % 5 != 0 => *packed,
                _ => PackedBox::EMPTY,
            };
            tree.validate(|slot| member(&boxes, slot));
            for round in 0..3 * count + 200 {
                let slot = random.index(count);
                if slot % 5 != 0 {
                    boxes[slot] = random_box(&mut random);
                    tree.set(slot as u32, &boxes[slot]);
                }
                if round % 50 == 0 {
                    tree.validate(|slot| member(&boxes, slot));
                }
            }
            tree.validate(|slot| member(&boxes, slot));
        }
    }

    /// No box that overlaps one of the other tree, translated, is left out.
    #[test]
    fn boxes_near_another_tree_are_found() {
        let mut random = Random::new(5);
        let by = [7.5, -1.0, 3.0];
        let [own, other] = [300, 200].map(|count| -> Vec<PackedBox> {
            (0..count).map(|_| random_box(&mut random)).collect()
        });
        let (mut own_tree, mut other_tree) = (SlotTree::default(), SlotTree::default());
        own_tree.rebuild(&own, |_| true);
        other_tree.rebuild(&other, |_| true);
        let near = dispatch::run(Near(&own_tree, &other_tree, by));
        let mut found = 0;
        for (slot, packed) in own.iter().enumerate() {
            let bounds = packed.translated(by).bounds();
            if other.iter().any(|other| other.bounds().overlaps(&bounds)) {
                assert!(near.contains(&(slot as u32)), "{slot}");
                found += 1;
            }
        }
        assert!(found > 10, "{found}");
    }

    #[test]
    #[should_panic(expected = "a mark was left")]
    fn validation_finds_marks() {
        let mut tree = SlotTree::default();
        tree.rebuild(&[PackedBox::EMPTY; 3], |_| true);
        tree.mark(1, true);
        tree.validate(|_| PackedBox::EMPTY);
    }
}
