//! The width of the skins.

use super::NeighbourStats;
use super::packed_box::PackedBox;

/// The first width, in mean sides of the boxes.
const INITIAL_WIDTH: f32 = 0.2;
/// The smallest and the largest width, in mean sides.
const WIDTH_RANGE: [f32; 2] = [0.02, 0.6];
/// Frames between two adaptations of the width.
const FRAMES_PER_ADAPTATION: u32 = 8;
/// Adaptations between two measurements of the boxes.
const ADAPTATIONS_PER_MEASUREMENT: u32 = 8;
/// Escapes and comparisons below which the width is not adapted.
const MIN_EVENTS_TO_ADAPT: usize = 64;
/// A box with a longer side than this is large; in mean sides.
const LARGE_SIDE: f32 = 12.0;
/// Boxes with a side of this length or more do not count for the mean.
const UNBOUNDED_SIDE: f32 = 1e30;
/// The cost of a box that leaves its skin, in comparisons of two boxes.
const COMPARISONS_PER_ESCAPE: f64 = 150.0;

/// The width of the skins, and the measurements that it is derived from.
///
/// Invariant, which [`SkinWidth::validate`] checks: the width is finite, and within
/// [`WIDTH_RANGE`].
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SkinWidth {
    width: f32,
    mean_side: f32,
    /// Frames since the last adaptation.
    frames: u32,
    /// Since the last adaptation: escapes that a wider skin would have avoided.
    avoidable_escapes: usize,
    /// Since the last adaptation: pairs that were compared.
    compared: usize,
    /// Adaptations until the boxes are measured again.
    until_measured: u32,
}

impl SkinWidth {
    #[inline(always)]
    pub(super) fn get(&self) -> f32 {
        self.width
    }

    /// A box with its skin; empty if the box is.
    #[inline(always)]
    pub(super) fn grow(&self, tight: &PackedBox) -> PackedBox {
        let [a, b, c, _, d, e, f, _] = tight.0;
        let w = self.width;
        PackedBox::new([a - w, b - w, c - w], [d - w, e - w, f - w])
    }

    /// Measures the boxes.
    pub(super) fn measure(&mut self, boxes: &[PackedBox]) {
        let (mut sum, mut count) = (0.0_f64, 0_u32);
        for packed in boxes.iter().filter(|packed| !packed.is_empty()) {
            let longest = (0..3).fold(0.0_f32, |most, k| most.max(-packed.0[k + 4] - packed.0[k]));
            if longest < UNBOUNDED_SIDE {
                sum += f64::from(longest);
                count += 1;
            }
        }
        self.mean_side = (sum / f64::from(count.max(1))) as f32;
        self.until_measured = ADAPTATIONS_PER_MEASUREMENT;
        if self.width == 0.0 {
            self.width = INITIAL_WIDTH * self.mean_side;
        }
        self.clamp();
    }

    /// Whether a slot holds a box much larger than the others.
    pub(super) fn is_large<'a>(&self, boxes: &'a [PackedBox]) -> impl Fn(u32) -> bool + use<'a> {
        let limit = LARGE_SIDE * self.mean_side;
        move |slot| {
            let sides = &boxes[slot as usize].0;
            (0..3).any(|k| -sides[k + 4] - sides[k] > limit)
        }
    }

    fn clamp(&mut self) {
        let [least, most] = WIDTH_RANGE.map(|r| r * self.mean_side);
        self.width = self.width.clamp(least, most);
    }

    /// Counts an escape that a wider skin would have avoided.
    pub(super) fn count_avoidable_escape(&mut self, is_avoidable: bool) {
        self.avoidable_escapes += usize::from(is_avoidable);
    }

    /// Changes the width towards the optimum, at which the derivative of the cost of escapes is
    /// minus that of the cost of comparisons.
    ///
    /// If boxes move in random walks, the number of escapes is proportional to one over the square
    /// of the width `w`; the number of pairs of boxes with mean side `m` is proportional to the
    /// cube of `2 m + 4 w`.
    pub(super) fn adapt(&mut self, stats: &NeighbourStats, boxes: &[PackedBox]) {
        if stats.rebuilt {
            (self.frames, self.avoidable_escapes, self.compared) = (0, 0, 0);
            return;
        }
        self.frames += 1;
        self.compared += stats.compared;
        if self.frames < FRAMES_PER_ADAPTATION
            || self.avoidable_escapes + self.compared < MIN_EVENTS_TO_ADAPT
        {
            return;
        }
        let (w, m) = (f64::from(self.width), f64::from(self.mean_side));
        let saved =
            COMPARISONS_PER_ESCAPE * self.avoidable_escapes as f64 * 2.0 * (2.0 * m + 4.0 * w);
        let spent = self.compared as f64 * 12.0 * w;
        let factor = (saved / spent).powf(0.25).clamp(0.8, 1.25);
        if factor.is_finite() {
            self.width *= factor as f32;
        }
        self.clamp();
        (self.frames, self.avoidable_escapes, self.compared) = (0, 0, 0);
        // Boxes are added and removed, so the mean side changes.
        if self.until_measured == 0 {
            self.measure(boxes);
        }
        self.until_measured -= 1;
    }

    /// Checks the invariant.
    ///
    /// # Panics
    /// If it is violated (a bug).
    pub(super) fn validate(&self) {
        let [least, most] = WIDTH_RANGE.map(|r| r * self.mean_side);
        assert!(self.width.is_finite() && (least..=most).contains(&self.width), "{self:?}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn adapted(escapes: usize, compared: usize) -> SkinWidth {
        let mut skin = SkinWidth::default();
        let cube = |side: f32| PackedBox::new([0.0; 3], [-side; 3]);
        // The infinite box is not measured.
        let boxes = [PackedBox::EMPTY, cube(1.0), cube(3.0), cube(f32::INFINITY)];
        skin.measure(&boxes);
        assert_eq!((skin.mean_side, skin.get()), (2.0, 0.4));
        assert_eq!([0, 1, 2, 3].map(skin.is_large(&boxes)), [false, false, false, true]);
        for _ in 0..200 {
            (0..escapes).for_each(|_| skin.count_avoidable_escape(true));
            skin.adapt(&NeighbourStats { compared, ..NeighbourStats::default() }, &boxes);
            skin.validate();
        }
        skin
    }

    #[test]
    fn escapes_make_the_skin_wider_and_comparisons_make_it_narrower() {
        assert_eq!(adapted(1000, 1).get(), 1.2);
        assert_eq!(adapted(0, 1000).get(), 0.04);
        // With too few events it stays.
        assert_eq!(adapted(0, 0).get(), 0.4);
        let balanced = adapted(10, 4000).get();
        assert!(balanced > 0.1 && balanced < 1.0, "{balanced}");
    }
}
