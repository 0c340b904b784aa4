//! Vectors as pairs of SSE2 registers, which every x86-64 machine has.
//!
//! The results are those of the portable backend, bit for bit. With arrays instead, the compiler
//! needs about twice as long for the crate: it splits every vector into eight numbers, optimises
//! them one by one, and joins most of them again.
#![allow(unsafe_code, reason = "vector intrinsics; see the note at each block")]

use std::arch::x86_64::{
    __m128, _mm_add_ps, _mm_and_ps, _mm_andnot_ps, _mm_castps_si128, _mm_castsi128_ps,
    _mm_cmple_ps, _mm_cmplt_ps, _mm_cvtss_f32, _mm_div_ps, _mm_loadu_ps, _mm_max_ps, _mm_max_ss,
    _mm_min_ps, _mm_movehl_ps, _mm_movemask_ps, _mm_mul_ps, _mm_or_ps, _mm_set_ps, _mm_set1_ps,
    _mm_shuffle_ps, _mm_sqrt_ps, _mm_srai_epi32, _mm_storeu_ps, _mm_sub_ps,
};

use super::dispatch::Task;
use super::fused::Fused;
use super::{Wide, set_bits};

/// Lanes 0 to 3 and lanes 4 to 7.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sse2(__m128, __m128);

/// Applies an intrinsic to the registers of each half.
macro_rules! halves {
    ($op:ident($a:expr $(, $b:expr)?)) => {
        // SAFETY: SSE2 is part of x86-64; the intrinsic does not access memory.
        unsafe { Self($op($a.0 $(, $b.0)?), $op($a.1 $(, $b.1)?)) }
    };
}

impl Wide for Sse2 {
    type Reproducible = Fused<Self>;

    const CALL_LARGE_KERNELS: bool = true;

    #[inline(never)]
    fn run_out_of_line<T: Task>(task: T) -> T::Output {
        task.run::<Self>()
    }

    #[inline(always)]
    fn load(from: &[f32; 8]) -> Self {
        // SAFETY: loads of four numbers each, from an array of eight; no alignment is needed.
        unsafe { Self(_mm_loadu_ps(from.as_ptr()), _mm_loadu_ps(from.as_ptr().add(4))) }
    }

    #[inline(always)]
    fn store(self, to: &mut [f32; 8]) {
        // SAFETY: stores of four numbers each, to an array of eight; no alignment is needed.
        unsafe {
            _mm_storeu_ps(to.as_mut_ptr(), self.0);
            _mm_storeu_ps(to.as_mut_ptr().add(4), self.1);
        }
    }

    #[inline(always)]
    fn splat(x: f32) -> Self {
        // SAFETY: SSE2 is part of x86-64; no memory is accessed.
        let x = unsafe { _mm_set1_ps(x) };
        Self(x, x)
    }

    #[inline(always)]
    fn from_halves([a, b, c]: &[f32; 3], [d, e, f]: &[f32; 3]) -> Self {
        // SAFETY: SSE2 is part of x86-64; no memory is accessed.
        unsafe { Self(_mm_set_ps(0.0, *c, *b, *a), _mm_set_ps(0.0, *f, *e, *d)) }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        halves!(_mm_add_ps(self, other))
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        halves!(_mm_sub_ps(self, other))
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        halves!(_mm_mul_ps(self, other))
    }

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        halves!(_mm_div_ps(self, other))
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
        halves!(_mm_andnot_ps(Self::splat(-0.0), self))
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        halves!(_mm_sqrt_ps(self))
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        halves!(_mm_min_ps(self, other))
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        halves!(_mm_max_ps(self, other))
    }

    #[inline(always)]
    fn le(self, other: Self) -> Self {
        halves!(_mm_cmple_ps(self, other))
    }

    #[inline(always)]
    fn lt(self, other: Self) -> Self {
        halves!(_mm_cmplt_ps(self, other))
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        halves!(_mm_and_ps(self, other))
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        halves!(_mm_or_ps(self, other))
    }

    #[inline(always)]
    fn select(self, yes: Self, no: Self) -> Self {
        /// Every bit of a lane is its sign bit, as for the blends of later instruction sets.
        #[inline(always)]
        fn spread(x: __m128) -> __m128 {
            // SAFETY: SSE2 is part of x86-64; no memory is accessed.
            unsafe { _mm_castsi128_ps(_mm_srai_epi32::<31>(_mm_castps_si128(x))) }
        }
        let mask = Self(spread(self.0), spread(self.1));
        mask.and(yes).or(halves!(_mm_andnot_ps(mask, no)))
    }

    #[inline(always)]
    fn bits(self) -> u32 {
        // SAFETY: SSE2 is part of x86-64; no memory is accessed.
        unsafe { (_mm_movemask_ps(self.0) | _mm_movemask_ps(self.1) << 4) as u32 }
    }

    #[inline(always)]
    fn full_bits([a, b, c, d]: [Self; 4]) -> u32 {
        let full = |mask: Self| u32::from(mask.bits() == 255);
        full(a) | full(b) << 1 | full(c) << 2 | full(d) << 3
    }

    #[inline(always)]
    fn max_lane(self) -> f32 {
        // SAFETY: SSE2 is part of x86-64; no memory is accessed.
        unsafe {
            let m = _mm_max_ps(self.0, self.1);
            let m = _mm_max_ps(m, _mm_movehl_ps(m, m));
            _mm_cvtss_f32(_mm_max_ss(m, _mm_shuffle_ps::<1>(m, m)))
        }
    }

    #[inline(always)]
    fn max_in_all_lanes(self) -> Self {
        Self::splat(self.max_lane())
    }

    type Index = [u8; 8];

    #[inline(always)]
    fn index(lanes: &[u8; 8]) -> [u8; 8] {
        *lanes
    }

    #[inline(always)]
    fn permute(self, order: [u8; 8]) -> Self {
        let (from, mut to) = (self.array(), [0.0; 8]);
        for k in 0..8 {
            to[k] = from[usize::from(order[k] & 7)];
        }
        Self::load(&to)
    }

    #[inline(always)]
    fn pack(entries: &[u32; 8], mask: u32, to: &mut [u32; 8]) {
        let order = set_bits(mask);
        for k in 0..8 {
            to[k] = entries[usize::from(order[k] & 7)];
        }
    }

    #[inline(always)]
    fn pack_permuted(entries: &[u32; 8], order: &[u8; 8], mask: u32, to: &mut [u32; 8]) {
        let kept = set_bits(mask);
        for k in 0..8 {
            to[k] = entries[usize::from(order[usize::from(kept[k] & 7)] & 7)];
        }
    }

    #[inline(always)]
    fn high_bits_at(entries: &[u32; 8], order: &[u8; 8]) -> u32 {
        let mut ordered = [0; 8];
        for k in 0..8 {
            ordered[k] = entries[usize::from(order[k] & 7)];
        }
        Self::high_bits(&ordered)
    }

    #[inline(always)]
    fn high_bits(entries: &[u32; 8]) -> u32 {
        // SAFETY: loads of four numbers each, from an array of eight; no alignment is needed.
        let lanes: Self = unsafe {
            let first = entries.as_ptr().cast::<f32>();
            Self(_mm_loadu_ps(first), _mm_loadu_ps(first.add(4)))
        };
        lanes.bits()
    }
}
