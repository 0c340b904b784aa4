//! Pairs of bodies whose guards overlap: each sleeps until the earliest time at which the two can
//! meet, and is awake from then on.

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, HashMap};

use super::pairs::Key;
use crate::broad::KeyHasher;

/// Fewer entries of the queue are not searched for void ones.
const MIN_ENTRIES: usize = 256;

/// A pair.
#[derive(Clone, Debug)]
pub(super) struct Waiting {
    pub(super) key: Key,
    pub(super) is_awake: bool,
    /// Whether one of the two may move without breaking its limits.
    pub(super) may_move: bool,
    /// Whether the boxes overlapped when they were compared last.
    pub(super) overlaps: bool,
    /// The round in which its time was computed last, and that in which the boxes were compared.
    pub(super) considered: u64,
    pub(super) compared: u64,
    /// Another number after every change of the time: entries of the queue with an earlier one are
    /// void.
    version: u32,
    /// The positions in the lists of the two slots; `None` for a free record.
    positions: Option<[u32; 2]>,
}

/// All of them.
#[derive(Debug, Default)]
pub(super) struct WaitingPairs {
    pub(super) records: Vec<Waiting>,
    free: Vec<u32>,
    numbers: HashMap<Key, u32, KeyHasher>,
    /// The records of each slot.
    of: Vec<Vec<u32>>,
    /// The number of records of each slot that are awake.
    awake_of: Vec<u32>,
    /// The number of records that are awake and may move.
    pub(super) restless: usize,
    queue: BinaryHeap<Reverse<Alarm>>,
    /// With more entries than this, void ones are removed.
    most_entries: usize,
}

/// An entry of the queue.
#[derive(Clone, Copy, Debug)]
struct Alarm {
    time: f64,
    number: u32,
    version: u32,
}

impl Ord for Alarm {
    fn cmp(&self, other: &Self) -> Ordering {
        let rest = |alarm: &Self| (alarm.number, alarm.version);
        self.time.total_cmp(&other.time).then_with(|| rest(self).cmp(&rest(other)))
    }
}

impl PartialOrd for Alarm {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Alarm {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Alarm {}

impl WaitingPairs {
    /// Makes room for this many slots.
    pub(super) fn grow(&mut self, slots: usize) {
        if self.of.len() < slots {
            self.of.resize_with(slots, Vec::new);
            self.awake_of.resize(slots, 0);
        }
    }

    /// All pairs.
    pub(super) fn all(&self) -> impl Iterator<Item = &Waiting> {
        self.records.iter().filter(|record| record.positions.is_some())
    }

    /// The numbers of all pairs of a slot.
    pub(super) fn of(&self, slot: u32) -> &[u32] {
        &self.of[slot as usize]
    }

    /// Whether a pair of this slot is awake.
    pub(super) fn is_awake(&self, slot: u32) -> bool {
        self.awake_of[slot as usize] > 0
    }

    pub(super) fn contains(&self, key: Key) -> bool {
        self.numbers.contains_key(&key)
    }

    /// Adds a pair that is not in the list, asleep for ever. Returns its number.
    pub(super) fn insert(&mut self, key: Key) -> u32 {
        let number = self.free.pop().unwrap_or(self.records.len() as u32);
        let (a, b) = key.slots();
        let positions = [a, b].map(|slot| {
            self.of[slot as usize].push(number);
            self.of[slot as usize].len() as u32 - 1
        });
        let version = self.records.get(number as usize).map_or(0, |old| old.version);
        let record = Waiting {
            key,
            is_awake: false,
            may_move: false,
            overlaps: false,
            considered: 0,
            compared: 0,
            version,
            positions: Some(positions),
        };
        match self.records.get_mut(number as usize) {
            Some(place) => *place = record,
            None => self.records.push(record),
        }
        self.numbers.insert(key, number);
        number
    }

    /// Removes a pair, and returns it as it was.
    pub(super) fn remove(&mut self, key: Key) -> Option<Waiting> {
        let number = self.numbers.remove(&key)?;
        let removed = self.records[number as usize].clone();
        self.sleep(number);
        let (a, b) = key.slots();
        for (slot, position) in [a, b].into_iter().zip(removed.positions?) {
            let list = &mut self.of[slot as usize];
            list.swap_remove(position as usize);
            if let Some(moved) = list.get(position as usize) {
                let moved = &mut self.records[*moved as usize];
                let side = usize::from(moved.key.slots().0 != slot);
                if let Some(positions) = &mut moved.positions {
                    positions[side] = position;
                }
            }
        }
        self.records[number as usize].positions = None;
        self.free.push(number);
        Some(removed)
    }

    /// Sets whether one of the two bodies of a pair may move.
    pub(super) fn set_may_move(&mut self, number: u32, may_move: bool) {
        let record = &mut self.records[number as usize];
        if record.is_awake {
            self.restless -= usize::from(record.may_move);
            self.restless += usize::from(may_move);
        }
        record.may_move = may_move;
    }

    /// Wakes a pair.
    pub(super) fn wake(&mut self, number: u32) {
        let record = &mut self.records[number as usize];
        record.version = record.version.wrapping_add(1);
        if !std::mem::replace(&mut record.is_awake, true) {
            self.restless += usize::from(record.may_move);
            let (a, b) = record.key.slots();
            self.awake_of[a as usize] += 1;
            self.awake_of[b as usize] += 1;
        }
    }

    /// Lets a pair sleep for ever. Returns whether it was awake.
    fn sleep(&mut self, number: u32) -> bool {
        let record = &mut self.records[number as usize];
        record.version = record.version.wrapping_add(1);
        let was_awake = std::mem::replace(&mut record.is_awake, false);
        if was_awake {
            self.restless -= usize::from(record.may_move);
            let (a, b) = record.key.slots();
            self.awake_of[a as usize] -= 1;
            self.awake_of[b as usize] -= 1;
        }
        was_awake
    }

    /// Lets a pair sleep until a time, or for ever. Returns whether it was awake.
    pub(super) fn sleep_until(&mut self, number: u32, time: Option<f64>) -> bool {
        let was_awake = self.sleep(number);
        if let Some(time) = time {
            let version = self.records[number as usize].version;
            self.queue.push(Reverse(Alarm { time, number, version }));
        }
        was_awake
    }

    /// Wakes the pairs whose time is not after `time`, and appends their numbers.
    pub(super) fn wake_until(&mut self, time: f64, woken: &mut Vec<u32>) {
        while let Some(Reverse(alarm)) = self.queue.peek().copied() {
            let is_void = self.is_void(&alarm);
            if !is_void && alarm.time > time {
                break;
            }
            self.queue.pop();
            if !is_void {
                self.wake(alarm.number);
                woken.push(alarm.number);
            }
        }
    }

    /// The time at which the next pair wakes.
    pub(super) fn next(&mut self) -> Option<f64> {
        while let Some(Reverse(alarm)) = self.queue.peek().copied() {
            if !self.is_void(&alarm) {
                return Some(alarm.time);
            }
            self.queue.pop();
        }
        None
    }

    /// Removes void entries of the queue, if they may be many.
    pub(super) fn tidy(&mut self) {
        if self.queue.len() > self.most_entries.max(MIN_ENTRIES) {
            let mut queue = std::mem::take(&mut self.queue);
            queue.retain(|alarm| !self.is_void(&alarm.0));
            self.most_entries = 2 * queue.len();
            self.queue = queue;
        }
    }

    fn is_void(&self, alarm: &Alarm) -> bool {
        self.records[alarm.number as usize].version != alarm.version
    }

    /// Checks the invariants, in time proportional to the number of pairs.
    ///
    /// # Panics
    /// If one of them is violated (a bug).
    pub(super) fn validate(&self) {
        let mut awake_of = vec![0; self.awake_of.len()];
        let (mut count, mut restless) = (0, 0);
        for (number, record) in self.records.iter().enumerate() {
            let Some(positions) = record.positions else {
                assert!(!record.is_awake, "a free record is awake");
                continue;
            };
            count += 1;
            let (a, b) = record.key.slots();
            for (slot, position) in [a, b].into_iter().zip(positions) {
                assert_eq!(self.of[slot as usize][position as usize], number as u32, "lists");
                awake_of[slot as usize] += u32::from(record.is_awake);
            }
            assert_eq!(self.numbers.get(&record.key), Some(&(number as u32)), "numbers");
            assert!(record.is_awake || !record.overlaps, "a pair that overlaps is asleep");
            restless += usize::from(record.is_awake && record.may_move);
        }
        assert_eq!((self.numbers.len(), restless), (count, self.restless), "counts");
        assert_eq!(awake_of, self.awake_of, "counts of slots");
    }
}
