//! Which pairs of supporting vertices a search has met, in constant time (Leung 1996, section 4.4).
//!
//! The thesis keeps a time-stamp for every pair of vertices, which for two bodies of 2,000 vertices
//! are four million. A search meets a few dozen pairs, so here the stamps sit in an open hash table
//! of a few dozen places; clearing it is counting up, as there.

/// The pairs met since the last [`Visited::begin`].
#[derive(Clone, Debug, Default)]
pub(super) struct Visited {
    places: Vec<Place>,
    now: u32,
    count: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct Place {
    stamp: u32,
    pair: (u32, u32),
}

impl Visited {
    /// Forgets all pairs.
    pub(super) fn begin(&mut self) {
        self.count = 0;
        if self.now == u32::MAX {
            self.places.fill(Place::default());
            self.now = 0;
        }
        self.now += 1;
    }

    /// Takes in a pair; true if it is new.
    pub(super) fn insert(&mut self, pair: (u32, u32)) -> bool {
        if (self.count + 1) * 2 > self.places.len() {
            self.grow();
        }
        self.put(pair)
    }

    fn put(&mut self, pair: (u32, u32)) -> bool {
        let mask = self.places.len() - 1;
        let key = (u64::from(pair.0) << 32) | u64::from(pair.1);
        // Fibonacci hashing: the high bits of the product are well mixed.
        let mut at = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & mask;
        loop {
            let place = &mut self.places[at];
            if place.stamp != self.now {
                *place = Place { stamp: self.now, pair };
                self.count += 1;
                return true;
            }
            if place.pair == pair {
                return false;
            }
            at = (at + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let size = (self.places.len() * 2).max(32);
        let old = std::mem::replace(&mut self.places, vec![Place::default(); size]);
        self.count = 0;
        for place in old {
            if place.stamp == self.now {
                self.put(place.pair);
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
    fn as_a_set_does() {
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
