//! Simultaneous traversal of two trees from the roots down (Klosowski et al. 1998, section 4.2;
//! Zachmann 1994, section 3.6.1).
//!
//! The calls, from a query to the integers:
//!
//! ```text
//! pair::intersects, first_hit, all_pairs    pair/mod.rs
//!   pair::first_pair, pair::traverse        pair/mod.rs: chooses the trees, or pair/sweep.rs
//!     tree::traverse                        here
//!       pairs of nodes                      two_nodes.rs: boxes and discs, in f32
//!       pairs of leaves                     triangles.rs: eight by eight, in f32
//!         exact::triangles_intersect        exact/triangle.rs, for what f32 leaves open
//!           quick::crossing                 exact/quick.rs: f64, one error bound for all signs
//!           triangle::intersect             exact/orient.rs: filter, expansions, integers
//! ```
//!
//! Pairs of leaves are collected and compared in batches. If the sink stops at the first pair, the
//! likeliest pair of children is opened first; otherwise the order is that of the prefetches.

use std::cell::Cell;
use std::ops::ControlFlow;

use crate::exact::triangles_intersect;
use crate::math::{Pose, Vec3};
use crate::mesh::Mesh;
use crate::sink::{First, Sink};
use crate::wide::{Wide, Wide3, dispatch, prefetch};

use super::disc::WideDiscs;
use super::leaf::Leaf;
use super::node::{Link, Node};
use super::pairs::Pairs;
use super::relative::{Map, Relative};
use super::triangles::{compare, near_box};
use super::two_nodes::likeliest;
use super::{LEAF_PAIRS_PER_BATCH, MAX_SIZE_RATIO, Tree};

/// Number of pairs of leaves between the prefetched pair and the one that is compared.
pub(super) const PREFETCH_PAIRS: usize = 4;

/// The first batches are smaller: a batch is compared when it has more pairs than were compared
/// before, divided by this. So a first hit does not wait for pairs that it does not need.
pub(super) const BATCH_GROWTH_DIVISOR: usize = 4;

/// Two meshes with their trees, and the pose of B in A's frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Query<'a> {
    pub(super) a: &'a Mesh,
    pub(super) b: &'a Mesh,
    pub(super) tree_a: &'a Tree,
    pub(super) tree_b: &'a Tree,
    pub(super) pose: &'a Pose,
    pub(super) relative: &'a Relative,
}

/// Sends every pair of triangles that share a point to `sink`. `pose` is the pose of B in A's
/// frame. The trees must be those of the meshes.
///
/// Returns false without doing anything if one mesh is a million times smaller than the other or
/// than the distance between them, which exceeds the precision of `f32`;
/// [`pair::traverse`](crate::pair::traverse) then uses another method.
#[must_use]
pub fn traverse(a: (&Mesh, &Tree), b: (&Mesh, &Tree), pose: &Pose, sink: &mut dyn Sink) -> bool {
    let Some(relative) = Relative::new(a.1, b.1, pose) else {
        return false;
    };
    let query = Query::new(a, b, pose, &relative);
    if let Some(roots) = query.roots() {
        dispatch::run(Traversal { query: &query, start: &[roots], sink, steps: usize::MAX });
    }
    true
}

/// Two triangles that share a point, if a few steps find any: the pair that [`traverse`] finds
/// first. `None` does not mean that there is none.
pub(crate) fn first_in_few_steps(
    a: (&Mesh, &Tree),
    b: (&Mesh, &Tree),
    pose: &Pose,
) -> Option<(u32, u32)> {
    let relative = Relative::new(a.1, b.1, pose)?;
    let query = Query::new(a, b, pose, &relative);
    let roots = query.roots()?;
    let mut first = First::default();
    dispatch::run(Traversal {
        query: &query,
        start: &[roots],
        sink: &mut first,
        steps: MAX_QUICK_STEPS,
    });
    first.pair
}

/// Step limit of [`first_in_few_steps`]. Twelve steps find most first hits of deep overlap and
/// about half of those of shallow overlap; eight find fewer, and cost hardly less if there is no
/// hit.
pub(crate) const MAX_QUICK_STEPS: usize = 12;

/// A traversal that starts at the given pairs, the last one first.
pub(super) struct Traversal<'q> {
    pub(super) query: &'q Query<'q>,
    pub(super) start: &'q [(Link, Link)],
    pub(super) sink: &'q mut dyn Sink,
    /// Step limit if the sink stops at the first pair.
    pub(super) steps: usize,
}

/// The end of a traversal.
#[derive(Clone, Copy, Debug)]
pub(super) struct TraversalEnd {
    /// The pair of leaves at which the sink stopped the traversal, if it did.
    pub(super) stopped_at: Option<(Link, Link)>,
    /// In that case, the pairs of nodes that were opened last, the latest one last.
    pub(super) last_steps: [(Link, Link); MAX_KEPT_STEPS],
}

/// Number of pairs in [`TraversalEnd::last_steps`].
pub(super) const MAX_KEPT_STEPS: usize = 4;

impl dispatch::Task for Traversal<'_> {
    type Output = TraversalEnd;

    #[inline(always)]
    fn run<W: Wide>(self) -> TraversalEnd {
        if self.sink.stops_at_first() {
            let mut schedule = LikeliestFirst { steps_left: self.steps };
            self.query.run::<W, true>(self.start, self.sink, &mut schedule)
        } else {
            self.query.run::<W, false>(self.start, self.sink, &mut PrefetchNext::default())
        }
    }
}

/// The order in which a traversal opens pairs, and its limit.
pub(super) trait Schedule {
    /// Removes the next pair to open from the list; `None` if there is none, or if the limit is
    /// reached.
    fn next(&mut self, query: &Query<'_>, steps: &mut Pairs) -> Option<(Link, Link)>;

    /// Whether the traversal is finished.
    fn is_over(&self, steps: &Pairs) -> bool;
}

/// Opens the last pair of the list first, which is the likeliest to lead to a hit, up to a step
/// limit.
struct LikeliestFirst {
    steps_left: usize,
}

impl Schedule for LikeliestFirst {
    #[inline(always)]
    fn next(&mut self, query: &Query<'_>, steps: &mut Pairs) -> Option<(Link, Link)> {
        if self.steps_left == 0 {
            return None;
        }
        self.steps_left -= 1;
        let next = steps.pop()?;
        if steps.count > 0 {
            query.prefetch(steps.get(steps.count - 1));
        }
        Some(next)
    }

    #[inline(always)]
    fn is_over(&self, steps: &Pairs) -> bool {
        steps.count == 0 || self.steps_left == 0
    }
}

/// Opens all pairs. The next pair is removed from the list, and prefetched, while the current one
/// is opened; so the children of the current one are opened one step later at the earliest.
#[derive(Default)]
struct PrefetchNext {
    prefetched: Option<(Link, Link)>,
}

impl Schedule for PrefetchNext {
    #[inline(always)]
    fn next(&mut self, query: &Query<'_>, steps: &mut Pairs) -> Option<(Link, Link)> {
        let next = match self.prefetched {
            Some(step) => step,
            None => steps.pop()?,
        };
        self.prefetched = steps.pop();
        if let Some(step) = self.prefetched {
            query.prefetch(step);
        }
        Some(next)
    }

    #[inline(always)]
    fn is_over(&self, steps: &Pairs) -> bool {
        steps.count == 0 && self.prefetched.is_none()
    }
}

/// The pairs that remain to be processed. Each thread keeps the lists from query to query, so that
/// small queries do not allocate.
#[derive(Debug, Default)]
pub(super) struct Work {
    /// Pairs with at least one node.
    pub(super) steps: Pairs,
    /// Pairs of leaves.
    pub(super) leaves: Pairs,
}

thread_local! {
    static WORK: Cell<Work> = const { Cell::new(Work { steps: Pairs::NONE, leaves: Pairs::NONE }) };
}

impl<'a> Query<'a> {
    #[inline(always)]
    pub(super) fn new(
        (a, tree_a): (&'a Mesh, &'a Tree),
        (b, tree_b): (&'a Mesh, &'a Tree),
        pose: &'a Pose,
        relative: &'a Relative,
    ) -> Self {
        Self { a, b, tree_a, tree_b, pose, relative }
    }

    /// The pair of roots, where every traversal starts; `None` if a mesh has no triangles.
    pub(super) fn roots(&self) -> Option<(Link, Link)> {
        Some((self.tree_a.root?.1, self.tree_b.root?.1))
    }

    #[inline(always)]
    pub(super) fn run<W: Wide, const RANK: bool>(
        &self,
        start: &[(Link, Link)],
        sink: &mut dyn Sink,
        schedule: &mut impl Schedule,
    ) -> TraversalEnd {
        let mut work = Work::take();
        for (a, b) in start {
            work.add(*a, *b);
        }
        let mut end = TraversalEnd {
            stopped_at: None,
            last_steps: [(Link::NONE, Link::NONE); MAX_KEPT_STEPS],
        };
        let mut opened = 0_usize;
        // A search for all pairs starts with full batches.
        let mut compared = if RANK { 0 } else { BATCH_GROWTH_DIVISOR * LEAF_PAIRS_PER_BATCH };
        loop {
            while work.leaves.count <= compared / BATCH_GROWTH_DIVISOR {
                let Some(step) = schedule.next(self, &mut work.steps) else { break };
                if RANK {
                    end.last_steps[opened % MAX_KEPT_STEPS] = step;
                    opened += 1;
                }
                self.step_here::<W, RANK>(step, &mut work);
            }
            compared =
                (compared + work.leaves.count).min(BATCH_GROWTH_DIVISOR * LEAF_PAIRS_PER_BATCH);
            end.stopped_at = self.leaf_pairs::<W>(&mut work.leaves, sink);
            if end.stopped_at.is_some() || schedule.is_over(&work.steps) {
                break;
            }
        }
        end.last_steps.rotate_left(opened % MAX_KEPT_STEPS);
        work.give_back();
        end
    }

    /// As [`step_here`](Self::step_here), compiled once for each backend.
    #[inline(always)]
    pub(super) fn step<W: Wide, const RANK: bool>(&self, pair: (Link, Link), work: &mut Work) {
        W::run_out_of_line(Step::<RANK> { query: self, pair, work });
    }

    /// Compares two nodes, or a node and a leaf, and adds the pairs of children that may meet to
    /// the lists; with `RANK` the likeliest is added last. Calling it instead of inlining it made
    /// first hits 6 % slower.
    #[inline(always)]
    fn step_here<W: Wide, const RANK: bool>(
        &self,
        (link_a, link_b): (Link, Link),
        work: &mut Work,
    ) {
        work.reserve();
        let relative = self.relative;
        let (to_a, to_b) = (&relative.to_a, &relative.to_b);
        if link_a.is_leaf() {
            let leaf = &self.tree_a.leaves[link_a.index()];
            let node = &self.tree_b.nodes[link_b.index()];
            let (best, others) = leaf_and_node::<W, RANK>(leaf, node, to_b, to_a);
            work.add_row::<W>(link_a, &node.link, others);
            if RANK {
                work.add_row::<W>(link_a, &node.link, best);
            }
            return;
        }
        let node_a = &self.tree_a.nodes[link_a.index()];
        if link_b.is_leaf() {
            let leaf = &self.tree_b.leaves[link_b.index()];
            let (best, others) = leaf_and_node::<W, RANK>(leaf, node_a, to_a, to_b);
            work.add_column::<W>(&node_a.link, link_b, others);
            if RANK {
                work.add_column::<W>(&node_a.link, link_b, best);
            }
            return;
        }
        let node_b = &self.tree_b.nodes[link_b.index()];
        let (size_a, size_b) = (node_a.bounds.size() * to_b.unit, node_b.bounds.size());
        if size_a > MAX_SIZE_RATIO * size_b {
            let hits = node_a.meets_box::<W>(&node_b.bounds, to_a, to_b).bits();
            work.steps.add_column::<W>(&node_a.link, link_b, hits);
        } else if size_b > MAX_SIZE_RATIO * size_a {
            let hits = node_b.meets_box::<W>(&node_a.bounds, to_b, to_a).bits();
            work.steps.add_row::<W>(link_a, &node_b.link, hits);
        } else {
            relative.two_nodes::<W, RANK>(node_a, node_b, work);
        }
    }

    /// Prefetches the targets of a pair.
    #[inline(always)]
    pub(super) fn prefetch(&self, (a, b): (Link, Link)) {
        self.tree_a.prefetch(a);
        self.tree_b.prefetch(b);
    }

    /// Compares the triangles of all pairs of leaves and empties the list. Returns the pair at
    /// which the sink stopped, if it did.
    #[inline(always)]
    fn leaf_pairs<W: Wide>(&self, pairs: &mut Pairs, sink: &mut dyn Sink) -> Option<(Link, Link)> {
        for k in (0..std::mem::take(&mut pairs.count)).rev() {
            if k >= PREFETCH_PAIRS {
                let (a, b) = pairs.get(k - PREFETCH_PAIRS);
                prefetch(&self.tree_a.leaves[a.index()]);
                prefetch(&self.tree_b.leaves[b.index()]);
            }
            let (a, b) = pairs.get(k);
            if self.leaf_pair::<W>(a.index(), b.index(), sink).is_break() {
                return Some((a, b));
            }
        }
        None
    }

    #[inline(always)]
    fn leaf_pair<W: Wide>(&self, i: usize, j: usize, sink: &mut dyn Sink) -> ControlFlow<()> {
        let (a, b) = (&self.tree_a.leaves[i], &self.tree_b.leaves[j]);
        let stopped = compare::<W>(a, b, self.relative, |lane, other, certain| {
            let (t, u) = (a.triangles[lane], b.triangles[other]);
            (certain || self.exact(t, u)) && sink.pair(t, u).is_break()
        });
        if stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    #[inline(never)]
    fn exact(&self, t: u32, u: u32) -> bool {
        let there: [Vec3; 3] = self.b.triangle(u as usize).map(|v| self.pose.transform_point(v));
        triangles_intersect(&self.a.triangle(t as usize), &there)
    }
}

/// [`Query::step`], compiled once for each backend.
struct Step<'s, 'q, const RANK: bool> {
    query: &'s Query<'q>,
    pair: (Link, Link),
    work: &'s mut Work,
}

impl<const RANK: bool> dispatch::Task for Step<'_, '_, RANK> {
    type Output = ();

    #[inline(always)]
    fn run<W: Wide>(self) {
        self.query.step_here::<W, RANK>(self.pair, self.work);
    }
}

impl Tree {
    /// Prefetches a node or a leaf.
    #[inline(always)]
    fn prefetch(&self, link: Link) {
        if link.is_leaf() {
            prefetch(&self.leaves[link.index()]);
        } else {
            prefetch(&self.nodes[link.index()]);
        }
    }
}

impl Work {
    /// Empty lists; reuses those of the thread's last query unless they are in use.
    pub(super) fn take() -> Self {
        let mut work = WORK.take();
        (work.steps.count, work.leaves.count) = (0, 0);
        work
    }

    /// Returns the lists for the next query.
    pub(super) fn give_back(self) {
        WORK.set(self);
    }

    /// Makes room for the results of one step.
    #[inline(always)]
    fn reserve(&mut self) {
        self.steps.reserve();
        self.leaves.reserve();
    }

    /// Adds one link of A with each link of B whose bit is set.
    #[inline(always)]
    fn add_row<W: Wide>(&mut self, a: Link, b: &[Link; 8], mask: u32) {
        let leaf_bits = if a.is_leaf() { Link::leaves::<W>(b) } else { 0 };
        self.leaves.add_row::<W>(a, b, mask & leaf_bits);
        self.steps.add_row::<W>(a, b, mask & !leaf_bits);
    }

    /// Adds one link of B with each link of A whose bit is set.
    #[inline(always)]
    fn add_column<W: Wide>(&mut self, a: &[Link; 8], b: Link, mask: u32) {
        let leaf_bits = if b.is_leaf() { Link::leaves::<W>(a) } else { 0 };
        self.leaves.add_column::<W>(a, b, mask & leaf_bits);
        self.steps.add_column::<W>(a, b, mask & !leaf_bits);
    }

    /// Adds the pairs whose bits are set: pair `k` has the links of A and B at the `k`-th positions
    /// given.
    #[inline(always)]
    pub(super) fn add_pairs<W: Wide>(
        &mut self,
        a: (&[Link; 8], &[u8; 8]),
        b: (&[Link; 8], &[u8; 8]),
        mask: u32,
    ) {
        let leaf_bits = Link::leaves_at::<W>(a) & Link::leaves_at::<W>(b);
        self.leaves.add_pairs::<W>(a, b, mask & leaf_bits);
        self.steps.add_pairs::<W>(a, b, mask & !leaf_bits);
    }

    pub(super) fn add(&mut self, a: Link, b: Link) {
        let list = if a.is_leaf() && b.is_leaf() { &mut self.leaves } else { &mut self.steps };
        list.push(a, b);
    }
}

/// The slots of a node that may meet the leaf: with `RANK` the likeliest, and the others. `to_node`
/// maps from the leaf's tree to the node's, `to_leaf` back.
#[inline(always)]
fn leaf_and_node<W: Wide, const RANK: bool>(
    leaf: &Leaf,
    node: &Node,
    to_node: &Map,
    to_leaf: &Map,
) -> (u32, u32) {
    let bounds = leaf.bounds();
    if bounds.size() * to_node.unit > node.bounds.size()
        && near_box::<W>(leaf, &node.bounds, to_node) == 0
    {
        return (0, 0);
    }
    let boxes = node.meets_box::<W>(&bounds, to_node, to_leaf);
    if boxes.bits() == 0 {
        return (0, 0);
    }
    let delta = Wide3::<W>::load(&node.center).sub(Wide3::splat(to_node.point(&leaf.origin)));
    let discs = WideDiscs::<W>::load(&node.discs);
    let one = WideDiscs::splat(&leaf.disc.moved(to_node));
    let heights = discs.heights(delta, &one, W::splat(to_node.margin));
    let meet = boxes.and(heights.meet());
    let hits = meet.bits();
    if !RANK || hits.count_ones() < 2 {
        return (0, hits);
    }
    let best = likeliest(meet, discs.scores(delta, &one, &heights)).1;
    (best, hits & !best)
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;
    use crate::sink::Collect;
    use crate::wide::dispatch::Baseline;
    use crate::wide::dispatch::Task as _;

    #[test]
    fn both_backends_find_the_same_pairs() {
        let mut pairs = 0;
        samples::pairs(9, [0.0, 0.5, 2.0], |a, b, pose| {
            let relative = Relative::new(a.tree(), b.tree(), pose).unwrap();
            let query = Query::new((a, a.tree()), (b, b.tree()), pose, &relative);
            let (start, steps) = (&[query.roots().unwrap()], usize::MAX);
            let (mut plain, mut best) = (Collect::default(), Collect::default());
            Traversal { query: &query, start, sink: &mut plain, steps }.run::<Baseline>();
            dispatch::run(Traversal { query: &query, start, sink: &mut best, steps });
            let plain = plain.into_sorted();
            pairs += plain.len();
            assert_eq!(plain, best.into_sorted());
        });
        assert!(pairs > 1000, "{pairs}");
    }
}
