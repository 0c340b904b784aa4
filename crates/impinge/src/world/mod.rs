//! Many moving bodies, and which of them meet: the collision module that an application talks to
//! (Zachmann 1994, chapters 5 to 7).
//!
//! A [`World`] holds bodies of any shape at poses. An [update](World::update) says what began and
//! what ended since the last one; it looks only at what moved. Its stages, each starting from the
//! result of the one before and from what the last frame left (Leung 1996, section 3.1):
//!
//! 1. poses of bodies that are attached to others, and boxes around all that moved, level by level;
//! 2. the [broad phase](crate::broad): pairs of boxes that began or ended to overlap;
//! 3. the [interest matrix](Interest): which of these pairs matter;
//! 4. for each such pair of which one moved, hulls from the last separating vector, then triangles
//!    from the last contact, by the [method](MethodKind) that costs least, or that was selected.
//!
//! Broad phases and pairwise methods can come from outside of the engine: see [`BroadPhase`] and
//! [`PairMethod`].
//!
//! ```
//! use impinge::convex::Sphere;
//! use impinge::world::{Body, EventKind, World};
//! use impinge::{Pose, shapes};
//!
//! let mut world = World::new();
//! let ring = world.add(Body::new(shapes::torus(2.0, 0.5, 48, 24)?))?;
//! let ball = world.add(Body::new(Sphere::new(0.6)?).user(42))?;
//! assert!(world.update().events().is_empty()); // the ball is in the hole
//!
//! world.move_to(ball, Pose::from_translation([1.0, 0.0, 0.0])?)?;
//! let report = world.update();
//! let event = report.events()[0];
//! assert_eq!((event.kind, event.a, event.b), (EventKind::Began, ring, ball));
//! println!("at {}, triangle {:?}", event.witness.unwrap().point, event.witness.unwrap().triangles[0]);
//!
//! world.remove(ball)?;
//! assert_eq!(world.update().events()[0].kind, EventKind::Ended);
//! assert!(world.pose(ball).is_err()); // its handle names nothing any more
//! # Ok::<(), impinge::Error>(())
//! ```

mod bodies;
mod body;
mod callbacks;
mod check;
mod commands;
mod detached;
mod events;
pub(crate) mod exchange;
mod explain;
mod geometry;
mod handle;
mod interest;
mod method;
mod method_kind;
mod narrow;
mod options;
mod pair_method;
mod pairs;
mod placing;
mod queries;
mod register;
mod selection;
mod snapshot;
mod update;

pub use body::Body;
pub use callbacks::Settled;
pub use commands::{Command, Commands};
pub use detached::{Detached, DetachedStats};
pub use events::{Event, EventKind, Report, Stats, Undecided, Witness};
pub use exchange::SpawnError;
pub use explain::Explanation;
pub use geometry::{Geometry, Part};
pub use handle::Handle;
pub use interest::{Interest, Why};
pub use method_kind::MethodKind;
pub use options::{BoxKind, WorldOptions};
pub use pair_method::{
    PairAnswer, PairChecker, PairMethod, PairQuery, PairTraits, PairWitness, Traits,
};
pub use queries::Collision;
pub use selection::{ChosenBy, Estimate};
pub use snapshot::Snapshot;

use std::sync::Arc;

use crate::broad::{BroadPhase, Changes, Completeness};
use crate::error::{Error, ErrorKind};
use crate::math::{Pose, Vec3};
use crate::mesh::Deforming;
use crate::shape::{Kind, Shape};
use bodies::{Bodies, BoxOptions};
use callbacks::Callbacks;
use check::Findings;
use interest::Matrix;
use pairs::{Key, Pairs};
use selection::MethodTable;

/// Bodies at poses, and what is known about their pairs. See the [module](self).
///
/// A clone goes on by itself, with the same handles, and reports what the original would. It has no
/// [callbacks](World::on_pair). Forms are shared, and its first update looks at all boxes.
#[derive(Debug)]
pub struct World {
    bodies: Bodies,
    phase: Box<dyn BroadPhase>,
    changes: Changes,
    /// Whether the broad phase compared all boxes in the last update.
    completeness: Completeness,
    matrix: Matrix,
    /// Whether the interest in some pairs has changed since the last update.
    reconsider: bool,
    pairs: Pairs,
    /// Pairs that the last update left undecided, in order.
    undecided: Vec<update::Open>,
    /// What the application has set for single pairs and for classes.
    settings: pairs::Settings,
    /// The methods from outside of the engine that were selected.
    methods: MethodTable,
    /// Pairs of bodies that met when one of them went.
    severed: Vec<(Handle, Handle)>,
    /// How many pairs meet.
    meeting: usize,
    report: Report,
    /// What the checks of an update found out, and the pairs that few movers bring about: kept for
    /// their room.
    findings: Findings,
    listed: Vec<pairs::Listed>,
    callbacks: Callbacks,
    options: WorldOptions,
}

impl Clone for World {
    fn clone(&self) -> Self {
        Self::from_snapshot(&self.snapshot(), self.options.clone())
    }
}

impl Default for World {
    fn default() -> Self {
        Self::new()
    }
}

impl World {
    /// Without bodies, with the default options.
    #[must_use]
    pub fn new() -> Self {
        Self::with_options(WorldOptions::default())
    }

    /// Without bodies.
    #[must_use]
    pub fn with_options(options: WorldOptions) -> Self {
        let mut bodies = Bodies::default();
        bodies.options = BoxOptions { kind: options.boxes, oriented: options.oriented };
        let mut methods = MethodTable::default();
        methods.add_all(options.methods());
        Self {
            bodies,
            phase: options.phase.make(),
            changes: Changes::default(),
            completeness: Completeness::Complete,
            matrix: Matrix::default(),
            reconsider: false,
            pairs: Pairs::default(),
            undecided: Vec::new(),
            settings: pairs::Settings::default(),
            methods,
            severed: Vec::new(),
            meeting: 0,
            report: Report::default(),
            findings: Findings::default(),
            listed: Vec::new(),
            callbacks: Callbacks::default(),
            options,
        }
    }

    /// How it works.
    #[must_use]
    pub fn options(&self) -> &WorldOptions {
        &self.options
    }

    /// Sets other options. The next update starts afresh where that makes a difference; no event is
    /// lost or reported twice.
    pub fn set_options(&mut self, options: WorldOptions) {
        if options.phase != self.options.phase || options.oriented != self.options.oriented {
            self.renew_phase(&options);
        }
        let methods = |options: &WorldOptions| (options.method, options.candidates.clone());
        if methods(&options) != methods(&self.options) {
            self.methods.add_all(options.methods());
            self.pairs.forget_memories();
        }
        let boxes = BoxOptions { kind: options.boxes, oriented: options.oriented };
        if boxes != self.bodies.options {
            self.bodies.set_options(boxes);
        }
        self.options = options;
    }

    /// A new broad phase, which knows no pair: all boxes are looked at in the next update, and
    /// pairs that met are kept.
    fn renew_phase(&mut self, options: &WorldOptions) {
        self.phase = options.phase.make();
        self.changes.clear();
        self.completeness = Completeness::Complete;
        self.reconsider = true;
    }

    /// Adds a body. It is seen by the next update.
    ///
    /// # Errors
    /// [`ErrorKind::NoSuchBody`] if it is to be attached to a body that is gone.
    pub fn add(&mut self, body: Body) -> Result<Handle, Error> {
        self.bodies.add(body)
    }

    /// Removes a body. Pairs that it met end with the next update; bodies attached to it stay where
    /// they are, attached to its parent, if it had one.
    ///
    /// # Errors
    /// [`ErrorKind::NoSuchBody`] if it is gone already.
    pub fn remove(&mut self, body: Handle) -> Result<(), Error> {
        let slot = self.bodies.slot(body)? as u32;
        // What is attached to it is attached to another body afterwards, or to none.
        self.reconsider |= self.bodies.has_children(slot);
        while let Some(number) = self.pairs.of(slot).first() {
            let key = self.pairs.records[*number as usize].key;
            let (a, b) = key.slots();
            let handles = (self.bodies.handle(a), self.bodies.handle(b));
            if let Some(record) = self.pairs.remove(key) {
                if record.standing.meets() {
                    self.meeting -= 1;
                    self.severed.push(handles);
                }
            }
        }
        self.undecided.retain(|open| !open.key.has(slot));
        self.matrix.forget(slot);
        self.settings.forget(slot);
        self.callbacks.forget(slot);
        self.bodies.remove(slot);
        Ok(())
    }

    /// Moves a body: to a pose in the world's frame, or in its parent's frame if it has one. What
    /// is attached to it moves with it, at the next update.
    ///
    /// # Errors
    /// [`ErrorKind::NoSuchBody`] if it is gone.
    pub fn move_to(&mut self, body: Handle, pose: Pose) -> Result<(), Error> {
        let slot = self.bodies.slot(body)?;
        if self.bodies.locals[slot] != pose {
            self.bodies.locals[slot] = pose;
            self.bodies.change(slot as u32);
        }
        Ok(())
    }

    /// Gives a body another form.
    ///
    /// # Errors
    /// [`ErrorKind::NoSuchBody`] if it is gone.
    pub fn replace(&mut self, body: Handle, geometry: impl Into<Geometry>) -> Result<(), Error> {
        let slot = self.bodies.slot(body)?;
        let record = &mut self.bodies.records[slot];
        record.geometry = Some(geometry.into());
        record.bending = None;
        self.note_form(slot);
        Ok(())
    }

    /// Notes that a body has another form.
    fn note_form(&mut self, slot: usize) {
        let record = &mut self.bodies.records[slot];
        record.form = record.form.wrapping_add(1);
        self.pairs.forget_memory(slot as u32);
        self.bodies.change(slot as u32);
    }

    /// Moves the vertices of a body that is one mesh, in its own frame. Its tree is refitted, as
    /// [`Deforming`] does; a mesh that other bodies share is copied first.
    ///
    /// # Errors
    /// If the body is gone or is not one mesh, the number of vertices differs, a coordinate is not
    /// finite or too large. The body is then as it was.
    pub fn deform(&mut self, body: Handle, vertices: &[Vec3]) -> Result<(), Error> {
        let slot = self.bodies.slot(body)?;
        let (mesh, solid) = match self.form(slot).parts() {
            [part] if *part.pose() == Pose::IDENTITY => match part.shape().kind() {
                Kind::Mesh(mesh) => (mesh, false),
                Kind::Solid(mesh) => (mesh, true),
                _ => return Err(not_a_mesh(body)),
            },
            _ => return Err(not_a_mesh(body)),
        };
        mesh.check_replacement(vertices)?;
        let record = &mut self.bodies.records[slot];
        let mesh = record.geometry.take().and_then(Geometry::into_mesh);
        let mesh = mesh.expect("the body is one mesh");
        // The measure of how far the tree has degraded goes from call to call.
        let mut deforming = match record.bending.take() {
            Some(state) => Deforming::from_parts(mesh, *state),
            None => Deforming::new(mesh),
        };
        deforming.move_all(vertices).expect("the vertices were checked");
        let (mesh, state) = deforming.into_parts();
        let mesh = Arc::new(mesh);
        let shape = match solid {
            true => Shape::solid(mesh).expect("a mesh stays closed wherever its vertices go"),
            false => Shape::from(mesh),
        };
        let record = &mut self.bodies.records[slot];
        record.geometry = Some(shape.into());
        record.bending = Some(Box::new(state));
        self.note_form(slot);
        Ok(())
    }

    /// Attaches a body to another, with which it moves from then on, or detaches it. It stays where
    /// it is in the world: to rounding, if the parent's matrix is a rotation to rounding, and else
    /// as precisely as [`Pose::relative`] undoes it.
    ///
    /// The pose of a body in the world is composed of those of all that it is attached to. Where
    /// their deviations from rotations have added up to more than
    /// [`ROTATION_TOLERANCE`](crate::math::ROTATION_TOLERANCE), the nearest rotation takes the
    /// place of the product. A chain may lead out of the range of coordinates: see
    /// [`World::out_of_range`].
    ///
    /// # Errors
    /// [`ErrorKind::NoSuchBody`] if one of them is gone; [`ErrorKind::BadParameter`] if the parent
    /// is attached to the body; [`ErrorKind::OutOfRange`] if one of them is out of range.
    pub fn attach(&mut self, body: Handle, parent: Option<Handle>) -> Result<(), Error> {
        let slot = self.bodies.slot(body)? as u32;
        let parent = match parent {
            None => u32::MAX,
            Some(handle) => {
                let parent = self.bodies.slot(handle)? as u32;
                if self.bodies.is_below(parent, slot) {
                    return Err(Error::new(
                        ErrorKind::BadParameter,
                        format!("{handle} is attached to {body} or is the same; detach it first"),
                    ));
                }
                parent
            }
        };
        self.bodies.update_poses();
        self.bodies.pose_in_range(slot as usize)?;
        if parent != u32::MAX {
            self.bodies.pose_in_range(parent as usize)?;
        }
        self.bodies.attach(slot, parent);
        self.reconsider = true;
        Ok(())
    }

    /// The rules that say which pairs matter.
    #[must_use]
    pub fn interest(&self) -> &Interest {
        &self.matrix.rules
    }

    /// Other rules from now on.
    pub fn set_rules(&mut self, rules: Interest) {
        self.matrix.rules = rules;
        self.reconsider = true;
    }

    /// Sets whether one pair matters, whatever the rules say; with `None` the rules decide again.
    ///
    /// # Errors
    /// [`ErrorKind::NoSuchBody`] if one of them is gone.
    pub fn set_interest(
        &mut self,
        a: Handle,
        b: Handle,
        matters: Option<bool>,
    ) -> Result<(), Error> {
        let key = self.key(a, b)?;
        let (low, high) = key.slots();
        self.matrix.set(low, high, matters);
        self.reconsider = true;
        Ok(())
    }

    /// The groups of a body, and those it may collide with; see [`Body::groups`].
    ///
    /// # Errors
    /// [`ErrorKind::NoSuchBody`] if it is gone.
    pub fn set_groups(&mut self, body: Handle, groups: u32, mask: u32) -> Result<(), Error> {
        let slot = self.bodies.slot(body)?;
        let record = &mut self.bodies.records[slot];
        (record.groups, record.mask) = (groups, mask);
        self.reconsider = true;
        Ok(())
    }

    /// Selects the method for a pair, whatever was selected for its classes or for the world; with
    /// `None` these decide again, and then the expected cost. A method that cannot decide for these
    /// shapes is not used: [`World::explain`] says what is.
    ///
    /// ```
    /// use impinge::convex::Sphere;
    /// use impinge::world::{Body, ChosenBy, MethodKind, World};
    /// use impinge::shapes;
    ///
    /// let mut world = World::new();
    /// let ring = shapes::torus(2.0, 0.5, 48, 24)?;
    /// let [a, b] = [world.add(Body::new(ring.clone()))?, world.add(Body::new(ring).class(7))?];
    /// let ball = world.add(Body::new(Sphere::new(0.6)?))?;
    /// world.set_method(a, b, Some(MethodKind::SWEEP))?;
    /// world.set_class_method(0, 7, Some(MethodKind::TRIANGLES));
    /// let how = world.explain(a, b)?;
    /// assert_eq!((how.chosen, how.chosen_by), (MethodKind::SWEEP, ChosenBy::Pair));
    /// // A ball has no triangles.
    /// let how = world.explain(b, ball)?;
    /// assert_eq!((how.chosen, how.chosen_by), (MethodKind::SHAPES, ChosenBy::Cost));
    /// # Ok::<(), impinge::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::NoSuchBody`] if one of them is gone.
    pub fn set_method(
        &mut self,
        a: Handle,
        b: Handle,
        method: Option<MethodKind>,
    ) -> Result<(), Error> {
        let key = self.key(a, b)?;
        self.settings.methods.set_pair(key, method);
        self.methods.add_all(method);
        if let Some(record) = self.pairs.get_mut(key) {
            record.memory = None;
        }
        Ok(())
    }

    /// Selects the method for all pairs of a body of one class and a body of another, or of the
    /// same, for which none is selected [by itself](World::set_method); with `None` the
    /// [options](WorldOptions::method) decide again. Every body has a [class](Body::class), zero
    /// if no other was given.
    pub fn set_class_method(&mut self, a: u32, b: u32, method: Option<MethodKind>) {
        self.settings.methods.set_classes([a, b], method);
        self.methods.add_all(method);
        self.pairs.forget_memories();
    }

    /// The class of a body; see [`Body::class`].
    ///
    /// # Errors
    /// [`ErrorKind::NoSuchBody`] if it is gone.
    pub fn set_class(&mut self, body: Handle, class: u32) -> Result<(), Error> {
        let slot = self.bodies.slot(body)?;
        self.bodies.records[slot].class = class;
        self.pairs.forget_memory(slot as u32);
        Ok(())
    }

    /// A number of the application's own for a pair, zero at first.
    ///
    /// # Errors
    /// [`ErrorKind::NoSuchBody`] if one of them is gone.
    pub fn set_pair_user(&mut self, a: Handle, b: Handle, user: u64) -> Result<(), Error> {
        let key = self.key(a, b)?;
        self.settings.set_user(key, user);
        Ok(())
    }

    /// The number that [`World::set_pair_user`] gave to a pair.
    ///
    /// # Errors
    /// [`ErrorKind::NoSuchBody`] if one of them is gone.
    pub fn pair_user(&self, a: Handle, b: Handle) -> Result<u64, Error> {
        Ok(self.settings.user(self.key(a, b)?))
    }

    /// The key of two different bodies that are there.
    fn key(&self, a: Handle, b: Handle) -> Result<Key, Error> {
        let (i, j) = (self.bodies.slot(a)? as u32, self.bodies.slot(b)? as u32);
        if i == j {
            return Err(Error::new(
                ErrorKind::BadParameter,
                format!("{a} makes no pair with itself; give two different bodies"),
            ));
        }
        Ok(Key::new(i, j))
    }
}

fn not_a_mesh(body: Handle) -> Error {
    Error::new(
        ErrorKind::BadParameter,
        format!(
            "{body} is not one mesh; only the vertices of a mesh can be moved, replace the body instead"
        ),
    )
}
