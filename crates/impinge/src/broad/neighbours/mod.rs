//! The production broad phase: boxes with a skin, and lists of neighbours.
//!
//! Every box is given a skin, and the pairs whose boxes with skin overlap are kept as lists, as
//! molecular dynamics does (Verlet 1967). While boxes stay within their skins no other pair can
//! begin to overlap, so a frame is one pass over the lists. A box that leaves its skin gets a new
//! one, and its new neighbours are found in a [tree over the slots](layers). When many leave at
//! once, all pairs are found from scratch ([`columns`]). Motion that many have in common, as in a
//! fall, counts as [none](drift). What is reported is decided by the boxes themselves; the skins
//! only decide when to look.
//!
//! Boxes are kept in an order in which neighbours in space are neighbours in memory: a *slot* is a
//! place in that order.

mod adopt;
mod block;
mod columns;
mod compare;
mod drift;
mod fresh;
mod layers;
mod pairs;
mod read;
mod record;
mod search;
mod skin;

use std::sync::Mutex;

use super::lists::{List, Lists};
use super::{BroadPhase, Changes, Completeness, Frame, Moved, Pair};
use crate::crew;
use crate::pair::Budget;
use adopt::Crossing;
use columns::Columns;
use compare::Few;
use drift::Drift;
use fresh::Order;
use layers::Layers;
use pairs::Pairs;
use record::Turned;
use search::Search;
use skin::Skin;

/// Finding all from scratch costs as much as this many boxes leaving their skins, for each box
/// there is.
const FRESH: f32 = 0.5;
/// Building the tree over the slots, likewise.
const LAYERS: f32 = 0.02;
/// The item in slot zero.
const NOBODY: u32 = u32::MAX;
/// One box in so many is few.
const FEW: usize = 24;
/// From so many slots on, threads share the work.
const MANY: usize = 8192;

/// Lists of neighbours under boxes with skins: the fastest of the broad phases, for most of what
/// moves.
///
/// The skin adapts to how boxes move: wide enough that few leave it in a frame, narrow enough that
/// lists stay short. A box that moves further in a frame than the skin is wide has none.
///
/// ```
/// use impinge::broad::{Bounds, BroadPhase, Changes, Frame, Moved, Neighbours};
///
/// let mut boxes: Vec<Bounds> =
///     (0..1000).map(|i| Bounds { min: [i as f32, 0.0, 0.0], max: [i as f32 + 0.5, 1.0, 1.0] }).collect();
/// let (mut phase, mut changes) = (Neighbours::new(), Changes::default());
/// phase.update_unlimited(&Frame { bounds: &boxes, oriented: None, moved: Moved::All }, &mut changes);
/// assert!(changes.began.is_empty());
/// boxes[7].max[0] += 0.5;
/// phase.update_unlimited(&Frame { bounds: &boxes, oriented: None, moved: Moved::Only(&[7]) }, &mut changes);
/// assert_eq!((changes.began[0].a, changes.began[0].b), (7, 8));
/// ```
#[derive(Debug, Default)]
pub struct Neighbours {
    /// The slot of each item.
    slots: Vec<u32>,
    /// The item in each slot; slot zero is nobody's.
    items: Vec<u32>,
    /// The boxes, by slots.
    tight: Vec<Turned>,
    /// The same with their skins.
    fat: Vec<Turned>,
    /// For each slot its neighbours in higher slots.
    near: Pairs,
    /// For each slot the places of pairs in which it is the higher one, while `both_ways` is set.
    behind: Vec<List>,
    lists: Lists,
    both_ways: bool,
    /// Where the boxes with skins are, those adrift and the others, while `layered` is set.
    still: Layers,
    moving: Layers,
    layered: bool,
    /// Which slots are adrift: their boxes with skins are in coordinates that move.
    adrift: Vec<bool>,
    drift: Drift,
    /// New pairs of boxes adrift and others in this frame.
    crossed: usize,
    columns: Columns,
    portions: Vec<Portion>,
    /// One for each thread, and one for a caller that is no thread of the pool.
    searches: Vec<Mutex<Search>>,
    /// Slots of boxes that left their skins, with how they moved.
    escaped: Vec<u32>,
    /// The skins that these had before, or empty boxes.
    left: Vec<Turned>,
    /// Memory for what comes close to boxes adrift.
    crossing: Crossing,
    /// How many items there were.
    count: usize,
    few: Few,
    /// Items whose boxes are new in this frame, if not all may be.
    named: Vec<u32>,
    spare: Spare,
    order: Order,
    skin: Skin,
    stats: NeighbourStats,
}

/// What a portion of the slots has to say. No two share a cache line.
#[derive(Clone, Debug, Default)]
#[repr(align(128))]
struct Portion {
    /// As in [`Neighbours::escaped`].
    escaped: Vec<u32>,
    changes: Changes,
    /// New neighbours: two slots, the smaller first.
    adopted: Vec<[u32; 2]>,
}

/// Memory for a fresh start.
#[derive(Clone, Debug, Default)]
struct Spare {
    near: Pairs,
    items: Vec<u32>,
    boxes: Vec<Turned>,
    adrift: Vec<bool>,
    /// The new slot of each slot.
    ranks: Vec<u32>,
    order: Vec<u32>,
    large: Vec<u32>,
    lengths: Vec<u32>,
}

/// What the last frame took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NeighbourStats {
    /// The width of the skin.
    pub skin: f32,
    /// Boxes that left their skins.
    pub escaped: usize,
    /// Whether all was found from scratch.
    pub fresh: bool,
    /// Boxes that move together, whose skins move along.
    pub adrift: usize,
    /// Pairs in the lists that were compared, with free places.
    pub compared: usize,
}

impl Neighbours {
    /// Without items.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// What the last frame took.
    #[must_use]
    pub fn stats(&self) -> NeighbourStats {
        self.stats
    }

    /// Gives slots to new items.
    fn admit(&mut self, count: usize) {
        if self.items.is_empty() {
            self.push_slot(NOBODY);
        }
        while self.slots.len() < count {
            let item = self.slots.len() as u32;
            self.slots.push(self.items.len() as u32);
            self.push_slot(item);
        }
    }

    fn push_slot(&mut self, item: u32) {
        self.items.push(item);
        self.tight.push(Turned::EMPTY);
        self.fat.push(Turned::EMPTY);
        self.adrift.push(false);
        self.near.push_slot();
        if self.both_ways {
            self.behind.push(List::default());
        }
    }

    /// Whether finding all from scratch is less work than giving new skins to those who left
    /// theirs.
    fn is_fresh_better(&self) -> bool {
        let count = self.items.len() as f32;
        let layers = if self.layered { 0.0 } else { LAYERS * count };
        let escaped = self.escaped.len() as f32;
        escaped > 0.0 && escaped + layers > FRESH * count
    }

    /// One frame.
    fn follow(&mut self, frame: &Frame<'_>, changes: &mut Changes) {
        changes.clear();
        self.admit(frame.bounds.len());
        // Items that come or go with the length of the list need not be named.
        let (now, before) = (frame.bounds.len(), self.count);
        self.count = now;
        let mut named = std::mem::take(&mut self.named);
        named.clear();
        if let Moved::Only(items) = frame.moved {
            named.extend_from_slice(items);
            named.extend(now.min(before) as u32..now.max(before) as u32);
        }
        let all = matches!(frame.moved, Moved::All) || named.len() * 4 >= self.items.len();
        let some = (!all).then_some(&named[..]);
        // Lists are compared one by one for very few only: all of them in a row take less time
        // each.
        let few = some.filter(|items| items.len() * FEW < self.items.len());
        match some {
            Some(items) => self.read_some(frame, items),
            None => {
                self.feel(frame);
                self.read_all(frame);
            }
        }
        self.remember_fast();
        self.stats = NeighbourStats { skin: self.skin.width, ..NeighbourStats::default() };
        self.stats.escaped = self.escaped.len();
        self.stats.adrift = self.drift.members;
        if self.is_fresh_better() {
            self.stats.fresh = true;
            self.start_afresh(changes);
            self.compare_all(frame, changes);
        } else {
            self.order.age();
            self.adopt();
            match few {
                Some(items) => self.compare_some(frame, items, changes),
                None => self.compare_all(frame, changes),
            }
            self.purge();
        }
        self.skin.adapt(&self.stats, &self.tight);
        self.named = named;
    }

    /// How many portions of the work threads take at a time: all of them where there are few slots.
    fn sharing(&self) -> usize {
        if self.items.len() < MANY { usize::MAX } else { 1 }
    }
}

impl BroadPhase for Neighbours {
    fn name(&self) -> &'static str {
        "neighbours"
    }

    fn update(
        &mut self,
        frame: &Frame<'_>,
        _: &mut Budget<'_>,
        changes: &mut Changes,
    ) -> Completeness {
        // Who comes late because he slept is too late for most of a frame. A few that moved are not
        // shared.
        let boxes = match frame.moved {
            Moved::Only(items) if items.len() * 4 < self.items.len() => 0,
            _ => frame.bounds.len().max(self.count),
        };
        let helpers = boxes / MANY;
        crew::attend(helpers, || self.follow(frame, changes));
        Completeness::Complete
    }

    fn pairs(&self, to: &mut Vec<Pair>) {
        let of = |slot: u32| self.items[slot as usize];
        to.extend(self.near.overlapping().map(|[low, high]| Pair::new(of(low), of(high))));
    }

    fn bytes(&self) -> usize {
        let portions: usize = self.portions.iter().map(Portion::bytes).sum();
        let searches: usize = self.searches.iter().map(|search| lock(search).bytes()).sum();
        let spare = &self.spare;
        4 * (self.slots.capacity() + self.items.capacity() + self.escaped.capacity())
            + 4 * self.named.capacity()
            + self.few.bytes()
            + self.crossing.bytes()
            + size_of::<Turned>()
                * (self.tight.capacity() + self.fat.capacity() + self.left.capacity())
            + self.near.bytes()
            + size_of::<List>() * self.behind.capacity()
            + self.lists.bytes()
            + self.still.bytes()
            + self.moving.bytes()
            + self.adrift.capacity()
            + self.columns.bytes()
            + portions
            + searches
            + spare.near.bytes()
            + size_of::<Turned>() * spare.boxes.capacity()
            + 4 * (spare.items.capacity() + spare.ranks.capacity())
            + 4 * (spare.order.capacity() + spare.large.capacity() + spare.lengths.capacity())
    }
}

/// Locks what only one thread uses at a time.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

impl Portion {
    fn bytes(&self) -> usize {
        4 * self.escaped.capacity()
            + 8 * (self.changes.began.capacity() + self.changes.ended.capacity())
            + 8 * self.adopted.capacity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broad::Bounds;
    use crate::broad::testing::agrees_with_the_oracle;
    use crate::math::Random;

    #[test]
    fn reports_what_the_oracle_does() {
        agrees_with_the_oracle(Neighbours::new, false);
    }

    /// Boxes that fall onto a heap, each at its time, some that rise through them, and a few that
    /// go where they like.
    #[test]
    fn boxes_that_move_together_are_followed() {
        let around = |(at, half, _): &([f64; 3], f64, f64)| Bounds {
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
                let bounds: Vec<Bounds> = boxes.iter().map(around).collect();
                let few: Vec<u32> = (0..count as u32).filter(|n| n % 20 == 0).collect();
                let view = Frame { bounds: &bounds, oriented: None, moved: Moved::All };
                phase.update_unlimited(&view, &mut found);
                oracle.update_unlimited(&view, &mut known);
                found.sort();
                assert_eq!(found, known, "seed {seed}, frame {frame}");
                most = most.max(phase.stats().adrift);
                if frame % 7 == 0 {
                    let mut bounds = bounds.clone();
                    for n in few.iter().map(|n| *n as usize) {
                        boxes[n].1 += 0.25;
                        bounds[n] = around(&boxes[n]);
                    }
                    // Only a few move.
                    let view = Frame { bounds: &bounds, oriented: None, moved: Moved::Only(&few) };
                    phase.update_unlimited(&view, &mut found);
                    oracle.update_unlimited(&view, &mut known);
                    found.sort();
                    assert_eq!(found, known, "seed {seed}, frame {frame}, few");
                }
            }
            assert!(most > count as usize / 4, "{most} of {count} adrift");
        }
    }

    /// Boxes that leave any skin in every frame, so that one fresh start follows another; some
    /// come, some go, and all rest for a while.
    #[test]
    fn boxes_that_fly_are_found_from_scratch() {
        let mut random = Random::new(8);
        let (mut phase, mut oracle) = (Neighbours::new(), crate::broad::AllPairs::new());
        let (mut found, mut known) = (Changes::default(), Changes::default());
        let mut flights: Vec<[[f64; 3]; 2]> = Vec::new();
        let mut fresh = 0;
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
                0 => Bounds::EMPTY,
                _ => Bounds { min: at.map(|x| x as f32), max: at.map(|x| (x + 0.9) as f32) },
            });
            let bounds: Vec<Bounds> = boxes.collect();
            let view = Frame { bounds: &bounds, oriented: None, moved: Moved::All };
            phase.update_unlimited(&view, &mut found);
            oracle.update_unlimited(&view, &mut known);
            found.sort();
            assert_eq!(found, known, "frame {frame}");
            fresh += usize::from(phase.stats().fresh);
        }
        assert!((40..80).contains(&fresh), "{fresh}");
    }

    /// Sizes at which products of sizes and counts leave the range of `f32`.
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
                places.iter().map(|p| Bounds { min: p.map(side), max: p.map(|x| side(x + 1.0)) });
            let bounds: Vec<Bounds> = boxes.collect();
            let view = Frame { bounds: &bounds, oriented: None, moved: Moved::All };
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
