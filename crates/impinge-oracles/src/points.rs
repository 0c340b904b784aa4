//! Exact squared distances in integer arithmetic, by independent methods.

use std::cmp::Ordering;

use glam::DVec3 as Vec3;
use num_bigint::BigInt;
use num_traits::Signed;

pub use crate::common::Random;
pub use crate::fraction::Fraction;
use crate::fraction::Square;
use crate::number::decompose;
pub use crate::vector::{Int3, cross, dot, sub};

/// The number of cases of a test: `cases` times the environment variable `IMPINGE_TEST_FACTOR`.
pub fn cases(cases: usize) -> usize {
    cases * crate::common::count_from("IMPINGE_TEST_FACTOR", 1)
}

/// The unit in which all coordinates of a case are integers: `2^exponent`.
pub struct Frame {
    exponent: i32,
}

impl Frame {
    pub fn of(points: &[Vec3]) -> Self {
        let exponent = points
            .iter()
            .flat_map(Vec3::to_array)
            .filter(|&x| x != 0.0)
            .map(|x| decompose(x).1)
            .min()
            .unwrap_or(0);
        Self { exponent }
    }

    pub fn point(&self, p: Vec3) -> Int3 {
        p.to_array().map(|x| {
            let (m, e) = decompose(x);
            if m == 0 {
                BigInt::ZERO
            } else if e >= self.exponent {
                BigInt::from(m) << (e - self.exponent)
            } else {
                BigInt::from(m) >> (self.exponent - e)
            }
        })
    }

    pub fn points<const N: usize>(&self, points: &[Vec3; N]) -> [Int3; N] {
        points.map(|p| self.point(p))
    }

    /// Compares `x^2`, for `x >= 0`, with a square in this frame's unit.
    pub fn compare_square(&self, x: f64, square: &Fraction) -> Ordering {
        assert!(x >= 0.0);
        Square { value: square.clone(), exponent: i64::from(self.exponent) }.compare(x)
    }
}

/// The squared distance of a point from a segment.
pub fn point_segment(p: &Int3, [a, b]: [&Int3; 2]) -> Fraction {
    let (w, e) = (sub(p, a), sub(b, a));
    let (along, length) = (dot(&w, &e), dot(&e, &e));
    if !along.is_positive() {
        Fraction::whole(dot(&w, &w))
    } else if along >= length {
        let v = sub(p, b);
        Fraction::whole(dot(&v, &v))
    } else {
        Fraction::new(dot(&w, &w) * &length - &along * &along, length)
    }
}

/// The squared distance of two segments.
pub fn segment_segment(a: [&Int3; 2], b: [&Int3; 2]) -> Fraction {
    let (u, v, r) = (sub(a[1], a[0]), sub(b[1], b[0]), sub(b[0], a[0]));
    let n = cross(&u, &v);
    let nn = dot(&n, &n);
    if nn.is_positive() {
        let (s, t) = (dot(&cross(&r, &v), &n), dot(&cross(&r, &u), &n));
        if !s.is_negative() && s <= nn && !t.is_negative() && t <= nn {
            let h = dot(&r, &n);
            return Fraction::new(&h * &h, nn);
        }
    }
    let ends = point_segment(a[0], b).min(point_segment(a[1], b));
    ends.min(point_segment(b[0], a)).min(point_segment(b[1], a))
}

/// The squared distance of a point from a triangle.
pub fn point_triangle(p: &Int3, t: &[Int3; 3]) -> Fraction {
    let n = cross(&sub(&t[1], &t[0]), &sub(&t[2], &t[0]));
    let nn = dot(&n, &n);
    if nn.is_positive() {
        let inside = (0..3).all(|i| {
            let side = cross(&sub(&t[(i + 1) % 3], &t[i]), &sub(p, &t[i]));
            !dot(&side, &n).is_negative()
        });
        if inside {
            let h = dot(&sub(p, &t[0]), &n);
            return Fraction::new(&h * &h, nn);
        }
    }
    (0..3)
        .map(|i| point_segment(p, [&t[i], &t[(i + 1) % 3]]))
        .reduce(Fraction::min)
        .expect("three sides")
}

/// Whether the segment crosses the interior of a triangle of positive area properly.
fn crosses_interior(a: [&Int3; 2], t: &[Int3; 3]) -> bool {
    let n = cross(&sub(&t[1], &t[0]), &sub(&t[2], &t[0]));
    let (h, k) = (dot(&sub(a[0], &t[0]), &n), dot(&sub(a[1], &t[0]), &n));
    if !(&h * &k).is_negative() {
        return false;
    }
    let d = sub(a[1], a[0]);
    let sides: Vec<BigInt> =
        (0..3).map(|i| dot(&d, &cross(&sub(&t[i], a[0]), &sub(&t[(i + 1) % 3], a[0])))).collect();
    sides.iter().all(Signed::is_positive) || sides.iter().all(Signed::is_negative)
}

/// The squared distance of two triangles.
pub fn triangle_triangle(a: &[Int3; 3], b: &[Int3; 3]) -> Fraction {
    let mut best: Option<Fraction> = None;
    let mut offer = |candidate: Fraction| {
        best = Some(match best.take() {
            Some(known) => known.min(candidate),
            None => candidate,
        });
    };
    for i in 0..3 {
        let u = [&a[i], &a[(i + 1) % 3]];
        let v = [&b[i], &b[(i + 1) % 3]];
        if crosses_interior(u, b) || crosses_interior(v, a) {
            return Fraction::whole(BigInt::ZERO);
        }
        offer(point_triangle(&a[i], b));
        offer(point_triangle(&b[i], a));
        for j in 0..3 {
            offer(segment_segment(u, [&b[j], &b[(j + 1) % 3]]));
        }
    }
    best.expect("some candidate")
}
