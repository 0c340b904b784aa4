//! The state of a world, to read on another thread and to return to.

#[cfg(feature = "serde")]
mod serial;

use std::sync::Arc;

use super::bodies::{Bodies, BoxOptions};
use super::interest::Matrix;
use super::narrow::Standing;
use super::pairs::{Key, Pairs, Settings};
use super::update::Open;
use super::{Geometry, Handle, Report, World, WorldOptions};
use crate::error::Error;
use crate::math::Pose;

/// A world as it stood when the snapshot was [taken](World::snapshot). Cheap to clone and to send
/// to other threads: forms are shared, and a clone shares everything.
///
/// Questions are answered as of the last update before. [`World::restore`] and
/// [`World::from_snapshot`] go back to it, changes that no update had seen yet included.
#[derive(Clone, Debug)]
pub struct Snapshot {
    state: Arc<State>,
}

/// All that later reports depend on, and nothing that only makes them faster.
#[derive(Debug)]
struct State {
    bodies: Bodies,
    matrix: Matrix,
    settings: Settings,
    /// The pairs that met at the last update.
    met: Vec<Met>,
    undecided: Vec<Open>,
    severed: Vec<(Handle, Handle)>,
    report: Report,
}

/// A pair that met.
#[derive(Clone, Copy, Debug)]
struct Met {
    key: Key,
    standing: Standing,
    since: u64,
    forms: [u32; 2],
}

impl World {
    /// The world as it stands. Takes time in proportion to the number of bodies and of pairs that
    /// meet; forms are not copied.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let met = self.pairs.records.iter().filter(|record| record.standing.meets());
        let state = State {
            bodies: self.bodies.clone(),
            matrix: self.matrix.clone(),
            settings: self.settings.clone(),
            met: met
                .map(|record| Met {
                    key: record.key,
                    standing: record.standing,
                    since: record.since,
                    forms: record.forms,
                })
                .collect(),
            undecided: self.undecided.clone(),
            severed: self.severed.clone(),
            report: self.report.clone(),
        };
        Snapshot { state: Arc::new(state) }
    }

    /// Goes back, or forward, to a snapshot of this world or of another.
    ///
    /// Bodies with their poses and forms, what is attached to what, rules and interest, methods of
    /// pairs and of classes, numbers of pairs, which pairs meet and since when, the last
    /// [report](World::report), and changes that no update had seen: all is as it was when the
    /// snapshot was taken. From there on the same changes give the same events, bit by bit, with
    /// the same handles, as if nothing had happened in between. The [options](World::options) stay
    /// those of this world; nothing but [`Stats`](super::Stats) depends on them, as long as no
    /// method is selected that [leans](super::PairMethod::bias) one way: what such a method answers
    /// may depend on earlier checks, which are forgotten.
    ///
    /// Handles of bodies that were there when the snapshot was taken name the same bodies again.
    /// Those of bodies that were added later name nothing any more, until as many bodies have been
    /// added again: then the same handles are given out a second time, for the new bodies. Forget
    /// them when you go back.
    ///
    /// [Callbacks](World::on_pair) of pairs are no part of a snapshot. Those of pairs whose two
    /// bodies are there before and after stay, the others go.
    ///
    /// The first update afterwards looks at all boxes, as the first one of a world does.
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
        let State { bodies, matrix, settings, met, undecided, severed, report } = &*snapshot.state;
        let stays = |slot: u32| {
            let here = |bodies: &Bodies| {
                let there = bodies.records.get(slot as usize)?.geometry.is_some();
                there.then(|| bodies.handle(slot))
            };
            here(&self.bodies).is_some() && here(&self.bodies) == here(bodies)
        };
        self.callbacks.retain(|key| {
            let (a, b) = key.slots();
            stays(a) && stays(b)
        });
        self.bodies = bodies.clone();
        let boxes = BoxOptions { kind: self.options.boxes, oriented: self.options.oriented };
        if boxes != self.bodies.options {
            self.bodies.set_options(boxes);
        }
        self.matrix = matrix.clone();
        self.settings = settings.clone();
        self.methods.add_all(self.settings.methods.kinds());
        self.undecided.clone_from(undecided);
        self.severed.clone_from(severed);
        self.report.clone_from(report);
        self.pairs = Pairs::default();
        self.meeting = met.len();
        for Met { key, standing, since, forms } in met {
            let number = self.pairs.insert(*key);
            let record = &mut self.pairs.records[number as usize];
            (record.standing, record.since, record.forms) = (*standing, *since, *forms);
        }
        for open in undecided {
            if let Some(record) = self.pairs.get_mut(open.key) {
                record.undecided = true;
            }
        }
        self.renew_phase(&self.options.clone());
    }

    /// A world that goes on from a [snapshot](World::snapshot), with options of its own. Its
    /// handles are those of the snapshot. See [`World::restore`].
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
        let there = |slot: &u32| bodies.records[*slot as usize].geometry.is_some();
        (0..bodies.records.len() as u32).filter(there).map(|slot| bodies.handle(slot))
    }

    /// The pose of a body in the world's frame, as of the last update.
    ///
    /// # Errors
    /// As [`World::pose`].
    pub fn pose(&self, body: Handle) -> Result<Pose, Error> {
        let slot = self.state.bodies.slot(body)?;
        self.state.bodies.pose_in_range(slot)
    }

    /// The form of a body.
    ///
    /// # Errors
    /// [`ErrorKind::NoSuchBody`](crate::ErrorKind::NoSuchBody) if it was not there.
    pub fn geometry(&self, body: Handle) -> Result<&Geometry, Error> {
        let slot = self.state.bodies.slot(body)?;
        Ok(self.state.bodies.records[slot].form())
    }

    /// The application's number of a body.
    ///
    /// # Errors
    /// [`ErrorKind::NoSuchBody`](crate::ErrorKind::NoSuchBody) if it was not there.
    pub fn user(&self, body: Handle) -> Result<u64, Error> {
        let slot = self.state.bodies.slot(body)?;
        Ok(self.state.bodies.records[slot].user)
    }
}
