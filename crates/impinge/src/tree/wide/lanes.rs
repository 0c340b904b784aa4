//! Eight `f32` at a time: one interface, a portable backend and one for AVX2 with fused multiply-add.
//!
//! Kernels are written once against [`Wide`] and compiled for each backend. Results may differ in rounding (the fused operations round less), never
//! in what they promise: every kernel's error bound holds for both.
//!
//! Kernels must not hold vectors across closures or `array::map`: these are functions of their own, compiled without the vector instructions.
#![allow(unsafe_code, reason = "vector intrinsics; see the note at each block")]

use super::node::Link;
use super::sheet::{Sheet, Sheets};
use super::triangles;

/// Eight numbers side by side.
pub(super) trait Wide: Copy {
    fn load(from: &[f32; 8]) -> Self;
    fn store(self, to: &mut [f32; 8]);
    /// The same as a value.
    #[inline(always)]
    fn array(self) -> [f32; 8] {
        let mut to = [0.0; 8];
        self.store(&mut to);
        to
    }
    fn splat(x: f32) -> Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn div(self, other: Self) -> Self;
    /// `self * b + c`.
    fn mul_add(self, b: Self, c: Self) -> Self;
    /// `c - self * b`.
    fn neg_mul_add(self, b: Self, c: Self) -> Self;
    fn abs(self) -> Self;
    fn sqrt(self) -> Self;
    fn min(self, other: Self) -> Self;
    fn max(self, other: Self) -> Self;
    /// A mask of the lanes where `self <= other`; NaN is never less.
    fn le(self, other: Self) -> Self;
    /// A mask of the lanes where `self < other`; NaN is never less.
    fn lt(self, other: Self) -> Self;
    /// Both masks.
    fn and(self, other: Self) -> Self;
    /// Either mask.
    fn or(self, other: Self) -> Self;
    /// Where the mask `self` is set `yes`, elsewhere `no`.
    fn select(self, yes: Self, no: Self) -> Self;
    /// A mask as bits, lane 0 lowest.
    fn bits(self) -> u32;
    /// Numbers of lanes, each below eight, ready for [`permute`](Self::permute).
    type Index: Copy;
    fn index(lanes: &[u8; 8]) -> Self::Index;
    /// The lanes in the order given.
    fn permute(self, order: Self::Index) -> Self;
    /// Writes the entries whose bit is set to the front of `to`; the rest is arbitrary.
    fn pack(entries: &[Link; 8], mask: u32, to: &mut [Link; 8]);
    /// Which links lead to leaves, as bits; those that lead nowhere count as such.
    fn leaves(links: &[Link; 8]) -> u32;

    // Larger pieces. A backend may make calls of them: where vectors are arrays, inlining everything everywhere makes functions that compilers choke on.

    #[inline(always)]
    fn add3(v: Wide3<Self>, other: Wide3<Self>) -> Wide3<Self> {
        v.plain_add(other)
    }

    #[inline(always)]
    fn sub3(v: Wide3<Self>, other: Wide3<Self>) -> Wide3<Self> {
        v.plain_sub(other)
    }

    #[inline(always)]
    fn min3(v: Wide3<Self>, other: Wide3<Self>) -> Wide3<Self> {
        v.plain_min(other)
    }

    #[inline(always)]
    fn max3(v: Wide3<Self>, other: Wide3<Self>) -> Wide3<Self> {
        v.plain_max(other)
    }

    #[inline(always)]
    fn dot3(v: Wide3<Self>, o: Wide3<Self>) -> Self {
        v.plain_dot(o)
    }

    #[inline(always)]
    fn dot_add3(v: Wide3<Self>, o: Wide3<Self>, plus: Self) -> Self {
        v.plain_dot_add(o, plus)
    }

    #[inline(always)]
    fn cross3(v: Wide3<Self>, o: Wide3<Self>) -> Wide3<Self> {
        v.plain_cross(o)
    }

    #[inline(always)]
    fn mapped3(v: Wide3<Self>, m: &[[f32; 3]; 3], plus: Wide3<Self>) -> Wide3<Self> {
        v.plain_mapped(m, plus)
    }

    #[inline(always)]
    fn permuted3(v: Wide3<Self>, order: Self::Index) -> Wide3<Self> {
        v.plain_permuted(order)
    }

    #[inline(always)]
    fn decide(p: &[Wide3<Self>; 3], q: &[Wide3<Self>; 3], bound: f32, real: u32) -> (u32, u32) {
        triangles::decide(p, q, bound, real)
    }

    #[inline(always)]
    fn meet(
        sheets: &Sheets,
        centers: Wide3<Self>,
        one: &Sheet,
        center: [f32; 3],
        margin: f32,
    ) -> (Self, Self) {
        sheets.meet(centers, one, center, margin)
    }

    #[inline(always)]
    fn all_le3(v: Wide3<Self>, other: Wide3<Self>) -> Self {
        v.plain_all_le(other)
    }
}

/// For each mask, the numbers of the bits that are set, lowest first.
static SET_BITS: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut bit, mut count) = (0, 0);
        while bit < 8 {
            if mask >> bit & 1 != 0 {
                table[mask][count] = bit as u8;
                count += 1;
            }
            bit += 1;
        }
        mask += 1;
    }
    table
};

/// The numbers of the bits that are set in the low eight, lowest first; then zeros.
#[inline(always)]
pub(super) fn set_bits(mask: u32) -> &'static [u8; 8] {
    &SET_BITS[(mask & 255) as usize]
}

/// Asks for the cache lines of `what` to be fetched while something else goes on.
#[inline(always)]
pub(super) fn prefetch<T>(what: &T) {
    #[cfg(target_arch = "x86_64")]
    for line in 0..size_of::<T>().div_ceil(64) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a hint, which reads nothing; the address is within `what`.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(what).cast::<i8>().add(64 * line));
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = what;
}

/// Plain arrays, on any machine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Portable([f32; 8]);

impl Portable {
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        let mut r = [0.0; 8];
        for i in 0..8 {
            r[i] = f(self.0[i], other.0[i]);
        }
        Self(r)
    }

    #[inline(always)]
    fn mask(yes: bool) -> f32 {
        f32::from_bits(if yes { u32::MAX } else { 0 })
    }
}

impl Wide for Portable {
    #[inline(always)]
    fn load(from: &[f32; 8]) -> Self {
        Self(*from)
    }

    #[inline(always)]
    fn store(self, to: &mut [f32; 8]) {
        *to = self.0;
    }

    #[inline(always)]
    fn splat(x: f32) -> Self {
        Self([x; 8])
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, |x, y| x + y)
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(other, |x, y| x - y)
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.zip(other, |x, y| x * y)
    }

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        self.zip(other, |x, y| x / y)
    }

    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        self.mul(b).add(c)
    }

    #[inline(always)]
    fn neg_mul_add(self, b: Self, c: Self) -> Self {
        c.sub(self.mul(b))
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Self(self.0.map(f32::abs))
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.map(f32::sqrt))
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        self.zip(other, |x, y| if x < y { x } else { y })
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.zip(other, |x, y| if x > y { x } else { y })
    }

    #[inline(always)]
    fn le(self, other: Self) -> Self {
        self.zip(other, |x, y| Self::mask(x <= y))
    }

    #[inline(always)]
    fn lt(self, other: Self) -> Self {
        self.zip(other, |x, y| Self::mask(x < y))
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self.zip(other, |x, y| f32::from_bits(x.to_bits() & y.to_bits()))
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self.zip(other, |x, y| f32::from_bits(x.to_bits() | y.to_bits()))
    }

    #[inline(always)]
    fn select(self, yes: Self, no: Self) -> Self {
        let mut r = no.0;
        for i in 0..8 {
            if self.0[i].to_bits() >> 31 != 0 {
                r[i] = yes.0[i];
            }
        }
        Self(r)
    }

    #[inline(always)]
    fn bits(self) -> u32 {
        self.0.iter().enumerate().fold(0, |bits, (i, x)| bits | (x.to_bits() >> 31) << i)
    }

    type Index = [u8; 8];

    #[inline(always)]
    fn index(lanes: &[u8; 8]) -> [u8; 8] {
        *lanes
    }

    #[inline(always)]
    fn permute(self, order: [u8; 8]) -> Self {
        let mut r = [0.0; 8];
        for k in 0..8 {
            r[k] = self.0[usize::from(order[k] & 7)];
        }
        Self(r)
    }

    #[inline(always)]
    fn pack(entries: &[Link; 8], mask: u32, to: &mut [Link; 8]) {
        let order = set_bits(mask);
        for k in 0..8 {
            to[k] = entries[usize::from(order[k] & 7)];
        }
    }

    #[inline(always)]
    fn leaves(links: &[Link; 8]) -> u32 {
        (0..8).fold(0, |bits, slot| bits | u32::from(links[slot].is_leaf()) << slot)
    }

    #[inline(never)]
    fn add3(v: Wide3<Self>, other: Wide3<Self>) -> Wide3<Self> {
        v.plain_add(other)
    }

    #[inline(never)]
    fn sub3(v: Wide3<Self>, other: Wide3<Self>) -> Wide3<Self> {
        v.plain_sub(other)
    }

    #[inline(never)]
    fn min3(v: Wide3<Self>, other: Wide3<Self>) -> Wide3<Self> {
        v.plain_min(other)
    }

    #[inline(never)]
    fn max3(v: Wide3<Self>, other: Wide3<Self>) -> Wide3<Self> {
        v.plain_max(other)
    }

    #[inline(never)]
    fn dot3(v: Wide3<Self>, o: Wide3<Self>) -> Self {
        v.plain_dot(o)
    }

    #[inline(never)]
    fn dot_add3(v: Wide3<Self>, o: Wide3<Self>, plus: Self) -> Self {
        v.plain_dot_add(o, plus)
    }

    #[inline(never)]
    fn cross3(v: Wide3<Self>, o: Wide3<Self>) -> Wide3<Self> {
        v.plain_cross(o)
    }

    #[inline(never)]
    fn mapped3(v: Wide3<Self>, m: &[[f32; 3]; 3], plus: Wide3<Self>) -> Wide3<Self> {
        v.plain_mapped(m, plus)
    }

    #[inline(never)]
    fn permuted3(v: Wide3<Self>, order: Self::Index) -> Wide3<Self> {
        v.plain_permuted(order)
    }

    #[inline(never)]
    fn decide(p: &[Wide3<Self>; 3], q: &[Wide3<Self>; 3], bound: f32, real: u32) -> (u32, u32) {
        triangles::decide(p, q, bound, real)
    }

    #[inline(never)]
    fn meet(
        sheets: &Sheets,
        centers: Wide3<Self>,
        one: &Sheet,
        center: [f32; 3],
        margin: f32,
    ) -> (Self, Self) {
        sheets.meet(centers, one, center, margin)
    }

    #[inline(never)]
    fn all_le3(v: Wide3<Self>, other: Wide3<Self>) -> Self {
        v.plain_all_le(other)
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) use avx2::Avx2;

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::{
        __m256, __m256i, _CMP_LE_OQ, _CMP_LT_OQ, _mm_loadl_epi64, _mm256_add_ps, _mm256_and_ps,
        _mm256_andnot_ps, _mm256_blendv_ps, _mm256_cmp_ps, _mm256_cvtepu8_epi32, _mm256_div_ps,
        _mm256_fmadd_ps, _mm256_fnmadd_ps, _mm256_loadu_ps, _mm256_loadu_si256, _mm256_max_ps,
        _mm256_min_ps, _mm256_movemask_ps, _mm256_mul_ps, _mm256_or_ps,
        _mm256_permutevar8x32_epi32, _mm256_permutevar8x32_ps, _mm256_set1_ps, _mm256_sqrt_ps,
        _mm256_storeu_ps, _mm256_storeu_si256, _mm256_sub_ps,
    };

    use super::{Link, Wide, set_bits};

    /// One vector register. Only ever made and used inside functions compiled for AVX2 and FMA, which `dispatch` calls after asking the machine.
    #[derive(Clone, Copy, Debug)]
    pub(in super::super) struct Avx2(__m256);

    // SAFETY (every block below): these methods are inlined into functions compiled for AVX2 and FMA, which run only where `dispatch` has found
    // both; loads and stores take references to eight `f32`, which need no alignment.
    impl Wide for Avx2 {
        #[inline(always)]
        fn load(from: &[f32; 8]) -> Self {
            // SAFETY: see above.
            Self(unsafe { _mm256_loadu_ps(from.as_ptr()) })
        }

        #[inline(always)]
        fn store(self, to: &mut [f32; 8]) {
            // SAFETY: see above.
            unsafe { _mm256_storeu_ps(to.as_mut_ptr(), self.0) };
        }

        #[inline(always)]
        fn splat(x: f32) -> Self {
            // SAFETY: see above.
            Self(unsafe { _mm256_set1_ps(x) })
        }

        #[inline(always)]
        fn add(self, other: Self) -> Self {
            // SAFETY: see above.
            Self(unsafe { _mm256_add_ps(self.0, other.0) })
        }

        #[inline(always)]
        fn sub(self, other: Self) -> Self {
            // SAFETY: see above.
            Self(unsafe { _mm256_sub_ps(self.0, other.0) })
        }

        #[inline(always)]
        fn mul(self, other: Self) -> Self {
            // SAFETY: see above.
            Self(unsafe { _mm256_mul_ps(self.0, other.0) })
        }

        #[inline(always)]
        fn div(self, other: Self) -> Self {
            // SAFETY: see above.
            Self(unsafe { _mm256_div_ps(self.0, other.0) })
        }

        #[inline(always)]
        fn mul_add(self, b: Self, c: Self) -> Self {
            // SAFETY: see above.
            Self(unsafe { _mm256_fmadd_ps(self.0, b.0, c.0) })
        }

        #[inline(always)]
        fn neg_mul_add(self, b: Self, c: Self) -> Self {
            // SAFETY: see above.
            Self(unsafe { _mm256_fnmadd_ps(self.0, b.0, c.0) })
        }

        #[inline(always)]
        fn abs(self) -> Self {
            // SAFETY: see above.
            Self(unsafe { _mm256_andnot_ps(_mm256_set1_ps(-0.0), self.0) })
        }

        #[inline(always)]
        fn sqrt(self) -> Self {
            // SAFETY: see above.
            Self(unsafe { _mm256_sqrt_ps(self.0) })
        }

        #[inline(always)]
        fn min(self, other: Self) -> Self {
            // SAFETY: see above.
            Self(unsafe { _mm256_min_ps(self.0, other.0) })
        }

        #[inline(always)]
        fn max(self, other: Self) -> Self {
            // SAFETY: see above.
            Self(unsafe { _mm256_max_ps(self.0, other.0) })
        }

        #[inline(always)]
        fn le(self, other: Self) -> Self {
            // SAFETY: see above.
            Self(unsafe { _mm256_cmp_ps::<_CMP_LE_OQ>(self.0, other.0) })
        }

        #[inline(always)]
        fn lt(self, other: Self) -> Self {
            // SAFETY: see above.
            Self(unsafe { _mm256_cmp_ps::<_CMP_LT_OQ>(self.0, other.0) })
        }

        #[inline(always)]
        fn and(self, other: Self) -> Self {
            // SAFETY: see above.
            Self(unsafe { _mm256_and_ps(self.0, other.0) })
        }

        #[inline(always)]
        fn or(self, other: Self) -> Self {
            // SAFETY: see above.
            Self(unsafe { _mm256_or_ps(self.0, other.0) })
        }

        #[inline(always)]
        fn select(self, yes: Self, no: Self) -> Self {
            // SAFETY: see above.
            Self(unsafe { _mm256_blendv_ps(no.0, yes.0, self.0) })
        }

        #[inline(always)]
        fn bits(self) -> u32 {
            // SAFETY: see above.
            unsafe { _mm256_movemask_ps(self.0) as u32 }
        }

        type Index = __m256i;

        #[inline(always)]
        fn index(lanes: &[u8; 8]) -> __m256i {
            // SAFETY: see above; the load is of eight bytes.
            unsafe { _mm256_cvtepu8_epi32(_mm_loadl_epi64(lanes.as_ptr().cast())) }
        }

        #[inline(always)]
        fn permute(self, order: __m256i) -> Self {
            // SAFETY: see above.
            Self(unsafe { _mm256_permutevar8x32_ps(self.0, order) })
        }

        #[inline(always)]
        fn pack(entries: &[Link; 8], mask: u32, to: &mut [Link; 8]) {
            let order = set_bits(mask);
            // SAFETY: see above; the loads and the store are of 8, 32 and 32 bytes, as long as the arrays.
            unsafe {
                let order = _mm256_cvtepu8_epi32(_mm_loadl_epi64(order.as_ptr().cast()));
                let entries = _mm256_loadu_si256(entries.as_ptr().cast());
                let moved = _mm256_permutevar8x32_epi32(entries, order);
                _mm256_storeu_si256(to.as_mut_ptr().cast(), moved);
            }
        }

        #[inline(always)]
        fn leaves(links: &[Link; 8]) -> u32 {
            // SAFETY: see above; a link is a `u32` whose highest bit says that it leads to a leaf.
            unsafe { _mm256_movemask_ps(_mm256_loadu_ps(links.as_ptr().cast())) as u32 }
        }
    }
}

/// Eight vectors as they are stored.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub(super) struct Lanes3 {
    pub(super) x: [f32; 8],
    pub(super) y: [f32; 8],
    pub(super) z: [f32; 8],
}

impl Lanes3 {
    pub(super) const fn splat(x: f32) -> Self {
        Self { x: [x; 8], y: [x; 8], z: [x; 8] }
    }

    #[inline(always)]
    pub(super) fn get(&self, lane: usize) -> [f32; 3] {
        [self.x[lane], self.y[lane], self.z[lane]]
    }

    #[inline(always)]
    pub(super) fn set(&mut self, lane: usize, v: [f32; 3]) {
        [self.x[lane], self.y[lane], self.z[lane]] = v;
    }
}

/// Eight vectors in registers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wide3<W> {
    pub(super) x: W,
    pub(super) y: W,
    pub(super) z: W,
}

impl<W: Wide> Wide3<W> {
    #[inline(always)]
    pub(super) fn load(from: &Lanes3) -> Self {
        Self { x: W::load(&from.x), y: W::load(&from.y), z: W::load(&from.z) }
    }

    /// The vectors as they are stored.
    #[inline(always)]
    pub(super) fn lanes(self) -> Lanes3 {
        Lanes3 { x: self.x.array(), y: self.y.array(), z: self.z.array() }
    }

    #[inline(always)]
    pub(super) fn store(self, to: &mut Lanes3) {
        self.x.store(&mut to.x);
        self.y.store(&mut to.y);
        self.z.store(&mut to.z);
    }

    #[inline(always)]
    pub(super) fn splat(v: [f32; 3]) -> Self {
        Self { x: W::splat(v[0]), y: W::splat(v[1]), z: W::splat(v[2]) }
    }

    #[inline(always)]
    pub(super) fn add(self, other: Self) -> Self {
        W::add3(self, other)
    }

    #[inline(always)]
    fn plain_add(self, other: Self) -> Self {
        Self { x: self.x.add(other.x), y: self.y.add(other.y), z: self.z.add(other.z) }
    }

    #[inline(always)]
    pub(super) fn sub(self, other: Self) -> Self {
        W::sub3(self, other)
    }

    #[inline(always)]
    fn plain_sub(self, other: Self) -> Self {
        Self { x: self.x.sub(other.x), y: self.y.sub(other.y), z: self.z.sub(other.z) }
    }

    #[inline(always)]
    pub(super) fn min(self, other: Self) -> Self {
        W::min3(self, other)
    }

    #[inline(always)]
    fn plain_min(self, other: Self) -> Self {
        Self { x: self.x.min(other.x), y: self.y.min(other.y), z: self.z.min(other.z) }
    }

    #[inline(always)]
    pub(super) fn max(self, other: Self) -> Self {
        W::max3(self, other)
    }

    #[inline(always)]
    fn plain_max(self, other: Self) -> Self {
        Self { x: self.x.max(other.x), y: self.y.max(other.y), z: self.z.max(other.z) }
    }

    #[inline(always)]
    pub(super) fn abs(self) -> Self {
        Self { x: self.x.abs(), y: self.y.abs(), z: self.z.abs() }
    }

    #[inline(always)]
    pub(super) fn dot(self, o: Self) -> W {
        W::dot3(self, o)
    }

    #[inline(always)]
    fn plain_dot(self, o: Self) -> W {
        self.x.mul_add(o.x, self.y.mul_add(o.y, self.z.mul(o.z)))
    }

    /// The dot product plus `plus`.
    #[inline(always)]
    pub(super) fn dot_add(self, o: Self, plus: W) -> W {
        W::dot_add3(self, o, plus)
    }

    #[inline(always)]
    fn plain_dot_add(self, o: Self, plus: W) -> W {
        self.x.mul_add(o.x, self.y.mul_add(o.y, self.z.mul_add(o.z, plus)))
    }

    #[inline(always)]
    pub(super) fn cross(self, o: Self) -> Self {
        W::cross3(self, o)
    }

    #[inline(always)]
    fn plain_cross(self, o: Self) -> Self {
        Self {
            x: self.z.neg_mul_add(o.y, self.y.mul(o.z)),
            y: self.x.neg_mul_add(o.z, self.z.mul(o.x)),
            z: self.y.neg_mul_add(o.x, self.x.mul(o.y)),
        }
    }

    /// The lanes in the order given.
    #[inline(always)]
    pub(super) fn permuted(self, order: W::Index) -> Self {
        W::permuted3(self, order)
    }

    #[inline(always)]
    fn plain_permuted(self, order: W::Index) -> Self {
        Self { x: self.x.permute(order), y: self.y.permute(order), z: self.z.permute(order) }
    }

    /// The product with a matrix given by its rows, plus `plus`.
    #[inline(always)]
    pub(super) fn mapped(self, m: &[[f32; 3]; 3], plus: Self) -> Self {
        W::mapped3(self, m, plus)
    }

    #[inline(always)]
    fn plain_mapped(self, m: &[[f32; 3]; 3], plus: Self) -> Self {
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
    pub(super) fn all_le(self, other: Self) -> W {
        W::all_le3(self, other)
    }

    #[inline(always)]
    fn plain_all_le(self, other: Self) -> W {
        self.x.le(other.x).and(self.y.le(other.y)).and(self.z.le(other.z))
    }
}
