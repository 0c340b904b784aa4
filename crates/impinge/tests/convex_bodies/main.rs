//! Closest points and penetration of convex bodies, compared with analytic results, with references
//! by other methods, on degenerate families, and on test cases of other libraries.
//!
//! `IMPINGE_TEST_FACTOR` multiplies the number of cases.

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

/// A method of closest points: the engine's iteration, or a published variant.
#[derive(Clone, Copy, Debug, Default)]
struct Method {
    options: ClosestOptions,
    variant: Option<Variant>,
}

impl Method {
    /// The iteration as published.
    fn published() -> Self {
        let options = ClosestOptions::default().tolerance(0.0);
        Self { options, variant: Some(Variant::PUBLISHED) }
    }

    /// Whether the bounds converge on slivers too.
    fn is_tight(&self) -> bool {
        self.variant.is_none_or(|v| v.reduction == Reduction::SignedVolumes)
    }
}

impl From<&ClosestOptions> for Method {
    fn from(options: &ClosestOptions) -> Self {
        Self { options: *options, variant: None }
    }
}

/// All methods.
fn methods() -> Vec<Method> {
    let mut methods = vec![Method::default()];
    for reduction in [Reduction::Johnson, Reduction::SignedVolumes] {
        for acceleration in [Acceleration::None, Acceleration::Nesterov, Acceleration::Polyak] {
            let variant = Variant { reduction, acceleration, ..Default::default() };
            methods.push(Method { variant: Some(variant), ..Default::default() });
        }
    }
    methods.push(Method::published());
    methods
}

fn closest<A: Support, B: Support>(
    a: &A,
    b: &B,
    pose: &Pose,
    method: impl Into<Method>,
) -> Iterated<Distance> {
    closest_from(a, b, pose, method.into(), &mut BodyCache::default())
}

/// As [`closest`], with a cache.
fn closest_from<A: Support, B: Support>(
    a: &A,
    b: &B,
    pose: &Pose,
    method: Method,
    cache: &mut BodyCache<A::Memory, B::Memory>,
) -> Iterated<Distance> {
    match method.variant {
        None => closest_points(a, b, pose, &method.options, cache),
        Some(variant) => published::closest_points(a, b, pose, &method.options, variant, cache),
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
    for method in methods() {
        let Iterated { answer: found, point_error, .. } = closest(a, b, pose, method);
        let case = (signed, found, method, what);
        assert!(found.lower <= distance + slack && distance - slack <= found.upper, "{case:?}");
        assert!(found.lower >= 0.0 && found.lower <= found.upper, "{case:?}");
        // With Johnson's determinants, as published, bounds hold but may stay wide on slivers.
        if method.is_tight() {
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
