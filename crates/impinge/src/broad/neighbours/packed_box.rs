//! Boxes as they are compared: eight numbers, one vector comparison.

use crate::broad::BoxF32;
use crate::wide::Wide;

/// A box as its lower sides and its negated upper sides; lanes 3 and 7 are not used. All lanes of
/// an empty box are NaN, so that no comparison with it holds.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(super) struct PackedBox(pub(super) [f32; 8]);

impl PackedBox {
    pub(super) const EMPTY: Self = Self([f32::NAN; 8]);

    /// From the lower sides and the negated upper sides.
    #[inline(always)]
    pub(super) fn new([a, b, c]: [f32; 3], [d, e, f]: [f32; 3]) -> Self {
        Self([a, b, c, 0.0, d, e, f, 0.0])
    }

    /// Loads a box into a register without a test for emptiness.
    #[inline(always)]
    pub(super) fn load_bounds<W: Wide>(bounds: &BoxF32) -> W {
        let signs = W::load(&[1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0]);
        W::from_halves(&bounds.min, &bounds.max).mul(signs)
    }

    /// A mask that is set in all lanes if the box in the register is not empty.
    #[inline(always)]
    pub(super) fn non_empty_mask<W: Wide>(packed: W) -> W {
        let swap_halves = W::index(&[4, 5, 6, 7, 0, 1, 2, 3]);
        packed.permute(swap_halves).le(W::splat(0.0).sub(packed))
    }

    #[inline(always)]
    pub(super) fn bounds(&self) -> BoxF32 {
        let [a, b, c, _, d, e, f, _] = self.0;
        BoxF32 { min: [a, b, c], max: [-d, -e, -f] }
    }

    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.0[0].is_nan()
    }

    /// A mask that is set in all lanes if this box contains the other; not set if one of them is
    /// empty.
    #[inline(always)]
    pub(super) fn contains_mask<W: Wide>(&self, other: W) -> W {
        W::load(&self.0).le(other)
    }

    /// Whether the closed boxes share a point: no lower side exceeds the other's upper side.
    #[inline(always)]
    pub(super) fn overlaps<W: Wide>(&self, other: &Self) -> bool {
        self.overlap_mask::<W>(other).bits() == 255
    }

    /// The same as a mask that is set in all lanes if so.
    #[inline(always)]
    fn overlap_mask<W: Wide>(&self, other: &Self) -> W {
        let swap_halves = W::index(&[4, 5, 6, 7, 0, 1, 2, 3]);
        W::load(&self.0).permute(swap_halves).le(W::splat(0.0).sub(W::load(&other.0)))
    }

    /// The length along the first axis.
    #[inline(always)]
    pub(super) fn length_x(&self) -> f32 {
        -self.0[4] - self.0[0]
    }

    /// The box translated by `by`, rounded to nearest.
    #[inline(always)]
    pub(super) fn translated(&self, by: [f32; 3]) -> Self {
        let [a, b, c, _, d, e, f, _] = self.0;
        let [x, y, z] = by;
        Self::new([a + x, b + y, c + z], [d - x, e - y, f - z])
    }

    /// The box translated by `by`, which is finite, and enlarged by more than rounding may hide.
    ///
    /// The enlargement is finite even for an infinite side: infinity minus infinity would be NaN,
    /// which overlaps nothing.
    #[inline(always)]
    pub(super) fn translated_outward(&self, by: [f32; 3]) -> Self {
        let moved = self.translated(by).0;
        let grown =
            |n: usize| moved[n] - (self.0[n].abs().min(f32::MAX) * 1e-6 + by[n % 4].abs() * 1e-6);
        Self::new([grown(0), grown(1), grown(2)], [grown(4), grown(5), grown(6)])
    }

    /// Whether this box, translated by `by` in single precision, contains the other one strictly.
    #[inline(always)]
    pub(super) fn contains_when_translated(&self, other: &Self, by: [f32; 3]) -> bool {
        let moved = self.translated(by);
        [0, 1, 2, 4, 5, 6].into_iter().all(|k| moved.0[k] < other.0[k])
    }

    /// The same as a mask that is set in all lanes if so. The lanes of `by` that are not used must
    /// be negative.
    #[inline(always)]
    pub(super) fn contains_when_translated_mask<W: Wide>(&self, other: W, by: W) -> W {
        W::load(&self.0).add(by).lt(other)
    }

    /// Whether every side of the box moved to that of `other` by `step`, up to `tolerance`; false
    /// if one of the boxes is empty.
    #[inline(always)]
    pub(super) fn has_moved_by<W: Wide>(&self, other: W, step: W, tolerance: f32) -> bool {
        let off = other.sub(W::load(&self.0)).sub(step).abs();
        off.le(W::splat(tolerance)).bits() == 255
    }

    /// Whether some side of `other` is further than `limit` from that of this box; false if one of
    /// the boxes is empty.
    #[inline(always)]
    pub(super) fn has_moved_further<W: Wide>(&self, other: W, limit: f32) -> bool {
        let change = W::load(&self.0).sub(other).abs();
        W::splat(limit).lt(change).bits() != 0
    }
}

/// For each of eight pairs of boxes, a bit that is set if the two share a point.
#[inline(always)]
pub(super) fn overlap_bits<W: Wide>(low: &[&PackedBox; 8], high: &[&PackedBox; 8]) -> u32 {
    let first_four = W::full_bits([
        low[0].overlap_mask::<W>(high[0]),
        low[1].overlap_mask::<W>(high[1]),
        low[2].overlap_mask::<W>(high[2]),
        low[3].overlap_mask::<W>(high[3]),
    ]);
    let last_four = W::full_bits([
        low[4].overlap_mask::<W>(high[4]),
        low[5].overlap_mask::<W>(high[5]),
        low[6].overlap_mask::<W>(high[6]),
        low[7].overlap_mask::<W>(high[7]),
    ]);
    first_four | last_four << 4
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wide::dispatch::{self, Task};

    /// A box translated outward contains the translated box, also where single precision
    /// overflows.
    #[test]
    fn outward_translation_contains_the_translated_box() {
        let ends = [f32::NEG_INFINITY, f32::MIN, -3e38, -1e-45, 0.0, 1e-45, 3e38, f32::MAX];
        let ends: Vec<f32> = ends.into_iter().chain([f32::INFINITY]).collect();
        for low in &ends {
            for high in ends.iter().filter(|high| low <= high) {
                for by in [f32::MIN, -2e38, -1e-45, 0.0, 1.0, 2e38, f32::MAX] {
                    let packed = PackedBox::new([*low; 3], [-high; 3]);
                    let outward = packed.translated_outward([by; 3]).bounds();
                    let exact = BoxF32 { min: [low + by; 3], max: [high + by; 3] };
                    assert!(!outward.is_empty(), "{low} {high} {by}");
                    assert!(outward.contains(&exact), "{low} {high} {by}: {outward:?}");
                }
            }
        }
    }

    struct ContainsWhenTranslated(PackedBox, PackedBox, [f32; 8]);

    impl Task for ContainsWhenTranslated {
        type Output = bool;

        #[inline(always)]
        fn run<W: Wide>(self) -> bool {
            let (other, by) = (W::load(&self.1.0), W::load(&self.2));
            self.0.contains_when_translated_mask(other, by).bits() == 255
        }
    }

    /// The scalar and the vector form of the containment test of group members agree, NaN and
    /// infinities included.
    #[test]
    fn translated_containment_is_the_same_by_scalars_and_by_vectors() {
        let sides = [f32::NEG_INFINITY, -3e38, -1.0, -1e-45, 0.0, 1.0, 3e38, f32::INFINITY];
        let (mut yes, mut no) = (0, 0);
        for a in sides {
            for b in sides {
                for way in [f32::MIN, -2.0, 0.0, 2.0, 3e38] {
                    let skin = PackedBox::new([a, -1e38, -1e38], [-3e38, -1e38, -1e38]);
                    let inner = PackedBox::new([b, 0.0, 0.0], [-4.0, -2.0, -3.0]);
                    let by = [way, -way, 0.0, -1.0, -way, way, 0.0, -1.0];
                    let scalar = skin.contains_when_translated(&inner, [way, -way, 0.0]);
                    let vector = dispatch::run(ContainsWhenTranslated(skin, inner, by));
                    assert_eq!(vector, scalar, "{a} {b} {way}");
                    if scalar { yes += 1 } else { no += 1 }
                }
            }
        }
        assert!(yes > 20 && no > 20, "{yes} {no}");
    }
}
