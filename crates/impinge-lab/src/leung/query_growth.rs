//! Time of the library's own verdict on coherent motion over the number of vertices, compared with
//! separating vectors, on the recordings of Leung's experiments.

use std::path::PathBuf;

use anyhow::Result;

use super::growth::{MOTIONS, Row, SIZES, table};
use super::methods::{Method, Replay};
use super::world::{Setting, Shape, record};
use crate::common::Common;
use crate::report::{Progress, Report};
use impinge_chart::{Axis, Chart, Mark};

/// Arguments of `impinge-lab convex-growth`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    common: Common,
    /// Frames of a flight.
    #[arg(long, default_value_t = 100, value_name = "N")]
    frames: usize,
    /// Passes over a flight; each frame keeps its fastest.
    #[arg(long, default_value_t = 9, value_name = "N")]
    passes: usize,
    /// Seed of the random numbers.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

const METHODS: [Method; 2] = [Method::Query, Method::Vectors];

/// Measures every size and writes the report.
pub(crate) fn run(mut arguments: Arguments) -> Result<()> {
    arguments.common.limit([(&mut arguments.frames, 20), (&mut arguments.passes, 1)]);
    let arguments = &arguments;
    let sizes = if arguments.common.quick { &SIZES[..2] } else { &SIZES[..] };
    let (frames, passes) = (arguments.frames, arguments.passes);
    let mut progress = Progress::new(sizes.len());
    let mut rows = Vec::new();
    for vertices in sizes {
        progress.step(&format!("n = {vertices}"));
        let mut ns = [[0.0; METHODS.len()]; MOTIONS.len()];
        for (ns, (_, velocity, rotation)) in ns.iter_mut().zip(MOTIONS) {
            let defaults = Setting::thesis(&Shape::ALL, *vertices, 100, frames, arguments.seed);
            let recording = record(&Setting { velocity, rotation, ..defaults })?;
            let replay = Replay::new(&recording)?;
            for (ns, method) in ns.iter_mut().zip(METHODS) {
                // Each method is timed twice, with the other in between, because the machine may be
                // busy for a while.
                *ns = replay.time(method, passes).request;
            }
            for (ns, method) in ns.iter_mut().zip(METHODS) {
                *ns = ns.min(replay.time(method, passes).request);
            }
        }
        rows.push(Row { vertices: *vertices, ns });
    }
    println!("{}", report(arguments, &rows)?.display());
    Ok(())
}

fn report(arguments: &Arguments, rows: &[Row<{ METHODS.len() }>]) -> Result<PathBuf> {
    let title = "Time of a verdict on two hulls over their vertices";
    let mut report = Report::new(&arguments.common.out, "convex-growth", title);
    report.paragraph(
        "100 bodies of radius one, a third each of points on an ellipsoid, a rod and a plate, fly in a closed room (Leung 1996, chapter 6; see [its figures](leung.md)). Every pair whose tightest boxes overlap is tested, with a cache for each pair. Nanoseconds a test, one thread, each frame the fastest of several passes. \
         `intersects_cached` is `convex::intersects_cached`; *separating vector* is `impinge_papers::leung::separating` as published.",
    );
    let headings = MOTIONS.iter().flat_map(|(name, ..)| {
        METHODS.iter().map(move |method| format!("{}, {name}", method.name()))
    });
    let table = table(headings.collect(), rows);
    report.table(&table);
    let mut chart = Chart::new(
        "A verdict on coherent motion, over the number of vertices",
        Axis::log("vertices n of each body"),
        Axis::log("ns a test"),
    )
    .caption("100 bodies, a third of each shape; all tests of pairs whose boxes overlap. The thin line has power one.");
    for (i, method) in METHODS.into_iter().enumerate() {
        for (motion, (name, ..)) in MOTIONS.into_iter().enumerate() {
            let points = rows.iter().map(|r| (r.vertices as f64, r.ns[motion][i])).collect();
            let label = format!("{}, {name}", method.name());
            chart = chart.series(label, Mark::LineAndDots, points);
        }
    }
    if let (Some(first), Some(last)) = (rows.first(), rows.last()) {
        let (from, to) = (first.vertices as f64, last.vertices as f64);
        let base = first.ns.iter().flatten().copied().fold(f64::INFINITY, f64::min);
        let line = vec![(from, base), (to, base * to / from)];
        chart = chart.series("proportional to n", Mark::Guide, line);
    }
    report.figure("n", "Growth of a verdict with n", &chart)?;
    report.finish()
}
