//! Lists of neighbours, four to a group, so that comparing them takes the same steps whatever their length.

/// No group.
const NONE: u32 = u32::MAX;

/// Up to four neighbours of a slot. Places that are free hold slot zero, whose box is empty for ever.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    pub(super) owner: u32,
    /// A bit for each of the neighbours whose boxes overlap the owner's.
    pub(super) overlapping: u32,
    pub(super) others: [u32; 4],
}

/// The lists of all slots.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups {
    pub(super) groups: Vec<Group>,
    /// The first group of each slot.
    first: Vec<u32>,
    /// The next group of the same slot.
    next: Vec<u32>,
    /// Groups that were added behind those of other slots.
    added: usize,
}

/// Where a neighbour stands: a group, and a place in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place(pub(super) u32, pub(super) u32);

impl Groups {
    /// Empties all and makes room for lists as long as told, which become the places where [`Groups::fill`] goes on.
    pub(super) fn reset(&mut self, lengths: &mut [u32]) {
        self.groups.clear();
        self.first.clear();
        self.next.clear();
        self.added = 0;
        for (slot, length) in lengths.iter_mut().enumerate() {
            let start = self.groups.len() as u32;
            let count = length.div_ceil(4);
            self.first.push(if count == 0 { NONE } else { start });
            for n in 1..=count {
                self.groups.push(Group { owner: slot as u32, overlapping: 0, others: [0; 4] });
                self.next.push(if n == count { NONE } else { start + n });
            }
            *length = 4 * start;
        }
    }

    /// The next entry of a list for which there is room, after [`Groups::reset`].
    #[inline(always)]
    pub(super) fn fill(&mut self, cursor: &mut u32, other: u32) {
        self.groups[*cursor as usize / 4].others[*cursor as usize % 4] = other;
        *cursor += 1;
    }

    pub(super) fn push_slot(&mut self) {
        self.first.push(NONE);
    }

    /// The number of the first group of a slot.
    #[inline(always)]
    pub(super) fn first_of(&self, slot: usize) -> Option<u32> {
        let group = self.first[slot];
        (group != NONE).then_some(group)
    }

    /// The number of the next group of the same slot.
    #[inline(always)]
    pub(super) fn after(&self, group: u32) -> Option<u32> {
        let next = self.next[group as usize];
        (next != NONE).then_some(next)
    }

    /// The numbers of the groups of a slot.
    #[inline(always)]
    pub(super) fn of(&self, slot: usize) -> impl Iterator<Item = u32> {
        std::iter::successors(self.first_of(slot), |group| self.after(*group))
    }

    /// The neighbours of a slot.
    pub(super) fn others(&self, slot: usize) -> impl Iterator<Item = u32> {
        self.of(slot)
            .flat_map(|group| self.groups[group as usize].others)
            .filter(|other| *other != 0)
    }

    /// Where another slot stands in the list of a slot.
    #[inline(always)]
    pub(super) fn find(&self, slot: usize, other: u32) -> Option<Place> {
        let mut at = self.first[slot];
        while at != NONE {
            let others = self.groups[at as usize].others;
            for (place, its) in others.into_iter().enumerate() {
                if its == other {
                    return Some(Place(at, place as u32));
                }
            }
            at = self.next[at as usize];
        }
        None
    }

    /// Adds a neighbour, not overlapping.
    pub(super) fn add(&mut self, slot: usize, other: u32) {
        let Place(group, place) = self.find(slot, 0).unwrap_or_else(|| {
            let group = self.groups.len() as u32;
            self.groups.push(Group { owner: slot as u32, overlapping: 0, others: [0; 4] });
            self.next.push(std::mem::replace(&mut self.first[slot], group));
            self.added += 1;
            Place(group, 0)
        });
        self.groups[group as usize].others[place as usize] = other;
    }

    /// Removes a neighbour that does not overlap.
    pub(super) fn remove(&mut self, place: Place) {
        self.groups[place.0 as usize].others[place.1 as usize] = 0;
    }

    /// Whether so many groups are out of order that putting them in order pays.
    pub(super) fn is_scattered(&self) -> bool {
        self.added > self.groups.len() / 4 + 256
    }

    /// Puts all in the order of the slots, with `spare` for memory.
    pub(super) fn tidy(&mut self, spare: &mut Self) {
        std::mem::swap(self, spare);
        self.groups.clear();
        self.first.clear();
        self.next.clear();
        self.added = 0;
        for slot in 0..spare.first.len() {
            let mut last = NONE;
            self.first.push(NONE);
            for group in spare.of(slot) {
                let group = spare.groups[group as usize];
                if group.others == [0; 4] {
                    continue;
                }
                let number = self.groups.len() as u32;
                match last {
                    NONE => self.first[slot] = number,
                    _ => self.next[last as usize] = number,
                }
                self.groups.push(group);
                self.next.push(NONE);
                last = number;
            }
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.groups.capacity() * size_of::<Group>()
            + 4 * (self.first.capacity() + self.next.capacity())
    }
}
