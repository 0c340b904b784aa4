//! What floating point cannot decide, decided by exact arithmetic.

use super::answer::{Contact, Distance, Overlap};
use super::gjk::Query;
use crate::convex::decide::{self, Common, Decision, Gap, Hint, Pairs};
use crate::math::Vec3;

/// The vertices of B in A's frame.
fn placed(query: &Query<'_>) -> Vec<Vec3> {
    query.points_b.iter().map(|p| query.pose.transform_point(*p)).collect()
}

#[cold]
#[inline(never)]
pub(super) fn decide(query: &Query<'_>, hint: Hint) -> Decision {
    decide::decide(query.points_a, &placed(query), &hint)
}

#[cold]
#[inline(never)]
pub(super) fn contact(query: &Query<'_>, hint: Hint) -> Contact {
    let b = placed(query);
    match decide::decide(query.points_a, &b, &hint) {
        Decision::Separated(gap) => {
            let hint = Hint { pairs: gap.features, ..hint };
            Contact::Apart(apart(query, &b, &gap, &hint), gap)
        }
        Decision::Intersecting(common) => Contact::Meeting(overlap(query, &b, &common), common),
    }
}

fn apart(query: &Query<'_>, b: &[Vec3], gap: &Gap, hint: &Hint) -> Distance {
    match decide::closest(query.points_a, b, hint) {
        Some(closest) => Distance {
            lower: closest.lower,
            upper: closest.upper,
            point_a: closest.point_a,
            point_b: closest.point_b,
        },
        // Only if a coordinate were not finite.
        None => Distance {
            lower: gap.gap,
            upper: f64::INFINITY,
            point_a: query.points_a[0],
            point_b: b[0],
        },
    }
}

fn overlap(query: &Query<'_>, b: &[Vec3], common: &Common) -> Overlap {
    let point = common.point(query.points_a, b).unwrap_or(query.points_a[0]);
    Overlap { lower: 0.0, upper: f64::INFINITY, direction: Vec3::X, point_a: point, point_b: point }
}
