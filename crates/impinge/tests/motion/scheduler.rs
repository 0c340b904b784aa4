//! The scheduler, one test for each trap.

use impinge::motion::{BodyNumber, Limits, Motion, Scheduler, SpaceTimeBound, Spin};
use impinge::{Aabb, ErrorKind, Vec3};

fn falling(z: f64, v: f64, now: f64, until: f64) -> SpaceTimeBound {
    let limits = Limits::none().acceleration(10.0).never_towards(Vec3::Z);
    let body = Motion::at(Vec3::Z * z).velocity(Vec3::Z * v).radius(0.1).limits(limits);
    body.bound(now, until).expect("valid numbers")
}

fn thin_floor(until: f64) -> SpaceTimeBound {
    let slab = Aabb::from_corners(Vec3::new(-50.0, -50.0, -0.001), Vec3::new(50.0, 50.0, 0.0));
    Motion::fixed(slab).bound(-10.0, until).expect("valid numbers")
}

fn inert(x: f64, v: f64, now: f64, until: f64) -> SpaceTimeBound {
    let body = Motion::at(Vec3::X * x).velocity(Vec3::X * v).radius(0.5).limits(Limits::inert());
    body.bound(now, until).expect("valid numbers")
}

fn two(now: f64, a: SpaceTimeBound, b: SpaceTimeBound) -> (Scheduler, BodyNumber, BodyNumber) {
    let mut scheduler = Scheduler::new(now).expect("valid numbers");
    let (first, second) = (scheduler.add(), scheduler.add());
    scheduler.set(first, &[a]);
    scheduler.set(second, &[b]);
    (scheduler, first, second)
}

/// A body at rest is released, passes a floor of 1 mm and is below it in the next frame: boxes at
/// the times of frames never overlap.
#[test]
fn a_body_at_rest_that_starts_to_fall_onto_a_thin_floor() {
    let (mut scheduler, ball, floor) = two(0.0, falling(3.0, 0.0, 0.0, 1.0), thin_floor(100.0));
    let dt = 0.25;
    let (mut found, mut overlapped) = (None, false);
    for frame in 1..=12 {
        let now = f64::from(frame) * dt;
        // It rests until 0.5, then falls.
        let fallen = (now - 0.5).max(0.0);
        let (z, v) = (3.0 - 5.0 * fallen * fallen, -10.0 * fallen);
        overlapped |= z - 0.1 <= 0.0 && z + 0.1 >= -0.001;
        if !scheduler.advance(now).unwrap().pairs().is_empty() {
            found.get_or_insert((z, now));
        }
        // In this interval it went through the floor.
        if z + 0.1 < -0.001 {
            assert_eq!(scheduler.advance(now).unwrap().pairs(), [(ball, floor)]);
            break;
        }
        scheduler.set(ball, &[falling(z, v, now, now + 1.0)]);
    }
    assert!(!overlapped, "frames alone would see it");
    let (z, now) = found.unwrap();
    assert!(now > 0.5, "due only once it can have reached the floor: at {now}, height {z}");
}

#[test]
fn a_body_at_rest_that_may_fall_at_any_time_wakes_nothing_before_it_can_arrive() {
    let (mut scheduler, ..) = two(0.0, falling(5.1, 0.0, 0.0, 2.0), thin_floor(100.0));
    let next = scheduler.next_time();
    // It would take 1 at full acceleration; the chord of the parabola takes less.
    assert!(next > 0.4 && next <= 1.0, "{next}");
    let before = scheduler.stats();
    let mut frames = 0;
    while f64::from(frames + 1) * 1e-3 < next {
        frames += 1;
        assert!(scheduler.advance(f64::from(frames) * 1e-3).unwrap().is_empty());
    }
    let after = scheduler.stats();
    assert!(frames > 400);
    // No pair, no box and no entry of the queue was touched.
    assert_eq!(after.idle - before.idle, frames as u64);
    assert_eq!(
        (after.meetings, after.entered, after.events),
        (before.meetings, before.entered, before.events)
    );
}

#[test]
fn an_early_expiry_makes_a_body_unbounded_until_it_gets_a_bound() {
    let (mut scheduler, a, b) = two(0.0, inert(0.0, 0.0, 0.0, 9.0), inert(5.0, 0.0, 0.0, 9.0));
    assert_eq!(scheduler.next_time(), 9.0);
    assert!(scheduler.advance(1.0).unwrap().is_empty());
    scheduler.expire(a);
    assert_eq!(scheduler.next_time(), 1.0);
    let due = scheduler.advance(2.0).unwrap();
    assert_eq!((due.unbounded(), due.renew(), due.pairs()), (&[a][..], &[a][..], &[][..]));
    assert!(due.outside().is_empty());
    // In every frame, until it gets a bound.
    assert_eq!(scheduler.advance(2.5).unwrap().unbounded(), [a]);
    scheduler.set(a, &[inert(0.0, 2.0, 2.5, 9.0)]);
    assert_eq!(scheduler.next_time(), 4.5);
    assert_eq!(scheduler.advance(5.0).unwrap().pairs(), [(a, b)]);
}

#[test]
fn an_impulse_replaces_a_bound() {
    let (mut scheduler, a, b) = two(0.0, inert(0.0, 0.0, 0.0, 9.0), inert(5.0, 0.0, 0.0, 9.0));
    assert!(scheduler.advance(1.0).unwrap().is_empty());
    // Hit at 1, it flies to the other and passes through it before 3.
    scheduler.set(a, &[inert(0.0, 10.0, 1.0, 9.0)]);
    assert!((scheduler.next_time() - 1.4).abs() < 1e-15);
    assert_eq!(scheduler.advance(3.0).unwrap().pairs(), [(a, b)]);
    // A second impulse in the other direction: it is past the other now, and meets it no more.
    scheduler.set(a, &[inert(20.0, 1.0, 3.0, 9.0)]);
    assert!(scheduler.advance(8.0).unwrap().is_empty());
}

#[test]
fn a_body_outside_its_bound_is_reported_and_not_trusted() {
    let (mut scheduler, a, b) = two(0.0, inert(0.0, 1.0, 0.0, 9.0), inert(50.0, 0.0, 0.0, 9.0));
    let at = |x: f64| Aabb::from_corners(Vec3::new(x, 0.0, 0.0), Vec3::new(x + 0.5, 0.5, 0.5));
    scheduler.advance(1.0).unwrap();
    assert!(scheduler.observe(a, &[at(1.0)]) && scheduler.observe(b, &[at(50.0)]));
    // One step in the last place outside is outside.
    let beyond = f64::from_bits(1.0_f64.to_bits() + 1);
    assert!(!scheduler.observe(a, &[at(beyond)]));
    assert_eq!(scheduler.next_time(), 1.0);
    // A new bound does not hide that contacts may have been missed.
    scheduler.set(a, &[inert(1.0, 0.0, 1.0, 9.0)]);
    let due = scheduler.advance(2.0).unwrap();
    assert_eq!((due.outside(), due.unbounded(), due.renew()), (&[a][..], &[a][..], &[a][..]));
    assert!(scheduler.advance(3.0).unwrap().is_empty());
    // A wrong number of boxes, and one that is not finite, are outside too.
    assert!(!scheduler.observe(b, &[]));
    assert!(!scheduler.observe(a, &[at(f64::NAN)]));
    assert!(scheduler.observe(a, &[at(77.0)]), "it has no bound any more");
    assert_eq!(scheduler.advance(3.0).unwrap().outside(), [a, b]);
    // A body that is removed is not reported.
    scheduler.set(a, &[inert(1.0, 0.0, 3.0, 9.0)]);
    scheduler.set(b, &[inert(50.0, 0.0, 3.0, 9.0)]);
    assert!(!scheduler.observe(b, &[at(1.0)]));
    scheduler.remove(b);
    assert!(scheduler.advance(4.0).unwrap().is_empty());
}

#[test]
fn a_long_thin_body_has_several_bounds() {
    // A rod of length 20 along x, that may turn a little, above a ball. One ball around the rod
    // contains it; twenty balls around its parts do not.
    let rod = Motion::at(Vec3::ZERO).velocity(Vec3::ZERO).limits(Limits::none().acceleration(0.1));
    let spin = Spin { velocity: Vec3::ZERO, speed: 0.01, acceleration: 0.01 };
    let parts: Vec<SpaceTimeBound> = (0..20)
        .map(|n| {
            let offset = Vec3::X * (f64::from(n) - 9.5);
            rod.part(offset, 0.6, &spin).unwrap().bound(0.0, 2.0).unwrap()
        })
        .collect();
    let whole = rod.radius(10.1).bound(0.0, 2.0).unwrap();
    let (mut by_one, ..) = two(0.0, whole, inert(0.0, 0.0, 0.0, 2.0));
    assert_eq!(by_one.next_time(), 0.0);
    let mut scheduler = Scheduler::new(0.0).unwrap();
    let (rod, ball) = (scheduler.add(), scheduler.add());
    scheduler.set(rod, &parts);
    let above = |z: f64, v: f64, now: f64| {
        let at = Vec3::new(9.0, 0.0, z);
        let body = Motion::at(at).velocity(Vec3::Z * v).radius(0.5).limits(Limits::inert());
        body.bound(now, 2.0).unwrap()
    };
    scheduler.set(ball, &[above(5.0, 0.0, 0.0)]);
    assert_eq!(scheduler.next_time(), 2.0, "nothing until they expire");
    // The ball falls onto an end of the rod.
    scheduler.advance(1.0).unwrap();
    scheduler.set(ball, &[above(5.0, -10.0, 1.0)]);
    let next = scheduler.next_time();
    assert!(next > 1.3 && next < 1.45, "{next}");
    assert_eq!(scheduler.advance(1.5).unwrap().pairs(), [(rod, ball)]);
    let boxes: Vec<Aabb> = parts.iter().map(|part| part.section(0.0)).collect();
    assert!(scheduler.observe(rod, &boxes));
}

#[test]
fn a_bound_that_expires_within_an_interval_is_not_trusted_behind_it() {
    let (mut scheduler, a, b) = two(0.0, inert(0.0, 0.0, 0.0, 1.0), inert(5.0, 0.0, 0.0, 9.0));
    assert_eq!(scheduler.next_time(), 1.0);
    assert!(scheduler.advance(0.99).unwrap().is_empty());
    // From 0.99 to 3: nothing is known about A from 1 on.
    let due = scheduler.advance(3.0).unwrap();
    assert_eq!((due.unbounded(), due.renew()), (&[a][..], &[a][..]));
    // A bound that does not begin yet, or has ended, is none.
    scheduler.set(a, &[inert(0.0, 0.0, 4.0, 9.0)]);
    assert_eq!(scheduler.advance(3.5).unwrap().unbounded(), [a]);
    scheduler.set(a, &[inert(0.0, 0.0, 0.0, 1.0)]);
    assert_eq!(scheduler.advance(3.5).unwrap().unbounded(), [a]);
    scheduler.set(a, &[inert(0.0, 0.0, 3.0, 9.0)]);
    assert!(scheduler.advance(8.0).unwrap().is_empty());
    // Both at once.
    assert_eq!(scheduler.advance(10.0).unwrap().unbounded(), [a, b]);
    // One of several bounds expires first.
    scheduler.set(a, &[inert(0.0, 0.0, 10.0, 20.0), inert(1.0, 0.0, 10.0, 12.0)]);
    scheduler.set(b, &[inert(9.0, 0.0, 10.0, 20.0)]);
    assert_eq!(scheduler.next_time(), 12.0);
    assert_eq!(scheduler.advance(13.0).unwrap().unbounded(), [a]);
}

#[test]
fn bodies_that_overlap_at_first_are_due_at_once_and_in_every_frame() {
    let (mut scheduler, a, b) = two(0.0, inert(0.0, 0.0, 0.0, 9.0), inert(1.0, 0.0, 0.0, 9.0));
    assert_eq!(scheduler.next_time(), 0.0, "they touch");
    for frame in 0..3 {
        assert_eq!(scheduler.advance(f64::from(frame)).unwrap().pairs(), [(a, b)]);
    }
    // They part at 3.
    scheduler.advance(3.0).unwrap();
    scheduler.set(a, &[inert(0.0, -1.0, 3.0, 9.0)]);
    assert_eq!(scheduler.next_time(), 3.0);
    assert_eq!(scheduler.advance(3.5).unwrap().pairs(), [(a, b)]);
    scheduler.set(a, &[inert(-0.5, -1.0, 3.5, 9.0)]);
    assert_eq!(scheduler.next_time(), 9.0);
    assert!(scheduler.advance(8.0).unwrap().is_empty());
}

#[test]
fn times_far_from_zero() {
    for now in [1e9, -1e9, 1e15, 4e15] {
        let (mut scheduler, a, b) =
            two(now, inert(0.0, 1.0, now, now + 64.0), inert(33.0, 0.0, now, now + 64.0));
        let next = scheduler.next_time();
        assert!((next - now - 32.0).abs() <= f64::max(now.abs() * 1e-15, 1e-12), "{next}");
        assert!(scheduler.advance(now + 31.0).unwrap().is_empty());
        assert_eq!(scheduler.advance(now + 32.0).unwrap().pairs(), [(a, b)]);
    }
}

#[test]
fn groups_and_removed_bodies_are_not_compared() {
    let mut scheduler = Scheduler::new(0.0).unwrap();
    let walls = [scheduler.add_to_group(1), scheduler.add_to_group(1)];
    for wall in walls {
        scheduler.set(wall, &[inert(0.0, 0.0, 0.0, 9.0)]);
    }
    assert_eq!(scheduler.next_time(), 9.0);
    let ball = scheduler.add();
    scheduler.set(ball, &[inert(0.5, 0.0, 0.0, 9.0)]);
    assert_eq!(scheduler.advance(0.0).unwrap().pairs(), [(walls[0], ball), (walls[1], ball)]);
    scheduler.remove(walls[0]);
    assert_eq!(scheduler.advance(0.5).unwrap().pairs(), [(walls[1], ball)]);
    scheduler.remove(ball);
    assert!(scheduler.advance(1.0).unwrap().is_empty());
    // Its number is given to another body.
    let other = scheduler.add();
    assert_eq!(other, ball);
    assert_eq!(scheduler.advance(1.0).unwrap().unbounded(), [other]);
    scheduler.set(other, &[inert(5.0, 0.0, 1.0, 9.0)]);
    assert!(scheduler.advance(1.0).unwrap().is_empty());
}

#[test]
fn time_does_not_run_backward() {
    let mut scheduler = Scheduler::new(1.0).unwrap();
    let kind = |t: f64| Scheduler::new(t).unwrap_err().kind();
    assert_eq!((kind(f64::NAN), kind(1e61)), (ErrorKind::BadParameter, ErrorKind::BadParameter));
    assert!(scheduler.advance(0.5).is_err() && scheduler.advance(f64::NAN).is_err());
    assert_eq!((scheduler.now(), scheduler.stats().advances), (1.0, 0));
    assert!(scheduler.advance(1.0).unwrap().is_empty());
    assert_eq!(scheduler.next_time(), f64::INFINITY);
}
