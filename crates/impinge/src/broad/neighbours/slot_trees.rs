//! Two trees over the slots: one of the group, one of all other boxes.

use super::boxes::SkinnedBoxes;
use super::escape::Escape;
use super::packed_box::PackedBox;
use super::slot_tree::SlotTree;

/// The trees are built when they are first needed after a rebuild of the lists, and updated from
/// then on.
///
/// Invariant while the trees are current, which [`SlotTrees::validate`] checks: every box with its
/// skin is in the tree of the group if it is in the group, and else in the other one.
#[derive(Clone, Debug, Default)]
pub(super) struct SlotTrees {
    /// In the common coordinates.
    others: SlotTree,
    /// In the group frame.
    group: SlotTree,
    is_current: bool,
}

impl SlotTrees {
    /// The boxes outside the group.
    #[inline(always)]
    pub(super) fn others(&self) -> &SlotTree {
        &self.others
    }

    /// The boxes of the group, in the group frame.
    #[inline(always)]
    pub(super) fn group(&self) -> &SlotTree {
        &self.group
    }

    pub(super) fn is_current(&self) -> bool {
        self.is_current
    }

    /// Invalidates the trees, because the slots have changed: they are rebuilt before the next use.
    pub(super) fn invalidate(&mut self) {
        self.is_current = false;
    }

    /// Updates the trees with the new skins of the boxes that left theirs.
    pub(super) fn update(&mut self, boxes: &SkinnedBoxes, escapes: &[Escape]) {
        let skins = boxes.skins();
        if !self.is_current || skins.len() > self.others.capacity() {
            self.others.rebuild(skins, |slot| slot > 0 && !boxes.is_in_group(slot));
            self.group.rebuild(skins, |slot| boxes.is_in_group(slot));
            self.is_current = true;
            return;
        }
        for escape in escapes {
            let slot = escape.slot();
            let (own, other) = match boxes.is_in_group(slot) {
                false => (&mut self.others, &mut self.group),
                true => (&mut self.group, &mut self.others),
            };
            own.set(slot as u32, &skins[slot]);
            other.set(slot as u32, &PackedBox::EMPTY);
        }
    }

    /// Marks the boxes that have new skins in the tree of those outside the group, or removes the
    /// marks.
    pub(super) fn mark(&mut self, escapes: &[Escape], is_marked: bool) {
        for escape in escapes {
            self.others.mark(escape.slot() as u32, is_marked);
        }
    }

    /// Checks the trees, and the invariant if they are current.
    ///
    /// # Panics
    /// If it is violated (a bug).
    pub(super) fn validate(&self, boxes: &SkinnedBoxes) {
        if !self.is_current {
            return;
        }
        let skin = |slot: usize, of_group: bool| match boxes.skins().get(slot) {
            Some(skin) if boxes.is_in_group(slot) == of_group => *skin,
            _ => PackedBox::EMPTY,
        };
        self.others.validate(|slot| skin(slot, false));
        self.group.validate(|slot| skin(slot, true));
    }

    pub(super) fn bytes(&self) -> usize {
        self.others.bytes() + self.group.bytes()
    }
}
