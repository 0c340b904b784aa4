//! The slots of a world on another thread, from the application's side.

use std::collections::VecDeque;

use super::Handle;
use super::bodies::MAX_BODIES;

/// Frames for which a slot is not used after its body was removed. A world that lags by no more
/// frames has then processed it as empty, and adds the next body without extra work; a world that
/// lags more handles the reuse itself.
const FRAMES_BEFORE_REUSE: u64 = 32;
/// Slots that may wait for reuse with any number of bodies.
const MIN_WAITING_SLOTS: usize = 64;

/// Which slots are taken, by which bodies, and which can be reused.
///
/// The choice of a slot depends on the calls alone, not on the progress of the world. There are
/// never more slots than twice the largest number of bodies at one time, or [`MIN_WAITING_SLOTS`]
/// more than that number, if that is more.
#[derive(Clone, Debug, Default)]
pub(super) struct HandleRegister {
    slots: Vec<Slot>,
    taken: usize,
    /// Free slots with the frame in which they became free, the oldest first.
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

impl HandleRegister {
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

    /// The number of slots.
    pub(super) fn slots(&self) -> usize {
        self.slots.len()
    }

    /// The number of bodies.
    pub(super) fn len(&self) -> usize {
        self.taken
    }

    /// Whether a body was added and not removed.
    pub(super) fn contains(&self, body: Handle) -> bool {
        let slot = self.slots.get(body.slot());
        slot.is_some_and(|slot| slot.taken && slot.generation == body.generation)
    }

    /// A slot for a new body, unless all are taken.
    pub(super) fn take(&mut self) -> Option<Handle> {
        let too_many_waiting = self.waiting.len() >= self.taken.max(MIN_WAITING_SLOTS);
        let is_reusable = self
            .waiting
            .front()
            .is_some_and(|(since, _)| self.frame - since >= FRAMES_BEFORE_REUSE);
        let reused = if is_reusable || too_many_waiting { self.waiting.pop_front() } else { None };
        let slot = match reused {
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

    /// Frees the slot of a body. Returns whether the body existed.
    pub(super) fn free(&mut self, body: Handle) -> bool {
        if !self.contains(body) {
            return false;
        }
        self.taken -= 1;
        let entry = &mut self.slots[body.slot()];
        entry.taken = false;
        // After the last generation a slot stays empty, so that no handle refers to a second body.
        entry.generation = entry.generation.saturating_add(1);
        if entry.generation < u32::MAX {
            self.waiting.push_back((self.frame, body.slot));
        }
        true
    }

    /// Starts the next frame.
    pub(super) fn next_frame(&mut self) {
        self.frame += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_reused_and_handles_are_not() {
        for most in [1, 5, 200] {
            for every in [1, 7, 1_000_000] {
                let mut register = HandleRegister::default();
                let (mut present, mut removed) = (VecDeque::new(), Vec::new());
                for n in 0..20_000 {
                    let body = register.take().unwrap();
                    assert!(register.contains(body) && !present.contains(&body));
                    present.push_back(body);
                    if present.len() > most {
                        let old = present.pop_front().unwrap();
                        assert!(register.free(old) && !register.free(old));
                        removed.push(old);
                    }
                    if n % every == 0 {
                        register.next_frame();
                    }
                }
                assert_eq!(register.len(), present.len());
                assert!(present.iter().all(|body| register.contains(*body)));
                assert!(removed.iter().all(|body| !register.contains(*body)));
                let bound = most + 1 + (most + 1).max(MIN_WAITING_SLOTS);
                assert!(register.slots() <= bound, "{} slots for {most}", register.slots());
            }
        }
    }

    /// The slots of a world that was in use; one of them has no generations left.
    #[test]
    fn a_slot_without_generations_stays_empty() {
        let slots = [(3, true), (u32::MAX, false), (u32::MAX - 1, false)];
        let mut register = HandleRegister::new(slots.into_iter());
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
