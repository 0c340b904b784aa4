//! A set of pairs of items with the list of each item's pairs.

use std::collections::HashMap;

use crate::arrays::MapEach;
use crate::broad::{KeyHasher, Pair};

/// A set of pairs. Adding, removing and finding a pair takes constant time, also for an item with
/// many pairs.
#[derive(Clone, Debug, Default)]
pub(super) struct PairSet {
    pairs: Vec<Linked>,
    numbers: HashMap<u64, u32, KeyHasher>,
    /// The numbers of the pairs of each item.
    of: Vec<Vec<u32>>,
}

/// A pair, and its positions in the lists of its items.
#[derive(Clone, Copy, Debug)]
struct Linked {
    pair: Pair,
    positions: [u32; 2],
}

impl PairSet {
    /// Makes lists for items below `count`.
    pub(super) fn grow(&mut self, count: usize) {
        if self.of.len() < count {
            self.of.resize_with(count, Vec::new);
        }
    }

    /// Allocates memory for this many pairs.
    pub(super) fn reserve(&mut self, pairs: usize) {
        self.pairs.reserve(pairs.saturating_sub(self.pairs.len()));
        self.numbers.reserve(pairs.saturating_sub(self.numbers.len()));
    }

    pub(super) fn contains(&self, pair: Pair) -> bool {
        self.numbers.contains_key(&key(pair))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Pair> + '_ {
        self.pairs.iter().map(|linked| linked.pair)
    }

    /// The number of pairs of an item.
    pub(super) fn count_of(&self, item: u32) -> usize {
        self.of.get(item as usize).map_or(0, Vec::len)
    }

    /// One of the pairs of an item.
    pub(super) fn pair_of(&self, item: u32, position: usize) -> Pair {
        self.pairs[self.of[item as usize][position] as usize].pair
    }

    /// Adds a pair that is not in the set.
    pub(super) fn insert(&mut self, pair: Pair) {
        let number = self.pairs.len() as u32;
        let positions = [pair.a, pair.b].map_each(|item| {
            let list = &mut self.of[item as usize];
            list.push(number);
            list.len() as u32 - 1
        });
        self.numbers.insert(key(pair), number);
        self.pairs.push(Linked { pair, positions });
    }

    /// Removes a pair; returns whether it was in the set.
    pub(super) fn remove(&mut self, pair: Pair) -> bool {
        let Some(number) = self.numbers.remove(&key(pair)) else { return false };
        let positions = self.pairs[number as usize].positions;
        for (item, position) in [pair.a, pair.b].into_iter().zip(positions) {
            let list = &mut self.of[item as usize];
            list.swap_remove(position as usize);
            if let Some(moved) = list.get(position as usize) {
                let moved = &mut self.pairs[*moved as usize];
                moved.positions[usize::from(moved.pair.a != item)] = position;
            }
        }
        self.pairs.swap_remove(number as usize);
        if let Some(moved) = self.pairs.get(number as usize).copied() {
            let Pair { a, b } = moved.pair;
            for (item, position) in [a, b].into_iter().zip(moved.positions) {
                self.of[item as usize][position as usize] = number;
            }
            self.numbers.insert(key(moved.pair), number);
        }
        true
    }

    pub(super) fn bytes(&self) -> usize {
        let lists: usize = self.of.iter().map(|list| list.capacity() * size_of::<u32>()).sum();
        self.pairs.capacity() * size_of::<Linked>()
            + self.numbers.capacity() * (size_of::<(u64, u32)>() + 1)
            + self.of.capacity() * size_of::<Vec<u32>>()
            + lists
    }
}

fn key(pair: Pair) -> u64 {
    u64::from(pair.a) << 32 | u64::from(pair.b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;
    use std::collections::BTreeSet;

    #[test]
    fn the_set_and_the_lists_agree_with_a_plain_set() {
        let mut random = Random::new(17);
        let (mut set, mut plain) = (PairSet::default(), BTreeSet::new());
        set.grow(12);
        for _ in 0..20_000 {
            let (a, b) = (random.index(12) as u32, random.index(12) as u32);
            if a == b {
                continue;
            }
            let pair = Pair::new(a, b);
            assert_eq!(set.contains(pair), plain.contains(&pair));
            if random.index(2) == 0 {
                assert_eq!(set.remove(pair), plain.remove(&pair));
            } else if plain.insert(pair) {
                set.insert(pair);
            }
            let listed: BTreeSet<Pair> = set.iter().collect();
            assert_eq!(listed, plain);
            let of: BTreeSet<Pair> = (0..set.count_of(a)).map(|at| set.pair_of(a, at)).collect();
            assert!(of.iter().eq(plain.iter().filter(|p| p.a == a || p.b == a)));
            assert_eq!(of.len(), set.count_of(a));
        }
    }
}
