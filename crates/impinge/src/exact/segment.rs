//! A segment against a triangle.

use super::degenerate::{self, pierced_part};
use super::orient::side;
use super::triangle::feature;
use super::{Feature, HitKind, Sign};
use crate::math::Vec3;

/// A feature of a segment: one of its ends, or its inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SegmentFeature {
    /// The first end; also a whole segment of zero length.
    Start,
    /// The second end.
    End,
    /// All points between the ends.
    Inside,
}

/// How a segment and a triangle that share a point meet: the smallest feature of each that holds
/// all shared points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SegmentHit {
    /// The feature of the segment.
    pub segment: SegmentFeature,
    /// The feature of the triangle. A triangle of zero area has a feature by the rule in the
    /// [module's documentation](super).
    pub triangle: Feature,
}

/// How the closed segment from `p` to `q` and the closed triangle meet; `None` if they share no
/// point.
///
/// Exact for coordinates within [`EXACT_RANGE`](super::EXACT_RANGE). The segment may lie in the
/// plane of the triangle or be a point, the triangle may have zero area.
///
/// ```
/// use impinge::Vec3;
/// use impinge::exact::{Feature, SegmentHit, SegmentFeature, segment_triangle};
///
/// let triangle = [Vec3::ZERO, Vec3::X, Vec3::Y];
/// let contact = segment_triangle(Vec3::new(0.5, 0.0, 0.0), Vec3::new(0.5, 0.0, 1.0), &triangle);
/// let expected = SegmentHit { segment: SegmentFeature::Start, triangle: Feature::Edge(0) };
/// assert_eq!(contact, Some(expected));
/// ```
#[must_use]
pub fn segment_triangle(p: Vec3, q: Vec3, triangle: &[Vec3; 3]) -> Option<SegmentHit> {
    let [a, b, c] = *triangle;
    let p_side = side(a, b, c, p, &mut ());
    let q_side = side(a, b, c, q, &mut ());
    match p_side * q_side {
        Sign::Positive => None,
        Sign::Negative => {
            let part = pierced_part(triangle, p, q, p_side, &mut ())?;
            Some(SegmentHit { segment: SegmentFeature::Inside, triangle: feature(part) })
        }
        Sign::Zero => segment_triangle_degenerate(p, q, triangle),
    }
}

/// [`segment_triangle`] for an end on the plane, or a triangle of zero area.
fn segment_triangle_degenerate(p: Vec3, q: Vec3, triangle: &[Vec3; 3]) -> Option<SegmentHit> {
    // The segment as a triangle of zero area. Its corners 1 and 2 coincide, so corner 2 is never
    // reported: the corner with the lowest number is.
    let (kind, _) = degenerate::intersect(&[p, q, q], triangle, &mut ())?;
    let (segment, triangle) = match kind {
        HitKind::Touching { feature_a: a, feature_b: b } => (a, b),
        HitKind::Crossing | HitKind::Coplanar => (Feature::Face, Feature::Face),
    };
    let segment = match segment {
        Feature::Vertex(0) => SegmentFeature::Start,
        Feature::Vertex(_) => SegmentFeature::End,
        Feature::Edge(_) | Feature::Face => SegmentFeature::Inside,
    };
    Some(SegmentHit { segment, triangle })
}

#[cfg(test)]
mod tests {
    use super::*;

    const T: [Vec3; 3] = [Vec3::ZERO, Vec3::new(4.0, 0.0, 0.0), Vec3::new(0.0, 4.0, 0.0)];

    fn check(p: [f64; 3], q: [f64; 3], expected: Option<(SegmentFeature, Feature)>) {
        let found = segment_triangle(Vec3::from(p), Vec3::from(q), &T);
        assert_eq!(found.map(|c| (c.segment, c.triangle)), expected, "{p:?} {q:?}");
    }

    #[test]
    fn through_the_plane() {
        use SegmentFeature::Inside;
        check([1.0, 1.0, -1.0], [1.0, 1.0, 1.0], Some((Inside, Feature::Face)));
        check([1.0, 1.0, 1.0], [1.0, 1.0, -1.0], Some((Inside, Feature::Face)));
        check([2.0, 2.0, 1.0], [2.0, 2.0, -1.0], Some((Inside, Feature::Edge(1))));
        check([4.0, 0.0, 1.0], [4.0, 0.0, -1.0], Some((Inside, Feature::Vertex(1))));
        check([3.0, 2.0, 1.0], [3.0, 2.0, -1.0], None);
        check([1.0, 1.0, 1.0], [1.0, 1.0, 2.0], None);
    }

    #[test]
    fn in_the_plane() {
        use SegmentFeature::{End, Inside, Start};
        check([-1.0, 1.0, 0.0], [1.0, 1.0, 0.0], Some((Inside, Feature::Face)));
        check([-1.0, 1.0, 0.0], [0.0, 1.0, 0.0], Some((End, Feature::Edge(2))));
        check([1.0, 1.0, 0.0], [1.0, 1.0, 0.0], Some((Start, Feature::Face)));
        check([-1.0, 0.0, 0.0], [9.0, 0.0, 0.0], Some((Inside, Feature::Edge(0))));
        check([4.0, 0.0, 0.0], [9.0, 0.0, 0.0], Some((Start, Feature::Vertex(1))));
        check([5.0, 0.0, 0.0], [9.0, 0.0, 0.0], None);
        check([3.0, 2.0, 0.0], [9.0, 2.0, 0.0], None);
    }

    #[test]
    fn an_end_on_the_plane() {
        use SegmentFeature::{End, Start};
        check([1.0, 1.0, 0.0], [1.0, 1.0, 1.0], Some((Start, Feature::Face)));
        check([1.0, 1.0, 1.0], [4.0, 0.0, 0.0], Some((End, Feature::Vertex(1))));
        check([1.0, 1.0, 1.0], [4.0, 1.0, 0.0], None);
    }
}
