//! Figures 16 and 17: whole frames of many ships, by Turk's grid with BSP trees, and by the same
//! grid with sphere-trees that are interrupted to meet a frame time.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use impinge::pair::{Budget, First, traverse};
use impinge::world::WorldOptions;
use impinge::{Aabb, Pose, Verdict};
use impinge_papers::hubbard::bsp::{BspQuery, Question};
use impinge_papers::hubbard::narrow::NarrowQuery;
use impinge_papers::hubbard::turk::TurkGrid;
use impinge_samples::motion::{MovingScene, Sample, Stage};

use super::{Arguments, LEVELS, Subjects};

/// Seconds from frame to frame of the flight.
const FRAME: f64 = 1.0 / 30.0;

/// How many targets a frame of BSP trees should take.
const LOAD: f64 = 50.0;

/// Passes over a frame, of which the fastest counts.
const PASSES: usize = 3;

/// How often the number of ships is raised at most.
const MAX_TRIALS: usize = 6;

/// The most ships.
const MAX_SHIPS: usize = 5000;

/// The share of the target that the narrow phase is given; the rest is for the last step.
const SHARE: f64 = 0.95;

/// One frame, in milliseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrameTimes {
    pub(super) bsp: f64,
    pub(super) spheres: f64,
    pub(super) exact: f64,
    pub(super) pairs: usize,
    /// Pairs that sphere-trees did not decide in time.
    pub(super) undecided: usize,
    /// The largest bound of the separation of those, in radii.
    pub(super) bound: f64,
}

/// A run of the simulator.
pub(super) struct Run {
    pub(super) ships: usize,
    /// Milliseconds.
    pub(super) target: f64,
    pub(super) frames: Vec<FrameTimes>,
}

/// Raises the number of ships until frames of BSP trees take [`LOAD`] targets, and runs the
/// simulator.
pub(super) fn run(subjects: &Subjects, arguments: &Arguments) -> Result<Run> {
    let mut ships = arguments.ships;
    for _ in 0..MAX_TRIALS {
        // Ships leave their circle after about a second, so a trial of a few frames says little.
        let trial = fly(subjects, arguments, ships, arguments.frames.div_ceil(2))?;
        let mean = trial.iter().map(|f| f.bsp).sum::<f64>() / trial.len() as f64;
        let factor = LOAD * arguments.target / mean.max(1e-6);
        if factor <= 1.05 || arguments.common.quick || ships >= MAX_SHIPS {
            break;
        }
        ships = ((ships as f64 * factor.clamp(1.1, 6.0)).ceil() as usize).min(MAX_SHIPS);
    }
    let frames = fly(subjects, arguments, ships, arguments.frames)?;
    Ok(Run { ships, target: arguments.target, frames })
}

fn fly(
    subjects: &Subjects,
    arguments: &Arguments,
    ships: usize,
    frames: usize,
) -> Result<Vec<FrameTimes>> {
    let moving = MovingScene::sample(Sample::Spaceships, ships, arguments.seed)?;
    let mut stage = Stage::new(&moving, &WorldOptions::default(), arguments.seed)?;
    let mut grid = TurkGrid::new(2.0 * subjects.radius);
    let mut times = Vec::with_capacity(frames);
    for _ in 0..frames {
        stage.update();
        let poses = stage.part_poses()?;
        times.push(frame(subjects, &mut grid, &poses, arguments.target)?);
        stage.advance(FRAME)?;
    }
    Ok(times)
}

/// The pairs of ships whose bounding cubes overlap.
fn pairs(grid: &mut TurkGrid, subjects: &Subjects, poses: &[Pose]) -> Vec<(u32, u32)> {
    let middle = subjects.lamp.bounds().center();
    let cube = |pose: &Pose| {
        let at = pose.transform_point(middle);
        Aabb { min: at - subjects.radius, max: at + subjects.radius }
    };
    let boxes: Vec<Aabb> = poses.iter().map(cube).collect();
    let mut found = Vec::new();
    grid.pairs(&boxes, |a, b| {
        found.push((a, b));
        true
    });
    found
}

fn frame(
    subjects: &Subjects,
    grid: &mut TurkGrid,
    poses: &[Pose],
    target: f64,
) -> Result<FrameTimes> {
    let lamp = &subjects.lamp;
    let relative = |(a, b): (u32, u32)| Pose::relative(&poses[a as usize], &poses[b as usize]);
    let mut bsp = BspQuery::new((lamp, &subjects.bsp), lamp)?;
    let (bsp_time, by_bsp) = fastest(|| {
        let found = pairs(grid, subjects, poses);
        let meets =
            |pair: &(u32, u32)| bsp.meets(&relative(*pair), Question::Surfaces).is_intersecting();
        found.iter().map(meets).collect::<Vec<bool>>()
    });
    let (exact_time, by_tree) = fastest(|| {
        let found = pairs(grid, subjects, poses);
        let meets = |pair: &(u32, u32)| {
            let mut first = First::default();
            traverse(lamp, lamp, &relative(*pair), &mut first);
            first.pair.is_some()
        };
        found.iter().map(meets).collect::<Vec<bool>>()
    });
    ensure!(by_bsp == by_tree, "BSP trees and the exact tree disagree");
    let (spheres_time, (verdicts, bounds)) = fastest(|| {
        let deadline = Instant::now() + Duration::from_secs_f64(SHARE * target / 1e3);
        let found = pairs(grid, subjects, poses);
        let poses: Vec<Pose> = found.iter().map(|pair| relative(*pair)).collect();
        interrupted(subjects, &poses, deadline)
    });
    let mut undecided = 0;
    let mut bound = 0.0_f64;
    for (i, verdict) in verdicts.iter().enumerate() {
        match verdict {
            Some(verdict) => ensure!(*verdict == by_tree[i], "sphere-trees decided wrongly"),
            None => {
                undecided += 1;
                // Pairs that no level was finished for are known by their cubes only.
                let cubes = 4.0 * 3.0_f64.sqrt() * subjects.radius;
                bound = bound.max(bounds[i].min(cubes) / subjects.radius);
            }
        }
    }
    Ok(FrameTimes {
        bsp: bsp_time,
        spheres: spheres_time,
        exact: exact_time,
        pairs: by_tree.len(),
        undecided,
        bound,
    })
}

/// The verdicts of sphere-trees up to a deadline, and bounds of the separation. All pairs are
/// compared at one level, before any at the next.
fn interrupted(
    subjects: &Subjects,
    poses: &[Pose],
    deadline: Instant,
) -> (Vec<Option<bool>>, Vec<f64>) {
    let own = (&subjects.lamp, &subjects.medial().tree);
    let mut query = NarrowQuery::new(own, own);
    let mut verdicts: Vec<Option<bool>> = vec![None; poses.len()];
    let mut bounds: Vec<f64> = vec![f64::INFINITY; poses.len()];
    for level in 1..=LEVELS + 1 {
        let depth = if level > LEVELS { u32::MAX } else { level as u32 };
        for (i, pose) in poses.iter().enumerate() {
            if verdicts[i].is_some() {
                continue;
            }
            let mut budget = Budget::depth(depth).and_deadline(deadline);
            match query.within(pose, &mut budget) {
                Verdict::Separated(_) => verdicts[i] = Some(false),
                Verdict::Intersecting(_) => verdicts[i] = Some(true),
                Verdict::Undecided(answer) => bounds[i] = bounds[i].min(answer.gap),
            }
            if budget.is_over() {
                return (verdicts, bounds);
            }
        }
    }
    (verdicts, bounds)
}

/// The milliseconds of the fastest of a few passes, and its result.
fn fastest<T>(mut pass: impl FnMut() -> T) -> (f64, T) {
    let mut timed = || {
        let start = Instant::now();
        let result = pass();
        (start.elapsed().as_secs_f64() * 1e3, result)
    };
    let mut best = timed();
    for _ in 1..PASSES {
        let again = timed();
        if again.0 < best.0 {
            best = again;
        }
    }
    best
}
