//! Disjoint sets with path halving and union by index: the smallest member represents its set.

/// Disjoint sets of the numbers below a bound.
#[derive(Clone, Debug)]
pub(super) struct UnionFind {
    parent: Vec<u32>,
}

impl UnionFind {
    pub(super) fn new(count: usize) -> Self {
        Self { parent: (0..super::connectivity::index(count)).collect() }
    }

    /// The smallest member of the set of `i`.
    pub(super) fn find(&mut self, mut i: u32) -> u32 {
        while self.parent[i as usize] != i {
            let grandparent = self.parent[self.parent[i as usize] as usize];
            self.parent[i as usize] = grandparent;
            i = grandparent;
        }
        i
    }

    /// Merges the sets of `a` and `b`; returns whether they were different.
    pub(super) fn unite(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        let (low, high) = (a.min(b), a.max(b));
        self.parent[high as usize] = low;
        low != high
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_member_represents_its_set() {
        let mut sets = UnionFind::new(6);
        assert!(sets.unite(5, 3) && sets.unite(3, 4) && !sets.unite(4, 5));
        assert_eq!([0, 1, 2, 3, 4, 5].map(|i| sets.find(i)), [0, 1, 2, 3, 3, 3]);
    }
}
