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
use super::vector::{Vector, combination, dot, minus};
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
    pub(super) fn new(a: &'a [Vec3], b: &'a [Vec3], pairs: &VertexPairs) -> Option<Self> {
        if a.is_empty() || b.is_empty() {
            return None;
        }
        let exists = |[i, j]: &&[u32; 2]| (*i as usize) < a.len() && (*j as usize) < b.len();
        let mut numbers: Vec<_> = pairs.as_slice().iter().filter(exists).copied().collect();
        if numbers.is_empty() {
            numbers.push([0; 2]);
        }
        Self::of(a, b, &VertexPairs::new(&numbers), 0)
    }

    /// The set from pairs that all exist; those in `required` are known to be in the face.
    fn of(a: &'a [Vec3], b: &'a [Vec3], pairs: &VertexPairs, required: u8) -> Option<Self> {
        let mut corners = Corners::new(a, b, pairs)?;
        let Nearest { members, weights, direction } = nearest(&corners.differences(), required)?;
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
    pub(super) fn improve(&mut self) -> Option<bool> {
        if self.contains_origin {
            return Some(false);
        }
        let [i, j] = self.pairs.as_slice()[0].map(|k| k as usize);
        let next_i = self.direction.furthest(self.a, i)?;
        let next_j = self.direction.reversed().furthest(self.b, j)?;
        if (next_i, next_j) == (i, j) {
            return Some(false);
        }
        // The set lies in a plane perpendicular to the direction, on a line or at a point, so it
        // has at most three pairs.
        let mut numbers = self.pairs.as_slice().to_vec();
        numbers.push([next_i as u32, next_j as u32]);
        let last = 1 << (numbers.len() - 1);
        *self = Self::of(self.a, self.b, &VertexPairs::new(&numbers), last)?;
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
    /// `numerator / denominator * 2^exponent`, with an even exponent.
    pub(super) fn squared(&self) -> (BigInt, BigInt, i32) {
        let sum = combination(&self.weights, self.corners.differences().iter());
        let total = self.total();
        (dot(&sum, &sum), &total * &total, 2 * self.corners.exponent)
    }

    /// The points of A and of B whose difference is the closest point, both times the total weight,
    /// in units of `2^exponent`; then the total weight and the exponent.
    pub(super) fn points(&self) -> (Vector, Vector, BigInt, i32) {
        let of = |corners: &[Vector]| combination(&self.weights, corners.iter());
        (of(&self.corners.a), of(&self.corners.b), self.total(), self.corners.exponent)
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
        let mut next = || [0; 3].map(|_| values.next().unwrap_or_default());
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
