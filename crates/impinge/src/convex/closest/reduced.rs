//! The part of a simplex that its nearest point needs.

use crate::math::Vec3;

/// Points of a simplex with positive weights that add up to one, up to rounding.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(clippy::len_without_is_empty, reason = "there is at least one point")]
pub struct Reduced {
    len: usize,
    index: [usize; 4],
    weight: [f64; 4],
}

impl Reduced {
    /// A single point.
    #[must_use]
    pub fn point(index: usize) -> Self {
        Self { len: 1, index: [index, 0, 0, 0], weight: [1.0, 0.0, 0.0, 0.0] }
    }

    /// Points with positive parts; the weight of each is its share of the sum of the parts.
    #[must_use]
    pub fn weighted<const N: usize>(index: [usize; N], parts: [f64; N]) -> Self {
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

    /// The indices of the points in the simplex, and their weights.
    pub fn iter(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.index[..self.len].iter().copied().zip(self.weight)
    }

    /// The same weights for a simplex of only these points.
    pub(super) fn renumbered(self) -> Self {
        Self { index: [0, 1, 2, 3], ..self }
    }

    /// The weighted sum of `of` over the points, by their indices.
    pub fn sum(&self, of: impl Fn(usize) -> Vec3) -> Vec3 {
        self.iter().map(|(i, w)| of(i) * w).sum()
    }

    /// The one of two reductions whose point is nearer to the origin.
    pub(super) fn nearer(self, other: Self, points: &[Vec3]) -> Self {
        let distance = |r: &Self| r.sum(|i| points[i]).length_squared();
        if distance(&other) < distance(&self) { other } else { self }
    }
}
