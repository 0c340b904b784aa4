//! Mesh against mesh. Each pose is timed alone and keeps its fastest pass, of at most five within
//! the budget; median and mean are over the poses. A first pass that takes twice the budget stops
//! there.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use anyhow::Result;
use impinge::pair::{Collect, First, MeshCache, first_pair_cached, intersecting_pairs, traverse};
use impinge::{Mesh, Pose, distance};

use super::{Arguments, Cell, Measured, Workload, each};
use crate::timing::{self, Timed};

/// Poses whose pairs are written.
const DUMPED: usize = 20;

/// Runs every workload asked for.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    each(arguments, "mesh", workload)
}

fn workload(workload: &Workload<'_>) -> Result<()> {
    let (a, b) = (&workload.a, &workload.b);
    let build = timing::build(a, 5);
    let triangles = a.triangles().len();
    println!(
        r#"{{"peer":"impinge","workload":"{}","regime":"build","mode":"build","triangles":{triangles},"build_ms":{:.3},"bytes_per_tri":{:.1}}}"#,
        workload.name,
        build.as_secs_f64() * 1e3,
        a.tree().bytes() as f64 / triangles as f64
    );
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
        dump(&cell, a, b)?;
    }
    Ok(())
}

/// Times the query on the poses, always in their order, so that a query that remembers the last one
/// can gain by it.
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
    cell.tell(mode, &Measured { us, passes, answers })
}

/// Writes the pairs of the first poses, one line each: pose, triangle of A, triangle of B.
fn dump(cell: &Cell<'_>, a: &Mesh, b: &Mesh) -> Result<()> {
    if cell.arguments.out.is_none() {
        return Ok(());
    }
    let mut text = String::new();
    for (i, pose) in cell.poses.iter().take(DUMPED).enumerate() {
        for (t, u) in intersecting_pairs(a, b, pose) {
            writeln!(text, "{i} {t} {u}")?;
        }
    }
    cell.write("pairs", &text)
}
