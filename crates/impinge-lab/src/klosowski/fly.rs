//! Flights through each kind of tree: what they take and what they count.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use impinge::pair::{self, Count, First};
use impinge::tree::Tree;
use impinge::tree::bv::{BuildOptions, BvQuery, BvTree, Costs, Counts, Order, Recording};
use impinge::volume::{Dop6, Dop14, Dop18, Dop26, Oriented, Sphere, Volume};
use impinge::{Mesh, Pose};

use crate::report::CpuClock;
use crate::scenes::Scene;

/// A kind of bounding volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Dop6,
    Dop14,
    Dop18,
    Dop26,
    Oriented,
    Sphere,
}

/// Calls a function that is generic over the volume.
macro_rules! of_kind {
    ($kind:expr, $function:ident ( $($argument:expr),* )) => {
        match $kind {
            Kind::Dop6 => $function::<Dop6>($($argument),*),
            Kind::Dop14 => $function::<Dop14>($($argument),*),
            Kind::Dop18 => $function::<Dop18>($($argument),*),
            Kind::Dop26 => $function::<Dop26>($($argument),*),
            Kind::Oriented => $function::<Oriented>($($argument),*),
            Kind::Sphere => $function::<Sphere>($($argument),*),
        }
    };
}

impl Kind {
    /// The paper's four, the boxes that stand for its RAPID, and spheres, which it discusses (section 3.2) but does not measure.
    pub(super) const ALL: [Self; 6] =
        [Self::Dop6, Self::Dop14, Self::Dop18, Self::Dop26, Self::Oriented, Self::Sphere];
    /// Those that fly: all but spheres, which need thousands of times longer among long thin triangles.
    pub(super) const FLYING: [Self; 5] =
        [Self::Dop6, Self::Dop14, Self::Dop18, Self::Dop26, Self::Oriented];
    /// The paper's four.
    pub(super) const DOPS: [Self; 4] = [Self::Dop6, Self::Dop14, Self::Dop18, Self::Dop26];

    /// The name in tables.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Dop6 => "6-DOP",
            Self::Dop14 => "14-DOP",
            Self::Dop18 => "18-DOP",
            Self::Dop26 => "26-DOP",
            Self::Oriented => "oriented box (paper: RAPID)",
            Self::Sphere => "sphere",
        }
    }
}

/// How trees are built and descended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    pub(super) environment: BuildOptions,
    pub(super) flying: BuildOptions,
    pub(super) order: Order,
}

impl Rules {
    /// The paper's: splatter at the mean, leaves of 1 and 40 triangles, Algorithm 1. One thread builds.
    pub(super) fn paper() -> Self {
        Self {
            environment: BuildOptions { parallel: false, ..BuildOptions::environment() },
            flying: BuildOptions { parallel: false, ..BuildOptions::flying() },
            order: Order::Environment,
        }
    }

    /// As RAPID: one triangle a leaf, the larger box is opened. It divides across the box's own longest axis where our builder takes one of the three axes of the mesh.
    pub(super) fn rapid() -> Self {
        let paper = Self::paper();
        Self { flying: paper.environment, order: Order::Larger, ..paper }
    }

    /// Those of the paper for its own kinds, those of RAPID for oriented boxes.
    pub(super) fn of(kind: Kind) -> Self {
        if kind == Kind::Oriented { Self::rapid() } else { Self::paper() }
    }
}

/// How much of a flight is measured, and how thoroughly.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effort {
    /// At most so many passes over the flight; each step keeps its fastest.
    pub(super) passes: usize,
    /// No further pass begins after so much time.
    pub(super) budget: Duration,
    /// Also: the first contact alone, and what single operations cost.
    pub(super) thorough: bool,
}

/// What a flight took.
#[derive(Clone, Debug)]
pub(super) struct Flown {
    /// Seconds to build the environment's tree.
    pub(super) build: f64,
    /// Bytes of that tree a triangle.
    pub(super) bytes: f64,
    /// Microseconds a step, with all contacts reported.
    pub(super) report: Vec<f64>,
    /// Microseconds a step until the first contact; empty unless thorough.
    pub(super) detect: Vec<f64>,
    /// Pairs of triangles in contact over all steps.
    pub(super) contacts: u64,
    /// Sums over the flight, with all contacts reported.
    pub(super) counts: Counts,
    /// The mean cost of single operations, in nanoseconds; zero unless thorough.
    pub(super) costs: Costs,
}

impl Flown {
    /// The mean time of a step, in microseconds.
    pub(super) fn mean(&self) -> f64 {
        mean(&self.report)
    }
}

/// The mean; zero of nothing.
pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Flies through trees of this kind.
pub(super) fn fly(kind: Kind, scene: &Scene, rules: &Rules, effort: &Effort) -> Result<Flown> {
    of_kind!(kind, fly_with(scene, rules, effort))
}

fn fly_with<V: Volume>(scene: &Scene, rules: &Rules, effort: &Effort) -> Result<Flown> {
    let clock = CpuClock::start();
    let environment = BvTree::<V>::build(&scene.environment, &rules.environment);
    let build = clock.seconds();
    let flying = BvTree::<V>::build(&scene.body, &rules.flying);
    let mut query = BvQuery::new((&scene.environment, &environment), (&scene.body, &flying))?;

    let mut contacts = Count::default();
    let mut counts = Counts::default();
    for pose in &scene.poses {
        query.traverse_counted(pose, rules.order, &mut contacts, &mut counts);
    }
    let report = replay(&scene.poses, effort, |pose| {
        let mut count = Count::default();
        query.traverse(pose, rules.order, &mut count);
        count.pairs
    });
    let (mut detect, mut costs) = (Vec::new(), NO_COSTS);
    if effort.thorough {
        detect = replay(&scene.poses, effort, |pose| {
            let mut first = First::default();
            query.traverse(pose, rules.order, &mut first);
            usize::from(first.pair.is_some())
        });
        costs = operations(&mut query, &scene.poses, rules.order);
    }
    let bytes = environment.bytes() as f64 / scene.environment.triangles().len().max(1) as f64;
    Ok(Flown { build, bytes, report, detect, contacts: contacts.pairs as u64, counts, costs })
}

const NO_COSTS: Costs = Costs { volume_pair: 0.0, triangle_pair: 0.0, update: 0.0 };

/// Poses whose operations are timed, spread over a flight.
const SAMPLED: usize = 40;

/// The mean cost of each operation over some poses of the flight, each weighted with how often it occurs there.
fn operations<V: Volume>(query: &mut BvQuery<'_, V>, poses: &[Pose], order: Order) -> Costs {
    let (mut sum, mut number) = ([0.0; 3], [0.0; 3]);
    for pose in poses.iter().step_by(poses.len().div_ceil(SAMPLED).max(1)) {
        let mut recording = Recording::default();
        query.traverse_counted(pose, order, &mut Count::default(), &mut recording);
        // The least of several, since one is soon disturbed.
        let mut once = [f64::INFINITY; 3];
        for _ in 0..7 {
            let costs = query.measure(pose, &recording, 2);
            let these = [costs.volume_pair, costs.triangle_pair, costs.update];
            once = [0, 1, 2].map(|k| once[k].min(these[k]));
        }
        let often =
            [recording.volume_pairs.len(), recording.triangle_pairs.len(), recording.updates.len()];
        for k in 0..3 {
            sum[k] += once[k] * often[k] as f64;
            number[k] += often[k] as f64;
        }
    }
    let of = |k: usize| sum[k] / number[k].max(1.0);
    Costs { volume_pair: of(0), triangle_pair: of(1), update: of(2) }
}

/// Flies through the production tree, which keeps no counts.
pub(super) fn fly_production(scene: &Scene, effort: &Effort) -> Flown {
    let clock = CpuClock::start();
    let tree = std::hint::black_box(Tree::build(&scene.environment));
    let build = clock.seconds();
    let mut contacts = Count::default();
    for pose in &scene.poses {
        pair::traverse(&scene.environment, &scene.body, pose, &mut contacts);
    }
    let report = replay(&scene.poses, effort, |pose| {
        let mut count = Count::default();
        pair::traverse(&scene.environment, &scene.body, pose, &mut count);
        count.pairs
    });
    let detect = replay(&scene.poses, effort, |pose| {
        let mut first = First::default();
        pair::traverse(&scene.environment, &scene.body, pose, &mut first);
        usize::from(first.pair.is_some())
    });
    Flown {
        build,
        bytes: tree.bytes() as f64 / scene.environment.triangles().len().max(1) as f64,
        report,
        detect,
        contacts: contacts.pairs as u64,
        counts: Counts::default(),
        costs: NO_COSTS,
    }
}

/// The steps of a flight in order, several times; each keeps its fastest time, in microseconds.
fn replay(poses: &[Pose], effort: &Effort, mut query: impl FnMut(&Pose) -> usize) -> Vec<f64> {
    let mut best = vec![f64::INFINITY; poses.len()];
    let start = Instant::now();
    for pass in 0..effort.passes.max(1) {
        if pass > 0 && start.elapsed() > effort.budget {
            break;
        }
        for (pose, best) in poses.iter().zip(&mut best) {
            let clock = Instant::now();
            std::hint::black_box(query(pose));
            *best = best.min(clock.elapsed().as_secs_f64() * 1e6);
        }
    }
    best
}

/// `N_v` of one query of two meshes at rest, both trees down to single triangles, which must not touch.
pub(super) fn overlap_queries(kind: Kind, outer: &Mesh, inner: &Mesh) -> Result<u64> {
    of_kind!(kind, overlap_queries_with(outer, inner, &Rules::of(kind)))
}

fn overlap_queries_with<V: Volume>(outer: &Mesh, inner: &Mesh, rules: &Rules) -> Result<u64> {
    let trees = [outer, inner].map(|mesh| BvTree::<V>::build(mesh, &rules.environment));
    let mut query = BvQuery::new((outer, &trees[0]), (inner, &trees[1]))?;
    let (mut contacts, mut counts) = (Count::default(), Counts::default());
    query.traverse_counted(&Pose::IDENTITY, rules.order, &mut contacts, &mut counts);
    ensure!(contacts.pairs == 0, "nested spheres touch: the experiment is not what it says");
    Ok(counts.volume_pairs)
}
