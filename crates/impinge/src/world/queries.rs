//! Queries of a world between updates: poses, pairs that meet, distances, depths.

use super::events::Witness;
use super::narrow::{self, PairCache};
use super::pairs;
use super::{Geometry, Handle, World};
use crate::answer::{Contact, Distance};
use crate::arrays::MapEach;
use crate::error::Error;
use crate::math::{Aabb, Pose, Vec3};
use crate::pair::Bias;
use crate::shape;

/// Two bodies that meet, as of the last update.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Collision {
    /// The body in the smaller slot.
    pub a: Handle,
    /// The body in the larger slot.
    pub b: Handle,
    /// The direction of a possible error; `None` if it is certain. See
    /// [`Event::bias`](super::Event::bias).
    pub bias: Option<Bias>,
    /// The update that found it.
    pub since: u64,
}

impl World {
    /// The number of bodies.
    #[must_use]
    pub fn len(&self) -> usize {
        self.handles().count()
    }

    /// Whether there are no bodies.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.handles().next().is_none()
    }

    /// The slots of all handles are below this.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.bodies.records.len()
    }

    /// All bodies, in the order of their slots.
    pub fn handles(&self) -> impl Iterator<Item = Handle> + '_ {
        let is_taken = |slot: &u32| self.bodies.records[*slot as usize].geometry.is_some();
        (0..self.slots() as u32).filter(is_taken).map(|slot| self.bodies.handle(slot))
    }

    /// Whether the body was not removed.
    #[must_use]
    pub fn contains(&self, body: Handle) -> bool {
        self.bodies.slot(body).is_ok()
    }

    /// The pose of a body in the world's frame, as of the last update, or of a later
    /// [`World::attach`] or [`World::remove`], which update poses.
    ///
    /// # Errors
    /// [`ErrorKind::NoSuchBody`](crate::ErrorKind::NoSuchBody) if it was removed;
    /// [`ErrorKind::OutOfRange`](crate::ErrorKind::OutOfRange) if its chain of parents has moved it
    /// [beyond the range of coordinates](World::out_of_range).
    pub fn pose(&self, body: Handle) -> Result<Pose, Error> {
        let slot = self.bodies.slot(body)?;
        self.bodies.pose_in_range(slot)
    }

    /// Bodies that the poses of their chain of parents have moved beyond the range of coordinates,
    /// [`MAX_COORDINATE`](crate::math::MAX_COORDINATE), as of the last update.
    ///
    /// Each pose is checked when it is made, but the composition of a chain of poses may exceed the
    /// range. A body that is out of range has no box and meets no other; pairs that it met have
    /// ended. When it is in range again, it is handled as any other body. Bodies attached to it may
    /// be in range.
    ///
    /// ```
    /// use impinge::convex::Sphere;
    /// use impinge::world::{Body, World};
    /// use impinge::{ErrorKind, Pose};
    ///
    /// let mut world = World::new();
    /// let far = Pose::from_translation([0.9e60, 0.0, 0.0])?;
    /// let ship = world.add(Body::new(Sphere::new(1.0)?).at(far))?;
    /// let boat = world.add(Body::new(Sphere::new(1.0)?).at(far).attached_to(ship))?;
    /// world.update();
    /// assert!(world.out_of_range().eq([boat]));
    /// assert_eq!(world.pose(boat).unwrap_err().kind(), ErrorKind::OutOfRange);
    /// # Ok::<(), impinge::Error>(())
    /// ```
    pub fn out_of_range(&self) -> impl Iterator<Item = Handle> + '_ {
        self.handles().filter(|body| !self.bodies.poses[body.slot()].is_in_range())
    }

    /// The pose of a body in its parent's frame, or in the world's if it has none: the last one
    /// that was set, or the result of [`World::attach`] or of the removal of its parent. In the
    /// latter case it is a [relative](Pose::relative) pose, whose translation may exceed the range
    /// of coordinates.
    ///
    /// # Errors
    /// [`ErrorKind::NoSuchBody`](crate::ErrorKind::NoSuchBody) if it was removed.
    pub fn local_pose(&self, body: Handle) -> Result<Pose, Error> {
        self.bodies.slot(body).map(|slot| self.bodies.locals[slot])
    }

    /// The body to which a body is attached.
    ///
    /// # Errors
    /// [`ErrorKind::NoSuchBody`](crate::ErrorKind::NoSuchBody) if it was removed.
    pub fn parent(&self, body: Handle) -> Result<Option<Handle>, Error> {
        let slot = self.bodies.slot(body)?;
        Ok(self.bodies.records[slot].parent().map(|parent| self.bodies.handle(parent)))
    }

    /// The geometry of a body.
    ///
    /// # Errors
    /// [`ErrorKind::NoSuchBody`](crate::ErrorKind::NoSuchBody) if it was removed.
    pub fn geometry(&self, body: Handle) -> Result<&Geometry, Error> {
        self.bodies.slot(body).map(|slot| self.geometry_in(slot))
    }

    /// The number that the application set for a body.
    ///
    /// # Errors
    /// [`ErrorKind::NoSuchBody`](crate::ErrorKind::NoSuchBody) if it was removed.
    pub fn user(&self, body: Handle) -> Result<u64, Error> {
        self.bodies.slot(body).map(|slot| self.bodies.records[slot].user)
    }

    /// A box around a body in the world's frame, as of the last update. Empty for a body that is
    /// [out of range](World::out_of_range).
    ///
    /// # Errors
    /// [`ErrorKind::NoSuchBody`](crate::ErrorKind::NoSuchBody) if it was removed.
    pub fn bounds(&self, body: Handle) -> Result<Aabb, Error> {
        let slot = self.bodies.slot(body)?;
        let bounds = self.bodies.bounds[slot];
        let corner = |sides: [f32; 3]| Vec3::from_array(sides.map_each(f64::from));
        Ok(Aabb { min: corner(bounds.min), max: corner(bounds.max) })
    }

    /// All pairs that meet, as of the last update, in the order of their slots.
    #[must_use]
    pub fn collisions(&self) -> Vec<Collision> {
        let mut collisions: Vec<Collision> = self
            .pairs
            .records
            .iter()
            .filter(|record| record.state.meets())
            .map(|record| {
                let (a, b) = record.key.slots();
                Collision {
                    a: self.bodies.handle(a),
                    b: self.bodies.handle(b),
                    bias: record.state.bias(),
                    since: record.since,
                }
            })
            .collect();
        collisions.sort_unstable_by_key(|collision| (collision.a, collision.b));
        collisions
    }

    /// Whether two bodies meet, as of the last update. False also for pairs that are not compared.
    ///
    /// # Errors
    /// [`ErrorKind::NoSuchBody`](crate::ErrorKind::NoSuchBody) if one of them was removed.
    pub fn meet(&self, a: Handle, b: Handle) -> Result<bool, Error> {
        let record = self.pairs.get(self.key(a, b)?);
        Ok(record.is_some_and(|record| record.state.meets()))
    }

    /// Where two bodies meet, as of the last update; `None` if they do not, or if one of them has
    /// got another geometry or pose since. It is computed by this call, without kept data: the
    /// answer depends on the two geometries and their poses alone, as for every [`Witness`].
    ///
    /// # Errors
    /// [`ErrorKind::NoSuchBody`](crate::ErrorKind::NoSuchBody) if one of them was removed.
    pub fn witness_of(&self, a: Handle, b: Handle) -> Result<Option<Witness>, Error> {
        let key = self.key(a, b)?;
        let (i, j) = key.slots();
        let versions = [i, j].map_each(|slot| self.bodies.records[slot as usize].geometry_version);
        let has_moved = [i, j].iter().any(|slot| self.bodies.marks[*slot as usize].has_moved);
        let is_current =
            |record: &&pairs::Record| record.geometry_versions == versions && !has_moved;
        let record = self.pairs.get(key).filter(is_current);
        if !record.is_some_and(|record| record.state.meets()) {
            return Ok(None);
        }
        let (i, j) = (i as usize, j as usize);
        let frame = &self.bodies.poses[i];
        let pose = Pose::relative(frame, &self.bodies.poses[j]);
        let cache = &mut PairCache::default();
        let geometries = (self.geometry_in(i), self.geometry_in(j));
        Ok(narrow::witness(geometries, frame, &pose, key, None, cache))
    }

    /// The distance of two bodies, also for pairs that are not compared: bounds, and closest points
    /// in the frame of `a`. For compounds, of the closest two parts. `None` if one of them has no
    /// points.
    ///
    /// # Errors
    /// [`ErrorKind::NoSuchBody`](crate::ErrorKind::NoSuchBody) if one of them was removed;
    /// [`ErrorKind::OutOfRange`](crate::ErrorKind::OutOfRange) if one is [out of
    /// range](World::out_of_range).
    pub fn distance(&self, a: Handle, b: Handle) -> Result<Option<Distance>, Error> {
        self.key(a, b)?;
        let mut best: Option<Distance> = None;
        self.for_each_part_pair(a, b, |frame, one, other, pose| {
            if let Some(found) = shape::distance(one, other, pose) {
                if best.is_none_or(|best| found.upper < best.upper) {
                    let lower = best.map_or(found.lower, |best| best.lower.min(found.lower));
                    let to = |p: Vec3| frame.transform_point(p);
                    let (point_a, point_b) = (to(found.point_a), to(found.point_b));
                    best = Some(Distance { lower, point_a, point_b, ..found });
                } else if let Some(best) = &mut best {
                    best.lower = best.lower.min(found.lower);
                }
            }
        })?;
        Ok(best)
    }

    /// The depth of two convex bodies, or their distance, with points and direction in the frame of
    /// `a`. For compounds, of the deepest two parts. `None` if a part of one of them is a mesh,
    /// which has no depth, or if both have half-spaces.
    ///
    /// # Errors
    /// [`ErrorKind::NoSuchBody`](crate::ErrorKind::NoSuchBody) if one of them was removed;
    /// [`ErrorKind::OutOfRange`](crate::ErrorKind::OutOfRange) if one is [out of
    /// range](World::out_of_range).
    pub fn contact(&self, a: Handle, b: Handle) -> Result<Option<Contact>, Error> {
        self.key(a, b)?;
        let mut best: Option<Contact> = None;
        let mut complete = true;
        self.for_each_part_pair(a, b, |frame, one, other, pose| {
            let Some(found) = shape::contact(one, other, pose) else {
                complete = false;
                return;
            };
            let lower = best.map_or(found.lower, |best| best.lower.min(found.lower));
            match &mut best {
                Some(best) if best.upper <= found.upper => best.lower = lower,
                _ => {
                    let to = |p: Vec3| frame.transform_point(p);
                    best = Some(Contact {
                        lower,
                        direction: frame.transform_vector(found.direction),
                        point_a: to(found.point_a),
                        point_b: to(found.point_b),
                        ..found
                    });
                }
            }
        })?;
        Ok(best.filter(|_| complete))
    }

    /// Calls `visit` with every two parts of two bodies: the first part's pose in its body's frame,
    /// the two shapes, and the pose of the second part in the frame of the first.
    fn for_each_part_pair(
        &self,
        a: Handle,
        b: Handle,
        mut visit: impl FnMut(&Pose, &crate::Shape, &crate::Shape, &Pose),
    ) -> Result<(), Error> {
        let (i, j) = (self.bodies.slot(a)?, self.bodies.slot(b)?);
        let pose = Pose::relative(&self.bodies.pose_in_range(i)?, &self.bodies.pose_in_range(j)?);
        for one in self.geometry_in(i).parts() {
            for other in self.geometry_in(j).parts() {
                let pose = narrow::relative_part_pose(one, other, &pose);
                visit(one.pose(), one.shape(), other.shape(), &pose);
            }
        }
        Ok(())
    }

    /// The geometry of the body in a slot that is not free.
    pub(super) fn geometry_in(&self, slot: usize) -> &Geometry {
        self.bodies.records[slot].geometry.as_ref().expect("the slot has a body")
    }
}
