//! The broad phase of section VI (Figure 9): it does nothing until the first space-time bounds
//! meet.
//!
//! All bounds are built again at every time at which it works. It goes on in steps of at least its
//! minimum temporal resolution, so it may **miss contacts that are shorter**; the engine's
//! [`Scheduler`](impinge::motion::Scheduler) does not.

use impinge::motion::SpaceTimeBound;

use super::earliest::{Counts, Planes, by_projection};

/// What the broad phase asks an application.
pub trait Bodies {
    /// Appends the bounds of all bodies as of a time; all of them begin there.
    fn bounds(&mut self, time: f64, bounds: &mut Vec<SpaceTimeBound>);

    /// Whether the bounding spheres (or boxes) of two bodies intersect at a time.
    fn intersect(&mut self, pair: [usize; 2], time: f64) -> bool;
}

/// The broad phase, with the time up to which it has detected.
#[derive(Clone, Debug)]
pub struct BroadPhase {
    previous: f64,
    resolution: f64,
    planes: Planes,
    bounds: Vec<SpaceTimeBound>,
    /// How often bounds were built.
    pub builds: u64,
    /// The work of the projection method.
    pub counts: Counts,
}

impl BroadPhase {
    /// A broad phase that begins at `now`, with this minimum temporal resolution.
    ///
    /// # Panics
    /// If the resolution is not a positive number.
    #[must_use]
    pub fn new(now: f64, resolution: f64, planes: Planes) -> Self {
        assert!(resolution > 0.0, "a resolution of {resolution}");
        Self {
            previous: now,
            resolution,
            planes,
            bounds: Vec::new(),
            builds: 0,
            counts: Counts::default(),
        }
    }

    /// The time up to which calls of [`detect`](Self::detect) do nothing.
    #[must_use]
    pub fn next_time(&self) -> f64 {
        self.previous
    }

    /// Detects up to the time of the current frame. Returns two bodies that intersect, and when;
    /// the next call goes on behind that time.
    pub fn detect(&mut self, now: f64, bodies: &mut impl Bodies) -> Option<([usize; 2], f64)> {
        while self.previous <= now {
            let built = self.previous;
            self.bounds.clear();
            bodies.bounds(built, &mut self.bounds);
            self.builds += 1;
            match by_projection(&self.bounds, built, self.planes, &mut self.counts) {
                None => {
                    let expiry = |end: f64, bound: &SpaceTimeBound| end.min(bound.end());
                    self.previous = self.bounds.iter().fold(f64::INFINITY, expiry);
                }
                Some(first) if first.time - built > self.resolution => self.previous = first.time,
                Some(first) => {
                    self.previous = built + self.resolution;
                    if bodies.intersect(first.pair, first.time) {
                        return Some((first.pair, first.time));
                    }
                }
            }
        }
        None
    }
}
