//! Two triangles: whether they meet, and how.
//!
//! The common path is [`quick`], which decides by floats whether they cross or are disjoint. If any
//! sign is open or zero there, the sides of the vertices are found by exact orientations: all
//! vertices of a triangle strictly on one side of the other's plane means disjoint; otherwise the
//! two chords in the line of both planes are compared ([`chord`]). Triangles in one plane and
//! triangles of zero area have no such line and go to [`degenerate`].

use super::corner::Outline;
use super::element::Part;
use super::filter_counter::FilterCounter;
use super::orient::side;
use super::quick;
#[cfg(any(test, feature = "internals"))]
use super::stats::FilterStats;
use super::{Feature, HitKind, Sign, chord, degenerate};
use crate::arrays::MapEach;
use crate::math::Vec3;

/// How the closed triangles `a` and `b` meet; `None` if they share no point.
///
/// Exact for coordinates within [`EXACT_RANGE`](super::EXACT_RANGE), for all triangles, including
/// coplanar ones, those with common vertices and those of zero area. Both triangles are in the same
/// frame. The definitions are in the [module's documentation](super).
///
/// ```
/// use impinge::Vec3;
/// use impinge::exact::{HitKind, triangle_triangle};
///
/// let a = [Vec3::ZERO, Vec3::X, Vec3::Y];
/// let lifted = a.map(|v| v + Vec3::Z * f64::MIN_POSITIVE);
/// assert_eq!(triangle_triangle(&a, &a), Some(HitKind::Coplanar));
/// assert_eq!(triangle_triangle(&a, &lifted), None);
/// ```
#[must_use]
pub fn triangle_triangle(a: &[Vec3; 3], b: &[Vec3; 3]) -> Option<HitKind> {
    match quick::crossing(a, b, &mut ()) {
        Some(crossing) => crossing.then_some(HitKind::Crossing),
        None => kind(a, b, &mut ()),
    }
}

/// Whether the closed triangles `a` and `b` share a point: the same decision as
/// [`triangle_triangle`], without the kind of the intersection.
#[inline]
#[must_use]
pub fn triangles_intersect(a: &[Vec3; 3], b: &[Vec3; 3]) -> bool {
    intersects(a, b, &mut ())
}

/// The same if floats with one error bound decide it, which takes tens of nanoseconds; `None` for
/// triangles that touch, or nearly do.
#[inline]
pub(crate) fn triangles_intersect_quickly(a: &[Vec3; 3], b: &[Vec3; 3]) -> Option<bool> {
    quick::crossing(a, b, &mut ())
}

/// The same where [`triangles_intersect_quickly`] returned `None`.
pub(crate) fn triangles_intersect_exactly(a: &[Vec3; 3], b: &[Vec3; 3]) -> bool {
    kind(a, b, &mut ()).is_some()
}

/// [`triangles_intersect`], counting in `stats` the stage that decided each sign.
#[cfg(any(test, feature = "internals"))]
#[must_use]
pub fn triangles_intersect_counted(a: &[Vec3; 3], b: &[Vec3; 3], stats: &mut FilterStats) -> bool {
    intersects(a, b, stats)
}

#[inline(always)]
fn intersects(a: &[Vec3; 3], b: &[Vec3; 3], counter: &mut impl FilterCounter) -> bool {
    match quick::crossing(a, b, counter) {
        Some(crossing) => crossing,
        None => kind(a, b, counter).is_some(),
    }
}

/// How the triangles meet, with every sign from the full predicate.
#[cold]
#[inline(never)]
fn kind(a: &[Vec3; 3], b: &[Vec3; 3], counter: &mut impl FilterCounter) -> Option<HitKind> {
    intersect(a, b, counter).map(|(kind, _)| kind)
}

/// How the triangles meet and the outline of the shared set, with every sign from the full
/// predicate.
pub(super) fn intersect(
    a: &[Vec3; 3],
    b: &[Vec3; 3],
    counter: &mut impl FilterCounter,
) -> Option<(HitKind, Outline)> {
    let b_sides = sides(a, b, counter);
    if strictly_one_side(b_sides) {
        return None;
    }
    // The triangles are coplanar, or A has zero area: then every side is zero.
    if b_sides == [Sign::Zero; 3] {
        return degenerate::intersect(a, b, counter);
    }
    let a_sides = sides(b, a, counter);
    if strictly_one_side(a_sides) {
        return None;
    }
    if a_sides == [Sign::Zero; 3] {
        return degenerate::intersect(a, b, counter);
    }
    let shared = chord::intersect(a, a_sides, b, b_sides, counter)?;
    let kind = match (shared.a, shared.b) {
        (Part::Inside, Part::Inside) => HitKind::Crossing,
        (a, b) => HitKind::Touching { feature_a: feature(a), feature_b: feature(b) },
    };
    Some((kind, shared.outline))
}

/// The sides of the plane of `triangle` on which `points` lie.
fn sides(triangle: &[Vec3; 3], points: &[Vec3; 3], counter: &mut impl FilterCounter) -> [Sign; 3] {
    points.map_each(|p| side(triangle[0], triangle[1], triangle[2], p, counter))
}

/// Whether all vertices are strictly on the same side.
fn strictly_one_side(sides: [Sign; 3]) -> bool {
    !sides[0].is_zero() && sides[0] == sides[1] && sides[1] == sides[2]
}

/// The feature of a triangle of positive area that is this part.
pub(super) fn feature(part: Part) -> Feature {
    match part {
        Part::Vertex(i) => Feature::Vertex(i as u8),
        Part::Edge(e) => Feature::Edge(e as u8),
        Part::Inside => Feature::Face,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLOOR: [[f64; 3]; 3] = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];

    fn check(b: [[f64; 3]; 3], expected: Option<HitKind>) {
        let (a, b) = (FLOOR.map(Vec3::from), b.map(Vec3::from));
        assert_eq!(triangle_triangle(&a, &b), expected, "{b:?}");
        assert_eq!(triangle_triangle(&b, &a), expected.map(HitKind::swapped), "{b:?}");
        assert_eq!(triangles_intersect(&a, &b), expected.is_some(), "{b:?}");
    }

    fn touching(a: Feature, b: Feature) -> Option<HitKind> {
        Some(HitKind::Touching { feature_a: a, feature_b: b })
    }

    #[test]
    fn crossing() {
        let wall = [[1.0, -1.0, -1.0], [1.0, 9.0, -1.0], [1.0, 1.0, 3.0]];
        check(wall, Some(HitKind::Crossing));
        check(wall.map(|[x, y, z]| [x + 4.0, y, z]), None);
        check(wall.map(|[x, y, z]| [x, y, z + 2.0]), None);
    }

    #[test]
    fn touching_across_the_plane() {
        use Feature::{Edge, Face, Vertex};
        let spike = [[1.0, 1.0, 0.0], [1.0, 2.0, 3.0], [2.0, 1.0, 3.0]];
        check(spike, touching(Face, Vertex(0)));
        check(spike.map(|[x, y, z]| [x + 1.0, y + 1.0, z]), touching(Edge(1), Vertex(0)));
        check(spike.map(|[x, y, z]| [x + 3.0, y - 1.0, z]), touching(Vertex(1), Vertex(0)));
        check(spike.map(|[x, y, z]| [x + 3.0, y, z]), None);
        let blade = [[1.0, 1.0, 0.0], [1.0, 9.0, 0.0], [1.0, 5.0, 3.0]];
        check(blade, touching(Face, Edge(0)));
        check(blade.map(|[x, y, z]| [x - 1.0, y, z]), touching(Edge(2), Edge(0)));
        // Two sides that cross in one inner point of each.
        check([[2.0, 2.0, 1.0], [2.0, 2.0, -1.0], [5.0, 5.0, 0.0]], touching(Edge(1), Edge(0)));
    }

    #[test]
    fn in_one_plane() {
        use Feature::{Edge, Vertex};
        let other = [[1.0, 1.0, 0.0], [5.0, 1.0, 0.0], [1.0, 5.0, 0.0]];
        check(other, Some(HitKind::Coplanar));
        check(FLOOR, Some(HitKind::Coplanar));
        check(other.map(|[x, y, z]| [x, y, z + 1e-300]), None);
        check(other.map(|[x, y, z]| [x + 3.0, y - 1.0, z]), touching(Vertex(1), Vertex(0)));
        check(other.map(|[x, y, z]| [x + 1.0, y + 1.0, z]), touching(Edge(1), Vertex(0)));
        check([[4.0, 0.0, 0.0], [9.0, 9.0, 0.0], [0.0, 4.0, 0.0]], touching(Edge(1), Edge(2)));
        check(other.map(|[x, y, z]| [x + 3.0, y + 3.0, z]), None);
    }

    #[test]
    fn zero_area() {
        use Feature::{Edge, Face, Vertex};
        let p = [1.0, 1.0, 0.0];
        check([p, p, p], touching(Face, Vertex(0)));
        check([[1.0, 1.0, 2.0], p, [1.0, 1.0, -1.0]], touching(Face, Vertex(1)));
        check([[1.0, 1.0, 2.0], [1.0, 1.0, 1.0], [1.0, 1.0, -1.0]], touching(Face, Edge(2)));
        check([[4.0, 0.0, 0.0], [0.0, 4.0, 0.0], [8.0, -4.0, 0.0]], touching(Edge(1), Edge(1)));
        check([[1.0, 1.0, 2.0], [1.0, 1.0, 2.0], [1.0, 1.0, 1.0]], None);
    }

    #[test]
    fn last_bit_decides() {
        // A vertex just above, on, and just below the sloped plane x + y + z = 3, whose vertices
        // have no unusual coordinates.
        let a = [[3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 3.0]].map(Vec3::from);
        let spike = |z: f64| [[1.0, 1.0, z], [2.0, 2.0, 2.0], [2.0, 3.0, 2.0]].map(Vec3::from);
        let (below, above) = (1.0 - f64::EPSILON / 2.0, 1.0 + f64::EPSILON);
        assert_eq!(triangle_triangle(&a, &spike(below)), Some(HitKind::Crossing));
        let touch = HitKind::Touching { feature_a: Feature::Face, feature_b: Feature::Vertex(0) };
        assert_eq!(triangle_triangle(&a, &spike(1.0)), Some(touch));
        assert_eq!(triangle_triangle(&a, &spike(above)), None);
    }
}
