//! A picture of the frame with most collisions, and an animation of the run.

use std::path::PathBuf;

use anyhow::{Result, bail};
use impinge::check::{CheckOptions, check_pair};
use impinge::scene::Scene as Parts;
use impinge::{Aabb, Pose};
use impinge_samples::motion::Stage;

use super::args::SimOutputArgs;
use super::{Scene, SimArgs};
use crate::args::PictureArgs;
use crate::pair_result::PairResult;
use crate::pairs::Summary;
use crate::render::{self, Animation, AnimationFrame, Curves, Picture};
use crate::report::{count, digits, plural};

/// The maximum number of frames of an animation.
const MAX_ANIMATION_FRAMES: usize = 120;

/// Records the frames to be drawn.
pub(crate) struct Recorder {
    picture: Option<PictureArgs>,
    /// The frame with most colliding pairs so far.
    best: Option<Snapshot>,
    animation: Option<PathBuf>,
    /// Every frame of this step is part of the animation.
    frame_step: usize,
    recorded: Vec<Snapshot>,
}

/// Poses and colliding pairs of one frame.
#[derive(Clone, Debug)]
struct Snapshot {
    frame: usize,
    time: f64,
    /// The pose of every part.
    poses: Vec<Pose>,
    /// Pairs of bodies that collide.
    colliding: Vec<(usize, usize)>,
}

impl Recorder {
    /// A recorder for the output files of the arguments.
    pub(crate) fn new(output: &SimOutputArgs, frames: usize) -> Result<Self> {
        let extension = |path: &PathBuf| {
            path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
        };
        let mut picture = None;
        if let Some(path) = &output.picture {
            let (view, up, size) = (output.view, output.up, output.size);
            let (mut png, mut svg) = (None, None);
            match extension(path).as_str() {
                "png" => png = Some(path.clone()),
                "svg" => svg = Some(path.clone()),
                _ => bail!("--picture {}: the file name must end in .png or .svg", path.display()),
            }
            picture = Some(PictureArgs { png, svg, view, up, size });
        }
        if let Some(path) = &output.animation {
            if !["png", "apng"].contains(&extension(path).as_str()) {
                bail!("--animation {}: the file name must end in .png or .apng", path.display());
            }
        }
        let frame_step = frames.div_ceil(MAX_ANIMATION_FRAMES);
        let animation = output.animation.clone();
        Ok(Self { picture, best: None, animation, frame_step, recorded: Vec::new() })
    }

    /// Records the current frame if it may be drawn.
    pub(crate) fn record(&mut self, frame: usize, stage: &Stage) -> Result<()> {
        let colliding = stage.world().report().stats().meeting;
        let best = self.best.as_ref().map(|snapshot| snapshot.colliding.len());
        // Without any collision, the picture shows the first frame.
        let better = self.picture.is_some() && best.is_none_or(|most| colliding > most);
        let animated = self.animation.is_some() && (frame - 1) % self.frame_step == 0;
        if !better && !animated {
            return Ok(());
        }
        let pairs = stage.world().collisions();
        let snapshot = Snapshot {
            frame,
            time: stage.time(),
            poses: stage.part_poses()?,
            colliding: pairs.iter().map(|c| (stage.body_of(c.a), stage.body_of(c.b))).collect(),
        };
        if better {
            self.best = Some(snapshot.clone());
        }
        if animated {
            self.recorded.push(snapshot);
        }
        Ok(())
    }

    /// Draws and writes the files.
    pub(crate) fn write_files(&self, scene: &Scene, args: &SimArgs) -> Result<()> {
        if let (Some(files), Some(snapshot)) = (&self.picture, &self.best) {
            draw(scene, snapshot, files)?;
        }
        match &self.animation {
            Some(path) => self.animate(scene, args, path),
            None => Ok(()),
        }
    }

    fn animate(&self, scene: &Scene, args: &SimArgs, path: &std::path::Path) -> Result<()> {
        let output = &args.output;
        let parts = scene.moving.scene.parts();
        let boxes: Vec<Aabb> = self
            .recorded
            .iter()
            .flat_map(|snapshot| parts.iter().zip(&snapshot.poses))
            .map(|(part, pose)| part.mesh.bounds_at(pose))
            .collect();
        let milliseconds = (args.run.dt * self.frame_step as f64 * 1e3).clamp(20.0, 1000.0);
        let mut animation = Animation::new(
            &boxes,
            output.view,
            output.up,
            output.animation_size,
            milliseconds as u16,
        );
        let never_moves: Vec<bool> = {
            let first = self.recorded.first().map_or(&[][..], |snapshot| &snapshot.poses);
            let moves = |i: usize| self.recorded.iter().any(|s| s.poses[i] != first[i]);
            (0..parts.len()).map(|i| !moves(i)).collect()
        };
        for snapshot in &self.recorded {
            let mut collides = vec![false; parts.len()];
            for (a, b) in &snapshot.colliding {
                for body in [*a, *b] {
                    collides[scene.moving.bodies[body].parts.clone()].fill(true);
                }
            }
            let caption = format!(
                "frame {}  {} s  {} colliding",
                snapshot.frame,
                digits(snapshot.time, 3),
                count(snapshot.colliding.len())
            );
            animation.add(&AnimationFrame {
                scene: &parts_at(scene, &snapshot.poses),
                collides: &collides,
                never_moves: &never_moves,
                caption,
            });
        }
        render::save(path, &animation.encode()?)
    }
}

/// The parts of a scene at the given poses.
fn parts_at(scene: &Scene, poses: &[Pose]) -> Parts {
    let mut parts = Parts::new();
    for (part, pose) in scene.moving.scene.parts().iter().zip(poses) {
        parts.add(part.name.clone(), part.mesh.clone(), *pose);
    }
    parts
}

/// Draws one frame with the results of [`check_pair`] for its colliding pairs.
fn draw(scene: &Scene, snapshot: &Snapshot, files: &PictureArgs) -> Result<()> {
    let parts = parts_at(scene, &snapshot.poses);
    let mut names: Vec<String> = vec![String::new(); parts.parts().len()];
    for (body, name) in scene.moving.bodies.iter().zip(&scene.names) {
        for i in body.parts.clone() {
            names[i] =
                if body.parts.len() == 1 { name.clone() } else { parts.parts()[i].name.clone() };
        }
    }
    let options = CheckOptions::default().keep_hits(true);
    let (mut results, mut curves) = (Vec::new(), Curves::default());
    for (first, second) in &snapshot.colliding {
        let pairs = scene.moving.bodies[*first]
            .parts
            .clone()
            .flat_map(|a| scene.moving.bodies[*second].parts.clone().map(move |b| (a, b)));
        for (a, b) in pairs {
            if !parts.bounds_of(a).overlaps(&parts.bounds_of(b)) {
                continue;
            }
            let (one, other) = (&parts.parts()[a], &parts.parts()[b]);
            let pose = Pose::relative(&one.pose, &other.pose);
            let report = check_pair(&one.mesh, &other.mesh, &pose, &options);
            if report.relation.is_collision() {
                curves.add(one, other, &report.hits);
                results.push(PairResult {
                    a,
                    b,
                    relation: report.relation,
                    triangle_pairs: Some(report.hit_count),
                    point: report.point.map(|p| one.pose.transform_point(p)),
                    distance: None,
                });
            }
        }
    }
    results.sort_by_key(|v| (v.kind(), v.a, v.b));
    let summary = Summary::of_results(names.len(), &results);
    let picture = Picture {
        scene: &parts,
        names: &names,
        title: format!(
            "{}, frame {} at {} s: {}",
            scene.title,
            snapshot.frame,
            digits(snapshot.time, 4),
            plural(snapshot.colliding.len(), "colliding pair")
        ),
        results: &results,
        curves: &curves,
        summary: if results.is_empty() { None } else { Some(&summary) },
    };
    render::write(&picture, files)
}
