//! Updates at known times report what ordinary updates report, whatever bodies do, and do nothing
//! as long as no two bodies can meet.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod limits;
mod random;
mod single;

use impinge::world::{Body, BodyMotion, Handle, World, WorldOptions};
use impinge::{Pose, Vec3};

fn at(v: Vec3) -> Pose {
    Pose::from_translation(v).unwrap()
}

/// A world that is updated at known times, and one that is updated without. All changes are made
/// in both.
struct Twins {
    timed: World,
    plain: World,
    idle: usize,
    frames: usize,
    events: usize,
}

impl Twins {
    fn new(options: &WorldOptions) -> Self {
        let [timed, plain] = [(); 2].map(|()| World::with_options(options.clone()));
        Self { timed, plain, idle: 0, frames: 0, events: 0 }
    }

    fn both(&mut self, mut change: impl FnMut(&mut World)) {
        change(&mut self.timed);
        change(&mut self.plain);
    }

    fn add(&mut self, body: &Body) -> Handle {
        let handle = self.timed.add(body.clone()).unwrap();
        assert_eq!(self.plain.add(body.clone()).unwrap(), handle);
        handle
    }

    fn move_to(&mut self, body: Handle, pose: Pose) {
        self.both(|world| world.move_to(body, pose).unwrap());
    }

    fn set_motion(&mut self, body: Handle, motion: &BodyMotion, now: f64) {
        self.timed.set_motion(body, motion, now).unwrap();
    }

    /// Updates both, and compares all that they report.
    fn update(&mut self, time: f64, message: &str) {
        self.plain.update();
        self.timed.update_at(time).unwrap();
        self.check(message);
        let due = self.timed.due();
        assert!(due.is_sorted());
        for pair in self.plain.collisions() {
            assert!(due.contains(&(pair.a, pair.b)), "{message}: {pair:?} is not due");
        }
        self.idle += usize::from(self.timed.report().stats().is_idle());
    }

    fn check(&mut self, message: &str) {
        let (found, expected) = (self.timed.report(), self.plain.report());
        assert_eq!(found.events(), expected.events(), "{message}");
        assert_eq!(found.frame, expected.frame, "{message}");
        let numbers = |world: &World| {
            let stats = world.report().stats();
            [stats.pairs, stats.meeting, stats.moved]
        };
        assert_eq!(numbers(&self.timed), numbers(&self.plain), "{message}");
        assert_eq!(self.timed.collisions(), self.plain.collisions(), "{message}");
        self.frames += 1;
        self.events += expected.events().len();
    }
}
