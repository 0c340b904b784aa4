//! Updates on several threads have the same reports as updates on one thread, including statistics.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use impinge::convex::{Cuboid, Hull, Sphere};
use impinge::world::{
    Body, BoxKind, Event, Geometry, Handle, Interest, Stats, World, WorldOptions,
};
use impinge::{Pose, Shape, Vec3, shapes};
use impinge_oracles::common::Random;

const BODIES: usize = 300;
const FRAMES: usize = 40;

fn forms() -> Vec<Geometry> {
    let ball = Shape::from(Sphere::new(0.3).unwrap());
    let ends = [-0.3, 0.3].map(|z| Pose::from_translation([0.0, 0.0, z]).unwrap());
    let tetrahedron = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z].map(|v| v - 0.25);
    vec![
        ball.clone().into(),
        Cuboid::new([0.3, 0.4, 0.2]).unwrap().into(),
        Hull::new(&tetrahedron).unwrap().into(),
        shapes::torus(0.5, 0.2, 16, 10).unwrap().into(),
        Geometry::compound([(ball.clone(), ends[0]), (ball, ends[1])]).unwrap(),
    ]
}

/// Runs a world of many bodies and returns the reports. Most bodies move slightly in each frame;
/// some jump, are added, removed, attached or replaced. In some frames only few move.
fn reports(options: &WorldOptions) -> Vec<(Vec<Event>, Stats)> {
    let mut random = Random::new(77);
    let forms = forms();
    let mut world = World::with_options(options.clone());
    let pose = |random: &mut Random, at: Vec3| {
        let turn = [0; 4].map(|_| random.signed());
        Pose::from_quaternion(turn, at).unwrap()
    };
    let mut bodies: Vec<(Handle, Vec3)> = Vec::new();
    let mut reports = Vec::new();
    for frame in 0..FRAMES {
        while bodies.len() < BODIES {
            let at = random.point() * 2.8;
            let form = forms[random.below(forms.len())].clone();
            bodies.push((world.add(Body::new(form).at(pose(&mut random, at))).unwrap(), at));
        }
        let movers = if frame % 7 == 6 { 12 } else { bodies.len() };
        for (body, at) in &mut bodies[..movers] {
            *at = if random.below(50) == 0 {
                random.point() * 2.8
            } else {
                *at + random.point() * 0.05
            };
            world.move_to(*body, pose(&mut random, *at)).unwrap();
        }
        match frame % 5 {
            1 => {
                for _ in 0..4 {
                    let (body, _) = bodies.swap_remove(random.below(bodies.len()));
                    world.remove(body).unwrap();
                }
            }
            2 => {
                let (body, _) = bodies[random.below(bodies.len())];
                world.replace(body, forms[frame % forms.len()].clone()).unwrap();
            }
            3 => {
                let (a, b) = (bodies[random.below(bodies.len())].0, bodies[0].0);
                // Fails where it would create a cycle.
                let _ = world.attach(a, Some(b));
            }
            _ => {}
        }
        if frame == 25 {
            let mut rules = Interest::everything();
            rules.ignore_links(1);
            world.set_rules(rules);
        }
        let report = world.update();
        reports.push((report.events().to_vec(), *report.stats()));
    }
    reports
}

#[test]
fn reports_do_not_depend_on_the_number_of_threads() {
    let several = [
        WorldOptions::default(),
        WorldOptions::default().persisting(true).oriented(true),
        WorldOptions::default().boxes(BoxKind::RotationProof),
    ];
    for options in several {
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| reports(&options))
        };
        let one = run(1);
        let max_checked = one.iter().map(|(_, stats)| stats.checked).max();
        assert!(max_checked > Some(500), "{max_checked:?}");
        assert!(one.iter().map(|(events, _)| events.len()).sum::<usize>() > 1000);
        for threads in [2, 5] {
            assert!(one == run(threads), "{threads} threads, {options:?}");
        }
        // Called from a thread outside of the pool.
        assert!(one == reports(&options), "{options:?}");
    }
}
