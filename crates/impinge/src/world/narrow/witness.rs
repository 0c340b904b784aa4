//! Where two bodies meet: from the result of their check, or from a check without kept data.

use super::super::geometry::BodyPart;
use super::super::pairs::Key;
use super::super::selection::MethodSelector;
use super::super::{Geometry, Witness};
use super::within::{SpareSearches, Work};
use super::{CheckResult, MeetingLocation, PairCache, check, relative_part_pose};
use crate::arrays::MapEach;
use crate::convex;
use crate::math::{Pose, Vec3};
use crate::pair::Budget;
use crate::pair::Hit;
use crate::shape;

/// Where two bodies meet, in the world's frame; A is at `frame`, B at `pose` in A's frame. `None`
/// if they do not meet.
///
/// The answer is that of a check without kept data, by the engine's method of least expected cost:
/// it depends on the two geometries and their poses alone. `cold` is the result of the last check,
/// if that was such a check. The data of this check is left in `cache` for the next one, if that
/// uses the same method.
pub(in super::super) fn witness(
    (a, b): (&Geometry, &Geometry),
    frame: &Pose,
    pose: &Pose,
    key: Key,
    cold: Option<&CheckResult>,
    cache: &mut PairCache,
) -> Option<Witness> {
    let selector = &MethodSelector::engine(key);
    let (budget, spare) = (&mut Budget::unlimited(), &mut SpareSearches::default());
    let work = &mut Work { budget, spare, wants_location: true };
    let result = match cold {
        Some(result) => *result,
        None if cache.is_by_cost() => {
            let decided_by_hulls = cache.decided_by_hulls;
            cache.clear();
            let result = check(a, b, pose, selector, cache, work);
            cache.decided_by_hulls = decided_by_hulls;
            result
        }
        None => {
            let cache = &mut PairCache::default();
            check(a, b, pose, selector, cache, work)
        }
    };
    witness_at(result.location()?, a, b, frame, pose)
}

/// The witness of a result, if its method returned a location.
pub(in super::super) fn witness_of_result(
    result: &CheckResult,
    (a, b): (&Geometry, &Geometry),
    frame: &Pose,
    pose: &Pose,
) -> Option<Witness> {
    let location = result.location()?;
    let triangles_are_known = location.triangles.iter().all(Option::is_some);
    if location.point.is_none() && !triangles_are_known {
        return None;
    }
    witness_at(location, a, b, frame, pose)
}

/// The witness for a location.
fn witness_at(
    location: &MeetingLocation,
    a: &Geometry,
    b: &Geometry,
    frame: &Pose,
    pose: &Pose,
) -> Option<Witness> {
    let point = location.point.unwrap_or_else(|| {
        let [i, j] = location.parts.map_each(|n| n as usize);
        let (one, other) = (&a.parts()[i], &b.parts()[j]);
        let pose = relative_part_pose(one, other, pose);
        one.pose().transform_point(common_point(one, other, &pose, location.triangles))
    });
    let point = frame.transform_point(point);
    let ([part_a, part_b], [triangle_a, triangle_b]) = (location.parts, location.triangles);
    Some(Witness { point, part_a, part_b, triangle_a, triangle_b })
}

/// A common point of two meshes whose triangles, or hulls, are known to meet, in the frame of the
/// first.
fn common_point(a: &BodyPart, b: &BodyPart, pose: &Pose, triangles: [Option<u32>; 2]) -> Vec3 {
    if let (Some(mesh_a), Some(mesh_b), [Some(p), Some(q)]) =
        (a.shape().mesh(), b.shape().mesh(), triangles)
    {
        let triangle_b = mesh_b.triangle(q as usize).map_each(|v| pose.transform_point(v));
        let hit = Hit::between((p, &mesh_a.triangle(p as usize)), (q, &triangle_b));
        return hit.map_or(triangle_b[0], |hit| hit.point);
    }
    match a.polytope().zip(b.polytope()).map(|(one, other)| convex::contact(one, other, pose)) {
        Some((deepest, convex::Verdict::Intersecting(_))) => {
            (deepest.point_a + deepest.point_b) * 0.5
        }
        Some((closest, convex::Verdict::Separated(_))) => closest.point_a,
        // A curved shape touches another to about twelve digits.
        None => shape::distance(a.shape(), b.shape(), pose)
            .map_or(pose.translation(), |closest| (closest.point_a + closest.point_b) * 0.5),
    }
}
