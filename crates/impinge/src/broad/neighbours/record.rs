//! Boxes as the search for all pairs sorts them.

use super::packed_box::PackedBox;
use crate::wide::Wide;

/// A bit for each axis along which a box starts in a block or column.
pub(super) type StartBits = u8;

/// A box as it is entered into a block: the lower sides, the item in lane 3, the upper sides, and
/// in lane 7 the axes along which the box starts in the block. The two integers are stored as the
/// bits of floats in lanes that are not used as floats.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(super) struct Record(pub(super) [f32; 8]);

impl Record {
    pub(super) const BLANK: Self = Self([0.0; 8]);

    #[inline(always)]
    pub(super) fn write<W: Wide>(packed: &PackedBox, item: u32, to: &mut Self) {
        let signs = W::load(&[1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0]);
        W::load(&packed.0).mul(signs).store(&mut to.0);
        to.0[3] = f32::from_bits(item);
        to.0[7] = f32::from_bits(0b111);
    }

    #[inline(always)]
    pub(super) fn item(&self) -> u32 {
        self.0[3].to_bits()
    }

    #[inline(always)]
    pub(super) fn starts(&self) -> StartBits {
        self.0[7].to_bits() as StartBits
    }

    /// The same box, which starts here only along those of its axes that are also in `starts`.
    #[inline(always)]
    pub(super) fn with_starts(&self, starts: StartBits) -> Self {
        let mut lanes = self.0;
        lanes[7] = f32::from_bits(u32::from(self.starts() & starts));
        Self(lanes)
    }
}
