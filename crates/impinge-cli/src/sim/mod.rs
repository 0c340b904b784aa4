//! `impinge sim`: moving bodies and their collisions.
//!
//! [`run`] moves the bodies of a scene ([`impinge_samples::motion`]) frame by frame and updates the
//! world. Events and figures are written to files after every frame ([`events`], [`stats`]); plots
//! and pictures are drawn at the end ([`plot`], [`pictures`]).

mod args;
mod events;
mod pictures;
mod plot;
mod stats;
mod summary;

pub(crate) use args::{EXAMPLES, SimArgs};

use std::time::Instant;

use anyhow::{Context, Result, bail};
use impinge::world::{Handle, WorldOptions};
use impinge_samples::motion::{Motion, MovingScene, Sample, Stage, Steering};

use self::events::EventLines;
use self::pictures::Recorder;
use self::stats::{Frame, StatsFile};
use self::summary::Summary;
use crate::job::unique_names;
use crate::outputs::{self, Output};
use crate::progress::Progress;
use crate::report::plural;
use crate::{Status, note};

/// The simulated scene.
pub(crate) struct Scene {
    /// The bodies and their motions.
    moving: MovingScene,
    /// A unique name for every body.
    names: Vec<String>,
    /// The name of the file or sample.
    title: String,
}

/// Runs `impinge sim`.
pub(crate) fn run(args: &SimArgs) -> Result<Status> {
    let to = &args.output;
    let outputs = [
        Output {
            option: "--events",
            path: to.events.as_deref(),
            extensions: &["jsonl", "ndjson", "json"],
        },
        Output { option: "--stats", path: to.stats.as_deref(), extensions: &["csv"] },
        Output { option: "--plot", path: to.plot.as_deref(), extensions: &["svg"] },
        Output { option: "--picture", path: to.picture.as_deref(), extensions: &["png", "svg"] },
        Output {
            option: "--animation",
            path: to.animation.as_deref(),
            extensions: &["png", "apng"],
        },
    ];
    outputs::check(&outputs, args.file.as_deref())?;
    let scene = load(args)?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(args.run.threads.map_or(0, std::num::NonZero::get))
        .build()
        .context("cannot start the threads; give a smaller number with --threads")?;
    pool.install(|| simulate(&scene, args))
}

/// Loads or generates the scene.
fn load(args: &SimArgs) -> Result<Scene> {
    let bodies = &args.bodies;
    let (moving, title) = match (&args.file, bodies.sample) {
        (_, Some(sample)) => {
            let count = bodies.bodies.unwrap_or_else(|| sample.usual_bodies());
            let moving = match &bodies.script {
                None => MovingScene::sample(sample, count, bodies.seed)?,
                Some(path) => {
                    if sample != Sample::Spaceships {
                        bail!(
                            "--script steers a ship of --sample spaceships; --sample is {sample}"
                        );
                    }
                    let at = || path.display().to_string();
                    let text = std::fs::read_to_string(path).with_context(at)?;
                    let user = Steering::parse(&text).with_context(at)?;
                    MovingScene::spaceships(count, bodies.seed, user)?
                }
            };
            (moving, format!("{sample} sample"))
        }
        (Some(file), None) => {
            let motion = bodies.motion.clone().unwrap_or_default();
            let (moving, loaded) = MovingScene::load(file, &motion)?;
            let changed = loaded.straightened + loaded.scaled + loaded.deformed > 0;
            if !args.output.quiet && (changed || !loaded.report.is_complete()) {
                note(&loaded.to_string());
            }
            let name = file.file_name().map(|n| n.to_string_lossy().into_owned());
            (moving, name.unwrap_or_else(|| file.display().to_string()))
        }
        (None, None) => bail!("give a scene file, or choose a generated scene with --sample"),
    };
    let number = |(i, name): (usize, &String)| {
        if name.is_empty() { format!("body {i}") } else { name.clone() }
    };
    let names: Vec<&String> = moving.bodies.iter().map(|body| &body.name).collect();
    let names: Vec<String> = names.into_iter().enumerate().map(number).collect();
    Ok(Scene { moving, names: unique_names(&names), title })
}

/// Prints notes on standard error about scenes that may not be as intended.
fn print_notes(scene: &Scene, stage: &Stage) {
    let bodies = &scene.moving.bodies;
    if bodies.iter().all(|body| body.motion == Motion::Still) {
        note("no body moves; define motions in a scene file, or try --motion brownian");
    }
    if stage.partly_ignored() > 0 {
        let pairs = plural(stage.partly_ignored(), "pair");
        note(&format!(
            "{pairs} of bodies have an ignored pair of parts; not all of their parts are ignored, so the bodies are checked as a whole"
        ));
    }
}

fn simulate(scene: &Scene, args: &SimArgs) -> Result<Status> {
    let (run, output) = (&args.run, &args.output);
    let options = WorldOptions::default()
        .phase(run.phase)
        .method(run.method)
        .oriented(run.phase.name().ends_with("-oriented"))
        .persisting(output.persisting);
    let mut stage = Stage::new(&scene.moving, &options, args.bodies.seed)?;
    if !output.quiet {
        print_notes(scene, &stage);
    }
    let explained =
        output.explain.as_deref().map(|names| pair(scene, &stage, names)).transpose()?;
    let mut events = output.events.as_deref().map(EventLines::create).transpose()?;
    let mut file = output.stats.as_deref().map(StatsFile::create).transpose()?;
    let frames = run.frames.get();
    let mut recorder = Recorder::new(output, frames)?;
    let mut summary = Summary::new(scene.names.len());
    let mut progress = Progress::new(frames, "simulating", output.quiet);
    for number in 1..=frames {
        let before = Instant::now();
        if number > 1 {
            stage.advance(run.dt)?;
        }
        let moved = Instant::now();
        stage.update();
        let done = Instant::now();
        let report = stage.world().report();
        let frame = Frame::new(report, stage.time(), moved - before, done - moved);
        if let Some(events) = &mut events {
            events.write(scene, &stage, report)?;
        }
        if let Some(file) = &mut file {
            file.write(&frame)?;
        }
        summary.add(&stage, report, frame);
        recorder.record(number, &stage)?;
        progress.step();
    }
    drop(progress);
    if let Some(file) = file {
        file.finish()?;
    }
    let to_stdout = events.as_ref().is_some_and(EventLines::is_stdout);
    if let Some(events) = events {
        events.finish()?;
    }
    if let Some(path) = &output.plot {
        plot::write(path, &summary.plot_title(scene, args), summary.frames())?;
    }
    recorder.write_files(scene, args)?;
    let explanation = match explained {
        Some([a, b]) => {
            let [first, second] = [a, b].map(|handle| &scene.names[stage.body_of(handle)]);
            let text = stage.world().explain(a, b)?;
            Some(format!("a is {first}, b is {second}; in the last frame:\n{text}"))
        }
        None => None,
    };
    summary.print(scene, args, &stage, explanation.as_deref(), to_stdout)?;
    Ok(if summary.has_collisions() { Status::Found } else { Status::Clear })
}

/// The handles of the two named bodies, in ascending order.
fn pair(scene: &Scene, stage: &Stage, names: &[String]) -> Result<[Handle; 2]> {
    let find = |name: &String| -> Result<Handle> {
        let Some(body) = scene.names.iter().position(|n| n == name) else {
            let names = scene.names[..scene.names.len().min(8)].join(", ");
            let more = if scene.names.len() > 8 { ", ..." } else { "" };
            bail!("--explain: there is no body {name:?}; the bodies are {names}{more}");
        };
        Ok(stage.handles()[body])
    };
    let [a, b] = names else { bail!("--explain needs two bodies") };
    if a == b {
        bail!("--explain: {a:?} is given twice; give two different bodies");
    }
    // In the explanation, body a is the one in the smaller slot.
    let (a, b) = (find(a)?, find(b)?);
    Ok([a.min(b), a.max(b)])
}
