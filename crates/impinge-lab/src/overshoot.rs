//! Queries within a budget: by how much they are late, and what a budget costs.

use std::hint::black_box;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use impinge::internals::Random;
use impinge::pair::{
    self, AllSearch, Budget, DistanceSearch, FirstSearch, all_pairs_within, distance_within,
    first_hit_within,
};
use impinge::{Mesh, Pose, Vec3, shapes};

use crate::common::Common;
use crate::report::{Progress, Report, Table, count, short};

/// Arguments of `impinge-lab overshoot`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    common: Common,
    /// Largest number of triangles of a mesh.
    #[arg(long, default_value_t = 1_000_000, value_name = "N")]
    max: usize,
    /// Seconds for each size, scene, query and budget.
    #[arg(long, default_value_t = 0.6, value_name = "SECONDS")]
    seconds: f64,
    /// Poses for each comparison of costs.
    #[arg(long, default_value_t = 40, value_name = "N")]
    poses: usize,
    /// Passes over each pose, one method after the other; the fastest of each counts.
    #[arg(long, default_value_t = 7, value_name = "N")]
    passes: usize,
    /// Seed of the random numbers.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// The budgets in microseconds.
const BUDGETS: [u64; 4] = [10, 100, 1000, 10_000];

/// Bytes that are written between two queries to empty the caches.
const CACHE_BYTES: usize = 96 << 20;

/// A comparison of costs ends at the next pose after this many times the seconds of a measurement.
const COST_TIME_FACTOR: f64 = 10.0;

/// Parts of a search that is resumed.
const PARTS: u64 = 100;

/// The processor time of this thread.
#[cfg(unix)]
fn thread_time() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

/// Without a clock of the thread, the wall clock.
#[cfg(not(unix))]
fn thread_time() -> Duration {
    use std::sync::OnceLock;
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

/// Two meshes and where B is put.
struct Scene {
    name: &'static str,
    a: Mesh,
    b: Mesh,
    /// Random rotations and translations up to this length, or random shifts in the plane of two
    /// faces that coincide, in units of `size`.
    placing: Placing,
    is_cold: bool,
}

#[derive(Clone, Copy)]
enum Placing {
    Within(f64),
    FaceOnFace { size: f64 },
}

impl Scene {
    fn pose(&self, random: &mut Random) -> Result<Pose> {
        Ok(match self.placing {
            Placing::Within(reach) => {
                let at = random.direction() * (reach * random.range(0.5, 1.0));
                Pose::from_quaternion(random.rotation().to_array(), at)?
            }
            Placing::FaceOnFace { size } => {
                let shift = Vec3::new(1.0, random.range(0.0, 0.4), random.range(0.0, 0.4));
                Pose::from_translation(shift * size)?
            }
        })
    }
}

/// The scenes at a number of triangles.
fn scenes(triangles: usize) -> Result<Vec<Scene>> {
    let root = |share: f64| (triangles as f64 / share).sqrt().ceil().max(2.0) as usize;
    let ball = |radius: f64| shapes::icosphere(radius, root(20.0));
    let ring = shapes::torus(1.0, 0.4, 2 * root(4.0), root(4.0))?;
    let block = shapes::cuboid_grid([1.0, 1.0, 1.0], [root(12.0); 3])?;
    let tiny = block.scaled(1e-120)?;
    let scene = |name, a: Mesh, b: Mesh, placing, is_cold| Scene { name, a, b, placing, is_cold };
    let nested = Placing::Within(0.01);
    Ok(vec![
        scene("nested, nearly touching", ball(1.0)?, ball(0.985)?, nested, false),
        scene("crossing", ring.clone(), ring.clone(), Placing::Within(1.5), false),
        scene("apart", ring.clone(), ball(0.9)?, Placing::Within(4.0), false),
        scene("touching, coplanar", block.clone(), block, Placing::FaceOnFace { size: 1.0 }, false),
        scene("coplanar, 1e-120", tiny.clone(), tiny, Placing::FaceOnFace { size: 1e-120 }, false),
        scene("nested, cold caches", ball(1.0)?, ball(0.985)?, nested, true),
    ])
}

/// A query, with its state.
enum Query {
    First(Box<FirstSearch>),
    All(Box<AllSearch>),
    Distance(Box<DistanceSearch>),
}

impl Query {
    fn all() -> [Self; 3] {
        [Self::First(Box::default()), Self::All(Box::default()), Self::Distance(Box::default())]
    }

    fn name(&self) -> &'static str {
        match self {
            Self::First(_) => "first hit",
            Self::All(_) => "all pairs",
            Self::Distance(_) => "distance",
        }
    }

    fn reset(&mut self) {
        match self {
            Self::First(search) => search.reset(),
            Self::All(search) => search.reset(),
            Self::Distance(search) => search.reset(),
        }
    }

    /// Whether the query is decided within the budget.
    fn within(&mut self, scene: &Scene, pose: &Pose, budget: &mut Budget<'_>) -> bool {
        let (a, b) = (&scene.a, &scene.b);
        match self {
            Self::First(search) => !first_hit_within(a, b, pose, budget, search).is_undecided(),
            Self::All(search) => all_pairs_within(a, b, pose, budget, search).is_complete(),
            Self::Distance(search) => distance_within(a, b, pose, budget, search).is_final(),
        }
    }

    /// The query without a budget.
    fn unbudgeted(&self, scene: &Scene, pose: &Pose) {
        let (a, b) = (&scene.a, &scene.b);
        match self {
            Self::First(_) => {
                black_box(pair::first_hit(a, b, pose));
            }
            Self::All(_) => {
                // Stored, as a search within a budget does.
                let mut pairs = pair::Collect::default();
                pair::traverse(a, b, pose, &mut pairs);
                black_box(pairs.pairs.len());
            }
            Self::Distance(_) => {
                black_box(pair::distance(a, b, pose));
            }
        }
    }
}

/// Lateness in microseconds: of the processor time and of the wall clock.
#[derive(Default)]
struct Late {
    cpu: Vec<f64>,
    wall: Vec<f64>,
}

impl Late {
    fn add(&mut self, other: &Self) {
        self.cpu.extend(&other.cpu);
        self.wall.extend(&other.wall);
    }

    fn row(&mut self, first: [String; 2]) -> Vec<String> {
        self.cpu.sort_by(f64::total_cmp);
        self.wall.sort_by(f64::total_cmp);
        let mut row = Vec::from(first);
        row.push(count(self.cpu.len() as u64));
        for share in [0.5, 0.99, 0.999, 1.0] {
            row.push(short(quantile(&self.cpu, share)));
        }
        for share in [0.5, 0.99, 0.999, 1.0] {
            row.push(short(quantile(&self.wall, share)));
        }
        row
    }
}

/// The smallest value that at least this share of the sorted values do not exceed.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let at = (sorted.len() as f64 * share).ceil() as usize;
    sorted.get(at.max(1) - 1).copied().unwrap_or(0.0)
}

/// Runs one query with a budget, and records its lateness if the budget was spent.
fn record(query: &mut Query, scene: &Scene, pose: &Pose, micros: u64, late: &mut Late) -> bool {
    let budget = Duration::from_micros(micros);
    let cpu = thread_time();
    let deadline = Instant::now() + budget;
    let decided = query.within(scene, pose, &mut Budget::deadline(deadline));
    let wall = Instant::now().saturating_duration_since(deadline);
    let cpu = (thread_time() - cpu).saturating_sub(budget);
    if !decided {
        late.cpu.push(cpu.as_secs_f64() * 1e6);
        late.wall.push(wall.as_secs_f64() * 1e6);
    }
    decided
}

/// The lateness of a query with one budget: each pose from the start, and once more resumed.
fn measure(
    query: &mut Query,
    scene: &Scene,
    micros: u64,
    (seconds, seed): (f64, u64),
    caches: &mut [u8],
) -> Result<Late> {
    let mut random = Random::new(seed);
    let mut late = Late::default();
    let start = Instant::now();
    while start.elapsed().as_secs_f64() < seconds {
        let pose = scene.pose(&mut random)?;
        query.reset();
        for _ in 0..2 {
            if scene.is_cold {
                caches.iter_mut().step_by(64).for_each(|byte| *byte = byte.wrapping_add(1));
                black_box(&mut *caches);
            }
            if record(query, scene, &pose, micros, &mut late) {
                break;
            }
        }
    }
    Ok(late)
}

/// The costs of a query in relation to the one without a budget.
#[derive(Default)]
struct Costs {
    /// Microseconds without a budget.
    us: Vec<f64>,
    /// Ratios: to the end with a deadline, with a limit of steps, and in parts.
    ratios: [Vec<f64>; 3],
    units: Vec<f64>,
}

fn compare(
    query: &mut Query,
    scene: &Scene,
    arguments: &Arguments,
    least_units: u64,
) -> Result<Costs> {
    let mut random = Random::new(arguments.seed);
    let mut costs = Costs::default();
    let start = Instant::now();
    let far = start + Duration::from_secs(1 << 30);
    for _ in 0..arguments.poses {
        let too_long = start.elapsed().as_secs_f64() > COST_TIME_FACTOR * arguments.seconds;
        if too_long && !costs.us.is_empty() {
            break;
        }
        let pose = scene.pose(&mut random)?;
        query.reset();
        let mut whole = Budget::steps(u64::MAX / 4);
        ensure!(query.within(scene, &pose, &mut whole), "undecided without a limit");
        if whole.spent() < least_units {
            continue;
        }
        let part = whole.spent().div_ceil(PARTS);
        let mut best = [f64::INFINITY; 4];
        for _ in 0..arguments.passes {
            for (method, best) in best.iter_mut().enumerate() {
                query.reset();
                let start = Instant::now();
                match method {
                    0 => query.unbudgeted(scene, &pose),
                    1 => {
                        query.within(scene, &pose, &mut Budget::deadline(far));
                    }
                    2 => {
                        query.within(scene, &pose, &mut Budget::steps(u64::MAX / 4));
                    }
                    _ => while !query.within(scene, &pose, &mut Budget::steps(part)) {},
                }
                *best = best.min(start.elapsed().as_secs_f64() * 1e6);
            }
        }
        costs.us.push(best[0]);
        costs.units.push(whole.spent() as f64);
        for (k, ratios) in costs.ratios.iter_mut().enumerate() {
            ratios.push(best[k + 1] / best[0]);
        }
    }
    Ok(costs)
}

/// Nanoseconds of a reading of the clock.
fn clock_nanoseconds() -> f64 {
    const READINGS: u32 = 1 << 18;
    let once = || {
        let start = Instant::now();
        for _ in 0..READINGS {
            black_box(Instant::now());
        }
        start.elapsed().as_secs_f64() * 1e9 / f64::from(READINGS)
    };
    (0..5).map(|_| once()).fold(f64::INFINITY, f64::min)
}

/// Measures all scenes and writes the report.
pub(crate) fn run(mut arguments: Arguments) -> Result<()> {
    let common = arguments.common.clone();
    common.limit([
        (&mut arguments.max, 1000),
        (&mut arguments.poses, 2),
        (&mut arguments.passes, 1),
    ]);
    common.limit_seconds(&mut arguments.seconds, 0.002);
    let sizes: Vec<usize> =
        [1000, 10_000, 100_000, 1_000_000].into_iter().filter(|n| *n <= arguments.max).collect();
    let mut progress = Progress::new(sizes.len() * 6);
    let mut caches = vec![0; if common.quick { 1 << 12 } else { CACHE_BYTES }];
    let late_headings = [
        "scene",
        "budget, us",
        "late",
        "CPU p50",
        "p99",
        "p99.9",
        "max",
        "wall p50",
        "p99",
        "p99.9",
        "max",
    ];
    let mut late_table = Table::new(late_headings);
    let mut by_size = Table::new([&["triangles"], &late_headings[1..]].concat());
    let mut cost_table = Table::new([
        "scene",
        "triangles",
        "query",
        "poses",
        "units",
        "unbudgeted, us",
        "deadline",
        "p90",
        "steps",
        "p90",
        "100 parts",
        "p90",
    ]);
    let mut everything = Late::default();
    let mut of_scenes: Vec<(&'static str, [Late; 4])> = Vec::new();
    for size in &sizes {
        let mut of_size: [Late; 4] = Default::default();
        for (at, scene) in scenes(*size)?.iter().enumerate() {
            progress.step(&format!("{}, {size} triangles", scene.name));
            scene.a.prepare();
            scene.b.prepare();
            if of_scenes.len() <= at {
                of_scenes.push((scene.name, Default::default()));
            }
            for mut query in Query::all() {
                for (k, micros) in BUDGETS.iter().enumerate() {
                    let limits = (arguments.seconds, arguments.seed + k as u64);
                    let late = measure(&mut query, scene, *micros, limits, &mut caches)?;
                    of_size[k].add(&late);
                    of_scenes[at].1[k].add(&late);
                    everything.add(&late);
                }
                if scene.is_cold {
                    continue;
                }
                let least_units = if common.quick { 1 } else { 10 * PARTS };
                let mut costs = compare(&mut query, scene, &arguments, least_units)?;
                if costs.us.is_empty() {
                    continue;
                }
                let mut row = vec![
                    scene.name.to_owned(),
                    count((scene.a.triangles().len() + scene.b.triangles().len()) as u64),
                    query.name().to_owned(),
                    count(costs.us.len() as u64),
                ];
                for values in [&mut costs.units, &mut costs.us] {
                    values.sort_by(f64::total_cmp);
                    row.push(short(quantile(values, 0.5)));
                }
                for ratios in &mut costs.ratios {
                    ratios.sort_by(f64::total_cmp);
                    row.push(short(quantile(ratios, 0.5)));
                    row.push(short(quantile(ratios, 0.9)));
                }
                cost_table.row(row);
            }
        }
        for (late, micros) in of_size.iter_mut().zip(BUDGETS) {
            by_size.row(late.row([count(*size as u64), count(micros)]));
        }
    }
    for (name, late) in &mut of_scenes {
        for (late, micros) in late.iter_mut().zip(BUDGETS) {
            late_table.row(late.row([(*name).to_owned(), count(micros)]));
        }
    }
    let mut report = Report::new(&common.out, "overshoot", "Queries within a budget");
    report.paragraph(&format!(
        "Lateness in microseconds of `first_hit_within`, `all_pairs_within` and `distance_within` \
         that stopped at a deadline: the processor time of the thread beyond the budget, and the \
         wall clock beyond the deadline, which includes the time of other processes. Each pose \
         twice: from the start, and resumed. {} s for each size, scene, query and budget; queries \
         that were decided in time do not count. A reading of the clock takes {} ns here; both \
         clocks are read within the measurement.",
        arguments.seconds,
        short(clock_nanoseconds()),
    ));
    report.heading("By scene, all sizes and queries");
    report.table(&late_table);
    report.heading("By size, all scenes and queries");
    report.table(&by_size);
    let p999 = {
        let row = everything.row(["all".to_owned(), "all".to_owned()]);
        (row[5].clone(), row[6].clone(), quantile(&everything.cpu, 0.999) <= 20.0)
    };
    report.paragraph(&format!(
        "Over everything: 99.9 % are at most {} us of processor time late ({}), the latest {} us.",
        p999.0,
        if p999.2 { "within 20 us" } else { "more than 20 us" },
        p999.1,
    ));
    report.heading("Cost");
    report.paragraph(&format!(
        "Time to the end with a deadline that is not reached, with a limit of steps that is not \
         reached, and in {PARTS} parts with a limit of steps each, in relation to the query \
         without a budget: median and 90 % quantile over the poses. The methods take turns at each \
         pose; the fastest of {} passes counts. Queries of fewer than {} units are left out.",
        arguments.passes,
        10 * PARTS,
    ));
    report.table(&cost_table);
    println!("{}", report.finish()?.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_values_of_the_list() {
        let sorted: Vec<f64> = (1..=1000).map(f64::from).collect();
        assert_eq!(
            [0.5, 0.99, 0.999, 1.0].map(|q| quantile(&sorted, q)),
            [500.0, 990.0, 999.0, 1000.0]
        );
        assert_eq!(quantile(&[], 0.5), 0.0);
    }

    #[test]
    fn the_time_of_the_thread_runs() {
        let start = thread_time();
        let mut sum = 0_u64;
        while thread_time() - start < Duration::from_millis(2) {
            sum = black_box(sum + 1);
        }
        assert!(sum > 0);
    }
}
