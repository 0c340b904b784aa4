//! The two bounds of a distance. They are valid for any points and any direction that they are
//! computed from.
//!
//! Derivation of the constants: `docs/notes/closest.md`. `size` is the size of the local frame
//! throughout.

use super::frame::UNIT_ROUNDOFF;
use crate::math::Vec3;

/// The error of a point `a + t (b - a)` with `t` in 0..=1, or `a + s (b - a) + t (c - a)` with `s`,
/// `t` and `1 - (s + t)` not negative as computed: its distance to the set of the exact
/// coordinates, per coordinate, as a multiple of `size`.
pub(super) const POINT_SLACK: f64 = 16.0 * UNIT_ROUNDOFF;

/// Added to the distance of two such points for an upper bound, as a multiple of `size`.
const UPPER_SLACK: f64 = 60.0 * UNIT_ROUNDOFF;

/// Subtracted from the gap along a direction for a lower bound, as a multiple of `size`.
pub(super) const LOWER_SLACK: f64 = 20.0 * UNIT_ROUNDOFF;

/// The relative error of a computed length or gap.
pub(super) const RELATIVE_ERROR: f64 = 16.0 * UNIT_ROUNDOFF;

/// Limits of the squared length of a direction. Products with directions within them neither
/// underflow nor overflow.
pub(crate) const MIN_SQUARED_LENGTH: f64 = 1e-280;
pub(super) const MAX_SQUARED_LENGTH: f64 = 1e280;

/// An upper bound of the distance of two sets, from one point near each set.
#[inline]
pub(super) fn upper_bound(p: Vec3, q: Vec3, size: f64) -> f64 {
    (q - p).length() * (1.0 + RELATIVE_ERROR) + UPPER_SLACK * size
}

/// A lower bound of the distance of the convex hulls of `a` and `b`: the gap between their
/// projections to `n`, or zero if these overlap.
///
/// The sign and the length of `n` do not matter. Also zero if `n` is so short or long that products
/// with it may underflow or overflow.
#[inline]
pub(super) fn lower_bound(n: Vec3, a: &[Vec3], b: &[Vec3], size: f64) -> f64 {
    let nn = n.length_squared();
    if !(nn > MIN_SQUARED_LENGTH && nn < MAX_SQUARED_LENGTH) {
        return 0.0;
    }
    let (a_min, a_max) = extent(n, a);
    let (b_min, b_max) = extent(n, b);
    let gap = (b_min - a_max).max(a_min - b_max);
    if gap <= 0.0 {
        return 0.0;
    }
    (gap / nn.sqrt() * (1.0 - RELATIVE_ERROR) - LOWER_SLACK * size).max(0.0)
}

/// The smallest and the largest product of a point with `n`.
#[inline]
fn extent(n: Vec3, points: &[Vec3]) -> (f64, f64) {
    let first = n.dot(points[0]);
    points[1..].iter().fold((first, first), |(min, max), p| {
        let h = n.dot(*p);
        (min.min(h), max.max(h))
    })
}
