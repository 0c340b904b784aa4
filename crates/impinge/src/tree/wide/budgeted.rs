//! A first hit within a budget, or what is known when it is spent (Klosowski et al. 1998, section
//! 5.2.3; the bounds are derived in `docs/notes/maybe.md`).
//!
//! Two orders take turns: the likeliest pair, which leads to a hit if there is one, and the
//! deepest, which lowers the bound on the penetration if there is none. Either alone would have
//! taken half as many steps at least.

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
use super::traverse::{Pace, Query, Work};
use crate::tree::Within;

/// Whether the surfaces meet, as far as the budget allows to tell. `None` where
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
    let mut pace = Hurried::new(&overlaps, budget, total_depth);
    let mut first = First::default();
    dispatch::run(RunWithin { query: &query, roots, sink: &mut first, pace: &mut pace });
    if let Some((a, b)) = first.pair {
        return Some(Verdict::Intersecting((a, b)));
    }
    Some(pace.sum_up(&query))
}

/// The traversal, for whatever instructions there are.
struct RunWithin<'r, 'q, 'b, 'g> {
    query: &'q Query<'q>,
    roots: (Link, Link),
    sink: &'r mut First,
    pace: &'r mut Hurried<'q, 'b, 'g>,
}

impl dispatch::Task for RunWithin<'_, '_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Wide>(self) {
        self.query.run::<W, true>(&[self.roots], self.sink, self.pace);
    }
}

/// A pair that came up.
#[derive(Clone, Copy, Debug)]
struct Open {
    a: Link,
    b: Link,
    /// Steps from the roots.
    level: u32,
    /// How deep it may be.
    depth: f64,
    /// Whether that was asked for this pair, or is known from the one it came from.
    own: bool,
    /// Whether it is still to be decided.
    waits: bool,
}

/// A pair's number, ordered by how deep it may be.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Deep {
    depth: f64,
    pair: usize,
}

impl Eq for Deep {}

impl Ord for Deep {
    fn cmp(&self, other: &Self) -> Ordering {
        // Deepest first; ties go to the oldest.
        self.depth.total_cmp(&other.depth).then(other.pair.cmp(&self.pair))
    }
}

impl PartialOrd for Deep {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Which order is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    Likeliest,
    Deepest,
}

/// Corners of so many pairs are looked at for a bound of the distance: an answer that is late is of
/// no use.
const CORNERS: usize = 64;

/// As long as the budget lasts.
struct Hurried<'q, 'b, 'g> {
    overlaps: &'q Overlaps<'q>,
    budget: &'b mut Budget<'g>,
    total_depth: f64,
    pairs: Vec<Open>,
    /// The pairs in the two orders, the likeliest last; with some that wait no longer.
    likely: VecDeque<usize>,
    deep: BinaryHeap<Deep>,
    /// How many of those wait.
    waiting: usize,
    turn: Turn,
    /// The pair that was opened last.
    above: Option<usize>,
    over: bool,
}

impl<'q, 'b, 'g> Hurried<'q, 'b, 'g> {
    fn new(overlaps: &'q Overlaps<'q>, budget: &'b mut Budget<'g>, total_depth: f64) -> Self {
        Self {
            overlaps,
            budget,
            total_depth,
            pairs: Vec::new(),
            likely: VecDeque::new(),
            deep: BinaryHeap::new(),
            waiting: 0,
            turn: Turn::Deepest,
            above: None,
            over: false,
        }
    }

    /// Takes what the last step found.
    fn take(&mut self, steps: &mut Pairs) {
        let (level, depth) = self.above.map_or((0, self.total_depth), |above| {
            (self.pairs[above].level + 1, self.pairs[above].depth)
        });
        let start = self.pairs.len();
        for k in 0..std::mem::take(&mut steps.count) {
            let (a, b) = steps.get(k);
            self.pairs.push(Open { a, b, level, depth, own: false, waits: true });
        }
        if level >= self.budget.depth_limit() {
            return;
        }
        let new = start..self.pairs.len();
        self.waiting += new.len();
        self.deep.extend(new.clone().map(|pair| Deep { depth, pair }));
        // What is below the likeliest is likely; what is below the deepest has no claim to that.
        if self.turn == Turn::Likeliest {
            self.likely.extend(new);
        } else {
            for pair in new.rev() {
                self.likely.push_front(pair);
            }
        }
    }

    /// The likeliest pair that waits.
    fn likeliest(&mut self) -> Option<usize> {
        loop {
            let pair = self.likely.pop_back()?;
            if self.pairs[pair].waits {
                return Some(pair);
            }
        }
    }

    /// The deepest pair that waits, by its own depth. Those that turn out to be apart wait no
    /// longer.
    fn deepest(&mut self) -> Option<usize> {
        loop {
            let Deep { pair, .. } = self.deep.pop()?;
            let open = &mut self.pairs[pair];
            if !open.waits {
                continue;
            }
            if open.own {
                return Some(pair);
            }
            open.own = true;
            open.depth = open.depth.min(self.overlaps.of(open.a, open.b));
            if open.depth < 0.0 {
                open.waits = false;
                self.waiting -= 1;
            } else {
                self.deep.push(Deep { depth: open.depth, pair });
            }
        }
    }

    /// The answer, if there was no hit.
    fn sum_up(mut self, query: &Query<'_>) -> Within {
        // Pairs of leaves, and those below the depth limit, are in no order yet.
        self.deep.clear();
        self.waiting = 0;
        for (pair, open) in self.pairs.iter().enumerate().filter(|(_, open)| open.waits) {
            self.deep.push(Deep { depth: open.depth, pair });
            self.waiting += 1;
        }
        let Some(deepest) = self.deepest() else {
            return Verdict::Separated(0.0);
        };
        let (open_depth, open) = (self.pairs[deepest].depth, self.waiting);
        let mut known = Bounds { open_depth, open, ..Bounds::of_meshes(self.total_depth) };
        for open in self.pairs.iter().rev().filter(|open| open.waits).take(CORNERS) {
            let here = query.a.triangle(query.tree_a.some_triangle(open.a))[0];
            let there = query.b.triangle(query.tree_b.some_triangle(open.b))[0];
            known.include_points(here, query.pose.transform_point(there));
        }
        Verdict::Undecided(known)
    }
}

impl Pace for Hurried<'_, '_, '_> {
    fn next(&mut self, _: &Query<'_>, steps: &mut Pairs) -> Option<(Link, Link)> {
        self.take(steps);
        self.turn = if self.turn == Turn::Likeliest { Turn::Deepest } else { Turn::Likeliest };
        let next = if self.turn == Turn::Likeliest { self.likeliest() } else { self.deepest() }?;
        if !self.budget.step() {
            self.over = true;
            return None;
        }
        let open = &mut self.pairs[next];
        open.waits = false;
        self.waiting -= 1;
        self.above = Some(next);
        Some((open.a, open.b))
    }

    fn leaf_pair(&mut self) -> bool {
        self.over = self.over || !self.budget.step();
        !self.over
    }

    fn is_over(&self, steps: &Pairs) -> bool {
        self.over || self.waiting == 0 && steps.count == 0
    }

    fn end(&mut self, left: &mut Work) {
        self.take(&mut left.steps);
        self.above = None;
        self.take(&mut left.leaves);
    }
}

impl Tree {
    /// The number of a triangle below the link.
    fn some_triangle(&self, mut link: Link) -> usize {
        while !link.is_leaf() {
            link = self.nodes[link.index()].link[0];
        }
        self.leaves[link.index()].triangles[0] as usize
    }
}
