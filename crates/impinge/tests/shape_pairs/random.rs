//! Seeded random numbers, points and poses.

use impinge::{Pose, Vec3};
use impinge_oracles::common;

pub(crate) struct Random(common::Random);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(common::Random::new(seed))
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0.bits()
    }

    pub(crate) fn unit(&mut self) -> f64 {
        self.0.unit()
    }

    pub(crate) fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// An integer from `low` to `high`.
    pub(crate) fn integer(&mut self, low: i32, high: i32) -> f64 {
        f64::from(low + (self.bits() % (high - low + 1) as u64) as i32)
    }

    pub(crate) fn in_cube(&mut self) -> Vec3 {
        Vec3::new(self.range(-1.0, 1.0), self.range(-1.0, 1.0), self.range(-1.0, 1.0))
    }

    pub(crate) fn on_grid(&mut self, size: i32) -> Vec3 {
        Vec3::new(self.integer(-size, size), self.integer(-size, size), self.integer(-size, size))
    }

    pub(crate) fn pose(&mut self, reach: f64) -> Pose {
        let q = [self.unit(), self.unit() - 0.5, self.unit() - 0.5, self.unit() + 0.1];
        Pose::from_quaternion(q, self.in_cube() * reach).unwrap()
    }

    /// A rotation that maps axes to axes, and an integer translation: the pose and its inverse are
    /// exact.
    pub(crate) fn exact_pose(&mut self, reach: i32) -> Pose {
        let turns = [
            [0.0, 0.0, 0.0, 1.0],
            [1.0, 0.0, 0.0, 1.0],
            [0.0, 1.0, 0.0, 1.0],
            [0.0, 0.0, 1.0, 0.0],
        ];
        let turn = turns[(self.bits() % 4) as usize];
        Pose::from_quaternion(turn, self.on_grid(reach)).unwrap()
    }
}
