//! Discrete orientation polytopes: intersections of slabs in fixed directions (Klosowski et al.
//! 1998, sections 3.2 and 3.3.3).

mod directions;
mod measure;
mod motion;
mod rotated;
mod sum;
#[cfg(test)]
mod tests;
mod vertices;

use super::Volume;
use impinge::internals::rounding::{UNDERFLOW_MARGIN, UNIT_ROUNDOFF, down, length_down, up};
use impinge::math::{Pose, Vec3};
pub use motion::DopMotion;
pub(crate) use rotated::RotatedDirections;
use sum::sum3;

/// The k-DOP of `k = 2 * HALF` half-spaces. Compiles for `HALF` = 3, 7, 9 and 13 only.
///
/// The set of real points `x` with `min[i] <= d[i] . x <= max[i]` for every direction `d[i]` of
/// [`Dop::DIRECTIONS`]. The directions are the paper's integer vectors, not normalised. So a
/// projection is a sum of up to three coordinates. Inexact sums are rounded outward.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dop<const HALF: usize> {
    /// The absolute value of a bound is at most three times (space diagonals) or twice (face
    /// diagonals) the largest absolute bound of an axis.
    min: [f64; HALF],
    max: [f64; HALF],
}

/// The axis-aligned box.
pub type Dop6 = Dop<3>;
/// The box with its corners cut off.
pub type Dop14 = Dop<7>;
/// The box with its edges cut off.
pub type Dop18 = Dop<9>;
/// The box with corners and edges cut off.
pub type Dop26 = Dop<13>;

impl<const HALF: usize> Dop<HALF> {
    /// The directions, in the order in which they are compared. The first three are the axes.
    pub const DIRECTIONS: [[i8; 3]; HALF] = directions::directions();

    const LENGTHS: [f64; HALF] = directions::lengths();

    const EMPTY: Self = Self { min: [f64::INFINITY; HALF], max: [f64::NEG_INFINITY; HALF] };

    /// The lower bound of the slab of each direction.
    #[must_use]
    pub fn min(&self) -> &[f64; HALF] {
        &self.min
    }

    /// The upper bound of the slab of each direction.
    #[must_use]
    pub fn max(&self) -> &[f64; HALF] {
        &self.max
    }

    /// A direction as a vector.
    #[inline]
    fn direction(i: usize) -> Vec3 {
        Vec3::from(Self::DIRECTIONS[i].map(f64::from))
    }

    /// Lower and upper bound of the exact dot product of a direction and a point.
    #[inline]
    fn project(i: usize, p: Vec3) -> (f64, f64) {
        // The products are exact.
        let t = Self::direction(i) * p;
        sum3(t.x, t.y, t.z)
    }

    /// The largest absolute coordinate.
    #[inline]
    fn reach(&self) -> f64 {
        let end = |i: usize| self.min[i].abs().max(self.max[i].abs());
        end(0).max(end(1)).max(end(2))
    }
}

impl<const HALF: usize> Volume for Dop<HALF> {
    const NAME: &'static str = match HALF {
        3 => "6-DOP",
        7 => "14-DOP",
        9 => "18-DOP",
        _ => "26-DOP",
    };

    const MERGES_TIGHTLY: bool = true;

    type Motion = DopMotion<HALF>;

    fn around(points: &[Vec3]) -> Self {
        let mut dop = Self::EMPTY;
        for p in points {
            for i in 0..HALF {
                let (lo, hi) = Self::project(i, *p);
                dop.min[i] = dop.min[i].min(lo);
                dop.max[i] = dop.max[i].max(hi);
            }
        }
        dop
    }

    #[inline]
    fn merged(&self, other: &Self) -> Self {
        let mut dop = *self;
        for i in 0..HALF {
            dop.min[i] = dop.min[i].min(other.min[i]);
            dop.max[i] = dop.max[i].max(other.max[i]);
        }
        dop
    }

    #[inline]
    fn overlaps(&self, other: &Self) -> bool {
        (0..HALF).all(|i| self.min[i] <= other.max[i] && other.min[i] <= self.max[i])
    }

    fn contains(&self, point: Vec3) -> bool {
        (0..HALF).all(|i| {
            let (lo, hi) = Self::project(i, point);
            self.min[i] <= lo && hi <= self.max[i]
        })
    }

    fn is_empty(&self) -> bool {
        self.min[0] > self.max[0]
    }

    fn motion(pose: &Pose) -> DopMotion<HALF> {
        DopMotion::new(pose)
    }

    #[inline]
    fn moved(&self, motion: &DopMotion<HALF>) -> Self {
        motion.apply(self)
    }

    fn enlarged(&self, by: f64) -> Self {
        if by <= 0.0 || self.is_empty() {
            return *self;
        }
        let mut dop = *self;
        for i in 0..HALF {
            let step = by * Self::LENGTHS[i] * (1.0 + 4.0 * UNIT_ROUNDOFF) + UNDERFLOW_MARGIN;
            dop.min[i] = down(dop.min[i] - step);
            dop.max[i] = up(dop.max[i] + step);
        }
        dop
    }

    fn volume(&self) -> f64 {
        measure::of(self).volume
    }

    fn surface(&self) -> f64 {
        measure::of(self).surface
    }

    #[inline]
    fn size(&self) -> f64 {
        ((self.max[0] - self.min[0]) + (self.max[1] - self.min[1]) + (self.max[2] - self.min[2]))
            .max(0.0)
    }

    fn gap(&self, other: &Self) -> f64 {
        let along =
            |i: usize| (other.min[i] - self.max[i]).max(self.min[i] - other.max[i]).max(0.0);
        if self.is_empty() || other.is_empty() {
            return f64::INFINITY;
        }
        let axes = length_down(Vec3::new(along(0), along(1), along(2)));
        // A denormal quotient may be rounded up by half an ulp.
        let diagonal = |i: usize| down(along(i) / Self::LENGTHS[i] * (1.0 - 8.0 * UNIT_ROUNDOFF));
        (3..HALF).fold(axes, |gap, i| gap.max(diagonal(i)))
    }

    fn overlap_depth(&self, other: &Self) -> f64 {
        if !self.overlaps(other) {
            return 0.0;
        }
        (0..HALF)
            .map(|i| {
                let along = (self.max[i] - other.min[i]).min(other.max[i] - self.min[i]);
                along / Self::LENGTHS[i] * (1.0 + 8.0 * UNIT_ROUNDOFF)
            })
            .fold(f64::INFINITY, f64::min)
            + UNDERFLOW_MARGIN
    }
}
