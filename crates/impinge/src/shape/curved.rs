//! Two convex bodies of which one is curved: certain where bounds of the signed distance tell, and
//! else the bounds.

use super::answer::{Bounds, Contact, Distance, Meeting, Verdict};
use super::form::Convex;
use crate::convex::{
    Body, ClosestCache, ClosestOptions, Penetration, PenetrationOptions, Trail, closest_points,
    penetration,
};
use crate::math::Pose;

/// Where the last searches for furthest vertices ended. Not the simplex of the last query, which
/// says little about the next triangle.
pub(super) type Memory = [Trail; 2];

/// A cache of this memory for one pair of bodies.
fn recall(memory: &mut Memory) -> ClosestCache<Trail, Trail> {
    let mut cache = ClosestCache::default();
    [cache.a, cache.b] = std::mem::take(memory);
    cache
}

/// So many times the usual steps are spent where the usual ones leave the sign open.
const MORE: u32 = 16;

/// The depth, with its sign known if a longer search can find it.
pub(super) fn depth<A, B>(a: &A, b: &B, pose: &Pose, memory: &mut Memory) -> Penetration
where
    A: Body<Memory = Trail>,
    B: Body<Memory = Trail>,
{
    let mut cache = recall(memory);
    let found = deepest(a, b, pose, &mut cache);
    *memory = [cache.a, cache.b];
    found
}

fn deepest<A, B>(a: &A, b: &B, pose: &Pose, cache: &mut ClosestCache<Trail, Trail>) -> Penetration
where
    A: Body<Memory = Trail>,
    B: Body<Memory = Trail>,
{
    let usual = PenetrationOptions::default();
    let found = penetration(a, b, pose, &usual, cache);
    if found.lower > 0.0 || found.upper < 0.0 {
        return found;
    }
    let closest = ClosestOptions { tolerance: 0.0, limit: MORE * usual.closest.limit };
    let more = PenetrationOptions { tolerance: 0.0, limit: MORE * usual.limit, closest };
    let longer = penetration(a, b, pose, &more, cache);
    // Both hold.
    let (lower, upper) = (longer.lower.max(found.lower), longer.upper.min(found.upper));
    Penetration { lower, upper, ..longer }
}

/// Bounds of the signed distance.
pub(super) fn bounds(found: &Penetration) -> Bounds {
    Bounds { lower: -found.upper, upper: -found.lower }
}

/// Whether they share a point.
pub(super) fn intersects(
    a: &Convex<'_>,
    b: &Convex<'_>,
    pose: &Pose,
    memory: &mut Memory,
) -> Verdict {
    let found = depth(a, b, pose, memory);
    Verdict::from_bounds(bounds(&found), found.direction, (found.a + found.b) * 0.5)
}

/// How far apart they are.
pub(super) fn distance<A, B>(a: &A, b: &B, pose: &Pose, memory: &mut Memory) -> Distance
where
    A: Body<Memory = Trail>,
    B: Body<Memory = Trail>,
{
    let mut recalled = recall(memory);
    let found = closest_points(a, b, pose, &ClosestOptions::default(), &mut recalled);
    *memory = [recalled.a, recalled.b];
    if found.lower <= 0.0 {
        let depth = depth(a, b, pose, memory);
        if depth.lower > 0.0 {
            return Distance::zero(&Meeting::at((depth.a + depth.b) * 0.5));
        }
    }
    Distance {
        lower: found.lower,
        upper: found.upper,
        point_a: found.a,
        point_b: found.b,
        a: None,
        b: None,
    }
}

/// How far apart, or how deep in each other they are.
pub(super) fn contact(a: &Convex<'_>, b: &Convex<'_>, pose: &Pose, memory: &mut Memory) -> Contact {
    let mut recalled = recall(memory);
    let found = penetration(a, b, pose, &PenetrationOptions::default(), &mut recalled);
    *memory = [recalled.a, recalled.b];
    let Bounds { lower, upper } = bounds(&found);
    Contact { lower, upper, direction: found.direction, point_a: found.a, point_b: found.b }
}
