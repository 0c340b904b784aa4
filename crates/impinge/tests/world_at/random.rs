//! Random worlds in which anything happens.

use std::sync::Arc;

use impinge::convex::{Capsule, Cuboid, HalfSpace, Sphere};
use impinge::internals::Random;
use impinge::motion::Limits;
use impinge::pair::Budget;
use impinge::world::{Body, BodyMotion, BoxKind, Geometry, Handle, Interest, World, WorldOptions};
use impinge::{Pose, Shape, Vec3, shapes};

use super::Twins;

/// The time from frame to frame.
const DT: f64 = 1.0 / 64.0;

/// A body of a random world.
struct Actor {
    handle: Handle,
    /// In the parent's frame.
    pose: Pose,
    x: Vec3,
    v: Vec3,
    /// The acceleration, and how it rotates in a frame.
    a: Vec3,
    turn: Vec3,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Keeps its limits.
    Obeys,
    /// The same, and does not rotate.
    Slides,
    /// Has no limits.
    Free,
    /// Does not move, as its limits say, until it moves by a unit in the last place.
    Fixed,
    AtRest,
    /// Is at rest; starts to fall.
    Falls,
    /// Has limits and breaks them.
    Breaks,
    /// Attached to another one.
    Child,
}

fn geometry(random: &mut Random, size: f64) -> Geometry {
    let mesh = |mesh: impinge::Mesh| Shape::from(Arc::new(mesh));
    match random.index(6) {
        0 => Sphere::new(0.5 * size).unwrap().into(),
        1 => Cuboid::new([0.4 * size, 0.2 * size, 0.3 * size]).unwrap().into(),
        2 => Capsule::new(0.4 * size, 0.2 * size).unwrap().into(),
        3 => mesh(shapes::torus(0.4 * size, 0.15 * size, 9, 6).unwrap()).into(),
        4 => mesh(shapes::cuboid([0.7 * size, 0.3 * size, 0.2 * size]).unwrap()).into(),
        _ => {
            let ball = Shape::from(Sphere::new(0.2 * size).unwrap());
            let bar = mesh(shapes::cuboid([0.8 * size, 0.1 * size, 0.1 * size]).unwrap());
            let end = Pose::from_axis_angle([0.0, 1.0, 1.0], 0.7).unwrap();
            let end =
                end.compose(&Pose::from_translation([0.5 * size, 0.0, 0.0]).unwrap()).unwrap();
            Geometry::compound([(bar, end), (ball, Pose::IDENTITY)]).unwrap()
        }
    }
}

/// The pose with another translation.
fn moved_to(pose: &Pose, x: Vec3) -> Pose {
    let mut rows = pose.to_matrix();
    (0..3).for_each(|k| rows[k][3] = x[k]);
    Pose::from_nearest_rotation(rows).unwrap()
}

struct Scene<'r> {
    twins: Twins,
    actors: Vec<Actor>,
    random: &'r mut Random,
    size: f64,
    origin: Vec3,
    room: f64,
    outside: usize,
}

impl Scene<'_> {
    fn pose_of(&mut self, x: Vec3) -> Pose {
        let turn = self.random.rotation().to_array();
        Pose::from_quaternion(turn, x).unwrap()
    }

    fn add(&mut self, kind: Kind) {
        let (size, room) = (self.size, self.room);
        let x = self.origin + self.random.in_cube() * (room * size);
        let geometry = geometry(self.random, size);
        let pose = match kind {
            Kind::Fixed | Kind::AtRest | Kind::Falls | Kind::Slides => super::at(x),
            _ => self.pose_of(x),
        };
        let mut body = Body::new(geometry).at(pose).groups(1 << self.random.index(3));
        let mut pose = pose;
        if kind == Kind::Child {
            let Some(parent) = self.actors.first().map(|actor| actor.handle) else { return };
            pose = super::at(self.random.in_cube() * size);
            body = body.at(pose).attached_to(parent);
        }
        let handle = self.twins.add(&body);
        let moves = matches!(kind, Kind::Obeys | Kind::Slides | Kind::Breaks | Kind::Free);
        let v = if moves { self.random.in_cube() * (3.0 * size) } else { Vec3::ZERO };
        let a = if moves { self.random.direction() * size } else { Vec3::ZERO };
        let turn = self.random.in_cube() * 0.1;
        self.actors.push(Actor { handle, pose, x, v, a, turn, kind });
    }

    /// Sets the limits of an actor from its state at `now`.
    fn renew(&mut self, n: usize, now: f64) {
        let Actor { handle, v, kind, .. } = self.actors[n];
        let until = now + self.random.range(0.05, 1.0);
        let limits = Limits::none().acceleration(1.001 * self.size);
        let limits = match self.random.index(3) {
            0 => limits.speed(9.0 * self.size),
            _ => limits,
        };
        let motion = match kind {
            Kind::Obeys | Kind::Breaks => BodyMotion::new(limits).velocity(v).until(until),
            Kind::Slides => BodyMotion::new(limits).velocity(v).without_rotation().until(until),
            Kind::Fixed => BodyMotion::fixed(),
            Kind::AtRest => BodyMotion::new(Limits::inert()).velocity(Vec3::ZERO).until(until),
            Kind::Falls => {
                let g = Limits::none().acceleration(10.0 * self.size);
                BodyMotion::new(g).velocity(v).without_rotation().until(until)
            }
            Kind::Free | Kind::Child => return,
        };
        self.twins.set_motion(handle, &motion, now);
    }

    /// Moves an actor from a time to the next frame.
    fn step(&mut self, n: usize) {
        let scale = self.size;
        let kind = self.actors[n].kind;
        let actor = &mut self.actors[n];
        match kind {
            Kind::Obeys | Kind::Slides | Kind::Breaks | Kind::Free => {
                actor.x += actor.v * DT + actor.a * (0.5 * DT * DT);
                actor.v += actor.a * DT;
                let turned = actor.a + actor.a.cross(actor.turn);
                actor.a = turned.normalize_or_zero() * scale;
                // Back to the middle.
                if (actor.x - self.origin).length() > self.room * scale {
                    actor.a = (self.origin - actor.x).normalize_or_zero() * scale;
                }
                if kind != Kind::Slides {
                    let axis = actor.turn + Vec3::X * 0.01;
                    let turn = Pose::from_axis_angle(axis, 0.05).unwrap();
                    actor.pose = turn.compose(&actor.pose).unwrap();
                }
                actor.pose = moved_to(&actor.pose, actor.x);
                if kind == Kind::Breaks && self.random.index(40) == 0 {
                    actor.x = self.origin + self.random.in_cube() * (self.room * scale);
                    actor.pose = super::at(actor.x);
                }
            }
            Kind::Fixed | Kind::AtRest => {
                if self.random.index(60) != 0 {
                    return;
                }
                // A few units in the last place.
                let x = actor.pose.translation();
                let step = |x: f64, by: usize| f64::from_bits(x.to_bits().wrapping_add(by as u64));
                let (axis, by) = (self.random.index(3), 1 + self.random.index(3));
                let mut moved = x;
                moved[axis] = step(x[axis], by);
                let mut rows = actor.pose.to_matrix();
                rows[axis][3] = moved[axis];
                actor.pose = Pose::from_matrix(rows).unwrap();
            }
            Kind::Falls => {
                if actor.v == Vec3::ZERO && self.random.index(30) != 0 {
                    return;
                }
                let g = Vec3::NEG_Z * (10.0 * scale);
                actor.x += actor.v * DT + g * (0.5 * DT * DT);
                actor.v += g * DT;
                actor.pose = super::at(actor.x);
            }
            Kind::Child => {
                if self.random.index(10) != 0 {
                    return;
                }
                let x = actor.pose.translation() + self.random.in_cube() * (0.1 * scale);
                actor.pose = super::at(x);
            }
        }
        let Actor { handle, pose, .. } = self.actors[n];
        self.twins.move_to(handle, pose);
    }

    /// Something unusual.
    fn disturb(&mut self, now: f64) {
        match self.random.index(12) {
            0 => {
                let n = self.random.index(self.actors.len());
                let actor = self.actors.swap_remove(n);
                self.twins.both(|world| world.remove(actor.handle).unwrap());
            }
            1 => {
                let kinds = [Kind::Obeys, Kind::Slides, Kind::Free, Kind::Fixed, Kind::Child];
                let kind = kinds[self.random.index(kinds.len())];
                self.add(kind);
            }
            2 => {
                // An impulse.
                let n = self.random.index(self.actors.len());
                let handle = self.actors[n].handle;
                self.twins.timed.expire_motion(handle).unwrap();
                self.actors[n].v = self.random.in_cube() * (3.0 * self.size);
                if self.random.index(2) == 0 {
                    self.renew(n, now);
                }
            }
            3 => {
                let mut interest = Interest::everything();
                match self.random.index(3) {
                    0 => interest.set_groups(0, 1, false).unwrap(),
                    1 => interest.ignore_links(1),
                    _ => {}
                }
                self.twins.both(|world| world.set_rules(interest.clone()));
            }
            4 => {
                let [a, b] = [(); 2].map(|()| self.random.index(self.actors.len()));
                let [a, b] = [a, b].map(|n| self.actors[n].handle);
                let compared = [None, Some(true), Some(false)][self.random.index(3)];
                if a != b {
                    self.twins.both(|world| world.set_interest(a, b, compared).unwrap());
                }
            }
            5 => self.twins.timed = self.twins.timed.clone(),
            6 => {
                let snapshot = self.twins.timed.snapshot();
                self.twins.timed.restore(&snapshot);
            }
            7 => {
                self.twins.both(|world| {
                    world.update();
                });
                self.twins.check("ordinary updates in between");
            }
            8 => {
                // Attached bodies keep their places.
                let n = self.random.index(self.actors.len());
                if self.actors[n].kind == Kind::Child {
                    let handle = self.actors[n].handle;
                    self.twins.both(|world| {
                        world.attach(handle, None).unwrap();
                    });
                    let pose = self.twins.plain.local_pose(handle).unwrap();
                    self.actors[n].pose = pose;
                }
            }
            9 => {
                let n = self.random.index(self.actors.len());
                let (handle, other) = (self.actors[n].handle, geometry(self.random, self.size));
                self.twins.both(|world| world.replace(handle, other.clone()).unwrap());
            }
            10 => {
                let _ = self.twins.timed.next_time();
            }
            _ => {
                let resolution = [0.0, 0.02, 0.2][self.random.index(3)];
                self.twins.timed.set_resolution(resolution).unwrap();
            }
        }
    }
}

fn run(seed: u64) -> [usize; 4] {
    let mut random = Random::new(seed);
    let kinds = [BoxKind::Fast, BoxKind::Tight, BoxKind::RotationProof];
    let options = WorldOptions::default()
        .boxes(kinds[random.index(3)])
        .oriented(random.index(4) == 0)
        .persisting(random.index(2) == 0);
    let size = [1.0, 1.0, 1e-7, 1e6, 1e-40][random.index(5)];
    let origin = match random.index(3) {
        0 => random.in_cube() * (1e4 * size),
        _ => Vec3::ZERO,
    };
    // Most bodies keep their limits, and there is room.
    let calm = seed % 3 == 0;
    let room = if calm { 9.0 } else { [1.5, 4.0, 12.0][random.index(3)] };
    let twins = Twins::new(&options);
    let mut scene =
        Scene { twins, actors: Vec::new(), random: &mut random, size, origin, room, outside: 0 };
    let floor = HalfSpace::new(Vec3::Z, -room * size + origin.z).unwrap();
    let floor = scene.twins.add(&Body::new(Geometry::from(Shape::from(floor))));
    scene.twins.set_motion(floor, &BodyMotion::fixed(), 0.0);
    let count = 4 + scene.random.index(28);
    for n in 0..count {
        use Kind::{AtRest, Breaks, Child, Falls, Fixed, Free, Obeys, Slides};
        let kinds =
            [Obeys, Obeys, Obeys, Slides, Slides, Fixed, Fixed, Falls, AtRest, Breaks, Free, Child];
        let kinds = if calm { &kinds[..9] } else { &kinds[..] };
        let kind = if n < 2 { n } else { scene.random.index(kinds.len()) };
        scene.add(kinds[kind]);
    }
    for n in 0..scene.actors.len() {
        scene.renew(n, 0.0);
    }
    let renews = scene.random.index(4);
    for frame in 0..120 {
        let now = f64::from(frame) * DT;
        scene.twins.update(now, &format!("seed {seed}, frame {frame}"));
        scene.outside += scene.twins.timed.report().outside().len();
        let listed = scene.twins.timed.report().renewals().to_vec();
        for n in 0..scene.actors.len() {
            let is_listed = listed.contains(&scene.actors[n].handle);
            if is_listed && scene.random.index(4) >= renews {
                scene.renew(n, now);
            }
        }
        if !calm && scene.random.index(12) == 0 && scene.actors.len() > 2 {
            scene.disturb(now);
        }
        for n in 0..scene.actors.len() {
            scene.step(n);
            // A state at the time of the next frame.
            if scene.random.index(200) == 0 {
                scene.renew(n, now + DT);
            }
        }
        if scene.random.index(150) == 0 {
            // A budget that suffices.
            scene.twins.plain.update();
            scene.twins.timed.update_within(&mut Budget::unlimited());
            let found = scene.twins.timed.collisions();
            let pairs = |list: &[impinge::world::Collision]| -> Vec<_> {
                list.iter().map(|pair| (pair.a, pair.b)).collect()
            };
            assert_eq!(pairs(&found), pairs(&scene.twins.plain.collisions()), "seed {seed}");
        }
    }
    [scene.twins.idle, scene.twins.events, scene.outside, scene.twins.frames]
}

#[test]
fn random_worlds_report_what_ordinary_updates_report() {
    let factor = std::env::var("IMPINGE_TEST_FACTOR").ok().and_then(|f| f.parse().ok());
    let mut sums = [0; 4];
    for seed in 0..400 * factor.unwrap_or(1_u64) {
        for (sum, one) in sums.iter_mut().zip(run(seed)) {
            *sum += one;
        }
    }
    // All that is compared has happened.
    let [idle, events, outside, frames] = sums;
    println!("{idle} of {frames} frames idle, {events} events, {outside} outside");
    assert!(idle > frames / 40 && events > frames / 4 && outside > 100, "{sums:?}");
}

/// The world of a test, cloned before every frame.
#[test]
fn clones_report_the_same() {
    let mut random = Random::new(3);
    let mut world = World::new();
    let mut twin = world.clone();
    let bodies: Vec<(Handle, Vec3, Vec3)> = (0..20)
        .map(|_| {
            let (x, v) = (random.in_cube() * 4.0, random.in_cube() * 2.0);
            let body = Body::new(Sphere::new(0.3).unwrap()).at(super::at(x));
            let handle = world.add(body.clone()).unwrap();
            assert_eq!(twin.add(body).unwrap(), handle);
            (handle, x, v)
        })
        .collect();
    for frame in 0..200 {
        let t = f64::from(frame) * DT;
        for (handle, x, v) in &bodies {
            for world in [&mut world, &mut twin] {
                world.move_to(*handle, super::at(*x + *v * t)).unwrap();
                if frame % 32 == 0 {
                    let motion = BodyMotion::new(Limits::inert()).velocity(*v).until(t + 0.6);
                    world.set_motion(*handle, &motion, t).unwrap();
                }
            }
        }
        twin = twin.clone();
        assert_eq!(twin.update_at(t).unwrap().events(), world.update_at(t).unwrap().events());
        assert_eq!(twin.report().outside(), world.report().outside());
    }
}
