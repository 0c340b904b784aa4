//! The edges that are drawn: creases, borders and silhouettes.

use std::cmp::Ordering;

use impinge::{Mesh, Vec3};
use rayon::prelude::*;

use super::camera::Camera;

/// Two faces form a crease if the angle between their normals exceeds 30 degrees. This is its
/// cosine.
const CREASE_COS: f64 = 0.866_025_403_784_438_6;

/// An edge of a mesh that may have to be drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    /// The vertices of the mesh at its ends.
    pub(crate) ends: [u32; 2],
    kind: EdgeKind,
}

#[derive(Clone, Copy, Debug)]
enum EdgeKind {
    /// Drawn in every view: a crease, a border, or an edge of more than two faces.
    Always,
    /// Drawn if one of its faces is front-facing and the other back-facing. With the normals of the
    /// two faces.
    Silhouette([Vec3; 2]),
}

impl Edge {
    /// Whether the edge is drawn for a viewer that looks along `view`, in the mesh's frame.
    pub(crate) fn is_visible(&self, view: Vec3) -> bool {
        match self.kind {
            EdgeKind::Always => true,
            EdgeKind::Silhouette([m, n]) => (m.dot(view) > 0.0) != (n.dot(view) > 0.0),
        }
    }
}

/// One side of a face: the two vertices, the smaller index first; the face; and whether the face
/// has the vertices in the opposite order.
type Side = (u32, u32, u32, bool);

/// The edges of `mesh` that may have to be drawn. Vertices with equal coordinates count as one, so
/// a triangle soup has the same creases as an indexed mesh. Faces of zero area are ignored.
pub(crate) fn edges(mesh: &Mesh, camera: &Camera) -> Vec<Edge> {
    let merged = first_with_same_position(mesh.vertices());
    let normals: Vec<Vec3> = (0..mesh.triangles().len())
        .into_par_iter()
        .map(|i| {
            let [a, b, c] = mesh.triangle(i);
            camera.unitless(b - a).cross(camera.unitless(c - a)).normalize_or_zero()
        })
        .collect();
    let mut sides: Vec<Side> = Vec::with_capacity(3 * normals.len());
    for (i, t) in mesh.triangles().iter().enumerate() {
        if normals[i] == Vec3::ZERO {
            continue;
        }
        for (a, b) in [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])] {
            let (a, b) = (merged[a as usize], merged[b as usize]);
            if a != b {
                sides.push((a.min(b), a.max(b), i as u32, a > b));
            }
        }
    }
    sides.par_sort_unstable();
    sides
        .chunk_by(|x, y| (x.0, x.1) == (y.0, y.1))
        .filter_map(|group| edge(group, &normals))
        .collect()
}

fn edge(group: &[Side], normals: &[Vec3]) -> Option<Edge> {
    let ends = [group[0].0, group[0].1];
    let [first, second] = group else {
        return Some(Edge { ends, kind: EdgeKind::Always });
    };
    let m = normals[first.2 as usize];
    // Two faces that have the edge in the same direction have opposite winding. One normal is
    // reversed for the comparison.
    let n = normals[second.2 as usize] * if first.3 == second.3 { -1.0 } else { 1.0 };
    match m.dot(n) {
        cos if cos < CREASE_COS => Some(Edge { ends, kind: EdgeKind::Always }),
        // Both faces are in one plane: no view shows them from different sides.
        cos if cos > 1.0 - 1e-12 => None,
        _ => Some(Edge { ends, kind: EdgeKind::Silhouette([m, n]) }),
    }
}

/// For every vertex, the one with the smallest index that has the same position.
fn first_with_same_position(vertices: &[Vec3]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..vertices.len() as u32).collect();
    let compare = |a: &u32, b: &u32| -> Ordering {
        let (p, q) = (vertices[*a as usize] + Vec3::ZERO, vertices[*b as usize] + Vec3::ZERO);
        p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)).then(p.z.total_cmp(&q.z))
    };
    order.par_sort_unstable_by(|a, b| compare(a, b).then(a.cmp(b)));
    let mut first = vec![0; vertices.len()];
    for group in order.chunk_by(|a, b| compare(a, b).is_eq()) {
        for v in group {
            first[*v as usize] = group[0];
        }
    }
    first
}

#[cfg(test)]
mod tests {
    use super::super::camera::{Axis, View, Viewport};
    use super::*;
    use impinge::scene::Scene;

    fn camera() -> Camera {
        let port = Viewport { x: 0.0, y: 0.0, width: 10.0, height: 10.0 };
        Camera::fit(&Scene::new(), View::Iso, Axis::Z, port)
    }

    /// A cube of two triangles per side, no triangle sharing a vertex with another.
    fn cube_soup() -> Mesh {
        let corner = |i: u32| Vec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2));
        let quads =
            [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let corners: Vec<Vec3> =
            quads.iter().flat_map(|q| [q[0], q[1], q[2], q[0], q[2], q[3]]).map(corner).collect();
        let triangles = (0..12).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        Mesh::from_triangles(corners, triangles).unwrap()
    }

    #[test]
    fn a_cube_has_twelve_edges_and_no_diagonals() {
        let mesh = cube_soup();
        let edges = edges(&mesh, &camera());
        assert_eq!(edges.len(), 12);
        for e in edges {
            let [a, b] = e.ends.map(|v| mesh.vertices()[v as usize]);
            assert_eq!(a.distance(b), 1.0);
            assert!(e.is_visible(Vec3::X));
        }
    }

    #[test]
    fn a_shallow_ridge_is_drawn_only_as_a_silhouette() {
        let ridge = Mesh::from_triangles(
            vec![Vec3::ZERO, Vec3::Y, Vec3::new(1.0, 0.5, -0.1), Vec3::new(-1.0, 0.5, -0.1)],
            vec![[0, 2, 1], [0, 1, 3]],
        )
        .unwrap();
        let edges = edges(&ridge, &camera());
        assert_eq!(edges.len(), 5);
        let crest = edges.iter().find(|e| e.ends == [0, 1]).unwrap();
        assert!(!crest.is_visible(-Vec3::Z) && crest.is_visible(Vec3::X));
        assert_eq!(edges.iter().filter(|e| e.is_visible(-Vec3::Z)).count(), 4, "the border");
    }

    #[test]
    fn degenerate_faces_add_no_edges() {
        let flat = Mesh::from_triangles(
            vec![Vec3::ZERO, Vec3::X, Vec3::X * 2.0],
            vec![[0, 1, 2], [0, 0, 1]],
        );
        assert!(edges(&flat.unwrap(), &camera()).is_empty());
    }
}
