//! The earliest time at which two space-time bounds have a common point.
//!
//! A time is feasible if both sections share a point: two boxes and up to two half-spaces, whose
//! limits are linear in time. Eliminating the three coordinates leaves linear inequalities of time
//! alone, and the largest of their lower limits is the earliest time. Because six of the eight
//! half-spaces of a bound are axis-aligned, only these inequalities are needed (`docs/notes/
//! space-time.md` has the proof):
//!
//! - a smaller face of one box is not beyond the larger face of the other, for each axis;
//! - each plane, with the corner of the common box that is furthest behind it;
//! - both planes, combined so that one coordinate cancels, with that corner.
//!
//! The corner is one of up to eight, as either box may have the face; all are tried.

use super::bound::{CuttingPlane, Linear, SpaceTimeBound};
use super::round::{add_down, add_up, div_down, div_up};
use crate::math::rounding::UNIT_ROUNDOFF;
use crate::math::{Vec3, unit_scale};

/// The earliest time at which both bounds hold and have a common point; `None` if there is none
/// until the first of them expires.
///
/// The result is never later than the exact minimum over all half-spaces of both, cutting planes
/// included, and earlier only by rounding: by the time in which the faces that meet move a few
/// units in the last place of their coordinates. It is not before both bounds hold. If the result
/// is `None`, there is certainly no common point.
///
/// ```
/// use impinge::Vec3;
/// use impinge::motion::{Limits, Motion, earliest_meeting};
///
/// let limits = Limits::none().acceleration(2.0);
/// let ball = |x: f64, v: f64| {
///     Motion::at(Vec3::X * x).velocity(Vec3::X * v).radius(1.0).limits(limits).bound(0.0, 1.0)
/// };
/// // They are 2 apart, approach each other by 2, and may accelerate by 2 each: the faces approach
/// // by 2 + 2 * (2 * 1 / 2).
/// assert_eq!(earliest_meeting(&ball(0.0, 1.0)?, &ball(4.0, -1.0)?), Some(0.5));
/// assert_eq!(earliest_meeting(&ball(0.0, -1.0)?, &ball(4.0, 1.0)?), None);
/// # Ok::<(), impinge::Error>(())
/// ```
#[must_use]
pub fn earliest_meeting(a: &SpaceTimeBound, b: &SpaceTimeBound) -> Option<f64> {
    let start = a.start.max(b.start);
    let end = a.end.min(b.end);
    if start > end {
        return None;
    }
    let (a, b) = (a.restarted(start), b.restarted(start));
    let mut window = Window { low: 0.0, high: add_up(end, -start) };
    for k in 0..3 {
        window.require_order(a.min[k], b.max[k])?;
        window.require_order(b.min[k], a.max[k])?;
    }
    match (a.plane, b.plane) {
        (None, None) => {}
        (Some(plane), None) | (None, Some(plane)) => window.require_plane(&plane, [&a, &b])?,
        (Some(p), Some(q)) => {
            window.require_plane(&p, [&a, &b])?;
            window.require_plane(&q, [&a, &b])?;
            window.require_both(&p, &q, [&a, &b])?;
        }
    }
    let t = add_down(start, window.low).max(start);
    (t <= end).then_some(t)
}

/// The times since the common start that no inequality has excluded. It contains all feasible
/// times.
#[derive(Clone, Copy, Debug)]
struct Window {
    low: f64,
    high: f64,
}

/// A number with a bound of its error.
#[derive(Clone, Copy, Debug, Default)]
struct Rounded {
    sum: f64,
    /// The sum of the sizes of all terms.
    size: f64,
    /// Errors that do not come from the rounding of terms and sums.
    error: f64,
}

impl Rounded {
    fn add(&mut self, term: f64) {
        self.sum += term;
        self.size += term.abs();
    }

    /// A lower bound of the exact value: of a sum of at most eight terms, each rounded up to three
    /// times, in any order. A product that underflows loses half a step of 5e-324.
    fn lower(&self) -> f64 {
        self.sum - (self.size * (16.0 * UNIT_ROUNDOFF) + self.error + 16.0 * 5e-324)
    }
}

impl Window {
    /// Excludes the times at which `constant + rate t > 0`. Both numbers may be too small, as times
    /// are not negative; that only excludes less. `None` if no time is left.
    fn require(&mut self, constant: f64, rate: f64) -> Option<()> {
        if constant > 0.0 {
            if rate >= 0.0 {
                return None;
            }
            self.low = self.low.max(div_down(constant, -rate));
        } else if rate > 0.0 {
            self.high = self.high.min(div_up(-constant, rate));
        }
        (self.low <= self.high).then_some(())
    }

    /// Excludes the times at which a smaller face is beyond a larger one.
    #[inline]
    fn require_order(&mut self, min: Linear, max: Linear) -> Option<()> {
        self.require(add_down(min.base, -max.base), add_down(min.rate, -max.rate))
    }

    /// Excludes the times at which the common box of both bounds is in front of a plane.
    fn require_plane(&mut self, plane: &CuttingPlane, of: [&SpaceTimeBound; 2]) -> Option<()> {
        self.require_corners(plane.normal, Vec3::ZERO, &[plane.limit], of)
    }

    /// Excludes the times at which the common box is in front of a combination of two planes.
    fn require_both(
        &mut self,
        p: &CuttingPlane,
        q: &CuttingPlane,
        of: [&SpaceTimeBound; 2],
    ) -> Option<()> {
        for k in 0..3 {
            let have_opposite_signs =
                p.normal[k].min(q.normal[k]) < 0.0 && p.normal[k].max(q.normal[k]) > 0.0;
            if !have_opposite_signs {
                continue;
            }
            // The multiples of the planes whose sum does not have this coordinate, and that sum.
            let (s, t) = unit_scale(p.normal[k].abs().max(q.normal[k].abs()));
            let scale = |x: f64| {
                let scaled = x * s * t;
                if (scaled / t) / s == x { Some(scaled) } else { None }
            };
            let multiples = match (scale(q.normal[k].abs()), scale(p.normal[k].abs())) {
                (Some(of_p), Some(of_q)) => [of_p, of_q],
                _ => [q.normal[k].abs(), p.normal[k].abs()],
            };
            let terms = |j: usize| [multiples[0] * p.normal[j], multiples[1] * q.normal[j]];
            let (mut normal, mut error) = (Vec3::ZERO, Vec3::ZERO);
            for j in (0..3).filter(|j| *j != k) {
                let [x, y] = terms(j);
                normal[j] = x + y;
                // Each product is rounded once, and the sum once more.
                error[j] = 3.0 * UNIT_ROUNDOFF * (x.abs() + y.abs()) + 3.0 * 5e-324;
            }
            let scaled =
                |limit: Linear, by: f64| Linear { base: by * limit.base, rate: by * limit.rate };
            let limits = [scaled(p.limit, multiples[0]), scaled(q.limit, multiples[1])];
            self.require_corners(normal, error, &limits, of)?;
        }
        Some(())
    }

    /// Excludes the times at which all points of the common box have `normal . x > sum of limits`.
    /// Components of the exact normal differ from `normal` by at most `error`; limits may have been
    /// rounded once.
    fn require_corners(
        &mut self,
        normal: Vec3,
        error: Vec3,
        limits: &[Linear],
        of: [&SpaceTimeBound; 2],
    ) -> Option<()> {
        let (mut constant, mut rate) = (Rounded::default(), Rounded::default());
        for limit in limits {
            constant.add(-limit.base);
            rate.add(-limit.rate);
        }
        for j in (0..3).filter(|j| error[*j] > 0.0) {
            // A face may be the wrong one if the sign of the component is. The coordinate is then
            // off by at most the width of the box, which the sizes of both faces bound; the larger
            // sizes of both boxes do not depend on their order.
            let largest = |size: fn(&Linear) -> f64| {
                let of_one = |bound: &SpaceTimeBound| size(&bound.min[j]) + size(&bound.max[j]);
                of_one(of[0]).max(of_one(of[1]))
            };
            constant.error += 2.0 * error[j] * largest(|face| face.base.abs());
            rate.error += 2.0 * error[j] * largest(|face| face.rate.abs());
        }
        for corner in 0..8 {
            // Both boxes have the same term for a component that is zero.
            if (0..3).any(|j| corner >> j & 1 == 1 && normal[j] == 0.0 && error[j] == 0.0) {
                continue;
            }
            let (mut constant, mut rate) = (constant, rate);
            for j in 0..3 {
                let bound = of[corner >> j & 1];
                let face = if normal[j] > 0.0 { bound.min[j] } else { bound.max[j] };
                constant.add(normal[j] * face.base);
                rate.add(normal[j] * face.rate);
                constant.error += 2.0 * error[j] * face.base.abs();
                rate.error += 2.0 * error[j] * face.rate.abs();
            }
            self.require(constant.lower(), rate.lower())?;
        }
        Some(())
    }
}
