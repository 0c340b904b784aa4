//! The box-tree of Zachmann 1994, section 3.6: a mesh's box cut in two again and again, and two
//! such trees descended at once by clipping box edges.
//!
//! **Tree** (3.6.3). Every inner node holds an axis and a cut coordinate and nothing else; its box
//! follows from the root's box and the cuts above. The cut plane is the one with the smallest
//! penalty `|n_l - n_r| + gamma n_c`. Crossing polygons go to both halves, so polygons are at
//! leaves only, some of them at several. Planes are thick: a polygon that sticks out by less than
//! `delta` does not cross. Edges are sorted into the same leaves.
//!
//! **Traversal** (3.6.1, 3.6.2). The state of two boxes is one interval for each of their 24 edges:
//! the part inside the other box. Cutting one box needs twelve new parameters and four new
//! intervals; the rest is the parent's. Edges that are outside are never looked at again.
//! [`BoxTest::AxisAligned`] compares axis-aligned boxes instead, computed from the parent's: the
//! first idea of the outlook in 3.6.4.
//!
//! **Leaves.** What happens at two leaves is a parameter ([`LeafOperation`]); [`traverse`] offers
//! edges against polygons, as the thesis has it, and exact triangle pairs.
//!
//! **Exact.** Clip planes are moved outward by more than rounding and the thickness of the cuts
//! amount to (`docs/notes/box-tree.md`), so that no pair is lost, and pairs are decided by
//! [`exact`](impinge::exact). A pair that meets in several leaves is reported once.
//!
//! **Where it departs from the thesis.** Parameters are coordinates in the edge's own frame,
//! counted from the origin of that frame and not from the corner of the box, so that cutting a box
//! shifts no interval and rounding does not build up. Polygons are the triangles of the
//! triangulation, as in [`pair::edges`](crate::zachmann::edges). A cut that the stopping rules
//! forbid is not considered, where the thesis would stop. The printed weights of the interval
//! search do not sum up to one; see the search in `cut.rs`.

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
use impinge::mesh::Mesh;

pub use counts::{Counts, Tally};
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
/// traverse(&Query::new((&ring, &tree), (&ring, &tree), &pose), &mut Scratch::default(), &mut count);
/// assert_eq!(count.pairs, impinge::all_pairs(&ring, &ring, &pose).len());
/// # Ok::<(), impinge::Error>(())
/// ```
///
/// # Invariants
///
/// - Node 0 is the root; the children of an inner node are neighbours behind it. Every node but the
///   root has one parent, every leaf one node.
/// - Cuts lie in the box they cut.
/// - For every triangle and every point of it there is a leaf that holds the triangle and whose
///   box, grown by `delta`, holds the point. Likewise for edges.
/// - No leaf holds a triangle or edge twice. Only leaves made by [`Options::empty_boxes`] are
///   empty.
#[derive(Clone, Debug)]
pub struct BoxTree {
    /// The box of the root: that of the mesh.
    bounds: Aabb,
    /// Half the thickness of the cut planes.
    delta: f64,
    /// Empty without triangles.
    nodes: Vec<Node>,
    /// Where each leaf's triangles and edges begin; one entry more than leaves.
    starts: Vec<[u32; 2]>,
    triangles: Vec<u32>,
    edges: Vec<u32>,
    /// Which triangles are at more than one leaf.
    shared: Vec<bool>,
}

/// A node, as the thesis stores it: where to cut, and where that leads.
#[derive(Clone, Copy, Debug)]
struct Node {
    cut: f64,
    /// The left child, with the right one behind it; or the leaf.
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
    /// Builds the tree of a mesh. Any mesh will do: one triangle, all triangles equal, none at all.
    ///
    /// # Errors
    /// [`BadParameter`](impinge::ErrorKind::BadParameter) if an option makes no sense,
    /// [`TooLarge`](impinge::ErrorKind::TooLarge) if the leaves hold more than `u32` can number.
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

    /// Bytes the tree takes beside the mesh.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.nodes)
            + size_of_val(&*self.starts)
            + size_of_val(&*self.triangles)
            + size_of_val(&*self.edges)
            + size_of_val(&*self.shared)
    }

    /// The largest size of a coordinate.
    fn reach(&self) -> f64 {
        if self.nodes.is_empty() {
            return 0.0;
        }
        self.bounds.min.abs().max(self.bounds.max.abs()).max_element()
    }

    /// How many leaves there are.
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
