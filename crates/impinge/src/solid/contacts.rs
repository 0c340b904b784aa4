//! The corners of a contact: vertices of one mesh on the other, and crossings of edges.

use std::collections::BTreeMap;

use crate::exact::{Sign, orient2d, orient3d, segment_triangle};
use crate::math::{Vec3, coordinate_key as key};
use crate::pair::Posed;

use super::fan::ContactPoint;

/// The corners of the contact of the given pairs of triangles, each once and with the first pair
/// that has it, in a fixed order.
pub(super) fn contact_points(
    a: &Posed<'_>,
    b: &Posed<'_>,
    pairs: &[(u32, u32)],
) -> Vec<(ContactPoint, (u32, u32))> {
    let mut corners = BTreeMap::new();
    let mut crossings = BTreeMap::new();
    for &pair in pairs {
        let (ta, tb) = (a.triangle(pair.0), b.triangle(pair.1));
        for (points, other) in [(&ta, &tb), (&tb, &ta)] {
            for p in points {
                if !corners.contains_key(&key(*p)) && segment_triangle(*p, *p, other).is_some() {
                    corners.insert(key(*p), (*p, pair));
                }
            }
        }
        for i in 0..3 {
            for j in 0..3 {
                let (e, f) = ([ta[i], ta[(i + 1) % 3]], [tb[j], tb[(j + 1) % 3]]);
                if cross_in_interiors(e, f) {
                    let ordered =
                        |[p, q]: [Vec3; 2]| if key(p) <= key(q) { [p, q] } else { [q, p] };
                    let (e, f) = (ordered(e), ordered(f));
                    crossings.entry([e[0], e[1], f[0], f[1]].map(key)).or_insert((e, f, pair));
                }
            }
        }
    }
    let corners = corners.into_values().map(|(p, pair)| (ContactPoint::Corner(p), pair));
    let crossings = crossings.into_values();
    let crossings = crossings.map(|(e, f, pair)| (ContactPoint::Crossing { e, f }, pair));
    corners.chain(crossings).collect()
}

/// Whether two segments cross in one point that is in the interior of both.
fn cross_in_interiors(e: [Vec3; 2], f: [Vec3; 2]) -> bool {
    if !orient3d(e[0], e[1], f[0], f[1]).is_zero() {
        return false;
    }
    // In their common plane, the ends of each segment must be strictly on opposite sides of the
    // other. Projection along an axis preserves this unless the plane projects to a line; then all
    // points are collinear and the signs are zero.
    [(0, 1), (1, 2), (2, 0)].into_iter().any(|(x, y)| {
        let flat = |p: Vec3| [p[x], p[y]];
        let [p, q, r, s] = [e[0], e[1], f[0], f[1]].map(flat);
        let opposite = |x: Sign, y: Sign| x * y == Sign::Negative;
        opposite(orient2d(p, q, r), orient2d(p, q, s))
            && opposite(orient2d(r, s, p), orient2d(r, s, q))
    })
}
