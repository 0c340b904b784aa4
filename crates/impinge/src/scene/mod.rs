//! Scenes: named parts, each a mesh at a pose; several parts may share one mesh.

#[cfg(feature = "files")]
mod files;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::math::{Aabb, Pose};
use crate::mesh::Mesh;

#[cfg(feature = "files")]
pub use files::{LoadOptions, LoadReport, Loaded};

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
    #[must_use]
    pub fn bounds_of(&self, part: usize) -> Aabb {
        let Part { mesh, pose, .. } = &self.parts[part];
        Aabb::from_points(
            mesh.triangles()
                .iter()
                .flatten()
                .map(|v| pose.transform_point(mesh.vertices()[*v as usize])),
        )
    }
}
