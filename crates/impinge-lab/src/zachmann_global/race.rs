//! Section 6.6: two algorithms race on every pair of a cage full of objects. This made the thesis'
//! program slower.

use std::collections::HashMap;
use std::time::Instant;

use anyhow::{Result, ensure};
use impinge::convex::Hull;
use impinge::{Pose, shapes};
use impinge_papers::zachmann::clipping::{Clipping, ClippingPreChecks, clip};
use impinge_papers::zachmann::perceptron::{
    FirstPlane, Learning, Options, Perceptron, PerceptronCache,
};
use impinge_papers::zachmann::race::{interleaved, parallel};

use super::Arguments;
use super::cage::poses;
use crate::boxes::follow::with_threads;
use crate::capacity::Capacity;
use crate::report::{Progress, Report, Table, short};

/// Polygons of all ten objects together, and the thesis' frames per second with and without the
/// race.
const SCENES: [(usize, f64, f64); 2] = [(700, 66.0, 83.0), (4000, 6.2, 8.5)];
/// The number of bodies in the cage.
const OBJECTS: usize = 10;
/// Edges clipped for each rotation of the plane, in the race on one thread.
const SLICES: (u32, u32) = (16, 1);

/// The number of progress steps.
pub(super) const STEPS: usize = SCENES.len();

/// The method that decides a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
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
    report.paragraph("Ten convex bodies in a cage with sides of 3: clipping alone, and clipping in a race with perceptron planes that are kept for every pair; pairs whose boxes overlap. *In turns* is one thread, sixteen edges for each rotation of the plane. The races of two objects are in [zachmann-3-4.md](zachmann-3-4.md).");
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
        let (clipping_us, meet) = time(&hull, &frames, Method::Clipping, arguments.passes)?;
        let (turns, interleaved_meet) = time(&hull, &frames, Method::InTurns, arguments.passes)?;
        let (threads, parallel_meet) =
            with_threads(2, || time(&hull, &frames, Method::Threads, arguments.passes))??;
        ensure!(
            meet == interleaved_meet && meet == parallel_meet,
            "the races find {interleaved_meet} and {parallel_meet} intersecting pairs, clipping {meet}"
        );
        all.push((clipping_us / turns, clipping_us / threads));
        table.row([
            polygons.to_string(),
            short(clipping_us),
            short(turns),
            format!("{:.2}", clipping_us / turns),
            short(threads),
            format!("{:.2}", clipping_us / threads),
            short(count as f64 / frames.len() as f64),
            format!("{:.2}", with / without),
        ]);
    }
    report.table(&table);
    report.paragraph(&format!(
        "**Thesis:** with many objects the race made frames slower (6.2 instead of 8.5 a second, and 66 instead of 83), though the planes decided four of five pairs; the thesis has no explanation. **Ours:** on two threads {} and {} times as fast as clipping alone, in turns on one thread {} and {}. {}",
        short(all[0].1),
        short(all[1].1),
        short(all[0].0),
        short(all[1].0),
        before.min(Capacity::measure(2)).sentence(),
    ));
    Ok(())
}

fn ball(polygons: usize) -> Result<Hull> {
    let rings = ((polygons as f64 / 4.0).sqrt().round() as usize).max(2) + 1;
    let mesh = shapes::uv_sphere(0.5, rings, (polygons / (2 * rings - 2)).max(3))?;
    Ok(Hull::new(mesh.vertices())?)
}

fn requests(hull: &Hull, frames: usize, seed: u64) -> Result<Vec<Vec<Request>>> {
    let local_box = hull.bounds();
    let mut all = Vec::new();
    for frame in poses(OBJECTS, 3.0, frames, seed)? {
        let mut list = Vec::new();
        for i in 0..OBJECTS {
            for j in i + 1..OBJECTS {
                if local_box.transformed(&frame[i]).overlaps(&local_box.transformed(&frame[j])) {
                    list.push(Request { pair: [i, j], pose: Pose::relative(&frame[i], &frame[j]) });
                }
            }
        }
        all.push(list);
    }
    Ok(all)
}

/// Microseconds per frame, and the number of requests with intersecting bodies.
fn time(
    hull: &Hull,
    frames: &[Vec<Request>],
    method: Method,
    passes: usize,
) -> Result<(f64, usize)> {
    let learning = Learning::Relaxed { eta: 0.03, relaxation: 1.0 };
    let options = Options::new(learning, FirstPlane::Boxes, 1000)?;
    let mut best = vec![f64::INFINITY; frames.len()];
    let mut meet = 0;
    for _ in 0..passes.max(1) {
        let mut planes: HashMap<[usize; 2], PerceptronCache> = HashMap::new();
        meet = 0;
        for (frame, best) in frames.iter().zip(&mut best) {
            let start = Instant::now();
            for request in frame {
                let pose = &request.pose;
                if method == Method::Clipping {
                    meet += usize::from(clip(hull, hull, pose, ClippingPreChecks::COLLECT).meet);
                    continue;
                }
                let cache = planes.entry(request.pair).or_default();
                let mut clipping = Clipping::new(hull, hull, pose, ClippingPreChecks::COLLECT);
                let mut plane = Perceptron::new(hull, hull, pose, options, cache);
                let outcome = if method == Method::InTurns {
                    interleaved(&mut clipping, &mut plane, SLICES)
                } else {
                    parallel(&mut clipping, &mut plane)
                };
                plane.store_plane(cache);
                // Clipping always reaches a verdict.
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
        let (_, clipping_us) = time(&hull, &frames, Method::Clipping, 1).unwrap();
        let (_, turns) = time(&hull, &frames, Method::InTurns, 1).unwrap();
        assert!(clipping_us > 0 && clipping_us == turns, "{clipping_us} {turns}");
    }
}
