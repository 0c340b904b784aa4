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

    #[inline(always)]
    pub(super) fn set<W: Wide>(&mut self, bounds: &Bounds) {
        let ([a, b, c], [d, e, f]) = (bounds.min, bounds.max);
        // Neighbours in memory, so these are two loads.
        let sides = W::join([a, b, c, d], [c, d, e, f]);
        let order = W::index(&[0, 1, 2, 2, 5, 6, 7, 7]);
        let signs = W::load(&[1.0, 1.0, 1.0, 0.0, -1.0, -1.0, -1.0, 0.0]);
        let sides = sides.permute(order);
        let halves = W::index(&[4, 5, 6, 7, 0, 1, 2, 3]);
        // Lower sides are compared with upper ones; the other half of the comparison is not asked.
        let full = sides.le(sides.permute(halves)).bits() & 0b111 == 0b111;
        let unused = signs.mul(signs).lt(W::splat(0.5));
        let turned = unused.select(W::splat(0.0), sides.mul(signs));
        let empty = W::splat(f32::NAN);
        (if full { turned } else { empty }).store(&mut self.0);
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
    pub(super) fn contains<W: Wide>(&self, other: &Self) -> bool {
        W::load(&self.0).le(W::load(&other.0)).bits() == 255
    }

    /// The largest difference of two sides; NaN if one of the boxes is empty.
    #[inline(always)]
    pub(super) fn change(&self, other: &Self) -> f32 {
        let mut most = 0.0_f32;
        for k in [0, 1, 2, 4, 5, 6] {
            let d = (self.0[k] - other.0[k]).abs();
            if !(d <= most) {
                most = d;
            }
        }
        most
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
