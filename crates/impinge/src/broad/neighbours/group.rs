//! Motion that many boxes have in common.
//!
//! Boxes that fall together, or are carried by one conveyor, leave any skin within a frame,
//! although nothing changes between them. They form the *group*: their skins are stored in the
//! *group frame*, coordinates that move along, and the lists of pairs within the group stay valid
//! as if the boxes were at rest. Pairs of a box in the group and a box outside it are searched for
//! in every frame. There is only one group at a time.
//!
//! Let `D` be the offset of the group frame, `f` a side of a skin in it and `t` the same side of
//! the box. In every frame each lower side must satisfy `fl(f + D) < t`, strictly, and each upper
//! side the reverse; otherwise the box has left its skin. If two boxes of the group overlap, then
//! `fl(f + D) < t <= u < fl(g + D)` for a lower side `t` of one and the upper side `u` of the
//! other. Rounding is monotone, so `f < g`: the skins overlap in the group frame, and the pair is
//! in the lists.

use super::escape::{Escape, Motion};
use super::slots::Slots;

/// Members of the group, or boxes that were too fast for a skin, that are sampled in a frame.
const SAMPLES_PER_FRAME: usize = 48;
/// The smallest number of samples that must agree on a step,
const MIN_AGREEING_SAMPLES: usize = 8;
/// and the smallest share of them.
const MIN_AGREEING_SHARE: f32 = 0.6;

/// The motion of the group.
///
/// Which boxes are members is known to [`SkinnedBoxes`](super::boxes::SkinnedBoxes).
#[derive(Clone, Debug, Default)]
pub(super) struct GroupMotion {
    /// The position of the origin of the group frame; always finite.
    offset: [f32; 3],
    /// The translation of the group frame in this frame, if a common motion was found.
    step: Option<[f32; 3]>,
    /// The number of boxes in the group.
    members: usize,
    /// Some items that were too fast for a skin in the last frame: the candidates for a new group.
    fast_items: Vec<u32>,
    /// The motion of the samples of this frame, by axis.
    samples: [Vec<f32>; 3],
    /// Memory for the median.
    sorted: Vec<f32>,
}

impl GroupMotion {
    #[inline(always)]
    pub(super) fn offset(&self) -> [f32; 3] {
        self.offset
    }

    #[inline(always)]
    pub(super) fn step(&self) -> Option<[f32; 3]> {
        self.step
    }

    #[inline(always)]
    pub(super) fn members(&self) -> usize {
        self.members
    }

    /// Whether the group has members and moved in this frame.
    pub(super) fn has_moved(&self) -> bool {
        self.step.is_some() && self.members > 0
    }

    /// No common motion in this frame.
    pub(super) fn stop(&mut self) {
        self.step = None;
    }

    /// Moves the group frame back to the common coordinates. Skins in the group frame must be
    /// assigned again.
    pub(super) fn reset_offset(&mut self) {
        self.offset = [0.0; 3];
    }

    /// Whether there are boxes that a step can be estimated from.
    pub(super) fn has_candidates(&self) -> bool {
        self.members > 0 || !self.fast_items.is_empty()
    }

    /// A box joins or leaves the group, or neither.
    pub(super) fn count_member(&mut self, was_member: bool, is_member: bool) {
        self.members += usize::from(is_member);
        self.members -= usize::from(was_member);
    }

    /// Stores some of the boxes that were too fast.
    pub(super) fn remember_fast(&mut self, escapes: &[Escape], slots: &Slots) {
        self.fast_items.clear();
        let fast = escapes.iter().filter(|escape| escape.motion() == Motion::Fast);
        let step = (escapes.len() / SAMPLES_PER_FRAME).max(1);
        self.fast_items.extend(fast.step_by(step).map(|escape| slots.items()[escape.slot()]));
    }

    /// Estimates the step of this frame from a sample of the members or, if there are none, of the
    /// boxes that were too fast in the last frame, and moves the group frame. `moved` returns how
    /// far the box in a slot moved; `None` if it is or was empty.
    pub(super) fn estimate_step(
        &mut self,
        width: f32,
        in_group: &[bool],
        slots: &Slots,
        moved: impl Fn(usize) -> Option<[f32; 3]>,
    ) {
        self.step = None;
        if !self.has_candidates() {
            return;
        }
        for samples in &mut self.samples {
            samples.clear();
        }
        let mut sample = |slot: usize| {
            if let Some(way) = moved(slot) {
                for (samples, way) in self.samples.iter_mut().zip(way) {
                    samples.push(way);
                }
            }
        };
        if self.members > 0 {
            let step = (in_group.len() / SAMPLES_PER_FRAME).max(1);
            (1..in_group.len()).step_by(step).filter(|slot| in_group[*slot]).for_each(sample);
        } else {
            self.offset = [0.0; 3];
            for item in &self.fast_items {
                sample(slots.of_items()[*item as usize] as usize);
            }
        }
        self.step = self.agreed_step(width);
        if let (Some(step), true) = (self.step, self.members > 0) {
            let offset = [0, 1, 2].map(|k| self.offset[k] + step[k]);
            if offset.iter().all(|x| x.is_finite()) {
                self.offset = offset;
            } else {
                // The group frame stays where it is, and the boxes leave their skins.
                self.step = None;
            }
        }
    }

    /// The median of the samples, if enough of them agree with it and, for a new group, it is more
    /// than the skin allows.
    fn agreed_step(&mut self, width: f32) -> Option<[f32; 3]> {
        let count = self.samples[0].len();
        if count < MIN_AGREEING_SAMPLES {
            return None;
        }
        let step = [0, 1, 2].map(|k| {
            self.sorted.clear();
            self.sorted.extend_from_slice(&self.samples[k]);
            *self.sorted.select_nth_unstable_by(count / 2, f32::total_cmp).1
        });
        let agrees = |n: usize| (0..3).all(|k| (self.samples[k][n] - step[k]).abs() <= width);
        let agreeing = (0..count).filter(|n| agrees(*n)).count();
        let is_common = step.iter().all(|s| s.is_finite())
            && agreeing as f32 >= MIN_AGREEING_SHARE * count as f32
            && agreeing >= MIN_AGREEING_SAMPLES;
        let exceeds_skin_width = self.members > 0 || step.iter().any(|s| s.abs() > width);
        (is_common && exceeds_skin_width).then_some(step)
    }

    /// Checks that the offset is finite, and the number of members against the number of slots in
    /// the group.
    ///
    /// # Panics
    /// If one of these conditions is violated (a bug).
    pub(super) fn validate(&self, in_group: &[bool]) {
        assert!(self.offset.iter().all(|x| x.is_finite()), "{:?}", self.offset);
        assert_eq!(self.members, in_group.iter().filter(|member| **member).count());
    }

    pub(super) fn bytes(&self) -> usize {
        let samples: usize = self.samples.iter().map(Vec::capacity).sum();
        4 * (self.fast_items.capacity() + samples + self.sorted.capacity())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slots(items: usize) -> Slots {
        let mut slots = Slots::default();
        slots.grow(items);
        slots
    }

    /// Items that were too fast found a group if enough of them agree, and only then.
    #[test]
    fn a_group_needs_samples_that_agree() {
        for (agreeing, common) in [(7, false), (8, true), (12, true)] {
            let slots = slots(12);
            let mut group = GroupMotion::default();
            let escapes: Vec<Escape> =
                (1..13).map(|slot| Escape::new(slot, Motion::Fast)).collect();
            group.remember_fast(&escapes, &slots);
            let moved = |slot: usize| match slot <= agreeing {
                true => Some([0.0, 0.0, -5.0 + 0.01 * slot as f32]),
                false => Some([slot as f32, 0.0, 0.0]),
            };
            group.estimate_step(0.2, &[false; 13], &slots, moved);
            assert_eq!(group.step().is_some(), common, "{agreeing}");
            // Steps that a skin allows do not found a group.
            let moved = |_: usize| Some([0.1; 3]);
            group.estimate_step(0.2, &[false; 13], &slots, moved);
            assert_eq!(group.step(), None);
        }
    }

    /// The frame of a group with members moves with them, as long as its offset is finite.
    #[test]
    fn the_group_frame_follows_its_members() {
        let slots = slots(40);
        let mut group = GroupMotion::default();
        let in_group: Vec<bool> = (0..41).map(|slot| slot > 0).collect();
        in_group.iter().for_each(|member| group.count_member(false, *member));
        for (step, offset) in [(0.01, 0.01), (1e38, 1e38), (3e38, 1e38), (-1e38, 0.0)] {
            group.estimate_step(0.2, &in_group, &slots, |_| Some([step, 0.0, 0.0]));
            assert_eq!((group.offset(), group.has_moved()), ([offset, 0.0, 0.0], step != 3e38));
            group.validate(&in_group);
        }
        group.estimate_step(0.2, &in_group, &slots, |_| None);
        assert!(!group.has_moved());
    }
}
