//! Lists of pairs of links, written eight at a time.

use crate::wide::Wide;

use super::node::Link;

/// Pairs of links to parts of A and of B. The arrays are longer than `count`: pairs are written
/// eight at a time, and only then is it known how many are real.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    a: Vec<u32>,
    b: Vec<u32>,
    pub(super) count: usize,
}

impl Pairs {
    pub(super) const NONE: Self = Self { a: Vec::new(), b: Vec::new(), count: 0 };

    /// Makes room for the results of one step.
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

    /// One link of A with those of B whose bits are set.
    #[inline(always)]
    pub(super) fn row<W: Wide>(&mut self, a: Link, b: &[Link; 8], mask: u32) {
        let (to_a, to_b) = self.room();
        *to_a = [a.number(); 8];
        W::pack(&Link::numbers(b), mask, to_b);
        self.count += mask.count_ones() as usize;
    }

    /// One link of B with those of A whose bits are set.
    #[inline(always)]
    pub(super) fn column<W: Wide>(&mut self, a: &[Link; 8], b: Link, mask: u32) {
        let (to_a, to_b) = self.room();
        W::pack(&Link::numbers(a), mask, to_a);
        *to_b = [b.number(); 8];
        self.count += mask.count_ones() as usize;
    }

    /// The links of A and of B at the places given, pair by pair, of those whose bits are set.
    #[inline(always)]
    pub(super) fn pairs<W: Wide>(
        &mut self,
        a: (&[Link; 8], &[u8; 8]),
        b: (&[Link; 8], &[u8; 8]),
        mask: u32,
    ) {
        let (to_a, to_b) = self.room();
        W::pack_permuted(&Link::numbers(a.0), a.1, mask, to_a);
        W::pack_permuted(&Link::numbers(b.0), b.1, mask, to_b);
        self.count += mask.count_ones() as usize;
    }

    /// The eight places behind the last pair.
    #[inline(always)]
    fn room(&mut self) -> (&mut [u32; 8], &mut [u32; 8]) {
        let places = self.count..self.count + 8;
        let made = "room was made for a step's results";
        (
            self.a[places.clone()].first_chunk_mut().expect(made),
            self.b[places].first_chunk_mut().expect(made),
        )
    }

    /// Takes the last pair.
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
