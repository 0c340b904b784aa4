//! Figures 11 and 12: cubes with random forces until their first collision.

use std::time::Instant;

use anyhow::{Result, ensure};
use impinge::internals::Random;
use impinge_chart::{Axis, Chart, Mark};
use impinge_papers::hubbard::earliest::Counts;

use super::cubes::{Cube, DURATION, runge_kutta, scene};
use super::phases::{Frame, Method, Phase, RESOLUTION, SAMPLES};
use super::{Arguments, median, quantile};
use crate::report::{Report, Table, count, short};

/// The time from frame to frame, in seconds.
const DT: f64 = 1.0 / 60.0;

/// One run of one method.
#[derive(Clone, Default)]
struct Track {
    /// Microseconds of each frame.
    us: Vec<f64>,
    idle: usize,
    /// The frame in which it found a collision.
    found: Option<usize>,
    /// States that were computed besides those of frames.
    states: u64,
    /// Microseconds before the first frame.
    start: f64,
    /// The crossings of lines that the paper's broad phase visited.
    counts: Counts,
}

impl Track {
    fn total(&self) -> f64 {
        self.start + self.us.iter().sum::<f64>()
    }
}

/// One run.
pub(super) struct Run {
    /// The first contact by dense sampling: the frame at whose end it is known, and the frame in
    /// which that contact ends.
    first: Option<[usize; 2]>,
    frames: usize,
    tracks: Vec<Track>,
    /// Microseconds of the integration of all motions over a frame.
    integration: f64,
    bodies: usize,
}

/// The first contact by dense sampling, up to the frame in which it ends.
fn first_contact(cubes: &[Cube]) -> Option<[usize; 2]> {
    let frames = (DURATION / DT) as usize;
    let pairs = |frame: usize| -> Option<(usize, usize)> {
        (0..=SAMPLES).find_map(|sample| {
            let t = DT * (frame as f64 - 1.0 + sample as f64 / SAMPLES as f64);
            let boxes: Vec<_> = cubes.iter().map(|cube| cube.bounds(t)).collect();
            let mut order: Vec<usize> = (0..boxes.len()).collect();
            order.sort_by(|a, b| boxes[*a].min.x.total_cmp(&boxes[*b].min.x));
            for (n, a) in order.iter().enumerate() {
                for b in &order[n + 1..] {
                    if boxes[*b].min.x > boxes[*a].max.x {
                        break;
                    }
                    if boxes[*a].overlaps(&boxes[*b]) {
                        return Some((*a, *b));
                    }
                }
            }
            None
        })
    };
    for frame in 1..=frames {
        if let Some((a, b)) = pairs(frame) {
            let overlap = |frame: usize| {
                let t = DT * frame as f64;
                cubes[a].bounds(t).overlaps(&cubes[b].bounds(t))
            };
            // A contact that is over before the frame ends has its own frame only.
            let end = (frame..frames).find(|end| !overlap(*end)).unwrap_or(frames);
            return Some([frame, end]);
        }
    }
    None
}

fn follow(method: Method, cubes: &[Cube], frames: usize, passes: usize) -> Track {
    let mut best: Option<Track> = None;
    for _ in 0..passes {
        let clock = Instant::now();
        let mut phase = method.start(cubes);
        let mut track = Track { start: clock.elapsed().as_secs_f64() * 1e6, ..Track::default() };
        for frame in 1..=frames {
            let now = DT * frame as f64;
            let boxes: Vec<_> = cubes.iter().map(|cube| cube.bounds(now)).collect();
            let frame_input = Frame { cubes, last: DT * (frame as f64 - 1.0), now, boxes: &boxes };
            let clock = Instant::now();
            let answer = phase.frame(&frame_input);
            track.us.push(clock.elapsed().as_secs_f64() * 1e6);
            track.idle += usize::from(answer.idle);
            track.states += answer.states;
            if answer.met {
                track.found = Some(frame);
                break;
            }
        }
        match &phase {
            Phase::Scheduler(scheduled) => assert!(!scheduled.failed, "time ran backward"),
            Phase::Paper { phase, .. } => track.counts = phase.counts,
            _ => {}
        }
        best = Some(match best {
            None => track,
            Some(mut best) => {
                best.start = best.start.min(track.start);
                for (us, other) in best.us.iter_mut().zip(&track.us) {
                    *us = us.min(*other);
                }
                best
            }
        });
    }
    best.unwrap_or_default()
}

fn integration(cubes: &[Cube]) -> f64 {
    let clock = Instant::now();
    let frames = 20;
    for frame in 0..frames {
        let t = DT * f64::from(frame);
        for cube in cubes {
            std::hint::black_box(runge_kutta(cube, cube.state(t), t, DT));
        }
    }
    clock.elapsed().as_secs_f64() * 1e6 / f64::from(frames)
}

pub(super) fn measure(arguments: &Arguments) -> Result<Vec<Run>> {
    let mut random = Random::new(arguments.seed + 1);
    let mut runs = Vec::new();
    for run in 0..arguments.runs {
        let cubes = scene(&mut random, arguments.bodies);
        let first = first_contact(&cubes);
        // Methods that miss the contact go on until it is over.
        let frames = first.map_or((DURATION / DT) as usize, |[_, end]| end);
        let tracks: Vec<Track> = Method::ALL
            .map(|method| follow(method, &cubes, frames, arguments.passes))
            .into_iter()
            .collect();
        for (method, track) in Method::ALL.into_iter().zip(&tracks) {
            // No method may find a contact that does not exist.
            let is_early = track.found.is_some_and(|f| first.is_none_or(|[first, _]| f < first));
            ensure!(
                !is_early,
                "run {run}: {} finds {:?}, first {first:?}",
                method.name(),
                track.found
            );
        }
        runs.push(Run {
            first,
            frames,
            tracks,
            integration: integration(&cubes),
            bodies: cubes.len(),
        });
    }
    Ok(runs)
}

impl Run {
    /// The speed-up over Turk's grid: detection only, and with the integration of motions.
    fn speedup(&self, method: usize) -> [f64; 2] {
        let [turk, ours] = [0, method].map(|n| &self.tracks[n]);
        let whole = |track: &Track| {
            // States in between need a part of a step each.
            let steps = track.us.len() as f64 + track.states as f64 / self.bodies as f64;
            track.total() + steps * self.integration
        };
        [turk.total() / ours.total(), whole(turk) / whole(ours)]
    }
}

pub(super) fn report(runs: &[Run], report: &mut Report) -> Result<()> {
    report.heading("Figures 11 and 12: space-time bounds against Turk's grid");
    report.paragraph(&format!(
        "Cubes of sides 0.2 to 0.6 without rotation, in rooms of random sizes, move by random sets of forces; a method knows the state, M, d and the expiry of the current set. Frames of 1/60 s, until the first collision that the method finds. Turk's grid and the neighbour lists see the boxes at frames; swept boxes, the heap, the scheduler and `World::update_at` compare the interval between frames ({SAMPLES} samples of it). The two worlds place all bodies from their poses in every frame, which is part of their times; the other methods get boxes. `World::update` compares the shapes at frames; `World::update_at` reports the same events, and its due pairs are sampled. The minimum temporal resolution of the paper's broad phase is {RESOLUTION} s. The states at frames are given; those in between are part of the detection time. Sets of forces last 1 to 6 s; bounds of the heap, the scheduler and the world hold until the next half second.",
    ));
    let found: Vec<&Run> = runs.iter().filter(|run| run.first.is_some()).collect();
    let points = |method: usize, kind: usize| -> Vec<(f64, f64)> {
        let place = |run: &&Run| Some((run.first?[0] as f64 * DT, run.speedup(method)[kind]));
        found.iter().filter_map(place).collect()
    };
    let last =
        found.iter().filter_map(|run| run.first).map(|f| f[0] as f64 * DT).fold(DT, f64::max);
    let paper = Method::ALL.iter().position(|m| *m == Method::Paper).unwrap_or(0);
    let ours = Method::ALL.iter().position(|m| *m == Method::Scheduler).unwrap_or(0);
    let mut chart = Chart::new(
        "Speed-up over Turk's grid",
        Axis::log("time of the first collision, s"),
        Axis::log("detection only"),
    );
    for kind in 0..2 {
        if kind == 1 {
            chart = chart.panel(
                Axis::log("time of the first collision, s"),
                Axis::log("with Runge-Kutta steps"),
            );
        }
        chart = chart
            .series("space-time bounds (paper)", Mark::Dots, points(paper, kind))
            .series("motion::Scheduler", Mark::Dots, points(ours, kind))
            .series("equal", Mark::Guide, vec![(DT, 1.0), (last, 1.0)]);
    }
    report.figure("figure-11", "Speed-up of space-time bounds over Turk's grid", &chart)?;
    let shares = |method: usize| histogram(runs.iter().flat_map(|run| &run.tracks[method].us));
    let mut chart = Chart::new(
        "Times of frames",
        Axis::log("microseconds of detection in a frame"),
        Axis::linear("% of frames"),
    );
    for (method, name) in
        [(0, "Turk's grid"), (paper, "space-time bounds (paper)"), (ours, "motion::Scheduler")]
    {
        chart = chart.series(name, Mark::LineAndDots, shares(method));
    }
    report.figure("figure-12", "Histogram of frame times", &chart)?;
    table(runs, report);
    verdicts(runs, [paper, ours], report);
    Ok(())
}

/// The share of values in bins, four to a factor of ten: the middle of each bin, and percent.
fn histogram<'a>(values: impl Iterator<Item = &'a f64>) -> Vec<(f64, f64)> {
    let mut bins = std::collections::BTreeMap::new();
    let mut all = 0.0;
    for value in values {
        *bins.entry((value.max(0.01).log10() * 4.0).floor() as i32).or_insert(0.0) += 1.0;
        all += 1.0;
    }
    let middle = |bin: i32| 10.0_f64.powf((f64::from(bin) + 0.5) / 4.0);
    let (low, high) = (bins.keys().next().copied(), bins.keys().next_back().copied());
    let (Some(low), Some(high)) = (low, high) else { return Vec::new() };
    let share = |bin: i32| 100.0 * bins.get(&bin).copied().unwrap_or(0.0) / all;
    (low..=high).map(|bin| (middle(bin), share(bin))).collect()
}

/// The number of runs in which a method did not find the first contact before it was over.
fn misses(runs: &[Run], method: usize) -> usize {
    runs.iter().filter(|run| run.first.is_some() && run.tracks[method].found.is_none()).count()
}

fn idle_share(runs: &[Run], method: usize) -> f64 {
    let frames: usize = runs.iter().map(|run| run.tracks[method].us.len()).sum();
    let idle: usize = runs.iter().map(|run| run.tracks[method].idle).sum();
    100.0 * idle as f64 / frames.max(1) as f64
}

fn frame_times(runs: &[Run], method: usize) -> Vec<f64> {
    let mut us: Vec<f64> = runs.iter().flat_map(|run| run.tracks[method].us.clone()).collect();
    us.sort_by(f64::total_cmp);
    us
}

fn table(runs: &[Run], report: &mut Report) {
    let mut table = Table::new([
        "method",
        "us per simulated second",
        "frames without work, %",
        "median frame, us",
        "p99 frame, us",
        "slowest frame, us",
        "first contacts missed",
    ]);
    for (n, method) in Method::ALL.into_iter().enumerate() {
        let us = frame_times(runs, n);
        let total: f64 = runs.iter().map(|run| run.tracks[n].total()).sum();
        table.row([
            method.name().to_owned(),
            short(total / (us.len() as f64 * DT)),
            format!("{:.1}", idle_share(runs, n)),
            short(quantile(&us, 0.5)),
            short(quantile(&us, 0.99)),
            short(us.last().copied().unwrap_or(0.0)),
            format!("{} of {}", misses(runs, n), runs.iter().filter(|r| r.first.is_some()).count()),
        ]);
    }
    report.table(&table);
}

fn verdicts(runs: &[Run], [paper, ours]: [usize; 2], report: &mut Report) {
    let found: Vec<&Run> = runs.iter().filter(|run| run.first.is_some()).collect();
    let faster = |method: usize, kind: usize| {
        found.iter().filter(|run| run.speedup(method)[kind] > 1.0).count()
    };
    let middle = |method: usize, kind: usize| median(found.iter().map(|r| r.speedup(method)[kind]));
    let share = |n: usize| n as f64 / found.len().max(1) as f64;
    let says = |n: usize| if share(n) > 0.9 { "holds" } else { "does not hold" };
    report.paragraph(&format!(
        "**Paper:** space-time bounds are almost always faster than Turk's grid. **Ours:** detection only, the paper's broad phase is faster in {} of {} runs (median {} times as fast), with integration in {} (median {}); the claim {} here. The scheduler is faster in {} (median {}), with integration in {} (median {}).",
        faster(paper, 0),
        found.len(),
        short(middle(paper, 0)),
        faster(paper, 1),
        short(middle(paper, 1)),
        says(faster(paper, 0)),
        faster(ours, 0),
        short(middle(ours, 0)),
        faster(ours, 1),
        short(middle(ours, 1)),
    ));
    let worst = |method: usize| frame_times(runs, method).last().copied().unwrap_or(0.0);
    report.paragraph(&format!(
        "**Paper:** with space-time bounds most frames take almost no time, and the slowest are slower than Turk's. **Ours:** {:.1} % of the frames of the paper's broad phase and {:.1} % of the scheduler's do nothing; the slowest frame takes {} and {} times as long as that of Turk's grid.",
        idle_share(runs, paper),
        idle_share(runs, ours),
        short(worst(paper) / worst(0)),
        short(worst(ours) / worst(0)),
    ));
    let of_paper = || runs.iter().map(|run| run.tracks[paper].counts);
    let crossings: u64 = of_paper().map(|counts| counts.crossings).sum();
    let worst: u64 = of_paper().map(|counts| counts.worst).sum();
    let visited = 100.0 * crossings as f64 / worst.max(1) as f64;
    report.paragraph(&format!(
        "**Paper:** in these runs less than 0.07 % of the worst case of crossings are visited before a face intersection. **Ours:** {} % over all searches, until they end; the claim {} here.",
        short(visited),
        if visited < 0.07 { "holds" } else { "does not hold" },
    ));
    let per_second = |method: usize| -> f64 {
        let frames: usize = runs.iter().map(|run| run.tracks[method].us.len()).sum();
        runs.iter().map(|run| run.tracks[method].total()).sum::<f64>() / frames.max(1) as f64
    };
    let mut cheapest: Vec<usize> = (0..Method::ALL.len()).collect();
    cheapest.sort_by(|a, b| per_second(*a).total_cmp(&per_second(*b)));
    let list = |methods: Vec<usize>| -> String {
        methods.iter().map(|n| Method::ALL[*n].name()).collect::<Vec<_>>().join(", ")
    };
    let exact: Vec<usize> = cheapest.iter().copied().filter(|n| misses(runs, *n) == 0).collect();
    let frames: usize = runs.iter().map(|run| run.frames).sum();
    report.paragraph(&format!(
        "From the least work per simulated second to the most: {}. No first contact is missed by: {}. {} frames in {} runs, {} with a collision within {DURATION} s.",
        list(cheapest),
        if exact.is_empty() { "none".to_owned() } else { list(exact) },
        count(frames as u64),
        runs.len(),
        found.len(),
    ));
}
