//! The reports of a world depend only on its bodies: not on options, threads, methods or earlier
//! computations, and not on whether the world was saved and restored in between.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use impinge::convex::{Capsule, Cone, Cuboid, Cylinder, Ellipsoid, HalfSpace, Hull, Sphere};
use impinge::world::{
    Body, BoxKind, EventKind, Geometry, Handle, Interest, MethodKind, World, WorldOptions,
};
use impinge::{ErrorKind, Mesh, Pose, Shape, Vec3, shapes};
use impinge_oracles::common::Random;
use impinge_papers::zachmann::broad::BROAD_PHASES;

fn forms() -> Vec<Geometry> {
    let ball = Shape::from(Sphere::new(0.5).unwrap());
    let bar = Shape::from(Capsule::new(0.8, 0.15).unwrap());
    let ends = [-0.8, 0.8].map(|z| Pose::from_translation([0.0, 0.0, z]).unwrap());
    let tetrahedron = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z].map(|v| v - 0.25);
    vec![
        ball.clone().into(),
        bar.clone().into(),
        Cuboid::new([0.4, 0.5, 0.6]).unwrap().into(),
        Cylinder::new(0.5, 0.4).unwrap().into(),
        Cone::new(0.5, 0.9).unwrap().into(),
        Ellipsoid::new([0.4, 0.5, 0.7]).unwrap().into(),
        Hull::new(&tetrahedron).unwrap().into(),
        shapes::torus(0.7, 0.25, 16, 10).unwrap().into(),
        shapes::icosphere(0.6, 3).unwrap().into(),
        Shape::solid(shapes::icosphere(0.9, 4).unwrap()).unwrap().into(),
        Shape::solid(shapes::cuboid([0.3, 0.3, 0.3]).unwrap()).unwrap().into(),
        Geometry::compound([
            (bar, Pose::IDENTITY),
            (ball, ends[0]),
            (Shape::from(shapes::torus(0.4, 0.2, 10, 8).unwrap()), ends[1]),
        ])
        .unwrap(),
    ]
}

/// A sequence of changes that depends only on its seed.
#[derive(Clone)]
struct Script {
    random: Random,
    frame: usize,
    forms: Vec<Geometry>,
    bodies: Vec<Handle>,
    deformable: Handle,
    sheet: Mesh,
}

impl Script {
    fn new(seed: u64, world: &mut World) -> Self {
        let (forms, sheet) = (forms(), shapes::torus(0.9, 0.3, 14, 9).unwrap());
        let ground = HalfSpace::new([0.0, 0.0, 1.0], -2.2).unwrap();
        world.add(Body::new(ground).groups(2)).unwrap();
        let deformable = world.add(Body::new(sheet.clone())).unwrap();
        let mut random = Random::new(seed);
        let mut script =
            Self { random: random.clone(), frame: 0, forms, bodies: vec![], deformable, sheet };
        for n in 0..26 {
            let form = script.forms[n % script.forms.len()].clone();
            let body = Body::new(form).at(random_pose(&mut random)).user(n as u64);
            let body = if n % 9 == 8 { body.attached_to(script.bodies[n - 3]) } else { body };
            script.bodies.push(world.add(body).unwrap());
        }
        // Curved shapes that touch up to the last digits.
        for n in 0..4 {
            let at = Pose::from_translation([9.0 + 4.0 * f64::from(n), 0.0, 0.0]).unwrap();
            world.add(Body::new(Cylinder::new(0.5, 0.5).unwrap()).at(at)).unwrap();
            let form = script.forms[[4, 5, 6, 8][n as usize]].clone();
            script.bodies.push(world.add(Body::new(form).at(at)).unwrap());
        }
        script.random = random;
        script
    }

    /// Makes the changes of one frame.
    fn step(&mut self, world: &mut World) {
        let mut random = self.random.clone();
        let count = self.bodies.len();
        for n in 0..random.below(count) {
            let body = self.bodies[n];
            if n % 3 == self.frame % 3 {
                world.move_to(body, random_pose(&mut random)).unwrap();
            } else {
                let near = world.local_pose(body).unwrap();
                let step = Pose::from_quaternion(
                    [random.signed() * 0.1, random.signed() * 0.1, 0.0, 1.0],
                    random.point() * 0.15,
                );
                world.move_to(body, near.compose(&step.unwrap()).unwrap()).unwrap();
            }
        }
        for n in 0..4 {
            // Gaps and overlaps of random powers of ten.
            let off = 10f64.powi(-(random.below(12) as i32) - 3) * random.signed();
            let at = 9.0 + 4.0 * n as f64 + [1.0, 0.9, 1.25, 1.1][n] + off;
            let pose = Pose::from_translation([at, 0.0, 0.0]).unwrap();
            world.move_to(self.bodies[count - 4 + n], pose).unwrap();
        }
        let deformed = self.sheet.vertices().iter().map(|v| *v * (1.0 + 0.2 * random.unit()));
        let deformed: Vec<Vec3> = deformed.collect();
        match random.below(7) {
            0 => world.deform(self.deformable, &deformed).unwrap(),
            1 => {
                let n = random.below(26);
                world.remove(self.bodies[n]).unwrap();
                let form = self.forms[random.below(self.forms.len())].clone();
                let body = Body::new(form).at(random_pose(&mut random));
                self.bodies[n] = world.add(body).unwrap();
            }
            2 => {
                let mut rules = Interest::everything();
                rules.set_groups(0, 1, random.below(2) == 0).unwrap();
                world.set_rules(rules);
            }
            3 => {
                let (a, b) = (self.bodies[random.below(26)], self.bodies[26]);
                let method = MethodKind::ALL[random.below(MethodKind::ALL.len())];
                world.set_method(a, b, Some(method)).unwrap();
            }
            4 => {
                let form = self.forms[random.below(self.forms.len())].clone();
                world.replace(self.bodies[random.below(26)], form).unwrap();
            }
            _ => {}
        }
        self.random = random;
        self.frame += 1;
    }
}

fn random_pose(random: &mut Random) -> Pose {
    let turn = [0; 4].map(|_| random.signed());
    Pose::from_quaternion(turn, random.point() * 1.9).unwrap()
}

/// Updates the world and prints all results, so that every bit can be compared.
fn update_as_text(world: &mut World) -> String {
    world.update();
    let report = world.report();
    let mut text = format!("{} {:?}\n", report.frame, report.events());
    for collision in world.collisions() {
        let witness = world.witness_of(collision.a, collision.b).unwrap();
        text += &format!("{collision:?} {witness:?}\n");
    }
    text
}

fn run(options: &WorldOptions, seed: u64, frames: usize) -> Vec<String> {
    let mut world = World::with_options(options.clone());
    let mut script = Script::new(seed, &mut world);
    let step = |_| {
        let text = update_as_text(&mut world);
        script.step(&mut world);
        text
    };
    (0..frames).map(step).collect()
}

#[test]
fn witnesses_do_not_depend_on_options_threads_or_history() {
    let plain = WorldOptions::default().persisting(true);
    let known = run(&plain, 5, 60);
    let all = known.concat();
    assert!(all.matches("Began").count() > 300 && all.matches("Ended").count() > 300);
    assert!(all.matches("bias: Some").count() > 3, "{all}");
    for boxes in [BoxKind::Fast, BoxKind::Tight, BoxKind::RotationProof] {
        for oriented in [false, true] {
            let options = plain.clone().boxes(boxes).oriented(oriented);
            assert!(run(&options, 5, 60) == known, "{options:?}");
        }
    }
    for phase in BROAD_PHASES {
        let options = plain.clone().phase(*phase).boxes(BoxKind::Tight);
        assert!(run(&options, 5, 60) == known, "{options:?}");
    }
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert!(pool.install(|| run(&plain, 5, 60)) == known, "{threads} threads");
    }
}

/// The selected method does not change the reports.
#[test]
fn witnesses_do_not_depend_on_the_method() {
    let reports = |method: Option<MethodKind>| {
        let mut world = World::new();
        let ring = shapes::torus(1.0, 0.4, 20, 12).unwrap();
        let a = world.add(Body::new(ring.clone())).unwrap();
        let b = world.add(Body::new(ring)).unwrap();
        world.set_method(a, b, method).unwrap();
        let mut random = Random::new(3);
        let mut text = String::new();
        for _ in 0..60 {
            let turn = [0; 4].map(|_| random.signed());
            let pose = Pose::from_quaternion(turn, random.point() * 1.8).unwrap();
            world.move_to(b, pose).unwrap();
            text += &update_as_text(&mut world);
        }
        text
    };
    let known = reports(None);
    assert!(known.matches("Began").count() > 5);
    for method in MethodKind::ALL.iter().copied() {
        assert!(reports(Some(method)) == known, "{method}");
    }
}

/// Runs some frames, restores a snapshot, and continues with the same reports: in the same world,
/// in a world made from the snapshot, and in a world that had other options and bodies.
#[test]
fn a_restored_world_continues_with_the_same_reports() {
    let plain = WorldOptions::default().persisting(true);
    let known = run(&plain, 8, 60);
    let mut world = World::with_options(plain.clone());
    let mut script = Script::new(8, &mut world);
    let other =
        plain.clone().phase(impinge_papers::klosowski::dynamic_tree::TREE).boxes(BoxKind::Tight);
    for (frame, text) in known.iter().enumerate() {
        assert_eq!(&update_as_text(&mut world), text, "frame {frame}");
        script.step(&mut world);
        if frame % 6 != 5 {
            continue;
        }
        // With changes after the last update.
        let saved = world.snapshot();
        let before = script.clone();
        assert_eq!(saved.frame() as usize, frame + 1);
        let mut other_world = World::with_options(other.clone());
        other_world.add(Body::new(Sphere::new(9.0).unwrap())).unwrap();
        other_world.update();
        other_world.restore(&saved);
        let mut worlds = [other_world, World::from_snapshot(&saved, plain.clone())];
        for world in &mut worlds {
            assert_eq!(world.report().events(), saved_events(&saved));
            let mut script = before.clone();
            for text in &known[frame + 1..(frame + 9).min(known.len())] {
                assert_eq!(&update_as_text(world), text);
                script.step(world);
            }
        }
        let mut ahead = before.clone();
        for _ in 0..5 {
            world.update();
            ahead.step(&mut world);
        }
        world.restore(&saved);
        script = before;
    }
}

fn saved_events(saved: &impinge::world::Snapshot) -> Vec<impinge::world::Event> {
    World::from_snapshot(saved, WorldOptions::default()).report().events().to_vec()
}

#[test]
fn a_restored_world_has_the_handles_of_the_snapshot_and_keeps_their_callbacks() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    let mut world = World::new();
    let ball = || Body::new(Sphere::new(1.0).unwrap());
    let (a, b) = (world.add(ball()).unwrap(), world.add(ball()).unwrap());
    world.update();
    let saved = world.snapshot();
    let called = Arc::new(AtomicUsize::new(0));
    let counter = |n: usize| {
        let called = Arc::clone(&called);
        move |_: &_, _: &mut _| {
            called.fetch_add(n, Ordering::Relaxed);
        }
    };
    world.on_pair(a, b, counter(1)).unwrap();
    let late = world.add(ball()).unwrap();
    world.on_pair(a, late, counter(100)).unwrap();
    world.update_calling(|_, _| {});
    assert_eq!(called.load(Ordering::Relaxed), 100);
    world.restore(&saved);
    assert!(world.contains(a) && world.contains(b) && !world.contains(late));
    assert!(world.meet(a, b).unwrap() && world.update().events().is_empty());
    world.move_to(b, Pose::from_translation([9.0, 0.0, 0.0]).unwrap()).unwrap();
    world.update_calling(|_, _| {});
    assert_eq!(called.load(Ordering::Relaxed), 101);
    // The same handle is assigned again, as at the time of the snapshot.
    assert_eq!(world.add(ball()).unwrap(), late);
    world.update_calling(|_, _| {});
    assert_eq!(called.load(Ordering::Relaxed), 101);
}

/// A chain of poses may leave the range of coordinates. Bodies out of range meet nothing until they
/// return.
#[test]
fn chains_out_of_range_are_reported_and_may_return() {
    for oriented in [false, true] {
        let options = WorldOptions::default().oriented(oriented);
        let mut world = World::with_options(options);
        let ball = || Sphere::new(1.0).unwrap();
        let at = |x: f64| Pose::from_translation([x, 0.0, 0.0]).unwrap();
        let root = world.add(Body::new(ball())).unwrap();
        let mut chain = vec![root];
        for _ in 0..300 {
            let last = *chain.last().unwrap();
            chain.push(world.add(Body::new(ball()).attached_to(last)).unwrap());
        }
        let tip = chain[300];
        let other = world.add(Body::new(ball())).unwrap();
        world.update();
        assert!(world.meet(tip, other).unwrap());
        for body in &chain {
            world.move_to(*body, at(1e60)).unwrap();
        }
        let ended = world.update().ended().count();
        assert!(ended >= 301, "{ended}");
        assert_eq!(world.out_of_range().count(), 300);
        let error = world.pose(tip).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OutOfRange);
        assert!(error.to_string().contains("chain of parents"), "{error}");
        assert_eq!(world.distance(tip, other).unwrap_err().kind(), ErrorKind::OutOfRange);
        assert_eq!(world.contact(other, tip).unwrap_err().kind(), ErrorKind::OutOfRange);
        assert_eq!(world.attach(tip, None).unwrap_err().kind(), ErrorKind::OutOfRange);
        assert_eq!(world.attach(other, Some(tip)).unwrap_err().kind(), ErrorKind::OutOfRange);
        assert!(world.snapshot().pose(tip).is_err() && world.bounds(tip).unwrap().is_empty());
        assert_eq!(world.witness_of(tip, other).unwrap(), None);
        // A body out of range stays valid when its parent is removed.
        world.remove(chain[299]).unwrap();
        world.update();
        assert!(world.pose(tip).is_err());
        for body in chain.iter().filter(|body| **body != chain[299]) {
            world.move_to(*body, Pose::IDENTITY).unwrap();
        }
        assert_eq!(world.update().began().count(), 301 * 300 / 2);
        assert_eq!(world.out_of_range().count(), 0);
        assert!(world.meet(tip, other).unwrap());
    }
}

/// The errors of matrices that are rotations just within the tolerance do not add up along a chain.
#[test]
fn a_chain_of_inexact_rotations_stays_a_rotation() {
    let turn = Pose::from_axis_angle([1.0, 2.0, 3.0], 0.3).unwrap();
    let mut rows = turn.to_matrix();
    rows.iter_mut().for_each(|row| row[0] *= 1.0 + 0.49e-9);
    let coarse = Pose::from_matrix(rows).unwrap();
    let mut world = World::new();
    let mut last = world.add(Body::new(Sphere::new(1.0).unwrap()).at(coarse)).unwrap();
    for _ in 0..2000 {
        let link = Body::new(Sphere::new(0.01).unwrap()).at(coarse).attached_to(last);
        last = world.add(link.groups(0)).unwrap();
    }
    world.update();
    let pose = world.pose(last).unwrap();
    assert!(Pose::from_matrix(pose.to_matrix()).is_ok());
    world.attach(last, None).unwrap();
    world.update();
    assert!(world.pose(last).unwrap().translation().is_finite());
}

/// Leaving the range ends pairs, returning begins them, and no event is reported twice.
#[test]
fn pairs_end_when_a_body_leaves_the_range_and_begin_when_it_returns() {
    let mut world = World::new();
    let ball = Sphere::new(1.0).unwrap();
    let far = Pose::from_translation([0.9e60, 0.0, 0.0]).unwrap();
    let arm = world.add(Body::new(ball).groups(0)).unwrap();
    let hand = world.add(Body::new(ball).attached_to(arm)).unwrap();
    let wall = world.add(Body::new(ball).at(far)).unwrap();
    let mut events_per_update = Vec::new();
    for (first, second) in [(0.0, 0.0), (0.9, 0.0), (0.9, 0.9), (-0.9, 0.9), (0.9, 0.0)] {
        for (body, x) in [(arm, first), (hand, second)] {
            world.move_to(body, Pose::from_translation([x * 1e60, 0.0, 0.0]).unwrap()).unwrap();
        }
        let events = world.update().events();
        events_per_update.push(events.iter().map(|e| (e.kind, e.a, e.b)).collect::<Vec<_>>());
    }
    let began = vec![(EventKind::Began, hand, wall)];
    let ended = vec![(EventKind::Ended, hand, wall)];
    assert_eq!(events_per_update, [vec![], began.clone(), ended, vec![], began]);
}
