//! From the distance of two cores to that of the bodies around them.

use crate::answer::Distance;
use crate::exact::Sign;
use crate::math::Vec3;

/// Bounds of a signed distance, for arithmetic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Interval {
    pub(super) lower: f64,
    pub(super) upper: f64,
}

/// The margins of two bodies, and their sum rounded down and up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Margins {
    pub(super) a: f64,
    pub(super) b: f64,
    below: f64,
    above: f64,
}

impl Margins {
    pub(super) fn new(a: f64, b: f64) -> Self {
        let sum = a + b;
        // The sum is off by half of this at most.
        let off = sum * f64::EPSILON;
        Self { a, b, below: sum - off, above: sum + off }
    }

    pub(super) fn are_zero(&self) -> bool {
        self.above == 0.0
    }

    /// Interval of the signed distance of the bodies from those of their cores.
    pub(super) fn less(&self, lower: f64, upper: f64) -> Interval {
        let (lower, upper) = (lower - self.above, upper - self.below);
        if self.are_zero() {
            return Interval { lower, upper };
        }
        // The differences round once.
        Interval {
            lower: lower - lower.abs() * f64::EPSILON,
            upper: upper + upper.abs() * f64::EPSILON,
        }
    }

    /// Whether the bodies meet: by the bounds of their cores' distance where these tell, exactly
    /// where not.
    pub(super) fn are_met(&self, cores: &Distance, exact: impl FnOnce() -> Sign) -> bool {
        if cores.lower > self.above {
            false
        } else if cores.upper < self.below || cores.upper == 0.0 {
            true
        } else {
            exact() != Sign::Positive
        }
    }

    /// A point within the margins of the closest points of two cores, for bodies that meet.
    pub(super) fn common_point(&self, point_a: Vec3, point_b: Vec3) -> Vec3 {
        let apart = point_b - point_a;
        let (direction, length) = (unit(apart), apart.length());
        let along = (self.a.min(length) + (length - self.b).max(0.0)) * 0.5;
        point_a + direction * along
    }
}

/// The unit vector along `v`, whatever its length; zero for zero.
pub(super) fn unit(v: Vec3) -> Vec3 {
    let largest = v.abs().max_element();
    if largest > 0.0 { (v / largest).normalize() } else { Vec3::ZERO }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_rounded_outward() {
        for (a, b) in [(0.1, 0.2), (1.0, 1e-20), (1e-310, 1e-308), (0.0, 0.0), (3.0, 4.0)] {
            let margins = Margins::new(a, b);
            assert!(margins.below <= a + b && a + b <= margins.above);
            let bounds = margins.less(1.0, 1.0);
            assert!(bounds.lower <= bounds.upper);
        }
        assert!(Margins::new(0.0, 0.0).are_zero() && !Margins::new(0.0, 1e-320).are_zero());
    }

    #[test]
    fn common_points_are_in_both() {
        let margins = Margins::new(2.0, 4.0);
        for length in [0.0, 1.0, 3.0, 5.0, 6.0] {
            let (p, q) = (Vec3::ONE, Vec3::ONE + Vec3::X * length);
            let point = margins.common_point(p, q);
            assert!(point.distance(p) <= 2.0 && point.distance(q) <= 4.0, "{length}");
        }
    }
}
