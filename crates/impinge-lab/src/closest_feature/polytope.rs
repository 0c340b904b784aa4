//! A solid hull with its edges and faces, and which of them are adjacent.

use std::collections::HashMap;

use anyhow::{Result, ensure};
use impinge::convex::Hull;
use impinge::internals::newell;
use impinge::{Pose, Vec3};

/// A vertex, an edge or a face, by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Feature {
    Vertex(u32),
    Edge(u32),
    Face(u32),
}

/// An edge: from its tail to its head, with the face to its left and the one to its right, seen
/// from outside.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) ends: [u32; 2],
    pub(super) faces: [u32; 2],
    direction: Vec3,
}

/// The boundary of a solid hull.
#[derive(Clone, Debug)]
pub(crate) struct Polytope {
    vertices: Vec<Vec3>,
    edges: Vec<Edge>,
    /// For each face its unit normal, one of its vertices, and its range in `face_edges`.
    faces: Vec<(Vec3, u32, std::ops::Range<usize>)>,
    face_edges: Vec<u32>,
    /// The range of each vertex in `vertex_edges`.
    vertex_ranges: Vec<std::ops::Range<usize>>,
    vertex_edges: Vec<u32>,
}

impl Polytope {
    /// The boundary of a hull, which must be solid.
    pub(crate) fn new(hull: &Hull) -> Result<Self> {
        ensure!(
            hull.dimension() == 3,
            "closest features need a hull of dimension 3, this one has dimension {}",
            hull.dimension()
        );
        let vertices = hull.vertices().to_vec();
        let mut numbers = HashMap::new();
        let mut edges: Vec<Edge> = Vec::new();
        let (mut faces, mut face_edges) = (Vec::new(), Vec::new());
        for (f, face) in hull.faces().enumerate() {
            let start = face_edges.len();
            for (i, tail) in face.iter().enumerate() {
                let head = face[(i + 1) % face.len()];
                let number = if let Some(number) = numbers.get(&(head, *tail)) {
                    *number
                } else {
                    let direction = vertices[head as usize] - vertices[*tail as usize];
                    numbers.insert((*tail, head), edges.len());
                    edges.push(Edge {
                        ends: [*tail, head],
                        faces: [0; 2],
                        direction: direction.normalize(),
                    });
                    edges.len() - 1
                };
                let side = usize::from(edges[number].ends[0] != *tail);
                edges[number].faces[side] = f as u32;
                face_edges.push(number as u32);
            }
            let normal = newell(face.iter().map(|v| vertices[*v as usize])).normalize();
            faces.push((normal, face[0], start..face_edges.len()));
        }
        let (mut vertex_ranges, mut vertex_edges) = (Vec::new(), Vec::new());
        let mut incident = vec![Vec::new(); vertices.len()];
        for (i, edge) in edges.iter().enumerate() {
            for end in edge.ends {
                incident[end as usize].push(i as u32);
            }
        }
        for mut list in incident {
            let start = vertex_edges.len();
            vertex_edges.append(&mut list);
            vertex_ranges.push(start..vertex_edges.len());
        }
        Ok(Self { vertices, edges, faces, face_edges, vertex_ranges, vertex_edges })
    }

    pub(super) fn feature_count(&self) -> usize {
        self.vertices.len() + self.edges.len() + self.faces.len()
    }
}

/// A polytope at its pose in the frame of the query.
#[derive(Clone, Copy, Debug)]
pub(super) struct View<'p> {
    pub(super) polytope: &'p Polytope,
    pub(super) pose: Option<&'p Pose>,
}

impl<'p> View<'p> {
    pub(super) fn vertex_count(&self) -> u32 {
        self.polytope.vertices.len() as u32
    }

    pub(super) fn vertex(&self, v: u32) -> Vec3 {
        let p = self.polytope.vertices[v as usize];
        self.pose.map_or(p, |pose| pose.transform_point(p))
    }

    fn rotated(&self, direction: Vec3) -> Vec3 {
        self.pose.map_or(direction, |pose| pose.transform_vector(direction))
    }

    pub(super) fn edge(&self, e: u32) -> &'p Edge {
        &self.polytope.edges[e as usize]
    }

    /// The unit vector from tail to head.
    pub(super) fn direction(&self, e: u32) -> Vec3 {
        self.rotated(self.edge(e).direction)
    }

    pub(super) fn segment(&self, e: u32) -> [Vec3; 2] {
        self.edge(e).ends.map(|v| self.vertex(v))
    }

    /// The edges at a vertex.
    pub(super) fn vertex_edges(&self, v: u32) -> &'p [u32] {
        &self.polytope.vertex_edges[self.polytope.vertex_ranges[v as usize].clone()]
    }

    /// The edges of a face.
    pub(super) fn face_edges(&self, f: u32) -> &'p [u32] {
        &self.polytope.face_edges[self.polytope.faces[f as usize].2.clone()]
    }

    pub(super) fn faces(&self) -> std::ops::Range<u32> {
        0..self.polytope.faces.len() as u32
    }

    /// The signed distance of `x` above a face.
    pub(super) fn height(&self, f: u32, x: Vec3) -> f64 {
        let (normal, v, _) = &self.polytope.faces[f as usize];
        self.rotated(*normal).dot(x - self.vertex(*v))
    }

    /// The signed distance of `x` from the Voronoi plane between a vertex and one of its edges,
    /// positive towards the edge.
    pub(super) fn beyond_vertex(&self, v: u32, e: u32, x: Vec3) -> f64 {
        let out = if self.edge(e).ends[0] == v { 1.0 } else { -1.0 };
        self.direction(e).dot(x - self.vertex(v)) * out
    }

    /// The signed distance of `x` from the Voronoi plane between a face and one of its edges,
    /// positive towards the edge.
    pub(super) fn beyond_face_edge(&self, f: u32, e: u32, x: Vec3) -> f64 {
        let edge = self.edge(e);
        let along = if edge.faces[0] == f { 1.0 } else { -1.0 };
        let normal = self.rotated(self.polytope.faces[f as usize].0);
        self.direction(e).cross(normal).dot(x - self.vertex(edge.ends[0])) * along
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cube_has_its_vertices_edges_and_faces() {
        let corners: Vec<Vec3> = (0..8_u32)
            .map(|i| Vec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)))
            .collect();
        let cube = Polytope::new(&Hull::new(&corners).unwrap()).unwrap();
        assert_eq!((cube.vertices.len(), cube.edges.len(), cube.faces.len()), (8, 12, 6));
        let view = View { polytope: &cube, pose: None };
        for f in view.faces() {
            assert!((view.height(f, Vec3::splat(0.5)) + 0.5).abs() < 1e-15);
            assert_eq!(view.face_edges(f).len(), 4);
            for e in view.face_edges(f) {
                assert!((view.beyond_face_edge(f, *e, Vec3::splat(0.5)) + 0.5).abs() < 1e-15);
                assert!(view.edge(*e).faces.contains(&f));
            }
        }
        for v in 0..8 {
            assert_eq!(view.vertex_edges(v).len(), 3);
            for e in view.vertex_edges(v) {
                assert!((view.beyond_vertex(v, *e, Vec3::splat(0.5)) - 0.5).abs() < 1e-15);
            }
        }
        assert!(Polytope::new(&Hull::new(&corners[..3]).unwrap()).is_err());
    }
}
