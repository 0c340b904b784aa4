//! Many pairs of hulls at once: what the order of the pairs, and a second thread, change.
//!
//! 64 different hulls of 20 to 200 vertices, and pairs of them at random: the boolean, the distance
//! and the contact of each, one after another in random order, then ordered so that a hull's pairs
//! follow each other, then shared among threads. A bound of what any order or interleaving could
//! gain is the time of a query that is asked several times in a row, which finds everything in the
//! nearest cache and every branch foretold.

use std::hint::black_box;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;
use impinge::Pose;
use impinge::convex::{self, Hull};
use rayon::prelude::*;

use crate::bodies::{Shape, approach};
use crate::random::Random;
use crate::report::{Progress, Report, Table, count, short};

/// Arguments of `impinge-lab convex-batch`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Where the results go.
    #[arg(long, default_value = "docs/results", value_name = "DIR")]
    out: PathBuf,
    /// How many hulls.
    #[arg(long, default_value_t = 64, value_name = "N")]
    hulls: usize,
    /// How many pairs.
    #[arg(long, default_value_t = 4096, value_name = "N")]
    pairs: usize,
    /// Threads to share the pairs among.
    #[arg(long, default_value_t = 2, value_name = "N")]
    threads: usize,
    /// The fastest of so many passes counts.
    #[arg(long, default_value_t = 50, value_name = "N")]
    passes: usize,
    /// Where the random numbers start.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// A sentence on the circumstances of the run.
    #[arg(long, default_value = "", value_name = "TEXT")]
    note: String,
    /// A few pairs and passes only.
    #[arg(long)]
    quick: bool,
}

/// Gaps beyond first contact, in units of the hulls' radius.
const GAPS: [f64; 5] = [-0.1, -0.002, 0.002, 0.1, 1.0];

/// So many times in a row the same query is asked for the bound.
const AGAIN: usize = 8;

/// Pairs that are timed together.
const HANDFUL: usize = 64;

#[derive(Clone, Copy, Debug)]
struct Job {
    a: usize,
    b: usize,
    pose: Pose,
}

/// What is asked of a pair; the answer is there to be compared and to be used.
type Query = fn(&Hull, &Hull, &Pose) -> f64;

const QUERIES: [(&str, Query); 3] = [
    ("intersects", |a, b, pose| {
        f64::from(u8::from(convex::intersects(a, b, pose).is_intersecting()))
    }),
    ("distance", |a, b, pose| black_box(convex::distance(a, b, pose)).upper),
    ("contact", |a, b, pose| black_box(convex::contact(a, b, pose)).0.upper),
];

/// The ways, in the order of the columns.
const WAYS: [&str; 4] = ["one by one", "grouped by hull", "each 8 times in a row", "threads"];

/// Measures every way and writes the report.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let (pairs, passes) =
        if arguments.quick { (256, 3) } else { (arguments.pairs, arguments.passes.max(1)) };
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
    let mut report = Report::new(&arguments.out, "convex-batch", title);
    report.paragraph(&format!(
        "{} different hulls (ellipsoids, rods, plates and rough balls of 20 to 200 vertices; {} kB with the tables of queries) and {} random pairs of them, in equal parts 0.1 and 0.002 before and 0.002, 0.1 and 1 radius beyond first contact. Nanoseconds a pair, each {HANDFUL} pairs with their fastest of {passes} passes over all, the ways in turn (threads: the fastest pass as a whole). *Grouped*: \
         sorted by the first hull, then the second. *Each {AGAIN} times in a row*: every query is repeated at once, so that its data are in the nearest cache and its branches foretold; no order of the pairs can gain more. *Threads*: `rayon`, {} of them, the random order.",
        hulls.len(),
        count(bytes as u64 / 1000),
        count(jobs.len() as u64),
        arguments.threads,
    ));
    let mut heads = vec!["query".to_owned()];
    heads.extend(WAYS.map(|way| format!("{way}, ns")));
    heads.extend(WAYS[1..].iter().map(|way| format!("gain: {way}")));
    let mut table = Table::new(&heads);
    for (name, ns) in &rows {
        let mut cells = vec![format!("`convex::{name}`")];
        cells.extend(ns.map(short));
        cells.extend(ns[1..].iter().map(|other| format!("{:.2}", ns[0] / other)));
        table.row(&cells);
    }
    report.table(&table);
    report.paragraph(&verdict(&rows, arguments.threads));
    if !arguments.note.is_empty() {
        report.paragraph(&arguments.note);
    }
    println!("{}", report.finish()?.display());
    Ok(())
}

/// What follows from the numbers.
fn verdict(rows: &[(&str, [f64; WAYS.len()])], threads: usize) -> String {
    let range = |way: usize| {
        let gains = rows.iter().map(|(_, ns)| ns[0] / ns[way]);
        let (least, most) =
            gains.fold((f64::INFINITY, 0.0), |(l, m): (f64, f64), g| (l.min(g), m.max(g)));
        format!("{least:.2} to {most:.2} times")
    };
    let is_faster = |way: usize, by: f64| rows.iter().all(|(_, ns)| ns[0] / ns[way] > by);
    format!(
        "Grouping the pairs by hull makes them {} as fast: {}. Asking each query again at once, {} as fast, bounds what an order of the pairs could bring, and it repeats the very branches too, which different pairs never share. \
         Two different queries in lockstep are not measured: they would have to follow the longer one's steps at every branch, and a step of one already fills the registers (eight vertices an instruction). {threads} threads make it {} as fast. Pairs do not depend on each other, so a parallel loop over them is the whole batch \
         interface: `pairs.par_iter().map(|(a, b, pose)| convex::intersects(a, b, pose))`, or `intersects_cached` with the pair's cache. The library has no function for it.",
        range(1),
        if is_faster(1, 1.15) {
            "it pays where such an order is at hand"
        } else {
            "no gain worth sorting for"
        },
        range(2),
        range(3),
    )
}

fn hulls(count: usize, random: &mut Random) -> Result<Vec<Hull>> {
    (0..count)
        .map(|i| {
            // From 20 to 200 with equal ratios.
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

/// Nanoseconds a pair by way.
///
/// The pairs are timed in handfuls, each of which counts with its fastest pass, so that a pass need
/// not be left alone as a whole by whatever else the machine does. Threads are timed over all
/// pairs.
fn measure(
    query: Query,
    hulls: &[Hull],
    [jobs, grouped]: [&[Job]; 2],
    pool: &rayon::ThreadPool,
    passes: usize,
) -> [f64; WAYS.len()] {
    let ask = |job: &Job| _ = black_box(query(&hulls[job.a], &hulls[job.b], &job.pose));
    let again = |job: &Job| (0..AGAIN).for_each(|_| ask(job));
    let handfuls = jobs.len().div_ceil(HANDFUL);
    let mut best = [(); WAYS.len() - 1].map(|()| vec![f64::INFINITY; handfuls]);
    let mut threads = f64::INFINITY;
    for _ in 0..passes {
        in_handfuls(jobs, &mut best[0], ask);
        in_handfuls(grouped, &mut best[1], ask);
        in_handfuls(jobs, &mut best[2], again);
        let start = Instant::now();
        pool.install(|| jobs.par_iter().with_min_len(HANDFUL).for_each(ask));
        threads = threads.min(start.elapsed().as_secs_f64());
    }
    let [one, grouped, again] = best.map(|seconds| seconds.iter().sum::<f64>());
    [one, grouped, again / AGAIN as f64, threads].map(|seconds| seconds * 1e9 / jobs.len() as f64)
}

fn in_handfuls(jobs: &[Job], best: &mut [f64], ask: impl Fn(&Job)) {
    for (jobs, best) in jobs.chunks(HANDFUL).zip(best) {
        let start = Instant::now();
        jobs.iter().for_each(&ask);
        *best = best.min(start.elapsed().as_secs_f64());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_ways_ask_the_same_pairs() {
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
