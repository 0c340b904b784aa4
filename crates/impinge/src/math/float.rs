//! The bits of an `f64`: its exponent, powers of two, and the neighbouring numbers.

/// The exponent of a positive normal number: the `k` with `2^k <= x < 2^(k + 1)`. It is -1023 for
/// zero and denormal numbers, and 1024 for numbers that are not finite.
#[inline]
pub(crate) fn exponent(x: f64) -> i32 {
    ((x.to_bits() >> 52) & 0x7ff) as i32 - 1023
}

/// `2^k` for `k` in -1022..=1023.
#[inline]
pub(crate) fn power_of_two(k: i32) -> f64 {
    debug_assert!((-1022..=1023).contains(&k), "2^{k} is not a normal number");
    f64::from_bits(((k + 1023) as u64) << 52)
}

/// The next larger number; infinity after the largest finite number and after infinity.
#[inline]
#[must_use]
pub fn next_up(x: f64) -> f64 {
    if x >= 0.0 {
        // The absolute value, because -0.0 is equal to zero.
        f64::from_bits((x.abs().to_bits() + 1).min(f64::INFINITY.to_bits()))
    } else {
        f64::from_bits(x.to_bits() - 1)
    }
}

/// The next smaller number; negative infinity before the smallest finite number and before negative
/// infinity.
#[inline]
#[must_use]
pub fn next_down(x: f64) -> f64 {
    -next_up(-x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_of_all_kinds_of_numbers() {
        assert_eq!(next_up(1.0), 1.0 + f64::EPSILON);
        assert_eq!(next_down(next_up(-3.0)), -3.0);
        for zero in [0.0, -0.0] {
            assert_eq!((next_up(zero), next_down(zero)), (5e-324, -5e-324));
        }
        assert_eq!((next_down(5e-324), next_up(-5e-324)), (0.0, 0.0));
        assert_eq!((next_up(f64::MAX), next_down(f64::MIN)), (f64::INFINITY, f64::NEG_INFINITY));
        assert_eq!((next_up(f64::INFINITY), next_down(f64::INFINITY)), (f64::INFINITY, f64::MAX));
        assert!(next_up(f64::NAN).is_nan() && next_down(f64::NAN).is_nan());
    }

    #[test]
    fn exponents_and_powers() {
        for k in [-1022, -500, 0, 1, 700, 1023] {
            assert_eq!(exponent(power_of_two(k)), k);
            assert_eq!(exponent(-1.75 * power_of_two(k)), k);
        }
        assert_eq!((exponent(0.0), exponent(1e-310)), (-1023, -1023));
        assert_eq!(exponent(f64::INFINITY), 1024);
    }
}
