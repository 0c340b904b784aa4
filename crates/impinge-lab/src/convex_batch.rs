//! Many pairs of hulls at once: the effect of the order of the pairs, and of a second thread.
//!
//! Random pairs of 64 different hulls of 20 to 200 vertices. The verdict, the distance and the
//! contact of each are computed in random order, then sorted so that a hull's pairs are
//! consecutive, then in parallel. The time of a query that is repeated several times in a row is a
//! bound for the speed-up by any order or interleaving: all its data are in the nearest cache, and
//! all its branches are predicted.

use std::hint::black_box;
use std::time::Instant;

use anyhow::Result;
use impinge::Pose;
use impinge::convex::{self, Hull};
use rayon::prelude::*;

use crate::bodies::{Shape, approach};
use crate::common::Common;
use crate::report::{Progress, Report, Table, count, short};
use impinge::internals::Random;

/// Arguments of `impinge-lab convex-batch`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    common: Common,
    /// The number of hulls.
    #[arg(long, default_value_t = 64, value_name = "N")]
    hulls: usize,
    /// The number of pairs.
    #[arg(long, default_value_t = 4096, value_name = "N")]
    pairs: usize,
    /// The number of threads.
    #[arg(long, default_value_t = 2, value_name = "N")]
    threads: usize,
    /// Number of passes; the fastest counts.
    #[arg(long, default_value_t = 50, value_name = "N")]
    passes: usize,
    /// Seed of the random numbers.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// A sentence on the conditions of the run, for the report.
    #[arg(long, default_value = "", value_name = "TEXT")]
    note: String,
}

/// Gaps beyond first contact, in units of the hulls' radius.
const GAPS: [f64; 5] = [-0.1, -0.002, 0.002, 0.1, 1.0];

/// Consecutive repetitions of each query, for the bound.
const REPETITIONS: usize = 8;

/// Pairs that are timed together.
const PAIRS_PER_CHUNK: usize = 64;

#[derive(Clone, Copy, Debug)]
struct Job {
    a: usize,
    b: usize,
    pose: Pose,
}

/// A query of a pair. It returns a number so that the compiler cannot remove the computation.
type Query = fn(&Hull, &Hull, &Pose) -> f64;

/// The queries measured, by name.
const QUERIES: [(&str, Query); 3] = [
    ("intersects", |a, b, pose| {
        f64::from(u8::from(convex::intersects(a, b, pose).is_intersecting()))
    }),
    ("distance", |a, b, pose| black_box(convex::distance(a, b, pose)).upper),
    ("contact", |a, b, pose| black_box(convex::contact(a, b, pose)).0.upper),
];

/// The variants, in the order of the columns.
const VARIANTS: [&str; 4] = ["one by one", "grouped by hull", "each 8 times in a row", "threads"];

/// Measures every variant and writes the report.
pub(crate) fn run(mut arguments: Arguments) -> Result<()> {
    arguments.common.limit([
        (&mut arguments.hulls, 8),
        (&mut arguments.pairs, 256),
        (&mut arguments.passes, 3),
    ]);
    let arguments = &arguments;
    let (pairs, passes) = (arguments.pairs, arguments.passes.max(1));
    let mut progress = Progress::new(1 + QUERIES.len());
    progress.step(&format!("{} hulls, {pairs} pairs", arguments.hulls));
    let mut random = Random::new(arguments.seed);
    let hulls = hulls(arguments.hulls.max(1), &mut random)?;
    let jobs = jobs(&hulls, pairs.max(1), &mut random)?;
    let mut grouped = jobs.clone();
    grouped.sort_by_key(|job| (job.a, job.b));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(arguments.threads).build()?;
    let bytes: usize = hulls.iter().map(Hull::heap_bytes).sum();
    let mut rows = Vec::new();
    for (name, query) in QUERIES {
        progress.step(name);
        rows.push((name, measure(query, &hulls, [&jobs, &grouped], &pool, passes)));
    }
    let title = "Many pairs of hulls at once";
    let mut report = Report::new(&arguments.common.out, "convex-batch", title);
    report.paragraph(&format!(
        "{} different hulls (ellipsoids, rods, plates and hulls of random points, of 20 to 200 vertices; {} kB with the tables of queries) and {} random pairs of them, in equal parts 0.1 and 0.002 before and 0.002, 0.1 and 1 radius beyond first contact. Nanoseconds a pair, each {PAIRS_PER_CHUNK} pairs with their fastest of {passes} passes, the variants in turn (threads: the fastest whole pass). *Grouped*: \
         sorted by the first hull, then the second. *Each {REPETITIONS} times in a row*: every query is repeated immediately, so that its data are in the nearest cache and its branches are predicted; no order of the pairs can gain more. *Threads*: `rayon`, {} of them, the random order.",
        hulls.len(),
        count(bytes as u64 / 1000),
        count(jobs.len() as u64),
        arguments.threads,
    ));
    let mut headings = vec!["query".to_owned()];
    headings.extend(VARIANTS.map(|variant| format!("{variant}, ns")));
    headings.extend(VARIANTS[1..].iter().map(|variant| format!("gain: {variant}")));
    let mut table = Table::new(&headings);
    for (name, ns) in &rows {
        let mut cells = vec![format!("`convex::{name}`")];
        cells.extend(ns.map(short));
        cells.extend(ns[1..].iter().map(|other| format!("{:.2}", ns[0] / other)));
        table.row(&cells);
    }
    report.table(&table);
    report.paragraph(&conclusions(&rows, arguments.threads));
    if !arguments.note.is_empty() {
        report.paragraph(&arguments.note);
    }
    println!("{}", report.finish()?.display());
    Ok(())
}

/// The conclusions from the numbers.
fn conclusions(rows: &[(&str, [f64; VARIANTS.len()])], threads: usize) -> String {
    let range = |variant: usize| {
        let speedups = rows.iter().map(|(_, ns)| ns[0] / ns[variant]);
        let (min, max) =
            speedups.fold((f64::INFINITY, 0.0), |(l, m): (f64, f64), g| (l.min(g), m.max(g)));
        format!("{min:.2} to {max:.2} times")
    };
    let is_faster = |variant: usize, by: f64| rows.iter().all(|(_, ns)| ns[0] / ns[variant] > by);
    format!(
        "Grouping the pairs by hull makes them {} as fast: {}. Repeating each query immediately, {} as fast, is a bound for any order of the pairs; it even repeats the same branches, which different pairs do not. \
         Two different queries in lockstep are not measured: they would have to follow the longer one's steps at every branch, and a step of one already fills the registers (eight vertices an instruction). {threads} threads make it {} as fast. Pairs do not depend on each other, so a parallel loop over them is the whole batch \
         interface: `pairs.par_iter().map(|(a, b, pose)| convex::intersects(a, b, pose))`, or `intersects_cached` with the pair's cache. The library has no separate function for it.",
        range(1),
        if is_faster(1, 1.15) {
            "this saves time if the pairs are already in such an order"
        } else {
            "the gain is not worth sorting"
        },
        range(2),
        range(3),
    )
}

fn hulls(count: usize, random: &mut Random) -> Result<Vec<Hull>> {
    (0..count)
        .map(|i| {
            // From 20 to 200 in a geometric sequence.
            let share = i as f64 / (count - 1).max(1) as f64;
            let vertices = (20.0 * 10_f64.powf(share)).round() as usize;
            Shape::ALL[i % Shape::ALL.len()].hull(vertices, random)
        })
        .collect()
}

fn jobs(hulls: &[Hull], count: usize, random: &mut Random) -> Result<Vec<Job>> {
    (0..count)
        .map(|i| {
            let [a, b] = [0; 2].map(|_| (random.bits() % hulls.len() as u64) as usize);
            let pose = approach(&hulls[a], &hulls[b], GAPS[i % GAPS.len()], random)?;
            Ok(Job { a, b, pose })
        })
        .collect()
}

/// Nanoseconds per pair, by variant.
///
/// The pairs are timed in chunks, each of which counts with its fastest pass, so that no single
/// pass has to be undisturbed from beginning to end. Threads are timed over all pairs.
fn measure(
    query: Query,
    hulls: &[Hull],
    [jobs, grouped]: [&[Job]; 2],
    pool: &rayon::ThreadPool,
    passes: usize,
) -> [f64; VARIANTS.len()] {
    let run_query = |job: &Job| _ = black_box(query(&hulls[job.a], &hulls[job.b], &job.pose));
    let repeat_query = |job: &Job| (0..REPETITIONS).for_each(|_| run_query(job));
    let chunks = jobs.len().div_ceil(PAIRS_PER_CHUNK);
    let mut best = [(); VARIANTS.len() - 1].map(|()| vec![f64::INFINITY; chunks]);
    let mut threads = f64::INFINITY;
    for _ in 0..passes {
        time_chunks(jobs, &mut best[0], run_query);
        time_chunks(grouped, &mut best[1], run_query);
        time_chunks(jobs, &mut best[2], repeat_query);
        let start = Instant::now();
        pool.install(|| jobs.par_iter().with_min_len(PAIRS_PER_CHUNK).for_each(run_query));
        threads = threads.min(start.elapsed().as_secs_f64());
    }
    let [random_order, grouped, repeat_query] = best.map(|seconds| seconds.iter().sum::<f64>());
    [random_order, grouped, repeat_query / REPETITIONS as f64, threads]
        .map(|seconds| seconds * 1e9 / jobs.len() as f64)
}

fn time_chunks(jobs: &[Job], best: &mut [f64], run_query: impl Fn(&Job)) {
    for (jobs, best) in jobs.chunks(PAIRS_PER_CHUNK).zip(best) {
        let start = Instant::now();
        jobs.iter().for_each(&run_query);
        *best = best.min(start.elapsed().as_secs_f64());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_variants_are_measured() {
        let mut random = Random::new(4);
        let hulls = hulls(6, &mut random).unwrap();
        assert_eq!(hulls.iter().map(|h| h.vertices().len()).min(), Some(20));
        assert_eq!(hulls.iter().map(|h| h.vertices().len()).max(), Some(200));
        let jobs = jobs(&hulls, 40, &mut random).unwrap();
        let met = jobs.iter().filter(|j| QUERIES[0].1(&hulls[j.a], &hulls[j.b], &j.pose) > 0.0);
        assert_eq!(met.count(), 16, "two gaps of five are overlaps");
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        let ns = measure(QUERIES[0].1, &hulls, [&jobs, &jobs], &pool, 1);
        assert!(ns.iter().all(|ns| ns.is_finite() && *ns > 0.0), "{ns:?}");
    }
}
