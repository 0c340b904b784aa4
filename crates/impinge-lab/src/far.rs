//! Time of distance queries of two meshes that are far apart relative to their sizes.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, ensure};
use impinge::{Mesh, Pose, distance, shapes};

use crate::bodies::direction;
use crate::common::Common;
use crate::report::{Progress, Report, Table, count, short};
use impinge::internals::Random;

/// Arguments of `impinge-lab far`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    common: Common,
    /// Poses at each separation.
    #[arg(long, default_value_t = 40, value_name = "N")]
    poses: usize,
    /// Passes over all separations; each pose keeps its fastest.
    #[arg(long, default_value_t = 5, value_name = "N")]
    passes: usize,
    /// Seed of the random numbers.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Separations as exponents of 10, in units of the tori's larger radius.
const SEPARATIONS: &[i32] = &[3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 30, 40, 59];

/// Segments around the ring and around the tube: 2,304 and 9,216 triangles.
const TORI: [[usize; 2]; 2] = [[48, 24], [96, 48]];

/// The poses of one separation, and the fastest time of each in microseconds.
struct Cell {
    poses: Vec<Pose>,
    best: Vec<f64>,
}

impl Cell {
    fn median(&self) -> f64 {
        let mut sorted = self.best.clone();
        sorted.sort_by(f64::total_cmp);
        sorted[sorted.len() / 2]
    }

    fn max(&self) -> f64 {
        self.best.iter().copied().fold(0.0, f64::max)
    }
}

/// Measures every separation and writes the report.
pub(crate) fn run(mut arguments: Arguments) -> Result<()> {
    arguments.common.limit([(&mut arguments.poses, 5), (&mut arguments.passes, 2)]);
    let arguments = &arguments;
    let (poses, passes) = (arguments.poses.max(1), arguments.passes.max(1));
    let mut progress = Progress::new(TORI.len() * passes);
    let mut tables = Vec::new();
    for [around, across] in TORI {
        let mesh = shapes::torus(1.0, 0.4, around, across)?;
        let mut random = Random::new(arguments.seed);
        let mut cells = Vec::new();
        for exponent in SEPARATIONS {
            let separation = 10.0_f64.powi(*exponent);
            let mut at = Vec::new();
            for _ in 0..poses {
                let turn: [f64; 4] = std::array::from_fn(|_| random.signed() - 0.5);
                at.push(Pose::from_quaternion(turn, direction(&mut random) * separation)?);
            }
            cells.push(Cell { best: vec![f64::INFINITY; at.len()], poses: at });
        }
        for pass in 0..passes {
            progress.step(&format!("{} triangles, pass {}", mesh.triangles().len(), pass + 1));
            for cell in &mut cells {
                for (pose, best) in cell.poses.iter().zip(&mut cell.best) {
                    *best = best.min(timed(&mesh, pose)?);
                }
            }
        }
        tables.push((mesh.triangles().len(), cells));
    }
    println!("{}", report(arguments, &tables)?.display());
    Ok(())
}

/// Microseconds of one query. Its bounds are checked against the distance of the centers.
fn timed(mesh: &Mesh, pose: &Pose) -> Result<f64> {
    let start = Instant::now();
    let found = std::hint::black_box(distance(mesh, mesh, pose));
    let microseconds = start.elapsed().as_secs_f64() * 1e6;
    let centers = pose.translation().length();
    let holds = found.is_some_and(|d| {
        // A torus reaches 1.4 from its center.
        let slack = 1e-12 * (centers + 1.0);
        d.lower <= d.upper && d.lower <= centers + slack && d.upper >= centers - 2.8 - slack
    });
    ensure!(holds, "distance bounds {found:?} are wrong for tori with centers {centers:e} apart");
    Ok(microseconds)
}

fn report(arguments: &Arguments, tables: &[(usize, Vec<Cell>)]) -> Result<PathBuf> {
    let mut report =
        Report::new(&arguments.common.out, "far", "Distances of meshes that are far apart");
    report.paragraph(
        "Two equal tori (radii 1 and 0.4) in random orientations and random directions from each other. Microseconds of `distance`, the median and the maximum over all poses, each pose with its fastest pass; \
         every pass measures all separations. In brackets: the median divided by that at a separation of 1,000.",
    );
    let mut table = Table::new(std::iter::once("separation".to_owned()).chain(
        tables.iter().flat_map(|(n, _)| {
            let n = count(*n as u64);
            [format!("{n} triangles, median"), format!("{n} triangles, maximum")]
        }),
    ));
    for (k, exponent) in SEPARATIONS.iter().enumerate() {
        let cells = tables.iter().flat_map(|(_, cells)| {
            let (first, cell) = (cells[0].median(), &cells[k]);
            let ratio = cell.median() / first;
            [format!("{} ({ratio:.2})", short(cell.median())), short(cell.max())]
        });
        table.row(std::iter::once(format!("1e{exponent}")).chain(cells));
    }
    report.table(&table);
    report.finish()
}
