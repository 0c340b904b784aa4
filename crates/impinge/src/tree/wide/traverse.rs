//! Both trees at once, from the roots down (the simultaneous traversal of Klosowski et al. 1998,
//! section 4.2, and of Zachmann 1994, section 3.6.1).

use std::cell::Cell;
use std::ops::ControlFlow;

use crate::exact::triangles_intersect;
use crate::math::{Pose, Vec3};
use crate::mesh::Mesh;
use crate::sink::{First, Sink};
use crate::wide::{Wide, Wide3, dispatch, prefetch};

use super::Tree;
use super::leaf::Leaf;
use super::node::{Link, Node};
use super::pairs::Pairs;
use super::relative::{Map, Relative};
use super::sheet::WideSheets;
use super::triangles::{compare, near_box};
use super::two_nodes::likeliest;

/// Nodes whose sizes differ by less than this are opened both at once.
const ALIKE: f32 = 3.0;

/// Leaves are fetched so many pairs ahead.
const AHEAD: usize = 4;

/// Once there are more pairs of leaves than this they are compared, all of them: a batch lets
/// memory keep up.
const BATCH: usize = 32;

/// The first batches are small, a share of what was compared before: a first hit should not wait
/// for pairs it does not need.
const EAGER: usize = 4;

/// Two meshes with their trees, one at a pose in the frame of the other.
#[derive(Debug)]
pub(super) struct Query<'a> {
    pub(super) a: &'a Mesh,
    pub(super) b: &'a Mesh,
    pub(super) tree_a: &'a Tree,
    pub(super) tree_b: &'a Tree,
    pub(super) pose: &'a Pose,
    pub(super) relative: Relative,
}

/// Sends every pair of triangles that share a point to `sink`, with B at `pose` in A's frame. The
/// trees must be those of the meshes.
///
/// Returns false, having done nothing, if one mesh is a million times smaller than the other or
/// than the distance between them, which is more than `f32` can tell;
/// [`pair::traverse`](crate::pair::traverse) has another method for that.
#[must_use]
pub fn traverse(a: (&Mesh, &Tree), b: (&Mesh, &Tree), pose: &Pose, sink: &mut dyn Sink) -> bool {
    let Some(query) = Query::new(a, b, pose) else {
        return false;
    };
    if let Some(roots) = query.roots() {
        dispatch::run(Run { query: &query, start: &[roots], sink, steps: usize::MAX });
    }
    true
}

/// Two triangles that share a point, if a few steps are enough to find any: the pair that
/// [`traverse`] finds first. `None` tells nothing.
pub(crate) fn first_soon(a: (&Mesh, &Tree), b: (&Mesh, &Tree), pose: &Pose) -> Option<(u32, u32)> {
    let query = Query::new(a, b, pose)?;
    let roots = query.roots()?;
    let mut first = First::default();
    dispatch::run(Run { query: &query, start: &[roots], sink: &mut first, steps: SOON });
    first.pair
}

/// A few steps. Twelve find most first hits of deep overlap and about half of those of shallow;
/// eight find fewer, and cost hardly less where there are none.
const SOON: usize = 12;

/// A traversal that starts at the pairs given, the last one first.
pub(super) struct Run<'q> {
    pub(super) query: &'q Query<'q>,
    pub(super) start: &'q [(Link, Link)],
    pub(super) sink: &'q mut dyn Sink,
    /// Where only the first pair counts, it gives up after so many steps.
    pub(super) steps: usize,
}

/// How a traversal ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ended {
    /// The pair of leaves at which the sink stopped it, if it did.
    pub(super) at: Option<(Link, Link)>,
    /// If so, the last pairs of nodes that were opened before, the latest one last.
    pub(super) trail: [(Link, Link); TRAIL],
}

/// So many pairs are kept on the trail.
pub(super) const TRAIL: usize = 4;

impl dispatch::Task for Run<'_> {
    type Output = Ended;

    #[inline(always)]
    fn run<W: Wide>(self) -> Ended {
        if self.sink.stops_at_first() {
            let mut pace = LikeliestFirst { steps: self.steps };
            self.query.run::<W, true>(self.start, self.sink, &mut pace)
        } else {
            self.query.run::<W, false>(self.start, self.sink, &mut OneAhead::default())
        }
    }
}

/// What a traversal opens next, and for how long it goes on.
pub(super) trait Pace {
    /// Takes the next pair to open from the list; `None` if there is none, or no time for it.
    fn next(&mut self, query: &Query<'_>, steps: &mut Pairs) -> Option<(Link, Link)>;

    /// Whether there is time for one more pair of leaves.
    #[inline(always)]
    fn leaf_pair(&mut self) -> bool {
        true
    }

    /// Whether the traversal ends here.
    fn is_over(&self, steps: &Pairs) -> bool;

    /// Takes note of what is left.
    #[inline(always)]
    fn end(&mut self, _left: &mut Work) {}
}

/// The last pair on the list first, which is the likeliest to lead to a hit, for so many steps.
struct LikeliestFirst {
    steps: usize,
}

impl Pace for LikeliestFirst {
    #[inline(always)]
    fn next(&mut self, query: &Query<'_>, steps: &mut Pairs) -> Option<(Link, Link)> {
        if self.steps == 0 {
            return None;
        }
        self.steps -= 1;
        let next = steps.pop()?;
        if steps.count > 0 {
            query.fetch(steps.get(steps.count - 1));
        }
        Some(next)
    }

    #[inline(always)]
    fn is_over(&self, steps: &Pairs) -> bool {
        steps.count == 0 || self.steps == 0
    }
}

/// To the end, where every pair counts: a pair is taken from the list, and fetched, while the one
/// before it is opened. What that one leads to has to wait for a step.
#[derive(Default)]
struct OneAhead {
    taken: Option<(Link, Link)>,
}

impl Pace for OneAhead {
    #[inline(always)]
    fn next(&mut self, query: &Query<'_>, steps: &mut Pairs) -> Option<(Link, Link)> {
        let next = match self.taken {
            Some(taken) => taken,
            None => steps.pop()?,
        };
        self.taken = steps.pop();
        if let Some(taken) = self.taken {
            query.fetch(taken);
        }
        Some(next)
    }

    #[inline(always)]
    fn is_over(&self, steps: &Pairs) -> bool {
        steps.count == 0 && self.taken.is_none()
    }
}

/// The work that is left. Kept from query to query of a thread, so that small queries allocate
/// nothing.
#[derive(Debug, Default)]
pub(super) struct Work {
    /// Of which at least one is a node.
    pub(super) steps: Pairs,
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
    ) -> Option<Self> {
        let relative = Relative::new(tree_a, tree_b, pose)?;
        Some(Self { a, b, tree_a, tree_b, pose, relative })
    }

    /// Where every traversal starts; `None` if a mesh has no triangles.
    pub(super) fn roots(&self) -> Option<(Link, Link)> {
        Some((self.tree_a.root?.1, self.tree_b.root?.1))
    }

    #[inline(always)]
    pub(super) fn run<W: Wide, const RANK: bool>(
        &self,
        start: &[(Link, Link)],
        sink: &mut dyn Sink,
        pace: &mut impl Pace,
    ) -> Ended {
        let mut work = Work::take();
        for (a, b) in start {
            work.add(*a, *b);
        }
        let mut ended = Ended { at: None, trail: [(Link::NONE, Link::NONE); TRAIL] };
        let mut opened = 0_usize;
        // Whoever wants every pair need not hurry to the first.
        let mut compared = if RANK { 0 } else { EAGER * BATCH };
        loop {
            while work.leaves.count <= compared / EAGER {
                let Some(step) = pace.next(self, &mut work.steps) else { break };
                if RANK {
                    ended.trail[opened % TRAIL] = step;
                    opened += 1;
                }
                self.step::<W, RANK>(step, &mut work);
            }
            compared = (compared + work.leaves.count).min(EAGER * BATCH);
            ended.at = self.leaf_pairs::<W>(&mut work.leaves, sink, pace);
            if ended.at.is_some() || pace.is_over(&work.steps) {
                break;
            }
        }
        ended.trail.rotate_left(opened % TRAIL);
        pace.end(&mut work);
        work.give_back();
        ended
    }

    /// Compares two nodes, or a node and a leaf, and puts what may meet below them on the lists;
    /// with `RANK` the likeliest last.
    #[inline(always)]
    pub(super) fn step<W: Wide, const RANK: bool>(
        &self,
        (link_a, link_b): (Link, Link),
        work: &mut Work,
    ) {
        work.reserve();
        let relative = &self.relative;
        let (to_a, to_b) = (&relative.to_a, &relative.to_b);
        if link_a.is_leaf() {
            let leaf = &self.tree_a.leaves[link_a.index()];
            let node = &self.tree_b.nodes[link_b.index()];
            let (best, others) = leaf_and_node::<W, RANK>(leaf, node, to_b, to_a);
            work.row::<W>(link_a, &node.link, others);
            if RANK {
                work.row::<W>(link_a, &node.link, best);
            }
            return;
        }
        let node_a = &self.tree_a.nodes[link_a.index()];
        if link_b.is_leaf() {
            let leaf = &self.tree_b.leaves[link_b.index()];
            let (best, others) = leaf_and_node::<W, RANK>(leaf, node_a, to_a, to_b);
            work.column::<W>(&node_a.link, link_b, others);
            if RANK {
                work.column::<W>(&node_a.link, link_b, best);
            }
            return;
        }
        let node_b = &self.tree_b.nodes[link_b.index()];
        let (size_a, size_b) = (node_a.own.size() * to_b.unit, node_b.own.size());
        if size_a > ALIKE * size_b {
            let hits = node_a.meets_box::<W>(&node_b.own, to_a, to_b).bits();
            work.steps.column::<W>(&node_a.link, link_b, hits);
        } else if size_b > ALIKE * size_a {
            let hits = node_b.meets_box::<W>(&node_a.own, to_b, to_a).bits();
            work.steps.row::<W>(link_a, &node_b.link, hits);
        } else {
            relative.two_nodes::<W, RANK>(node_a, node_b, work);
        }
    }

    /// Asks for what a pair leads to to be fetched.
    #[inline(always)]
    fn fetch(&self, (a, b): (Link, Link)) {
        self.tree_a.fetch(a);
        self.tree_b.fetch(b);
    }

    /// Compares the triangles of all pairs of leaves, and empties the list, but for those there is
    /// no time for. The pair at which the sink stopped it, if it did.
    #[inline(always)]
    fn leaf_pairs<W: Wide>(
        &self,
        pairs: &mut Pairs,
        sink: &mut dyn Sink,
        pace: &mut impl Pace,
    ) -> Option<(Link, Link)> {
        for k in (0..std::mem::take(&mut pairs.count)).rev() {
            if !pace.leaf_pair() {
                pairs.count = k + 1;
                return None;
            }
            if k >= AHEAD {
                let (a, b) = pairs.get(k - AHEAD);
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
        let stopped = compare::<W>(a, b, &self.relative, |lane, other, certain| {
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

impl Tree {
    /// Asks for a node or a leaf to be fetched.
    #[inline(always)]
    fn fetch(&self, link: Link) {
        if link.is_leaf() {
            prefetch(&self.leaves[link.index()]);
        } else {
            prefetch(&self.nodes[link.index()]);
        }
    }
}

impl Work {
    /// Empty lists, those of the thread's last query if they are not in use.
    pub(super) fn take() -> Self {
        let mut work = WORK.take();
        (work.steps.count, work.leaves.count) = (0, 0);
        work
    }

    /// Keeps the lists for the next query.
    pub(super) fn give_back(self) {
        WORK.set(self);
    }

    /// Makes room for the results of one step.
    #[inline(always)]
    fn reserve(&mut self) {
        self.steps.reserve();
        self.leaves.reserve();
    }

    /// One link of A with those of B whose bits are set.
    #[inline(always)]
    fn row<W: Wide>(&mut self, a: Link, b: &[Link; 8], mask: u32) {
        let ends = if a.is_leaf() { Link::leaves::<W>(b) } else { 0 };
        self.leaves.row::<W>(a, b, mask & ends);
        self.steps.row::<W>(a, b, mask & !ends);
    }

    /// One link of B with those of A whose bits are set.
    #[inline(always)]
    fn column<W: Wide>(&mut self, a: &[Link; 8], b: Link, mask: u32) {
        let ends = if b.is_leaf() { Link::leaves::<W>(a) } else { 0 };
        self.leaves.column::<W>(a, b, mask & ends);
        self.steps.column::<W>(a, b, mask & !ends);
    }

    /// The links of A and of B at the places given, pair by pair, of those whose bits are set.
    #[inline(always)]
    pub(super) fn pairs<W: Wide>(
        &mut self,
        a: (&[Link; 8], &[u8; 8]),
        b: (&[Link; 8], &[u8; 8]),
        mask: u32,
    ) {
        let ends = Link::leaves_at::<W>(a) & Link::leaves_at::<W>(b);
        self.leaves.pairs::<W>(a, b, mask & ends);
        self.steps.pairs::<W>(a, b, mask & !ends);
    }

    pub(super) fn add(&mut self, a: Link, b: Link) {
        let list = if a.is_leaf() && b.is_leaf() { &mut self.leaves } else { &mut self.steps };
        list.push(a, b);
    }
}

/// Which of a node's slots may hold something that meets the leaf: with `RANK` the likeliest, and
/// the others. `to_node` leads from the leaf's tree to the node's, `to_leaf` back.
#[inline(always)]
fn leaf_and_node<W: Wide, const RANK: bool>(
    leaf: &Leaf,
    node: &Node,
    to_node: &Map,
    to_leaf: &Map,
) -> (u32, u32) {
    let bounds = leaf.bounds();
    if bounds.size() * to_node.unit > node.own.size()
        && near_box::<W>(leaf, &node.own, to_node) == 0
    {
        return (0, 0);
    }
    let boxes = node.meets_box::<W>(&bounds, to_node, to_leaf);
    if boxes.bits() == 0 {
        return (0, 0);
    }
    let delta = Wide3::<W>::load(&node.center).sub(Wide3::splat(to_node.point(&leaf.origin)));
    let sheets = WideSheets::<W>::load(&node.sheets);
    let one = WideSheets::splat(&leaf.sheet.moved(to_node));
    let seen = sheets.heights(delta, &one, W::splat(to_node.margin));
    let meet = boxes.and(seen.meet());
    let hits = meet.bits();
    if !RANK || hits.count_ones() < 2 {
        return (0, hits);
    }
    let best = likeliest(meet, sheets.likely(delta, &one, &seen)).1;
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
    fn arrays_and_registers_find_the_same_pairs() {
        let mut pairs = 0;
        samples::pairs(9, [0.0, 0.5, 2.0], |a, b, pose| {
            let query = Query::new((a, a.tree()), (b, b.tree()), pose).unwrap();
            let (start, steps) = (&[query.roots().unwrap()], usize::MAX);
            let (mut plain, mut best) = (Collect::default(), Collect::default());
            Run { query: &query, start, sink: &mut plain, steps }.run::<Baseline>();
            dispatch::run(Run { query: &query, start, sink: &mut best, steps });
            let plain = plain.into_sorted();
            pairs += plain.len();
            assert_eq!(plain, best.into_sorted());
        });
        assert!(pairs > 1000, "{pairs}");
    }
}
