//! A world that is updated only in frames in which two bodies can meet.
//!
//! Sixteen balls fly through a room. A scheduler knows their velocities and a limit of their
//! acceleration. Frames in which nothing is due are skipped: no ball is moved, and the world is not
//! updated. A second world, updated in every frame, reports the same events.
//!
//! ```sh
//! cargo run --release -p impinge --example frames_without_work
//! ```
#![allow(clippy::print_stdout, reason = "an example prints its results")]

use impinge::convex::Sphere;
use impinge::motion::{Limits, Motion, Scheduler};
use impinge::world::{Body, Event, EventKind};
use impinge::{Error, Pose, Vec3, World};

const RADIUS: f64 = 0.25;
/// The largest acceleration of a ball.
const PULL: f64 = 0.5;
/// How long a bound holds, in seconds: with shorter times bounds are tighter, and end earlier.
const HORIZON: f64 = 0.5;

/// A ball that is pulled along one direction and back, in turns of a second.
struct Ball {
    start: Vec3,
    velocity: Vec3,
    pull: Vec3,
}

impl Ball {
    fn new(n: u32) -> Self {
        // Any fixed numbers between -1 and 1.
        let spread = |k: u32| f64::from((n * 12 + k) * 7919 % 1009) / 504.5 - 1.0;
        let vector = |k: u32| Vec3::new(spread(k), spread(k + 1), spread(k + 2));
        let pull = vector(6).normalize_or_zero() * PULL;
        Self { start: vector(0) * 4.0, velocity: vector(3) * 2.0, pull }
    }

    /// Position and velocity.
    fn state(&self, t: f64) -> (Vec3, Vec3) {
        // After each two seconds the velocity is the same again.
        let (turns, within) = ((t / 2.0).floor(), t % 2.0);
        let gained = within.min(2.0 - within);
        let half = 0.5 * gained * gained;
        let way = if within <= 1.0 { half } else { 1.0 - half };
        let x = self.start + self.velocity * t + self.pull * (turns + way);
        (x, self.velocity + self.pull * gained)
    }

    /// What the scheduler knows, with slack for the rounding of this program.
    fn motion(&self, t: f64) -> Motion {
        let (x, v) = self.state(t);
        let limits = Limits::none().acceleration(PULL * (1.0 + 1e-9));
        Motion::at(x).velocity(v).radius(RADIUS).tolerance(1e-9, 1e-9).limits(limits)
    }
}

/// The events of a frame, without witnesses.
fn kinds(events: &[Event]) -> Vec<(EventKind, u32, u32)> {
    events.iter().map(|event| (event.kind, event.a.slot() as u32, event.b.slot() as u32)).collect()
}

fn main() -> Result<(), Error> {
    let balls: Vec<Ball> = (0..16).map(Ball::new).collect();
    let (mut world, mut every_frame) = (World::new(), World::new());
    let mut scheduler = Scheduler::new(0.0)?;
    let (mut handles, mut others) = (Vec::new(), Vec::new());
    for ball in &balls {
        let body = Body::new(Sphere::new(RADIUS)?).at(Pose::from_translation(ball.start)?);
        handles.push(world.add(body.clone())?);
        others.push(every_frame.add(body)?);
        // The scheduler numbers its bodies in the same order.
        let number = scheduler.add();
        scheduler.set(number, &[ball.motion(0.0).bound(0.0, HORIZON)?]);
    }
    world.update();
    every_frame.update();
    let (mut skipped, mut events) = (0, 0);
    for frame in 1..=600 {
        let now = f64::from(frame) / 60.0;
        let due = scheduler.advance(now)?.clone();
        let mut seen = Vec::new();
        if due.pairs().is_empty() && due.unbounded().is_empty() {
            skipped += 1;
        } else {
            for (ball, handle) in balls.iter().zip(&handles) {
                world.move_to(*handle, Pose::from_translation(ball.state(now).0)?)?;
            }
            // The other bounds still hold.
            for body in due.renew() {
                let motion = balls[body.index()].motion(now);
                scheduler.set(*body, &[motion.bound(now, now + HORIZON)?]);
            }
            seen = kinds(world.update().events());
        }
        for (ball, handle) in balls.iter().zip(&others) {
            every_frame.move_to(*handle, Pose::from_translation(ball.state(now).0)?)?;
        }
        let expected = kinds(every_frame.update().events());
        assert_eq!(seen, expected, "frame {frame}");
        events += expected.len();
    }
    assert!(skipped > 100 && events > 0, "{skipped} frames skipped, {events} events");
    println!("600 frames, {events} events, {skipped} frames without work");
    println!("{:?}", scheduler.stats());
    Ok(())
}

#[test]
fn example_runs() {
    main().expect("the example runs");
}
