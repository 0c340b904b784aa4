//! Limits that are kept, by what arithmetic whatsoever, are never reported as broken; limits that
//! are broken always are.

use std::sync::Arc;

use impinge::convex::{Cuboid, HalfSpace, Sphere};
use impinge::internals::Random;
use impinge::motion::Limits;
use impinge::world::{Body, BodyMotion, BoxKind, Geometry, World, WorldOptions};
use impinge::{ErrorKind, Pose, Shape, Vec3, shapes};

use super::at;

fn geometry(n: usize, size: f64) -> Geometry {
    match n {
        0 => Sphere::new(size).unwrap().into(),
        1 => Shape::from(Arc::new(shapes::torus(size, 0.3 * size, 12, 7).unwrap())).into(),
        2 => Cuboid::new([size, 0.1 * size, 0.4 * size]).unwrap().into(),
        _ => {
            let ball = Shape::from(Sphere::new(0.3 * size).unwrap());
            let plate = shapes::cuboid([size, size, 0.1 * size]).unwrap();
            let end = Pose::from_axis_angle([1.0, 2.0, 1.0], 0.9).unwrap();
            let end = at(Vec3::X * size).compose(&end).unwrap();
            Geometry::compound([(ball, Pose::IDENTITY), (Arc::new(plate).into(), end)]).unwrap()
        }
    }
}

#[test]
fn motions_that_keep_their_limits_are_never_outside() {
    let mut random = Random::new(5);
    let mut count = 0;
    for round in 0..600 {
        let size = 10.0_f64.powi(random.index(60) as i32 - 35);
        let far = [0.0, 1.0, 1e3, 1e7][random.index(4)] * size;
        let kinds = [BoxKind::Fast, BoxKind::Tight, BoxKind::RotationProof];
        let options = WorldOptions::default().boxes(kinds[random.index(3)]);
        let mut world = World::with_options(options);
        let (x, v) = (random.in_cube() * far, random.in_cube() * (size * 3.0));
        let a = random.direction() * (size * [0.0, 0.1, 5.0][random.index(3)]);
        let about = random.in_cube() * (size * [0.0, 1.0][random.index(2)]);
        let rotates = random.index(2) == 0;
        let (start, axis) = (random.range(0.0, 100.0), random.direction());
        let turned = |t: f64| match rotates {
            true => Pose::from_axis_angle(axis, 3.0 * t).unwrap(),
            false => Pose::from_axis_angle(axis, 1.0).unwrap(),
        };
        // The reference point moves, and the body turns about it.
        let pose = |t: f64| {
            let (moved, rotation) = (x + v * t + a * (0.5 * t * t), turned(t));
            at(moved).compose(&rotation).unwrap().compose(&at(-about)).unwrap()
        };
        let parent = world.add(Body::new(geometry(random.index(4), size)).at(pose(0.0))).unwrap();
        let body = Body::new(geometry(random.index(4), size)).at(pose(0.0));
        let offset = at(random.in_cube() * size);
        let child = world.add(body.at(offset).attached_to(parent)).unwrap();
        let mut limits = Limits::none().acceleration(a.length() * (1.0 + 1e-9));
        if random.index(2) == 0 && a != Vec3::ZERO {
            limits = limits.never_towards(-a);
        }
        let mut motion = BodyMotion::new(limits).velocity(v).about(about).until(start + 1.0);
        if !rotates {
            motion = motion.without_rotation();
        }
        world.set_motion(parent, &motion, start).unwrap();
        for frame in 0..=32 {
            let t = f64::from(frame) / 32.0;
            world.move_to(parent, pose(t)).unwrap();
            let report = world.update_at(start + t).unwrap();
            let message = format!("round {round}, frame {frame}, size {size:e}, at {far:e}");
            assert_eq!(report.outside(), [], "{message}");
            assert!(report.stats().observed >= 2 || rotates, "{message}");
            for body in [parent, child] {
                assert!(world.has_motion(body).unwrap(), "{message}");
            }
            count += 1;
        }
    }
    assert_eq!(count, 600 * 33);
}

#[test]
fn one_unit_in_the_last_place_is_outside_for_a_body_that_does_not_move() {
    for motion in [
        BodyMotion::fixed(),
        BodyMotion::new(Limits::inert()).velocity(Vec3::ZERO).until(9.0),
        BodyMotion::new(Limits::none().speed(0.0)).until(9.0),
        BodyMotion::new(Limits::inert()).velocity(Vec3::ZERO).without_rotation().until(9.0),
    ] {
        let mut world = World::new();
        let x = Vec3::new(0.1, 0.2, 0.3);
        let ball = world.add(Body::new(Sphere::new(1.0).unwrap()).at(at(x))).unwrap();
        world.set_motion(ball, &motion, 0.0).unwrap();
        assert_eq!(world.update_at(0.0).unwrap().outside(), []);
        world.move_to(ball, at(x)).unwrap();
        assert_eq!(world.update_at(1.0).unwrap().outside(), []);
        let next = f64::from_bits(0.3_f64.to_bits() + 1);
        world.move_to(ball, at(Vec3::new(0.1, 0.2, next))).unwrap();
        let report = world.update_at(2.0).unwrap();
        assert_eq!((report.outside(), report.renewals()), (&[ball][..], &[ball][..]));
        // Reported once.
        assert!(!world.has_motion(ball).unwrap());
        assert_eq!(world.update_at(3.0).unwrap().outside(), []);
    }
}

/// A body whose bound moves on, while the body is left where it is.
#[test]
fn a_body_that_is_not_moved_is_found_outside() {
    let mut world = World::new();
    let ball = world.add(Body::new(Sphere::new(1.0).unwrap())).unwrap();
    let flies = BodyMotion::new(Limits::inert()).velocity(Vec3::X * 4.0).until(9.0);
    world.set_motion(ball, &flies, 0.0).unwrap();
    assert_eq!(world.update_at(0.0).unwrap().outside(), []);
    assert!(world.motion_bound(ball).unwrap().unwrap().section(1.0).min.x > 2.9);
    assert_eq!(world.update_at(0.5).unwrap().outside(), [ball]);
    assert_eq!(world.motion_bound(ball).unwrap(), None);
}

#[test]
fn limits_expire_and_wrong_input_is_refused() {
    let mut world = World::new();
    let ball = world.add(Body::new(Sphere::new(1.0).unwrap())).unwrap();
    let ground = Shape::from(HalfSpace::new(Vec3::Z, -9.0).unwrap());
    let ground = world.add(Body::new(Geometry::from(ground))).unwrap();
    let limits = Limits::none().speed(1.0);
    let until = |t: f64| BodyMotion::new(limits).until(t);
    world.set_motion(ball, &until(1.5), 0.0).unwrap();
    assert_eq!(world.update_at(1.5).unwrap().renewals(), []);
    assert_eq!(world.update_at(1.75).unwrap().renewals(), [ball]);
    let kind = |result: Result<(), impinge::Error>| result.unwrap_err().kind();
    let moves = until(9.0);
    assert_eq!(kind(world.set_motion(ball, &moves, 1.5)), ErrorKind::BadParameter);
    assert_eq!(kind(world.set_motion(ball, &moves, f64::NAN)), ErrorKind::BadParameter);
    assert_eq!(kind(world.set_motion(ball, &until(2.0), 2.0)), ErrorKind::BadParameter);
    assert_eq!(
        kind(world.set_motion(ball, &BodyMotion::new(limits), 2.0)),
        ErrorKind::BadParameter
    );
    let unlimited = BodyMotion::new(Limits::none()).until(9.0);
    assert_eq!(kind(world.set_motion(ball, &unlimited, 2.0)), ErrorKind::BadParameter);
    assert_eq!(kind(world.set_motion(ground, &moves, 2.0)), ErrorKind::OutOfRange);
    let fast = BodyMotion::new(Limits::none().speed(1e39)).until(9.0);
    assert_eq!(kind(world.set_motion(ball, &fast, 2.0)), ErrorKind::OutOfRange);
    world.set_motion(ground, &BodyMotion::fixed(), 2.0).unwrap();
    assert_eq!(world.update_at(1.0).unwrap_err().kind(), ErrorKind::BadParameter);
    assert_eq!(world.update_at(f64::NAN).unwrap_err().kind(), ErrorKind::BadParameter);
    assert_eq!(kind(world.set_resolution(-1.0)), ErrorKind::BadParameter);
    assert_eq!(kind(world.set_resolution(f64::INFINITY)), ErrorKind::BadParameter);
    assert_eq!(world.time(), Some(1.75));
    world.update_at(1.75).unwrap();
    world.remove(ball).unwrap();
    assert_eq!(kind(world.set_motion(ball, &moves, 2.0)), ErrorKind::NoSuchBody);
    assert_eq!(kind(world.expire_motion(ball)), ErrorKind::NoSuchBody);
}
