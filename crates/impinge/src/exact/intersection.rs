//! The set that two triangles share, as rounded points.

use super::corner::Outline;
use super::element::Element;
use super::overlap::overlap;
use super::{HitKind, triangle};
use crate::arrays::MapEach;
use crate::math::Vec3;

/// How two triangles meet, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct Intersection {
    /// How they meet.
    pub kind: HitKind,
    /// The set of points they share.
    pub set: SharedSet,
}

/// The set two triangles share, in the frame of their coordinates.
///
/// Its kind and its number of corners are exact. A corner that is a vertex of one of the triangles
/// has that vertex's coordinates, bit for bit (those of A's vertex, if it is one of both). Another
/// corner lies on an edge of one of them: each of its coordinates is within half a unit in the last
/// place plus `2^-60` of the edge's extent in that coordinate, even for badly conditioned input,
/// and within the edge's box. Corners that differ may round to the same point.
#[derive(Clone, Debug, PartialEq)]
pub enum SharedSet {
    /// One point.
    Point(Vec3),
    /// A segment of positive length, by its ends.
    Segment(Vec3, Vec3),
    /// A convex polygon of positive area with 3 to 6 corners, in the orientation of A.
    Polygon(Vec<Vec3>),
}

impl Intersection {
    /// A common point of the triangles, rounded: the point, the middle of the segment, or the mean
    /// of the corners.
    #[must_use]
    pub fn point(&self) -> Vec3 {
        match &self.set {
            SharedSet::Point(p) => *p,
            SharedSet::Segment(p, q) => *p + (*q - *p) * 0.5,
            SharedSet::Polygon(corners) => {
                let Some(first) = corners.first() else {
                    return Vec3::ZERO;
                };
                let offsets: Vec3 = corners.iter().map(|p| *p - *first).sum();
                *first + offsets / corners.len() as f64
            }
        }
    }
}

/// How and where the closed triangles `a` and `b` meet; `None` if they share no point.
///
/// The kind is that of [`triangle_triangle`](super::triangle_triangle). Both triangles are in
/// the same frame.
///
/// ```
/// use impinge::Vec3;
/// use impinge::exact::{SharedSet, triangle_intersection};
///
/// let floor = [Vec3::ZERO, Vec3::new(4.0, 0.0, 0.0), Vec3::new(0.0, 4.0, 0.0)];
/// let wall = [Vec3::new(1.0, -1.0, -1.0), Vec3::new(1.0, 9.0, -1.0), Vec3::new(1.0, 1.0, 3.0)];
/// let shared = triangle_intersection(&floor, &wall).unwrap();
/// let ends = SharedSet::Segment(Vec3::new(1.0, 0.0, 0.0), Vec3::new(1.0, 3.0, 0.0));
/// assert_eq!(shared.set, ends);
/// assert_eq!(shared.point(), Vec3::new(1.0, 1.5, 0.0));
/// ```
#[must_use]
pub fn triangle_intersection(a: &[Vec3; 3], b: &[Vec3; 3]) -> Option<Intersection> {
    let (kind, outline) = triangle::intersect(a, b, &mut ())?;
    let set = match outline {
        Outline::Point(p) => SharedSet::Point(p.position(a, b)),
        Outline::Segment(p, q) => SharedSet::Segment(p.position(a, b), q.position(a, b)),
        Outline::Area { axis } => {
            let [of_a, of_b] =
                [a, b].map_each(|t| Element::new(t, &mut ()).projected_along(axis, &mut ()));
            let corners = overlap(&of_a, &of_b, axis, &mut ());
            SharedSet::Polygon(corners.into_iter().map(|c| c.position(a, b)).collect())
        }
    };
    Some(Intersection { kind, set })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::Feature;

    fn share(a: [[f64; 3]; 3], b: [[f64; 3]; 3]) -> Option<Intersection> {
        triangle_intersection(&a.map(Vec3::from), &b.map(Vec3::from))
    }

    #[test]
    fn two_opposite_triangles_share_a_hexagon() {
        let a = [[0.0, 0.0, 1.0], [6.0, 0.0, 1.0], [3.0, 6.0, 1.0]];
        let b = a.map(|[x, y, z]| [x, 4.0 - y, z]);
        let shared = share(a, b).unwrap();
        assert_eq!(shared.kind, HitKind::Coplanar);
        let SharedSet::Polygon(corners) = &shared.set else {
            panic!("{shared:?}");
        };
        let expected = [[2.0, 0.0], [4.0, 0.0], [5.0, 2.0], [4.0, 4.0], [2.0, 4.0], [1.0, 2.0]];
        let expected: Vec<Vec3> = expected.iter().map(|[x, y]| Vec3::new(*x, *y, 1.0)).collect();
        let start = expected.iter().position(|p| *p == corners[0]).unwrap();
        let rotated: Vec<Vec3> = (0..6).map(|i| expected[(start + i) % 6]).collect();
        assert_eq!(*corners, rotated);
        assert_eq!(shared.point(), Vec3::new(3.0, 2.0, 1.0));
    }

    #[test]
    fn polygon_has_the_orientation_of_the_first_triangle() {
        let a = [[0.0, 0.0, 0.0], [0.0, 4.0, 0.0], [4.0, 0.0, 0.0]];
        let b = [[1.0, 1.0, 0.0], [9.0, 1.0, 0.0], [1.0, 9.0, 0.0]];
        let shared = share(a, b).unwrap();
        let SharedSet::Polygon(corners) = &shared.set else {
            panic!("{shared:?}");
        };
        assert_eq!(corners.len(), 3);
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
        assert!(normal.z < 0.0);
    }

    #[test]
    fn a_triangle_and_its_reverse_share_the_whole_triangle() {
        let a = [[0.1, 0.2, 0.3], [1.7, 0.4, -0.2], [-0.3, 2.1, 0.6]];
        let shared = share(a, [a[2], a[1], a[0]]).unwrap();
        assert_eq!(shared.set, SharedSet::Polygon(a.map(Vec3::from).to_vec()));
    }

    #[test]
    fn a_vertex_is_returned_unchanged() {
        let a = [[-0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
        let b = [[0.0, 0.0, 0.0], [-4.0, 0.0, 1.0], [0.0, -4.0, 1.0]];
        let shared = share(a, b).unwrap();
        let vertices =
            HitKind::Touching { feature_a: Feature::Vertex(0), feature_b: Feature::Vertex(0) };
        assert_eq!(shared.kind, vertices);
        assert!(shared.point().x.is_sign_negative());
    }

    #[test]
    fn apart_is_none() {
        let a = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        assert_eq!(share(a, a.map(|[x, y, z]| [x, y, z + 5e-324])), None);
    }
}
