//! Many moving bodies, and which of them meet: the collision module of an application (Zachmann
//! 1994, chapters 5 to 7).
//!
//! A [`World`] holds bodies of any shape at poses. An [update](World::update) reports which pairs
//! started and which stopped meeting since the last one; it processes only bodies that moved. Its
//! stages, each starting from the result of the one before and from data kept from the last frame
//! (Leung 1996, section 3.1):
//!
//! 1. poses of bodies that are attached to others, and boxes of all bodies that moved, level by
//!    level;
//! 2. the [broad phase](crate::broad): pairs of boxes that started or stopped overlapping;
//! 3. the [interest matrix](Interest): which of these pairs are compared;
//! 4. for each such pair of which one body moved, hulls from the last separating vector, then
//!    triangles from the last contact, by the [method](MethodKind) of least expected cost, or by
//!    the selected method.
//!
//! An update [at a known time](World::update_at) does none of this as long as no two bodies can
//! meet, if something is known about their [motions](BodyMotion).
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
//! let witness = event.witness.unwrap();
//! println!("at {}, triangle {:?}", witness.point, witness.triangle_a);
//!
//! world.remove(ball)?;
//! assert_eq!(world.update().events()[0].kind, EventKind::Ended);
//! assert!(world.pose(ball).is_err()); // its handle is invalid from now on
//! # Ok::<(), impinge::Error>(())
//! ```

mod backlog;
mod bodies;
mod body;
mod body_motion;
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
mod motion_phase;
mod motions;
mod narrow;
mod open;
mod options;
mod pair_method;
mod pairs;
mod placing;
mod queries;
mod register;
mod rules;
mod selection;
mod snapshot;
mod update;
mod update_at;
mod waiting;
mod within;

pub use body::Body;
pub use body_motion::BodyMotion;
pub use callbacks::{Importance, RepeatedUpdates};
pub use commands::{Command, Commands};
pub use detached::{Detached, DetachedOptions, DetachedReports, DetachedStats, Open};
pub use events::{Event, EventKind, Report, Stats, Undecided, Witness};
pub use exchange::{Counters, DroppedCounts, FrameReport, OpenCounts, Reports, SpawnError};
pub use explain::Explanation;
pub use geometry::{BodyPart, Geometry};
pub use handle::Handle;
pub use interest::{Interest, InterestRule};
pub use method_kind::MethodKind;
pub use options::{BoxKind, WorldOptions};
pub use pair_method::{
    PairAnswer, PairChecker, PairMethod, PairQuery, PairTraits, PairWitness, Traits,
};
pub use queries::Collision;
pub use selection::{Estimate, SelectedBy};
pub use snapshot::Snapshot;
pub use within::PairInfo;

use std::sync::Arc;

use crate::broad::{BroadPhase, Changes, Completeness};
use crate::error::{Error, ErrorKind};
use crate::math::{Pose, Vec3};
use crate::mesh::Deforming;
use crate::shape::Shape;
use backlog::Backlog;
use bodies::{Bodies, BoxOptions};
use callbacks::Callbacks;
use check::CheckOutcomes;
use interest::Matrix;
use motion_phase::MotionPhase;
use motions::Motions;
use pairs::{Key, Pairs};
use selection::MethodTable;

/// Bodies at poses, and the state of their pairs. See the [module](self).
///
/// A clone is independent, has the same handles, and reports what the original would. It has no
/// [callbacks](World::on_pair). Geometries are shared, and its first update compares all boxes.
#[derive(Debug)]
pub struct World {
    bodies: Bodies,
    phase: Box<dyn BroadPhase>,
    /// Whether the broad phase has no boxes yet.
    phase_is_new: bool,
    changes: Changes,
    /// Whether the broad phase compared all boxes in the last update.
    completeness: Completeness,
    matrix: Matrix,
    /// Whether the interest in some pairs has changed since the last update.
    recheck_interest: bool,
    pairs: Pairs,
    /// Pairs that the last update left undecided, in order.
    undecided: Vec<update::UndecidedPair>,
    /// What updates within a budget have left for the next one.
    backlog: Backlog,
    /// What is known about motions, and the broad phase of updates at known times.
    motions: Motions,
    motion_phase: MotionPhase,
    /// Settings of the application for single pairs and for classes.
    settings: pairs::Settings,
    /// The methods from outside of the engine that were selected.
    methods: MethodTable,
    /// Pairs of bodies that met when one of them was removed.
    ended_by_removal: Vec<(Handle, Handle)>,
    /// The number of pairs that meet.
    meeting: usize,
    report: Report,
    /// The results of the checks of an update, and the pairs of a few bodies that moved. Kept to
    /// reuse their memory.
    outcomes: CheckOutcomes,
    listed: Vec<pairs::MovedOutRecord>,
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
    /// A world without bodies, with the default options.
    #[must_use]
    pub fn new() -> Self {
        Self::with_options(WorldOptions::default())
    }

    /// A world without bodies.
    #[must_use]
    pub fn with_options(options: WorldOptions) -> Self {
        let mut bodies = Bodies::default();
        bodies.options = BoxOptions { kind: options.boxes, oriented: options.oriented };
        let mut methods = MethodTable::default();
        methods.add_all(options.methods());
        Self {
            bodies,
            phase: options.phase.make(),
            phase_is_new: true,
            changes: Changes::default(),
            completeness: Completeness::Complete,
            matrix: Matrix::default(),
            recheck_interest: false,
            pairs: Pairs::default(),
            undecided: Vec::new(),
            backlog: Backlog::default(),
            motions: Motions::default(),
            motion_phase: MotionPhase::default(),
            settings: pairs::Settings::default(),
            methods,
            ended_by_removal: Vec::new(),
            meeting: 0,
            report: Report::default(),
            outcomes: CheckOutcomes::default(),
            listed: Vec::new(),
            callbacks: Callbacks::default(),
            options,
        }
    }

    /// The options.
    #[must_use]
    pub fn options(&self) -> &WorldOptions {
        &self.options
    }

    /// Sets other options. The next update discards kept data that depends on them; no event is
    /// lost or reported twice.
    pub fn set_options(&mut self, options: WorldOptions) {
        if options.phase != self.options.phase || options.oriented != self.options.oriented {
            self.reset_broad_phase(&options);
        }
        let methods = |options: &WorldOptions| (options.method, options.candidates.clone());
        if methods(&options) != methods(&self.options) {
            self.methods.add_all(options.methods());
            self.pairs.clear_caches();
        }
        let boxes = BoxOptions { kind: options.boxes, oriented: options.oriented };
        if boxes != self.bodies.options {
            self.bodies.set_options(boxes);
            // Their bounds are around boxes of the other kind.
            self.motions.expire_all();
        }
        self.options = options;
    }

    /// Replaces the broad phase by a new one without pairs: the next update compares all boxes, and
    /// pairs that met are kept.
    fn reset_broad_phase(&mut self, options: &WorldOptions) {
        self.set_phase(options.phase.make());
    }

    fn set_phase(&mut self, phase: Box<dyn BroadPhase>) {
        self.phase = phase;
        self.phase_is_new = true;
        self.changes.clear();
        self.completeness = Completeness::Complete;
        self.recheck_interest = true;
    }

    /// Adds a body. The next update includes it.
    ///
    /// # Errors
    /// [`ErrorKind::NoSuchBody`] if its parent was removed.
    pub fn add(&mut self, body: Body) -> Result<Handle, Error> {
        self.bodies.add(body)
    }

    /// Removes a body. The next update reports that its pairs ended; bodies attached to it stay
    /// where they are, attached to its parent, if it had one.
    ///
    /// # Errors
    /// [`ErrorKind::NoSuchBody`] if it was removed before.
    pub fn remove(&mut self, body: Handle) -> Result<(), Error> {
        let slot = self.bodies.slot(body)? as u32;
        // Its children are attached to another body afterwards, or to none.
        self.recheck_interest |= self.bodies.has_children(slot);
        while let Some(number) = self.pairs.of(slot).first() {
            let key = self.pairs.records[*number as usize].key;
            let (a, b) = key.slots();
            let handles = (self.bodies.handle(a), self.bodies.handle(b));
            if let Some(record) = self.pairs.remove(key) {
                self.backlog.note_removed(&record);
                if record.state.meets() {
                    self.meeting -= 1;
                    self.ended_by_removal.push(handles);
                }
            }
        }
        self.undecided.retain(|pair| !pair.key.has(slot));
        self.motions.expire_attached(slot, &self.bodies);
        self.motions.forget(slot);
        self.matrix.forget(slot);
        self.settings.forget(slot);
        self.callbacks.forget(slot);
        self.bodies.remove(slot);
        Ok(())
    }

    /// Moves a body: to a pose in the world's frame, or in its parent's frame if it has one. Bodies
    /// attached to it move with it, at the next update.
    ///
    /// # Errors
    /// [`ErrorKind::NoSuchBody`] if it was removed.
    pub fn move_to(&mut self, body: Handle, pose: Pose) -> Result<(), Error> {
        let slot = self.bodies.slot(body)?;
        if self.bodies.locals[slot] != pose {
            self.bodies.locals[slot] = pose;
            self.bodies.change(slot as u32);
        }
        Ok(())
    }

    /// Gives a body another geometry.
    ///
    /// # Errors
    /// [`ErrorKind::NoSuchBody`] if it was removed.
    pub fn replace(&mut self, body: Handle, geometry: impl Into<Geometry>) -> Result<(), Error> {
        let slot = self.bodies.slot(body)?;
        let record = &mut self.bodies.records[slot];
        record.geometry = Some(geometry.into());
        record.deform_state = None;
        self.note_new_geometry(slot);
        Ok(())
    }

    /// Records that a body has another geometry.
    fn note_new_geometry(&mut self, slot: usize) {
        let record = &mut self.bodies.records[slot];
        record.geometry_version = record.geometry_version.wrapping_add(1);
        self.pairs.clear_caches_of(slot as u32);
        self.bodies.change(slot as u32);
    }

    /// Moves the vertices of a body that is one mesh, in its own frame. Its tree is refitted as by
    /// [`Deforming`]; a mesh that other bodies share is copied first.
    ///
    /// # Errors
    /// If the body was removed or is not one mesh, the number of vertices differs, or a coordinate
    /// is not finite or too large. The body is then unchanged.
    pub fn deform(&mut self, body: Handle, vertices: &[Vec3]) -> Result<(), Error> {
        let slot = self.bodies.slot(body)?;
        let (mesh, solid) = match self.geometry_in(slot).parts() {
            [part] if *part.pose() == Pose::IDENTITY => match part.shape().mesh() {
                Some(mesh) => (mesh, part.shape().kind().is_solid()),
                None => return Err(not_a_mesh(body)),
            },
            _ => return Err(not_a_mesh(body)),
        };
        mesh.check_replacement(vertices)?;
        let record = &mut self.bodies.records[slot];
        let mesh = record.geometry.take().and_then(Geometry::into_mesh);
        let mesh = mesh.expect("the body is one mesh");
        // The measured degradation of the tree is kept from call to call.
        let mut deforming = match record.deform_state.take() {
            Some(state) => Deforming::from_parts(mesh, *state),
            None => Deforming::new(mesh),
        };
        deforming.move_all(vertices).expect("the vertices were checked");
        let (mesh, state) = deforming.into_parts();
        let mesh = Arc::new(mesh);
        let shape = match solid {
            true => Shape::solid(mesh).expect("moving vertices keeps a mesh closed"),
            false => Shape::from(mesh),
        };
        let record = &mut self.bodies.records[slot];
        record.geometry = Some(shape.into());
        record.deform_state = Some(Box::new(state));
        self.note_new_geometry(slot);
        Ok(())
    }

    /// Attaches a body to another, with which it moves from then on, or detaches it. Its pose in
    /// the world does not change: up to rounding, if the parent's matrix is a rotation up to
    /// rounding, and otherwise up to the error of [`Pose::relative`].
    ///
    /// The pose of a body in the world is the composition of the poses of its chain of parents. If
    /// their deviations from rotations add up to more than
    /// [`ROTATION_TOLERANCE`](crate::math::ROTATION_TOLERANCE), the product is replaced by the
    /// nearest rotation. A chain may lead out of the range of coordinates: see
    /// [`World::out_of_range`].
    ///
    /// # Errors
    /// [`ErrorKind::NoSuchBody`] if one of them was removed; [`ErrorKind::BadParameter`] if the
    /// parent is attached to the body; [`ErrorKind::OutOfRange`] if one of them is out of range.
    pub fn attach(&mut self, body: Handle, parent: Option<Handle>) -> Result<(), Error> {
        let slot = self.bodies.slot(body)? as u32;
        let parent = match parent {
            None => u32::MAX,
            Some(handle) => {
                let parent = self.bodies.slot(handle)? as u32;
                if self.bodies.is_descendant(parent, slot) {
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
        self.motions.expire_attached(slot, &self.bodies);
        self.recheck_interest = true;
        Ok(())
    }

    /// The rules that decide which pairs are compared.
    #[must_use]
    pub fn interest(&self) -> &Interest {
        &self.matrix.rules
    }

    /// Replaces the rules.
    pub fn set_rules(&mut self, rules: Interest) {
        self.matrix.rules = rules;
        self.recheck_interest = true;
    }

    /// Sets whether one pair is compared, independently of the rules; with `None` the rules decide
    /// again.
    ///
    /// # Errors
    /// [`ErrorKind::NoSuchBody`] if one of them was removed.
    pub fn set_interest(
        &mut self,
        a: Handle,
        b: Handle,
        compared: Option<bool>,
    ) -> Result<(), Error> {
        let key = self.key(a, b)?;
        let (low, high) = key.slots();
        self.matrix.set(low, high, compared);
        self.recheck_interest = true;
        Ok(())
    }

    /// Sets the groups of a body, and those it may collide with; see [`Body::groups`].
    ///
    /// # Errors
    /// [`ErrorKind::NoSuchBody`] if it was removed.
    pub fn set_groups(&mut self, body: Handle, groups: u32, mask: u32) -> Result<(), Error> {
        let slot = self.bodies.slot(body)?;
        let record = &mut self.bodies.records[slot];
        (record.groups, record.mask) = (groups, mask);
        self.recheck_interest = true;
        Ok(())
    }

    /// Selects the method for a pair, with priority over the methods selected for its classes and
    /// for the world; with `None` these decide again, and then the expected cost. A method that
    /// cannot decide for these shapes is not used: [`World::explain`] returns the method that is.
    ///
    /// ```
    /// use impinge::convex::Sphere;
    /// use impinge::world::{Body, SelectedBy, MethodKind, World};
    /// use impinge::shapes;
    ///
    /// let mut world = World::new();
    /// let ring = shapes::torus(2.0, 0.5, 48, 24)?;
    /// let [a, b] = [world.add(Body::new(ring.clone()))?, world.add(Body::new(ring).class(7))?];
    /// let ball = world.add(Body::new(Sphere::new(0.6)?))?;
    /// world.set_method(a, b, Some(MethodKind::SWEEP))?;
    /// world.set_class_method(0, 7, Some(MethodKind::TRIANGLES));
    /// let how = world.explain(a, b)?;
    /// assert_eq!((how.chosen, how.chosen_by), (MethodKind::SWEEP, SelectedBy::Pair));
    /// // A ball has no triangles.
    /// let how = world.explain(b, ball)?;
    /// assert_eq!((how.chosen, how.chosen_by), (MethodKind::SHAPES, SelectedBy::Cost));
    /// # Ok::<(), impinge::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::NoSuchBody`] if one of them was removed.
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
            record.forget_checks();
        }
        Ok(())
    }

    /// Selects the method for all pairs of a body of one class and a body of another, or of the
    /// same, except pairs with [their own method](World::set_method); with `None` the
    /// [options](WorldOptions::method) decide again. Every body has a [class](Body::class), zero by
    /// default.
    pub fn set_class_method(&mut self, a: u32, b: u32, method: Option<MethodKind>) {
        self.settings.methods.set_classes([a, b], method);
        self.methods.add_all(method);
        self.pairs.clear_caches();
    }

    /// Sets the class of a body; see [`Body::class`].
    ///
    /// # Errors
    /// [`ErrorKind::NoSuchBody`] if it was removed.
    pub fn set_class(&mut self, body: Handle, class: u32) -> Result<(), Error> {
        let slot = self.bodies.slot(body)?;
        self.bodies.records[slot].class = class;
        self.pairs.clear_caches_of(slot as u32);
        Ok(())
    }

    /// Sets a number for a pair that the application can choose, zero by default.
    ///
    /// # Errors
    /// [`ErrorKind::NoSuchBody`] if one of them was removed.
    pub fn set_pair_user(&mut self, a: Handle, b: Handle, user: u64) -> Result<(), Error> {
        let key = self.key(a, b)?;
        self.settings.set_user(key, user);
        Ok(())
    }

    /// The number of a pair, set by [`World::set_pair_user`].
    ///
    /// # Errors
    /// [`ErrorKind::NoSuchBody`] if one of them was removed.
    pub fn pair_user(&self, a: Handle, b: Handle) -> Result<u64, Error> {
        Ok(self.settings.user(self.key(a, b)?))
    }

    /// The key of two different bodies that exist.
    fn key(&self, a: Handle, b: Handle) -> Result<Key, Error> {
        let (i, j) = (self.bodies.slot(a)? as u32, self.bodies.slot(b)? as u32);
        if i == j {
            return Err(Error::new(
                ErrorKind::BadParameter,
                format!("{a} is no pair with itself; pass two different bodies"),
            ));
        }
        Ok(Key::new(i, j))
    }
}

fn not_a_mesh(body: Handle) -> Error {
    Error::new(
        ErrorKind::BadParameter,
        format!(
            "{body} is not one mesh; only the vertices of a mesh can be moved, \
             replace the body instead"
        ),
    )
}
