//! Zachmann 1994, sections 5.4, 5.5 and 6.6: octrees and grids of moving boxes, whether they save
//! time before exact checks, and the speed-up by more processors.

mod cage;
mod exact_checks;
mod grids;
mod many_objects;
mod octrees;
mod race;
mod threads;

use anyhow::Result;

use crate::common::Common;
use crate::report::{Progress, Report};

/// Arguments of `impinge-lab zachmann-5`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    common: Common,
    /// Frames of a flight; the thesis took 1000, and 5000 with exact checks.
    #[arg(long, default_value_t = 1000, value_name = "N")]
    frames: usize,
    /// Passes; each frame keeps its fastest.
    #[arg(long, default_value_t = 5, value_name = "N")]
    passes: usize,
    /// The maximum number of threads.
    #[arg(long, default_value_t = 2, value_name = "N")]
    threads: usize,
    /// Seed of the random numbers.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// The number of progress steps.
const STEPS: usize = octrees::STEPS
    + grids::STEPS
    + many_objects::STEPS
    + exact_checks::STEPS
    + threads::STEPS
    + race::STEPS;

/// Measures everything and writes the report.
pub(crate) fn run(mut arguments: Arguments) -> Result<()> {
    arguments.common.limit([(&mut arguments.frames, 20), (&mut arguments.passes, 1)]);
    let arguments = &arguments;
    let mut progress = Progress::new(STEPS);
    let mut report = Report::new(
        &arguments.common.out,
        "zachmann-5",
        "Zachmann 1994, sections 5.4, 5.5 and 6.6: octrees, grids, processors",
    );
    report.paragraph(&format!(
        "The thesis' scenario: a cage with sides of 10, in it 100 objects whose own boxes have sides of 1, which move straight, rotate, and are reflected at the walls. It does not state velocities; ours are 0.05 and three degrees a frame. The thesis ran on an SGI Onyx (R4400, 150 MHz) and its times include moving the objects and their boxes; ours are of the broad phase alone, on recorded boxes, {} frames, each the fastest of {} passes. \
         Its figures are curves without numbers in our copy; ours are compared with its tables and the statements of its text.",
        arguments.frames,
        arguments.passes,
    ));
    octrees::report(arguments, &mut progress, &mut report)?;
    grids::report(arguments, &mut progress, &mut report)?;
    many_objects::report(arguments, &mut progress, &mut report)?;
    exact_checks::report(arguments, &mut progress, &mut report)?;
    threads::report(arguments, &mut progress, &mut report)?;
    race::report(arguments, &mut progress, &mut report)?;
    println!("{}", report.finish()?.display());
    Ok(())
}
