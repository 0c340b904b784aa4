//! Deforming meshes: what following them costs beside building anew, and what refitted trees cost
//! in queries.
//!
//! A ring of about 70,000 triangles is twisted about its axis, a little more each frame, against a
//! rigid ring that crosses it. The same frames are asked of a tree that is only refitted, of one
//! that rebuilds what degraded, and of one built anew each frame.

use std::sync::OnceLock;
use std::time::Instant;

use anyhow::{Result, ensure};
use impinge::pair::{Collect, traverse};
use impinge::tree::Tree;
use impinge::{DeformOptions, Deforming, Mesh, Pose, Vec3, shapes};

/// How large and how long.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Segments of the ring around and across; twice their product in triangles.
    #[arg(long, num_args = 2, default_values_t = [350, 100], value_name = "N")]
    segments: Vec<usize>,
    /// Frames; each adds a sixteenth of a turn of twist across the ring.
    #[arg(long, default_value_t = 16)]
    frames: usize,
    /// Each time is the fastest of so many.
    #[arg(long, default_value_t = 5)]
    passes: usize,
}

/// Prints the tables.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let [around, across] = arguments.segments[..] else {
        anyhow::bail!("two numbers of segments are needed");
    };
    let ring = shapes::torus(1.0, 0.4, around, across)?;
    println!("{} triangles, {} vertices.\n", ring.triangles().len(), ring.vertices().len());
    keeping_up(&ring, arguments.passes)?;
    files(&ring, arguments.passes)?;
    twisting(&ring, arguments)
}

/// Milliseconds that this thread has spent on a processor, so that whoever else is busy on the
/// machine does not count; where the system does not tell, those since the start.
fn clock() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    // Linux brings the number up to date when the thread gives way.
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

/// The same of a move that goes one way (`true`) and back in turn.
fn to_and_fro(passes: usize, mut work: impl FnMut(bool)) -> f64 {
    let mut there = false;
    let turn = || {
        there = !there;
        there
    };
    fastest(passes, turn, |there| work(*there))
}

/// What one move costs, by how much of the mesh moves.
fn keeping_up(ring: &Mesh, passes: usize) -> Result<()> {
    let passes = 3 * passes;
    println!("| what | ms |\n| --- | ---: |");
    let build = fastest(passes, || (), |()| drop(std::hint::black_box(Tree::build(ring))));
    println!("| building the tree | {build:.2} |");
    let tree = Tree::build(ring);
    let mut failed = false;
    let refit = fastest(passes, || tree.clone(), |tree| failed |= tree.refit(ring).is_err());
    ensure!(!failed, "the tree is not that of the mesh");
    println!("| `Tree::refit` | {refit:.2} |");
    let body =
        Deforming::with_options(ring.clone(), &DeformOptions::default().rebuild_at(f64::INFINITY))?;
    let all: Vec<Vec3> = ring.vertices().iter().map(|v| *v * 1.001).collect();
    // The clone shares its tree with the original until it moves: a first move parts them.
    let own = |moved: &[(u32, Vec3)]| -> Result<Deforming> {
        let mut own = body.clone();
        own.move_some(moved)?;
        Ok(own)
    };
    let whole = own(&[(0, ring.vertices()[0])])?;
    let time = fastest(passes, || whole.clone(), |body| failed |= body.move_all(&all).is_err());
    println!("| `Deforming::move_all`, every vertex, with a copy of the tree | {time:.2} |");
    let mut same = whole;
    let time = to_and_fro(passes, |there| {
        let vertices = if there { &all[..] } else { ring.vertices() };
        failed |= same.move_all(vertices).is_err();
    });
    println!("| `Deforming::move_all`, every vertex | {time:.2} |");
    for count in [1, 10, 100, 1000, 10_000] {
        let first = &ring.vertices()[..count.min(ring.vertices().len())];
        let moved = |factor: f64| -> Vec<(u32, Vec3)> {
            first.iter().enumerate().map(|(v, x)| (v as u32, *x * factor)).collect()
        };
        let (out, back) = (moved(0.999), moved(1.0));
        let mut body = own(&back)?;
        let time = to_and_fro(passes, |there| {
            failed |= body.move_some(if there { &out } else { &back }).is_err();
        });
        println!("| `Deforming::move_some`, {count} neighbours | {time:.3} |");
    }
    ensure!(!failed, "a move was refused");
    println!();
    Ok(())
}

/// What storing costs and saves.
fn files(ring: &Mesh, passes: usize) -> Result<()> {
    let mut file = Vec::new();
    ring.tree().write(&mut file, ring)?;
    let mut failed = false;
    let write = fastest(passes, Vec::new, |out| failed |= ring.tree().write(out, ring).is_err());
    let read = fastest(passes, || (), |()| failed |= Tree::read(&*file, ring).is_err());
    ensure!(!failed, "a tree was not written or read");
    let each = file.len() as f64 / ring.triangles().len() as f64;
    println!(
        "A stored tree: {} bytes, {each:.2} a triangle; written in {write:.2} ms, read and checked in {read:.2} ms.\n",
        file.len()
    );
    Ok(())
}

/// The ring twisted about its axis: turned by an angle that grows from one side to the other.
fn twisted(ring: &Mesh, turns: f64) -> Vec<Vec3> {
    let point = |v: &Vec3| {
        let (s, c) = (std::f64::consts::TAU * turns * v.x).sin_cos();
        Vec3::new(v.x, c * v.y - s * v.z, s * v.y + c * v.z)
    };
    ring.vertices().iter().map(point).collect()
}

fn twisting(ring: &Mesh, arguments: &Arguments) -> Result<()> {
    let probe = shapes::torus(0.9, 0.3, 120, 60)?;
    let pose = Pose::from_translation([0.8, 0.0, 0.3])?;
    let mut refitted =
        Deforming::with_options(ring.clone(), &DeformOptions::default().rebuild_at(f64::INFINITY))?;
    let mut kept: Vec<(f64, Deforming)> = [2.0, 1.5, 1.2]
        .into_iter()
        .map(|rebuild_at| {
            let options = DeformOptions::default().rebuild_at(rebuild_at);
            Ok((rebuild_at, Deforming::with_options(ring.clone(), &options)?))
        })
        .collect::<Result<_>>()?;
    print!("| twist, turns | pairs | new tree: query ms | refit only: move ms | query | as new |");
    for (at, _) in &kept {
        print!(" rebuild at {at}: move ms | query | as new | rebuilt |");
    }
    println!("\n| ---: |{}", " ---: |".repeat(5 + 4 * kept.len()));
    for frame in 1..=arguments.frames {
        let turns = frame as f64 / 16.0;
        let vertices = twisted(ring, turns);
        let fresh = ring.with_vertices(vertices.clone())?;
        let ask = |mesh: &Mesh| -> (f64, Vec<(u32, u32)>) {
            let mut found = Vec::new();
            let time = fastest(arguments.passes, Collect::default, |all| {
                traverse(mesh, &probe, &pose, all);
                found = std::mem::take(all).into_sorted();
            });
            (time, found)
        };
        let _ = (fresh.tree(), probe.tree());
        let (new, pairs) = ask(&fresh);
        let start = clock();
        refitted.move_all(&vertices)?;
        let moving = clock() - start;
        let (query, found) = ask(refitted.mesh());
        ensure!(found == pairs, "the refitted tree finds other pairs");
        print!(
            "| {turns:.3} | {} | {new:.3} | {moving:.2} | {query:.3} | {:.2} |",
            pairs.len(),
            query / new
        );
        for (_, body) in &mut kept {
            let start = clock();
            let done = body.move_all(&vertices)?;
            let moving = clock() - start;
            let (query, found) = ask(body.mesh());
            ensure!(found == pairs, "the rebuilt tree finds other pairs");
            print!(" {moving:.2} | {query:.3} | {:.2} | {} |", query / new, done.rebuilt);
        }
        println!();
    }
    Ok(())
}
