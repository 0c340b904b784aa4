//! Triangles of zero area, and triangles in one plane.

use super::corner::{Corner, Outline};
use super::element::{Element, Part, lexicographic, projection_axis};
use super::filter_counter::FilterCounter;
use super::flat::{self, Shared};
use super::orient::side;
use super::{Feature, HitKind, Sign};
use crate::math::Vec3;

/// What two triangles share if one has zero area or both lie in one plane.
#[cold]
pub(super) fn intersect(
    a: &[Vec3; 3],
    b: &[Vec3; 3],
    counter: &mut impl FilterCounter,
) -> Option<(HitKind, Outline)> {
    let (a, b) = (Element::new(a, counter), Element::new(b, counter));
    let shared = if a.count >= b.count {
        intersect_larger_first(&a, &b, counter)?
    } else {
        intersect_larger_first(&b, &a, counter)?.swapped()
    };
    let kind = if let Outline::Area { .. } = shared.outline {
        HitKind::Coplanar
    } else {
        let swapped = shared.swapped();
        HitKind::Touching {
            feature_a: feature(&a, &b, &shared, counter),
            feature_b: feature(&b, &a, &swapped, counter),
        }
    };
    Some((kind, shared.outline))
}

/// What `a` shares with `b`, which has no more vertices than `a`. Two triangles must lie in one
/// plane.
fn intersect_larger_first(
    a: &Element<'_>,
    b: &Element<'_>,
    counter: &mut impl FilterCounter,
) -> Option<Shared> {
    match (a.count, b.count) {
        (3, 3) => {
            // The plane is common, so the axis of one is valid for the other. The orientation of
            // the projection may differ.
            let b = b.projected_along(a.axis, counter);
            flat::intersect(a, &b, a.axis, counter)
        }
        (3, 2) => intersect_triangle_segment(a, b, counter),
        (3, _) => {
            let on_plane = plane_side(a, b.vertex(0), counter).is_zero();
            if on_plane { flat::intersect(a, b, a.axis, counter) } else { None }
        }
        (2, 2) => intersect_segments(a, b, counter),
        (2, _) => {
            let [p, q] = [a.vertex(0), a.vertex(1)];
            let on_line = projection_axis([p, q, b.vertex(0)], counter).is_none();
            if on_line { flat::intersect_collinear(a, 0, b, &[0]) } else { None }
        }
        _ => (a.vertex(0) == b.vertex(0)).then_some(Shared {
            a: Part::Vertex(0),
            b: Part::Vertex(0),
            outline: Outline::Point(Corner::A(0)),
        }),
    }
}

/// The side of the triangle's plane on which a point lies.
fn plane_side(triangle: &Element<'_>, p: Vec3, counter: &mut impl FilterCounter) -> Sign {
    let [a, b, c] = *triangle.corners;
    side(a, b, c, p, counter)
}

/// What a triangle and a segment share.
fn intersect_triangle_segment(
    triangle: &Element<'_>,
    segment: &Element<'_>,
    counter: &mut impl FilterCounter,
) -> Option<Shared> {
    let [p, q] = [segment.vertex(0), segment.vertex(1)];
    let p_side = plane_side(triangle, p, counter);
    let q_side = plane_side(triangle, q, counter);
    match p_side * q_side {
        Sign::Positive => None,
        Sign::Negative => {
            let part = pierced_part(triangle.corners, p, q, p_side, counter)?;
            let corner = match part {
                Part::Vertex(i) => Corner::A(i),
                _ => Corner::EdgeB([segment.index[0], segment.index[1]]),
            };
            Some(Shared { a: part, b: Part::Inside, outline: Outline::Point(corner) })
        }
        Sign::Zero if p_side == q_side => {
            flat::intersect(triangle, segment, triangle.axis, counter)
        }
        Sign::Zero => {
            // Only one end is on the plane: the shared set is that of this end and the triangle.
            let end = usize::from(!p_side.is_zero());
            let end_only = segment.single_vertex(end);
            let shared = flat::intersect(triangle, &end_only, triangle.axis, counter)?;
            Some(Shared { b: Part::Vertex(end), ..shared })
        }
    }
}

/// The part of the triangle that the segment `pq` passes through; its ends are strictly on
/// different sides of the plane, `p` on `p_side`.
pub(super) fn pierced_part(
    triangle: &[Vec3; 3],
    p: Vec3,
    q: Vec3,
    p_side: Sign,
    counter: &mut impl FilterCounter,
) -> Option<Part> {
    // Seen from the positive side of the plane, the point is to the left of every edge.
    let mut zeros = [false; 3];
    for i in 0..3 {
        let turn = side(p, q, triangle[i], triangle[(i + 1) % 3], counter) * p_side;
        if turn == Sign::Positive {
            return None;
        }
        zeros[i] = turn.is_zero();
    }
    Some(match zeros {
        [false, false, false] => Part::Inside,
        [true, false, false] => Part::Edge(0),
        [false, true, false] => Part::Edge(1),
        [false, false, true] => Part::Edge(2),
        [_, true, true] => Part::Vertex(2),
        [true, true, _] => Part::Vertex(1),
        [true, _, true] => Part::Vertex(0),
    })
}

/// What two segments share.
fn intersect_segments(
    a: &Element<'_>,
    b: &Element<'_>,
    counter: &mut impl FilterCounter,
) -> Option<Shared> {
    let [p, q] = [a.vertex(0), a.vertex(1)];
    let [r, s] = [b.vertex(0), b.vertex(1)];
    if !side(p, q, r, s, counter).is_zero() {
        return None;
    }
    let plane = projection_axis([p, q, r], counter).or_else(|| projection_axis([p, q, s], counter));
    if let Some((axis, _)) = plane {
        flat::intersect(a, b, axis, counter)
    } else {
        flat::intersect_collinear(a, 0, b, &[0, 1])
    }
}

/// The smallest feature of `a` that holds what it shares with `b`.
fn feature(
    a: &Element<'_>,
    b: &Element<'_>,
    shared: &Shared,
    counter: &mut impl FilterCounter,
) -> Feature {
    // Three corners on a line: the shared point may be the one between the ends.
    if let (2, Part::Edge(_) | Part::Inside, Outline::Point(corner)) =
        (a.count, shared.a, shared.outline)
    {
        let middle = a.vertex(2);
        let is_middle = match corner {
            Corner::A(i) => lexicographic(middle, a.corners[i]).is_eq(),
            Corner::B(i) => lexicographic(middle, b.corners[i]).is_eq(),
            Corner::EdgeA(_) | Corner::EdgeB(_) => plane_side(b, middle, counter).is_zero(),
            Corner::Edges { b: [k, l], .. } => {
                projection_axis([b.corners[k], b.corners[l], middle], counter).is_none()
            }
        };
        if is_middle {
            return Feature::Vertex(a.index[2] as u8);
        }
    }
    a.feature(shared.a)
}
