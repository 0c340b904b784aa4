//! Directions that are defined exactly; their exact values are computed only when needed.
//!
//! The analysis of a contact needs signs of determinants of directions that are themselves built
//! from cross products and sums. Each direction is a node of a small arena: an `f64` approximation
//! with a bound of its error, and the construction from which integers can be computed. A
//! determinant is first computed from the approximations. Where the error bound leaves its sign
//! open, it is computed in integers of fixed width, and in integers of arbitrary width in the rare
//! case of an overflow.
//!
//! Only the direction matters, so every node is scaled by a power of two that keeps the
//! approximation near 1.

use std::cell::OnceCell;

use num_bigint::BigInt;

use crate::exact::Sign;
use crate::exact::integer::decompose_odd;
use crate::math::rounding::UNIT_ROUNDOFF;
use crate::math::{Vec3, exponent};

use super::number::{Fixed, Integer};

/// A direction in a [`Directions`] arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Dir(u32);

/// The exact vector `components * 2^exponent`.
#[derive(Clone, Debug)]
struct Exact<N> {
    components: [N; 3],
    exponent: i64,
}

/// The operation that defines a direction.
#[derive(Clone, Copy, Debug)]
enum Construction {
    /// From the second point to the first.
    Difference(Vec3, Vec3),
    /// From the intersection of the lines `e` and `f`, which are in one plane, to the point `to`.
    ToCrossing { to: Vec3, e: [Vec3; 2], f: [Vec3; 2] },
    /// The opposite direction.
    Negated(Dir),
    /// The cross product.
    Cross(Dir, Dir),
    /// The first plus the second divided by this power of two.
    Sum(Dir, Dir, u32),
}

#[derive(Debug)]
struct Node {
    construction: Construction,
    /// The scaled direction to within `error` in every component.
    approx: Vec3,
    error: f64,
    /// `approx` approximates the value of the construction times `2^scale`.
    scale: i64,
    /// The exact value in integers of fixed width, if they do not overflow.
    fixed: OnceCell<Option<Exact<Fixed>>>,
    exact: OnceCell<Exact<BigInt>>,
}

/// The arena. Directions may be zero; the caller tests [`Directions::is_zero`] where that is
/// possible.
#[derive(Debug, Default)]
pub(super) struct Directions {
    nodes: Vec<Node>,
}

impl Directions {
    /// From `from` to `to`.
    pub(super) fn between(&mut self, from: Vec3, to: Vec3) -> Dir {
        let approx = to - from;
        // A difference of `f64` numbers has an error of half an ulp of itself, and is exact where
        // it is subnormal.
        self.push(
            Construction::Difference(to, from),
            approx,
            approx.abs().max_element() * UNIT_ROUNDOFF,
        )
    }

    /// From the crossing of the segments `e` and `f` to the point `to`. The lines are in one plane
    /// and not parallel.
    pub(super) fn away_from_crossing(&mut self, e: [Vec3; 2], f: [Vec3; 2], to: Vec3) -> Dir {
        self.push(Construction::ToCrossing { to, e, f }, Vec3::ZERO, f64::INFINITY)
    }

    /// The opposite direction.
    pub(super) fn negated(&mut self, d: Dir) -> Dir {
        let Node { approx, error, .. } = self.nodes[d.0 as usize];
        self.push(Construction::Negated(d), -approx, error)
    }

    /// `u x v`.
    pub(super) fn cross(&mut self, u: Dir, v: Dir) -> Dir {
        let (p, q) = (&self.nodes[u.0 as usize], &self.nodes[v.0 as usize]);
        let (m, n) = (p.approx.abs().max_element(), q.approx.abs().max_element());
        // Two products per component: the operands' errors, then three roundings of at most 2mn.
        let error =
            2.0 * (m * q.error + n * p.error + p.error * q.error) + 6.0 * UNIT_ROUNDOFF * m * n;
        let approx = p.approx.cross(q.approx);
        self.push(Construction::Cross(u, v), approx, error * (1.0 + 16.0 * UNIT_ROUNDOFF))
    }

    /// `u + v / 2^halvings`.
    pub(super) fn sum(&mut self, u: Dir, v: Dir, halvings: u32) -> Dir {
        let (p, q) = (&self.nodes[u.0 as usize], &self.nodes[v.0 as usize]);
        let factor = 0.5_f64.powi(halvings.min(1000) as i32);
        let approx = p.approx + q.approx * factor;
        let error = p.error + q.error * factor + UNIT_ROUNDOFF * approx.abs().max_element();
        self.push(Construction::Sum(u, v, halvings), approx, error * (1.0 + 16.0 * UNIT_ROUNDOFF))
    }

    /// The sign of `u . (v x w)`.
    pub(super) fn det(&self, u: Dir, v: Dir, w: Dir) -> Sign {
        if u == v || v == w || w == u {
            return Sign::Zero;
        }
        let [p, q, r] = [u, v, w].map(|d| &self.nodes[d.0 as usize]);
        let value = p.approx.dot(q.approx.cross(r.approx));
        let [l, m, n] = [p, q, r].map(|x| x.approx.abs().max_element() + x.error);
        // The six products are at most lmn each; at most five successive roundings, and the
        // operands' own errors.
        let error = 6.0 * (p.error * m * n + l * q.error * n + l * m * r.error)
            + 40.0 * UNIT_ROUNDOFF * l * m * n;
        if value.abs() > error * (1.0 + 16.0 * UNIT_ROUNDOFF) {
            return Sign::of(value);
        }
        let fixed = [u, v, w].map(|d| self.fixed(d));
        if let [Some(p), Some(q), Some(r)] = fixed {
            if let Some(sign) = det_sign(&p.components, &q.components, &r.components) {
                return sign;
            }
        }
        let [p, q, r] = [u, v, w].map(|d| &self.exact(d).components);
        det_sign(p, q, r).unwrap_or(Sign::Zero)
    }

    /// Whether the direction is exactly zero.
    pub(super) fn is_zero(&self, d: Dir) -> bool {
        let node = &self.nodes[d.0 as usize];
        node.approx.abs().max_element() <= node.error
            && match self.fixed(d) {
                Some(fixed) => fixed.components.iter().all(|x| Integer::sign(x).is_zero()),
                None => self.exact(d).components.iter().all(|x| Integer::sign(x).is_zero()),
            }
    }

    /// The sign of `u . v`.
    #[cfg(test)]
    fn dot(&self, u: Dir, v: Dir) -> Sign {
        let (p, q) = (&self.nodes[u.0 as usize], &self.nodes[v.0 as usize]);
        let value = p.approx.dot(q.approx);
        let (m, n) =
            (p.approx.abs().max_element() + p.error, q.approx.abs().max_element() + q.error);
        let error = 3.0 * (p.error * n + m * q.error) + 12.0 * UNIT_ROUNDOFF * m * n;
        if value.abs() > error * (1.0 + 16.0 * UNIT_ROUNDOFF) {
            return Sign::of(value);
        }
        dot(&self.exact(u).components, &self.exact(v).components)
            .map_or(Sign::Zero, |x| Integer::sign(&x))
    }

    fn push(&mut self, construction: Construction, approx: Vec3, error: f64) -> Dir {
        let (fixed, exact) = (OnceCell::new(), OnceCell::new());
        let mut node = Node { construction, approx, error, scale: 0, fixed, exact };
        let size = approx.abs().max_element();
        let usable = size.is_finite() && error.is_finite() && size > 2.0 * error && size > 1e-200;
        if usable {
            let shift = -exponent(size);
            node.scale = i64::from(shift);
            node.approx = scale_by(approx, shift);
            node.error = scale_by(Vec3::splat(error), shift).x * (1.0 + 4.0 * UNIT_ROUNDOFF)
                + f64::MIN_POSITIVE;
            self.nodes.push(node);
        } else {
            // The approximation has no significant bits: compute it from the integers.
            let fixed = self.evaluate::<Fixed>(construction);
            let exact = if fixed.is_none() { self.evaluate::<BigInt>(construction) } else { None };
            let found = fixed.as_ref().map(approximate).or(exact.as_ref().map(approximate));
            let (approx, shift) = found.unwrap_or((Vec3::ZERO, 0));
            node.scale = shift;
            node.approx = approx;
            node.error = if approx == Vec3::ZERO { 0.0 } else { 2.0 * UNIT_ROUNDOFF };
            let _ = node.fixed.set(fixed.map(|value| value.times_power(shift)));
            if let Some(value) = exact {
                let _ = node.exact.set(value.times_power(shift));
            }
            self.nodes.push(node);
        }
        Dir(self.nodes.len() as u32 - 1)
    }

    /// The value in integers of fixed width, if they do not overflow.
    fn fixed(&self, d: Dir) -> Option<&Exact<Fixed>> {
        let node = &self.nodes[d.0 as usize];
        let make = || self.evaluate(node.construction).map(|value| value.times_power(node.scale));
        node.fixed.get_or_init(make).as_ref()
    }

    fn exact(&self, d: Dir) -> &Exact<BigInt> {
        let node = &self.nodes[d.0 as usize];
        node.exact.get_or_init(|| {
            let value = self.evaluate::<BigInt>(node.construction);
            value
                .unwrap_or(Exact { components: [0; 3].map(BigInt::from), exponent: 0 })
                .times_power(node.scale)
        })
    }

    /// The value of a construction; `None` if the integers overflow.
    fn evaluate<N: Cached>(&self, construction: Construction) -> Option<Exact<N>> {
        match construction {
            Construction::Difference(to, from) => subtract(&integers(to)?, &integers(from)?),
            Construction::Negated(d) => {
                let e = N::cached(self, d)?;
                Some(Exact {
                    components: e.components.clone().map(N::negated),
                    exponent: e.exponent,
                })
            }
            Construction::Cross(u, v) => {
                let (p, q) = (N::cached(self, u)?, N::cached(self, v)?);
                let components = cross(&p.components, &q.components)?;
                Some(Exact { components, exponent: p.exponent + q.exponent })
            }
            Construction::Sum(u, v, halvings) => {
                let (p, q) = (N::cached(self, u)?, N::cached(self, v)?);
                let exponent = q.exponent - i64::from(halvings);
                add(p, &Exact { components: q.components.clone(), exponent })
            }
            Construction::ToCrossing { to, e, f } => to_crossing(to, e, f),
        }
    }
}

/// Integer types in which the arena caches values.
trait Cached: Integer {
    fn cached(directions: &Directions, d: Dir) -> Option<&Exact<Self>>;
}

impl Cached for Fixed {
    fn cached(directions: &Directions, d: Dir) -> Option<&Exact<Self>> {
        directions.fixed(d)
    }
}

impl Cached for BigInt {
    fn cached(directions: &Directions, d: Dir) -> Option<&Exact<Self>> {
        Some(directions.exact(d))
    }
}

impl<N> Exact<N> {
    /// The value times a power of two.
    fn times_power(self, exponent: i64) -> Self {
        Self { exponent: self.exponent + exponent, ..self }
    }
}

/// `to - p` times a positive factor, where `p` is the intersection of the lines `e` and `f`.
fn to_crossing<N: Integer>(to: Vec3, e: [Vec3; 2], f: [Vec3; 2]) -> Option<Exact<N>> {
    let (e0, e1, f0, f1) = (integers(e[0])?, integers(e[1])?, integers(f[0])?, integers(f[1])?);
    let (u, w, offset) = (subtract(&e1, &e0)?, subtract(&f1, &f0)?, subtract(&f0, &e0)?);
    // p = e0 + (s / t) u with s = det(offset, w, u x w) and t = |u x w|^2 > 0.
    let normal = cross(&u.components, &w.components)?;
    let t = dot(&normal, &normal)?;
    let s: N = dot(&offset.components, &cross(&w.components, &normal)?)?;
    // With exponents: |u x w|^2 has 2(eu + ew), det(offset, w, u x w) has eo + 2 ew + eu; their
    // quotient times u has eo.
    let reach = subtract(&integers(to)?, &e0)?;
    let first = Exact {
        components: try_each_axis(|i| reach.components[i].times(&t))?,
        exponent: reach.exponent,
    };
    let back = s.negated();
    let along = Exact {
        components: try_each_axis(|i| u.components[i].times(&back))?,
        exponent: offset.exponent,
    };
    add(&first, &along)
}

/// The results of a function for the three axes, if it has one for each.
fn try_each_axis<N>(component: impl Fn(usize) -> Option<N>) -> Option<[N; 3]> {
    Some([component(0)?, component(1)?, component(2)?])
}

fn dot<N: Integer>(p: &[N; 3], q: &[N; 3]) -> Option<N> {
    p[0].times(&q[0])?.plus(&p[1].times(&q[1])?)?.plus(&p[2].times(&q[2])?)
}

fn cross<N: Integer>(p: &[N; 3], q: &[N; 3]) -> Option<[N; 3]> {
    let minor = |i: usize, j: usize| p[i].times(&q[j])?.plus(&p[j].times(&q[i])?.negated());
    Some([minor(1, 2)?, minor(2, 0)?, minor(0, 1)?])
}

/// The sign of `p . (q x r)`.
fn det_sign<N: Integer>(p: &[N; 3], q: &[N; 3], r: &[N; 3]) -> Option<Sign> {
    Some(dot(p, &cross(q, r)?)?.sign())
}

fn add<N: Integer>(p: &Exact<N>, q: &Exact<N>) -> Option<Exact<N>> {
    let exponent = p.exponent.min(q.exponent);
    let (up, uq) = ((p.exponent - exponent) as u64, (q.exponent - exponent) as u64);
    let components =
        try_each_axis(|i| p.components[i].shifted(up)?.plus(&q.components[i].shifted(uq)?))?;
    Some(Exact { components, exponent })
}

fn subtract<N: Integer>(p: &Exact<N>, q: &Exact<N>) -> Option<Exact<N>> {
    add(p, &Exact { components: q.components.clone().map(N::negated), exponent: q.exponent })
}

/// A point as integers times a common power of two.
fn integers<N: Integer>(v: Vec3) -> Option<Exact<N>> {
    let parts = v.to_array().map(decompose_odd);
    let exponent = parts.iter().filter(|(m, _)| *m != 0).map(|(_, e)| *e).min().unwrap_or(0);
    let components = try_each_axis(|i| match parts[i] {
        (0, _) => Some(N::of(0)),
        (m, e) => N::of(m).shifted((e - exponent) as u64),
    })?;
    Some(Exact { components, exponent: i64::from(exponent) })
}

/// `v * 2^shift`, in two steps so that the factor itself stays representable.
fn scale_by(v: Vec3, shift: i32) -> Vec3 {
    let half = shift / 2;
    v * 2.0_f64.powi(half) * 2.0_f64.powi(shift - half)
}

/// An `f64` vector of length about one, with an error of less than an ulp of one, and the exponent
/// of the power of two that the exact value was multiplied by.
fn approximate<N: Integer>(exact: &Exact<N>) -> (Vec3, i64) {
    let bits = exact.components.iter().map(N::bits).max().unwrap_or(0);
    if bits == 0 {
        return (Vec3::ZERO, 0);
    }
    // 64 leading bits are more than the mantissa of an `f64`; truncation and conversion have an
    // error of less than an ulp of the largest component.
    let [x, y, z] = exact.components.each_ref().map(|x| x.divided_by_power(bits));
    (Vec3::new(x, y, z), -(bits as i64 + exact.exponent))
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
            // n is exactly perpendicular to u and v, for integers of any size.
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
            let zero = dirs.cross(v, along);
            assert!(dirs.is_zero(zero));
        }
        assert_eq!(zeros, 300);
    }

    #[test]
    fn directions_from_a_crossing_point_that_is_not_representable() {
        let mut dirs = Directions::default();
        let e = [Vec3::ZERO, Vec3::new(3.0, 0.0, 0.0)];
        let f = [Vec3::new(0.0, -1.0, 0.0), Vec3::new(1.0, 2.0, 0.0)]; // crosses e at x = 1/3
        let at = dirs.away_from_crossing(e, f, Vec3::new(1.0, 2.0, 0.0));
        let along = dirs.between(f[0], f[1]);
        let parallel = dirs.cross(at, along);
        assert!(dirs.is_zero(parallel));
        assert_eq!(dirs.dot(at, along), Sign::Positive);
        let third = 1.0 / 3.0; // less than the true third
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
