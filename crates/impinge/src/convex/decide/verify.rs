//! The verification of certificates: one loop that finds the outermost points, then arithmetic in
//! integers.
//!
//! Independent of the code that finds certificates: neither uses the other. They share only the
//! conversion of a finite `f64` to an integer times a power of two, the exact predicate
//! [`compare_along`], and the payment of work.

use num_bigint::BigInt;
use num_traits::{Signed, Zero};

use super::certificate::{IntersectionCertificate, SeparationCertificate, VertexPairs};
use crate::arrays::MapEach;
use crate::convex::interruptible::{finish, pay, pay_quarters};
use crate::exact::integer::{decompose, quotient, scale};
use crate::exact::{EXACT_RANGE, Sign, compare_along};
use crate::math::Vec3;

type Vector = [BigInt; 3];

/// Points in a piece of work.
const POINTS_IN_PIECE: usize = 256;

/// Exact comparisons of points along a direction in a piece of work, and their units. A comparison
/// takes a few nanoseconds where floating point decides, otherwise half a microsecond or more.
const COMPARISONS_IN_PIECE: usize = 8;
const UNITS_OF_COMPARISONS: u64 = 2;

/// Units of the conversion of up to eight points to integers.
const UNITS_OF_CONVERSION: u64 = 8;

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
        finish(self.verify_in_pieces(a, b))
    }

    /// As [`Self::verify`], in pieces.
    pub(super) async fn verify_in_pieces(&self, a: &[Vec3], b: &[Vec3]) -> bool {
        self.is_proven(a, b).await.unwrap_or(false)
    }

    async fn is_proven(&self, a: &[Vec3], b: &[Vec3]) -> Option<bool> {
        let is_in_range = |p: &Vec3| p.is_finite() && p.abs().max_element() <= EXACT_RANGE;
        for row in a.chunks(POINTS_IN_PIECE).chain(b.chunks(POINTS_IN_PIECE)) {
            pay(1 + row.len() as u64 / 64).await;
            if !row.iter().all(is_in_range) {
                return Some(false);
            }
        }
        if a.is_empty() || b.is_empty() {
            return Some(true);
        }
        let (n, between, exponent) = if self.pairs.is_empty() {
            self.by_direction(a, b).await?
        } else {
            self.by_features(a, b).await?
        };
        if between <= BigInt::zero() || self.lower < 0.0 {
            return Some(false);
        }
        // Squared, because |n| need not be rational. The unit of `n` cancels.
        let (gap, gap_exponent) = decompose(self.lower)?;
        let required = BigInt::from(gap) * gap * dot(&n, &n).await;
        let squared = product(&between, &between).await;
        Some(at_most((required, 2 * gap_exponent), (squared, 2 * exponent)))
    }

    /// The direction as given, the distance of B beyond A along it, and the unit of that distance
    /// without the unit of the direction.
    async fn by_direction(&self, a: &[Vec3], b: &[Vec3]) -> Option<(Vector, BigInt, i32)> {
        let last_of_a = furthest(self.direction, a).await?;
        let first_of_b = furthest(-self.direction, b).await?;
        let points = Integers::new(&[last_of_a], &[first_of_b])?;
        let n = scale(self.direction.to_array())?.values;
        let between = dot(&n, &minus(&points.b[0], &points.a[0])).await;
        Some((n, between, points.exponent))
    }

    /// The same for the direction that the features define; every point in integers.
    async fn by_features(&self, a: &[Vec3], b: &[Vec3]) -> Option<(Vector, BigInt, i32)> {
        let mut exponent = i32::MAX;
        for row in a.chunks(POINTS_IN_PIECE).chain(b.chunks(POINTS_IN_PIECE)) {
            pay(1 + row.len() as u64 / 32).await;
            exponent = exponent.min(least_exponent(row.iter())?);
        }
        let features = Integers::of_pairs(&self.pairs, a, b)?.in_unit(exponent);
        let n = to_closest(&features.differences_in_order()).await?;
        let (mut last_of_a, mut first_of_b): (Option<BigInt>, Option<BigInt>) = (None, None);
        for p in a {
            let along = dot(&n, &p.to_array().map_each(|x| integer(x, exponent))).await;
            last_of_a = last_of_a.max(Some(along));
        }
        for p in b {
            let along = dot(&n, &p.to_array().map_each(|x| integer(x, exponent))).await;
            first_of_b = Some(match first_of_b {
                Some(first) => first.min(along),
                None => along,
            });
        }
        let exponent = if exponent == i32::MAX { 0 } else { exponent };
        Some((n, first_of_b? - last_of_a?, exponent))
    }
}

/// The point that lies furthest along a direction; the last of several.
async fn furthest(direction: Vec3, points: &[Vec3]) -> Option<Vec3> {
    let mut best = *points.first()?;
    for row in points.chunks(COMPARISONS_IN_PIECE) {
        pay(UNITS_OF_COMPARISONS).await;
        for p in row {
            if compare_along(direction, best, *p) != Sign::Negative {
                best = *p;
            }
        }
    }
    Some(best)
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
        finish(self.verify_in_pieces(a, b))
    }

    /// As [`Self::verify`], in pieces.
    pub(super) async fn verify_in_pieces(&self, a: &[Vec3], b: &[Vec3]) -> bool {
        let Some(points) = Integers::of_pairs(&self.pairs, a, b) else { return false };
        pay(UNITS_OF_CONVERSION).await;
        weights(&points.differences_in_order()).await.is_some()
    }

    /// The common point that the certificate proves, every coordinate the `f64` nearest to the
    /// exact one; `None` if it does not [prove](Self::verify) any. In the frame of `a` and `b`.
    #[must_use]
    pub fn point(&self, a: &[Vec3], b: &[Vec3]) -> Option<Vec3> {
        finish(self.point_in_pieces(a, b))
    }

    /// As [`Self::point`], in pieces.
    pub(crate) async fn point_in_pieces(&self, a: &[Vec3], b: &[Vec3]) -> Option<Vec3> {
        let points = Integers::of_pairs(&self.pairs, a, b)?;
        pay(UNITS_OF_CONVERSION).await;
        let weights = weights(&points.differences_in_order()).await?;
        let total: BigInt = weights.iter().sum();
        let mut coordinates = [0.0; 3];
        for (k, x) in coordinates.iter_mut().enumerate() {
            let mut sum = BigInt::ZERO;
            for (t, p) in weights.iter().zip(&points.a) {
                sum += product(t, &p[k]).await;
            }
            *x = quotient(&sum, &total, points.exponent);
        }
        Some(Vec3::from(coordinates))
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
        let exponent = least_exponent(a.iter().chain(b))?;
        let all = |points: &[Vec3]| {
            points.iter().map(|p| p.to_array().map_each(|x| integer(x, exponent))).collect()
        };
        let exponent_of_any = if exponent == i32::MAX { 0 } else { exponent };
        Some(Self { a: all(a), b: all(b), exponent: exponent_of_any })
    }

    /// Only the points of the pairs, in their order; `None` if a vertex does not exist.
    fn of_pairs(pairs: &VertexPairs, a: &[Vec3], b: &[Vec3]) -> Option<Self> {
        let (mut of_a, mut of_b) = (Vec::new(), Vec::new());
        for [i, j] in pairs.as_slice() {
            of_a.push(*a.get(*i as usize)?);
            of_b.push(*b.get(*j as usize)?);
        }
        Self::new(&of_a, &of_b)
    }

    /// The same in a smaller unit.
    fn in_unit(mut self, exponent: i32) -> Self {
        let shift = (self.exponent - exponent).max(0) as u32;
        for x in self.a.iter_mut().chain(&mut self.b).flatten() {
            *x <<= shift;
        }
        Self { exponent, ..self }
    }

    /// `b - a` for the points in their order.
    fn differences_in_order(&self) -> Vec<Vector> {
        self.b.iter().zip(&self.a).map(|(b, a)| minus(b, a)).collect()
    }
}

/// The least exponent of a coordinate that is not zero, which has none; `i32::MAX` if all are zero,
/// and `None` if one is not finite.
fn least_exponent<'a>(points: impl Iterator<Item = &'a Vec3>) -> Option<i32> {
    let mut exponent = i32::MAX;
    for x in points.flat_map(Vec3::to_array) {
        let (mantissa, e) = decompose(x)?;
        if mantissa != 0 {
            exponent = exponent.min(e);
        }
    }
    Some(exponent)
}

/// A finite coordinate in the unit `2^exponent`.
fn integer(x: f64, exponent: i32) -> BigInt {
    match decompose(x) {
        Some((mantissa, e)) if mantissa != 0 => BigInt::from(mantissa) << (e - exponent) as u32,
        _ => BigInt::zero(),
    }
}

/// From the origin to the closest point of the point, line or plane through `w`, up to a positive
/// factor.
async fn to_closest(w: &[Vector]) -> Option<Vector> {
    match w {
        [w0] => Some(w0.clone()),
        [w0, w1] => {
            let e = minus(w1, w0);
            Some(cross(&e, &cross(w0, &e).await).await)
        }
        [w0, w1, w2] => {
            let m = cross(&minus(w1, w0), &minus(w2, w0)).await;
            // Only the sign of the height matters.
            let height = dot(&m, w0).await.signum();
            Some(m.map_each(|x| x * &height))
        }
        _ => None,
    }
}

/// Weights, none negative and not all zero, with `sum t w = 0`; `None` if there are none.
async fn weights(w: &[Vector]) -> Option<Vec<BigInt>> {
    let mut weights = Vec::with_capacity(4);
    match w {
        [w0] if is_zero(w0) => weights.push(BigInt::from(1)),
        [w0, w1] if is_zero(&cross(w0, w1).await) => {
            let e = minus(w1, w0);
            weights.push(dot(w1, &e).await);
            weights.push(-dot(w0, &e).await);
        }
        [w0, w1, w2] => {
            let mut products = Vec::with_capacity(3);
            for (u, v) in [(w1, w2), (w2, w0), (w0, w1)] {
                products.push(cross(u, v).await);
            }
            let m = [0, 1, 2].map_each(|k| products.iter().map(|p| &p[k]).sum());
            if !dot(&m, w0).await.is_zero() {
                return None;
            }
            for p in &products {
                weights.push(dot(&m, p).await);
            }
        }
        [w0, w1, w2, w3] => {
            for (sign, [u, v, w]) in
                [(1, [w1, w2, w3]), (-1, [w0, w2, w3]), (1, [w0, w1, w3]), (-1, [w0, w1, w2])]
            {
                weights.push(dot(u, &cross(v, w).await).await * sign);
            }
        }
        _ => return None,
    }
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
    [0, 1, 2].map_each(|k| &u[k] - &v[k])
}

async fn product(x: &BigInt, y: &BigInt) -> BigInt {
    let words = (x.bits() / 64 + 1) * (y.bits() / 64 + 1);
    pay_quarters(1 + words / 128).await;
    x * y
}

async fn dot(u: &Vector, v: &Vector) -> BigInt {
    let mut sum = BigInt::zero();
    for k in 0..3 {
        sum += product(&u[k], &v[k]).await;
    }
    sum
}

async fn cross(u: &Vector, v: &Vector) -> Vector {
    let mut result = [const { BigInt::ZERO }; 3];
    for (x, (i, j)) in result.iter_mut().zip([(1, 2), (2, 0), (0, 1)]) {
        *x = product(&u[i], &v[j]).await - product(&u[j], &v[i]).await;
    }
    result
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
