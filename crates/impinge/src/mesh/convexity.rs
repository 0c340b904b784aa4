//! Whether a closed surface bounds a convex body, exactly.
//!
//! Zachmann 1994, section 4.2.2, checks every dihedral angle of a closed manifold of planar convex polygons. That is
//! not enough: a surface can be convex along every edge and still wind around several times (two pyramids on a
//! square that is walked twice: closed, connected, of genus zero). Mehlhorn et al. 1996, "Checking geometric programs or
//! verification of geometric structures", add a global certificate, used here:
//!
//! 1. a point `p` strictly below the plane of every face;
//! 2. a ray from `p` that meets the surface exactly once.
//!
//! By 1, looking from `p` maps every face to the sphere of directions without folding, so the surface covers the
//! sphere, branched at vertices at most, the same number of times everywhere; by 2, once. So it is star-shaped
//! about `p` and does not cross itself, around each vertex it is a simple cone with convex edges, thus a convex one,
//! and a closed connected body that is convex near every boundary point is convex (Tietze, Nakajima).
//!
//! Bodies too thin to have a point of `f64` coordinates well inside are checked the long way: no vertex lies above
//! the plane of a face, each face has a vertex strictly below, no two vertices coincide, and Euler's characteristic
//! is two. The faces then lie on the boundary of the hull and cover it `d` times, branched at vertices. A corner of the hull
//! cannot lie inside a face or an edge, and only one vertex has its coordinates, so all `d` sheets meet in that
//! vertex. Riemann and Hurwitz give `2 = 2 d - (sum of branching) <= 2 d - 4 (d - 1)`, so `d = 1`.

use std::collections::HashSet;

use super::Mesh;
use super::connectivity::index;
use super::polygon_checks::spanning_corners;
use crate::exact::{Sign, orient3d};
use crate::math::{Aabb, Vec3, coordinate_key};

/// Whether a mesh that is closed, manifold, oriented, of one shell, with planar convex polygons and Euler
/// characteristic two bounds a convex body. `outward` tells which way the polygons face.
pub(super) fn is_convex(mesh: &Mesh, outward: bool) -> bool {
    let mut planes = Vec::with_capacity(mesh.polygon_count());
    for p in 0..mesh.polygon_count() {
        // Convex polygons are never on one line.
        let Some([a, b, c]) = spanning_corners(mesh.polygon_points(p)) else { return false };
        planes.push(if outward { [a, b, c] } else { [a, c, b] });
    }
    let above = |[a, b, c]: [Vec3; 3], p: Vec3| orient3d(a, b, c, p);
    if !locally_convex(mesh, &planes) {
        return false;
    }
    let used = mesh.used_vertices();
    let points = || used.iter().map(|v| mesh.vertices()[*v as usize]);
    let bounds = mesh.bounds();
    let center = bounds.center();
    let mean = points().map(|p| p - center).sum::<Vec3>() / used.len() as f64 + center;
    let centroid = mesh.mass_properties().map_or(center, |m| m.centroid);
    for p in [mean, center, centroid] {
        if planes.iter().all(|plane| above(*plane, p) == Sign::Negative) {
            if let Some(once) = covers_once(mesh, p, &bounds) {
                return once;
            }
        }
    }
    let mut seen = HashSet::with_capacity(used.len());
    points().all(|p| seen.insert(coordinate_key(p)))
        && planes.iter().all(|plane| {
            let mut strictly = false;
            points().all(|p| {
                let side = above(*plane, p);
                strictly |= side == Sign::Negative;
                side != Sign::Positive
            }) && strictly
        })
}

/// Whether no polygon rises above the plane of a neighbour.
fn locally_convex(mesh: &Mesh, planes: &[[Vec3; 3]]) -> bool {
    let t = mesh.topology();
    (0..index(t.half_edge_count())).all(|h| {
        let Some(twin) = t.twin(h) else { return false };
        if twin < h {
            return true;
        }
        let [a, b, c] = planes[t.polygon(h) as usize];
        // The neighbour is planar and shares the edge: its corners are all above, all in, or all below the plane.
        // Three of them that are not on one line decide.
        let other = planes[t.polygon(twin) as usize];
        other.iter().all(|p| orient3d(a, b, c, *p) != Sign::Positive)
    })
}

/// How often a ray from `p`, which lies strictly on one side of all triangles' planes, meets the surface: whether
/// exactly once. `None` if every ray tried met an edge.
fn covers_once(mesh: &Mesh, p: Vec3, bounds: &Aabb) -> Option<bool> {
    let reach = bounds.extent().max_element();
    'ray: for attempt in 0..16 {
        // Directions of no special relation to any grid or symmetry: steps of the golden ratio and two roots.
        let k = f64::from(attempt) + 1.0;
        let steps = Vec3::new(0.618_033_988_7, 0.414_213_562_3, 0.732_050_807_5) * k;
        let direction = (steps - steps.floor()) * 2.0 - Vec3::ONE;
        let q = p + direction * reach;
        let mut hits = 0;
        for t in 0..mesh.triangles().len() {
            let [a, b, c] = mesh.triangle(t);
            let sides = [(a, b), (b, c), (c, a)].map(|(u, v)| orient3d(p, q, u, v));
            // All triangles turn the same way around `p`, so a ray through one sees it with one fixed sign and the
            // opposite ray with the other.
            if sides.contains(&Sign::Zero) {
                let apart = sides.contains(&Sign::Positive) && sides.contains(&Sign::Negative);
                if apart {
                    continue;
                }
                continue 'ray;
            }
            let ahead = orient3d(p, a, b, c);
            if sides == [ahead; 3] {
                hits += 1;
            }
        }
        return Some(hits == 1);
    }
    None
}
