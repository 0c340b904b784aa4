//! Two convex bodies.
//!
//! Polytopes use the exact queries of [`convex`]. With margins, the bounds of their cores' distance
//! decide if the sum of the margins is outside them; otherwise exact arithmetic compares the two.
//! Curved bodies have [bounds only](super::curved).

use super::answer::{ShapeHit, ShapeSeparation, Verdict, zero_distance};
use super::cache::ShapeCache;
use super::curved;
use super::form::Convex;
use super::margins::{Interval, Margins, unit};
use super::quick_verdict::QuickVerdict;
use crate::answer::{Contact, Distance};
use crate::convex::decide::{Hint, IntersectionCertificate, VertexPairs, compare_distance};
use crate::convex::{self, Hull};
use crate::exact::Sign;
use crate::math::{Pose, Vec3};

/// Whether they share a point.
pub(super) fn intersects(
    a: &Convex<'_>,
    b: &Convex<'_>,
    pose: &Pose,
    cache: &mut ShapeCache,
) -> Verdict {
    let (Some(p), Some(q)) = (a.hull(), b.hull()) else {
        return curved::intersects(a, b, pose, &mut cache.bodies);
    };
    let margins = Margins::new(a.margin, b.margin);
    if margins.are_zero() {
        let decision = convex::intersects_cached(p, q, pose, &mut cache.hulls);
        return verdict_of_decision(decision, |common| point_of(&common, p, q, pose));
    }
    let cores = convex::distance_cached(p, q, pose, &mut cache.hulls);
    verdict_of_cores(&cores, &margins, || compare_with_margins(p, q, pose, &margins, &cores))
}

/// As [`intersects`], but does not compute the common point of two polytopes, which takes longer
/// than the decision.
pub(super) fn meet(
    a: &Convex<'_>,
    b: &Convex<'_>,
    pose: &Pose,
    cache: &mut ShapeCache,
) -> QuickVerdict {
    match (a.hull(), b.hull()) {
        (Some(p), Some(q)) if Margins::new(a.margin, b.margin).are_zero() => {
            match convex::intersects_cached(p, q, pose, &mut cache.hulls) {
                convex::Verdict::Separated(gap) => QuickVerdict::Apart { gap: gap.lower },
                convex::Verdict::Intersecting(_) => {
                    QuickVerdict::Meeting { point: None, triangles: [None, None], depth: 0.0 }
                }
            }
        }
        _ => intersects(a, b, pose, cache).into(),
    }
}

/// The verdict from an exact decision about two polytopes.
pub(super) fn verdict_of_decision(
    decision: convex::Verdict,
    point: impl FnOnce(IntersectionCertificate) -> Vec3,
) -> Verdict {
    match decision {
        convex::Verdict::Separated(gap) => Verdict::Separated(ShapeSeparation {
            lower: gap.lower,
            direction: Some(gap.direction),
            certificate: Some(gap),
        }),
        convex::Verdict::Intersecting(common) => Verdict::Intersecting(ShapeHit {
            certificate: Some(common),
            ..ShapeHit::at(point(common))
        }),
    }
}

/// The verdict about two polytopes with margins, from the distance of their cores.
pub(super) fn verdict_of_cores(
    cores: &Distance,
    margins: &Margins,
    exact: impl FnOnce() -> Sign,
) -> Verdict {
    let (p, q) = (cores.point_a, cores.point_b);
    if margins.bodies_meet(cores, exact) {
        return Verdict::Intersecting(ShapeHit::at(margins.common_point(p, q)));
    }
    let lower = margins.subtract_from(cores.lower, cores.upper).lower.max(0.0);
    Verdict::Separated(ShapeSeparation { lower, direction: Some(unit(q - p)), certificate: None })
}

/// The distance of two polytopes with margins, from the distance of their cores.
pub(super) fn distance_with_margins(
    cores: &Distance,
    margins: &Margins,
    exact: impl FnOnce() -> Sign,
) -> Distance {
    let (p, q) = (cores.point_a, cores.point_b);
    let Interval { lower, upper } = margins.subtract_from(cores.lower, cores.upper);
    if lower <= 0.0 && margins.bodies_meet(cores, exact) {
        return zero_distance(&ShapeHit::at(margins.common_point(p, q)));
    }
    let direction = unit(q - p);
    Distance {
        lower: lower.max(0.0),
        upper: upper.max(f64::from_bits(1)),
        point_a: p + direction * margins.a,
        point_b: q - direction * margins.b,
        triangle_a: None,
        triangle_b: None,
    }
}

/// The sign of the distance of two cores minus the sum of their margins.
fn compare_with_margins(
    a: &Hull,
    b: &Hull,
    pose: &Pose,
    margins: &Margins,
    cores: &Distance,
) -> Sign {
    let points_b: Vec<Vec3> = b.vertices().iter().map(|v| pose.transform_point(*v)).collect();
    compare_distance(a.vertices(), &points_b, margins.a, margins.b, &hint(cores))
}

/// A start value for the exact comparison.
pub(super) fn hint(cores: &Distance) -> Hint {
    Hint { pairs: VertexPairs::NONE, direction: unit(cores.point_b - cores.point_a) }
}

/// The common point of the simplices of a certificate about two hulls, rounded.
fn point_of(common: &IntersectionCertificate, a: &Hull, b: &Hull, pose: &Pose) -> Vec3 {
    let pairs = common.pairs.as_slice();
    let of_a = pairs.iter().map(|[i, _]| a.vertices()[*i as usize]);
    let of_b = pairs.iter().map(|[_, j]| pose.transform_point(b.vertices()[*j as usize]));
    point_between(&of_a.collect::<Vec<_>>(), &of_b.collect::<Vec<_>>())
}

/// The common point of two simplices, rounded. The hull of the differences of their corresponding
/// corners contains the origin.
pub(super) fn point_between(a: &[Vec3], b: &[Vec3]) -> Vec3 {
    if let ([p, q, r, s], [t, u, v, w]) = (a, b) {
        // Weights by determinants. If they are clearly positive despite rounding, the point is as
        // accurate as possible.
        let [x, y, z, o] = [*t - *p, *u - *q, *v - *r, *w - *s];
        let (front, back) = (x.cross(y), z.cross(o));
        let weights = [y.dot(back), -x.dot(back), o.dot(front), -z.dot(front)];
        let sum: f64 = weights.iter().sum();
        let inside = weights.iter().all(|weight| weight / sum > 1e-6);
        if inside {
            return (*p * weights[0] + *q * weights[1] + *r * weights[2] + *s * weights[3]) / sum;
        }
    }
    let numbers: Vec<[u32; 2]> = (0..a.len() as u32).map(|i| [i, i]).collect();
    let common = IntersectionCertificate { pairs: VertexPairs::new(&numbers) };
    common.point(a, b).or(a.first().copied()).unwrap_or(Vec3::ZERO)
}

/// Their distance.
pub(super) fn distance(
    a: &Convex<'_>,
    b: &Convex<'_>,
    pose: &Pose,
    cache: &mut ShapeCache,
) -> Distance {
    let (Some(p), Some(q)) = (a.hull(), b.hull()) else {
        return curved::distance(a, b, pose, &mut cache.bodies);
    };
    let margins = Margins::new(a.margin, b.margin);
    let cores = convex::distance_cached(p, q, pose, &mut cache.hulls);
    distance_with_margins(&cores, &margins, || compare_with_margins(p, q, pose, &margins, &cores))
}

/// Their signed distance.
pub(super) fn contact(
    a: &Convex<'_>,
    b: &Convex<'_>,
    pose: &Pose,
    cache: &mut ShapeCache,
) -> Contact {
    let (Some(p), Some(q)) = (a.hull(), b.hull()) else {
        return curved::contact(a, b, pose, &mut cache.bodies);
    };
    let margins = Margins::new(a.margin, b.margin);
    let (found, _) = convex::contact_cached(p, q, pose, &mut cache.hulls);
    let Interval { lower, upper } = margins.subtract_from(found.lower, found.upper);
    let direction = found.direction;
    Contact {
        lower,
        upper,
        direction,
        point_a: found.point_a + direction * margins.a,
        point_b: found.point_b - direction * margins.b,
    }
}
