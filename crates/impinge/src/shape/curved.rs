//! Two convex bodies of which one is curved: a certain answer if zero is not between the bounds of
//! the signed distance, otherwise the bounds.

use super::answer::{ShapeHit, Verdict, from_interval, zero_distance};
use super::form::Convex;
use super::margins::Interval;
use crate::answer::{Contact, Distance};
use crate::convex::closest::SignedVolumes;
use crate::convex::{
    BodyCache, ClosestOptions, HullMemory, PenetrationOptions, closest_points_in_pieces,
    penetration_in_pieces,
};
use crate::math::Pose;

/// The start values of the searches for furthest vertices. The simplex of the last query is not
/// kept: it is of little use for the next triangle.
pub(super) type BodyMemories = [HullMemory; 2];

/// A cache for one pair of bodies with these start values.
fn cache_from(memory: &mut BodyMemories) -> BodyCache<HullMemory, HullMemory> {
    let mut cache = BodyCache::default();
    [cache.a, cache.b] = std::mem::take(memory);
    cache
}

/// Factor of the step limits for the second search, if the first leaves the sign open.
const RETRY_STEP_FACTOR: u32 = 16;

/// The signed distance, with its sign known if a longer search can find it.
async fn signed_distance(
    a: &Convex<'_>,
    b: &Convex<'_>,
    pose: &Pose,
    memory: &mut BodyMemories,
) -> Contact {
    let mut cache = cache_from(memory);
    let found = search_signed_distance(a, b, pose, &mut cache).await;
    *memory = [cache.a, cache.b];
    found
}

async fn search_signed_distance(
    a: &Convex<'_>,
    b: &Convex<'_>,
    pose: &Pose,
    cache: &mut BodyCache<HullMemory, HullMemory>,
) -> Contact {
    let first_options = PenetrationOptions::default();
    let found = penetration_in_pieces(a, b, pose, &first_options, cache).await.answer;
    if found.lower > 0.0 || found.upper < 0.0 {
        return found;
    }
    let closest =
        ClosestOptions { tolerance: 0.0, limit: RETRY_STEP_FACTOR * first_options.closest.limit };
    let retry_options = PenetrationOptions {
        tolerance: 0.0,
        limit: RETRY_STEP_FACTOR * first_options.limit,
        closest,
    };
    let retry = penetration_in_pieces(a, b, pose, &retry_options, cache).await.answer;
    // Both pairs of bounds are valid.
    let (lower, upper) = (retry.lower.max(found.lower), retry.upper.min(found.upper));
    Contact { lower, upper, ..retry }
}

/// Bounds of the signed distance.
fn bounds(found: &Contact) -> Interval {
    Interval { lower: found.lower, upper: found.upper }
}

/// Whether two bodies share a point.
pub(super) async fn intersects(
    a: &Convex<'_>,
    b: &Convex<'_>,
    pose: &Pose,
    memory: &mut BodyMemories,
) -> Verdict {
    let found = signed_distance(a, b, pose, memory).await;
    from_interval(bounds(&found), found.direction, (found.point_a + found.point_b) * 0.5)
}

/// Their distance.
pub(super) async fn distance(
    a: &Convex<'_>,
    b: &Convex<'_>,
    pose: &Pose,
    memory: &mut BodyMemories,
) -> Distance {
    let mut stored_cache = cache_from(memory);
    let options = ClosestOptions::default();
    let found =
        closest_points_in_pieces(a, b, pose, &options, &mut SignedVolumes, &mut stored_cache).await;
    *memory = [stored_cache.a, stored_cache.b];
    if found.answer.lower <= 0.0 {
        let signed = signed_distance(a, b, pose, memory).await;
        if signed.upper < 0.0 {
            return zero_distance(&ShapeHit::at((signed.point_a + signed.point_b) * 0.5));
        }
    }
    found.answer
}

/// Their signed distance.
pub(super) async fn contact(
    a: &Convex<'_>,
    b: &Convex<'_>,
    pose: &Pose,
    memory: &mut BodyMemories,
) -> Contact {
    let mut stored_cache = cache_from(memory);
    let options = PenetrationOptions::default();
    let found = penetration_in_pieces(a, b, pose, &options, &mut stored_cache).await;
    *memory = [stored_cache.a, stored_cache.b];
    found.answer
}
