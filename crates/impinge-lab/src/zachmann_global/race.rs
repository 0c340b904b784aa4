//! Section 6.6: two algorithms raced on every pair of a cage full of objects, which slowed the
//! thesis' program down.

use std::collections::HashMap;
use std::time::Instant;

use anyhow::{Result, ensure};
use impinge::convex::Hull;
use impinge::{Pose, shapes};
use impinge_papers::zachmann::clipping::{Clipping, PreChecks, clip};
use impinge_papers::zachmann::perceptron::{Cache, FirstPlane, Learning, Options, Perceptron};
use impinge_papers::zachmann::race::{interleaved, parallel};

use super::Arguments;
use super::cage::poses;
use crate::boxes::follow::with_threads;
use crate::capacity::Capacity;
use crate::report::{Progress, Report, Table, short};

/// Polygons of all ten objects together, and the thesis' frames a second with and without the race.
const SCENES: [(usize, f64, f64); 2] = [(700, 66.0, 83.0), (4000, 6.2, 8.5)];
const OBJECTS: usize = 10;
/// Edges clipped for each turn of the plane, in the race on one thread.
const SLICES: (u32, u32) = (16, 1);

pub(super) const STEPS: usize = SCENES.len();

/// How a pair is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Clipping,
    InTurns,
    Threads,
}

/// A pair whose boxes overlap, in one frame.
struct Request {
    pair: [usize; 2],
    pose: Pose,
}

pub(super) fn report(
    arguments: &Arguments,
    progress: &mut Progress,
    report: &mut Report,
) -> Result<()> {
    report.heading("Section 6.6, racing: two algorithms on every pair of a cage");
    report.paragraph("Ten convex bodies in a cage with sides of 3: clipping alone, and clipping raced against perceptron planes that are kept for every pair; pairs whose boxes overlap. *In turns* is one thread, sixteen edges for each turn of the plane. The races of two objects are in [zachmann-3-4.md](zachmann-3-4.md).");
    let mut table = Table::new([
        "polygons",
        "clipping, \u{3bc}s a frame",
        "in turns, \u{3bc}s",
        "gain",
        "two threads, \u{3bc}s",
        "gain",
        "pairs a frame",
        "thesis: gain",
    ]);
    let mut all = Vec::new();
    let before = Capacity::measure(2);
    for (polygons, with, without) in SCENES {
        progress.step(&format!("race in a cage, {polygons} polygons"));
        let hull = ball(polygons / OBJECTS)?;
        let frames = requests(&hull, arguments.frames / 2, arguments.seed)?;
        let count: usize = frames.iter().map(Vec::len).sum();
        let (alone, meet) = time(&hull, &frames, Way::Clipping, arguments.passes)?;
        let (turns, same) = time(&hull, &frames, Way::InTurns, arguments.passes)?;
        let (threads, also) =
            with_threads(2, || time(&hull, &frames, Way::Threads, arguments.passes))??;
        ensure!(meet == same && meet == also, "a race decided otherwise than clipping");
        all.push((alone / turns, alone / threads));
        table.row([
            polygons.to_string(),
            short(alone),
            short(turns),
            format!("{:.2}", alone / turns),
            short(threads),
            format!("{:.2}", alone / threads),
            short(count as f64 / frames.len() as f64),
            format!("{:.2}", with / without),
        ]);
    }
    report.table(&table);
    report.paragraph(&format!(
        "**Thesis:** with many objects the race made frames slower (6.2 instead of 8.5 a second, and 66 instead of 83), though the planes decided four of five pairs, and its author could not tell why. **Ours:** on two threads {} and {} times as fast as clipping alone, in turns on one thread {} and {}. {}",
        short(all[0].1),
        short(all[1].1),
        short(all[0].0),
        short(all[1].0),
        before.least(Capacity::measure(2)).sentence(),
    ));
    Ok(())
}

fn ball(polygons: usize) -> Result<Hull> {
    let rings = ((polygons as f64 / 4.0).sqrt().round() as usize).max(2) + 1;
    let mesh = shapes::uv_sphere(0.5, rings, (polygons / (2 * rings - 2)).max(3))?;
    Ok(Hull::new(mesh.vertices())?)
}

fn requests(hull: &Hull, frames: usize, seed: u64) -> Result<Vec<Vec<Request>>> {
    let own = hull.bounds();
    let mut all = Vec::new();
    for frame in poses(OBJECTS, 3.0, frames, seed)? {
        let mut list = Vec::new();
        for i in 0..OBJECTS {
            for j in i + 1..OBJECTS {
                if own.transformed(&frame[i]).overlaps(&own.transformed(&frame[j])) {
                    list.push(Request { pair: [i, j], pose: Pose::relative(&frame[i], &frame[j]) });
                }
            }
        }
        all.push(list);
    }
    Ok(all)
}

/// Microseconds a frame, and how many requests are about bodies that meet.
fn time(hull: &Hull, frames: &[Vec<Request>], way: Way, passes: usize) -> Result<(f64, usize)> {
    let learning = Learning::Relaxed { eta: 0.03, relaxation: 1.0 };
    let options = Options::new(learning, FirstPlane::Boxes, 1000)?;
    let mut best = vec![f64::INFINITY; frames.len()];
    let mut meet = 0;
    for _ in 0..passes.max(1) {
        let mut planes: HashMap<[usize; 2], Cache> = HashMap::new();
        meet = 0;
        for (frame, best) in frames.iter().zip(&mut best) {
            let start = Instant::now();
            for request in frame {
                let pose = &request.pose;
                if way == Way::Clipping {
                    meet += usize::from(clip(hull, hull, pose, PreChecks::COLLECT).meet);
                    continue;
                }
                let cache = planes.entry(request.pair).or_default();
                let mut clipping = Clipping::new(hull, hull, pose, PreChecks::COLLECT);
                let mut plane = Perceptron::new(hull, hull, pose, options, cache);
                let outcome = if way == Way::InTurns {
                    interleaved(&mut clipping, &mut plane, SLICES)
                } else {
                    parallel(&mut clipping, &mut plane)
                };
                plane.store_plane(cache);
                // Clipping never gives up.
                meet += usize::from(outcome.meet.unwrap_or_default());
            }
            *best = best.min(start.elapsed().as_secs_f64() * 1e6);
        }
    }
    Ok((best.iter().sum::<f64>() / best.len().max(1) as f64, meet))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn races_decide_as_clipping_does() {
        let hull = ball(60).unwrap();
        let frames = requests(&hull, 30, 1).unwrap();
        let (_, alone) = time(&hull, &frames, Way::Clipping, 1).unwrap();
        let (_, turns) = time(&hull, &frames, Way::InTurns, 1).unwrap();
        assert!(alone > 0 && alone == turns, "{alone} {turns}");
    }
}
