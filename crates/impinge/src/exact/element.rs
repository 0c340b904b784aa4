//! The convex set that three corners span: a triangle, a segment or a point.

use std::cmp::Ordering;

use super::filter_counter::FilterCounter;
use super::orient::turn;
use super::{Feature, Sign};
use crate::arrays::MapEach;
use crate::math::Vec3;

/// The two coordinates left when `axis` is dropped, in the order that keeps orientations as seen
/// along that axis.
#[inline]
pub(super) fn project(v: Vec3, axis: usize) -> [f64; 2] {
    match axis {
        0 => [v.y, v.z],
        1 => [v.z, v.x],
        _ => [v.x, v.y],
    }
}

/// The order of two points by x, then y, then z. For the points of one line it is their order along
/// the line.
pub(super) fn lexicographic(p: Vec3, q: Vec3) -> Ordering {
    let compare = |a: f64, b: f64| a.partial_cmp(&b).unwrap_or(Ordering::Equal);
    compare(p.x, q.x).then(compare(p.y, q.y)).then(compare(p.z, q.z))
}

/// An axis along which the triangle projects to one of positive area, and the orientation of the
/// projection; `None` for zero area.
pub(super) fn projection_axis(
    points: [Vec3; 3],
    counter: &mut impl FilterCounter,
) -> Option<(usize, Sign)> {
    // The largest component of the normal first: its sign is certain after the filter for almost
    // every triangle.
    let normal = (points[1] - points[0]).cross(points[2] - points[0]).abs();
    let first = if normal.z >= normal.x && normal.z >= normal.y {
        2
    } else if normal.y >= normal.x {
        1
    } else {
        0
    };
    [first, (first + 1) % 3, (first + 2) % 3].into_iter().find_map(|axis| {
        let [a, b, c] = points.map_each(|p| project(p, axis));
        let orientation = turn(a, b, c, counter);
        (!orientation.is_zero()).then_some((axis, orientation))
    })
}

/// A part of an element, in the element's own numbering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Vertex(usize),
    Edge(usize),
    /// The element without its boundary.
    Inside,
}

/// The convex hull of three points, by the smallest number of them that span it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Element<'a> {
    /// The caller's corners.
    pub(super) corners: &'a [Vec3; 3],
    /// How many vertices span it: 3 for a triangle, 2 for a segment, 1 for a point.
    pub(super) count: usize,
    /// The caller's number of each vertex. For a segment the remaining corner follows the two
    /// vertices.
    pub(super) index: [usize; 3],
    /// The number of the side that is the whole segment; for a segment only.
    whole_side: u8,
    /// An axis to project along and the orientation of that projection; for a triangle only.
    pub(super) axis: usize,
    pub(super) orientation: Sign,
}

impl<'a> Element<'a> {
    /// The convex hull of the three corners.
    pub(super) fn new(corners: &'a [Vec3; 3], counter: &mut impl FilterCounter) -> Self {
        if let Some((axis, orientation)) = projection_axis(*corners, counter) {
            return Self { corners, count: 3, index: [0, 1, 2], whole_side: 0, axis, orientation };
        }
        // If corners coincide, the one with the lowest number is used.
        let (mut low, mut high) = (0, 0);
        for i in 1..3 {
            if lexicographic(corners[i], corners[low]) == Ordering::Less {
                low = i;
            }
            if lexicographic(corners[i], corners[high]) == Ordering::Greater {
                high = i;
            }
        }
        if low == high {
            let index = [0, 1, 2];
            let orientation = Sign::Zero;
            return Self { corners, count: 1, index, whole_side: 0, axis: 0, orientation };
        }
        let ends = [corners[low], corners[high]];
        let whole_side = (0..3).find(|&i| {
            let side = [corners[i], corners[(i + 1) % 3]];
            side == ends || side == [ends[1], ends[0]]
        });
        Self {
            corners,
            count: 2,
            index: [low, high, 3 - low - high],
            whole_side: whole_side.unwrap_or(0) as u8,
            axis: 0,
            orientation: Sign::Zero,
        }
    }

    /// The position of a vertex.
    pub(super) fn vertex(&self, i: usize) -> Vec3 {
        self.corners[self.index[i]]
    }

    /// The number of directed edges: three of a triangle, two of a segment (one in each direction),
    /// none of a point.
    pub(super) fn edge_count(&self) -> usize {
        if self.count == 1 { 0 } else { self.count }
    }

    /// The vertices of a directed edge.
    pub(super) fn edge(&self, e: usize) -> [usize; 2] {
        [e, (e + 1) % self.count]
    }

    /// The caller's corners of a directed edge.
    pub(super) fn edge_corners(&self, e: usize) -> [usize; 2] {
        self.edge(e).map_each(|i| self.index[i])
    }

    /// The side of edge `e` on which `p` lies in the projection along `axis`: positive inside, for
    /// a triangle whose projection has the orientation `self.orientation`, and to the left for a
    /// segment.
    pub(super) fn side_of_edge(
        &self,
        e: usize,
        p: Vec3,
        axis: usize,
        counter: &mut impl FilterCounter,
    ) -> Sign {
        let [i, j] = self.edge(e).map_each(|i| project(self.vertex(i), axis));
        let sign = turn(i, j, project(p, axis), counter);
        if self.orientation == Sign::Negative { -sign } else { sign }
    }

    /// The same triangle, to be projected along `axis`.
    pub(super) fn projected_along(self, axis: usize, counter: &mut impl FilterCounter) -> Self {
        let [a, b, c] = self.corners.map_each(|p| project(p, axis));
        Self { axis, orientation: turn(a, b, c, counter), ..self }
    }

    /// One vertex of the element, as an element.
    pub(super) fn single_vertex(self, i: usize) -> Self {
        Self { count: 1, index: [self.index[i]; 3], ..self }
    }

    /// The part in the caller's numbering. The inside of a segment is the side that is the whole
    /// segment, a point is its first corner.
    pub(super) fn feature(&self, part: Part) -> Feature {
        match (part, self.count) {
            (Part::Vertex(i), _) => Feature::Vertex(self.index[i] as u8),
            (Part::Inside, 1) => Feature::Vertex(0),
            (_, 2) => Feature::Edge(self.whole_side),
            (Part::Edge(e), _) => Feature::Edge(e as u8),
            (Part::Inside, _) => Feature::Face,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn element(corners: &[Vec3; 3]) -> Element<'_> {
        Element::new(corners, &mut ())
    }

    #[test]
    fn independent_corners_make_a_triangle() {
        assert_eq!(element(&[Vec3::X, Vec3::Y, Vec3::Z]).count, 3);
        // Zero area in two of the three projections.
        assert_eq!(element(&[Vec3::ZERO, Vec3::Y, Vec3::Z]).count, 3);
    }

    #[test]
    fn corners_on_a_line_make_a_segment() {
        let v = |t: f64| Vec3::new(1.0, 2.0, 4.0) * t;
        let corners = [v(1.0), v(3.0), v(-1.0)];
        let e = element(&corners);
        assert_eq!((e.count, e.index), (2, [2, 1, 0]));
        assert_eq!(e.feature(Part::Inside), Feature::Edge(1));
        assert_eq!(e.feature(Part::Vertex(0)), Feature::Vertex(2));
    }

    #[test]
    fn coincident_corners_have_the_lowest_number() {
        let corners = [Vec3::Y, Vec3::X, Vec3::Y];
        let e = element(&corners);
        assert_eq!((e.count, e.index[0], e.index[1]), (2, 0, 1));
        assert_eq!(e.feature(Part::Inside), Feature::Edge(0));
        let point = [Vec3::X; 3];
        let e = element(&point);
        assert_eq!((e.count, e.feature(Part::Inside)), (1, Feature::Vertex(0)));
    }

    #[test]
    fn nearly_on_a_line_is_a_triangle() {
        let up = f64::from_bits(0.3_f64.to_bits() + 1);
        let corners = [Vec3::splat(0.1), Vec3::splat(0.2), Vec3::new(0.3, 0.3, up)];
        assert_eq!(element(&corners).count, 3);
    }
}
