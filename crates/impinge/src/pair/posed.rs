//! A mesh in the common frame of a query.

use std::borrow::Cow;

use crate::math::{Aabb, Pose, Vec3};
use crate::mesh::Mesh;

/// A mesh with its vertices in the frame of the query: transformed once, by
/// [`Pose::transform_point`].
#[derive(Clone, Debug)]
pub struct Posed<'a> {
    mesh: &'a Mesh,
    pose: Pose,
    vertices: Cow<'a, [Vec3]>,
    bounds: Aabb,
}

impl<'a> Posed<'a> {
    /// The mesh at `pose`. At the identity the vertices are borrowed.
    #[must_use]
    pub fn new(mesh: &'a Mesh, pose: &Pose) -> Self {
        if *pose == Pose::IDENTITY {
            let vertices = Cow::Borrowed(mesh.vertices());
            return Self { mesh, pose: *pose, vertices, bounds: mesh.bounds() };
        }
        let vertices: Vec<Vec3> =
            mesh.vertices().iter().map(|v| pose.transform_point(*v)).collect();
        let used = mesh.used_vertices().iter();
        let bounds = Aabb::from_points(used.map(|v| vertices[*v as usize]));
        Self { mesh, pose: *pose, vertices: Cow::Owned(vertices), bounds }
    }

    /// As [`new`](Self::new), from vertices that were moved before, and the tight box of the
    /// triangles.
    #[must_use]
    pub(crate) fn from_moved(
        mesh: &'a Mesh,
        pose: &Pose,
        vertices: &'a [Vec3],
        bounds: Aabb,
    ) -> Self {
        debug_assert_eq!(vertices.len(), mesh.vertices().len());
        Self { mesh, pose: *pose, vertices: Cow::Borrowed(vertices), bounds }
    }

    /// The mesh itself, in its own frame.
    #[must_use]
    pub fn mesh(&self) -> &'a Mesh {
        self.mesh
    }

    /// The pose of the mesh in the frame of the query.
    #[must_use]
    pub fn pose(&self) -> &Pose {
        &self.pose
    }

    /// All vertices, in the frame of the query.
    #[must_use]
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// The tight box around all triangles, in the frame of the query.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// The number of triangles.
    #[must_use]
    pub fn len(&self) -> usize {
        self.mesh.triangles().len()
    }

    /// Whether there are no triangles.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.mesh.triangles().is_empty()
    }

    /// The corners of a triangle, in the frame of the query.
    #[inline]
    #[must_use]
    pub fn triangle(&self, index: u32) -> [Vec3; 3] {
        let [p, q, r] = self.mesh.triangles()[index as usize];
        [self.vertices[p as usize], self.vertices[q as usize], self.vertices[r as usize]]
    }

    /// The box of a triangle, in the frame of the query.
    #[inline]
    #[must_use]
    pub fn triangle_bounds(&self, index: u32) -> Aabb {
        let [p, q, r] = self.triangle(index);
        Aabb { min: p.min(q).min(r), max: p.max(q).max(r) }
    }

    /// All triangles, in the frame of the query.
    #[cfg(any(test, feature = "internals"))]
    pub fn triangles(&self) -> impl Iterator<Item = [Vec3; 3]> + '_ {
        self.mesh.triangles().iter().map(|t| t.map(|v| self.vertices[v as usize]))
    }

    /// The triangles whose boxes overlap `region`, with those boxes: the collecting phase of
    /// Zachmann 1994, section 3.2.
    #[must_use]
    pub fn collect(&self, region: &Aabb) -> Vec<(u32, Aabb)> {
        if !self.bounds.overlaps(region) {
            return Vec::new();
        }
        (0..self.mesh.triangles().len() as u32)
            .map(|i| (i, self.triangle_bounds(i)))
            .filter(|(_, bounds)| bounds.overlaps(region))
            .collect()
    }
}
