//! Row-major 3x4 affine matrices for file formats.

use crate::document::IDENTITY;

/// An affine map; the last column is the translation.
pub(crate) type Matrix = [[f64; 4]; 3];

/// The map that applies `b` first, then `a`.
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

/// Changes `m` to the map that scales by `s` along the axes first, then applies `m`.
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

/// A uniform scale, followed by a matrix.
///
/// Scale and matrix are kept separate in a hierarchy of frames. The factors of nested frames are
/// multiplied only with each other, so all parts in one scaled frame have the same factor to the
/// last bit, for any rotations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Placement {
    pub(crate) matrix: Matrix,
    /// Not negative; zero only if a product of factors underflows.
    pub(crate) scale: f64,
}

impl Placement {
    pub(crate) const IDENTITY: Self = Self { matrix: IDENTITY, scale: 1.0 };

    /// The map of `matrix`. If the matrix maps axes to axes with exactly the same scale, this scale
    /// is separated; no rounding occurs.
    pub(crate) fn of_matrix(matrix: Matrix) -> Self {
        let Some(scale) = scale_of_axes(&matrix) else { return Self { matrix, scale: 1.0 } };
        let matrix = matrix.map(|[x, y, z, t]| [x / scale, y / scale, z / scale, t]);
        Self { matrix, scale }
    }

    /// The map that scales by `s` along the axes first, then applies this map.
    pub(crate) fn scaled_first(mut self, s: [f64; 3]) -> Self {
        if s[0] > 0.0 && s == [s[0]; 3] {
            self.scale *= s[0];
        } else {
            scale_columns(&mut self.matrix, s);
        }
        self
    }

    /// The map that applies `inner` first, then `self`.
    pub(crate) fn compose(&self, inner: &Self) -> Self {
        let mut scaled = inner.matrix;
        for row in &mut scaled {
            row[3] *= self.scale;
        }
        Self { matrix: compose(&self.matrix, &scaled), scale: self.scale * inner.scale }
    }

    /// Whether scale, matrix and their product are finite.
    pub(crate) fn is_finite(&self) -> bool {
        let mut whole = self.matrix;
        scale_columns(&mut whole, [self.scale; 3]);
        self.scale.is_finite() && is_finite(&self.matrix) && is_finite(&whole)
    }
}

/// The scale of a matrix that maps every axis to an axis or its opposite, with the same scale;
/// `None` for other matrices.
fn scale_of_axes(m: &Matrix) -> Option<f64> {
    let scale = m[0][..3].iter().map(|x| x.abs()).find(|x| *x != 0.0)?;
    let axes = |k: usize| (0..3).filter(|j| m[*j][k] != 0.0).count() == 1;
    let rows = m.iter().all(|row| row[..3].iter().filter(|x| **x != 0.0).count() == 1);
    let uniform = m.iter().all(|row| row[..3].iter().all(|x| *x == 0.0 || x.abs() == scale));
    (scale.is_finite() && rows && (0..3).all(axes) && uniform).then_some(scale)
}

/// `v` scaled to length one, or `None` if it is zero or not finite.
pub(crate) fn normalized<const N: usize>(v: [f64; N]) -> Option<[f64; N]> {
    // Divided by the largest entry first, so that the sum of squares neither overflows nor
    // vanishes.
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
/// The entries are divided by the squared length, which avoids the rounding of a square root:
/// rotations that map axes to axes are exact.
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
    fn quaternions_may_have_any_length() {
        let expected = [[0.0, -1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
        for s in [1e-300, 0.5, std::f64::consts::FRAC_1_SQRT_2, 1.0, 1e300] {
            assert_eq!(from_quaternion([0.0, 0.0, s, s]), Some(expected));
        }
        assert_eq!(from_quaternion([0.0; 4]), None);
        assert_eq!(from_quaternion([f64::NAN, 0.0, 0.0, 1.0]), None);
    }

    #[test]
    fn scales_are_kept_apart_from_rotations() {
        let y_up = [[0.0, 0.0, 0.1, 5.0], [-0.1, 0.0, 0.0, 6.0], [0.0, -0.1, 0.0, 7.0]];
        let axes = [[0.0, 0.0, 1.0, 5.0], [-1.0, 0.0, 0.0, 6.0], [0.0, -1.0, 0.0, 7.0]];
        let root = Placement::of_matrix(y_up);
        assert_eq!(root, Placement { matrix: axes, scale: 0.1 });
        let turn = from_quaternion([0.1, 0.2, 0.3, 0.4]).unwrap();
        let node = Placement::of_matrix(turn).scaled_first([0.3; 3]);
        assert_eq!(node, Placement { matrix: turn, scale: 0.3 });
        let both = root.compose(&node);
        assert_eq!(both, Placement { matrix: compose(&axes, &turn), scale: 0.1 * 0.3 });
        // Translations of inner frames are scaled.
        let shift = [[1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 2.0], [0.0, 0.0, 1.0, 3.0]];
        let moved = root.compose(&Placement::of_matrix(shift));
        assert_eq!(moved.matrix.map(|row| row[3]), [0.1 * 3.0 + 5.0, 6.0 - 0.1, 7.0 - 0.1 * 2.0]);
        // A scale that is not uniform and positive stays in the matrix.
        for s in [[0.1, 0.1, 0.2], [-0.1; 3], [0.0; 3], [f64::NAN; 3]] {
            let map = Placement::IDENTITY.scaled_first(s);
            assert_eq!(map.scale, 1.0);
            assert_eq!(map.matrix[1][1].to_bits(), s[1].to_bits());
            assert_eq!(
                Placement::of_matrix(map.matrix).scale,
                if s == [-0.1; 3] { 0.1 } else { 1.0 }
            );
        }
        let singular = [[0.1, 0.0, 0.0, 0.0], [0.1, 0.0, 0.0, 0.0], [0.0, 0.0, 0.1, 0.0]];
        assert_eq!(Placement::of_matrix(singular).scale, 1.0);
        assert_eq!(Placement::of_matrix(turn).scale, 1.0);
        assert!(!Placement { matrix: y_up, scale: f64::INFINITY }.is_finite());
        assert!(
            !Placement { matrix: y_up.map(|r| r.map(|x| x * 1e200)), scale: 1e200 }.is_finite()
        );
    }

    #[test]
    fn composition_applies_the_second_map_first() {
        let turn = [[0.0, -1.0, 0.0, 5.0], [1.0, 0.0, 0.0, 6.0], [0.0, 0.0, 1.0, 7.0]];
        let shift = [[2.0, 0.0, 0.0, 1.0], [0.0, 2.0, 0.0, 2.0], [0.0, 0.0, 2.0, 3.0]];
        let both = compose(&turn, &shift);
        assert_eq!(both, [[0.0, -2.0, 0.0, 3.0], [2.0, 0.0, 0.0, 7.0], [0.0, 0.0, 2.0, 10.0]]);
    }
}
