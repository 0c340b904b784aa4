//! Whether two convex polytopes share a point, decided exactly and with a proof.
//!
//! A body is the hull of its points; both are given in one frame. The verdict is that of real
//! arithmetic on the `f64` coordinates as they are: the sets are closed, so touching counts as
//! sharing, and there is no tolerance. The verdict comes with its proof, which a short loop
//! verifies: a direction and a [`SeparationCertificate`], or a few vertices around a common point,
//! an [`IntersectionCertificate`].
//!
//! First floating point tries to prove an answer (`filter.rs`). Otherwise an active set of vertex
//! differences in integers of any length decides (`active.rs`). It starts where a floating-point
//! search ended ([`Hint`]) and then usually needs one step.
//!
//! ```
//! use impinge::Vec3;
//! use impinge::internals::decide::{Verdict, Hint, decide};
//!
//! let a = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
//! // Just above the slope of the tetrahedron, and just on it.
//! let third = 1.0 / 3.0;
//! let above = [Vec3::new(third, third, third + 2e-16), Vec3::ONE];
//! let on = [Vec3::new(0.25, 0.25, 0.5), Vec3::ONE];
//! match decide(&a, &above, &Hint::NONE) {
//!     Verdict::Separated(proof) => assert!(proof.verify(&a, &above) && proof.lower > 0.0),
//!     Verdict::Intersecting(_) => unreachable!(),
//! }
//! match decide(&a, &on, &Hint::NONE) {
//!     Verdict::Intersecting(proof) => assert_eq!(proof.point(&a, &on), Some(on[0])),
//!     Verdict::Separated(_) => unreachable!(),
//! }
//! ```

mod active;
mod certificate;
mod distance;
mod extreme;
mod filter;
mod nearest;
mod vector;
mod verify;

use active::Active;
use distance::root;
use extreme::Direction;

use super::interruptible::finish;
use crate::answer;
use crate::math::Vec3;

pub use certificate::{IntersectionCertificate, SeparationCertificate, VertexPairs};
#[cfg(feature = "internals")]
pub use distance::Closest;
#[cfg(any(test, feature = "internals"))]
pub use distance::{closest, compare_distance};
pub(crate) use distance::{closest_in_pieces, compare_in_pieces};
#[cfg(feature = "internals")]
pub use filter::{certain_gap, contains_origin};

/// Whether two polytopes share a point, with the proof.
pub type Verdict = answer::Verdict<SeparationCertificate, IntersectionCertificate>;

impl answer::Verdict<SeparationCertificate, IntersectionCertificate> {
    /// Whether the proof is valid for these points.
    #[must_use]
    pub fn verify(&self, a: &[Vec3], b: &[Vec3]) -> bool {
        finish(self.verify_in_pieces(a, b))
    }

    /// As [`Self::verify`], in pieces.
    pub(crate) async fn verify_in_pieces(&self, a: &[Vec3], b: &[Vec3]) -> bool {
        let verdict = *self;
        match verdict {
            Self::Separated(gap) => gap.verify_in_pieces(a, b).await,
            Self::Intersecting(common) => common.verify_in_pieces(a, b).await,
        }
    }

    /// The same verdict with A and B exchanged, still in A's frame.
    #[must_use]
    pub fn swapped(self) -> Self {
        match self {
            Self::Separated(gap) => Self::Separated(gap.swapped()),
            Self::Intersecting(common) => Self::Intersecting(common.swapped()),
        }
    }
}

/// Where a search in floating point ended. A good hint saves steps; a bad one costs steps and
/// changes no verdict.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hint {
    /// The vertices of the simplex, in any order; indices that do not exist are ignored.
    pub pairs: VertexPairs,
    /// A direction from A towards B that may separate the bodies, of about unit length; zero if
    /// there is none.
    pub direction: Vec3,
}

impl Hint {
    /// No hint.
    pub const NONE: Self = Self { pairs: VertexPairs::NONE, direction: Vec3::ZERO };
}

/// Whether the hulls of `a` and `b`, in one frame, share a point, exactly.
///
/// For all finite coordinates, very large and denormal, and for all bodies: with or without volume,
/// with points that coincide or lie inside. A body without points shares none. If a coordinate is
/// not finite, the function returns, but the result is meaningless; a proof of separation then does
/// not verify.
#[must_use]
pub fn decide(a: &[Vec3], b: &[Vec3], hint: &Hint) -> Verdict {
    finish(decide_in_pieces(a, b, hint))
}

/// As [`decide`], in pieces.
pub(crate) async fn decide_in_pieces(a: &[Vec3], b: &[Vec3], hint: &Hint) -> Verdict {
    if a.is_empty() || b.is_empty() {
        return Verdict::Separated(SeparationCertificate {
            direction: Vec3::X,
            lower: f64::MAX,
            pairs: VertexPairs::NONE,
        });
    }
    let exists = |[i, j]: &[u32; 2]| (*i as usize) < a.len() && (*j as usize) < b.len();
    if hint.pairs.as_slice().iter().all(exists) {
        if let Some(common) = IntersectionCertificate::around(hint.pairs, a, b) {
            return Verdict::Intersecting(common);
        }
    }
    if hint.direction != Vec3::ZERO {
        if let Some(gap) = SeparationCertificate::along_in_pieces(hint.direction, a, b).await {
            return Verdict::Separated(gap);
        }
    }
    decide_exactly(a, b, hint).await.unwrap_or(Verdict::Separated(SeparationCertificate {
        direction: Vec3::ZERO,
        lower: 0.0,
        pairs: VertexPairs::NONE,
    }))
}

/// The decision by the active set; `None` if a coordinate is not finite.
async fn decide_exactly(a: &[Vec3], b: &[Vec3], hint: &Hint) -> Option<Verdict> {
    let mut active = Active::new(a, b, &hint.pairs).await?;
    loop {
        if active.contains_origin() {
            return Some(Verdict::Intersecting(IntersectionCertificate { pairs: active.pairs() }));
        }
        let direction = active.direction().normalize();
        if let Some(gap) = SeparationCertificate::along_in_pieces(direction, a, b).await {
            return Some(Verdict::Separated(gap));
        }
        if !active.improve().await? {
            return Some(Verdict::Separated(proof_of_small_gap(a, b, direction, &active).await));
        }
    }
}

/// The proof where the filter finds none: the rounded direction of the closest points, if that
/// separates the bodies, otherwise the features of the closest points.
async fn proof_of_small_gap(
    a: &[Vec3],
    b: &[Vec3],
    direction: Vec3,
    active: &Active<'_>,
) -> SeparationCertificate {
    let near = active.pairs().as_slice()[0];
    let by_direction = match Direction::of(direction) {
        Some(exact) => exact.squared_gap(a, b, near).await,
        None => None,
    };
    let (squared, features) = match by_direction {
        Some(gap) => (gap, VertexPairs::NONE),
        None => (active.squared().await, active.pairs()),
    };
    SeparationCertificate { direction, lower: root(squared).await.0, pairs: features }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    fn corners(low: Vec3, high: Vec3) -> Vec<Vec3> {
        let pick = |bits: usize, k: usize| if bits & (1 << k) == 0 { low[k] } else { high[k] };
        (0..8).map(|bits| Vec3::new(pick(bits, 0), pick(bits, 1), pick(bits, 2))).collect()
    }

    /// The verdict, after checks that apply to every verdict.
    fn checked_intersection(a: &[Vec3], b: &[Vec3]) -> bool {
        let decision = decide(a, b, &Hint::NONE);
        assert!(decision.verify(a, b), "{decision:?} {a:?} {b:?}");
        assert!(decision.swapped().verify(b, a), "{decision:?}");
        let other = decide(b, a, &Hint::NONE);
        assert!(other.verify(b, a), "{other:?} {a:?} {b:?}");
        assert_eq!(decision.is_intersecting(), other.is_intersecting(), "{a:?} {b:?}");
        match (decision, closest(a, b, &Hint::NONE).unwrap()) {
            (Verdict::Separated(gap), closest) => {
                assert!(gap.lower <= closest.lower && closest.lower <= closest.upper);
                let proof =
                    SeparationCertificate { lower: closest.lower, pairs: closest.pairs, ..gap };
                assert!(proof.verify(a, b));
                let above = SeparationCertificate {
                    lower: f64::from_bits(closest.upper.to_bits() + 1),
                    ..proof
                };
                assert!(!above.verify(a, b));
            }
            (Verdict::Intersecting(_), closest) => {
                assert_eq!((closest.lower, closest.upper), (0.0, 0.0));
                assert_eq!(closest.point_a, closest.point_b);
            }
        }
        decision.is_intersecting()
    }

    #[test]
    fn boxes_one_bit_apart() {
        let a = corners(Vec3::ZERO, Vec3::ONE);
        for k in 0..3 {
            let mut low = Vec3::splat(0.25);
            for (x, expected) in
                [(1.0 + f64::EPSILON, false), (1.0, true), (1.0 - f64::EPSILON / 2.0, true)]
            {
                low[k] = x;
                assert_eq!(checked_intersection(&a, &corners(low, low + Vec3::ONE)), expected);
            }
        }
    }

    #[test]
    fn gaps_that_no_f64_direction_separates_are_proven_by_features() {
        // Vertices above and below sloped faces by less than any plane in `f64` can show.
        let mut random = Random::new(3);
        let mut by_features = 0;
        for _ in 0..300 {
            let a = [0; 3].map(|_| random.in_cube());
            let weights = [0; 3].map(|_| random.unit());
            let total: f64 = weights.iter().sum();
            let on = (a[0] * weights[0] + a[1] * weights[1] + a[2] * weights[2]) / total;
            let normal = (a[1] - a[0]).cross(a[2] - a[0]);
            let height = crate::exact::orient3d(a[0], a[1], a[2], on);
            let up = if height == crate::exact::Sign::Negative { -normal } else { normal };
            let b = [on, on + up, on + up + Vec3::X * 1e-3];
            assert_eq!(checked_intersection(&a, &b), height.is_zero());
            if let Verdict::Separated(gap) = decide(&a, &b, &Hint::NONE) {
                by_features += usize::from(!gap.pairs.is_empty());
                assert!(gap.lower > 0.0 && gap.lower < 1e-15);
            }
        }
        assert!(by_features > 50, "{by_features}");
    }

    #[test]
    fn flat_bodies_segments_and_points() {
        let square = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(1.0, 1.0, 0.0)];
        assert!(checked_intersection(&square, &square));
        assert!(checked_intersection(&square, &[Vec3::new(0.3, 0.4, 0.0)]));
        assert!(!checked_intersection(&square, &[Vec3::new(0.3, 0.4, f64::from_bits(1))]));
        assert!(checked_intersection(
            &square,
            &[Vec3::new(0.3, 0.4, -1.0), Vec3::new(0.3, 0.4, 1.0)]
        ));
        assert!(checked_intersection(
            &square,
            &[Vec3::new(1.0, 1.0, -1.0), Vec3::new(1.0, 1.0, 1.0)]
        ));
        assert!(!checked_intersection(
            &square,
            &[Vec3::new(1.0, 1.1, -1.0), Vec3::new(1.0, 1.1, 1.0)]
        ));
        assert!(checked_intersection(&square[..1], &square[..1]));
        assert!(!checked_intersection(&square[..1], &square[1..2]));
        assert!(checked_intersection(&square[1..3], &[Vec3::ZERO, Vec3::new(0.5, 0.5, 0.0)]));
        assert!(!checked_intersection(&square[1..3], &[Vec3::ZERO, Vec3::splat(0.5)]));
        assert!(checked_intersection(
            &[Vec3::X; 5],
            &[Vec3::ZERO, Vec3::X * 2.0, Vec3::X, Vec3::X]
        ));
    }

    #[test]
    fn very_large_and_denormal_coordinates() {
        let tiny = f64::from_bits(1);
        let a = corners(Vec3::splat(-1e60), Vec3::ZERO);
        assert!(checked_intersection(&a, &corners(Vec3::ZERO, Vec3::splat(1e60))));
        assert!(!checked_intersection(&a, &corners(Vec3::splat(tiny), Vec3::splat(1e60))));
        let small = corners(Vec3::splat(-tiny), Vec3::splat(tiny));
        assert!(checked_intersection(&small, &a));
        assert!(!checked_intersection(
            &small,
            &corners(Vec3::splat(2.0 * tiny), Vec3::splat(3.0 * tiny))
        ));
        // The distance of a vertex from a sloped face, far below the smallest `f64`.
        let slope = [Vec3::X, Vec3::Y, Vec3::Z].map(|v| v * tiny);
        let decision = decide(&slope, &[Vec3::ZERO], &Hint::NONE);
        assert!(decision.verify(&slope, &[Vec3::ZERO]));
        assert!(matches!(decision, Verdict::Separated(gap) if gap.lower == 0.0));
    }

    #[test]
    fn hints_change_no_verdict() {
        let mut random = Random::new(21);
        for round in 0..200 {
            let size = 1.0 - f64::from(round % 5) * 0.2;
            let offset = random.direction() * random.range(0.5, 1.5);
            let a: Vec<_> = (0..20).map(|_| random.direction() * size).collect();
            let b: Vec<_> = (0..30).map(|_| random.direction() * 0.5 + offset).collect();
            let expected = checked_intersection(&a, &b);
            for len in 0..5 {
                let mut any = || [random.index(22) as u32, random.index(32) as u32];
                let pairs: Vec<_> = (0..len).map(|_| any()).collect();
                let direction = random.direction();
                let decision = decide(&a, &b, &Hint { pairs: VertexPairs::new(&pairs), direction });
                assert!(decision.verify(&a, &b));
                assert_eq!(decision.is_intersecting(), expected);
            }
        }
    }

    #[test]
    fn empty_bodies_and_non_finite_coordinates() {
        let none = decide(&[], &[Vec3::ZERO], &Hint::NONE);
        assert!(!none.is_intersecting() && none.verify(&[], &[Vec3::ZERO]));
        assert!(decide(&[], &[], &Hint::NONE).verify(&[], &[]));
        assert_eq!(closest(&[], &[Vec3::ZERO], &Hint::NONE), None);
        for bad in [f64::NAN, f64::INFINITY] {
            let (a, b) = ([Vec3::ZERO, Vec3::X * bad], [Vec3::X, Vec3::Y * 3.0]);
            assert!(!decide(&a, &b, &Hint::NONE).verify(&a, &b));
            let hint = Hint { pairs: VertexPairs::new(&[[1, 1]]), direction: Vec3::splat(bad) };
            assert!(!decide(&a, &b, &hint).verify(&a, &b));
            assert_eq!(closest(&a, &b, &hint), None);
        }
    }
}
