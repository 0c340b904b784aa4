//! Eight `f32` at a time: one interface, a [portable](Portable) backend and one for AVX2 with fused multiply-add.
//!
//! Kernels are written once against [`Wide`] and compiled for each backend. Results may differ in rounding (the fused operations round less), never
//! in what they promise: every kernel's error bound holds for both.
//!
//! Kernels must not hold vectors across closures or `array::map`: these are functions of their own, compiled without the vector instructions.
#![allow(unsafe_code, reason = "a prefetch; see the note at the block")]

#[cfg(target_arch = "x86_64")]
mod avx2;
mod portable;
mod vectors;

use super::node::Link;
use super::sheet::{Sheet, Sheets};
use super::triangles;

#[cfg(target_arch = "x86_64")]
pub(super) use avx2::Avx2;
pub(super) use portable::Portable;
pub(super) use vectors::{Lanes3, Wide3};

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
