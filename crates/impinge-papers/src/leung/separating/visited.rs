//! The set of pairs of supporting vertices found by a search, with constant-time access (Leung
//! 1996, section 4.4).
//!
//! The thesis stores a time-stamp for every pair of vertices: four million for two bodies of 2,000
//! vertices. A search finds a few dozen pairs, so here the stamps are in an open-addressing hash
//! table with a few dozen slots. As in the thesis, the table is cleared by incrementing the current
//! time.

/// The pairs inserted since the last [`Visited::begin`].
#[derive(Clone, Debug, Default)]
pub(super) struct Visited {
    slots: Vec<Slot>,
    now: u32,
    count: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    stamp: u32,
    pair: (u32, u32),
}

impl Visited {
    /// Removes all pairs.
    pub(super) fn begin(&mut self) {
        self.count = 0;
        if self.now == u32::MAX {
            self.slots.fill(Slot::default());
            self.now = 0;
        }
        self.now += 1;
    }

    /// Inserts a pair. Returns true if it is new.
    pub(super) fn insert(&mut self, pair: (u32, u32)) -> bool {
        if (self.count + 1) * 2 > self.slots.len() {
            self.grow();
        }
        self.put(pair)
    }

    fn put(&mut self, pair: (u32, u32)) -> bool {
        let mask = self.slots.len() - 1;
        let key = (u64::from(pair.0) << 32) | u64::from(pair.1);
        // Fibonacci hashing: the high bits of the product are well mixed.
        let mut at = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & mask;
        loop {
            let slot = &mut self.slots[at];
            if slot.stamp != self.now {
                *slot = Slot { stamp: self.now, pair };
                self.count += 1;
                return true;
            }
            if slot.pair == pair {
                return false;
            }
            at = (at + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(32);
        let old = std::mem::replace(&mut self.slots, vec![Slot::default(); size]);
        self.count = 0;
        for slot in old {
            if slot.stamp == self.now {
                self.put(slot.pair);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::internals::Random;
    use std::collections::HashSet;

    #[test]
    fn agrees_with_a_hash_set() {
        let mut random = Random::new(8);
        let mut visited = Visited::default();
        for round in 0..50 {
            if round == 20 {
                visited.now = u32::MAX - 1;
            }
            visited.begin();
            let mut set = HashSet::new();
            for _ in 0..round * 20 {
                let pair = (random.index(30) as u32, random.index(30) as u32);
                assert_eq!(visited.insert(pair), set.insert(pair));
            }
        }
    }
}
