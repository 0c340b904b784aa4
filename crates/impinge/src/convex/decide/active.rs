//! The closest point of the Minkowski difference to the origin, by an active set in exact
//! arithmetic.
//!
//! The set is up to four affinely independent vertex differences; its state is the point of their
//! hull closest to the origin. One step finds the vertices furthest in the direction opposite to
//! that point. If they lie no further than the set, the point is the closest of the whole
//! difference (Gilbert, Johnson & Keerthi 1988, theorem 2). Otherwise they are added, the closest
//! point of the larger set is strictly closer, and the set is reduced to the face it lies in. With
//! exact comparisons the distance falls strictly, so no set repeats; there are finitely many sets,
//! so the iteration ends (Wolfe 1976, "Finding the nearest point in a polytope", section 5). There
//! is no tolerance and no limit of steps.

use num_bigint::BigInt;

use super::certificate::VertexPairs;
use super::extreme::Direction;
use super::nearest::{Nearest, nearest};
use super::vector::{Vector, combination, cross, dot, minus, pay_for_conversion, product};
use crate::arrays::MapEach;
use crate::exact::integer::scale;
use crate::math::Vec3;

/// The active set and its closest point.
pub(super) struct Active<'a> {
    a: &'a [Vec3],
    b: &'a [Vec3],
    /// The vertices of the face that the closest point lies in.
    pairs: VertexPairs,
    corners: Corners,
    /// The weights of the pairs: the closest point is `sum t w / sum t`.
    weights: Vec<BigInt>,
    direction: Direction,
    contains_origin: bool,
}

/// The vertices of the pairs in one unit, `2^exponent`.
struct Corners {
    a: Vec<Vector>,
    b: Vec<Vector>,
    exponent: i32,
}

impl<'a> Active<'a> {
    /// The set of the pairs that the closest point of the hull of all pairs needs. Vertices that do
    /// not exist are ignored; without any, the first vertices are used. `None` if a body has no
    /// points or a coordinate is not finite.
    pub(super) async fn new(a: &'a [Vec3], b: &'a [Vec3], pairs: &VertexPairs) -> Option<Self> {
        if a.is_empty() || b.is_empty() {
            return None;
        }
        let exists = |[i, j]: &&[u32; 2]| (*i as usize) < a.len() && (*j as usize) < b.len();
        let mut numbers: Vec<_> = pairs.as_slice().iter().filter(exists).copied().collect();
        if numbers.is_empty() {
            numbers.push([0; 2]);
        }
        Self::of(a, b, &VertexPairs::new(&numbers), 0).await
    }

    /// The set from pairs that all exist; those in `required` are known to be in the face.
    async fn of(a: &'a [Vec3], b: &'a [Vec3], pairs: &VertexPairs, required: u8) -> Option<Self> {
        pay_for_conversion(3 * pairs.len() as u64).await;
        let mut corners = Corners::new(a, b, pairs)?;
        let differences = corners.differences();
        let Nearest { members, weights, direction } = nearest(&differences, required).await?;
        let mut index = 0;
        let mut is_member = || {
            index += 1;
            members & (1 << (index - 1)) != 0
        };
        let numbers: Vec<_> = pairs.as_slice().iter().filter(|_| is_member()).copied().collect();
        corners.keep(members);
        let contains_origin = direction.iter().all(|x| x.sign() == num_bigint::Sign::NoSign);
        let direction = Direction::new(direction);
        Some(Self {
            a,
            b,
            pairs: VertexPairs::new(&numbers),
            corners,
            weights,
            direction,
            contains_origin,
        })
    }

    /// One step: adds the vertices that lie furthest in the direction opposite to the closest
    /// point. False if none lies further than the set; then the closest point is that of the
    /// bodies. `None` if a coordinate is not finite.
    pub(super) async fn improve(&mut self) -> Option<bool> {
        if self.contains_origin {
            return Some(false);
        }
        let [i, j] = self.pairs.as_slice()[0].map_each(|k| k as usize);
        let next_i = self.direction.furthest(self.a, i).await?;
        let next_j = self.direction.reversed().furthest(self.b, j).await?;
        if (next_i, next_j) == (i, j) {
            return Some(false);
        }
        // The set lies in a plane perpendicular to the direction, on a line or at a point, so it
        // has at most three pairs.
        let mut numbers = self.pairs.as_slice().to_vec();
        numbers.push([next_i as u32, next_j as u32]);
        let last = 1 << (numbers.len() - 1);
        *self = Self::of(self.a, self.b, &VertexPairs::new(&numbers), last).await?;
        Some(true)
    }

    /// Whether the closest point is the origin.
    pub(super) fn contains_origin(&self) -> bool {
        self.contains_origin
    }

    /// The vertices of the face that the closest point lies in: affinely independent differences.
    pub(super) fn pairs(&self) -> VertexPairs {
        self.pairs
    }

    /// The direction of the closest point, with its largest component between 1/2 and 1, rounded.
    pub(super) fn direction(&self) -> Vec3 {
        self.direction.rounded()
    }

    /// The squared distance of the closest point from the origin as
    /// `numerator / denominator * 2^exponent`, with an even exponent. From the point, the line or
    /// the plane through the differences, whose numbers are shorter than those of the closest
    /// point.
    pub(super) async fn squared(&self) -> (BigInt, BigInt, i32) {
        pay_for_conversion(self.pairs.len() as u64).await;
        let differences = self.corners.differences();
        let (numerator, denominator) = match &differences[..] {
            _ if self.contains_origin => (BigInt::ZERO, BigInt::from(1)),
            [w0, w1] => {
                let e = minus(w1, w0);
                let area = cross(w0, &e).await;
                (dot(&area, &area).await, dot(&e, &e).await)
            }
            [w0, _, _] => {
                // The direction of three differences is the normal of their plane.
                let normal = self.direction.exact();
                let height = dot(normal, w0).await;
                (product(&height, &height).await, dot(normal, normal).await)
            }
            [w0, ..] => (dot(w0, w0).await, BigInt::from(1)),
            [] => (BigInt::ZERO, BigInt::from(1)),
        };
        (numerator, denominator, 2 * self.corners.exponent)
    }

    /// The points of A and of B whose difference is the closest point, both times the total weight,
    /// in units of `2^exponent`; then the total weight and the exponent.
    pub(super) async fn points(&self) -> (Vector, Vector, BigInt, i32) {
        let [a, b] =
            [&self.corners.a, &self.corners.b].map_each(|of| of.iter().collect::<Vec<_>>());
        let on_a = combination(&self.weights, &a).await;
        let on_b = combination(&self.weights, &b).await;
        (on_a, on_b, self.total(), self.corners.exponent)
    }

    fn total(&self) -> BigInt {
        self.weights.iter().sum()
    }
}

impl Corners {
    /// `None` if a coordinate is not finite.
    fn new(a: &[Vec3], b: &[Vec3], pairs: &VertexPairs) -> Option<Self> {
        let mut coordinates = [0.0; 24];
        for ([i, j], index) in pairs.as_slice().iter().zip(coordinates.chunks_exact_mut(6)) {
            index[..3].copy_from_slice(&a[*i as usize].to_array());
            index[3..].copy_from_slice(&b[*j as usize].to_array());
        }
        let scaled = scale(coordinates)?;
        let mut values = scaled.values.into_iter();
        let mut next = || [0; 3].map_each(|_| values.next().unwrap_or_default());
        let (of_a, of_b) = pairs.as_slice().iter().map(|_| (next(), next())).unzip();
        Some(Self { a: of_a, b: of_b, exponent: scaled.exponent })
    }

    /// `b - a` for every pair.
    fn differences(&self) -> Vec<Vector> {
        self.b.iter().zip(&self.a).map(|(b, a)| minus(b, a)).collect()
    }

    /// Keeps only the pairs whose bits are set.
    fn keep(&mut self, members: u8) {
        for vectors in [&mut self.a, &mut self.b] {
            let mut index = 0;
            vectors.retain(|_| {
                index += 1;
                members & (1 << (index - 1)) != 0
            });
        }
    }
}
