//! A world on a thread of its own says what the same world says in step.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stdout, reason = "a test says what it measured")]

use std::collections::{BTreeSet, VecDeque};
use std::time::{Duration, Instant};

use impinge::convex::Sphere;
use impinge::world::{Body, EventKind, Handle, World};
use impinge::{ErrorKind, Pose, shapes};
use impinge_oracles::common::Random;

fn pose(random: &mut Random) -> Pose {
    let turn = [0; 4].map(|_| random.signed());
    Pose::from_quaternion(turn, random.point() * 2.5).unwrap()
}

fn populated(random: &mut Random, count: usize) -> (World, Vec<Handle>) {
    let mut world = World::new();
    let ring = std::sync::Arc::new(shapes::torus(0.6, 0.2, 24, 12).unwrap());
    let handles = (0..count)
        .map(|n| {
            let body = match n % 2 {
                0 => Body::new(Sphere::new(0.5).unwrap()),
                _ => Body::new(std::sync::Arc::clone(&ring)),
            };
            world.add(body.at(pose(random)).user(n as u64)).unwrap()
        })
        .collect();
    (world, handles)
}

/// However frames are merged, following the events gives the pairs that meet at the end.
#[test]
fn a_detached_world_ends_where_one_in_step_does() {
    let (mut world, mut handles) = populated(&mut Random(5), 20);
    let (beside, mut theirs) = populated(&mut Random(5), 20);
    let mut detached = beside.detach().unwrap();
    let mut random = Random(6);
    let mut met: BTreeSet<(Handle, Handle)> = BTreeSet::new();
    let mut newest = 0;
    for frame in 0..300 {
        for _ in 0..5 {
            let n = random.below(handles.len());
            let pose = pose(&mut random);
            world.move_to(handles[n], pose).unwrap();
            detached.move_to(theirs[n], pose);
        }
        if frame % 50 == 10 {
            let body = Body::new(Sphere::new(0.7).unwrap()).at(pose(&mut random));
            let body = body.user(1000 + frame);
            theirs.push(detached.add(body.clone()).unwrap());
            handles.push(world.add(body).unwrap());
        }
        if frame % 50 == 30 {
            let n = random.below(handles.len());
            world.remove(handles.remove(n)).unwrap();
            let gone = theirs.remove(n);
            detached.remove(gone);
            detached.move_to(gone, Pose::IDENTITY); // refused, later
        }
        world.update();
        assert_eq!(detached.send().unwrap(), frame + 1);
        if let Some(reports) = detached.receive() {
            assert_eq!(reports.lost().events, 0);
            for report in reports.frames() {
                assert!(report.frame > newest && report.frame <= frame + 1);
                newest = report.frame;
                follow(&mut met, report.events);
                for event in report.events.iter().filter(|e| e.kind == EventKind::Began) {
                    assert!(report.pose(event.a.slot() as u32).is_some());
                }
            }
        }
    }
    let pace = detached.stats();
    println!("{pace:?}");
    let (beside, rest) = detached.reattach().unwrap();
    for report in rest.frames() {
        follow(&mut met, report.events);
    }
    let ended: BTreeSet<_> = beside.collisions().iter().map(|c| (c.a, c.b)).collect();
    assert_eq!(ended, met);
    // Places are taken again sooner in step than beside: bodies are compared by their numbers.
    let numbers = |world: &World| -> BTreeSet<[u64; 2]> {
        let user = |handle| world.user(handle).unwrap();
        let pair = |a, b| [user(a).min(user(b)), user(a).max(user(b))];
        world.collisions().iter().map(|c| pair(c.a, c.b)).collect()
    };
    assert_eq!(numbers(&world), numbers(&beside));
    assert!(!met.is_empty());
}

fn follow(met: &mut BTreeSet<(Handle, Handle)>, events: &[impinge::world::Event]) {
    for event in events {
        let pair = (event.a, event.b);
        match event.kind {
            EventKind::Began => assert!(met.insert(pair), "{event:?}"),
            EventKind::Ended => assert!(met.remove(&pair), "{event:?}"),
            EventKind::Persists => assert!(met.contains(&pair)),
        }
    }
}

/// The application's calls take microseconds while an update takes milliseconds.
#[test]
fn the_application_does_not_wait() {
    let mut random = Random(9);
    let (mut world, handles) = populated(&mut random, 400);
    world.update();
    let start = Instant::now();
    for body in &handles {
        world.move_to(*body, pose(&mut random)).unwrap();
    }
    world.update();
    let step = start.elapsed();
    let mut detached = world.detach().unwrap();
    let mut calls: Vec<Duration> = Vec::new();
    for _ in 0..200 {
        for body in &handles {
            detached.move_to(*body, pose(&mut random));
        }
        let start = Instant::now();
        detached.send().unwrap();
        let _ = detached.receive();
        calls.push(start.elapsed());
    }
    calls.sort_unstable();
    let counters = detached.stats().counters;
    println!(
        "an update takes {step:?}; handing a frame over and looking for reports {:?} at the median, {:?} at most; {counters:?}",
        calls[calls.len() / 2],
        calls[calls.len() - 1],
    );
    // A median is not hurt by a machine that is busy with other things.
    assert!(calls[calls.len() / 2] < step, "{calls:?} {step:?}");
    assert!(counters.merged > 0, "the thread kept up with everything: {counters:?}");
    let (world, _) = detached.reattach().unwrap();
    assert_eq!(world.len(), 400);
}

/// A pose that was given before the parent went is in the parent's frame, one that was given after
/// it in the world's: the two must not become one.
#[test]
fn poses_stay_on_their_side_of_a_removal() {
    let mut world = World::new();
    let ball = || Body::new(Sphere::new(0.5).unwrap());
    let at = |x: f64| Pose::from_translation([x, 0.0, 0.0]).unwrap();
    let parent = world.add(ball().at(at(100.0))).unwrap();
    let child = world.add(ball().attached_to(parent)).unwrap();
    let mut detached = world.detach().unwrap();
    detached.move_to(child, at(1.0));
    detached.remove(parent);
    detached.move_to(child, at(7.0));
    detached.send().unwrap();
    let (world, _) = detached.reattach().unwrap();
    assert_eq!(world.pose(child).unwrap(), at(7.0));
}

/// Bodies come and go a hundred thousand times; the world has room for those that are there, and a
/// little more.
#[test]
fn bodies_come_and_go_for_ever() {
    const CYCLES: u64 = 100_000;
    const MOST: usize = 12;
    let mut random = Random(31);
    let (mut detached, mut world) = (World::new().detach().unwrap(), World::new());
    let mut there: VecDeque<(Handle, Handle)> = VecDeque::new();
    let mut gone: Vec<Handle> = Vec::new();
    let mut met: BTreeSet<(Handle, Handle)> = BTreeSet::new();
    for cycle in 0..CYCLES {
        let body = Body::new(Sphere::new(0.8).unwrap()).at(pose(&mut random)).user(cycle);
        there.push_back((detached.add(body.clone()).unwrap(), world.add(body).unwrap()));
        if there.len() == MOST {
            let (beside, own) = there.swap_remove_back(random.below(MOST)).unwrap();
            detached.remove(beside);
            world.remove(own).unwrap();
            assert!(!detached.contains(beside));
            // Reaches nobody, whoever has the place next.
            detached.move_to(beside, Pose::IDENTITY);
            gone.push(beside);
        }
        let (beside, own) = there[random.below(there.len())];
        let pose = pose(&mut random);
        detached.move_to(beside, pose);
        world.move_to(own, pose).unwrap();
        if random.below(3) == 0 {
            detached.send().unwrap();
            world.update();
        }
        if random.below(9) == 0 {
            if let Some(reports) = detached.receive() {
                assert_eq!(reports.lost().events, 0);
                reports.frames().for_each(|report| follow(&mut met, report.events));
            }
        }
        assert!(detached.slots() <= MOST + 64, "{} slots", detached.slots());
    }
    assert!(gone.iter().all(|body| !detached.contains(*body)));
    assert!(there.iter().all(|(beside, _)| detached.contains(*beside)));
    assert_eq!((detached.len(), detached.is_empty()), (there.len(), false));
    let refused = detached.stats().refused;
    assert_eq!(refused, gone.len() as u64, "what was asked of bodies that were gone");
    let slots = detached.slots();
    println!("{slots} slots; {:?}", detached.stats());
    let (mut beside, rest) = detached.reattach().unwrap();
    rest.frames().for_each(|report| follow(&mut met, report.events));
    world.update();
    let ended: BTreeSet<_> = beside.collisions().iter().map(|c| (c.a, c.b)).collect();
    assert_eq!(ended, met);
    let numbers = |world: &World| -> BTreeSet<BTreeSet<u64>> {
        let pair = |c: &impinge::world::Collision| [c.a, c.b].map(|h| world.user(h).unwrap());
        world.collisions().iter().map(|c| pair(c).into()).collect()
    };
    assert_eq!(numbers(&beside), numbers(&world));
    assert!(!met.is_empty());
    assert_eq!(beside.slots(), slots);
    // The world that is back names bodies itself again, in the places that are free.
    while beside.len() < slots {
        let body = beside.add(Body::new(Sphere::new(0.1).unwrap())).unwrap();
        assert!(!gone.contains(&body));
    }
    assert_eq!(beside.slots(), slots);
}

/// A body takes the place of another between two looks of the thread: what the first met ends, what
/// the second meets begins, though to the broad phase nothing has changed.
#[test]
fn a_place_that_is_taken_again_at_once() {
    let ball = || Body::new(Sphere::new(1.0).unwrap());
    let at = |x: f64| Pose::from_translation([x, 0.0, 0.0]).unwrap();
    let mut detached = World::new().detach().unwrap();
    let rock = detached.add(ball()).unwrap();
    let first = detached.add(ball().at(at(1.5))).unwrap();
    detached.send().unwrap();
    detached.move_to(first, at(1.4));
    detached.remove(first);
    // As many as may rest come and go, all at the same place.
    let second = loop {
        let body = detached.add(ball().at(at(1.5))).unwrap();
        if body.slot() == first.slot() {
            break body;
        }
        detached.remove(body);
    };
    assert_ne!(first, second);
    detached.move_to(second, at(1.3));
    detached.move_to(first, at(9.0)); // is refused, and does not take the place of the pose before
    detached.replace(first, Sphere::new(0.01).unwrap());
    detached.attach(second, Some(first));
    detached.set_interest(first, rock, Some(false));
    detached.remove(first);
    assert_eq!(detached.stats().refused, 5);
    let error = detached.add(ball().attached_to(first)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NoSuchBody);
    let mut met = BTreeSet::new();
    let (mut world, reports) = detached.reattach().unwrap();
    let mut events = Vec::new();
    for report in reports.frames() {
        follow(&mut met, report.events);
        events.extend(report.events.iter().map(|event| (event.kind, event.a, event.b)));
    }
    assert_eq!(met, [(rock, second)].into());
    if reports.frames().len() == 2 {
        let expected =
            [(EventKind::Began, first), (EventKind::Ended, first), (EventKind::Began, second)];
        assert_eq!(events, expected.map(|(kind, body)| (kind, rock, body)));
    }
    assert_eq!(world.pose(second).unwrap(), at(1.3));
    assert!(world.pose(first).is_err());
    assert!(world.update().events().is_empty());
    assert!(world.meet(rock, second).unwrap());
}
