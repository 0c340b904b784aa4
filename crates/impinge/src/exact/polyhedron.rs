//! Point in polyhedron, exactly, with every singular ray resolved.
//!
//! Zachmann 1994, "Exact and fast collision detection", section 3.5 needs it; the cheap comparisons
//! of section 3.2.2 are extended to three dimensions, and the singular cases are resolved by a
//! symbolic perturbation (Edelsbrunner and Mücke 1990, "Simulation of simplicity").
//!
//! # Why the parity is right
//!
//! Let `S` be the union of the closed triangles and `q` not in `S`. The ray goes along +x not from
//! `q` but from `q' = q + (0, e, e^2)` for an `e > 0` that is sufficiently small for the statements
//! below.
//!
//! 1. The complement of `S` is open, so for small `e` the points `q` and `q'` are in one component
//!    of it: they are both inside or both outside.
//! 2. Seen along x (in the yz plane) the edges span finitely many lines. The curve `(e, e^2)` from
//!    `q` meets each of them in at most two points, so for small `e` it is on none of them: the ray
//!    meets no edge, no vertex, and no triangle that is seen edge-on or is degenerate, because
//!    those lie above such a line. It pierces the other triangles in their interiors. For such a
//!    ray the number of triangles pierced is odd exactly inside a closed surface (one in which
//!    every edge has an even number of triangles), and the signed number is the winding number if
//!    the surface is oriented.
//! 3. Every comparison has, for small `e`, the sign it has for `q`, or, if that is zero, the sign
//!    of the first nonzero term in `e`. Height: `z > q.z + e^2` is `z > q.z`, so `z <= q.z` counts
//!    as below. Side of an edge from a lower end `l` to an upper end `h`:
//!    `orient2d(l, h, q') = orient2d(l, h, q) - (h.z - l.z) e + (h.y - l.y) e^2`, and `h.z > l.z`,
//!    so zero counts as negative. Side of a triangle's plane: if `q` is in the plane of a triangle
//!    that is not seen edge-on and `q'` is above the triangle, then `q` (the limit) is above the
//!    closed triangle and in its plane, that is in the triangle, which contradicts the assumption.
//!    So that sign is never zero.
//!
//! The decision about an edge depends on the edge alone, so the triangles that share it agree.

use super::orient::{orient3d_quickly, units_of_exact_test};
use super::{Location, Sign, orient2d, orient3d, point_in_polygon};
use crate::arrays::MapEach;
use crate::math::{Vec3, drop_axis};

/// Where `q` lies with respect to the solid that a closed surface of triangles bounds, exactly.
///
/// Inside means: a ray from `q` to infinity leaves the surface an odd number of times. The
/// orientation of the triangles does not matter; with nested shells every other layer is inside. A
/// point of any triangle, also of one of zero area, is [`Location::Boundary`]. The surface must be
/// closed: every edge in an even number of triangles. For an open one only the answer `Boundary`
/// has a meaning. Without triangles everything is outside.
///
/// Coordinates must be finite and within [`MAX_COORDINATE`](crate::math::MAX_COORDINATE).
///
/// ```
/// use impinge::Vec3;
/// use impinge::exact::Location;
/// use impinge::internals::exact::locate_point;
///
/// let p = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
/// let tetrahedron = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]].map(|t| t.map(|i| p[i]));
/// let locate = |q| locate_point(q, tetrahedron);
/// assert_eq!(locate(Vec3::splat(0.25)), Location::Inside);
/// assert_eq!(locate(Vec3::new(0.5, 0.5, 0.0)), Location::Boundary);
/// assert_eq!(locate(Vec3::new(-1.0, 0.0, 0.0)), Location::Outside);
/// ```
#[cfg(any(test, feature = "internals"))]
#[must_use]
pub fn locate_point(q: Vec3, triangles: impl IntoIterator<Item = [Vec3; 3]>) -> Location {
    location_of(winding_number(q, triangles), false)
}

/// How many times an oriented closed surface winds around `q`, or `None` if `q` is on it.
///
/// One inside a surface whose normals point outward, minus one where they point inward, zero
/// outside. Closed means here that every edge is used equally often in both directions. The ray is
/// the one of [`locate_point`], which uses the parity of this number.
#[must_use]
pub fn winding_number(q: Vec3, triangles: impl IntoIterator<Item = [Vec3; 3]>) -> Option<i64> {
    let mut winding = 0;
    for triangle in triangles {
        winding += ray_crossing(q, &triangle)?;
    }
    Some(winding)
}

/// Whether a point is inside a surface with this winding number about it: where the number is not
/// zero, if the surface is `balanced` (every edge is used equally often in both directions); where
/// it is odd, if not.
#[must_use]
pub(crate) fn is_inside(winding: i64, balanced: bool) -> bool {
    if balanced { winding != 0 } else { winding % 2 != 0 }
}

/// The location of a point with this winding number, `None` for a point of the surface; see
/// [`is_inside`].
#[must_use]
pub(crate) fn location_of(winding: Option<i64>, balanced: bool) -> Location {
    match winding {
        None => Location::Boundary,
        Some(winding) if is_inside(winding, balanced) => Location::Inside,
        Some(_) => Location::Outside,
    }
}

/// Whether `q` is a point of the closed triangle, exactly; the triangle may be degenerate to a
/// segment or a point.
///
/// It is if `q` is in the triangle's plane and, in the projections along all three axes, in the
/// projected triangle: at least one projection maps the plane (or, if there is no plane, the
/// triangle's line and `q`) one to one, so that this projection alone decides.
#[must_use]
pub fn point_on_triangle(q: Vec3, triangle: &[Vec3; 3]) -> bool {
    let [a, b, c] = *triangle;
    in_box(q, triangle)
        && orient3d(a, b, c, q).is_zero()
        && (0..3).all(|axis| {
            let projected = triangle.map_each(|p| drop_axis(p, axis));
            point_in_polygon(drop_axis(q, axis), &projected).is_in_closed_set()
        })
}

/// Whether `q` is in the smallest closed box around the triangle.
#[inline]
fn in_box(q: Vec3, [a, b, c]: &[Vec3; 3]) -> bool {
    q.cmpge(a.min(*b).min(*c)).all() && q.cmple(a.max(*b).max(*c)).all()
}

/// The signed crossing of one triangle with the ray from `q`, shifted infinitesimally, along +x: 1
/// if the ray pierces it from behind (with the normal), -1 if from the front, 0 if not at all;
/// `None` if `q` is a point of the triangle. The sum over a closed surface is its
/// [`winding_number`].
#[inline]
#[must_use]
pub(crate) fn ray_crossing(q: Vec3, triangle: &[Vec3; 3]) -> Option<i64> {
    let [a, b, c] = *triangle;
    let (min, max) = (a.min(b).min(c), a.max(b).max(c));
    // The closed box of the triangle does not meet the closed ray.
    if max.x < q.x || max.y < q.y || max.z < q.z || min.y > q.y || min.z > q.z {
        return Some(0);
    }
    if min.x <= q.x && point_on_triangle(q, triangle) {
        return None;
    }
    // From here on `q` is not in the triangle. The shifted ray passes above every point at the
    // height of `q`.
    if max.y <= q.y || max.z <= q.z || max.x <= q.x {
        return Some(0);
    }
    let Some(counter_clockwise) = projected_orientation(q, triangle) else {
        return Some(0);
    };
    let ahead = min.x > q.x || {
        let side = orient3d(a, b, c, q);
        side == if counter_clockwise { Sign::Negative } else { Sign::Positive }
    };
    Some(match (ahead, counter_clockwise) {
        (false, _) => 0,
        (true, true) => 1,
        (true, false) => -1,
    })
}

/// Units of work of [`ray_crossing`]: zero if a comparison with the triangle's box decides.
#[inline]
#[must_use]
pub(crate) fn units_of_ray_crossing(q: Vec3, triangle: &[Vec3; 3]) -> u64 {
    let [a, b, c] = *triangle;
    let (min, max) = (a.min(b).min(c), a.max(b).max(c));
    if max.x < q.x || max.y < q.y || max.z < q.z || min.y > q.y || min.z > q.z {
        return 0;
    }
    match orient3d_quickly(a, b, c, q) {
        Some(_) => 1,
        None => units_of_exact_test(&[a, b, c, q]),
    }
}

/// The direction of a ray along a coordinate axis, perturbed infinitesimally: `(1, e, e^2)` in
/// coordinates that are counted cyclically from that axis, or the opposite direction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RayAxis {
    pub(crate) axis: usize,
    pub(crate) forward: bool,
}

impl RayAxis {
    /// Along the first axis.
    pub(crate) const FIRST: Self = Self { axis: 0, forward: true };

    /// Units of work of [`RayAxis::crossing`].
    #[must_use]
    pub(crate) fn units_of_crossing(self, q: Vec3, triangle: &[Vec3; 3]) -> u64 {
        let sign = if self.forward { 1.0 } else { -1.0 };
        let view = |v: Vec3| {
            Vec3::new(v[self.axis], v[(self.axis + 1) % 3], v[(self.axis + 2) % 3]) * sign
        };
        units_of_ray_crossing(view(q), &triangle.map_each(view))
    }

    /// As [`ray_crossing`] for the ray from `q` along this direction: 1 if it leaves the triangle
    /// through its front, -1 if it enters there.
    #[must_use]
    pub(crate) fn crossing(self, q: Vec3, triangle: &[Vec3; 3]) -> Option<i64> {
        // A cyclic exchange of the axes keeps orientations; a point reflection reverses them.
        let sign = if self.forward { 1.0 } else { -1.0 };
        let view = |v: Vec3| {
            Vec3::new(v[self.axis], v[(self.axis + 1) % 3], v[(self.axis + 2) % 3]) * sign
        };
        let count = ray_crossing(view(q), &triangle.map_each(view))?;
        Some(if self.forward { count } else { -count })
    }
}

/// Whether the triangle is counter-clockwise in the (y, z) plane, which means that its normal
/// points along +x; `None` if the shifted `q` is not in its projection to that plane.
///
/// If it is, a ray in that plane along +y crosses exactly one edge. The crossed edge goes up if the
/// triangle is counter-clockwise.
#[inline]
fn projected_orientation(q: Vec3, triangle: &[Vec3; 3]) -> Option<bool> {
    let projected = triangle.map_each(|p| drop_axis(p, 0));
    let [y, z] = drop_axis(q, 0);
    let above = projected.map_each(|p| p[1] > z);
    let mut crossed = None;
    for i in 0..3 {
        let j = (i + 1) % 3;
        if above[i] == above[j] {
            continue;
        }
        let ends = [projected[i], projected[j]];
        let [low, high] = if above[j] { ends } else { [ends[1], ends[0]] };
        let is_right = if low[0] > y && high[0] > y {
            true
        } else if low[0] <= y && high[0] <= y {
            false
        } else {
            orient2d(low, high, [y, z]) == Sign::Positive
        };
        if is_right {
            crossed = if crossed.is_some() { return None } else { Some(above[j]) };
        }
    }
    crossed
}
