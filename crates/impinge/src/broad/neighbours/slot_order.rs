//! The spatial order of the slots, made when all pairs are found from scratch.

use super::boxes::SkinnedBoxes;
use super::pair_search::PairSearch;
use super::slots::Slots;

/// Consecutive rebuilds of the lists that keep the order of the slots.
const REBUILDS_PER_ORDER: u32 = 8;

/// Decides when the slots are put in a new order, and computes it.
#[derive(Clone, Debug, Default)]
pub(super) struct SlotOrder {
    /// The number of slots when the last order was made.
    ordered_slots: usize,
    /// The number of further rebuilds for which the order is kept. Zero after a frame without a
    /// rebuild: until the next rebuild, boxes may have moved far.
    rebuilds_left: u32,
    /// The old slot of each slot.
    order: Vec<u32>,
    /// The new slot of each slot.
    new_slots: Vec<u32>,
    /// The slots of large boxes.
    large: Vec<u32>,
}

impl SlotOrder {
    /// The new slot of each old slot, after [`SlotOrder::renew`].
    pub(super) fn new_slots(&self) -> &[u32] {
        &self.new_slots
    }

    /// Records a frame without a rebuild of the lists.
    pub(super) fn pass_frame(&mut self) {
        self.rebuilds_left = 0;
    }

    /// Sorts slots and boxes in the spatial order of the search, unless the last order is recent
    /// enough.
    pub(super) fn renew(
        &mut self,
        search: &mut PairSearch,
        slots: &mut Slots,
        boxes: &mut SkinnedBoxes,
    ) {
        if self.rebuilds_left > 0 && self.ordered_slots == slots.len() {
            self.rebuilds_left -= 1;
            self.new_slots.clear();
            self.new_slots.extend(0..slots.len() as u32);
            return;
        }
        (self.ordered_slots, self.rebuilds_left) = (slots.len(), REBUILDS_PER_ORDER);
        self.find_order(search, boxes);
        self.new_slots.resize(self.order.len(), 0);
        for (new, old) in self.order.iter().enumerate() {
            self.new_slots[*old as usize] = new as u32;
        }
        boxes.reorder(&self.order);
        slots.reorder(&self.order);
    }

    /// Computes the order: slot zero, the boxes in the order of space, large ones, empty ones.
    fn find_order(&mut self, search: &mut PairSearch, boxes: &SkinnedBoxes) {
        let (order, skins) = (&mut self.order, boxes.skins());
        order.clear();
        order.push(0);
        for found in search.found() {
            order.extend_from_slice(&found.order);
        }
        // A pair is in the list of its lower slot. With the large boxes at the end, their many
        // pairs are in the lists of the small ones: a ground plane is a neighbour of every box.
        let is_large = boxes.width().is_large(skins);
        self.large.clear();
        self.large.extend(order.iter().copied().filter(|slot| is_large(*slot)));
        if !self.large.is_empty() {
            order.retain(|slot| !is_large(*slot));
            order.extend_from_slice(&self.large);
        }
        if order.len() < skins.len() {
            let empty = skins.iter().enumerate().skip(1).filter(|(_, skin)| skin.is_empty());
            order.extend(empty.map(|(slot, _)| slot as u32));
        }
        debug_assert_eq!(order.len(), skins.len(), "every box starts in one place");
    }

    pub(super) fn bytes(&self) -> usize {
        4 * (self.order.capacity() + self.new_slots.capacity() + self.large.capacity())
    }
}
