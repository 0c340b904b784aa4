//! Eight vectors of three components, in memory and in registers.

use super::Wide;

/// Eight vectors in memory.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub struct Lanes3 {
    /// The first components.
    pub x: [f32; 8],
    /// The second components.
    pub y: [f32; 8],
    /// The third components.
    pub z: [f32; 8],
}

impl Lanes3 {
    /// The same number in every component of every vector.
    #[must_use]
    pub const fn splat(x: f32) -> Self {
        Self { x: [x; 8], y: [x; 8], z: [x; 8] }
    }

    /// One of the vectors.
    #[inline(always)]
    #[must_use]
    pub fn get(&self, lane: usize) -> [f32; 3] {
        [self.x[lane], self.y[lane], self.z[lane]]
    }

    /// Replaces one of the vectors.
    #[inline(always)]
    pub fn set(&mut self, lane: usize, v: [f32; 3]) {
        [self.x[lane], self.y[lane], self.z[lane]] = v;
    }
}

/// Eight vectors in registers.
#[derive(Clone, Copy, Debug)]
pub struct Wide3<W> {
    /// The first components.
    pub x: W,
    /// The second components.
    pub y: W,
    /// The third components.
    pub z: W,
}

impl<W: Wide> Wide3<W> {
    /// The vectors in registers.
    #[inline(always)]
    #[must_use]
    pub fn load(from: &Lanes3) -> Self {
        Self { x: W::load(&from.x), y: W::load(&from.y), z: W::load(&from.z) }
    }

    /// The vectors in memory.
    #[inline(always)]
    #[must_use]
    pub fn lanes(self) -> Lanes3 {
        Lanes3 { x: self.x.array(), y: self.y.array(), z: self.z.array() }
    }

    /// Writes the vectors to memory.
    #[inline(always)]
    pub fn store(self, to: &mut Lanes3) {
        self.x.store(&mut to.x);
        self.y.store(&mut to.y);
        self.z.store(&mut to.z);
    }

    /// The same vector in every lane.
    #[inline(always)]
    #[must_use]
    pub fn splat(v: [f32; 3]) -> Self {
        Self { x: W::splat(v[0]), y: W::splat(v[1]), z: W::splat(v[2]) }
    }

    /// The absolute values of the components.
    #[inline(always)]
    #[must_use]
    pub fn abs(self) -> Self {
        Self { x: self.x.abs(), y: self.y.abs(), z: self.z.abs() }
    }

    #[inline(always)]
    fn row(self, r: &[f32; 3], plus: W) -> W {
        self.x.mul_add(
            W::splat(r[0]),
            self.y.mul_add(W::splat(r[1]), self.z.mul_add(W::splat(r[2]), plus)),
        )
    }
}

/// Methods that are called if [`Wide::CALL_LARGE_KERNELS`] is set, and inlined otherwise.
macro_rules! inlined_or_called {
    ($($(#[$doc:meta])* fn $name:ident($v:ident $(, $arg:ident: $type:ty)*) -> $out:ty $body:block)*) => {
        #[allow(clippy::should_implement_trait, reason = "named as the operations of `Wide`")]
        impl<W: Wide> Wide3<W> {$(
            $(#[$doc])*
            #[inline(always)]
            #[must_use]
            pub fn $name(self $(, $arg: $type)*) -> $out {
                #[inline(always)]
                fn inlined<W: Wide>($v: Wide3<W> $(, $arg: $type)*) -> $out $body
                #[inline(never)]
                fn called<W: Wide>($v: Wide3<W> $(, $arg: $type)*) -> $out {
                    inlined($v $(, $arg)*)
                }
                if W::CALL_LARGE_KERNELS { called(self $(, $arg)*) } else { inlined(self $(, $arg)*) }
            }
        )*}
    };
}

inlined_or_called! {
    /// The sums.
    fn add(v, o: Wide3<W>) -> Wide3<W> {
        Wide3 { x: v.x.add(o.x), y: v.y.add(o.y), z: v.z.add(o.z) }
    }

    /// The differences `v - o`.
    fn sub(v, o: Wide3<W>) -> Wide3<W> {
        Wide3 { x: v.x.sub(o.x), y: v.y.sub(o.y), z: v.z.sub(o.z) }
    }

    /// The smaller components, as [`Wide::min`].
    fn min(v, o: Wide3<W>) -> Wide3<W> {
        Wide3 { x: v.x.min(o.x), y: v.y.min(o.y), z: v.z.min(o.z) }
    }

    /// The larger components, as [`Wide::max`].
    fn max(v, o: Wide3<W>) -> Wide3<W> {
        Wide3 { x: v.x.max(o.x), y: v.y.max(o.y), z: v.z.max(o.z) }
    }

    /// The dot products.
    fn dot(v, o: Wide3<W>) -> W {
        v.x.mul_add(o.x, v.y.mul_add(o.y, v.z.mul(o.z)))
    }

    /// The dot product plus `plus`.
    fn dot_add(v, o: Wide3<W>, plus: W) -> W {
        v.x.mul_add(o.x, v.y.mul_add(o.y, v.z.mul_add(o.z, plus)))
    }

    /// The cross products `v x o`.
    fn cross(v, o: Wide3<W>) -> Wide3<W> {
        Wide3 {
            x: v.z.neg_mul_add(o.y, v.y.mul(o.z)),
            y: v.x.neg_mul_add(o.z, v.z.mul(o.x)),
            z: v.y.neg_mul_add(o.x, v.x.mul(o.y)),
        }
    }

    /// The lanes in the given order.
    fn permuted(v, order: W::Index) -> Wide3<W> {
        Wide3 { x: v.x.permute(order), y: v.y.permute(order), z: v.z.permute(order) }
    }

    /// The product with a matrix given by its rows, plus `plus`.
    fn mapped(v, m: &[[f32; 3]; 3], plus: Wide3<W>) -> Wide3<W> {
        Wide3 { x: v.row(&m[0], plus.x), y: v.row(&m[1], plus.y), z: v.row(&m[2], plus.z) }
    }

    /// A mask of the lanes where every component is at most that of `o`.
    fn all_le(v, o: Wide3<W>) -> W {
        v.x.le(o.x).and(v.y.le(o.y)).and(v.z.le(o.z))
    }
}
