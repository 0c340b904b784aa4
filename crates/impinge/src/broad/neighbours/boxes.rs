//! The boxes and their skins, by slots.

use super::NeighbourStats;
use super::escape::{Escape, Motion};
use super::group::GroupMotion;
use super::packed_box::PackedBox;
use super::skin_width::SkinWidth;
use super::slots::{Slots, reorder};
use crate::broad::FrameInput;

/// The boxes of the last frame, and the skin around each box.
///
/// Invariants, which [`SkinnedBoxes::validate`] checks and which hold between frames: slot zero is
/// empty; a skin is empty if its box is; otherwise the skin contains the box, strictly and moved by
/// the offset of the group frame if the box is in the group.
#[derive(Clone, Debug, Default)]
pub(super) struct SkinnedBoxes {
    tight: Vec<PackedBox>,
    skins: Vec<PackedBox>,
    /// Whether a box is in the group: its skin is in the group frame.
    in_group: Vec<bool>,
    group: GroupMotion,
    width: SkinWidth,
    /// Memory for [`SkinnedBoxes::reorder`].
    spare: (Vec<PackedBox>, Vec<bool>),
}

/// All boxes for reading a frame: the boxes are replaced, the skins are compared with.
pub(super) struct BoxesMut<'a> {
    pub(super) tight: &'a mut [PackedBox],
    pub(super) skins: &'a [PackedBox],
    pub(super) in_group: &'a [bool],
}

impl SkinnedBoxes {
    /// The boxes themselves.
    #[inline(always)]
    pub(super) fn tight(&self) -> &[PackedBox] {
        &self.tight
    }

    /// The boxes with their skins; those of the group are in the group frame.
    #[inline(always)]
    pub(super) fn skins(&self) -> &[PackedBox] {
        &self.skins
    }

    #[inline(always)]
    pub(super) fn is_in_group(&self, slot: usize) -> bool {
        self.in_group[slot]
    }

    #[inline(always)]
    pub(super) fn group(&self) -> &GroupMotion {
        &self.group
    }

    #[inline(always)]
    pub(super) fn width(&self) -> &SkinWidth {
        &self.width
    }

    /// The box with its skin in the common coordinates, enlarged by a bound of the rounding.
    #[inline(always)]
    pub(super) fn skin_at(&self, slot: usize) -> PackedBox {
        if self.in_group[slot] {
            self.skins[slot].translated_outward(self.group.offset())
        } else {
            self.skins[slot]
        }
    }

    /// Adds empty boxes at the end for new slots.
    pub(super) fn grow(&mut self, slots: usize) {
        if self.tight.len() < slots {
            self.tight.resize(slots, PackedBox::EMPTY);
            self.skins.resize(slots, PackedBox::EMPTY);
            self.in_group.resize(slots, false);
        }
    }

    pub(super) fn for_reading(&mut self) -> BoxesMut<'_> {
        BoxesMut { tight: &mut self.tight, skins: &self.skins, in_group: &self.in_group }
    }

    /// Estimates the motion of the group in this frame.
    pub(super) fn estimate_group_step(&mut self, frame: &FrameInput<'_>, slots: &Slots) {
        let Self { tight, in_group, group, width, .. } = self;
        group.estimate_step(width.get(), in_group, slots, |slot| {
            let (old, new) = (&tight[slot], frame.of(slots.items()[slot]));
            let is_comparable = !old.is_empty() && !new.is_empty();
            is_comparable.then(|| [0, 1, 2].map(|k| new.min[k] - old.0[k]))
        });
    }

    /// Records that the group does not move in this frame.
    pub(super) fn stop_group(&mut self) {
        self.group.stop();
    }

    /// Stores some of the boxes that were too fast, as candidates for a group.
    pub(super) fn remember_fast(&mut self, escapes: &[Escape], slots: &Slots) {
        self.group.remember_fast(escapes, slots);
    }

    /// Assigns new skins to the boxes that left theirs. `old_skins` becomes the list of the skins
    /// that they had; empty if the box was or is in the group.
    pub(super) fn renew_skins(&mut self, escapes: &[Escape], old_skins: &mut Vec<PackedBox>) {
        old_skins.clear();
        for escape in escapes {
            let slot = escape.slot();
            let (was_in_group, old) = (self.in_group[slot], self.skins[slot]);
            self.assign_skin(slot, escape.motion());
            let is_comparable = !was_in_group && !self.in_group[slot];
            old_skins.push(if is_comparable { old } else { PackedBox::EMPTY });
        }
    }

    /// Assigns new skins to all boxes, also to those that did not leave theirs; boxes that are too
    /// fast for a skin get none. The group frame starts in the common coordinates again.
    pub(super) fn renew_all_skins(&mut self, escapes: &[Escape]) {
        self.width.measure(&self.tight);
        self.group.reset_offset();
        for (skin, tight) in self.skins.iter_mut().zip(&self.tight) {
            *skin = self.width.grow(tight);
        }
        if self.group.members() > 0 {
            for slot in 0..self.skins.len() {
                if self.in_group[slot] {
                    self.assign_skin(slot, Motion::WithGroup);
                }
            }
        }
        for escape in escapes {
            let slot = escape.slot();
            match escape.motion() {
                Motion::Fast if !self.in_group[slot] => self.skins[slot] = self.tight[slot],
                motion => self.assign_skin(slot, motion),
            }
        }
    }

    /// Assigns a skin to a box according to its motion, and decides whether it is in the group.
    fn assign_skin(&mut self, slot: usize, motion: Motion) {
        let tight = &self.tight[slot];
        let was_in_group = self.in_group[slot];
        // A wider skin would have avoided the escape if the box had one and its motion is the same
        // as before.
        let had_skin = self.skins[slot].length_x() > tight.length_x() + 0.5 * self.width.get();
        let same_motion = motion == if was_in_group { Motion::WithGroup } else { Motion::Slow };
        self.width.count_avoidable_escape(had_skin && same_motion);
        let mut is_in_group = false;
        self.skins[slot] = match motion {
            Motion::Slow => self.width.grow(tight),
            Motion::Fast => *tight,
            Motion::WithGroup => {
                let offset = self.group.offset();
                let skin = self.width.grow(&tight.translated(offset.map(|o| -o)));
                is_in_group = skin.contains_when_translated(tight, offset);
                if is_in_group { skin } else { *tight }
            }
        };
        self.in_group[slot] = is_in_group;
        self.group.count_member(was_in_group, is_in_group);
    }

    /// Adapts the width of skins that are assigned from now on.
    pub(super) fn adapt_width(&mut self, stats: &NeighbourStats) {
        self.width.adapt(stats, &self.tight);
    }

    /// Moves the boxes: slot `n` gets that of slot `order[n]`.
    pub(super) fn reorder(&mut self, order: &[u32]) {
        let (boxes, flags) = &mut self.spare;
        reorder(&mut self.tight, order, boxes);
        reorder(&mut self.skins, order, boxes);
        reorder(&mut self.in_group, order, flags);
    }

    /// Checks the invariants.
    ///
    /// # Panics
    /// If one of them is violated (a bug).
    pub(super) fn validate(&self) {
        let Self { tight, skins, in_group, group, .. } = self;
        assert_eq!([skins.len(), in_group.len()], [tight.len(); 2]);
        assert!(tight.first().is_none_or(PackedBox::is_empty));
        self.group.validate(in_group);
        if self.width.get() > 0.0 {
            self.width.validate();
        }
        for (slot, (tight, skin)) in tight.iter().zip(skins).enumerate() {
            let is_held = match (tight.is_empty(), in_group[slot]) {
                (true, member) => skin.is_empty() && !member,
                (false, true) => skin.contains_when_translated(tight, group.offset()),
                (false, false) => (0..8).all(|k| k % 4 == 3 || skin.0[k] <= tight.0[k]),
            };
            assert!(is_held, "slot {slot}: {tight:?} is not in its skin {skin:?}");
        }
    }

    pub(super) fn bytes(&self) -> usize {
        let (boxes, flags) = &self.spare;
        size_of::<PackedBox>() * (self.tight.capacity() + self.skins.capacity() + boxes.capacity())
            + self.in_group.capacity()
            + flags.capacity()
            + self.group.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broad::{BoxF32, Moved};

    fn unit_boxes(count: usize) -> SkinnedBoxes {
        let mut boxes = SkinnedBoxes::default();
        boxes.grow(count + 1);
        for slot in 1..=count {
            let x = 4.0 * slot as f32;
            boxes.tight[slot] = PackedBox::new([x, 0.0, 0.0], [-x - 1.0, -1.0, -1.0]);
        }
        boxes.renew_all_skins(&[]);
        boxes.validate();
        boxes
    }

    /// Every kind of motion leads to a skin that holds the box, and the old skin is known where it
    /// is comparable.
    #[test]
    fn every_motion_gets_a_skin() {
        let mut boxes = unit_boxes(3);
        let old = boxes.skins[1];
        let escapes: Vec<Escape> = [Motion::Slow, Motion::Fast, Motion::WithGroup]
            .into_iter()
            .zip(1..)
            .map(|(motion, slot)| Escape::new(slot, motion))
            .collect();
        for tight in &mut boxes.tight[1..] {
            *tight = tight.translated([0.25, 0.0, 0.0]);
        }
        let mut old_skins = Vec::new();
        boxes.renew_skins(&escapes, &mut old_skins);
        boxes.validate();
        assert_eq!(old_skins[0].0, old.0);
        assert!(!old_skins[1].is_empty() && old_skins[2].is_empty());
        assert_eq!(boxes.skins[2].0, boxes.tight[2].0);
        assert_eq!((boxes.is_in_group(3), boxes.group().members()), (true, 1));
        // In the group frame, and back in the common coordinates.
        boxes.reorder(&[0, 3, 2, 1]);
        boxes.validate();
        assert!(boxes.is_in_group(1));
        boxes.renew_skins(&[Escape::new(1, Motion::Slow)], &mut old_skins);
        assert_eq!((boxes.group().members(), old_skins[0].is_empty()), (0, true));
        boxes.validate();
    }

    /// The skins of a group are carried along; in the common coordinates they contain the boxes.
    #[test]
    fn the_skins_of_a_group_move_with_it() {
        let (mut boxes, mut slots) = (unit_boxes(20), Slots::default());
        slots.grow(20);
        let join: Vec<Escape> = (1..21).map(|slot| Escape::new(slot, Motion::WithGroup)).collect();
        boxes.renew_skins(&join, &mut Vec::new());
        let by = [0.0, 0.0, -7.0];
        let moved: Vec<BoxF32> =
            boxes.tight[1..].iter().map(|tight| tight.translated(by).bounds()).collect();
        let frame = FrameInput { bounds: &moved, oriented: None, moved: Moved::All };
        boxes.estimate_group_step(&frame, &slots);
        assert_eq!(boxes.group().step(), Some(by));
        for tight in &mut boxes.tight[1..] {
            *tight = tight.translated(by);
        }
        boxes.validate();
        for slot in 1..21 {
            assert!(boxes.skin_at(slot).bounds().contains(&boxes.tight[slot].bounds()));
        }
    }

    #[test]
    #[should_panic(expected = "is not in its skin")]
    fn validation_finds_a_box_outside_its_skin() {
        let mut boxes = unit_boxes(3);
        boxes.tight[2] = boxes.tight[2].translated([0.0, 9.0, 0.0]);
        boxes.validate();
    }
}
