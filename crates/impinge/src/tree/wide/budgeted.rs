//! The first hit within a budget, or bounds when the budget is spent (Klosowski et al. 1998,
//! section 5.2.3; `docs/notes/maybe.md` derives the bounds).
//!
//! Two orders alternate: the likeliest pair, which leads to a hit if there is one, and the deepest,
//! which lowers the bound on the penetration if there is none. So the search takes at most twice as
//! many steps as the better order alone.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, VecDeque};

use crate::answer::{Bounds, Verdict};
use crate::budget::Budget;
use crate::math::Pose;
use crate::mesh::Mesh;
use crate::sink::First;
use crate::wide::{Wide, dispatch};

use super::Tree;
use super::node::Link;
use super::overlap::Overlaps;
use super::pairs::Pairs;
use super::traverse::{Query, Schedule, Work};
use crate::tree::Within;

/// Whether the surfaces meet, as far as the budget allows. `None` where
/// [`traverse`](super::traverse) returns false.
#[must_use]
pub(crate) fn first_within(
    a: (&Mesh, &Tree),
    b: (&Mesh, &Tree),
    pose: &Pose,
    budget: &mut Budget<'_>,
) -> Option<Within> {
    let query = Query::new(a, b, pose)?;
    let Some(roots) = query.roots() else {
        return Some(Verdict::Separated(f64::INFINITY));
    };
    let overlaps = Overlaps::new(&query);
    let total_depth = overlaps.of(roots.0, roots.1);
    if total_depth < 0.0 {
        return Some(Verdict::Separated(-total_depth));
    }
    let mut schedule = BudgetSchedule::new(&overlaps, budget, total_depth);
    let mut first = First::default();
    dispatch::run(RunWithin { query: &query, roots, sink: &mut first, schedule: &mut schedule });
    if let Some((a, b)) = first.pair {
        return Some(Verdict::Intersecting((a, b)));
    }
    Some(schedule.into_answer(&query))
}

/// The traversal, compiled for each backend.
struct RunWithin<'r, 'q, 'b, 'g> {
    query: &'q Query<'q>,
    roots: (Link, Link),
    sink: &'r mut First,
    schedule: &'r mut BudgetSchedule<'q, 'b, 'g>,
}

impl dispatch::Task for RunWithin<'_, '_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Wide>(self) {
        self.query.run::<W, true>(&[self.roots], self.sink, self.schedule);
    }
}

/// A pair that a step has found.
#[derive(Clone, Copy, Debug)]
struct Open {
    a: Link,
    b: Link,
    /// Number of steps on the path from the roots.
    level: u32,
    /// Upper bound of the penetration depth.
    depth: f64,
    /// Whether the depth was computed for this pair; otherwise it is that of the pair it came from.
    has_own_depth: bool,
    /// Whether the pair is undecided and not opened.
    is_open: bool,
}

/// A pair's index, ordered by depth.
#[derive(Clone, Copy, Debug, PartialEq)]
struct ByDepth {
    depth: f64,
    pair: usize,
}

impl Eq for ByDepth {}

impl Ord for ByDepth {
    fn cmp(&self, other: &Self) -> Ordering {
        // Deepest first; ties go to the oldest.
        self.depth.total_cmp(&other.depth).then(other.pair.cmp(&self.pair))
    }
}

impl PartialOrd for ByDepth {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The order that selects the next pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OpeningOrder {
    Likeliest,
    Deepest,
}

/// Maximum number of pairs whose corners are compared for an upper bound of the distance, so that
/// the answer is not late.
const MAX_CORNER_PAIRS: usize = 64;

/// Opens pairs in two alternating orders until the budget is spent.
struct BudgetSchedule<'q, 'b, 'g> {
    overlaps: &'q Overlaps<'q>,
    budget: &'b mut Budget<'g>,
    total_depth: f64,
    pairs: Vec<Open>,
    /// The pairs in the two orders, the likeliest last. They may contain pairs that are not open
    /// any more.
    likely: VecDeque<usize>,
    deep: BinaryHeap<ByDepth>,
    /// Number of open pairs.
    open_count: usize,
    order: OpeningOrder,
    /// The pair that was opened last, whose children the next call of `take` receives.
    parent: Option<usize>,
    /// Whether the budget is spent.
    budget_exhausted: bool,
}

impl<'q, 'b, 'g> BudgetSchedule<'q, 'b, 'g> {
    fn new(overlaps: &'q Overlaps<'q>, budget: &'b mut Budget<'g>, total_depth: f64) -> Self {
        Self {
            overlaps,
            budget,
            total_depth,
            pairs: Vec::new(),
            likely: VecDeque::new(),
            deep: BinaryHeap::new(),
            open_count: 0,
            order: OpeningOrder::Deepest,
            parent: None,
            budget_exhausted: false,
        }
    }

    /// Takes the pairs that the last step has found.
    fn take(&mut self, steps: &mut Pairs) {
        let (level, depth) = self.parent.map_or((0, self.total_depth), |parent| {
            (self.pairs[parent].level + 1, self.pairs[parent].depth)
        });
        let start = self.pairs.len();
        for k in 0..std::mem::take(&mut steps.count) {
            let (a, b) = steps.get(k);
            self.pairs.push(Open { a, b, level, depth, has_own_depth: false, is_open: true });
        }
        if level >= self.budget.depth_limit() {
            return;
        }
        let new = start..self.pairs.len();
        self.open_count += new.len();
        self.deep.extend(new.clone().map(|pair| ByDepth { depth, pair }));
        // Children of the likeliest pair are opened first in the likely order, children of the
        // deepest pair last.
        if self.order == OpeningOrder::Likeliest {
            self.likely.extend(new);
        } else {
            for pair in new.rev() {
                self.likely.push_front(pair);
            }
        }
    }

    /// The likeliest open pair.
    fn likeliest(&mut self) -> Option<usize> {
        loop {
            let pair = self.likely.pop_back()?;
            if self.pairs[pair].is_open {
                return Some(pair);
            }
        }
    }

    /// The deepest open pair, by its own depth. Pairs that turn out to be apart are closed.
    fn deepest(&mut self) -> Option<usize> {
        loop {
            let ByDepth { pair, .. } = self.deep.pop()?;
            let open = &mut self.pairs[pair];
            if !open.is_open {
                continue;
            }
            if open.has_own_depth {
                return Some(pair);
            }
            open.has_own_depth = true;
            open.depth = open.depth.min(self.overlaps.of(open.a, open.b));
            if open.depth < 0.0 {
                open.is_open = false;
                self.open_count -= 1;
            } else {
                self.deep.push(ByDepth { depth: open.depth, pair });
            }
        }
    }

    /// The answer if there was no hit.
    fn into_answer(mut self, query: &Query<'_>) -> Within {
        // Pairs of leaves, and pairs below the depth limit, are not in the heap yet.
        self.deep.clear();
        self.open_count = 0;
        for (pair, open) in self.pairs.iter().enumerate().filter(|(_, open)| open.is_open) {
            self.deep.push(ByDepth { depth: open.depth, pair });
            self.open_count += 1;
        }
        let Some(deepest) = self.deepest() else {
            return Verdict::Separated(0.0);
        };
        let (open_depth, open) = (self.pairs[deepest].depth, self.open_count);
        let mut known = Bounds { open_depth, open, ..Bounds::of_meshes(self.total_depth) };
        for open in self.pairs.iter().rev().filter(|open| open.is_open).take(MAX_CORNER_PAIRS) {
            let here = query.a.triangle(query.tree_a.some_triangle(open.a))[0];
            let there = query.b.triangle(query.tree_b.some_triangle(open.b))[0];
            known.include_points(here, query.pose.transform_point(there));
        }
        Verdict::Undecided(known)
    }
}

impl Schedule for BudgetSchedule<'_, '_, '_> {
    fn next(&mut self, _: &Query<'_>, steps: &mut Pairs) -> Option<(Link, Link)> {
        self.take(steps);
        self.order = if self.order == OpeningOrder::Likeliest {
            OpeningOrder::Deepest
        } else {
            OpeningOrder::Likeliest
        };
        let next =
            if self.order == OpeningOrder::Likeliest { self.likeliest() } else { self.deepest() }?;
        if !self.budget.step() {
            self.budget_exhausted = true;
            return None;
        }
        let open = &mut self.pairs[next];
        open.is_open = false;
        self.open_count -= 1;
        self.parent = Some(next);
        Some((open.a, open.b))
    }

    fn allows_leaf_pair(&mut self) -> bool {
        self.budget_exhausted = self.budget_exhausted || !self.budget.step();
        !self.budget_exhausted
    }

    fn is_over(&self, steps: &Pairs) -> bool {
        self.budget_exhausted || self.open_count == 0 && steps.count == 0
    }

    fn end(&mut self, remaining: &mut Work) {
        self.take(&mut remaining.steps);
        self.parent = None;
        self.take(&mut remaining.leaves);
    }
}

impl Tree {
    /// Any triangle below the link.
    fn some_triangle(&self, mut link: Link) -> usize {
        while !link.is_leaf() {
            link = self.nodes[link.index()].link[0];
        }
        self.leaves[link.index()].triangles[0] as usize
    }
}
