//! The triangle test of `impinge::exact` in plain `f64`: the same algorithm without error bounds.
//!
//! This is the test written for speed alone; rounding may make any of its answers wrong. A zero
//! counts as negative.

use impinge::Vec3;

/// The vertex that is alone on its side, and the two others; the index is the code of the sides.
const ROTATION: [[usize; 3]; 8] =
    [[0, 0, 0], [0, 1, 2], [1, 2, 0], [2, 1, 0], [2, 0, 1], [1, 0, 2], [0, 2, 1], [0, 0, 0]];

/// The side of the vertex that is alone on its side; the index is the same code.
const APEX_SIDE: [f64; 8] = [0.0, 1.0, 1.0, -1.0, 1.0, -1.0, -1.0, 0.0];

/// Whether the triangles intersect, up to rounding.
#[inline(always)]
pub(crate) fn triangles_intersect(a: &[Vec3; 3], b: &[Vec3; 3]) -> bool {
    let w = [b[0] - a[0], b[1] - a[0], b[2] - a[0]];
    let n = (a[1] - a[0]).cross(a[2] - a[0]);
    let b_code = code([n.dot(w[0]), n.dot(w[1]), n.dot(w[2])]);
    if all_on_one_side(b_code) {
        return false;
    }
    let n = (b[1] - b[0]).cross(b[2] - b[0]);
    let a_code = code([-n.dot(w[0]), n.dot(a[1] - b[0]), n.dot(a[2] - b[0])]);
    if all_on_one_side(a_code) {
        return false;
    }
    let [b_apex, b_low, b_high] = ROTATION[b_code].map(|i| b[i]);
    let [a_apex, a_high, a_low] = ROTATION[a_code].map(|i| a[i]);
    let flip = APEX_SIDE[a_code] * APEX_SIDE[b_code];
    let to_b = b_apex - a_apex;
    let low_high = -flip * (a_low - a_apex).dot(to_b.cross(b_high - a_apex));
    let high_low = flip * (a_high - a_apex).dot(to_b.cross(b_low - a_apex));
    let gap = if low_high > high_low { low_high } else { high_low };
    gap <= 0.0
}

/// Whether a code has all bits set or none; one comparison.
#[inline(always)]
fn all_on_one_side(code: usize) -> bool {
    code.wrapping_sub(1) >= 6
}

/// Which of the values are positive, as bits.
#[inline(always)]
fn code([x, y, z]: [f64; 3]) -> usize {
    usize::from(x > 0.0) | usize::from(y > 0.0) << 1 | usize::from(z > 0.0) << 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::internals::Random;

    #[test]
    fn agrees_with_the_exact_test_on_ordinary_triangles() {
        let mut random = Random::new(7);
        let mut intersecting = 0;
        for _ in 0..10_000 {
            let [a, b] = [[(); 3]; 2].map(|t| t.map(|()| random.in_cube()));
            let exact = impinge::exact::triangles_intersect(&a, &b);
            assert_eq!(triangles_intersect(&a, &b), exact, "{a:?} {b:?}");
            intersecting += usize::from(exact);
        }
        assert!(intersecting > 1000 && intersecting < 9000, "{intersecting}");
    }
}
