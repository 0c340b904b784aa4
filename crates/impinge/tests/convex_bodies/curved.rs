//! Curved bodies, compared with the hulls of dense samples of their surfaces.

use super::*;
use impinge::convex::{Cone, Cylinder, Ellipsoid};
use reference::signed_distance;
use std::f64::consts::PI;

/// The number of samples on a circle.
const SAMPLES_PER_CIRCLE: usize = 24;

/// Points on a circle about z.
fn circle(radius: f64, z: f64, count: usize) -> impl Iterator<Item = Vec3> {
    (0..count).map(move |i| {
        let (y, x) = (2.0 * PI * i as f64 / count as f64).sin_cos();
        Vec3::new(x * radius, y * radius, z)
    })
}

/// A curved body whose surface can be sampled.
enum Sampled {
    Cylinder(Cylinder),
    Cone(Cone),
    Ellipsoid(Ellipsoid),
}

impl Sampled {
    fn random(kind: usize, r: &mut Random) -> Self {
        let [x, y, z] = [0.2 + r.unit(), 0.2 + r.unit(), 0.2 + r.unit()];
        match kind {
            0 => Self::Cylinder(Cylinder::new(x, y).unwrap()),
            1 => Self::Cone(Cone::new(x, y).unwrap()),
            _ => Self::Ellipsoid(Ellipsoid::new([x, y, z]).unwrap()),
        }
    }

    /// Samples of the surface, and a bound of the distance of their hull from the body's surface.
    fn samples(&self) -> (Vec<Vec3>, f64) {
        let short = 1.0 - (PI / SAMPLES_PER_CIRCLE as f64).cos();
        match self {
            Self::Cylinder(c) => {
                let (h, r) = (c.half_height(), c.radius());
                (
                    circle(r, h, SAMPLES_PER_CIRCLE)
                        .chain(circle(r, -h, SAMPLES_PER_CIRCLE))
                        .collect(),
                    r * short,
                )
            }
            Self::Cone(c) => {
                let (h, r) = (c.half_height(), c.radius());
                (circle(r, -h, SAMPLES_PER_CIRCLE).chain([Vec3::Z * h]).collect(), r * short)
            }
            Self::Ellipsoid(e) => {
                let axes = e.half_axes();
                let ring = |k: usize| {
                    let (r, z) = (PI * k as f64 / (SAMPLES_PER_CIRCLE / 2) as f64).sin_cos();
                    circle(r, z, SAMPLES_PER_CIRCLE).map(move |p| p * axes)
                };
                let points = (0..=SAMPLES_PER_CIRCLE / 2).flat_map(ring).collect();
                // The samples approximate circles in two directions, so the factor is the cosine
                // squared.
                (points, axes.max_element() * (1.0 - (1.0 - short) * (1.0 - short)))
            }
        }
    }

    fn check(&self, other: &Self, pose: &Pose, signed: f64, slack: f64) {
        match self {
            Self::Cylinder(a) => other.check_second(a, pose, signed, slack),
            Self::Cone(a) => other.check_second(a, pose, signed, slack),
            Self::Ellipsoid(a) => other.check_second(a, pose, signed, slack),
        }
    }

    fn check_second<A: Support>(&self, a: &A, pose: &Pose, signed: f64, slack: f64) {
        // The bodies contain the hulls of their samples, so their distance is smaller by at most
        // the slack.
        let middle = signed - 0.5 * slack;
        let numbers = [middle, 0.5 * slack + 1e-12, 1e-3];
        match self {
            Self::Cylinder(b) => expect(a, b, pose, numbers, &"cylinder"),
            Self::Cone(b) => expect(a, b, pose, numbers, &"cone"),
            Self::Ellipsoid(b) => expect(a, b, pose, numbers, &"ellipsoid"),
        }
    }
}

#[test]
fn bounds_hold_for_sampled_hulls() {
    let mut r = Random::new(62);
    for round in 0..27 * factor() {
        let (a, b) = (Sampled::random(round % 3, &mut r), Sampled::random(round / 3 % 3, &mut r));
        let pose = {
            let t = on_sphere(&mut r) * r.unit() * 2.5;
            random_pose(&mut r, t)
        };
        let ((points_a, short_a), (points_b, short_b)) = (a.samples(), b.samples());
        let points_b: Vec<Vec3> = points_b.iter().map(|p| pose.transform_point(*p)).collect();
        let signed = signed_distance(&points_a, &points_b);
        a.check(&b, &pose, signed, short_a + short_b);
    }
}

#[test]
fn bounds_hold_at_every_iteration_limit() {
    let mut r = Random::new(63);
    let a = Ellipsoid::new([1.0, 0.8, 0.6]).unwrap();
    for limit in 0..12 {
        for overlap in [true, false] {
            let pose = random_pose(&mut r, Vec3::X * if overlap { 0.3 } else { 3.0 });
            let closest = ClosestOptions::default().limit(limit);
            let exact = depth(&a, &a, &pose).answer;
            let options = PenetrationOptions::default().limit(limit).closest(closest);
            let cut = penetration(&a, &a, &pose, &options, &mut BodyCache::default()).answer;
            assert!(cut.lower <= exact.upper && exact.lower <= cut.upper, "{cut:?} {exact:?}");
            let cut = closest_points(&a, &a, &pose, &closest, &mut BodyCache::default());
            let distance = [exact.lower, exact.upper].map(|signed| signed.max(0.0));
            let found = cut.answer;
            assert!(found.lower <= distance[1] && distance[0] <= found.upper, "{cut:?} {exact:?}");
            assert!(cut.iterations <= limit);
        }
    }
}
