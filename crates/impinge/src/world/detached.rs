//! A world that runs on its own thread beside the application (Zachmann 1994, section 6.4).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::bodies::MAX_BODIES;
use super::commands::Command;
use super::events::{Event, Undecided};
use super::exchange::{
    self, Counters, Entry, FrameWriter, Next, OpenCounts, Outbox, Reports, Scope, SpawnError,
    Worker,
};
use super::register::HandleRegister;
use super::{Body, Geometry, Handle, Interest, World};
use crate::error::{Error, ErrorKind};
use crate::math::{Pose, Vec3};
use crate::pair::Budget;

/// What a report of a [`Detached`] world leaves open.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Open {
    /// A pair that the update began to check and did not decide: see
    /// [`Report::undecided`](super::Report::undecided).
    Pair(Undecided),
    /// A body that was not compared with all others: see
    /// [`Report::not_compared`](super::Report::not_compared).
    Body(Handle),
}

/// The reports of a [`Detached`] world.
pub type DetachedReports = Reports<Pose, Event, Open>;

/// How the thread of a [`Detached`] world updates.
///
/// ```
/// use std::time::Duration;
///
/// use impinge::World;
/// use impinge::world::DetachedOptions;
///
/// let options = DetachedOptions::default().time(Duration::from_micros(500));
/// let mut detached = World::new().detach_with(options)?;
/// detached.send()?;
/// # Ok::<(), impinge::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DetachedOptions {
    /// The time after which an update stops, counted from when the changes of the application are
    /// made; `None` for no limit.
    pub time: Option<Duration>,
    /// The number of [steps](Budget::steps) after which an update stops; `None` for no limit.
    pub steps: Option<u64>,
}

impl DetachedOptions {
    /// With this [`time`](Self#structfield.time) for each update.
    #[must_use]
    pub fn time(self, time: impl Into<Option<Duration>>) -> Self {
        Self { time: time.into(), ..self }
    }

    /// With this number of [`steps`](Self#structfield.steps) for each update.
    #[must_use]
    pub fn steps(self, steps: impl Into<Option<u64>>) -> Self {
        Self { steps: steps.into(), ..self }
    }

    /// The budget of an update that begins now; `None` if there is no limit.
    fn budget(&self) -> Option<Budget<'static>> {
        let steps = self.steps.map(Budget::steps);
        let deadline = self.time.and_then(|time| Instant::now().checked_add(time));
        match (steps, deadline) {
            (steps, None) => steps,
            (steps, Some(at)) => Some(steps.unwrap_or_else(Budget::unlimited).and_deadline(at)),
        }
    }
}

/// A [`World`] on a separate thread. The application sends changes and does not wait; the thread
/// sends reports when its updates are done.
///
/// No method waits, except [`Detached::reattach`]. A body that is moved several times before the
/// thread takes the changes gets the newest pose; all other changes are made in their order. Each
/// frame that is [received](Detached::receive) has its frame number and the poses of the bodies in
/// its events.
///
/// The application knows at once which bodies exist: a handle is invalid from the call that removes
/// its body on, and changes to such a body are refused and [counted](Detached::stats). The slots of
/// removed bodies are reused, so that bodies can be added and removed without limit.
///
/// ```
/// use impinge::convex::Sphere;
/// use impinge::world::{Body, EventKind, World};
/// use impinge::Pose;
///
/// let mut world = World::new();
/// let ball = Sphere::new(1.0)?;
/// let a = world.add(Body::new(ball.clone()))?;
/// let b = world.add(Body::new(ball).at(Pose::from_translation([9.0, 0.0, 0.0])?))?;
///
/// let mut detached = world.detach()?;
/// for step in 0..80 {
///     detached.move_to(b, Pose::from_translation([9.0 - 0.1 * f64::from(step), 0.0, 0.0])?);
///     detached.send()?; // one frame of the application
///     if let Some(reports) = detached.receive() {
///         for frame in reports.frames() {
///             for event in frame.events {
///                 let pose = frame.pose(b.slot() as u32);
///                 println!("frame {}: {:?} with b at {pose:?}", frame.frame, event.kind);
///             }
///         }
///     }
/// }
/// let (world, _) = detached.reattach()?;
/// assert!(world.meet(a, b)?);
/// # Ok::<(), impinge::Error>(())
/// ```
#[derive(Debug)]
pub struct Detached {
    worker: DetachedWorker,
    /// The bodies that exist from the application's side.
    register: HandleRegister,
    refused: Arc<AtomicU64>,
}

type DetachedWorker = Worker<World, Inbox, DetachedReports>;

/// The work of the thread for one frame.
type Step = dyn FnMut(&mut World, exchange::Step, &mut Inbox, &mut DetachedReports) -> Next + Send;

/// The data sent to the thread: poses with the generations of their bodies, and other changes.
type Inbox = Outbox<(u32, Pose), Change>;

/// A change to the world, in the order of the requests.
#[derive(Clone, Debug)]
enum Change {
    Command(Command),
    /// A body is added, with a handle that the application already has.
    Add(Handle, Body),
    Rules(Interest),
    Attach(Handle, Option<Handle>),
}

impl exchange::Command for Change {
    fn scope(&self) -> Scope {
        match self {
            Self::Command(command) => match command {
                Command::Move(body, _) | Command::Replace(body, _) | Command::Deform(body, _) => {
                    Scope::Body(body.slot)
                }
                // Bodies attached to it have another parent frame afterwards.
                Command::Remove(_) => Scope::All,
                Command::SetInterest(a, b, _) => Scope::Bodies(a.slot, b.slot),
                Command::Add(_) => Scope::All,
            },
            Self::Add(handle, body) => match body.parent {
                Some(parent) => Scope::Bodies(handle.slot, parent.slot),
                None => Scope::Body(handle.slot),
            },
            Self::Rules(_) => Scope::Free,
            Self::Attach(..) => Scope::All,
        }
    }

    fn supersedes(&self, older: &Self) -> bool {
        match (self, older) {
            (Self::Command(Command::Deform(a, _)), Self::Command(Command::Deform(b, _)))
            | (Self::Command(Command::Replace(a, _)), Self::Command(Command::Replace(b, _))) => {
                a == b
            }
            _ => false,
        }
    }
}

/// The lag of the thread, and the number of changes that it could not make.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DetachedStats {
    /// Frames and reports sent, merged and received.
    pub counters: Counters,
    /// Changes that could not be made, because a body was removed or a value was invalid.
    pub refused: u64,
}

impl World {
    /// Moves the world to a separate thread.
    ///
    /// # Errors
    /// [`ErrorKind::Thread`] if the system does not start a thread. The error contains the
    /// [unchanged world](SpawnError::into_state).
    pub fn detach(self) -> Result<Detached, SpawnError<Self>> {
        self.detach_with(DetachedOptions::default())
    }

    /// As [`World::detach`], with a limit on the time of each update, so that reports come at short
    /// intervals under any load: see [`World::update_within`], whose rules hold here, too.
    ///
    /// A report then has the number of undecided pairs and of bodies that were not compared
    /// ([`FrameReport::counts`](super::FrameReport::counts)). The thread continues with what its
    /// budget did not allow as long as no further frame arrives, and sends a report after each such
    /// update, with the number of the last frame. So the reports become complete when the load
    /// drops, also if the application sends nothing. [`Detached::reattach`] does not wait for that:
    /// the world that it returns continues. Meshes should be [prepared](crate::Mesh::prepare)
    /// before they are added: pairs of larger meshes without trees stay undecided.
    ///
    /// ```
    /// use impinge::convex::Sphere;
    /// use impinge::world::{Body, DetachedOptions, World};
    /// use impinge::Pose;
    ///
    /// let mut world = World::new();
    /// let ball = Sphere::new(1.0)?;
    /// for n in 0..100 {
    ///     let at = Pose::from_translation([1.5 * f64::from(n), 0.0, 0.0])?;
    ///     world.add(Body::new(ball.clone()).at(at))?;
    /// }
    /// let mut detached = world.detach_with(DetachedOptions::default().steps(300))?;
    /// detached.send()?;
    /// let mut began = 0;
    /// loop {
    ///     let Some(reports) = detached.receive() else { continue };
    ///     began += reports.events().len();
    ///     if reports.newest().is_some_and(|newest| newest.is_complete()) {
    ///         break;
    ///     }
    /// }
    /// assert_eq!(began, 99);
    /// # Ok::<(), impinge::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`World::detach`].
    pub fn detach_with(self, options: DetachedOptions) -> Result<Detached, SpawnError<Self>> {
        self.detach_by(options, |world, step| {
            Worker::spawn_continuing("impinge world", world, step)
        })
    }

    /// As [`World::detach`], with a thread that `spawn` starts.
    fn detach_by<F>(
        mut self,
        options: DetachedOptions,
        spawn: F,
    ) -> Result<Detached, SpawnError<Self>>
    where
        F: FnOnce(Self, Box<Step>) -> Result<DetachedWorker, SpawnError<Self>>,
    {
        let refused = Arc::new(AtomicU64::new(0));
        let records = self.bodies.records.iter();
        let register = HandleRegister::new(records.map(|r| (r.generation, r.geometry.is_some())));
        self.bodies.clear_free_slots();
        let count = Arc::clone(&refused);
        let step: Box<Step> = Box::new(move |world, step, input, output| {
            for entry in input.drain() {
                if world.apply_entry(entry).is_err() {
                    count.fetch_add(1, Ordering::Relaxed);
                }
            }
            let next = world.update_by(options);
            world.bodies.clear_free_slots();
            world.write_report(step.frame, output);
            next
        });
        match spawn(self, step) {
            Ok(worker) => Ok(Detached { worker, register, refused }),
            Err(failed) => Err(failed.map_state(|mut world| {
                world.bodies.rebuild_free_slots();
                world
            })),
        }
    }

    /// Updates, and returns whether the thread continues without further changes.
    fn update_by(&mut self, options: DetachedOptions) -> Next {
        let Some(mut budget) = options.budget() else {
            self.update();
            return Next::Wait;
        };
        let is_complete = self.update_within(&mut budget).is_complete();
        // If it was not stopped, everything was tried: what is undecided stays so until something
        // changes.
        if is_complete || !self.backlog.is_stopped { Next::Wait } else { Next::Continue }
    }

    /// Makes one change.
    fn apply_entry(&mut self, entry: Entry<(u32, Pose), Change>) -> Result<(), Error> {
        match entry {
            Entry::Pose(slot, (generation, pose)) => {
                self.move_to(Handle { slot, generation }, pose)
            }
            Entry::Command(Change::Add(handle, body)) => {
                // For the broad phase, boxes that overlapped the box of the last body in this slot
                // do not start to overlap.
                self.recheck_interest |= self.bodies.add_with_handle(handle, body)?;
                Ok(())
            }
            Entry::Command(Change::Command(command)) => self.apply(command).map(|_| ()),
            Entry::Command(Change::Attach(body, parent)) => self.attach(body, parent),
            Entry::Command(Change::Rules(rules)) => {
                self.set_rules(rules);
                Ok(())
            }
        }
    }

    /// Writes the events of the last update, with the poses of their bodies, and what it left open.
    fn write_report(&self, frame: u64, output: &mut DetachedReports) {
        let mut writer = FrameWriter::begin(output, frame);
        let (pairs, bodies) = (self.report.open_pairs(), self.report.open_bodies());
        writer.set_counts(OpenCounts { pairs, bodies });
        self.report.undecided().iter().for_each(|pair| writer.open(Open::Pair(*pair)));
        self.report.not_compared().iter().for_each(|body| writer.open(Open::Body(*body)));
        let mut slots: Vec<u32> = Vec::new();
        for event in self.report.events() {
            writer.event(*event);
            slots.extend([event.a, event.b].iter().filter(|h| self.contains(**h)).map(|h| h.slot));
        }
        slots.sort_unstable();
        slots.dedup();
        for slot in slots {
            if let Ok(pose) = self.bodies.pose_in_range(slot as usize) {
                writer.pose(slot, pose);
            }
        }
    }
}

impl Detached {
    /// Moves a body, in the frame of its parent. Only the newest pose of a frame is used.
    pub fn move_to(&mut self, body: Handle, pose: Pose) {
        if self.accepts(&[body]) {
            self.worker.input().set(body.slot, (body.generation, pose));
        }
    }

    /// Adds a body. Its handle can be used at once.
    ///
    /// # Errors
    /// [`ErrorKind::NoSuchBody`] if its parent was removed; [`ErrorKind::TooLarge`] if there are as
    /// many bodies as a world can hold. The body is not added then, and the change is
    /// [counted](Detached::stats) as refused.
    pub fn add(&mut self, body: Body) -> Result<Handle, Error> {
        if let Some(parent) = body.parent.filter(|parent| !self.register.contains(*parent)) {
            self.count_refused();
            return Err(parent.removed_error());
        }
        let Some(handle) = self.register.take() else {
            self.count_refused();
            return Err(Error::new(
                ErrorKind::TooLarge,
                format!("a world holds at most {MAX_BODIES} bodies"),
            ));
        };
        self.worker.input().push(Change::Add(handle, body));
        Ok(handle)
    }

    /// Removes a body.
    pub fn remove(&mut self, body: Handle) {
        if self.register.free(body) {
            self.push(Command::Remove(body));
        } else {
            self.count_refused();
        }
    }

    /// Gives a body another geometry.
    pub fn replace(&mut self, body: Handle, geometry: impl Into<Geometry>) {
        if self.accepts(&[body]) {
            self.push(Command::Replace(body, geometry.into()));
        }
    }

    /// Moves the vertices of a body that is one mesh. If the thread has not taken an earlier change
    /// of these vertices, only the newest is used.
    pub fn deform(&mut self, body: Handle, vertices: Vec<Vec3>) {
        if self.accepts(&[body]) {
            self.push(Command::Deform(body, vertices));
        }
    }

    /// Attaches a body to another, or detaches it.
    pub fn attach(&mut self, body: Handle, parent: Option<Handle>) {
        if self.accepts(&[body, parent.unwrap_or(body)]) {
            self.worker.input().push(Change::Attach(body, parent));
        }
    }

    /// Sets whether one pair is compared, independently of the rules.
    pub fn set_interest(&mut self, a: Handle, b: Handle, compared: Option<bool>) {
        if self.accepts(&[a, b]) {
            self.push(Command::SetInterest(a, b, compared));
        }
    }

    /// Replaces the rules.
    pub fn set_rules(&mut self, rules: Interest) {
        self.worker.input().push(Change::Rules(rules));
    }

    /// Whether a body was added and not removed; the thread may not have processed that yet.
    #[must_use]
    pub fn contains(&self, body: Handle) -> bool {
        self.register.contains(body)
    }

    /// The number of bodies.
    #[must_use]
    pub fn len(&self) -> usize {
        self.register.len()
    }

    /// Whether there are no bodies.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of slots, taken or free: at most twice the largest number of bodies at one time,
    /// or 64 more than that number.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.register.slots()
    }

    /// Whether all of these bodies exist. If not, counts a refused change.
    ///
    /// Changes to a removed body are not sent: in the queue they could replace changes to the next
    /// body in its slot.
    fn accepts(&self, bodies: &[Handle]) -> bool {
        let all_exist = bodies.iter().all(|body| self.register.contains(*body));
        if !all_exist {
            self.count_refused();
        }
        all_exist
    }

    fn count_refused(&self) {
        self.refused.fetch_add(1, Ordering::Relaxed);
    }

    fn push(&mut self, command: Command) {
        self.worker.input().push(Change::Command(command));
    }

    /// Sends all changes since the last call as one frame, and wakes the thread. Returns the number
    /// of the frame.
    ///
    /// # Errors
    /// If the thread has panicked.
    pub fn send(&mut self) -> Result<u64, Error> {
        self.register.next_frame();
        self.worker.send()
    }

    /// The reports of the thread since the last call, frame by frame; `None` if there are none.
    /// Frames that were sent while the thread was busy have one report, that of the newest. A pair
    /// that is undecided, or whose body was not compared, causes no event until it is decided.
    pub fn receive(&mut self) -> Option<&DetachedReports> {
        self.worker.receive().map(|reports| &*reports)
    }

    /// The lag of the thread, and the number of changes that it could not make.
    #[must_use]
    pub fn stats(&self) -> DetachedStats {
        let counters = self.worker.counters();
        DetachedStats { counters, refused: self.refused.load(Ordering::Relaxed) }
    }

    /// Whether the thread runs.
    ///
    /// # Errors
    /// [`ErrorKind::Thread`] if it has panicked, with the message of the panic.
    pub fn check(&self) -> Result<(), Error> {
        self.worker.check()
    }

    /// Waits until all frames are processed, and returns the world with the reports that were not
    /// received.
    ///
    /// # Errors
    /// If the thread has panicked.
    pub fn reattach(self) -> Result<(World, DetachedReports), Error> {
        let (mut world, reports) = self.worker.join()?;
        world.bodies.rebuild_free_slots();
        Ok((world, reports))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convex::Sphere;

    #[test]
    fn a_world_that_cannot_be_detached_is_returned() {
        let mut world = World::new();
        let ball = || Body::new(Sphere::new(1.0).unwrap());
        let [a, b] = [world.add(ball()).unwrap(), world.add(ball()).unwrap()];
        world.remove(a).unwrap();
        world.update();
        let failed = world.detach_by(DetachedOptions::default(), |world, _| {
            Err(SpawnError::new(Error::new(ErrorKind::Thread, "no"), world))
        });
        let failed = failed.unwrap_err();
        assert_eq!(failed.error().kind(), ErrorKind::Thread);
        let mut world = failed.into_state();
        assert!(world.contains(b));
        // The world chooses slots itself again: the free one.
        let next = world.add(ball()).unwrap();
        assert_eq!(next.slot(), a.slot());
        assert_eq!(world.update().events().len(), 1);
    }
}
