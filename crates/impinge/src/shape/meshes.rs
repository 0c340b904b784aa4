//! Two meshes, each as a surface or as the solid it bounds.

use super::answer::{ShapeHit, ShapeSeparation, Verdict, zero_distance};
use super::cache::ShapeCache;
use super::form::Surface;
use super::quick_verdict::QuickVerdict;
use crate::answer::Distance;
use crate::math::Vec3;
use crate::pair::{self, Separation};
use crate::solid::vertex_in_solid;

/// Whether they share a point.
pub(super) fn intersects(a: &Surface<'_>, b: &Surface<'_>, cache: &mut ShapeCache) -> Verdict {
    let pose = b.pose;
    if let Some(hit) = pair::first_hit_cached(a.mesh, b.mesh, pose, &mut cache.meshes) {
        let (triangle_a, triangle_b) = (Some(hit.triangle_a), Some(hit.triangle_b));
        return Verdict::Intersecting(ShapeHit {
            triangle_a,
            triangle_b,
            ..ShapeHit::at(hit.point)
        });
    }
    if let Some(point) = inside(a, b) {
        return Verdict::Intersecting(ShapeHit::at(point));
    }
    let proof = Separation::find(a.mesh, b.mesh, pose);
    let direction = match proof {
        Separation::Slab { direction, .. } => Some(direction),
        Separation::Empty | Separation::Distance { .. } => None,
    };
    Verdict::Separated(ShapeSeparation { lower: proof.lower(), direction, certificate: None })
}

/// As [`intersects`], without the evidence.
pub(super) fn meet(a: &Surface<'_>, b: &Surface<'_>, cache: &mut ShapeCache) -> QuickVerdict {
    match pair::first_pair_cached(a.mesh, b.mesh, b.pose, &mut cache.meshes) {
        Some(triangles) => QuickVerdict::of_triangles(triangles),
        None => inside(a, b).map_or(QuickVerdict::Apart { gap: 0.0 }, QuickVerdict::at),
    }
}

/// Their distance.
pub(super) fn distance(a: &Surface<'_>, b: &Surface<'_>) -> Option<Distance> {
    let found = pair::distance(a.mesh, b.mesh, b.pose)?;
    if found.upper > 0.0 {
        if let Some(point) = inside(a, b) {
            return Some(zero_distance(&ShapeHit::at(point)));
        }
    }
    Some(found)
}

/// Whether a piece of A may be inside the solid B, by their boxes.
pub(super) fn a_may_be_inside(a: &Surface<'_>, b: &Surface<'_>) -> bool {
    // A mesh of one piece that is inside has its box inside. The box of A is tight, as A is in its
    // own frame; the box of B, which is moved, may be too large.
    let holds = || b.mesh.bounds().transformed(b.pose).contains_box(&a.mesh.bounds());
    b.solid && (a.mesh.shells().count() > 1 || holds())
}

/// A point of one mesh inside the solid that is the other, for meshes whose surfaces do not meet.
pub(super) fn inside(a: &Surface<'_>, b: &Surface<'_>) -> Option<Vec3> {
    if !a.solid && !b.solid {
        return None;
    }
    let a_in_b = a_may_be_inside(a, b);
    let (part_a, part_b) = ((a.mesh, a.pose), (b.mesh, b.pose));
    let in_b = || a_in_b.then(|| vertex_in_solid(part_a, part_b)).flatten();
    let in_a = || a.solid.then(|| vertex_in_solid(part_b, part_a)).flatten();
    in_b().or_else(in_a)
}
