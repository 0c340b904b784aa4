//! Callbacks: for all events, and for single pairs (Zachmann 1994, section 7.2).

use std::collections::HashMap;
use std::fmt;

use rayon::prelude::*;

use super::commands::Commands;
use super::events::{Event, Report};
use super::pairs::Key;
use super::within::PairInfo;
use super::{Handle, World};
use crate::broad::KeyHasher;
use crate::error::Error;

/// A function that is called with each event of a pair.
type Callback = Box<dyn FnMut(&Event, &mut Commands) + Send + Sync>;

/// A function that rates a pair, for [`World::set_importance`].
pub type Importance = Box<dyn Fn(&PairInfo) -> f64 + Send + Sync>;

/// The callbacks of single pairs.
#[derive(Default)]
pub(super) struct Callbacks {
    pairs: HashMap<Key, Callback, KeyHasher>,
    /// The importance of a pair in updates within a budget.
    pub(super) importance: Option<Importance>,
    commands: Commands,
}

impl fmt::Debug for Callbacks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Callbacks").field("pairs", &self.pairs.len()).finish_non_exhaustive()
    }
}

impl Callbacks {
    /// Keeps only the callbacks of pairs for which `is_kept` returns true.
    pub(super) fn retain(&mut self, is_kept: impl Fn(&Key) -> bool) {
        self.pairs.retain(|key, _| is_kept(key));
    }

    /// Removes the callbacks of the pairs of a body that is removed.
    pub(super) fn forget(&mut self, slot: u32) {
        if !self.pairs.is_empty() {
            self.pairs.retain(|key, _| !key.has(slot));
        }
    }
}

/// The result of repeated updates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RepeatedUpdates {
    /// The number of updates.
    pub updates: usize,
    /// Whether the callbacks of the last update requested no changes.
    pub at_rest: bool,
    /// The number of requested changes that could not be made, because a body was removed or a
    /// value was invalid.
    pub refused: usize,
}

impl World {
    /// Calls `callback` with every event of this pair from now on, in updates that call callbacks.
    /// Replaces the callback of the pair. A callback is removed together with either body, so that
    /// it is not called with the event that the removal causes.
    ///
    /// # Errors
    /// [`ErrorKind::NoSuchBody`](crate::ErrorKind::NoSuchBody) if one of them was removed.
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
    /// if it has one, in the order of events.
    ///
    /// Callbacks may request changes such as moves and removals. They are made after all callbacks
    /// were called, and the next update processes them, so that no event is missed or reported
    /// twice. Changes that cannot be made, because a body was removed, are counted.
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
    pub fn update_calling(
        &mut self,
        callback: impl FnMut(&Event, &mut Commands),
    ) -> RepeatedUpdates {
        self.update_until_no_changes(1, callback)
    }

    /// Repeats [`World::update_calling`] until callbacks request no more changes, or `max_updates`
    /// updates were made: a solver that separates bodies needs several, and may not converge.
    pub fn update_until_no_changes(
        &mut self,
        max_updates: usize,
        mut callback: impl FnMut(&Event, &mut Commands),
    ) -> RepeatedUpdates {
        let mut repeated = RepeatedUpdates { updates: 0, at_rest: false, refused: 0 };
        while repeated.updates < max_updates && !repeated.at_rest {
            self.update();
            repeated.updates += 1;
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
            repeated.at_rest = commands.is_empty();
            for command in commands.list.drain(..) {
                repeated.refused += usize::from(self.apply(command).is_err());
            }
            self.callbacks.commands = commands;
        }
        repeated
    }

    /// As [`World::update`], and calls `callback` with every event, on all threads of the current
    /// `rayon` pool at once and in any order. Callbacks of pairs are not called.
    pub fn update_calling_in_parallel(&mut self, callback: impl Fn(&Event) + Sync) -> &Report {
        self.update();
        self.report.events.par_iter().for_each(&callback);
        &self.report
    }
}
