//! Callbacks: for all events, and for single pairs (Zachmann 1994, section 7.2).

use std::collections::HashMap;
use std::fmt;

use rayon::prelude::*;

use super::commands::Commands;
use super::events::{Event, Report};
use super::pairs::{Key, KeyHasher};
use super::{Handle, World};
use crate::error::Error;

/// What is called when something happens to a pair.
type Callback = Box<dyn FnMut(&Event, &mut Commands) + Send + Sync>;

/// The callbacks of single pairs.
#[derive(Default)]
pub(super) struct Callbacks {
    pairs: HashMap<Key, Callback, KeyHasher>,
    commands: Commands,
}

impl fmt::Debug for Callbacks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Callbacks").field("pairs", &self.pairs.len()).finish_non_exhaustive()
    }
}

impl Callbacks {
    /// Forgets pairs that are not to stay.
    pub(super) fn retain(&mut self, stays: impl Fn(&Key) -> bool) {
        self.pairs.retain(|key, _| stays(key));
    }

    /// Forgets the pairs of a body that is gone.
    pub(super) fn forget(&mut self, slot: u32) {
        if !self.pairs.is_empty() {
            self.pairs.retain(|key, _| !key.has(slot));
        }
    }
}

/// How repeated updates ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settled {
    /// How many updates were made.
    pub updates: usize,
    /// Whether the callbacks of the last one asked for nothing more.
    pub at_rest: bool,
    /// How many of the changes that callbacks asked for could not be made, because a body was gone
    /// or a value was bad.
    pub refused: usize,
}

impl World {
    /// Calls `callback` with every event of this pair from now on, in updates that call back.
    /// Replaces the one there was. Is removed with either body, so that it is not called with the
    /// end which that brings.
    ///
    /// # Errors
    /// [`ErrorKind::NoSuchBody`](crate::ErrorKind::NoSuchBody) if one of them is gone.
    pub fn on_pair(
        &mut self,
        a: Handle,
        b: Handle,
        callback: impl FnMut(&Event, &mut Commands) + Send + Sync + 'static,
    ) -> Result<(), Error> {
        let key = self.key(a, b)?;
        self.callbacks.pairs.insert(key, Box::new(callback));
        Ok(())
    }

    /// As [`World::update`], and calls `callback` with every event, after the callback of the pair
    /// if it has one, one after the other in the order of events.
    ///
    /// Callbacks may ask for bodies to be moved, removed and so on: that is done when all have been
    /// called, and seen by the next update. So no event is missed or reported twice, however they
    /// move. Changes that cannot be made, because a body is gone, are left out and counted.
    ///
    /// ```
    /// use impinge::convex::Sphere;
    /// use impinge::world::{Body, EventKind, World};
    /// use impinge::Pose;
    ///
    /// let mut world = World::new();
    /// let ball = Sphere::new(1.0)?;
    /// let a = world.add(Body::new(ball.clone()))?;
    /// let b = world.add(Body::new(ball).at(Pose::from_translation([1.5, 0.0, 0.0])?))?;
    /// let away = Pose::from_translation([9.0, 0.0, 0.0])?;
    /// world.update_calling(|event, commands| {
    ///     if event.kind == EventKind::Began {
    ///         commands.move_to(event.b, away);
    ///     }
    /// });
    /// assert!(world.meet(a, b)?); // until the next update
    /// world.update();
    /// assert!(!world.meet(a, b)?);
    /// # Ok::<(), impinge::Error>(())
    /// ```
    pub fn update_calling(&mut self, callback: impl FnMut(&Event, &mut Commands)) -> Settled {
        self.settle(1, callback)
    }

    /// Repeats [`World::update_calling`] until callbacks ask for no more changes, or `most` updates
    /// have been made: a solver that pushes bodies apart needs several, and one that pushes them to
    /// and fro must not run for ever.
    pub fn settle(
        &mut self,
        most: usize,
        mut callback: impl FnMut(&Event, &mut Commands),
    ) -> Settled {
        let mut settled = Settled { updates: 0, at_rest: false, refused: 0 };
        while settled.updates < most && !settled.at_rest {
            self.update();
            settled.updates += 1;
            let mut commands = std::mem::take(&mut self.callbacks.commands);
            for event in &self.report.events {
                if !self.callbacks.pairs.is_empty() {
                    let key = Key::new(event.a.slot, event.b.slot);
                    if let Some(own) = self.callbacks.pairs.get_mut(&key) {
                        own(event, &mut commands);
                    }
                }
                callback(event, &mut commands);
            }
            settled.at_rest = commands.is_empty();
            for command in commands.list.drain(..) {
                settled.refused += usize::from(self.apply(command).is_err());
            }
            self.callbacks.commands = commands;
        }
        settled
    }

    /// As [`World::update`], and calls `callback` with every event, by all threads of the current
    /// `rayon` pool at once and in no order. Callbacks of pairs are not called.
    pub fn update_calling_in_parallel(&mut self, callback: impl Fn(&Event) + Sync) -> &Report {
        self.update();
        self.report.events.par_iter().for_each(&callback);
        &self.report
    }
}
