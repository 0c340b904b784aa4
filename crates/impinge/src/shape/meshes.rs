//! Two meshes, each as a surface or as the solid it bounds.

use super::answer::{Clear, Meeting, Verdict, zero};
use super::cache::ShapeCache;
use super::form::Surface;
use crate::answer::Distance;
use crate::math::Vec3;
use crate::pair::{self, Separation};
use crate::solid::vertex_of_inside;

/// Whether they share a point.
pub(super) fn intersects(a: &Surface<'_>, b: &Surface<'_>, cache: &mut ShapeCache) -> Verdict {
    let pose = b.pose;
    if let Some(hit) = pair::first_hit_cached(a.mesh, b.mesh, pose, &mut cache.meshes) {
        let (feature_a, feature_b) = (Some(hit.a), Some(hit.b));
        return Verdict::Intersecting(Meeting { feature_a, feature_b, ..Meeting::at(hit.point) });
    }
    if let Some(point) = inside(a, b) {
        return Verdict::Intersecting(Meeting::at(point));
    }
    let proof = Separation::find(a.mesh, b.mesh, pose);
    let direction = match proof {
        Separation::Slab { direction, .. } => Some(direction),
        Separation::Empty | Separation::Distance { .. } => None,
    };
    Verdict::Separated(Clear { lower: proof.gap(), direction, gap: None })
}

/// How far apart they are.
pub(super) fn distance(a: &Surface<'_>, b: &Surface<'_>) -> Option<Distance> {
    let found = pair::distance(a.mesh, b.mesh, b.pose)?;
    if found.upper > 0.0 {
        if let Some(point) = inside(a, b) {
            return Some(zero(&Meeting::at(point)));
        }
    }
    Some(found)
}

/// A point of one mesh inside the solid that is the other, for meshes whose surfaces do not meet.
fn inside(a: &Surface<'_>, b: &Surface<'_>) -> Option<Vec3> {
    if !a.solid && !b.solid {
        return None;
    }
    let (here, there) = ((a.mesh, a.pose), (b.mesh, b.pose));
    let in_b = || b.solid.then(|| vertex_of_inside(here, there)).flatten();
    let in_a = || a.solid.then(|| vertex_of_inside(there, here)).flatten();
    in_b().or_else(in_a)
}
