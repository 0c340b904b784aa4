//! BSP trees of polyhedra, the method that sphere-trees were compared with (section IX).
//!
//! W. C. Thibault, B. F. Naylor 1987, "Set operations on polyhedra using binary space partitioning
//! trees": every node divides its cell by the plane of a face, and the cells that are not divided
//! further are inside the solid or outside. Two solids are compared by inserting the faces of one
//! into the tree of the other: faces are cut by the planes they cross, and the solids meet if a
//! piece reaches a cell inside. The planes are chosen for fewest cuts, as in the paper's tests.
//!
//! # Exact verdicts
//!
//! Pieces of faces have rounded corners, with an error bound that counts every rounding, and a
//! piece that may reach both sides of a plane is passed to both. A node keeps the triangles that
//! lie in its plane; a piece that may touch the plane is compared with them, by the exact test of
//! the two triangles it comes from. So surfaces that meet are found, and nothing else is reported.
//! A piece in a cell inside is evidence if a point of it is certainly there. `docs/notes/bsp.md`
//! has the argument.
//!
//! Two questions can be asked ([`Question`]): whether the surfaces meet, as
//! [`impinge::intersects`], or whether the solids do, as a [`World`](impinge::World) of solids.
//!
//! ```
//! use impinge::{Pose, shapes};
//! use impinge_papers::hubbard::bsp::{BspOptions, BspQuery, BspTree, Question};
//!
//! let ring = shapes::torus(2.0, 0.5, 32, 16)?;
//! let pin = shapes::cylinder(0.3, 4.0, 16)?;
//! let tree = BspTree::build(&ring, &BspOptions::default());
//! let mut query = BspQuery::new((&ring, &tree), &pin)?;
//! assert!(query.meets(&Pose::IDENTITY, Question::Solids).is_separated());
//! let beside = Pose::from_translation([2.0, 0.0, 0.0])?;
//! assert!(query.meets(&beside, Question::Solids).is_intersecting());
//! # Ok::<(), impinge::Error>(())
//! ```

mod build;
mod label;
mod piece;
mod plane;
mod query;
mod validate;

pub use query::{BspCounts, BspEvidence, BspQuery, BspVerdict, Question, Scratch};

use std::ops::Range;

use impinge::mesh::{Fingerprint, Mesh};

use plane::Plane;

/// The BSP tree of a mesh, in the mesh's frame.
#[derive(Clone, Debug)]
pub struct BspTree {
    /// The fingerprint of the mesh.
    mesh: Fingerprint,
    nodes: Vec<Node>,
    /// The triangles of nodes and of leaves.
    triangles: Vec<u32>,
    root: Child,
    stats: BspStats,
}

/// A plane, and what lies on each of its sides within the cell of the node.
#[derive(Clone, Debug)]
struct Node {
    plane: Plane,
    /// The triangles of the node lie, as far as they belong to it, within this exact distance of
    /// the plane.
    slab: f64,
    /// Indices into [`BspTree::triangles`].
    own: Range<u32>,
    /// In front of the plane, and behind it.
    children: [Child; 2],
    /// The node above, or [`NO_NODE`].
    parent: u32,
}

/// The parent of the root.
const NO_NODE: u32 = u32::MAX;

/// A cell: divided further, or a leaf.
#[derive(Clone, Debug, PartialEq)]
enum Child {
    Node(u32),
    /// Outside the solid, except near the planes above, within their slabs.
    Outside,
    /// Inside the solid, except near the planes above, within their slabs.
    Inside,
    /// Not known: a cell of a mesh that is no solid, or a cell too thin for a certain point.
    Unknown,
    /// With triangles that do not divide it: slivers without a certain plane, or what was left when
    /// the limit of pieces was reached.
    Crowded(Range<u32>),
}

/// How a tree is built.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct BspOptions {
    /// The largest number of planes that are tried for each node. All of them give the fewest cuts,
    /// in a time that grows with the cube of the number of triangles. Default: 64.
    pub candidates: usize,
    /// The largest number of pieces of faces, in multiples of the number of triangles. When it is
    /// reached, the remaining triangles stay in leaves that are not divided. Default: 64.
    pub max_pieces: usize,
    /// The largest number of comparisons of a piece with a plane, after which the remaining
    /// triangles stay in leaves as well. Default: 10^9, some seconds.
    pub max_work: u64,
}

impl Default for BspOptions {
    fn default() -> Self {
        Self { candidates: 64, max_pieces: 64, max_work: 1_000_000_000 }
    }
}

impl BspOptions {
    /// The fewest cuts that a choice node by node finds: every plane is tried, as in the paper's
    /// tests.
    #[must_use]
    pub fn fewest_cuts() -> Self {
        Self { candidates: usize::MAX, ..Self::default() }
    }

    /// With this number of planes tried for each node, at least one.
    #[must_use]
    pub fn candidates(self, candidates: usize) -> Self {
        Self { candidates: candidates.max(1), ..self }
    }

    /// With this number of pieces per triangle.
    #[must_use]
    pub fn max_pieces(self, max_pieces: usize) -> Self {
        Self { max_pieces, ..self }
    }

    /// With this number of comparisons.
    #[must_use]
    pub fn max_work(self, max_work: u64) -> Self {
        Self { max_work, ..self }
    }
}

/// The size of a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BspStats {
    /// Planes.
    pub nodes: usize,
    /// Pieces that were cut by a plane during construction.
    pub cuts: usize,
    /// The largest number of planes above a leaf.
    pub depth: usize,
    /// Leaves inside the solid.
    pub inside: usize,
    /// Leaves of which it is not known whether they are inside.
    pub unknown: usize,
    /// Leaves with triangles that do not divide them.
    pub crowded: usize,
}

impl BspTree {
    /// The tree of a mesh. Cells are inside or outside if the mesh is a solid.
    #[must_use]
    pub fn build(mesh: &Mesh, options: &BspOptions) -> Self {
        build::build(mesh, options)
    }

    /// The size.
    #[must_use]
    pub fn stats(&self) -> BspStats {
        self.stats
    }

    /// Checks that every triangle is found by a descent along points of it, and that points in
    /// cells with a label have the location that the label states.
    ///
    /// # Errors
    /// The first contradiction, which would be a bug of this library.
    pub fn validate(&self, mesh: &Mesh) -> Result<(), String> {
        validate::validate(self, mesh)
    }
}
