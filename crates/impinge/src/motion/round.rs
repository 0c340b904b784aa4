//! Sums, products and quotients rounded outward. Exact results stay as they are.

use crate::exact::integer::decompose_odd;
use crate::math::next_up;

/// The rounding error of a sum: `a + b - fl(a + b)`, exactly (Knuth's two-sum). Sums do not lose
/// bits by underflow.
fn sum_error(a: f64, b: f64, sum: f64) -> f64 {
    let b_part = sum - a;
    (a - (sum - b_part)) + (b - b_part)
}

/// Whether `a * b` is the `f64` that multiplication returns, without rounding.
fn is_exact_product(a: f64, b: f64) -> bool {
    let ((m, e), (n, f)) = (decompose_odd(a), decompose_odd(b));
    if m == 0 || n == 0 {
        return a.is_finite() && b.is_finite();
    }
    // Odd factors have an odd product, so its bits cannot be fewer.
    let bits = 128 - (u128::from(m.unsigned_abs()) * u128::from(n.unsigned_abs())).leading_zeros();
    bits <= 53 && e + f >= -1074 && e + f + bits as i32 <= 1024
}

/// An upper bound of `a + b`, at most one step above the rounded sum.
pub(super) fn add_up(a: f64, b: f64) -> f64 {
    let sum = a + b;
    if sum_error(a, b, sum) > 0.0 { next_up(sum) } else { sum }
}

/// A lower bound of `a + b`, at most one step below the rounded sum.
pub(super) fn add_down(a: f64, b: f64) -> f64 {
    -add_up(-a, -b)
}

/// An upper bound of `a * b`, at most one step above the rounded product.
pub(super) fn mul_up(a: f64, b: f64) -> f64 {
    let product = a * b;
    if is_exact_product(a, b) { product } else { next_up(product) }
}

/// A lower bound of `a * b`, at most one step below the rounded product.
pub(super) fn mul_down(a: f64, b: f64) -> f64 {
    -mul_up(-a, b)
}

/// An upper bound of `a / b`, at most one step above the rounded quotient.
pub(super) fn div_up(a: f64, b: f64) -> f64 {
    let quotient = a / b;
    let is_exact = is_exact_product(quotient, b) && quotient * b == a;
    if is_exact { quotient } else { next_up(quotient) }
}

/// A lower bound of `a / b`, at most one step below the rounded quotient.
pub(super) fn div_down(a: f64, b: f64) -> f64 {
    -div_up(-a, b)
}

/// An upper bound of the square root of `a`, which is not negative.
pub(super) fn sqrt_up(a: f64) -> f64 {
    let root = a.sqrt();
    let is_exact = is_exact_product(root, root) && root * root == a;
    if is_exact { root } else { next_up(root) }
}

#[cfg(test)]
mod tests {
    use num_rational::BigRational;

    use super::*;
    use crate::math::Random;

    #[test]
    fn bounds_enclose_exact_results_and_keep_exact_ones() {
        let exact = |x: f64| BigRational::from_float(x).unwrap();
        let mut random = Random::new(1);
        let mut number = || {
            let size = [1e60, 1e9, 1.0, 3.0, 1e-9, 1e-160, 1e-310, 5e-324][random.index(8)];
            match random.index(4) {
                0 => (random.signed() * 8.0).round() * size,
                _ => random.signed() * size,
            }
        };
        let mut kept = 0;
        for _ in 0..20_000 {
            let (a, b) = (number(), number());
            let (x, y) = (exact(a), exact(b));
            let (sum, product) = (&x + &y, &x * &y);
            assert!(exact(add_down(a, b)) <= sum && sum <= exact(add_up(a, b)), "{a:e} {b:e}");
            assert!(exact(mul_down(a, b)) <= product, "{a:e} {b:e}");
            assert!(product <= exact(mul_up(a, b)), "{a:e} {b:e}");
            if exact(a * b) == product {
                assert_eq!(mul_up(a, b), mul_down(a, b));
                kept += 1;
            }
            if exact(a + b) == sum {
                assert_eq!(add_up(a, b), add_down(a, b));
            }
            if b != 0.0 && (a / b).is_finite() {
                let quotient = x / y;
                assert!(exact(div_down(a, b)) <= quotient, "{a:e} {b:e}");
                assert!(quotient <= exact(div_up(a, b)), "{a:e} {b:e}");
            }
            let root = exact(sqrt_up(a.abs()));
            assert!(&root * &root >= exact(a.abs()), "{a:e}");
        }
        assert!(kept > 1000, "{kept}");
        assert_eq!((add_up(0.5, 0.25), mul_up(3.0, 0.5), div_up(1.0, 4.0)), (0.75, 1.5, 0.25));
        assert_eq!((sqrt_up(9.0), sqrt_up(0.0)), (3.0, 0.0));
    }
}
