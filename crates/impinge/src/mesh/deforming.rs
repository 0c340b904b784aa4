//! A mesh whose vertices move, with a tree that is refitted.

use std::sync::{Arc, OnceLock};

use super::Mesh;
use crate::error::{Error, ErrorKind};
use crate::math::{Aabb, Vec3, check_range};
use crate::tree::{Refitted, TreeRefitState};

/// When a deforming mesh rebuilds parts of its tree.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct DeformOptions {
    /// A part of the tree is rebuilt when the surface area of its boxes, relative to that of the
    /// box around them, has grown by this factor since it was built. At least one; infinity
    /// disables rebuilds. Small values keep queries fast, large values keep moves cheap; results
    /// are the same.
    pub rebuild_at: f64,
}

impl Default for DeformOptions {
    /// Rebuilds at a factor of 1.5; `docs/results/deformation.md` compares other values.
    fn default() -> Self {
        Self { rebuild_at: 1.5 }
    }
}

impl DeformOptions {
    /// Sets [`rebuild_at`](Self#structfield.rebuild_at).
    #[must_use]
    pub fn rebuild_at(mut self, rebuild_at: f64) -> Self {
        self.rebuild_at = rebuild_at;
        self
    }
}

/// A mesh whose vertices move while its polygons stay: cloth, a flexible hose, an animated body.
///
/// [`Deforming::mesh`] is an ordinary mesh at all times, for every query, and results are exact for
/// the current vertices. Each move refits its tree, or only the part around the moved vertices if
/// they are few, and rebuilds the parts that have become slow. For a mesh that only moves rigidly,
/// pass another pose to the queries instead.
///
/// ```
/// use impinge::{Deforming, Pose, Vec3, shapes};
///
/// let floor = shapes::cuboid([9.0, 9.0, 1.0])?;
/// let mut ball = Deforming::new(shapes::icosphere(1.0, 8)?);
/// let at = Pose::from_translation([0.0, 0.0, 1.45])?; // the ball penetrates the floor by 0.05
/// assert!(impinge::intersects(&floor, ball.mesh(), &at).is_intersecting());
///
/// let vertices = ball.mesh().vertices().iter();
/// let pressed: Vec<Vec3> = vertices.map(|v| v.with_z(v.z.max(-0.9))).collect();
/// ball.move_all(&pressed)?;
/// assert!(!impinge::intersects(&floor, ball.mesh(), &at).is_intersecting());
/// # Ok::<(), impinge::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Deforming {
    mesh: Mesh,
    tree_state: TreeRefitState,
    vertex_triangles: OnceLock<VertexTriangles>,
}

/// The data of a [`Deforming`] in addition to its mesh: the quality of the tree when it was built,
/// and the triangles at each vertex.
#[derive(Clone, Debug)]
pub(crate) struct MeshRefitState {
    tree_state: TreeRefitState,
    vertex_triangles: OnceLock<VertexTriangles>,
}

impl Deforming {
    /// A deforming mesh with the default options. Builds the tree of the mesh if it has none yet.
    #[must_use]
    pub fn new(mesh: Mesh) -> Self {
        Self::make(mesh, DeformOptions::default().rebuild_at)
    }

    /// A deforming mesh with the given options. Builds the tree of the mesh if it has none yet.
    ///
    /// # Errors
    /// If [`DeformOptions::rebuild_at`] is less than one or not a number.
    pub fn with_options(mesh: Mesh, options: &DeformOptions) -> Result<Self, Error> {
        let limit = options.rebuild_at;
        if limit.is_nan() || limit < 1.0 {
            return Err(Error::new(
                ErrorKind::BadParameter,
                format!("rebuild_at is {limit}; it must be at least one"),
            ));
        }
        Ok(Self::make(mesh, limit))
    }

    fn make(mesh: Mesh, limit: f64) -> Self {
        let tree_state = TreeRefitState::new(mesh.tree(), &mesh, limit);
        Self { mesh, tree_state, vertex_triangles: OnceLock::new() }
    }

    /// Restores a deforming mesh from the result of [`into_parts`](Self::into_parts).
    pub(crate) fn from_parts(mesh: Mesh, state: MeshRefitState) -> Self {
        let MeshRefitState { tree_state, vertex_triangles } = state;
        Self { mesh, tree_state, vertex_triangles }
    }

    /// The mesh, and the state that further moves need.
    pub(crate) fn into_parts(self) -> (Mesh, MeshRefitState) {
        let Self { mesh, tree_state, vertex_triangles } = self;
        (mesh, MeshRefitState { tree_state, vertex_triangles })
    }

    /// The mesh with its current vertices.
    #[must_use]
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// The mesh with its current vertices and tree.
    #[must_use]
    pub fn into_mesh(self) -> Mesh {
        self.mesh
    }

    /// Replaces all vertices. If fewer than a quarter of them change, only the parts of the tree
    /// around those are refitted.
    ///
    /// # Errors
    /// If the number of vertices differs, or a coordinate is not finite or too large. The mesh is
    /// then unchanged.
    pub fn move_all(&mut self, vertices: &[Vec3]) -> Result<Refitted, Error> {
        self.mesh.check_replacement(vertices)?;
        let moved: Vec<u32> = (0..vertices.len() as u32)
            .filter(|v| vertices[*v as usize] != self.mesh.vertices[*v as usize])
            .collect();
        self.mesh.vertices.copy_from_slice(vertices);
        let used = self.mesh.connectivity.used().iter();
        self.mesh.bounds = Aabb::from_points(used.map(|v| vertices[*v as usize]));
        let is_partial = 4 * moved.len() < vertices.len();
        Ok(self.refit_tree(is_partial.then_some(&*moved)))
    }

    /// Moves some vertices, given as pairs of index and new position; the last entry for a vertex
    /// counts. Takes time in proportion to the number of triangles at the moved vertices, except
    /// for the first call, for calls that may change the bounds of the mesh, and for calls after
    /// which the frame of the tree no longer suits the mesh: these take time in proportion to the
    /// mesh.
    ///
    /// # Errors
    /// If there is no such vertex, or a coordinate is not finite or too large. The mesh is then
    /// unchanged.
    ///
    /// ```
    /// use impinge::{Deforming, ErrorKind, Vec3, shapes};
    ///
    /// let mut cube = Deforming::new(shapes::cuboid([1.0, 1.0, 1.0])?);
    /// let corner = cube.mesh().vertices()[3];
    /// cube.move_some(&[(3, 2.0 * corner)])?;
    /// assert_eq!(cube.mesh().tree().validate(cube.mesh()), Ok(()));
    /// assert_eq!(cube.move_some(&[(3, Vec3::NAN)]).unwrap_err().kind(), ErrorKind::NotFinite);
    /// # Ok::<(), impinge::Error>(())
    /// ```
    pub fn move_some(&mut self, moved: &[(u32, Vec3)]) -> Result<Refitted, Error> {
        let count = self.mesh.vertices.len();
        for (vertex, position) in moved {
            if *vertex as usize >= count {
                return Err(Error::new(
                    ErrorKind::IndexOutOfBounds,
                    format!(
                        "vertex {vertex} cannot be moved: the mesh has {count} vertices, numbered from 0"
                    ),
                ));
            }
            check_range(*position, || format!("vertex {vertex}"))?;
        }
        let old = self.mesh.bounds;
        let mut on_border = false;
        let vertex_triangles =
            self.vertex_triangles.get_or_init(|| VertexTriangles::new(&self.mesh));
        let mut new = old;
        for (vertex, position) in moved {
            let vertex = *vertex as usize;
            let previous = std::mem::replace(&mut self.mesh.vertices[vertex], *position);
            if !vertex_triangles.of(vertex).is_empty() {
                on_border |= previous.cmple(old.min).any() || previous.cmpge(old.max).any();
                new = new.union(&Aabb::from_points([*position]));
            }
        }
        // The box can only have shrunk if a vertex on its border has moved, or a vertex was moved
        // twice.
        self.mesh.bounds = if on_border || new != old {
            let used = self.mesh.connectivity.used().iter();
            Aabb::from_points(used.map(|v| self.mesh.vertices[*v as usize]))
        } else {
            old
        };
        let vertices: Vec<u32> = moved.iter().map(|(vertex, _)| *vertex).collect();
        Ok(self.refit_tree(Some(&vertices)))
    }

    /// Refits the tree to the current vertices. `moved` lists the vertices that may have moved;
    /// `None` means all.
    fn refit_tree(&mut self, moved: Option<&[u32]>) -> Refitted {
        let triangles: Option<Vec<u32>> = moved.map(|vertices| {
            let vertex_triangles =
                self.vertex_triangles.get_or_init(|| VertexTriangles::new(&self.mesh));
            vertices.iter().flat_map(|v| vertex_triangles.of(*v as usize)).copied().collect()
        });
        self.mesh.defects = OnceLock::new();
        self.mesh.classification = OnceLock::new();
        self.mesh.cloud = OnceLock::new();
        self.mesh.fingerprint = OnceLock::new();
        self.mesh.is_box = OnceLock::new();
        let Some(mut tree) = self.mesh.tree.take() else {
            // Built from the current vertices.
            self.tree_state =
                TreeRefitState::new(self.mesh.tree(), &self.mesh, self.tree_state.limit());
            return Refitted::default();
        };
        // Clones of the mesh keep the tree that matches their vertices.
        let refitted =
            self.tree_state.refit(Arc::make_mut(&mut tree), &self.mesh, triangles.as_deref());
        self.mesh.tree = OnceLock::from(tree);
        refitted
    }
}

/// The triangles at each vertex.
#[derive(Clone, Debug)]
struct VertexTriangles {
    /// One entry more than there are vertices: the triangles at vertex `v` are
    /// `triangles[starts[v]..starts[v + 1]]`.
    starts: Vec<u32>,
    triangles: Vec<u32>,
}

impl VertexTriangles {
    fn new(mesh: &Mesh) -> Self {
        let mut starts = vec![0_u32; mesh.vertices.len() + 1];
        for v in mesh.triangles().as_flattened() {
            starts[*v as usize + 1] += 1;
        }
        for v in 0..mesh.vertices.len() {
            starts[v + 1] += starts[v];
        }
        let mut next = starts.clone();
        let mut triangles = vec![0; 3 * mesh.triangles().len()];
        for (i, t) in mesh.triangles().iter().enumerate() {
            for v in t {
                let at = &mut next[*v as usize];
                triangles[*at as usize] = i as u32;
                *at += 1;
            }
        }
        Self { starts, triangles }
    }

    fn of(&self, vertex: usize) -> &[u32] {
        &self.triangles[self.starts[vertex] as usize..self.starts[vertex + 1] as usize]
    }
}
