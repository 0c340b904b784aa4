//! The production tree.

mod build;
mod dispatch;
mod leaf;
mod node;
mod relative;
mod traverse;
mod triangles;
mod validate;
mod wide;

use crate::math::Vec3;
use crate::mesh::Mesh;
use leaf::Leaf;
use node::{Link, LocalBox, Node};

pub use traverse::traverse;

/// A tree of eight-wide nodes over the triangles of a mesh.
#[derive(Clone, Debug)]
pub struct Tree {
    /// The origin of the local frame, in the mesh's own: the centre of its box.
    origin: Vec3,
    /// The local unit: local coordinates are `(v - origin) * scale`, a power of two that brings them near one.
    scale: f64,
    nodes: Vec<Node>,
    leaves: Vec<Leaf>,
    /// The box of everything and where it leads; `None` without triangles.
    root: Option<(LocalBox, Link)>,
    /// No point is further from the origin than this, in local units.
    reach: f64,
}

impl Tree {
    /// Builds the tree of a mesh.
    #[must_use]
    pub fn build(mesh: &Mesh) -> Self {
        build::build(mesh)
    }

    /// A point of the mesh in the local frame, rounded by half an ulp.
    fn local(&self, v: Vec3) -> Vec3 {
        (v - self.origin) * self.scale
    }

    /// Bytes the tree takes beside the mesh.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.nodes.len() * size_of::<Node>() + self.leaves.len() * size_of::<Leaf>()
    }
}
