//! A picture of the frame with most contacts, and the run as an animation.

use std::path::PathBuf;

use anyhow::{Result, bail};
use impinge::check::{CheckOptions, check_pair};
use impinge::scene::Scene as Parts;
use impinge::{Aabb, Pose};
use impinge_samples::motion::Stage;

use super::args::SimOutputArgs;
use super::{Scene, SimArgs};
use crate::args::PictureArgs;
use crate::render::{self, Curves, Film, Picture, Shot};
use crate::report::{count, digits};
use crate::survey::Summary;
use crate::verdict::Verdict;

/// The most pictures of an animation.
const MOST_SHOTS: usize = 120;

/// Remembers what is to be drawn.
pub(crate) struct Camera {
    picture: Option<PictureArgs>,
    best: Option<Moment>,
    film: Option<PathBuf>,
    /// Every so many frames are filmed.
    every: usize,
    shots: Vec<Moment>,
}

/// Where everything was, and what met.
#[derive(Clone, Debug)]
struct Moment {
    frame: usize,
    time: f64,
    poses: Vec<Pose>,
    /// Pairs of bodies that met.
    meeting: Vec<(usize, usize)>,
}

impl Camera {
    /// For the files that the arguments name.
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
                _ => bail!("--picture {}: its name must end in .png or .svg", path.display()),
            }
            picture = Some(PictureArgs { png, svg, view, up, size });
        }
        if let Some(path) = &output.animation {
            if !["png", "apng"].contains(&extension(path).as_str()) {
                bail!("--animation {}: its name must end in .png or .apng", path.display());
            }
        }
        let every = frames.div_ceil(MOST_SHOTS);
        Ok(Self { picture, best: None, film: output.animation.clone(), every, shots: Vec::new() })
    }

    /// Keeps what may be drawn of a frame.
    pub(crate) fn look(&mut self, frame: usize, stage: &Stage) -> Result<()> {
        let meeting = stage.world().report().stats().meeting;
        let best = self.best.as_ref().map(|moment| moment.meeting.len());
        // Where nothing ever meets, the picture is of the start.
        let better = self.picture.is_some() && best.is_none_or(|most| meeting > most);
        let filmed = self.film.is_some() && (frame - 1) % self.every == 0;
        if !better && !filmed {
            return Ok(());
        }
        let pairs = stage.world().collisions();
        let moment = Moment {
            frame,
            time: stage.time(),
            poses: stage.part_poses()?,
            meeting: pairs.iter().map(|c| (stage.body_of(c.a), stage.body_of(c.b))).collect(),
        };
        if better {
            self.best = Some(moment.clone());
        }
        if filmed {
            self.shots.push(moment);
        }
        Ok(())
    }

    /// Draws the files.
    pub(crate) fn develop(&self, scene: &Scene, args: &SimArgs) -> Result<()> {
        if let (Some(files), Some(moment)) = (&self.picture, &self.best) {
            draw(scene, moment, files)?;
        }
        match &self.film {
            Some(path) => self.animate(scene, args, path),
            None => Ok(()),
        }
    }

    fn animate(&self, scene: &Scene, args: &SimArgs, path: &std::path::Path) -> Result<()> {
        let output = &args.output;
        let parts = scene.moving.scene.parts();
        let boxes: Vec<Aabb> = self
            .shots
            .iter()
            .flat_map(|shot| parts.iter().zip(&shot.poses))
            .map(|(part, pose)| part.mesh.bounds_at(pose))
            .collect();
        let milliseconds = (args.run.dt * self.every as f64 * 1e3).clamp(20.0, 1000.0);
        let mut film =
            Film::new(&boxes, output.view, output.up, output.animation_size, milliseconds as u16);
        let still: Vec<bool> = {
            let first = self.shots.first().map_or(&[][..], |shot| &shot.poses);
            let moved = |i: usize| self.shots.iter().any(|shot| shot.poses[i] != first[i]);
            (0..parts.len()).map(|i| !moved(i)).collect()
        };
        for shot in &self.shots {
            let mut meets = vec![false; parts.len()];
            for (a, b) in &shot.meeting {
                for body in [*a, *b] {
                    meets[scene.moving.bodies[body].parts.clone()].fill(true);
                }
            }
            let caption = format!(
                "frame {}  {} s  {} meet",
                shot.frame,
                digits(shot.time, 3),
                count(shot.meeting.len())
            );
            film.add(&Shot {
                scene: &moved(scene, &shot.poses),
                meets: &meets,
                still: &still,
                caption,
            });
        }
        render::save(path, &film.encode()?)
    }
}

/// The parts of a scene at other poses.
fn moved(scene: &Scene, poses: &[Pose]) -> Parts {
    let mut parts = Parts::new();
    for (part, pose) in scene.moving.scene.parts().iter().zip(poses) {
        parts.add(part.name.clone(), part.mesh.clone(), *pose);
    }
    parts
}

/// Draws one frame, with what [`check_pair`] says about the pairs that meet in it.
fn draw(scene: &Scene, moment: &Moment, files: &PictureArgs) -> Result<()> {
    let parts = moved(scene, &moment.poses);
    let mut names: Vec<String> = vec![String::new(); parts.parts().len()];
    for (body, name) in scene.moving.bodies.iter().zip(&scene.names) {
        for i in body.parts.clone() {
            names[i] =
                if body.parts.len() == 1 { name.clone() } else { parts.parts()[i].name.clone() };
        }
    }
    let options = CheckOptions::default().keep_hits(true);
    let (mut verdicts, mut curves) = (Vec::new(), Curves::default());
    for (first, second) in &moment.meeting {
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
                verdicts.push(Verdict {
                    a,
                    b,
                    relation: report.relation,
                    triangle_pairs: report.hit_count,
                    witness: report.witness.map(|p| one.pose.transform_point(p)),
                    distance: None,
                });
            }
        }
    }
    verdicts.sort_by_key(|v| (v.kind(), v.a, v.b));
    let summary = Summary::of_verdicts(names.len(), &verdicts);
    let picture = Picture {
        scene: &parts,
        names: &names,
        title: format!(
            "{}, frame {} at {} s: {} meet",
            scene.title,
            moment.frame,
            digits(moment.time, 4),
            if moment.meeting.is_empty() { "none".to_owned() } else { count(moment.meeting.len()) }
        ),
        verdicts: &verdicts,
        curves: &curves,
        summary: if verdicts.is_empty() { None } else { Some(&summary) },
    };
    render::write(&picture, files)
}
