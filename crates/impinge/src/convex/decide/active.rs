//! The closest point of the Minkowski difference to the origin, by an active set in exact
//! arithmetic.
//!
//! The set is up to four affinely independent vertex differences; its state is the point of their
//! hull closest to the origin. One step asks for the vertices furthest against that point's
//! direction. If they lie no further than the set, the point is the closest of the whole difference
//! (Gilbert, Johnson & Keerthi 1988, theorem 2); if they do, they join, the closest point of the
//! larger set is strictly closer, and the set is reduced to the face it lies in. With exact
//! comparisons the distance falls strictly, so no set comes twice, and there are finitely many: it
//! ends (Wolfe 1976, "Finding the nearest point in a polytope", section 5). No tolerance, no limit
//! of steps.

use num_bigint::BigInt;

use super::certificate::Pairs;
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
    pairs: Pairs,
    corners: Corners,
    /// The weights of the pairs: the closest point is `sum t w / sum t`.
    weights: Vec<BigInt>,
    direction: Direction,
    holds_origin: bool,
}

/// The vertices of the pairs in one unit, `2^exponent`.
struct Corners {
    a: Vec<Vector>,
    b: Vec<Vector>,
    exponent: i32,
}

impl<'a> Active<'a> {
    /// The set of those pairs that the closest point of the hull of all of them needs. Vertices
    /// that do not exist are ignored, and without any the first ones are taken. `None` if a body
    /// has no points or a coordinate is not finite.
    pub(super) fn new(a: &'a [Vec3], b: &'a [Vec3], pairs: &Pairs) -> Option<Self> {
        if a.is_empty() || b.is_empty() {
            return None;
        }
        let exists = |[i, j]: &&[u32; 2]| (*i as usize) < a.len() && (*j as usize) < b.len();
        let mut numbers: Vec<_> = pairs.as_slice().iter().filter(exists).copied().collect();
        if numbers.is_empty() {
            numbers.push([0; 2]);
        }
        Self::of(a, b, &Pairs::new(&numbers), 0)
    }

    /// The set of pairs that all exist; those in `with` are known to be in the face.
    fn of(a: &'a [Vec3], b: &'a [Vec3], pairs: &Pairs, with: u8) -> Option<Self> {
        let mut corners = Corners::new(a, b, pairs)?;
        let Nearest { members, weights, direction } = nearest(&corners.differences(), with)?;
        let mut place = 0;
        let mut is_member = || {
            place += 1;
            members & (1 << (place - 1)) != 0
        };
        let numbers: Vec<_> = pairs.as_slice().iter().filter(|_| is_member()).copied().collect();
        corners.keep(members);
        let holds_origin = direction.iter().all(|x| x.sign() == num_bigint::Sign::NoSign);
        let direction = Direction::new(direction);
        Some(Self { a, b, pairs: Pairs::new(&numbers), corners, weights, direction, holds_origin })
    }

    /// One step: takes the vertices in that lie furthest against the closest point. False if none
    /// lies further than the set; then the closest point is that of the bodies. `None` if a
    /// coordinate is not finite.
    pub(super) fn improve(&mut self) -> Option<bool> {
        if self.holds_origin {
            return Some(false);
        }
        let [i, j] = self.pairs.as_slice()[0].map(|k| k as usize);
        let next_i = self.direction.furthest(self.a, i)?;
        let next_j = self.direction.reversed().furthest(self.b, j)?;
        if (next_i, next_j) == (i, j) {
            return Some(false);
        }
        // The set is in a plane across the direction, a line or a point, so it has at most three
        // pairs.
        let mut numbers = self.pairs.as_slice().to_vec();
        numbers.push([next_i as u32, next_j as u32]);
        let last = 1 << (numbers.len() - 1);
        *self = Self::of(self.a, self.b, &Pairs::new(&numbers), last)?;
        Some(true)
    }

    /// Whether the closest point is the origin.
    pub(super) fn holds_origin(&self) -> bool {
        self.holds_origin
    }

    /// The vertices of the face that the closest point lies in: affinely independent differences.
    pub(super) fn pairs(&self) -> Pairs {
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

    /// The points of A and of B whose difference is the closest point, times the total weight,
    /// which comes third, in units of `2^exponent`.
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
    fn new(a: &[Vec3], b: &[Vec3], pairs: &Pairs) -> Option<Self> {
        let mut coordinates = [0.0; 24];
        for ([i, j], place) in pairs.as_slice().iter().zip(coordinates.chunks_exact_mut(6)) {
            place[..3].copy_from_slice(&a[*i as usize].to_array());
            place[3..].copy_from_slice(&b[*j as usize].to_array());
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

    /// Only those whose bits are set.
    fn keep(&mut self, members: u8) {
        for vectors in [&mut self.a, &mut self.b] {
            let mut place = 0;
            vectors.retain(|_| {
                place += 1;
                members & (1 << (place - 1)) != 0
            });
        }
    }
}
