//! The convex polygon that two triangles of one plane share, by its corners.
//!
//! Its boundary consists of the piece of each edge that lies in the other triangle. The ends of a
//! piece follow from signs alone: the edge's ends, vertices of the other triangle on the edge, and
//! proper crossings of two edges. The pieces, all in the same direction, are then linked end to
//! start, which needs no coordinates of crossings.

use super::Sign;
use super::corner::Corner;
use super::element::{Element, lexicographic, project};
use super::filter_counter::FilterCounter;
use super::orient::turn;
use crate::arrays::MapEach;
use crate::math::Vec3;
use crate::order::sort_few_by;

/// The piece of edge `e` of `p` in the triangle `q`, both in one plane, in the direction of the
/// edge. `None` if it is empty or a single point. In the corners `p` is A and `q` is B.
pub(super) fn clip_edge(
    p: &Element<'_>,
    e: usize,
    q: &Element<'_>,
    axis: usize,
    counter: &mut impl FilterCounter,
) -> Option<[Corner; 2]> {
    let corners = p.edge_corners(e);
    let [from, to] = corners.map_each(|i| p.corners[i]);
    // The sides of the triangle's edges on which the edge's ends lie, and the sides of the edge on
    // which the triangle's vertices lie.
    let from_sides = [0, 1, 2].map_each(|k| q.side_of_edge(k, from, axis, counter));
    let to_sides = [0, 1, 2].map_each(|k| q.side_of_edge(k, to, axis, counter));
    let projected = |v: Vec3| project(v, axis);
    let q_sides = [0, 1, 2]
        .map_each(|k| turn(projected(from), projected(to), projected(q.vertex(k)), counter));

    // Candidates with their rank along the edge: its start, an entry, a vertex on it, an exit, its
    // end. The set is convex, so at most two are different.
    let mut found = Vec::with_capacity(4);
    let inside = |sides: [Sign; 3]| sides.iter().all(|s| *s != Sign::Negative);
    if inside(from_sides) {
        found.push((0, Corner::A(corners[0])));
    }
    if inside(to_sides) {
        found.push((4, Corner::A(corners[1])));
    }
    for k in 0..3 {
        let vertex = q.vertex(k);
        let order = [lexicographic(from, vertex), lexicographic(vertex, to)];
        if q_sides[k].is_zero() && order[0] == order[1] && order[0].is_ne() {
            found.push((2, Corner::B(k)));
        }
        let next = (k + 1) % 3;
        let crosses = from_sides[k] * to_sides[k] == Sign::Negative
            && q_sides[k] * q_sides[next] == Sign::Negative;
        if crosses {
            let rank = if from_sides[k] == Sign::Negative { 1 } else { 3 };
            found.push((rank, Corner::Edges { a: corners, b: [k, next], axis }));
        }
    }
    sort_few_by(&mut found, |(i, x), (j, y)| match (x, y) {
        (Corner::B(k), Corner::B(l)) if i == j => {
            let order = lexicographic(q.vertex(*k), q.vertex(*l));
            if lexicographic(from, to).is_lt() { order.is_lt() } else { order.is_gt() }
        }
        _ => i < j,
    });
    match *found.as_slice() {
        [(_, first), .., (_, last)] => Some([first, last]),
        _ => None,
    }
}

/// The corners of the polygon that two triangles of one plane share, in the orientation of `a`.
/// Their insides must intersect.
pub(super) fn overlap(
    a: &Element<'_>,
    b: &Element<'_>,
    axis: usize,
    counter: &mut impl FilterCounter,
) -> Vec<Corner> {
    // A corner of both triangles counts as one of A.
    let canonical = |corner: Corner| match corner {
        Corner::B(k) => (0..3).find(|i| a.corners[*i] == b.corners[k]).map_or(corner, Corner::A),
        other => other,
    };
    let mut pieces: Vec<[Corner; 2]> = Vec::with_capacity(6);
    for e in 0..3 {
        let of_a = clip_edge(a, e, b, axis, counter);
        let of_b = clip_edge(b, e, a, axis, counter).map(|piece| {
            let [from, to] = piece.map_each(Corner::swapped);
            if a.orientation == b.orientation { [from, to] } else { [to, from] }
        });
        for piece in [of_a, of_b].into_iter().flatten() {
            let piece = piece.map_each(canonical);
            if !pieces.contains(&piece) {
                pieces.push(piece);
            }
        }
    }
    let mut polygon = Vec::with_capacity(6);
    let mut next = pieces.first().copied();
    while let Some([from, to]) = next {
        if polygon.contains(&from) {
            break;
        }
        polygon.push(from);
        next = pieces.iter().find(|piece| piece[0] == to).copied();
    }
    polygon
}
