//! An answer within a budget: hit, separated, or maybe with a bound on the penetration (Klosowski
//! et al. 1998, section 5.2.3).
//!
//! Pairs of nodes are opened deepest overlap first, so that the bound falls as fast as it can;
//! `docs/notes/maybe.md` derives it.

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

/// Two nodes whose volumes overlap.
#[derive(Clone, Copy, Debug)]
struct Open {
    /// How deep what is in them can reach into each other.
    depth: f64,
    a: u32,
    b: u32,
    /// Openings from the roots.
    level: u32,
}

impl Ord for Open {
    fn cmp(&self, other: &Self) -> Ordering {
        // Deepest first; ties go to the lowest numbers.
        self.depth.total_cmp(&other.depth).then((other.a, other.b).cmp(&(self.a, self.b)))
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

/// A search under way.
#[derive(Default)]
struct Search {
    open: BinaryHeap<Open>,
    /// Pairs at the depth limit.
    left: Vec<Open>,
    /// The smallest gap between anything that was told apart.
    gap: Option<f64>,
}

impl Search {
    fn apart(&mut self, gap: f64) {
        self.gap = Some(self.gap.map_or(gap, |g| g.min(gap)));
    }
}

impl<V: Volume, T: Tumble<V>> BvQuery<'_, V, T> {
    /// Whether the surfaces meet, as far as the budget allows to tell, with B at `pose` in A's
    /// frame.
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
    /// let linked = Pose::from_quaternion([1.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0])?; // like two links of a chain
    /// let Verdict::Undecided(early) = query.within(&linked, &mut Budget::steps(5)) else { panic!("five steps do not do") };
    /// let Verdict::Undecided(later) = query.within(&linked, &mut Budget::steps(20)) else { panic!("nor do twenty") };
    /// assert!(later.open_depth <= early.open_depth);
    /// assert!(query.within(&linked, &mut Budget::unlimited()).is_separated());
    /// # Ok::<(), impinge::Error>(())
    /// ```
    pub fn within(&mut self, pose: &Pose, budget: &mut Budget<'_>) -> BudgetVerdict {
        self.within_counted(pose, budget, &mut ())
    }

    /// As [`BvQuery::within`], telling `counter` what it does.
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
        let root = Open { depth: f64::INFINITY, a: 0, b: 0, level: 0 };
        let start = self.compare(&root, 0, 0, 0, counter);
        let total_depth = start.map_or(0.0, |open| open.depth);
        search.take(start);
        while let Some(pair) = search.open.pop() {
            let (a, b) = (pair.a, pair.b);
            if self.a.node(a).is_leaf() && self.b.node(b).is_leaf() {
                match self.compare_leaves(a, b, budget, &mut search, counter) {
                    Leaves::Hit(a, b) => return BudgetVerdict::Intersecting((a, b)),
                    Leaves::Apart => continue,
                    Leaves::Stopped => {
                        search.left.push(pair);
                        break;
                    }
                }
            }
            if pair.level >= budget.depth_limit() {
                search.left.push(pair);
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
                search.take(result);
            }
            if stopped {
                // What was not compared is as deep as the pair it came from, at most.
                search.left.extend(rest.map(|child| {
                    let (a, b) = if open_a { (child, b) } else { (a, child) };
                    Open { a, b, ..pair }
                }));
                break;
            }
        }
        search.left.extend(search.open.drain());
        if search.left.is_empty() {
            let lower = search.gap.unwrap_or(0.0);
            return BudgetVerdict::Separated(Separation::Distance { lower });
        }
        BudgetVerdict::Undecided(self.known(&search.left, total_depth))
    }

    /// Two nodes below a pair: still open, or a gap apart.
    fn compare<C: Counter>(
        &mut self,
        above: &Open,
        a: u32,
        b: u32,
        level: u32,
        counter: &mut C,
    ) -> Result<Open, f64> {
        let (here, there) = self.volumes(a, b, counter);
        if here.overlaps(there) {
            let depth = here.overlap_depth(there).min(above.depth);
            Ok(Open { depth, a, b, level })
        } else {
            Err(here.gap(there))
        }
    }

    fn compare_leaves<C: Counter>(
        &mut self,
        a: u32,
        b: u32,
        budget: &mut Budget<'_>,
        search: &mut Search,
        counter: &mut C,
    ) -> Leaves {
        for j in self.b.tree.triangles_of(b) {
            let there = self.there(*j);
            for i in self.a.tree.triangles_of(a) {
                if !budget.step() {
                    return Leaves::Stopped;
                }
                counter.triangle_pair(*i, *j);
                let here = self.a.mesh.triangle(*i as usize);
                if triangles_intersect(&here, &there) {
                    return Leaves::Hit(*i, *j);
                }
                search.apart(closest_of_disjoint(&here, &there).lower);
            }
        }
        Leaves::Apart
    }

    fn known(&self, left: &[Open], total_depth: f64) -> Bounds {
        let (lower, upper) = (-total_depth, f64::INFINITY);
        let mut known = Bounds { lower, upper, open_depth: 0.0, open: left.len() };
        for pair in left {
            known.open_depth = known.open_depth.max(pair.depth.min(total_depth));
            let i = self.a.tree.triangles_of(pair.a)[0];
            let j = self.b.tree.triangles_of(pair.b)[0];
            let apart = self.a.mesh.triangle(i as usize)[0] - self.there(j)[0];
            known.upper = known.upper.min(length_up(apart));
        }
        known
    }
}

impl Search {
    fn take(&mut self, result: Result<Open, f64>) {
        match result {
            Ok(open) => self.open.push(open),
            Err(gap) => self.apart(gap),
        }
    }
}

/// What became of two leaves.
enum Leaves {
    Hit(u32, u32),
    Apart,
    Stopped,
}
