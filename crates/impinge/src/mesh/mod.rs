//! Triangle meshes.

use crate::error::{Error, ErrorKind};
use crate::math::{Aabb, Vec3, check_range};

/// A triangle mesh.
#[derive(Clone, Debug)]
pub struct Mesh {
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    bounds: Aabb,
}

impl Mesh {
    /// A mesh of indexed triangles.
    ///
    /// # Errors
    /// Bad coordinates or indices.
    pub fn from_triangles(vertices: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Result<Self, Error> {
        for (i, v) in vertices.iter().enumerate() {
            check_range(*v, || format!("vertex {i}"))?;
        }
        for (i, t) in triangles.iter().enumerate() {
            if let Some(bad) = t.iter().find(|v| **v as usize >= vertices.len()) {
                return Err(Error::new(
                    ErrorKind::IndexOutOfBounds,
                    format!("triangle {i} names vertex {bad} of {}", vertices.len()),
                ));
            }
        }
        let bounds = Aabb::from_points(triangles.iter().flatten().map(|v| vertices[*v as usize]));
        Ok(Self { vertices, triangles, bounds })
    }

    /// The vertices, in the mesh's own frame.
    #[must_use]
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// The triangles, as indices into the vertices.
    #[must_use]
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The corners of one triangle.
    #[must_use]
    pub fn triangle(&self, index: usize) -> [Vec3; 3] {
        self.triangles[index].map(|v| self.vertices[v as usize])
    }

    /// The box around all triangles.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }
}
