//! Pairs of lanes, eight to a vector: the pairs of eight by eight that pass a first test.

use crate::wide::{Wide, set_bits};

/// Capacity: every pair of eight by eight.
const MAX_PAIRS: usize = 64;

/// Pairs of a lane of A and a lane of B. Entries beyond `count` are arbitrary.
#[derive(Clone, Debug)]
pub(super) struct Lanes {
    a: [u8; MAX_PAIRS],
    b: [u8; MAX_PAIRS],
    pub(super) count: usize,
}

impl Lanes {
    pub(super) const NONE: Self = Self { a: [0; MAX_PAIRS], b: [0; MAX_PAIRS], count: 0 };

    /// Adds a lane of A with every lane of B whose bit is set. Each lane of A is added at most
    /// once.
    #[inline(always)]
    pub(super) fn add(&mut self, lane: usize, others: u32) {
        let entries = self.count..self.count + 8;
        self.a[entries.clone()].copy_from_slice(&[lane as u8; 8]);
        self.b[entries].copy_from_slice(set_bits(others));
        self.count += others.count_ones() as usize;
    }

    /// The eight pairs from `start` on, a multiple of eight.
    #[inline(always)]
    pub(super) fn get(&self, start: usize) -> (&[u8; 8], &[u8; 8]) {
        let message = "start is a multiple of eight below 64";
        (
            self.a[start..].first_chunk().expect(message),
            self.b[start..].first_chunk().expect(message),
        )
    }

    /// A mask of the pairs among these eight that are below `count`.
    #[inline(always)]
    pub(super) fn real<W: Wide>(&self, start: usize) -> W {
        const LANES: [f32; 8] = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
        W::load(&LANES).lt(W::splat((self.count - start) as f32))
    }
}
