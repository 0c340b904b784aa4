//! A world on a separate thread has the same results as a world that is updated synchronously.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stdout, reason = "a test prints its measurements")]

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

/// For any merging of frames, applying all events gives the pairs that meet at the end.
#[test]
fn a_detached_world_ends_with_the_same_pairs_as_a_synchronous_one() {
    let (mut world, mut handles) = populated(&mut Random::new(5), 20);
    let (detached, mut detached_handles) = populated(&mut Random::new(5), 20);
    let mut detached = detached.detach().unwrap();
    let mut random = Random::new(6);
    let mut met: BTreeSet<(Handle, Handle)> = BTreeSet::new();
    let mut newest = 0;
    for frame in 0..300 {
        for _ in 0..5 {
            let n = random.below(handles.len());
            let pose = pose(&mut random);
            world.move_to(handles[n], pose).unwrap();
            detached.move_to(detached_handles[n], pose);
        }
        if frame % 50 == 10 {
            let body = Body::new(Sphere::new(0.7).unwrap()).at(pose(&mut random));
            let body = body.user(1000 + frame);
            detached_handles.push(detached.add(body.clone()).unwrap());
            handles.push(world.add(body).unwrap());
        }
        if frame % 50 == 30 {
            let n = random.below(handles.len());
            world.remove(handles.remove(n)).unwrap();
            let removed = detached_handles.remove(n);
            detached.remove(removed);
            detached.move_to(removed, Pose::IDENTITY); // ignored
        }
        world.update();
        assert_eq!(detached.send().unwrap(), frame + 1);
        if let Some(reports) = detached.receive() {
            assert_eq!(reports.dropped().events, 0);
            for report in reports.frames() {
                assert!(report.frame > newest && report.frame <= frame + 1);
                newest = report.frame;
                apply_events(&mut met, report.events);
                for event in report.events.iter().filter(|e| e.kind == EventKind::Began) {
                    assert!(report.pose(event.a.slot() as u32).is_some());
                }
            }
        }
    }
    println!("{:?}", detached.stats());
    let (reattached, rest) = detached.reattach().unwrap();
    for report in rest.frames() {
        apply_events(&mut met, report.events);
    }
    let ended: BTreeSet<_> = reattached.collisions().iter().map(|c| (c.a, c.b)).collect();
    assert_eq!(ended, met);
    // The synchronous world reuses slots earlier, so bodies are compared by their user numbers.
    let numbers = |world: &World| -> BTreeSet<[u64; 2]> {
        let user = |handle| world.user(handle).unwrap();
        let pair = |a, b| [user(a).min(user(b)), user(a).max(user(b))];
        world.collisions().iter().map(|c| pair(c.a, c.b)).collect()
    };
    assert_eq!(numbers(&world), numbers(&reattached));
    assert!(!met.is_empty());
}

/// Updates the set of pairs that meet.
fn apply_events(met: &mut BTreeSet<(Handle, Handle)>, events: &[impinge::world::Event]) {
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
fn sending_and_receiving_take_less_time_than_an_update() {
    let mut random = Random::new(9);
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
        "an update takes {step:?}; sending a frame and receiving reports {:?} (median), {:?} (maximum); {counters:?}",
        calls[calls.len() / 2],
        calls[calls.len() - 1],
    );
    // The median is robust on a busy machine.
    assert!(calls[calls.len() / 2] < step, "{calls:?} {step:?}");
    assert!(counters.merged > 0, "no frames were merged: {counters:?}");
    let (world, _) = detached.reattach().unwrap();
    assert_eq!(world.len(), 400);
}

/// A pose set before the removal of the parent is in the parent's frame, a pose set after it in the
/// world's frame. The two must not be merged.
#[test]
fn poses_before_and_after_a_removal_are_not_merged() {
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

/// A hundred thousand bodies are added and removed. The number of slots stays close to the number
/// of bodies.
#[test]
fn slots_are_reused_over_many_additions_and_removals() {
    const CYCLES: u64 = 100_000;
    const MAX_BODIES: usize = 12;
    let mut random = Random::new(31);
    let (mut detached, mut world) = (World::new().detach().unwrap(), World::new());
    let mut present: VecDeque<(Handle, Handle)> = VecDeque::new();
    let mut removed: Vec<Handle> = Vec::new();
    let mut met: BTreeSet<(Handle, Handle)> = BTreeSet::new();
    for cycle in 0..CYCLES {
        let body = Body::new(Sphere::new(0.8).unwrap()).at(pose(&mut random)).user(cycle);
        present.push_back((detached.add(body.clone()).unwrap(), world.add(body).unwrap()));
        if present.len() == MAX_BODIES {
            let (handle, own) = present.swap_remove_back(random.below(MAX_BODIES)).unwrap();
            detached.remove(handle);
            world.remove(own).unwrap();
            assert!(!detached.contains(handle));
            // Has no effect on the next body in the slot.
            detached.move_to(handle, Pose::IDENTITY);
            removed.push(handle);
        }
        let (handle, own) = present[random.below(present.len())];
        let pose = pose(&mut random);
        detached.move_to(handle, pose);
        world.move_to(own, pose).unwrap();
        if random.below(3) == 0 {
            detached.send().unwrap();
            world.update();
        }
        if random.below(9) == 0 {
            if let Some(reports) = detached.receive() {
                assert_eq!(reports.dropped().events, 0);
                reports.frames().for_each(|report| apply_events(&mut met, report.events));
            }
        }
        assert!(detached.slots() <= MAX_BODIES + 64, "{} slots", detached.slots());
    }
    assert!(removed.iter().all(|body| !detached.contains(*body)));
    assert!(present.iter().all(|(handle, _)| detached.contains(*handle)));
    assert_eq!((detached.len(), detached.is_empty()), (present.len(), false));
    let refused = detached.stats().refused;
    assert_eq!(refused, removed.len() as u64, "number of commands to removed bodies");
    let slots = detached.slots();
    println!("{slots} slots; {:?}", detached.stats());
    let (mut reattached, rest) = detached.reattach().unwrap();
    rest.frames().for_each(|report| apply_events(&mut met, report.events));
    world.update();
    let ended: BTreeSet<_> = reattached.collisions().iter().map(|c| (c.a, c.b)).collect();
    assert_eq!(ended, met);
    let numbers = |world: &World| -> BTreeSet<BTreeSet<u64>> {
        let pair = |c: &impinge::world::Collision| [c.a, c.b].map(|h| world.user(h).unwrap());
        world.collisions().iter().map(|c| pair(c).into()).collect()
    };
    assert_eq!(numbers(&reattached), numbers(&world));
    assert!(!met.is_empty());
    assert_eq!(reattached.slots(), slots);
    // The reattached world assigns handles itself again, in free slots.
    while reattached.len() < slots {
        let body = reattached.add(Body::new(Sphere::new(0.1).unwrap())).unwrap();
        assert!(!removed.contains(&body));
    }
    assert_eq!(reattached.slots(), slots);
}

/// A body takes the slot of another between two steps of the thread. The pair of the first ends and
/// that of the second begins, although nothing changes for the broad phase.
#[test]
fn a_slot_reused_between_two_steps_is_another_body() {
    let ball = || Body::new(Sphere::new(1.0).unwrap());
    let at = |x: f64| Pose::from_translation([x, 0.0, 0.0]).unwrap();
    let mut detached = World::new().detach().unwrap();
    let rock = detached.add(ball()).unwrap();
    let first = detached.add(ball().at(at(1.5))).unwrap();
    detached.send().unwrap();
    detached.move_to(first, at(1.4));
    detached.remove(first);
    // Add and remove bodies at the same position until the slot is reused.
    let second = loop {
        let body = detached.add(ball().at(at(1.5))).unwrap();
        if body.slot() == first.slot() {
            break body;
        }
        detached.remove(body);
    };
    assert_ne!(first, second);
    detached.move_to(second, at(1.3));
    detached.move_to(first, at(9.0)); // is refused, and does not replace the pose before
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
        apply_events(&mut met, report.events);
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
