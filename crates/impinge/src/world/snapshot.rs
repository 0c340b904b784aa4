//! Snapshots: the state of a world, for other threads and for rollback.

#[cfg(feature = "serde")]
mod serial;

use std::sync::Arc;

use super::backlog::Backlog;
use super::bodies::{Bodies, BoxOptions};
use super::interest::Matrix;
use super::motion_phase::MotionPhase;
use super::motions::Motions;
use super::narrow::PairState;
use super::pairs::{Key, Pairs, Settings};
use super::update::UndecidedPair;
use super::{Geometry, Handle, Report, World, WorldOptions};
use crate::error::Error;
use crate::math::Pose;

/// The state of a world when the snapshot was [taken](World::snapshot). Cheap to clone and to send
/// to other threads: geometries are shared, and a clone shares everything.
///
/// Queries are answered as of the last update before. [`World::restore`] and
/// [`World::from_snapshot`] restore it, including changes that no update had processed yet.
#[derive(Clone, Debug)]
pub struct Snapshot {
    state: Arc<State>,
}

/// All state that later reports depend on, without caches.
#[derive(Debug)]
struct State {
    bodies: Bodies,
    matrix: Matrix,
    motions: Motions,
    settings: Settings,
    /// The pairs that met at the last update.
    met: Vec<Met>,
    undecided: Vec<UndecidedPair>,
    ended_by_removal: Vec<(Handle, Handle)>,
    report: Report,
}

/// A pair that met.
#[derive(Clone, Copy, Debug)]
struct Met {
    key: Key,
    state: PairState,
    since: u64,
    geometry_versions: [u32; 2],
}

impl World {
    /// A snapshot of the world. The time is proportional to the number of bodies and of pairs that
    /// meet; geometries are not copied.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let met = self.pairs.records.iter().filter(|record| record.state.meets());
        let state = State {
            bodies: self.bodies.clone(),
            matrix: self.matrix.clone(),
            motions: self.motions.clone(),
            settings: self.settings.clone(),
            met: met
                .map(|record| Met {
                    key: record.key,
                    state: record.state,
                    since: record.since,
                    geometry_versions: record.geometry_versions,
                })
                .collect(),
            undecided: self.undecided_pairs(),
            ended_by_removal: self.ended_by_removal.clone(),
            report: self.report.clone(),
        };
        Snapshot { state: Arc::new(state) }
    }

    /// Restores a snapshot of this world or of another.
    ///
    /// It contains bodies with their poses, geometries, parents and motions, rules and interest,
    /// methods of pairs and of classes, numbers of pairs, which pairs meet and since when, the last
    /// [report](World::report), and changes that no update had processed. From there on the same
    /// changes give the same events, bit by bit, with the same handles. The
    /// [options](World::options) stay those of this world; only [`Stats`](super::Stats) depends on
    /// them, unless a method with a [bias](super::PairMethod::bias) is selected: the answers of
    /// such a method may depend on earlier checks, whose caches are not restored.
    ///
    /// Handles of bodies that existed when the snapshot was taken refer to the same bodies again.
    /// Handles of bodies that were added later are invalid, until as many bodies have been added
    /// again: then the same handles are used a second time, for the new bodies. An application must
    /// not keep them after it restores a snapshot.
    ///
    /// [Callbacks](World::on_pair) of pairs are not part of a snapshot. Callbacks are kept if both
    /// bodies of the pair exist before and after, and removed otherwise.
    ///
    /// The first update afterwards compares all boxes, as the first update of a world does.
    ///
    /// ```
    /// use impinge::Pose;
    /// use impinge::convex::Sphere;
    /// use impinge::world::{Body, World};
    ///
    /// let mut world = World::new();
    /// let ball = Sphere::new(1.0)?;
    /// world.add(Body::new(ball.clone()))?;
    /// let b = world.add(Body::new(ball).at(Pose::from_translation([3.0, 0.0, 0.0])?))?;
    /// world.update();
    ///
    /// let saved = world.snapshot();
    /// let mut run = |world: &mut World| -> Result<_, impinge::Error> {
    ///     let mut events = Vec::new();
    ///     for x in [2.5, 1.5, 0.5, 4.0] {
    ///         world.move_to(b, Pose::from_translation([x, 0.0, 0.0])?)?;
    ///         events.extend_from_slice(world.update().events());
    ///     }
    ///     Ok(events)
    /// };
    /// let ahead = run(&mut world)?;
    /// world.restore(&saved); // roll back
    /// assert_eq!(world.pose(b)?.translation().x, 3.0);
    /// assert_eq!(run(&mut world)?, ahead);
    /// assert_eq!(run(&mut World::from_snapshot(&saved, Default::default()))?, ahead);
    /// # Ok::<(), impinge::Error>(())
    /// ```
    pub fn restore(&mut self, snapshot: &Snapshot) {
        let State { bodies, matrix, motions, settings, met, .. } = &*snapshot.state;
        let State { undecided, ended_by_removal, report, .. } = &*snapshot.state;
        let is_kept = |slot: u32| {
            let handle_in = |bodies: &Bodies| {
                let is_taken = bodies.records.get(slot as usize)?.geometry.is_some();
                is_taken.then(|| bodies.handle(slot))
            };
            handle_in(&self.bodies).is_some() && handle_in(&self.bodies) == handle_in(bodies)
        };
        self.callbacks.retain(|key| {
            let (a, b) = key.slots();
            is_kept(a) && is_kept(b)
        });
        self.bodies = bodies.clone();
        self.bodies.gather_waiting();
        self.bodies.change_pending();
        self.backlog = Backlog::default();
        self.motions = motions.clone();
        self.motion_phase = MotionPhase::default();
        let boxes = BoxOptions { kind: self.options.boxes, oriented: self.options.oriented };
        if boxes != self.bodies.options {
            self.bodies.set_options(boxes);
            self.motions.expire_all();
        }
        self.matrix = matrix.clone();
        self.settings = settings.clone();
        self.methods.add_all(self.settings.methods.kinds());
        self.undecided.clone_from(undecided);
        self.ended_by_removal.clone_from(ended_by_removal);
        self.report.clone_from(report);
        self.pairs = Pairs::default();
        self.meeting = met.len();
        for Met { key, state, since, geometry_versions } in met {
            let number = self.pairs.insert(*key);
            let record = &mut self.pairs.records[number as usize];
            (record.state, record.since, record.geometry_versions) =
                (*state, *since, *geometry_versions);
        }
        for pair in undecided {
            if let Some(record) = self.pairs.get_mut(pair.key) {
                record.undecided = true;
            }
        }
        self.reset_broad_phase(&self.options.clone());
    }

    /// A world with the state of a [snapshot](World::snapshot) and these options. Its handles are
    /// those of the snapshot. See [`World::restore`].
    #[must_use]
    pub fn from_snapshot(snapshot: &Snapshot, options: WorldOptions) -> Self {
        let mut world = Self::with_options(options);
        world.restore(snapshot);
        world
    }
}

impl Snapshot {
    /// The number of the last update.
    #[must_use]
    pub fn frame(&self) -> u64 {
        self.state.report.frame
    }

    /// All bodies, in the order of their slots.
    pub fn handles(&self) -> impl Iterator<Item = Handle> + '_ {
        let bodies = &self.state.bodies;
        let is_taken = |slot: &u32| bodies.records[*slot as usize].geometry.is_some();
        (0..bodies.records.len() as u32).filter(is_taken).map(|slot| bodies.handle(slot))
    }

    /// The pose of a body in the world's frame, as of the last update.
    ///
    /// # Errors
    /// As [`World::pose`].
    pub fn pose(&self, body: Handle) -> Result<Pose, Error> {
        let slot = self.state.bodies.slot(body)?;
        self.state.bodies.pose_in_range(slot)
    }

    /// The geometry of a body.
    ///
    /// # Errors
    /// [`ErrorKind::NoSuchBody`](crate::ErrorKind::NoSuchBody) if it did not exist.
    pub fn geometry(&self, body: Handle) -> Result<&Geometry, Error> {
        let slot = self.state.bodies.slot(body)?;
        Ok(self.state.bodies.records[slot].geometry())
    }

    /// The number that the application set for a body.
    ///
    /// # Errors
    /// [`ErrorKind::NoSuchBody`](crate::ErrorKind::NoSuchBody) if it did not exist.
    pub fn user(&self, body: Handle) -> Result<u64, Error> {
        let slot = self.state.bodies.slot(body)?;
        Ok(self.state.bodies.records[slot].user)
    }
}
