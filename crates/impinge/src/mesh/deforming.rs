//! A mesh whose vertices move, with a tree that follows.

use std::sync::{Arc, OnceLock};

use super::Mesh;
use crate::error::{Error, ErrorKind};
use crate::math::{Aabb, Vec3, check_range};
use crate::tree::{Refitted, Upkeep};

/// When a deforming mesh rebuilds parts of its tree.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct DeformOptions {
    /// A part of the tree is rebuilt when the surface of its boxes, over that of the box around
    /// them, has grown by this factor since it was built. At least one; infinity never rebuilds.
    /// Small values keep queries fast, large ones keep moves cheap; answers are the same.
    pub rebuild_at: f64,
}

impl Default for DeformOptions {
    /// Rebuilds at 1.5 times the cost: see `docs/results/deformation.md` for what others give.
    fn default() -> Self {
        Self { rebuild_at: 1.5 }
    }
}

impl DeformOptions {
    /// With this [`rebuild_at`](Self#structfield.rebuild_at).
    #[must_use]
    pub fn rebuild_at(mut self, rebuild_at: f64) -> Self {
        self.rebuild_at = rebuild_at;
        self
    }
}

/// A mesh whose vertices move while its polygons stay: cloth, a flexible hose, an animated body.
///
/// [`Deforming::mesh`] is an ordinary mesh at every moment, for every query, and answers are exact
/// wherever the vertices have gone. Its tree is refitted by each move, for the moved part only
/// where that is smaller, and parts of it that have become slow are rebuilt. A mesh that only moves
/// as a whole needs none of this: give queries another pose.
///
/// ```
/// use impinge::{Deforming, Pose, Vec3, shapes};
///
/// let floor = shapes::cuboid([9.0, 9.0, 1.0])?;
/// let mut ball = Deforming::new(shapes::icosphere(1.0, 8)?);
/// let at = Pose::from_translation([0.0, 0.0, 1.45])?; // of the ball: it sinks in by 0.05
/// assert!(impinge::intersects(&floor, ball.mesh(), &at).is_intersecting());
///
/// let pressed: Vec<Vec3> = ball.mesh().vertices().iter().map(|v| v.with_z(v.z.max(-0.9))).collect();
/// ball.move_all(&pressed)?;
/// assert!(!impinge::intersects(&floor, ball.mesh(), &at).is_intersecting());
/// # Ok::<(), impinge::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Deforming {
    mesh: Mesh,
    upkeep: Upkeep,
    around: OnceLock<Around>,
}

/// What a deforming mesh keeps beside itself: how good its tree was, and which triangles lie around
/// each vertex.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    upkeep: Upkeep,
    around: OnceLock<Around>,
}

impl Deforming {
    /// Makes the mesh movable, with the default options. Builds its tree if it has none yet.
    #[must_use]
    pub fn new(mesh: Mesh) -> Self {
        Self::make(mesh, DeformOptions::default().rebuild_at)
    }

    /// Makes the mesh movable.
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
        let upkeep = Upkeep::new(mesh.tree(), &mesh, limit);
        Self { mesh, upkeep, around: OnceLock::new() }
    }

    /// Takes up a mesh that was [put aside](Self::put_aside), with what was kept of it.
    pub(crate) fn take_up(mesh: Mesh, kept: Kept) -> Self {
        let Kept { upkeep, around } = kept;
        Self { mesh, upkeep, around }
    }

    /// The mesh, and what else is needed to go on with it.
    pub(crate) fn put_aside(self) -> (Mesh, Kept) {
        let Self { mesh, upkeep, around } = self;
        (mesh, Kept { upkeep, around })
    }

    /// The mesh as it is now.
    #[must_use]
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// The mesh as it is now, with its tree.
    #[must_use]
    pub fn into_mesh(self) -> Mesh {
        self.mesh
    }

    /// Moves all vertices. Those that stay where they are cost little: where they are most, only
    /// the rest of the tree is refitted.
    ///
    /// # Errors
    /// If the number of vertices differs, or a coordinate is not finite or too large. The mesh is
    /// then as it was.
    pub fn move_all(&mut self, vertices: &[Vec3]) -> Result<Refitted, Error> {
        self.mesh.check_replacement(vertices)?;
        let moved: Vec<u32> = (0..vertices.len() as u32)
            .filter(|v| vertices[*v as usize] != self.mesh.vertices[*v as usize])
            .collect();
        self.mesh.vertices.copy_from_slice(vertices);
        let used = self.mesh.connectivity.used().iter();
        self.mesh.bounds = Aabb::from_points(used.map(|v| vertices[*v as usize]));
        let few = 4 * moved.len() < vertices.len();
        Ok(self.follow(few.then_some(&*moved)))
    }

    /// Moves some vertices, given by number; of several places for one vertex the last counts.
    /// Takes time in proportion to the triangles that have one of them, unless the mesh leaves the
    /// space it had.
    ///
    /// # Errors
    /// If there is no such vertex, or a coordinate is not finite or too large. The mesh is then as
    /// it was.
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
        for (vertex, place) in moved {
            if *vertex as usize >= count {
                return Err(Error::new(
                    ErrorKind::IndexOutOfBounds,
                    format!("vertex {vertex} is to be moved, but the mesh has {count}"),
                ));
            }
            check_range(*place, || format!("vertex {vertex}"))?;
        }
        let old = self.mesh.bounds;
        let mut on_border = false;
        let around = self.around.get_or_init(|| Around::new(&self.mesh));
        let mut new = old;
        for (vertex, place) in moved {
            let vertex = *vertex as usize;
            let was = std::mem::replace(&mut self.mesh.vertices[vertex], *place);
            if !around.triangles_at(vertex).is_empty() {
                on_border |= was.cmple(old.min).any() || was.cmpge(old.max).any();
                new = new.union(&Aabb::from_points([*place]));
            }
        }
        // The box can only have shrunk if something on its border has moved, or a vertex was moved
        // twice.
        self.mesh.bounds = if on_border || new != old {
            let used = self.mesh.connectivity.used().iter();
            Aabb::from_points(used.map(|v| self.mesh.vertices[*v as usize]))
        } else {
            old
        };
        let numbers: Vec<u32> = moved.iter().map(|(vertex, _)| *vertex).collect();
        Ok(self.follow(Some(&numbers)))
    }

    /// Fits the tree to the vertices, of which these have moved, or any.
    fn follow(&mut self, moved: Option<&[u32]>) -> Refitted {
        let triangles: Option<Vec<u32>> = moved.map(|vertices| {
            let around = self.around.get_or_init(|| Around::new(&self.mesh));
            vertices.iter().flat_map(|v| around.triangles_at(*v as usize)).copied().collect()
        });
        self.mesh.defects = OnceLock::new();
        self.mesh.classification = OnceLock::new();
        self.mesh.cloud = OnceLock::new();
        let Some(mut tree) = self.mesh.tree.take() else {
            // Built of the vertices as they are.
            self.upkeep = Upkeep::new(self.mesh.tree(), &self.mesh, self.upkeep.limit());
            return Refitted::default();
        };
        // Whoever holds a clone of the mesh keeps the tree that belongs to it.
        let done = self.upkeep.refit(Arc::make_mut(&mut tree), &self.mesh, triangles.as_deref());
        self.mesh.tree = OnceLock::from(tree);
        done
    }
}

/// The triangles at each vertex.
#[derive(Clone, Debug)]
struct Around {
    /// One more than there are vertices: those of vertex `v` are
    /// `triangles[starts[v]..starts[v + 1]]`.
    starts: Vec<u32>,
    triangles: Vec<u32>,
}

impl Around {
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

    fn triangles_at(&self, vertex: usize) -> &[u32] {
        &self.triangles[self.starts[vertex] as usize..self.starts[vertex + 1] as usize]
    }
}
