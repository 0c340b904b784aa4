//! Queries within a budget: the result is hit, separated, or maybe with a bound on the penetration
//! (Klosowski et al. 1998, section 5.2.3).
//!
//! The pair of nodes with the deepest overlap is opened first, because it determines the bound.
//! `docs/notes/maybe.md` derives the bound.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::counters::Counter;
use super::query::BvQuery;
use super::tumble::Tumble;
use crate::klosowski::volume::Volume;
use impinge::Bounds;
use impinge::exact::triangles_intersect;
use impinge::internals::{closest_of_disjoint, length_up};
use impinge::math::Pose;
use impinge::pair::{Budget, BudgetVerdict, Separation};

/// Two nodes whose volumes overlap and whose children have not been compared yet.
#[derive(Clone, Copy, Debug)]
struct NodePair {
    /// Upper bound of the penetration depth of the triangles in the two nodes.
    depth: f64,
    a: u32,
    b: u32,
    /// Number of nodes opened on the way from the two roots.
    level: u32,
}

impl Ord for NodePair {
    fn cmp(&self, other: &Self) -> Ordering {
        // Deepest first. Equal depths are ordered by node numbers, the lowest first.
        self.depth.total_cmp(&other.depth).then((other.a, other.b).cmp(&(self.a, self.b)))
    }
}

impl PartialOrd for NodePair {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for NodePair {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for NodePair {}

/// The state of one search.
#[derive(Default)]
struct Search {
    frontier: BinaryHeap<NodePair>,
    /// Pairs that stay undecided: at the depth limit, or left when the budget ended.
    undecided: Vec<NodePair>,
    /// The smallest distance bound among the pairs found disjoint.
    gap: Option<f64>,
}

impl Search {
    fn add_gap(&mut self, gap: f64) {
        self.gap = Some(self.gap.map_or(gap, |g| g.min(gap)));
    }
}

impl<V: Volume, T: Tumble<V>> BvQuery<'_, V, T> {
    /// Whether the surfaces intersect, with B at `pose` in A's frame. The result is
    /// [`Verdict::Undecided`](impinge::Verdict::Undecided) if the budget ends before the search
    /// does.
    ///
    /// ```
    /// use impinge::pair::Budget;
    /// use impinge_papers::klosowski::bv_tree::{BuildOptions, BvQuery, BvTree};
    /// use impinge_papers::klosowski::volume::Dop18;
    /// use impinge::{Pose, Verdict, shapes};
    ///
    /// let ring = shapes::torus(1.0, 0.3, 32, 16)?;
    /// let tree = BvTree::<Dop18>::build(&ring, &BuildOptions::environment());
    /// let mut query = BvQuery::new((&ring, &tree), (&ring, &tree))?;
    /// // Like two links of a chain.
    /// let linked = Pose::from_quaternion([1.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0])?;
    /// let mut open_depth = |steps| match query.within(&linked, &mut Budget::steps(steps)) {
    ///     Verdict::Undecided(bounds) => bounds.open_depth,
    ///     _ => panic!("{steps} steps are too few for a decision"),
    /// };
    /// assert!(open_depth(20) <= open_depth(5));
    /// assert!(query.within(&linked, &mut Budget::unlimited()).is_separated());
    /// # Ok::<(), impinge::Error>(())
    /// ```
    pub fn within(&mut self, pose: &Pose, budget: &mut Budget<'_>) -> BudgetVerdict {
        self.within_counted(pose, budget, &mut ())
    }

    /// As [`BvQuery::within`]. Counts the work in `counter`.
    pub fn within_counted<C: Counter>(
        &mut self,
        pose: &Pose,
        budget: &mut Budget<'_>,
        counter: &mut C,
    ) -> BudgetVerdict {
        if !self.begin(pose, 0.0) {
            return BudgetVerdict::Separated(Separation::Empty);
        }
        let mut search = Search::default();
        let root = NodePair { depth: f64::INFINITY, a: 0, b: 0, level: 0 };
        let start = self.compare(&root, 0, 0, 0, counter);
        let total_depth = start.map_or(0.0, |pair| pair.depth);
        search.add(start);
        while let Some(pair) = search.frontier.pop() {
            let (a, b) = (pair.a, pair.b);
            if self.a.node(a).is_leaf() && self.b.node(b).is_leaf() {
                match self.compare_leaves(a, b, budget, &mut search, counter) {
                    LeafResult::Hit(a, b) => return BudgetVerdict::Intersecting((a, b)),
                    LeafResult::Disjoint => continue,
                    LeafResult::Stopped => {
                        search.undecided.push(pair);
                        break;
                    }
                }
            }
            if pair.level >= budget.depth_limit() {
                search.undecided.push(pair);
                continue;
            }
            let open_a = self.opens_a(a, b);
            let children =
                if open_a { self.a.node(a).children() } else { self.b.node(b).children() };
            let mut rest = children.clone();
            let mut stopped = false;
            for child in children {
                if !budget.step() {
                    stopped = true;
                    break;
                }
                rest.start = child + 1;
                let (p, q) = if open_a { (child, b) } else { (a, child) };
                let result = self.compare(&pair, p, q, pair.level + 1, counter);
                search.add(result);
            }
            if stopped {
                // The depth of the parent pair bounds the depth of children that were not compared.
                search.undecided.extend(rest.map(|child| {
                    let (a, b) = if open_a { (child, b) } else { (a, child) };
                    NodePair { a, b, ..pair }
                }));
                break;
            }
        }
        search.undecided.extend(search.frontier.drain());
        if search.undecided.is_empty() {
            let lower = search.gap.unwrap_or(0.0);
            return BudgetVerdict::Separated(Separation::Distance { lower });
        }
        BudgetVerdict::Undecided(self.bounds(&search.undecided, total_depth))
    }

    /// Compares two nodes, children of the pair `above`. Returns the pair if the volumes overlap,
    /// else a lower bound of their distance.
    fn compare<C: Counter>(
        &mut self,
        above: &NodePair,
        a: u32,
        b: u32,
        level: u32,
        counter: &mut C,
    ) -> Result<NodePair, f64> {
        let (volume_a, volume_b) = self.volumes(a, b, counter);
        if volume_a.overlaps(volume_b) {
            let depth = volume_a.overlap_depth(volume_b).min(above.depth);
            Ok(NodePair { depth, a, b, level })
        } else {
            Err(volume_a.gap(volume_b))
        }
    }

    fn compare_leaves<C: Counter>(
        &mut self,
        a: u32,
        b: u32,
        budget: &mut Budget<'_>,
        search: &mut Search,
        counter: &mut C,
    ) -> LeafResult {
        for j in self.b.tree.triangles_of(b) {
            let corners_b = self.moved_triangle(*j);
            for i in self.a.tree.triangles_of(a) {
                if !budget.step() {
                    return LeafResult::Stopped;
                }
                counter.triangle_pair(*i, *j);
                let corners_a = self.a.mesh.triangle(*i as usize);
                if triangles_intersect(&corners_a, &corners_b) {
                    return LeafResult::Hit(*i, *j);
                }
                search.add_gap(closest_of_disjoint(&corners_a, &corners_b).lower);
            }
        }
        LeafResult::Disjoint
    }

    /// The bounds of the signed distance that the undecided pairs leave.
    fn bounds(&self, undecided: &[NodePair], total_depth: f64) -> Bounds {
        let (lower, upper) = (-total_depth, f64::INFINITY);
        let mut bounds = Bounds { lower, upper, open_depth: 0.0, open: undecided.len() };
        for pair in undecided {
            bounds.open_depth = bounds.open_depth.max(pair.depth.min(total_depth));
            let i = self.a.tree.triangles_of(pair.a)[0];
            let j = self.b.tree.triangles_of(pair.b)[0];
            let difference = self.a.mesh.triangle(i as usize)[0] - self.moved_triangle(j)[0];
            bounds.upper = bounds.upper.min(length_up(difference));
        }
        bounds
    }
}

impl Search {
    fn add(&mut self, result: Result<NodePair, f64>) {
        match result {
            Ok(pair) => self.frontier.push(pair),
            Err(gap) => self.add_gap(gap),
        }
    }
}

/// The result of comparing the triangles of two leaves.
enum LeafResult {
    Hit(u32, u32),
    Disjoint,
    Stopped,
}
