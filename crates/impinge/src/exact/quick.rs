//! The common path of the triangle test: floats with one error bound for all.
//!
//! Every difference of two vertices is at most twice as large as the largest difference to the
//! first vertex of A, so one bound from those five differences holds for all eight determinants
//! (`docs/notes/filters.md`). If every sign needed is certain and none is zero, the triangles are
//! either disjoint or cross.
//!
//! Branches on the answer and on the sides are unpredictable, so their number determines the time:
//! there are three, one for each exit. Tried and slower, by 20 to 40 %: comparing every value with
//! the bound by itself, returning after the first of the two comparisons of ends, choosing the sign
//! by a condition instead of a table. A bound from the largest difference in any coordinate, cubed,
//! is no faster than a bound from the largest in each.

use super::filter_counter::FilterCounter;
use super::orient::{BOUND_3D, larger};
use crate::arrays::MapEach;
use crate::math::Vec3;
use crate::math::rounding::TRIPLE_PRODUCT_UNDERFLOW;

/// The relative error bound of all eight determinants: each of the three factors of a product is up
/// to twice as large as the differences that the bound is computed from.
const SHARED_BOUND: f64 = 8.0 * BOUND_3D;

/// The apex (the vertex alone on its side) and the two other vertices in the order of the chord's
/// ends (see `chord`), for the second triangle; for the first the ends are exchanged. The index has
/// bit `i` set if vertex `i` is on the positive side (see [`positive_bits`]).
const APEX_AND_ENDS: [[usize; 3]; 8] =
    [[0, 0, 0], [0, 1, 2], [1, 2, 0], [2, 1, 0], [2, 0, 1], [1, 0, 2], [0, 2, 1], [0, 0, 0]];

/// The side of the apex, by the same index.
const APEX_SIDE: [f64; 8] = [0.0, 1.0, 1.0, -1.0, 1.0, -1.0, -1.0, 0.0];

/// Whether the triangles cross (`false`: they share no point); `None` if some sign is zero or too
/// close to it.
#[inline(always)]
pub(super) fn crossing(
    a: &[Vec3; 3],
    b: &[Vec3; 3],
    counter: &mut impl FilterCounter,
) -> Option<bool> {
    let [u, v] = [a[1] - a[0], a[2] - a[0]];
    let w = [b[0] - a[0], b[1] - a[0], b[2] - a[0]];
    let largest = |u: f64, v: f64, x: f64, y: f64, z: f64| {
        let (uv, xy) = (larger(u.abs(), v.abs()), larger(x.abs(), y.abs()));
        larger(larger(uv, xy), z.abs())
    };
    let product = largest(u.x, v.x, w[0].x, w[1].x, w[2].x)
        * largest(u.y, v.y, w[0].y, w[1].y, w[2].y)
        * largest(u.z, v.z, w[0].z, w[1].z, w[2].z);
    let bound = SHARED_BOUND * product + TRIPLE_PRODUCT_UNDERFLOW;

    // The smallest absolute value is compared with the bound only at the end: the branches before
    // may be wrong for values too close to zero, but then the minimum is too small as well.
    let n = u.cross(v);
    let b_sides = [n.dot(w[0]), n.dot(w[1]), n.dot(w[2])];
    let b_bits = positive_bits(b_sides);
    let min_abs = smallest_abs(b_sides);
    if all_on_one_side(b_bits) {
        return answer_if(min_abs > bound, false, 3, counter);
    }
    let n = (b[1] - b[0]).cross(b[2] - b[0]);
    let a_sides = [-n.dot(w[0]), n.dot(a[1] - b[0]), n.dot(a[2] - b[0])];
    let a_bits = positive_bits(a_sides);
    let min_abs = smaller(min_abs, smallest_abs(a_sides));
    if all_on_one_side(a_bits) {
        return answer_if(min_abs > bound, false, 6, counter);
    }

    let [b_apex, b_low, b_high] = APEX_AND_ENDS[b_bits].map_each(|i| b[i]);
    let [a_apex, a_high, a_low] = APEX_AND_ENDS[a_bits].map_each(|i| a[i]);
    let flip = APEX_SIDE[a_bits] * APEX_SIDE[b_bits];
    let to_b = b_apex - a_apex;
    // Positive if the chord of A starts after the end of B's, or ends before its start.
    let low_high = -flip * (a_low - a_apex).dot(to_b.cross(b_high - a_apex));
    let high_low = flip * (a_high - a_apex).dot(to_b.cross(b_low - a_apex));
    let gap = larger(low_high, high_low);
    answer_if(smaller(min_abs, gap.abs()) > bound, gap < 0.0, 8, counter)
}

/// `answer` if it is certain; `signs`, the number of signs it follows from, is added to the
/// counter.
#[inline(always)]
fn answer_if(
    is_certain: bool,
    answer: bool,
    signs: u64,
    counter: &mut impl FilterCounter,
) -> Option<bool> {
    if is_certain {
        counter.filter(signs);
        Some(answer)
    } else {
        None
    }
}

/// Whether all three bits are set or none, in one comparison.
#[inline(always)]
fn all_on_one_side(bits: usize) -> bool {
    bits.wrapping_sub(1) >= 6
}

/// The smaller of two numbers, as one instruction; `y` if either is NaN.
#[inline(always)]
fn smaller(x: f64, y: f64) -> f64 {
    if x < y { x } else { y }
}

/// The smallest absolute value of three.
#[inline(always)]
fn smallest_abs([x, y, z]: [f64; 3]) -> f64 {
    smaller(smaller(x.abs(), y.abs()), z.abs())
}

/// Which of the values are positive, as bits.
#[inline(always)]
fn positive_bits([x, y, z]: [f64; 3]) -> usize {
    usize::from(x > 0.0) | usize::from(y > 0.0) << 1 | usize::from(z > 0.0) << 2
}
