//! Orientation of three points in the plane and of four in space.
//!
//! Three stages, each only where the one before is not certain: the float filter (bounds derived in
//! `docs/notes/filters.md`, after Devillers & Pion 2003, "Efficient Exact Geometric Predicates for
//! Delaunay Triangulations", section 3), the adaptive expansions of Shewchuk 1997 (crate `robust`),
//! and integers.

use robust::{Coord, Coord3D};

use super::Sign;
use super::filter_counter::FilterCounter;
use super::integer;
#[cfg(any(test, feature = "internals"))]
use super::stats::FilterStats;
use crate::math::Vec3;
use crate::math::rounding::{PRODUCT_UNDERFLOW, TRIPLE_PRODUCT_UNDERFLOW, UNIT_ROUNDOFF, pow2};

/// The largest absolute value of a coordinate for which the predicates are exact.
pub const EXACT_RANGE: f64 = 1e100;

/// The filter's relative error for [`orient2d`]: eight rounding errors, and slack for the rounding
/// of the bound itself.
const BOUND_2D: f64 = 9.0 * UNIT_ROUNDOFF;
/// The filter's relative error for [`orient3d`]: 48 rounding errors, and slack for the rounding of
/// the bound itself.
pub(super) const BOUND_3D: f64 = 50.0 * UNIT_ROUNDOFF;

/// Coordinates at least this large, or zero, cannot underflow in a product of three.
pub(super) const MIN_WITHOUT_UNDERFLOW: f64 = pow2(-300);

/// In which direction the path `a`, `b`, `c` turns in the plane: positive for left
/// (counter-clockwise).
///
/// Exact within [`EXACT_RANGE`].
#[inline]
#[must_use]
pub fn orient2d(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> Sign {
    turn(a, b, c, &mut ())
}

/// [`orient2d`], counting in `stats` the stage that decided.
#[cfg(any(test, feature = "internals"))]
#[must_use]
pub fn orient2d_counted(a: [f64; 2], b: [f64; 2], c: [f64; 2], stats: &mut FilterStats) -> Sign {
    turn(a, b, c, stats)
}

/// On which side of the plane through `a`, `b`, `c` the point `d` lies: positive for the side the
/// normal `(b - a) x (c - a)` points to. Zero also if `a`, `b`, `c` lie on a line.
///
/// Exact within [`EXACT_RANGE`].
///
/// ```
/// use impinge::Vec3;
/// use impinge::exact::{Sign, orient3d};
///
/// let above = orient3d(Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(0.3, 0.3, 1e-300));
/// assert_eq!(above, Sign::Positive);
/// ```
#[inline]
#[must_use]
pub fn orient3d(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> Sign {
    side(a, b, c, d, &mut ())
}

/// A bound of the rounding error of `(b - a).cross(c - a).dot(d - a)` in `f64`, for points whose
/// differences are at most `extent` along each axis.
pub(crate) fn orientation_bound(extent: Vec3) -> f64 {
    BOUND_3D * (extent.x * extent.y * extent.z) + TRIPLE_PRODUCT_UNDERFLOW
}

/// [`orient3d`], counting in `stats` the stage that decided.
#[cfg(any(test, feature = "internals"))]
#[must_use]
pub fn orient3d_counted(a: Vec3, b: Vec3, c: Vec3, d: Vec3, stats: &mut FilterStats) -> Sign {
    side(a, b, c, d, stats)
}

/// The larger of two numbers, as one instruction; `y` if either is NaN.
#[inline(always)]
pub(super) fn larger(x: f64, y: f64) -> f64 {
    if x > y { x } else { y }
}

/// [`orient2d`], counting the stage that decided in `counter`.
#[inline]
pub(super) fn turn(
    a: [f64; 2],
    b: [f64; 2],
    c: [f64; 2],
    counter: &mut impl FilterCounter,
) -> Sign {
    let u = [b[0] - a[0], b[1] - a[1]];
    let v = [c[0] - a[0], c[1] - a[1]];
    let det = u[0] * v[1] - u[1] * v[0];
    let product = larger(u[0].abs(), v[0].abs()) * larger(u[1].abs(), v[1].abs());
    let bound = BOUND_2D * product + PRODUCT_UNDERFLOW;
    if det > bound {
        counter.filter(1);
        Sign::Positive
    } else if det < -bound {
        counter.filter(1);
        Sign::Negative
    } else {
        turn_exact(a, b, c, counter)
    }
}

/// [`orient3d`], counting the stage that decided in `counter`.
#[inline]
pub(super) fn side(a: Vec3, b: Vec3, c: Vec3, d: Vec3, counter: &mut impl FilterCounter) -> Sign {
    let (u, v, w) = (b - a, c - a, d - a);
    let det = u.cross(v).dot(w);
    let largest = |u: f64, v: f64, w: f64| larger(larger(u.abs(), v.abs()), w.abs());
    let product = largest(u.x, v.x, w.x) * largest(u.y, v.y, w.y) * largest(u.z, v.z, w.z);
    let bound = BOUND_3D * product + TRIPLE_PRODUCT_UNDERFLOW;
    if det > bound {
        counter.filter(1);
        Sign::Positive
    } else if det < -bound {
        counter.filter(1);
        Sign::Negative
    } else {
        side_exact(a, b, c, d, counter)
    }
}

/// [`orient3d`], if the filter decides.
#[inline]
#[must_use]
pub(crate) fn orient3d_quickly(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> Option<Sign> {
    let (u, v, w) = (b - a, c - a, d - a);
    let det = u.cross(v).dot(w);
    let largest = |u: f64, v: f64, w: f64| larger(larger(u.abs(), v.abs()), w.abs());
    let product = largest(u.x, v.x, w.x) * largest(u.y, v.y, w.y) * largest(u.z, v.z, w.z);
    let bound = BOUND_3D * product + TRIPLE_PRODUCT_UNDERFLOW;
    (det.abs() > bound).then(|| Sign::of(det))
}

/// Units of work of a test of a few orientations of these points that the filter leaves open.
#[cold]
#[must_use]
pub(crate) fn units_of_exact_test(points: &[Vec3]) -> u64 {
    let fits = points.iter().all(|p| fits_expansions(p.to_array()));
    if fits { UNITS_OF_EXPANSIONS } else { UNITS_OF_INTEGERS }
}

/// Units of a test with a few orientations that the filter leaves open: up to a microsecond or two.
const UNITS_OF_EXPANSIONS: u64 = 16;

/// Units of a test with a few orientations in integers: up to ten microseconds.
const UNITS_OF_INTEGERS: u64 = 64;

/// Whether expansions of products of up to three of these coordinates neither underflow nor
/// overflow.
fn fits_expansions<const N: usize>(coordinates: [f64; N]) -> bool {
    // Without early exit: the answer is almost always `true`.
    coordinates.into_iter().fold(true, |all, x| {
        all & ((x == 0.0) | ((x.abs() >= MIN_WITHOUT_UNDERFLOW) & (x.abs() <= EXACT_RANGE)))
    })
}

/// The sign where the filter is not certain. The common zeros (two equal points, all points on a
/// line along an axis) need no arithmetic.
#[cold]
#[inline(never)]
fn turn_exact(a: [f64; 2], b: [f64; 2], c: [f64; 2], counter: &mut impl FilterCounter) -> Sign {
    let aligned = |i: usize| a[i] == b[i] && b[i] == c[i];
    if a == b || b == c || c == a || aligned(0) || aligned(1) {
        counter.filter(1);
        return Sign::Zero;
    }
    if fits_expansions([a[0], a[1], b[0], b[1], c[0], c[1]]) {
        counter.adaptive();
        let p = |[x, y]: [f64; 2]| Coord { x, y };
        Sign::of(robust::orient2d(p(a), p(b), p(c)))
    } else {
        counter.integer();
        integer::orient2d(a, b, c)
    }
}

/// The sign where the filter is not certain. The common zeros (two equal points, all points in a
/// plane perpendicular to an axis) need no arithmetic.
#[cold]
#[inline(never)]
fn side_exact(a: Vec3, b: Vec3, c: Vec3, d: Vec3, counter: &mut impl FilterCounter) -> Sign {
    let aligned = |i: usize| a[i] == b[i] && b[i] == c[i] && c[i] == d[i];
    let coincident = a == d || b == d || c == d || a == b || b == c || c == a;
    if coincident || aligned(0) || aligned(1) || aligned(2) {
        counter.filter(1);
        return Sign::Zero;
    }
    if fits_expansions([a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z, d.x, d.y, d.z]) {
        counter.adaptive();
        let p = |v: Vec3| Coord3D { x: v.x, y: v.y, z: v.z };
        // The sign convention of `robust` is the opposite.
        -Sign::of(robust::orient3d(p(a), p(b), p(c), p(d)))
    } else {
        counter.integer();
        integer::orient3d(a, b, c, d)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn left_turn_is_positive() {
        assert_eq!(orient2d([0.0, 0.0], [1.0, 0.0], [0.0, 1.0]), Sign::Positive);
        assert_eq!(orient2d([0.0, 0.0], [0.0, 1.0], [1.0, 0.0]), Sign::Negative);
        assert_eq!(orient2d([0.0, 0.0], [0.1, 0.1], [0.3, 0.3]), Sign::Zero);
    }

    #[test]
    fn above_the_plane_is_positive() {
        let above = Vec3::new(0.2, 0.2, 1.0);
        assert_eq!(orient3d(Vec3::ZERO, Vec3::X, Vec3::Y, above), Sign::Positive);
        assert_eq!(orient3d(Vec3::ZERO, Vec3::X, Vec3::Y, -above), Sign::Negative);
    }

    #[test]
    fn the_smallest_denormal_decides() {
        let tiny = f64::from_bits(1);
        let d = Vec3::new(0.25, 0.25, tiny);
        assert_eq!(orient3d(Vec3::ZERO, Vec3::X, Vec3::Y, d), Sign::Positive);
        assert_eq!(orient3d(Vec3::ZERO, Vec3::X, Vec3::Y, -d), Sign::Negative);
        let [a, b, c] = [[0.0, 0.0], [tiny, 0.0], [0.0, tiny]];
        assert_eq!(orient2d(a, b, c), Sign::Positive);
        assert_eq!(orient2d(a, c, b), Sign::Negative);
    }

    #[test]
    fn huge_and_denormal_together() {
        let (big, tiny) = (1e100, f64::from_bits(1));
        let (b, c) = (Vec3::new(big, big, tiny), Vec3::new(-big, big, tiny));
        let origin = Vec3::new(0.0, 0.0, tiny);
        assert_eq!(orient3d(origin, b, c, Vec3::new(1.0, 1.0, tiny)), Sign::Zero);
        assert_eq!(orient3d(origin, b, c, Vec3::new(1.0, 1.0, 2.0 * tiny)), Sign::Positive);
        assert_eq!(orient3d(origin, b, c, Vec3::new(big, 1.0, 0.0)), Sign::Negative);
    }

    #[test]
    fn every_stage_is_counted() {
        let mut stats = FilterStats::default();
        let mut count = |a, d| {
            let _ = orient3d_counted(a, Vec3::X, Vec3::Y, d, &mut stats);
            stats
        };
        let stats = count(Vec3::ZERO, Vec3::ONE);
        assert_eq!(stats, FilterStats { filter: 1, adaptive: 0, integer: 0 });
        let stats = count(Vec3::Z, Vec3::new(0.25, 0.25, 0.5));
        assert_eq!(stats, FilterStats { filter: 1, adaptive: 1, integer: 0 });
        let stats = count(Vec3::ZERO, Vec3::new(0.25, 0.25, 1e-320));
        assert_eq!(stats, FilterStats { filter: 1, adaptive: 1, integer: 1 });
        // Equal coordinates need no arithmetic.
        let stats = count(Vec3::ZERO, Vec3::new(0.3, 0.1, 0.0));
        assert_eq!(stats.filter, 2);
        assert_eq!(stats.total(), 4);
    }

    #[test]
    fn not_finite_does_not_panic() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX] {
            let _ = orient2d([bad, 0.0], [1.0, bad], [0.0, 1.0]);
            let _ = orient3d(Vec3::splat(bad), Vec3::X, Vec3::Y, Vec3::new(bad, 0.0, 1.0));
        }
    }
}
