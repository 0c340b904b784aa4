//! Time of queries over the number of triangles: a bumpy torus against itself, from a thousand to a
//! million triangles.
//!
//! The regimes are those of the peer measurements. The second copy is in a random orientation on a
//! random axis: a hundredth of its size before first contact (`near`), a two-thousandth before it
//! (`touch`), or with its center at 30 % of the distance of first contact (`deep`).

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use impinge::pair::{Collect, First, intersecting_pairs, traverse};
use impinge::{Mesh, Pose, Vec3, distance};
use impinge_samples::shapes;

use crate::common::Common;
use crate::report::{Progress, Report, Table, count, short};
use crate::timing;
use impinge::internals::Random;
use impinge_chart::{Axis, Chart, Mark};

/// Arguments of `impinge-lab growth`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    common: Common,
    /// The maximum number of triangles.
    #[arg(long, default_value_t = 1_000_000, value_name = "N")]
    max: usize,
    /// Poses of each regime.
    #[arg(long, default_value_t = 100, value_name = "N")]
    poses: usize,
    /// Seconds for each cell of the table.
    #[arg(long, default_value_t = 1.5, value_name = "S")]
    budget: f64,
    /// Seed of the random numbers.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

const REGIMES: [&str; 3] = ["near", "touch", "deep"];
const QUERIES: [&str; 3] = ["first hit", "all pairs", "distance"];

/// The measurements for one number of triangles.
struct Row {
    triangles: usize,
    build_ms: f64,
    bytes: f64,
    /// Microseconds, by query and regime.
    us: [[f64; REGIMES.len()]; QUERIES.len()],
    /// The mean number of intersecting pairs in the regime `deep`.
    pairs: f64,
}

/// Measures every size and writes the report.
pub(crate) fn run(mut arguments: Arguments) -> Result<()> {
    arguments.common.limit([(&mut arguments.max, 3200), (&mut arguments.poses, 3)]);
    arguments.common.limit_seconds(&mut arguments.budget, 0.05);
    let arguments = &arguments;
    let sizes: Vec<usize> = (0..=6)
        .map(|k| (1000.0 * 10_f64.powf(f64::from(k) / 2.0)).round() as usize)
        .filter(|n| *n <= arguments.max.max(1000))
        .collect();
    let mut progress = Progress::new(sizes.len());
    let mut rows = Vec::new();
    for triangles in sizes {
        progress.step(&format!("{triangles} triangles"));
        rows.push(measure(triangles, arguments)?);
    }
    let path = report(arguments, &rows)?;
    println!("{}", path.display());
    Ok(())
}

/// A bumpy torus of about `triangles` triangles, with twice as many segments around the ring as
/// around its tube.
pub(crate) fn torus(triangles: usize) -> Result<Mesh> {
    let across = ((triangles as f64 / 4.0).sqrt().round() as usize).max(3);
    Ok(shapes::deformed_torus(0.65, 0.25, 2 * across, across, 0.35, 1)?)
}

fn measure(triangles: usize, arguments: &Arguments) -> Result<Row> {
    let (a, b) = (torus(triangles)?, torus(triangles)?);
    let build = timing::build(&a, 3);
    let mut random = Random::new(arguments.seed);
    let mut poses = [const { Vec::new() }; REGIMES.len()];
    for _ in 0..arguments.poses {
        for (list, pose) in poses.iter_mut().zip(approach(&a, &b, &mut random)?) {
            list.push(pose);
        }
    }
    let budget = Duration::from_secs_f64(arguments.budget);
    let mut us = [[0.0; REGIMES.len()]; QUERIES.len()];
    for (regime, poses) in poses.iter().enumerate() {
        us[0][regime] = median(budget, poses, |pose| {
            let mut first = First::default();
            traverse(&a, &b, pose, &mut first);
            usize::from(first.pair.is_some())
        });
        us[1][regime] = median(budget, poses, |pose| {
            let mut all = Collect::default();
            traverse(&a, &b, pose, &mut all);
            all.pairs.len()
        });
        us[2][regime] = median(budget, poses, |pose| usize::from(distance(&a, &b, pose).is_some()));
    }
    let deep = &poses[REGIMES.len() - 1];
    let total: usize = deep.iter().map(|pose| intersecting_pairs(&a, &b, pose).len()).sum();
    let pairs = total as f64 / deep.len().max(1) as f64;
    let n = a.triangles().len();
    let bytes = a.tree().bytes() as f64 / n as f64;
    Ok(Row { triangles: n, build_ms: build.as_secs_f64() * 1e3, bytes, us, pairs })
}

/// Poses of the three regimes, near, touch and deep, along one random approach.
pub(crate) fn approach(a: &Mesh, b: &Mesh, random: &mut Random) -> Result<[Pose; REGIMES.len()]> {
    let axis = random.in_cube() + Vec3::splat(1e-3);
    let rotation = Pose::from_axis_angle(axis, std::f64::consts::PI * random.signed())?;
    let direction = (random.in_cube() + Vec3::splat(1e-3)).normalize();
    let at =
        |r: f64| -> Result<Pose> { Ok(Pose::from_translation(direction * r)?.compose(&rotation)?) };
    let hits = |r: f64| -> Result<bool> {
        let mut first = First::default();
        traverse(a, b, &at(r)?, &mut first);
        Ok(first.pair.is_some())
    };
    // From far away in steps until the meshes intersect, then by bisection.
    let size = a.bounds().extent().max_element();
    let step = 0.02 * size;
    let mut free = 2.0 * size;
    while free > step && !hits(free - step)? {
        free -= step;
    }
    let mut met = free - step;
    for _ in 0..40 {
        let middle = 0.5 * (free + met);
        if hits(middle)? {
            met = middle;
        } else {
            free = middle;
        }
    }
    Ok([at(free + 0.01 * size)?, at(free + 0.0005 * size)?, at(0.3 * free)?])
}

/// The median time over the poses, in microseconds.
fn median(budget: Duration, poses: &[Pose], query: impl FnMut(&Pose) -> usize) -> f64 {
    let mut best = timing::time(budget, poses, query).us;
    best.sort_by(f64::total_cmp);
    best.get(best.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The exponent `p` of a power law `n^p` through the first and the last row.
fn exponent(rows: &[Row], value: impl Fn(&Row) -> f64) -> f64 {
    match rows {
        [first, .., last] => {
            (value(last) / value(first)).ln()
                / (last.triangles as f64 / first.triangles as f64).ln()
        }
        _ => f64::NAN,
    }
}

fn report(arguments: &Arguments, rows: &[Row]) -> Result<PathBuf> {
    let mut report = Report::new(
        &arguments.common.out,
        "growth",
        "Time of queries over the number of triangles",
    );
    report.paragraph(&format!(
        "A bumpy torus against itself, the second one in {} random orientations, each approached along a random direction: *near*, a hundredth of its size before first contact; *touch*, a two-thousandth before it; *deep*, with its \
         center at 30 % of the distance of first contact. One thread. Microseconds a query, the median over the orientations, each the fastest of up to five passes.",
        arguments.poses
    ));
    let mut headings = vec!["triangles, each".to_owned()];
    for query in QUERIES {
        headings.extend(REGIMES.map(|regime| format!("{query}, {regime}")));
    }
    headings.extend(["pairs, deep", "build, ms", "bytes a triangle"].map(str::to_owned));
    let mut table = Table::new(&headings);
    for row in rows {
        let mut cells = vec![count(row.triangles as u64)];
        cells.extend(row.us.iter().flatten().map(|us| short(*us)));
        cells.extend([short(row.pairs), short(row.build_ms), short(row.bytes)]);
        table.row(&cells);
    }
    let power = |value: &dyn Fn(&Row) -> f64| format!("{:.2}", exponent(rows, value));
    let mut cells = vec!["grows as *n* to the power".to_owned()];
    for query in 0..QUERIES.len() {
        cells.extend((0..REGIMES.len()).map(|regime| power(&|row| row.us[query][regime])));
    }
    cells.extend([power(&|row| row.pairs), power(&|row| row.build_ms)]);
    table.row(&cells);
    report.table(&table);
    for (q, query) in QUERIES.into_iter().enumerate() {
        let mut chart = Chart::new(
            format!("Growth: {query}"),
            Axis::log("triangles of each mesh"),
            Axis::log("\u{3bc}s a query, median"),
        )
        .caption(format!(
            "A bumpy torus against itself in {} orientations per point, at three distances. The slope is the power of n; the dashed line has power one.",
            arguments.poses
        ));
        for (r, regime) in REGIMES.into_iter().enumerate() {
            let points = rows.iter().map(|row| (row.triangles as f64, row.us[q][r])).collect();
            chart = chart.series(regime, Mark::LineAndDots, points);
        }
        if let (Some(first), Some(last)) = (rows.first(), rows.last()) {
            let (from, to) = (first.triangles as f64, last.triangles as f64);
            let base = first.us[q].iter().copied().fold(f64::INFINITY, f64::min);
            let line = vec![(from, base), (to, base * to / from)];
            chart = chart.series("proportional to n", Mark::Guide, line);
        }
        report.figure(&query.replace(' ', "-"), &format!("Growth of {query}"), &chart)?;
    }
    report.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn approaches_have_their_gaps() {
        let mesh = torus(1000).unwrap();
        let mut random = Random::new(3);
        for _ in 0..5 {
            let [near, touch, deep] = approach(&mesh, &mesh, &mut random).unwrap();
            let gap = |pose: &Pose| distance(&mesh, &mesh, pose).unwrap().upper;
            let size = mesh.bounds().extent().max_element();
            assert!(gap(&near) > 0.0 && gap(&near) <= 0.0101 * size, "{}", gap(&near));
            assert!(gap(&touch) > 0.0 && gap(&touch) <= gap(&near));
            assert_eq!(gap(&deep), 0.0);
        }
    }

    #[test]
    fn an_exponent_is_fitted() {
        let row = |triangles, ms| Row {
            triangles,
            build_ms: ms,
            bytes: 0.0,
            us: [[0.0; 3]; 3],
            pairs: 0.0,
        };
        let rows = [row(10, 1.0), row(100, 3.0), row(1000, 10.0)];
        assert!((exponent(&rows, |r| r.build_ms) - 0.5).abs() < 1e-12);
        assert!(exponent(&rows[..1], |r| r.build_ms).is_nan());
    }
}
