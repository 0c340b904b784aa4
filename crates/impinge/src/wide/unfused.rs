//! Vectors whose results are the same on every machine.

use super::Wide;
use super::dispatch::Task;

/// The vectors of another backend without fused operations: a product is rounded before it is
/// added. All other operations round once on every backend, so that a kernel that is compiled for
/// these vectors makes the same decisions on every machine. A search with a limit of steps then
/// takes the same steps everywhere.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unfused<W>(W);

impl<W: Wide> Wide for Unfused<W> {
    type Unfused = Self;

    const CALL_LARGE_KERNELS: bool = W::CALL_LARGE_KERNELS;

    #[inline(always)]
    fn run_out_of_line<T: Task>(task: T) -> T::Output {
        W::run_out_of_line(UnfusedTask(task))
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
        Self(self.0.mul(b.0).add(c.0))
    }

    #[inline(always)]
    fn neg_mul_add(self, b: Self, c: Self) -> Self {
        Self(c.0.sub(self.0.mul(b.0)))
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

/// Runs a task with unfused vectors: those of the backend itself if it has no fused operations.
pub(crate) struct UnfusedTask<T>(pub(crate) T);

impl<T: Task> Task for UnfusedTask<T> {
    type Output = T::Output;

    #[inline(always)]
    fn run<W: Wide>(self) -> T::Output {
        self.0.run::<W::Unfused>()
    }
}
