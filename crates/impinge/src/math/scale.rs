//! Hash keys of coordinates, and powers of two that scale a size to one.

use crate::arrays::MapEach;

use super::{Vec3, exponent, power_of_two};

/// A key that is equal for points with equal coordinates, where 0.0 equals -0.0. Keys have a fixed
/// order, which is not that of the coordinates.
pub fn coordinate_key(p: Vec3) -> [u64; 3] {
    // Adding zero turns -0.0 into 0.0.
    (p + Vec3::ZERO).to_array().map_each(f64::to_bits)
}

/// Two powers of two whose product scales `size` (positive, finite) to about one. There are two
/// factors because the reciprocal of a denormal number is not finite.
#[must_use]
pub fn unit_scale(size: f64) -> (f64, f64) {
    let exponent = exponent(size).max(-1022);
    let half = -exponent / 2;
    (power_of_two(half), power_of_two(-exponent - half))
}
