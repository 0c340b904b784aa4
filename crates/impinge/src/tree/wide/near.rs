//! Pairs of triangles that are close to each other: both trees at once, with a limit that the sink may lower as pairs come in.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::closest::{self, ClosestPoints};
use crate::exact::triangles_intersect;
use crate::math::{Pose, Vec3};
use crate::mesh::Mesh;
use crate::sink::{NearPair, NearSink};

use super::lanes::Wide;
use super::near_batch::Batch;
use super::near_boxes::{Eight, Goal, One, Rows};
use super::near_leaf::{Close, close};
use super::node::{Link, LocalBox};
use super::relative::Relative;
use super::sheet::Sheet;
use super::{Tree, dispatch};

pub static STATS: [AtomicU64; 8] = [const { AtomicU64::new(0) }; 8];
fn stat(k: usize, n: u64) {
    STATS[k].fetch_add(n, Relaxed);
}

/// Nodes whose sizes differ by less than this are opened both at once.
const ALIKE: f32 = 3.0;

/// Pairs that the first descent keeps on each level.
const BEAM: usize = 4;

/// Pairs certainly further apart than the bound by more than this share of the meshes' span are skipped.
///
/// It is far more than the bounds of [`closest`] are apart (2^-44 of the pair's size at most), so that whether a pair is reported depends on
/// those bounds alone, not on what the tree saw; and far less than what `f32` can tell.
const SLACK: f64 = 1.0 / (1_u64 << 35) as f64;

/// Two meshes with their trees.
#[derive(Debug)]
pub(super) struct NearQuery<'a> {
    a: &'a Mesh,
    b: &'a Mesh,
    tree_a: &'a Tree,
    tree_b: &'a Tree,
    pose: &'a Pose,
    relative: Relative,
}

/// Two subtrees, and a lower bound of their distance in B's local unit.
#[derive(Clone, Copy, Debug)]
struct Step {
    a: Link,
    b: Link,
    apart: f32,
}

/// Sends every pair of triangles that is not certainly further apart than the sink's bound to `sink`, with B at `pose` in A's frame. The trees must be those
/// of the meshes.
///
/// Returns false, having done nothing, if one mesh is a million times smaller than the other or than the distance between them, which is more
/// than `f32` can tell; [`pair::near`](crate::pair::near) has another method for that.
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
    dispatch::run_near(&NearQuery { a, b, tree_a, tree_b, pose, relative }, sink);
    true
}

/// The work that is left. Kept from query to query of a thread, so that small queries allocate nothing.
#[derive(Debug, Default)]
struct Work {
    /// Of which at least one is a node.
    steps: Vec<Step>,
    leaves: Vec<Step>,
    /// Pairs that are left to `f64`: a lower bound of the distance in B's local unit, and the triangles.
    candidates: Vec<(f32, u32, u32)>,
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

/// What is known so far.
struct Search<'s> {
    sink: &'s mut dyn NearSink,
    goal: Goal,
    /// The smallest upper bound of any pair seen, in B's local unit, which the goal's direction is of.
    best: f32,
    batch: Batch,
    /// Pairs that are left to `f64`: a lower bound of the distance in B's local unit, and the triangles.
    candidates: Vec<(f32, u32, u32)>,
}

impl NearQuery<'_> {
    #[inline(always)]
    pub(super) fn run<W: Wide>(&self, sink: &mut dyn NearSink) {
        let (Some((_, a)), Some((_, b))) = (self.tree_a.root, self.tree_b.root) else {
            return;
        };
        if !(sink.bound() >= 0.0) {
            return;
        }
        let mut work = WORK.take();
        work.steps.clear();
        work.leaves.clear();
        work.candidates.clear();
        let mut search = Search {
            goal: self.goal(sink.bound(), Vec3::ZERO),
            sink,
            best: f32::INFINITY,
            batch: Batch::EMPTY,
            candidates: std::mem::take(&mut work.candidates),
        };
        let root = Step { a, b, apart: 0.0 };
        if self.descend::<W>(root, &mut work, &mut search).is_break() {
            return;
        }
        work.push(root);
        loop {
            while let Some(pair) = work.leaves.pop() {
                if pair.apart <= search.goal.limit
                    && self.leaf_pair::<W>(&pair, &mut search).is_break()
                {
                    return;
                }
            }
            let Some(step) = work.steps.pop() else { break };
            if step.apart <= search.goal.limit {
                stat(0, 1);
                self.open::<W>(&step, &search.goal, &mut work);
            }
        }
        if self.measure::<W>(&mut search).is_break() || self.settle(&mut search).is_break() {
            return;
        }
        work.candidates = search.candidates;
        WORK.set(work);
    }

    /// A first look: the nearest few pairs on each level, down to the leaves, so that there is a good bound from the start.
    #[inline(always)]
    fn descend<W: Wide>(
        &self,
        root: Step,
        work: &mut Work,
        search: &mut Search<'_>,
    ) -> ControlFlow<()> {
        let mut beam = [root; BEAM];
        let mut count = 1;
        loop {
            work.steps.clear();
            for step in &beam[..count] {
                if step.a.is_leaf() && step.b.is_leaf() {
                    self.leaf_pair::<W>(step, search)?;
                } else {
                    self.look::<W>(step, work);
                }
            }
            if work.steps.is_empty() {
                break;
            }
            // The nearest, by insertion.
            count = 0;
            for step in &work.steps {
                if count < BEAM || step.apart < beam[BEAM - 1].apart {
                    let mut k = if count < BEAM { count } else { BEAM - 1 };
                    count = (count + 1).min(BEAM);
                    while k > 0 && beam[k - 1].apart > step.apart {
                        beam[k] = beam[k - 1];
                        k -= 1;
                    }
                    beam[k] = *step;
                }
            }
        }
        self.measure::<W>(search)
    }

    /// Opens both subtrees and lists all pairs by the distances of their centres.
    #[inline(always)]
    fn look<W: Wide>(&self, step: &Step, work: &mut Work) {
        let Relative { to_a, to_b, .. } = &self.relative;
        let none = [0.0; 3];
        if step.b.is_leaf() {
            let leaf = &self.tree_b.leaves[step.b.index()];
            let node = &self.tree_a.nodes[step.a.index()];
            let one = One::new(&leaf.bounds(), &leaf.sheet, to_a, &none, &none);
            let eight = Eight::<W>::new(node, to_b, to_a, &none);
            let keys = eight.between(&one).mul(W::splat(to_b.unit * to_b.unit)).store();
            for slot in 0..8 {
                if node.link[slot] != Link::NONE {
                    work.steps.push(Step { a: node.link[slot], b: step.b, apart: keys[slot] });
                }
            }
            return;
        }
        let node = &self.tree_b.nodes[step.b.index()];
        let eight = Eight::<W>::new(node, to_a, to_b, &none);
        if step.a.is_leaf() {
            let leaf = &self.tree_a.leaves[step.a.index()];
            let one = One::new(&leaf.bounds(), &leaf.sheet, to_b, &none, &none);
            let keys = eight.between(&one).store();
            for slot in 0..8 {
                if node.link[slot] != Link::NONE {
                    work.steps.push(Step { a: step.a, b: node.link[slot], apart: keys[slot] });
                }
            }
            return;
        }
        let other = &self.tree_a.nodes[step.a.index()];
        let rows = Rows::new::<W>(other, to_b, &none, &none);
        for i in 0..8 {
            if other.link[i] == Link::NONE {
                continue;
            }
            let keys = eight.between(&rows.get(i)).store();
            for slot in 0..8 {
                if node.link[slot] != Link::NONE {
                    work.steps.push(Step { a: other.link[i], b: node.link[slot], apart: keys[slot] });
                }
            }
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
            let apart = apart.mul(W::splat(to_b.unit)).store();
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
            let apart = apart.store();
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
            stat(5, 1);
            let (apart, mut near) = eight.apart(&rows.get(i), limit);
            let apart = apart.store();
            while near != 0 {
                let slot = near.trailing_zeros() as usize;
                near &= near - 1;
                work.push(Step { a: other.link[i], b: node.link[slot], apart: apart[slot] });
            }
        }
    }

    /// The goal for a bound and a direction, both in A's frame; the direction need not have any length.
    fn goal(&self, bound: f64, toward: Vec3) -> Goal {
        let relative = &self.relative;
        let limit = (bound * self.tree_a.scale).min(relative.span) + relative.span * SLACK;
        let short = |v: Vec3| (v * (1.0 - 1.0 / f64::from(1 << 20))).as_vec3().to_array();
        Goal {
            // Rounded to nearest, then more than enough up.
            limit: limit as f32 * relative.to_b.unit * (1.0 + 8.0 * f32::EPSILON) + f32::MIN_POSITIVE,
            toward_a: short(toward),
            toward_b: short(self.pose.rotation().transpose() * toward),
            toward,
        }
    }

    #[inline(always)]
    fn leaf_pair<W: Wide>(&self, pair: &Step, search: &mut Search<'_>) -> ControlFlow<()> {
        stat(1, 1);
        let (a, b) = (&self.tree_a.leaves[pair.a.index()], &self.tree_b.leaves[pair.b.index()]);
        let mut found = Close::NONE;
        close::<W>(a, b, &self.relative, &search.goal, &mut found);
        for k in 0..found.count {
            search.batch.add(a, b, &found, found.pairs[k]);
            if search.batch.count == 8 {
                self.measure::<W>(search)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Bounds the distances of a batch, and empties it.
    #[inline(always)]
    fn measure<W: Wide>(&self, search: &mut Search<'_>) -> ControlFlow<()> {
        let count = std::mem::take(&mut search.batch.count);
        if count == 0 {
            return ControlFlow::Continue(());
        }
        stat(2, 1);
        let bounds = search.batch.measure::<W>();
        let mut nearest = 0;
        for k in 1..count {
            if bounds.upper[k] < bounds.upper[nearest] {
                nearest = k;
            }
        }
        if bounds.upper[nearest] < search.best {
            stat(4, 1);
            search.best = bounds.upper[nearest];
            let v = bounds.toward.get(nearest).map(f64::from);
            let toward = (self.pose.rotation() * Vec3::from_array(v)).try_normalize();
            let toward = toward.unwrap_or(search.goal.toward);
            let upper = f64::from(search.best) / self.tree_b.scale
                + 2.0 * SLACK * self.relative.span / self.tree_a.scale;
            search.sink.foresee(upper);
            search.goal = self.goal(search.sink.bound(), toward);
        }
        for k in 0..count {
            let (t, u) = search.batch.triangles[k];
            if bounds.lower[k] <= 0.0 {
                self.pair(t, u, search)?;
            } else if bounds.lower[k] <= search.goal.limit {
                search.candidates.push((bounds.lower[k], t, u));
            }
        }
        if search.candidates.len() >= 256 {
            self.settle(search)?;
        }
        ControlFlow::Continue(())
    }

    /// Looks at the candidates in `f64`, the closest first.
    #[inline(never)]
    fn settle(&self, search: &mut Search<'_>) -> ControlFlow<()> {
        let mut candidates = std::mem::take(&mut search.candidates);
        candidates.sort_unstable_by(|x, y| x.0.total_cmp(&y.0));
        for (lower, t, u) in candidates.drain(..) {
            if lower > search.goal.limit {
                break;
            }
            self.pair(t, u, search)?;
        }
        search.candidates = candidates;
        ControlFlow::Continue(())
    }

    /// Looks at two triangles in `f64`.
    #[inline(never)]
    fn pair(&self, t: u32, u: u32, search: &mut Search<'_>) -> ControlFlow<()> {
        stat(3, 1);
        let here = self.a.triangle(t as usize);
        let there: [Vec3; 3] = self.b.triangle(u as usize).map(|v| self.pose.transform_point(v));
        let closest = closest_points(&here, &there);
        if closest.lower <= search.sink.bound() {
            let flow = search.sink.pair(&NearPair { a: t, b: u, closest });
            search.goal = self.goal(search.sink.bound(), search.goal.toward);
            return flow;
        }
        ControlFlow::Continue(())
    }
}

impl Tree {
    /// The box of a subtree, and its sheet where it has one of its own.
    #[inline(always)]
    fn single(&self, link: Link) -> (LocalBox, Sheet) {
        if link.is_leaf() {
            let leaf = &self.leaves[link.index()];
            return (leaf.bounds(), leaf.sheet);
        }
        let own = self.nodes[link.index()].own;
        (own, Sheet::ball(own.reach()))
    }
}

/// As [`closest::triangle_triangle`], but asks whether triangles meet only where they may.
#[inline]
fn closest_points(a: &[Vec3; 3], b: &[Vec3; 3]) -> ClosestPoints {
    let near = closest::disjoint(a, b);
    if near.lower == 0.0 && triangles_intersect(a, b) {
        return closest::triangle_triangle(a, b);
    }
    near
}
