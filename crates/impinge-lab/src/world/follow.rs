//! Time of a world that follows a scene.

use std::time::Instant;

use anyhow::Result;
use impinge::world::{Body, EventKind, Geometry, Handle, Interest, Stats, World};

use super::scene::Scene;
use crate::boxes::follow::with_threads;

/// The last stage that a world executes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LastStage {
    /// Poses, boxes and the broad phase; no pair is checked.
    Boxes,
    /// Also checks, with the hulls of the bodies in place of their meshes.
    Hulls,
    /// All stages.
    Verdict,
}

/// Times and results of a world.
#[derive(Clone, Debug, Default)]
pub(super) struct Run {
    /// Milliseconds of each frame but the first, the fastest of all passes.
    pub(super) ms: Vec<f64>,
    /// Statistics of each frame but the first.
    pub(super) stats: Vec<Stats>,
    /// Pairs that started to intersect: the frame and the numbers of the bodies, without those of
    /// the first frame.
    pub(super) began: Vec<(usize, [usize; 2])>,
}

impl Run {
    pub(super) fn mean(&self) -> f64 {
        self.ms.iter().sum::<f64>() / self.ms.len().max(1) as f64
    }

    pub(super) fn median(&self) -> f64 {
        let mut ms = self.ms.clone();
        ms.sort_by(f64::total_cmp);
        ms.get(ms.len() / 2).copied().unwrap_or(f64::NAN)
    }

    pub(super) fn worst(&self) -> f64 {
        self.ms.iter().copied().fold(f64::NAN, f64::max)
    }

    /// The mean of a statistic over the frames.
    pub(super) fn average(&self, of: impl Fn(&Stats) -> usize) -> f64 {
        self.stats.iter().map(of).sum::<usize>() as f64 / self.stats.len().max(1) as f64
    }
}

/// Moves a world through a scene, in `passes` passes with `threads` threads.
pub(super) fn follow(scene: &Scene, last: LastStage, threads: usize, passes: usize) -> Result<Run> {
    let forms: Vec<Geometry> = scene
        .forms
        .iter()
        .map(|form| match last {
            LastStage::Hulls => Ok(form.hull()?.into()),
            _ => Ok(form.geometry()),
        })
        .collect::<Result<_>>()?;
    let mut run = Run::default();
    for _ in 0..passes.max(1) {
        let once = with_threads(threads, || pass(scene, &forms, last))??;
        if run.ms.is_empty() {
            run = once;
        } else {
            anyhow::ensure!(
                once.began == run.began,
                "a later pass has other events than the first"
            );
            run.ms.iter_mut().zip(once.ms).for_each(|(best, ms)| *best = best.min(ms));
        }
    }
    Ok(run)
}

fn pass(scene: &Scene, forms: &[Geometry], last: LastStage) -> Result<Run> {
    let mut world = World::new();
    if last == LastStage::Boxes {
        world.set_rules(Interest::nothing());
    }
    let mut handles: Vec<Handle> = Vec::with_capacity(scene.of.len());
    for (number, form) in scene.of.iter().enumerate() {
        let body = Body::new(forms[*form].clone()).at(scene.poses[0][number]);
        handles.push(world.add(body.user(number as u64))?);
    }
    world.update();
    let mut run = Run::default();
    for (frame, poses) in scene.poses.iter().enumerate().skip(1) {
        let start = Instant::now();
        for (handle, pose) in handles.iter().zip(poses) {
            world.move_to(*handle, *pose)?;
        }
        world.update();
        run.ms.push(start.elapsed().as_secs_f64() * 1e3);
        run.stats.push(*world.report().stats());
        for event in world.report().events().iter().filter(|e| e.kind == EventKind::Began) {
            let number = |handle| -> Result<usize> { Ok(world.user(handle)? as usize) };
            run.began.push((frame, [number(event.a)?, number(event.b)?]));
        }
    }
    Ok(run)
}
