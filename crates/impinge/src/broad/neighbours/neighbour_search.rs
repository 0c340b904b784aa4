//! New neighbours of boxes that have new skins, and of the group.
//!
//! At the start of a frame every pair of boxes whose skins overlap is in the lists (except pairs of
//! a box in the group and a box outside it, which are searched for in every frame). So of the boxes
//! that a new skin overlaps, those that the old skin overlapped are neighbours already and need not
//! be looked up, unless their own skins are new, too: these are marked.

use std::sync::Mutex;

use super::boxes::SkinnedBoxes;
use super::escape::{Escape, Motion};
use super::packed_box::PackedBox;
use super::pair_lists::PairLists;
use super::slot_trees::SlotTrees;
use super::tree_search::TreeSearch;
use super::{Padded, lock};
use crate::wide::Wide;
use crate::wide::dispatch::{self, Task};
use crate::workers::{self, Chunks};

/// Boxes in a batch for one search.
const BOXES_PER_BATCH: usize = 64;
/// The smallest number of batches that a worker takes at a time.
const MIN_BATCHES_PER_WORKER: usize = 2;

/// Pairs of slots, the smaller one first.
type SlotPairs = Vec<[u32; 2]>;

/// Finds the neighbours that are not in the lists yet.
#[derive(Debug, Default)]
pub(super) struct NeighbourSearch {
    /// One for each worker, and one for a caller outside the pool.
    searches: Vec<Mutex<TreeSearch>>,
    /// The new pairs of each batch of boxes.
    batches: Vec<Padded<SlotPairs>>,
    /// The boxes of the group that may be near boxes outside it.
    near_others: NearOthers,
}

/// Boxes of the group that may be near boxes outside it.
#[derive(Clone, Debug, Default)]
struct NearOthers {
    boxes: Vec<Escape>,
    /// An empty box for each: nothing is known about which boxes it overlapped before.
    old_skins: Vec<PackedBox>,
}

impl NeighbourSearch {
    /// Adds the new neighbours of boxes that have new skins to the lists. `old_skins` are the skins
    /// that they had, or empty.
    pub(super) fn add_of_escapes(
        &mut self,
        escapes: &[Escape],
        old_skins: &[PackedBox],
        boxes: &SkinnedBoxes,
        trees: &mut SlotTrees,
        pairs: &mut PairLists,
    ) {
        trees.mark(escapes, true);
        let batches = self.search(escapes, old_skins, Among::All, boxes, trees, pairs);
        trees.mark(escapes, false);
        self.insert(batches, pairs);
    }

    /// Adds pairs of a box in the group and a box outside it to the lists; returns how many were
    /// added.
    pub(super) fn add_between_group_and_others(
        &mut self,
        boxes: &SkinnedBoxes,
        trees: &SlotTrees,
        pairs: &mut PairLists,
    ) -> usize {
        let mut near = std::mem::take(&mut self.near_others);
        let offset = boxes.group().offset();
        dispatch::run(FindNearOthers { trees, offset, near: &mut near });
        let NearOthers { boxes: near_boxes, old_skins } = &near;
        let batches = self.search(near_boxes, old_skins, Among::Others, boxes, trees, pairs);
        self.near_others = near;
        self.insert(batches, pairs)
    }

    /// Searches for neighbours of boxes, which are left in the first batches; returns the number of
    /// these.
    fn search(
        &mut self,
        escapes: &[Escape],
        old_skins: &[PackedBox],
        among: Among,
        boxes: &SkinnedBoxes,
        trees: &SlotTrees,
        pairs: &PairLists,
    ) -> usize {
        let count = escapes.len().div_ceil(BOXES_PER_BATCH);
        if self.batches.len() < count {
            self.batches.resize_with(count, Padded::default);
        }
        while self.searches.len() <= rayon::current_num_threads() {
            self.searches.push(Mutex::default());
        }
        let searches = &self.searches;
        let lists = Lists { boxes, trees, pairs };
        type Given<'a> = Chunks<(&'a [Escape], &'a [PackedBox])>;
        type Piece<'a> = (&'a mut [Padded<SlotPairs>], Given<'a>);
        let search = |(batches, chunks): Piece<'_>| {
            let worker = rayon::current_thread_index().map_or(0, |index| index + 1);
            let mut search = lock(&searches[worker]);
            let (escapes, old_skins) = chunks.list;
            let chunks = escapes.chunks(BOXES_PER_BATCH).zip(old_skins.chunks(BOXES_PER_BATCH));
            for (batch, (escapes, old_skins)) in batches.iter_mut().zip(chunks) {
                let (found, search) = (&mut batch.0, &mut *search);
                found.clear();
                dispatch::run(SearchBatch { lists, escapes, old_skins, among, found, search });
            }
        };
        let chunks = Chunks { list: (escapes, old_skins), size: BOXES_PER_BATCH };
        let list = (&mut self.batches[..count], chunks);
        workers::share(list, MIN_BATCHES_PER_WORKER, search, || ());
        count
    }

    /// Adds the pairs in the first batches to the lists, unless they are there; returns the number
    /// of pairs in these batches.
    fn insert(&self, batches: usize, pairs: &mut PairLists) -> usize {
        let mut count = 0;
        for batch in &self.batches[..batches] {
            count += batch.0.len();
            for [low, high] in &batch.0 {
                pairs.insert(*low, *high);
            }
        }
        count
    }

    pub(super) fn bytes(&self) -> usize {
        let searches: usize = self.searches.iter().map(|search| lock(search).bytes()).sum();
        let batches: usize = self.batches.iter().map(|batch| batch.0.capacity()).sum();
        let NearOthers { boxes, old_skins } = &self.near_others;
        searches
            + 8 * batches
            + size_of::<Escape>() * boxes.capacity()
            + size_of::<PackedBox>() * old_skins.capacity()
    }
}

/// The boxes among which neighbours are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Among {
    All,
    /// The boxes outside the group.
    Others,
}

/// The input of a search.
#[derive(Clone, Copy)]
struct Lists<'a> {
    boxes: &'a SkinnedBoxes,
    trees: &'a SlotTrees,
    pairs: &'a PairLists,
}

/// Searches for neighbours of a batch of boxes.
struct SearchBatch<'a> {
    lists: Lists<'a>,
    escapes: &'a [Escape],
    old_skins: &'a [PackedBox],
    among: Among,
    found: &'a mut SlotPairs,
    search: &'a mut TreeSearch,
}

impl Task for SearchBatch<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Wide>(mut self) {
        self.search_tree::<W>(false);
        if self.lists.boxes.group().members() > 0 && self.among == Among::All {
            self.search_tree::<W>(true);
        }
    }
}

impl SearchBatch<'_> {
    /// Searches the tree of the group or the other one.
    #[inline(always)]
    fn search_tree<W: Wide>(&mut self, of_group: bool) {
        let Lists { boxes, trees, pairs } = self.lists;
        let offset = boxes.group().offset();
        self.search.clear();
        for (escape, old_skin) in self.escapes.iter().zip(self.old_skins) {
            let slot = escape.slot();
            let skin = &boxes.skins()[slot];
            if skin.is_empty() {
                continue;
            }
            match (boxes.is_in_group(slot), of_group) {
                // A box that overlapped the old skin is a neighbour already.
                (false, false) => self.search.add(slot as u32, skin, old_skin),
                (true, true) => self.search.add(slot as u32, skin, &PackedBox::EMPTY),
                (true, false) => {
                    let skin = skin.translated_outward(offset);
                    self.search.add(slot as u32, &skin, &PackedBox::EMPTY);
                }
                (false, true) => {
                    let skin = skin.translated_outward(offset.map(|x| -x));
                    self.search.add(slot as u32, &skin, &PackedBox::EMPTY);
                }
            }
        }
        self.search.run::<W>(if of_group { trees.group() } else { trees.others() });
        for [a, b] in self.search.found() {
            let (low, high) = (a.min(b), a.max(b));
            // A few are still in the lists from an earlier frame.
            if low != high && !pairs.contains(low, high) {
                self.found.push([low, high]);
            }
        }
    }
}

/// Finds the boxes of the group that may be near boxes outside it.
struct FindNearOthers<'a> {
    trees: &'a SlotTrees,
    offset: [f32; 3],
    near: &'a mut NearOthers,
}

impl Task for FindNearOthers<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Wide>(self) {
        let Self { trees, offset, near: NearOthers { boxes, old_skins } } = self;
        boxes.clear();
        trees.group().for_each_near::<W>(trees.others(), offset, |slot| {
            boxes.push(Escape::new(slot as usize, Motion::WithGroup));
        });
        old_skins.resize(boxes.len(), PackedBox::EMPTY);
    }
}
