//! Mesh against mesh. Each pose is timed alone and keeps its fastest pass, of at most five within
//! the budget; median and mean are over the poses. A first pass stops after twice the budget.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use anyhow::Result;
use impinge::pair::{Collect, First, MeshCache, first_pair_cached, intersecting_pairs, traverse};
use impinge::{Mesh, Pose, distance};

use super::{Arguments, Cell, Measured, Workload, run_workloads};
use crate::timing::{self, Timed};

/// The number of poses whose pairs are written.
const POSES_WITH_PAIRS: usize = 20;

/// Runs all selected workloads.
pub(crate) fn run(arguments: Arguments) -> Result<()> {
    run_workloads(&arguments.limited(), "mesh", workload)
}

fn workload(workload: &Workload<'_>) -> Result<()> {
    let (a, b) = (&workload.a, &workload.b);
    let build = timing::build(a, 5);
    let triangles = a.triangles().len();
    workload.rows.write_row(&format!(
        r#"{{"peer":"impinge","workload":"{}","regime":"build","mode":"build","triangles":{triangles},"build_ms":{:.3},"bytes_per_tri":{:.1}}}"#,
        workload.name,
        build.as_secs_f64() * 1e3,
        a.tree().bytes() as f64 / triangles as f64
    ))?;
    let (_, _) = (a.tree(), b.tree());
    for cell in workload.cells() {
        time(&cell, "bool", |pose| {
            let mut first = First::default();
            traverse(a, b, pose, &mut first);
            f64::from(u8::from(first.pair.is_some()))
        })?;
        if cell.regime == "flight" {
            let mut cache = MeshCache::default();
            time(&cell, "bool-cached", |pose| {
                f64::from(u8::from(first_pair_cached(a, b, pose, &mut cache).is_some()))
            })?;
        }
        time(&cell, "all", |pose| {
            let mut all = Collect::default();
            traverse(a, b, pose, &mut all);
            all.pairs.len() as f64
        })?;
        // A mesh without triangles is infinitely far away.
        time(&cell, "dist", |pose| distance(a, b, pose).map_or(f64::INFINITY, |d| d.upper))?;
        write_pairs(&cell, a, b)?;
    }
    Ok(())
}

/// Times the query on the poses, always in their order, so that a query with a cache of the last
/// pose can benefit.
fn time(cell: &Cell<'_>, mode: &str, mut query: impl FnMut(&Pose) -> f64) -> Result<()> {
    let budget = Duration::from_secs_f64(cell.arguments.budget);
    let warm_up = Instant::now();
    for pose in cell.poses.iter().take(20) {
        std::hint::black_box(query(pose));
        if warm_up.elapsed() > budget / 5 {
            break;
        }
    }
    let Timed { us, answers, passes } = timing::time(budget, cell.poses, query);
    cell.write_results(mode, &Measured { us, passes, answers })
}

/// Writes the pairs of the first poses, a line each: pose, triangle of A, triangle of B.
fn write_pairs(cell: &Cell<'_>, a: &Mesh, b: &Mesh) -> Result<()> {
    if cell.arguments.answers.is_none() {
        return Ok(());
    }
    let mut text = String::new();
    for (i, pose) in cell.poses.iter().take(POSES_WITH_PAIRS).enumerate() {
        for (t, u) in intersecting_pairs(a, b, pose) {
            writeln!(text, "{i} {t} {u}")?;
        }
    }
    cell.write("pairs", &text)
}
