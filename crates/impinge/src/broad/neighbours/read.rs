//! The first pass of a frame: new boxes, and which of them left their skins.

use std::ops::Range;

use super::drift::{Drift, Kind, slot_of};
use super::record::Turned;
use super::{Neighbours, Portion};
use crate::broad::{Bounds, Frame};
use crate::crew::{self, Chunks};
use crate::wide::dispatch::{self, Task};
use crate::wide::{Wide, prefetch};

/// Boxes are asked for so many slots before they are read.
const AHEAD: usize = 40;
/// So many boxes stay in a core's own cache and need not be asked for.
const CACHED: usize = 16 << 10;
/// Slots that a thread takes at a time.
const PORTION: usize = 2048;

impl Neighbours {
    /// Takes the new boxes of all items.
    pub(super) fn read_all(&mut self, frame: &Frame<'_>) {
        let count = self.items.len().div_ceil(PORTION);
        if self.portions.len() < count {
            self.portions.resize_with(count, Portion::default);
        }
        let (manner, sharing) = (Manner::new(self, frame), self.sharing());
        type Boxes<'a> = (&'a mut [Turned], (&'a [Turned], &'a [bool]));
        type Piece<'a> = (Range<usize>, (&'a mut [Portion], Chunks<(&'a [u32], Boxes<'a>)>));
        let read = |(numbers, (portions, slots)): Piece<'_>| {
            let (items, (tight, (fat, adrift))) = slots.list;
            let new = items.chunks(PORTION).zip(tight.chunks_mut(PORTION));
            let old = fat.chunks(PORTION).zip(adrift.chunks(PORTION));
            for ((n, portion), ((items, tight), (fat, adrift))) in
                numbers.zip(portions).zip(new.zip(old))
            {
                let (first, escaped) = (n * PORTION, &mut portion.escaped);
                escaped.clear();
                dispatch::run(Read { manner, first, items, tight, fat, adrift, escaped });
            }
        };
        let boxes = (&mut self.tight[..], (&self.fat[..], &self.adrift[..]));
        let slots = Chunks { list: (&self.items[..], boxes), size: PORTION };
        let list = (0..count, (&mut self.portions[..count], slots));
        crew::share(list, sharing, read, || ());
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
        let Self { slots, tight, fat, adrift, escaped, .. } = self;
        dispatch::run(ReadSome { manner, items, slots, tight, fat, adrift, escaped });
        // An item may be named twice.
        self.escaped.sort_unstable();
        self.escaped.dedup_by_key(|entry| slot_of(*entry));
    }
}

/// What holds for all boxes that are read.
#[derive(Clone, Copy)]
struct Manner<'a> {
    bounds: &'a [Bounds],
    width: f32,
    offset: [f32; 3],
    step: Option<[f32; 3]>,
    /// Whether any boxes are adrift.
    adrift: bool,
}

impl<'a> Manner<'a> {
    fn new(all: &Neighbours, frame: &Frame<'a>) -> Self {
        let Drift { offset, step, members, .. } = all.drift;
        let adrift = members > 0;
        Self { bounds: frame.bounds, width: all.skin.width, offset, step, adrift }
    }
}

impl Manner<'_> {
    /// How a box moved that left its skin.
    #[inline(always)]
    fn kind<W: Wide>(&self, old: &Turned, new: W) -> Kind {
        if let Some(step) = self.step {
            if old.follows::<W>(new, W::load(&facing_both_ways(step, 0.0)), self.width) {
                return Kind::Adrift;
            }
        }
        if old.is_off::<W>(new, self.width) { Kind::Fast } else { Kind::Slow }
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
        // What is not there is not asked about in every step.
        match (self.manner.adrift, self.manner.bounds.len() > CACHED) {
            (false, false) => self.read::<W, false, false>(),
            (false, true) => self.read::<W, false, true>(),
            (true, _) => self.read::<W, true, true>(),
        }
    }
}

impl Read<'_> {
    #[inline(always)]
    fn read<W: Wide, const ADRIFT: bool, const PREFETCH: bool>(self) {
        let Self { manner, first, items, tight, fat, adrift, escaped } = self;
        let bounds = manner.bounds;
        let offset = W::load(&facing_both_ways(manner.offset, -1.0));
        let count = items.len();
        let (tight, fat, adrift) = (&mut tight[..count], &fat[..count], &adrift[..count]);
        for at in 0..count {
            // Items lie in memory as the application has them, not as they lie in space.
            if PREFETCH {
                if let Some(soon) = items.get(at + AHEAD) {
                    if let Some(bounds) = bounds.get(*soon as usize) {
                        prefetch(bounds);
                    }
                }
            }
            let new = match bounds.get(items[at] as usize) {
                Some(bounds) => Turned::read::<W>(bounds),
                None => W::splat(f32::NAN),
            };
            let held = if ADRIFT && adrift[at] {
                fat[at].holds_adrift_wide::<W>(new, offset)
            } else {
                fat[at].contains::<W>(new)
            };
            let full = Turned::is_full(new);
            if full.and(held).bits() == 255 {
                new.store(&mut tight[at].0);
            } else if full.bits() == 255 {
                escaped.push(manner.kind::<W>(&tight[at], new).entry(first + at));
                new.store(&mut tight[at].0);
            } else {
                // What was empty has not left anything.
                if !fat[at].is_empty() {
                    escaped.push(Kind::Slow.entry(first + at));
                }
                tight[at] = Turned::EMPTY;
            }
        }
    }
}

/// Reads the boxes of some items.
struct ReadSome<'a> {
    manner: Manner<'a>,
    items: &'a [u32],
    slots: &'a [u32],
    tight: &'a mut [Turned],
    fat: &'a [Turned],
    adrift: &'a [bool],
    escaped: &'a mut Vec<u32>,
}

impl Task for ReadSome<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Wide>(self) {
        let Self { manner, items, slots, tight, fat, adrift, escaped } = self;
        for (n, item) in items.iter().enumerate() {
            if let Some(soon) = items.get(n + AHEAD).and_then(|item| slots.get(*item as usize)) {
                prefetch(&tight[*soon as usize]);
                prefetch(&fat[*soon as usize]);
            }
            // An item that never had a box has no slot, and needs none.
            let Some(slot) = slots.get(*item as usize) else { continue };
            let at = *slot as usize;
            let one = Read {
                manner,
                first: at,
                items: std::slice::from_ref(item),
                tight: std::slice::from_mut(&mut tight[at]),
                fat: &fat[at..=at],
                adrift: &adrift[at..=at],
                escaped,
            };
            one.read::<W, true, false>();
        }
    }
}

/// Three numbers for the lower sides of a box, and for the upper ones, whose signs are turned.
fn facing_both_ways([x, y, z]: [f32; 3], unused: f32) -> [f32; 8] {
    [x, y, z, unused, -x, -y, -z, unused]
}
