//! The report of an update.

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
    /// They meet now, and did not meet before: a "new" collision.
    Began,
    /// They meet, and met before.
    Persists,
    /// They do not meet any more, or one of them was removed, or the pair is not compared any more.
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
    /// The direction of a possible error; `None` if the event is certain. The engine's methods are
    /// certain except for a curved shape that touches another to about twelve digits: that counts
    /// as meeting, with a bias towards collision. Events of a selected method can have the
    /// [bias](super::PairMethod::bias) of that method.
    pub bias: Option<Bias>,
    /// Where they meet, for pairs that began to meet; for pairs that persist see
    /// [`World::witness_of`](super::World::witness_of). `None` if a method with a bias towards
    /// collision reports a meeting that does not exist, without a witness.
    pub witness: Option<Witness>,
}

impl Event {
    /// Whether the event is certain.
    #[must_use]
    pub fn is_certain(&self) -> bool {
        self.bias.is_none()
    }
}

/// A pair that is undecided: its method stopped without a decision, or its budget was spent.
///
/// It causes no event: until a check decides, the pair keeps the state of the last check that
/// decided. Every update checks it again, also if neither of the two moves.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Undecided {
    /// The body in the smaller slot.
    pub a: Handle,
    /// The body in the larger slot.
    pub b: Handle,
    /// Whether they met at the last check that decided; false if there was none.
    pub met: bool,
    /// The first update that did not decide.
    pub since: u64,
    /// Certain bounds of the signed distance.
    pub bounds: Bounds,
}

/// Where two bodies meet.
///
/// A witness depends on the geometries of the two bodies and their poses alone: not on the
/// [options](super::WorldOptions), a selected [method](super::World::set_method), threads, or the
/// results of earlier updates. (The one exception: if a method with a bias towards collision
/// reports a meeting that does not exist, the witness comes from that method, if it has one.) A
/// mesh that was [deformed](super::World::deform) has a tree that depends on its earlier shapes,
/// and so does the choice among several triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Witness {
    /// A common point, in the world's frame, rounded.
    #[cfg_attr(feature = "serde", serde(with = "crate::serial::point"))]
    pub point: Vec3,
    /// The part of the first body that meets the second, by number.
    pub part_a: u32,
    /// The part of the second body that meets the first, by number.
    pub part_b: u32,
    /// The triangle of the first body that meets the second, if its part is a mesh and one does.
    pub triangle_a: Option<u32>,
    /// The triangle of the second body that meets the first, as `triangle_a`.
    pub triangle_b: Option<u32>,
}

/// The results of an update. Events are in the order of the slots of `a`, then of `b`, for every
/// number of threads and every broad phase.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Report {
    /// The number of the update, from one.
    pub frame: u64,
    pub(super) events: Vec<Event>,
    pub(super) undecided: Vec<Undecided>,
    pub(super) not_compared: Vec<Handle>,
    pub(super) outside: Vec<Handle>,
    pub(super) renewals: Vec<Handle>,
    /// The numbers of undecided pairs, and of bodies that were not compared.
    pub(super) open_pairs: usize,
    pub(super) open_bodies: usize,
    pub(super) open_persisting: usize,
    pub(super) stats: Stats,
}

/// Counts of the work of an update. The only part of a [`Report`] that depends on the
/// [options](super::WorldOptions) of a world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Stats {
    /// Bodies with new boxes.
    pub moved: usize,
    /// Number of box pairs that started overlapping in this update.
    pub boxes_began: usize,
    /// Number of box pairs that stopped overlapping in this update.
    pub boxes_ended: usize,
    /// Pairs whose boxes overlap and that are compared.
    pub pairs: usize,
    /// Pairs that were checked, because one of the two moved or the pair is new.
    pub checked: usize,
    /// The pairs among these that were decided by hulls alone, without a test of triangles.
    pub decided_by_hulls: usize,
    /// Pairs that meet.
    pub meeting: usize,
    /// How often the broad phase was run.
    #[cfg_attr(feature = "serde", serde(default))]
    pub broad_phases: usize,
    /// Pairs whose boxes were compared outside of the broad phase, in an update [at a
    /// time](super::World::update_at).
    #[cfg_attr(feature = "serde", serde(default))]
    pub box_tests: usize,
    /// Pairs for which such an update computed the earliest time at which they can meet.
    #[cfg_attr(feature = "serde", serde(default))]
    pub meetings: usize,
    /// Bodies that such an update compared with what is known about their motion.
    #[cfg_attr(feature = "serde", serde(default))]
    pub observed: usize,
}

impl Stats {
    /// Whether there was no work for pairs: the broad phase was not run, and no two bodies were
    /// compared in any way. Bodies that moved were still placed.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.broad_phases + self.box_tests + self.meetings + self.checked == 0
    }
}

impl Report {
    /// All events, in order.
    #[must_use]
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Pairs that meet now and did not meet before.
    pub fn began(&self) -> impl Iterator<Item = &Event> {
        self.of(EventKind::Began)
    }

    /// Pairs that meet and met before. Empty unless
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

    /// Pairs that the update began to check and did not decide, in the order of their slots. Empty
    /// except in an update [within a budget](super::World::update_within), or with a
    /// [method](super::PairMethod) that stops without a decision. [`World::undecided`] also has the
    /// pairs whose check did not begin.
    ///
    /// [`World::undecided`]: super::World::undecided
    #[must_use]
    pub fn undecided(&self) -> &[Undecided] {
        &self.undecided
    }

    /// Bodies that the broad phase has not compared with all others yet, in the order of their
    /// slots: the state of their pairs is older. Empty except with a [broad
    /// phase](crate::broad::BroadPhase) that stops before all boxes are compared, and in an update
    /// [within a budget](super::World::update_within). In such an update there may be too many to
    /// list them in time: if [`Report::open_bodies`] is larger than this list, it is empty, and
    /// [`World::not_compared`](super::World::not_compared) has them.
    #[must_use]
    pub fn not_compared(&self) -> &[Handle] {
        &self.not_compared
    }

    /// Bodies that were not where the limits of their [motion](super::World::set_motion) allow, in
    /// the order of their slots. They are handled as bodies without limits until a motion is set
    /// again, so that the events are right in any case; but contacts between this update and the
    /// last one may have been missed. Empty except in an update [at a
    /// time](super::World::update_at).
    #[must_use]
    pub fn outside(&self) -> &[Handle] {
        &self.outside
    }

    /// Bodies for which new limits would save work, in the order of their slots: limits have
    /// expired or were broken, or were set earlier and leave open whether the body has met another.
    /// Empty except in an update [at a time](super::World::update_at).
    #[must_use]
    pub fn renewals(&self) -> &[Handle] {
        &self.renewals
    }

    /// The number of pairs that are undecided after the update, including those whose check did not
    /// begin.
    #[must_use]
    pub fn open_pairs(&self) -> usize {
        self.open_pairs
    }

    /// The number of bodies that were not compared with all others: every pair of these is
    /// undecided, also if it is in no list.
    #[must_use]
    pub fn open_bodies(&self) -> usize {
        self.open_bodies
    }

    /// The number of pairs that were not visited for events of
    /// [persisting](super::WorldOptions::persisting) pairs; zero except in an update
    /// [within a budget](super::World::update_within).
    #[must_use]
    pub fn open_persisting(&self) -> usize {
        self.open_persisting
    }

    /// Whether the report is about all pairs: none is undecided, and all bodies were compared.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.open_pairs == 0 && self.open_bodies == 0
    }

    /// Counts of the work of the update.
    #[must_use]
    pub fn stats(&self) -> &Stats {
        &self.stats
    }
}
