//! A world compared with an oracle that queries every pair of bodies separately, after any sequence
//! of operations.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;

use impinge::convex::{Capsule, Cuboid, Cylinder, HalfSpace, Hull, Sphere};
use impinge::shape::Kind;
use impinge::world::{
    Body, BoxKind, Event, EventKind, Geometry, Handle, Interest, MethodKind, World, WorldOptions,
};
use impinge::{ErrorKind, Mesh, Pose, Shape, Vec3, convex, shape, shapes};
use impinge_oracles::common::Random;
use impinge_papers::zachmann::broad::BROAD_PHASES;

/// Geometries of all kinds.
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
        Hull::new(&tetrahedron).unwrap().into(),
        shapes::torus(0.7, 0.25, 16, 10).unwrap().into(),
        shapes::icosphere(0.6, 3).unwrap().into(),
        Shape::solid(shapes::icosphere(0.9, 4).unwrap()).unwrap().into(),
        Shape::solid(shapes::cuboid([0.3, 0.3, 0.3]).unwrap()).unwrap().into(),
        Geometry::compound([
            (bar, Pose::IDENTITY),
            (ball.clone(), ends[0]),
            (Shape::from(shapes::cuboid([0.5, 0.5, 0.5]).unwrap()), ends[1]),
        ])
        .unwrap(),
    ]
}

fn random_pose(random: &mut Random, room: f64) -> Pose {
    let turn = [0; 4].map(|_| random.signed());
    Pose::from_quaternion(turn, random.point() * room).unwrap()
}

/// The pose of a part of B in the frame of a part of A, as the world computes it.
fn between(one: &Pose, other: &Pose) -> Pose {
    if *one == Pose::IDENTITY { *other } else { Pose::relative(one, other) }
}

/// Whether `body` is `root` or attached to it, directly or through others.
fn is_below(world: &World, mut body: Handle, root: Handle) -> bool {
    while body != root {
        match world.parent(body).unwrap() {
            Some(parent) => body = parent,
            None => return false,
        }
    }
    true
}

/// The pairs that meet, found by separate queries.
fn oracle(world: &World) -> BTreeSet<(Handle, Handle)> {
    let handles: Vec<Handle> = world.handles().collect();
    let mut meeting = BTreeSet::new();
    for (n, a) in handles.iter().enumerate() {
        for b in &handles[n + 1..] {
            if !world.explain(*a, *b).unwrap().compared {
                continue;
            }
            let pose = Pose::relative(&world.pose(*a).unwrap(), &world.pose(*b).unwrap());
            let (own, its) = (world.geometry(*a).unwrap(), world.geometry(*b).unwrap());
            let meet = own.parts().iter().any(|one| {
                its.parts().iter().any(|other| {
                    let pose = between(one.pose(), &pose.compose(other.pose()).unwrap());
                    !shape::intersects(one.shape(), other.shape(), &pose).is_separated()
                })
            });
            if meet {
                meeting.insert((*a, *b));
            }
        }
    }
    meeting
}

/// Makes one random change.
fn change(world: &mut World, random: &mut Random, forms: &[Geometry], room: f64) {
    let handles: Vec<Handle> = world.handles().collect();
    let form = forms[random.below(forms.len())].clone();
    if handles.is_empty() || random.below(8) == 0 {
        let mut body = Body::new(form).at(random_pose(random, room)).user(random.bits());
        body = body.groups(1 << random.below(3)).mask(random.bits() as u32 | 1);
        if random.below(3) == 0 && !handles.is_empty() {
            body =
                body.at(random_pose(random, 1.0)).attached_to(handles[random.below(handles.len())]);
        }
        world.add(body).unwrap();
        return;
    }
    let pick = |random: &mut Random| handles[random.below(handles.len())];
    let (one, other) = (pick(random), pick(random));
    match random.below(20) {
        0 => world.remove(one).unwrap(),
        1 => world.replace(one, form).unwrap(),
        2 => {
            let cycle = is_below(world, other, one);
            assert_eq!(world.attach(one, Some(other)).is_err(), cycle);
        }
        3 => world.attach(one, None).unwrap(),
        4 if one != other => {
            let matters = [None, Some(true), Some(false)][random.below(3)];
            world.set_interest(one, other, matters).unwrap();
        }
        5 => {
            let mut rules =
                if random.below(12) == 0 { Interest::nothing() } else { Interest::everything() };
            rules
                .set_groups(random.below(3) as u32, random.below(3) as u32, random.below(2) == 0)
                .unwrap();
            rules.ignore_links(random.below(3) as u32);
            world.set_rules(rules);
        }
        6 => world.set_groups(one, 1 << random.below(3), u32::MAX).unwrap(),
        7 => {
            let mesh = world.geometry(one).unwrap().parts()[0].shape().clone();
            if let Kind::Mesh(mesh) = mesh.kind() {
                let moved: Vec<Vec3> = mesh.vertices().iter().map(|v| *v * 1.05).collect();
                let whole = world.geometry(one).unwrap().parts().len() == 1;
                assert_eq!(world.deform(one, &moved).is_ok(), whole);
            }
        }
        8 if one != other => {
            let method = MethodKind::ALL[random.below(MethodKind::ALL.len())];
            world.set_method(one, other, Some(method)).unwrap();
        }
        _ => {
            let room = if world.parent(one).unwrap().is_some() { 1.0 } else { room };
            let near = world.local_pose(one).unwrap();
            let step = Pose::from_translation(random.point() * 0.2).unwrap();
            let pose = if random.below(3) == 0 {
                random_pose(random, room)
            } else {
                near.compose(&step).unwrap()
            };
            world.move_to(one, pose).unwrap();
        }
    }
}

/// Runs random operations. In every frame, compares the pairs that meet with the oracle, and checks
/// that the events lead from the pairs of the last frame to those of this one. Returns all events.
fn compare_with_oracle(options: &WorldOptions, seed: u64, frames: usize) -> Vec<Event> {
    let (mut random, forms) = (Random::new(seed), forms());
    let mut world = World::with_options(options.clone());
    let room = 2.2;
    for _ in 0..12 {
        change(&mut world, &mut random, &forms, room);
    }
    let ground = HalfSpace::new([0.0, 0.0, 1.0], -2.0).unwrap();
    world.add(Body::new(ground)).unwrap();
    let mut known: BTreeSet<(Handle, Handle)> = BTreeSet::new();
    let mut all_events = Vec::new();
    for frame in 0..frames {
        for _ in 0..random.below(5) {
            change(&mut world, &mut random, &forms, room);
        }
        let events = world.update().events().to_vec();
        for event in &events {
            let pair = (event.a, event.b);
            assert!(event.a.slot() < event.b.slot());
            assert_eq!(event.witness.is_some(), event.kind == EventKind::Began);
            match event.kind {
                EventKind::Began => assert!(known.insert(pair), "{frame}: {event:?} began twice"),
                EventKind::Ended => {
                    assert!(known.remove(&pair), "{frame}: {event:?} did not meet before");
                }
                EventKind::Persists => assert!(known.contains(&pair), "{frame}: {event:?}"),
            }
        }
        assert!(events.windows(2).all(|w| (w[0].a, w[0].b) <= (w[1].a, w[1].b)), "sorted");
        assert_eq!(known, oracle(&world), "frame {frame} of seed {seed}, {options:?}");
        let listed: BTreeSet<_> = world.collisions().iter().map(|c| (c.a, c.b)).collect();
        assert_eq!(known, listed);
        assert_eq!(world.report().stats().meeting, known.len());
        if options.persisting {
            assert_eq!(events.iter().filter(|e| e.kind != EventKind::Ended).count(), known.len());
        }
        all_events.extend(events);
    }
    all_events
}

#[test]
fn all_broad_phases_match_the_oracle() {
    for (n, phase) in BROAD_PHASES.iter().enumerate() {
        let options = WorldOptions::default().phase(*phase);
        compare_with_oracle(&options, 100 + n as u64, 60);
    }
}

#[test]
fn all_kinds_of_boxes_match_the_oracle() {
    for (n, boxes) in
        [BoxKind::Fast, BoxKind::Tight, BoxKind::RotationProof].into_iter().enumerate()
    {
        for oriented in [false, true] {
            let options = WorldOptions::default().boxes(boxes).oriented(oriented).persisting(true);
            compare_with_oracle(&options, 200 + n as u64, 60);
        }
    }
}

/// The events without their witnesses.
fn without_witnesses(events: &[Event]) -> Vec<(EventKind, Handle, Handle)> {
    events.iter().map(|event| (event.kind, event.a, event.b)).collect()
}

#[test]
fn events_do_not_depend_on_threads_broad_phase_or_boxes() {
    let run = |threads, options: &WorldOptions| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| compare_with_oracle(options, 300, 120))
    };
    let plain = WorldOptions::default();
    let one = run(1, &plain);
    assert_eq!(one, run(3, &plain)); // bit for bit
    assert!(one.len() > 20, "{}", one.len());
    for phase in BROAD_PHASES {
        let options = WorldOptions::default().phase(*phase).oriented(true);
        assert_eq!(one, run(2, &options), "{phase:?}"); // bit for bit
    }
}

#[test]
fn handles_of_removed_bodies_are_errors() {
    let mut world = World::new();
    let a = world.add(Body::new(Sphere::new(1.0).unwrap())).unwrap();
    let b = world.add(Body::new(Sphere::new(1.0).unwrap())).unwrap();
    world.update();
    world.remove(a).unwrap();
    assert_eq!(world.remove(a).unwrap_err().kind(), ErrorKind::NoSuchBody);
    world.update();
    let c = world.add(Body::new(Sphere::new(1.0).unwrap())).unwrap();
    assert_eq!(c.slot(), a.slot()); // the slot is reused
    assert_eq!(world.pose(a).unwrap_err().kind(), ErrorKind::NoSuchBody);
    assert_eq!(world.meet(a, b).unwrap_err().kind(), ErrorKind::NoSuchBody);
    assert!(world.move_to(a, Pose::IDENTITY).is_err() && world.explain(b, a).is_err());
    assert!(world.add(Body::new(Sphere::new(1.0).unwrap()).attached_to(a)).is_err());
    assert!(world.contains(c) && !world.contains(a) && world.len() == 2);
    assert_eq!(world.meet(b, b).unwrap_err().kind(), ErrorKind::BadParameter);
}

#[test]
fn a_slot_reused_within_a_frame_is_another_body() {
    let mut world = World::new();
    let ball = || Body::new(Sphere::new(1.0).unwrap());
    let (a, b) = (world.add(ball()).unwrap(), world.add(ball()).unwrap());
    assert_eq!(world.update().events().len(), 1);
    world.remove(b).unwrap();
    let c = world.add(ball()).unwrap();
    let events = without_witnesses(world.update().events());
    assert_eq!(events, [(EventKind::Ended, a, b), (EventKind::Began, a, c)]);
}

#[test]
fn settling_stops_at_the_limit_of_updates() {
    let mut world = World::new();
    let ball = Sphere::new(1.0).unwrap();
    let a = world.add(Body::new(ball)).unwrap();
    let b = world.add(Body::new(ball)).unwrap();
    let calls = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let seen = std::sync::Arc::clone(&calls);
    world
        .on_pair(a, b, move |_, _| {
            seen.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        })
        .unwrap();
    let far = Pose::from_translation([5.0, 0.0, 0.0]).unwrap();
    let repeated = world.update_until_no_changes(10, |event, commands| match event.kind {
        EventKind::Began => commands.move_to(event.b, far),
        _ => commands.move_to(event.b, Pose::IDENTITY),
    });
    assert_eq!((repeated.updates, repeated.at_rest, repeated.refused), (10, false, 0));
    assert_eq!(calls.load(std::sync::atomic::Ordering::Relaxed), 10);
    let repeated = world.update_until_no_changes(10, |event, commands| {
        if event.kind == EventKind::Began {
            commands.move_to(event.b, far);
            commands.remove(event.b);
            commands.move_to(event.b, far);
        }
    });
    assert_eq!((repeated.at_rest, repeated.refused), (true, usize::from(world.len() == 1)));
}

#[test]
fn only_moved_bodies_are_checked() {
    let mut world = World::new();
    let mesh = std::sync::Arc::new(shapes::icosphere(0.6, 3).unwrap());
    for i in 0..100 {
        let at = Pose::from_translation([f64::from(i), 0.0, 0.0]).unwrap();
        world.add(Body::new(std::sync::Arc::clone(&mesh)).at(at)).unwrap();
    }
    assert_eq!(world.update().stats().checked, 99);
    assert_eq!(world.report().stats().meeting, 99);
    let stats = *world.update().stats();
    assert_eq!((stats.moved, stats.checked, stats.meeting), (0, 0, 99));
    let one = world.handles().nth(50).unwrap();
    world.move_to(one, Pose::from_translation([50.0, 0.1, 0.0]).unwrap()).unwrap();
    let stats = *world.update().stats();
    assert_eq!((stats.moved, stats.checked, stats.meeting), (1, 2, 99));
    // Setting the same pose is not a move.
    world.move_to(one, Pose::from_translation([50.0, 0.1, 0.0]).unwrap()).unwrap();
    assert_eq!(world.update().stats().moved, 0);
}

#[test]
fn attached_bodies_move_with_their_parents() {
    let mut world = World::new();
    let link = Geometry::from(Sphere::new(0.6).unwrap());
    let mut last = world.add(Body::new(link.clone())).unwrap();
    let first = last;
    let step = Pose::from_translation([1.0, 0.0, 0.0]).unwrap();
    for _ in 0..5 {
        last = world.add(Body::new(link.clone()).at(step).attached_to(last)).unwrap();
    }
    assert_eq!(world.update().events().len(), 5);
    let mut rules = Interest::everything();
    rules.ignore_links(1);
    world.set_rules(rules);
    assert_eq!(world.update().ended().count(), 5);
    world.move_to(first, Pose::from_translation([0.0, 3.0, 0.0]).unwrap()).unwrap();
    assert_eq!(world.update().stats().moved, 6);
    assert_eq!(world.pose(last).unwrap().translation(), Vec3::new(5.0, 3.0, 0.0));
    // After the removal of a middle body, the chain is still connected.
    let middle = world.parent(world.parent(last).unwrap().unwrap()).unwrap().unwrap();
    world.remove(middle).unwrap();
    world.move_to(first, Pose::IDENTITY).unwrap();
    world.update();
    assert_eq!(world.pose(last).unwrap().translation(), Vec3::new(5.0, 0.0, 0.0));
    let snapshot = world.snapshot();
    assert_eq!(snapshot.pose(last).unwrap(), world.pose(last).unwrap());
    assert!(snapshot.pose(middle).is_err() && snapshot.handles().count() == 5);
}

/// When the middle body of a chain is removed, its neighbours are one link apart, and pairs of such
/// bodies may be ignored.
#[test]
fn removing_a_body_reduces_the_number_of_links_between_others() {
    let mut world = World::new();
    let ball = Geometry::from(Sphere::new(2.0).unwrap());
    let step = Pose::from_translation([1.0, 0.0, 0.0]).unwrap();
    let a = world.add(Body::new(ball.clone())).unwrap();
    let b = world.add(Body::new(ball.clone()).at(step).attached_to(a)).unwrap();
    let c = world.add(Body::new(ball).at(step).attached_to(b)).unwrap();
    let mut rules = Interest::everything();
    rules.ignore_links(1);
    world.set_rules(rules);
    assert_eq!(without_witnesses(world.update().events()), [(EventKind::Began, a, c)]);
    world.remove(b).unwrap();
    assert_eq!(without_witnesses(world.update().events()), [(EventKind::Ended, a, c)]);
}

/// The witness of the last update refers to the geometry before the replacement.
#[test]
fn a_pair_has_no_witness_after_its_geometry_is_replaced() {
    let mut world = World::new();
    let ring = || Body::new(shapes::torus(1.0, 0.4, 64, 32).unwrap());
    let (a, b) = (world.add(ring()).unwrap(), world.add(ring()).unwrap());
    world.update();
    assert!(world.witness_of(a, b).unwrap().is_some());
    world.replace(a, shapes::cuboid([1.0, 1.0, 1.0]).unwrap()).unwrap();
    assert!(world.witness_of(a, b).unwrap().is_none());
    world.update();
}

/// With matrices that are rotations only within the tolerance, the boxes of bodies that meet must
/// overlap.
#[test]
fn boxes_include_the_error_of_inexact_rotations() {
    let s = 1.0 - 4e-10;
    let shrunk = [[s, 0.0, 0.0, -1.0], [0.0, s, 0.0, 0.0], [0.0, 0.0, s, 0.0]];
    for boxes in [BoxKind::Fast, BoxKind::Tight, BoxKind::RotationProof] {
        let mut world = World::with_options(WorldOptions::default().boxes(boxes));
        let cube = || Cuboid::new([1.0, 1.0, 1.0]).unwrap();
        world.add(Body::new(cube()).at(Pose::from_matrix(shrunk).unwrap())).unwrap();
        let beside = Pose::from_translation([1.0, 0.0, 0.0]).unwrap();
        world.add(Body::new(cube()).at(beside)).unwrap();
        assert_eq!(world.update().began().count(), 1, "{boxes:?}");
    }
}

/// Bodies over an infinite half-space, whose box overlaps all others.
#[test]
fn a_half_space_meets_many_bodies() {
    let mut world = World::new();
    world.add(Body::new(HalfSpace::new([0.1, 0.0, 1.0], 0.0).unwrap())).unwrap();
    let ball = Geometry::from(Sphere::new(0.3).unwrap());
    let mut balls = Vec::new();
    for n in 0..3000_u32 {
        let at = [f64::from(n % 50), f64::from(n / 50), -0.1 * f64::from(n % 50) + 0.2];
        let body = Body::new(ball.clone()).at(Pose::from_translation(at).unwrap());
        balls.push((world.add(body).unwrap(), at));
    }
    assert_eq!(world.update().stats().meeting, 3000);
    for frame in 1..6 {
        for (ball, at) in &balls {
            let up = [at[0], at[1], at[2] + 0.1 * f64::from(frame)];
            world.move_to(*ball, Pose::from_translation(up).unwrap()).unwrap();
        }
        world.update();
    }
    assert_eq!(world.report().stats().meeting, 0);
}

/// Compounds of many parts have the same verdicts as their parts, for any contents of their caches.
#[test]
fn compounds_of_many_parts_match_the_oracle() {
    let mut random = Random::new(77);
    let compound = |random: &mut Random| {
        let parts: Vec<(Shape, Pose)> = (0..40)
            .map(|n| {
                let shape = match n % 3 {
                    0 => Shape::from(Sphere::new(0.15).unwrap()),
                    1 => Shape::from(Cuboid::new([0.1, 0.2, 0.1]).unwrap()),
                    _ => Shape::from(shapes::torus(0.2, 0.05, 12, 8).unwrap()),
                };
                (shape, random_pose(random, 2.0))
            })
            .collect();
        Geometry::compound(parts).unwrap()
    };
    let mut world = World::new();
    let (one, other) = (compound(&mut random), compound(&mut random));
    let a = world.add(Body::new(one)).unwrap();
    let b = world.add(Body::new(other)).unwrap();
    let mut met = 0;
    for step in 0..150 {
        let t = f64::from(step) * 0.1;
        let at = [4.5 * t.cos(), 0.8 * (1.3 * t).sin(), 1.0 * (0.7 * t).cos()];
        let pose = Pose::from_quaternion([t.sin(), 0.2, t.cos(), 1.0], at).unwrap();
        world.move_to(b, pose).unwrap();
        world.update();
        assert_eq!(world.meet(a, b).unwrap(), !oracle(&world).is_empty(), "step {step}");
        met += usize::from(world.meet(a, b).unwrap());
    }
    assert!((10..140).contains(&met), "{met}");
}

/// A vertex in the middle of a flat body is not a vertex of its hull. After rounding by a pose, it
/// can be outside of the hull of the rounded vertices, and touch another body there. Therefore,
/// hulls that are separated by less than rounding errors do not prove that the meshes are
/// separated.
#[test]
fn a_vertex_rounded_out_of_its_hull_is_not_missed() {
    let mut random = Random::new(1127);
    let mut out_of_hull = 0;
    for round in 0..400 {
        let corners: [Vec3; 3] = std::array::from_fn(|_| random.grid_point(9) * 3.0);
        let middle = (corners[0] + corners[1] + corners[2]) / 3.0;
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
        if normal == Vec3::ZERO {
            continue;
        }
        let points = vec![corners[0], corners[1], corners[2], middle];
        let sheet = Mesh::from_triangles(points, vec![[0, 1, 3], [1, 2, 3], [2, 0, 3]]).unwrap();
        let q = [random.signed(), random.signed(), random.signed(), 1.5];
        let pose = Pose::from_quaternion(q, random.point() * 100.0).unwrap();
        // A triangle with a corner at the moved middle, on either side, and no other contact.
        let side =
            pose.transform_vector(normal.normalize()) * if round % 2 == 0 { 1.0 } else { -1.0 };
        let foot = pose.transform_point(middle);
        let top = [foot + side * 2.0, foot + side * 2.0 + random.point()];
        let stand = Mesh::from_triangles(vec![foot, top[0], top[1]], vec![[0, 1, 2]]).unwrap();
        assert!(impinge::intersects(&stand, &sheet, &pose).is_intersecting());
        let hull = |mesh: &Mesh| Hull::new(mesh.vertices()).unwrap();
        let apart = !convex::intersects(&hull(&stand), &hull(&sheet), &pose).is_intersecting();
        out_of_hull += usize::from(apart);
        for method in [MethodKind::HULLS_THEN_TRIANGLES, MethodKind::TRIANGLES] {
            let mut world = World::new();
            let a = world.add(Body::new(stand.clone())).unwrap();
            let b = world.add(Body::new(sheet.clone()).at(pose)).unwrap();
            world.set_method(a, b, Some(method)).unwrap();
            world.update();
            assert!(world.meet(a, b).unwrap(), "{method}: {stand:?} {sheet:?} {pose:?}");
        }
    }
    assert!(out_of_hull > 20, "only {out_of_hull} vertices are outside of their hull");
}
