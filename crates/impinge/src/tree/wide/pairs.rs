//! Lists of pairs of links, to which up to eight pairs are written at once.

use crate::wide::Wide;

use super::node::Link;

/// Pairs of links into A and B. The arrays are longer than `count`: pairs are written eight at a
/// time, and only the real ones among them are counted.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    a: Vec<u32>,
    b: Vec<u32>,
    pub(super) count: usize,
}

impl Pairs {
    pub(super) const NONE: Self = Self { a: Vec::new(), b: Vec::new(), count: 0 };

    /// Makes room for the results of one step: at most 64 pairs, and the surplus of writing eight
    /// at a time.
    #[inline(always)]
    pub(super) fn reserve(&mut self) {
        if self.a.len() < self.count + 80 {
            self.a.resize(2 * self.count + 256, 0);
            self.b.resize(2 * self.count + 256, 0);
        }
    }

    #[inline(always)]
    pub(super) fn push(&mut self, a: Link, b: Link) {
        self.reserve();
        (self.a[self.count], self.b[self.count]) = (a.number(), b.number());
        self.count += 1;
    }

    /// Adds the pairs of another list.
    pub(super) fn append(&mut self, other: &Self) {
        let end = self.count + other.count;
        if self.a.len() < end {
            self.a.resize(2 * end, 0);
            self.b.resize(2 * end, 0);
        }
        self.a[self.count..end].copy_from_slice(&other.a[..other.count]);
        self.b[self.count..end].copy_from_slice(&other.b[..other.count]);
        self.count = end;
    }

    /// Adds one link of A with each link of B whose bit is set.
    #[inline(always)]
    pub(super) fn add_row<W: Wide>(&mut self, a: Link, b: &[Link; 8], mask: u32) {
        let (to_a, to_b) = self.free_entries();
        *to_a = [a.number(); 8];
        W::pack(&Link::numbers(b), mask, to_b);
        self.count += mask.count_ones() as usize;
    }

    /// Adds one link of B with each link of A whose bit is set.
    #[inline(always)]
    pub(super) fn add_column<W: Wide>(&mut self, a: &[Link; 8], b: Link, mask: u32) {
        let (to_a, to_b) = self.free_entries();
        W::pack(&Link::numbers(a), mask, to_a);
        *to_b = [b.number(); 8];
        self.count += mask.count_ones() as usize;
    }

    /// Adds the pairs whose bits are set: pair `k` has the links of A and B at the `k`-th positions
    /// given.
    #[inline(always)]
    pub(super) fn add_pairs<W: Wide>(
        &mut self,
        a: (&[Link; 8], &[u8; 8]),
        b: (&[Link; 8], &[u8; 8]),
        mask: u32,
    ) {
        let (to_a, to_b) = self.free_entries();
        W::pack_permuted(&Link::numbers(a.0), a.1, mask, to_a);
        W::pack_permuted(&Link::numbers(b.0), b.1, mask, to_b);
        self.count += mask.count_ones() as usize;
    }

    /// The eight entries behind the last pair.
    #[inline(always)]
    fn free_entries(&mut self) -> (&mut [u32; 8], &mut [u32; 8]) {
        let entries = self.count..self.count + 8;
        let message = "reserve() was called before the step";
        (
            self.a[entries.clone()].first_chunk_mut().expect(message),
            self.b[entries].first_chunk_mut().expect(message),
        )
    }

    /// Removes the last pair.
    #[inline(always)]
    pub(super) fn pop(&mut self) -> Option<(Link, Link)> {
        if self.count == 0 {
            return None;
        }
        self.count -= 1;
        Some(self.get(self.count))
    }

    #[inline(always)]
    pub(super) fn get(&self, k: usize) -> (Link, Link) {
        (Link::from_number(self.a[k]), Link::from_number(self.b[k]))
    }
}
