//! Triangles in blocks of neighbours, so that most of them are dismissed a block at a time.

use crate::math::Aabb;

/// Triangles a block.
const BLOCK: usize = 32;

/// Triangles close to each other, and the box around them.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) bounds: Aabb,
    pub(crate) triangles: Vec<(u32, Aabb)>,
}

/// The triangles, given with their boxes, in blocks: neighbours along a space-filling curve
/// together.
pub(crate) fn blocks(triangles: &[(u32, Aabb)]) -> Vec<Block> {
    let whole = triangles.iter().fold(Aabb::EMPTY, |sum, (_, bounds)| sum.union(bounds));
    let (origin, extent) = (whole.min, whole.max - whole.min);
    let mut coded: Vec<(u64, u32, Aabb)> = triangles
        .iter()
        .map(|(i, bounds)| {
            let cell = [0, 1, 2].map(|k| {
                let share = (bounds.center()[k] - origin[k]) / extent[k];
                (share.clamp(0.0, 1.0) * 1023.0) as u64 // a flat mesh divides zero by zero, and NaN becomes cell 0
            });
            (spread(cell[0]) | spread(cell[1]) << 1 | spread(cell[2]) << 2, *i, *bounds)
        })
        .collect();
    coded.sort_unstable_by_key(|(code, i, _)| (*code, *i));
    coded
        .chunks(BLOCK)
        .map(|chunk| Block {
            bounds: chunk.iter().fold(Aabb::EMPTY, |sum, (_, _, bounds)| sum.union(bounds)),
            triangles: chunk.iter().map(|(_, i, bounds)| (*i, *bounds)).collect(),
        })
        .collect()
}

/// Puts two zero bits between the ten bits of a cell number.
fn spread(x: u64) -> u64 {
    (0..10).fold(0, |sum, bit| sum | ((x >> bit) & 1) << (3 * bit))
}
