//! Two convex bodies of which one is curved: certain where bounds of the signed distance tell, and else the bounds.

use super::answer::{Bounds, Contact, Distance, Meeting, Verdict};
use super::form::Convex;
use crate::convex::{
    Body, ClosestCache, ClosestOptions, Penetration, PenetrationOptions, Trail, closest_points,
    penetration,
};
use crate::math::Pose;

type Memory = ClosestCache<Trail, Trail>;

/// So many times the usual steps are spent where the usual ones leave the sign open.
const MORE: u32 = 16;

/// The depth, with its sign known if a longer search can find it.
pub(super) fn depth<A, B>(a: &A, b: &B, pose: &Pose, cache: &mut Memory) -> Penetration
where
    A: Body<Memory = Trail>,
    B: Body<Memory = Trail>,
{
    let usual = PenetrationOptions::default();
    let found = penetration(a, b, pose, &usual, cache);
    if found.lower > 0.0 || found.upper < 0.0 {
        return found;
    }
    let closest =
        ClosestOptions { tolerance: 0.0, limit: MORE * usual.closest.limit, ..usual.closest };
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
    cache: &mut Memory,
) -> Verdict {
    let found = depth(a, b, pose, cache);
    Verdict::from_bounds(bounds(&found), found.direction, (found.a + found.b) * 0.5)
}

/// How far apart they are.
pub(super) fn distance<A, B>(a: &A, b: &B, pose: &Pose, cache: &mut Memory) -> Distance
where
    A: Body<Memory = Trail>,
    B: Body<Memory = Trail>,
{
    let found = closest_points(a, b, pose, &ClosestOptions::default(), cache);
    if found.lower <= 0.0 {
        let depth = depth(a, b, pose, cache);
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
pub(super) fn contact(a: &Convex<'_>, b: &Convex<'_>, pose: &Pose, cache: &mut Memory) -> Contact {
    let found = penetration(a, b, pose, &PenetrationOptions::default(), cache);
    let Bounds { lower, upper } = bounds(&found);
    Contact { lower, upper, direction: found.direction, point_a: found.a, point_b: found.b }
}
