//! Lists of pairs of links, written eight at a time.

use super::lanes::Wide;
use super::node::Link;

/// Pairs of links to parts of A and of B. The arrays are longer than `count`: pairs are written eight at a time, and only then is it known how many are real.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    a: Vec<Link>,
    b: Vec<Link>,
    pub(super) count: usize,
}

impl Pairs {
    /// Makes room for the results of one step.
    #[inline(always)]
    pub(super) fn reserve(&mut self) {
        if self.a.len() < self.count + 80 {
            self.a.resize(2 * self.count + 256, Link::NONE);
            self.b.resize(2 * self.count + 256, Link::NONE);
        }
    }

    pub(super) fn push(&mut self, a: Link, b: Link) {
        self.reserve();
        (self.a[self.count], self.b[self.count]) = (a, b);
        self.count += 1;
    }

    /// One link of A with those of B whose bits are set.
    #[inline(always)]
    pub(super) fn row<W: Wide>(&mut self, a: Link, b: &[Link; 8], mask: u32) {
        let (to_a, to_b) = self.room();
        *to_a = [a; 8];
        W::pack(b, mask, to_b);
        self.count += mask.count_ones() as usize;
    }

    /// One link of B with those of A whose bits are set.
    #[inline(always)]
    pub(super) fn column<W: Wide>(&mut self, a: &[Link; 8], b: Link, mask: u32) {
        let (to_a, to_b) = self.room();
        W::pack(a, mask, to_a);
        *to_b = [b; 8];
        self.count += mask.count_ones() as usize;
    }

    /// The eight places behind the last pair.
    #[inline(always)]
    fn room(&mut self) -> (&mut [Link; 8], &mut [Link; 8]) {
        let places = self.count..self.count + 8;
        let made = "room was made for a step's results";
        (
            self.a[places.clone()].first_chunk_mut().expect(made),
            self.b[places].first_chunk_mut().expect(made),
        )
    }

    #[inline(always)]
    pub(super) fn get(&self, k: usize) -> (Link, Link) {
        (self.a[k], self.b[k])
    }
}
