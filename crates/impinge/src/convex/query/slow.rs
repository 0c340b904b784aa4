//! What floating point cannot decide, decided by exact arithmetic.

use super::answer::{Overlap, Standing};
use super::gjk::Query;
use super::stage::{Stage, decided};
use crate::answer::Distance;
use crate::convex::closest::unit;
use crate::convex::decide::{self, Gap, Hint, Verdict};
use crate::convex::penetration;
use crate::math::Vec3;

/// The vertices of B in A's frame.
fn placed(query: &Query<'_>) -> Vec<Vec3> {
    query.points_b.iter().map(|p| query.pose.transform_point(*p)).collect()
}

/// Whether the bodies share a point.
#[cold]
#[inline(never)]
pub(super) fn decide(query: &Query<'_>, hint: Hint) -> Verdict {
    decided(Stage::Exact);
    decide::decide(query.points_a, &placed(query), &hint)
}

/// With `depth` also how deep bodies that share a point overlap.
#[cold]
#[inline(never)]
pub(super) fn contact(query: &Query<'_>, hint: Hint, depth: bool) -> Standing {
    decided(Stage::Exact);
    let b = placed(query);
    match decide::decide(query.points_a, &b, &hint) {
        Verdict::Separated(gap) => {
            // Without features the vertices where the search ended are as near as anything.
            let pairs = if gap.features.is_empty() { hint.pairs } else { gap.features };
            let hint = Hint { pairs, ..hint };
            let distance = apart(query, &b, &gap, &hint);
            // Points that are equal to rounding have no direction between them.
            let along = unit(distance.point_b - distance.point_a);
            let direction = if along == Vec3::ZERO { unit(gap.direction) } else { along };
            Standing::Apart(distance, direction, gap)
        }
        Verdict::Intersecting(common) => {
            let point = common.point(query.points_a, &b).unwrap_or(query.points_a[0]);
            let overlap = if depth { overlap(query, point) } else { Overlap::unknown(point) };
            Standing::Meeting(overlap, common)
        }
    }
}

fn apart(query: &Query<'_>, b: &[Vec3], gap: &Gap, hint: &Hint) -> Distance {
    match decide::closest(query.points_a, b, hint) {
        Some(closest) => {
            Distance::between(closest.lower, closest.upper, [closest.point_a, closest.point_b])
        }
        // Only if a coordinate were not finite.
        None => Distance::between(gap.gap, f64::INFINITY, [query.points_a[0], b[0]]),
    }
}

/// The depth of bodies that share a point, with whatever bounds floating point finds.
fn overlap(query: &Query<'_>, point: Vec3) -> Overlap {
    let (a, b) = query.hulls;
    let found = penetration(a, b, query.pose, &Default::default(), &mut Default::default());
    let found = found.answer;
    let (lower, upper) = ((-found.upper).max(0.0), (-found.lower).max(0.0));
    let finite = found.point_a.is_finite() && found.point_b.is_finite();
    let (point_a, point_b) = if finite { (found.point_a, found.point_b) } else { (point, point) };
    Overlap { lower, upper, direction: found.direction, point_a, point_b }
}
