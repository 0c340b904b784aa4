//! Hull against hull. A sample is a whole pass over the poses, because a query is shorter than
//! reading the clock; median and mean are over the passes.

use std::hint::black_box;
use std::time::Instant;

use anyhow::Result;
use impinge::convex::{self, Hull, HullCache};
use impinge::{Mesh, Pose};

use super::{Arguments, Cell, Measured, Workload, run_workloads};

/// The minimum and maximum number of passes.
const PASSES: std::ops::RangeInclusive<usize> = 3..=50;

/// Passes end after this multiple of the budget, even before the minimum number.
const MAX_BUDGETS: f64 = 4.0;

/// Runs all selected workloads.
pub(crate) fn run(arguments: Arguments) -> Result<()> {
    run_workloads(&arguments.limited(), "convex", workload)
}

fn workload(workload: &Workload<'_>) -> Result<()> {
    let hull = |mesh: &Mesh| Hull::new(mesh.vertices());
    let (a, b) = (&hull(&workload.a)?, &hull(&workload.b)?);
    for cell in workload.cells() {
        time(&cell, "bool", |pose| to_number(convex::intersects(a, b, pose).is_intersecting()))?;
        // `black_box` of the whole answer: the time includes computing the points and the
        // direction.
        time(&cell, "dist", |pose| black_box(convex::distance(a, b, pose)).upper)?;
        time(&cell, "signed", |pose| black_box(convex::contact(a, b, pose)).0.upper)?;
        if cell.regime == "coherent" {
            let cache = &mut HullCache::default();
            time(&cell, "bool-warm", |pose| {
                to_number(convex::intersects_cached(a, b, pose, cache).is_intersecting())
            })?;
            let cache = &mut HullCache::default();
            time(&cell, "dist-warm", |pose| {
                black_box(convex::distance_cached(a, b, pose, cache)).upper
            })?;
            let cache = &mut HullCache::default();
            time(&cell, "signed-warm", |pose| {
                black_box(convex::contact_cached(a, b, pose, cache)).0.upper
            })?;
        }
    }
    Ok(())
}

fn to_number(value: bool) -> f64 {
    f64::from(u8::from(value))
}

/// One pass for the answers, then timed passes within the budget, each over all poses in order.
fn time(cell: &Cell<'_>, mode: &str, mut query: impl FnMut(&Pose) -> f64) -> Result<()> {
    let budget = cell.arguments.budget;
    let answers: Vec<f64> = cell.poses.iter().map(&mut query).collect();
    let mut us = Vec::new();
    let start = Instant::now();
    let spent = || start.elapsed().as_secs_f64();
    while us.len() < *PASSES.start() || (us.len() < *PASSES.end() && spent() < budget) {
        let clock = Instant::now();
        for pose in cell.poses {
            black_box(query(pose));
        }
        us.push(clock.elapsed().as_secs_f64() * 1e6 / cell.poses.len().max(1) as f64);
        if spent() > MAX_BUDGETS * budget {
            break;
        }
    }
    let passes = us.len();
    cell.write_results(mode, &Measured { us, passes, answers })
}
