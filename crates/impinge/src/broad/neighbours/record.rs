//! Boxes as they are compared: eight numbers, one comparison.

use crate::broad::Bounds;
use crate::wide::Wide;

/// Along which axes something begins here.
pub(super) type Flags = u8;

/// A box on its way into a block: the lower sides, the item, the upper sides, and along which axes the box begins in the block. The two numbers lie in the lanes of floats that are not used as such.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(super) struct Record(pub(super) [f32; 8]);

impl Record {
    pub(super) const BLANK: Self = Self([0.0; 8]);

    #[inline(always)]
    pub(super) fn write<W: Wide>(turned: &Turned, item: u32, to: &mut Self) {
        let signs = W::load(&[1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0]);
        W::load(&turned.0).mul(signs).store(&mut to.0);
        to.0[3] = f32::from_bits(item);
        to.0[7] = f32::from_bits(0b111);
    }

    #[inline(always)]
    pub(super) fn item(&self) -> u32 {
        self.0[3].to_bits()
    }

    #[inline(always)]
    pub(super) fn flags(&self) -> Flags {
        self.0[7].to_bits() as Flags
    }

    /// The same, beginning here only along the axes given.
    #[inline(always)]
    pub(super) fn within(&self, begins: Flags) -> Self {
        let mut lanes = self.0;
        lanes[7] = f32::from_bits(u32::from(self.flags() & begins));
        Self(lanes)
    }
}

/// A box as its lower sides and its upper ones with their signs turned. All are NaN for a box that is empty, so that it compares with nothing.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(super) struct Turned(pub(super) [f32; 8]);

impl Turned {
    pub(super) const EMPTY: Self = Self([f32::NAN; 8]);

    /// A box in a register; NaN if it is empty.
    #[inline(always)]
    pub(super) fn read<W: Wide>(bounds: &Bounds) -> W {
        let ([a, b, c], [d, e, f]) = (bounds.min, bounds.max);
        // Neighbours in memory, so these are two loads.
        let sides = W::join([a, b, c, d], [c, d, e, f]);
        let sides = sides.permute(W::index(&[0, 1, 2, 2, 5, 6, 7, 7]));
        // Lower sides are compared with upper ones; the other half of the comparison is not asked.
        let upper = sides.permute(W::index(&[4, 5, 6, 7, 0, 1, 2, 3]));
        let full = sides.le(upper).bits() & 0b111 == 0b111;
        let signs = W::load(&[1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0]);
        let used = W::load(&[-1.0, -1.0, -1.0, 0.0, -1.0, -1.0, -1.0, 0.0]).lt(W::splat(-0.5));
        // Infinite sides times one; the lanes that are not used become zero.
        let turned = sides.mul(signs).and(used);
        if full { turned } else { W::splat(f32::NAN) }
    }

    #[inline(always)]
    pub(super) fn bounds(&self) -> Bounds {
        let [a, b, c, _, d, e, f, _] = self.0;
        Bounds { min: [a, b, c], max: [-d, -e, -f] }
    }

    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.0[0].is_nan()
    }

    /// Whether the other lies in this one; never, if one of them is empty.
    #[inline(always)]
    pub(super) fn contains<W: Wide>(&self, other: W) -> bool {
        W::load(&self.0).le(other).bits() == 255
    }

    /// How wide the box is along the first axis.
    #[inline(always)]
    pub(super) fn width(&self) -> f32 {
        -self.0[4] - self.0[0]
    }

    /// The box elsewhere, to rounding.
    #[inline(always)]
    pub(super) fn moved(&self, by: [f32; 3]) -> Self {
        let [a, b, c, _, d, e, f, _] = self.0;
        let [x, y, z] = by;
        Self([a + x, b + y, c + z, 0.0, d - x, e - y, f - z, 0.0])
    }

    /// The box elsewhere, larger by what rounding may hide.
    #[inline(always)]
    pub(super) fn shifted(&self, by: [f32; 3]) -> Self {
        let mut moved = self.moved(by);
        for (k, by) in by.into_iter().enumerate() {
            for n in [k, k + 4] {
                moved.0[n] -= (self.0[n].abs() + by.abs()) * 1e-6;
            }
        }
        moved
    }

    /// Whether the other lies strictly in this one, moved by `by` in single precision.
    #[inline(always)]
    pub(super) fn holds_adrift(&self, other: &Self, by: [f32; 3]) -> bool {
        let moved = self.moved(by);
        [0, 1, 2, 4, 5, 6].into_iter().all(|k| moved.0[k] < other.0[k])
    }

    /// The same with vectors; `by` are the three numbers, zero, the three with their signs turned, zero.
    #[inline(always)]
    pub(super) fn holds_adrift_wide<W: Wide>(&self, other: W, by: W) -> bool {
        const UNUSED: u32 = 0b1000_1000;
        W::load(&self.0).add(by).lt(other).bits() | UNUSED == 255
    }

    /// Whether the box moved to the other by `step`, give or take; not, if one of them is empty.
    #[inline(always)]
    pub(super) fn follows<W: Wide>(&self, other: W, step: W, by: f32) -> bool {
        let off = other.sub(W::load(&self.0)).sub(step).abs();
        off.le(W::splat(by)).bits() == 255
    }

    /// Whether a side is further from the other box's than `by`; not, if one of the boxes is empty.
    #[inline(always)]
    pub(super) fn is_off<W: Wide>(&self, other: W, by: f32) -> bool {
        let change = W::load(&self.0).sub(other).abs();
        W::splat(by).lt(change).bits() != 0
    }
}

/// The other side of the comparison: upper sides, and lower ones with their signs turned.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facing<W>(W);

impl<W: Wide> Facing<W> {
    #[inline(always)]
    pub(super) fn new(turned: &Turned) -> Self {
        let halves = W::index(&[4, 5, 6, 7, 0, 1, 2, 3]);
        Self(W::splat(0.0).sub(W::load(&turned.0).permute(halves)))
    }

    /// Whether the boxes share a point: each lower side is at most the other's upper one.
    #[inline(always)]
    pub(super) fn overlaps(self, other: &Turned) -> bool {
        W::load(&other.0).le(self.0).bits() == 255
    }
}
