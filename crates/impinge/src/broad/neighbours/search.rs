//! Many boxes looked for in the [tree over the slots](super::layers) at once, layer by layer: the
//! steps are the same whatever is found, so that none is guessed wrong.

use super::layers::{Layers, Node};
use super::record::Turned;
use crate::broad::Bounds;
use crate::wide::{Wide, Wide3, lanes_of};

/// Boxes that are looked for, and what was found. Those of two threads lie side by side, but on no
/// cache line together.
#[derive(Clone, Debug, Default)]
#[repr(align(128))]
pub(super) struct Search {
    wanted: Vec<Wanted>,
    here: Frontier,
    next: Frontier,
}

/// A box that is looked for.
#[derive(Clone, Copy, Debug)]
struct Wanted {
    bounds: Bounds,
    /// What overlaps this too is left out unless it is marked.
    known: Bounds,
    slot: u32,
}

/// Nodes of a layer, or boxes, and for which of the wanted ones they are.
#[derive(Clone, Debug, Default)]
struct Frontier {
    nodes: Vec<u32>,
    of: Vec<u32>,
    count: usize,
}

impl Search {
    pub(super) fn clear(&mut self) {
        self.wanted.clear();
        self.here.count = 0;
    }

    /// One more box to look for, that of a slot. What overlaps `known` is left out unless it is
    /// marked.
    pub(super) fn want(&mut self, slot: u32, turned: &Turned, known: &Turned) {
        self.wanted.push(Wanted { bounds: turned.bounds(), known: known.bounds(), slot });
    }

    /// The pairs that were found: the slot of a box that was looked for, and that of one that
    /// overlaps it.
    pub(super) fn found(&self) -> impl Iterator<Item = [u32; 2]> {
        let found = self.here.nodes.iter().zip(&self.here.of).take(self.here.count);
        found.map(|(slot, of)| [self.wanted[*of as usize].slot, *slot])
    }

    pub(super) fn bytes(&self) -> usize {
        self.wanted.capacity() * size_of::<Wanted>() + self.here.bytes() + self.next.bytes()
    }
}

impl Frontier {
    /// Makes room for so many, and eight more.
    fn reserve(&mut self, count: usize) {
        self.count = 0;
        if self.nodes.len() < count + 8 {
            self.nodes.resize(count + 8, 0);
            self.of.resize(count + 8, 0);
        }
    }

    /// Appends those of eight in a row whose bits are set.
    #[inline(always)]
    fn push<W: Wide>(&mut self, first: u32, of: u32, bits: u32) {
        let (Some(to), Some(its)) = (
            self.nodes[self.count..].first_chunk_mut::<8>(),
            self.of[self.count..].first_chunk_mut::<8>(),
        ) else {
            unreachable!("there is room for all");
        };
        lanes_of::<W>(first, bits, to);
        *its = [of; 8];
        self.count += bits.count_ones() as usize;
    }

    fn bytes(&self) -> usize {
        4 * (self.nodes.capacity() + self.of.capacity())
    }
}

impl Layers {
    /// Looks for all boxes that are wanted.
    #[inline(always)]
    pub(super) fn search<W: Wide>(&self, search: &mut Search) {
        let count = search.wanted.len();
        search.here.reserve(count);
        search.here.count = count;
        search.here.nodes[..count].fill(0);
        for (n, of) in search.here.of[..count].iter_mut().enumerate() {
            *of = n as u32;
        }
        let [lowest, above @ ..] = &self.layers[..] else { return };
        for layer in above.iter().rev() {
            search.go_down::<W, false>(layer, &[]);
        }
        search.go_down::<W, true>(lowest, &self.marks);
    }
}

impl Search {
    /// Goes from nodes of a layer to what they hold.
    #[inline(always)]
    fn go_down<W: Wide, const LOWEST: bool>(&mut self, layer: &[Node], marks: &[u8]) {
        let Self { wanted, here, next } = self;
        next.reserve(8 * here.count);
        for (number, of) in here.nodes.iter().zip(&here.of).take(here.count) {
            let (node, want) = (&layer[*number as usize], &wanted[*of as usize]);
            let mut bits = node.overlapping::<W>(&want.bounds);
            if LOWEST {
                let known = node.overlapping::<W>(&want.known);
                bits &= !known | u32::from(marks[*number as usize]);
            }
            next.push::<W>(8 * number, *of, bits);
        }
        std::mem::swap(here, next);
    }
}

impl Node {
    /// A bit for each of the boxes that share a point with the one given.
    #[inline(always)]
    pub(super) fn overlapping<W: Wide>(&self, bounds: &Bounds) -> u32 {
        let low = Wide3::<W>::splat(bounds.min);
        let high = Wide3::<W>::splat(bounds.max);
        Wide3::load(&self.min).all_le(high).and(low.all_le(Wide3::load(&self.max))).bits()
    }
}
