//! Cases that other systems get wrong, one by one.

use impinge::Vec3;
use impinge::convex::{Cuboid, Sphere};
use impinge::motion::Limits;
use impinge::pair::Budget;
use impinge::world::{Body, BodyMotion, EventKind, Handle, Interest, World, WorldOptions};

use super::{Twins, at};

fn ball(x: Vec3) -> Body {
    Body::new(Sphere::new(0.25).unwrap()).at(at(x))
}

fn falling(v: f64, until: f64) -> BodyMotion {
    let limits = Limits::none().acceleration(10.0);
    BodyMotion::new(limits).velocity(Vec3::Z * v).without_rotation().until(until)
}

/// The floor is thinner than the way of the ball in a frame. An update at frames does not see the
/// contact, but the pair is due in the frame in which it happens.
#[test]
fn a_body_at_rest_that_starts_to_fall_does_not_pass_a_thin_floor() {
    let mut twins = Twins::new(&WorldOptions::default());
    let slab = Body::new(Cuboid::new([9.0, 9.0, 0.001]).unwrap());
    let (floor, ball) = (twins.add(&slab), twins.add(&ball(Vec3::Z * 5.0)));
    twins.set_motion(floor, &BodyMotion::fixed(), 0.0);
    let (start, dt) = (1.03, 0.125);
    let height = |t: f64| 5.0 - 5.0 * (t - start).max(0.0).powi(2);
    let mut due_at_floor = false;
    for frame in 0..24 {
        let t = f64::from(frame) * dt;
        twins.move_to(ball, at(Vec3::Z * height(t)));
        twins.update(t, "fall");
        let passes = height(t - dt) > 0.25 && height(t) < -0.25;
        assert_eq!(twins.plain.collisions().len(), 0);
        if passes {
            due_at_floor = true;
            assert_eq!(twins.timed.due(), [(floor, ball)], "frame {frame}");
        }
        assert_eq!(twins.timed.report().outside(), []);
        let unlimited = if frame == 0 { vec![ball] } else { Vec::new() };
        assert_eq!(twins.timed.unlimited(), unlimited, "frame {frame}");
        // A quarter of a second at a time, from the state at the frame.
        if frame % 2 == 0 {
            let v = -10.0 * (t - start).max(0.0);
            twins.set_motion(ball, &falling(v, t + 0.25), t);
        }
    }
    assert!(due_at_floor && twins.idle >= 10, "{} idle", twins.idle);
}

/// No update is necessary before `next_time`, and with a resolution it is not sooner than that.
#[test]
fn an_application_may_skip_to_the_next_time() {
    for resolution in [0.0, 0.05] {
        let mut world = World::new();
        let slab = Body::new(Cuboid::new([9.0, 9.0, 0.001]).unwrap());
        let floor = world.add(slab).unwrap();
        let ball = world.add(ball(Vec3::Z * 5.0)).unwrap();
        assert_eq!(world.next_time(), f64::NEG_INFINITY);
        world.set_resolution(resolution).unwrap();
        world.set_motion(floor, &BodyMotion::fixed(), 0.0).unwrap();
        world.update_at(0.0).unwrap();
        // Nothing moves.
        assert_eq!(world.next_time(), f64::INFINITY);
        let (mut t, mut updates, mut was_due) = (0.0_f64, 0, false);
        let height = |t: f64| 5.0 - 5.0 * t * t;
        let hits = (4.75_f64 / 5.0).sqrt();
        while t < 2.0 {
            updates += 1;
            world.set_motion(ball, &falling(-10.0 * t, t + 1.0), t).unwrap();
            let next = world.next_time();
            assert!(next >= t + resolution && next <= t + 1.0, "{next} after {t}");
            let due = world.due() == [(floor, ball)];
            // The contact is not skipped.
            assert!(t > hits || due || next <= hits, "{next} after {t}");
            was_due |= due;
            t = next.max(t + 0.01);
            world.move_to(ball, at(Vec3::Z * height(t))).unwrap();
            assert_eq!(world.next_time(), world.time().unwrap());
            assert_eq!(world.update_at(t).unwrap().outside(), []);
        }
        assert!(was_due && updates < 60, "{updates}");
    }
}

/// Two bodies that touch and may move stay in the list until they are certainly apart.
#[test]
fn pairs_that_overlap_stay_due_until_they_are_apart() {
    let mut twins = Twins::new(&WorldOptions::default());
    let [a, b] = [0.0, 0.4].map(|x| twins.add(&ball(Vec3::X * x)));
    let mut ended = None;
    for frame in 0..64 {
        let t = f64::from(frame) / 32.0;
        let x = 0.4 + 0.2 * t;
        if frame % 8 == 0 {
            // New limits while they overlap.
            let still = BodyMotion::new(Limits::inert()).velocity(Vec3::ZERO).until(t + 0.5);
            let slides = BodyMotion::new(Limits::inert()).velocity(Vec3::X * 0.2);
            twins.set_motion(a, &still, t);
            twins.move_to(b, at(Vec3::X * x));
            twins.set_motion(b, &slides.without_rotation().until(t + 0.5), t);
        }
        twins.move_to(b, at(Vec3::X * x));
        twins.update(t, &format!("frame {frame}"));
        for event in twins.timed.report().events() {
            match event.kind {
                EventKind::Ended => ended = Some(frame),
                _ => assert_eq!(frame, 0),
            }
        }
    }
    assert_eq!(ended, Some(17)); // 0.5 apart at frame 16, where they touch
    assert!(twins.idle > 30, "{}", twins.idle);
}

/// An impulse is an early expiry; the body may get new limits at once, or none.
#[test]
fn impulses_end_limits_early() {
    for renew in [false, true] {
        let mut twins = Twins::new(&WorldOptions::default());
        let (a, b) = (twins.add(&ball(Vec3::ZERO)), twins.add(&ball(Vec3::X * 2.0)));
        let rests = |t: f64| BodyMotion::new(Limits::inert()).velocity(Vec3::ZERO).until(t + 10.0);
        twins.set_motion(a, &rests(0.0), 0.0);
        twins.set_motion(b, &rests(0.0), 0.0);
        let mut x = 2.0;
        for frame in 0..20 {
            let t = f64::from(frame) * 0.1;
            if frame == 5 {
                twins.timed.expire_motion(b).unwrap();
                if renew {
                    let flies = BodyMotion::new(Limits::inert()).velocity(Vec3::X * -2.0);
                    twins.set_motion(b, &flies.until(t + 10.0), t - 0.1);
                }
            }
            if frame >= 5 {
                x -= 0.2;
                twins.move_to(b, at(Vec3::X * x));
            }
            twins.update(t, &format!("frame {frame}, {renew}"));
            assert_eq!(twins.timed.report().outside(), []);
        }
        assert_eq!(twins.events, 2);
        assert_eq!(twins.idle > 8, renew, "{}", twins.idle);
    }
}

/// Wheels move with their car, without limits of their own; one is moved by itself, and found
/// outside; detached ones are unknown.
#[test]
fn attached_bodies_share_the_limits_of_their_parent() {
    let mut twins = Twins::new(&WorldOptions::default());
    let mut interest = Interest::everything();
    interest.ignore_links(1);
    interest.set_groups(1, 1, false).unwrap();
    twins.both(|world| world.set_rules(interest.clone()));
    let car = twins.add(&Body::new(Cuboid::new([2.0, 1.0, 0.5]).unwrap()));
    let wheels: Vec<Handle> = [-1.5, 1.5]
        .map(|x| twins.add(&ball(Vec3::new(x, 1.5, -0.5)).attached_to(car).groups(0b10)))
        .to_vec();
    let post = twins.add(&ball(Vec3::new(20.0, 1.5, -0.5)));
    let drive = BodyMotion::new(Limits::none().acceleration(1.0)).velocity(Vec3::X * 2.0);
    twins.set_motion(car, &drive.until(8.0), 0.0);
    let mut idle = 0;
    for frame in 0..50 {
        let t = f64::from(frame) * 0.125;
        twins.move_to(car, at(Vec3::X * (2.0 * t)));
        if frame == 10 {
            twins.move_to(wheels[0], at(Vec3::new(-1.5, 1.5, 30.0)));
        }
        if frame == 20 {
            twins.both(|world| world.attach(wheels[1], None).unwrap());
        }
        twins.update(t, &format!("frame {frame}"));
        let report = twins.timed.report();
        let outside: &[Handle] = if frame == 10 { &wheels[..1] } else { &[] };
        assert_eq!(report.outside(), outside, "frame {frame}");
        assert_eq!(report.renewals().contains(&wheels[1]), frame == 20, "frame {frame}");
        idle += usize::from(frame < 10 && report.stats().is_idle());
    }
    assert!(idle >= 8, "{idle}");
    assert!(!twins.timed.has_motion(wheels[1]).unwrap());
    assert!(twins.timed.has_motion(car).unwrap());
    twins.both(|world| world.remove(car).unwrap());
    twins.both(|world| world.move_to(post, at(Vec3::X * 30.0)).unwrap());
    twins.update(10.0, "removed");
}

/// Limits that hold from the time of the next update on.
#[test]
fn limits_may_start_at_the_next_update() {
    let mut world = World::new();
    let ball = world.add(ball(Vec3::ZERO)).unwrap();
    world.update_at(0.0).unwrap();
    world.move_to(ball, at(Vec3::X)).unwrap();
    let rests = BodyMotion::new(Limits::inert()).velocity(Vec3::ZERO).until(9.0);
    world.set_motion(ball, &rests, 1.0).unwrap();
    assert_eq!(world.next_time(), 0.0);
    assert_eq!(world.update_at(1.0).unwrap().outside(), []);
    assert_eq!(world.next_time(), 9.0);
    assert!(world.update_at(2.0).unwrap().stats().is_idle());
    // Those of a later update wait.
    world.set_motion(ball, &rests.until(20.0), 4.0).unwrap();
    world.update_at(3.0).unwrap();
    assert_eq!(world.next_time(), 3.0);
    world.update_at(4.0).unwrap();
    assert_eq!(world.next_time(), 20.0);
}

/// 1000 bodies fly apart from each other; most frames have no work for pairs.
#[test]
fn most_frames_of_a_sparse_world_have_no_work() {
    let mut twins = Twins::new(&WorldOptions::default());
    let mut random = impinge::internals::Random::new(9);
    let bodies: Vec<(Handle, Vec3, Vec3)> = (0..1000)
        .map(|n| {
            let x = Vec3::new(f64::from(n % 10), f64::from(n / 10 % 10), f64::from(n / 100)) * 4.0;
            (twins.add(&ball(x)), x, random.in_cube() * 0.3)
        })
        .collect();
    let mut tests = 0;
    for frame in 0..240 {
        let t = f64::from(frame) / 60.0;
        for (handle, x, v) in &bodies {
            if frame % 60 == 0 {
                twins.move_to(*handle, at(*x + *v * t));
                let limits = Limits::none().acceleration(0.2);
                twins.set_motion(*handle, &BodyMotion::new(limits).velocity(*v).until(t + 1.1), t);
            }
            twins.move_to(*handle, at(*x + *v * t));
        }
        twins.update(t, &format!("frame {frame}"));
        assert_eq!(twins.timed.report().outside(), []);
        tests += twins.timed.report().stats().box_tests;
    }
    assert!(twins.idle >= 230, "{} of 240 frames idle, {tests} box tests", twins.idle);
}

/// Limits that expire between two frames say nothing about the rest of the time; the body is
/// named, since its contacts need not be due.
#[test]
fn bodies_without_limits_for_a_part_of_a_frame_are_named() {
    let mut world = World::new();
    let ball = world.add(ball(Vec3::ZERO)).unwrap();
    let flies = BodyMotion::new(Limits::inert()).velocity(Vec3::X);
    world.set_motion(ball, &flies.until(1.5), 0.0).unwrap();
    let mut named = Vec::new();
    for frame in 0..6 {
        let t = f64::from(frame);
        world.move_to(ball, at(Vec3::X * t)).unwrap();
        if frame == 4 {
            // From the state of the frame itself: the time before is not covered.
            world.set_motion(ball, &flies.until(9.0), t).unwrap();
        }
        assert_eq!(world.update_at(t).unwrap().outside(), []);
        if world.unlimited() == [ball] {
            named.push(frame);
        }
    }
    assert_eq!(named, [2, 3, 4]);
}

/// A pair that is not compared any more was counted twice as held by the first update within a
/// budget.
#[test]
fn rules_may_change_before_the_first_update_within_a_budget() {
    let mut world = World::new();
    let [a, b] = [0.0, 0.4].map(|x| world.add(ball(Vec3::X * x)).unwrap());
    world.update();
    assert!(world.meet(a, b).unwrap());
    world.set_interest(a, b, Some(false)).unwrap();
    let report = world.update_within(&mut Budget::unlimited());
    assert!(report.is_complete() && report.ended().count() == 1);
}
