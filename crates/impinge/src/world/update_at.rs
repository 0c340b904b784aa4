//! Updates at known times, of bodies whose motions have limits.

use super::motion_phase::{Frame, MotionPhase};
use super::motions::check_time;
use super::pairs::Key;
use super::{Handle, Report, World};
use crate::broad::{Completeness, Pair};
use crate::error::{Error, ErrorKind};

impl World {
    /// As [`World::update`], for the time `time`, with less work: what is known about the
    /// [motions](World::set_motion) of bodies tells until when no two of them can meet, and until
    /// then no boxes and no pairs are compared. The poses that were set are those at this time.
    ///
    /// **The events are those of [`World::update`]**: the same in the same frames, with the same
    /// witnesses, whatever the bodies do. A body that is not where its limits allow is
    /// [reported](Report::outside), and handled as one without limits, as is one whose limits have
    /// expired. Bodies without limits are compared by their boxes whenever they move, as in an
    /// ordinary update, and count as being at rest as long as they do not move. Each box that moved
    /// is still computed, and compared with its bound.
    ///
    /// A contact may begin and end between two updates. [`World::due`] has the pairs for which that
    /// is possible. [`World::next_time`] returns the time before which no update is necessary.
    ///
    /// The broad phase of the [options](super::WorldOptions::phase) is not used. An ordinary update
    /// and one [within a budget](World::update_within) ignore what is known about motions; the next
    /// update at a time then compares all bodies again.
    ///
    /// ```
    /// use impinge::convex::{Cuboid, Sphere};
    /// use impinge::motion::Limits;
    /// use impinge::world::{Body, BodyMotion, World};
    /// use impinge::{Pose, Vec3};
    ///
    /// let mut world = World::new();
    /// let floor = world.add(Body::new(Cuboid::new([50.0, 50.0, 0.01])?))?;
    /// let at = |z: f64| Pose::from_translation([0.0, 0.0, z]);
    /// let ball = world.add(Body::new(Sphere::new(0.25)?).at(at(5.25)?))?;
    /// world.set_motion(floor, &BodyMotion::fixed(), 0.0)?;
    /// // It may start to fall at any time within two seconds.
    /// let limits = Limits::none().acceleration(10.0);
    /// let falls = BodyMotion::new(limits).velocity(Vec3::ZERO).until(2.0);
    /// world.set_motion(ball, &falls, 0.0)?;
    /// world.update_at(0.0)?;
    /// assert!(world.next_time() > 0.49); // its bound is at the floor
    /// for frame in 1..=120 {
    ///     let t = f64::from(frame) / 120.0;
    ///     world.move_to(ball, at(5.25 - 5.0 * t * t)?)?;
    ///     let report = world.update_at(t)?;
    ///     assert_eq!(report.stats().is_idle(), t < 0.495);
    ///     assert_eq!(report.began().count(), usize::from(frame == 120));
    /// }
    /// # Ok::<(), impinge::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::BadParameter`] if the time is before that of the last update, not a number, or
    /// more than [`MAX_COORDINATE`](crate::MAX_COORDINATE) in size. Nothing changes then.
    pub fn update_at(&mut self, time: f64) -> Result<&Report, Error> {
        check_time(time)?;
        if let Some(last) = self.motions.time.filter(|last| time < *last) {
            return Err(Error::new(
                ErrorKind::BadParameter,
                format!("the time is {time:e}, before {last:e}, the time of the last update"),
            ));
        }
        self.leave_budget();
        if !self.motion_phase.is_active {
            self.motion_phase = MotionPhase::started();
            self.recheck_interest = true;
        }
        self.keep_workers_awake(&mut |world| world.run_stages(Some(time)));
        Ok(&self.report)
    }

    /// The pairs that can have met since the update before the last one, if the bodies kept their
    /// limits: the pairs that are compared in the last update, and with a
    /// [resolution](World::set_resolution) those that can meet within this time from now on. In the
    /// order of their slots.
    ///
    /// A contact of other pairs between the last two updates was not possible, however short,
    /// except of bodies that are [unlimited](World::unlimited). An application that must not miss
    /// contacts between frames examines these pairs, over that interval. Empty after an update
    /// without a time.
    #[must_use]
    pub fn due(&self) -> Vec<(Handle, Handle)> {
        if !self.motion_phase.is_active {
            return Vec::new();
        }
        let awake = self.motion_phase.pairs.all().filter(|record| record.is_awake);
        let passed = self.motion_phase.passed.iter().copied();
        let mut keys: Vec<Key> = awake.map(|record| record.key).chain(passed).collect();
        keys.retain(|key| {
            let (a, b) = key.slots();
            self.bodies.is_taken(a) && self.bodies.is_taken(b)
        });
        keys.sort_unstable();
        keys.dedup();
        let handles = |key: &Key| {
            let (a, b) = key.slots();
            (self.bodies.handle(a), self.bodies.handle(b))
        };
        keys.iter().map(handles).collect()
    }

    /// The bodies that moved in the last update, and had no limits for a part of the time since the
    /// update before, or have broken them: their contacts in between need not be [due](World::due).
    /// In the order of their slots; empty after an update without a time.
    ///
    /// Limits are best renewed in the last update before they expire: those that expire between two
    /// updates leave the body without limits for the rest of the time.
    #[must_use]
    pub fn unlimited(&self) -> Vec<Handle> {
        let mut slots = self.motion_phase.unlimited.clone();
        slots.retain(|slot| self.bodies.is_taken(*slot));
        slots.sort_unstable();
        slots.dedup();
        slots.into_iter().map(|slot| self.bodies.handle(slot)).collect()
    }

    /// The time before which no update is necessary, if bodies keep their limits, and those without
    /// limits do not move: until then no pair can meet and no limits expire. It is the time of the
    /// last update if a pair can meet now or if a change was not processed yet, and infinite if
    /// there is nothing to wait for.
    ///
    /// Bodies may move up to then without being [placed](World::move_to). It is at least the
    /// [resolution](World::set_resolution) after the last update; over this time the pairs that are
    /// [due](World::due) have to be examined. It is minus infinity before the first [update at a
    /// time](World::update_at).
    #[must_use]
    pub fn next_time(&mut self) -> f64 {
        let Some(time) = self.motions.time else { return f64::NEG_INFINITY };
        let is_changed = self.bodies.changed_count > 0
            || !self.bodies.moved.is_empty()
            || !self.ended_by_removal.is_empty()
            || !self.undecided.is_empty()
            || self.recheck_interest
            || self.motions.has_later(time);
        if is_changed || !self.motion_phase.is_active {
            return time;
        }
        let Self { bodies, matrix, motions, motion_phase, .. } = self;
        let frame = Frame { bodies, matrix, time, rules_changed: false };
        motion_phase.look_ahead(&frame, motions)
    }

    /// Finds the pairs of boxes that began and ended to overlap, in an update at a time.
    pub(super) fn run_motion_phase(&mut self, time: f64) {
        self.changes.clear();
        self.completeness = Completeness::Complete;
        let Self { bodies, matrix, motions, motion_phase, report, changes, .. } = self;
        let frame = Frame { bodies, matrix, time, rules_changed: self.recheck_interest };
        motion_phase.run(&frame, motions, changes, &mut report.stats);
        motions.time = Some(time);
        let lists = [
            (&mut motion_phase.outside, &mut report.outside),
            (&mut motion_phase.renew, &mut report.renewals),
        ];
        for (slots, handles) in lists {
            slots.sort_unstable();
            slots.dedup();
            let taken = slots.drain(..).filter(|slot| bodies.is_taken(*slot));
            handles.extend(taken.map(|slot| bodies.handle(slot)));
        }
    }

    /// Appends the pairs whose boxes overlap and that may be compared.
    pub(super) fn overlapping_pairs(&self, to: &mut Vec<Pair>) {
        if !self.motion_phase.is_active {
            self.phase.pairs(to);
            return;
        }
        let overlapping = self.motion_phase.pairs.all().filter(|record| record.overlaps);
        to.extend(overlapping.map(|record| {
            let (a, b) = record.key.slots();
            Pair { a, b }
        }));
    }

    /// Prepares the world for an update without a time, after one with.
    pub(super) fn leave_motion_phase(&mut self) {
        if self.motion_phase.is_active {
            self.motion_phase = MotionPhase::default();
            self.reset_broad_phase(&self.options.clone());
        }
    }
}
