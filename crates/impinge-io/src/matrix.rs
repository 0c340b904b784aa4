//! Row-major 3x4 affine matrices, as far as files need them.

/// A map, its last column the translation.
pub(crate) type Matrix = [[f64; 4]; 3];

/// `a` after `b`.
pub(crate) fn compose(a: &Matrix, b: &Matrix) -> Matrix {
    a.map(|row| {
        let mut out = [0.0; 4];
        for (j, x) in out.iter_mut().enumerate() {
            *x = row[0] * b[0][j] + row[1] * b[1][j] + row[2] * b[2][j];
        }
        out[3] += row[3];
        out
    })
}

/// The map that scales by `s` along the axes first.
pub(crate) fn scale_columns(m: &mut Matrix, s: [f64; 3]) {
    for row in m {
        for (x, s) in row.iter_mut().zip(s) {
            *x *= s;
        }
    }
}

pub(crate) fn is_finite(m: &Matrix) -> bool {
    m.iter().flatten().all(|x| x.is_finite())
}

/// `v` at length one, or `None` if it is zero or not finite.
pub(crate) fn normalized<const N: usize>(v: [f64; N]) -> Option<[f64; N]> {
    // By the largest entry first, so that no square overflows or vanishes.
    let largest = v.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    if largest == 0.0 || !v.iter().all(|x| x.is_finite()) {
        return None;
    }
    let v = v.map(|x| x / largest);
    let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
    Some(v.map(|x| x / length))
}

/// The rotation of the quaternion `[x, y, z, w]` of any length; `None` if it is zero or not finite.
///
/// Divided by the square of the length, so that no root is rounded: the rotations that take axes to
/// axes come out exact.
pub(crate) fn from_quaternion(q: [f64; 4]) -> Option<Matrix> {
    let largest = q.iter().fold(0.0f64, |m, c| m.max(c.abs()));
    if largest == 0.0 || !q.iter().all(|c| c.is_finite()) {
        return None;
    }
    let [x, y, z, w] = q.map(|c| c / largest);
    let n = x * x + y * y + z * z + w * w;
    Some([
        [
            ((w * w + x * x) - (y * y + z * z)) / n,
            2.0 * (x * y - z * w) / n,
            2.0 * (x * z + y * w) / n,
            0.0,
        ],
        [
            2.0 * (x * y + z * w) / n,
            ((w * w + y * y) - (x * x + z * z)) / n,
            2.0 * (y * z - x * w) / n,
            0.0,
        ],
        [
            2.0 * (x * z - y * w) / n,
            2.0 * (y * z + x * w) / n,
            ((w * w + z * z) - (x * x + y * y)) / n,
            0.0,
        ],
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quaternions_of_any_length() {
        let expected = [[0.0, -1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
        for s in [1e-300, 0.5, std::f64::consts::FRAC_1_SQRT_2, 1.0, 1e300] {
            assert_eq!(from_quaternion([0.0, 0.0, s, s]), Some(expected));
        }
        assert_eq!(from_quaternion([0.0; 4]), None);
        assert_eq!(from_quaternion([f64::NAN, 0.0, 0.0, 1.0]), None);
    }

    #[test]
    fn composition_applies_the_right_one_first() {
        let turn = [[0.0, -1.0, 0.0, 5.0], [1.0, 0.0, 0.0, 6.0], [0.0, 0.0, 1.0, 7.0]];
        let shift = [[2.0, 0.0, 0.0, 1.0], [0.0, 2.0, 0.0, 2.0], [0.0, 0.0, 2.0, 3.0]];
        let both = compose(&turn, &shift);
        assert_eq!(both, [[0.0, -2.0, 0.0, 3.0], [2.0, 0.0, 0.0, 7.0], [0.0, 0.0, 2.0, 10.0]]);
    }
}
