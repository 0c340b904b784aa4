//! A tree over the slots, for finding the boxes near one of them.
//!
//! Slots are in the order of space, so eight in a row lie close together, and eight such rows too:
//! the tree needs no pointers. Its lowest layer holds the boxes with skins, eight to a node; the
//! node above has the boxes around eight of these, and so on. A box that moves is put in its place,
//! and the boxes above grow as far as they must; they shrink when all are fitted anew.

use std::ops::ControlFlow;

use super::record::Turned;
use crate::wide::{Lanes3, Wide};

/// Boxes side by side. An empty one is NaN, which overlaps nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) min: Lanes3,
    pub(super) max: Lanes3,
}

const EMPTY: Node = Node { min: Lanes3::splat(f32::NAN), max: Lanes3::splat(f32::NAN) };

/// After as many changes as there are boxes, divided by this, the boxes above are fitted anew.
const REFIT: usize = 4;
/// More layers than this would hold more than 2^32 boxes.
const DEPTH: usize = 11;

/// Nodes that are still to be opened, with their layers: of each layer at most eight children, less
/// the one that is taken.
type Stack = [(u8, u32); 8 * DEPTH];

/// The tree.
#[derive(Clone, Debug, Default)]
pub(super) struct Layers {
    /// The lowest first, the last of one node.
    pub(super) layers: Vec<Vec<Node>>,
    /// For each node of the lowest layer a bit for each box that is [marked](Layers::mark).
    pub(super) marks: Vec<u8>,
    changes: usize,
}

impl Layers {
    /// Anew, for boxes by their slots of which `there` says which to take, with some room for more.
    pub(super) fn rebuild(&mut self, boxes: &[Turned], there: impl Fn(usize) -> bool) {
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
            for (lane, turned) in boxes.iter().enumerate() {
                if there(8 * n + lane) {
                    node.set(lane, turned);
                }
            }
        }
        self.fit();
    }

    /// How many slots there is room for.
    pub(super) fn room(&self) -> usize {
        self.layers.first().map_or(0, |lowest| 8 * lowest.len())
    }

    /// Fits the boxes of all layers but the lowest.
    fn fit(&mut self) {
        self.changes = 0;
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

    /// Puts a box in its slot, for which there must be room.
    pub(super) fn set(&mut self, slot: u32, turned: &Turned) {
        let mut at = slot as usize;
        let lowest = &mut self.layers[0][at / 8];
        if turned.is_empty() && lowest.min.x[at % 8].is_nan() {
            return;
        }
        lowest.set(at % 8, turned);
        if !turned.is_empty() {
            let bounds = turned.bounds();
            for layer in &mut self.layers[1..] {
                at /= 8;
                if !layer[at / 8].grow(at % 8, bounds.min, bounds.max) {
                    break;
                }
            }
        }
        self.changes += 1;
        if self.changes > 64 + self.room() / REFIT {
            self.fit();
        }
    }

    /// Marks a box as one that came to its place just now, or takes the mark away.
    pub(super) fn mark(&mut self, slot: u32, marked: bool) {
        let (marks, bit) = (&mut self.marks[slot as usize / 8], 1 << (slot % 8));
        if marked { *marks |= bit } else { *marks &= !bit }
    }

    /// Calls with the slot of every box that overlaps the one given, until told to stop.
    #[inline(always)]
    fn visit<W: Wide>(
        &self,
        turned: &Turned,
        stack: &mut Stack,
        mut each: impl FnMut(u32) -> ControlFlow<()>,
    ) {
        let bounds = turned.bounds();
        let mut height = 1;
        stack[0] = (self.layers.len() as u8 - 1, 0);
        while height > 0 {
            height -= 1;
            let (depth, at) = stack[height];
            let mut bits = self.layers[depth as usize][at as usize].overlapping::<W>(&bounds);
            while bits != 0 {
                let child = 8 * at + bits.trailing_zeros();
                bits &= bits - 1;
                if depth > 0 {
                    stack[height] = (depth - 1, child);
                    height += 1;
                } else if each(child).is_break() {
                    return;
                }
            }
        }
    }

    /// Whether any box overlaps the one given.
    #[inline(always)]
    fn any<W: Wide>(&self, turned: &Turned, stack: &mut Stack) -> bool {
        let mut found = false;
        self.visit::<W>(turned, stack, |_| {
            found = true;
            ControlFlow::Break(())
        });
        found
    }

    /// Calls with the slots of boxes here, moved by `by`, that lie in a node that overlaps a box
    /// there.
    #[inline(always)]
    pub(super) fn reaching<W: Wide>(&self, other: &Self, by: [f32; 3], mut each: impl FnMut(u32)) {
        let (mut stack, mut below): (Stack, Stack) = ([(0, 0); 8 * DEPTH], [(0, 0); 8 * DEPTH]);
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
                    each(child);
                    continue;
                }
                let turned = Turned::new(min, max.map(|side| -side)).shifted(by);
                if other.any::<W>(&turned, &mut below) {
                    stack[height] = (depth - 1, child);
                    height += 1;
                }
            }
        }
    }

    pub(super) fn bytes(&self) -> usize {
        let nodes: usize = self.layers.iter().map(Vec::capacity).sum();
        nodes * size_of::<Node>() + self.marks.capacity()
    }
}

impl Node {
    fn set(&mut self, lane: usize, turned: &Turned) {
        // An empty box is NaN here as there.
        let bounds = turned.bounds();
        self.min.set(lane, bounds.min);
        self.max.set(lane, bounds.max);
    }

    /// Makes a lane hold the box; false if it did already.
    fn grow(&mut self, lane: usize, min: [f32; 3], max: [f32; 3]) -> bool {
        let (own_min, own_max) = (self.min.get(lane), self.max.get(lane));
        let holds = (0..3).all(|k| own_min[k] <= min[k] && max[k] <= own_max[k]);
        if !holds {
            self.min.set(lane, [0, 1, 2].map(|k| own_min[k].min(min[k])));
            self.max.set(lane, [0, 1, 2].map(|k| own_max[k].max(max[k])));
        }
        !holds
    }

    /// The box around the boxes.
    fn around(&self) -> ([f32; 3], [f32; 3]) {
        // The smaller and the larger of NaN and a number is the number.
        let least = |side: &[f32; 8]| side.iter().copied().fold(f32::NAN, f32::min);
        let most = |side: &[f32; 8]| side.iter().copied().fold(f32::NAN, f32::max);
        let (min, max) = (&self.min, &self.max);
        ([least(&min.x), least(&min.y), least(&min.z)], [most(&max.x), most(&max.y), most(&max.z)])
    }
}
