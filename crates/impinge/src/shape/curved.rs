//! Two convex bodies of which one is curved: certain where bounds of the signed distance tell, and
//! else the bounds.

use super::answer::{Meeting, Verdict, from_interval, zero};
use super::form::Convex;
use super::margins::Interval;
use crate::answer::{Contact, Distance};
use crate::convex::{
    BodyCache, ClosestOptions, HullMemory, PenetrationOptions, Support, closest_points, penetration,
};
use crate::math::Pose;

/// Where the last searches for furthest vertices ended. Not the simplex of the last query, which
/// says little about the next triangle.
pub(super) type Memory = [HullMemory; 2];

/// A cache of this memory for one pair of bodies.
fn recall(memory: &mut Memory) -> BodyCache<HullMemory, HullMemory> {
    let mut cache = BodyCache::default();
    [cache.a, cache.b] = std::mem::take(memory);
    cache
}

/// So many times the usual steps are spent where the usual ones leave the sign open.
const MORE: u32 = 16;

/// The signed distance, with its sign known if a longer search can find it.
pub(super) fn depth<A, B>(a: &A, b: &B, pose: &Pose, memory: &mut Memory) -> Contact
where
    A: Support<Memory = HullMemory>,
    B: Support<Memory = HullMemory>,
{
    let mut cache = recall(memory);
    let found = deepest(a, b, pose, &mut cache);
    *memory = [cache.a, cache.b];
    found
}

fn deepest<A, B>(
    a: &A,
    b: &B,
    pose: &Pose,
    cache: &mut BodyCache<HullMemory, HullMemory>,
) -> Contact
where
    A: Support<Memory = HullMemory>,
    B: Support<Memory = HullMemory>,
{
    let usual = PenetrationOptions::default();
    let found = penetration(a, b, pose, &usual, cache).answer;
    if found.lower > 0.0 || found.upper < 0.0 {
        return found;
    }
    let closest = ClosestOptions { tolerance: 0.0, limit: MORE * usual.closest.limit };
    let more = PenetrationOptions { tolerance: 0.0, limit: MORE * usual.limit, closest };
    let longer = penetration(a, b, pose, &more, cache).answer;
    // Both hold.
    let (lower, upper) = (longer.lower.max(found.lower), longer.upper.min(found.upper));
    Contact { lower, upper, ..longer }
}

/// Bounds of the signed distance.
pub(super) fn bounds(found: &Contact) -> Interval {
    Interval { lower: found.lower, upper: found.upper }
}

/// Whether they share a point.
pub(super) fn intersects(
    a: &Convex<'_>,
    b: &Convex<'_>,
    pose: &Pose,
    memory: &mut Memory,
) -> Verdict {
    let found = depth(a, b, pose, memory);
    from_interval(bounds(&found), found.direction, (found.point_a + found.point_b) * 0.5)
}

/// How far apart they are.
pub(super) fn distance<A, B>(a: &A, b: &B, pose: &Pose, memory: &mut Memory) -> Distance
where
    A: Support<Memory = HullMemory>,
    B: Support<Memory = HullMemory>,
{
    let mut recalled = recall(memory);
    let found = closest_points(a, b, pose, &ClosestOptions::default(), &mut recalled);
    *memory = [recalled.a, recalled.b];
    if found.answer.lower <= 0.0 {
        let depth = depth(a, b, pose, memory);
        if depth.upper < 0.0 {
            return zero(&Meeting::at((depth.point_a + depth.point_b) * 0.5));
        }
    }
    found.answer
}

/// How far apart, or how deep in each other they are.
pub(super) fn contact(a: &Convex<'_>, b: &Convex<'_>, pose: &Pose, memory: &mut Memory) -> Contact {
    let mut recalled = recall(memory);
    let found = penetration(a, b, pose, &PenetrationOptions::default(), &mut recalled);
    *memory = [recalled.a, recalled.b];
    found.answer
}
