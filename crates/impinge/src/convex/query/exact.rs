//! Exact arithmetic for queries that floating point cannot decide.

use super::answer::{Outcome, Overlap};
use crate::answer::Distance;
use crate::convex::Hull;
use crate::convex::closest::unit;
use crate::convex::decide::{
    Hint, SeparationCertificate, Verdict, closest_in_pieces, decide_in_pieces,
};
use crate::convex::interruptible::pay;
use crate::convex::penetration::penetration_in_pieces;
use crate::math::{Pose, Vec3};

/// Points moved in a piece of work, and points per unit.
const POINTS_IN_PIECE: usize = 256;
const POINTS_PER_UNIT: u64 = 24;

/// The vertices of B in A's frame.
pub(crate) async fn moved_vertices(b: &Hull, pose: &Pose) -> Vec<Vec3> {
    let mut moved = Vec::with_capacity(b.vertices().len());
    for row in b.vertices().chunks(POINTS_IN_PIECE) {
        pay(1 + row.len() as u64 / POINTS_PER_UNIT).await;
        moved.extend(row.iter().map(|p| pose.transform_point(*p)));
    }
    moved
}

/// Whether the bodies share a point.
pub(super) async fn decide(a: &Hull, b: &Hull, pose: &Pose, hint: Hint) -> Verdict {
    decide_in_pieces(a.vertices(), &moved_vertices(b, pose).await, &hint).await
}

/// The distance of the bodies; if they share a point and `depth` is set, how deep they overlap.
pub(super) async fn contact(a: &Hull, b: &Hull, pose: &Pose, hint: Hint, depth: bool) -> Outcome {
    let points_b = moved_vertices(b, pose).await;
    let points = (a.vertices(), &points_b[..]);
    match decide_in_pieces(points.0, points.1, &hint).await {
        Verdict::Separated(gap) => {
            // Without features, the vertices where the search ended are the best start.
            let pairs = if gap.pairs.is_empty() { hint.pairs } else { gap.pairs };
            let distance = separated(points, &gap, &Hint { pairs, ..hint }).await;
            // Points that are equal to rounding give no direction.
            let along = unit(distance.point_b - distance.point_a);
            let direction = if along == Vec3::ZERO { unit(gap.direction) } else { along };
            Outcome::Separated(distance, direction, gap)
        }
        Verdict::Intersecting(common) => {
            let point = common.point_in_pieces(points.0, points.1).await.unwrap_or(points.0[0]);
            let overlap =
                if depth { overlap(a, b, pose, point).await } else { Overlap::unknown(point) };
            Outcome::Intersecting(overlap, common)
        }
    }
}

async fn separated(
    (a, b): (&[Vec3], &[Vec3]),
    gap: &SeparationCertificate,
    hint: &Hint,
) -> Distance {
    match closest_in_pieces(a, b, hint).await {
        Some(closest) => {
            Distance::between(closest.lower, closest.upper, [closest.point_a, closest.point_b])
        }
        // Happens only if a coordinate is not finite.
        None => Distance::between(gap.lower, f64::INFINITY, [a[0], b[0]]),
    }
}

/// The depth of bodies that share a point, with the bounds that floating point finds.
async fn overlap(a: &Hull, b: &Hull, pose: &Pose, point: Vec3) -> Overlap {
    let mut cache = Default::default();
    let found = penetration_in_pieces(a, b, pose, &Default::default(), &mut cache).await;
    let found = found.answer;
    let (lower, upper) = ((-found.upper).max(0.0), (-found.lower).max(0.0));
    let finite = found.point_a.is_finite() && found.point_b.is_finite();
    let (point_a, point_b) = if finite { (found.point_a, found.point_b) } else { (point, point) };
    Overlap { lower, upper, direction: found.direction, point_a, point_b }
}
