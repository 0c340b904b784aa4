//! Time of whole frames of many bodies, from poses to events, stage by stage, and the pipeline of
//! Leung 1996, section 3.1.

mod follow;
mod pipeline;
mod scene;

use std::path::PathBuf;

use anyhow::Result;

use crate::capacity::Capacity;
use crate::common::Common;
use crate::report::{Progress, Report, Table, short};
use follow::{LastStage, Run, follow};
use scene::{BodyKind, Motion, Scene};

/// Arguments of `impinge-lab world`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    common: Common,
    /// Writes the scenes to `DIR/NAME.wld` for other libraries instead of measuring.
    #[arg(long, value_name = "DIR")]
    write: Option<PathBuf>,
    /// Hulls of 20 to 100 vertices.
    #[arg(long, default_value_t = 500, value_name = "N")]
    hulls: usize,
    /// Meshes.
    #[arg(long, default_value_t = 200, value_name = "N")]
    meshes: usize,
    /// Triangles of each mesh.
    #[arg(long, default_value_t = 2000, value_name = "N")]
    triangles: usize,
    /// Frames of a scene.
    #[arg(long, default_value_t = 100, value_name = "N")]
    frames: usize,
    /// Passes; each frame keeps its fastest.
    #[arg(long, default_value_t = 5, value_name = "N")]
    passes: usize,
    /// The number of threads to compare with one thread.
    #[arg(long, default_value_t = 2, value_name = "N")]
    threads: usize,
    /// Seed of the random numbers.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Straight motion by 5 % of the radius and five degrees per frame.
const BILLIARD: Motion = Motion::Billiard { velocity: 0.05, rotation: 5.0 };

/// Measures everything and writes the report, or writes the scenes.
pub(crate) fn run(mut arguments: Arguments) -> Result<()> {
    arguments.common.limit([
        (&mut arguments.hulls, 40),
        (&mut arguments.meshes, 10),
        (&mut arguments.triangles, 200),
        (&mut arguments.frames, 5),
        (&mut arguments.passes, 1),
    ]);
    let arguments = &arguments;
    let mut scenes = Vec::new();
    let kinds = [
        (BodyKind::Hulls, arguments.hulls),
        (BodyKind::Meshes(arguments.triangles), arguments.meshes),
    ];
    for (kind, bodies) in kinds {
        for motion in [Motion::Brownian, BILLIARD, Motion::Fall] {
            scenes.push(Scene::new(kind, motion, bodies, arguments.frames, arguments.seed)?);
        }
    }
    if let Some(folder) = &arguments.write {
        for scene in &scenes {
            let path = folder.join(format!("{}.wld", scene.name));
            scene.write(&path)?;
            println!("{}", path.display());
        }
        return Ok(());
    }
    let mut progress = Progress::new(scenes.len() + pipeline::STEPS);
    let mut report = Report::new(&arguments.common.out, "world", "Whole frames");
    frames(arguments, &scenes, &mut progress, &mut report)?;
    pipeline::report(arguments, &mut progress, &mut report)?;
    println!("{}", report.finish()?.display());
    Ok(())
}

fn frames(
    arguments: &Arguments,
    scenes: &[Scene],
    progress: &mut Progress,
    report: &mut Report,
) -> Result<()> {
    report.paragraph(&format!(
        "{} hulls of 20 to 100 vertices (ellipsoids, rods, plates, hulls of random points), or {} bumpy tori of {} triangles, in a room in which each box overlaps about two others. *brownian*: steps of 2 % of the radius on each axis and turns of two degrees; *billiard*: straight motion by 5 % and five degrees, reflected at the walls; *fall*: from a column four times as tall \
         onto a heap, within 70 frames. Bodies do not react to each other, so that every library gets the same poses. All bodies move in every frame, except those at rest on the heap.",
        arguments.hulls, arguments.meshes, arguments.triangles,
    ));
    report.paragraph(&format!(
        "A frame is one call of `move_to` for each body and `update`: poses in, events out. Milliseconds; median, mean and worst over {} frames without the first, each the fastest of {} passes. Stages are means, and differences between three worlds on the same poses: one that checks no pair (poses, boxes, broad phase), one of the bodies' hulls, and the complete one.",
        arguments.frames.saturating_sub(1),
        arguments.passes,
    ));
    let mut table = Table::new([
        "scene",
        "threads",
        "ms a frame: median",
        "mean",
        "worst",
        "boxes and broad phase",
        "hulls",
        "triangles",
        "pairs of boxes",
        "apart by hulls",
        "meeting",
        "gain",
    ]);
    let before = Capacity::measure(arguments.threads);
    for scene in scenes {
        progress.step(&scene.name);
        let mut one = None;
        let mut counts = vec![1];
        if arguments.threads > 1 {
            counts.push(arguments.threads);
        }
        for threads in counts {
            let run_until = |last| follow(scene, last, threads, arguments.passes);
            let (boxes, hulls, all) = (
                run_until(LastStage::Boxes)?,
                run_until(LastStage::Hulls)?,
                run_until(LastStage::Verdict)?,
            );
            let is_mesh = matches!(scene.forms[0], scene::Form::Mesh(_));
            // Hulls at rest are not checked again; they are still apart.
            let apart = if is_mesh {
                all.average(|s| s.decided_by_hulls)
            } else {
                all.average(|s| s.pairs) - all.average(|s| s.meeting)
            };
            let single = *one.get_or_insert(all.mean());
            table.row([
                scene.name.clone(),
                threads.to_string(),
                short(all.median()),
                short(all.mean()),
                short(all.worst()),
                short(boxes.mean()),
                short(stage(if is_mesh { &hulls } else { &all }, &boxes)),
                if is_mesh { short(stage(&all, &hulls)) } else { "\u{2013}".to_owned() },
                short(all.average(|s| s.pairs)),
                short(apart),
                short(all.average(|s| s.meeting)),
                format!("{:.2}", single / all.mean()),
            ]);
        }
    }
    report.table(&table);
    report.paragraph(&before.min(Capacity::measure(arguments.threads)).sentence());
    Ok(())
}

/// The difference of the mean times of two runs, in milliseconds per frame.
fn stage(longer: &Run, shorter: &Run) -> f64 {
    (longer.mean() - shorter.mean()).max(0.0)
}
