//! Boxes that left their skins in a frame.

/// The motion of a box that left its skin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Motion {
    /// By at most the width of the skin.
    Slow,
    /// By more than that.
    Fast,
    /// By the step of the group, up to the width of the skin.
    WithGroup,
}

/// The slot of a box that left its skin and how the box moved, in one number. Sorts by slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Escape(u32);

impl Escape {
    #[inline(always)]
    pub(super) fn new(slot: usize, motion: Motion) -> Self {
        Self(4 * slot as u32 + motion as u32)
    }

    #[inline(always)]
    pub(super) fn slot(self) -> usize {
        self.0 as usize / 4
    }

    #[inline(always)]
    pub(super) fn motion(self) -> Motion {
        match self.0 % 4 {
            0 => Motion::Slow,
            1 => Motion::Fast,
            _ => Motion::WithGroup,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slot_and_motion_are_stored_and_slots_are_sorted() {
        let mut before = None;
        for slot in [0, 1, 77, (1 << 30) - 1] {
            for motion in [Motion::Slow, Motion::Fast, Motion::WithGroup] {
                let escape = Escape::new(slot, motion);
                assert_eq!((escape.slot(), escape.motion()), (slot, motion));
                assert!(before < Some(escape));
                before = Some(escape);
            }
        }
    }
}
