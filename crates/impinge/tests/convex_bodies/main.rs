//! Closest points and penetration of convex bodies: analytic results, references found otherwise, degenerate families, and the
//! cases that other libraries collected.
//!
//! `IMPINGE_TEST_FACTOR` multiplies the cases.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[path = "../common/mod.rs"]
mod common;

mod analytic;
mod caches;
mod curved;
mod json;
mod peers;
mod polytopes;
mod reference;

use common::{Random, count_from};
use impinge::convex::{
    Acceleration, Body, ClosestCache, ClosestOptions, ClosestPoints, Penetration,
    PenetrationOptions, Reduction, closest_points, penetration,
};
use impinge::{Pose, Vec3};

fn factor() -> usize {
    count_from("IMPINGE_TEST_FACTOR", 1)
}

/// Every way to iterate.
fn ways() -> Vec<ClosestOptions> {
    let mut ways = Vec::new();
    for reduction in [Reduction::Johnson, Reduction::SignedVolumes] {
        for acceleration in [Acceleration::None, Acceleration::Nesterov, Acceleration::Polyak] {
            ways.push(ClosestOptions { reduction, acceleration, ..Default::default() });
        }
    }
    ways.push(ClosestOptions::published());
    ways
}

fn closest<A: Body, B: Body>(a: &A, b: &B, pose: &Pose, options: &ClosestOptions) -> ClosestPoints {
    closest_points(a, b, pose, options, &mut ClosestCache::default())
}

fn depth<A: Body, B: Body>(a: &A, b: &B, pose: &Pose) -> Penetration {
    penetration(a, b, pose, &PenetrationOptions::default(), &mut ClosestCache::default())
}

/// Checks both queries against the signed distance `signed`, known to within `slack`; the bounds may differ by `width` and twice the slack.
fn expect<A: Body, B: Body>(
    a: &A,
    b: &B,
    pose: &Pose,
    [signed, slack, width]: [f64; 3],
    what: &dyn std::fmt::Debug,
) {
    let distance = signed.max(0.0);
    for options in ways() {
        let found = closest(a, b, pose, &options);
        let case = (signed, found, options, what);
        assert!(found.lower <= distance + slack && distance - slack <= found.upper, "{case:?}");
        assert!(found.lower >= 0.0 && found.lower <= found.upper, "{case:?}");
        // Johnson's determinants are the published ones: their bounds hold, but may stay wide on slivers.
        if options.reduction == Reduction::SignedVolumes {
            assert!(found.upper - found.lower <= width, "{case:?}");
            let apart = found.a.distance(found.b);
            let error = 2.0 * found.point_error + width;
            assert!(found.lower - error <= apart && apart <= found.upper + error, "{case:?}");
        }
    }
    let found = depth(a, b, pose);
    let case = (signed, found, what);
    assert!(found.lower <= -signed + slack && -signed - slack <= found.upper, "{case:?}");
    assert!(found.lower <= found.upper && found.upper - found.lower <= width, "{case:?}");
    if signed.abs() > 1e3 * (slack + width) {
        let moved = found.b + found.direction * -signed;
        let error = 2.0 * found.point_error + 1e3 * width.sqrt().max(width);
        assert!(moved.distance(found.a) <= error, "{case:?}");
    }
}

fn on_sphere(r: &mut Random) -> Vec3 {
    loop {
        let p = r.point();
        if (0.01..=1.0).contains(&p.length_squared()) {
            return p.normalize();
        }
    }
}

fn random_pose(r: &mut Random, translation: Vec3) -> Pose {
    let q = [r.signed(), r.signed(), r.signed(), r.signed() + 2.0];
    Pose::from_quaternion(q, translation).unwrap()
}
