//! A set of pairs of numbers, cleared in constant time: each entry stores the number
//! of the query that inserted it.

/// A hash set of pairs with open addressing. [`VisitedPairs::start`] empties it without writing to
/// the entries.
#[derive(Clone, Debug, Default)]
pub(crate) struct VisitedPairs {
    /// Key and query. The length is zero or a power of two.
    entries: Vec<(u64, u32)>,
    query: u32,
    len: usize,
}

impl VisitedPairs {
    /// Removes all pairs.
    pub(crate) fn start(&mut self) {
        self.len = 0;
        self.query = self.query.wrapping_add(1);
        if self.query == 0 {
            // After 2^32 queries old entries would match again.
            self.entries.fill((0, 0));
            self.query = 1;
        }
    }

    /// Inserts a pair. Returns whether it is new.
    pub(crate) fn insert(&mut self, a: u32, b: u32) -> bool {
        if 2 * (self.len + 1) > self.entries.len() {
            self.grow();
        }
        let key = key(a, b);
        let at = self.find(key);
        let new = self.entries[at].1 != self.query;
        if new {
            self.entries[at] = (key, self.query);
            self.len += 1;
        }
        new
    }

    /// Whether a pair was inserted since the last start.
    pub(crate) fn contains(&self, a: u32, b: u32) -> bool {
        !self.entries.is_empty() && self.entries[self.find(key(a, b))].1 == self.query
    }

    /// The index of the key, or the index where it would be inserted.
    fn find(&self, key: u64) -> usize {
        let mask = self.entries.len() - 1;
        // The upper bits of the product depend on all bits of the key.
        let mut at = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & mask;
        while self.entries[at].1 == self.query && self.entries[at].0 != key {
            at = (at + 1) & mask;
        }
        at
    }

    fn grow(&mut self) {
        let size = (2 * self.entries.len()).max(64);
        let old = std::mem::replace(&mut self.entries, vec![(0, 0); size]);
        self.query = self.query.max(1);
        for (key, _) in old.into_iter().filter(|(_, query)| *query == self.query) {
            let at = self.find(key);
            self.entries[at] = (key, self.query);
        }
    }
}

fn key(a: u32, b: u32) -> u64 {
    u64::from(a) << 32 | u64::from(b)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use impinge::internals::Random;

    #[test]
    fn agrees_with_a_hash_set() {
        let mut random = Random::new(1);
        let mut ours = VisitedPairs::default();
        for round in 0..50 {
            if round == 30 {
                ours.query = u32::MAX - 5; // the counter wraps soon
            }
            ours.start();
            let mut theirs = HashSet::new();
            for _ in 0..round * 20 {
                let pair = ((random.bits() % 40) as u32, (random.bits() % 40) as u32);
                assert_eq!(ours.contains(pair.0, pair.1), theirs.contains(&pair));
                assert_eq!(ours.insert(pair.0, pair.1), theirs.insert(pair));
            }
        }
    }
}
