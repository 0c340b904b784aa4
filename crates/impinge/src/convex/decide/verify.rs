//! The verification of certificates: one loop that finds the outermost points, then arithmetic in
//! integers.
//!
//! Independent of the code that finds certificates: neither uses the other. They share only the
//! conversion of a finite `f64` to an integer times a power of two, and the exact predicate
//! [`compare_along`].

use num_bigint::BigInt;
use num_traits::Zero;

use super::certificate::{IntersectionCertificate, SeparationCertificate, VertexPairs};
use crate::exact::integer::{decompose, quotient, scale};
use crate::exact::{EXACT_RANGE, Sign, compare_along};
use crate::math::Vec3;

type Vector = [BigInt; 3];

impl SeparationCertificate {
    /// Whether the certificate proves that the hulls of `a` and `b`, in one frame, are at least
    /// [`lower`](SeparationCertificate::lower) apart and share no point.
    ///
    /// Exact for coordinates within [`EXACT_RANGE`], in time proportional to the number of points;
    /// false if a number is not finite or beyond it, or if a vertex does not exist. An empty hull
    /// shares no point with any other.
    ///
    /// ```
    /// use impinge::Vec3;
    /// use impinge::internals::decide::{SeparationCertificate, VertexPairs};
    ///
    /// let a = [Vec3::ZERO, Vec3::X];
    /// let b = [Vec3::Z * 2.0, Vec3::ONE * 3.0];
    /// let direction = Vec3::Z;
    /// let mut proof = SeparationCertificate { direction, lower: 2.0, pairs: VertexPairs::NONE };
    /// assert!(proof.verify(&a, &b));
    /// proof.lower = 2.0 + f64::EPSILON * 2.0;
    /// assert!(!proof.verify(&a, &b));
    /// ```
    #[must_use]
    pub fn verify(&self, a: &[Vec3], b: &[Vec3]) -> bool {
        self.is_proven(a, b).unwrap_or(false)
    }

    fn is_proven(&self, a: &[Vec3], b: &[Vec3]) -> Option<bool> {
        let is_in_range = |p: &Vec3| p.is_finite() && p.abs().max_element() <= EXACT_RANGE;
        if !a.iter().chain(b).all(is_in_range) {
            return Some(false);
        }
        if a.is_empty() || b.is_empty() {
            return Some(true);
        }
        let (n, between, exponent) =
            if self.pairs.is_empty() { self.by_direction(a, b)? } else { self.by_features(a, b)? };
        if between <= BigInt::zero() || self.lower < 0.0 {
            return Some(false);
        }
        // Squared, because |n| need not be rational. The unit of `n` cancels.
        let (gap, gap_exponent) = decompose(self.lower)?;
        let required = BigInt::from(gap) * gap * dot(&n, &n);
        Some(at_most((required, 2 * gap_exponent), (&between * &between, 2 * exponent)))
    }

    /// The direction as given, the distance of B beyond A along it, and the unit of that distance
    /// without the unit of the direction.
    fn by_direction(&self, a: &[Vec3], b: &[Vec3]) -> Option<(Vector, BigInt, i32)> {
        let along = |p: &&Vec3, q: &&Vec3| compare_along(self.direction, **q, **p).cmp(&Sign::Zero);
        let (last_of_a, first_of_b) = (*a.iter().max_by(along)?, *b.iter().min_by(along)?);
        let points = Integers::new(&[last_of_a], &[first_of_b])?;
        let n = scale(self.direction.to_array())?.values;
        let between = dot(&n, &minus(&points.b[0], &points.a[0]));
        Some((n, between, points.exponent))
    }

    /// The same for the direction that the features define; every point in integers.
    fn by_features(&self, a: &[Vec3], b: &[Vec3]) -> Option<(Vector, BigInt, i32)> {
        let points = Integers::new(a, b)?;
        let n = to_closest(&points.differences(&self.pairs)?)?;
        let last_of_a = points.a.iter().map(|p| dot(&n, p)).max()?;
        let first_of_b = points.b.iter().map(|p| dot(&n, p)).min()?;
        Some((n, first_of_b - last_of_a, points.exponent))
    }
}

impl IntersectionCertificate {
    /// Whether the certificate proves that the hulls of `a` and `b`, in one frame, share a point.
    ///
    /// Exact for all finite coordinates; false if a number is not finite or if a vertex does not
    /// exist.
    ///
    /// ```
    /// use impinge::Vec3;
    /// use impinge::internals::decide::{IntersectionCertificate, VertexPairs};
    ///
    /// // Two segments that cross in (1, 1, 0).
    /// let a = [Vec3::ZERO, Vec3::new(2.0, 2.0, 0.0)];
    /// let b = [Vec3::new(2.0, 0.0, 0.0), Vec3::new(0.0, 2.0, 0.0)];
    /// let proof = IntersectionCertificate { pairs: VertexPairs::new(&[[0, 0], [1, 1]]) };
    /// assert!(proof.verify(&a, &b));
    /// assert_eq!(proof.point(&a, &b), Some(Vec3::new(1.0, 1.0, 0.0)));
    /// let pairs = VertexPairs::new(&[[0, 0], [1, 0]]);
    /// assert!(!IntersectionCertificate { pairs }.verify(&a, &b));
    /// ```
    #[must_use]
    pub fn verify(&self, a: &[Vec3], b: &[Vec3]) -> bool {
        Integers::of_pairs(&self.pairs, a, b)
            .is_some_and(|points| weights(&points.differences_in_order()).is_some())
    }

    /// The common point that the certificate proves, every coordinate the `f64` nearest to the
    /// exact one; `None` if it does not [prove](Self::verify) any. In the frame of `a` and `b`.
    #[must_use]
    pub fn point(&self, a: &[Vec3], b: &[Vec3]) -> Option<Vec3> {
        let points = Integers::of_pairs(&self.pairs, a, b)?;
        let weights = weights(&points.differences_in_order())?;
        let total: BigInt = weights.iter().sum();
        let coordinate = |k: usize| -> f64 {
            let sum: BigInt = weights.iter().zip(&points.a).map(|(t, p)| t * &p[k]).sum();
            quotient(&sum, &total, points.exponent)
        };
        Some(Vec3::new(coordinate(0), coordinate(1), coordinate(2)))
    }
}

/// The points of both bodies as integers in one unit, `2^exponent`.
struct Integers {
    a: Vec<Vector>,
    b: Vec<Vector>,
    exponent: i32,
}

impl Integers {
    /// `None` if a coordinate is not finite.
    fn new(a: &[Vec3], b: &[Vec3]) -> Option<Self> {
        let mut exponent = i32::MAX;
        for x in a.iter().chain(b).flat_map(Vec3::to_array) {
            let (mantissa, e) = decompose(x)?;
            // Zero has no exponent.
            if mantissa != 0 {
                exponent = exponent.min(e);
            }
        }
        let integer = |x: f64| match decompose(x) {
            Some((mantissa, e)) if mantissa != 0 => BigInt::from(mantissa) << (e - exponent) as u32,
            _ => BigInt::zero(),
        };
        let all = |points: &[Vec3]| points.iter().map(|p| p.to_array().map(integer)).collect();
        let exponent_of_any = if exponent == i32::MAX { 0 } else { exponent };
        Some(Self { a: all(a), b: all(b), exponent: exponent_of_any })
    }

    /// Only the points of the pairs, in their order.
    fn of_pairs(pairs: &VertexPairs, a: &[Vec3], b: &[Vec3]) -> Option<Self> {
        let (mut of_a, mut of_b) = (Vec::new(), Vec::new());
        for [i, j] in pairs.as_slice() {
            of_a.push(*a.get(*i as usize)?);
            of_b.push(*b.get(*j as usize)?);
        }
        Self::new(&of_a, &of_b)
    }

    /// `b - a` for every pair; `None` if a vertex does not exist.
    fn differences(&self, pairs: &VertexPairs) -> Option<Vec<Vector>> {
        let numbers = pairs.as_slice().iter();
        numbers
            .map(|[i, j]| Some(minus(self.b.get(*j as usize)?, self.a.get(*i as usize)?)))
            .collect()
    }

    /// `b - a` for the points in their order.
    fn differences_in_order(&self) -> Vec<Vector> {
        self.b.iter().zip(&self.a).map(|(b, a)| minus(b, a)).collect()
    }
}

/// From the origin to the closest point of the point, line or plane through `w`, up to a positive
/// factor.
fn to_closest(w: &[Vector]) -> Option<Vector> {
    match w {
        [w0] => Some(w0.clone()),
        [w0, w1] => {
            let e = minus(w1, w0);
            Some(cross(&e, &cross(w0, &e)))
        }
        [w0, w1, w2] => {
            let m = cross(&minus(w1, w0), &minus(w2, w0));
            let height = dot(&m, w0);
            Some(m.map(|x| x * &height))
        }
        _ => None,
    }
}

/// Weights, none negative and not all zero, with `sum t w = 0`; `None` if there are none.
fn weights(w: &[Vector]) -> Option<Vec<BigInt>> {
    let weights = match w {
        [w0] if is_zero(w0) => vec![BigInt::from(1)],
        [w0, w1] if is_zero(&cross(w0, w1)) => {
            let e = minus(w1, w0);
            vec![dot(w1, &e), -dot(w0, &e)]
        }
        [w0, w1, w2] => {
            let products = [cross(w1, w2), cross(w2, w0), cross(w0, w1)];
            let m = [0, 1, 2].map(|k| products.iter().map(|p| &p[k]).sum());
            if !dot(&m, w0).is_zero() {
                return None;
            }
            products.iter().map(|p| dot(&m, p)).collect()
        }
        [w0, w1, w2, w3] => {
            let det = |u: &Vector, v: &Vector, w: &Vector| dot(u, &cross(v, w));
            vec![det(w1, w2, w3), -det(w0, w2, w3), det(w0, w1, w3), -det(w0, w1, w2)]
        }
        _ => return None,
    };
    let zero = BigInt::zero();
    if weights.iter().all(|t| *t <= zero) && weights.iter().any(|t| *t < zero) {
        return Some(weights.into_iter().map(|t| -t).collect());
    }
    (weights.iter().all(|t| *t >= zero) && weights.iter().any(|t| *t > zero)).then_some(weights)
}

/// Whether `x * 2^e <= y * 2^f`.
fn at_most((x, e): (BigInt, i32), (y, f): (BigInt, i32)) -> bool {
    let unit = e.min(f);
    x << (e - unit) as u32 <= y << (f - unit) as u32
}

fn minus(u: &Vector, v: &Vector) -> Vector {
    [0, 1, 2].map(|k| &u[k] - &v[k])
}

fn dot(u: &Vector, v: &Vector) -> BigInt {
    &u[0] * &v[0] + &u[1] * &v[1] + &u[2] * &v[2]
}

fn cross(u: &Vector, v: &Vector) -> Vector {
    [(1, 2), (2, 0), (0, 1)].map(|(i, j)| &u[i] * &v[j] - &u[j] * &v[i])
}

fn is_zero(v: &Vector) -> bool {
    v.iter().all(BigInt::is_zero)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gap(direction: Vec3, gap: f64, features: &[[u32; 2]]) -> SeparationCertificate {
        SeparationCertificate { direction, lower: gap, pairs: VertexPairs::new(features) }
    }

    #[test]
    fn a_direction_is_used_as_given() {
        let (a, b) = ([Vec3::ZERO, Vec3::NEG_X], [Vec3::ONE, Vec3::new(1.0, 5.0, -5.0)]);
        assert!(gap(Vec3::X, 1.0, &[]).verify(&a, &b));
        // The length does not matter.
        assert!(gap(Vec3::X * 3.0, 1.0, &[]).verify(&a, &b));
        assert!(!gap(Vec3::X, 1.0 + f64::EPSILON, &[]).verify(&a, &b));
        assert!(!gap(Vec3::NEG_X, 0.0, &[]).verify(&a, &b));
        assert!(!gap(Vec3::ZERO, 0.0, &[]).verify(&a, &b));
        assert!(!gap(Vec3::X, -1.0, &[]).verify(&a, &b));
        assert!(!gap(Vec3::X, f64::NAN, &[]).verify(&a, &b));
        assert!(!gap(Vec3::X, f64::INFINITY, &[]).verify(&a, &b));
        assert!(!gap(Vec3::splat(f64::NAN), 0.0, &[]).verify(&a, &b));
        assert!(gap(Vec3::X, 1.0, &[]).swapped().verify(&b, &a));
        assert!(gap(Vec3::X, 1.0, &[]).verify(&a, &[]));
        assert!(!gap(Vec3::X, 1.0, &[]).verify(&a, &[Vec3::splat(f64::NAN)]));
        assert!(!gap(Vec3::X, 1.0, &[]).verify(&a, &[Vec3::ONE * 1e200]));
    }

    #[test]
    fn touching_is_no_gap() {
        let (a, b) = ([Vec3::ZERO, Vec3::X], [Vec3::X, Vec3::ONE]);
        assert!(!gap(Vec3::X, 0.0, &[]).verify(&a, &b));
        // One unit in the last place is a gap.
        let b = [Vec3::X * (1.0 + f64::EPSILON), Vec3::ONE * 2.0];
        assert!(gap(Vec3::X, f64::EPSILON, &[]).verify(&a, &b));
    }

    #[test]
    fn features_define_the_direction() {
        // A vertex over a triangle, two edges, two vertices.
        let floor = [Vec3::ZERO, Vec3::X * 4.0, Vec3::Y * 4.0];
        let above = [Vec3::new(1.0, 1.0, 2.0), Vec3::new(9.0, 9.0, 9.0)];
        assert!(gap(Vec3::Z, 2.0, &[[0, 0], [1, 0], [2, 0]]).verify(&floor, &above));
        assert!(!gap(Vec3::Z, 2.1, &[[0, 0], [1, 0], [2, 0]]).verify(&floor, &above));
        assert!(!gap(Vec3::Z, 2.0, &[[0, 0], [1, 0], [3, 0]]).verify(&floor, &above));
        assert!(!gap(Vec3::Z, 2.0, &[[0, 0], [1, 0], [2, 0], [2, 1]]).verify(&floor, &above));
        let (a, b) = ([Vec3::ZERO, Vec3::X * 2.0], [Vec3::new(1.0, 3.0, 4.0)]);
        assert!(gap(Vec3::ZERO, 5.0, &[[0, 0], [1, 0]]).verify(&a, &b));
        assert!(gap(Vec3::ZERO, 5.0, &[[0, 0]]).verify(&a[..1], &[Vec3::new(0.0, 3.0, 4.0)]));
        assert!(!gap(Vec3::ZERO, 0.0, &[[0, 0]]).verify(&a, &a));
    }

    #[test]
    fn weights_are_found_for_every_number_of_pairs() {
        let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z].map(|v| v * 4.0);
        let point = |pairs: &[[u32; 2]], b: Vec3| {
            let common = IntersectionCertificate { pairs: VertexPairs::new(pairs) };
            let point = common.point(&corners, &[b]);
            assert_eq!(common.verify(&corners, &[b]), point.is_some());
            assert_eq!(common.swapped().point(&[b], &corners), point);
            point
        };
        let all = [[0, 0], [1, 0], [2, 0], [3, 0]];
        let mut order = all;
        order.swap(1, 2);
        let floor = Vec3::new(1.0, 1.0, 0.0);
        for pairs in [all, order] {
            assert_eq!(point(&pairs, Vec3::ONE), Some(Vec3::ONE));
            assert_eq!(point(&pairs, floor), Some(floor));
            assert_eq!(point(&pairs, Vec3::new(1.0, 1.0, -1e-300)), None);
        }
        assert_eq!(point(&all[..3], floor), Some(floor));
        assert_eq!(point(&all[..3], Vec3::ONE), None);
        assert_eq!(point(&all[..3], Vec3::new(3.0, 3.0, 0.0)), None);
        assert_eq!(point(&all[..2], Vec3::X), Some(Vec3::X));
        assert_eq!(point(&all[..2], Vec3::NEG_X), None);
        assert_eq!(point(&all[..2], floor), None);
        assert_eq!(point(&[[1, 0]], corners[1]), Some(corners[1]));
        assert_eq!(point(&[[1, 0]], Vec3::ONE), None);
        assert_eq!(point(&[[9, 0]], corners[1]), None);
        assert_eq!(point(&[], corners[1]), None);
        assert_eq!(point(&all, Vec3::splat(f64::NAN)), None);
    }

    #[test]
    fn differences_that_span_nothing_prove_nothing() {
        let line = [Vec3::X, Vec3::X * 2.0, Vec3::X * 3.0, Vec3::X * 4.0];
        let pairs = VertexPairs::new(&[[0, 0], [1, 0], [2, 0], [3, 0]]);
        assert!(!IntersectionCertificate { pairs }.verify(&line, &[Vec3::ZERO]));
        assert!(!IntersectionCertificate { pairs }.verify(&line, &[Vec3::Y]));
    }
}
