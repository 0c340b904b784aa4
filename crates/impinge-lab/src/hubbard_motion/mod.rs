//! Figures 7, 11 and 12 of Hubbard 1995: space-time bounds, with production beside them.

mod cubes;
mod figure_11;
mod figure_7;
mod phases;
mod worlds;

use anyhow::Result;

use crate::common::Common;
use crate::report::{Progress, Report};

/// Arguments of `impinge-lab hubbard-motion`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    common: Common,
    /// Runs of each experiment; the paper took 200.
    #[arg(long, default_value_t = 200, value_name = "N")]
    runs: usize,
    /// Bodies of each run; the paper took 100.
    #[arg(long, default_value_t = 100, value_name = "N")]
    bodies: usize,
    /// Passes over each run; each time is the fastest.
    #[arg(long, default_value_t = 3, value_name = "N")]
    passes: usize,
    /// Seed of the random numbers.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Measures everything and writes the report.
pub(crate) fn run(mut arguments: Arguments) -> Result<()> {
    arguments.common.limit([
        (&mut arguments.runs, 4),
        (&mut arguments.bodies, 20),
        (&mut arguments.passes, 1),
    ]);
    let mut progress = Progress::new(3);
    progress.step("figure 7: earliest intersections");
    let searches = figure_7::measure(&arguments)?;
    progress.step("figures 11 and 12: cubes to their first collision");
    let runs = figure_11::measure(&arguments)?;
    progress.step("worlds at known times");
    let sizes = worlds::measure(&arguments)?;
    let mut report = Report::new(
        &arguments.common.out,
        "hubbard-motion",
        "Hubbard 1995, sections IV to VI and IX: space-time bounds",
    );
    figure_7::report(&searches, &mut report)?;
    figure_11::report(&runs, &mut report)?;
    worlds::report(&sizes, &mut report);
    println!("{}", report.finish()?.display());
    Ok(())
}

/// The value below which this share of the values lies; the values are sorted.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = (share * sorted.len() as f64) as usize;
    sorted.get(place.min(sorted.len().saturating_sub(1))).copied().unwrap_or(0.0)
}

/// The median of any values; zero if there are none.
fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    quantile(&values, 0.5)
}
