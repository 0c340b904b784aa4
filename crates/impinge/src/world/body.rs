//! The description of a body that is added to a world.

use super::{Geometry, Handle};
use crate::math::Pose;

/// The geometry, pose and attributes of a body that is to be [added](super::World::add) to a world.
///
/// ```
/// use impinge::world::{Body, World};
/// use impinge::{Pose, shapes};
///
/// let mut world = World::new();
/// let wheel = shapes::torus(0.5, 0.1, 24, 12)?;
/// let car = world.add(Body::new(shapes::cuboid([4.0, 2.0, 1.0])?))?;
/// let at = Pose::from_translation([1.5, 1.2, -0.5])?; // in the frame of the car
/// let front = world.add(Body::new(wheel).at(at).attached_to(car).groups(0b10))?;
/// world.move_to(car, Pose::from_translation([10.0, 0.0, 0.0])?)?;
/// world.update();
/// assert_eq!(world.pose(front)?.translation().x, 11.5);
/// # Ok::<(), impinge::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Body {
    pub(super) geometry: Geometry,
    pub(super) pose: Pose,
    pub(super) parent: Option<Handle>,
    pub(super) groups: u32,
    pub(super) mask: u32,
    pub(super) class: u32,
    pub(super) user: u64,
}

impl Body {
    /// A body of this geometry at the origin, in group zero, that may collide with all groups.
    pub fn new(geometry: impl Into<Geometry>) -> Self {
        Self {
            geometry: geometry.into(),
            pose: Pose::IDENTITY,
            parent: None,
            groups: 1,
            mask: u32::MAX,
            class: 0,
            user: 0,
        }
    }

    /// A body without a shape: a frame to which others are attached, such as a joint of a robot. It
    /// meets no other body.
    ///
    /// ```
    /// use impinge::convex::Capsule;
    /// use impinge::world::{Body, World};
    /// use impinge::Pose;
    ///
    /// let mut world = World::new();
    /// let shoulder = world.add(Body::frame())?;
    /// let out = Pose::from_translation([0.0, 0.0, 1.0])?;
    /// let arm = world.add(Body::new(Capsule::new(1.0, 0.2)?).at(out).attached_to(shoulder))?;
    /// world.move_to(shoulder, Pose::from_axis_angle([1.0, 0.0, 0.0], 0.5)?)?;
    /// world.update();
    /// assert!(world.geometry(shoulder)?.parts().is_empty());
    /// assert!(world.pose(arm)?.translation().y < -0.4);
    /// # Ok::<(), impinge::Error>(())
    /// ```
    pub fn frame() -> Self {
        Self::new(Geometry::empty())
    }

    /// Sets the pose: in the world's frame, or in its parent's if it has one.
    pub fn at(mut self, pose: Pose) -> Self {
        self.pose = pose;
        self
    }

    /// Attaches it to another body, with which it moves.
    pub fn attached_to(mut self, parent: Handle) -> Self {
        self.parent = Some(parent);
        self
    }

    /// The groups it belongs to, a bit each.
    pub fn groups(mut self, groups: u32) -> Self {
        self.groups = groups;
        self
    }

    /// The groups it may collide with, a bit each. Two bodies are compared only if each has a group
    /// that is in the other's mask.
    pub fn mask(mut self, mask: u32) -> Self {
        self.mask = mask;
        self
    }

    /// The class it belongs to, zero by default. Methods can be
    /// [selected](super::World::set_class_method) for the pairs of two classes.
    pub fn class(mut self, class: u32) -> Self {
        self.class = class;
        self
    }

    /// A number that the application can choose.
    pub fn user(mut self, user: u64) -> Self {
        self.user = user;
        self
    }
}
