//! Queries with caches that other bodies filled.

use super::*;
use impinge::convex::{Cone, Cuboid, Cylinder, Ellipsoid, Hull, HullMemory, Rounded};
use reference::signed_distance;

/// 1 to 40 points about a random centre, so that the points of one body are far outside of the
/// next.
fn points(r: &mut Random) -> Vec<Vec3> {
    let (middle, size) = (r.point() * 5.0, 10_f64.powi(r.below(5) as i32 - 2));
    (0..1 + r.below(40)).map(|_| middle + on_sphere(r) * size).collect()
}

#[test]
fn a_cache_of_other_hulls_gives_valid_bounds() {
    let mut r = Random::new(81);
    let mut cache: BodyCache<HullMemory, HullMemory> = BodyCache::default();
    let mut meeting = 0;
    for round in 0..400 * factor() {
        let (a, b) = (points(&mut r), points(&mut r));
        let middle = |points: &[Vec3]| points.iter().sum::<Vec3>() / points.len() as f64;
        let shift = middle(&a) - middle(&b) + on_sphere(&mut r) * r.unit() * 2.0;
        let pose = Pose::from_translation(shift).unwrap();
        let placed: Vec<Vec3> = b.iter().map(|p| pose.transform_point(*p)).collect();
        let signed = signed_distance(&a, &placed);
        meeting += usize::from(signed < 0.0);
        let (a, b) = (Hull::new(&a).unwrap(), Hull::new(&b).unwrap());
        let slack = 1e-12;
        for options in methods() {
            let found = closest_from(&a, &b, &pose, options, &mut cache).answer;
            let distance = signed.max(0.0);
            let holds = found.lower <= distance + slack && distance - slack <= found.upper;
            assert!(holds, "{round} {signed} {found:?} {options:?}");
        }
        let found = penetration(&a, &b, &pose, &PenetrationOptions::default(), &mut cache).answer;
        let holds = found.lower <= signed + slack && signed - slack <= found.upper;
        assert!(holds && found.upper - found.lower <= 1e-6, "{round} {signed} {found:?}");
    }
    assert!(meeting > 40, "{meeting}");
}

/// Runs the queries with a cache of other bodies and without. The intervals must overlap.
fn compare<A: Support<Memory = ()>, B: Support<Memory = ()>>(
    a: &A,
    b: &B,
    pose: &Pose,
    cache: &mut BodyCache<(), ()>,
) {
    for options in methods() {
        let found = closest_from(a, b, pose, options, cache).answer;
        let fresh = closest(a, b, pose, options).answer;
        let agree = found.lower <= fresh.upper && fresh.lower <= found.upper;
        assert!(agree, "{found:?} {fresh:?} {options:?}");
    }
    let found = penetration(a, b, pose, &PenetrationOptions::default(), cache).answer;
    let fresh = depth(a, b, pose).answer;
    assert!(found.lower <= fresh.upper && fresh.lower <= found.upper, "{found:?} {fresh:?}");
}

#[test]
fn a_cache_of_other_curved_bodies_gives_valid_bounds() {
    let mut r = Random::new(82);
    let mut cache = BodyCache::default();
    for _ in 0..60 * factor() {
        let mut length = || 0.05 + r.unit() * 3.0;
        let cylinder = Cylinder::new(length(), length()).unwrap();
        let cone = Cone::new(length(), length()).unwrap();
        let ellipsoid = Ellipsoid::new([length(), length(), length()]).unwrap();
        let cuboid = Cuboid::new([length(), length(), length()]).unwrap();
        let pillow = Rounded::new(cuboid, length()).unwrap();
        let shift = on_sphere(&mut r) * r.unit() * 8.0;
        let pose = random_pose(&mut r, shift);
        compare(&cylinder, &cone, &pose, &mut cache);
        compare(&cuboid, &cylinder, &pose, &mut cache);
        compare(&ellipsoid, &cuboid, &pose, &mut cache);
        compare(&cone, &pillow, &pose, &mut cache);
        compare(&pillow, &ellipsoid, &pose, &mut cache);
    }
}
