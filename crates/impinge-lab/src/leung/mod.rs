//! The experiments of Leung 1996, chapter 6: Figures 6.3 to 6.11, and the time of a verdict over
//! the number of vertices.

mod growth;
mod methods;
pub(crate) mod query_growth;
mod steps;
mod times;
mod world;

use anyhow::Result;

use crate::common::Common;
use crate::report::{Progress, Report};

/// Arguments of `impinge-lab leung`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    common: Common,
    /// Frames of a flight.
    #[arg(long, default_value_t = 200, value_name = "N")]
    frames: usize,
    /// Bodies of the flights in which steps are counted; the thesis took 500.
    #[arg(long, default_value_t = 500, value_name = "N")]
    bodies: usize,
    /// The maximum number of vertices of the bodies for which steps are counted.
    #[arg(long, default_value_t = 1000, value_name = "N")]
    max: usize,
    /// Passes over a flight; each frame keeps its fastest.
    #[arg(long, default_value_t = 9, value_name = "N")]
    passes: usize,
    /// Seed of the random numbers.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Measures everything and writes the report.
pub(crate) fn run(mut arguments: Arguments) -> Result<()> {
    arguments.common.limit([
        (&mut arguments.frames, 20),
        (&mut arguments.bodies, 20),
        (&mut arguments.max, 50),
        (&mut arguments.passes, 1),
    ]);
    let arguments = &arguments;
    let steps = 3 * steps::SIZES.iter().filter(|n| **n <= arguments.max).count();
    let mut progress = Progress::new(steps + times::STEPS + growth::SIZES.len());
    let counted = steps::measure_all(arguments, &mut progress)?;
    let sweeps = times::measure_all(arguments, &mut progress)?;
    let growth = growth::measure(arguments, &mut progress)?;
    let mut report =
        Report::new(&arguments.common.out, "leung", "Leung 1996, chapter 6: separating vectors");
    report.paragraph(
        "Bodies of radius one fly in a closed room, by 5 % of their radius and 10 degrees a frame unless a figure states otherwise; two that start to intersect reverse velocity and rotation. Every pair whose tightest boxes overlap is tested. The thesis' bodies \
         are points on an ellipsoid, a thin rod and a flat plate; ours are points on ellipsoids with half axes 1 : 0.75 : 0.6, 1 : 0.05 : 0.05 and 1 : 1 : 0.05, so that every point is a vertex. Bounding spheres fill 10 % of the room, which the thesis does not state. Its figures are curves \
         without numbers in our copy, from an Indy (R4600); ours are compared with the statements of its text. Times are those of the tests alone, one thread, each frame the fastest of several passes, every method on the same recorded poses with its own state \
         for each pair. \"Closest features\" is our own tracker (V-Clip's rules), in place of I-COLLIDE; \"improved Gilbert\" is `impinge_papers::leung::closest` as published in section 5.4; it also bounds its rounding and confirms every vertex exactly, unlike the thesis', and so it and the combined algorithm lose some of their lead. Every \"apart\" of the separating vectors is certain.",
    );
    steps::report(&counted, arguments, &mut report)?;
    times::report(&sweeps, arguments, &mut report)?;
    growth::report(&growth, &mut report)?;
    println!("{}", report.finish()?.display());
    Ok(())
}

/// A share in percent, with one more digit below 1 % and above 99 %.
fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    if percent > 99.0 && percent < 100.0 || percent < 1.0 && percent > 0.0 {
        format!("{percent:.2} %")
    } else {
        format!("{percent:.1} %")
    }
}
