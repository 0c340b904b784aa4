//! Hull against hull. A sample is a whole pass over the poses, because one query is shorter than
//! what a clock costs; median and mean are over the passes.

use std::hint::black_box;
use std::time::Instant;

use anyhow::Result;
use impinge::convex::{self, Hull, HullCache};
use impinge::{Mesh, Pose};

use super::{Arguments, Cell, Measured, Workload, each};

/// The most passes, and the fewest.
const PASSES: std::ops::RangeInclusive<usize> = 3..=50;

/// Passes end after so many budgets, fewer than the fewest though they be.
const PATIENCE: f64 = 4.0;

/// Runs every workload asked for.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    each(arguments, "convex", workload)
}

fn workload(workload: &Workload<'_>) -> Result<()> {
    let hull = |mesh: &Mesh| Hull::new(mesh.vertices());
    let (a, b) = (&hull(&workload.a)?, &hull(&workload.b)?);
    for cell in workload.cells() {
        time(&cell, "bool", |pose| truth(convex::intersects(a, b, pose).is_intersecting()))?;
        // The points and the direction count as asked for.
        time(&cell, "dist", |pose| black_box(convex::distance(a, b, pose)).upper)?;
        time(&cell, "signed", |pose| black_box(convex::contact(a, b, pose)).0.upper)?;
        if cell.regime == "coherent" {
            let cache = &mut HullCache::default();
            time(&cell, "bool-warm", |pose| {
                truth(convex::intersects_cached(a, b, pose, cache).is_intersecting())
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

fn truth(is_so: bool) -> f64 {
    f64::from(u8::from(is_so))
}

/// One pass for the answers, then passes within the budget, each over all poses in their order.
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
        if spent() > PATIENCE * budget {
            break;
        }
    }
    let passes = us.len();
    cell.tell(mode, &Measured { us, passes, answers })
}
