//! Queries within a budget: by how much they are late, and what a budget costs.
//!
//! `scene.rs` says what a scene has to offer, `meshes.rs` has those of two meshes.

mod cost;
pub(crate) mod lateness;
mod meshes;
mod quanta;
mod scene;
mod solids;

use std::hint::black_box;
use std::time::Instant;

use anyhow::Result;
use impinge::internals::Random;

use self::cost::{Costs, MIN_UNITS, PARTS};
use self::lateness::{BUDGETS, Caches, Late};
use self::quanta::Quanta;
use self::scene::{Query, Scene};
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
    /// Rounds over all scenes, queries and budgets that share these seconds.
    #[arg(long, default_value_t = 4, value_name = "N")]
    rounds: usize,
    /// Places for each comparison of costs.
    #[arg(long, default_value_t = 40, value_name = "N")]
    places: usize,
    /// Passes over each place, one method after the other; the fastest of each counts.
    #[arg(long, default_value_t = 9, value_name = "N")]
    passes: usize,
    /// Seed of the random numbers.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Bytes that are written between two queries to empty the caches.
const CACHE_BYTES: usize = 96 << 20;

/// The scenes with about this number of triangles in a mesh.
fn scenes(triangles: usize) -> Result<Vec<Box<dyn Scene>>> {
    let mut scenes = meshes::scenes(triangles)?;
    scenes.extend(solids::scenes(triangles)?);
    Ok(scenes)
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

/// The queries of a scene, with what was measured.
struct Measured<'s> {
    scene: &'s dyn Scene,
    query: Box<dyn Query + 's>,
    late: [Late; BUDGETS.len()],
    costs: Option<Costs>,
}

impl<'s> Measured<'s> {
    fn all(scenes: &'s [Box<dyn Scene>]) -> Vec<Self> {
        let of_scene = |scene: &'s dyn Scene| {
            let queries = scene.queries().into_iter();
            queries.map(move |query| Self { scene, query, late: Default::default(), costs: None })
        };
        scenes.iter().flat_map(|scene| of_scene(&**scene)).collect()
    }
}

/// Lateness by a name, in the order of first appearance.
#[derive(Default)]
struct Groups(Vec<(String, [Late; BUDGETS.len()])>);

impl Groups {
    fn add(&mut self, name: &str, late: &[Late; BUDGETS.len()]) {
        let at = self.0.iter().position(|(known, _)| known == name).unwrap_or_else(|| {
            self.0.push((name.to_owned(), Default::default()));
            self.0.len() - 1
        });
        for (sum, late) in self.0[at].1.iter_mut().zip(late) {
            sum.add(late);
        }
    }

    fn table(&mut self, heading: &str) -> Table {
        let mut table = Table::new([&[heading, "budget, us"], &lateness::HEADINGS[..]].concat());
        for (name, late) in &mut self.0 {
            for (late, micros) in late.iter_mut().zip(BUDGETS) {
                table.row(late.row(&[name.clone(), count(micros)]));
            }
        }
        table
    }
}

/// Measures all scenes and writes the report.
pub(crate) fn run(mut arguments: Arguments) -> Result<()> {
    let common = arguments.common.clone();
    common.limit([
        (&mut arguments.max, 1000),
        (&mut arguments.rounds, 1),
        (&mut arguments.places, 2),
        (&mut arguments.passes, 1),
    ]);
    common.limit_seconds(&mut arguments.seconds, 0.002);
    let sizes: Vec<usize> =
        [1000, 10_000, 100_000, 1_000_000].into_iter().filter(|n| *n <= arguments.max).collect();
    let mut progress = Progress::new(sizes.len() * (2 + arguments.rounds));
    let mut caches = Caches::new(if common.quick { 1 << 12 } else { CACHE_BYTES });
    let mut random = Random::new(arguments.seed);
    let (mut by_scene, mut by_query, mut by_size) =
        (Groups::default(), Groups::default(), Groups::default());
    let mut cost_headings = vec!["scene".to_owned(), "triangles".to_owned(), "query".to_owned()];
    cost_headings.extend(cost::headings());
    let mut cost_table = Table::new(cost_headings);
    let mut everything = Late::default();
    let [mut quanta, mut cold_quanta] = [Quanta::default(), Quanta::default()];
    for size in &sizes {
        progress.step(&format!("{size} triangles"));
        let scenes = scenes(*size)?;
        scenes.iter().for_each(|scene| scene.prepare());
        let mut measured = Measured::all(&scenes);
        // Everything takes turns, so that a time at which the machine is slow affects all scenes.
        for round in 0..arguments.rounds {
            progress.step(&format!("{size} triangles, round {}", round + 1));
            let seconds = arguments.seconds / arguments.rounds as f64;
            for Measured { scene, query, late, .. } in &mut measured {
                for (late, micros) in late.iter_mut().zip(BUDGETS) {
                    let cold = scene.is_cold().then_some(&mut caches);
                    late.add(&lateness::measure(&mut **query, micros, seconds, &mut random, cold)?);
                }
                let cold = scene.is_cold().then_some(&mut caches);
                let quanta = if cold.is_some() { &mut cold_quanta } else { &mut quanta };
                quanta.measure(&mut **query, scene.name(), seconds, &mut random, cold)?;
            }
        }
        progress.step(&format!("{size} triangles, cost"));
        for Measured { scene, query, costs, .. } in &mut measured {
            if !scene.is_cold() {
                let numbers = (arguments.places, arguments.passes);
                let min_units = if common.quick { 1 } else { MIN_UNITS };
                *costs = Some(Costs::measure(&mut **query, numbers, min_units, &mut random)?);
            }
        }
        for Measured { scene, query, late, costs } in &mut measured {
            by_scene.add(scene.name(), late);
            by_query.add(query.name(), late);
            by_size.add(&count(*size as u64), late);
            late.iter().for_each(|late| everything.add(late));
            let first =
                [scene.name().to_owned(), count(scene.triangles() as u64), query.name().to_owned()];
            if let Some(row) = costs.as_mut().and_then(|costs| costs.row(&first)) {
                cost_table.row(row);
            }
        }
    }
    let mut report = Report::new(&common.out, "overshoot", "Queries within a budget");
    report.paragraph(&format!(
        "Lateness in microseconds of queries that stopped at a deadline: the processor time of the \
         thread beyond the budget, and the wall clock beyond the deadline, which includes the time \
         of other processes. Targets: 99.9 % at most 20 us of processor time, and at most 50 us of \
         the wall clock on a core that does nothing else. Each place twice: from the start, and \
         resumed. {} s for each size, scene, query and budget, in {} rounds in which all take \
         turns; queries that were decided in time do not count. A reading of the clock takes {} ns \
         here; both clocks are read within the measurement.",
        arguments.seconds,
        arguments.rounds,
        short(clock_nanoseconds()),
    ));
    report.heading("All");
    let mut all = Table::new(lateness::HEADINGS);
    all.row(everything.row(&[]));
    report.table(&all);
    report.heading("By scene");
    report.table(&by_scene.table("scene"));
    report.heading("By query");
    report.table(&by_query.table("query"));
    report.heading("By size");
    report.table(&by_size.table("triangles"));
    report.heading("Units of work");
    report.paragraph(
        "Microseconds of the wall clock between two units of work, with a reading of the clock \
         before each: what a query may be late by even if it reads the clock before every unit. \
         Target: 99.9 % of each kind at most 5 us. With the data in the caches:",
    );
    report.table(&quanta.table());
    report.paragraph("With empty caches:");
    report.table(&cold_quanta.table());
    report.heading("Cost");
    report.paragraph(&format!(
        "Time to the end with a deadline that is not reached, with a limit of steps that is not \
         reached, and in {PARTS} parts with a limit of steps each, in relation to the query \
         without a budget: median over the places, spread, and the verdict about the median. The \
         methods take turns at each place; the fastest of {} passes counts. The query without a \
         budget is measured twice: the ratio of the two shows the error of the measurement. \
         Queries of fewer than {MIN_UNITS} units are left out.",
        arguments.passes,
    ));
    report.table(&cost_table);
    println!("{}", report.finish()?.display());
    Ok(())
}
