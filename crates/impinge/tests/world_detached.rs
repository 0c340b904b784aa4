//! A world on a thread of its own says what the same world says in step.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stdout, reason = "a test says what it measured")]

mod common;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use common::Random;
use impinge::convex::Sphere;
use impinge::world::{Body, EventKind, Handle, World};
use impinge::{Pose, shapes};

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
            theirs.push(detached.add(body.clone()));
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
    let pace = detached.pace();
    println!("{pace:?}");
    let (beside, rest) = detached.reattach().unwrap();
    for report in rest.frames() {
        follow(&mut met, report.events);
    }
    let ended: BTreeSet<_> = beside.collisions().iter().map(|c| (c.a, c.b)).collect();
    assert_eq!(ended, met);
    // Places are taken again in step, and not beside: bodies are compared by their numbers.
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
    let counters = detached.pace().counters;
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

/// A pose that was given before the parent went is in the parent's frame, one that was given after it in the world's: the two must not become one.
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
