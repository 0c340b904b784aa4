//! The bodies of a world, and the tree of parents.

mod order;
#[cfg(feature = "serde")]
pub(super) mod serial;

use super::placing::Placed;
use super::{Body, BoxKind, Geometry, Handle};
use crate::broad::{BoxF32, FrameInput, Moved};
use crate::error::{Error, ErrorKind};
use crate::math::OrientedBox;
use crate::math::{MAX_COORDINATE, Pose};
use crate::mesh::MeshRefitState;

/// Memory for bodies that moved, between two calls of the broad phase within a budget.
const BODIES_TO_NOTE: usize = 64;
/// The slot of no body.
pub(super) const NONE: u32 = u32::MAX;
/// The largest number of bodies. Broad phases store slots in this number of bits.
pub(super) const MAX_BODIES: u32 = 1 << 29;

/// All bodies, by slots.
#[derive(Clone, Debug, Default)]
pub(super) struct Bodies {
    /// Data that seldom changes, so that every core keeps it in its own cache.
    pub(super) records: Vec<Record>,
    pub(super) marks: Vec<Marks>,
    /// In the parent's frame.
    pub(super) locals: Vec<Pose>,
    /// In the world's frame.
    pub(super) poses: Vec<Pose>,
    /// Around each body in the world's frame; empty for free slots.
    pub(super) bounds: Vec<BoxF32>,
    /// The oriented boxes; an empty list if they are not in use.
    pub(super) oriented: Vec<OrientedBox>,
    /// Slots that may be reused.
    free: Vec<u32>,
    /// Slots that were emptied since the last update, each once. They may be reused after the broad
    /// phase has processed them as empty.
    retired: Vec<u32>,
    /// Slots whose pose in their parent's frame, or whose geometry, is new.
    pub(super) changed: Vec<u32>,
    /// The same, for updates within a budget, which place these first.
    pub(super) waiting: order::Waiting,
    /// Whether `changed` and `waiting` may contain slots that are not changed any more, or that are
    /// listed twice: their mark decides.
    has_stale_changes: bool,
    /// The number of slots of `changed` whose children are marked as changed, too.
    pub(super) changed_with_children: usize,
    /// The number of slots with the mark [`Marks::is_changed`].
    pub(super) changed_count: usize,
    /// The number of bodies that are attached to another one.
    attached_count: usize,
    /// Slots whose boxes are new since the last update, each once.
    pub(super) moved: Vec<u32>,
    pub(super) options: BoxOptions,
    /// A level of the tree of bodies, the next one, and the results for a level. Kept to reuse
    /// their memory.
    pub(super) level: Vec<u32>,
    pub(super) next: Vec<u32>,
    pub(super) computed: Vec<Placed>,
}

/// The kinds of boxes around bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct BoxOptions {
    pub(super) kind: BoxKind,
    pub(super) oriented: bool,
}

/// One body, or a free slot.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub(super) generation: u32,
    /// `None` for a free slot.
    pub(super) geometry: Option<Geometry>,
    pub(super) parent: u32,
    /// The first of the bodies attached to it.
    pub(super) first_child: u32,
    /// The next and the previous body with the same parent.
    pub(super) next_sibling: u32,
    previous_sibling: u32,
    /// The number of times that the geometry of the body was replaced.
    pub(super) geometry_version: u32,
    /// Data that is kept between deformations of a mesh.
    pub(super) deform_state: Option<Box<MeshRefitState>>,
    pub(super) groups: u32,
    pub(super) mask: u32,
    pub(super) class: u32,
    pub(super) user: u64,
    /// Whether it is in `retired`.
    is_retired: bool,
}

/// The lists that contain a slot.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Marks {
    /// In `changed` or in `waiting`.
    pub(super) is_changed: bool,
    /// In `moved`.
    pub(super) has_moved: bool,
    /// The broad phase has its box, and has not compared it with all others.
    pub(super) is_pending: bool,
    /// Its boxes are compared, and its pairs have yet to enter the queue of an update within a
    /// budget.
    pub(super) is_listing: bool,
}

impl Bodies {
    /// The slot of a body that was not removed.
    pub(super) fn slot(&self, handle: Handle) -> Result<usize, Error> {
        match self.records.get(handle.slot()) {
            Some(record) if record.generation == handle.generation && record.geometry.is_some() => {
                Ok(handle.slot())
            }
            _ => Err(handle.removed_error()),
        }
    }

    /// Whether a body is in a slot.
    pub(super) fn is_taken(&self, slot: u32) -> bool {
        self.records.get(slot as usize).is_some_and(|record| record.geometry.is_some())
    }

    /// The pose of the body in a slot in the world's frame, if it is in the range of coordinates.
    pub(super) fn pose_in_range(&self, slot: usize) -> Result<Pose, Error> {
        let pose = self.poses[slot];
        if pose.is_in_range() {
            return Ok(pose);
        }
        let at = pose.translation();
        let body = self.handle(slot as u32);
        Err(Error::new(
            ErrorKind::OutOfRange,
            format!(
                "{body} is at ({:e}, {:e}, {:e}), where its chain of parents has moved it: \
                 coordinates must not exceed {MAX_COORDINATE:e} in size; move the parents closer",
                at.x, at.y, at.z
            ),
        ))
    }

    /// The handle of the body in a slot.
    pub(super) fn handle(&self, slot: u32) -> Handle {
        Handle { slot, generation: self.records[slot as usize].generation }
    }

    pub(super) fn add(&mut self, body: Body) -> Result<Handle, Error> {
        let parent = match body.parent {
            Some(parent) => self.slot(parent)? as u32,
            None => NONE,
        };
        let slot = match self.free.pop() {
            Some(slot) => slot,
            None => self.push_slot()?,
        };
        Ok(self.fill(slot, parent, body))
    }

    /// As [`Bodies::add`], with a handle from a [register](super::register), which manages the free
    /// slots. Returns whether the slot was emptied since the last update, so that for the broad
    /// phase the two bodies are the same.
    pub(super) fn add_with_handle(&mut self, handle: Handle, body: Body) -> Result<bool, Error> {
        let parent = match body.parent {
            Some(parent) => self.slot(parent)? as u32,
            None => NONE,
        };
        if handle.slot < MAX_BODIES {
            while self.records.len() <= handle.slot() {
                self.push_slot()?;
            }
        }
        match self.records.get_mut(handle.slot()) {
            Some(record) if record.geometry.is_none() => record.generation = handle.generation,
            _ => {
                return Err(Error::new(
                    ErrorKind::BadParameter,
                    format!("the slot of {handle} is not free; use a free slot"),
                ));
            }
        }
        self.fill(handle.slot, parent, body);
        Ok(self.records[handle.slot()].is_retired)
    }

    /// Clears the list of free slots, because a [register](super::register) chooses handles from
    /// now on.
    pub(super) fn clear_free_slots(&mut self) {
        self.free.clear();
    }

    /// Rebuilds the list of free slots.
    pub(super) fn rebuild_free_slots(&mut self) {
        let records = &self.records;
        self.free.clear();
        self.free.extend((0..records.len() as u32).rev().filter(|slot| {
            let record = &records[*slot as usize];
            record.is_free() && !record.is_retired
        }));
    }

    fn push_slot(&mut self) -> Result<u32, Error> {
        let slot = u32::try_from(self.records.len()).ok().filter(|slot| *slot < MAX_BODIES);
        let slot = slot.ok_or_else(|| {
            Error::new(ErrorKind::TooLarge, format!("a world holds at most {MAX_BODIES} bodies"))
        })?;
        self.records.push(Record::FREE);
        self.marks.push(Marks::default());
        self.locals.push(Pose::IDENTITY);
        self.poses.push(Pose::IDENTITY);
        self.bounds.push(BoxF32::EMPTY);
        if self.options.oriented {
            self.oriented.push(OrientedBox::around(&[]));
        }
        Ok(slot)
    }

    /// Puts a body into a free slot.
    fn fill(&mut self, slot: u32, parent: u32, body: Body) -> Handle {
        let &Record { generation, is_retired, .. } = &self.records[slot as usize];
        self.records[slot as usize] = Record {
            generation,
            geometry: Some(body.geometry),
            groups: body.groups,
            mask: body.mask,
            class: body.class,
            user: body.user,
            is_retired,
            ..Record::FREE
        };
        self.locals[slot as usize] = body.pose;
        self.poses[slot as usize] = match parent {
            NONE => body.pose,
            _ => self.poses[parent as usize].composed_in_chain(&body.pose),
        };
        self.link(slot, parent);
        self.change(slot);
        Handle { slot, generation }
    }

    /// Removes a body; those attached to it stay where they are in the world, attached to its
    /// parent.
    pub(super) fn remove(&mut self, slot: u32) {
        let parent = self.records[slot as usize].parent;
        if self.has_children(slot) {
            self.update_poses();
        }
        while self.records[slot as usize].first_child != NONE {
            let child = self.records[slot as usize].first_child;
            self.attach(child, parent);
        }
        self.unlink(slot);
        let record = &mut self.records[slot as usize];
        record.geometry = None;
        // After the last generation a slot stays empty, so that no handle refers to a second body.
        record.generation = record.generation.saturating_add(1);
        let is_retired = std::mem::replace(&mut record.is_retired, true);
        if std::mem::take(&mut self.marks[slot as usize].is_changed) {
            self.changed_count -= 1;
            self.changed.retain(|other| *other != slot);
            self.changed_with_children = 0;
        }
        self.bounds[slot as usize] = BoxF32::EMPTY;
        if self.options.oriented {
            self.oriented[slot as usize] = OrientedBox::around(&[]);
        }
        if !is_retired {
            self.retired.push(slot);
        }
        self.note_move(slot);
    }

    /// Attaches a body to another one, or to none, without moving it in the world, up to rounding.
    pub(super) fn attach(&mut self, slot: u32, parent: u32) {
        let world = self.poses[slot as usize];
        self.unlink(slot);
        self.link(slot, parent);
        let local = match parent {
            NONE => world,
            _ => Pose::relative(&self.poses[parent as usize], &world),
        };
        self.locals[slot as usize] = local;
        self.change(slot);
    }

    /// Whether other bodies are attached to a body.
    pub(super) fn has_children(&self, slot: u32) -> bool {
        self.records[slot as usize].first_child != NONE
    }

    /// Whether `other` is `slot`, or is attached to it, directly or indirectly.
    pub(super) fn is_descendant(&self, other: u32, slot: u32) -> bool {
        let mut ancestor = other;
        while ancestor != NONE && ancestor != slot {
            ancestor = self.records[ancestor as usize].parent;
        }
        ancestor == slot
    }

    /// The number of links between two bodies of which one is attached to the other, directly or
    /// indirectly, if it is at most `most`.
    pub(super) fn links_between(&self, a: u32, b: u32, most: u32) -> Option<u32> {
        let up = |from: u32, to: u32| {
            let (mut at, mut links) = (from, 0);
            while at != to {
                at = self.records[at as usize].parent;
                links += 1;
                if at == NONE || links > most {
                    return None;
                }
            }
            Some(links)
        };
        up(a, b).or_else(|| up(b, a))
    }

    /// Records that a body has a new pose or geometry.
    pub(super) fn change(&mut self, slot: u32) {
        let marks = &mut self.marks[slot as usize];
        if !std::mem::replace(&mut marks.is_changed, true) {
            self.changed.push(slot);
            self.changed_count += 1;
        }
    }

    /// Records that the box of a body is new.
    pub(super) fn note_move(&mut self, slot: u32) {
        let marks = &mut self.marks[slot as usize];
        if !std::mem::replace(&mut marks.has_moved, true) {
            self.moved.push(slot);
        }
    }

    /// Clears the list of bodies that moved, and makes retired slots free, after an update.
    pub(super) fn clear_moves(&mut self) {
        for slot in &self.moved {
            self.marks[*slot as usize].has_moved = false;
        }
        self.moved.clear();
        let Self { records, marks, retired, free, .. } = self;
        retired.retain(|slot| {
            // As long as the broad phase has pairs of the removed body, the slot is not reused.
            let is_pending = marks[*slot as usize].is_pending;
            if !is_pending {
                let record = &mut records[*slot as usize];
                record.is_retired = false;
                if record.is_free() {
                    free.push(*slot);
                }
            }
            is_pending
        });
    }

    /// Allocates memory for this many bodies.
    pub(super) fn reserve(&mut self, bodies: usize) {
        let more = bodies.saturating_sub(self.records.len());
        self.records.reserve(more);
        self.marks.reserve(more);
        self.locals.reserve(more);
        self.poses.reserve(more);
        self.bounds.reserve(more);
        self.waiting.reserve(bodies);
        self.changed.reserve(bodies.saturating_sub(self.changed.len()));
        self.moved.reserve(BODIES_TO_NOTE.min(bodies));
    }

    /// Records that the bodies changed that a broad phase has not compared, or whose pairs were not
    /// listed, so that the next update compares them and checks their pairs.
    pub(super) fn change_pending(&mut self) {
        for slot in 0..self.marks.len() as u32 {
            let marks = &mut self.marks[slot as usize];
            let was_pending = std::mem::take(&mut marks.is_pending);
            let was_listing = std::mem::take(&mut marks.is_listing);
            if (was_pending || was_listing) && self.is_taken(slot) {
                self.change(slot);
            }
        }
    }

    /// Whether the box of a body is not up to date, or was not compared with all others.
    pub(super) fn is_open(&self, slot: u32) -> bool {
        let marks = &self.marks[slot as usize];
        marks.is_changed || marks.is_pending
    }

    fn link(&mut self, slot: u32, parent: u32) {
        let sibling = match parent {
            NONE => NONE,
            _ => std::mem::replace(&mut self.records[parent as usize].first_child, slot),
        };
        if sibling != NONE {
            self.records[sibling as usize].previous_sibling = slot;
        }
        self.attached_count += usize::from(parent != NONE);
        let record = &mut self.records[slot as usize];
        (record.parent, record.next_sibling, record.previous_sibling) = (parent, sibling, NONE);
    }

    fn unlink(&mut self, slot: u32) {
        let &Record { parent, next_sibling, previous_sibling, .. } = &self.records[slot as usize];
        if parent == NONE {
            return;
        }
        self.attached_count -= 1;
        match previous_sibling {
            NONE => self.records[parent as usize].first_child = next_sibling,
            _ => self.records[previous_sibling as usize].next_sibling = next_sibling,
        }
        if next_sibling != NONE {
            self.records[next_sibling as usize].previous_sibling = previous_sibling;
        }
        let record = &mut self.records[slot as usize];
        (record.parent, record.next_sibling, record.previous_sibling) = (NONE, NONE, NONE);
    }

    /// The input of the broad phase, in which all boxes moved if `all` is set.
    pub(super) fn broad_phase_frame(&self, all: bool) -> FrameInput<'_> {
        let over_half_moved = self.moved.len() * 2 > self.records.len();
        FrameInput {
            bounds: &self.bounds,
            oriented: self.options.oriented.then_some(&self.oriented[..]),
            moved: if over_half_moved || all { Moved::All } else { Moved::Only(&self.moved) },
        }
    }

    /// Sets the kinds of boxes; all boxes are computed again by the next update.
    pub(super) fn set_options(&mut self, options: BoxOptions) {
        self.options = options;
        self.oriented.clear();
        if options.oriented {
            self.oriented.resize(self.records.len(), OrientedBox::around(&[]));
        }
        for slot in 0..self.records.len() as u32 {
            if self.records[slot as usize].geometry.is_some() {
                self.change(slot);
            }
        }
    }
}

impl Record {
    const FREE: Self = Self {
        generation: 0,
        geometry: None,
        parent: NONE,
        first_child: NONE,
        next_sibling: NONE,
        previous_sibling: NONE,
        geometry_version: 0,
        deform_state: None,
        groups: 0,
        mask: 0,
        class: 0,
        user: 0,
        is_retired: false,
    };

    /// The geometry of a body that was not removed.
    pub(super) fn geometry(&self) -> &Geometry {
        self.geometry.as_ref().expect("the slot has a body")
    }

    /// Whether the slot may be used for a body.
    fn is_free(&self) -> bool {
        self.geometry.is_none() && self.generation < u32::MAX
    }

    /// The slot of the parent.
    pub(super) fn parent(&self) -> Option<u32> {
        (self.parent != NONE).then_some(self.parent)
    }
}
