//! The table of queries: every public query has a row that runs it on samples.

mod bodies_within;
mod broad;
mod budgets;
mod convex;
mod curved;
mod measures;
mod meshes;
mod motion;
mod points;
mod published;
mod shapes;
mod solids;
mod solids_within;
mod spheres;
mod trees;
mod volumes;
mod worlds;
mod worlds_at;

use std::cell::OnceCell;

use impinge::convex::Hull;
use impinge::pair::Collect;
use impinge::{Mesh, Pose, Vec3};

use crate::checker::Checker;
use crate::sample::{Sample, Soup};
use crate::truth::{HullTruth, Truth};

/// A sample with its meshes and exact results. The results are computed when a row needs them.
#[derive(Debug)]
pub struct Case<'s> {
    /// The sample.
    pub sample: &'s Sample,
    /// A.
    pub a: Mesh,
    /// B, in its own frame.
    pub b: Mesh,
    truths: Vec<OnceCell<Truth>>,
    hulls: OnceCell<Option<Hulls>>,
}

/// The hulls of both bodies.
#[derive(Debug)]
pub struct Hulls {
    /// The hull of A.
    pub a: Hull,
    /// The hull of B, in its own frame.
    pub b: Hull,
    truths: Vec<OnceCell<HullTruth>>,
}

impl<'s> Case<'s> {
    /// The case of a sample.
    #[must_use]
    pub fn new(sample: &'s Sample) -> Self {
        Self {
            sample,
            a: sample.a.mesh(),
            b: sample.b.mesh(),
            truths: sample.poses.iter().map(|_| OnceCell::new()).collect(),
            hulls: OnceCell::new(),
        }
    }

    /// The steps of the motion: number, pose and truth.
    pub fn steps(&self) -> impl Iterator<Item = (usize, &Pose, &Truth)> {
        let truth = |step: usize| self.truths[step].get_or_init(|| Truth::new(self.sample, step));
        self.sample.poses.iter().enumerate().map(move |(step, pose)| (step, pose, truth(step)))
    }

    /// The hulls of the vertices that triangles use; `None` if a body has no triangles.
    pub fn hulls(&self) -> Option<&Hulls> {
        let make = || {
            let hull = |soup: &Soup| {
                let used = soup.triangles.iter().flatten().map(|v| soup.vertices[*v as usize]);
                Hull::new(&used.collect::<Vec<Vec3>>()).ok()
            };
            let truths = self.sample.poses.iter().map(|_| OnceCell::new()).collect();
            Some(Hulls { a: hull(&self.sample.a)?, b: hull(&self.sample.b)?, truths })
        };
        self.hulls.get_or_init(make).as_ref()
    }

    /// The steps of the motion of the hulls: number, pose and truth.
    pub fn hull_steps<'c>(
        &'c self,
        hulls: &'c Hulls,
    ) -> impl Iterator<Item = (usize, &'c Pose, &'c HullTruth)> {
        self.sample.poses.iter().enumerate().map(move |(step, pose)| {
            let find = || {
                let posed = hulls.b.vertices().iter().map(|v| pose.transform_point(*v)).collect();
                HullTruth::new(hulls.a.vertices().to_vec(), posed)
            };
            (step, pose, hulls.truths[step].get_or_init(find))
        })
    }

    /// Whether both bodies are closed tetrahedra, solids for which all results are known.
    #[must_use]
    pub fn are_tetrahedra(&self) -> bool {
        let is = |mesh: &Mesh| {
            // Each triangle omits a different vertex.
            let left_out = |t: &[u32; 3]| (0..4).filter(|v| !t.contains(v)).collect::<Vec<u32>>();
            let mut missing: Vec<Vec<u32>> = mesh.triangles().iter().map(left_out).collect();
            missing.sort_unstable();
            mesh.is_solid() && mesh.vertices().len() == 4 && missing == [[0], [1], [2], [3]]
        };
        is(&self.a) && is(&self.b)
    }
}

/// A row of the table of queries.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Its name in reports.
    pub name: &'static str,
    /// The public functions that it calls, by module and name.
    pub covers: &'static [&'static str],
    /// The row runs on one of this many samples of each family. Slow rows run less often.
    pub interval: u64,
    /// Runs the queries and checks the answers.
    pub run: fn(&Case<'_>, &mut Checker<'_>),
}

/// All rows of the table.
#[must_use]
pub fn rows() -> Vec<Row> {
    [
        points::ROWS,
        meshes::ROWS,
        measures::ROWS,
        budgets::ROWS,
        trees::ROWS,
        published::ROWS,
        volumes::ROWS,
        convex::ROWS,
        bodies_within::ROWS,
        curved::ROWS,
        shapes::ROWS,
        solids::ROWS,
        solids_within::ROWS,
        spheres::ROWS,
        broad::ROWS,
        motion::ROWS,
        worlds::ROWS,
        worlds_at::ROWS,
    ]
    .concat()
}

/// The sorted pairs that a traversal reports, including duplicates.
fn pairs_of(traverse: impl FnOnce(&mut Collect)) -> Vec<(u32, u32)> {
    let mut all = Collect::default();
    traverse(&mut all);
    all.into_sorted()
}
