//! The tables of section 6.6 on races: clipping and planes on one pair; the first result stops the
//! other algorithm.

use std::cell::Cell;

use anyhow::Result;
use impinge_papers::zachmann::clipping::{Clipping, ClippingPreChecks, clip};
use impinge_papers::zachmann::perceptron::{
    FirstPlane, Learning, Options, Perceptron, PerceptronCache,
};
use impinge_papers::zachmann::race::{RaceOutput, Winner, interleaved, parallel};

use super::{Arguments, Flight, Kind};
use crate::report::{Progress, Report, Table, short};

/// The number of polygons of each body.
const SIZES: [usize; 3] = [100, 300, 1000];

/// The number of progress steps.
pub(super) const STEPS: usize = 2 * SIZES.len();

/// Edges clipped for each rotation of the plane, in the race on one thread. A rotation visits a few
/// dozen vertices, an edge as many faces.
const SLICES: (u32, u32) = (16, 1);

pub(super) fn report(
    arguments: &Arguments,
    progress: &mut Progress,
    report: &mut Report,
) -> Result<()> {
    report.heading("Section 6.6: two algorithms race on one pair");
    report.paragraph(
        "Clipping, which finds a hit early, against perceptron planes kept from frame to frame, which find early that there is none; at most 1000 rotations with a step of 0.03; when the planes reach their limit, clipping continues. The cage is as wide as both bodies. The thesis raced the algorithm for arbitrary polyhedra, on two processors. \
         \"In turns\" is one thread, sixteen edges for each rotation of the plane; \"two threads\" stops the slower one by a flag that is read after every step.",
    );
    let mut table = Table::new([
        "bodies, polygons each",
        "clipping, \u{3bc}s a frame",
        "in turns, \u{3bc}s",
        "speed-up",
        "two threads, \u{3bc}s",
        "speed-up",
        "planes win, in turns",
        "frames with intersection",
        "thesis: speed-up",
    ]);
    let mut speedups = [Vec::new(), Vec::new()];
    for kind in Kind::ALL {
        for polygons in SIZES {
            progress.step(&format!("race: {} of {polygons} polygons", kind.name()));
            let frames = (arguments.frames * 100 / polygons).max(50);
            let flight = Flight::new(kind, polygons, frames, 1.0, arguments.seed)?;
            let hull = &flight.hull;
            let clipping_us = flight.time(arguments.passes, |pose| {
                clip(hull, hull, pose, ClippingPreChecks::COLLECT).meet
            })?;
            let options = Options::new(
                Learning::Relaxed { eta: 0.03, relaxation: 1.0 },
                FirstPlane::Boxes,
                1000,
            )?;
            let (wins, races) = (Cell::new(0), Cell::new(0));
            let mut cache = PerceptronCache::default();
            let mut race =
                |pose: &impinge::Pose,
                 run: &dyn Fn(&mut Clipping<'_>, &mut Perceptron<'_>) -> RaceOutput| {
                    let mut clipping = Clipping::new(hull, hull, pose, ClippingPreChecks::COLLECT);
                    let mut planes = Perceptron::new(hull, hull, pose, options, &cache);
                    let outcome = run(&mut clipping, &mut planes);
                    planes.store_plane(&mut cache);
                    wins.set(wins.get() + usize::from(outcome.winner == Some(Winner::Second)));
                    races.set(races.get() + 1);
                    // Clipping always reaches a verdict.
                    outcome.meet.unwrap_or_default()
                };
            let interleaved_us = flight
                .time(arguments.passes, |pose| race(pose, &|c, p| interleaved(c, p, SLICES)))?;
            let share = format!("{:.0} %", 100.0 * wins.get() as f64 / f64::from(races.get()));
            let parallel_us =
                flight.time(arguments.passes, |pose| race(pose, &|c, p| parallel(c, p)))?;
            speedups[0].push(clipping_us / interleaved_us);
            speedups[1].push(clipping_us / parallel_us);
            table.row([
                format!("{}, {}", kind.name(), hull.face_count()),
                short(clipping_us),
                short(interleaved_us),
                short(clipping_us / interleaved_us),
                short(parallel_us),
                short(clipping_us / parallel_us),
                share,
                format!("{:.0} %", 100.0 * flight.hits() as f64 / flight.poses.len() as f64),
                match (kind, polygons) {
                    (Kind::Sphere, 100) => "1.75",
                    (Kind::Sphere, 1000) => "2.8",
                    _ => "",
                }
                .to_owned(),
            ]);
        }
    }
    report.table(&table);
    let range = |values: &[f64]| {
        format!(
            "{} to {}",
            short(values.iter().copied().fold(f64::INFINITY, f64::min)),
            short(values.iter().copied().fold(0.0, f64::max))
        )
    };
    report.paragraph(&format!(
        "**Thesis:** for two objects 1.5 to 3.5 times as fast (tori, hyperboloids and spheres of 100 and 1000 polygons), but slower in a cage of many objects, for which the thesis has no explanation. **Ours:** {} in turns on one thread, {} on two threads. Two threads must wake each other for every pair, which is the likely reason for the slowdown in the thesis.",
        range(&speedups[0]),
        range(&speedups[1]),
    ));
    Ok(())
}
