//! Closest points and penetration of convex bodies: analytic results, references found otherwise,
//! degenerate families, and the cases that other libraries collected.
//!
//! `IMPINGE_TEST_FACTOR` multiplies the cases.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod analytic;
mod caches;
mod curved;
mod json;
mod peers;
mod polytopes;
mod reference;

use impinge::convex::{
    BodyCache, ClosestOptions, Iterated, PenetrationOptions, Support, closest_points, penetration,
};
use impinge::{Contact, Distance, Pose, Vec3};
use impinge_oracles::common::{Random, count_from};
use impinge_papers::leung::closest::{self as published, Acceleration, Reduction, Variant};

fn factor() -> usize {
    count_from("IMPINGE_TEST_FACTOR", 1)
}

/// A way to iterate: the engine's, or a variant.
#[derive(Clone, Copy, Debug, Default)]
struct Way {
    options: ClosestOptions,
    variant: Option<Variant>,
}

impl Way {
    /// As published.
    fn published() -> Self {
        let options = ClosestOptions::default().tolerance(0.0);
        Self { options, variant: Some(Variant::PUBLISHED) }
    }

    /// Whether bounds meet on slivers, too.
    fn is_tight(&self) -> bool {
        self.variant.is_none_or(|v| v.reduction == Reduction::SignedVolumes)
    }
}

impl From<&ClosestOptions> for Way {
    fn from(options: &ClosestOptions) -> Self {
        Self { options: *options, variant: None }
    }
}

/// Every way to iterate.
fn ways() -> Vec<Way> {
    let mut ways = vec![Way::default()];
    for reduction in [Reduction::Johnson, Reduction::SignedVolumes] {
        for acceleration in [Acceleration::None, Acceleration::Nesterov, Acceleration::Polyak] {
            let variant = Variant { reduction, acceleration, ..Default::default() };
            ways.push(Way { variant: Some(variant), ..Default::default() });
        }
    }
    ways.push(Way::published());
    ways
}

fn closest<A: Support, B: Support>(
    a: &A,
    b: &B,
    pose: &Pose,
    way: impl Into<Way>,
) -> Iterated<Distance> {
    closest_from(a, b, pose, way.into(), &mut BodyCache::default())
}

/// The same with a cache.
fn closest_from<A: Support, B: Support>(
    a: &A,
    b: &B,
    pose: &Pose,
    way: Way,
    cache: &mut BodyCache<A::Memory, B::Memory>,
) -> Iterated<Distance> {
    match way.variant {
        None => closest_points(a, b, pose, &way.options, cache),
        Some(variant) => published::closest_points(a, b, pose, &way.options, variant, cache),
    }
}

fn depth<A: Support, B: Support>(a: &A, b: &B, pose: &Pose) -> Iterated<Contact> {
    penetration(a, b, pose, &PenetrationOptions::default(), &mut BodyCache::default())
}

/// Checks both queries against the signed distance `signed`, known to within `slack`; the bounds
/// may differ by `width` and twice the slack.
fn expect<A: Support, B: Support>(
    a: &A,
    b: &B,
    pose: &Pose,
    [signed, slack, width]: [f64; 3],
    what: &dyn std::fmt::Debug,
) {
    let distance = signed.max(0.0);
    for way in ways() {
        let Iterated { answer: found, point_error, .. } = closest(a, b, pose, way);
        let case = (signed, found, way, what);
        assert!(found.lower <= distance + slack && distance - slack <= found.upper, "{case:?}");
        assert!(found.lower >= 0.0 && found.lower <= found.upper, "{case:?}");
        // Johnson's determinants are the published ones: their bounds hold, but may stay wide on
        // slivers.
        if way.is_tight() {
            assert!(found.upper - found.lower <= width, "{case:?}");
            let apart = found.point_a.distance(found.point_b);
            let error = 2.0 * point_error + width;
            assert!(found.lower - error <= apart && apart <= found.upper + error, "{case:?}");
        }
    }
    let Iterated { answer: found, point_error, .. } = depth(a, b, pose);
    let case = (signed, found, what);
    assert!(found.lower <= signed + slack && signed - slack <= found.upper, "{case:?}");
    assert!(found.lower <= found.upper && found.upper - found.lower <= width, "{case:?}");
    if signed.abs() > 1e3 * (slack + width) {
        let moved = found.point_b + found.direction * -signed;
        let error = 2.0 * point_error + 1e3 * width.sqrt().max(width);
        assert!(moved.distance(found.point_a) <= error, "{case:?}");
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
