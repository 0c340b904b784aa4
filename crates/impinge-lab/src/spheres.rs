//! Sphere-trees: the certified reach of every level, and what it costs to build and to certify.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use impinge::spheres::{BuildOptions, ReachOptions, SphereTree, verify};
use impinge::{Mesh, Vec3, Weld, shapes};
use impinge_samples::shapes as samples;

use crate::common::Common;
use crate::report::{ProcessClock, Progress, Report, Table, count, short};

/// Arguments of `impinge-lab spheres`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    common: Common,
    /// Folder with the meshes that are not generated; those that are missing are left out, and
    /// named in the report.
    #[arg(long, value_name = "DIR")]
    meshes: Option<PathBuf>,
}

/// Files below `--meshes`, with a name for the report.
const FILES: &[(&str, &str)] = &[
    ("bunny", "standard/bunny_7k.off"),
    ("plate with holes", "cad/trimesh_parts/plate_holes.STL"),
    ("pinion", "standard/cgal/pinion.off"),
    ("bunny, closed", "standard/bunny_closed_60k.obj"),
];

/// Reaches over the radius of the bounding ball at 8, 64 and 512 balls, measured elsewhere on
/// meshes of the same names: those of Bradshaw's tools, enlarged to cover, and of a prototype
/// without bounds.
const ELSEWHERE: &[(&str, [&str; 2])] = &[
    ("lamp", [".363 / .359 / .204", ".339 / .170 / .049"]),
    ("bunny", [".274 / .112 / .134", ".217 / .067 / .020"]),
    ("plate with holes", [".356 / .140 / .106", ".342 / .113 / .028"]),
    ("pinion", [".444 / .237 / .269", ".389 / .151 / .049"]),
    ("torus", [".164 / .0098 / .031", ".157 / .0097 / .0060"]),
    ("cube", [".211 / .106 / .053", ".221 / .084 / .023"]),
];

/// Builds, verifies and certifies every tree, and writes the report.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let mut meshes = vec![
        ("cube".to_owned(), shapes::cuboid([1.0; 3])?),
        ("torus".to_owned(), shapes::torus(1.0, 0.4, 48, 24)?),
        ("lamp".to_owned(), samples::lamp(1.0, 14, 2)?),
    ];
    let mut missing = Vec::new();
    for (name, file) in FILES {
        let path = arguments.meshes.as_deref().unwrap_or(Path::new("")).join(file);
        if arguments.meshes.is_some() && path.is_file() {
            meshes.push(((*name).to_owned(), load(&path)?));
        } else {
            missing.push(*name);
        }
    }
    arguments.common.shorten(&mut meshes, 1);
    let options = if arguments.common.quick {
        BuildOptions::default().balls([8]).rounds(4)
    } else {
        BuildOptions::default()
    };
    let mut table = Table::new([
        "shape",
        "triangles",
        "balls",
        "certified reach / radius",
        "bounds apart, %",
        "build, CPU s of all threads",
        "build, wall s",
        "verify, ms",
        "certify a level, ms",
    ]);
    let mut comparison = Table::new([
        "shape",
        "Bradshaw's tools, repaired",
        "prototype, without bounds",
        "impinge, certified",
    ]);
    let (mut reached, mut missed) = (0, Vec::new());
    let (mut worst_large, mut worst_certified, mut widest_gap) = (0.0_f64, 0.0_f64, 0.0_f64);
    let mut progress = Progress::new(meshes.len());
    for (name, mesh) in &meshes {
        progress.step(name);
        let clock = ProcessClock::start();
        let wall = Instant::now();
        let tree = SphereTree::build(mesh, &options)?;
        let (build, wall) = (clock.seconds(), wall.elapsed().as_secs_f64());
        let start = Instant::now();
        verify(mesh, tree.parts()).with_context(|| format!("{name}: the tree has a flaw"))?;
        let verified = start.elapsed().as_secs_f64();
        let radius = tree.level(0)[0].ball.radius;
        let (mut reaches, mut gaps, mut times) = (Vec::new(), Vec::new(), Vec::new());
        for level in 1..tree.levels() {
            let start = Instant::now();
            let reach = tree.reach(mesh, level, &ReachOptions::default().tolerance(0.01))?;
            times.push(start.elapsed().as_secs_f64() * 1e3);
            ensure!(reach.lower <= reach.upper, "{name}: {reach:?}");
            reaches.push(reach.upper / radius);
            gaps.push(100.0 * (reach.upper / reach.lower - 1.0));
        }
        let list = |values: &[f64], digits: usize| {
            let texts: Vec<String> = values.iter().map(|v| format!("{v:.digits$}")).collect();
            texts.join(" / ")
        };
        let balls: Vec<String> =
            (1..tree.levels()).map(|level| tree.level(level).len().to_string()).collect();
        table.row([
            name.clone(),
            count(mesh.triangles().len() as u64),
            balls.join(" / "),
            list(&reaches, 4),
            list(&gaps, 2),
            short(build),
            short(wall),
            short(verified * 1e3),
            list(&times, 0),
        ]);
        if mesh.triangles().len() > 50_000 {
            worst_large = worst_large.max(build);
        }
        worst_certified = times.iter().copied().fold(worst_certified, f64::max);
        widest_gap = gaps.iter().copied().fold(widest_gap, f64::max);
        if let Some((_, [tools, prototype])) = ELSEWHERE.iter().find(|row| row.0 == name) {
            for (k, (own, floor)) in reaches.iter().zip(parsed(prototype)).enumerate() {
                // The prototype's numbers have three digits.
                let is_reached = *own <= floor + 0.5 * 10.0_f64.powi(-digits_of(prototype, k));
                let row = format!("{name} at {} balls ({own:.4}, {floor})", options.balls[k]);
                if is_reached { reached += 1 } else { missed.push(row) }
            }
            let (tools, prototype) = ((*tools).to_owned(), (*prototype).to_owned());
            comparison.row([name.clone(), tools, prototype, list(&reaches, 4)]);
        }
    }
    let mut report = Report::new(&arguments.common.out, "spheres", "Sphere-trees");
    report.paragraph(
        "Levels of balls that cover a surface. The reach of a level is the largest distance of a \
         point of its balls from the solid; the table has its certified upper bound over the \
         radius of the ball around the mesh, and how far the certified lower bound is below it, at most 1 % as asked for. \
         The cover of every tree was verified, exactly, by `spheres::verify`. Times of one run.",
    );
    report.table(&table);
    report.heading("Beside other builders");
    report.paragraph(
        "Reach over radius at up to 8 / 64 / 512 balls. The first two columns were measured \
         elsewhere: spheres of Bradshaw's sphere-tree tools, enlarged until they cover, and a \
         prototype whose rounding is not bounded (the lamp there is another mesh, of 616 \
         triangles). The tools' column for the cube is an octree.",
    );
    report.table(&comparison);
    report.paragraph(&match missed.as_slice() {
        [] => format!("The reach is at most the prototype's in all {reached} cases."),
        missed => format!(
            "The reach is at most the prototype's in {reached} of {} cases; not for {}.",
            reached + missed.len(),
            missed.join(", ")
        ),
    });
    report.paragraph(&format!(
        "Certifying a level took at most {} ms, with bounds at most {} % apart{}.",
        short(worst_certified),
        short(widest_gap),
        if worst_large > 0.0 {
            format!(
                "; three levels of about 60,000 triangles took {} s of CPU of all threads together",
                short(worst_large)
            )
        } else {
            String::new()
        }
    ));
    if !missing.is_empty() {
        report.paragraph(&format!(
            "Not measured, because the files were not given: {}.",
            missing.join(", ")
        ));
    }
    println!("{}", report.finish()?.display());
    Ok(())
}

/// The numbers of a text such as `.1 / .02`.
fn parsed(text: &str) -> Vec<f64> {
    text.split(" / ").filter_map(|t| t.parse().ok()).collect()
}

/// The number of digits behind the point of one of these numbers.
fn digits_of(text: &str, number: usize) -> i32 {
    text.split(" / ").nth(number).map_or(0, |t| t.len() as i32 - 1)
}

/// A mesh of a file, welded if it is not closed.
fn load(path: &Path) -> Result<Mesh> {
    let mesh = Mesh::load(path).with_context(|| path.display().to_string())?;
    let mesh = if mesh.is_solid() { mesh } else { mesh.welded(Weld::Exact)? };
    ensure!(mesh.bounds().extent() != Vec3::ZERO, "{}: no extent", path.display());
    Ok(mesh)
}
