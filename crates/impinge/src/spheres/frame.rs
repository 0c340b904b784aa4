//! The frame that builders compute in: the mesh around the origin, about one in size.

use crate::math::{Aabb, Vec3, next_up, power_of_two, unit_scale};

/// A translation and a change of unit by a power of two.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    origin: Vec3,
    factors: (f64, f64),
}

impl Frame {
    /// The frame of everything within `bounds`, whose coordinates are at most one in size in it.
    pub(super) fn of(bounds: &Aabb) -> Self {
        let origin = bounds.center();
        let reach = (bounds.max - origin).max(origin - bounds.min).max_element();
        // Denormal sizes are made normal first.
        let lift = if reach < 1e-290 { power_of_two(200) } else { 1.0 };
        let (s, t) = if reach > 0.0 { unit_scale(reach * lift) } else { (1.0, 1.0) };
        // Halved, so that the scaled reach is at most one.
        Self { origin, factors: (s * lift * 0.5, t) }
    }

    /// A point in this frame. Each coordinate has one rounding, of the difference; scaling down can
    /// add an error of the smallest denormal number.
    pub(super) fn local(&self, p: Vec3) -> Vec3 {
        (p - self.origin) * self.factors.0 * self.factors.1
    }

    /// A length in this frame.
    pub(super) fn local_length(&self, length: f64) -> f64 {
        length * self.factors.0 * self.factors.1
    }

    /// A point of this frame in the frame of the mesh, rounded.
    pub(super) fn world(&self, p: Vec3) -> Vec3 {
        self.origin + p / self.factors.1 / self.factors.0
    }

    /// An upper bound of a length in the unit of the mesh.
    pub(super) fn world_length_up(&self, length: f64) -> f64 {
        let back = length / self.factors.1 / self.factors.0;
        if length > 0.0 { next_up(back) } else { back }
    }

    /// A lower bound of a length in the unit of the mesh, for `length >= 0`.
    pub(super) fn world_length_down(&self, length: f64) -> f64 {
        crate::math::next_down(length / self.factors.1 / self.factors.0).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scale_becomes_about_one() {
        for size in [5e-324, 1e-310, 1e-200, 1.0, 3.0, 1e60] {
            let bounds = Aabb { min: Vec3::ZERO, max: Vec3::splat(size) };
            let frame = Frame::of(&bounds);
            let far = frame.local(bounds.max);
            assert!(far.max_element() <= 1.0 && far.max_element() >= 0.2, "{size} {far}");
            assert!(frame.world_length_up(frame.local_length(size)) >= size);
            assert!((frame.world(far) - bounds.max).abs().max_element() <= 1e-15 * size);
        }
    }
}
