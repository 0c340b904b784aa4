//! What the end of a search proves in `f64`: a common point, an overlap without depth, a distance
//! with bounds, and the certificates of both verdicts.

use glam::Vec3A;

use super::answer::Overlap;
use super::cache::HullCache;
use super::gjk::{Query, origin_weights};
use super::search_f32::Corners;
use super::simplex::{Corner, Simplex, weights};
use super::stage::{Stage, record_stage};
use super::vector::Vector;
use crate::answer::Distance;
use crate::convex::decide::{Hint, IntersectionCertificate, SeparationCertificate, VertexPairs};
use crate::math::Vec3;
use crate::wide::Wide;

/// Bounds of the distance that differ by more than this, relative to the size, are not accepted.
const MAX_RELATIVE_GAP: f64 = 5e-13;

/// A common point of bodies whose simplex contains the origin; with `inside` certainly. `None`
/// where rounding is too large for the point.
#[inline(always)]
pub(super) fn common_point(
    query: &Query<'_>,
    simplex: &Simplex<Vec3>,
    inside: bool,
) -> Option<Vec3> {
    if inside {
        let mut point = Vec3::ZERO;
        for (corner, weight) in origin_weights(simplex) {
            point += query.points_a[corner.a as usize] * weight;
        }
        return Some(point);
    }
    let (point_a, point_b) = if simplex.len() == 4 {
        points(query, &origin_weights(simplex))
    } else {
        points(query, &simplex.weights())
    };
    // They differ if the tetrahedron is so flat that rounding dominates its volumes.
    let agree = point_a.distance_squared(point_b)
        <= MAX_RELATIVE_GAP * MAX_RELATIVE_GAP * query.size * query.size;
    agree.then_some(point_a)
}

/// The overlap of bodies that only touch: three corners contain the origin and lie in a face of the
/// Minkowski difference.
#[inline(always)]
pub(super) fn touching_overlap(query: &Query<'_>, simplex: &Simplex<Vec3>) -> Option<Overlap> {
    let [p, q, r] = [simplex.corner(0).w, simplex.corner(1).w, simplex.corner(2).w];
    let normal = (p - r).cross(q - r);
    let length = normal.length();
    let is_triangle = simplex.len() == 3 && length > 0.0;
    if !is_triangle {
        return None;
    }
    let unit = normal / length;
    // The extent of A - B beyond the origin along a direction is the translation of B along it that
    // separates the bodies.
    let (there, back) = (-query.min_product(-unit), -query.min_product(unit));
    let (reach, direction) = if there < back { (there, unit) } else { (back, -unit) };
    let upper = reach.max(0.0) + query.plane_error;
    let (point_a, point_b) = points(query, &simplex.weights());
    (upper <= MAX_RELATIVE_GAP * query.size).then_some(Overlap {
        lower: 0.0,
        upper,
        direction,
        point_a,
        point_b,
    })
}

/// Adds corners until there are four that span a tetrahedron as large as possible. A simplex that
/// contains the origin still does.
#[inline(always)]
pub(super) fn complete_tetrahedron<W: Wide, C: Corners>(corners: &C, simplex: &mut Simplex<Vec3A>) {
    while simplex.len() < 4 {
        let [p, q, r] = [simplex.corner(0).w, simplex.corner(1).w, simplex.corner(2).w];
        let across = match simplex.len() {
            0 | 1 => Vec3A::X,
            2 => (q - p).any_orthogonal_vector(),
            _ => (q - p).cross(r - p),
        };
        let (there, back) =
            (corners.support_against::<W>(-across), corners.support_against::<W>(across));
        let away = |corner: &Corner<Vec3A>| across.dot(corner.w - p).abs();
        simplex.push(if away(&there) < away(&back) { back } else { there });
    }
}

/// The distance, if the simplex has the closest point of A - B and needs all its corners for it,
/// and if the bounds agree.
#[inline(always)]
pub(super) fn certified_distance<V: Vector>(
    query: &Query<'_>,
    simplex: &Simplex<V>,
    cache: &mut HullCache,
) -> Option<Distance> {
    // Unused corners have arbitrary vertices; their weight is zero.
    let [i, j, k] = [simplex.corner(0), simplex.corner(1), simplex.corner(2)];
    let (p, q) = (query.vertices(i.a, i.b), query.vertices(j.a, j.b));
    let r = query.vertices(k.a, k.b);
    let weights = weights([p.0 - p.1, q.0 - q.1, r.0 - r.1], simplex.len());
    let point_a = p.0 * weights[0] + q.0 * weights[1] + r.0 * weights[2];
    let point_b = p.1 * weights[0] + q.1 * weights[1] + r.1 * weights[2];
    let v = point_a - point_b;
    let length = v.length();
    // `v` is not normalised: a division by its length takes longer.
    let lower = query.min_product(v * query.scale) / (length * query.scale) - query.plane_error;
    // The points lie in the bodies to rounding, so their distance is an upper bound.
    let upper = length + query.plane_error;
    // A vector shorter than its error has no direction.
    if !(length > query.plane_error
        && lower > 0.0
        && upper - lower <= MAX_RELATIVE_GAP * query.size)
    {
        return None;
    }
    record_stage(Stage::F64);
    cache.store(simplex, false);
    cache.direction = v / -length;
    Some(Distance::between(lower, upper, [point_a, point_b]))
}

/// As [`certified_distance`], with the normal of three corners: if the bodies are very close, the
/// closest points give no accurate direction.
#[cold]
#[inline(never)]
pub(super) fn certified_distance_by_normal(
    query: &Query<'_>,
    simplex: &Simplex<Vec3>,
    cache: &mut HullCache,
) -> Option<Distance> {
    let [p, q, r] = [simplex.corner(0).w, simplex.corner(1).w, simplex.corner(2).w];
    let normal = (p - r).cross(q - r);
    let unit = if normal.dot(r) < 0.0 { -normal } else { normal }.try_normalize()?;
    let (point_a, point_b) = points(query, &simplex.weights());
    let lower = query.min_product(unit) - query.plane_error;
    let upper = point_a.distance(point_b) + query.plane_error;
    if !(simplex.len() == 3 && lower > 0.0 && upper - lower <= MAX_RELATIVE_GAP * query.size) {
        return None;
    }
    record_stage(Stage::F64);
    cache.store(simplex, false);
    cache.direction = -unit;
    Some(Distance::between(lower, upper, [point_a, point_b]))
}

/// The points of the bodies with these weights of the corners.
#[inline(always)]
pub(super) fn points(query: &Query<'_>, weights: &[(Corner<Vec3>, f64)]) -> (Vec3, Vec3) {
    let [mut point_a, mut point_b] = [Vec3::ZERO; 2];
    for (corner, weight) in weights {
        let (p, q) = query.vertices(corner.a, corner.b);
        point_a += p * *weight;
        point_b += q * *weight;
    }
    (point_a, point_b)
}

#[inline(always)]
pub(super) fn separation(direction: Vec3, gap: f64) -> SeparationCertificate {
    SeparationCertificate { direction, lower: gap, pairs: VertexPairs::NONE }
}

#[inline(always)]
pub(super) fn pairs(simplex: &Simplex<Vec3>) -> VertexPairs {
    let mut pairs = [[0; 2]; 4];
    for (pair, corner) in pairs.iter_mut().zip(simplex.corners()) {
        *pair = [corner.a, corner.b];
    }
    VertexPairs::new(&pairs[..simplex.len()])
}

#[inline(always)]
pub(super) fn common(simplex: &Simplex<Vec3>) -> IntersectionCertificate {
    IntersectionCertificate { pairs: pairs(simplex) }
}

pub(super) fn hint(simplex: &Simplex<Vec3>) -> Hint {
    Hint { pairs: pairs(simplex), direction: Vec3::ZERO }
}
