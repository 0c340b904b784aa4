//! Times and counters of flights through each kind of tree.

use std::time::Instant;

use anyhow::{Result, ensure};
use impinge::pair::{self, Count, First};
use impinge::tree::Tree;
use impinge::{Mesh, Pose};
use impinge_papers::klosowski::bv_tree::{
    BuildOptions, BvQuery, BvTree, ByShape, Costs, Counts, DopShapes, Order, Recording, Tumble,
    TumbleOptions,
};
use impinge_papers::klosowski::volume::{
    Dop, Dop6, Dop14, Dop18, Dop26, OrientedBox, Sphere, Volume,
};

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

impl Kind {
    /// The paper's four, the oriented boxes that represent RAPID, and spheres, which the paper
    /// discusses (section 3.2) but does not measure.
    pub(super) const ALL: [Self; 6] =
        [Self::Dop6, Self::Dop14, Self::Dop18, Self::Dop26, Self::Oriented, Self::Sphere];
    /// The kinds measured in flights: all but spheres, which take thousands of times longer among
    /// long thin triangles.
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

/// Options of building and traversing the trees.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    pub(super) environment: BuildOptions,
    pub(super) flying: BuildOptions,
    pub(super) order: Order,
    /// How k-DOPs follow the flying object. `None` transforms their slabs alone, without the
    /// geometry inside. Volumes of other kinds are only transformed.
    pub(super) tumble: Option<TumbleOptions>,
}

impl Rules {
    /// The paper's: splatter at the mean, leaves of 1 and 40 triangles, Algorithm 1, hill-climbing
    /// for the root. One thread builds.
    pub(super) fn paper() -> Self {
        Self {
            environment: BuildOptions::environment().parallel(false),
            flying: BuildOptions::flying().parallel(false),
            order: Order::Environment,
            tumble: Some(TumbleOptions::published()),
        }
    }

    /// As RAPID: one triangle per leaf, and the larger box is opened. RAPID divides across the
    /// box's own longest axis, our builder across one of the three axes of the mesh.
    pub(super) fn rapid() -> Self {
        let paper = Self::paper();
        Self { flying: paper.environment, order: Order::Larger, ..paper }
    }

    /// The options of RAPID for oriented boxes, those of the paper for its own kinds.
    pub(super) fn of(kind: Kind) -> Self {
        if kind == Kind::Oriented { Self::rapid() } else { Self::paper() }
    }
}

/// The extent of the measurements of a flight.
#[derive(Clone, Copy, Debug)]
pub(super) struct MeasureExtent {
    /// The maximum number of passes over the flight; each step keeps its fastest.
    pub(super) passes: usize,
    /// Seconds after which no further pass begins; for the second and third pass, five times as
    /// many.
    pub(super) budget: f64,
    /// Also measures queries for the first contact, and the time of single operations.
    pub(super) also_first_contact: bool,
}

/// The measurements of a flight.
#[derive(Clone, Debug)]
pub(super) struct Measurements {
    /// Seconds to build the environment's tree.
    pub(super) build: f64,
    /// Bytes of that tree per triangle.
    pub(super) bytes: f64,
    /// Microseconds per step, with all contacts reported.
    pub(super) report: Vec<f64>,
    /// Microseconds per step until the first contact; empty unless first contacts are measured.
    pub(super) detect: Vec<f64>,
    /// Pairs of triangles in contact over all steps.
    pub(super) contacts: u64,
    /// Sums over the flight, with all contacts reported.
    pub(super) counts: Counts,
    /// The mean cost of single operations, in nanoseconds; zero unless first contacts are measured.
    pub(super) costs: Costs,
}

impl Measurements {
    /// The mean time of a step, in microseconds.
    pub(super) fn mean(&self) -> f64 {
        mean(&self.report)
    }
}

/// The mean; zero for no values.
pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Measures a flight through trees of this kind.
pub(super) fn measure(
    kind: Kind,
    scene: &Scene,
    rules: &Rules,
    extent: &MeasureExtent,
) -> Result<Measurements> {
    match kind {
        Kind::Dop6 => measure_dops::<3>(scene, rules, extent),
        Kind::Dop14 => measure_dops::<7>(scene, rules, extent),
        Kind::Dop18 => measure_dops::<9>(scene, rules, extent),
        Kind::Dop26 => measure_dops::<13>(scene, rules, extent),
        Kind::Oriented => measure_volumes::<OrientedBox>(scene, rules, extent),
        Kind::Sphere => measure_volumes::<Sphere>(scene, rules, extent),
    }
}

fn measure_dops<const HALF: usize>(
    scene: &Scene,
    rules: &Rules,
    extent: &MeasureExtent,
) -> Result<Measurements> {
    let Some(options) = &rules.tumble else {
        return measure_volumes::<Dop<HALF>>(scene, rules, extent);
    };
    let trees = Trees::<Dop<HALF>>::build(scene, rules);
    let shapes = DopShapes::new(&scene.body, &trees.flying, options)?;
    let query = BvQuery::with_tumble(
        (&scene.environment, &trees.environment),
        (&scene.body, &trees.flying),
        ByShape::new(&shapes),
    )?;
    Ok(measure_query(query, &trees, scene, rules, extent))
}

fn measure_volumes<V: Volume>(
    scene: &Scene,
    rules: &Rules,
    extent: &MeasureExtent,
) -> Result<Measurements> {
    let trees = Trees::<V>::build(scene, rules);
    let query =
        BvQuery::new((&scene.environment, &trees.environment), (&scene.body, &trees.flying))?;
    Ok(measure_query(query, &trees, scene, rules, extent))
}

/// The trees of a scene.
struct Trees<V> {
    environment: BvTree<V>,
    flying: BvTree<V>,
    /// Seconds to build the environment's tree.
    build: f64,
}

impl<V: Volume> Trees<V> {
    fn build(scene: &Scene, rules: &Rules) -> Self {
        let clock = CpuClock::start();
        let environment = BvTree::build(&scene.environment, &rules.environment);
        let build = clock.seconds();
        Self { environment, flying: BvTree::build(&scene.body, &rules.flying), build }
    }
}

/// Counts and times a whole flight.
fn measure_query<V: Volume, T: Tumble<V>>(
    mut query: BvQuery<'_, V, T>,
    trees: &Trees<V>,
    scene: &Scene,
    rules: &Rules,
    extent: &MeasureExtent,
) -> Measurements {
    let mut contacts = Count::default();
    let mut counts = Counts::default();
    for pose in &scene.poses {
        query.traverse_counted(pose, rules.order, &mut contacts, &mut counts);
    }
    let report = replay(&scene.poses, extent, |pose| {
        let mut count = Count::default();
        query.traverse(pose, rules.order, &mut count);
        count.pairs
    });
    let (mut detect, mut costs) = (Vec::new(), NO_COSTS);
    if extent.also_first_contact {
        detect = replay(&scene.poses, extent, |pose| {
            let mut first = First::default();
            query.traverse(pose, rules.order, &mut first);
            usize::from(first.pair.is_some())
        });
        costs = operations(&mut query, &scene.poses, rules.order);
    }
    let triangles = scene.environment.triangles().len().max(1);
    Measurements {
        build: trees.build,
        bytes: trees.environment.bytes() as f64 / triangles as f64,
        report,
        detect,
        contacts: contacts.pairs as u64,
        counts,
        costs,
    }
}

const NO_COSTS: Costs = Costs { volume_pair: 0.0, triangle_pair: 0.0, update: 0.0 };

/// The number of poses, spread over a flight, whose operations are timed.
const SAMPLED_POSES: usize = 40;

/// The mean cost of each operation over some poses of the flight, each pose weighted by the number
/// of the operation there.
fn operations<V: Volume, T: Tumble<V>>(
    query: &mut BvQuery<'_, V, T>,
    poses: &[Pose],
    order: Order,
) -> Costs {
    let (mut sum, mut number) = ([0.0; 3], [0.0; 3]);
    for pose in poses.iter().step_by(poses.len().div_ceil(SAMPLED_POSES).max(1)) {
        let mut recording = Recording::default();
        query.traverse_counted(pose, order, &mut Count::default(), &mut recording);
        let occurrences =
            [recording.volume_pairs.len(), recording.triangle_pairs.len(), recording.updates.len()];
        // The minimum of several measurements, since a short one is easily disturbed; long ones
        // need fewer repetitions.
        let repeats = (500_000 / occurrences.iter().sum::<usize>().max(1)).clamp(2, 9);
        let mut least_cost = [f64::INFINITY; 3];
        for _ in 0..repeats {
            let costs = query.measure(pose, &recording, 1);
            let costs_now = [costs.volume_pair, costs.triangle_pair, costs.update];
            least_cost = [0, 1, 2].map(|k| least_cost[k].min(costs_now[k]));
        }
        let occurrences =
            [recording.volume_pairs.len(), recording.triangle_pairs.len(), recording.updates.len()];
        for k in 0..3 {
            sum[k] += least_cost[k] * occurrences[k] as f64;
            number[k] += occurrences[k] as f64;
        }
    }
    let of = |k: usize| sum[k] / number[k].max(1.0);
    Costs { volume_pair: of(0), triangle_pair: of(1), update: of(2) }
}

/// Measures a flight through the production tree, which has no counters.
pub(super) fn measure_production(scene: &Scene, extent: &MeasureExtent) -> Measurements {
    let clock = CpuClock::start();
    let tree = std::hint::black_box(Tree::build(&scene.environment));
    let build = clock.seconds();
    let mut contacts = Count::default();
    for pose in &scene.poses {
        pair::traverse(&scene.environment, &scene.body, pose, &mut contacts);
    }
    let report = replay(&scene.poses, extent, |pose| {
        let mut count = Count::default();
        pair::traverse(&scene.environment, &scene.body, pose, &mut count);
        count.pairs
    });
    let detect = replay(&scene.poses, extent, |pose| {
        let mut first = First::default();
        pair::traverse(&scene.environment, &scene.body, pose, &mut first);
        usize::from(first.pair.is_some())
    });
    Measurements {
        build,
        bytes: tree.bytes() as f64 / scene.environment.triangles().len().max(1) as f64,
        report,
        detect,
        contacts: contacts.pairs as u64,
        counts: Counts::default(),
        costs: NO_COSTS,
    }
}

/// Replays the steps of a flight in order, several times; each step keeps its fastest time, in
/// microseconds.
fn replay(
    poses: &[Pose],
    extent: &MeasureExtent,
    mut query: impl FnMut(&Pose) -> usize,
) -> Vec<f64> {
    let mut best = vec![f64::INFINITY; poses.len()];
    let clock = CpuClock::start();
    for pass in 0..extent.passes.max(1) {
        // Long flights get three passes, since a single one would show disturbances by other
        // programs; very long flights get one.
        let limit = if pass < 3 { 5.0 * extent.budget } else { extent.budget };
        if pass > 0 && clock.seconds() > limit {
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

/// `N_v` of one query of two fixed meshes that must not touch; the leaves of both trees are single
/// triangles.
pub(super) fn overlap_queries(kind: Kind, outer: &Mesh, inner: &Mesh) -> Result<u64> {
    let rules = Rules::of(kind);
    match kind {
        Kind::Dop6 => overlap_queries_with::<Dop6>(outer, inner, &rules),
        Kind::Dop14 => overlap_queries_with::<Dop14>(outer, inner, &rules),
        Kind::Dop18 => overlap_queries_with::<Dop18>(outer, inner, &rules),
        Kind::Dop26 => overlap_queries_with::<Dop26>(outer, inner, &rules),
        Kind::Oriented => overlap_queries_with::<OrientedBox>(outer, inner, &rules),
        Kind::Sphere => overlap_queries_with::<Sphere>(outer, inner, &rules),
    }
}

fn overlap_queries_with<V: Volume>(outer: &Mesh, inner: &Mesh, rules: &Rules) -> Result<u64> {
    let trees = [outer, inner].map(|mesh| BvTree::<V>::build(mesh, &rules.environment));
    let mut query = BvQuery::new((outer, &trees[0]), (inner, &trees[1]))?;
    let (mut contacts, mut counts) = (Count::default(), Counts::default());
    query.traverse_counted(&Pose::IDENTITY, rules.order, &mut contacts, &mut counts);
    ensure!(
        contacts.pairs == 0,
        "nested spheres touch in {} pairs of triangles, the experiment needs disjoint ones",
        contacts.pairs
    );
    Ok(counts.volume_pairs)
}
