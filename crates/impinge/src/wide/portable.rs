//! Vectors as arrays, which compilers vectorise as far as the target allows.

use super::dispatch::Task;
use super::fused::Fused;
use super::{Wide, set_bits};

/// Plain arrays, for any machine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portable([f32; 8]);

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
    type Reproducible = Fused<Self>;

    const CALL_LARGE_KERNELS: bool = true;

    #[inline(never)]
    fn run_out_of_line<T: Task>(task: T) -> T::Output {
        task.run::<Self>()
    }

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
    fn from_halves([a, b, c]: &[f32; 3], [d, e, f]: &[f32; 3]) -> Self {
        Self([*a, *b, *c, 0.0, *d, *e, *f, 0.0])
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

    #[inline(always)]
    fn full_bits([a, b, c, d]: [Self; 4]) -> u32 {
        let full = |mask: Self| u32::from(mask.bits() == 255);
        full(a) | full(b) << 1 | full(c) << 2 | full(d) << 3
    }

    #[inline(always)]
    fn max_lane(self) -> f32 {
        self.0.into_iter().fold(f32::NEG_INFINITY, |m, x| if x > m { x } else { m })
    }

    #[inline(always)]
    fn max_in_all_lanes(self) -> Self {
        Self([self.max_lane(); 8])
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
        (0..8).fold(0, |bits, k| bits | entries[usize::from(order[k] & 7)] >> 31 << k)
    }

    #[inline(always)]
    fn high_bits(entries: &[u32; 8]) -> u32 {
        (0..8).fold(0, |bits, k| bits | entries[k] >> 31 << k)
    }
}
