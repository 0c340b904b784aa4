//! Deforming meshes: the time of updating their trees compared with building new ones, and the time
//! of queries on the updated trees.
//!
//! A ring of about 70,000 triangles is twisted about its axis, a little more each frame, and tested
//! against a rigid ring that crosses it. The frames are the same for a tree that is only refitted,
//! trees that rebuild degraded parts, and a tree that is rebuilt from scratch in each frame.

use std::fmt::Write as _;
use std::sync::OnceLock;
use std::time::Instant;

use anyhow::{Result, ensure};
use impinge::pair::{Collect, traverse};
use impinge::tree::Tree;
use impinge::{DeformOptions, Deforming, Mesh, Pose, Vec3, shapes};

use crate::common::Common;
use crate::report::{Progress, Report};

/// Arguments of `impinge-lab deform`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    common: Common,
    /// Segments around the ring and around its tube; twice their product is the number of
    /// triangles.
    #[arg(long, num_args = 2, default_values_t = [350, 100], value_name = "N")]
    segments: Vec<usize>,
    /// Frames; each adds a sixteenth of a turn per unit of length to the twist.
    #[arg(long, default_value_t = 16)]
    frames: usize,
    /// Number of runs; each time is the fastest.
    #[arg(long, default_value_t = 5)]
    passes: usize,
}

/// Measures the tables and writes the report.
pub(crate) fn run(mut arguments: Arguments) -> Result<()> {
    let [around, across] = &mut arguments.segments[..] else {
        anyhow::bail!("--segments needs two numbers");
    };
    arguments.common.limit([
        (around, 70),
        (across, 20),
        (&mut arguments.frames, 2),
        (&mut arguments.passes, 1),
    ]);
    let (around, across) = (arguments.segments[0], arguments.segments[1]);
    let mut progress = Progress::new(3);
    let title = "Deforming meshes, and trees from files";
    let mut report = Report::new(&arguments.common.out, "deformation", title);
    let ring = shapes::torus(1.0, 0.4, around, across)?;
    writeln!(
        report,
        "{} triangles, {} vertices.\n",
        ring.triangles().len(),
        ring.vertices().len()
    )?;
    progress.step("moves");
    moves(&ring, arguments.passes, &mut report)?;
    progress.step("files");
    files(&ring, arguments.passes, &mut report)?;
    progress.step("a twist");
    growing_twist(&ring, &arguments, &mut report)?;
    println!("{}", report.finish()?.display());
    Ok(())
}

/// The processor time of this thread in milliseconds, on which other processes have little
/// influence. Falls back to wall time on systems that do not report processor time.
fn clock() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    // Linux updates the number when the thread yields.
    std::thread::yield_now();
    let spent = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let spent = spent.and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
    spent.map_or_else(
        || START.get_or_init(Instant::now).elapsed().as_secs_f64() * 1e3,
        |nanoseconds| nanoseconds * 1e-6,
    )
}

/// Milliseconds of the fastest of several runs; `prepare` is not timed.
fn fastest<T>(passes: usize, mut prepare: impl FnMut() -> T, mut work: impl FnMut(&mut T)) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..passes {
        let mut state = prepare();
        let start = clock();
        work(&mut state);
        best = best.min(clock() - start);
    }
    best
}

/// The same for a move that alternates between two states: out (`true`) and back (`false`).
fn fastest_alternating(passes: usize, mut work: impl FnMut(bool)) -> f64 {
    let mut out = false;
    let next_state = || {
        out = !out;
        out
    };
    fastest(passes, next_state, |out| work(*out))
}

/// The time of a move, over the number of vertices that move.
fn moves(ring: &Mesh, passes: usize, report: &mut Report) -> Result<()> {
    let passes = 3 * passes;
    writeln!(report, "| what | ms |\n| --- | ---: |")?;
    let build = fastest(passes, || (), |()| drop(std::hint::black_box(Tree::build(ring))));
    writeln!(report, "| building the tree | {build:.2} |")?;
    let tree = Tree::build(ring);
    let mut failed = false;
    let refit = fastest(passes, || tree.clone(), |tree| failed |= tree.refit(ring).is_err());
    ensure!(!failed, "Tree::refit refused the mesh of the tree");
    writeln!(report, "| `Tree::refit` | {refit:.2} |")?;
    let body =
        Deforming::with_options(ring.clone(), &DeformOptions::default().rebuild_at(f64::INFINITY))?;
    let all: Vec<Vec3> = ring.vertices().iter().map(|v| *v * 1.001).collect();
    // A clone shares its tree with the original until its first move, which copies the tree. That
    // move is made here, so that it is not part of the time of later moves.
    let detached_copy = |moved: &[(u32, Vec3)]| -> Result<Deforming> {
        let mut detached_copy = body.clone();
        detached_copy.move_some(moved)?;
        Ok(detached_copy)
    };
    let detached = detached_copy(&[(0, ring.vertices()[0])])?;
    let time = fastest(passes, || detached.clone(), |body| failed |= body.move_all(&all).is_err());
    writeln!(
        report,
        "| `Deforming::move_all`, every vertex, with a copy of the tree | {time:.2} |"
    )?;
    let mut moving = detached;
    let time = fastest_alternating(passes, |out| {
        let vertices = if out { &all[..] } else { ring.vertices() };
        failed |= moving.move_all(vertices).is_err();
    });
    writeln!(report, "| `Deforming::move_all`, every vertex | {time:.2} |")?;
    for count in [1, 10, 100, 1000, 10_000] {
        let first = &ring.vertices()[..count.min(ring.vertices().len())];
        let moved = |factor: f64| -> Vec<(u32, Vec3)> {
            first.iter().enumerate().map(|(v, x)| (v as u32, *x * factor)).collect()
        };
        let (away, home) = (moved(0.999), moved(1.0));
        let mut body = detached_copy(&home)?;
        let time = fastest_alternating(passes, |out| {
            failed |= body.move_some(if out { &away } else { &home }).is_err();
        });
        writeln!(report, "| `Deforming::move_some`, {count} neighbours | {time:.3} |")?;
    }
    ensure!(!failed, "a move of the ring was refused");
    writeln!(report)?;
    Ok(())
}

/// Size of a stored tree, and the times of writing and reading it.
fn files(ring: &Mesh, passes: usize, report: &mut Report) -> Result<()> {
    let mut file = Vec::new();
    ring.tree().write(&mut file, ring)?;
    let mut failed = false;
    let write = fastest(passes, Vec::new, |out| failed |= ring.tree().write(out, ring).is_err());
    let read = fastest(passes, || (), |()| failed |= Tree::read(&*file, ring).is_err());
    ensure!(!failed, "the tree of the ring could not be written or read back");
    let bytes_per_triangle = file.len() as f64 / ring.triangles().len() as f64;
    writeln!(
        report,
        "A stored tree: {} bytes, {bytes_per_triangle:.2} a triangle; written in {write:.2} ms, read and checked in {read:.2} ms.\n",
        file.len()
    )?;
    Ok(())
}

/// The vertices of the ring, rotated about the x axis by an angle proportional to x.
fn twisted(ring: &Mesh, turns: f64) -> Vec<Vec3> {
    let point = |v: &Vec3| {
        let (s, c) = (std::f64::consts::TAU * turns * v.x).sin_cos();
        Vec3::new(v.x, c * v.y - s * v.z, s * v.y + c * v.z)
    };
    ring.vertices().iter().map(point).collect()
}

fn growing_twist(ring: &Mesh, arguments: &Arguments, report: &mut Report) -> Result<()> {
    let probe = shapes::torus(0.9, 0.3, 120, 60)?;
    let pose = Pose::from_translation([0.8, 0.0, 0.3])?;
    let mut refitted =
        Deforming::with_options(ring.clone(), &DeformOptions::default().rebuild_at(f64::INFINITY))?;
    let mut rebuilding: Vec<(f64, Deforming)> = [2.0, 1.5, 1.2]
        .into_iter()
        .map(|rebuild_at| {
            let options = DeformOptions::default().rebuild_at(rebuild_at);
            Ok((rebuild_at, Deforming::with_options(ring.clone(), &options)?))
        })
        .collect::<Result<_>>()?;
    write!(
        report,
        "| twist, turns per unit | pairs | new tree: query ms | refit only: move ms | query | as new |"
    )?;
    for (at, _) in &rebuilding {
        write!(report, " rebuild at {at}: move ms | query | as new | rebuilt |")?;
    }
    writeln!(report, "\n| ---: |{}", " ---: |".repeat(5 + 4 * rebuilding.len()))?;
    for frame in 1..=arguments.frames {
        let turns = frame as f64 / 16.0;
        let vertices = twisted(ring, turns);
        let new_mesh = ring.with_vertices(vertices.clone())?;
        let time_query = |mesh: &Mesh| -> (f64, Vec<(u32, u32)>) {
            let mut found = Vec::new();
            let time = fastest(arguments.passes, Collect::default, |all| {
                traverse(mesh, &probe, &pose, all);
                found = std::mem::take(all).into_sorted();
            });
            (time, found)
        };
        let _ = (new_mesh.tree(), probe.tree());
        let (new, pairs) = time_query(&new_mesh);
        let start = clock();
        refitted.move_all(&vertices)?;
        let move_ms = clock() - start;
        let (query, found) = time_query(refitted.mesh());
        ensure!(found == pairs, "the refitted tree finds other pairs than a new tree");
        write!(
            report,
            "| {turns:.3} | {} | {new:.3} | {move_ms:.2} | {query:.3} | {:.2} |",
            pairs.len(),
            query / new
        )?;
        for (_, body) in &mut rebuilding {
            let start = clock();
            let done = body.move_all(&vertices)?;
            let move_ms = clock() - start;
            let (query, found) = time_query(body.mesh());
            ensure!(found == pairs, "the partly rebuilt tree finds other pairs than a new tree");
            write!(report, " {move_ms:.2} | {query:.3} | {:.2} | {} |", query / new, done.rebuilt)?;
        }
        writeln!(report)?;
    }
    Ok(())
}
