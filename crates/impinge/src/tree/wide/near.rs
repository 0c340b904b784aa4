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
use super::near_boxes::{Goal, squares_apart};
use super::near_batch::Batch;
use super::near_leaf::close;
use super::node::{Link, LocalBox};
use super::relative::Relative;
use super::{Tree, dispatch};

pub static STATS: [AtomicU64; 8] = [const { AtomicU64::new(0) }; 8];
fn stat(k: usize, n: u64) {
    STATS[k].fetch_add(n, Relaxed);
}

/// Steps taken at once.
const CHUNK: usize = 4;

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

/// A box of one tree against a node of the other.
#[derive(Clone, Copy, Debug)]
struct Step {
    single: LocalBox,
    link: Link,
    node: u32,
    single_is_a: bool,
    /// The square of a lower bound of their distance, in A's local unit.
    square: f32,
}

/// Two leaves.
#[derive(Clone, Copy, Debug)]
struct LeafPair {
    a: u32,
    b: u32,
    square: f32,
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
    steps: Vec<Step>,
    leaves: Vec<LeafPair>,
    candidates: Vec<(f32, u32, u32)>,
}

thread_local! {
    static WORK: Cell<Work> = Cell::default();
}

impl Work {
    /// Plans the comparison of two boxes: the larger one is opened, a leaf never.
    #[inline(always)]
    fn plan(
        &mut self,
        (box_a, link_a): (&LocalBox, Link),
        (box_b, link_b): (&LocalBox, Link),
        unit: f32,
        square: f32,
    ) {
        let size = |b: &LocalBox| b.half[0] + b.half[1] + b.half[2];
        let (leaf_a, leaf_b) = (link_a.is_leaf(), link_b.is_leaf());
        if leaf_a & leaf_b {
            self.leaves.push(LeafPair {
                a: link_a.index() as u32,
                b: link_b.index() as u32,
                square,
            });
            return;
        }
        let open_a = !leaf_a & (leaf_b | (size(box_a) * unit >= size(box_b)));
        let single = if open_a { box_b } else { box_a };
        let (link, node) = if open_a { (link_b, link_a) } else { (link_a, link_b) };
        self.steps.push(Step {
            single: *single,
            link,
            node: node.index() as u32,
            single_is_a: !open_a,
            square,
        });
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
    /// Whether a pair of triangles has been looked at.
    found: bool,
}

impl NearQuery<'_> {
    #[inline(always)]
    pub(super) fn run<W: Wide>(&self, sink: &mut dyn NearSink) {
        let (Some((box_a, link_a)), Some((box_b, link_b))) = (self.tree_a.root, self.tree_b.root)
        else {
            return;
        };
        if !(sink.bound() >= 0.0) {
            return;
        }
        let mut work = WORK.take();
        work.steps.clear();
        work.leaves.clear();
        work.candidates.clear();
        let unit = self.relative.unit;
        work.plan((&box_a, link_a), (&box_b, link_b), unit, 0.0);
        let mut search = Search {
            goal: self.goal(sink.bound(), Vec3::ZERO),
            sink,
            best: f32::INFINITY,
            found: false,
            batch: Batch::EMPTY,
            candidates: std::mem::take(&mut work.candidates),
        };
        let mut squares = [[0.0; 8]; CHUNK];
        loop {
            if !work.leaves.is_empty() {
                if !search.found {
                    work.leaves.sort_unstable_by(|x, y| y.square.total_cmp(&x.square));
                }
                while let Some(pair) = work.leaves.pop() {
                    if pair.square <= search.goal.square
                        && self.leaf_pair::<W>(&pair, &mut search).is_break()
                    {
                        return;
                    }
                    if !search.found || work.leaves.is_empty() {
                        let mut batch = std::mem::replace(&mut search.batch, Batch::EMPTY);
                        if batch.count > 0 && self.measure::<W>(&mut batch, &mut search).is_break() {
                            return;
                        }
                    }
                }
            }
            let mut chunk = [None; CHUNK];
            let mut count = 0;
            while count < CHUNK {
                let Some(step) = work.steps.pop() else { break };
                if step.square <= search.goal.square {
                    chunk[count] = Some(step);
                    count += 1;
                }
            }
            if count == 0 {
                break;
            }
            stat(0, count as u64);
            for k in 0..count {
                let Some(step) = &chunk[k] else { break };
                let tree = if step.single_is_a { self.tree_b } else { self.tree_a };
                let node = &tree.nodes[step.node as usize];
                squares[k] = squares_apart::<W>(
                    &self.relative,
                    &search.goal,
                    &step.single,
                    step.single_is_a,
                    node,
                )
                .store();
            }
            let first = work.steps.len();
            for k in 0..count {
                let Some(step) = &chunk[k] else { break };
                let tree = if step.single_is_a { self.tree_b } else { self.tree_a };
                let node = &tree.nodes[step.node as usize];
                let mut hits = W::load(&squares[k]).le(W::splat(search.goal.square)).bits();
                while hits != 0 {
                    let slot = hits.trailing_zeros() as usize;
                    hits &= hits - 1;
                    let square = squares[k][slot].max(step.square);
                    let (other, link) = (&node.get(slot), node.link[slot]);
                    let own = (&step.single, step.link);
                    if step.single_is_a {
                        work.plan(own, (other, link), unit, square);
                    } else {
                        work.plan((other, link), own, unit, square);
                    }
                }
            }
            // The closest last: they are next.
            work.steps[first..].sort_unstable_by(|x, y| y.square.total_cmp(&x.square));
        }
        if self.settle(&mut search).is_break() {
            return;
        }
        work.candidates = search.candidates;
        WORK.set(work);
    }

    /// The goal for a bound and a direction, both in A's frame; the direction need not have any length.
    fn goal(&self, bound: f64, toward: Vec3) -> Goal {
        let relative = &self.relative;
        let limit = (bound * self.tree_a.scale).min(relative.span) + relative.span * SLACK;
        // Rounded to nearest, then more than enough up.
        let up = |x: f64| x as f32 * (1.0 + 4.0 * f32::EPSILON);
        let short = |v: Vec3| (v * (1.0 - 1.0 / f64::from(1 << 20))).as_vec3().to_array();
        let limit_a = up(limit);
        Goal {
            limit_a,
            limit_b: up(limit) * relative.unit,
            square: limit_a * limit_a * (1.0 + 8.0 * f32::EPSILON) + f32::MIN_POSITIVE,
            toward_a: short(toward),
            toward_b: short(self.pose.rotation().transpose() * toward),
            toward,
        }
    }

    #[inline(always)]
    fn leaf_pair<W: Wide>(&self, pair: &LeafPair, search: &mut Search<'_>) -> ControlFlow<()> {
        stat(1, 1);
        let (a, b) = (&self.tree_a.leaves[pair.a as usize], &self.tree_b.leaves[pair.b as usize]);
        let goal = search.goal;
        let mut batch = std::mem::replace(&mut search.batch, Batch::EMPTY);
        let stopped = close::<W>(a, b, &self.relative, &goal, &mut batch, |full| {
            self.measure::<W>(full, search).is_break()
        });
        search.batch = batch;
        if stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Bounds the distances of a batch, and empties it.
    #[inline(always)]
    fn measure<W: Wide>(&self, batch: &mut Batch, search: &mut Search<'_>) -> ControlFlow<()> {
        stat(2, 1);
        let bounds = batch.measure::<W>();
        let count = std::mem::take(&mut batch.count);
        search.found |= count > 0;
        let mut nearest = 0;
        for k in 1..count {
            if bounds.upper[k] < bounds.upper[nearest] {
                nearest = k;
            }
        }
        if count > 0 && bounds.upper[nearest] < search.best {
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
            let (t, u) = batch.triangles[k];
            if bounds.lower[k] <= 0.0 {
                self.pair(t, u, search)?;
            } else if bounds.lower[k] <= search.goal.limit_b {
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
            if lower > search.goal.limit_b {
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

/// As [`closest::triangle_triangle`], but asks whether triangles meet only where they may.
#[inline]
fn closest_points(a: &[Vec3; 3], b: &[Vec3; 3]) -> ClosestPoints {
    let near = closest::disjoint(a, b);
    if near.lower == 0.0 && triangles_intersect(a, b) {
        return closest::triangle_triangle(a, b);
    }
    near
}
