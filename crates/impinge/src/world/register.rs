//! The slots of a world that is on another thread, as the application knows them.

use std::collections::VecDeque;

use super::Handle;
use super::bodies::MAX_BODIES;

/// Frames for which a slot is not used after its body was removed. A world that is no further
/// behind has then seen it empty, and takes the next body without extra work; one that is further
/// behind handles the reuse itself.
const FRAMES_BEFORE_REUSE: u64 = 32;
/// Slots that may wait for reuse at any time, whatever the number of bodies.
const MIN_WAITING_SLOTS: usize = 64;

/// Which slots are taken, by which bodies, and which can be used again.
///
/// The choice of a slot depends on the calls alone, not on how far the world has got. There are
/// never more slots than twice the most bodies at one time, or [`MIN_WAITING_SLOTS`] more than
/// these, if that is more.
#[derive(Clone, Debug, Default)]
pub(super) struct Register {
    slots: Vec<Slot>,
    taken: usize,
    /// Free slots, and when they became free, the oldest first.
    waiting: VecDeque<(u64, u32)>,
    /// The frame that is being prepared.
    frame: u64,
}

/// One slot. Its generation is that of the body in it, or of the next.
#[derive(Clone, Copy, Debug)]
struct Slot {
    generation: u32,
    taken: bool,
}

impl Register {
    /// The slots of a world: the generation of each, and whether a body is in it.
    pub(super) fn new(slots: impl Iterator<Item = (u32, bool)>) -> Self {
        let mut register = Self { frame: FRAMES_BEFORE_REUSE, ..Self::default() };
        for (slot, (generation, taken)) in slots.enumerate() {
            register.slots.push(Slot { generation, taken });
            register.taken += usize::from(taken);
            if !taken && generation < u32::MAX {
                register.waiting.push_back((0, slot as u32));
            }
        }
        register
    }

    /// How many slots there are.
    pub(super) fn slots(&self) -> usize {
        self.slots.len()
    }

    /// How many bodies there are.
    pub(super) fn len(&self) -> usize {
        self.taken
    }

    /// Whether a body is there.
    pub(super) fn contains(&self, body: Handle) -> bool {
        let slot = self.slots.get(body.slot());
        slot.is_some_and(|slot| slot.taken && slot.generation == body.generation)
    }

    /// A slot for a new body, unless all are taken.
    pub(super) fn take(&mut self) -> Option<Handle> {
        let crowded = self.waiting.len() >= self.taken.max(MIN_WAITING_SLOTS);
        let has_waited = self
            .waiting
            .front()
            .is_some_and(|(since, _)| self.frame - since >= FRAMES_BEFORE_REUSE);
        let again = if has_waited || crowded { self.waiting.pop_front() } else { None };
        let slot = match again {
            Some((_, slot)) => slot,
            None if self.slots.len() < MAX_BODIES as usize => {
                self.slots.push(Slot { generation: 0, taken: false });
                self.slots.len() as u32 - 1
            }
            None => self.waiting.pop_front()?.1,
        };
        self.taken += 1;
        let entry = &mut self.slots[slot as usize];
        entry.taken = true;
        Some(Handle { slot, generation: entry.generation })
    }

    /// Frees the slot of a body; whether it was there.
    pub(super) fn free(&mut self, body: Handle) -> bool {
        if !self.contains(body) {
            return false;
        }
        self.taken -= 1;
        let entry = &mut self.slots[body.slot()];
        entry.taken = false;
        // After the last generation a slot stays empty, so that no handle ever names a second body.
        entry.generation = entry.generation.saturating_add(1);
        if entry.generation < u32::MAX {
            self.waiting.push_back((self.frame, body.slot));
        }
        true
    }

    /// A frame was sent.
    pub(super) fn next_frame(&mut self) {
        self.frame += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A handle names one body, however often slots are used again, and slots are.
    #[test]
    fn slots_are_used_again_and_handles_are_not() {
        for most in [1, 5, 200] {
            for every in [1, 7, 1_000_000] {
                let mut register = Register::default();
                let (mut there, mut gone) = (VecDeque::new(), Vec::new());
                for n in 0..20_000 {
                    let body = register.take().unwrap();
                    assert!(register.contains(body) && !there.contains(&body));
                    there.push_back(body);
                    if there.len() > most {
                        let old = there.pop_front().unwrap();
                        assert!(register.free(old) && !register.free(old));
                        gone.push(old);
                    }
                    if n % every == 0 {
                        register.next_frame();
                    }
                }
                assert_eq!(register.len(), there.len());
                assert!(there.iter().all(|body| register.contains(*body)));
                assert!(gone.iter().all(|body| !register.contains(*body)));
                let bound = most + 1 + (most + 1).max(MIN_WAITING_SLOTS);
                assert!(register.slots() <= bound, "{} slots for {most}", register.slots());
            }
        }
    }

    /// The slots of a world that was in use, one of them with its generations used up.
    #[test]
    fn a_slot_without_generations_stays_empty() {
        let slots = [(3, true), (u32::MAX, false), (u32::MAX - 1, false)];
        let mut register = Register::new(slots.into_iter());
        assert_eq!((register.slots(), register.len()), (3, 1));
        let last = register.take().unwrap();
        assert_eq!(last, Handle { slot: 2, generation: u32::MAX - 1 });
        assert!(register.free(last));
        for _ in 0..2 * MIN_WAITING_SLOTS {
            let body = register.take().unwrap();
            assert!(body.slot > 2);
            register.free(body);
        }
        assert!(!register.contains(Handle { slot: 1, generation: u32::MAX }));
    }
}
