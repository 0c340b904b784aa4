//! What an update reports.

#[cfg(feature = "serde")]
mod serial;

use super::Handle;
use crate::answer::Bounds;
use crate::math::Vec3;
use crate::pair::Bias;

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
    /// Which way it can be wrong; `None` if it is certain. The engine's methods are certain but for
    /// a curved shape that touches another to some twelve digits: that counts as meeting, and leans
    /// towards collision. Events of a selected method can have the
    /// [bias](super::PairMethod::bias) of that.
    pub bias: Option<Bias>,
    /// Where they meet, of what began. For what persists ask
    /// [`World::witness_of`](super::World::witness_of). `None` if a method that leans towards
    /// collision says that they meet, and they do not, and it does not say where.
    pub witness: Option<Witness>,
}

impl Event {
    /// Whether it cannot be wrong.
    #[must_use]
    pub fn is_certain(&self) -> bool {
        self.bias.is_none()
    }
}

/// A pair of which it is not known whether the two meet: its method gave up, or ran out of budget.
///
/// It begins and ends nothing: until a check decides, the pair stands as the last one that decided
/// left it. Every update checks it again, whether one of the two moves or not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Undecided {
    /// The body in the smaller slot.
    pub a: Handle,
    /// The body in the larger slot.
    pub b: Handle,
    /// Whether they met when it was last known; false if it never was.
    pub met: bool,
    /// The first update that left it open.
    pub since: u64,
    /// What is certain all the same.
    pub bounds: Bounds,
}

/// Where two bodies meet.
///
/// A witness depends on the forms of the two bodies and their poses alone: not on the
/// [options](super::WorldOptions), a [method](super::World::set_method) that was asked for,
/// threads, or what was found in earlier updates. (The one exception: where a method that leans
/// towards collision says that two bodies meet, and they do not, the witness is that method's, if
/// it has one.) A mesh that was [deformed](super::World::deform) has a tree that depends on its
/// earlier shapes, and with it which of several triangles is named.
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
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(super) undecided: Vec<Undecided>,
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(super) not_compared: Vec<Handle>,
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

    /// Pairs that the update left undecided, in the order of their slots. Empty but for a
    /// [method](super::PairMethod) that gives up.
    #[must_use]
    pub fn undecided(&self) -> &[Undecided] {
        &self.undecided
    }

    /// Bodies that the broad phase has not compared with all others yet, in the order of their
    /// slots: of their pairs nothing is known but what was known before. Empty but for a
    /// [broad phase](crate::broad::BroadPhase) that gives up.
    #[must_use]
    pub fn not_compared(&self) -> &[Handle] {
        &self.not_compared
    }

    /// What the update took.
    #[must_use]
    pub fn stats(&self) -> &Stats {
        &self.stats
    }
}
