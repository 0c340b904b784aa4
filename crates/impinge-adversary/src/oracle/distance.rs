//! Squared distances of triangles, over all pairs of features: corner and face, edge and edge.

use num_bigint::BigInt;
use num_traits::ToPrimitive;

use impinge_oracles::fraction::{Fraction, Square};
use impinge_oracles::number::Number;
use impinge_oracles::vector::{Int3, cross, dot, sub};

use super::units::Units;

/// The largest number of bits of a coordinate for which no product below exceeds 127 bits: a
/// comparison of two quotients has the bits of ten coordinates and 14 more from sums.
const BITS_FOR_I128: u64 = 11;

type Vector<N> = [N; 3];

fn point_segment<N: Number>(p: &Vector<N>, [a, b]: [&Vector<N>; 2]) -> Fraction<N> {
    let (w, e) = (sub(p, a), sub(b, a));
    let (along, length) = (dot(&w, &e), dot(&e, &e));
    if along.signum() <= 0 {
        Fraction::whole(dot(&w, &w))
    } else if along.minus(&length).signum() >= 0 {
        let v = sub(p, b);
        Fraction::whole(dot(&v, &v))
    } else {
        let numerator = dot(&w, &w).times(&length).minus(&along.times(&along));
        Fraction::new(numerator, length)
    }
}

fn segment_segment<N: Number>(a: [&Vector<N>; 2], b: [&Vector<N>; 2]) -> Option<Fraction<N>> {
    let (u, v, r) = (sub(a[1], a[0]), sub(b[1], b[0]), sub(b[0], a[0]));
    let n = cross(&u, &v);
    let nn = dot(&n, &n);
    if nn.signum() == 0 {
        return None;
    }
    let (s, t) = (dot(&cross(&r, &v), &n), dot(&cross(&r, &u), &n));
    let inside = |x: &N| x.signum() >= 0 && nn.minus(x).signum() >= 0;
    let h = dot(&r, &n);
    (inside(&s) && inside(&t)).then(|| Fraction::new(h.times(&h), nn))
}

/// `None` if the projection of the point lies outside of the triangle; the edges are covered by
/// other pairs of features.
fn point_face<N: Number>(p: &Vector<N>, t: &[Vector<N>; 3]) -> Option<Fraction<N>> {
    let n = cross(&sub(&t[1], &t[0]), &sub(&t[2], &t[0]));
    let nn = dot(&n, &n);
    let inside = nn.signum() > 0
        && (0..3).all(|i| {
            let side = cross(&sub(&t[(i + 1) % 3], &t[i]), &sub(p, &t[i]));
            dot(&side, &n).signum() >= 0
        });
    let h = dot(&sub(p, &t[0]), &n);
    inside.then(|| Fraction::new(h.times(&h), nn))
}

fn pierces<N: Number>(a: [&Vector<N>; 2], t: &[Vector<N>; 3]) -> bool {
    let n = cross(&sub(&t[1], &t[0]), &sub(&t[2], &t[0]));
    let (h, k) = (dot(&sub(a[0], &t[0]), &n), dot(&sub(a[1], &t[0]), &n));
    if h.signum() * k.signum() >= 0 {
        return false;
    }
    let d = sub(a[1], a[0]);
    let side = |i: usize| dot(&d, &cross(&sub(&t[i], a[0]), &sub(&t[(i + 1) % 3], a[0]))).signum();
    (0..3).all(|i| side(i) > 0) || (0..3).all(|i| side(i) < 0)
}

fn triangles<N: Number>(a: &[Vector<N>; 3], b: &[Vector<N>; 3]) -> Fraction<N> {
    let mut best: Option<Fraction<N>> = None;
    let mut offer = |candidate: Fraction<N>| {
        best = Some(match best.take() {
            Some(known) => known.min(candidate),
            None => candidate,
        });
    };
    for i in 0..3 {
        let (u, v) = ([&a[i], &a[(i + 1) % 3]], [&b[i], &b[(i + 1) % 3]]);
        if pierces(u, b) || pierces(v, a) {
            return Fraction::whole(N::from_scaled(0, 0));
        }
        point_face(&a[i], b).into_iter().for_each(&mut offer);
        point_face(&b[i], a).into_iter().for_each(&mut offer);
        for j in 0..3 {
            let w = [&b[j], &b[(j + 1) % 3]];
            segment_segment(u, w).into_iter().for_each(&mut offer);
            offer(point_segment(&a[i], w));
            offer(point_segment(&b[j], u));
        }
    }
    best.unwrap_or_else(|| Fraction::whole(N::from_scaled(0, 0)))
}

/// The squared distances of triangles of two bodies, whose points are in one [`Units`].
#[derive(Debug)]
pub struct Distances<'u> {
    units: &'u Units,
    /// The same coordinates as `i128`, if they have at most [`BITS_FOR_I128`] bits.
    short: Option<[Vec<[i128; 3]>; 2]>,
}

impl<'u> Distances<'u> {
    /// Distances between triangles of these points.
    #[must_use]
    pub fn new(units: &'u Units) -> Self {
        let convert = |points: &[Int3]| -> Vec<[i128; 3]> {
            let number = |x: &BigInt| x.to_i128().unwrap_or(0);
            points.iter().map(|[x, y, z]| [number(x), number(y), number(z)]).collect()
        };
        let short = (units.bits <= BITS_FOR_I128).then(|| [convert(&units.a), convert(&units.b)]);
        Self { units, short }
    }

    /// The squared distance of a triangle of A and a triangle of B, given by vertex indices.
    #[must_use]
    pub fn squared(&self, a: [u32; 3], b: [u32; 3]) -> Square {
        let exponent = self.units.exponent;
        let index = |k: u32| k as usize;
        if let Some([points_a, points_b]) = &self.short {
            let found = triangles(&a.map(|k| points_a[index(k)]), &b.map(|k| points_b[index(k)]));
            let value = Fraction::new(found.numerator.into(), found.denominator.into());
            return Square { value, exponent };
        }
        let corners_a = a.map(|k| self.units.a[index(k)].clone());
        let corners_b = b.map(|k| self.units.b[index(k)].clone());
        Square { value: triangles(&corners_a, &corners_b), exponent }
    }

    /// The squared distance of the boxes around two triangles: a cheap lower bound.
    #[must_use]
    pub fn boxes(&self, a: [u32; 3], b: [u32; 3]) -> BigInt {
        let mut sum = BigInt::ZERO;
        for k in 0..3 {
            let of = |points: &[Int3], t: [u32; 3]| {
                let mut x = t.map(|v| points[v as usize][k].clone());
                x.sort_unstable();
                let [low, _, high] = x;
                (low, high)
            };
            let ((low_a, high_a), (low_b, high_b)) = (of(&self.units.a, a), of(&self.units.b, b));
            let gap = (low_b - high_a).max(low_a - high_b).max(BigInt::ZERO);
            sum += &gap * &gap;
        }
        sum
    }
}
