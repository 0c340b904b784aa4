//! Changes to a world that are applied later.

use super::{Body, Geometry, Handle};
use crate::error::Error;
use crate::math::{Pose, Vec3};

/// One change to a world.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Command {
    /// A body has a new pose, in the frame of its parent.
    Move(Handle, Pose),
    /// A body has another geometry.
    Replace(Handle, Geometry),
    /// The vertices of a body that is one mesh have new positions.
    Deform(Handle, Vec<Vec3>),
    /// A body is removed.
    Remove(Handle),
    /// A body is added.
    Add(Body),
    /// A pair is compared, is not compared, or follows the rules again.
    SetInterest(Handle, Handle, Option<bool>),
}

/// Changes that callbacks request. They are applied after all callbacks of an update were called;
/// the next update includes them.
#[derive(Clone, Debug, Default)]
pub struct Commands {
    pub(super) list: Vec<Command>,
}

impl Commands {
    /// Requests a change.
    pub fn push(&mut self, command: Command) {
        self.list.push(command);
    }

    /// Requests that a body is moved, in the frame of its parent.
    pub fn move_to(&mut self, body: Handle, pose: Pose) {
        self.push(Command::Move(body, pose));
    }

    /// Requests that a body is removed.
    pub fn remove(&mut self, body: Handle) {
        self.push(Command::Remove(body));
    }

    /// Whether no change was requested.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

impl super::World {
    /// Applies a change. Returns the handle of the body that was added, if one was.
    ///
    /// # Errors
    /// As the method that makes this change.
    pub fn apply(&mut self, command: Command) -> Result<Option<Handle>, Error> {
        match command {
            Command::Move(body, pose) => self.move_to(body, pose)?,
            Command::Replace(body, geometry) => self.replace(body, geometry)?,
            Command::Deform(body, vertices) => self.deform(body, &vertices)?,
            Command::Remove(body) => self.remove(body)?,
            Command::Add(body) => return self.add(body).map(Some),
            Command::SetInterest(a, b, compared) => self.set_interest(a, b, compared)?,
        }
        Ok(None)
    }
}
