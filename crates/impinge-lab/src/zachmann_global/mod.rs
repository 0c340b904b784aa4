//! Zachmann 1994, sections 5.4, 5.5 and 6.6: octrees and grids of moving boxes, whether they pay
//! before an exact check, and what more processors gain.

mod cage;
mod cells;
mod exact;
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
    /// The most threads.
    #[arg(long, default_value_t = 2, value_name = "N")]
    threads: usize,
    /// Where the random numbers start.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

const STEPS: usize = octrees::STEPS
    + cells::STEPS
    + many_objects::STEPS
    + exact::STEPS
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
        "The thesis' scenario: a cage with sides of 10, in it 100 objects whose own boxes have sides of 1, which fly straight on, turn, and come back from the walls. It does not tell velocities; ours are 0.05 and three degrees a frame. The thesis ran on an SGI Onyx (R4400, 150 MHz) and counts in object movement and boxes; ours is the broad phase alone, on recorded boxes, {} frames, each the fastest of {} passes. \
         Its figures are curves without numbers in our copy; what stands beside ours are its tables and the statements of its text.",
        arguments.frames,
        arguments.passes,
    ));
    octrees::report(arguments, &mut progress, &mut report)?;
    cells::report(arguments, &mut progress, &mut report)?;
    many_objects::report(arguments, &mut progress, &mut report)?;
    exact::report(arguments, &mut progress, &mut report)?;
    threads::report(arguments, &mut progress, &mut report)?;
    race::report(arguments, &mut progress, &mut report)?;
    println!("{}", report.finish()?.display());
    Ok(())
}
