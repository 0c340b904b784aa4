//! Sweep and prune on three axes, with incremental sorting (Zachmann 1994, section 5.7; Cohen, Lin,
//! Manocha and Ponamgi: I-COLLIDE, 1995).
//!
//! The ends of all boxes are kept sorted on each axis. In a new frame they are nearly sorted, and
//! insertion sort needs few exchanges of neighbours. Two boxes start or stop overlapping only when
//! an end of one passes an end of the other; so the pairs to examine are those of exchanges of a
//! lower with an upper end.
//!
//! I-COLLIDE keeps three bits for every pair of bodies, in a table that grows with the square of
//! their number. Here the boxes themselves are compared at an exchange, and only overlapping pairs
//! are stored.

use crate::broad::{CandidatePairs, Movers};
use impinge::broad::{BoxF32, BroadPhase, Changes, Completeness, FrameInput, Pair};
use impinge::internals::Stamps;
use impinge::pair::Budget;

/// With more exchanges per end and axis in one update, sorting from scratch is cheaper.
const MAX_EXCHANGES_PER_END: usize = 24;

/// The size of a [`SweepAndPrune`], and the work of its last update.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SweepStats {
    /// Boxes that are not empty.
    pub boxes: usize,
    /// Exchanges of neighbours on the three axes.
    pub exchanges: usize,
    /// Comparisons of two boxes: after exchanges of a lower with an upper end, in sweeps, and for
    /// boxes that were added.
    pub compared: usize,
    /// Whether the ends were sorted from scratch, and all pairs found by a sweep along one axis.
    pub swept: bool,
    /// Pairs whose axis-aligned boxes overlap.
    pub candidates: usize,
}

/// A broad phase by sorting along the three axes. Best for slow motion of bodies that are not
/// crowded on any axis.
#[derive(Clone, Debug, Default)]
pub struct SweepAndPrune {
    axes: [Vec<End>; 3],
    /// The places of the ends of each item: by axis, then lower and upper.
    places: Vec<[[u32; 2]; 3]>,
    /// Whether `places` is current; updates that go through all ends do not maintain it.
    places_are_current: bool,
    is_present: Vec<bool>,
    movers: Movers,
    pairs: CandidatePairs,
    /// Items that were added in this frame; they are compared with all others, and their exchanges
    /// are ignored.
    is_added: Stamps,
    added: Vec<u32>,
    /// During a sweep: the items whose boxes contain the current coordinate.
    active: Vec<u32>,
    /// Whether the last frame had oriented boxes.
    oriented: bool,
    stats: SweepStats,
}

/// One end of a box on an axis, as a number that sorts by coordinate, then lower before upper, then
/// item. Closed boxes that touch overlap, so lower ends come first among equal coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct End(u64);

const UPPER: u64 = 1 << 31;

impl End {
    /// Numbers of items have 31 bits.
    #[inline]
    fn new(coordinate: f32, upper: bool, item: u32) -> Self {
        // Adding zero turns minus zero into zero. Then the bits of positive numbers are in the
        // order of the numbers, and those of negative ones in the opposite order.
        let bits = (coordinate + 0.0).to_bits();
        let key = if bits >> 31 == 0 { bits | 1 << 31 } else { !bits };
        Self(u64::from(key) << 32 | if upper { UPPER } else { 0 } | u64::from(item))
    }

    #[inline]
    fn item(self) -> u32 {
        (self.0 & (UPPER - 1)) as u32
    }

    #[inline]
    fn is_upper(self) -> bool {
        self.0 & UPPER != 0
    }

    /// The same end in another frame.
    #[inline]
    fn in_frame(self, axis: usize, bounds: &[BoxF32]) -> Self {
        let b = &bounds[self.item() as usize];
        let upper = self.is_upper();
        Self::new(if upper { b.max[axis] } else { b.min[axis] }, upper, self.item())
    }
}

/// Updates the pairs after exchanges.
struct Exchanges<'a> {
    frame: &'a FrameInput<'a>,
    pairs: &'a mut CandidatePairs,
    changes: &'a mut Changes,
    is_added: &'a Stamps,
    stats: &'a mut SweepStats,
}

impl Exchanges<'_> {
    /// Two ends were exchanged: `low` is below `high` now, and was above it before.
    ///
    /// The other ends of the boxes may not be sorted yet, so the boxes of the new frame are
    /// compared. If a pair changed, its ends have passed each other on some axis, once more in one
    /// direction than in the other; so the last change recorded for the pair is the right one.
    #[inline]
    fn pass(&mut self, low: End, high: End) {
        self.stats.exchanges += 1;
        let (a, b) = (low.item(), high.item());
        if low.is_upper() == high.is_upper()
            || a == b
            || self.is_added.has(a)
            || self.is_added.has(b)
        {
            return;
        }
        self.stats.compared += 1;
        let overlap = self.frame.of(a).overlaps(&self.frame.of(b));
        if low.is_upper() && !overlap {
            self.pairs.remove(Pair::new(a, b), self.changes);
        } else if overlap && !low.is_upper() {
            let all = self.frame.overlap(a, b);
            self.pairs.add(Pair::new(a, b), all, self.changes);
        }
    }
}

impl SweepAndPrune {
    /// Without items.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of boxes and candidates, and the work of the last update.
    #[must_use]
    pub fn stats(&self) -> SweepStats {
        SweepStats { boxes: self.axes[0].len() / 2, candidates: self.pairs.len(), ..self.stats }
    }

    /// Removes the ends of absent items, and adds those of new items.
    fn add_and_remove_ends(&mut self, frame: &FrameInput<'_>, movers: &Movers) {
        self.is_added.clear();
        self.added.clear();
        let mut gone = false;
        for &item in movers.items() {
            let is = !frame.of(item).is_empty();
            let was = std::mem::replace(&mut self.is_present[item as usize], is);
            gone |= was && !is;
            if is && !was {
                self.is_added.mark(item);
                self.added.push(item);
            }
        }
        if !gone && self.added.is_empty() {
            return;
        }
        self.places_are_current = false;
        for (axis, ends) in self.axes.iter_mut().enumerate() {
            if gone {
                ends.retain(|e| self.is_present[e.item() as usize]);
            }
            if self.added.is_empty() {
                continue;
            }
            // The old ends are in the order of the last frame; a few new ones are inserted by
            // binary search.
            let old = ends.len();
            for &item in &self.added {
                let b = frame.of(item);
                ends.push(End::new(b.min[axis], false, item));
                ends.push(End::new(b.max[axis], true, item));
            }
            if self.added.len() <= 4 {
                for new in old..ends.len() {
                    let end = ends[new];
                    let at = ends[..new].partition_point(|e| *e < end);
                    ends[at..=new].rotate_right(1);
                }
            } else {
                ends.sort_unstable();
            }
        }
    }

    /// Sorts all ends by insertion. Returns false if that takes too long; then all ends are
    /// present, but not sorted.
    fn sort_all(&mut self, axis: usize, frame: &FrameInput<'_>, changes: &mut Changes) -> bool {
        let Self { axes, pairs, is_added, stats, .. } = self;
        let ends = &mut axes[axis];
        for end in ends.iter_mut() {
            *end = end.in_frame(axis, frame.bounds);
        }
        let limit = stats.exchanges + MAX_EXCHANGES_PER_END * ends.len() + 1000;
        let mut exchanges = Exchanges { frame, pairs, changes, is_added, stats };
        for i in 1..ends.len() {
            let end = ends[i];
            let mut at = i;
            while at > 0 && ends[at - 1] > end {
                exchanges.pass(end, ends[at - 1]);
                ends[at] = ends[at - 1];
                at -= 1;
            }
            ends[at] = end;
            if exchanges.stats.exchanges > limit {
                return false;
            }
        }
        true
    }

    /// Moves the ends of a few items to their places, one after the other. Returns false if that
    /// takes too long.
    fn sort_movers(
        &mut self,
        frame: &FrameInput<'_>,
        movers: &Movers,
        changes: &mut Changes,
    ) -> bool {
        let limit = MAX_EXCHANGES_PER_END * self.places.len() + 1000;
        if !self.places_are_current {
            for (axis, ends) in self.axes.iter().enumerate() {
                for (at, end) in ends.iter().enumerate() {
                    self.places[end.item() as usize][axis][usize::from(end.is_upper())] = at as u32;
                }
            }
            self.places_are_current = true;
        }
        let Self { axes, places, pairs, is_added, stats, is_present, .. } = self;
        let mut exchanges = Exchanges { frame, pairs, changes, is_added, stats };
        for &item in movers.items().iter().filter(|i| is_present[**i as usize]) {
            for (axis, ends) in axes.iter_mut().enumerate() {
                for side in 0..2 {
                    let mut at = places[item as usize][axis][side] as usize;
                    let end = ends[at].in_frame(axis, frame.bounds);
                    let mut settle = |at: usize, end: End| {
                        places[end.item() as usize][axis][usize::from(end.is_upper())] = at as u32;
                    };
                    while at > 0 && ends[at - 1] > end {
                        exchanges.pass(end, ends[at - 1]);
                        ends[at] = ends[at - 1];
                        settle(at, ends[at]);
                        at -= 1;
                    }
                    while at + 1 < ends.len() && ends[at + 1] < end {
                        exchanges.pass(ends[at + 1], end);
                        ends[at] = ends[at + 1];
                        settle(at, ends[at]);
                        at += 1;
                    }
                    ends[at] = end;
                    settle(at, end);
                }
                if exchanges.stats.exchanges > limit {
                    return false;
                }
            }
        }
        true
    }

    /// Compares the added items with all others.
    fn compare_added(&mut self, frame: &FrameInput<'_>, changes: &mut Changes) {
        for &item in &self.added {
            let own = frame.of(item);
            for (other, bounds) in frame.bounds.iter().enumerate() {
                if own.overlaps(bounds) && other != item as usize {
                    let pair = Pair::new(item, other as u32);
                    self.pairs.add(pair, frame.overlap(pair.a, pair.b), changes);
                }
            }
            self.stats.compared += frame.bounds.len();
        }
    }

    /// Sorts from scratch, and finds all pairs by a sweep along the axis with the fewest
    /// comparisons.
    fn sweep(&mut self, frame: &FrameInput<'_>, changes: &mut Changes) {
        self.places_are_current = false;
        self.stats.swept = true;
        let mut best = (usize::MAX, 0);
        for (axis, ends) in self.axes.iter_mut().enumerate() {
            for end in ends.iter_mut() {
                *end = end.in_frame(axis, frame.bounds);
            }
            ends.sort_unstable();
            let (mut open, mut work) = (0, 0);
            for end in &*ends {
                if end.is_upper() {
                    open -= 1;
                } else {
                    work += open;
                    open += 1;
                }
            }
            best = best.min((work, axis));
        }
        // The insertion sort may have been stopped before it reached a pair that has ended.
        self.pairs.remove_disjoint(frame.bounds, changes);
        self.active.clear();
        for end in &self.axes[best.1] {
            let item = end.item();
            if end.is_upper() {
                let place = self.active.iter().position(|i| *i == item);
                place.map(|k| self.active.swap_remove(k));
                continue;
            }
            let own = frame.of(item);
            for &other in &self.active {
                if own.overlaps(&frame.bounds[other as usize]) {
                    let pair = Pair::new(item, other);
                    self.pairs.add(pair, frame.overlap(pair.a, pair.b), changes);
                }
            }
            self.active.push(item);
        }
        self.stats.compared += best.0;
    }
}

impl BroadPhase for SweepAndPrune {
    fn update(
        &mut self,
        frame: &FrameInput<'_>,
        _: &mut Budget<'_>,
        changes: &mut Changes,
    ) -> Completeness {
        changes.clear();
        self.movers.gather(frame);
        let movers = std::mem::take(&mut self.movers);
        if self.is_present.len() < movers.count() {
            self.is_present.resize(movers.count(), false);
            self.places.resize(movers.count(), [[0; 2]; 3]);
            self.pairs.reserve(movers.count());
            self.is_added.reserve(movers.count());
        }
        self.stats = SweepStats::default();
        // Pairs are kept while the axis-aligned boxes overlap. With oriented boxes, all pairs of
        // movers have to be compared in every frame; without, only after items were removed.
        let oriented = frame.oriented.is_some();
        let before = self.axes[0].len();
        self.add_and_remove_ends(frame, &movers);
        let gone = before + 2 * self.added.len() != self.axes[0].len();
        if oriented || gone || self.oriented {
            let near = |p: Pair| frame.of(p.a).overlaps(&frame.of(p.b));
            self.pairs.refresh(frame, &movers, changes, near);
        }
        self.oriented = oriented;
        let swept = self.added.len() * 8 > self.axes[0].len();
        let is_sorted = !swept
            && if movers.are_many() {
                self.places_are_current = false;
                (0..3).all(|axis| self.sort_all(axis, frame, changes))
            } else {
                self.sort_movers(frame, &movers, changes)
            };
        if is_sorted {
            self.compare_added(frame, changes);
        } else {
            self.sweep(frame, changes);
        }
        self.movers = movers;
        Completeness::Complete
    }

    fn pairs(&self, to: &mut Vec<Pair>) {
        self.pairs.reported(to);
    }

    fn bytes(&self) -> usize {
        self.axes.iter().map(|a| a.capacity() * size_of::<End>()).sum::<usize>()
            + self.places.capacity() * size_of::<[[u32; 2]; 3]>()
            + self.is_present.capacity()
            + self.movers.bytes()
            + self.pairs.bytes()
            + self.is_added.bytes()
            + (self.added.capacity() + self.active.capacity()) * size_of::<u32>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::broad::Moved;
    use impinge::internals::broad::testing::{agrees_with_the_oracle, memory_stops_growing};

    #[test]
    fn matches_the_oracle() {
        agrees_with_the_oracle(SweepAndPrune::new, false);
        agrees_with_the_oracle(SweepAndPrune::new, true);
    }

    #[test]
    fn repeated_frames_allocate_nothing() {
        memory_stops_growing(SweepAndPrune::new);
    }

    #[test]
    fn ends_sort_by_coordinate_then_lower_first() {
        let values = [f32::NEG_INFINITY, -1e38, -1.0, -1e-45, 0.0, 1e-45, 1.0, 1e38, f32::INFINITY];
        for pair in values.windows(2) {
            assert!(End::new(pair[0], true, 9) < End::new(pair[1], false, 3));
        }
        assert_eq!(End::new(-0.0, false, 1), End::new(0.0, false, 1));
        assert!(End::new(0.0, false, 7) < End::new(-0.0, true, 2));
        let end = End::new(-3.5, true, 1 << 30);
        assert!(end.is_upper() && end.item() == 1 << 30);
    }

    fn row(shift: f32) -> Vec<BoxF32> {
        let at = |i: u16| f32::from(i) * 2.0 + if i % 2 == 0 { shift } else { 0.0 };
        (0..200).map(|i| BoxF32 { min: [at(i); 3], max: [at(i) + 1.0; 3] }).collect()
    }

    #[test]
    fn slow_motion_takes_exchanges_and_a_jump_of_all_boxes_a_new_sort() {
        let (mut phase, mut changes) = (SweepAndPrune::new(), Changes::default());
        let mut update = |boxes: &[BoxF32], moved: Moved<'_>| {
            phase.update_unlimited(
                &FrameInput { bounds: boxes, oriented: None, moved },
                &mut changes,
            );
            (phase.stats(), changes.began.len(), changes.ended.len())
        };
        let (stats, began, _) = update(&row(0.0), Moved::All);
        assert!(stats.swept && stats.boxes == 200 && began == 0);
        let (stats, began, _) = update(&row(1.5), Moved::All);
        assert_eq!((stats.swept, stats.exchanges, began), (false, 300, 100));
        assert_eq!(stats.candidates, 100);
        let (stats, _, ended) = update(&row(0.0), Moved::All);
        assert_eq!((stats.exchanges, ended), (300, 100));
        let mut reversed = row(0.0);
        reversed.reverse();
        let (stats, began, ended) = update(&reversed, Moved::All);
        assert_eq!((stats.swept, began, ended), (true, 0, 0));
        // One item moves past a few others: one exchange for each end that it passes.
        reversed[100] = reversed[103];
        let (stats, began, _) = update(&reversed, Moved::Only(&[100, 100]));
        assert!(!stats.swept && began == 1 && stats.exchanges <= 3 * 2 * 6, "{stats:?}");
    }
}
