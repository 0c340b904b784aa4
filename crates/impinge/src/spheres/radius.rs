//! Radii that certainly cover: upper bounds of the distance of a piece from a centre.

use super::patch::{WHOLE, Weights};
use crate::math::rounding::UNIT_ROUNDOFF;
use crate::math::{Vec3, length_up, next_up};

/// A weight as a number; exact, because it has at most 49 bits.
fn share(weight: u64) -> f64 {
    weight as f64 / WHOLE as f64
}

/// An upper bound of the distance of every point of a piece of `triangle` from `center`; derived in
/// `docs/notes/spheres.md`.
pub(super) fn distance_up(center: Vec3, triangle: &[Vec3; 3], piece: &Weights) -> f64 {
    let from_center = triangle.map(|v| v - center);
    let size = from_center.iter().map(|x| x.abs().max_element()).fold(0.0, f64::max);
    // Each coordinate of a sum is off by at most 4 units of roundoff of `size`, plus three products
    // that underflow; twice that exceeds the length of the error.
    let slack = 8.0 * UNIT_ROUNDOFF * size + 1e-322;
    let corner = |weights: &[u64; 3]| {
        if let Some(i) = weights.iter().position(|w| *w == WHOLE) {
            return length_up(from_center[i]);
        }
        let [a, b, c] = [0, 1, 2].map(|i| from_center[i] * share(weights[i]));
        next_up(length_up(a + b + c) + slack)
    };
    piece.iter().map(corner).fold(0.0, f64::max)
}
