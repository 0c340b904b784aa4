//! The first pass of a frame: the new boxes, and which of them left their skins.

use std::ops::Range;

use super::boxes::{BoxesMut, SkinnedBoxes};
use super::escape::{Escape, Motion};
use super::moved::{MovedItems, Scope};
use super::packed_box::PackedBox;
use super::slots::Slots;
use super::{Padded, min_batches_per_worker};
use crate::broad::{BoxF32, FrameInput};
use crate::wide::dispatch::{self, Task};
use crate::wide::{Wide, prefetch};
use crate::workers::{self, Chunks};

/// The number of slots ahead for which a box is prefetched.
const PREFETCH_SLOTS: usize = 40;
/// This many boxes stay in the cache of a core and are not prefetched.
const CACHED_BOXES: usize = 16 << 10;
/// Slots in a batch for one worker.
const SLOTS_PER_BATCH: usize = 2048;

/// Reads the boxes of a frame.
#[derive(Clone, Debug, Default)]
pub(super) struct BoxReader {
    /// The boxes that left their skins in this frame, by slots.
    escapes: Vec<Escape>,
    /// The same for each batch of slots.
    batches: Vec<Padded<Vec<Escape>>>,
}

impl BoxReader {
    /// The boxes that left their skins in this frame, in the order of the slots, each once.
    pub(super) fn escapes(&self) -> &[Escape] {
        &self.escapes
    }

    /// Reads the boxes that may have moved.
    pub(super) fn read(
        &mut self,
        frame: &FrameInput<'_>,
        scope: Scope,
        moved: &MovedItems,
        slots: &Slots,
        boxes: &mut SkinnedBoxes,
    ) {
        if scope == Scope::All {
            boxes.estimate_group_step(frame, slots);
            self.read_all(frame, slots, boxes);
        } else {
            boxes.stop_group();
            self.read_some(frame, moved.items(), slots, boxes);
        }
        boxes.remember_fast(&self.escapes, slots);
    }

    fn read_all(&mut self, frame: &FrameInput<'_>, slots: &Slots, boxes: &mut SkinnedBoxes) {
        let count = slots.len().div_ceil(SLOTS_PER_BATCH);
        if self.batches.len() < count {
            self.batches.resize_with(count, Padded::default);
        }
        let context = Context::new(boxes, frame);
        type Boxes<'a> = (&'a mut [PackedBox], (&'a [PackedBox], &'a [bool]));
        type Escapes<'a> = &'a mut [Padded<Vec<Escape>>];
        type Piece<'a> = (Range<usize>, (Escapes<'a>, Chunks<(&'a [u32], Boxes<'a>)>));
        let read = |(numbers, (batches, slots)): Piece<'_>| {
            let (items, (tight, (skins, in_group))) = slots.list;
            let new = items.chunks(SLOTS_PER_BATCH).zip(tight.chunks_mut(SLOTS_PER_BATCH));
            let old = skins.chunks(SLOTS_PER_BATCH).zip(in_group.chunks(SLOTS_PER_BATCH));
            for ((n, escapes), ((items, tight), (skins, in_group))) in
                numbers.zip(batches).zip(new.zip(old))
            {
                let (first_slot, escapes) = (n * SLOTS_PER_BATCH, &mut escapes.0);
                escapes.clear();
                let boxes = BoxesMut { tight, skins, in_group };
                dispatch::run(Read { context, first_slot, items, boxes, escapes });
            }
        };
        let BoxesMut { tight, skins, in_group } = boxes.for_reading();
        let chunks =
            Chunks { list: (slots.items(), (tight, (skins, in_group))), size: SLOTS_PER_BATCH };
        let list = (0..count, (&mut self.batches[..count], chunks));
        workers::share(list, min_batches_per_worker(slots.len()), read, || ());
        self.escapes.clear();
        for batch in &self.batches[..count] {
            self.escapes.extend_from_slice(&batch.0);
        }
    }

    fn read_some(
        &mut self,
        frame: &FrameInput<'_>,
        items: &[u32],
        slots: &Slots,
        boxes: &mut SkinnedBoxes,
    ) {
        self.escapes.clear();
        let context = Context::new(boxes, frame);
        let (boxes, escapes) = (boxes.for_reading(), &mut self.escapes);
        dispatch::run(ReadSome { context, items, slots: slots.of_items(), boxes, escapes });
        // An item may be named twice.
        self.escapes.sort_unstable();
        self.escapes.dedup_by_key(|escape| escape.slot());
    }

    pub(super) fn bytes(&self) -> usize {
        let batches: usize = self.batches.iter().map(|batch| batch.0.capacity()).sum();
        size_of::<Escape>() * (self.escapes.capacity() + batches)
    }
}

/// The input of a frame that is the same for all boxes.
#[derive(Clone, Copy)]
struct Context<'a> {
    bounds: &'a [BoxF32],
    width: f32,
    group_offset: [f32; 3],
    group_step: Option<[f32; 3]>,
    has_group: bool,
}

impl<'a> Context<'a> {
    fn new(boxes: &SkinnedBoxes, frame: &FrameInput<'a>) -> Self {
        let group = boxes.group();
        Self {
            bounds: frame.bounds,
            width: boxes.width().get(),
            group_offset: group.offset(),
            group_step: group.step(),
            has_group: group.members() > 0,
        }
    }
}

impl Context<'_> {
    /// The kind of motion of a box that left its skin.
    #[inline(always)]
    fn motion<W: Wide>(&self, old: &PackedBox, new: W) -> Motion {
        if let Some(step) = self.group_step {
            if old.has_moved_by::<W>(new, W::load(&packed_translation(step, 0.0)), self.width) {
                return Motion::WithGroup;
            }
        }
        if old.has_moved_further::<W>(new, self.width) { Motion::Fast } else { Motion::Slow }
    }
}

/// Reads the boxes of the items in consecutive slots.
struct Read<'a> {
    context: Context<'a>,
    first_slot: usize,
    items: &'a [u32],
    boxes: BoxesMut<'a>,
    escapes: &'a mut Vec<Escape>,
}

impl Task for Read<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Wide>(self) {
        // Compiled for each case, so that the loop has no tests for an absent group.
        match (self.context.has_group, self.context.bounds.len() > CACHED_BOXES) {
            (false, false) => self.read::<W, false, false>(),
            (false, true) => self.read::<W, false, true>(),
            (true, _) => self.read::<W, true, true>(),
        }
    }
}

impl Read<'_> {
    #[inline(always)]
    fn read<W: Wide, const GROUP: bool, const PREFETCH: bool>(self) {
        let Self { context, first_slot, items, boxes, escapes } = self;
        let BoxesMut { tight, skins, in_group } = boxes;
        let bounds = context.bounds;
        let offset = W::load(&packed_translation(context.group_offset, -1.0));
        let count = items.len();
        let (tight, skins, in_group) = (&mut tight[..count], &skins[..count], &in_group[..count]);
        for at in 0..count {
            // The boxes of a frame are in the order of the application, not in that of the slots.
            if PREFETCH {
                if let Some(ahead) = items.get(at + PREFETCH_SLOTS) {
                    if let Some(bounds) = bounds.get(*ahead as usize) {
                        prefetch(bounds);
                    }
                }
            }
            let new = match bounds.get(items[at] as usize) {
                Some(bounds) => PackedBox::load_bounds::<W>(bounds),
                None => W::splat(f32::NAN),
            };
            let is_held = if GROUP && in_group[at] {
                skins[at].contains_when_translated_mask::<W>(new, offset)
            } else {
                skins[at].contains_mask::<W>(new)
            };
            let is_full = PackedBox::non_empty_mask(new);
            if is_full.and(is_held).bits() == 255 {
                new.store(&mut tight[at].0);
            } else if is_full.bits() == 255 {
                escapes.push(Escape::new(first_slot + at, context.motion::<W>(&tight[at], new)));
                new.store(&mut tight[at].0);
            } else {
                // A box that was empty had no skin.
                if !skins[at].is_empty() {
                    escapes.push(Escape::new(first_slot + at, Motion::Slow));
                }
                tight[at] = PackedBox::EMPTY;
            }
        }
    }
}

/// Reads the boxes of some items.
struct ReadSome<'a> {
    context: Context<'a>,
    items: &'a [u32],
    /// The slot of each item.
    slots: &'a [u32],
    boxes: BoxesMut<'a>,
    escapes: &'a mut Vec<Escape>,
}

impl Task for ReadSome<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Wide>(self) {
        let Self { context, items, slots, boxes, escapes } = self;
        let BoxesMut { tight, skins, in_group } = boxes;
        for (n, item) in items.iter().enumerate() {
            let ahead = items.get(n + PREFETCH_SLOTS).and_then(|item| slots.get(*item as usize));
            if let Some(ahead) = ahead {
                prefetch(&tight[*ahead as usize]);
                prefetch(&skins[*ahead as usize]);
            }
            // An item that never had a box has no slot, and needs none.
            let Some(slot) = slots.get(*item as usize) else { continue };
            let at = *slot as usize;
            let one = Read {
                context,
                first_slot: at,
                items: std::slice::from_ref(item),
                boxes: BoxesMut {
                    tight: std::slice::from_mut(&mut tight[at]),
                    skins: &skins[at..=at],
                    in_group: &in_group[at..=at],
                },
                escapes,
            };
            one.read::<W, true, false>();
        }
    }
}

/// A translation as it applies to the lanes of a [`PackedBox`].
fn packed_translation([x, y, z]: [f32; 3], unused: f32) -> [f32; 8] {
    [x, y, z, unused, -x, -y, -z, unused]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broad::Moved;

    /// Boxes that stay in their skins, leave them, or become empty; all boxes read, and only named
    /// ones.
    #[test]
    fn escapes_are_the_boxes_that_left_their_skins() {
        let at = |x: f32| BoxF32 { min: [x, 0.0, 0.0], max: [x + 1.0, 1.0, 1.0] };
        let before: Vec<BoxF32> = (0..30).map(|n| at(3.0 * n as f32)).collect();
        let mut after = before.clone();
        after[4] = at(12.05);
        after[7] = at(21.25);
        after[9] = at(500.0);
        after[20] = BoxF32::EMPTY;
        after[22].min[1] = f32::NAN;
        let named = [22, 9, 7, 4, 4, 20, 20, 99];
        for moved in [Moved::All, Moved::Only(&named)] {
            let (mut reader, mut slots) = (BoxReader::default(), Slots::default());
            let (mut items, mut boxes) = (MovedItems::default(), SkinnedBoxes::default());
            slots.grow(30);
            boxes.grow(31);
            for (bounds, moved) in [(&before, Moved::All), (&after, moved)] {
                let frame = FrameInput { bounds, oriented: None, moved };
                let mut scope = items.gather(&frame, 31);
                if matches!(moved, Moved::Only(_)) {
                    scope = Scope::Some;
                }
                reader.read(&frame, scope, &items, &slots, &mut boxes);
                if reader.escapes().len() == 30 {
                    boxes.renew_all_skins(&[]);
                }
            }
            let found: Vec<_> =
                reader.escapes().iter().map(|e| (e.slot() - 1, e.motion())).collect();
            let (slow, fast) = (Motion::Slow, Motion::Fast);
            assert_eq!(found, [(7, fast), (9, fast), (20, slow), (22, slow)]);
            assert!(boxes.tight()[21].is_empty() && boxes.tight()[23].is_empty());
            boxes.renew_skins(reader.escapes(), &mut Vec::new());
            boxes.validate();
        }
    }
}
