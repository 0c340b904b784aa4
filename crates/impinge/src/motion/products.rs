//! The exact sign of a sum of products.

use num_bigint::BigInt;

use crate::exact::Sign;
use crate::exact::integer::{self, decompose_odd};
use crate::math::rounding::UNIT_ROUNDOFF;

/// The exact sign of the sum of `x * y` over all terms, which are finite and at most 16.
#[must_use]
pub fn sign_of_sum(terms: &[(f64, f64)]) -> Sign {
    debug_assert!(terms.len() <= 16, "the error bound below holds for up to 16 terms");
    let (mut sum, mut size) = (0.0, 0.0);
    for (x, y) in terms {
        let product = x * y;
        sum += product;
        size += product.abs();
    }
    // A term is rounded once as a product and at most 16 times in sums, which also make `size` too
    // small by at most that factor; products may lose half a step of 5e-324 each by underflow.
    let error = size * (40.0 * UNIT_ROUNDOFF) + 16.0 * 5e-324;
    if sum.abs() > error && sum.is_finite() {
        return Sign::of(sum);
    }
    let parts: Vec<(i128, i32)> = terms
        .iter()
        .map(|(x, y)| (decompose_odd(*x), decompose_odd(*y)))
        .map(|((m, e), (n, f))| (i128::from(m) * i128::from(n), e + f))
        .filter(|(product, _)| *product != 0)
        .collect();
    let unit = parts.iter().map(|(_, exponent)| *exponent).min().unwrap_or(0);
    let in_unit =
        |(product, exponent): &(i128, i32)| BigInt::from(*product) << exponent.abs_diff(unit);
    integer::sign(&parts.iter().map(in_unit).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_that_rounding_would_lose() {
        let third = 1.0 / 3.0;
        // Its exact product with 3 is below one.
        assert_eq!(sign_of_sum(&[(third, 3.0), (-1.0, 1.0)]), Sign::Negative);
        assert_eq!(sign_of_sum(&[(0.5, 2.0), (-1.0, 1.0)]), Sign::Zero);
        assert_eq!(sign_of_sum(&[(5e-324, 5e-324), (0.0, 1.0)]), Sign::Positive);
        assert_eq!(sign_of_sum(&[(1e60, 1e60), (5e-324, -1.0), (-1e60, 1e60)]), Sign::Negative);
        assert_eq!(sign_of_sum(&[(2.0, 3.0)]), Sign::Positive);
        assert_eq!(sign_of_sum(&[]), Sign::Zero);
    }
}
