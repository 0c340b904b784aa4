//! The two bounds of a distance, valid whatever the points and the direction they are computed
//! from.
//!
//! Derivation of the constants: `docs/notes/closest.md`. `size` is that of the local frame
//! throughout.

use super::frame::U;
use crate::math::Vec3;

/// A point `a + t (b - a)` with `t` in 0..=1, or `a + s (b - a) + t (c - a)` with `s`, `t` and
/// `1 - (s + t)` not negative as computed, is within this times `size`, per coordinate, of the set
/// of the exact coordinates.
pub(super) const POINT_SLACK: f64 = 16.0 * U;

/// What to add to the distance of two such points, as a multiple of `size`.
const UPPER_SLACK: f64 = 60.0 * U;

/// What to take off the gap seen along a direction, as a multiple of `size`.
pub(super) const LOWER_SLACK: f64 = 20.0 * U;

/// The relative error of a computed length or gap.
pub(super) const RELATIVE: f64 = 16.0 * U;

/// An upper bound of the distance of two sets from a point near each.
#[inline]
pub(super) fn upper(p: Vec3, q: Vec3, size: f64) -> f64 {
    (q - p).length() * (1.0 + RELATIVE) + UPPER_SLACK * size
}

/// A lower bound of the distance of the convex hulls of `a` and `b`: the gap between them seen
/// along `n`, or zero.
///
/// The sign and the length of `n` do not matter. Zero, too, if `n` is so short or long that
/// products with it are not reliable.
#[inline]
pub(super) fn lower(n: Vec3, a: &[Vec3], b: &[Vec3], size: f64) -> f64 {
    let nn = n.length_squared();
    if !(nn > 1e-280 && nn < 1e280) {
        return 0.0;
    }
    let (a_min, a_max) = extent(n, a);
    let (b_min, b_max) = extent(n, b);
    let gap = (b_min - a_max).max(a_min - b_max);
    if gap <= 0.0 {
        return 0.0;
    }
    (gap / nn.sqrt() * (1.0 - RELATIVE) - LOWER_SLACK * size).max(0.0)
}

/// Smallest and largest product with `n`.
#[inline]
fn extent(n: Vec3, points: &[Vec3]) -> (f64, f64) {
    let first = n.dot(points[0]);
    points[1..].iter().fold((first, first), |(min, max), p| {
        let h = n.dot(*p);
        (min.min(h), max.max(h))
    })
}
