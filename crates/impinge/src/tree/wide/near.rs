//! Pairs of triangles that are close to each other: both trees at once, with a limit that the sink
//! may lower as pairs come in.
//!
//! Most of the work of a search for the minimum goes into showing that nothing else is closer,
//! which a good bound and a good direction make short. So a quick descent comes first
//! ([`near_first`](super::near_first)): the bound it leaves is within a few percent of the minimum
//! for meshes that are apart. Then subtrees are opened in no particular order, and pairs of them
//! dismissed by lower bounds ([`near_boxes`](super::near_boxes)), of which the gap along the
//! direction between the closest points known so far dismisses most. Triangles are left to
//! [`near_pairs`](super::near_pairs).
//!
//! Two bunnies of 69,000 triangles, 0.01 to 0.05 apart, take 100 openings, 104 pairs of leaves, 213
//! pairs of triangles in `f32` and 10 in `f64`. Told the answer beforehand, 87, 81, 146 and 10:
//! what is left is the work of showing it. With one box against eight at a time and no sheets it
//! was 790 steps and 507 pairs of leaves.

use std::cell::Cell;
use std::ops::ControlFlow;

use crate::math::{Pose, Vec3};
use crate::mesh::Mesh;
use crate::sink::NearSink;
use crate::wide::{Wide, dispatch, prefetch};

use super::Tree;
use super::near_boxes::{Eight, Goal, One, Rows};
use super::near_pairs::Search;
use super::node::{Link, LocalBox};
use super::relative::Relative;
use super::sheet::Sheet;

/// Nodes whose sizes differ by less than this are opened both at once.
const ALIKE: f32 = 3.0;

/// Once there are so many pairs of leaves they are looked at, one after the other.
const LEAVES: usize = 32;

/// Leaves are fetched so many pairs ahead.
const AHEAD: usize = 2;

/// Pairs certainly further apart than the bound by more than this share of the meshes' span are
/// skipped.
///
/// It is far more than the bounds of [`closest`](crate::closest) are apart (2^-44 of the pair's
/// size at most), so that whether a pair is reported depends on those bounds alone, not on what the
/// tree saw; and far less than what `f32` can tell.
pub(super) const SLACK: f64 = 1.0 / (1_u64 << 35) as f64;

/// Two meshes with their trees.
#[derive(Debug)]
pub(super) struct NearQuery<'a> {
    pub(super) a: &'a Mesh,
    pub(super) b: &'a Mesh,
    pub(super) tree_a: &'a Tree,
    pub(super) tree_b: &'a Tree,
    pub(super) pose: &'a Pose,
    pub(super) relative: Relative,
}

/// Two subtrees, and a lower bound of their distance in B's local unit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) a: Link,
    pub(super) b: Link,
    pub(super) apart: f32,
}

/// Sends every pair of triangles whose certified lower bound does not exceed the sink's bound to
/// `sink`, with B at `pose` in A's frame. The trees must be those of the meshes.
///
/// Returns false, having done nothing, if one mesh is a million times smaller than the other or
/// than the distance between them, which is more than `f32` can tell;
/// [`pair::near`](crate::pair::near) has another method for that.
#[must_use]
pub fn near(
    (a, tree_a): (&Mesh, &Tree),
    (b, tree_b): (&Mesh, &Tree),
    pose: &Pose,
    sink: &mut dyn NearSink,
) -> bool {
    let Some(relative) = Relative::new(tree_a, tree_b, pose) else {
        return false;
    };
    let query = NearQuery { a, b, tree_a, tree_b, pose, relative };
    dispatch::run(RunNear { query: &query, sink });
    true
}

/// The work that is left. Kept from query to query of a thread, so that small queries allocate
/// nothing.
#[derive(Debug, Default)]
struct Work {
    /// Of which at least one is a node.
    steps: Vec<Step>,
    leaves: Vec<Step>,
    candidates: Vec<(f64, u32, u32)>,
}

thread_local! {
    static WORK: Cell<Work> = Cell::default();
}

impl Work {
    #[inline(always)]
    fn push(&mut self, step: Step) {
        let list =
            if step.a.is_leaf() & step.b.is_leaf() { &mut self.leaves } else { &mut self.steps };
        list.push(step);
    }
}

/// The search, for whatever instructions there are.
struct RunNear<'q> {
    query: &'q NearQuery<'q>,
    sink: &'q mut dyn NearSink,
}

impl dispatch::Task for RunNear<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Wide>(self) {
        self.query.run::<W>(self.sink);
    }
}

impl NearQuery<'_> {
    #[inline(always)]
    pub(super) fn run<W: Wide>(&self, sink: &mut dyn NearSink) {
        // NaN asks for nothing, too.
        let wanted = sink.bound() >= 0.0;
        let (true, Some((_, a)), Some((_, b))) = (wanted, self.tree_a.root, self.tree_b.root)
        else {
            return;
        };
        let mut work = WORK.take();
        work.steps.clear();
        work.leaves.clear();
        let goal = self.goal(sink.bound(), Vec3::ZERO);
        let mut search = Search::new(sink, goal, std::mem::take(&mut work.candidates));
        // Whether the sink stopped it makes no difference here.
        let _ = self.search::<W>(Step { a, b, apart: 0.0 }, &mut work, &mut search);
        work.candidates = search.into_candidates();
        WORK.set(work);
    }

    #[inline(always)]
    fn search<W: Wide>(
        &self,
        root: Step,
        work: &mut Work,
        search: &mut Search<'_>,
    ) -> ControlFlow<()> {
        self.descend::<W>(root, search)?;
        work.push(root);
        loop {
            if work.leaves.len() >= LEAVES || work.steps.is_empty() {
                self.leaf_pairs::<W>(&mut work.leaves, search)?;
            }
            let Some(step) = work.steps.pop() else { break };
            if let Some(next) = work.steps.last() {
                self.fetch_nodes(next);
            }
            if step.apart <= search.goal.limit {
                self.open::<W>(&step, &search.goal, work);
            }
        }
        self.measure::<W>(search)?;
        self.settle(search)
    }

    /// Looks at all pairs of leaves, and empties the list.
    #[inline(always)]
    fn leaf_pairs<W: Wide>(
        &self,
        pairs: &mut Vec<Step>,
        search: &mut Search<'_>,
    ) -> ControlFlow<()> {
        for k in 0..pairs.len() {
            if let Some(pair) = pairs.get(k + AHEAD) {
                prefetch(&self.tree_a.leaves[pair.a.index()]);
                prefetch(&self.tree_b.leaves[pair.b.index()]);
            }
            let pair = pairs[k];
            if pair.apart <= search.goal.limit && !search.has_seen(&pair) {
                self.leaf_pair::<W>(&pair, search)?;
            }
        }
        pairs.clear();
        ControlFlow::Continue(())
    }

    /// Asks for the nodes of a pair to be fetched.
    #[inline(always)]
    fn fetch_nodes(&self, step: &Step) {
        if !step.a.is_leaf() {
            prefetch(&self.tree_a.nodes[step.a.index()]);
        }
        if !step.b.is_leaf() {
            prefetch(&self.tree_b.nodes[step.b.index()]);
        }
    }

    /// Opens one subtree or both and plans what is left of the pairs.
    #[inline(always)]
    fn open<W: Wide>(&self, step: &Step, goal: &Goal, work: &mut Work) {
        let Relative { to_a, to_b, .. } = &self.relative;
        let (ahead_a, ahead_b) = (&goal.toward_a, &goal.toward_b);
        let back = |v: &[f32; 3]| [-v[0], -v[1], -v[2]];
        let (back_a, back_b) = (&back(ahead_a), &back(ahead_b));
        let limit = goal.limit;
        // What is opened: both, unless one is a leaf or much smaller.
        let (mut open_a, mut open_b) = (!step.a.is_leaf(), !step.b.is_leaf());
        if open_a && open_b {
            let size_a = self.tree_a.nodes[step.a.index()].own.size() * to_b.unit;
            let size_b = self.tree_b.nodes[step.b.index()].own.size();
            open_a = size_a * ALIKE >= size_b;
            open_b = size_b * ALIKE >= size_a;
        }
        if !open_b {
            let (bounds, sheet) = self.tree_b.single(step.b);
            let one = One::new(&bounds, &sheet, to_a, back_b, back_a);
            let node = &self.tree_a.nodes[step.a.index()];
            let eight = Eight::<W>::new(node, to_b, to_a, ahead_a);
            let (apart, mut near) = eight.apart(&one, limit * to_a.unit);
            let apart = apart.mul(W::splat(to_b.unit)).array();
            while near != 0 {
                let slot = near.trailing_zeros() as usize;
                near &= near - 1;
                work.push(Step { a: node.link[slot], b: step.b, apart: apart[slot] });
            }
            return;
        }
        let node = &self.tree_b.nodes[step.b.index()];
        let eight = Eight::<W>::new(node, to_a, to_b, back_b);
        if !open_a {
            let (bounds, sheet) = self.tree_a.single(step.a);
            let one = One::new(&bounds, &sheet, to_b, ahead_a, ahead_b);
            let (apart, mut near) = eight.apart(&one, limit);
            let apart = apart.array();
            while near != 0 {
                let slot = near.trailing_zeros() as usize;
                near &= near - 1;
                work.push(Step { a: step.a, b: node.link[slot], apart: apart[slot] });
            }
            return;
        }
        let other = &self.tree_a.nodes[step.a.index()];
        let rows = Rows::new::<W>(other, to_b, ahead_a, ahead_b);
        let mut left = eight.rows(&rows.top, limit) & rows.real;
        while left != 0 {
            let i = left.trailing_zeros() as usize;
            left &= left - 1;
            let (apart, mut near) = eight.apart(&rows.get(i), limit);
            let apart = apart.array();
            while near != 0 {
                let slot = near.trailing_zeros() as usize;
                near &= near - 1;
                work.push(Step { a: other.link[i], b: node.link[slot], apart: apart[slot] });
            }
        }
    }

    /// The goal for a bound, in A's unit, and a direction, along its tree's axes; the direction
    /// need not have any length.
    pub(super) fn goal(&self, bound: f64, toward: Vec3) -> Goal {
        let relative = &self.relative;
        let limit = (bound * self.tree_a.frame.scale).min(relative.span) + relative.span * SLACK;
        let short = |v: Vec3| (v * (1.0 - 1.0 / f64::from(1 << 20))).as_vec3().to_array();
        Goal {
            // Rounded to nearest, then more than enough up.
            limit: limit as f32 * relative.to_b.unit * (1.0 + 8.0 * f32::EPSILON)
                + f32::MIN_POSITIVE,
            toward_a: short(toward),
            toward_b: short(relative.turn.transpose() * toward),
            toward,
        }
    }
}

impl Tree {
    /// The box of a subtree, and its sheet where it has one of its own.
    #[inline(always)]
    pub(super) fn single(&self, link: Link) -> (LocalBox, Sheet) {
        if link.is_leaf() {
            let leaf = &self.leaves[link.index()];
            return (leaf.bounds(), leaf.sheet);
        }
        let own = self.nodes[link.index()].own;
        (own, Sheet::ball(own.reach()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;
    use crate::sink::NearPair;
    use crate::wide::dispatch::Baseline;

    /// Keeps pairs up to a bound, which follows the closest one if asked to.
    struct Keep {
        bound: f64,
        follow: bool,
        pairs: Vec<NearPair>,
    }

    impl NearSink for Keep {
        fn bound(&self) -> f64 {
            self.bound
        }

        fn announce_upper_bound(&mut self, upper: f64) {
            if self.follow {
                self.bound = self.bound.min(upper);
            }
        }

        fn pair(&mut self, pair: &NearPair) -> ControlFlow<()> {
            self.announce_upper_bound(pair.closest.upper);
            self.pairs.push(*pair);
            ControlFlow::Continue(())
        }
    }

    impl Keep {
        /// What does not depend on the order: the pairs within the final bound.
        fn finish(mut self) -> Vec<NearPair> {
            let least = self.pairs.iter().map(|p| p.closest.upper).fold(f64::INFINITY, f64::min);
            let bound = if self.follow { least } else { self.bound };
            self.pairs.retain(|p| p.closest.lower <= bound);
            self.pairs.sort_unstable_by_key(|p| (p.a, p.b));
            self.pairs
        }
    }

    #[test]
    fn arrays_and_registers_find_the_same_pairs() {
        let mut pairs = 0;
        samples::pairs(10, [0.0, 1.0, 4.0], |a, b, pose| {
            let (tree_a, tree_b) = (a.tree(), b.tree());
            let relative = Relative::new(tree_a, tree_b, pose).unwrap();
            let query = NearQuery { a, b, tree_a, tree_b, pose, relative };
            for (bound, follow) in
                [(f64::INFINITY, true), (0.0, false), (0.01, false), (0.3, false)]
            {
                let keep = || Keep { bound, follow, pairs: Vec::new() };
                let (mut plain, mut best) = (keep(), keep());
                query.run::<Baseline>(&mut plain);
                dispatch::run(RunNear { query: &query, sink: &mut best });
                let plain = plain.finish();
                pairs += plain.len();
                assert_eq!(plain, best.finish());
            }
        });
        assert!(pairs > 10_000, "{pairs}");
    }
}
