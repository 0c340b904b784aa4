//! Two hulls: verdict, proof, distance and depth, against a linear program and brute force in
//! integers.

use glam::DVec3 as Vec3;
use impinge::Pose;
use impinge::convex::{self, Hull};
use impinge::internals::HullInternals as _;
use impinge_oracles::common::Random;
use impinge_oracles::convex::{Rational, Small, rational, share_a_point};

use crate::decode::Numbers;

/// The largest number of points of a hull.
const MAX_HULL_POINTS: u8 = 10;
/// The largest number of vertices of each hull for which brute force checks distance and depth: its
/// time grows with a high power of the number.
const MAX_BRUTE_FORCE_POINTS: usize = 5;

/// Two sets of points and a translation.
pub fn run(bytes: &[u8]) {
    let mut numbers = Numbers(bytes);
    let mut points = || -> Vec<Vec3> {
        let count = 1 + numbers.byte() % MAX_HULL_POINTS;
        (0..count).map(|_| numbers.point()).collect()
    };
    let (a, b) = (points(), points());
    let (Ok(a_hull), Ok(b_hull)) = (Hull::new(&a), Hull::new(&b)) else { return };
    for (hull, points) in [(&a_hull, &a), (&b_hull, &b)] {
        assert_eq!(hull.validate(points), Ok(()), "{points:?}");
    }
    let Ok(pose) = Pose::from_translation(numbers.point()) else { return };
    let moved: Vec<Vec3> = b_hull.vertices().iter().map(|v| pose.transform_point(*v)).collect();
    let a = a_hull.vertices();
    let meet = share_a_point(a, &moved);
    let found = convex::intersects(&a_hull, &b_hull, &pose);
    assert_eq!(found.is_intersecting(), meet, "{a:?} {b:?} {pose:?}");
    assert!(found.verify(a, &moved), "{a:?} {b:?} {pose:?}");
    let back = convex::distance(&a_hull, &b_hull, &pose);
    assert_eq!(back.upper == 0.0, meet, "{a:?} {b:?} {pose:?}");
    if a.len().max(moved.len()) <= MAX_BRUTE_FORCE_POINTS {
        check_measures(&a_hull, &b_hull, &moved, &pose);
    }
}

/// Checks that the bounds of the distance and the depth enclose the exact values.
fn check_measures(a: &Hull, b: &Hull, moved: &[Vec3], pose: &Pose) {
    let small = Small::new(a.vertices(), moved);
    let square = |x: f64| -> Rational { rational(x) * rational(x) };
    let holds = |lower: f64, upper: f64, exact: &Rational| {
        square(lower) <= *exact && (upper == f64::INFINITY || *exact <= square(upper))
    };
    let text = || format!("{:?} {moved:?}", a.vertices());
    let found = convex::distance(a, b, pose);
    match small.squared_distance() {
        Some(exact) => assert!(holds(found.lower, found.upper, &exact), "{found:?} {}", text()),
        None => assert_eq!([found.lower, found.upper], [0.0; 2], "{}", text()),
    }
    let (found, verdict) = convex::contact(a, b, pose);
    match small.squared_depth() {
        Some(exact) => {
            let (least, most) = (-found.upper, -found.lower);
            assert!(verdict.is_intersecting(), "{found:?} {}", text());
            assert!(holds(least.max(0.0), most, &exact), "{found:?} {}", text());
        }
        None => assert!(verdict.is_separated(), "{found:?} {}", text()),
    }
}

/// Random bytes below a limit. With low limits, most coordinates are small integers
/// ([`Numbers::coordinate`]).
pub fn seeds() -> Vec<Vec<u8>> {
    let mut random = Random::new(2);
    let seed = |limit: usize, count: u8, random: &mut Random| -> Vec<u8> {
        let mut bytes: Vec<u8> = (0..60).map(|_| random.below(limit) as u8).collect();
        bytes[0] = count;
        bytes
    };
    [(160, 3), (160, 4), (160, 7), (200, 3), (240, 3), (240, 7), (256, 4)]
        .map(|(limit, count)| seed(limit, count, &mut random))
        .to_vec()
}
