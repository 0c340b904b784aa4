//! The first pass of a frame: new boxes, and which of them left their skins.

use rayon::prelude::*;

use super::drift::{Drift, Kind, slot_of};
use super::record::Turned;
use super::{Neighbours, Portion};
use crate::broad::{Bounds, Frame};
use crate::wide::dispatch::{self, Task};
use crate::wide::{Wide, prefetch};

/// Boxes are asked for so many slots before they are read.
const AHEAD: usize = 12;
/// Slots that a thread takes at a time.
const PORTION: usize = 4096;

impl Neighbours {
    /// Takes the new boxes of all items.
    pub(super) fn read_all(&mut self, frame: &Frame<'_>) {
        let count = self.items.len().div_ceil(PORTION);
        if self.portions.len() < count {
            self.portions.resize_with(count, Portion::default);
        }
        let manner = Manner::new(self, frame);
        let read = |(first, items, tight, (fat, adrift), portion): Input<'_>| {
            portion.escaped.clear();
            let escaped = &mut portion.escaped;
            let first = first * PORTION;
            dispatch::run(Read { manner, first, items, tight, fat, adrift, escaped });
        };
        let shared = self.is_shared();
        let portions = &mut self.portions[..count];
        if shared {
            (self.items.par_chunks(PORTION), self.tight.par_chunks_mut(PORTION))
                .into_par_iter()
                .zip(
                    (self.fat.par_chunks(PORTION), self.adrift.par_chunks(PORTION)).into_par_iter(),
                )
                .zip(portions)
                .enumerate()
                .for_each(|(n, (((items, tight), old), portion))| {
                    read((n, items, tight, old, portion));
                });
        } else {
            let chunks = self.items.chunks(PORTION).zip(self.tight.chunks_mut(PORTION));
            let others = self.fat.chunks(PORTION).zip(self.adrift.chunks(PORTION)).zip(portions);
            for (n, ((items, tight), (old, portion))) in chunks.zip(others).enumerate() {
                read((n, items, tight, old, portion));
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
        self.drift.step = None;
        let manner = Manner::new(self, frame);
        for item in items {
            // An item that never had a box has no slot, and needs none.
            let Some(slot) = self.slots.get(*item as usize) else { continue };
            let at = *slot as usize;
            let one = [*item];
            dispatch::run(Read {
                manner,
                first: at,
                items: &one,
                tight: std::slice::from_mut(&mut self.tight[at]),
                fat: &self.fat[at..=at],
                adrift: &self.adrift[at..=at],
                escaped: &mut self.escaped,
            });
        }
        // An item may be named twice.
        self.escaped.sort_unstable();
        self.escaped.dedup_by_key(|entry| slot_of(*entry));
    }
}

type Input<'a> = (usize, &'a [u32], &'a mut [Turned], (&'a [Turned], &'a [bool]), &'a mut Portion);

/// What holds for all boxes that are read.
#[derive(Clone, Copy)]
struct Manner<'a> {
    bounds: &'a [Bounds],
    width: f32,
    offset: [f32; 3],
    step: Option<[f32; 3]>,
}

impl<'a> Manner<'a> {
    fn new(all: &Neighbours, frame: &Frame<'a>) -> Self {
        let Drift { offset, step, .. } = all.drift;
        Self { bounds: frame.bounds, width: all.skin.width, offset, step }
    }
}

/// Reads the boxes of the items in a row of slots.
struct Read<'a> {
    manner: Manner<'a>,
    /// The first of the slots.
    first: usize,
    items: &'a [u32],
    tight: &'a mut [Turned],
    fat: &'a [Turned],
    adrift: &'a [bool],
    escaped: &'a mut Vec<u32>,
}

impl Task for Read<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Wide>(self) {
        let Manner { bounds, width, offset, step } = self.manner;
        let offset = W::load(&facing_both_ways(offset));
        let step_by = W::load(&facing_both_ways(step.unwrap_or([f32::NAN; 3])));
        let count = self.items.len();
        let (tight, fat, adrift) =
            (&mut self.tight[..count], &self.fat[..count], &self.adrift[..count]);
        for (at, item) in self.items.iter().enumerate() {
            // Items lie in memory as the application has them, not as they lie in space.
            if let Some(soon) = self.items.get(at + AHEAD) {
                if let Some(bounds) = bounds.get(*soon as usize) {
                    prefetch(bounds);
                }
            }
            let new = match bounds.get(*item as usize) {
                Some(bounds) => Turned::read::<W>(bounds),
                None => W::splat(f32::NAN),
            };
            let held = match adrift[at] {
                false => fat[at].contains::<W>(new),
                true => fat[at].holds_adrift_wide::<W>(new, offset),
            };
            if !held {
                let old = &tight[at];
                let kind = if step.is_some() && old.follows::<W>(new, step_by, width) {
                    Kind::Adrift
                } else if old.is_off::<W>(new, width) {
                    Kind::Fast
                } else {
                    Kind::Slow
                };
                // What is empty and was so has not left anything.
                let gone = new.le(new).bits() == 0 && fat[at].is_empty();
                if !gone {
                    self.escaped.push(kind.entry(self.first + at));
                }
            }
            new.store(&mut tight[at].0);
        }
    }
}

/// Three numbers for the lower sides of a box, and for the upper ones, whose signs are turned.
fn facing_both_ways([x, y, z]: [f32; 3]) -> [f32; 8] {
    [x, y, z, 0.0, -x, -y, -z, 0.0]
}
