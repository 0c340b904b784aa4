//! Exact arithmetic for queries that floating point cannot decide.

use super::answer::{Outcome, Overlap};
use super::gjk::Query;
use super::stage::{Stage, record_stage};
use crate::answer::Distance;
use crate::convex::closest::unit;
use crate::convex::decide::{self, Hint, SeparationCertificate, Verdict};
use crate::convex::penetration;
use crate::math::Vec3;

/// The vertices of B in A's frame.
fn vertices_of_b(query: &Query<'_>) -> Vec<Vec3> {
    query.points_b.iter().map(|p| query.pose.transform_point(*p)).collect()
}

/// Whether the bodies share a point.
#[cold]
#[inline(never)]
pub(super) fn decide(query: &Query<'_>, hint: Hint) -> Verdict {
    record_stage(Stage::Exact);
    decide::decide(query.points_a, &vertices_of_b(query), &hint)
}

/// The distance of the bodies; if they share a point and `depth` is set, how deep they overlap.
#[cold]
#[inline(never)]
pub(super) fn contact(query: &Query<'_>, hint: Hint, depth: bool) -> Outcome {
    record_stage(Stage::Exact);
    let b = vertices_of_b(query);
    match decide::decide(query.points_a, &b, &hint) {
        Verdict::Separated(gap) => {
            // Without features, the vertices where the search ended are the best start.
            let pairs = if gap.pairs.is_empty() { hint.pairs } else { gap.pairs };
            let hint = Hint { pairs, ..hint };
            let distance = separated(query, &b, &gap, &hint);
            // Points that are equal to rounding give no direction.
            let along = unit(distance.point_b - distance.point_a);
            let direction = if along == Vec3::ZERO { unit(gap.direction) } else { along };
            Outcome::Separated(distance, direction, gap)
        }
        Verdict::Intersecting(common) => {
            let point = common.point(query.points_a, &b).unwrap_or(query.points_a[0]);
            let overlap = if depth { overlap(query, point) } else { Overlap::unknown(point) };
            Outcome::Intersecting(overlap, common)
        }
    }
}

fn separated(query: &Query<'_>, b: &[Vec3], gap: &SeparationCertificate, hint: &Hint) -> Distance {
    match decide::closest(query.points_a, b, hint) {
        Some(closest) => {
            Distance::between(closest.lower, closest.upper, [closest.point_a, closest.point_b])
        }
        // Happens only if a coordinate is not finite.
        None => Distance::between(gap.lower, f64::INFINITY, [query.points_a[0], b[0]]),
    }
}

/// The depth of bodies that share a point, with the bounds that floating point finds.
fn overlap(query: &Query<'_>, point: Vec3) -> Overlap {
    let (a, b) = query.hulls;
    let found = penetration(a, b, query.pose, &Default::default(), &mut Default::default());
    let found = found.answer;
    let (lower, upper) = ((-found.upper).max(0.0), (-found.lower).max(0.0));
    let finite = found.point_a.is_finite() && found.point_b.is_finite();
    let (point_a, point_b) = if finite { (found.point_a, found.point_b) } else { (point, point) };
    Overlap { lower, upper, direction: found.direction, point_a, point_b }
}
