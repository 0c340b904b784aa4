//! Boxes as they are compared: eight numbers, one comparison.

use crate::broad::Bounds;
use crate::wide::Wide;

/// Along which axes something begins here.
pub(super) type Flags = u8;

/// A box on its way into a block: the lower sides, the item, the upper sides, and along which axes
/// the box begins in the block. The two numbers lie in the lanes of floats that are not used as
/// such.
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

/// A box as its lower sides and its upper ones with their signs turned. All are NaN for a box that
/// is empty, so that it compares with nothing.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(super) struct Turned(pub(super) [f32; 8]);

impl Turned {
    pub(super) const EMPTY: Self = Self([f32::NAN; 8]);

    /// A box of its lower sides, and of its upper ones with their signs turned.
    #[inline(always)]
    pub(super) fn new([a, b, c]: [f32; 3], [d, e, f]: [f32; 3]) -> Self {
        Self([a, b, c, 0.0, d, e, f, 0.0])
    }

    /// A box in a register, as it is, also if it is empty.
    #[inline(always)]
    pub(super) fn read<W: Wide>(bounds: &Bounds) -> W {
        let signs = W::load(&[1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0]);
        W::join(&bounds.min, &bounds.max).mul(signs)
    }

    /// A mask that is set in all lanes if the box in a register is not empty.
    #[inline(always)]
    pub(super) fn is_full<W: Wide>(turned: W) -> W {
        let halves = W::index(&[4, 5, 6, 7, 0, 1, 2, 3]);
        turned.permute(halves).le(W::splat(0.0).sub(turned))
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

    /// A mask that is set in all lanes if the other lies in this one; never, if one of them is
    /// empty.
    #[inline(always)]
    pub(super) fn contains<W: Wide>(&self, other: W) -> W {
        W::load(&self.0).le(other)
    }

    /// Whether the boxes share a point: each lower side is at most the other's upper one.
    #[inline(always)]
    pub(super) fn overlaps<W: Wide>(&self, other: &Self) -> bool {
        self.faces::<W>(other).bits() == 255
    }

    /// The same as a mask that is set in all lanes if so.
    #[inline(always)]
    fn faces<W: Wide>(&self, other: &Self) -> W {
        let halves = W::index(&[4, 5, 6, 7, 0, 1, 2, 3]);
        W::load(&self.0).permute(halves).le(W::splat(0.0).sub(W::load(&other.0)))
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
        Self::new([a + x, b + y, c + z], [d - x, e - y, f - z])
    }

    /// The box elsewhere, larger by what rounding may hide. The way must be finite.
    ///
    /// What is subtracted from a side is finite even for an infinite side: infinity minus infinity
    /// would be NaN, which overlaps nothing.
    #[inline(always)]
    pub(super) fn shifted(&self, by: [f32; 3]) -> Self {
        let moved = self.moved(by).0;
        let grown =
            |n: usize| moved[n] - (self.0[n].abs().min(f32::MAX) * 1e-6 + by[n % 4].abs() * 1e-6);
        Self::new([grown(0), grown(1), grown(2)], [grown(4), grown(5), grown(6)])
    }

    /// Whether the other lies strictly in this one, moved by `by` in single precision.
    #[inline(always)]
    pub(super) fn holds_adrift(&self, other: &Self, by: [f32; 3]) -> bool {
        let moved = self.moved(by);
        [0, 1, 2, 4, 5, 6].into_iter().all(|k| moved.0[k] < other.0[k])
    }

    /// The same with vectors, as a mask that is set in all lanes if so; the lanes of `by` that are
    /// not used are less than zero.
    #[inline(always)]
    pub(super) fn holds_adrift_wide<W: Wide>(&self, other: W, by: W) -> W {
        W::load(&self.0).add(by).lt(other)
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

/// A bit for each of eight pairs of boxes that share a point.
#[inline(always)]
pub(super) fn overlapping<W: Wide>(low: &[&Turned; 8], high: &[&Turned; 8]) -> u32 {
    let four = W::full([
        low[0].faces::<W>(high[0]),
        low[1].faces::<W>(high[1]),
        low[2].faces::<W>(high[2]),
        low[3].faces::<W>(high[3]),
    ]);
    let more = W::full([
        low[4].faces::<W>(high[4]),
        low[5].faces::<W>(high[5]),
        low[6].faces::<W>(high[6]),
        low[7].faces::<W>(high[7]),
    ]);
    four | more << 4
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wide::dispatch::{self, Task};

    /// A shifted box holds the box that was moved, also where single precision overflows.
    #[test]
    fn a_shifted_box_is_never_lost() {
        let ends = [f32::NEG_INFINITY, f32::MIN, -3e38, -1e-45, 0.0, 1e-45, 3e38, f32::MAX];
        let ends: Vec<f32> = ends.into_iter().chain([f32::INFINITY]).collect();
        for low in &ends {
            for high in ends.iter().filter(|high| low <= high) {
                for way in [f32::MIN, -2e38, -1e-45, 0.0, 1.0, 2e38, f32::MAX] {
                    let shifted = Turned::new([*low; 3], [-high; 3]).shifted([way; 3]).bounds();
                    let moved = Bounds { min: [low + way; 3], max: [high + way; 3] };
                    assert!(!shifted.is_empty(), "{low} {high} {way}");
                    assert!(shifted.contains(&moved), "{low} {high} {way}: {shifted:?}");
                }
            }
        }
    }

    struct Adrift(Turned, Turned, [f32; 8]);

    impl Task for Adrift {
        type Output = bool;

        #[inline(always)]
        fn run<W: Wide>(self) -> bool {
            self.0.holds_adrift_wide(W::load(&self.1.0), W::load(&self.2)).bits() == 255
        }
    }

    /// Both forms of the test that keeps boxes adrift agree, NaN and infinities included.
    #[test]
    fn adrift_by_lanes_is_adrift_by_vectors() {
        let sides = [f32::NEG_INFINITY, -3e38, -1.0, -1e-45, 0.0, 1.0, 3e38, f32::INFINITY];
        let (mut yes, mut no) = (0, 0);
        for a in sides {
            for b in sides {
                for way in [f32::MIN, -2.0, 0.0, 2.0, 3e38] {
                    let fat = Turned::new([a, -1e38, -1e38], [-3e38, -1e38, -1e38]);
                    let tight = Turned::new([b, 0.0, 0.0], [-4.0, -2.0, -3.0]);
                    let by = [way, -way, 0.0, -1.0, -way, way, 0.0, -1.0];
                    let one = fat.holds_adrift(&tight, [way, -way, 0.0]);
                    assert_eq!(dispatch::run(Adrift(fat, tight, by)), one, "{a} {b} {way}");
                    if one { yes += 1 } else { no += 1 }
                }
            }
        }
        assert!(yes > 20 && no > 20, "{yes} {no}");
    }
}
