//! The broad phase of the paper's second run: space-time bounds (sections IV to VI), by the
//! engine's scheduler.

use anyhow::Result;
use impinge::motion::{BodyNumber, Limits, Motion, Scheduler};
use impinge::{Pose, Vec3};

use super::Subjects;

/// The middle of no ship is faster: the largest thrust of a drone over the drag of all ships, some
/// more for the steps of the integration, and what the fastest rotation adds.
const MAX_SPEED: f64 = 6.0 / 0.5 * 1.02 + 2.7;

/// Seconds after which a bound expires.
const HORIZON: f64 = 1.0;

/// Ships with bounds of where they can be.
pub(super) struct SpaceTime {
    scheduler: Scheduler,
    numbers: Vec<BodyNumber>,
    middles: Vec<Vec3>,
    time: f64,
}

impl SpaceTime {
    /// Ships at time zero, without bounds.
    pub(super) fn new(ships: usize) -> Result<Self> {
        let mut scheduler = Scheduler::new(0.0)?;
        let numbers = (0..ships).map(|_| scheduler.add()).collect();
        Ok(Self { scheduler, numbers, middles: Vec::new(), time: 0.0 })
    }

    /// The pairs whose bounding cubes overlap at a time, among those whose bounds have met. Ships
    /// that met, or whose bound expired, get new bounds.
    pub(super) fn pairs(
        &mut self,
        subjects: &Subjects,
        poses: &[Pose],
        time: f64,
    ) -> Result<Vec<(u32, u32)>> {
        let middle = subjects.lamp.bounds().center();
        let middles: Vec<Vec3> = poses.iter().map(|pose| pose.transform_point(middle)).collect();
        // A ship that was hit has jumped home: an early expiry, of which the application knows.
        let most = MAX_SPEED * (time - self.time) + 1e-9;
        for (i, before) in self.middles.iter().enumerate() {
            if middles[i].distance(*before) > most {
                self.scheduler.expire(self.numbers[i]);
            }
        }
        let due = self.scheduler.advance(time)?.clone();
        let close = |i: usize, j: usize| {
            (middles[i] - middles[j]).abs().max_element() <= 2.0 * subjects.radius
        };
        let mut found = Vec::new();
        let mut add = |i: usize, j: usize| {
            if i != j && close(i, j) {
                found.push((i.min(j) as u32, i.max(j) as u32));
            }
        };
        due.pairs().iter().for_each(|(a, b)| add(a.index(), b.index()));
        for body in due.unbounded() {
            (0..poses.len()).for_each(|other| add(body.index(), other));
        }
        found.sort_unstable();
        found.dedup();
        for body in due.renew() {
            let limits = Limits::none().speed(MAX_SPEED);
            // The cube around the ship, whose half diagonal is the radius of a ball.
            let motion = Motion::at(middles[body.index()])
                .radius(subjects.radius * 3.0_f64.sqrt())
                .limits(limits);
            self.scheduler.set(*body, &[motion.bound(time, time + HORIZON)?]);
        }
        (self.middles, self.time) = (middles, time);
        Ok(found)
    }
}
