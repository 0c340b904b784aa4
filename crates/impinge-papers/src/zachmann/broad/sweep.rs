//! Sweep and prune on three axes, with sorting that uses what was sorted before (Zachmann 1994,
//! section 5.7; Cohen, Lin, Manocha and Ponamgi: I-COLLIDE, 1995).
//!
//! The ends of all boxes are kept in order on each axis. In a new frame they are nearly in order,
//! and a sort by insertion mends that by few exchanges of neighbours. Two boxes begin to overlap,
//! or cease to, only when an end of one passes an end of the other; each exchange of a lower with
//! an upper end is therefore looked at, and only these.
//!
//! I-COLLIDE keeps three bits for every pair of bodies. That is a table that grows with the square
//! of their number; instead an exchange here asks the boxes themselves, and only pairs that overlap
//! are kept.

use impinge::broad::{Bounds, BroadPhase, Changes, Completeness, Frame, Pair};
use impinge::internals::broad::Movers;
use impinge::internals::broad::PairSet;
use impinge::internals::broad::Stamps;
use impinge::pair::Budget;

/// Exchanges per end and axis in one update, above which sorting anew is cheaper.
const PATIENCE: usize = 24;

/// What a [`SweepAndPrune`] did in its last update, and what it holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SweepStats {
    /// Boxes that are there.
    pub boxes: usize,
    /// Exchanges of neighbours on the three axes.
    pub exchanges: usize,
    /// Exchanges of a lower with an upper end, for which two boxes were compared, and comparisons
    /// of sweeps and of boxes that came.
    pub compared: usize,
    /// Whether the ends were sorted anew, and all pairs found by a sweep along one axis.
    pub swept: bool,
    /// Pairs whose axis-aligned boxes overlap.
    pub candidates: usize,
}

/// A broad phase by sorting along the three axes. Best for slow motion of bodies that do not crowd
/// on any axis.
#[derive(Clone, Debug, Default)]
pub struct SweepAndPrune {
    axes: [Vec<End>; 3],
    /// Where the ends of each item are: by axis, then lower and upper.
    places: Vec<[[u32; 2]; 3]>,
    /// Whether `places` is as it should be; an update that goes through all ends does not keep it
    /// up.
    placed: bool,
    here: Vec<bool>,
    movers: Movers,
    pairs: PairSet,
    /// Items that came in this frame; they are compared with all others, and their exchanges do not
    /// matter.
    came: Stamps,
    newcomers: Vec<u32>,
    active: Vec<u32>,
    oriented: bool,
    stats: SweepStats,
}

/// One end of a box on an axis, as a number in the order of the ends: coordinate, lower before
/// upper, item. Closed boxes that touch overlap, so of ends in the same place the lower ones come
/// first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct End(u64);

const UPPER: u64 = 1 << 31;

impl End {
    /// Items are numbered by 31 bits.
    #[inline]
    fn new(coordinate: f32, upper: bool, item: u32) -> Self {
        // Adding zero makes of minus zero zero. Then the bits of positive numbers are in order, and
        // those of negative ones in the opposite order.
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
    fn moved(self, axis: usize, bounds: &[Bounds]) -> Self {
        let b = &bounds[self.item() as usize];
        let upper = self.is_upper();
        Self::new(if upper { b.max[axis] } else { b.min[axis] }, upper, self.item())
    }
}

/// What exchanges do to the pairs.
struct Exchanges<'a> {
    frame: &'a Frame<'a>,
    pairs: &'a mut PairSet,
    changes: &'a mut Changes,
    came: &'a Stamps,
    stats: &'a mut SweepStats,
}

impl Exchanges<'_> {
    /// An end has passed another one on its way down: now `low` is below `high`, and before it was
    /// above.
    ///
    /// The other end may yet move, so the boxes of the new frame decide. Of a pair that changed,
    /// the ends have passed each other on some axis, once more in one direction than in the other;
    /// so the last word on it is the right one.
    #[inline]
    fn pass(&mut self, low: End, high: End) {
        self.stats.exchanges += 1;
        let (a, b) = (low.item(), high.item());
        if low.is_upper() == high.is_upper() || a == b || self.came.has(a) || self.came.has(b) {
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

    /// What it holds, and what the last update cost.
    #[must_use]
    pub fn stats(&self) -> SweepStats {
        SweepStats { boxes: self.axes[0].len() / 2, candidates: self.pairs.len(), ..self.stats }
    }

    /// Takes out the ends of what is gone, and puts in those of what came, anywhere.
    fn come_and_go(&mut self, frame: &Frame<'_>, movers: &Movers) {
        self.came.clear();
        self.newcomers.clear();
        let mut gone = false;
        for &item in movers.items() {
            let is = !frame.of(item).is_empty();
            let was = std::mem::replace(&mut self.here[item as usize], is);
            gone |= was && !is;
            if is && !was {
                self.came.mark(item);
                self.newcomers.push(item);
            }
        }
        if !gone && self.newcomers.is_empty() {
            return;
        }
        self.placed = false;
        for (axis, ends) in self.axes.iter_mut().enumerate() {
            if gone {
                ends.retain(|e| self.here[e.item() as usize]);
            }
            if self.newcomers.is_empty() {
                continue;
            }
            // The old ends are in the order of the last frame; a few new ones are put in between,
            // each by a search.
            let old = ends.len();
            for &item in &self.newcomers {
                let b = frame.of(item);
                ends.push(End::new(b.min[axis], false, item));
                ends.push(End::new(b.max[axis], true, item));
            }
            if self.newcomers.len() <= 4 {
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

    /// Sorts by insertion all ends, whose boxes may all have moved. False if that takes too long;
    /// then all ends are there, but not in order.
    fn mend(&mut self, axis: usize, frame: &Frame<'_>, changes: &mut Changes) -> bool {
        let Self { axes, pairs, came, stats, .. } = self;
        let ends = &mut axes[axis];
        for end in ends.iter_mut() {
            *end = end.moved(axis, frame.bounds);
        }
        let limit = stats.exchanges + PATIENCE * ends.len() + 1000;
        let mut exchanges = Exchanges { frame, pairs, changes, came, stats };
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

    /// Moves the ends of a few items to their places, one after the other. False if that takes too
    /// long.
    fn mend_few(&mut self, frame: &Frame<'_>, movers: &Movers, changes: &mut Changes) -> bool {
        let limit = PATIENCE * self.places.len() + 1000;
        if !self.placed {
            for (axis, ends) in self.axes.iter().enumerate() {
                for (at, end) in ends.iter().enumerate() {
                    self.places[end.item() as usize][axis][usize::from(end.is_upper())] = at as u32;
                }
            }
            self.placed = true;
        }
        let Self { axes, places, pairs, came, stats, here, .. } = self;
        let mut exchanges = Exchanges { frame, pairs, changes, came, stats };
        for &item in movers.items().iter().filter(|i| here[**i as usize]) {
            for (axis, ends) in axes.iter_mut().enumerate() {
                for side in 0..2 {
                    let mut at = places[item as usize][axis][side] as usize;
                    let end = ends[at].moved(axis, frame.bounds);
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

    /// Compares those that came with all others.
    fn welcome(&mut self, frame: &Frame<'_>, changes: &mut Changes) {
        for &item in &self.newcomers {
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

    /// Sorts anew, and finds all pairs by a sweep along the axis where that takes the fewest
    /// comparisons.
    fn sweep(&mut self, frame: &Frame<'_>, changes: &mut Changes) {
        self.placed = false;
        self.stats.swept = true;
        let mut best = (usize::MAX, 0);
        for (axis, ends) in self.axes.iter_mut().enumerate() {
            for end in ends.iter_mut() {
                *end = end.moved(axis, frame.bounds);
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
        // A pair that is no more may have been passed over when the insertion was given up.
        self.pairs.drop_apart(frame.bounds, changes);
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
    fn name(&self) -> &'static str {
        "sweep and prune"
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
        if self.here.len() < movers.count() {
            self.here.resize(movers.count(), false);
            self.places.resize(movers.count(), [[0; 2]; 3]);
            self.pairs.reserve(movers.count());
            self.came.reserve(movers.count());
        }
        self.stats = SweepStats::default();
        // Pairs are kept while the axis-aligned boxes overlap. With oriented boxes each has to be
        // looked at in every frame, without only those of what is gone.
        let oriented = frame.oriented.is_some();
        let before = self.axes[0].len();
        self.come_and_go(frame, &movers);
        let gone = before + 2 * self.newcomers.len() != self.axes[0].len();
        if oriented || gone || self.oriented {
            let near = |p: Pair| frame.of(p.a).overlaps(&frame.of(p.b));
            self.pairs.refresh(frame, &movers, changes, near);
        }
        self.oriented = oriented;
        let swept = self.newcomers.len() * 8 > self.axes[0].len();
        let mended = !swept
            && if movers.are_many() {
                self.placed = false;
                (0..3).all(|axis| self.mend(axis, frame, changes))
            } else {
                self.mend_few(frame, &movers, changes)
            };
        if mended {
            self.welcome(frame, changes);
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
            + self.here.capacity()
            + self.movers.bytes()
            + self.pairs.bytes()
            + self.came.bytes()
            + (self.newcomers.capacity() + self.active.capacity()) * size_of::<u32>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::broad::Moved;
    use impinge::internals::broad::testing::{agrees_with_the_oracle, grows_no_more};

    #[test]
    fn agrees() {
        agrees_with_the_oracle(SweepAndPrune::new, false);
        agrees_with_the_oracle(SweepAndPrune::new, true);
    }

    #[test]
    fn steady_frames_take_no_memory() {
        grows_no_more(SweepAndPrune::new);
    }

    #[test]
    fn ends_are_in_the_order_of_their_coordinates_lower_first() {
        let values = [f32::NEG_INFINITY, -1e38, -1.0, -1e-45, 0.0, 1e-45, 1.0, 1e38, f32::INFINITY];
        for pair in values.windows(2) {
            assert!(End::new(pair[0], true, 9) < End::new(pair[1], false, 3));
        }
        assert_eq!(End::new(-0.0, false, 1), End::new(0.0, false, 1));
        assert!(End::new(0.0, false, 7) < End::new(-0.0, true, 2));
        let end = End::new(-3.5, true, 1 << 30);
        assert!(end.is_upper() && end.item() == 1 << 30);
    }

    fn row(shift: f32) -> Vec<Bounds> {
        let at = |i: u16| f32::from(i) * 2.0 + if i % 2 == 0 { shift } else { 0.0 };
        (0..200).map(|i| Bounds { min: [at(i); 3], max: [at(i) + 1.0; 3] }).collect()
    }

    #[test]
    fn slow_motion_costs_exchanges_and_a_jump_of_all_a_new_sort() {
        let (mut phase, mut changes) = (SweepAndPrune::new(), Changes::default());
        let mut update = |boxes: &[Bounds], moved: Moved<'_>| {
            phase.update_unlimited(&Frame { bounds: boxes, oriented: None, moved }, &mut changes);
            (phase.stats(), changes.began.len(), changes.ended.len())
        };
        let (stats, began, _) = update(&row(0.0), Moved::All);
        assert!(stats.swept && stats.boxes == 200 && began == 0);
        let (stats, began, _) = update(&row(1.5), Moved::All);
        assert_eq!((stats.swept, stats.exchanges, began), (false, 300, 100));
        assert_eq!(stats.candidates, 100);
        let (stats, _, ended) = update(&row(0.0), Moved::All);
        assert_eq!((stats.exchanges, ended), (300, 100));
        let mut turned = row(0.0);
        turned.reverse();
        let (stats, began, ended) = update(&turned, Moved::All);
        assert_eq!((stats.swept, began, ended), (true, 0, 0));
        // One item over a few others: as many exchanges as ends it passes.
        turned[100] = turned[103];
        let (stats, began, _) = update(&turned, Moved::Only(&[100, 100]));
        assert!(!stats.swept && began == 1 && stats.exchanges <= 3 * 2 * 6, "{stats:?}");
    }
}
