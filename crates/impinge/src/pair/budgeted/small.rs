//! Every triangle against every triangle, in parts: for two small meshes without trees.

use crate::answer::{Bounds, Distance};
use crate::arrays::MapEach;
use crate::budget::{Budget, Quantum};
use crate::closest;
use crate::math::{Aabb, Pose, Vec3, length_down};
use crate::mesh::Mesh;
use crate::tree::{Aim, MAX_TRIANGLES_FOR_SWEEP, Progress, StagedTest};

/// Units of a measurement of two triangles in `f64`.
const UNITS_OF_MEASUREMENT: u64 = 2;

/// The state of a search. It has a copy of the triangles, in A's frame, by which it is recognised.
#[derive(Debug)]
pub(super) struct SmallSearch {
    a: Vec<[Vec3; 3]>,
    b: Vec<[Vec3; 3]>,
    boxes: Vec<Aabb>,
    aim: Option<Aim>,
    bounds: Bounds,
    /// The next pair.
    row: usize,
    column: usize,
    is_row_started: bool,
    /// The test of the next pair.
    test: StagedTest,
    lower: f64,
    best: Option<Distance>,
    found: Option<(u32, u32)>,
}

impl Default for SmallSearch {
    fn default() -> Self {
        Self {
            a: Vec::new(),
            b: Vec::new(),
            boxes: Vec::new(),
            aim: None,
            bounds: Bounds::UNKNOWN,
            row: 0,
            column: 0,
            is_row_started: false,
            test: StagedTest::NEW,
            lower: f64::INFINITY,
            best: None,
            found: None,
        }
    }
}

/// Whether two meshes are small enough.
pub(super) fn are_small(a: &Mesh, b: &Mesh) -> bool {
    a.triangles().len().max(b.triangles().len()) <= MAX_TRIANGLES_FOR_SWEEP
}

fn moved<'m>(mesh: &'m Mesh, pose: &'m Pose) -> impl ExactSizeIterator<Item = [Vec3; 3]> + 'm {
    (0..mesh.triangles().len()).map(|t| mesh.triangle(t).map_each(|v| pose.transform_point(v)))
}

impl SmallSearch {
    pub(super) fn forget(&mut self) {
        self.aim = None;
    }

    pub(super) fn belongs_to(&self, a: &Mesh, b: &Mesh, pose: &Pose) -> bool {
        let same = |kept: &[[Vec3; 3]], mesh: &Mesh, pose: &Pose| {
            kept.len() == mesh.triangles().len() && moved(mesh, pose).eq(kept.iter().copied())
        };
        self.aim.is_some() && same(&self.a, a, &Pose::IDENTITY) && same(&self.b, b, pose)
    }

    pub(super) fn start(&mut self, a: &Mesh, b: &Mesh, pose: &Pose, aim: Aim) {
        let (mut kept_a, mut kept_b) = (std::mem::take(&mut self.a), std::mem::take(&mut self.b));
        let mut boxes = std::mem::take(&mut self.boxes);
        kept_a.clear();
        kept_a.extend(moved(a, &Pose::IDENTITY));
        kept_b.clear();
        kept_b.extend(moved(b, pose));
        boxes.clear();
        boxes.extend(kept_b.iter().map(|t| Aabb::from_points(*t)));
        *self = Self { a: kept_a, b: kept_b, boxes, aim: Some(aim), ..Self::default() };
        if let (Some(here), Some(there)) = (self.a.first(), self.b.first()) {
            let around_b = self.boxes.iter().fold(Aabb::EMPTY, |sum, b| sum.union(b));
            self.bounds = Bounds::of_boxes(&a.bounds(), &around_b);
            self.bounds.include_points(here[0], there[0]);
        }
    }

    /// The two triangles that meet, unless all were wanted.
    pub(super) fn hit(&self) -> Option<(u32, u32)> {
        self.found
    }

    /// Lower bound of the distance of a finished search that found no hit.
    pub(super) fn gap(&self) -> f64 {
        self.lower
    }

    /// The bounds of a search that is not finished.
    pub(super) fn bounds(&self) -> Bounds {
        Bounds { open: self.a.len() - self.row, ..self.bounds }
    }

    /// The distance as far as it is known.
    pub(super) fn distance(&self) -> Distance {
        let upper = self.bounds.upper;
        let lower = if self.row < self.a.len() { 0.0 } else { self.lower.min(upper) };
        match self.best {
            Some(best) => Distance { lower, upper, ..best },
            None => Distance::between(lower, upper, [Vec3::ZERO; 2]),
        }
    }

    /// Continues until it is finished or the budget is spent. Pairs that meet go to `receiver`.
    pub(super) fn run(
        &mut self,
        receiver: &mut dyn FnMut(u32, u32),
        budget: &mut Budget<'_>,
    ) -> Progress {
        if self.found.is_some() {
            return Progress::Finished;
        }
        while self.row < self.a.len() {
            if !self.is_row_started {
                // The boxes of a row of pairs.
                if !budget.step_of(Quantum::Open) {
                    return Progress::Stopped;
                }
                self.is_row_started = true;
            }
            let bounds = Aabb::from_points(self.a[self.row]);
            while self.column < self.b.len() {
                if !self.pair(&bounds, receiver, budget) {
                    return Progress::Stopped;
                }
                if self.found.is_some() {
                    return Progress::Finished;
                }
            }
            (self.row, self.column, self.is_row_started) = (self.row + 1, 0, false);
        }
        Progress::Finished
    }

    /// Compares the next pair; false if the budget is spent.
    fn pair(
        &mut self,
        bounds: &Aabb,
        receiver: &mut dyn FnMut(u32, u32),
        budget: &mut Budget<'_>,
    ) -> bool {
        let other = &self.boxes[self.column];
        let gap = length_down((bounds.min - other.max).max(other.min - bounds.max).max(Vec3::ZERO));
        let limit = if self.aim == Some(Aim::Distance) { self.bounds.upper } else { 0.0 };
        if gap > limit {
            self.lower = self.lower.min(gap);
            self.column += 1;
            return true;
        }
        if !self.test.afford(UNITS_OF_MEASUREMENT, budget) {
            return false;
        }
        let (here, there) = (&self.a[self.row], &self.b[self.column]);
        let Some(meet) = self.test.decide(here, there, budget) else { return false };
        let (t, u) = (self.row as u32, self.column as u32);
        if meet {
            receiver(t, u);
            if self.aim != Some(Aim::AllHits) {
                self.found = Some((t, u));
            }
        } else {
            let measured = closest::disjoint(here, there);
            self.lower = self.lower.min(measured.lower);
            if self.best.is_none_or(|best| measured.upper < best.upper) {
                self.best = Some(measured.of_triangles(t, u));
            }
            self.bounds.upper = self.bounds.upper.min(measured.upper);
        }
        self.column += 1;
        true
    }
}
