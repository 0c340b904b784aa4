//! What an application knows about the motion of a body, and the bound that a world makes of it.

use super::geometry::MAX_PARTS_BOXED_SINGLY;
use super::{BodyPart, BoxKind, Geometry};
use crate::broad::BoxF32;
use crate::error::{Error, ErrorKind};
use crate::math::{Aabb, Pose, Vec3, length_up};
use crate::motion::{Limits, Motion, SpaceTimeBound};

/// The error of a box around a body, relative to its coordinates: rounding to `f32`, by up to
/// 2^-23; the enlargement for the error of relative poses, by up to 2e-8; and rotations that are
/// exact to 1e-9 only.
const BOX_ERROR: f64 = 1.0 / (1 << 22) as f64;
/// The number of vertices up to which a pass over them is worth a smaller bound.
const MAX_VERTICES: usize = 64;
/// More than the rounding of denormal numbers to `f32`.
const DENORMAL_ERROR: f64 = 1e-44;

/// The state of a body at a time, and the limits of its motion from then on until they expire, for
/// [`World::set_motion`](super::World::set_motion).
///
/// The world knows the position and the size of a body; the application adds the velocity, as far
/// as it is needed, and the [`Limits`], both in the world's frame. They are about a reference
/// point, which is the origin of the body's frame unless another is set: such as the centre of
/// mass, about which the body rotates.
///
/// ```
/// use impinge::Vec3;
/// use impinge::motion::Limits;
/// use impinge::world::BodyMotion;
///
/// // A ball that falls or rolls for the next half second.
/// let limits = Limits::none().acceleration(15.0);
/// let rolling = BodyMotion::new(limits).velocity(Vec3::X * 2.0).until(0.5);
/// // A robot's hand, of which only the top speed is known.
/// let hand = BodyMotion::new(Limits::none().speed(1.5)).until(0.1);
/// // A wall.
/// let wall = BodyMotion::fixed();
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub struct BodyMotion {
    is_fixed: bool,
    limits: Limits,
    velocity: Option<Vec3>,
    about: Vec3,
    rotates: bool,
    /// Errors of the position and of the velocity.
    tolerance: [f64; 2],
    until: f64,
}

impl BodyMotion {
    /// A body that stays at its pose. Any change of the pose, by a unit in the last place, breaks
    /// this limit. It never expires, unless a time is [set](Self::until).
    pub fn fixed() -> Self {
        Self { is_fixed: true, rotates: false, ..Self::new(Limits::inert()) }
    }

    /// A body of these limits, of unknown velocity, that may rotate. The time of
    /// [expiry](Self::until) has to be set, too.
    pub fn new(limits: Limits) -> Self {
        Self {
            is_fixed: false,
            limits,
            velocity: None,
            about: Vec3::ZERO,
            rotates: true,
            tolerance: [0.0; 2],
            until: f64::INFINITY,
        }
    }

    /// The velocity of the reference point.
    pub fn velocity(mut self, velocity: Vec3) -> Self {
        self.velocity = Some(velocity);
        self
    }

    /// The reference point, in the body's frame.
    pub fn about(mut self, point: Vec3) -> Self {
        self.about = point;
        self
    }

    /// The body does not rotate, which makes its bound smaller.
    pub fn without_rotation(mut self) -> Self {
        self.rotates = false;
        self
    }

    /// The position and the velocity are only known up to these errors in each coordinate.
    ///
    /// Boxes have a margin of about 2e-7 of their coordinates, which covers the rounding of
    /// positions; a body whose speed and acceleration are limited to zero has none, as it may not
    /// move at all.
    pub fn tolerance(mut self, position: f64, velocity: f64) -> Self {
        self.tolerance = [position, velocity];
        self
    }

    /// The time at which the limits expire.
    pub fn until(mut self, until: f64) -> Self {
        self.until = until;
        self
    }

    /// Whether the limits leave no motion of the reference point.
    fn is_at_rest(&self) -> bool {
        let is_still = self.limits.acceleration == 0.0 && self.velocity == Some(Vec3::ZERO);
        (is_still || self.limits.speed == 0.0) && self.tolerance == [0.0; 2]
    }
}

/// What a world knows about the motion of a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub(super) from: f64,
    /// When it expires.
    pub(super) until: f64,
    pub(super) path: Path,
    /// Whether it was set for the body itself, not for a body that it is attached to.
    pub(super) is_own: bool,
}

/// Where a body stays.
#[derive(Clone, Copy, Debug)]
pub(super) enum Path {
    /// At this pose.
    Still(Pose),
    /// Its box stays in the bound.
    Within {
        bound: SpaceTimeBound,
        /// A point in the body's frame that stays where it is in the world's.
        anchor: Option<[Vec3; 2]>,
        /// Whether a box that does not move may leave the bound.
        shrinks: bool,
    },
}

/// A body for which a bound is made.
pub(super) struct Placement<'a> {
    pub(super) geometry: &'a Geometry,
    pub(super) pose: Pose,
    /// Its box in the broad phase, and the kind of this box.
    pub(super) bounds: BoxF32,
    pub(super) kind: BoxKind,
}

impl BodyMotion {
    /// The reference point of a body at a pose, in the world's frame.
    pub(super) fn reference(&self, pose: &Pose) -> Vec3 {
        pose.transform_point(self.about)
    }

    /// What is known about a body from the time `now` on. It has the motion itself, or is attached
    /// to a body that has it; `reference` is the reference point of that body.
    pub(super) fn known(
        &self,
        body: &Placement<'_>,
        reference: Vec3,
        is_own: bool,
        now: f64,
    ) -> Result<Known, Error> {
        let until = self.until;
        if until <= now || until.is_nan() {
            return Err(Error::new(
                ErrorKind::BadParameter,
                format!("the limits expire at {until:e}, which must be after {now:e}"),
            ));
        }
        let path = if self.is_fixed || self.is_at_rest() && !self.rotates {
            Path::Still(body.pose)
        } else {
            self.within(body, reference, is_own, now)?
        };
        Ok(Known { from: now, until, path, is_own })
    }

    /// A bound around the box of a body.
    fn within(
        &self,
        body: &Placement<'_>,
        reference: Vec3,
        is_own: bool,
        now: f64,
    ) -> Result<Path, Error> {
        if !self.until.is_finite() {
            return Err(Error::new(
                ErrorKind::BadParameter,
                "the limits need a time at which they expire: set `until`",
            ));
        }
        let bounds = aabb(&body.bounds);
        if !(bounds.min.is_finite() && bounds.max.is_finite()) {
            return Err(out_of_range("the box around the body"));
        }
        let extent = if self.rotates {
            let reach = Vec3::splat(reach(body, reference));
            // The box itself is larger by rounding.
            let own = Aabb { min: bounds.min - reference, max: bounds.max - reference };
            Aabb { min: -reach, max: reach }.union(&own)
        } else {
            Aabb { min: bounds.min - reference, max: bounds.max - reference }
        };
        let bound = |slack: f64| {
            let mut motion = Motion::at(reference).extent(extent.grown(slack)).limits(self.limits);
            if let Some(velocity) = self.velocity {
                motion = motion.velocity(velocity);
            }
            let [position, velocity] = self.tolerance;
            motion.tolerance(position, velocity).bound(now, self.until)
        };
        let swept = |bound: &SpaceTimeBound| bound.swept(bound.start(), bound.end());
        let around = swept(&bound(0.0)?);
        let size = around.min.abs().max(around.max.abs()).max_element();
        let size = size + 2.0 * body.geometry.max_coordinate() + self.about.abs().max_element();
        let bound = bound(size * BOX_ERROR + DENORMAL_ERROR)?;
        let guard = aabb(&BoxF32::from(swept(&bound)));
        if !(guard.min.is_finite() && guard.max.is_finite()) {
            return Err(out_of_range("the space that the body can reach before its limits expire"));
        }
        let moves_inward =
            |[min, max]: [crate::motion::Linear; 2]| min.rate > 0.0 || max.rate < 0.0;
        let shrinks = bound.faces().into_iter().any(moves_inward)
            || bound.cutting_plane().is_some_and(|plane| plane.limit.rate < 0.0);
        let anchor = (is_own && self.is_at_rest()).then_some([self.about, reference]);
        Ok(Path::Within { bound, anchor, shrinks })
    }
}

impl Known {
    /// Whether a body at this pose with this box agrees with what is known, at a time at which it
    /// has not expired. Decided exactly.
    pub(super) fn holds(&self, pose: &Pose, bounds: &BoxF32, time: f64) -> bool {
        match &self.path {
            Path::Still(known) => known == pose,
            Path::Within { bound, anchor, .. } => {
                anchor.is_none_or(|[point, at]| pose.transform_point(point) == at)
                    && bound.contains_box(&aabb(bounds), time)
            }
        }
    }

    /// The bound, unless the body is still.
    pub(super) fn bound(&self) -> Option<&SpaceTimeBound> {
        match &self.path {
            Path::Still(_) => None,
            Path::Within { bound, .. } => Some(bound),
        }
    }
}

/// The box in double precision: the same.
pub(super) fn aabb(bounds: &BoxF32) -> Aabb {
    if bounds.is_empty() {
        return Aabb::EMPTY;
    }
    let corner = |sides: [f32; 3]| Vec3::from_array(sides.map(f64::from));
    Aabb { min: corner(bounds.min), max: corner(bounds.max) }
}

/// The furthest that the box of a body reaches from a point along an axis, if the body rotates
/// about the point, up to rounding.
fn reach(body: &Placement<'_>, about: Vec3) -> f64 {
    let around_box = |pose: &Pose, bounds: Aabb| {
        let Aabb { min, max } = bounds.rotation_proof();
        let half = 0.5 * (max - min).max_element();
        length_up(pose.transform_point(bounds.center()) - about) + half
    };
    let parts = body.geometry.parts();
    if body.kind == BoxKind::RotationProof || parts.len() > MAX_PARTS_BOXED_SINGLY {
        return around_box(&body.pose, body.geometry.bounds());
    }
    let around_part = |part: &BodyPart| {
        let pose = body.pose.composed(part.pose());
        let shape = part.shape();
        if let Some(mesh) = shape.mesh() {
            return if mesh.bounds().is_empty() { 0.0 } else { around_box(&pose, mesh.bounds()) };
        }
        match shape.core() {
            Some(core) if core.vertices().len() <= MAX_VERTICES => {
                let distance = |v: &Vec3| length_up(pose.transform_point(*v) - about);
                core.vertices().iter().map(distance).fold(0.0, f64::max) + shape.margin()
            }
            // In the body's frame.
            _ => around_box(&body.pose, part.bounds()),
        }
    };
    parts.iter().map(around_part).fold(0.0, f64::max)
}

fn out_of_range(what: &str) -> Error {
    Error::new(
        ErrorKind::OutOfRange,
        format!(
            "{what} exceeds the range of `f32`: only a body that is fixed may be there, or \
             choose an earlier expiry"
        ),
    )
}
