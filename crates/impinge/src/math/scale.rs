//! Keys of coordinates, and scales that bring sizes to one.

use super::Vec3;

/// Equal for points with equal coordinates, whatever the signs of their zeros, and ordered in some
/// fixed way.
pub fn coordinate_key(p: Vec3) -> [u64; 3] {
    // Adding zero gives both zeros one sign.
    (p + Vec3::ZERO).to_array().map(f64::to_bits)
}

/// Two powers of two whose product brings `size` (positive, finite) to about one; two, because the
/// reciprocal of a denormal number is not finite.
#[must_use]
pub fn unit_scale(size: f64) -> (f64, f64) {
    let exponent =
        if size < f64::MIN_POSITIVE { -1022 } else { (size.to_bits() >> 52) as i32 - 1023 };
    let power = |e: i32| f64::from_bits(((1023 + e) as u64) << 52);
    let half = -exponent / 2;
    (power(half), power(-exponent - half))
}
