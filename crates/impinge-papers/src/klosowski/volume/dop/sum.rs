//! Bounds of a sum of three numbers.

use impinge::internals::rounding::{down, up};

/// The rounded sum and its exact rounding error (Knuth's two-sum).
#[inline]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    let t = s - a;
    (s, (a - (s - t)) + (b - t))
}

/// Bounds of the real sum `x + y + z`: both equal to the sum if it is an `f64`, otherwise the two
/// neighbours of an `f64` near it.
///
/// With `s + e = x + y`, `t + f = s + z`, `g + h = e + f` and `r + q = t + g`, all exact, the sum
/// is `r + q + h` and `|q|` is at most half an ulp of `r`. If `f` is zero then so is `h`. Otherwise
/// `s + z` was inexact, so `s` and `z` do not cancel (Sterbenz) and `ulp(t) >= ulp(s) / 2 >= |e|`;
/// then `|g| <= 2 ulp(t)`, `|h| <= 2^-51 ulp(t)` and `ulp(r) >= ulp(t) / 4`. Either way `|q + h|`
/// is less than the distance from `r` to a neighbour.
#[inline]
#[must_use]
pub(super) fn sum3(x: f64, y: f64, z: f64) -> (f64, f64) {
    let (s, e) = two_sum(x, y);
    let (t, f) = two_sum(s, z);
    let (g, h) = two_sum(e, f);
    let (r, q) = two_sum(t, g);
    if q == 0.0 && h == 0.0 { (r, r) } else { (down(r), up(r)) }
}

#[cfg(test)]
mod tests {
    use impinge::internals::Random;
    use num_rational::BigRational;

    use super::*;

    fn exact(x: f64) -> BigRational {
        BigRational::from_float(x).unwrap()
    }

    #[test]
    fn sums_of_three_are_enclosed() {
        let mut random = Random::new(1);
        for round in 0..20_000 {
            let mut draw = || {
                let e = random.range(-60.0, 60.0) * f64::from(round % 3);
                random.range(-1.0, 1.0) * 2.0_f64.powf(e.round())
            };
            let (x, y, mut z) = (draw(), draw(), draw());
            if round % 4 == 0 {
                z = -(x + y) * (1.0 + f64::from(round % 5) * f64::EPSILON);
            }
            let (lo, hi) = sum3(x, y, z);
            let sum = exact(x) + exact(y) + exact(z);
            assert!(exact(lo) <= sum && sum <= exact(hi), "{x} {y} {z}");
            assert!(hi - lo <= 4.0 * f64::EPSILON * lo.abs().max(hi.abs()) + 1e-320);
        }
        assert_eq!(sum3(1.0, 2.0, -5.0), (-2.0, -2.0));
    }
}
