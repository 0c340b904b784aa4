//! The pairs of subtrees that are not decided: which one is opened next, and a bound of their
//! depth.

use crate::wide::Wide;

use super::super::node::Link;
use super::super::pairs::Pairs;
use super::super::traverse::{Query, Work};
use super::depth::BoxMap;

/// Openings of a search for the first hit that are all depth first, which finds nearly all hits.
const DEPTH_FIRST_STEPS: u64 = 64;

/// From there up to this number, one in [`STEPS_PER_OLD_PAIR`] opens the oldest pair; then every
/// second. So a hit is found at most that much later than depth first.
const FEW_OLD_PAIRS_STEPS: u64 = 2048;
const STEPS_PER_OLD_PAIR: u64 = 32;

/// When a generation has more children than this, no further old pairs are opened, so that the
/// lists of a search stay small.
pub(super) const MAX_GENERATION: usize = 1 << 14;

/// The boxes of all pairs of a generation are compared for the bound of the depth if it has at most
/// this many; otherwise only their sizes, in a search for the first hit.
const MAX_COMPARED_GENERATION: usize = 1 << 9;

/// If at most this many pairs of a generation remain when the number of openings is a power of two,
/// they are compared for the bound of the depth without being opened. This takes one to two
/// microseconds; longer with nothing in the caches, but it is rare: six times in 2048 openings.
const MAX_COMPARED_REST: usize = 1 << 8;

/// The open pairs of a search.
#[derive(Debug)]
pub(super) struct OpenPairs {
    /// The number of openings.
    pub(super) opened: u64,
    /// Whether only old pairs are opened.
    oldest_first: bool,
    /// The current generation; those before `oldest` are opened.
    current: Pairs,
    oldest: usize,
    /// Pairs of leaves to compare, and pairs to open that were found since: those found depth
    /// first, or all if only old pairs are opened.
    pub(super) found: Work,
    /// The children of old pairs, unless only such are opened.
    children: Pairs,
    /// The number of generations before the current one.
    pub(super) generation: u32,
    /// Whether the boxes of the current generation are compared for the bound of the depth.
    compares_boxes: bool,
    /// Upper bound of the depth of every open pair, in A's local unit.
    pub(super) depth: f64,
    /// The same for the descendants of the pairs of this generation that were opened.
    depth_of_children: f32,
}

impl Default for OpenPairs {
    fn default() -> Self {
        Self {
            opened: 0,
            oldest_first: false,
            current: Pairs::NONE,
            oldest: 0,
            found: Work::default(),
            children: Pairs::NONE,
            generation: 0,
            compares_boxes: true,
            depth: f64::INFINITY,
            depth_of_children: 0.0,
        }
    }
}

impl OpenPairs {
    /// Starts with the roots, if both trees have one.
    pub(super) fn start(&mut self, roots: Option<(Link, Link)>, depth_first: bool) {
        (self.opened, self.generation) = (0, 0);
        (self.oldest, self.current.count, self.children.count) = (0, 0, 0);
        (self.found.steps.count, self.found.leaves.count) = (0, 0);
        (self.depth, self.depth_of_children) = (f64::INFINITY, 0.0);
        (self.oldest_first, self.compares_boxes) = (!depth_first, true);
        if let Some((a, b)) = roots {
            self.found.add(a, b);
        }
        std::mem::swap(&mut self.current, &mut self.found.steps);
    }

    /// The number of pairs that remain to be opened.
    #[inline(always)]
    pub(super) fn count(&self) -> usize {
        self.current.count - self.oldest + self.found.steps.count + self.children.count
    }

    /// Calls `each` with every pair that remains to be opened, and every pair of leaves.
    pub(super) fn for_each(&self, each: &mut dyn FnMut(Link, Link)) {
        let lists = [&self.found.steps, &self.children, &self.found.leaves].map(|list| (list, 0));
        for (list, first) in [(&self.current, self.oldest)].into_iter().chain(lists) {
            for k in first..list.count {
                let (a, b) = list.get(k);
                each(a, b);
            }
        }
    }

    /// Whether all pairs of the current generation are opened.
    #[inline(always)]
    pub(super) fn is_generation_over(&self) -> bool {
        self.oldest == self.current.count
    }

    /// Starts the next generation: all pairs that remain. They are descendants of pairs of the last
    /// one.
    #[cold]
    #[inline(never)]
    pub(super) fn next_generation(&mut self) {
        self.depth = self.depth.min(f64::from(self.depth_of_children));
        self.depth_of_children = 0.0;
        self.generation += 1;
        // Those found depth first come after the others, so that they are opened next. They are
        // few: the pairs that wait in a search that is depth first.
        if self.children.count > 0 {
            self.children.append(&self.found.steps);
            std::mem::swap(&mut self.children, &mut self.current);
        } else {
            std::mem::swap(&mut self.found.steps, &mut self.current);
        }
        (self.oldest, self.found.steps.count, self.children.count) = (0, 0, 0);
        self.compares_boxes = self.current.count <= MAX_COMPARED_GENERATION;
        if self.oldest_first && !self.compares_boxes {
            // A search for all pairs opens every pair; bounds of large generations take too long.
            self.depth_of_children = f32::INFINITY;
        }
    }

    /// Whether the oldest pair is opened next, instead of the one found last.
    #[inline(always)]
    fn opens_oldest<const RANK: bool>(&self, max_generation: usize) -> bool {
        let oldest_first = !RANK || self.oldest_first;
        let turn = oldest_first
            || self.opened >= DEPTH_FIRST_STEPS
                && if self.opened < FEW_OLD_PAIRS_STEPS {
                    self.opened % STEPS_PER_OLD_PAIR == 0
                } else {
                    self.opened % 2 == 0
                };
        let list = if oldest_first { &self.found.steps } else { &self.children };
        turn && list.count <= max_generation
    }

    /// Opens the next pair of a generation that is not over; with `RANK` the likeliest
    /// first; otherwise the search is one that opens only old pairs.
    #[inline(always)]
    pub(super) fn open_next<W: Wide, const RANK: bool>(
        &mut self,
        query: &Query<'_>,
        map: &mut Option<BoxMap>,
        max_generation: usize,
    ) {
        let opens_oldest = self.opens_oldest::<RANK>(max_generation);
        self.opened += 1;
        if self.opened & (self.opened - 1) == 0 && self.opened >= DEPTH_FIRST_STEPS {
            self.compare_rest::<W>(query, map);
        }
        let step = if opens_oldest {
            let step = self.current.get(self.oldest);
            self.oldest += 1;
            if self.oldest < self.current.count {
                query.prefetch(self.current.get(self.oldest));
            }
            self.include_depth::<W, RANK>(query, map, step);
            step
        } else if let Some(step) = self.found.steps.pop() {
            if self.found.steps.count > 0 {
                query.prefetch(self.found.steps.get(self.found.steps.count - 1));
            }
            step
        } else {
            self.current.count -= 1;
            let step = self.current.get(self.current.count);
            if self.current.count > self.oldest {
                query.prefetch(self.current.get(self.current.count - 1));
            }
            self.include_depth::<W, RANK>(query, map, step);
            step
        };
        let goes_to_children = RANK && opens_oldest;
        if goes_to_children {
            std::mem::swap(&mut self.found.steps, &mut self.children);
        }
        query.step::<W, RANK>(step, &mut self.found);
        if goes_to_children {
            std::mem::swap(&mut self.found.steps, &mut self.children);
        }
    }

    /// Computes a bound of the depth of all open pairs, if few pairs of the generation remain.
    #[inline(always)]
    fn compare_rest<W: Wide>(&mut self, query: &Query<'_>, map: &mut Option<BoxMap>) {
        if self.current.count - self.oldest > MAX_COMPARED_REST {
            return;
        }
        let mut depth = self.depth_of_children;
        let map = map.get_or_insert_with(|| BoxMap::new(query.relative));
        for k in self.oldest..self.current.count {
            let (a, b) = self.current.get(k);
            let (a, b) = (query.tree_a.box_of(a), query.tree_b.box_of(b));
            let own = map.depth_of_boxes::<W>(&a, &b);
            depth = if own > depth { own } else { depth };
        }
        self.depth = self.depth.min(f64::from(depth));
    }

    /// Includes the depth of a pair of the current generation that is opened.
    #[inline(always)]
    fn include_depth<W: Wide, const RANK: bool>(
        &mut self,
        query: &Query<'_>,
        map: &mut Option<BoxMap>,
        (a, b): (Link, Link),
    ) {
        if !(self.compares_boxes || RANK) {
            return;
        }
        let (a, b) = (query.tree_a.box_of(a), query.tree_b.box_of(b));
        let depth = if self.compares_boxes {
            let map = map.get_or_insert_with(|| BoxMap::new(query.relative));
            map.depth_of_boxes::<W>(&a, &b)
        } else {
            query.relative.depth_of_sizes(&a, &b)
        };
        let known = &mut self.depth_of_children;
        *known = if depth > *known { depth } else { *known };
    }
}
