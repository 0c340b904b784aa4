//! Triangles in blocks of neighbours, so that most of them are rejected a block at a time.

use crate::arrays::MapEach;
use crate::math::Aabb;

/// The number of triangles in a block.
const TRIANGLES_PER_BLOCK: usize = 32;

/// Triangles close to each other, and the box around them.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) bounds: Aabb,
    pub(crate) triangles: Vec<(u32, Aabb)>,
}

/// The triangles, given with their boxes, in blocks of neighbours along a space-filling curve
/// (Morton order). In one cell of the curve they keep their order.
pub(crate) fn blocks(triangles: &[(u32, Aabb)]) -> Vec<Block> {
    let whole = triangles.iter().fold(Aabb::EMPTY, |sum, (_, bounds)| sum.union(bounds));
    let (origin, extent) = (whole.min, whole.max - whole.min);
    let mut codes: Vec<(u64, usize)> = (triangles.iter().enumerate())
        .map(|(at, (_, bounds))| {
            let cell = [0, 1, 2].map_each(|k| {
                // For a flat mesh this is zero divided by zero, and NaN becomes cell 0.
                let fraction = (bounds.center()[k] - origin[k]) / extent[k];
                (fraction.clamp(0.0, 1.0) * 1023.0) as u64
            });
            let [x, y, z] = cell.map_each(spread_bits);
            (x | y << 1 | z << 2, at)
        })
        .collect();
    codes.sort_unstable();
    codes
        .chunks(TRIANGLES_PER_BLOCK)
        .map(|chunk| {
            let triangles: Vec<_> = chunk.iter().map(|(_, at)| triangles[*at]).collect();
            let bounds = triangles.iter().fold(Aabb::EMPTY, |sum, (_, b)| sum.union(b));
            Block { bounds, triangles }
        })
        .collect()
}

/// Inserts two zero bits between the ten bits of a cell number.
fn spread_bits(x: u64) -> u64 {
    (0..10).fold(0, |sum, bit| sum | ((x >> bit) & 1) << (3 * bit))
}
