//! Whether two triangles share a point, exactly and plainly.
//!
//! Two closed triangles share a point exactly if a side of one meets the other, whatever they are: crossing, touching,
//! coplanar (one in the other included) or degenerate.

use crate::exact::{Location, Sign, orient2d, orient3d, point_in_polygon, point_on_triangle};
use crate::math::{Vec3, drop_axis};

/// Whether the closed triangles share a point; they may have zero area.
pub(super) fn share_a_point(a: &[Vec3; 3], b: &[Vec3; 3]) -> bool {
    let boxes_meet = {
        let [a_min, b_min] = [a, b].map(|t| t[0].min(t[1]).min(t[2]));
        let [a_max, b_max] = [a, b].map(|t| t[0].max(t[1]).max(t[2]));
        a_min.cmple(b_max).all() && b_min.cmple(a_max).all()
    };
    boxes_meet
        && (0..3).any(|i| {
            let j = (i + 1) % 3;
            meets_triangle([a[i], a[j]], b) || meets_triangle([b[i], b[j]], a)
        })
}

/// Whether a closed segment and a closed triangle share a point.
fn meets_triangle([p, q]: [Vec3; 2], t: &[Vec3; 3]) -> bool {
    let [a, b, c] = *t;
    let (side_p, side_q) = (orient3d(a, b, c, p), orient3d(a, b, c, q));
    if side_p.is_zero() && side_q.is_zero() {
        // In one plane, or the triangle has no area: they meet in an end of the segment or on a side of the triangle.
        return point_on_triangle(p, t)
            || point_on_triangle(q, t)
            || segments_meet([p, q], [a, b])
            || segments_meet([p, q], [b, c])
            || segments_meet([p, q], [c, a]);
    }
    if side_p == side_q {
        return false;
    }
    // The segment meets the plane in one point: in the triangle if the line passes all sides the same way round.
    let sides = [orient3d(p, q, a, b), orient3d(p, q, b, c), orient3d(p, q, c, a)];
    !(sides.contains(&Sign::Positive) && sides.contains(&Sign::Negative))
}

/// Whether two closed segments, which may be points, share a point.
///
/// Four points in one plane: the segments meet if they do as seen along each axis, because along one of them the
/// plane, or the line if all are on one, is mapped one to one.
fn segments_meet(a: [Vec3; 2], b: [Vec3; 2]) -> bool {
    orient3d(a[0], a[1], b[0], b[1]).is_zero()
        && (0..3).all(|axis| {
            segments_meet_in_plane(a.map(|p| drop_axis(p, axis)), b.map(|p| drop_axis(p, axis)))
        })
}

/// The same in the plane.
fn segments_meet_in_plane(a: [[f64; 2]; 2], b: [[f64; 2]; 2]) -> bool {
    let apart = |[p, q]: [[f64; 2]; 2], [r, s]: [[f64; 2]; 2]| {
        let sides = orient2d(p, q, r) * orient2d(p, q, s);
        sides == Sign::Positive
    };
    if apart(a, b) || apart(b, a) {
        return false;
    }
    // Each line separates or holds the other's ends. If all are on one line, the ends must interleave.
    let all_on_a_line = orient2d(a[0], a[1], b[0]).is_zero()
        && orient2d(a[0], a[1], b[1]).is_zero()
        && orient2d(b[0], b[1], a[0]).is_zero()
        && orient2d(b[0], b[1], a[1]).is_zero();
    !all_on_a_line
        || a.iter().any(|&p| point_in_polygon(p, &b) == Location::Boundary)
        || b.iter().any(|&p| point_in_polygon(p, &a) == Location::Boundary)
}
