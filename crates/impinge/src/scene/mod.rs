//! Scenes: named parts, each a mesh at a pose; several parts may share one mesh.

#[cfg(feature = "files")]
pub(crate) mod files;
#[cfg(feature = "files")]
mod mesh_files;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::math::{Aabb, Pose};
use crate::mesh::Mesh;

#[cfg(feature = "files")]
pub use files::{LoadOptions, LoadReport, Loaded};
#[cfg(feature = "files")]
pub use mesh_files::LoadedMesh;

/// A named mesh at a pose.
#[derive(Clone, Debug)]
pub struct Part {
    /// What the user calls it; not necessarily unique.
    pub name: String,
    /// Its geometry, in its own frame; instances share it.
    pub mesh: Arc<Mesh>,
    /// Its pose in the scene's frame.
    pub pose: Pose,
}

/// Parts in one common frame, and the pairs nobody wants to hear about.
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

    /// Leaves the pair of parts out of every check, in whatever order it is named.
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
