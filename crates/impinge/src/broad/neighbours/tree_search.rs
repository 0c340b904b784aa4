//! Searches a [tree over the slots](super::slot_tree) for many boxes at once, layer by layer: the
//! sequence of instructions does not depend on what is found, so no branch is mispredicted.

use super::packed_box::PackedBox;
use super::slot_tree::{Node, SlotTree};
use crate::broad::BoxF32;
use crate::wide::{Wide, lanes_of};

/// The boxes that are searched for, and what was found. Aligned so that the searches of two workers
/// are never on one cache line.
#[derive(Clone, Debug, Default)]
#[repr(align(128))]
pub(super) struct TreeSearch {
    queries: Vec<Query>,
    frontier: Frontier,
    next_frontier: Frontier,
}

/// A box that is searched for.
#[derive(Clone, Copy, Debug)]
struct Query {
    bounds: BoxF32,
    /// Boxes that also overlap this one are left out unless they are marked.
    known: BoxF32,
    slot: u32,
}

/// Nodes of a layer, or slots below the lowest layer, each with the query that it is for.
#[derive(Clone, Debug, Default)]
struct Frontier {
    nodes: Vec<u32>,
    queries: Vec<u32>,
    /// Entries in use; the rest is memory to write to.
    count: usize,
}

impl TreeSearch {
    pub(super) fn clear(&mut self) {
        self.queries.clear();
        self.frontier.count = 0;
    }

    /// Adds a box to search for, that of a slot. Boxes that overlap `known` are left out unless
    /// they are marked.
    pub(super) fn add(&mut self, slot: u32, packed: &PackedBox, known: &PackedBox) {
        self.queries.push(Query { bounds: packed.bounds(), known: known.bounds(), slot });
    }

    /// Searches a tree for all boxes that were added.
    #[inline(always)]
    pub(super) fn run<W: Wide>(&mut self, tree: &SlotTree) {
        let count = self.queries.len();
        self.frontier.reserve(count);
        self.frontier.count = count;
        self.frontier.nodes[..count].fill(0);
        for (n, query) in self.frontier.queries[..count].iter_mut().enumerate() {
            *query = n as u32;
        }
        let [lowest, above @ ..] = tree.layers() else { return };
        for layer in above.iter().rev() {
            self.open_layer::<W, false>(layer, &[]);
        }
        self.open_layer::<W, true>(lowest, tree.marks());
    }

    /// Replaces the nodes of a layer by their children that overlap the query.
    #[inline(always)]
    fn open_layer<W: Wide, const LOWEST: bool>(&mut self, layer: &[Node], marks: &[u8]) {
        let Self { queries, frontier, next_frontier } = self;
        next_frontier.reserve(8 * frontier.count);
        for (number, query_number) in
            frontier.nodes.iter().zip(&frontier.queries).take(frontier.count)
        {
            let (node, query) = (&layer[*number as usize], &queries[*query_number as usize]);
            let mut bits = node.overlap_bits::<W>(&query.bounds);
            if LOWEST {
                let known = node.overlap_bits::<W>(&query.known);
                bits &= !known | u32::from(marks[*number as usize]);
            }
            next_frontier.push::<W>(8 * number, *query_number, bits);
        }
        std::mem::swap(frontier, next_frontier);
    }

    /// The pairs that were found: the slot of a box that was searched for, and the slot of a box
    /// that overlaps it.
    pub(super) fn found(&self) -> impl Iterator<Item = [u32; 2]> {
        let Frontier { nodes, queries, count } = &self.frontier;
        let found = nodes.iter().zip(queries).take(*count);
        found.map(|(slot, query)| [self.queries[*query as usize].slot, *slot])
    }

    pub(super) fn bytes(&self) -> usize {
        self.queries.capacity() * size_of::<Query>()
            + self.frontier.bytes()
            + self.next_frontier.bytes()
    }
}

impl Frontier {
    /// Empties it and makes space for `count` entries and eight more.
    fn reserve(&mut self, count: usize) {
        self.count = 0;
        if self.nodes.len() < count + 8 {
            self.nodes.resize(count + 8, 0);
            self.queries.resize(count + 8, 0);
        }
    }

    /// Appends those of eight consecutive nodes whose bits are set.
    #[inline(always)]
    fn push<W: Wide>(&mut self, first: u32, query: u32, bits: u32) {
        let (Some(nodes), Some(queries)) = (
            self.nodes[self.count..].first_chunk_mut::<8>(),
            self.queries[self.count..].first_chunk_mut::<8>(),
        ) else {
            unreachable!("there is space for eight more");
        };
        lanes_of::<W>(first, bits, nodes);
        *queries = [query; 8];
        self.count += bits.count_ones() as usize;
    }

    fn bytes(&self) -> usize {
        4 * (self.nodes.capacity() + self.queries.capacity())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;
    use crate::wide::dispatch::{self, Task};

    struct Run<'a>(&'a mut TreeSearch, &'a SlotTree);

    impl Task for Run<'_> {
        type Output = ();

        #[inline(always)]
        fn run<W: Wide>(self) {
            self.0.run::<W>(self.1);
        }
    }

    /// The search finds what a comparison of all boxes finds, without known boxes unless they are
    /// marked.
    #[test]
    fn the_search_finds_what_a_loop_finds() {
        let mut random = Random::new(6);
        let mut draw = |size: f64| {
            let low = [0; 3].map(|_| random.range(0.0, 10.0) as f32);
            PackedBox::new(low, low.map(|x| -x - random.range(0.0, size) as f32))
        };
        let mut boxes: Vec<PackedBox> = (0..400).map(|_| draw(2.0)).collect();
        boxes[17] = PackedBox::EMPTY;
        let mut tree = SlotTree::default();
        tree.rebuild(&boxes, |_| true);
        (0..400).step_by(3).for_each(|slot| tree.mark(slot, true));
        let wanted: Vec<[PackedBox; 2]> = (0..90).map(|_| [draw(5.0), draw(5.0)]).collect();
        let mut search = TreeSearch::default();
        for _ in 0..2 {
            search.clear();
            for (n, [wanted, known]) in wanted.iter().enumerate() {
                let known = if n % 4 == 0 { &PackedBox::EMPTY } else { known };
                search.add(n as u32, wanted, known);
            }
            dispatch::run(Run(&mut search, &tree));
            let mut found: Vec<[u32; 2]> = search.found().collect();
            found.sort_unstable();
            let mut expected = Vec::new();
            for (n, [wanted, known]) in wanted.iter().enumerate() {
                for (slot, packed) in boxes.iter().enumerate() {
                    let packed = packed.bounds();
                    let is_known = n % 4 != 0 && slot % 3 != 0 && known.bounds().overlaps(&packed);
                    if wanted.bounds().overlaps(&packed) && !is_known {
                        expected.push([n as u32, slot as u32]);
                    }
                }
            }
            assert!(expected.len() > 100);
            assert_eq!(found, expected);
        }
    }
}
