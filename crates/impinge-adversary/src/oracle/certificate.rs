//! Verifies certificates of the library in integers.

use glam::DVec3 as Vec3;
use num_traits::{Signed, Zero};

use impinge_oracles::vector::{cross, dot, sub};

use super::hulls::share_a_point;
use super::units::{Int3, Units, integer};

/// Whether `n . q - n . p` is positive and at least `gap |n|`, for all points `p` of A and `q` of
/// B.
fn separates(units: &Units, n: &Int3, gap: f64) -> bool {
    let last = units.a.iter().map(|p| dot(n, p)).max();
    let first = units.b.iter().map(|p| dot(n, p)).min();
    let (Some(last), Some(first)) = (last, first) else { return true };
    let between = first - last;
    if !between.is_positive() || gap.is_nan() || gap < 0.0 || gap.is_infinite() {
        return false;
    }
    // Lengths are in 2^exponent on the left and 2^-1074 on the right; squared, because |n| need not
    // be an integer.
    let gap = integer(gap);
    let shift = 2 * (units.exponent + 1074);
    let (mut left, mut right) = (&between * &between, &gap * &gap * dot(n, n));
    if shift >= 0 {
        left <<= shift;
    } else {
        right <<= -shift;
    }
    left >= right
}

/// Whether a slab across `direction` separates the points of A from those of B by at least `gap`.
#[must_use]
pub fn slab_holds(a: &[Vec3], b: &[Vec3], direction: Vec3, gap: f64) -> bool {
    let units = Units::new(a, b);
    separates(&units, &direction.to_array().map(integer), gap)
}

/// Whether the vector from the origin to the closest point of the flat through differences `b - a`
/// of these pairs of vertices separates the hulls by at least `gap`.
#[must_use]
pub fn features_hold(a: &[Vec3], b: &[Vec3], pairs: &[[u32; 2]], gap: f64) -> bool {
    let units = Units::new(a, b);
    let difference = |[i, j]: &[u32; 2]| -> Option<Int3> {
        Some(sub(units.b.get(*j as usize)?, units.a.get(*i as usize)?))
    };
    let Some(w) = pairs.iter().map(difference).collect::<Option<Vec<Int3>>>() else { return false };
    let n = match &w[..] {
        [w0] => w0.clone(),
        [w0, w1] => {
            let e = sub(w1, w0);
            cross(&e, &cross(w0, &e))
        }
        [w0, w1, w2] => {
            let m = cross(&sub(w1, w0), &sub(w2, w0));
            let side = dot(&m, w0);
            if side.is_zero() {
                return false;
            }
            if side.is_positive() { m } else { m.map(|x| -x) }
        }
        _ => return false,
    };
    separates(&units, &n, gap)
}

/// Whether the hulls of the named vertices of both bodies share a point. If so, the bodies do.
#[must_use]
pub fn vertices_share_a_point(a: &[Vec3], b: &[Vec3], pairs: &[[u32; 2]]) -> bool {
    let of = |points: &[Vec3], side: usize| -> Option<Vec<Vec3>> {
        pairs.iter().map(|pair| points.get(pair[side] as usize).copied()).collect()
    };
    match (of(a, 0), of(b, 1)) {
        (Some(a), Some(b)) => !pairs.is_empty() && share_a_point(&a, &b),
        _ => false,
    }
}
