//! The production broad phase: boxes with a skin, and lists of neighbours.
//!
//! Every box is given a skin, and the pairs whose boxes with skin overlap are kept as lists, as in
//! molecular dynamics (Verlet 1967). While boxes stay within their skins no other pair can start to
//! overlap, so a frame is one pass over the lists. A box that leaves its skin gets a new one, and
//! its new neighbours are found in a [tree over the slots](slot_tree). When many boxes leave their
//! skins at once, all pairs are found [from scratch](pair_search). The [common motion](group) of
//! many boxes, for example of boxes that fall, is subtracted first. The reported pairs are those
//! of the boxes themselves; the skins only determine when pairs are searched for.
//!
//! Boxes are stored in an order in which neighbours in space are neighbours in memory: a *slot* is
//! a place in that order.
//!
//! [`Neighbours`] runs the stages of a frame; the data belongs to components, each with its own
//! invariants:
//!
//! | component | data |
//! | --- | --- |
//! | [`Slots`] | which item is in which slot |
//! | [`MovedItems`] | the items that may have moved |
//! | [`SkinnedBoxes`] | the boxes, their skins, the group and the width of skins |
//! | [`BoxReader`] | the boxes that left their skins |
//! | [`SlotTrees`] | the trees over the slots |
//! | [`NeighbourSearch`] | searches in these trees |
//! | [`PairSearch`], [`SlotOrder`] | all pairs from scratch, and a new order of slots |
//! | [`PairLists`] | the pairs in rows of eight, by their lower and by their higher slots |
//! | [`Comparison`] | the comparison of the pairs, and what changed |

mod boxes;
mod column_sweep;
mod compare;
mod escape;
mod group;
mod moved;
mod neighbour_search;
mod packed_box;
mod pair_lists;
mod pair_rows;
mod pair_search;
mod read;
mod record;
mod reverse_lists;
mod skin_width;
mod slot_order;
mod slot_tree;
mod slot_trees;
mod slots;
mod tree_search;

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{BroadPhase, Changes, Completeness, FrameInput, Moved, Pair};
use crate::pair::Budget;
use crate::workers;
use boxes::SkinnedBoxes;
use compare::Comparison;
use moved::{MovedItems, Scope};
use neighbour_search::NeighbourSearch;
use packed_box::PackedBox;
use pair_lists::PairLists;
use pair_search::PairSearch;
use read::BoxReader;
use slot_order::SlotOrder;
use slot_trees::SlotTrees;
use slots::Slots;

/// The cost of a rebuild for each box, in escapes.
const REBUILD_ESCAPES_PER_BOX: f32 = 0.5;
/// The cost of building the trees over the slots, in the same unit.
const TREES_ESCAPES_PER_BOX: f32 = 0.02;
/// With fewer slots than this, one thread does all the work; with more, the search uses all
/// threads.
pub(crate) const MIN_SLOTS_FOR_WORKERS: usize = 8192;
/// If fewer than one item in this many is named as moved, the frame is too short for other workers.
const ITEMS_PER_MOVED_FOR_WORKERS: usize = 4;
/// Debug builds check the invariants after every frame of up to this many slots.
const MAX_SLOTS_TO_VALIDATE: usize = 2048;

/// Lists of neighbours of boxes with skins: the fastest of the broad phases, for most kinds of
/// motion.
///
/// The skin adapts to how boxes move: wide enough that few boxes leave it in a frame, narrow enough
/// that lists stay short. A box that moves in a frame by more than the width of the skin has none.
///
/// ```
/// use impinge::broad::{BoxF32, BroadPhase, Changes, FrameInput, Moved, Neighbours};
///
/// let at = |x: f32| BoxF32 { min: [x, 0.0, 0.0], max: [x + 0.5, 1.0, 1.0] };
/// let mut boxes: Vec<BoxF32> = (0..1000).map(|i| at(i as f32)).collect();
/// let (mut phase, mut changes) = (Neighbours::new(), Changes::default());
/// let frame = FrameInput { bounds: &boxes, oriented: None, moved: Moved::All };
/// phase.update_unlimited(&frame, &mut changes);
/// assert!(changes.began.is_empty());
/// boxes[7].max[0] += 0.5;
/// let frame = FrameInput { bounds: &boxes, oriented: None, moved: Moved::Only(&[7]) };
/// phase.update_unlimited(&frame, &mut changes);
/// assert_eq!((changes.began[0].a, changes.began[0].b), (7, 8));
/// ```
#[derive(Debug, Default)]
pub struct Neighbours {
    slots: Slots,
    moved: MovedItems,
    boxes: SkinnedBoxes,
    reader: BoxReader,
    trees: SlotTrees,
    search: NeighbourSearch,
    pair_search: PairSearch,
    order: SlotOrder,
    pairs: PairLists,
    comparison: Comparison,
    /// The skins that the boxes of [`BoxReader::escapes`] had.
    old_skins: Vec<PackedBox>,
    stats: NeighbourStats,
}

/// The work of the last frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NeighbourStats {
    /// The width of the skin.
    pub skin: f32,
    /// Boxes that left their skins.
    pub escaped: usize,
    /// Whether all pairs were found from scratch.
    pub rebuilt: bool,
    /// Boxes in the group: they move together, and their skins move with them.
    pub in_group: usize,
    /// Pairs in the lists that were compared, with free places.
    pub compared: usize,
}

impl Neighbours {
    /// A broad phase without items.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The work of the last frame.
    #[must_use]
    pub fn stats(&self) -> NeighbourStats {
        self.stats
    }

    /// Processes one frame.
    fn run_frame(&mut self, frame: &FrameInput<'_>, changes: &mut Changes) {
        changes.clear();
        self.grow(frame.bounds.len());
        let scope = self.moved.gather(frame, self.slots.len());
        self.reader.read(frame, scope, &self.moved, &self.slots, &mut self.boxes);
        self.start_stats();
        if self.is_rebuild_cheaper() {
            self.rebuild(changes);
            self.compare(frame, Scope::All, changes);
        } else {
            let group_pairs = self.add_neighbours();
            self.compare(frame, scope, changes);
            self.pairs.remove_disjoint(&self.boxes, self.reader.escapes(), group_pairs);
        }
        self.boxes.adapt_width(&self.stats);
    }

    /// Makes slots for new items.
    fn grow(&mut self, items: usize) {
        self.slots.grow(items);
        self.boxes.grow(self.slots.len());
        self.pairs.grow(self.slots.len());
    }

    fn start_stats(&mut self) {
        self.stats = NeighbourStats {
            skin: self.boxes.width().get(),
            escaped: self.reader.escapes().len(),
            rebuilt: false,
            in_group: self.boxes.group().members(),
            compared: 0,
        };
    }

    /// Whether finding all pairs from scratch is less work than finding the new neighbours of the
    /// boxes that left their skins.
    fn is_rebuild_cheaper(&self) -> bool {
        let count = self.slots.len() as f32;
        let trees = if self.trees.is_current() { 0.0 } else { TREES_ESCAPES_PER_BOX * count };
        let escapes = self.reader.escapes().len() as f32;
        escapes > 0.0 && escapes + trees > REBUILD_ESCAPES_PER_BOX * count
    }

    /// Assigns new skins and new slots to all boxes, and finds all pairs from scratch. Pairs that
    /// overlapped and are not found any more have ended.
    fn rebuild(&mut self, changes: &mut Changes) {
        self.stats.rebuilt = true;
        self.boxes.renew_all_skins(self.reader.escapes());
        self.pair_search.run(self.boxes.skins());
        self.order.renew(&mut self.pair_search, &mut self.slots, &mut self.boxes);
        let (search, order) = (&mut self.pair_search, &self.order);
        self.pairs.rebuild(search, order.new_slots(), &self.slots, &self.boxes, changes);
        self.trees.invalidate();
    }

    /// Assigns new skins to the boxes that left theirs, and adds their new neighbours to the lists.
    /// Returns the number of new pairs of a box in the group and a box outside it.
    fn add_neighbours(&mut self) -> usize {
        self.order.pass_frame();
        let Self { boxes, reader, trees, search, pairs, old_skins, .. } = self;
        let (escapes, group_has_moved) = (reader.escapes(), boxes.group().has_moved());
        if escapes.is_empty() && !group_has_moved {
            return 0;
        }
        boxes.renew_skins(escapes, old_skins);
        trees.update(boxes, escapes);
        search.add_of_escapes(escapes, old_skins, boxes, trees, pairs);
        if group_has_moved { search.add_between_group_and_others(boxes, trees, pairs) } else { 0 }
    }

    /// Compares the pairs in the lists.
    fn compare(&mut self, frame: &FrameInput<'_>, scope: Scope, changes: &mut Changes) {
        let Self { slots, moved, boxes, pairs, comparison, stats, .. } = self;
        stats.compared = match scope {
            Scope::All | Scope::Some => comparison.compare_all(frame, slots, boxes, pairs, changes),
            Scope::Few => {
                comparison.compare_some(frame, moved.items(), slots, boxes, pairs, changes)
            }
        };
    }

    /// Checks the invariants of all components, in time proportional to their size.
    ///
    /// # Panics
    /// If one of them is violated (a bug).
    fn validate(&self) {
        self.slots.validate();
        self.boxes.validate();
        self.trees.validate(&self.boxes);
        self.pairs.validate(&self.boxes);
        assert_eq!(self.boxes.tight().len(), self.slots.len(), "boxes and slots");
        assert_eq!(self.pairs.rows().slot_count(), self.slots.len(), "lists and slots");
    }
}

impl BroadPhase for Neighbours {
    fn update(
        &mut self,
        frame: &FrameInput<'_>,
        _: &mut Budget<'_>,
        changes: &mut Changes,
    ) -> Completeness {
        let boxes = match frame.moved {
            Moved::Only(items) if items.len() * ITEMS_PER_MOVED_FOR_WORKERS < self.slots.len() => 0,
            _ => frame.bounds.len().max(self.moved.count()),
        };
        // A worker that has to be woken misses most of the frame.
        let helpers = boxes / MIN_SLOTS_FOR_WORKERS;
        workers::keep_workers_awake(helpers, &mut || self.run_frame(frame, changes));
        if cfg!(debug_assertions) && self.slots.len() <= MAX_SLOTS_TO_VALIDATE {
            self.validate();
        }
        Completeness::Complete
    }

    fn pairs(&self, to: &mut Vec<Pair>) {
        let pairs = self.pairs.rows().overlapping();
        to.extend(pairs.map(|[low, high]| Pair::new(self.slots.item(low), self.slots.item(high))));
    }

    fn bytes(&self) -> usize {
        self.slots.bytes()
            + self.moved.bytes()
            + self.boxes.bytes()
            + self.reader.bytes()
            + self.trees.bytes()
            + self.search.bytes()
            + self.pair_search.bytes()
            + self.order.bytes()
            + self.pairs.bytes()
            + self.comparison.bytes()
            + size_of::<PackedBox>() * self.old_skins.capacity()
    }
}

/// Output of a worker, aligned so that the outputs of two workers are never on one cache line.
#[derive(Clone, Debug, Default)]
#[repr(align(128))]
struct Padded<T>(T);

/// The fewest batches that a worker takes at a time: all of them if there are few slots.
fn min_batches_per_worker(slots: usize) -> usize {
    if slots < MIN_SLOTS_FOR_WORKERS { usize::MAX } else { 1 }
}

/// Locks a value that only one worker uses at a time.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broad::BoxF32;
    use crate::broad::testing::agrees_with_the_oracle;
    use crate::math::Random;

    #[test]
    fn reports_what_the_oracle_does() {
        agrees_with_the_oracle(Neighbours::new, false);
    }

    /// Checks that every pair of overlapping skins is in the lists: the reason why no pair is
    /// missed as long as boxes stay in their skins. Pairs of a box in the group and one outside it
    /// are searched for in every frame, so they need not be complete.
    fn check_lists_are_complete(phase: &Neighbours) {
        let Neighbours { boxes, pairs, .. } = phase;
        let skins: Vec<BoxF32> = boxes.skins().iter().map(PackedBox::bounds).collect();
        for high in 0..skins.len() {
            for low in 0..high {
                let is_comparable = boxes.is_in_group(low) == boxes.is_in_group(high);
                if is_comparable && skins[low].overlaps(&skins[high]) {
                    assert!(pairs.contains(low as u32, high as u32), "{low} and {high}");
                }
            }
        }
    }

    /// Boxes that fall onto a heap, each stopping at its own height, some that rise through them,
    /// and a few that jump at random.
    #[test]
    fn boxes_that_move_together_form_a_group() {
        let around = |(at, half, _): &([f64; 3], f64, f64)| BoxF32 {
            min: at.map(|x| (x - half) as f32),
            max: at.map(|x| (x + half) as f32),
        };
        for (seed, count) in [(1, 40), (2, 400), (3, 900)] {
            let mut random = Random::new(seed);
            let side = f64::from(count).cbrt() * 1.2;
            let mut boxes: Vec<([f64; 3], f64, f64)> = (0..count)
                .map(|_| {
                    let at = [0; 3].map(|_| random.range(0.0, side));
                    ([at[0], at[1], 4.0 * at[2] + side], random.range(0.2, 1.0), at[2])
                })
                .collect();
            let (mut phase, mut oracle) = (Neighbours::new(), crate::broad::AllPairs::new());
            let (mut found, mut known) = (Changes::default(), Changes::default());
            let mut most = 0;
            for frame in 0..60 {
                let speed = 0.15 * f64::from(frame % 40);
                for (n, (at, _, rest)) in boxes.iter_mut().enumerate() {
                    match n % 20 {
                        0 => *at = [0; 3].map(|_| random.range(0.0, 2.0 * side)),
                        1 => at[2] += 0.3,
                        _ => at[2] = (at[2] - speed).max(*rest),
                    }
                    at[0] += random.range(-0.004, 0.004);
                }
                let bounds: Vec<BoxF32> = boxes.iter().map(around).collect();
                let few: Vec<u32> = (0..count as u32).filter(|n| n % 20 == 0).collect();
                let view = FrameInput { bounds: &bounds, oriented: None, moved: Moved::All };
                phase.update_unlimited(&view, &mut found);
                oracle.update_unlimited(&view, &mut known);
                found.sort();
                assert_eq!(found, known, "seed {seed}, frame {frame}");
                most = most.max(phase.stats().in_group);
                if count <= 400 {
                    check_lists_are_complete(&phase);
                }
                if frame % 7 == 0 {
                    let mut bounds = bounds.clone();
                    for n in few.iter().map(|n| *n as usize) {
                        boxes[n].1 += 0.25;
                        bounds[n] = around(&boxes[n]);
                    }
                    // Only these move.
                    let view =
                        FrameInput { bounds: &bounds, oriented: None, moved: Moved::Only(&few) };
                    phase.update_unlimited(&view, &mut found);
                    oracle.update_unlimited(&view, &mut known);
                    found.sort();
                    assert_eq!(found, known, "seed {seed}, frame {frame}, few");
                }
            }
            assert!(most > count as usize / 4, "{most} of {count} in the group");
        }
    }

    /// Boxes that leave any skin in every frame, so that one rebuild follows another; some are
    /// added, some removed, and all rest for a while.
    #[test]
    fn fast_boxes_cause_rebuilds() {
        let mut random = Random::new(8);
        let (mut phase, mut oracle) = (Neighbours::new(), crate::broad::AllPairs::new());
        let (mut found, mut known) = (Changes::default(), Changes::default());
        let mut flights: Vec<[[f64; 3]; 2]> = Vec::new();
        let mut rebuilds = 0;
        for frame in 0..80 {
            if frame % 11 == 0 {
                let one = || {
                    [
                        [0; 3].map(|_| random.range(0.0, 9.0)),
                        [0; 3].map(|_| random.range(-1.0, 1.0)),
                    ]
                };
                flights.extend(std::iter::repeat_with(one).take(60));
            }
            if frame % 17 == 16 {
                flights.truncate(flights.len() - 20);
            }
            for [at, speed] in flights.iter_mut().filter(|_| frame % 20 < 16) {
                for (x, v) in at.iter_mut().zip(speed) {
                    *x += *v;
                    *v = if (0.0..9.0).contains(x) { *v } else { -*v };
                }
            }
            let boxes = flights.iter().enumerate().map(|(n, [at, _])| match (n + frame) % 40 {
                0 => BoxF32::EMPTY,
                _ => BoxF32 { min: at.map(|x| x as f32), max: at.map(|x| (x + 0.9) as f32) },
            });
            let bounds: Vec<BoxF32> = boxes.collect();
            let view = FrameInput { bounds: &bounds, oriented: None, moved: Moved::All };
            phase.update_unlimited(&view, &mut found);
            oracle.update_unlimited(&view, &mut known);
            found.sort();
            assert_eq!(found, known, "frame {frame}");
            rebuilds += usize::from(phase.stats().rebuilt);
            check_lists_are_complete(&phase);
        }
        assert!((40..80).contains(&rebuilds), "{rebuilds}");
    }

    /// Sizes at which products of sizes and counts underflow in single precision.
    #[test]
    fn tiny_boxes_keep_their_skins() {
        let mut random = Random::new(5);
        let (mut phase, mut oracle) = (Neighbours::new(), crate::broad::AllPairs::new());
        let (mut found, mut known) = (Changes::default(), Changes::default());
        let mut places: Vec<[f64; 3]> =
            (0..300).map(|_| [0; 3].map(|_| random.range(0.0, 8.0))).collect();
        for frame in 0..60 {
            for place in &mut places {
                *place = place.map(|x| x + random.range(-0.05, 0.05));
            }
            let side = |x: f64| (x * 1e-35) as f32;
            let boxes =
                places.iter().map(|p| BoxF32 { min: p.map(side), max: p.map(|x| side(x + 1.0)) });
            let bounds: Vec<BoxF32> = boxes.collect();
            let view = FrameInput { bounds: &bounds, oriented: None, moved: Moved::All };
            phase.update_unlimited(&view, &mut found);
            oracle.update_unlimited(&view, &mut known);
            found.sort();
            assert_eq!(found, known, "frame {frame}");
        }
    }

    #[test]
    fn reports_what_the_oracle_does_with_oriented_boxes() {
        agrees_with_the_oracle(Neighbours::new, true);
    }
}
