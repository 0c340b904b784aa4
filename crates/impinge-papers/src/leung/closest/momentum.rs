//! The direction of the next support, with earlier ones mixed in.
//!
//! Montaut et al. 2022: the iteration is the method of Frank and Wolfe on the squared distance, and
//! the known accelerations of it apply. A direction is no longer the steepest, so a support along
//! it that brings nothing does not end the iteration but the acceleration.

use super::Acceleration;
use impinge::internals::closest::unit;
use impinge::math::Vec3;

/// The direction of the next support, from those before.
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

    /// The next direction; `steepest` points from the nearest point to the origin.
    pub(super) fn next(&mut self, steepest: Vec3) -> Vec3 {
        let k = self.step;
        if k == 0.0 {
            // The first support is that of the nearest point itself.
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

    pub(super) fn seen(&mut self, support: Vec3) {
        self.last = support;
    }

    /// Whether directions are the steepest ones.
    pub(super) fn is_off(&self) -> bool {
        self.kind == Acceleration::None
    }

    /// Goes on without momentum; false if there was none.
    pub(super) fn stop(&mut self, steepest: Vec3) -> bool {
        let had = self.kind != Acceleration::None && self.direction != steepest;
        self.kind = Acceleration::None;
        had
    }
}
