//! Directions that are defined exactly; their exact values are computed only when needed.
//!
//! The analysis of a contact needs signs of determinants of directions that are themselves built
//! from cross products and sums. Each direction is a node of a small arena: an `f64` approximation
//! with a bound of its error, and the construction from which integers can be computed. A
//! determinant is first computed from the approximations. Where the error bound leaves its sign
//! open, it is computed in integers of fixed width, and in integers of arbitrary width in the rare
//! case of an overflow. All of this is paid for before it is computed, so that it can be paused.
//!
//! Only the direction matters, so every node is scaled by a power of two that keeps the
//! approximation near 1.

use num_bigint::BigInt;

use crate::exact::Sign;
use crate::math::rounding::UNIT_ROUNDOFF;
use crate::math::{Vec3, exponent};

#[cfg(test)]
use super::exact_vector::dot;
use super::exact_vector::{
    COST_OF_SHORT_PRODUCT, COST_OF_SHORT_SUM, COST_OF_SUM, Exact, add, approximate, cross,
    det_sign, integers, short_cross, short_dot, short_to_crossing, subtract, to_crossing,
};
use super::number::{Fixed, Integer};
use super::pauses::Meter;

/// A direction in a [`Directions`] arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Dir(u32);

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
    /// The exact value in integers of fixed width, if they do not overflow, once it was computed.
    fixed: Option<Option<Exact<Fixed>>>,
    exact: Option<Exact<BigInt>>,
}

/// The arena. Directions may be zero; the caller tests [`Directions::is_zero`] where that is
/// possible.
#[derive(Debug, Default)]
pub(super) struct Directions {
    nodes: Vec<Node>,
    /// Pays for everything about one contact point.
    pub(super) meter: Meter,
}

impl Construction {
    /// The directions that it is constructed from.
    fn operands(self) -> [Option<Dir>; 2] {
        match self {
            Self::Difference(..) | Self::ToCrossing { .. } => [None, None],
            Self::Negated(d) => [Some(d), None],
            Self::Cross(u, v) | Self::Sum(u, v, _) => [Some(u), Some(v)],
        }
    }
}

impl Directions {
    /// From `from` to `to`.
    pub(super) async fn between(&mut self, from: Vec3, to: Vec3) -> Dir {
        let approx = to - from;
        // A difference of `f64` numbers has an error of half an ulp of itself, and is exact where
        // it is subnormal.
        self.push(
            Construction::Difference(to, from),
            approx,
            approx.abs().max_element() * UNIT_ROUNDOFF,
        )
        .await
    }

    /// From the crossing of the segments `e` and `f` to the point `to`. The lines are in one plane
    /// and not parallel.
    pub(super) async fn away_from_crossing(&mut self, e: [Vec3; 2], f: [Vec3; 2], to: Vec3) -> Dir {
        self.push(Construction::ToCrossing { to, e, f }, Vec3::ZERO, f64::INFINITY).await
    }

    /// The opposite direction.
    pub(super) async fn negated(&mut self, d: Dir) -> Dir {
        let Node { approx, error, .. } = self.nodes[d.0 as usize];
        self.push(Construction::Negated(d), -approx, error).await
    }

    /// `u x v`.
    pub(super) async fn cross(&mut self, u: Dir, v: Dir) -> Dir {
        let (p, q) = (&self.nodes[u.0 as usize], &self.nodes[v.0 as usize]);
        let (m, n) = (p.approx.abs().max_element(), q.approx.abs().max_element());
        // Two products per component: the operands' errors, then three roundings of at most 2mn.
        let error =
            2.0 * (m * q.error + n * p.error + p.error * q.error) + 6.0 * UNIT_ROUNDOFF * m * n;
        let approx = p.approx.cross(q.approx);
        self.push(Construction::Cross(u, v), approx, error * (1.0 + 16.0 * UNIT_ROUNDOFF)).await
    }

    /// `u + v / 2^halvings`.
    pub(super) async fn sum(&mut self, u: Dir, v: Dir, halvings: u32) -> Dir {
        let (p, q) = (&self.nodes[u.0 as usize], &self.nodes[v.0 as usize]);
        let factor = 0.5_f64.powi(halvings.min(1000) as i32);
        let approx = p.approx + q.approx * factor;
        let error = p.error + q.error * factor + UNIT_ROUNDOFF * approx.abs().max_element();
        let error = error * (1.0 + 16.0 * UNIT_ROUNDOFF);
        self.push(Construction::Sum(u, v, halvings), approx, error).await
    }

    /// The sign of `u . (v x w)`.
    #[inline]
    pub(super) async fn det(&mut self, u: Dir, v: Dir, w: Dir) -> Sign {
        self.meter.pay(1).await;
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
        for d in [u, v, w] {
            if !Fixed::is_made(&self.nodes[d.0 as usize]) {
                self.make::<Fixed>(d).await;
            }
        }
        self.meter.pay(9 * COST_OF_SHORT_PRODUCT).await;
        if let Some(sign) = self.fixed_det([u, v, w]) {
            return sign;
        }
        // A state of its own: it is large, and rarely needed.
        Box::pin(self.exact_det([u, v, w])).await
    }

    /// The sign of the determinant in integers of fixed width, which were computed before.
    fn fixed_det(&self, directions: [Dir; 3]) -> Option<Sign> {
        let [p, q, r] = directions.map(|d| Fixed::made(&self.nodes[d.0 as usize]));
        let normal = short_cross(&q?.components, &r?.components)?;
        Some(short_dot(&p?.components, &normal)?.sign())
    }

    /// The sign of the determinant in integers of any width.
    async fn exact_det(&mut self, directions: [Dir; 3]) -> Sign {
        for d in directions {
            self.make::<BigInt>(d).await;
        }
        let Self { nodes, meter } = self;
        let exact = directions.map(|d| BigInt::made(&nodes[d.0 as usize]));
        let [Some(p), Some(q), Some(r)] = exact else { return Sign::Zero };
        det_sign(&p.components, &q.components, &r.components, meter).await.unwrap_or(Sign::Zero)
    }

    /// Whether the direction is exactly zero.
    pub(super) async fn is_zero(&mut self, d: Dir) -> bool {
        let node = &self.nodes[d.0 as usize];
        if node.approx.abs().max_element() > node.error {
            return false;
        }
        Box::pin(async {
            self.make::<Fixed>(d).await;
            if let Some(fixed) = Fixed::made(&self.nodes[d.0 as usize]) {
                return fixed.components.iter().all(|x| Integer::sign(x).is_zero());
            }
            self.make::<BigInt>(d).await;
            let exact = BigInt::made(&self.nodes[d.0 as usize]);
            exact.is_none_or(|exact| exact.components.iter().all(|x| Integer::sign(x).is_zero()))
        })
        .await
    }

    /// The sign of `u . v`.
    #[cfg(test)]
    async fn dot(&mut self, u: Dir, v: Dir) -> Sign {
        let (p, q) = (&self.nodes[u.0 as usize], &self.nodes[v.0 as usize]);
        let value = p.approx.dot(q.approx);
        let (m, n) =
            (p.approx.abs().max_element() + p.error, q.approx.abs().max_element() + q.error);
        let error = 3.0 * (p.error * n + m * q.error) + 12.0 * UNIT_ROUNDOFF * m * n;
        if value.abs() > error * (1.0 + 16.0 * UNIT_ROUNDOFF) {
            return Sign::of(value);
        }
        self.make::<BigInt>(u).await;
        self.make::<BigInt>(v).await;
        let made = |d: Dir| BigInt::made(&self.nodes[d.0 as usize]).unwrap().components.clone();
        let (p, q) = (made(u), made(v));
        dot(&p, &q, &mut self.meter).await.map_or(Sign::Zero, |x| Integer::sign(&x))
    }

    async fn push(&mut self, construction: Construction, approx: Vec3, error: f64) -> Dir {
        let node = Node { construction, approx, error, scale: 0, fixed: None, exact: None };
        let size = approx.abs().max_element();
        let usable = size.is_finite() && error.is_finite() && size > 2.0 * error && size > 1e-200;
        self.nodes.push(node);
        let last = Dir(self.nodes.len() as u32 - 1);
        if usable {
            let node = &mut self.nodes[last.0 as usize];
            let shift = -exponent(size);
            node.scale = i64::from(shift);
            node.approx = scale_by(approx, shift);
            node.error = scale_by(Vec3::splat(error), shift).x * (1.0 + 4.0 * UNIT_ROUNDOFF)
                + f64::MIN_POSITIVE;
        } else {
            Box::pin(self.approximate_exactly(last)).await;
        }
        last
    }

    /// Computes the approximation of a direction from its integers, because it has no significant
    /// bits. The scale must be zero.
    async fn approximate_exactly(&mut self, d: Dir) {
        self.make::<Fixed>(d).await;
        let mut found = Fixed::made(&self.nodes[d.0 as usize]).map(approximate);
        if found.is_none() {
            self.make::<BigInt>(d).await;
            found = BigInt::made(&self.nodes[d.0 as usize]).map(approximate);
        }
        let (approx, shift) = found.unwrap_or((Vec3::ZERO, 0));
        let node = &mut self.nodes[d.0 as usize];
        node.scale = shift;
        node.approx = approx;
        node.error = if approx == Vec3::ZERO { 0.0 } else { 2.0 * UNIT_ROUNDOFF };
        node.fixed = node.fixed.take().map(|fixed| fixed.map(|value| value.times_power(shift)));
        node.exact = node.exact.take().map(|value| value.times_power(shift));
    }

    /// Computes the integers of a direction, and before them those of the directions it is
    /// constructed from.
    async fn make<N: Cached>(&mut self, d: Dir) {
        if N::is_made(&self.nodes[d.0 as usize]) {
            return;
        }
        let mut wanted = vec![d];
        while let Some(top) = wanted.last().copied() {
            let Node { construction, scale, .. } = self.nodes[top.0 as usize];
            let missing = |d: &Dir| !N::is_made(&self.nodes[d.0 as usize]);
            let before = wanted.len();
            wanted.extend(construction.operands().into_iter().flatten().filter(missing));
            if wanted.len() > before {
                continue;
            }
            wanted.pop();
            if N::is_made(&self.nodes[top.0 as usize]) {
                continue;
            }
            let value = N::evaluate(construction, &self.nodes, &mut self.meter).await;
            let value = value.map(|value| value.times_power(scale));
            N::keep(&mut self.nodes[top.0 as usize], value);
        }
    }
}

/// Integer types in which the arena caches values.
trait Cached: Integer {
    fn is_made(node: &Node) -> bool;
    /// The value, if it was computed and did not overflow.
    fn made(node: &Node) -> Option<&Exact<Self>>;
    fn keep(node: &mut Node, value: Option<Exact<Self>>);
    /// The value of a construction from directions whose values were computed; `None` if the
    /// integers overflow.
    fn evaluate(
        construction: Construction,
        nodes: &[Node],
        meter: &mut Meter,
    ) -> impl Future<Output = Option<Exact<Self>>> + Send;
}

impl Cached for Fixed {
    fn is_made(node: &Node) -> bool {
        node.fixed.is_some()
    }

    fn made(node: &Node) -> Option<&Exact<Self>> {
        node.fixed.as_ref()?.as_ref()
    }

    fn keep(node: &mut Node, value: Option<Exact<Self>>) {
        node.fixed = Some(value);
    }

    async fn evaluate(
        construction: Construction,
        nodes: &[Node],
        meter: &mut Meter,
    ) -> Option<Exact<Self>> {
        // As a whole: a pause in every product would cost more than the products.
        let products = match construction {
            Construction::Cross(..) => 6,
            Construction::ToCrossing { .. } => 24,
            _ => 0,
        };
        meter.pay(COST_OF_SHORT_SUM + products * COST_OF_SHORT_PRODUCT).await;
        evaluate_short(construction, nodes)
    }
}

impl Cached for BigInt {
    fn is_made(node: &Node) -> bool {
        node.exact.is_some()
    }

    fn made(node: &Node) -> Option<&Exact<Self>> {
        node.exact.as_ref()
    }

    fn keep(node: &mut Node, value: Option<Exact<Self>>) {
        // These integers do not overflow.
        let zero = || Exact { components: [0; 3].map(Self::from), exponent: 0 };
        node.exact = Some(value.unwrap_or_else(zero));
    }

    async fn evaluate(
        construction: Construction,
        nodes: &[Node],
        meter: &mut Meter,
    ) -> Option<Exact<Self>> {
        meter.pay(COST_OF_SUM).await;
        match construction {
            Construction::Cross(u, v) => {
                let (p, q) = (value::<Self>(nodes, u)?, value::<Self>(nodes, v)?);
                let components = cross(&p.components, &q.components, meter).await?;
                Some(Exact { components, exponent: p.exponent + q.exponent })
            }
            Construction::ToCrossing { to, e, f } => to_crossing(to, e, f, meter).await,
            linear => evaluate_linear(linear, nodes),
        }
    }
}

/// The value of a direction that was computed before.
fn value<N: Cached>(nodes: &[Node], d: Dir) -> Option<&Exact<N>> {
    N::made(&nodes[d.0 as usize])
}

/// The value of a construction without products.
fn evaluate_linear<N: Cached>(construction: Construction, nodes: &[Node]) -> Option<Exact<N>> {
    match construction {
        Construction::Difference(to, from) => subtract(&integers(to)?, &integers(from)?),
        Construction::Negated(d) => {
            let e = value::<N>(nodes, d)?;
            let components = e.components.clone().map(N::negated);
            Some(Exact { components, exponent: e.exponent })
        }
        Construction::Sum(u, v, halvings) => {
            let (p, q) = (value::<N>(nodes, u)?, value::<N>(nodes, v)?);
            let exponent = q.exponent - i64::from(halvings);
            add(p, &Exact { components: q.components.clone(), exponent })
        }
        Construction::Cross(..) | Construction::ToCrossing { .. } => None,
    }
}

/// The value of a construction in integers of fixed width.
fn evaluate_short(construction: Construction, nodes: &[Node]) -> Option<Exact<Fixed>> {
    match construction {
        Construction::Cross(u, v) => {
            let (p, q) = (value::<Fixed>(nodes, u)?, value::<Fixed>(nodes, v)?);
            let components = short_cross(&p.components, &q.components)?;
            Some(Exact { components, exponent: p.exponent + q.exponent })
        }
        Construction::ToCrossing { to, e, f } => short_to_crossing(to, e, f),
        linear => evaluate_linear(linear, nodes),
    }
}

/// `v * 2^shift`, in two steps so that the factor itself stays representable.
fn scale_by(v: Vec3, shift: i32) -> Vec3 {
    let half = shift / 2;
    v * 2.0_f64.powi(half) * 2.0_f64.powi(shift - half)
}

#[cfg(test)]
mod tests {
    use super::super::pauses::to_the_end;
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
        to_the_end(async {
            let mut s = 7;
            let mut zeros = 0;
            for _ in 0..300 {
                let mut dirs = Directions::default();
                let (p, q, r) = (random_vec(&mut s), random_vec(&mut s), random_vec(&mut s));
                let o = random_vec(&mut s);
                let u = dirs.between(o, p).await;
                let v = dirs.between(o, q).await;
                let w = dirs.between(o, r).await;
                let n = dirs.cross(u, v).await;
                // n is exactly perpendicular to u and v, for integers of any size.
                assert_eq!(dirs.dot(n, u).await, Sign::Zero);
                assert_eq!(dirs.dot(n, v).await, Sign::Zero);
                assert_eq!(dirs.dot(n, w).await, dirs.det(u, v, w).await);
                let m = dirs.sum(u, v, 0).await;
                assert_eq!(dirs.det(u, v, m).await, Sign::Zero);
                let tilted = dirs.sum(m, n, 80).await;
                assert_eq!(dirs.det(u, v, tilted).await, Sign::Positive);
                let other = dirs.cross(v, w).await;
                let along = dirs.cross(n, other).await; // parallel to v
                let back = dirs.negated(along).await;
                zeros += usize::from(dirs.det(v, along, w).await.is_zero());
                assert_eq!(dirs.dot(along, w).await, -dirs.dot(back, w).await);
                assert!(!dirs.is_zero(n).await);
                let zero = dirs.cross(v, along).await;
                assert!(dirs.is_zero(zero).await);
            }
            assert_eq!(zeros, 300);
        });
    }

    #[test]
    fn directions_from_a_crossing_point_that_is_not_representable() {
        to_the_end(async {
            let mut dirs = Directions::default();
            let e = [Vec3::ZERO, Vec3::new(3.0, 0.0, 0.0)];
            let f = [Vec3::new(0.0, -1.0, 0.0), Vec3::new(1.0, 2.0, 0.0)]; // crosses e at x = 1/3
            let at = dirs.away_from_crossing(e, f, Vec3::new(1.0, 2.0, 0.0)).await;
            let along = dirs.between(f[0], f[1]).await;
            let parallel = dirs.cross(at, along).await;
            assert!(dirs.is_zero(parallel).await);
            assert_eq!(dirs.dot(at, along).await, Sign::Positive);
            let third = 1.0 / 3.0; // less than the true third
            let near = dirs.away_from_crossing(e, f, Vec3::new(third, 0.0, 0.0)).await;
            let x = dirs.between(Vec3::ZERO, Vec3::X).await;
            assert_eq!(dirs.dot(near, x).await, Sign::Negative);
        });
    }

    #[test]
    fn extreme_scales() {
        to_the_end(async {
            let mut dirs = Directions::default();
            let u = dirs.between(Vec3::ZERO, Vec3::new(1e60, 5e-324, 0.0)).await;
            let v = dirs.between(Vec3::ZERO, Vec3::new(1e60, 0.0, 0.0)).await;
            let n = dirs.cross(u, v).await;
            let z = dirs.between(Vec3::ZERO, Vec3::Z).await;
            assert_eq!(dirs.dot(n, z).await, Sign::Negative);
            assert!(!dirs.is_zero(n).await);
        });
    }
}
