//! Recorded boxes of objects that fly in a cage, and the time of a broad phase that follows them.

use std::time::Instant;

use anyhow::Result;
use impinge::broad::{BoxF32, BroadPhase, Changes, FrameInput, Moved};
use impinge::math::OrientedBox;
use impinge::{Aabb, Pose, Vec3};

use crate::bodies::direction;
use impinge::internals::Random;

/// Translation per frame.
const VELOCITY: f64 = 0.05;
/// Rotation per frame, in degrees.
const SPIN_DEGREES: f64 = 3.0;

/// Poses of objects that fly in a cage from zero to `side` on each axis, for each frame.
pub(super) fn poses(objects: usize, side: f64, frames: usize, seed: u64) -> Result<Vec<Vec<Pose>>> {
    let mut random = Random::new(seed);
    // For each object its position and velocity, its rotation, and the axis about which it rotates.
    type State = ([Vec3; 2], Pose, Vec3);
    let mut states: Vec<State> = (0..objects)
        .map(|_| -> Result<State> {
            // The center keeps half a side of an object from the walls, as in later frames.
            let at = Vec3::splat(0.5 * side) + 0.5 * (side - 1.0) * random.in_cube();
            let rotation = Pose::from_axis_angle(direction(&mut random), 3.0 * random.signed())?;
            let velocity = direction(&mut random) * VELOCITY;
            Ok(([at, velocity], rotation, direction(&mut random)))
        })
        .collect::<Result<_>>()?;
    let mut all = Vec::with_capacity(frames);
    for _ in 0..frames.max(2) {
        let mut frame = Vec::with_capacity(objects);
        for ([at, velocity], rotation, axis) in &mut states {
            frame.push(Pose::from_translation(*at)?.compose(rotation)?);
            *rotation =
                Pose::from_axis_angle(*axis, SPIN_DEGREES.to_radians())?.compose(rotation)?;
            *at += *velocity;
            for k in 0..3 {
                // The center stays half a side of the object away from the walls.
                let (low, high) = (0.5, side - 0.5);
                if at[k] < low || at[k] > high {
                    velocity[k] = if at[k] < low { velocity[k].abs() } else { -velocity[k].abs() };
                    at[k] = at[k].clamp(low, high);
                }
            }
        }
        all.push(frame);
    }
    Ok(all)
}

/// The boxes of cubes with sides of one, for each frame.
#[derive(Debug)]
pub(super) struct Flight {
    pub(super) bounds: Vec<Vec<BoxF32>>,
    pub(super) oriented: Vec<Vec<OrientedBox>>,
    pub(super) cage: Aabb,
}

impl Flight {
    pub(super) fn new(objects: usize, side: f64, frames: usize, seed: u64) -> Result<Self> {
        let local_box = Aabb { min: Vec3::splat(-0.5), max: Vec3::splat(0.5) };
        let corners: Vec<Vec3> = (0..8)
            .map(|k| Vec3::from_array([0, 1, 2].map(|a| f64::from(k >> a & 1) - 0.5)))
            .collect();
        let cube = OrientedBox::around(&corners);
        let (mut bounds, mut oriented) = (Vec::new(), Vec::new());
        for frame in poses(objects, side, frames, seed)? {
            bounds.push(frame.iter().map(|pose| local_box.transformed(pose).into()).collect());
            oriented.push(frame.iter().map(|pose| cube.transformed(pose)).collect());
        }
        Ok(Self { bounds, oriented, cage: Aabb::from_corners(Vec3::ZERO, Vec3::splat(side)) })
    }

    fn frame(&self, number: usize, oriented: bool) -> FrameInput<'_> {
        FrameInput {
            bounds: &self.bounds[number],
            oriented: oriented.then(|| &self.oriented[number][..]),
            moved: Moved::All,
        }
    }

    /// Microseconds per frame of a broad phase that is updated from frame to frame, and the mean
    /// number of pairs.
    pub(super) fn time<P: BroadPhase>(
        &self,
        passes: usize,
        oriented: bool,
        make: impl Fn() -> P,
    ) -> (f64, f64) {
        let mut best = vec![f64::INFINITY; self.bounds.len()];
        let (mut changes, mut pairs) = (Changes::default(), 0);
        for _ in 0..passes.max(1) {
            let (mut phase, mut pair_count) = (make(), 0);
            pairs = 0;
            for (number, best) in best.iter_mut().enumerate() {
                let frame = self.frame(number, oriented);
                let start = Instant::now();
                phase.update_unlimited(&frame, &mut changes);
                *best = best.min(start.elapsed().as_secs_f64() * 1e6);
                pair_count = pair_count + changes.began.len() - changes.ended.len();
                pairs += pair_count;
            }
        }
        let frames = self.bounds.len();
        (best[1..].iter().sum::<f64>() / (frames - 1) as f64, pairs as f64 / frames as f64)
    }

    /// Microseconds per frame of a broad phase that is rebuilt in every frame.
    pub(super) fn time_rebuilt<P: BroadPhase>(&self, passes: usize, make: impl Fn() -> P) -> f64 {
        let mut best = vec![f64::INFINITY; self.bounds.len()];
        let mut changes = Changes::default();
        for _ in 0..passes.max(1) {
            for (number, best) in best.iter_mut().enumerate() {
                let frame = self.frame(number, false);
                let start = Instant::now();
                make().update_unlimited(&frame, &mut changes);
                *best = best.min(start.elapsed().as_secs_f64() * 1e6);
            }
        }
        best.iter().sum::<f64>() / best.len() as f64
    }

    /// Follows the flight without timing, and calls `inspect` after each frame but the first.
    pub(super) fn follow<P: BroadPhase>(
        &self,
        oriented: bool,
        mut phase: P,
        mut inspect: impl FnMut(&P),
    ) {
        let mut changes = Changes::default();
        for number in 0..self.bounds.len() {
            phase.update_unlimited(&self.frame(number, oriented), &mut changes);
            if number > 0 {
                inspect(&phase);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use impinge::broad::AllPairs;

    use super::*;

    #[test]
    fn cubes_stay_in_the_cage_and_oriented_boxes_meet_less_often() {
        let flight = Flight::new(100, 10.0, 60, 1).unwrap();
        let cube = &flight.oriented[5][3];
        assert!(cube.half().iter().all(|h| (h - 0.5).abs() < 1e-6), "{:?}", cube.half());
        assert!(flight.bounds.iter().flatten().all(|b| b.min[0] > -0.5 && b.max[1] < 10.5));
        let (_, aligned) = flight.time(1, false, AllPairs::new);
        let (_, oriented) = flight.time(1, true, AllPairs::new);
        assert!(oriented < aligned && oriented > 1.0, "{oriented} {aligned}");
    }
}
