//! The common path of the triangle test: floats with one error bound for all.
//!
//! Every difference of two vertices is at most twice as large as the largest difference to the first vertex of A, so
//! one bound from those five differences holds for all eight determinants (`docs/notes/filters.md`). If every sign
//! needed is certain and none is zero, the triangles are apart or cross, and nothing else is possible.

use super::orient::{BOUND_3D, UNDERFLOW_3D, larger};
use super::stats::Tally;
use crate::math::Vec3;

/// What the filter can say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quick {
    /// Certainly no common point.
    Apart,
    /// Certainly their insides cross.
    Crossing,
    /// Some sign is zero or too close to it.
    Unsure,
}

/// Determinants of differences up to twice as large, in each of three factors.
const SHARED_BOUND: f64 = 8.0 * BOUND_3D;

/// The vertex alone on its side and the two others in the order of the chord's ends (see `chord`), by which vertices
/// are on the positive side (bit `i` for vertex `i`), for the second triangle. The first has the ends exchanged.
const ROTATION: [[usize; 3]; 8] =
    [[0, 0, 0], [0, 1, 2], [1, 2, 0], [2, 1, 0], [2, 0, 1], [1, 0, 2], [0, 2, 1], [0, 0, 0]];

/// Decides with floats if it can.
#[inline(always)]
pub(super) fn decide(a: &[Vec3; 3], b: &[Vec3; 3], tally: &mut impl Tally) -> Quick {
    let [u, v] = [a[1] - a[0], a[2] - a[0]];
    let w = [b[0] - a[0], b[1] - a[0], b[2] - a[0]];
    let reach = |u: f64, v: f64, x: f64, y: f64, z: f64| {
        let (uv, xy) = (larger(u.abs(), v.abs()), larger(x.abs(), y.abs()));
        larger(larger(uv, xy), z.abs())
    };
    let reach = reach(u.x, v.x, w[0].x, w[1].x, w[2].x)
        * reach(u.y, v.y, w[0].y, w[1].y, w[2].y)
        * reach(u.z, v.z, w[0].z, w[1].z, w[2].z);
    let bound = SHARED_BOUND * reach + UNDERFLOW_3D;

    let n = u.cross(v);
    let b_sides = [n.dot(w[0]), n.dot(w[1]), n.dot(w[2])];
    let Some(b_code) = code(b_sides, bound) else {
        return Quick::Unsure;
    };
    tally.filter(3);
    if b_code == 0 || b_code == 7 {
        return Quick::Apart;
    }
    let n = (b[1] - b[0]).cross(b[2] - b[0]);
    let a_sides = [-n.dot(w[0]), n.dot(a[1] - b[0]), n.dot(a[2] - b[0])];
    let Some(a_code) = code(a_sides, bound) else {
        return Quick::Unsure;
    };
    tally.filter(3);
    if a_code == 0 || a_code == 7 {
        return Quick::Apart;
    }

    let [b_apex, b_low, b_high] = ROTATION[b_code].map(|i| b[i]);
    let [a_apex, a_high, a_low] = ROTATION[a_code].map(|i| a[i]);
    // Codes with one bit have the apex on the positive side.
    let same_side = (b_code.count_ones() == 1) == (a_code.count_ones() == 1);
    let flip = if same_side { -1.0 } else { 1.0 };
    let to_b = b_apex - a_apex;
    let low_high = flip * (a_low - a_apex).dot(to_b.cross(b_high - a_apex));
    if low_high > bound {
        tally.filter(1);
        return Quick::Apart;
    }
    let high_low = flip * (a_high - a_apex).dot(to_b.cross(b_low - a_apex));
    if high_low < -bound {
        tally.filter(1);
        return Quick::Apart;
    }
    if low_high < -bound && high_low > bound {
        tally.filter(2);
        return Quick::Crossing;
    }
    Quick::Unsure
}

/// Which of the values are positive, as bits; `None` if one is too close to zero (or NaN).
#[inline(always)]
fn code(values: [f64; 3], bound: f64) -> Option<usize> {
    let [x, y, z] = values;
    let certain = x.abs() > bound && y.abs() > bound && z.abs() > bound;
    certain.then_some(usize::from(x > 0.0) | usize::from(y > 0.0) << 1 | usize::from(z > 0.0) << 2)
}
