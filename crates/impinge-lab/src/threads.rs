//! Speed-up by threads: all pairs of two large meshes in deep contact, and building a tree.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, ensure};
use impinge::pair::{intersecting_pairs, par_intersecting_pairs};
use impinge::tree::Tree;

use crate::common::Common;
use crate::growth::{approach, torus};
use crate::report::{Progress, Report, Table, count, short};
use impinge::internals::Random;
use impinge_chart::{Axis, Chart, Mark};

/// Arguments of `impinge-lab threads`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    common: Common,
    /// Triangles of each mesh.
    #[arg(long, default_value_t = 1_000_000, value_name = "N")]
    triangles: usize,
    /// The maximum number of threads [default: the number of cores].
    #[arg(long, value_name = "N")]
    max: Option<usize>,
    /// Poses in deep contact.
    #[arg(long, default_value_t = 10, value_name = "N")]
    poses: usize,
    /// Passes; each pose, and the build, keeps its fastest.
    #[arg(long, default_value_t = 7, value_name = "N")]
    passes: usize,
    /// Seed of the random numbers.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Milliseconds with a number of threads.
struct Row {
    threads: usize,
    pairs: f64,
    build: f64,
}

/// Measures every number of threads and writes the report.
pub(crate) fn run(mut arguments: Arguments) -> Result<()> {
    arguments.common.limit([
        (&mut arguments.triangles, 4000),
        (&mut arguments.poses, 2),
        (&mut arguments.passes, 2),
    ]);
    let arguments = &arguments;
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let max = arguments.max.unwrap_or(cores).max(1);
    let (a, b) = (torus(arguments.triangles)?, torus(arguments.triangles)?);
    let mut random = Random::new(arguments.seed);
    let mut poses = Vec::new();
    for _ in 0..arguments.poses.max(1) {
        let [_, _, deep] = approach(&a, &b, &mut random)?;
        poses.push((deep, intersecting_pairs(&a, &b, &deep)));
    }
    let mut progress = Progress::new(max);
    let mut rows = Vec::new();
    for threads in 1..=max {
        progress.step(&format!("{threads} threads"));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        let mut best = vec![f64::INFINITY; poses.len()];
        let mut build = f64::INFINITY;
        for _ in 0..arguments.passes.max(1) {
            for ((pose, pairs), best) in poses.iter().zip(&mut best) {
                let start = Instant::now();
                let found = pool.install(|| par_intersecting_pairs(&a, &b, pose));
                *best = best.min(start.elapsed().as_secs_f64() * 1e3);
                ensure!(found == *pairs, "{threads} threads find other pairs than one thread");
            }
            let start = Instant::now();
            std::hint::black_box(pool.install(|| Tree::build(&a)));
            build = build.min(start.elapsed().as_secs_f64() * 1e3);
        }
        let pairs = best.iter().sum::<f64>() / best.len() as f64;
        rows.push(Row { threads, pairs, build });
    }
    let pairs = poses.iter().map(|(_, pairs)| pairs.len()).sum::<usize>() / poses.len();
    let path = report(arguments, a.triangles().len(), pairs, &rows)?;
    println!("{}", path.display());
    Ok(())
}

fn report(arguments: &Arguments, triangles: usize, pairs: usize, rows: &[Row]) -> Result<PathBuf> {
    let mut report = Report::new(&arguments.common.out, "threads", "Speed-up by threads");
    report.paragraph(&format!(
        "Two bumpy tori of {} triangles each in deep contact, {} poses with {} pairs on average; and building the tree of one torus. Milliseconds, the fastest of {} passes; in brackets the speed-up over one thread. \
         The pairs are compared with those of one thread in every pass.",
        count(triangles as u64),
        arguments.poses.max(1),
        count(pairs as u64),
        arguments.passes.max(1),
    ));
    let mut table = Table::new(["threads", "all pairs, ms", "building, ms"]);
    let with_speedup = |ms: f64, one: f64| format!("{} ({:.2})", short(ms), one / ms);
    for row in rows {
        table.row([
            row.threads.to_string(),
            with_speedup(row.pairs, rows[0].pairs),
            with_speedup(row.build, rows[0].build),
        ]);
    }
    report.table(&table);
    let speedups = |of: fn(&Row) -> f64| -> Vec<(f64, f64)> {
        rows.iter().map(|row| (row.threads as f64, of(&rows[0]) / of(row))).collect()
    };
    let ideal = rows.iter().map(|row| (row.threads as f64, row.threads as f64)).collect();
    let chart = Chart::new(
        "Speed-up by threads",
        Axis::linear("threads"),
        Axis::linear("speed-up over one thread"),
    )
    .caption(format!("Two meshes of {} triangles in deep contact.", count(triangles as u64)))
    .series("all pairs", Mark::LineAndDots, speedups(|row| row.pairs))
    .series("building", Mark::LineAndDots, speedups(|row| row.build))
    .series("ideal", Mark::Guide, ideal);
    report.figure("gain", "Speed-up over the number of threads", &chart)?;
    report.finish()
}
