//! The descent, level by level.

use impinge::exact::triangles_intersect;
use impinge::mesh::Mesh;
use impinge::pair::Budget;
use impinge::spheres::{Ball, SphereTree};
use impinge::{Aabb, Pose, Vec3, Verdict};

use super::LevelAnswer;
use super::balls::{MovedBalls, contact, farthest, may_meet, overlap, solid_gap};
use crate::visited_pairs::VisitedPairs;

/// The answer of a query. `Separated` has the number of levels after which no pair of balls met, or
/// one more than there are levels if triangles decided; `Intersecting` has a triangle of A and one
/// of B that share a point.
pub type NarrowVerdict = Verdict<usize, (u32, u32), LevelAnswer>;

/// The work at one level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LevelCounts {
    /// Queries that reached the level.
    pub reached: u64,
    /// Queries in which balls (or triangles, at the last level) met at the level.
    pub meeting: u64,
    /// Pairs of balls, or of triangles, that were compared.
    pub tests: u64,
}

/// The work of queries: for each level, and last for the triangles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NarrowCounts {
    /// From the coarsest level on.
    pub levels: Vec<LevelCounts>,
    /// Coherent queries that were decided by the triangles that met in the last one.
    pub witnesses: u64,
}

/// A pair of balls of one level.
type Pair = (u32, u32);

/// The memory of a query that is over, for the next one. Also holds where the last query ended.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// Pairs to be compared, by level.
    open: Vec<Vec<Pair>>,
    /// Pairs that met, of the present level.
    meeting: Vec<Pair>,
    /// By level, the pairs at which the last coherent query ended: those that were apart, and those
    /// of the deepest level that met.
    front: Vec<Vec<Pair>>,
    /// The triangles that met in the last coherent query.
    witness: Option<(u32, u32)>,
    /// Whether the next coherent query starts at the front.
    has_front: bool,
    compared: VisitedPairs,
    /// By level, the moved balls of B, each with the number of the query that moved it.
    moved: Vec<Vec<(u64, Ball)>>,
    /// The number of the present query; the first one has 1.
    query: u64,
}

/// A ball that was not moved yet.
const NOT_MOVED: (u64, Ball) = (0, Ball { center: Vec3::ZERO, radius: 0.0 });

/// Two meshes with their sphere-trees. B has a pose in A's frame in every query.
#[derive(Debug)]
pub struct NarrowQuery<'a> {
    a: (&'a Mesh, &'a SphereTree),
    b: (&'a Mesh, &'a SphereTree),
    reaches: Option<[&'a [Vec<f64>]; 2]>,
    scratch: Scratch,
    counts: NarrowCounts,
}

/// What a query knows so far.
struct State {
    moved: MovedBalls,
    answer: LevelAnswer,
}

/// How a level ended.
enum LevelEnd {
    Apart,
    Meeting(LevelAnswer),
    OutOfBudget,
}

impl<'a> NarrowQuery<'a> {
    /// A query of two meshes with trees that were made for them.
    #[must_use]
    pub fn new(a: (&'a Mesh, &'a SphereTree), b: (&'a Mesh, &'a SphereTree)) -> Self {
        Self::with_scratch(a, b, Scratch::default())
    }

    /// As [`NarrowQuery::new`], in the memory of an earlier query of the same two meshes.
    #[must_use]
    pub fn with_scratch(
        a: (&'a Mesh, &'a SphereTree),
        b: (&'a Mesh, &'a SphereTree),
        mut scratch: Scratch,
    ) -> Self {
        let levels = a.1.levels().max(b.1.levels());
        scratch.open.resize_with(levels, Vec::new);
        scratch.front.resize_with(levels, Vec::new);
        scratch.moved.resize_with(levels, Vec::new);
        for (level, moved) in scratch.moved.iter_mut().enumerate() {
            moved.resize(b.1.level(level.min(b.1.levels() - 1)).len(), NOT_MOVED);
        }
        let counts =
            NarrowCounts { levels: vec![LevelCounts::default(); levels + 1], witnesses: 0 };
        Self { a, b, reaches: None, scratch, counts }
    }

    /// With the [reaches](crate::hubbard::spheres::reaches) of the balls of A and of B, from which
    /// the distance of the solids is bounded.
    ///
    /// # Panics
    /// Queries panic if there are not as many as balls.
    #[must_use]
    pub fn reaches(mut self, a: &'a [Vec<f64>], b: &'a [Vec<f64>]) -> Self {
        self.reaches = Some([a, b]);
        self
    }

    /// The memory, for the next query of the same two meshes.
    #[must_use]
    pub fn into_scratch(self) -> Scratch {
        self.scratch
    }

    /// The work of all queries so far.
    #[must_use]
    pub fn counts(&self) -> &NarrowCounts {
        &self.counts
    }

    /// The number of levels of balls.
    #[must_use]
    pub fn levels(&self) -> usize {
        self.scratch.open.len()
    }

    /// The answer within a budget, from the roots: a step compares two balls or two triangles.
    pub fn within(&mut self, pose: &Pose, budget: &mut Budget<'_>) -> NarrowVerdict {
        self.open_roots();
        self.scratch.has_front = false;
        self.run(pose, budget, 0, false)
    }

    /// As [`NarrowQuery::within`], starting where the last coherent query ended: with the two
    /// triangles that met, then with the pairs of balls at which the descent ended. The verdict is
    /// the same, the triangles may differ. Every second query starts at the roots, because these
    /// pairs only get deeper from frame to frame, also where the bodies move apart.
    ///
    /// With eight children of each ball, the pairs above the last ones are only a 64th of all, so
    /// that little is gained where nothing meets (`docs/results/hubbard-spheres.md`).
    pub fn coherent(&mut self, pose: &Pose, budget: &mut Budget<'_>) -> NarrowVerdict {
        if let Some((t, u)) = self.scratch.witness {
            let moved = self.b.0.triangle(u as usize).map(|v| pose.transform_point(v));
            if triangles_intersect(&self.a.0.triangle(t as usize), &moved) {
                self.counts.witnesses += 1;
                return Verdict::Intersecting((t, u));
            }
        }
        let from_front = self.scratch.has_front;
        let mut first = 0;
        if from_front {
            let Scratch { open, front, .. } = &mut self.scratch;
            std::mem::swap(open, front);
            // Levels above are skipped, and so have no answer.
            first = open.iter().rposition(|pairs| !pairs.is_empty()).unwrap_or(0);
        } else {
            self.open_roots();
        }
        let verdict = self.run(pose, budget, first, !from_front);
        self.scratch.witness = match verdict {
            Verdict::Intersecting(pair) => Some(pair),
            _ => None,
        };
        // An incomplete descent has no front.
        self.scratch.has_front = !from_front && !matches!(verdict, Verdict::Undecided(_));
        verdict
    }

    /// Every ball of A's first level with every ball of B's.
    fn open_roots(&mut self) {
        self.scratch.open.iter_mut().for_each(Vec::clear);
        let [a, b] = [self.a.1, self.b.1].map(|tree| tree.level(0).len() as u32);
        self.scratch.open[0].extend((0..a).flat_map(|i| (0..b).map(move |j| (i, j))));
    }

    fn run(
        &mut self,
        pose: &Pose,
        budget: &mut Budget<'_>,
        first: usize,
        keep_front: bool,
    ) -> NarrowVerdict {
        let [box_a, box_b] = [self.a.0.bounds(), self.b.0.bounds_at(pose)];
        let answer = LevelAnswer {
            level: 0,
            pairs: 1,
            gap: impinge::Bounds::of_boxes(&box_a, &box_b).upper,
            solid_gap: f64::INFINITY,
            point: Vec3::ZERO,
            normal: Vec3::ZERO,
        };
        let mut state = State { moved: MovedBalls::new(self.b.0, pose), answer };
        self.scratch.front.iter_mut().for_each(Vec::clear);
        self.scratch.query += 1;
        let levels = self.levels();
        for level in 0..levels {
            if level as u64 >= u64::from(budget.depth_limit()) {
                return Verdict::Undecided(state.answer);
            }
            let later = self.scratch.open[level + 1..].iter().any(|pairs| !pairs.is_empty());
            match self.level(level, &mut state, budget, keep_front) {
                LevelEnd::OutOfBudget => return Verdict::Undecided(state.answer),
                LevelEnd::Apart if !later => return Verdict::Separated(level + 1),
                LevelEnd::Apart => {}
                LevelEnd::Meeting(answer) => {
                    (state.answer.gap, state.answer.solid_gap) = (answer.gap, answer.solid_gap);
                    if level >= first {
                        state.answer = answer;
                    }
                }
            }
        }
        if levels as u64 >= u64::from(budget.depth_limit()) {
            return Verdict::Undecided(state.answer);
        }
        match self.triangles(pose, budget) {
            Some(Some(pair)) => Verdict::Intersecting(pair),
            Some(None) => Verdict::Separated(levels + 1),
            None => Verdict::Undecided(state.answer),
        }
    }

    /// Compares the open pairs of a level, and opens the pairs of their children.
    fn level(
        &mut self,
        level: usize,
        state: &mut State,
        budget: &mut Budget<'_>,
        keep_front: bool,
    ) -> LevelEnd {
        let Scratch { open, meeting, front, moved, query, .. } = &mut self.scratch;
        let (moved, query) = (&mut moved[level], *query);
        let counts = &mut self.counts.levels[level];
        // A tree with fewer levels stays at its deepest one.
        let [at_a, at_b] = [self.a.1, self.b.1].map(|tree| level.min(tree.levels() - 1));
        let (balls_a, balls_b) = (self.a.1.level(at_a), self.b.1.level(at_b));
        let is_deepest = level + 1 == open.len();
        counts.reached += 1;
        meeting.clear();
        let (mut gap, mut apart) = (state.answer.gap, state.answer.solid_gap);
        let mut deepest = f64::NEG_INFINITY;
        let mut touch: Option<[Ball; 2]> = None;
        for (a, b) in std::mem::take(&mut open[level]) {
            if !budget.step() {
                return LevelEnd::OutOfBudget;
            }
            counts.tests += 1;
            let known = &mut moved[b as usize];
            if known.0 != query {
                *known = (query, state.moved.moved(&balls_b[b as usize].ball));
            }
            let (ball_a, ball_b) = (balls_a[a as usize].ball, known.1);
            if !may_meet(&ball_a, &ball_b) {
                if keep_front {
                    front[level].push((a, b));
                }
                continue;
            }
            gap = gap.min(farthest(&ball_a, &ball_b));
            if let Some([reaches_a, reaches_b]) = self.reaches {
                let own = (&ball_a, reaches_a[at_a][a as usize]);
                let its = (&balls_b[b as usize].ball, reaches_b[at_b][b as usize]);
                apart = apart.min(solid_gap(&state.moved, own, its));
            }
            let overlap = overlap(&ball_a, &ball_b);
            if overlap > deepest {
                (deepest, touch) = (overlap, Some([ball_a, ball_b]));
            }
            meeting.push((a, b));
        }
        let Some([ball_a, ball_b]) = touch else { return LevelEnd::Apart };
        counts.meeting += 1;
        if is_deepest {
            if keep_front {
                front[level].extend_from_slice(meeting);
            }
        } else {
            let children = |tree: &SphereTree, ball: u32| match tree.children(level, ball as usize)
            {
                none if none.is_empty() => ball..ball + 1,
                some => some.start as u32..some.end as u32,
            };
            for (a, b) in meeting.iter().copied() {
                let below = children(self.b.1, b);
                for i in children(self.a.1, a) {
                    open[level + 1].extend(below.clone().map(|j| (i, j)));
                }
            }
        }
        let (point, normal) = contact(&ball_a, &ball_b);
        LevelEnd::Meeting(LevelAnswer {
            level: level + 1,
            pairs: meeting.len(),
            gap,
            solid_gap: apart,
            point,
            normal,
        })
    }

    /// Compares the triangles of the deepest pairs that meet: two that share a point, or none; or
    /// nothing at all if the budget ended.
    fn triangles(&mut self, pose: &Pose, budget: &mut Budget<'_>) -> Option<Option<(u32, u32)>> {
        let Scratch { meeting, compared, .. } = &mut self.scratch;
        let counts = self.counts.levels.last_mut()?;
        counts.reached += 1;
        compared.start();
        for (a, b) in meeting.iter().copied() {
            for u in self.b.1.triangles(b as usize).iter().copied() {
                let moved = self.b.0.triangle(u as usize).map(|v| pose.transform_point(v));
                let around = Aabb::from_points(moved);
                for t in self.a.1.triangles(a as usize).iter().copied() {
                    if !compared.insert(t, u) {
                        continue;
                    }
                    if !budget.step() {
                        return None;
                    }
                    counts.tests += 1;
                    let own = self.a.0.triangle(t as usize);
                    if Aabb::from_points(own).overlaps(&around) && triangles_intersect(&own, &moved)
                    {
                        counts.meeting += 1;
                        return Some(Some((t, u)));
                    }
                }
            }
        }
        Some(None)
    }
}
