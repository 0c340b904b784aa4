//! `impinge-lab broad-scenes`: times of broad phases on scenes beyond those of the peer
//! measurements, and files of these scenes for the peers.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Result;
use impinge::broad::{Moved, PhaseKind};
use impinge_papers::zachmann::broad::phase_by_name;

use super::file::Writer;
use super::follow::{TimedPhase, is_feasible, with_threads};
use super::scenes::{Boxes, SCENES, Scene};
use crate::capacity::Capacity;
use crate::common::Common;
use crate::report::{Progress, Report, Table, count, short};

/// Arguments of `impinge-lab broad-scenes`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    common: Common,
    /// Writes the scenes to `DIR/broad/NAME.bin` for the peers instead of measuring.
    #[arg(long, value_name = "DIR")]
    write: Option<PathBuf>,
    /// Frames of each scene.
    #[arg(long, default_value_t = 100, value_name = "N")]
    frames: usize,
    /// Passes; each frame keeps its fastest.
    #[arg(long, default_value_t = 3, value_name = "N")]
    passes: usize,
    /// Seconds after which a pass ends.
    #[arg(long, default_value_t = 60.0, value_name = "S")]
    budget: f64,
    /// The number of threads.
    #[arg(long, default_value_t = 1, value_name = "N")]
    threads: usize,
    /// The broad phases, by name.
    #[arg(
        long,
        value_delimiter = ',', value_parser = phase_by_name,
        default_value = "neighbours,auto,grid,octree,sweep,tree",
        value_name = "NAMES"
    )]
    phases: Vec<PhaseKind>,
    /// The maximum number of boxes; scenes with more are skipped.
    #[arg(long, default_value_t = 1_000_000, value_name = "N")]
    max: usize,
    /// Seed of the random numbers.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only scenes whose names contain one of these.
    names: Vec<String>,
}

/// Measures the scenes, or writes them.
pub(crate) fn run(mut arguments: Arguments) -> Result<()> {
    arguments.common.limit([
        (&mut arguments.frames, 4),
        (&mut arguments.passes, 1),
        (&mut arguments.max, 1000),
    ]);
    let arguments = &arguments;
    let is_selected = |scene: &&Scene| {
        let named = |part: &String| scene.name.contains(part.as_str());
        scene.boxes <= arguments.max
            && (arguments.names.is_empty() || arguments.names.iter().any(named))
    };
    let scenes: Vec<&Scene> = SCENES.iter().filter(is_selected).collect();
    match &arguments.write {
        Some(folder) => write(arguments, &scenes, folder),
        None => measure(arguments, &scenes),
    }
}

fn write(arguments: &Arguments, scenes: &[&Scene], folder: &Path) -> Result<()> {
    let frames = arguments.frames.max(1);
    for scene in scenes {
        let path = folder.join("broad").join(format!("{}.bin", scene.name));
        let mut file = Writer::create(&path, scene.boxes, frames)?;
        let mut boxes = Boxes::new(scene, arguments.seed);
        for i in 0..frames {
            if i > 0 {
                boxes.step();
            }
            file.frame(boxes.bounds())?;
        }
        file.finish()?;
        println!("{}", path.display());
    }
    Ok(())
}

fn measure(arguments: &Arguments, scenes: &[&Scene]) -> Result<()> {
    let mut progress = Progress::new(scenes.len());
    let mut table = Table::new([
        "scene",
        "broad phase",
        "ms a frame: median",
        "mean",
        "worst",
        "first frame",
        "pairs at the end",
        "events a frame",
        "MB",
        "frames",
    ]);
    let mut medians = Vec::new();
    let before = Capacity::measure(arguments.threads);
    for scene in scenes {
        progress.step(scene.name);
        let mut pairs = None;
        for kind in arguments.phases.iter().filter(|c| is_feasible(**c, scene.boxes)) {
            let pass = || with_threads(arguments.threads, || follow(scene, *kind, arguments));
            let mut timed = pass()?;
            for _ in 1..arguments.passes.max(1) {
                timed.keep_fastest(&pass()?);
            }
            let is_complete = timed.frames() == arguments.frames;
            if is_complete {
                let first = *pairs.get_or_insert(timed.pairs());
                anyhow::ensure!(
                    first == timed.pairs(),
                    "{}: {kind} reports other pairs than the first broad phase",
                    scene.name
                );
            }
            table.row([
                scene.name.to_owned(),
                kind.to_string(),
                short(timed.median()),
                short(timed.mean()),
                short(timed.worst()),
                short(timed.first()),
                count(timed.live()),
                short(timed.events_per_frame()),
                short(timed.bytes() as f64 / 1e6),
                count(timed.frames() as u64),
            ]);
            medians.push((scene.name, *kind, timed.median()));
        }
    }
    let threads = arguments.threads.max(1);
    let name =
        if threads > 1 { format!("broad-scenes-{threads}t") } else { "broad-scenes".to_owned() };
    let mut report =
        Report::new(&arguments.common.out, &name, "Broad phases on many kinds of boxes");
    report.paragraph(&format!(
        "Milliseconds a frame, {threads} {}; median, mean and worst of all frames but the first, each the fastest of {} passes. The time includes the exact report of the pairs that began and ended in each frame; the broad phases that reached the last frame agree on all of them. A pass ends after {} seconds, with the frames it has.",
        if threads == 1 { "thread" } else { "threads" },
        arguments.passes.max(1),
        short(arguments.budget),
    ));
    report.paragraph(
        "Boxes have sides of 0.5 to 2 and overlap two others on average, and take random steps of 0.02 on each axis, unless stated otherwise. *fall*: a column four times as tall falls into that density within 70 frames. *log-uniform*: log-uniform sizes from 0.03 to 30. *pareto*: \
         sizes from 0.5 on by a Pareto law with exponent two, at most 100. *slabs*: 1000 of the boxes are as long as half the room. *clusters*: a hundred dense clusters in a room twenty times as wide. *movers*: 1 or 10 percent of the boxes move, and the broad phase gets the list of them. *billiard*: every box moves straight, by about half its side in a frame.",
    );
    report.table(&table);
    if threads > 1 {
        report.paragraph(&before.min(Capacity::measure(threads)).sentence());
    }
    let median = |scene: &str, phase: PhaseKind| {
        medians.iter().find(|m| m.0 == scene && m.1 == phase).map(|m| m.2)
    };
    if let (Some(small), Some(large)) = (
        median("brownian-100k", PhaseKind::NEIGHBOURS),
        median("brownian-1m", PhaseKind::NEIGHBOURS),
    ) {
        report.paragraph(&format!(
            "A million boxes take {} times as long as a hundred thousand (median of `neighbours`).",
            short(large / small)
        ));
    }
    println!("{}", report.finish()?.display());
    Ok(())
}

fn follow(scene: &Scene, kind: PhaseKind, arguments: &Arguments) -> TimedPhase {
    let mut timed = TimedPhase::new(kind);
    let mut boxes = Boxes::new(scene, arguments.seed);
    let (start, budget) =
        (Instant::now(), Duration::from_secs_f64(arguments.budget.clamp(0.0, 1e6)));
    timed.frame(boxes.bounds(), Moved::All);
    for _ in 1..arguments.frames.max(2) {
        boxes.step();
        timed.frame(boxes.bounds(), boxes.moved());
        if start.elapsed() > budget {
            break;
        }
    }
    timed
}
