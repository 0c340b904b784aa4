//! Small bodies in one frame: every vertex is brought into the unit and the frame of the search
//! once, and from then on a furthest vertex is the largest of a few products.

#![allow(
    clippy::needless_range_loop,
    reason = "iterators over vectors are functions of their own, compiled without the vector instructions"
)]

use glam::Vec3A;

use super::furthest::{Block, Furthest};
use super::rough::{Corners, Rough};
use super::simplex::Corner;
use crate::wide::{Wide, Wide3};

/// The most blocks of eight vertices. Measured: with more, turning all of them costs more than
/// turning the directions.
const BLOCKS: usize = 4;

/// The vertices of one body, in the frame and the unit of the search.
#[derive(Debug)]
struct Support {
    x: [[f32; 8]; BLOCKS],
    y: [[f32; 8]; BLOCKS],
    z: [[f32; 8]; BLOCKS],
    /// How many blocks there are.
    used: usize,
    /// The number of the last vertex.
    last: u32,
}

/// Two small bodies: the corners of A - B are the differences of their vertices.
#[derive(Debug)]
pub(super) struct Placed {
    a: Support,
    b: Support,
}

impl Placed {
    /// Whether both bodies are small enough.
    #[inline(always)]
    pub(super) fn fits(a: &Furthest, b: &Furthest) -> bool {
        (a.all().len().wrapping_sub(1) < BLOCKS) & (b.all().len().wrapping_sub(1) < BLOCKS)
    }

    /// For bodies that fit.
    #[inline(always)]
    pub(super) fn new<W: Wide>(rough: &Rough<'_>) -> Self {
        let q = rough.query;
        let (scale, between) = (W::splat(rough.scale), Wide3::<W>::splat(rough.between.to_array()));
        let mut a = Support::new(q.points_a.len());
        for (k, block) in four(q.a.all()).into_iter().enumerate() {
            let p = Wide3::<W>::load(&block.points);
            p.x.mul(scale).sub(between.x).store(&mut a.x[k]);
            p.y.mul(scale).sub(between.y).store(&mut a.y[k]);
            p.z.mul(scale).sub(between.z).store(&mut a.z[k]);
        }
        let mut b = Support::new(q.points_b.len());
        let x_axis = Wide3::<W>::splat(rough.turn.x_axis.to_array());
        let y_axis = Wide3::<W>::splat(rough.turn.y_axis.to_array());
        let z_axis = Wide3::<W>::splat(rough.turn.z_axis.to_array());
        for (k, block) in four(q.b.all()).into_iter().enumerate() {
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

/// One to four blocks, the first again in the place of those that are missing: to write all of them
/// takes less time than to clear what is not written.
#[inline(always)]
fn four(blocks: &[Block]) -> [&Block; BLOCKS] {
    let at = |k: usize| blocks.get(k).unwrap_or(&blocks[0]);
    [at(0), at(1), at(2), at(3)]
}

impl Corners for Placed {
    const TILT: f32 = 0.5;

    #[inline(always)]
    fn against<W: Wide>(&self, v: Vec3A) -> Corner<Vec3A> {
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

impl Support {
    #[inline(always)]
    fn new(count: usize) -> Self {
        let none = [[0.0; 8]; BLOCKS];
        Self { x: none, y: none, z: none, used: count.div_ceil(8), last: (count - 1) as u32 }
    }

    #[inline(always)]
    fn point(&self, k: usize) -> Vec3A {
        let k = k % (8 * BLOCKS);
        Vec3A::new(self.x.as_flattened()[k], self.y.as_flattened()[k], self.z.as_flattened()[k])
    }

    #[inline(always)]
    fn along<W: Wide>(&self, k: usize, d: Wide3<W>) -> W {
        let [x, y, z] = [W::load(&self.x[k]), W::load(&self.y[k]), W::load(&self.z[k])];
        x.mul_add(d.x, y.mul_add(d.y, z.mul(d.z)))
    }

    /// A vertex that lies furthest along `d`, as far as `f32` can tell.
    #[inline(always)]
    fn furthest<W: Wide>(&self, d: Vec3A) -> usize {
        let d = Wide3::<W>::splat(d.to_array());
        let mut along = [self.along(0, d); BLOCKS];
        let mut best = along[0];
        for k in 1..BLOCKS {
            if k < self.used {
                along[k] = self.along(k, d);
                best = best.max(along[k]);
            }
        }
        let top = best.max_in_all_lanes();
        let mut at = top.le(along[0]).bits();
        for k in 1..BLOCKS {
            if k < self.used {
                at |= top.le(along[k]).bits() << (8 * k);
            }
        }
        at.trailing_zeros() as usize % (8 * BLOCKS)
    }
}
