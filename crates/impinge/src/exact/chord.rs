//! Two triangles in planes that cross: their chords on the common line.
//!
//! After Möller 1997, "A fast triangle-triangle intersection test", with the ends of the chords
//! compared by orientations instead of computed, as in Devillers & Guigue 2002, "Faster
//! triangle-triangle intersection tests". Each triangle meets the plane of the other in a chord.
//! Its ends lie on the two edges at the apex, the vertex alone on its side. Where an edge `a0 a1`
//! crosses the plane of B and an edge `b0 b1` the plane of A, the order of the two points on the
//! common line is the orientation of the four vertices, with a sign that depends on the sides of
//! the apexes.

use super::Sign;
use super::corner::{Corner, Outline};
use super::element::Part;
use super::filter_counter::FilterCounter;
use super::flat::Shared;
use super::orient::side;
use crate::math::Vec3;

/// The chord of a triangle on the plane of another.
#[derive(Clone, Copy, Debug)]
struct Chord {
    /// The sides of the other plane on which the triangle's vertices lie.
    sides: [Sign; 3],
    /// The vertex at which both edges with the chord's ends start.
    apex: usize,
    /// The apex's side; opposite to the other vertices' side if the apex itself is on the plane.
    apex_side: Sign,
    /// The other vertices of these edges, in the order of the ends along the common line.
    far: [usize; 2],
}

impl Chord {
    /// The chord of a triangle whose vertices have these sides: not all zero, and not all strictly
    /// the same. Along the common line the ends have the order of the triangle's vertices if the
    /// apex is on side `forward`.
    fn new(sides: [Sign; 3], forward: Sign) -> Option<Self> {
        let apex_side = |i: usize| {
            let (s, next, last) = (sides[i], sides[(i + 1) % 3], sides[(i + 2) % 3]);
            if !s.is_zero() {
                (s * next != Sign::Positive && s * last != Sign::Positive).then_some(s)
            } else {
                (next == last && !next.is_zero()).then_some(-next)
            }
        };
        (0..3).find_map(|apex| {
            let apex_side = apex_side(apex)?;
            let (next, last) = ((apex + 1) % 3, (apex + 2) % 3);
            let far = if apex_side == forward { [next, last] } else { [last, next] };
            Some(Self { sides, apex, apex_side, far })
        })
    }

    /// Whether the chord is a single point: the apex.
    fn is_point(&self) -> bool {
        self.sides[self.apex].is_zero()
    }

    /// Whether the chord is the side opposite to the apex.
    fn is_side(&self) -> bool {
        self.far.iter().all(|i| self.sides[*i].is_zero())
    }

    /// The number of the side that joins two vertices.
    fn side_between(i: usize, j: usize) -> usize {
        if (i + 1) % 3 == j { i } else { j }
    }

    /// The vertex at an end of the chord, if there is one.
    fn vertex(&self, end: usize) -> Option<usize> {
        let far = self.far[end];
        if self.is_point() { Some(self.apex) } else { self.sides[far].is_zero().then_some(far) }
    }

    /// The smallest part of the triangle at an end of the chord.
    fn end_part(&self, end: usize) -> Part {
        let edge = || Part::Edge(Self::side_between(self.apex, self.far[end]));
        self.vertex(end).map_or_else(edge, Part::Vertex)
    }

    /// The smallest part of the triangle that holds an inner point of the chord, and with it all of
    /// the chord.
    fn middle_part(&self) -> Part {
        if self.is_side() {
            Part::Edge(Self::side_between(self.far[0], self.far[1]))
        } else {
            Part::Inside
        }
    }

    /// The corner at an end of the chord, if the triangle is A.
    fn corner(&self, end: usize) -> Corner {
        self.vertex(end).map_or(Corner::EdgeA([self.apex, self.far[end]]), Corner::A)
    }
}

/// The ends of a chord, in their order along the common line.
const LOW: usize = 0;
const HIGH: usize = 1;

/// What two triangles share, given the sides of the plane of each on which the vertices of the
/// other lie: not all zero, and not all strictly the same.
pub(super) fn intersect(
    a: &[Vec3; 3],
    a_sides: [Sign; 3],
    b: &[Vec3; 3],
    b_sides: [Sign; 3],
    counter: &mut impl FilterCounter,
) -> Option<Shared> {
    let chord_a = Chord::new(a_sides, Sign::Negative)?;
    let chord_b = Chord::new(b_sides, Sign::Positive)?;
    // The order of an end of A's chord and an end of B's along the common line.
    let mut order = |end_a: usize, end_b: usize| {
        let (a0, a1) = (a[chord_a.apex], a[chord_a.far[end_a]]);
        let (b0, b1) = (b[chord_b.apex], b[chord_b.far[end_b]]);
        -(chord_a.apex_side * chord_b.apex_side * side(a0, a1, b0, b1, counter))
    };
    let low_high = order(LOW, HIGH);
    if low_high == Sign::Positive {
        return None;
    }
    let high_low = order(HIGH, LOW);
    if high_low == Sign::Negative {
        return None;
    }
    if chord_a.is_point() || chord_b.is_point() || low_high.is_zero() || high_low.is_zero() {
        // One point. On each chord it is at an end (`Some`) or between the ends (`None`).
        let end_a = if chord_a.is_point() || low_high.is_zero() {
            Some(LOW)
        } else {
            high_low.is_zero().then_some(HIGH)
        };
        let end_b = if chord_b.is_point() || high_low.is_zero() {
            Some(LOW)
        } else {
            low_high.is_zero().then_some(HIGH)
        };
        let corner_a = end_a.map(|end| chord_a.corner(end));
        let corner_b = end_b.map(|end| chord_b.corner(end).swapped());
        let corners = [corner_a, corner_b].into_iter().flatten();
        let corner = corners.clone().find(|c| c.is_vertex()).or(corners.clone().next())?;
        return Some(Shared {
            a: end_a.map_or(chord_a.middle_part(), |end| chord_a.end_part(end)),
            b: end_b.map_or(chord_b.middle_part(), |end| chord_b.end_part(end)),
            outline: Outline::Point(corner),
        });
    }
    // A segment: it starts at the later of the low ends and stops at the earlier of the high ends.
    let select = |end: usize, sign_for_a: Sign, order: Sign| {
        let (of_a, of_b) = (chord_a.corner(end), chord_b.corner(end).swapped());
        if order == sign_for_a || (order.is_zero() && (of_a.is_vertex() || !of_b.is_vertex())) {
            of_a
        } else {
            of_b
        }
    };
    let low = select(LOW, Sign::Positive, order(LOW, LOW));
    let high = select(HIGH, Sign::Negative, order(HIGH, HIGH));
    Some(Shared {
        a: chord_a.middle_part(),
        b: chord_b.middle_part(),
        outline: Outline::Segment(low, high),
    })
}

#[cfg(test)]
mod tests {
    use super::Sign::{Negative, Positive, Zero};
    use super::*;

    #[test]
    fn every_combination_of_sides_has_an_apex() {
        let signs = [Negative, Zero, Positive];
        for s in (0..27).map(|i| [signs[i % 3], signs[i / 3 % 3], signs[i / 9]]) {
            let strictly_one_side = s[0] == s[1] && s[1] == s[2];
            let chord = Chord::new(s, Positive);
            assert_eq!(chord.is_none(), strictly_one_side, "{s:?}");
            if let Some(chord) = chord {
                assert!(chord.far.iter().all(|i| s[*i] * chord.apex_side != Positive), "{s:?}");
            }
        }
    }

    #[test]
    fn the_order_of_the_ends_follows_the_apex() {
        let chord = Chord::new([Positive, Negative, Negative], Positive).unwrap();
        assert_eq!((chord.apex, chord.far), (0, [1, 2]));
        let chord = Chord::new([Positive, Negative, Negative], Negative).unwrap();
        assert_eq!((chord.apex, chord.far), (0, [2, 1]));
    }

    #[test]
    fn a_side_in_the_plane_is_the_chord() {
        let chord = Chord::new([Zero, Positive, Zero], Positive).unwrap();
        assert!(chord.is_side() && !chord.is_point());
        assert_eq!(chord.middle_part(), Part::Edge(2));
        assert!(chord.vertex(LOW).is_some() && chord.vertex(HIGH).is_some());
    }
}
