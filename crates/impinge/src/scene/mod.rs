//! Scenes: named parts, each a mesh at a pose; several parts may share one mesh.

#[cfg(feature = "files")]
pub(crate) mod files;
#[cfg(feature = "files")]
mod mesh_files;
#[cfg(feature = "files")]
mod similarity;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Weak};

use crate::error::Error;
use crate::math::{Aabb, Pose};
use crate::mesh::Mesh;

#[cfg(feature = "files")]
pub use files::{LoadOptions, LoadReport, Loaded};
#[cfg(feature = "files")]
pub use mesh_files::LoadedMesh;

/// A named mesh at a pose.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its name; not necessarily unique.
    pub name: String,
    /// Its geometry, in its own frame; instances share it.
    pub mesh: Arc<Mesh>,
    /// Its pose in the scene's frame.
    pub pose: Pose,
}

/// Parts in one common frame, and the pairs of parts that checks leave out.
///
/// Parts are numbered from zero in the order they were added.
///
/// ```
/// use std::sync::Arc;
///
/// use impinge::{Pose, Relation, Scene, candidate_pairs, check_pair, shapes};
///
/// let ball = Arc::new(shapes::icosphere(1.0, 2)?); // one mesh, three parts
/// let mut scene = Scene::new();
/// for (name, x) in [("left", 0.0), ("middle", 1.5), ("right", 9.0)] {
///     scene.add(name, Arc::clone(&ball), Pose::from_translation([x, 0.0, 0.0])?);
/// }
/// assert_eq!(candidate_pairs(&scene, 0.0), [(0, 1)]); // the boxes of the others do not meet
/// let [a, b] = [0, 1].map(|i| &scene.parts()[i]);
/// let pose = Pose::relative(&a.pose, &b.pose);
/// let report = check_pair(&a.mesh, &b.mesh, &pose, &Default::default());
/// assert_eq!(report.relation, Relation::Crossing);
/// # Ok::<(), impinge::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Scene {
    parts: Vec<Part>,
    ignored: BTreeSet<(usize, usize)>,
    /// The scaled meshes, by the address of the original and the bits of the factor.
    scaled: BTreeMap<(usize, u64), ScaledMesh>,
}

/// A mesh and its scaled copy.
#[derive(Clone, Debug)]
struct ScaledMesh {
    /// Keeps the allocation, so that no other mesh gets the same address, but not the mesh itself.
    _original: Weak<Mesh>,
    copy: Arc<Mesh>,
}

impl Scene {
    /// A scene without parts.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a part and returns its index.
    pub fn add(
        &mut self,
        name: impl Into<String>,
        mesh: impl Into<Arc<Mesh>>,
        pose: Pose,
    ) -> usize {
        self.parts.push(Part { name: name.into(), mesh: mesh.into(), pose });
        self.parts.len() - 1
    }

    /// Adds a part that is scaled uniformly, then posed, and returns its index.
    ///
    /// A vertex `v` of the mesh is at [`pose.transform_point(scale * v)`](Pose::transform_point),
    /// where `scale * v` is rounded to `f64` first. [`Part::mesh`] is the scaled mesh,
    /// [`mesh.scaled(scale)`](Mesh::scaled): it is computed once for each mesh (each `Arc`) and
    /// scale and shared, with its tree, by all parts of the scene that were added with both. A
    /// scale of 1 adds the mesh itself.
    ///
    /// # Errors
    /// As [`Mesh::scaled`]: if the scale is not a positive finite number, or a scaled coordinate is
    /// too large. In that case no part is added.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use impinge::{Pose, Scene, shapes};
    ///
    /// let bolt = Arc::new(shapes::cylinder(4.0, 30.0, 16)?); // in millimetres
    /// let mut scene = Scene::new(); // in metres
    /// for i in 0..100 {
    ///     let turn = Pose::from_axis_angle([0.0, 0.0, 1.0], 0.1 * f64::from(i))?;
    ///     let pose = Pose::from_translation([0.01 * f64::from(i), 0.0, 0.0])?.compose(&turn)?;
    ///     scene.add_scaled("bolt", &bolt, pose, 0.001)?;
    /// }
    /// let parts = scene.parts();
    /// assert!(parts.iter().all(|part| Arc::ptr_eq(&part.mesh, &parts[0].mesh)));
    /// # Ok::<(), impinge::Error>(())
    /// ```
    pub fn add_scaled(
        &mut self,
        name: impl Into<String>,
        mesh: &Arc<Mesh>,
        pose: Pose,
        scale: f64,
    ) -> Result<usize, Error> {
        if scale == 1.0 {
            return Ok(self.add(name, Arc::clone(mesh), pose));
        }
        let key = (Arc::as_ptr(mesh).addr(), scale.to_bits());
        let copy = match self.scaled.get(&key) {
            Some(known) => Arc::clone(&known.copy),
            None => {
                let copy = Arc::new(mesh.scaled(scale)?);
                let known = ScaledMesh { _original: Arc::downgrade(mesh), copy: Arc::clone(&copy) };
                self.scaled.insert(key, known);
                copy
            }
        };
        Ok(self.add(name, copy, pose))
    }

    /// Leaves the pair of parts out of every check. The order of `a` and `b` does not matter.
    pub fn ignore(&mut self, a: usize, b: usize) {
        self.ignored.insert((a.min(b), a.max(b)));
    }

    /// Whether the pair is left out.
    #[must_use]
    pub fn is_ignored(&self, a: usize, b: usize) -> bool {
        self.ignored.contains(&(a.min(b), a.max(b)))
    }

    /// The ignored pairs, smaller index first, sorted.
    #[must_use]
    pub fn ignored(&self) -> impl ExactSizeIterator<Item = (usize, usize)> + '_ {
        self.ignored.iter().copied()
    }

    /// The parts, in the order they were added.
    #[must_use]
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The tight box of one part in the scene's frame.
    ///
    /// # Panics
    /// If there is no such part.
    #[must_use]
    pub fn bounds_of(&self, part: usize) -> Aabb {
        let Part { mesh, pose, .. } = &self.parts[part];
        mesh.bounds_at(pose)
    }
}
