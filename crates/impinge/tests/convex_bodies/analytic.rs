//! Pairs whose distance is known from elementary geometry.

use super::*;
use impinge::convex::{Capsule, Cone, Cuboid, Cylinder, Ellipsoid, Hull, Rounded, Sphere};

/// Checks a pair at several scales, in both orders.
fn expect_scaled<A: Support, B: Support>(
    make: impl Fn(f64) -> (A, B),
    pose: &Pose,
    signed: f64,
    width: f64,
) {
    for scale in [1.0, 1e-6, 1e6, 1e-30, 1e40] {
        let (a, b) = make(scale);
        let m = pose.to_matrix().map(|row| [row[0], row[1], row[2], row[3] * scale]);
        let pose = Pose::from_matrix(m).unwrap();
        let numbers = [signed, 2e-16 * (1.0 + signed.abs()), width].map(|x| x * scale);
        expect(&a, &b, &pose, numbers, &scale);
        expect(&b, &a, &pose.inverse(), numbers, &(scale, "swapped"));
    }
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation([x, y, z]).unwrap()
}

#[test]
fn spheres_match_analytic_results() {
    for (x, signed) in [(5.0, 2.0), (3.0, 0.0), (2.5, -0.5), (0.5, -2.5), (0.0, -3.0)] {
        let make = |s| (Sphere::new(s).unwrap(), Sphere::new(2.0 * s).unwrap());
        expect_scaled(make, &at(0.6 * x, 0.0, 0.8 * x), signed, 1e-13);
    }
}

#[test]
fn sphere_and_box_match_analytic_results() {
    let make = |s| (Cuboid::new([s, 2.0 * s, 3.0 * s]).unwrap(), Sphere::new(0.5 * s).unwrap());
    // Over a face, beside an edge, off a corner, inside.
    expect_scaled(make, &at(3.0, 1.0, -1.0), 1.5, 1e-13);
    expect_scaled(make, &at(4.0, 6.0, 0.0), 4.5, 1e-13);
    expect_scaled(make, &at(2.0, 4.0, 5.0), 2.5, 1e-13);
    expect_scaled(make, &at(1.2, 0.0, 0.0), -0.3, 1e-13);
    expect_scaled(make, &at(0.75, 0.0, 0.0), -0.75, 1e-9);
    expect_scaled(make, &at(0.0, 0.0, 0.0), -1.5, 2e-9);
    expect_scaled(make, &at(1.0, 0.5, 0.25), -0.5, 1e-9);
}

#[test]
fn capsules_match_analytic_results() {
    let make = |s| (Capsule::new(2.0 * s, 0.5 * s).unwrap(), Capsule::new(s, 0.25 * s).unwrap());
    expect_scaled(make, &at(3.0, 4.0, 0.5), 4.25, 1e-13);
    expect_scaled(make, &at(0.0, 0.0, 5.0), 1.25, 1e-13);
    let across = Pose::from_quaternion([1.0, 0.0, 0.0, 1.0], [2.0, 0.0, 0.0]).unwrap();
    expect_scaled(make, &across, 1.25, 1e-13);
    let crossing = Pose::from_quaternion([1.0, 0.0, 0.0, 1.0], [0.5, 0.0, 0.0]).unwrap();
    expect_scaled(make, &crossing, -0.25, 1e-13);
    // The segments cross: the shortest way out is perpendicular to both.
    let through = Pose::from_quaternion([1.0, 0.0, 0.0, 1.0], [0.0; 3]).unwrap();
    expect_scaled(make, &through, -0.75, 1e-13);
    // Equal segments.
    expect_scaled(make, &Pose::IDENTITY, -0.75, 1e-13);
}

#[test]
fn boxes_match_analytic_results() {
    let unit = |s: f64| Cuboid::new([0.5 * s, 0.5 * s, 0.5 * s]).unwrap();
    let make = |s| (unit(s), unit(s));
    expect_scaled(make, &at(3.0, 0.25, 0.0), 2.0, 1e-13);
    expect_scaled(make, &at(4.0, 5.0, 0.0), 5.0, 1e-13);
    expect_scaled(make, &at(1.0, 0.3, 0.2), 0.0, 1e-13);
    expect_scaled(make, &at(0.75, 0.5, 0.25), -0.25, 1e-9);
    expect_scaled(make, &Pose::IDENTITY, -1.0, 1e-9);
    // An edge towards A: rotated about z by an eighth of a turn.
    let turn = std::f64::consts::FRAC_PI_8;
    let pose = Pose::from_quaternion([0.0, 0.0, turn.sin(), turn.cos()], [2.0, 0.1, 0.2]).unwrap();
    expect_scaled(make, &pose, 1.5 - 0.5_f64.sqrt(), 1e-13);
}

#[test]
fn rounded_bodies_match_analytic_results() {
    let corners: Vec<Vec3> = Cuboid::new([1.0, 1.0, 1.0]).unwrap().corners().to_vec();
    let hull = Hull::new(&corners).unwrap();
    let a = Rounded::new(&hull, 0.5).unwrap();
    let b =
        Rounded::new(Rounded::new(Cuboid::new([1.0, 1.0, 1.0]).unwrap(), 0.125).unwrap(), 0.125);
    let b = b.unwrap();
    expect(&a, &b, &at(5.0, 6.0, 0.0), [5.0 - 0.75, 1e-14, 1e-13], &"corner");
    expect(&a, &b, &at(2.5, 0.0, 0.0), [-0.25, 1e-14, 1e-13], &"margins");
    expect(&a, &b, &at(1.5, 0.0, 0.0), [-1.25, 1e-14, 2e-9], &"deep");
}

#[test]
fn balls_over_curved_surfaces_match_analytic_results() {
    // A ball on the normal of a smooth surface: the distance is known.
    let mut r = Random::new(61);
    for round in 0..60 * factor() {
        let (h, w) = (0.2 + r.unit(), 0.2 + r.unit());
        let axes = Vec3::new(0.2 + r.unit(), 0.2 + r.unit(), 0.2 + r.unit());
        let (u, t) = (on_sphere(&mut r), r.signed() * 0.99);
        let ring = Vec3::new(u.x, u.y, 0.0).normalize();
        let up = r.unit() * 2.0;
        let ball = Sphere::new(0.7).unwrap();
        let scale = 10_f64.powi(round as i32 % 13 - 6);
        let numbers = |up: f64| [up - 0.7, 1e-14, 1e-10].map(|x| x * scale);
        let over = |x: Vec3, n: Vec3| Pose::from_translation((x + n * up) * scale).unwrap();
        let ball = Sphere::new(ball.radius() * scale).unwrap();

        let ellipsoid = Ellipsoid::new(axes * scale).unwrap();
        let pose = over(u * axes, (u / axes).normalize());
        expect(&ellipsoid, &ball, &pose, numbers(up), &("ellipsoid", round));
        let cylinder = Cylinder::new(h * scale, w * scale).unwrap();
        let pose = over(ring * w + Vec3::Z * (t * h), ring);
        expect(&cylinder, &ball, &pose, numbers(up), &("cylinder", round));
        let pose = over(ring * (w * t) + Vec3::Z * h, Vec3::Z);
        expect(&cylinder, &ball, &pose, numbers(up), &("lid", round));
        // The radius of the cone decreases by w over the height 2 h.
        let cone = Cone::new(h * scale, w * scale).unwrap();
        let normal = (ring * (2.0 * h) + Vec3::Z * w).normalize();
        let along = 0.5 + 0.5 * t;
        let pose = over(ring * (w * along) + Vec3::Z * (h - 2.0 * h * along), normal);
        expect(&cone, &ball, &pose, numbers(up), &("cone", round));
        let pose = over(ring * (w * t) - Vec3::Z * h, -Vec3::Z);
        expect(&cone, &ball, &pose, numbers(up), &("base", round));
        let pose = over(Vec3::Z * h, Vec3::Z);
        expect(&cone, &ball, &pose, numbers(up), &("apex", round));
    }
}

#[test]
fn cylinders_ellipsoids_and_cones_match_analytic_results() {
    let at_scale =
        |s: f64| (Cylinder::new(2.0 * s, s).unwrap(), Ellipsoid::new([s, s, 3.0 * s]).unwrap());
    // Side by side: the gap is along x.
    expect_scaled(at_scale, &at(4.0, 0.0, 0.5), 2.0, 1e-9);
    expect_scaled(at_scale, &at(1.5, 0.0, 0.0), -0.5, 1e-8);
    let cones = |s: f64| (Cone::new(s, s).unwrap(), Cone::new(2.0 * s, s).unwrap());
    expect_scaled(cones, &at(0.0, 0.0, 5.0), 2.0, 1e-9);
    // The apex is a quarter inside of the base: the shortest way out is along the axis.
    expect_scaled(cones, &at(0.0, 0.0, 2.75), -0.25, 1e-7);
}

#[test]
fn small_bodies_on_large_ones_match_analytic_results() {
    for ratio in [1e3, 1e6, 1e9, 1e12, 1e15] {
        // A small box above, on and half inside of the top of a large box and of a large cylinder,
        // away from the centre.
        let (floor, lid) = (Cuboid::new([ratio; 3]).unwrap(), Cylinder::new(ratio, ratio).unwrap());
        let cube = Cuboid::new([1.0, 1.0, 1.0]).unwrap();
        let width = 1e-10 * ratio;
        for (up, signed) in [(3.0, 2.0), (1.0, 0.0), (0.5, -0.5)] {
            let pose = at(0.3 * ratio, -0.2 * ratio, ratio + up);
            let slack = 4e-16 * ratio;
            expect(&floor, &cube, &pose, [signed, slack, width], &ratio);
            expect(&lid, &cube, &pose, [signed, slack, width], &ratio);
            expect(&cube, &lid, &pose.inverse(), [signed, slack, width], &ratio);
        }
    }
}

#[test]
fn bounds_hold_for_sizes_at_the_limits_of_the_range() {
    for size in [1e-300, 1e-200, 1e60] {
        let ball = Sphere::new(size).unwrap();
        let cube = Cuboid::new([size; 3]).unwrap();
        let ellipsoid = Ellipsoid::new([size, size, 0.5 * size]).unwrap();
        let none = Pose::IDENTITY;
        assert!(depth(&ball, &cube, &none).answer.upper < -1.99 * size);
        let found = depth(&cube, &cube, &none).answer;
        assert!(found.upper < -1.99 * size && found.lower > -2.01 * size, "{found:?}");
        // An ellipsoid states an error of at least 1e-290, so the bounds of smaller ones are wide,
        // but hold.
        let found = depth(&ellipsoid, &cube, &none).answer;
        assert!(found.lower <= -1.5 * size && -1.5 * size <= found.upper, "{found:?}");
        let far = at(1e60, 0.0, 0.0);
        let found = closest(&ball, &cube, &far, &ClosestOptions::default()).answer;
        let distance = (1e60 - 2.0 * size).max(0.0);
        assert!(found.lower <= distance && distance <= found.upper, "{found:?}");
    }
}

#[test]
fn bounds_hold_for_nearly_spherical_concentric_bodies() {
    let (a, b) =
        (Ellipsoid::new([1.0, 1.0, 0.999]).unwrap(), Ellipsoid::new([2.0, 2.0, 2.0]).unwrap());
    let found = depth(&a, &b, &Pose::IDENTITY).answer;
    assert!(found.lower <= -2.999 && -2.999 <= found.upper, "{found:?}");
    assert!(found.upper - found.lower < 0.1, "{found:?}");
}
