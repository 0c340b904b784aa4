//! Vectors as AVX2 registers.
#![allow(unsafe_code, reason = "vector intrinsics; see the note at each block")]

use std::arch::x86_64::{
    __m256, __m256i, _CMP_LE_OQ, _CMP_LT_OQ, _mm_cvtss_f32, _mm_loadl_epi64, _mm_maskload_ps,
    _mm_max_ps, _mm_max_ss, _mm_movehdup_ps, _mm_movehl_ps, _mm_setr_epi32, _mm256_add_ps,
    _mm256_and_ps, _mm256_andnot_ps, _mm256_blendv_ps, _mm256_castps_si256, _mm256_castps256_ps128,
    _mm256_castsi256_ps, _mm256_cmp_ps, _mm256_cmpeq_epi32, _mm256_cvtepu8_epi32, _mm256_div_ps,
    _mm256_extractf128_ps, _mm256_fmadd_ps, _mm256_fnmadd_ps, _mm256_loadu_ps, _mm256_loadu_si256,
    _mm256_max_ps, _mm256_min_ps, _mm256_movemask_ps, _mm256_mul_ps, _mm256_or_ps,
    _mm256_packs_epi16, _mm256_packs_epi32, _mm256_permute_ps, _mm256_permute2f128_ps,
    _mm256_permutevar8x32_epi32, _mm256_permutevar8x32_ps, _mm256_set_m128, _mm256_set1_epi32,
    _mm256_set1_ps, _mm256_sqrt_ps, _mm256_storeu_ps, _mm256_storeu_si256, _mm256_sub_ps,
};

use super::dispatch::Task;
use super::{Wide, set_bits};

/// One vector register. Created and used only inside functions compiled for AVX2 and FMA, which
/// `dispatch` calls after checking that the machine has these instructions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2(__m256);

#[inline(never)]
#[target_feature(enable = "avx2,fma,popcnt,bmi1")]
unsafe fn not_inlined<T: Task>(task: T) -> T::Output {
    task.run::<Avx2>()
}

// SAFETY (every block below): these methods are inlined into functions compiled for AVX2 and FMA,
// which run only where `dispatch` has found both; loads and stores take references to eight `f32`,
// which need no alignment.
impl Wide for Avx2 {
    type Reproducible = Self;

    const CALL_LARGE_KERNELS: bool = false;

    #[inline(always)]
    fn run_out_of_line<T: Task>(task: T) -> T::Output {
        // SAFETY: see above.
        unsafe { not_inlined(task) }
    }

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
    fn from_halves(low: &[f32; 3], high: &[f32; 3]) -> Self {
        // SAFETY: see above; the masks say that three numbers are read.
        unsafe {
            let three = _mm_setr_epi32(-1, -1, -1, 0);
            let low = _mm_maskload_ps(low.as_ptr(), three);
            Self(_mm256_set_m128(_mm_maskload_ps(high.as_ptr(), three), low))
        }
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

    #[inline(always)]
    fn full_bits([a, b, c, d]: [Self; 4]) -> u32 {
        // SAFETY: see above.
        unsafe {
            let ab = _mm256_packs_epi32(_mm256_castps_si256(a.0), _mm256_castps_si256(b.0));
            let cd = _mm256_packs_epi32(_mm256_castps_si256(c.0), _mm256_castps_si256(d.0));
            // Half a mask becomes four bytes: first the lower halves of the four masks, then the
            // upper halves.
            let halves = _mm256_packs_epi16(ab, cd);
            let full = _mm256_cmpeq_epi32(halves, _mm256_set1_epi32(-1));
            let bits = _mm256_movemask_ps(_mm256_castsi256_ps(full)) as u32;
            bits & bits >> 4
        }
    }

    #[inline(always)]
    fn max_lane(self) -> f32 {
        // SAFETY: see above.
        unsafe {
            let m = _mm_max_ps(_mm256_castps256_ps128(self.0), _mm256_extractf128_ps::<1>(self.0));
            let m = _mm_max_ps(m, _mm_movehl_ps(m, m));
            _mm_cvtss_f32(_mm_max_ss(m, _mm_movehdup_ps(m)))
        }
    }

    #[inline(always)]
    fn max_in_all_lanes(self) -> Self {
        // SAFETY: see above.
        unsafe {
            let m = _mm256_max_ps(self.0, _mm256_permute2f128_ps::<1>(self.0, self.0));
            let m = _mm256_max_ps(m, _mm256_permute_ps::<0b01_00_11_10>(m));
            Self(_mm256_max_ps(m, _mm256_permute_ps::<0b10_11_00_01>(m)))
        }
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
    fn pack(entries: &[u32; 8], mask: u32, to: &mut [u32; 8]) {
        let order = set_bits(mask);
        // SAFETY: see above; the loads and the store are of 8, 32 and 32 bytes, as long as the
        // arrays.
        unsafe {
            let order = _mm256_cvtepu8_epi32(_mm_loadl_epi64(order.as_ptr().cast()));
            let entries = _mm256_loadu_si256(entries.as_ptr().cast());
            let moved = _mm256_permutevar8x32_epi32(entries, order);
            _mm256_storeu_si256(to.as_mut_ptr().cast(), moved);
        }
    }

    #[inline(always)]
    fn pack_permuted(entries: &[u32; 8], order: &[u8; 8], mask: u32, to: &mut [u32; 8]) {
        let (order, kept) = (Self::index(order), Self::index(set_bits(mask)));
        // SAFETY: see above; the load and the store are of 32 bytes.
        unsafe {
            let entries = _mm256_loadu_si256(entries.as_ptr().cast());
            let moved = _mm256_permutevar8x32_epi32(entries, order);
            let moved = _mm256_permutevar8x32_epi32(moved, kept);
            _mm256_storeu_si256(to.as_mut_ptr().cast(), moved);
        }
    }

    #[inline(always)]
    fn high_bits_at(entries: &[u32; 8], order: &[u8; 8]) -> u32 {
        let order = Self::index(order);
        // SAFETY: see above; the load is of 32 bytes.
        unsafe {
            let entries = _mm256_loadu_si256(entries.as_ptr().cast());
            let moved = _mm256_permutevar8x32_epi32(entries, order);
            _mm256_movemask_ps(_mm256_castsi256_ps(moved)) as u32
        }
    }

    #[inline(always)]
    fn high_bits(entries: &[u32; 8]) -> u32 {
        // SAFETY: see above; the load is of 32 bytes.
        unsafe { _mm256_movemask_ps(_mm256_loadu_ps(entries.as_ptr().cast())) as u32 }
    }
}
