//! The box-tree of Zachmann 1994, section 3.6: the box of a mesh is recursively cut in two. Two
//! such trees are traversed simultaneously by clipping box edges.
//!
//! **Tree** (3.6.3). An inner node stores only an axis and a cut coordinate. Its box follows from
//! the root's box and the cuts above. The cut plane is the one with the smallest penalty `|n_l -
//! n_r| + gamma n_c`. Crossing polygons go to both halves. So polygons are in leaves only, some of
//! them in several. Planes are thick: a polygon that extends over a plane by less than `delta` does
//! not cross it. Edges are sorted into the same leaves.
//!
//! **Traversal** (3.6.1, 3.6.2). The state of two boxes is one interval for each of their 24 edges:
//! the part inside the other box. Cutting one box needs twelve new parameters and four new
//! intervals; the others are inherited from the parent. Edges that are outside are not processed
//! further. [`BoxTest::AxisAligned`] compares axis-aligned boxes instead, computed from those of
//! the parent: the first idea of the outlook in 3.6.4.
//!
//! **Leaves.** The operation on two leaves is a parameter ([`LeafOperation`]). [`traverse`] offers
//! edges against polygons, as in the thesis, and exact triangle pairs.
//!
//! **Exactness.** Clip planes are moved outward by more than the sum of the rounding errors and the
//! thickness of the cuts (`docs/notes/box-tree.md`), so that no pair is missed. Pairs are decided
//! by [`exact`](impinge::exact). A pair found in several leaves is reported once.
//!
//! **Differences from the thesis.** Parameters are coordinates in the edge's own frame, relative to
//! the origin of that frame and not to the corner of the box. So cutting a box does not shift
//! intervals, and rounding errors do not accumulate. Polygons are the triangles of the
//! triangulation, as in [`edges`](crate::zachmann::edges). A cut that violates the stopping rules
//! is skipped, where the thesis would stop. The printed weights of the interval search do not sum
//! to one; see the search in `cut.rs`.

#![allow(clippy::needless_range_loop, reason = "axes are indices into several arrays at once")]

mod aligned;
mod build;
mod clip;
mod counts;
mod cut;
mod frames;
mod leaf;
mod options;
mod stats;
mod traverse;
mod validate;

use impinge::Error;
use impinge::math::Aabb;
use impinge::mesh::{Fingerprint, Mesh};

pub use counts::{Counts, TraversalCounts};
pub use leaf::{Leaf, LeafOperation, LeafPair};
pub use options::{DEPTH_LIMIT, Options};
pub use stats::Stats;
pub use traverse::{
    BoxTest, LeafTest, Query, Scratch, traverse, traverse_counted, traverse_leaves,
};

/// A box-tree over the triangles and edges of a mesh, in the mesh's own frame.
///
/// ```
/// use impinge_papers::zachmann::box_tree::{BoxTree, Options, Query, Scratch, traverse};
/// use impinge::pair::Count;
/// use impinge::{Pose, shapes};
///
/// let ring = shapes::torus(1.0, 0.4, 32, 16)?;
/// let tree = BoxTree::build(&ring, &Options::default())?;
/// let pose = Pose::from_translation([1.0, 0.0, 0.0])?;
/// let mut count = Count::default();
/// let query = Query::new((&ring, &tree), (&ring, &tree), &pose)?;
/// traverse(&query, &mut Scratch::default(), &mut count);
/// assert_eq!(count.pairs, impinge::all_pairs(&ring, &ring, &pose).len());
/// # Ok::<(), impinge::Error>(())
/// ```
///
/// # Invariants
///
/// - Node 0 is the root. The children of an inner node are consecutive and have larger indices.
///   Every node except the root has one parent; every leaf has one node.
/// - A cut lies in the box that it cuts.
/// - For every point of a triangle there is a leaf that contains the triangle and whose box,
///   enlarged by `delta`, contains the point. The same holds for edges.
/// - No leaf contains a triangle or edge twice. Only leaves created by [`Options::empty_boxes`] are
///   empty.
#[derive(Clone, Debug)]
pub struct BoxTree {
    /// The fingerprint of the mesh.
    mesh: Fingerprint,
    /// The box of the root, which is that of the mesh.
    bounds: Aabb,
    /// Half the thickness of the cut planes.
    delta: f64,
    /// Empty if the mesh has no triangles.
    nodes: Vec<Node>,
    /// The first triangle and the first edge of each leaf, and one more entry for the end.
    starts: Vec<[u32; 2]>,
    triangles: Vec<u32>,
    edges: Vec<u32>,
    /// Whether each triangle is in more than one leaf.
    shared: Vec<bool>,
}

/// A node, stored as in the thesis: the cut and the link to the children.
#[derive(Clone, Copy, Debug)]
struct Node {
    cut: f64,
    /// The left child, which the right child follows; or the number of the leaf.
    link: u32,
    /// The axis of the cut, or [`Node::LEAF`].
    axis: u8,
}

impl Node {
    const LEAF: u8 = 3;

    fn is_leaf(self) -> bool {
        self.axis == Self::LEAF
    }
}

impl BoxTree {
    /// Builds the tree of a mesh. Every mesh is accepted: one triangle, all triangles equal, no
    /// triangles.
    ///
    /// # Errors
    /// [`BadParameter`](impinge::ErrorKind::BadParameter) if an option is out of range,
    /// [`TooLarge`](impinge::ErrorKind::TooLarge) if the leaves contain more triangles or edges
    /// than a `u32` can index.
    pub fn build(mesh: &Mesh, options: &Options) -> Result<Self, Error> {
        options.check()?;
        build::build(mesh, options)
    }

    /// The box of the root, in the mesh's own frame.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// Half the thickness of the cut planes, in the mesh's unit.
    #[must_use]
    pub fn delta(&self) -> f64 {
        self.delta
    }

    /// Memory of the tree in bytes, without the mesh.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.nodes)
            + size_of_val(&*self.starts)
            + size_of_val(&*self.triangles)
            + size_of_val(&*self.edges)
            + size_of_val(&*self.shared)
    }

    /// The largest absolute coordinate.
    fn reach(&self) -> f64 {
        if self.nodes.is_empty() {
            return 0.0;
        }
        self.bounds.min.abs().max(self.bounds.max.abs()).max_element()
    }

    /// The number of leaves.
    fn leaf_count(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    fn leaf(&self, number: u32) -> Leaf<'_> {
        let [[t0, e0], [t1, e1]] = [self.starts[number as usize], self.starts[number as usize + 1]];
        Leaf {
            number,
            triangles: &self.triangles[t0 as usize..t1 as usize],
            edges: &self.edges[e0 as usize..e1 as usize],
        }
    }

    /// Whether a node is a leaf without triangles.
    fn is_empty_leaf(&self, node: u32) -> bool {
        let node = self.nodes[node as usize];
        node.is_leaf() && self.leaf(node.link).triangles.is_empty()
    }
}
