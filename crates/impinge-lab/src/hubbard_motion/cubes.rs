//! Cubes that move by random sets of forces (section IX).

use impinge::convex::Cuboid;
use impinge::internals::Random;
use impinge::motion::{Limits, Motion};
use impinge::world::{Body, BodyMotion};
use impinge::{Aabb, Pose, Vec3};

/// A cube that does not rotate, and its whole motion.
pub(super) struct Cube {
    half: f64,
    /// Parts with constant acceleration, in order.
    parts: Vec<Part>,
    sets: Vec<Set>,
}

/// A part of a motion with constant acceleration.
struct Part {
    start: f64,
    x: Vec3,
    v: Vec3,
    a: Vec3,
    set: usize,
}

/// A set of forces: all that a method knows of the future.
struct Set {
    end: f64,
    acceleration: f64,
    d: Vec3,
}

/// The motions end here, in seconds.
pub(super) const DURATION: f64 = 20.0;

impl Cube {
    fn new(random: &mut Random, room: f64) -> Self {
        let half = random.range(0.1, 0.3);
        let (mut x, mut v) = (random.in_cube() * room, random.in_cube() * 1.5);
        let (mut parts, mut sets, mut t) = (Vec::new(), Vec::new(), 0.0);
        while t < DURATION + 1.0 {
            let end = t + random.range(1.0, 6.0);
            let acceleration = random.range(0.2, 3.0);
            // Mostly back to the middle of the room.
            let d = (x / room + random.direction() * 0.7).try_normalize().unwrap_or(Vec3::X);
            sets.push(Set { end, acceleration, d });
            while t < end {
                let until = end.min(t + random.range(0.05, 0.8));
                let mut a = random.direction() * (acceleration * random.unit());
                if a.dot(d) > 0.0 {
                    a = -a;
                }
                parts.push(Part { start: t, x, v, a, set: sets.len() - 1 });
                let dt = until - t;
                x += v * dt + a * (0.5 * dt * dt);
                v += a * dt;
                t = until;
            }
        }
        Self { half, parts, sets }
    }

    fn part(&self, t: f64) -> &Part {
        let after = self.parts.partition_point(|part| part.start <= t);
        &self.parts[after.saturating_sub(1)]
    }

    pub(super) fn acceleration(&self, t: f64) -> Vec3 {
        self.part(t).a
    }

    /// Position and velocity.
    pub(super) fn state(&self, t: f64) -> (Vec3, Vec3) {
        let Part { start, x, v, a, .. } = self.part(t);
        let dt = t - start;
        (*x + *v * dt + *a * (0.5 * dt * dt), *v + *a * dt)
    }

    pub(super) fn bounds(&self, t: f64) -> Aabb {
        let x = self.state(t).0;
        Aabb { min: x - Vec3::splat(self.half), max: x + Vec3::splat(self.half) }
    }

    /// What a method may know at a time: the state, the limits, and when they expire. The slack is
    /// for the rounding of these motions.
    pub(super) fn motion(&self, t: f64) -> (Motion, f64) {
        let (x, v) = self.state(t);
        let (limits, end) = self.limits(t);
        let extent = Aabb::from_corners(Vec3::splat(-self.half), Vec3::splat(self.half));
        (Motion::at(x).velocity(v).extent(extent).tolerance(1e-9, 1e-9).limits(limits), end)
    }

    /// The limits at a time, and when they expire.
    fn limits(&self, t: f64) -> (Limits, f64) {
        let set = &self.sets[self.part(t).set];
        let limits = Limits::none().acceleration(set.acceleration * (1.0 + 1e-9));
        (limits.never_towards(set.d), set.end)
    }

    /// The same as [`Cube::motion`] for a world, until a time.
    pub(super) fn body_motion(&self, t: f64, until: f64) -> BodyMotion {
        let (limits, end) = self.limits(t);
        let motion = BodyMotion::new(limits).velocity(self.state(t).1).without_rotation();
        motion.tolerance(1e-9, 1e-9).until(end.min(until))
    }

    /// The body of a world.
    pub(super) fn body(&self) -> Body {
        let cube = Cuboid::new(Vec3::splat(self.half)).expect("the side is positive");
        Body::new(cube).at(self.pose(0.0))
    }

    pub(super) fn pose(&self, t: f64) -> Pose {
        Pose::from_translation(self.state(t).0).expect("the room is small")
    }
}

/// The cubes of a run, in a room of a random size; none overlap at the start.
pub(super) fn scene(random: &mut Random, bodies: usize) -> Vec<Cube> {
    let room = random.range(2.5, 5.5).exp2() * (bodies as f64 / 100.0).cbrt();
    let mut cubes: Vec<Cube> = Vec::new();
    while cubes.len() < bodies {
        let cube = Cube::new(random, room);
        if !cubes.iter().any(|other| other.bounds(0.0).overlaps(&cube.bounds(0.0))) {
            cubes.push(cube);
        }
    }
    cubes
}

/// One step of the classical Runge-Kutta method, for the time that an application spends on
/// motions.
pub(super) fn runge_kutta(cube: &Cube, state: (Vec3, Vec3), t: f64, dt: f64) -> (Vec3, Vec3) {
    let (x, v) = state;
    let (a1, v1) = (cube.acceleration(t), v);
    let (a2, v2) = (cube.acceleration(t + 0.5 * dt), v + a1 * (0.5 * dt));
    let (a3, v3) = (cube.acceleration(t + 0.5 * dt), v + a2 * (0.5 * dt));
    let (a4, v4) = (cube.acceleration(t + dt), v + a3 * dt);
    (x + (v1 + (v2 + v3) * 2.0 + v4) * (dt / 6.0), v + (a1 + (a2 + a3) * 2.0 + a4) * (dt / 6.0))
}
