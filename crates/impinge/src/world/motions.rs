//! What is known about the motions of the bodies of a world, and since when.

use super::bodies::{Bodies, NONE};
use super::body_motion::{BodyMotion, Known, Placement};
use super::{Handle, World};
use crate::error::{Error, ErrorKind};
use crate::math::{MAX_COORDINATE, Pose};
use crate::motion::SpaceTimeBound;

/// The motions of all bodies. Part of snapshots.
#[derive(Clone, Debug, Default)]
pub(super) struct Motions {
    /// By slots; may be shorter than the list of bodies.
    known: Vec<Option<Known>>,
    /// What was set since the last update, for each slot at most once; `None` for what expires.
    pending: Vec<(u32, Option<Known>)>,
    /// One more than the position of each slot in this list, or zero.
    positions: Vec<u32>,
    /// The time of the last update that had one.
    pub(super) time: Option<f64>,
    pub(super) resolution: f64,
}

impl Motions {
    pub(super) fn of(&self, slot: u32) -> Option<&Known> {
        self.known.get(slot as usize)?.as_ref()
    }

    /// Sets or drops what is known about a body. Returns whether anything was known.
    pub(super) fn set(&mut self, slot: u32, known: Option<Known>) -> bool {
        if known.is_some() && self.known.len() <= slot as usize {
            self.known.resize(slot as usize + 1, None);
        }
        let place = self.known.get_mut(slot as usize);
        place.is_some_and(|place| std::mem::replace(place, known).is_some())
    }

    /// Takes what was set for a time up to `time`.
    pub(super) fn take_pending(&mut self, time: f64) -> Vec<(u32, Option<Known>)> {
        let is_later = |known: &Option<Known>| known.is_some_and(|known| known.from > time);
        let pending = std::mem::take(&mut self.pending);
        let mut now = Vec::with_capacity(pending.len());
        for (slot, known) in pending {
            self.positions[slot as usize] = 0;
            if is_later(&known) {
                self.set_pending(slot, known);
            } else {
                now.push((slot, known));
            }
        }
        now
    }

    /// Notes what is known from the next update on.
    fn set_pending(&mut self, slot: u32, known: Option<Known>) {
        if self.positions.len() <= slot as usize {
            self.positions.resize(slot as usize + 1, 0);
        }
        let position = &mut self.positions[slot as usize];
        if *position > 0 {
            self.pending[*position as usize - 1].1 = known;
        } else {
            self.pending.push((slot, known));
            *position = self.pending.len() as u32;
        }
    }

    /// Whether something was set for a time after `time`.
    pub(super) fn has_later(&self, time: f64) -> bool {
        self.pending.iter().any(|(_, known)| known.is_some_and(|known| known.from > time))
    }

    /// Forgets a body that is removed.
    pub(super) fn forget(&mut self, slot: u32) {
        self.set(slot, None);
        if self.positions.get(slot as usize).is_some_and(|position| *position > 0) {
            self.set_pending(slot, None);
        }
    }

    /// Drops what is known about a body, and about those that are attached to it and have no motion
    /// of their own, at the next update.
    pub(super) fn expire(&mut self, slot: u32, bodies: &Bodies) {
        let mut stack = vec![slot];
        while let Some(slot) = stack.pop() {
            self.set_pending(slot, None);
            self.push_followers(slot, bodies, &mut stack);
        }
    }

    /// Drops what is known about a body and all that are attached to it, at the next update: their
    /// poses are computed in another way from then on, and may change by rounding.
    pub(super) fn expire_attached(&mut self, slot: u32, bodies: &Bodies) {
        let mut stack = vec![slot];
        while let Some(slot) = stack.pop() {
            if self.last_set(slot).is_some() {
                self.set_pending(slot, None);
            }
            let mut child = bodies.records[slot as usize].first_child;
            while child != NONE {
                stack.push(child);
                child = bodies.records[child as usize].next_sibling;
            }
        }
    }

    /// Drops what is known about all bodies, at the next update.
    pub(super) fn expire_all(&mut self) {
        for slot in 0..self.known.len().max(self.positions.len()) as u32 {
            if self.last_set(slot).is_some() {
                self.set_pending(slot, None);
            }
        }
    }

    /// Appends the bodies that are attached to a body and have no motion of their own.
    fn push_followers(&self, slot: u32, bodies: &Bodies, stack: &mut Vec<u32>) {
        let mut child = bodies.records[slot as usize].first_child;
        while child != NONE {
            if !self.last_set(child).is_some_and(|known| known.is_own) {
                stack.push(child);
            }
            child = bodies.records[child as usize].next_sibling;
        }
    }

    /// The last motion that was set for a body, if it did not expire.
    fn last_set(&self, slot: u32) -> Option<&Known> {
        match self.positions.get(slot as usize) {
            Some(position) if *position > 0 => self.pending[*position as usize - 1].1.as_ref(),
            _ => self.of(slot),
        }
    }
}

impl World {
    /// Sets what the application knows about the motion of a body from the time `now` on, when it
    /// is at the pose that was [set](World::move_to) last; it replaces what was known. The world
    /// then compares the body only when it can meet another: see [`World::update_at`].
    ///
    /// `now` is the time of the last update, or of the next one. Bodies that are attached to the
    /// body, and for which no motion was set, are expected to move with it.
    ///
    /// # Errors
    /// [`ErrorKind::NoSuchBody`] if it was removed; [`ErrorKind::BadParameter`] if `now` is before
    /// the last update, if the limits expire before, or if they leave a direction without a bound;
    /// [`ErrorKind::OutOfRange`] and [`ErrorKind::NotFinite`] for numbers out of range, and for
    /// bodies that move and whose boxes, now or until the limits expire, are not in the range of
    /// `f32`, such as half-spaces.
    pub fn set_motion(&mut self, body: Handle, motion: &BodyMotion, now: f64) -> Result<(), Error> {
        let slot = self.bodies.slot(body)? as u32;
        check_time(now)?;
        if let Some(last) = self.motions.time.filter(|last| now < *last) {
            return Err(Error::new(
                ErrorKind::BadParameter,
                format!(
                    "the motion starts at {now:e}, before {last:e}, the time of the last update"
                ),
            ));
        }
        let pose = self.bodies.pose_to_come(slot);
        let reference = motion.reference(&pose);
        let mut all = Vec::new();
        let mut stack = vec![slot];
        while let Some(next) = stack.pop() {
            let is_own = next == slot;
            let pose = if is_own { pose } else { self.bodies.pose_to_come(next) };
            let geometry = self.bodies.records[next as usize].geometry();
            // A body without points, or out of range, has no box that could leave a bound.
            let mut known = None;
            if pose.is_in_range() && !geometry.bounds().is_empty() {
                let bounds = self.bodies.options.boxes(geometry, &pose).0;
                let kind = self.bodies.options.kind;
                let placement = Placement { geometry, pose, bounds, kind };
                known = Some(motion.known(&placement, reference, is_own, now)?);
            }
            all.push((next, known));
            self.motions.push_followers(next, &self.bodies, &mut stack);
        }
        for (slot, known) in all {
            self.motions.set_pending(slot, known);
        }
        Ok(())
    }

    /// Drops what is known about the motion of a body from the next update on, because it broke its
    /// limits: it was hit, or changed course. The same for bodies that are attached to it, unless a
    /// motion was set for them. It may [get](World::set_motion) new limits at once.
    ///
    /// # Errors
    /// [`ErrorKind::NoSuchBody`] if it was removed.
    pub fn expire_motion(&mut self, body: Handle) -> Result<(), Error> {
        let slot = self.bodies.slot(body)? as u32;
        self.motions.expire(slot, &self.bodies);
        Ok(())
    }

    /// The bound that contains the box of a body in the broad phase, from the motion that was
    /// [set](World::set_motion) last; `None` if it has none, if it is fixed, or if it was found
    /// outside.
    ///
    /// # Errors
    /// [`ErrorKind::NoSuchBody`] if it was removed.
    pub fn motion_bound(&self, body: Handle) -> Result<Option<SpaceTimeBound>, Error> {
        let slot = self.bodies.slot(body)? as u32;
        Ok(self.motions.last_set(slot).and_then(|known| known.bound().copied()))
    }

    /// Whether something is known about the motion of a body, also that it is fixed.
    ///
    /// # Errors
    /// [`ErrorKind::NoSuchBody`] if it was removed.
    pub fn has_motion(&self, body: Handle) -> Result<bool, Error> {
        let slot = self.bodies.slot(body)? as u32;
        Ok(self.motions.last_set(slot).is_some())
    }

    /// The time of the last [update](World::update_at) that had one.
    #[must_use]
    pub fn time(&self) -> Option<f64> {
        self.motions.time
    }

    /// Sets the minimum temporal resolution, zero by default: pairs that can meet within this time
    /// after an update are [due](World::due) already in that update, so that [`World::next_time`]
    /// is never less than this time ahead.
    ///
    /// # Errors
    /// [`ErrorKind::BadParameter`] if it is negative, not a number, or too large.
    pub fn set_resolution(&mut self, resolution: f64) -> Result<(), Error> {
        check_time(resolution)?;
        if resolution < 0.0 {
            return Err(Error::new(
                ErrorKind::BadParameter,
                format!("the temporal resolution is {resolution:e}; it must not be negative"),
            ));
        }
        self.motions.resolution = resolution;
        Ok(())
    }
}

impl Bodies {
    /// The pose in the world that a body has after the next update of poses.
    pub(super) fn pose_to_come(&self, slot: u32) -> Pose {
        let mut chain = vec![slot];
        while let Some(parent) = self.records[chain[chain.len() - 1] as usize].parent() {
            chain.push(parent);
        }
        let mut locals = chain.iter().rev().map(|slot| &self.locals[*slot as usize]);
        let Some(root) = locals.next() else { return Pose::IDENTITY };
        locals.fold(*root, |pose, local| pose.composed_in_chain(local))
    }
}

pub(super) fn check_time(t: f64) -> Result<(), Error> {
    if t.abs() <= MAX_COORDINATE {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::BadParameter,
        format!("the time is {t:e}; it must be a number of at most {MAX_COORDINATE:e} in size"),
    ))
}
