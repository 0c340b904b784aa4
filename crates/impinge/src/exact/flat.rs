//! Two convex elements in one plane: triangles, segments and points.
//!
//! Two convex polygons in the plane have disjoint insides exactly if an edge of one has the other
//! in its closed outer half-plane. If such an edge is found, the shared set lies on its line, and
//! comparisons of coordinates along that line determine it.

use std::cmp::Ordering;

use super::Sign;
use super::corner::{Corner, Outline};
use super::element::{Element, Part, lexicographic};
use super::filter_counter::FilterCounter;
use super::overlap::clip_edge;

/// What two elements share: the smallest part of each that holds it, and its outline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shared {
    pub(super) a: Part,
    pub(super) b: Part,
    pub(super) outline: Outline,
}

impl Shared {
    /// The same with the elements exchanged.
    pub(super) fn swapped(self) -> Self {
        Self { a: self.b, b: self.a, outline: self.outline.swapped() }
    }
}

/// What the elements `a` and `b` of one plane share. The projection along `axis` must be one to one
/// on that plane (or, if all vertices are on one line, on that line). Not for two points.
pub(super) fn intersect(
    a: &Element<'_>,
    b: &Element<'_>,
    axis: usize,
    counter: &mut impl FilterCounter,
) -> Option<Shared> {
    match separate(a, b, axis, counter) {
        Separation::Apart => return None,
        Separation::Touching(shared) => return Some(shared),
        Separation::None => {}
    }
    match separate(b, a, axis, counter) {
        Separation::Apart => return None,
        Separation::Touching(shared) => return Some(shared.swapped()),
        Separation::None => {}
    }
    // The insides intersect.
    let outline = match (a.count, b.count) {
        (1, _) => Outline::Point(Corner::A(a.index[0])),
        (_, 1) => Outline::Point(Corner::B(b.index[0])),
        (2, 2) => {
            Outline::Point(Corner::Edges { a: a.edge_corners(0), b: b.edge_corners(0), axis })
        }
        (2, _) => {
            let [p, q] = clip_edge(a, 0, b, axis, counter)?;
            Outline::Segment(p, q)
        }
        (_, 2) => {
            let [p, q] = clip_edge(b, 0, a, axis, counter)?;
            Outline::Segment(p.swapped(), q.swapped())
        }
        _ => Outline::Area { axis },
    };
    let part = |e: &Element<'_>| if e.count == 1 { Part::Vertex(0) } else { Part::Inside };
    Some(Shared { a: part(a), b: part(b), outline })
}

/// The result of testing the edges of one element as separating lines.
enum Separation {
    /// No edge separates the insides.
    None,
    /// An edge separates them, and they share no point.
    Apart,
    /// An edge separates the insides, and they share this set on its line.
    Touching(Shared),
}

/// Searches for an edge of `p` that has `q` in its closed outer half-plane.
fn separate(
    p: &Element<'_>,
    q: &Element<'_>,
    axis: usize,
    counter: &mut impl FilterCounter,
) -> Separation {
    for e in 0..p.edge_count() {
        let mut on_line = [0; 3];
        let mut count = 0;
        let outside = (0..q.count).all(|i| {
            let side = p.side_of_edge(e, q.vertex(i), axis, counter);
            if side.is_zero() {
                on_line[count] = i;
                count += 1;
            }
            side != Sign::Positive
        });
        if outside {
            let shared =
                if count == 0 { None } else { intersect_collinear(p, e, q, &on_line[..count]) };
            return shared.map_or(Separation::Apart, Separation::Touching);
        }
    }
    Separation::None
}

/// What edge `e` of `p` shares with the hull of the vertices `on_line` of `q`, if all are on one
/// line.
pub(super) fn intersect_collinear(
    p: &Element<'_>,
    e: usize,
    q: &Element<'_>,
    on_line: &[usize],
) -> Option<Shared> {
    let compare_p = |i: &usize, j: &usize| lexicographic(p.vertex(*i), p.vertex(*j));
    let compare_q = |i: &usize, j: &usize| lexicographic(q.vertex(*i), q.vertex(*j));
    let edge = p.edge(e);
    let p_low = edge.into_iter().min_by(compare_p)?;
    let p_high = edge.into_iter().max_by(compare_p)?;
    let q_low = on_line.iter().copied().min_by(compare_q)?;
    let q_high = on_line.iter().copied().max_by(compare_q)?;

    let p_corner = |i: usize| Corner::A(p.index[i]);
    let q_corner = |i: usize| Corner::B(q.index[i]);
    let lows = lexicographic(p.vertex(p_low), q.vertex(q_low));
    let highs = lexicographic(p.vertex(p_high), q.vertex(q_high));
    let low = match lows {
        Ordering::Less => (q.vertex(q_low), q_corner(q_low)),
        _ => (p.vertex(p_low), p_corner(p_low)),
    };
    let high = match highs {
        Ordering::Greater => (q.vertex(q_high), q_corner(q_high)),
        _ => (p.vertex(p_high), p_corner(p_high)),
    };
    match lexicographic(low.0, high.0) {
        Ordering::Greater => None,
        Ordering::Less => {
            let q_edge = (0..q.edge_count())
                .find(|e| q.edge(*e) == [q_low, q_high] || q.edge(*e) == [q_high, q_low]);
            let outline = Outline::Segment(low.1, high.1);
            Some(Shared { a: Part::Edge(e), b: Part::Edge(q_edge?), outline })
        }
        Ordering::Equal => {
            // One point: a vertex, or else an inner point of the edge.
            let part = |element: &Element<'_>, ends: [usize; 2]| {
                let end =
                    ends.into_iter().find(|i| lexicographic(element.vertex(*i), low.0).is_eq());
                end.map(Part::Vertex).or_else(|| {
                    let is_edge = |e: &usize| {
                        let [i, j] = element.edge(*e);
                        ends == [i, j] || ends == [j, i]
                    };
                    (0..element.edge_count()).find(is_edge).map(Part::Edge)
                })
            };
            let corner = if low.1.is_vertex_of_a() { low.1 } else { high.1 };
            Some(Shared {
                a: part(p, [p_low, p_high])?,
                b: part(q, [q_low, q_high])?,
                outline: Outline::Point(corner),
            })
        }
    }
}
