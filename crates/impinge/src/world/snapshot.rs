//! Where everything was, to look at elsewhere.

use std::sync::Arc;

use super::{Geometry, Handle, World};
use crate::error::Error;
use crate::math::Pose;

/// The bodies of a world as they stood after an update. Cheap to clone and to send to other threads: forms are shared, and a clone shares everything.
#[derive(Clone, Debug)]
pub struct Snapshot {
    frame: u64,
    bodies: Arc<Vec<Option<Still>>>,
}

/// One body of a snapshot.
#[derive(Clone, Debug)]
struct Still {
    handle: Handle,
    pose: Pose,
    geometry: Geometry,
    user: u64,
}

impl World {
    /// The bodies as of the last update.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let still = |slot: usize| {
            let record = &self.bodies.records[slot];
            let geometry = record.geometry.clone()?;
            let handle = self.bodies.handle(slot as u32);
            Some(Still { handle, pose: self.bodies.poses[slot], geometry, user: record.user })
        };
        let bodies = Arc::new((0..self.slots()).map(still).collect());
        Snapshot { frame: self.report.frame, bodies }
    }
}

impl Snapshot {
    /// The number of the update.
    #[must_use]
    pub fn frame(&self) -> u64 {
        self.frame
    }

    /// All bodies, in the order of their slots.
    pub fn handles(&self) -> impl Iterator<Item = Handle> + '_ {
        self.bodies.iter().flatten().map(|still| still.handle)
    }

    fn still(&self, body: Handle) -> Result<&Still, Error> {
        let still = self.bodies.get(body.slot()).and_then(Option::as_ref);
        still.filter(|still| still.handle == body).ok_or_else(|| body.gone())
    }

    /// The pose of a body in the world's frame.
    ///
    /// # Errors
    /// [`ErrorKind::NoSuchBody`](crate::ErrorKind::NoSuchBody) if it was not there.
    pub fn pose(&self, body: Handle) -> Result<Pose, Error> {
        self.still(body).map(|still| still.pose)
    }

    /// The form of a body.
    ///
    /// # Errors
    /// [`ErrorKind::NoSuchBody`](crate::ErrorKind::NoSuchBody) if it was not there.
    pub fn geometry(&self, body: Handle) -> Result<&Geometry, Error> {
        self.still(body).map(|still| &still.geometry)
    }

    /// The application's number of a body.
    ///
    /// # Errors
    /// [`ErrorKind::NoSuchBody`](crate::ErrorKind::NoSuchBody) if it was not there.
    pub fn user(&self, body: Handle) -> Result<u64, Error> {
        self.still(body).map(|still| still.user)
    }
}
