//! The direction of the next support query, mixed with earlier directions.
//!
//! Montaut et al. 2022: the iteration is the Frank-Wolfe method on the squared distance, and the
//! known accelerations of that method apply. With acceleration the direction is not that of
//! steepest descent. So a support point without progress along it ends the acceleration, not the
//! iteration.

use super::Acceleration;
use impinge::internals::closest::unit;
use impinge::math::Vec3;

/// The state of the acceleration.
pub(super) struct Momentum {
    kind: Acceleration,
    direction: Vec3,
    last: Vec3,
    step: f64,
}

impl Momentum {
    pub(super) fn new(kind: Acceleration) -> Self {
        Self { kind, direction: Vec3::ZERO, last: Vec3::ZERO, step: 0.0 }
    }

    /// The next direction. `steepest` points from the nearest point to the origin.
    pub(super) fn next_direction(&mut self, steepest: Vec3) -> Vec3 {
        let k = self.step;
        if k == 0.0 {
            // The first support point is the nearest point itself.
            self.last = -steepest;
        }
        self.step += 1.0;
        self.direction = match self.kind {
            Acceleration::None => steepest,
            Acceleration::Polyak => {
                let keep = 1.0 / (k + 1.0);
                if k == 0.0 { steepest } else { self.direction * keep + steepest * (1.0 - keep) }
            }
            Acceleration::Nesterov => {
                let keep = (k + 1.0) / (k + 3.0);
                let mixed = steepest * keep - self.last * (1.0 - keep);
                if k == 0.0 { steepest } else { self.direction * keep + mixed * (1.0 - keep) }
            }
        };
        let scaled = unit(self.direction);
        if scaled == Vec3::ZERO { unit(steepest) } else { scaled }
    }

    pub(super) fn set_support(&mut self, support: Vec3) {
        self.last = support;
    }

    /// Whether there is no acceleration.
    pub(super) fn is_off(&self) -> bool {
        self.kind == Acceleration::None
    }

    /// Switches the acceleration off. Returns false if it had no effect on the last direction.
    pub(super) fn stop(&mut self, steepest: Vec3) -> bool {
        let had = self.kind != Acceleration::None && self.direction != steepest;
        self.kind = Acceleration::None;
        had
    }
}
