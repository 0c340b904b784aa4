//! Vectors whose results are the same on every machine.

use super::Wide;
use super::dispatch::Task;

/// The vectors of a backend without fused operations, with fused ones: a product is not rounded
/// before it is added. All other operations round once on every backend, so that a kernel that is
/// compiled for these vectors, or for those of a backend that has fused operations, makes the same
/// decisions on every machine. A search with a limit of steps then takes the same steps everywhere.
///
/// Where the instructions have no fused operations, such searches are several times slower. The
/// other way, to round twice everywhere, made them 5 to 7 % slower on all other machines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fused<W>(W);

impl<W: Wide> Wide for Fused<W> {
    type Reproducible = Self;

    const CALL_LARGE_KERNELS: bool = W::CALL_LARGE_KERNELS;

    #[inline(always)]
    fn run_out_of_line<T: Task>(task: T) -> T::Output {
        W::run_out_of_line(FusedTask(task))
    }

    #[inline(always)]
    fn load(from: &[f32; 8]) -> Self {
        Self(W::load(from))
    }

    #[inline(always)]
    fn store(self, to: &mut [f32; 8]) {
        self.0.store(to);
    }

    #[inline(always)]
    fn splat(x: f32) -> Self {
        Self(W::splat(x))
    }

    #[inline(always)]
    fn from_halves(low: &[f32; 3], high: &[f32; 3]) -> Self {
        Self(W::from_halves(low, high))
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(self.0.add(other.0))
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(self.0.sub(other.0))
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(self.0.mul(other.0))
    }

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        Self(self.0.div(other.0))
    }

    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        let (a, b, c) = (self.array(), b.array(), c.array());
        Self::load(&fused(a, b, c))
    }

    #[inline(always)]
    fn neg_mul_add(self, b: Self, c: Self) -> Self {
        let (a, b, c) = (self.array(), b.array(), c.array());
        Self::load(&fused(a.map(|x| -x), b, c))
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Self(self.0.abs())
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.sqrt())
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self(self.0.min(other.0))
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self(self.0.max(other.0))
    }

    #[inline(always)]
    fn le(self, other: Self) -> Self {
        Self(self.0.le(other.0))
    }

    #[inline(always)]
    fn lt(self, other: Self) -> Self {
        Self(self.0.lt(other.0))
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Self(self.0.and(other.0))
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Self(self.0.or(other.0))
    }

    #[inline(always)]
    fn select(self, yes: Self, no: Self) -> Self {
        Self(self.0.select(yes.0, no.0))
    }

    #[inline(always)]
    fn bits(self) -> u32 {
        self.0.bits()
    }

    #[inline(always)]
    fn full_bits(masks: [Self; 4]) -> u32 {
        let [a, b, c, d] = masks;
        W::full_bits([a.0, b.0, c.0, d.0])
    }

    #[inline(always)]
    fn max_lane(self) -> f32 {
        self.0.max_lane()
    }

    #[inline(always)]
    fn max_in_all_lanes(self) -> Self {
        Self(self.0.max_in_all_lanes())
    }

    type Index = W::Index;

    #[inline(always)]
    fn index(lanes: &[u8; 8]) -> Self::Index {
        W::index(lanes)
    }

    #[inline(always)]
    fn permute(self, order: Self::Index) -> Self {
        Self(self.0.permute(order))
    }

    #[inline(always)]
    fn pack(entries: &[u32; 8], mask: u32, to: &mut [u32; 8]) {
        W::pack(entries, mask, to);
    }

    #[inline(always)]
    fn pack_permuted(entries: &[u32; 8], order: &[u8; 8], mask: u32, to: &mut [u32; 8]) {
        W::pack_permuted(entries, order, mask, to);
    }

    #[inline(always)]
    fn high_bits(entries: &[u32; 8]) -> u32 {
        W::high_bits(entries)
    }

    #[inline(always)]
    fn high_bits_at(entries: &[u32; 8], order: &[u8; 8]) -> u32 {
        W::high_bits_at(entries, order)
    }
}

/// Runs a task with vectors of [`Fused`].
struct FusedTask<T>(T);

impl<T: Task> Task for FusedTask<T> {
    type Output = T::Output;

    #[inline(always)]
    fn run<W: Wide>(self) -> T::Output {
        self.0.run::<Fused<W>>()
    }
}

/// `a * b + c`, rounded once, in each lane. Not inlined: with vectors as arrays, inlining
/// everything makes functions that take compilers very long.
#[inline(never)]
fn fused(a: [f32; 8], b: [f32; 8], c: [f32; 8]) -> [f32; 8] {
    let mut sums = [0.0; 8];
    for k in 0..8 {
        sums[k] = if cfg!(any(target_feature = "fma", target_arch = "aarch64")) {
            a[k].mul_add(b[k], c[k])
        } else {
            in_f64(a[k], b[k], c[k])
        };
    }
    sums
}

/// `a * b + c`, rounded once. The product is exact in `f64`. The sum is rounded to an odd number
/// unless it is exact (Boldo and Melquiond 2008, "Emulation of FMA and correctly rounded sums:
/// proved algorithms using rounding to odd"): rounding it again, to less than half of the digits,
/// then gives what rounding once gives.
#[inline(always)]
fn in_f64(a: f32, b: f32, c: f32) -> f32 {
    let (product, c) = (f64::from(a) * f64::from(b), f64::from(c));
    let sum = product + c;
    // The error of the sum (Knuth). It is NaN if the sum is not finite.
    let part = sum - product;
    let error = (product - (sum - part)) + (c - part);
    let bits = sum.to_bits();
    let is_rounded_to_even = (error != 0.0) & !error.is_nan() & (bits & 1 == 0);
    // The other one of the two neighbours of the exact sum: away from zero if the error has the
    // sign of the sum.
    let away = (error < 0.0) == (sum < 0.0);
    let odd = if away { bits.wrapping_add(1) } else { bits.wrapping_sub(1) };
    f64::from_bits(if is_rounded_to_even { odd } else { bits }) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    fn bits(x: f32) -> u32 {
        if x.is_nan() { f32::NAN.to_bits() } else { x.to_bits() }
    }

    #[test]
    fn sums_are_rounded_once() {
        let mut random = Random::new(7);
        let special = [0.0, -0.0, 1.0, -1.0, 1e-45, -1e-45, f32::MIN_POSITIVE, f32::MAX, f32::NAN];
        let number = |random: &mut Random| match random.index(8) {
            0 => special[random.index(special.len())],
            1 => [f32::INFINITY, f32::NEG_INFINITY][random.index(2)],
            // Few digits, so that sums are often exact or half-way between two numbers.
            2..=4 => {
                (random.index(64) as f32 - 32.0)
                    * [1.0, 1.0 / 4096.0, 1.0 / 16_777_216.0][random.index(3)]
            }
            _ => f32::from_bits(random.bits() as u32),
        };
        let (mut twice, mut exact) = (0, 0);
        for _ in 0..if cfg!(miri) { 200 } else { 400_000 } {
            let [a, b, mut c] = [0; 3].map(|_| number(&mut random));
            if random.index(3) == 0 {
                // Sums with cancellation, and sums just beside the middle of two numbers.
                c = -(a * b);
            } else if random.index(3) == 0 {
                c = a
                    * b
                    * [8_388_608.0, 16_777_216.0, 33_554_432.0, 281_474_976_710_656.0]
                        [random.index(4)];
            }
            let known = a.mul_add(b, c);
            assert_eq!(bits(in_f64(a, b, c)), bits(known), "{a:e} * {b:e} + {c:e}");
            twice += usize::from(bits(a * b + c) != bits(known));
            exact += usize::from(known == a * b + c);
        }
        assert!(twice > 10 && exact > 100, "{twice} {exact}");
    }
}
