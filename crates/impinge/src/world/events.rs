//! What an update says.

#[cfg(feature = "serde")]
mod serial;

use super::Handle;
use crate::math::Vec3;

/// What happened to a pair of bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum EventKind {
    /// They meet now, and did not before: a "new" collision.
    Began,
    /// They meet, and did before.
    Persists,
    /// They do not meet any more, or one of them was removed, or the pair does not matter any more.
    Ended,
}

/// What happened to one pair.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Event {
    /// What happened.
    pub kind: EventKind,
    /// The body in the smaller slot.
    pub a: Handle,
    /// The body in the larger slot.
    pub b: Handle,
    /// Whether it is certain that they meet. False only for a curved shape that touches another to
    /// some twelve digits, which counts as meeting; such an event is reported again as it is, and
    /// ends like others.
    pub certain: bool,
    /// Where they meet, of what began. For what persists ask
    /// [`World::witness_of`](super::World::witness_of).
    pub witness: Option<Witness>,
}

/// Where two bodies meet.
///
/// A witness depends on the forms of the two bodies and their poses alone: not on the
/// [options](super::WorldOptions), a [method](super::World::set_method) that was asked for,
/// threads, or what was found in earlier updates. A mesh that was [deformed](super::World::deform)
/// has a tree that depends on its earlier shapes, and with it which of several triangles is named.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Witness {
    /// A common point, in the world's frame, rounded.
    #[cfg_attr(feature = "serde", serde(with = "crate::serial::point"))]
    pub point: Vec3,
    /// The parts of the bodies that meet, by number.
    pub parts: [u32; 2],
    /// The triangles that meet, where a part is a mesh and one of its triangles does.
    pub triangles: [Option<u32>; 2],
}

/// What an update found out. The order of events is that of the slots of `a`, then of `b`, whatever
/// the number of threads and the broad phase.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Report {
    /// The number of the update, from one.
    pub frame: u64,
    pub(super) events: Vec<Event>,
    pub(super) stats: Stats,
}

/// What an update took. The only part of a [`Report`] that depends on how a world
/// [works](super::WorldOptions).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Stats {
    /// Bodies with new boxes.
    pub moved: usize,
    /// Pairs of boxes that began and ended to overlap.
    pub boxes_began: usize,
    /// Pairs of boxes that ended to overlap.
    pub boxes_ended: usize,
    /// Pairs whose boxes overlap and that matter.
    pub pairs: usize,
    /// Pairs that were checked, because one of the two moved or the pair is new.
    pub checked: usize,
    /// Of these, decided by hulls alone, before any triangle was looked at.
    pub by_hulls: usize,
    /// Pairs that meet.
    pub meeting: usize,
}

impl Report {
    /// All events, in order.
    #[must_use]
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Pairs that meet now and did not before.
    pub fn began(&self) -> impl Iterator<Item = &Event> {
        self.of(EventKind::Began)
    }

    /// Pairs that meet and did before. Empty unless
    /// [`WorldOptions::persisting`](super::WorldOptions::persisting) is set.
    pub fn persisting(&self) -> impl Iterator<Item = &Event> {
        self.of(EventKind::Persists)
    }

    /// Pairs that do not meet any more.
    pub fn ended(&self) -> impl Iterator<Item = &Event> {
        self.of(EventKind::Ended)
    }

    fn of(&self, kind: EventKind) -> impl Iterator<Item = &Event> {
        self.events.iter().filter(move |event| event.kind == kind)
    }

    /// What the update took.
    #[must_use]
    pub fn stats(&self) -> &Stats {
        &self.stats
    }
}
