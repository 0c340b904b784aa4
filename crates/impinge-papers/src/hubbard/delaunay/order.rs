//! The order of insertion: rounds of random points, each round twice as large as the one before and
//! sorted along a space-filling curve (N. Amenta, S. Choi, G. Rote 2003, "Incremental constructions
//! con BRIO").

use impinge::Vec3;
use impinge::internals::Random;
use impinge::math::Aabb;

/// Bits of each coordinate on the curve.
const BITS: u32 = 20;

/// All numbers of points, in the order of insertion.
pub(super) fn spatial(points: &[Vec3]) -> Vec<u32> {
    let mut order: Vec<u32> =
        Random::new(1).permutation(points.len()).into_iter().map(|i| i as u32).collect();
    let bounds = Aabb::from_points(points.iter().copied());
    let size = bounds.extent().max_element();
    let scale = if size > 0.0 { f64::from((1_u32 << BITS) - 1) / size } else { 0.0 };
    let key = |i: &u32| {
        let cell = (points[*i as usize] - bounds.min) * scale;
        // Clamped by the conversion.
        let [x, y, z] = cell.to_array().map(|c| spread(c as u64));
        (x | y << 1 | z << 2, *i)
    };
    let mut end = order.len();
    while end > 0 {
        let start = if end > 64 { end / 2 } else { 0 };
        order[start..end].sort_by_cached_key(key);
        end = start;
    }
    order
}

/// The lowest 20 bits, with two zeros after each.
fn spread(x: u64) -> u64 {
    (0..BITS).fold(0, |bits, i| bits | (x >> i & 1) << (3 * i))
}
