//! Points and planes in integers of arbitrary length.
//!
//! All coordinates of the mesh are integers in a common unit, a power of two. A point is `x / w`
//! with integers `x` and `w > 0` in lowest terms, so its length in bits is bounded by that of the
//! three planes that meet in it, for any number of cuts.

use num_bigint::{BigInt, BigUint};
use num_traits::{One, Zero};

use crate::arrays::MapEach;
use crate::exact::Sign;
use crate::exact::integer::{decompose_odd, quotient, sign};
use crate::math::{Vec3, next_down, next_up};

/// The common unit, `2^exponent`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unit {
    exponent: i32,
}

/// A point, in some unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Point {
    pub(super) x: [BigInt; 3],
    pub(super) w: BigInt,
}

/// The plane of all points with `n . x + d w = 0`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Plane {
    pub(super) n: [BigInt; 3],
    pub(super) d: BigInt,
}

impl Unit {
    /// The largest unit in which all coordinates, which must be finite, are integers.
    pub(super) fn of(points: &[Vec3]) -> Self {
        let exponents = points
            .iter()
            .flat_map(Vec3::to_array)
            .map(decompose_odd)
            .filter(|(mantissa, _)| *mantissa != 0)
            .map(|(_, exponent)| exponent);
        Self { exponent: exponents.min().unwrap_or(0) }
    }

    /// A point of `f64` coordinates, which need not be integers in the unit.
    pub(super) fn point(self, p: Vec3) -> Point {
        let parts = p.to_array().map_each(decompose_odd);
        let nonzero = parts.iter().filter(|(m, _)| *m != 0);
        let least = nonzero.map(|(_, e)| *e - self.exponent).min().unwrap_or(0).min(0);
        let x = parts.map_each(|(m, e)| {
            if m == 0 {
                BigInt::zero()
            } else {
                BigInt::from(m) << (e - self.exponent - least) as u32
            }
        });
        Point { x, w: BigInt::one() << (-least) as u32 }
    }

    /// Two neighbouring `f64` numbers that enclose coordinate `axis` of a point, or twice the
    /// coordinate if it is an `f64` number.
    pub(super) fn enclose(self, p: &Point, axis: usize) -> [f64; 2] {
        let near = quotient(&p.x[axis], &p.w, self.exponent);
        let (m, e) = decompose_odd(near);
        // Compares near * w with x, both in the finer of the two units.
        let shift = e - self.exponent;
        let (mut left, mut right) = (BigInt::from(m) * &p.w, p.x[axis].clone());
        if shift >= 0 {
            left <<= shift as u32;
        } else {
            right <<= (-shift) as u32;
        }
        match left.cmp(&right) {
            std::cmp::Ordering::Equal => [near, near],
            std::cmp::Ordering::Less => [near, next_up(near)],
            std::cmp::Ordering::Greater => [next_down(near), near],
        }
    }
}

impl Point {
    /// The same point in lowest terms.
    fn reduced(mut self) -> Self {
        let twos = |x: &BigInt| x.trailing_zeros().unwrap_or(u64::MAX);
        let common = self.x.iter().map(twos).min().unwrap_or(0).min(twos(&self.w));
        if common > 0 {
            self.x.iter_mut().for_each(|x| *x >>= common);
            self.w >>= common;
        }
        let mut divisor = self.w.magnitude().clone();
        for x in &self.x {
            if divisor.is_one() {
                return self;
            }
            divisor = gcd(divisor, x.magnitude().clone());
        }
        if !divisor.is_one() {
            let divisor = BigInt::from(divisor);
            self.x.iter_mut().for_each(|x| *x /= &divisor);
            self.w /= &divisor;
        }
        self
    }

    /// The point where a segment crosses a plane. It goes from `p`, whose height is `below < 0`, to
    /// `q`, whose height is `above > 0`.
    pub(super) fn crossing(p: &Self, q: &Self, below: &BigInt, above: &BigInt) -> Self {
        let mix = |a: &BigInt, b: &BigInt| a * above - b * below;
        let x = [0, 1, 2].map_each(|i| mix(&p.x[i], &q.x[i]));
        Self { x, w: mix(&p.w, &q.w) }.reduced()
    }

    /// The point halfway between two.
    pub(super) fn middle(p: &Self, q: &Self) -> Self {
        let x = [0, 1, 2].map_each(|i| &p.x[i] * &q.w + &q.x[i] * &p.w);
        Self { x, w: (&p.w * &q.w) << 1_u32 }.reduced()
    }
}

fn gcd(mut a: BigUint, mut b: BigUint) -> BigUint {
    while !b.is_zero() {
        let rest = &a % &b;
        a = std::mem::replace(&mut b, rest);
    }
    a
}

impl Plane {
    /// The plane through three points of the unit's grid, seen counter-clockwise from above, in
    /// lowest terms; `None` if they are on a line.
    pub(super) fn through([a, b, c]: [&Point; 3]) -> Option<Self> {
        let [u, v] = [b, c].map_each(|p| [0, 1, 2].map_each(|i| &p.x[i] - &a.x[i]));
        let n = [
            &u[1] * &v[2] - &u[2] * &v[1],
            &u[2] * &v[0] - &u[0] * &v[2],
            &u[0] * &v[1] - &u[1] * &v[0],
        ];
        if n.iter().all(Zero::is_zero) {
            return None;
        }
        let d = -(&n[0] * &a.x[0] + &n[1] * &a.x[1] + &n[2] * &a.x[2]);
        let mut divisor = d.magnitude().clone();
        for x in &n {
            divisor = gcd(divisor, x.magnitude().clone());
        }
        let divisor = BigInt::from(divisor);
        Some(Self { n: n.map_each(|x| x / &divisor), d: d / &divisor })
    }

    /// The plane with its normal negated if necessary, so that the first component that is not zero
    /// is positive.
    pub(super) fn unsigned(&self) -> Self {
        let flip = self.n.iter().find(|x| !x.is_zero()).is_some_and(|x| sign(x) == Sign::Negative);
        if flip { Self { n: self.n.clone().map_each(|x| -x), d: -&self.d } } else { self.clone() }
    }

    /// The plane where coordinate `axis` is `at`, with the larger coordinates above.
    pub(super) fn level(axis: usize, at: BigInt) -> Self {
        let mut n = [BigInt::zero(), BigInt::zero(), BigInt::zero()];
        n[axis] = BigInt::one();
        Self { n, d: -at }
    }

    /// The height of a point above the plane, times a positive factor.
    pub(super) fn height(&self, p: &Point) -> BigInt {
        &self.n[0] * &p.x[0] + &self.n[1] * &p.x[1] + &self.n[2] * &p.x[2] + &self.d * &p.w
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    #[test]
    fn enclosures_are_tight() {
        let unit = Unit::of(&[Vec3::new(1.0, 0.125, 0.0)]);
        let third =
            Point { x: [BigInt::from(8), BigInt::from(-8), BigInt::from(6)], w: BigInt::from(3) };
        let [low, high] = unit.enclose(&third, 0);
        assert!(low < high && next_up(low) == high && low * 3.0 <= 1.0 && high * 3.0 >= 1.0);
        assert!(low <= 1.0 / 3.0 && 1.0 / 3.0 <= high);
        let [low, high] = unit.enclose(&third, 1);
        assert!(low < high && low <= -1.0 / 3.0 && -1.0 / 3.0 <= high);
        assert_eq!(unit.enclose(&third, 2), [0.25, 0.25]);
        let mut random = Random::new(1);
        for _ in 0..2_000 {
            let scale = 2.0_f64.powi(random.index(600) as i32 - 300);
            let p = random.in_cube() * scale;
            let unit = Unit::of(&[p, Vec3::splat(scale * 0.1)]);
            let q = unit.point(p);
            for axis in 0..3 {
                assert_eq!(unit.enclose(&q, axis), [p[axis]; 2]);
            }
            let m = Point::middle(&q, &unit.point(p * 0.3));
            let [low, high] = unit.enclose(&m, 0);
            let about = p.x * 0.5 + p.x * 0.3 * 0.5;
            assert!(low <= about + about.abs() * 1e-15 && about - about.abs() * 1e-15 <= high);
        }
        for tiny in [f64::from_bits(1), f64::from_bits(7), f64::MIN_POSITIVE, 1e60] {
            let unit = Unit::of(&[Vec3::splat(tiny)]);
            assert_eq!(unit.enclose(&unit.point(Vec3::splat(-tiny)), 0), [-tiny; 2]);
        }
    }

    #[test]
    fn planes_do_not_depend_on_their_points() {
        let unit = Unit::of(&[Vec3::ONE]);
        let plane = |p: [[f64; 3]; 3]| {
            let [a, b, c] = p.map(|p| unit.point(Vec3::from(p)));
            Plane::through([&a, &b, &c])
        };
        let first = plane([[0.0, 0.0, 1.0], [4.0, 0.0, 1.0], [0.0, 6.0, 1.0]]);
        assert_eq!(first, plane([[9.0, 9.0, 1.0], [3.0, 9.0, 1.0], [3.0, 2.0, 1.0]]));
        assert_eq!(first, Some(Plane::level(2, BigInt::one())));
        assert_eq!(plane([[0.0; 3], [1.0; 3], [2.0; 3]]), None);
    }
}
