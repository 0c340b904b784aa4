//! How wide the skins are.

use super::NeighbourStats;
use super::record::Turned;

/// The first skin, in mean sides.
const FIRST: f32 = 0.2;
/// The narrowest and the widest, in mean sides.
const RANGE: [f32; 2] = [0.02, 0.6];
/// Boxes are measured after so many adaptations.
const MEASURE: u32 = 8;
/// A box of so many mean sides is large.
const LARGE: f32 = 12.0;
/// The width is adapted after so many frames.
const FRAMES: u32 = 8;
/// A box that leaves its skin costs as much as this many comparisons.
const ESCAPE: f64 = 150.0;

/// The width of the skins, and what it depends on.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Skin {
    pub(super) width: f32,
    mean_side: f32,
    /// Since the width was adapted last; boxes that a wider skin would have kept.
    frames: u32,
    pub(super) escaped: usize,
    compared: usize,
    /// Adaptations until boxes are measured again.
    until_measured: u32,
    /// Where purging goes on.
    purge: usize,
}

impl Skin {
    /// A box with its skin; empty if the box is.
    #[inline(always)]
    pub(super) fn around(&self, tight: &Turned) -> Turned {
        let [a, b, c, _, d, e, f, _] = tight.0;
        let w = self.width;
        Turned::new([a - w, b - w, c - w], [d - w, e - w, f - w])
    }

    /// Learns how large boxes are.
    pub(super) fn measure(&mut self, boxes: &[Turned]) {
        let (mut sum, mut count) = (0.0_f64, 0_u32);
        for turned in boxes.iter().filter(|turned| !turned.is_empty()) {
            let longest = (0..3).fold(0.0_f32, |most, k| most.max(-turned.0[k + 4] - turned.0[k]));
            if longest < 1e30 {
                sum += f64::from(longest);
                count += 1;
            }
        }
        self.mean_side = (sum / f64::from(count.max(1))) as f32;
        self.until_measured = MEASURE;
        if self.width == 0.0 {
            self.width = FIRST * self.mean_side;
        }
        self.limit();
    }

    /// Whether a slot has a box much larger than others.
    pub(super) fn is_large<'a>(&self, boxes: &'a [Turned]) -> impl Fn(u32) -> bool + use<'a> {
        let limit = LARGE * self.mean_side;
        move |slot| {
            let sides = &boxes[slot as usize].0;
            (0..3).any(|k| -sides[k + 4] - sides[k] > limit)
        }
    }

    fn limit(&mut self) {
        let [narrow, wide] = RANGE.map(|r| r * self.mean_side);
        self.width = self.width.clamp(narrow, wide);
    }

    /// Makes the skin wider or narrower, towards the width at which a little more would save as
    /// much on boxes that leave theirs as it costs in comparisons.
    ///
    /// Of boxes that wander at random the number that leave is as one to the square of the width
    /// `w`; pairs of boxes with mean side `m` are as the cube of `2 m + 4 w`.
    pub(super) fn adapt(&mut self, stats: &NeighbourStats, boxes: &[Turned]) {
        if stats.fresh {
            (self.frames, self.escaped, self.compared) = (0, 0, 0);
            return;
        }
        self.frames += 1;
        self.compared += stats.compared;
        if self.frames < FRAMES || self.escaped + self.compared < 64 {
            return;
        }
        let (w, m) = (f64::from(self.width), f64::from(self.mean_side));
        let saved = ESCAPE * self.escaped as f64 * 2.0 * (2.0 * m + 4.0 * w);
        let spent = self.compared as f64 * 12.0 * w;
        let factor = (saved / spent).powf(0.25).clamp(0.8, 1.25);
        if factor.is_finite() {
            self.width *= factor as f32;
        }
        self.limit();
        (self.frames, self.escaped, self.compared) = (0, 0, 0);
        // Boxes come and go.
        if self.until_measured == 0 {
            self.measure(boxes);
        }
        self.until_measured -= 1;
    }

    /// The slot that is purged next.
    pub(super) fn next_to_purge(&mut self, slots: usize) -> usize {
        self.purge = if self.purge + 1 < slots { self.purge + 1 } else { 0 };
        self.purge
    }
}
