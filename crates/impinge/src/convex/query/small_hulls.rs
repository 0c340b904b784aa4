//! Small bodies in one frame: every vertex is transformed to the unit and the frame of the search
//! once. After that a furthest vertex is the maximum of a few products.

#![allow(
    clippy::needless_range_loop,
    reason = "iterators over vectors are separate functions, compiled without the vector instructions"
)]

use glam::Vec3A;

use super::search_f32::{Corners, QueryF32};
use super::simplex::Corner;
use super::support_table::{Block, SupportTable};
use crate::wide::{Wide, Wide3};

/// The most blocks of eight vertices a body may have. Measured: with more, transforming all of them
/// costs more than transforming the directions.
const MAX_BLOCKS: usize = 4;

/// The vertices of one body, in the frame and the unit of the search.
#[derive(Debug)]
struct PosedVertices {
    x: [[f32; 8]; MAX_BLOCKS],
    y: [[f32; 8]; MAX_BLOCKS],
    z: [[f32; 8]; MAX_BLOCKS],
    /// The number of blocks in use.
    block_count: usize,
    /// The index of the last vertex.
    last: u32,
}

/// Two small bodies: the corners of A - B are the differences of their vertices.
#[derive(Debug)]
pub(super) struct SmallHulls {
    a: PosedVertices,
    b: PosedVertices,
}

impl SmallHulls {
    /// Whether both bodies are small enough.
    #[inline(always)]
    pub(super) fn fits(a: &SupportTable, b: &SupportTable) -> bool {
        (a.all_blocks().len().wrapping_sub(1) < MAX_BLOCKS)
            & (b.all_blocks().len().wrapping_sub(1) < MAX_BLOCKS)
    }

    /// The bodies must [fit](Self::fits).
    #[inline(always)]
    pub(super) fn new<W: Wide>(query_f32: &QueryF32<'_>) -> Self {
        let q = query_f32.query;
        let (scale, center_offset) =
            (W::splat(query_f32.scale_a), Wide3::<W>::splat(query_f32.center_offset.to_array()));
        let mut a = PosedVertices::new(q.points_a.len());
        for (k, block) in padded(q.a.all_blocks()).into_iter().enumerate() {
            let p = Wide3::<W>::load(&block.points);
            p.x.mul(scale).sub(center_offset.x).store(&mut a.x[k]);
            p.y.mul(scale).sub(center_offset.y).store(&mut a.y[k]);
            p.z.mul(scale).sub(center_offset.z).store(&mut a.z[k]);
        }
        let mut b = PosedVertices::new(q.points_b.len());
        let x_axis = Wide3::<W>::splat(query_f32.linear_b.x_axis.to_array());
        let y_axis = Wide3::<W>::splat(query_f32.linear_b.y_axis.to_array());
        let z_axis = Wide3::<W>::splat(query_f32.linear_b.z_axis.to_array());
        for (k, block) in padded(q.b.all_blocks()).into_iter().enumerate() {
            let p = Wide3::<W>::load(&block.points);
            let x = p.x.mul_add(x_axis.x, p.y.mul_add(y_axis.x, p.z.mul(z_axis.x)));
            let y = p.x.mul_add(x_axis.y, p.y.mul_add(y_axis.y, p.z.mul(z_axis.y)));
            let z = p.x.mul_add(x_axis.z, p.y.mul_add(y_axis.z, p.z.mul(z_axis.z)));
            x.store(&mut b.x[k]);
            y.store(&mut b.y[k]);
            z.store(&mut b.z[k]);
        }
        Self { a, b }
    }
}

/// One to four blocks; missing ones are replaced by the first. Writing all of them takes less time
/// than clearing those that are not written.
#[inline(always)]
fn padded(blocks: &[Block]) -> [&Block; MAX_BLOCKS] {
    let at = |k: usize| blocks.get(k).unwrap_or(&blocks[0]);
    [at(0), at(1), at(2), at(3)]
}

/// The [tilt](Corners::TILT) for two small hulls.
const SMALL_HULL_TILT: f32 = 0.5;

impl Corners for SmallHulls {
    const TILT: f32 = SMALL_HULL_TILT;
    const ARE_SMALL_HULLS: bool = true;

    #[inline(always)]
    fn support_against<W: Wide>(&self, v: Vec3A) -> Corner<Vec3A> {
        let a = self.a.furthest::<W>(-v);
        let b = self.b.furthest::<W>(v);
        let w = self.a.point(a) - self.b.point(b);
        Corner { w, a: (a as u32).min(self.a.last), b: (b as u32).min(self.b.last) }
    }

    #[inline(always)]
    fn corner(&self, a: u32, b: u32) -> Corner<Vec3A> {
        Corner { w: self.a.point(a as usize) - self.b.point(b as usize), a, b }
    }
}

impl PosedVertices {
    #[inline(always)]
    fn new(count: usize) -> Self {
        let none = [[0.0; 8]; MAX_BLOCKS];
        Self { x: none, y: none, z: none, block_count: count.div_ceil(8), last: (count - 1) as u32 }
    }

    #[inline(always)]
    fn point(&self, k: usize) -> Vec3A {
        let k = k % (8 * MAX_BLOCKS);
        Vec3A::new(self.x.as_flattened()[k], self.y.as_flattened()[k], self.z.as_flattened()[k])
    }

    #[inline(always)]
    fn along<W: Wide>(&self, k: usize, d: Wide3<W>) -> W {
        let [x, y, z] = [W::load(&self.x[k]), W::load(&self.y[k]), W::load(&self.z[k])];
        x.mul_add(d.x, y.mul_add(d.y, z.mul(d.z)))
    }

    /// A vertex that lies furthest along `d`, to the rounding of `f32`.
    #[inline(always)]
    fn furthest<W: Wide>(&self, d: Vec3A) -> usize {
        let d = Wide3::<W>::splat(d.to_array());
        let mut along = [self.along(0, d); MAX_BLOCKS];
        let mut best = along[0];
        for k in 1..MAX_BLOCKS {
            if k < self.block_count {
                along[k] = self.along(k, d);
                best = best.max(along[k]);
            }
        }
        let top = best.max_in_all_lanes();
        let mut at = top.le(along[0]).bits();
        for k in 1..MAX_BLOCKS {
            if k < self.block_count {
                at |= top.le(along[k]).bits() << (8 * k);
            }
        }
        at.trailing_zeros() as usize % (8 * MAX_BLOCKS)
    }
}
