//! Searches in `f64` for meshes whose sizes, or whose distance, exceed the precision of `f32`: the
//! same trees, with bounds of pairs of subtrees from [`overlap`](super::overlap). They can be
//! interrupted after every unit of work and continued later.
//!
//! The pair with the deepest overlap, or else the smallest gap, is opened first. So the pair on top
//! bounds all open pairs: the depth of a penetration from above, the distance from below.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::answer::{Bounds, Distance};
use crate::arrays::MapEach;
use crate::budget::{Budget, Paid, Quantum};
use crate::closest;
use crate::math::{Aabb, Pose, Vec3, length_down, length_up};
use crate::mesh::Mesh;

use super::node::Link;
use super::overlap::{Overlaps, Side};
use super::resumable::Progress;
use super::staged::StagedTest;
use super::{MAX_SIZE_RATIO, Tree};

/// Units of a measurement of two triangles in `f64`.
const UNITS_OF_MEASUREMENT: u64 = 2;

/// Units of an opening, with up to 64 pairs of children.
const UNITS_OF_OPENING: u64 = 8;

/// A search for the distance ends when its bounds differ by less than this share: where meshes are
/// far apart, very many pairs are equally close up to rounding.
const DISTANCE_PRECISION: f64 = 1.0 / (1_u64 << 40) as f64;

/// What a search is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Aim {
    /// Any pair of triangles that meet.
    FirstHit,
    /// All pairs that meet.
    AllHits,
    /// The closest pair.
    Distance,
}

/// Two subtrees.
#[derive(Clone, Copy, Debug)]
struct Open {
    /// Upper bound of the depth of their penetration; if negative, minus a lower bound of their
    /// distance.
    depth: f64,
    a: Link,
    b: Link,
}

impl Ord for Open {
    fn cmp(&self, other: &Self) -> Ordering {
        // Deepest first; ties go to the highest numbers, which are those of leaves, then of nodes
        // further down: where very many pairs are equal, one of them is compared soon.
        let key = |open: &Self| (open.a.number(), open.b.number());
        self.depth.total_cmp(&other.depth).then(key(self).cmp(&key(other)))
    }
}

impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Open {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Open {}

/// The state of a search. It can be continued as long as the meshes, their trees and the pose are
/// the same.
#[derive(Debug)]
pub(crate) struct UnevenSearch {
    aim: Aim,
    open: BinaryHeap<Open>,
    /// The leaves whose triangles are being compared, and the next pair among them.
    leaves: Option<Open>,
    lane: usize,
    /// The test of that pair.
    test: StagedTest,
    /// Units already paid for the next piece of work.
    paid: Paid,
    /// Bounds of the distance of the pairs that were closed.
    lower: f64,
    upper: f64,
    /// The closest pair measured, or one that meets.
    best: Option<Distance>,
    /// The first bounds of the depth.
    total_depth: f64,
    found: Option<(u32, u32)>,
    is_finished: bool,
}

impl Default for UnevenSearch {
    fn default() -> Self {
        Self {
            aim: Aim::FirstHit,
            open: BinaryHeap::new(),
            leaves: None,
            lane: 0,
            test: StagedTest::NEW,
            paid: Paid::NOTHING,
            lower: f64::INFINITY,
            upper: f64::INFINITY,
            best: None,
            total_depth: 0.0,
            found: None,
            is_finished: false,
        }
    }
}

/// Two meshes with their trees, and bounds of pairs of subtrees.
struct Query<'a> {
    a: &'a Mesh,
    b: &'a Mesh,
    tree_a: &'a Tree,
    tree_b: &'a Tree,
    pose: &'a Pose,
    overlaps: Overlaps<'a>,
}

impl UnevenSearch {
    /// Starts a query.
    pub(crate) fn start(
        &mut self,
        (a, tree_a): (&Mesh, &Tree),
        (b, tree_b): (&Mesh, &Tree),
        pose: &Pose,
        aim: Aim,
    ) {
        let mut open = std::mem::take(&mut self.open);
        open.clear();
        *self = Self { aim, open, ..Self::default() };
        let (Some((_, root_a)), Some((_, root_b))) = (tree_a.root, tree_b.root) else {
            self.is_finished = true;
            return;
        };
        let query = Query::new((a, tree_a), (b, tree_b), pose);
        self.total_depth = query.overlaps.of(root_a, root_b);
        let here = a.triangle(tree_a.some_triangle(root_a))[0];
        let there = pose.transform_point(b.triangle(tree_b.some_triangle(root_b))[0]);
        self.upper = length_up(here - there);
        self.push(Open { depth: self.total_depth, a: root_a, b: root_b });
    }

    /// Continues the search until it is finished or the budget is spent. Pairs that meet go to
    /// `receiver`. The meshes, the trees and the pose must be those of the start.
    pub(crate) fn run(
        &mut self,
        a: (&Mesh, &Tree),
        b: (&Mesh, &Tree),
        pose: &Pose,
        receiver: &mut dyn FnMut(u32, u32),
        budget: &mut Budget<'_>,
    ) -> Progress {
        if self.is_finished {
            return Progress::Finished;
        }
        let query = Query::new(a, b, pose);
        let progress = self.search(&query, receiver, budget);
        self.is_finished = progress == Progress::Finished;
        progress
    }

    /// The two triangles that meet, of a search for the first hit.
    pub(crate) fn hit(&self) -> Option<(u32, u32)> {
        self.found
    }

    /// Lower bound of the distance of everything that was found to be apart.
    pub(crate) fn gap(&self) -> f64 {
        self.lower.max(0.0)
    }

    /// The number of pairs of subtrees that are not decided.
    pub(crate) fn open(&self) -> usize {
        self.open.len() + usize::from(self.leaves.is_some())
    }

    /// The bounds of a search that is not finished.
    pub(crate) fn bounds(&self) -> Bounds {
        let total = self.total_depth.max(0.0);
        Bounds {
            open_depth: self.deepest().clamp(0.0, total),
            open: self.open(),
            upper: self.upper,
            ..Bounds::of_meshes(total)
        }
    }

    /// The distance as far as it is known.
    pub(crate) fn distance(&self) -> Distance {
        let open = -self.deepest();
        let (lower, upper) = (self.lower.min(open).max(0.0).min(self.upper), self.upper);
        match self.best {
            Some(best) => Distance { lower, upper, ..best },
            None => Distance::between(lower, upper, [Vec3::ZERO; 2]),
        }
    }

    /// The largest depth of an open pair.
    fn deepest(&self) -> f64 {
        let top = self.open.peek().map_or(f64::NEG_INFINITY, |open| open.depth);
        self.leaves.map_or(top, |leaves| top.max(leaves.depth))
    }

    /// Adds a pair unless it is decided.
    fn push(&mut self, open: Open) {
        let gap = -open.depth;
        if self.aim == Aim::Distance {
            if gap <= self.upper {
                self.open.push(open);
            }
        } else if gap > 0.0 {
            self.lower = self.lower.min(gap);
        } else {
            self.open.push(open);
        }
    }

    fn search(
        &mut self,
        query: &Query<'_>,
        receiver: &mut dyn FnMut(u32, u32),
        budget: &mut Budget<'_>,
    ) -> Progress {
        loop {
            if let Some(leaves) = self.leaves {
                while self.lane < 64 {
                    if !self.triangles(query, &leaves, receiver, budget) {
                        return Progress::Stopped;
                    }
                    if self.found.is_some() {
                        return Progress::Finished;
                    }
                }
                self.leaves = None;
            }
            let Some(top) = self.open.peek().copied() else { return Progress::Finished };
            let precise = self.upper * (1.0 - DISTANCE_PRECISION);
            if self.aim == Aim::Distance && self.best.is_some() && -top.depth >= precise {
                return Progress::Finished;
            }
            if top.a.is_leaf() && top.b.is_leaf() {
                if !budget.step_of(Quantum::Leaves) {
                    return Progress::Stopped;
                }
                self.open.pop();
                (self.leaves, self.lane) = (Some(top), 0);
                continue;
            }
            // Up to 64 pairs of children, most of which are dismissed along one direction.
            if !self.paid.afford(UNITS_OF_OPENING, Quantum::Open, budget) {
                return Progress::Stopped;
            }
            self.open.pop();
            self.open_pair(query, &top);
        }
    }

    /// Adds the pairs of children.
    fn open_pair(&mut self, query: &Query<'_>, top: &Open) {
        let (open_a, open_b) = query.opens(top);
        let parts_a = query.overlaps.side_a(top.a, open_a);
        let parts_b = query.overlaps.side_b(top.b, open_b);
        for here in parts_a.iter() {
            for there in parts_b.iter() {
                let mut depth = query.overlaps.along_centers(here, there);
                if -depth <= if self.aim == Aim::Distance { self.upper } else { 0.0 } {
                    depth = depth.min(query.overlaps.of(here.link, there.link));
                }
                // Rounding may make a child extend beyond its parent.
                let depth = depth.min(top.depth);
                self.push(Open { depth, a: here.link, b: there.link });
            }
        }
    }

    /// Compares the next pair of triangles of two leaves; false if the budget is spent.
    fn triangles(
        &mut self,
        query: &Query<'_>,
        leaves: &Open,
        receiver: &mut dyn FnMut(u32, u32),
        budget: &mut Budget<'_>,
    ) -> bool {
        let (i, j) = (self.lane / 8, self.lane % 8);
        let a = &query.tree_a.leaves[leaves.a.index()];
        let b = &query.tree_b.leaves[leaves.b.index()];
        if i >= a.count as usize || j >= b.count as usize {
            self.lane += 1;
            return true;
        }
        if !self.test.afford(UNITS_OF_MEASUREMENT, budget) {
            return false;
        }
        let (t, u) = (a.triangles[i], b.triangles[j]);
        let here = query.a.triangle(t as usize);
        let there = query.b.triangle(u as usize).map_each(|v| query.pose.transform_point(v));
        let limit = if self.aim == Aim::Distance { self.upper } else { 0.0 };
        let gap = gap_of_boxes(&here, &there);
        if gap > limit {
            self.lower = self.lower.min(gap.max(-leaves.depth));
            self.lane += 1;
            return true;
        }
        let Some(meet) = self.test.decide(&here, &there, budget) else { return false };
        self.lane += 1;
        if meet {
            receiver(t, u);
            if self.aim != Aim::AllHits {
                self.found = Some((t, u));
            }
        } else {
            let measured = closest::disjoint(&here, &there);
            // Both bounds hold; the larger one keeps the lower bound from falling by rounding.
            self.lower = self.lower.min(measured.lower.max(-leaves.depth));
            if self.best.is_none_or(|best| measured.upper < best.upper) {
                self.best = Some(measured.of_triangles(t, u));
                self.upper = self.upper.min(measured.upper);
            }
        }
        true
    }
}

/// Lower bound of the distance of the boxes of two triangles.
fn gap_of_boxes(a: &[Vec3; 3], b: &[Vec3; 3]) -> f64 {
    let (p, q) = (Aabb::from_points(*a), Aabb::from_points(*b));
    length_down((p.min - q.max).max(q.min - p.max).max(Vec3::ZERO))
}

impl<'a> Query<'a> {
    fn new(
        (a, tree_a): (&'a Mesh, &'a Tree),
        (b, tree_b): (&'a Mesh, &'a Tree),
        pose: &'a Pose,
    ) -> Self {
        Self { a, b, tree_a, tree_b, pose, overlaps: Overlaps::new(tree_a, tree_b, pose) }
    }

    /// Which of two subtrees are opened: both, unless one is a leaf or much smaller.
    fn opens(&self, open: &Open) -> (bool, bool) {
        if open.a.is_leaf() || open.b.is_leaf() {
            return (!open.a.is_leaf(), !open.b.is_leaf());
        }
        let size = |tree: &Tree, link: Link| {
            f64::from(tree.nodes[link.index()].bounds.size()) * tree.frame.unit
        };
        let (size_a, size_b) = (size(self.tree_a, open.a), size(self.tree_b, open.b));
        let ratio = f64::from(MAX_SIZE_RATIO);
        (size_a * ratio >= size_b, size_b * ratio >= size_a)
    }
}

/// The parts of one subtree that are compared with those of the other.
pub(super) struct Parts {
    parts: [Side; 8],
    count: usize,
}

impl Parts {
    pub(super) const NONE: Self = Self { parts: [Side::NONE; 8], count: 0 };

    pub(super) fn push(&mut self, part: Side) {
        self.parts[self.count] = part;
        self.count += 1;
    }

    fn iter(&self) -> impl Iterator<Item = &Side> {
        self.parts[..self.count].iter()
    }
}
