//! Converts floats to integers in a common unit, relative to one of the points.

use glam::DVec3 as Vec3;
use num_bigint::BigInt;

pub use impinge_oracles::fraction::{Fraction, Square};
pub use impinge_oracles::number::integer;
pub use impinge_oracles::vector::Int3;

/// The points of two bodies as integers: differences from the first point, in the largest power of
/// two that divides them all. Distances and orientations depend on differences only, so bodies far
/// from the origin have small numbers too.
#[derive(Debug)]
pub struct Units {
    /// A's points.
    pub a: Vec<Int3>,
    /// B's points.
    pub b: Vec<Int3>,
    /// The unit is `2^exponent`.
    pub exponent: i64,
    /// The number of bits of the largest coordinate.
    pub bits: u64,
}

impl Units {
    /// Converts the points of two bodies in one frame.
    #[must_use]
    pub fn new(a: &[Vec3], b: &[Vec3]) -> Self {
        let origin = a.first().or(b.first()).copied().unwrap_or(Vec3::ZERO);
        let origin = origin.to_array().map(integer);
        let convert = |points: &[Vec3]| -> Vec<Int3> {
            let from_origin = |p: &Vec3| {
                let p = p.to_array().map(integer);
                [0, 1, 2].map(|k| &p[k] - &origin[k])
            };
            points.iter().map(from_origin).collect()
        };
        let (mut a, mut b) = (convert(a), convert(b));
        let zeros = a.iter().chain(&b).flatten().filter_map(BigInt::trailing_zeros).min();
        let zeros = zeros.unwrap_or(0);
        let mut bits = 0;
        for x in a.iter_mut().chain(&mut b).flatten() {
            *x >>= zeros;
            bits = bits.max(x.bits());
        }
        Self { a, b, exponent: zeros as i64 - 1074, bits }
    }
}
