//! The faces of a hull as rounded planes, with a bound of the rounding error.

use crate::convex::Hull;
use crate::math::{Aabb, Vec3, newell};

/// Bound of the rounding error of a height over a plane, for coordinates at most two in size.
pub(super) const ROUNDING: f64 = 32.0 * f64::EPSILON;

/// A half-space `normal . x <= offset` that contains a hull, up to [`ROUNDING`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Plane {
    /// Of length one, up to rounding.
    pub(super) normal: Vec3,
    pub(super) offset: f64,
}

impl Plane {
    /// The half-space on the other side of the plane.
    pub(super) fn flipped(&self) -> Self {
        Self { normal: -self.normal, offset: -self.offset }
    }

    /// How far below the plane `p` is.
    pub(super) fn depth(&self, p: Vec3) -> f64 {
        self.offset - self.normal.dot(p)
    }

    /// How far below the plane the lowest point of a box is.
    pub(super) fn max_depth_in_box(&self, center: Vec3, half: Vec3) -> f64 {
        self.depth(center) + self.normal.abs().dot(half)
    }

    /// How far below the plane the highest point of a box is.
    pub(super) fn min_depth_in_box(&self, center: Vec3, half: Vec3) -> f64 {
        self.depth(center) - self.normal.abs().dot(half)
    }
}

/// The planes of all faces, and of the sides of flat hulls. A normal that is inaccurate because of
/// rounding still gives a half-space that contains the hull, as the offset is that of the furthest
/// vertex.
pub(super) fn planes(hull: &Hull) -> Vec<Plane> {
    let mut normals: Vec<Vec3> = hull
        .faces()
        .filter_map(|face| {
            newell(face.iter().map(|v| hull.vertices()[*v as usize])).try_normalize()
        })
        .collect();
    let edge = |a: u32, b: u32| {
        (hull.vertices()[b as usize] - hull.vertices()[a as usize]).try_normalize()
    };
    match hull.dimension() {
        3 => {}
        2 => {
            // The sides of the polygon.
            let up = normals.first().copied().unwrap_or(Vec3::Z);
            let face = hull.face(0);
            let sides = (0..face.len()).filter_map(|i| edge(face[i], face[(i + 1) % face.len()]));
            normals.extend(sides.filter_map(|side| side.cross(up).try_normalize()));
        }
        _ => {
            let along = if hull.dimension() == 1 { edge(0, 1) } else { None }.unwrap_or(Vec3::X);
            let (u, v) = along.any_orthonormal_pair();
            normals.extend([along, u, v, -along, -u, -v]);
        }
    }
    let mut climb = crate::convex::Climb::default();
    let mut vertex = 0;
    normals
        .into_iter()
        .map(|normal| {
            vertex = hull.climb(normal, vertex, &mut climb);
            Plane { normal, offset: normal.dot(hull.vertices()[vertex as usize]) }
        })
        .collect()
}

/// The volume of a hull and the area of its surface, rounded.
pub(super) fn volume_and_area(hull: &Hull) -> (f64, f64) {
    let mut volume = 0.0;
    let mut area = 0.0;
    let base = hull.vertices()[0];
    for face in hull.faces() {
        let corner = |i: usize| hull.vertices()[face[i] as usize] - base;
        let a = corner(0);
        for i in 2..face.len() {
            let (b, c) = (corner(i - 1), corner(i));
            volume += a.dot(b.cross(c));
            area += (b - a).cross(c - a).length();
        }
    }
    (volume / 6.0, area / 2.0)
}

/// The box of a hull.
pub(super) fn bounds(hull: &Hull) -> Aabb {
    Aabb::from_points(hull.vertices().iter().copied())
}
