//! Worlds of cubes that pass through each other, updated in every frame and at known times.

use std::collections::BTreeSet;
use std::time::Instant;

use anyhow::{Result, ensure};
use impinge::internals::Random;
use impinge::world::{EventKind, Handle, World};

use super::cubes::{Cube, DURATION, scene};
use super::phases::{SAMPLES, horizon};
use super::{Arguments, quantile};
use crate::report::{Report, Table, count, short};

/// The time from frame to frame, in seconds.
const DT: f64 = 1.0 / 60.0;
/// Cubes per run, in multiples of those of the other figures.
const SIZES: [usize; 3] = [1, 4, 16];
/// Limits that are newer than this are not replaced, in seconds.
const MIN_AGE: f64 = 0.1;

/// The measurements of one size.
pub(super) struct Size {
    bodies: usize,
    frames: usize,
    /// Microseconds of each frame: ordinary updates, and those at known times with the setting of
    /// limits.
    us: [Vec<f64>; 2],
    /// The numbers of frames without work for pairs, of limits that were set, of events, and of
    /// box tests.
    idle: usize,
    set: usize,
    events: usize,
    tests: [usize; 2],
    /// Contacts by dense sampling that begin and end between two frames, and how many of these
    /// `update_at` misses.
    between: usize,
    missed: usize,
}

/// The pairs that have a contact between two frames and none at either, by dense sampling.
fn between_frames(cubes: &[Cube], now: f64, met: &BTreeSet<(usize, usize)>) -> Vec<(usize, usize)> {
    let last = now - DT;
    let swept = |cube: &Cube| {
        let bulge = 3.0 * DT * DT / 8.0;
        cube.bounds(last).union(&cube.bounds(now)).grown(bulge)
    };
    let boxes: Vec<_> = cubes.iter().map(swept).collect();
    let mut order: Vec<usize> = (0..boxes.len()).collect();
    order.sort_by(|a, b| boxes[*a].min.x.total_cmp(&boxes[*b].min.x));
    let mut found = Vec::new();
    for (n, a) in order.iter().enumerate() {
        for b in &order[n + 1..] {
            if boxes[*b].min.x > boxes[*a].max.x {
                break;
            }
            let pair = (*a.min(b), *a.max(b));
            if met.contains(&pair) || !boxes[*a].overlaps(&boxes[*b]) {
                continue;
            }
            let touch = |t: f64| cubes[*a].bounds(t).overlaps(&cubes[*b].bounds(t));
            let samples = (1..SAMPLES).map(|n| last + DT * (n as f64 / SAMPLES as f64));
            if !touch(last) && !touch(now) && samples.into_iter().any(touch) {
                found.push(pair);
            }
        }
    }
    found
}

fn set_limits(world: &mut World, handle: Handle, cube: &Cube, now: f64) -> bool {
    world.set_motion(handle, &cube.body_motion(now, horizon(now)), now).is_ok()
}

fn follow(cubes: &[Cube], size: &mut Size) -> Result<()> {
    let [mut plain, mut timed] = [World::new(), World::new()];
    let mut handles = Vec::new();
    for cube in cubes {
        handles.push(timed.add(cube.body())?);
        plain.add(cube.body())?;
    }
    let mut set_at = vec![0.0; cubes.len()];
    plain.update();
    for (handle, cube) in handles.iter().zip(cubes) {
        set_limits(&mut timed, *handle, cube, 0.0);
    }
    timed.update_at(0.0)?;
    let mut met = BTreeSet::new();
    for frame in 1..=(DURATION / DT) as usize {
        let now = DT * frame as f64;
        for (handle, cube) in handles.iter().zip(cubes) {
            timed.move_to(*handle, cube.pose(now))?;
            plain.move_to(*handle, cube.pose(now))?;
        }
        let clock = Instant::now();
        plain.update();
        size.us[0].push(clock.elapsed().as_secs_f64() * 1e6);
        let clock = Instant::now();
        timed.update_at(now)?;
        let mut us = clock.elapsed().as_secs_f64() * 1e6;
        let (report, expected) = (timed.report(), plain.report());
        ensure!(report.events() == expected.events(), "the events of frame {frame} differ");
        ensure!(report.outside().is_empty(), "a cube has broken its limits in frame {frame}");
        for event in report.events() {
            let pair = (event.a.slot(), event.b.slot());
            match event.kind {
                EventKind::Began => met.insert(pair),
                EventKind::Ended | EventKind::Persists => met.remove(&pair),
            };
        }
        size.frames += 1;
        size.idle += usize::from(report.stats().is_idle());
        size.events += report.events().len();
        size.tests[0] += expected.stats().checked;
        size.tests[1] += report.stats().box_tests;
        let due: BTreeSet<(usize, usize)> =
            timed.due().iter().map(|(a, b)| (a.slot(), b.slot())).collect();
        let between = between_frames(cubes, now, &met);
        size.between += between.len();
        let unlimited: BTreeSet<usize> = timed.unlimited().iter().map(|n| n.slot()).collect();
        let is_missed = |(a, b): &&(usize, usize)| {
            !due.contains(&(*a, *b)) && !unlimited.contains(a) && !unlimited.contains(b)
        };
        size.missed += between.iter().filter(is_missed).count();
        let renew = report.renewals().to_vec();
        let clock = Instant::now();
        for handle in renew {
            let n = handle.slot();
            if now - set_at[n] >= MIN_AGE || !timed.has_motion(handle)? {
                set_at[n] = now;
                size.set += usize::from(set_limits(&mut timed, handle, &cubes[n], now));
            }
        }
        us += clock.elapsed().as_secs_f64() * 1e6;
        size.us[1].push(us);
    }
    Ok(())
}

pub(super) fn measure(arguments: &Arguments) -> Result<Vec<Size>> {
    let mut random = Random::new(arguments.seed + 2);
    let mut sizes = Vec::new();
    for factor in SIZES {
        let bodies = arguments.bodies * factor;
        let mut size = Size {
            bodies,
            frames: 0,
            us: [Vec::new(), Vec::new()],
            idle: 0,
            set: 0,
            events: 0,
            tests: [0; 2],
            between: 0,
            missed: 0,
        };
        let runs = (arguments.runs / (20 * factor)).max(1);
        for _ in 0..runs {
            follow(&scene(&mut random, bodies), &mut size)?;
        }
        size.us.iter_mut().for_each(|us| us.sort_by(f64::total_cmp));
        sizes.push(size);
    }
    Ok(sizes)
}

pub(super) fn report(sizes: &[Size], report: &mut Report) {
    report.heading("Worlds, updated in every frame and at known times");
    report.paragraph(&format!(
        "The same cubes for {DURATION} s; they pass through each other. `World::update` compares all boxes in every frame, `World::update_at` when limits leave a contact open; both place all bodies. The events of both must be equal in every frame, or this command fails. Times include the setting of limits, at most every {MIN_AGE} s for a cube. A contact that begins and ends between two frames (dense sampling, {SAMPLES} samples) is in no event of either; it is missed by `update_at` if the pair is not due and neither cube is listed as one whose limits expired since the last frame.",
    ));
    let mut table = Table::new([
        "cubes",
        "us per simulated second, `update`",
        "`update_at`",
        "p99 frame, us, `update`",
        "`update_at`",
        "frames without work for pairs, %",
        "limits set per cube and second",
        "events, all equal",
        "contacts between frames",
        "of these missed",
    ]);
    for size in sizes {
        let seconds = size.frames as f64 * DT;
        let [plain, timed] = &size.us;
        let per_second = |us: &[f64]| short(us.iter().sum::<f64>() / seconds);
        table.row([
            count(size.bodies as u64),
            per_second(plain),
            per_second(timed),
            short(quantile(plain, 0.99)),
            short(quantile(timed, 0.99)),
            format!("{:.1}", 100.0 * size.idle as f64 / size.frames as f64),
            short(size.set as f64 / (seconds * size.bodies as f64)),
            count(size.events as u64),
            count(size.between as u64),
            count(size.missed as u64),
        ]);
    }
    report.table(&table);
    let missed: usize = sizes.iter().map(|size| size.missed).sum();
    let faster = sizes.iter().filter(|size| {
        let sum = |us: &[f64]| us.iter().sum::<f64>();
        sum(&size.us[1]) < sum(&size.us[0])
    });
    let tests = |k: usize| sizes.iter().map(|size| size.tests[k]).sum::<usize>() as u64;
    report.paragraph(&format!(
        "`update_at` takes less time than `update` for {} of {} sizes, and misses {} contacts between frames; {} pairs of boxes were compared outside of the broad phase, and {} pairs of shapes.",
        faster.count(),
        sizes.len(),
        if missed == 0 { "no".to_owned() } else { count(missed as u64) },
        count(tests(1)),
        count(tests(0)),
    ));
}
