//! Vectors of eight `f32`: one interface; on x86-64 a backend for AVX2 with fused multiply-add
//! and one for SSE2, elsewhere a portable one.
//!
//! Kernels are written once against [`Wide`] and compiled for each backend. Results may differ in
//! rounding, because fused operations round once; the error bound of every kernel holds for all
//! backends.
//!
//! A kernel is a [`Task`](dispatch::Task), which [`dispatch::run`] runs with the best backend for
//! the machine. Kernels must not pass vectors through closures or `array::map`: these are separate
//! functions, compiled without the vector instructions. Large parts of kernels are inlined or not
//! depending on [`Wide::CALL_LARGE_KERNELS`].
#![allow(unsafe_code, reason = "a prefetch; see the note at the block")]
#![allow(
    clippy::needless_range_loop,
    reason = "lanes and axes are indices into several arrays at once"
)]

#[cfg(target_arch = "x86_64")]
mod avx2;
pub(crate) mod dispatch;
mod fused;
mod lookup;
#[cfg(any(test, not(target_arch = "x86_64")))]
mod portable;
#[cfg(target_arch = "x86_64")]
mod sse2;
mod vectors;

#[cfg(target_arch = "x86_64")]
pub(crate) use avx2::Avx2;
pub(crate) use lookup::{Lookup, Row, Rows};
#[cfg(any(test, not(target_arch = "x86_64")))]
pub(crate) use portable::Portable;
#[cfg(target_arch = "x86_64")]
pub(crate) use sse2::Sse2;
pub use vectors::{Lanes3, Wide3};

/// A vector of eight numbers. A *mask* is a vector whose lanes have all bits set or none.
pub trait Wide: Copy {
    /// Vectors that give the same results on every machine; see `wide/fused.rs`.
    type Reproducible: Wide;
    /// Whether large parts of kernels are called instead of inlined: with vectors as arrays,
    /// inlining everything makes functions that take compilers very long.
    const CALL_LARGE_KERNELS: bool;
    /// Runs the task in a function that is not inlined, with vectors of this kind: for rare cases
    /// that would make the code around them larger and slower, and for large kernels with several
    /// callers.
    fn run_out_of_line<T: dispatch::Task>(task: T) -> T::Output;
    /// The numbers of an array.
    #[must_use]
    fn load(from: &[f32; 8]) -> Self;
    /// Writes the numbers to an array.
    fn store(self, to: &mut [f32; 8]);
    /// The numbers as an array.
    #[inline(always)]
    #[must_use]
    fn array(self) -> [f32; 8] {
        let mut to = [0.0; 8];
        self.store(&mut to);
        to
    }
    /// The same number in every lane.
    #[must_use]
    fn splat(x: f32) -> Self;
    /// Three numbers, zero, three numbers, zero.
    #[must_use]
    fn from_halves(low: &[f32; 3], high: &[f32; 3]) -> Self;
    /// `self + other`.
    #[must_use]
    fn add(self, other: Self) -> Self;
    /// `self - other`.
    #[must_use]
    fn sub(self, other: Self) -> Self;
    /// `self * other`.
    #[must_use]
    fn mul(self, other: Self) -> Self;
    /// `self / other`.
    #[must_use]
    fn div(self, other: Self) -> Self;
    /// `self * b + c`.
    #[must_use]
    fn mul_add(self, b: Self, c: Self) -> Self;
    /// `c - self * b`.
    #[must_use]
    fn neg_mul_add(self, b: Self, c: Self) -> Self;
    /// The absolute values.
    #[must_use]
    fn abs(self) -> Self;
    /// The square roots.
    #[must_use]
    fn sqrt(self) -> Self;
    /// The smaller numbers; those of `other` where either is NaN.
    #[must_use]
    fn min(self, other: Self) -> Self;
    /// The larger numbers; those of `other` where either is NaN.
    #[must_use]
    fn max(self, other: Self) -> Self;
    /// A mask of the lanes where `self <= other`; not set for NaN.
    #[must_use]
    fn le(self, other: Self) -> Self;
    /// A mask of the lanes where `self < other`; not set for NaN.
    #[must_use]
    fn lt(self, other: Self) -> Self;
    /// The lanes that are set in both masks.
    #[must_use]
    fn and(self, other: Self) -> Self;
    /// The lanes that are set in at least one of the masks.
    #[must_use]
    fn or(self, other: Self) -> Self;
    /// `yes` in the lanes where the mask `self` is set, `no` in the others.
    #[must_use]
    fn select(self, yes: Self, no: Self) -> Self;
    /// The mask as bits, lane 0 lowest.
    #[must_use]
    fn bits(self) -> u32;
    /// For each of four masks, a bit that is set if the mask is set in all lanes.
    #[must_use]
    fn full_bits(masks: [Self; 4]) -> u32;
    /// The largest number; none may be NaN.
    #[must_use]
    fn max_lane(self) -> f32;
    /// The largest number in every lane; none may be NaN.
    #[must_use]
    fn max_in_all_lanes(self) -> Self;
    /// Eight lane numbers, in the form that [`permute`](Self::permute) takes.
    type Index: Copy;
    /// The lane numbers of [`permute`](Self::permute), each below eight.
    #[must_use]
    fn index(lanes: &[u8; 8]) -> Self::Index;
    /// The lanes in the given order.
    #[must_use]
    fn permute(self, order: Self::Index) -> Self;
    /// Writes the entries whose bits are set to the front of `to`; the rest is arbitrary.
    fn pack(entries: &[u32; 8], mask: u32, to: &mut [u32; 8]);
    /// The same with the entries in the given order of indices below eight: bit `k` belongs to
    /// entry `order[k]`.
    fn pack_permuted(entries: &[u32; 8], order: &[u8; 8], mask: u32, to: &mut [u32; 8]);
    /// The highest bit of each entry.
    #[must_use]
    fn high_bits(entries: &[u32; 8]) -> u32;
    /// The highest bit of each entry, with the entries in the given order.
    #[must_use]
    fn high_bits_at(entries: &[u32; 8], order: &[u8; 8]) -> u32;
}

/// For each mask, the indices of the bits that are set, lowest first.
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

/// The indices of the bits that are set among the low eight, lowest first; then zeros.
#[inline(always)]
pub(crate) fn set_bits(mask: u32) -> &'static [u8; 8] {
    &SET_BITS[(mask & 255) as usize]
}

/// Writes `first` plus the index of each lane whose bit is set to the front of `to`; the rest is
/// arbitrary.
#[inline(always)]
pub(crate) fn lanes_of<W: Wide>(first: u32, bits: u32, to: &mut [u32; 8]) {
    W::pack(&[0, 1, 2, 3, 4, 5, 6, 7], bits, to);
    for lane in to {
        *lane += first;
    }
}

/// Starts loading the cache lines of `value` without waiting for them.
#[inline(always)]
pub(crate) fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    for line in 0..size_of::<T>().div_ceil(64) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a hint, which reads nothing; the address is within `value`.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast::<i8>().add(64 * line));
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

#[cfg(test)]
mod tests {
    use super::dispatch::{self, Task};
    use super::*;
    use crate::math::Random;

    /// The operations that are exact: masks, selections and permutations.
    #[derive(Clone, Copy)]
    struct Exact {
        values: [[f32; 8]; 4],
        numbers: [u32; 8],
    }

    impl Task for Exact {
        type Output = (u32, u32, [u32; 8], [u32; 8], [[u32; 8]; 10]);

        #[inline(always)]
        fn run<W: Wide>(self) -> Self::Output {
            let [a, b, c, d] = &self.values;
            let (a, b, c, d) = (W::load(a), W::load(b), W::load(c), W::load(d));
            let full = W::full_bits([a.le(b), c.lt(d), b.le(b), d.le(a)]);
            let [x, y, z, ..] = self.values[0];
            let joined =
                W::from_halves(&[x, y, z], &[y, z, x]).permute(W::index(&[4, 5, 6, 7, 0, 1, 2, 3]));
            let mut packed = [0; 8];
            W::pack(&self.numbers, (full * 37) & 255, &mut packed);
            for (n, entry) in packed.iter_mut().enumerate() {
                // The rest is arbitrary.
                *entry *= u32::from(n < ((full * 37) & 255).count_ones() as usize);
            }
            let bits = a.le(b).or(c.lt(d)).bits();
            let mut repacked = [0; 8];
            let order = self.numbers.map(|number| (number & 7) as u8);
            W::pack_permuted(&self.numbers, &order, 255, &mut repacked);
            let highs = [W::high_bits(&self.numbers), W::high_bits_at(&self.numbers, &order)];
            // Every operation that rounds at most once.
            let values = [
                a.add(b),
                a.sub(b),
                a.mul(c),
                a.div(c),
                d.abs().sqrt(),
                a.min(b),
                c.max(d),
                a.le(b).and(b.lt(c)).select(c, d),
            ]
            .map(|v| v.array().map(bits_of_number));
            let [v0, v1, v2, v3, v4, v5, v6, v7] = values;
            let largest = W::splat(1.0).min(a.abs()).max(W::splat(0.5));
            let [l0, l1, ..] = largest.max_in_all_lanes().array().map(f32::to_bits);
            let last = [highs[0], highs[1], largest.max_lane().to_bits(), l0, l1, 0, 0, 0];
            let values = [v0, v1, v2, v3, v4, v5, v6, v7, repacked, last];
            (full, bits, joined.array().map(f32::to_bits), packed, values)
        }
    }

    /// The bits, the same for every NaN.
    fn bits_of_number(x: f32) -> u32 {
        if x.is_nan() { f32::NAN.to_bits() } else { x.to_bits() }
    }

    /// Operations that round more than once without fused instructions.
    #[cfg(target_arch = "x86_64")]
    #[derive(Clone, Copy)]
    struct Rounded([[f32; 8]; 4]);

    #[cfg(target_arch = "x86_64")]
    impl Task for Rounded {
        type Output = [[u32; 8]; 2];

        #[inline(always)]
        fn run<W: Wide>(self) -> Self::Output {
            let [a, b, c, _] = &self.0;
            let (a, b, c) = (W::load(a), W::load(b), W::load(c));
            [a.mul_add(b, c), a.neg_mul_add(b, c)].map(|v| v.array().map(bits_of_number))
        }
    }

    #[test]
    fn all_backends_give_the_same_results() {
        let mut random = Random::new(11);
        let some = [0.0, -0.0, 1.0, -1.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e-40];
        let mut full = 0;
        // Under Miri each takes a thousand times longer.
        let cases = if cfg!(miri) { 40 } else { 20_000 };
        for _ in 0..cases {
            // Usually ones and twos, so that masks are often full.
            let one = |random: &mut Random| match random.index(40) {
                0 => some[random.index(some.len())],
                n => (1 + n % 2) as f32,
            };
            let task = Exact {
                values: [0; 4].map(|_| [0; 8].map(|_| one(&mut random))),
                numbers: [0; 8].map(|_| random.bits() as u32 >> random.index(32)),
            };
            let known = task.run::<Portable>();
            for found in [dispatch::run(task), task.run::<dispatch::Baseline>()] {
                assert_eq!(found, known, "{:?} {:?}", task.values, task.numbers);
            }
            #[cfg(target_arch = "x86_64")]
            {
                let task = Rounded(task.values);
                assert_eq!(task.run::<Sse2>(), task.run::<Portable>(), "{:?}", task.0);
            }
            full += u32::from(known.0 != 0);
        }
        assert!(full > cases / 20, "{full}");
    }

    #[test]
    #[should_panic(expected = "beyond the end")]
    fn an_index_beyond_the_table_panics() {
        let mut rows = Rows::default();
        rows.resize(1);
        rows.put(3, 6, 7);
        rows.put(3, 0, 0);
        let _ = rows.lookup_in(&[0_u8; 7]);
    }

    #[test]
    #[should_panic(expected = "beyond the end")]
    fn an_empty_table_has_no_entry_zero() {
        let _ = Rows::default().lookup_in::<u8>(&[]);
    }

    #[test]
    fn entries_are_those_at_the_indices() {
        let mut rows = Rows::default();
        rows.resize(2);
        for n in 0..12 {
            rows.put(n, 6, n % 7);
        }
        let table = [10_u8, 11, 12, 13, 14, 15, 16];
        let found: Vec<_> = rows.lookup_in(&table).part(1..2).entries().collect();
        let (low, high) = ([16, 16, 16, 16, 10, 10, 10, 10], [11, 12, 13, 14, 10, 10, 10, 10]);
        assert_eq!(found, [(low.each_ref(), high.each_ref())]);
        assert_eq!(rows.get(9), [6, 2]);
    }
}
