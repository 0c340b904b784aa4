//! Frames with a budget under loads from a tenth to a hundred times what fits (Hubbard 1995,
//! section VIII, with exact answers): what is decided, how much is known of the rest, and by how
//! much updates are late.

mod load;
mod scene;

use anyhow::Result;
use impinge_chart::{Axis, Chart, Mark};

use self::load::{Length, Measured};
use self::scene::{Compared, Scene};
use crate::common::Common;
use crate::overshoot::lateness::{quantile, verdict};
use crate::report::{Progress, Report, Table, count, short};

/// Arguments of `impinge-lab frames`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    common: Common,
    /// Largest number of bodies.
    #[arg(long, default_value_t = 100_000, value_name = "N")]
    max: usize,
    /// Frames for each number of bodies, budget and load.
    #[arg(long, default_value_t = 400, value_name = "N")]
    frames: usize,
    /// Most frames before these, until the number of undecided pairs is steady.
    #[arg(long, default_value_t = 400, value_name = "N")]
    before: usize,
    /// Frames that measure the time for each body that moves.
    #[arg(long, default_value_t = 9, value_name = "N")]
    passes: usize,
    /// Seed of the random numbers.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Numbers of bodies.
const COUNTS: [usize; 3] = [1000, 10_000, 100_000];
/// Budgets in microseconds.
const BUDGETS: [u64; 3] = [50, 500, 5000];
/// Work of a frame in relation to what fits in the budget.
const LOADS: [f64; 7] = [0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0];
/// What is promised for the 99.9 % quantile of the processor time beyond the budget.
const MAX_P999: f64 = 20.0;

/// One number of bodies and one budget, under all loads that are possible.
struct Row {
    bodies: usize,
    micros: u64,
    loads: Vec<(f64, Measured)>,
}

/// Measures all loads and writes the report.
pub(crate) fn run(mut arguments: Arguments) -> Result<()> {
    let common = arguments.common.clone();
    common.limit([
        (&mut arguments.max, 1000),
        (&mut arguments.frames, 24),
        (&mut arguments.before, 10),
        (&mut arguments.passes, 2),
    ]);
    let counts: Vec<usize> = COUNTS.into_iter().filter(|n| *n <= arguments.max).collect();
    let mut progress = Progress::new(counts.len() * BUDGETS.len());
    let mut rows = Vec::new();
    let mut costs = Vec::new();
    for bodies in counts {
        let mut scene = Scene::new(bodies, arguments.seed)?;
        scene.settle();
        let cost = load::micros_per_body(&mut scene, arguments.passes)?;
        costs.push(format!("{} us with {}", short(cost), count(bodies as u64)));
        for micros in BUDGETS {
            progress.step(&format!("{bodies} bodies, {micros} us"));
            let mut loads = Vec::new();
            for load in LOADS {
                let moved = (load * micros as f64 / cost).round() as usize;
                if !(1..=bodies).contains(&moved) {
                    continue;
                }
                // Each body moves twice in the mean.
                let before = (2 * bodies / moved).clamp(1, arguments.before.max(1));
                let length = Length {
                    before,
                    frames: arguments.frames,
                    interval: (arguments.frames / 10).max(1),
                };
                loads.push((load, load::measure(&mut scene, moved, micros, length)?));
            }
            rows.push(Row { bodies, micros, loads });
        }
    }
    let mut report = Report::new(&common.out, "frames", "Frames within a budget");
    report.paragraph(&format!(
        "`World::update_within` with a deadline, under loads from a tenth to a hundred times what \
         fits in the budget: balls, boxes and rings of 288 triangles close to each other, of which \
         so many move a little in each frame that complete updates would take this multiple of the \
         budget. Processor time of a complete update for each body that moves: {}. Loads for which \
         less than one body, or more than all, would have to move are left out. {} frames each.",
        costs.join(", "),
        arguments.frames,
    ));
    write_errors(&mut report, &rows);
    write_decided(&mut report, &rows)?;
    write_lateness(&mut report, &mut rows);
    println!("{}", report.finish()?.display());
    Ok(())
}

/// The comparison with complete updates.
fn write_errors(report: &mut Report, rows: &[Row]) {
    let mut sum = Compared::default();
    for (_, measured) in rows.iter().flat_map(|row| &row.loads) {
        sum.pairs += measured.compared.pairs;
        sum.wrong += measured.compared.wrong;
    }
    report.heading("Wrong states");
    report.paragraph(&format!(
        "Compared with a world that goes through the same with complete updates, in every tenth \
         part of the frames: {} states of pairs that meet or are said to meet, {} of them wrong \
         without being reported as undecided.",
        count(sum.pairs),
        count(sum.wrong),
    ));
}

/// Shares, bounds and ages over the load.
fn write_decided(report: &mut Report, rows: &[Row]) -> Result<()> {
    report.heading("Degradation");
    report.paragraph(
        "Decided: the share of the pairs with overlapping boxes that are up to date after the \
         update, in the mean. Width: between the bounds of the signed distance of undecided pairs, \
         from their boxes; bodies have a diameter of about 1. Age: updates since the first that did \
         not decide the pair. In the long run the reciprocal of the load is the share of the bodies \
         that can be up to date, and a pair needs both. The load counts processor time and the \
         budget the wall clock, so other processes make loads larger than they are called.",
    );
    let mut table = Table::new([
        "bodies",
        "budget, us",
        "load",
        "bodies that move",
        "decided",
        "decided times load",
        "undecided pairs",
        "width",
        "age, mean",
        "age, max",
    ]);
    let mut chart = Chart::new(
        "Decided pairs under load",
        Axis::log("work in a frame, in budgets"),
        Axis::log("share of pairs that are decided"),
    );
    let mut smallest = f64::INFINITY;
    let mut steepest: f64 = 0.0;
    for Row { bodies, micros, loads } in rows {
        let points = |value: fn(&Measured) -> f64| -> Vec<(f64, f64)> {
            loads.iter().map(|(load, measured)| (*load, value(measured))).collect()
        };
        if loads.len() > 2 {
            let name = format!("{} bodies, {micros} us", count(*bodies as u64));
            chart = chart.series(name, Mark::LineAndDots, points(|measured| measured.decided));
        }
        for (load, measured) in loads {
            let relative = measured.decided * load.max(1.0);
            smallest = smallest.min(relative);
            table.row([
                count(*bodies as u64),
                micros.to_string(),
                load.to_string(),
                count(measured.moved as u64),
                short(measured.decided),
                short(relative),
                count(measured.undecided.round() as u64),
                short(measured.width),
                short(measured.age),
                count(measured.max_age),
            ]);
        }
        for pair in loads.windows(2) {
            let [(load, before), (next, after)] = pair else { continue };
            let drop = before.decided / after.decided.max(1e-9);
            steepest = steepest.max(drop / (next / load));
        }
    }
    chart = chart.series(
        "1 / load",
        Mark::Guide,
        LOADS.iter().map(|load| (*load, 1.0 / load.max(1.0))).collect(),
    );
    chart = chart.panel(Axis::log("work in a frame, in budgets"), Axis::linear("width of bounds"));
    for Row { bodies, micros, loads } in rows.iter().filter(|row| row.loads.len() > 2) {
        let points = loads.iter().filter(|(_, measured)| measured.undecided > 0.0);
        let points = points.map(|(load, measured)| (*load, measured.width)).collect();
        let name = format!("{} bodies, {micros} us", count(*bodies as u64));
        chart = chart.series(name, Mark::LineAndDots, points);
    }
    report.table(&table);
    report.paragraph(&format!(
        "The smallest decided share is {} times the reciprocal of its load. From one load to the \
         next the share drops by at most {} times the factor between the loads.",
        short(smallest),
        short(steepest),
    ));
    let chart = chart.caption(
        "Above: the share of pairs with overlapping boxes that are decided after an update. Below: \
         the mean width of the bounds of the others.",
    );
    report.figure("load", "decided share and width of bounds over the load", &chart)
}

/// Microseconds beyond the budget.
fn write_lateness(report: &mut Report, rows: &mut [Row]) {
    report.heading("Lateness");
    report.paragraph(&format!(
        "Microseconds of the thread's processor time beyond the budget, of the updates that spent \
         it; the whole call, with its report. Target: 99.9 % at most {MAX_P999} us.",
    ));
    let mut table =
        Table::new(["bodies", "budget, us", "updates", "p50", "p99", "p99.9", "max", "target"]);
    for Row { bodies, micros, loads } in rows {
        let mut late: Vec<f64> =
            loads.iter_mut().flat_map(|(_, measured)| std::mem::take(&mut measured.late)).collect();
        late.sort_by(f64::total_cmp);
        let mut row = vec![count(*bodies as u64), micros.to_string(), count(late.len() as u64)];
        row.extend([0.5, 0.99, 0.999, 1.0].map(|share| short(quantile(&late, share))));
        row.push(verdict(quantile(&late, 0.999), MAX_P999));
        table.row(row);
    }
    report.table(&table);
}
