//! Directions that are known exactly but computed exactly only when somebody needs it.
//!
//! The analysis of a contact asks for signs of determinants of directions that are themselves built
//! from cross products and sums. Each direction is a node of a small arena: an `f64` approximation
//! with a bound of its error, and the recipe from which integers can be computed. A determinant is
//! first tried on the approximations; where the bound leaves its sign open, the integers decide.
//!
//! Only the direction matters, so every node may be scaled by a power of two, which keeps
//! approximations near 1.

use std::cell::OnceCell;

use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive, Zero};

use crate::exact::Sign;
use crate::math::Vec3;

/// A direction in a [`Directions`] arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Dir(u32);

/// The exact vector `digits * 2^exponent`.
#[derive(Clone, Debug)]
struct Exact {
    digits: [BigInt; 3],
    exponent: i64,
}

/// How a direction was made.
#[derive(Clone, Copy, Debug)]
enum Recipe {
    /// From the second point to the first.
    Difference(Vec3, Vec3),
    /// From a point to where the line `e0 e1` meets the line `f0 f1`, which lies in one plane with
    /// it.
    ToCrossing { to: Vec3, e: [Vec3; 2], f: [Vec3; 2] },
    /// The opposite direction.
    Negated(Dir),
    /// The cross product.
    Cross(Dir, Dir),
    /// The first plus the second divided by two to a power.
    Sum(Dir, Dir, u32),
}

#[derive(Debug)]
struct Node {
    recipe: Recipe,
    /// The scaled direction to within `error` in every component.
    approx: Vec3,
    error: f64,
    /// The recipe's value times `2^scale` is what `approx` approximates.
    scale: i64,
    exact: OnceCell<Exact>,
}

/// The arena. Directions may be zero; whoever makes them asks [`Directions::is_zero`] where that
/// can happen.
#[derive(Debug, Default)]
pub(super) struct Directions {
    nodes: Vec<Node>,
}

/// Half an ulp of one.
const U: f64 = f64::EPSILON / 2.0;

impl Directions {
    /// From `from` to `to`.
    pub(super) fn between(&mut self, from: Vec3, to: Vec3) -> Dir {
        let approx = to - from;
        // A difference of f64 is off by half an ulp of itself, and exact where it is denormal.
        self.push(Recipe::Difference(to, from), approx, approx.abs().max_element() * U)
    }

    /// To the point `to` from where the segments `e` and `f` cross: two lines in one plane that are
    /// not parallel.
    pub(super) fn away_from_crossing(&mut self, e: [Vec3; 2], f: [Vec3; 2], to: Vec3) -> Dir {
        self.push(Recipe::ToCrossing { to, e, f }, Vec3::ZERO, f64::INFINITY)
    }

    /// The opposite direction.
    pub(super) fn negated(&mut self, d: Dir) -> Dir {
        let Node { approx, error, .. } = self.nodes[d.0 as usize];
        self.push(Recipe::Negated(d), -approx, error)
    }

    /// `u x v`.
    pub(super) fn cross(&mut self, u: Dir, v: Dir) -> Dir {
        let (p, q) = (&self.nodes[u.0 as usize], &self.nodes[v.0 as usize]);
        let (m, n) = (p.approx.abs().max_element(), q.approx.abs().max_element());
        // Two products each: the operands' errors, then three roundings of at most 2mn.
        let error = 2.0 * (m * q.error + n * p.error + p.error * q.error) + 6.0 * U * m * n;
        let approx = p.approx.cross(q.approx);
        self.push(Recipe::Cross(u, v), approx, error * (1.0 + 16.0 * U))
    }

    /// `u + v / 2^halvings`.
    pub(super) fn sum(&mut self, u: Dir, v: Dir, halvings: u32) -> Dir {
        let (p, q) = (&self.nodes[u.0 as usize], &self.nodes[v.0 as usize]);
        let factor = 0.5_f64.powi(halvings.min(1000) as i32);
        let approx = p.approx + q.approx * factor;
        let error = p.error + q.error * factor + U * approx.abs().max_element();
        self.push(Recipe::Sum(u, v, halvings), approx, error * (1.0 + 16.0 * U))
    }

    /// The sign of `u . (v x w)`.
    pub(super) fn det(&self, u: Dir, v: Dir, w: Dir) -> Sign {
        if u == v || v == w || w == u {
            return Sign::Zero;
        }
        let [p, q, r] = [u, v, w].map(|d| &self.nodes[d.0 as usize]);
        let value = p.approx.dot(q.approx.cross(r.approx));
        let [l, m, n] = [p, q, r].map(|x| x.approx.abs().max_element() + x.error);
        // The six products are at most lmn each; five roundings on the longest way, and the
        // operands' own errors.
        let error =
            6.0 * (p.error * m * n + l * q.error * n + l * m * r.error) + 40.0 * U * l * m * n;
        if value.abs() > error * (1.0 + 16.0 * U) {
            return Sign::of(value);
        }
        let [p, q, r] = [u, v, w].map(|d| &self.exact(d).digits);
        sign_of(&dot(p, &cross(q, r)))
    }

    /// Whether the direction is exactly zero.
    pub(super) fn is_zero(&self, d: Dir) -> bool {
        let node = &self.nodes[d.0 as usize];
        node.approx.abs().max_element() <= node.error
            && self.exact(d).digits.iter().all(Zero::is_zero)
    }

    /// The sign of `u . v`.
    #[cfg(test)]
    fn dot(&self, u: Dir, v: Dir) -> Sign {
        let (p, q) = (&self.nodes[u.0 as usize], &self.nodes[v.0 as usize]);
        let value = p.approx.dot(q.approx);
        let (m, n) =
            (p.approx.abs().max_element() + p.error, q.approx.abs().max_element() + q.error);
        let error = 3.0 * (p.error * n + m * q.error) + 12.0 * U * m * n;
        if value.abs() > error * (1.0 + 16.0 * U) {
            return Sign::of(value);
        }
        sign_of(&dot(&self.exact(u).digits, &self.exact(v).digits))
    }

    fn push(&mut self, recipe: Recipe, approx: Vec3, error: f64) -> Dir {
        let mut node = Node { recipe, approx, error, scale: 0, exact: OnceCell::new() };
        let size = approx.abs().max_element();
        let usable = size.is_finite() && error.is_finite() && size > 2.0 * error && size > 1e-200;
        if usable {
            let shift = -exponent_of(size);
            node.scale = i64::from(shift);
            node.approx = scale_by(approx, shift);
            node.error =
                scale_by(Vec3::splat(error), shift).x * (1.0 + 4.0 * U) + f64::MIN_POSITIVE;
            self.nodes.push(node);
        } else {
            // Nothing is known of it: start from the integers.
            let exact = self.evaluate(recipe);
            let (approx, shift) = approximate(&exact);
            node.scale = shift;
            node.approx = approx;
            node.error = if approx == Vec3::ZERO { 0.0 } else { 2.0 * U };
            let _ =
                node.exact.set(Exact { exponent: exact.exponent + shift, digits: exact.digits });
            self.nodes.push(node);
        }
        Dir(self.nodes.len() as u32 - 1)
    }

    fn exact(&self, d: Dir) -> &Exact {
        let node = &self.nodes[d.0 as usize];
        node.exact.get_or_init(|| {
            let mut exact = self.evaluate(node.recipe);
            exact.exponent += node.scale;
            exact
        })
    }

    fn evaluate(&self, recipe: Recipe) -> Exact {
        match recipe {
            Recipe::Difference(to, from) => subtract(&integers(to), &integers(from)),
            Recipe::Negated(d) => {
                let e = self.exact(d);
                Exact { digits: e.digits.clone().map(|x| -x), exponent: e.exponent }
            }
            Recipe::Cross(u, v) => {
                let (p, q) = (self.exact(u), self.exact(v));
                Exact { digits: cross(&p.digits, &q.digits), exponent: p.exponent + q.exponent }
            }
            Recipe::Sum(u, v, halvings) => {
                let (p, q) = (self.exact(u), self.exact(v));
                add(
                    p,
                    &Exact { digits: q.digits.clone(), exponent: q.exponent - i64::from(halvings) },
                )
            }
            Recipe::ToCrossing { to, e, f } => to_crossing(to, e, f),
        }
    }
}

/// `to - p` times a positive factor, where `p` is the point that the lines `e` and `f` share.
fn to_crossing(to: Vec3, e: [Vec3; 2], f: [Vec3; 2]) -> Exact {
    let (e0, e1, f0, f1) = (integers(e[0]), integers(e[1]), integers(f[0]), integers(f[1]));
    let (u, w, offset) = (subtract(&e1, &e0), subtract(&f1, &f0), subtract(&f0, &e0));
    // p = e0 + (s / t) u with s = det(offset, w, u x w) and t = |u x w|^2 > 0.
    let normal = cross(&u.digits, &w.digits);
    let t = dot(&normal, &normal);
    let s = dot(&offset.digits, &cross(&w.digits, &normal));
    // With exponents: |u x w|^2 has 2(eu + ew), det(offset, w, u x w) has eo + 2 ew + eu; their
    // quotient times u has eo.
    let reach = subtract(&integers(to), &e0);
    let first = Exact { digits: reach.digits.map(|x| x * &t), exponent: reach.exponent };
    let along = Exact { digits: u.digits.map(|x| -(x * &s)), exponent: offset.exponent };
    add(&first, &along)
}

fn dot(p: &[BigInt; 3], q: &[BigInt; 3]) -> BigInt {
    &p[0] * &q[0] + &p[1] * &q[1] + &p[2] * &q[2]
}

fn cross(p: &[BigInt; 3], q: &[BigInt; 3]) -> [BigInt; 3] {
    [&p[1] * &q[2] - &p[2] * &q[1], &p[2] * &q[0] - &p[0] * &q[2], &p[0] * &q[1] - &p[1] * &q[0]]
}

fn add(p: &Exact, q: &Exact) -> Exact {
    let exponent = p.exponent.min(q.exponent);
    let (up, uq) = ((p.exponent - exponent) as u64, (q.exponent - exponent) as u64);
    let digits = [0, 1, 2].map(|i| (&p.digits[i] << up) + (&q.digits[i] << uq));
    Exact { digits, exponent }
}

fn subtract(p: &Exact, q: &Exact) -> Exact {
    add(p, &Exact { digits: q.digits.clone().map(|x| -x), exponent: q.exponent })
}

fn sign_of(x: &BigInt) -> Sign {
    if x.is_zero() {
        Sign::Zero
    } else if x.is_negative() {
        Sign::Negative
    } else {
        Sign::Positive
    }
}

/// A point as integers times one power of two.
fn integers(v: Vec3) -> Exact {
    let parts = v.to_array().map(decompose);
    let exponent = parts.iter().filter(|(m, _)| *m != 0).map(|(_, e)| *e).min().unwrap_or(0);
    let digits =
        parts.map(
            |(m, e)| if m == 0 { BigInt::zero() } else { BigInt::from(m) << (e - exponent) as u64 },
        );
    Exact { digits, exponent }
}

/// `x = mantissa * 2^exponent`, for finite `x`.
fn decompose(x: f64) -> (i64, i64) {
    let bits = x.to_bits();
    let biased = ((bits >> 52) & 0x7ff) as i64;
    let fraction = (bits & ((1 << 52) - 1)) as i64;
    let (mantissa, exponent) =
        if biased == 0 { (fraction, -1074) } else { (fraction | (1 << 52), biased - 1075) };
    (if x < 0.0 { -mantissa } else { mantissa }, exponent)
}

/// The exponent of a normal positive number: `2^e <= x < 2^(e+1)`.
fn exponent_of(x: f64) -> i32 {
    ((x.to_bits() >> 52) & 0x7ff) as i32 - 1023
}

/// `v * 2^shift`, in two steps so that the factor itself stays representable.
fn scale_by(v: Vec3, shift: i32) -> Vec3 {
    let half = shift / 2;
    v * 2.0_f64.powi(half) * 2.0_f64.powi(shift - half)
}

/// The nearest f64 vector of length about one, and the power of two that the exact value was
/// multiplied by to get there.
fn approximate(exact: &Exact) -> (Vec3, i64) {
    let bits = exact.digits.iter().map(BigInt::bits).max().unwrap_or(0) as i64;
    if bits == 0 {
        return (Vec3::ZERO, 0);
    }
    // 64 leading bits are more than an f64 holds; the cut and the conversion are off by less than
    // an ulp of the largest.
    let cut = bits - 64;
    let lead = |x: &BigInt| {
        let top = if cut > 0 { x >> cut as u64 } else { x << (-cut) as u64 };
        top.to_f64().unwrap_or(0.0) * 2.0_f64.powi(-64)
    };
    let [x, y, z] = &exact.digits;
    (Vec3::new(lead(x), lead(y), lead(z)), -(bits + exact.exponent))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(state: &mut u64) -> f64 {
        *state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 40) as f64 - 8_388_608.0
    }

    fn random_vec(state: &mut u64) -> Vec3 {
        Vec3::new(random(state), random(state), random(state))
    }

    #[test]
    fn determinants_of_built_directions_are_exact() {
        let mut s = 7;
        let mut zeros = 0;
        for _ in 0..300 {
            let mut dirs = Directions::default();
            let (p, q, r) = (random_vec(&mut s), random_vec(&mut s), random_vec(&mut s));
            let o = random_vec(&mut s);
            let [u, v, w] = [p, q, r].map(|x| dirs.between(o, x));
            let n = dirs.cross(u, v);
            // n is perpendicular to u and v, exactly, however large the digits are.
            assert_eq!(dirs.dot(n, u), Sign::Zero);
            assert_eq!(dirs.dot(n, v), Sign::Zero);
            assert_eq!(dirs.dot(n, w), dirs.det(u, v, w));
            let m = dirs.sum(u, v, 0);
            assert_eq!(dirs.det(u, v, m), Sign::Zero);
            let tilted = dirs.sum(m, n, 80);
            assert_eq!(dirs.det(u, v, tilted), Sign::Positive);
            let other = dirs.cross(v, w);
            let along = dirs.cross(n, other); // parallel to v
            let back = dirs.negated(along);
            zeros += usize::from(dirs.det(v, along, w).is_zero());
            assert_eq!(dirs.dot(along, w), -dirs.dot(back, w));
            assert!(!dirs.is_zero(n));
            let none = dirs.cross(v, along);
            assert!(dirs.is_zero(none));
        }
        assert_eq!(zeros, 300);
    }

    #[test]
    fn directions_from_a_crossing_point_that_no_f64_holds() {
        let mut dirs = Directions::default();
        let e = [Vec3::ZERO, Vec3::new(3.0, 0.0, 0.0)];
        let f = [Vec3::new(0.0, -1.0, 0.0), Vec3::new(1.0, 2.0, 0.0)]; // crosses e at x = 1/3
        let at = dirs.away_from_crossing(e, f, Vec3::new(1.0, 2.0, 0.0));
        let along = dirs.between(f[0], f[1]);
        let parallel = dirs.cross(at, along);
        assert!(dirs.is_zero(parallel));
        assert_eq!(dirs.dot(at, along), Sign::Positive);
        let third = 1.0 / 3.0; // a little less than the true third
        let near = dirs.away_from_crossing(e, f, Vec3::new(third, 0.0, 0.0));
        let x = dirs.between(Vec3::ZERO, Vec3::X);
        assert_eq!(dirs.dot(near, x), Sign::Negative);
    }

    #[test]
    fn extreme_scales() {
        let mut dirs = Directions::default();
        let u = dirs.between(Vec3::ZERO, Vec3::new(1e60, 5e-324, 0.0));
        let v = dirs.between(Vec3::ZERO, Vec3::new(1e60, 0.0, 0.0));
        let n = dirs.cross(u, v);
        let z = dirs.between(Vec3::ZERO, Vec3::Z);
        assert_eq!(dirs.dot(n, z), Sign::Negative);
        assert!(!dirs.is_zero(n));
    }
}
