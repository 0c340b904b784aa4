//! The triangle test of `impinge::exact` in plain floats: the same algorithm without error bounds.
//!
//! It is what one would write for speed alone; rounding may turn any of its answers. A zero counts as negative.

use impinge::Vec3;

/// The vertex alone on its side and the two others, by which vertices are on the positive side.
const ROTATION: [[usize; 3]; 8] =
    [[0, 0, 0], [0, 1, 2], [1, 2, 0], [2, 1, 0], [2, 0, 1], [1, 0, 2], [0, 2, 1], [0, 0, 0]];

/// Whether the triangles meet, as far as floats can tell.
#[inline]
pub(crate) fn triangles_intersect(a: &[Vec3; 3], b: &[Vec3; 3]) -> bool {
    let w = [b[0] - a[0], b[1] - a[0], b[2] - a[0]];
    let n = (a[1] - a[0]).cross(a[2] - a[0]);
    let b_code = code([n.dot(w[0]), n.dot(w[1]), n.dot(w[2])]);
    if b_code == 0 || b_code == 7 {
        return false;
    }
    let n = (b[1] - b[0]).cross(b[2] - b[0]);
    let a_code = code([-n.dot(w[0]), n.dot(a[1] - b[0]), n.dot(a[2] - b[0])]);
    if a_code == 0 || a_code == 7 {
        return false;
    }
    let [b_apex, b_low, b_high] = ROTATION[b_code].map(|i| b[i]);
    let [a_apex, a_high, a_low] = ROTATION[a_code].map(|i| a[i]);
    let same_side = (b_code.count_ones() == 1) == (a_code.count_ones() == 1);
    let flip = if same_side { -1.0 } else { 1.0 };
    let to_b = b_apex - a_apex;
    let low_high = flip * (a_low - a_apex).dot(to_b.cross(b_high - a_apex));
    if low_high > 0.0 {
        return false;
    }
    let high_low = flip * (a_high - a_apex).dot(to_b.cross(b_low - a_apex));
    high_low >= 0.0
}

/// Which of the values are positive, as bits.
#[inline(always)]
fn code([x, y, z]: [f64; 3]) -> usize {
    usize::from(x > 0.0) | usize::from(y > 0.0) << 1 | usize::from(z > 0.0) << 2
}
