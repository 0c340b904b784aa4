//! The distance of two bodies from the distance of their cores and their margins.

use crate::answer::Distance;
use crate::exact::Sign;
use crate::math::Vec3;

/// Bounds of a signed distance.
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
    sum_lower: f64,
    sum_upper: f64,
}

impl Margins {
    pub(super) fn new(a: f64, b: f64) -> Self {
        let sum = a + b;
        // Twice the largest rounding error of the sum.
        let error = sum * f64::EPSILON;
        Self { a, b, sum_lower: sum - error, sum_upper: sum + error }
    }

    pub(super) fn are_zero(&self) -> bool {
        self.sum_upper == 0.0
    }

    /// Bounds of the signed distance of the bodies, from the bounds of the distance of their cores.
    pub(super) fn subtract_from(&self, lower: f64, upper: f64) -> Interval {
        let (lower, upper) = (lower - self.sum_upper, upper - self.sum_lower);
        if self.are_zero() {
            return Interval { lower, upper };
        }
        // The differences are rounded once.
        Interval {
            lower: lower - lower.abs() * f64::EPSILON,
            upper: upper + upper.abs() * f64::EPSILON,
        }
    }

    /// Whether the bodies meet, if the bounds of their cores' distance decide; otherwise the sign
    /// of the distance of the cores minus the sum of the margins does, [exactly](Self::meet_by).
    pub(super) fn bodies_meet(&self, cores: &Distance) -> Option<bool> {
        if cores.lower > self.sum_upper {
            Some(false)
        } else if cores.upper < self.sum_lower || cores.upper == 0.0 {
            Some(true)
        } else {
            None
        }
    }

    /// Whether the bodies meet, from the sign of the distance of the cores minus the sum of the
    /// margins.
    pub(super) fn meet_by(sign: Sign) -> bool {
        sign != Sign::Positive
    }

    /// A point within the margins of the closest points of two cores, for bodies that meet.
    pub(super) fn common_point(&self, point_a: Vec3, point_b: Vec3) -> Vec3 {
        let difference = point_b - point_a;
        let (direction, length) = (unit(difference), difference.length());
        let along = (self.a.min(length) + (length - self.b).max(0.0)) * 0.5;
        point_a + direction * along
    }
}

/// The unit vector along `v`, for any length of `v`; zero for zero.
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
            assert!(margins.sum_lower <= a + b && a + b <= margins.sum_upper);
            let bounds = margins.subtract_from(1.0, 1.0);
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
