//! The cases: pairs of ships in flight, and the time of each method for each of them.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::Instant;

use anyhow::{Result, ensure};
use impinge::pair::{Budget, First, traverse};
use impinge::world::WorldOptions;
use impinge::{Pose, Vec3, Verdict};
use impinge_papers::hubbard::bsp::{BspCounts, BspEvidence, BspQuery, Question};
use impinge_papers::hubbard::narrow::{NarrowCounts, NarrowQuery, Scratch};
use impinge_samples::motion::{MovingScene, Stage};

use super::{Arguments, LEVELS, Subjects};

/// Seconds from frame to frame.
const FRAME: f64 = 1.0 / 30.0;

/// Frames after which a flight ends even with fewer cases than asked for.
const MAX_FRAMES: usize = 200_000;

/// Passes over each case; the fastest counts.
const PASSES: usize = 3;

/// Queries between two readings of the clock.
const REPEATS: usize = 4;

/// Means over cases.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Means {
    pub(super) count: u64,
    /// Sum of the quotients of the times of BSP trees and sphere-trees.
    speedups: f64,
    /// Sum of the quotients of the times of the exact tree and sphere-trees.
    over_exact: f64,
    /// Sums of times in nanoseconds.
    spheres: f64,
    bsp: f64,
    exact: f64,
    /// Sums of bounds of the separation, and of distances, in radii.
    bounds: f64,
    distances: f64,
}

impl Means {
    fn mean(&self, sum: f64) -> f64 {
        sum / self.count as f64
    }

    /// The mean speedup over BSP trees, as the paper defines it.
    pub(super) fn speedup(&self) -> f64 {
        self.mean(self.speedups)
    }

    /// The mean speedup over the exact tree.
    pub(super) fn speedup_over_exact(&self) -> f64 {
        self.mean(self.over_exact)
    }

    /// Mean nanoseconds: sphere-trees, BSP trees, the exact tree.
    pub(super) fn times(&self) -> [f64; 3] {
        [self.spheres, self.bsp, self.exact].map(|sum| self.mean(sum))
    }

    /// The mean bound of the separation, in radii.
    pub(super) fn bound(&self) -> f64 {
        self.mean(self.bounds)
    }

    /// The mean distance, in radii.
    pub(super) fn distance(&self) -> f64 {
        self.mean(self.distances)
    }

    fn add(&mut self, spheres: f64, bsp: f64, exact: f64) {
        self.count += 1;
        self.speedups += bsp / spheres;
        self.over_exact += exact / spheres;
        self.spheres += spheres;
        self.bsp += bsp;
        self.exact += exact;
    }
}

/// The measurements.
pub(super) struct Measured {
    /// By level, last the exact one: cases that reached it.
    pub(super) all: [Means; LEVELS + 1],
    /// By level: cases that intersect at it.
    pub(super) intersecting: [Means; LEVELS + 1],
    /// Cases with one lamp inside the other, which BSP trees also find.
    pub(super) contained: u64,
    /// Mean nanoseconds of BSP trees without and with culling by the box.
    pub(super) bsp: [f64; 2],
    /// Mean nanoseconds of the exact tree with a certificate for every verdict.
    pub(super) certified: f64,
    pub(super) bsp_counts: BspCounts,
}

/// The relative poses of all pairs of ships whose bounding cubes overlap, frame by frame.
pub(super) fn poses(moving: &MovingScene, radius: f64, arguments: &Arguments) -> Result<Vec<Pose>> {
    let mut poses = Vec::new();
    flights(moving, radius, arguments, |_, _, pose| {
        poses.push(*pose);
        poses.len() < arguments.cases
    })?;
    Ok(poses)
}

/// Calls `each` with the frame, the pair and the relative pose of all such pairs, until it returns
/// false.
fn flights(
    moving: &MovingScene,
    radius: f64,
    arguments: &Arguments,
    mut each: impl FnMut(usize, [usize; 2], &Pose) -> bool,
) -> Result<()> {
    let mut stage = Stage::new(moving, &WorldOptions::default(), arguments.seed)?;
    let middle = moving.scene.parts()[0].mesh.bounds().center();
    for frame in 0..MAX_FRAMES {
        stage.update();
        let poses = stage.part_poses()?;
        let middles: Vec<Vec3> = poses.iter().map(|pose| pose.transform_point(middle)).collect();
        for j in 0..poses.len() {
            for i in 0..j {
                let apart = (middles[i] - middles[j]).abs().max_element();
                if apart <= 2.0 * radius
                    && !each(frame, [i, j], &Pose::relative(&poses[i], &poses[j]))
                {
                    return Ok(());
                }
            }
        }
        stage.advance(FRAME)?;
    }
    Ok(())
}

/// Nanoseconds of a query, the fastest of some passes.
fn time<T>(repeats: usize, mut query: impl FnMut() -> T) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..PASSES {
        let start = Instant::now();
        for _ in 0..repeats {
            black_box(query());
        }
        best = best.min(start.elapsed().as_secs_f64() * 1e9 / repeats as f64);
    }
    best
}

/// Times every method on every case.
pub(super) fn measure(subjects: &Subjects, poses: &[Pose]) -> Result<Measured> {
    let lamp = &subjects.lamp;
    let built = subjects.medial();
    let pair = (lamp, &built.tree);
    let mut spheres = NarrowQuery::new(pair, pair);
    let mut counted = NarrowQuery::new(pair, pair).reaches(&built.reaches, &built.reaches);
    let mut bsp = BspQuery::new((lamp, &subjects.bsp), lamp)?;
    let mut culled = BspQuery::new((lamp, &subjects.bsp), lamp)?.cull(true);
    let mut once = BspQuery::new((lamp, &subjects.bsp), lamp)?;
    let mut measured = Measured {
        all: Default::default(),
        intersecting: Default::default(),
        contained: 0,
        bsp: [0.0; 2],
        certified: 0.0,
        bsp_counts: BspCounts::default(),
    };
    for pose in poses {
        let ours = impinge::intersects(lamp, lamp, pose).is_intersecting();
        let verdict = counted.within(pose, &mut Budget::unlimited());
        ensure!(verdict.is_intersecting() == ours, "sphere-trees disagree at {pose:?}");
        match once.meets(pose, Question::Solids) {
            Verdict::Intersecting(BspEvidence::Triangles(..)) => ensure!(ours, "BSP: {pose:?}"),
            Verdict::Intersecting(BspEvidence::Inside(_)) => measured.contained += u64::from(!ours),
            _ => ensure!(!ours, "BSP trees missed a contact at {pose:?}"),
        }
        let bsp_time = time(1, || bsp.meets(pose, Question::Solids));
        measured.bsp[0] += bsp_time / poses.len() as f64;
        measured.bsp[1] += time(1, || culled.meets(pose, Question::Solids)) / poses.len() as f64;
        let exact = time(REPEATS, || {
            let mut first = First::default();
            traverse(lamp, lamp, pose, &mut first);
            first.pair.is_some()
        });
        measured.certified += time(1, || impinge::intersects(lamp, lamp, pose).is_intersecting())
            / poses.len() as f64;
        // The level after which no balls meet, or one more than there are if triangles decided.
        let last = match verdict {
            Verdict::Separated(level) => level,
            _ => LEVELS + 1,
        };
        let distance = impinge::distance(lamp, lamp, pose).map_or(0.0, |d| d.upper);
        for level in 1..=last {
            let limit = if level > LEVELS { u32::MAX } else { level as u32 };
            let own = time(REPEATS, || spheres.within(pose, &mut Budget::depth(limit)));
            measured.all[level - 1].add(own, bsp_time, exact);
            let meets = level < last || verdict.is_intersecting();
            if !meets {
                continue;
            }
            let means = &mut measured.intersecting[level - 1];
            means.add(own, bsp_time, exact);
            means.distances += distance / subjects.radius;
            if level <= LEVELS {
                match counted.within(pose, &mut Budget::depth(limit)) {
                    Verdict::Undecided(answer) => {
                        let bound = answer.gap.min(answer.solid_gap);
                        ensure!(bound >= distance * (1.0 - 1e-9), "a bound is wrong at {pose:?}");
                        means.bounds += bound / subjects.radius;
                    }
                    other => anyhow::bail!("level {level} decided {other:?} at {pose:?}"),
                }
            }
        }
    }
    measured.bsp_counts = once.counts();
    Ok(measured)
}

/// The work of queries that start where the last frame ended, compared with queries from the roots.
pub(super) struct Coherence {
    pub(super) queries: u64,
    /// Pairs of balls and of triangles: from the roots, and from the last frame.
    pub(super) tests: [u64; 2],
    /// Nanoseconds per query, in the same order.
    pub(super) nanoseconds: [f64; 2],
    pub(super) witnesses: u64,
}

/// Follows every pair from frame to frame.
pub(super) fn coherence(
    subjects: &Subjects,
    moving: &MovingScene,
    arguments: &Arguments,
) -> Result<Coherence> {
    let pair = (&subjects.lamp, &subjects.medial().tree);
    let mut anew = NarrowQuery::new(pair, pair);
    let mut kept: BTreeMap<[usize; 2], (usize, Scratch)> = BTreeMap::new();
    let mut result = Coherence { queries: 0, tests: [0; 2], nanoseconds: [0.0; 2], witnesses: 0 };
    let mut agree = true;
    let most = (arguments.cases as u64 / 5).max(20);
    let tests = |counts: &NarrowCounts| counts.levels.iter().map(|l| l.tests).sum::<u64>();
    flights(moving, subjects.radius, arguments, |frame, ships, pose| {
        // A pair that was not close in the last frame starts at the roots.
        let scratch = match kept.remove(&ships) {
            Some((last, scratch)) if last + 1 == frame => scratch,
            _ => Scratch::default(),
        };
        let start = Instant::now();
        let mut query = NarrowQuery::with_scratch(pair, pair, scratch);
        let first = query.coherent(pose, &mut Budget::unlimited()).is_intersecting();
        let middle = Instant::now();
        let second = anew.within(pose, &mut Budget::unlimited()).is_intersecting();
        result.nanoseconds[0] += middle.elapsed().as_secs_f64() * 1e9;
        result.nanoseconds[1] += (middle - start).as_secs_f64() * 1e9;
        agree &= first == second;
        result.queries += 1;
        result.tests[1] += tests(query.counts());
        result.witnesses += query.counts().witnesses;
        kept.insert(ships, (frame, query.into_scratch()));
        result.queries < most
    })?;
    ensure!(agree, "coherent queries disagree with queries from the roots");
    result.tests[0] = tests(anew.counts());
    result.nanoseconds = result.nanoseconds.map(|sum| sum / result.queries.max(1) as f64);
    Ok(result)
}
