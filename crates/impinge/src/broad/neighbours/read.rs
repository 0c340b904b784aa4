//! The first pass of a frame: new boxes, and which of them left their skins.

use rayon::prelude::*;

use super::record::Turned;
use super::{Neighbours, Portion};
use crate::broad::{Bounds, Frame};
use crate::wide::Wide;
use crate::wide::dispatch::{self, Task};

/// Slots that a thread takes at a time.
const PORTION: usize = 4096;

impl Neighbours {
    /// Takes the new boxes of all items.
    pub(super) fn read_all(&mut self, frame: &Frame<'_>) {
        let count = self.items.len().div_ceil(PORTION);
        if self.portions.len() < count {
            self.portions.resize_with(count, Portion::default);
        }
        let width = self.skin.width;
        let read = |(first, items, tight, fat, portion): Input<'_>| {
            portion.escaped.clear();
            let escaped = &mut portion.escaped;
            let first = first * PORTION;
            dispatch::run(Read { bounds: frame.bounds, width, first, items, tight, fat, escaped });
        };
        let shared = self.is_shared();
        let portions = &mut self.portions[..count];
        if shared {
            (self.items.par_chunks(PORTION), self.tight.par_chunks_mut(PORTION))
                .into_par_iter()
                .zip((self.fat.par_chunks(PORTION), portions).into_par_iter())
                .enumerate()
                .for_each(|(n, ((items, tight), (fat, portion)))| {
                    read((n, items, tight, fat, portion));
                });
        } else {
            let chunks = self.items.chunks(PORTION).zip(self.tight.chunks_mut(PORTION));
            let others = self.fat.chunks(PORTION).zip(portions);
            for (n, ((items, tight), (fat, portion))) in chunks.zip(others).enumerate() {
                read((n, items, tight, fat, portion));
            }
        }
        self.escaped.clear();
        for portion in &self.portions[..count] {
            self.escaped.extend_from_slice(&portion.escaped);
        }
    }

    /// Takes the new boxes of some items.
    pub(super) fn read_some(&mut self, frame: &Frame<'_>, items: &[u32]) {
        self.escaped.clear();
        for item in items {
            // An item that never had a box has no slot, and needs none.
            let Some(slot) = self.slots.get(*item as usize) else { continue };
            let at = *slot as usize;
            let one = [*item];
            dispatch::run(Read {
                bounds: frame.bounds,
                width: self.skin.width,
                first: at,
                items: &one,
                tight: std::slice::from_mut(&mut self.tight[at]),
                fat: &self.fat[at..=at],
                escaped: &mut self.escaped,
            });
        }
        // An item may be named twice.
        self.escaped.sort_unstable();
        self.escaped.dedup_by_key(|entry| *entry / 2);
    }
}

type Input<'a> = (usize, &'a [u32], &'a mut [Turned], &'a [Turned], &'a mut Portion);

/// Reads the boxes of the items in a row of slots.
struct Read<'a> {
    bounds: &'a [Bounds],
    width: f32,
    /// The first of the slots.
    first: usize,
    items: &'a [u32],
    tight: &'a mut [Turned],
    fat: &'a [Turned],
    escaped: &'a mut Vec<u32>,
}

impl Task for Read<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Wide>(self) {
        for (at, ((item, tight), fat)) in
            self.items.iter().zip(self.tight).zip(self.fat).enumerate()
        {
            let mut new = Turned::EMPTY;
            if let Some(bounds) = self.bounds.get(*item as usize) {
                new.set::<W>(bounds);
            }
            let old = std::mem::replace(tight, new);
            if !fat.contains::<W>(&new) && !(new.is_empty() && fat.is_empty()) {
                let fast = old.change(&new) > self.width;
                self.escaped.push(2 * (self.first + at) as u32 + u32::from(fast));
            }
        }
    }
}
