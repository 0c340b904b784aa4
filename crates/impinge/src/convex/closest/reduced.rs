//! The part of a simplex that its nearest point needs.

use crate::math::Vec3;

/// Some points of a simplex, with positive weights of sum one (up to rounding).
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(clippy::len_without_is_empty, reason = "there is at least one point")]
pub struct Reduced {
    len: usize,
    index: [usize; 4],
    weight: [f64; 4],
}

impl Reduced {
    /// One point alone.
    #[must_use]
    pub fn point(index: usize) -> Self {
        Self { len: 1, index: [index, 0, 0, 0], weight: [1.0, 0.0, 0.0, 0.0] }
    }

    /// Some points, with parts that are positive; the weights are their shares in the sum.
    #[must_use]
    pub fn shares<const N: usize>(index: [usize; N], parts: [f64; N]) -> Self {
        let sum: f64 = parts.iter().sum();
        let mut reduced = Self { len: N, index: [0; 4], weight: [0.0; 4] };
        reduced.index[..N].copy_from_slice(&index);
        for (weight, part) in reduced.weight.iter_mut().zip(parts) {
            *weight = part / sum;
        }
        reduced
    }

    /// The number of points.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// The points' places in the simplex, and their weights.
    pub fn iter(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.index[..self.len].iter().copied().zip(self.weight)
    }

    /// The same weights for a simplex of only these points.
    pub(super) fn renumbered(self) -> Self {
        Self { index: [0, 1, 2, 3], ..self }
    }

    /// The weighted sum of something of the points.
    pub fn sum(&self, of: impl Fn(usize) -> Vec3) -> Vec3 {
        self.iter().map(|(i, w)| of(i) * w).sum()
    }

    /// The one whose point is nearer to the origin.
    pub(super) fn nearer(self, other: Self, points: &[Vec3]) -> Self {
        let distance = |r: &Self| r.sum(|i| points[i]).length_squared();
        if distance(&other) < distance(&self) { other } else { self }
    }
}
