//! The proofs that two convex polytopes are apart or share a point.
//!
//! Both are given by their points, all in A's frame; the bodies are the hulls of these. Every pair
//! of a point `a` of A and a point `b` of B gives a difference `b - a`. The hull of all differences
//! is the Minkowski difference, and the bodies share a point if and only if it contains the origin.
//! A certificate names a few such pairs, or a direction. One loop in integers verifies it
//! (`verify.rs`), independent of the search that found it.

use std::fmt;

use crate::arrays::MapEach;
use crate::math::Vec3;

/// Up to four pairs of vertices, each as an index in A and an index in B.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VertexPairs {
    pairs: [[u32; 2]; 4],
    len: u8,
}

impl VertexPairs {
    /// No pair.
    pub const NONE: Self = Self { pairs: [[0; 2]; 4], len: 0 };

    /// The first four of `pairs`, each as `[index in A, index in B]`.
    #[must_use]
    pub fn new(pairs: &[[u32; 2]]) -> Self {
        let mut all = Self::NONE;
        for pair in pairs.iter().take(4) {
            all.pairs[usize::from(all.len)] = *pair;
            all.len += 1;
        }
        all
    }

    /// The pairs, each as `[index in A, index in B]`.
    #[must_use]
    pub fn as_slice(&self) -> &[[u32; 2]] {
        &self.pairs[..usize::from(self.len)]
    }

    /// The number of pairs.
    #[must_use]
    pub fn len(&self) -> usize {
        usize::from(self.len)
    }

    /// Whether there is no pair.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The same pairs with A and B exchanged.
    #[must_use]
    pub fn swapped(self) -> Self {
        Self { pairs: self.pairs.map_each(|[a, b]| [b, a]), len: self.len }
    }
}

impl fmt::Debug for VertexPairs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.as_slice()).finish()
    }
}

/// The proof that two polytopes share no point: a direction along which all of B lies beyond all of
/// A, and by how much.
///
/// Let `n` be the direction. Then `n . b - n . a >= lower |n|` for every point `a` of A and `b` of
/// B, and the left side is positive. So `lower` is a certain lower bound of the distance.
///
/// **Which direction.** Almost always `n` is the field [`direction`](Self::direction), exactly as
/// stored, and [`pairs`](Self::pairs) is empty. If the bodies are so close that the direction
/// of their closest points, rounded, does not separate them, `pairs` names one, two or three
/// pairs of vertices with differences `w = b - a`, and `n` is, exactly, the vector from the origin
/// to the closest point of the point, line or plane through these:
///
/// | pairs | `n`, up to a positive factor |
/// | --- | --- |
/// | 1 | `w0` |
/// | 2 | `e x (w0 x e)` with `e = w1 - w0` |
/// | 3 | `(m . w0) m` with `m = (w1 - w0) x (w2 - w0)` |
///
/// **It always exists.** Let the bodies share no point, and let `v` be the point of the Minkowski
/// difference closest to the origin; it exists because the difference is compact, and `v` is not
/// zero. Because the difference is convex, `v . w >= |v|^2 > 0` for all its points `w`, so `v`
/// separates. The points with `v . w = |v|^2` form a face, the hull of those vertex differences
/// that lie on it, and `v` is in it. By Carathéodory's theorem `v` is a combination with positive
/// weights of some of these that are affinely independent; they lie in a plane perpendicular to
/// `v`, so there are at most three. The span of the chosen ones is perpendicular to `v` and holds
/// it, so `v` is its closest point to the origin: the formulas give `n = v` up to a positive
/// factor. No step requires a volume, so flat bodies, segments and points have the same
/// certificates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeparationCertificate {
    /// A vector of about unit length from A towards B, in A's frame. If
    /// [`pairs`](Self::pairs) is not empty, it is only the rounded separating direction and
    /// need not separate.
    pub direction: Vec3,
    /// A certain lower bound of the distance. Positive, unless the distance is below the smallest
    /// positive `f64`; then it is zero, and the bodies are still proven to share no point.
    pub lower: f64,
    /// The vertices that define the separating direction; empty if that is
    /// [`direction`](Self::direction).
    pub pairs: VertexPairs,
}

impl SeparationCertificate {
    /// The same proof with A and B exchanged, still in A's frame.
    #[must_use]
    pub fn swapped(self) -> Self {
        Self { direction: -self.direction, lower: self.lower, pairs: self.pairs.swapped() }
    }
}

/// The proof that two polytopes share a point: up to four pairs of vertices such that the hull of
/// the differences contains the origin.
///
/// If weights `t >= 0` with sum 1 give `sum t (b - a) = 0`, then `sum t a = sum t b` is a point of
/// both. The verification finds the weights from the pairs, exactly:
///
/// | pairs | weights, up to a common factor, for the differences `w` |
/// | --- | --- |
/// | 1 | 1; `w0` must be zero |
/// | 2 | `(w1 . e, -w0 . e)` with `e = w1 - w0`; `w0 x w1` must be zero |
/// | 3 | `m . (w1 x w2)`, `m . (w2 x w0)`, `m . (w0 x w1)` with `m` the sum of the three products; `m . w0` must be zero |
/// | 4 | `det(w1, w2, w3)`, `-det(w0, w2, w3)`, `det(w0, w1, w3)`, `-det(w0, w1, w2)` |
///
/// None may be negative (or none positive) and not all may be zero. By Carathéodory's theorem such
/// pairs exist whenever the bodies share a point. [`IntersectionCertificate::point`] is that point,
/// rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntersectionCertificate {
    /// The vertices whose differences surround the origin.
    pub pairs: VertexPairs,
}

impl IntersectionCertificate {
    /// The same proof with A and B exchanged.
    #[must_use]
    pub fn swapped(self) -> Self {
        Self { pairs: self.pairs.swapped() }
    }
}
