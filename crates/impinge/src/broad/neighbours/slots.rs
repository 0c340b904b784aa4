//! The order of the boxes in memory.

/// The content of slot zero.
const NO_ITEM: u32 = u32::MAX;

/// Maps items to slots and back.
///
/// Invariants, which [`Slots::validate`] checks: slot zero, once it exists, holds no item; every
/// other slot holds a different item, and the items are numbered from zero without gaps.
#[derive(Clone, Debug, Default)]
pub(super) struct Slots {
    slot_of_item: Vec<u32>,
    item_in_slot: Vec<u32>,
    /// Memory for [`Slots::reorder`].
    reordered: Vec<u32>,
}

impl Slots {
    /// The number of slots, with slot zero.
    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.item_in_slot.len()
    }

    /// The item in each slot.
    #[inline(always)]
    pub(super) fn items(&self) -> &[u32] {
        &self.item_in_slot
    }

    /// The item in a slot.
    #[inline(always)]
    pub(super) fn item(&self, slot: u32) -> u32 {
        self.item_in_slot[slot as usize]
    }

    /// The slot of each item.
    #[inline(always)]
    pub(super) fn of_items(&self) -> &[u32] {
        &self.slot_of_item
    }

    /// Adds slots at the end for the items below `items` that have none.
    pub(super) fn grow(&mut self, items: usize) {
        if self.item_in_slot.is_empty() {
            self.item_in_slot.push(NO_ITEM);
        }
        for item in self.slot_of_item.len()..items {
            self.slot_of_item.push(self.item_in_slot.len() as u32);
            self.item_in_slot.push(item as u32);
        }
    }

    /// Moves the items: slot `n` gets the item of slot `order[n]`. Slot zero stays first.
    pub(super) fn reorder(&mut self, order: &[u32]) {
        reorder(&mut self.item_in_slot, order, &mut self.reordered);
        for (slot, item) in self.item_in_slot.iter().enumerate().skip(1) {
            self.slot_of_item[*item as usize] = slot as u32;
        }
    }

    /// Checks the invariants.
    ///
    /// # Panics
    /// If one of them is violated (a bug).
    pub(super) fn validate(&self) {
        assert_eq!(self.len(), self.slot_of_item.len() + usize::from(self.len() > 0));
        assert!(self.item_in_slot.first().is_none_or(|item| *item == NO_ITEM));
        for (item, slot) in self.slot_of_item.iter().enumerate() {
            assert_eq!(self.item_in_slot[*slot as usize], item as u32, "the item in slot {slot}");
        }
    }

    pub(super) fn bytes(&self) -> usize {
        let Self { slot_of_item, item_in_slot, reordered } = self;
        4 * (slot_of_item.capacity() + item_in_slot.capacity() + reordered.capacity())
    }
}

/// Puts what was at `order[n]` at `n`, with `spare` as memory.
pub(super) fn reorder<T: Copy>(list: &mut Vec<T>, order: &[u32], spare: &mut Vec<T>) {
    spare.clear();
    spare.extend(order.iter().map(|old| list[*old as usize]));
    std::mem::swap(list, spare);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    #[test]
    fn items_are_found_in_their_slots_after_any_changes() {
        let mut random = Random::new(3);
        let mut slots = Slots::default();
        slots.validate();
        for round in 0..40 {
            slots.grow(round / 4 * 5);
            let mut order: Vec<u32> = (0..slots.len() as u32).collect();
            for n in 2..order.len() {
                order.swap(n, 1 + random.index(n));
            }
            let items = slots.items().to_vec();
            slots.reorder(&order);
            slots.validate();
            for (new, old) in order.iter().enumerate() {
                assert_eq!(slots.item(new as u32), items[*old as usize]);
            }
        }
        assert_eq!(slots.of_items().len(), 45);
    }

    #[test]
    #[should_panic(expected = "the item in slot")]
    fn validation_finds_an_item_in_two_slots() {
        let mut slots = Slots::default();
        slots.grow(3);
        slots.item_in_slot[2] = 0;
        slots.validate();
    }
}
