//! Point in solid: the query through the tree compared with the linear one, which visits every
//! triangle.

use std::hint::black_box;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use impinge::exact::Location;
use impinge::internals::Random;
use impinge::internals::exact::{locate_point, winding_number};
use impinge::internals::pair::Posed;
use impinge::{Mesh, Pose, Vec3, shapes, solid};

use crate::common::Common;
use crate::report::{Progress, Report, Table, count, short};

/// Arguments of `impinge-lab locate`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    common: Common,
    /// Closed meshes to locate points in, in addition to the generated ones.
    #[arg(long, value_name = "FILE")]
    mesh: Vec<PathBuf>,
    /// Points for each mesh and place.
    #[arg(long, default_value_t = 100_000, value_name = "N")]
    points: usize,
    /// One of this many points is also located by the linear query, to compare answers and times.
    #[arg(long, default_value_t = 100, value_name = "N")]
    linear_every: usize,
    /// Passes over all points; the fastest counts.
    #[arg(long, default_value_t = 5, value_name = "N")]
    passes: usize,
    /// Seed of the random numbers.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// The positions of the points of a cell.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// Evenly in the box of the mesh, enlarged by a tenth.
    Box,
    /// A hundredth of the box's diagonal, at most, from the surface.
    NearSurface,
    /// Exactly on vertices.
    Vertices,
}

impl Place {
    const ALL: [Self; 3] = [Self::Box, Self::NearSurface, Self::Vertices];

    fn name(self) -> &'static str {
        match self {
            Self::Box => "in the box",
            Self::NearSurface => "near the surface",
            Self::Vertices => "on vertices",
        }
    }

    fn point(self, mesh: &Mesh, random: &mut Random) -> Vec3 {
        let half = mesh.bounds().extent() * 0.5;
        match self {
            Self::Box => mesh.bounds().center() + random.in_cube() * half * 1.1,
            Self::NearSurface => {
                let away = random.in_cube() * (half.length() * 0.02 / 3.0_f64.sqrt());
                let triangle = random.index(mesh.triangles().len());
                mesh.triangle(triangle).iter().sum::<Vec3>() / 3.0 + away
            }
            Self::Vertices => mesh.vertices()[random.index(mesh.vertices().len())],
        }
    }
}

/// The measurements for one mesh and one kind of positions.
struct Cell {
    /// Microseconds of a query through the tree, the fastest pass.
    tree: f64,
    /// Microseconds of the linear query, the fastest pass.
    linear: f64,
    /// The numbers of points inside and on the boundary.
    inside: usize,
    boundary: usize,
    /// The number of answers compared.
    compared: usize,
}

/// Measures every mesh and writes the report.
pub(crate) fn run(mut arguments: Arguments) -> Result<()> {
    arguments.common.limit([(&mut arguments.points, 200), (&mut arguments.passes, 1)]);
    let arguments = &arguments;
    let mut meshes = vec![
        ("box".to_owned(), shapes::cuboid([1.0, 2.0, 3.0])?),
        ("torus".to_owned(), shapes::torus(1.0, 0.4, 32, 16)?),
        ("torus".to_owned(), shapes::torus(1.0, 0.4, 230, 113)?),
        ("torus".to_owned(), shapes::torus(1.0, 0.4, 1000, 500)?),
    ];
    arguments.common.shorten(&mut meshes, 2);
    for file in &arguments.mesh {
        let mesh = Mesh::load(file).with_context(|| file.display().to_string())?;
        ensure!(mesh.is_solid(), "{}: not closed", file.display());
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        meshes.push((name.into_owned(), mesh));
    }
    let mut progress = Progress::new(meshes.len() * Place::ALL.len());
    let mut table = Table::new([
        "solid",
        "triangles",
        "points",
        "inside",
        "boundary",
        "locate, us",
        "linear, us",
        "linear / locate",
        "answers compared",
    ]);
    for (name, mesh) in &meshes {
        for place in Place::ALL {
            progress.step(&format!("{name}, {}", place.name()));
            let cell = measure(arguments, mesh, place)?;
            table.row([
                name.clone(),
                count(mesh.triangles().len() as u64),
                format!("{} {}", count(arguments.points as u64), place.name()),
                count(cell.inside as u64),
                count(cell.boundary as u64),
                short(cell.tree),
                short(cell.linear),
                short(cell.linear / cell.tree),
                count(cell.compared as u64),
            ]);
        }
    }
    let mut report = Report::new(&arguments.common.out, "locate", "Point in solid");
    report.paragraph(&format!(
        "Microseconds a point, one thread: `solid::locate` through the tree of the mesh, built before; and a \
         linear query, which copies all vertices to a list and tests every triangle. The linear query \
         locates one of {} points, where the command checks that both answers are equal. Fastest of {} passes.",
        arguments.linear_every.max(1),
        arguments.passes.max(1),
    ));
    report.table(&table);
    println!("{}", report.finish()?.display());
    Ok(())
}

fn measure(arguments: &Arguments, mesh: &Mesh, place: Place) -> Result<Cell> {
    let mut random = Random::new(arguments.seed);
    let points: Vec<Vec3> =
        (0..arguments.points.max(1)).map(|_| place.point(mesh, &mut random)).collect();
    let sample: Vec<usize> = (0..points.len()).step_by(arguments.linear_every.max(1)).collect();
    let _ = mesh.tree();
    let (mut tree, mut linear) = (f64::INFINITY, f64::INFINITY);
    let mut found = vec![Location::Outside; points.len()];
    for _ in 0..arguments.passes.max(1) {
        let start = Instant::now();
        for (point, found) in points.iter().zip(&mut found) {
            *found = solid::locate(mesh, black_box(*point))?;
        }
        tree = tree.min(start.elapsed().as_secs_f64() / points.len() as f64);
        let start = Instant::now();
        for at in &sample {
            let expected = locate_linearly(mesh, points[*at]);
            ensure!(found[*at] == expected, "{}: {:?}, not {expected:?}", points[*at], found[*at]);
        }
        linear = linear.min(start.elapsed().as_secs_f64() / sample.len() as f64);
    }
    let of = |location| found.iter().filter(|found| **found == location).count();
    Ok(Cell {
        tree: tree * 1e6,
        linear: linear * 1e6,
        inside: of(Location::Inside),
        boundary: of(Location::Boundary),
        compared: sample.len(),
    })
}

/// `solid::locate` without the tree.
fn locate_linearly(mesh: &Mesh, point: Vec3) -> Location {
    let posed = Posed::new(mesh, &Pose::IDENTITY);
    if !posed.bounds().contains(point) {
        return Location::Outside;
    }
    let triangles = black_box(&posed).triangles();
    if !mesh.topology().is_balanced() {
        return locate_point(point, triangles);
    }
    match winding_number(point, triangles) {
        None => Location::Boundary,
        Some(0) => Location::Outside,
        Some(_) => Location::Inside,
    }
}
