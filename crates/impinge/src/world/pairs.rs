//! The pairs of bodies whose boxes overlap and that are compared, with their state and caches.

use std::collections::HashMap;

use super::narrow::{PairCache, PairState, Waiting};
use super::selection::Selected;
use crate::arrays::MapEach;
use crate::broad::KeyHasher;

/// Two slots, the smaller first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Key(u64);

impl Key {
    pub(super) fn new(a: u32, b: u32) -> Self {
        let (low, high) = if a < b { (a, b) } else { (b, a) };
        Self(u64::from(low) << 32 | u64::from(high))
    }

    pub(super) fn slots(self) -> (u32, u32) {
        ((self.0 >> 32) as u32, self.0 as u32)
    }

    pub(super) fn has(self, slot: u32) -> bool {
        let (a, b) = self.slots();
        a == slot || b == slot
    }
}

/// A pair whose boxes overlap and that is compared.
#[derive(Debug)]
pub(super) struct Record {
    pub(super) key: Key,
    pub(super) state: PairState,
    /// Data of the last check that the next one starts from.
    pub(super) cache: Option<Box<PairCache>>,
    /// Whether the last check did not decide.
    pub(super) undecided: bool,
    /// Whether the boxes do not overlap any more, as far as the broad phase knows the two bodies,
    /// of which one has moved since.
    pub(super) boxes_apart: bool,
    /// The update that last checked it, or is going to check it.
    pub(super) stamp: u64,
    /// Whether hulls alone decided the last check.
    pub(super) decided_by_hulls: bool,
    /// The update that found the two meeting, if they do.
    pub(super) since: u64,
    /// The geometry versions of the two bodies at the last check.
    pub(super) geometry_versions: [u32; 2],
    /// The positions of the record in the lists of the two slots.
    positions: [u32; 2],
}

impl Record {
    /// Moves the record out, and leaves one with only the key and the stamp.
    pub(super) fn take(&mut self) -> Self {
        let left = Self { stamp: self.stamp, ..Self::new(self.key) };
        std::mem::replace(self, left)
    }

    /// The place of the pair in the queue of updates within a budget.
    pub(super) fn waiting(&self) -> Waiting {
        self.cache.as_ref().map_or(Waiting::default(), |cache| cache.waiting)
    }

    pub(super) fn waiting_mut(&mut self) -> &mut Waiting {
        &mut self.cache.get_or_insert_default().waiting
    }

    /// Forgets the data that the next check would start from.
    pub(super) fn forget_checks(&mut self) {
        if let Some(cache) = &mut self.cache {
            cache.forget_checks();
        }
    }

    fn new(key: Key) -> Self {
        Self {
            key,
            state: PairState::Unknown,
            cache: None,
            undecided: false,
            boxes_apart: false,
            stamp: 0,
            decided_by_hulls: false,
            since: 0,
            geometry_versions: [0; 2],
            positions: [0; 2],
        }
    }
}

impl AsMut<Self> for Record {
    fn as_mut(&mut self) -> &mut Self {
        self
    }
}

/// A record that was moved out of [`Pairs::records`], with its number there.
#[derive(Debug)]
pub(super) struct MovedOutRecord {
    pub(super) number: u32,
    pub(super) record: Record,
}

impl AsMut<Record> for MovedOutRecord {
    fn as_mut(&mut self) -> &mut Record {
        &mut self.record
    }
}

/// All pairs whose boxes overlap and that are compared.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    pub(super) records: Vec<Record>,
    numbers: HashMap<Key, u32, KeyHasher>,
    /// The records of each slot.
    of: Vec<Vec<u32>>,
    /// Caches of pairs that were removed, to be reused.
    #[allow(clippy::vec_box, reason = "boxes move to and from records; their contents do not")]
    spare_caches: Vec<Box<PairCache>>,
}

impl Pairs {
    pub(super) fn get(&self, key: Key) -> Option<&Record> {
        self.numbers.get(&key).map(|number| &self.records[*number as usize])
    }

    pub(super) fn get_mut(&mut self, key: Key) -> Option<&mut Record> {
        self.numbers.get(&key).map(|number| &mut self.records[*number as usize])
    }

    pub(super) fn number(&self, key: Key) -> Option<u32> {
        self.numbers.get(&key).copied()
    }

    /// Allocates memory for this many bodies and pairs.
    pub(super) fn reserve(&mut self, bodies: usize, pairs: usize) {
        let more = pairs.saturating_sub(self.records.len());
        self.records.reserve(more);
        self.numbers.reserve(more);
        if self.of.len() < bodies {
            self.of.resize_with(bodies, Vec::new);
        }
        while self.spare_caches.len() < more {
            self.spare_caches.push(Box::default());
        }
    }

    /// The numbers of the records of a slot.
    pub(super) fn of(&self, slot: u32) -> &[u32] {
        self.of.get(slot as usize).map_or(&[], Vec::as_slice)
    }

    /// Drops the caches of the pairs of a body, which has another geometry or class.
    pub(super) fn clear_caches_of(&mut self, slot: u32) {
        for n in 0..self.of(slot).len() {
            let number = self.of(slot)[n];
            self.records[number as usize].forget_checks();
        }
    }

    /// Drops the caches of all pairs.
    pub(super) fn clear_caches(&mut self) {
        self.records.iter_mut().for_each(Record::forget_checks);
    }

    /// Adds a pair that is not in the list.
    pub(super) fn insert(&mut self, key: Key) -> u32 {
        let number = self.records.len() as u32;
        let (a, b) = key.slots();
        if self.of.len() <= b as usize {
            self.of.resize_with(b as usize + 1, Vec::new);
        }
        let positions = [a, b].map_each(|slot| self.of[slot as usize].len() as u32);
        self.of[a as usize].push(number);
        self.of[b as usize].push(number);
        self.numbers.insert(key, number);
        let cache = self.spare_caches.pop();
        self.records.push(Record { cache, positions, ..Record::new(key) });
        number
    }

    /// Removes a pair and returns its record.
    pub(super) fn remove(&mut self, key: Key) -> Option<Record> {
        let number = self.numbers.remove(&key)?;
        let (a, b) = key.slots();
        for (slot, position) in [a, b].into_iter().zip(self.records[number as usize].positions) {
            let list = &mut self.of[slot as usize];
            list.swap_remove(position as usize);
            if let Some(moved) = list.get(position as usize) {
                let moved = &mut self.records[*moved as usize];
                let side = usize::from(moved.key.slots().0 != slot);
                moved.positions[side] = position;
            }
        }
        let mut removed = self.records.swap_remove(number as usize);
        if let Some(mut cache) = removed.cache.take() {
            cache.clear();
            self.spare_caches.push(cache);
        }
        if let Some(moved) = self.records.get(number as usize) {
            let (a, b) = moved.key.slots();
            for (slot, position) in [a, b].into_iter().zip(moved.positions) {
                self.of[slot as usize][position as usize] = number;
            }
            self.numbers.insert(moved.key, number);
        }
        Some(removed)
    }
}

/// Settings of the application for single pairs, also of pairs whose boxes do not overlap, and for
/// classes of bodies.
#[derive(Clone, Debug, Default)]
pub(super) struct Settings {
    pub(super) methods: Selected,
    pub(super) users: HashMap<Key, u64, KeyHasher>,
}

impl Settings {
    pub(super) fn user(&self, key: Key) -> u64 {
        self.users.get(&key).copied().unwrap_or(0)
    }

    pub(super) fn set_user(&mut self, key: Key, user: u64) {
        match user {
            0 => self.users.remove(&key),
            _ => self.users.insert(key, user),
        };
    }

    /// Removes the settings for the pairs of a body that is removed.
    pub(super) fn forget(&mut self, slot: u32) {
        self.methods.forget(slot);
        if !self.users.is_empty() {
            self.users.retain(|key, _| !key.has(slot));
        }
    }
}
