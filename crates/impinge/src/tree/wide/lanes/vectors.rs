//! Eight vectors of three components, in memory and in registers.

use super::Wide;

/// Eight vectors as they are stored.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub(in super::super) struct Lanes3 {
    pub(in super::super) x: [f32; 8],
    pub(in super::super) y: [f32; 8],
    pub(in super::super) z: [f32; 8],
}

impl Lanes3 {
    pub(in super::super) const fn splat(x: f32) -> Self {
        Self { x: [x; 8], y: [x; 8], z: [x; 8] }
    }

    #[inline(always)]
    pub(in super::super) fn get(&self, lane: usize) -> [f32; 3] {
        [self.x[lane], self.y[lane], self.z[lane]]
    }

    #[inline(always)]
    pub(in super::super) fn set(&mut self, lane: usize, v: [f32; 3]) {
        [self.x[lane], self.y[lane], self.z[lane]] = v;
    }
}

/// Eight vectors in registers.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Wide3<W> {
    pub(in super::super) x: W,
    pub(in super::super) y: W,
    pub(in super::super) z: W,
}

impl<W: Wide> Wide3<W> {
    #[inline(always)]
    pub(in super::super) fn load(from: &Lanes3) -> Self {
        Self { x: W::load(&from.x), y: W::load(&from.y), z: W::load(&from.z) }
    }

    /// The vectors as they are stored.
    #[inline(always)]
    pub(in super::super) fn lanes(self) -> Lanes3 {
        Lanes3 { x: self.x.array(), y: self.y.array(), z: self.z.array() }
    }

    #[inline(always)]
    pub(in super::super) fn store(self, to: &mut Lanes3) {
        self.x.store(&mut to.x);
        self.y.store(&mut to.y);
        self.z.store(&mut to.z);
    }

    #[inline(always)]
    pub(in super::super) fn splat(v: [f32; 3]) -> Self {
        Self { x: W::splat(v[0]), y: W::splat(v[1]), z: W::splat(v[2]) }
    }

    #[inline(always)]
    pub(in super::super) fn add(self, other: Self) -> Self {
        W::add3(self, other)
    }

    #[inline(always)]
    pub(super) fn plain_add(self, other: Self) -> Self {
        Self { x: self.x.add(other.x), y: self.y.add(other.y), z: self.z.add(other.z) }
    }

    #[inline(always)]
    pub(in super::super) fn sub(self, other: Self) -> Self {
        W::sub3(self, other)
    }

    #[inline(always)]
    pub(super) fn plain_sub(self, other: Self) -> Self {
        Self { x: self.x.sub(other.x), y: self.y.sub(other.y), z: self.z.sub(other.z) }
    }

    #[inline(always)]
    pub(in super::super) fn min(self, other: Self) -> Self {
        W::min3(self, other)
    }

    #[inline(always)]
    pub(super) fn plain_min(self, other: Self) -> Self {
        Self { x: self.x.min(other.x), y: self.y.min(other.y), z: self.z.min(other.z) }
    }

    #[inline(always)]
    pub(in super::super) fn max(self, other: Self) -> Self {
        W::max3(self, other)
    }

    #[inline(always)]
    pub(super) fn plain_max(self, other: Self) -> Self {
        Self { x: self.x.max(other.x), y: self.y.max(other.y), z: self.z.max(other.z) }
    }

    #[inline(always)]
    pub(in super::super) fn abs(self) -> Self {
        Self { x: self.x.abs(), y: self.y.abs(), z: self.z.abs() }
    }

    #[inline(always)]
    pub(in super::super) fn dot(self, o: Self) -> W {
        W::dot3(self, o)
    }

    #[inline(always)]
    pub(super) fn plain_dot(self, o: Self) -> W {
        self.x.mul_add(o.x, self.y.mul_add(o.y, self.z.mul(o.z)))
    }

    /// The dot product plus `plus`.
    #[inline(always)]
    pub(in super::super) fn dot_add(self, o: Self, plus: W) -> W {
        W::dot_add3(self, o, plus)
    }

    #[inline(always)]
    pub(super) fn plain_dot_add(self, o: Self, plus: W) -> W {
        self.x.mul_add(o.x, self.y.mul_add(o.y, self.z.mul_add(o.z, plus)))
    }

    #[inline(always)]
    pub(in super::super) fn cross(self, o: Self) -> Self {
        W::cross3(self, o)
    }

    #[inline(always)]
    pub(super) fn plain_cross(self, o: Self) -> Self {
        Self {
            x: self.z.neg_mul_add(o.y, self.y.mul(o.z)),
            y: self.x.neg_mul_add(o.z, self.z.mul(o.x)),
            z: self.y.neg_mul_add(o.x, self.x.mul(o.y)),
        }
    }

    /// The lanes in the order given.
    #[inline(always)]
    pub(in super::super) fn permuted(self, order: W::Index) -> Self {
        W::permuted3(self, order)
    }

    #[inline(always)]
    pub(super) fn plain_permuted(self, order: W::Index) -> Self {
        Self { x: self.x.permute(order), y: self.y.permute(order), z: self.z.permute(order) }
    }

    /// The product with a matrix given by its rows, plus `plus`.
    #[inline(always)]
    pub(in super::super) fn mapped(self, m: &[[f32; 3]; 3], plus: Self) -> Self {
        W::mapped3(self, m, plus)
    }

    #[inline(always)]
    pub(super) fn plain_mapped(self, m: &[[f32; 3]; 3], plus: Self) -> Self {
        Self { x: self.row(&m[0], plus.x), y: self.row(&m[1], plus.y), z: self.row(&m[2], plus.z) }
    }

    #[inline(always)]
    fn row(self, r: &[f32; 3], plus: W) -> W {
        self.x.mul_add(
            W::splat(r[0]),
            self.y.mul_add(W::splat(r[1]), self.z.mul_add(W::splat(r[2]), plus)),
        )
    }

    /// A mask of the lanes where every component of `self` is at most that of `other`.
    #[inline(always)]
    pub(in super::super) fn all_le(self, other: Self) -> W {
        W::all_le3(self, other)
    }

    #[inline(always)]
    pub(super) fn plain_all_le(self, other: Self) -> W {
        self.x.le(other.x).and(self.y.le(other.y)).and(self.z.le(other.z))
    }
}
