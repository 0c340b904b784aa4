//! Pairs of lanes, eight to a vector: what is left of eight by eight after a first look.

use crate::wide::{Wide, set_bits};

/// Room for every pair of eight and eight.
const ROOM: usize = 64;

/// Pairs of a lane of A and a lane of B. What is behind the last one is arbitrary.
#[derive(Clone, Debug)]
pub(super) struct Lanes {
    a: [u8; ROOM],
    b: [u8; ROOM],
    pub(super) count: usize,
}

impl Lanes {
    pub(super) const NONE: Self = Self { a: [0; ROOM], b: [0; ROOM], count: 0 };

    /// A lane of A with the lanes of B whose bits are set. Each lane of A comes once.
    #[inline(always)]
    pub(super) fn add(&mut self, lane: usize, others: u32) {
        let places = self.count..self.count + 8;
        self.a[places.clone()].copy_from_slice(&[lane as u8; 8]);
        self.b[places].copy_from_slice(set_bits(others));
        self.count += others.count_ones() as usize;
    }

    /// The eight pairs from a multiple of eight on.
    #[inline(always)]
    pub(super) fn get(&self, start: usize) -> (&[u8; 8], &[u8; 8]) {
        let inside = "groups of eight fill the room";
        (self.a[start..].first_chunk().expect(inside), self.b[start..].first_chunk().expect(inside))
    }

    /// A mask of those of the eight pairs from there on that are real.
    #[inline(always)]
    pub(super) fn real<W: Wide>(&self, start: usize) -> W {
        const PLACES: [f32; 8] = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
        W::load(&PLACES).lt(W::splat((self.count - start) as f32))
    }
}
