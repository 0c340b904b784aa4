//! Vectors of integers times a common power of two: exact arithmetic for directions, in integers of
//! fixed width as a whole, in integers of any length in pieces that are paid for one by one.

use crate::exact::Sign;
use crate::exact::integer::decompose_odd;
use crate::math::Vec3;

use super::number::{Fixed, Integer};
use super::pauses::Meter;

/// The exact vector `components * 2^exponent`.
#[derive(Clone, Debug)]
pub(super) struct Exact<N> {
    pub(super) components: [N; 3],
    pub(super) exponent: i64,
}

impl<N> Exact<N> {
    /// The value times a power of two.
    pub(super) fn times_power(self, exponent: i64) -> Self {
        Self { exponent: self.exponent + exponent, ..self }
    }
}

/// The costs of a product, and of the sum of two vectors, in integers of fixed width.
pub(super) const COST_OF_SHORT_PRODUCT: u32 = 2;
pub(super) const COST_OF_SHORT_SUM: u32 = 4;

pub(super) fn short_cross(p: &[Fixed; 3], q: &[Fixed; 3]) -> Option<[Fixed; 3]> {
    let minor = |i: usize, j: usize| p[i].product(&q[j])?.plus(&p[j].product(&q[i])?.negated());
    Some([minor(1, 2)?, minor(2, 0)?, minor(0, 1)?])
}

pub(super) fn short_dot(p: &[Fixed; 3], q: &[Fixed; 3]) -> Option<Fixed> {
    let first = p[0].product(&q[0])?.plus(&p[1].product(&q[1])?)?;
    first.plus(&p[2].product(&q[2])?)
}

/// As [`to_crossing`], in integers of fixed width.
pub(super) fn short_to_crossing(to: Vec3, e: [Vec3; 2], f: [Vec3; 2]) -> Option<Exact<Fixed>> {
    let (e0, e1, f0, f1) = (integers(e[0])?, integers(e[1])?, integers(f[0])?, integers(f[1])?);
    let (u, w, offset) = (subtract(&e1, &e0)?, subtract(&f1, &f0)?, subtract(&f0, &e0)?);
    let normal = short_cross(&u.components, &w.components)?;
    let t = short_dot(&normal, &normal)?;
    let back = short_dot(&offset.components, &short_cross(&w.components, &normal)?)?.negated();
    let reach: Exact<Fixed> = subtract(&integers(to)?, &e0)?;
    let times = |p: &[Fixed; 3], factor: &Fixed| try_each_axis(|i| p[i].product(factor));
    let first = Exact { components: times(&reach.components, &t)?, exponent: reach.exponent };
    let along = Exact { components: times(&u.components, &back)?, exponent: offset.exponent };
    add(&first, &along)
}

/// The cost of the sum of two exact vectors of any length, with the shifts.
pub(super) const COST_OF_SUM: u32 = 16;

/// `to - p` times a positive factor, where `p` is the intersection of the lines `e` and `f`.
pub(super) async fn to_crossing<N: Integer>(
    to: Vec3,
    e: [Vec3; 2],
    f: [Vec3; 2],
    meter: &mut Meter,
) -> Option<Exact<N>> {
    let (e0, e1, f0, f1) = (integers(e[0])?, integers(e[1])?, integers(f[0])?, integers(f[1])?);
    let (u, w, offset) = (subtract(&e1, &e0)?, subtract(&f1, &f0)?, subtract(&f0, &e0)?);
    // p = e0 + (s / t) u with s = det(offset, w, u x w) and t = |u x w|^2 > 0.
    meter.pay(4 * COST_OF_SUM).await;
    let normal = cross(&u.components, &w.components, meter).await?;
    let t = dot(&normal, &normal, meter).await?;
    let along_normal = cross(&w.components, &normal, meter).await?;
    let s: N = dot(&offset.components, &along_normal, meter).await?;
    // With exponents: |u x w|^2 has 2(eu + ew), det(offset, w, u x w) has eo + 2 ew + eu; their
    // quotient times u has eo.
    let reach = subtract(&integers(to)?, &e0)?;
    let first =
        Exact { components: scaled(&reach.components, &t, meter).await?, exponent: reach.exponent };
    let back = s.negated();
    let along =
        Exact { components: scaled(&u.components, &back, meter).await?, exponent: offset.exponent };
    add(&first, &along)
}

/// The results of a function for the three axes, if it has one for each.
fn try_each_axis<N>(component: impl Fn(usize) -> Option<N>) -> Option<[N; 3]> {
    Some([component(0)?, component(1)?, component(2)?])
}

async fn scaled<N: Integer>(p: &[N; 3], factor: &N, meter: &mut Meter) -> Option<[N; 3]> {
    Some([
        p[0].times(factor, meter).await?,
        p[1].times(factor, meter).await?,
        p[2].times(factor, meter).await?,
    ])
}

pub(super) async fn dot<N: Integer>(p: &[N; 3], q: &[N; 3], meter: &mut Meter) -> Option<N> {
    let mut sum = p[0].times(&q[0], meter).await?;
    for i in 1..3 {
        sum = sum.plus(&p[i].times(&q[i], meter).await?)?;
    }
    Some(sum)
}

pub(super) async fn cross<N: Integer>(p: &[N; 3], q: &[N; 3], meter: &mut Meter) -> Option<[N; 3]> {
    let mut minors = [const { None }; 3];
    for (i, j, minor) in [(1, 2, 0), (2, 0, 1), (0, 1, 2)] {
        let first = p[i].times(&q[j], meter).await?;
        minors[minor] = Some(first.plus(&p[j].times(&q[i], meter).await?.negated())?);
    }
    let [x, y, z] = minors;
    Some([x?, y?, z?])
}

/// The sign of `p . (q x r)`.
pub(super) async fn det_sign<N: Integer>(
    p: &[N; 3],
    q: &[N; 3],
    r: &[N; 3],
    meter: &mut Meter,
) -> Option<Sign> {
    let normal = cross(q, r, meter).await?;
    Some(dot(p, &normal, meter).await?.sign())
}

pub(super) fn add<N: Integer>(p: &Exact<N>, q: &Exact<N>) -> Option<Exact<N>> {
    let exponent = p.exponent.min(q.exponent);
    let (up, uq) = ((p.exponent - exponent) as u64, (q.exponent - exponent) as u64);
    let components =
        try_each_axis(|i| p.components[i].shifted(up)?.plus(&q.components[i].shifted(uq)?))?;
    Some(Exact { components, exponent })
}

pub(super) fn subtract<N: Integer>(p: &Exact<N>, q: &Exact<N>) -> Option<Exact<N>> {
    add(p, &Exact { components: q.components.clone().map(N::negated), exponent: q.exponent })
}

/// A point as integers times a common power of two.
pub(super) fn integers<N: Integer>(v: Vec3) -> Option<Exact<N>> {
    let parts = v.to_array().map(decompose_odd);
    let exponent = parts.iter().filter(|(m, _)| *m != 0).map(|(_, e)| *e).min().unwrap_or(0);
    let components = try_each_axis(|i| match parts[i] {
        (0, _) => Some(N::of(0)),
        (m, e) => N::of(m).shifted((e - exponent) as u64),
    })?;
    Some(Exact { components, exponent: i64::from(exponent) })
}

/// An `f64` vector of length about one, with an error of less than an ulp of one, and the exponent
/// of the power of two that the exact value was multiplied by.
pub(super) fn approximate<N: Integer>(exact: &Exact<N>) -> (Vec3, i64) {
    let bits = exact.components.iter().map(N::bits).max().unwrap_or(0);
    if bits == 0 {
        return (Vec3::ZERO, 0);
    }
    // 64 leading bits are more than the mantissa of an `f64`; truncation and conversion have an
    // error of less than an ulp of the largest component.
    let [x, y, z] = exact.components.each_ref().map(|x| x.divided_by_power(bits));
    (Vec3::new(x, y, z), -(bits as i64 + exact.exponent))
}
