//! Simultaneous traversal of two box-trees (Zachmann 1994, section 3.6.1).

use std::ops::ControlFlow;

use impinge::math::{Aabb, Pose};
use impinge::mesh::Mesh;
use impinge::pair::Sink;
use impinge::{Error, ErrorKind};

use super::aligned::Aligned;
use super::clip::Clip;
use super::counts::TraversalCounts;
use super::frames::Frames;
use super::leaf::{Corners, Edges, LeafOperation, LeafPair, Triangles};
use super::{BoxTree, Node};
use crate::visited_pairs::VisitedPairs;

/// The overlap test of boxes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BoxTest {
    /// By the parts of their edges inside each other, which are inherited from level to level.
    /// Detects all disjoint boxes, up to the margin.
    #[default]
    Clipping,
    /// By axis-aligned boxes in A's frame: cheaper, but detects fewer disjoint boxes.
    AxisAligned,
}

/// The test of two overlapping leaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LeafTest {
    /// Every triangle against every triangle.
    #[default]
    Triangles,
    /// Every edge of each leaf against the triangles of the other: the algorithm of section 3.2, as
    /// in the thesis.
    Edges,
}

/// Two meshes with their box-trees, and how to compare them.
#[derive(Clone, Copy, Debug)]
pub struct Query<'q> {
    /// The first mesh and its tree. Their frame is the frame of the query.
    pub(super) a: (&'q Mesh, &'q BoxTree),
    /// The second mesh and its tree, in their own frame.
    pub(super) b: (&'q Mesh, &'q BoxTree),
    /// The pose of B in A's frame.
    pub(super) pose: &'q Pose,
    boxes: BoxTest,
    leaves: LeafTest,
    pub(super) collect: bool,
}

impl<'q> Query<'q> {
    /// A query of two meshes with their trees, by clipping, with exact triangle pairs at the
    /// leaves. The frame of A is the frame of the query, `pose` is the pose of B in it.
    ///
    /// The trees store the [fingerprints](Mesh::fingerprint) of their meshes, which meshes keep
    /// too, so that the comparison takes constant time from the second query on.
    ///
    /// # Errors
    /// [`BadParameter`](ErrorKind::BadParameter) if a tree is that of another mesh.
    pub fn new(
        a: (&'q Mesh, &'q BoxTree),
        b: (&'q Mesh, &'q BoxTree),
        pose: &'q Pose,
    ) -> Result<Self, Error> {
        for (name, (mesh, tree)) in [("A", a), ("B", b)] {
            if mesh.fingerprint() != tree.mesh {
                return Err(Error::new(
                    ErrorKind::BadParameter,
                    format!(
                        "the box-tree of {name} was built for the mesh {}, and mesh {name} is {}: \
                         build the tree of this mesh",
                        tree.mesh,
                        mesh.fingerprint()
                    ),
                ));
            }
        }
        let (boxes, leaves) = (BoxTest::default(), LeafTest::default());
        Ok(Self { a, b, pose, boxes, leaves, collect: true })
    }

    /// The overlap test of boxes.
    #[must_use]
    pub fn boxes(self, boxes: BoxTest) -> Self {
        Self { boxes, ..self }
    }

    /// The test of two overlapping leaves.
    #[must_use]
    pub fn leaves(self, leaves: LeafTest) -> Self {
        Self { leaves, ..self }
    }

    /// Whether triangles and edges of a leaf that miss the other leaf's box are removed first: the
    /// collecting phase of section 3.6.5. The thesis uses the box of the whole other object
    /// instead. The default is true.
    #[must_use]
    pub fn collect(self, collect: bool) -> Self {
        Self { collect, ..self }
    }
}

/// Memory reused by consecutive queries, so that small ones allocate nothing. Stores no results.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    pub(super) reported: VisitedPairs,
    pub(super) a: Corners,
    pub(super) b: Corners,
}

/// Sends every pair of triangles that share a point to `sink`, each once.
pub fn traverse(query: &Query<'_>, scratch: &mut Scratch, sink: &mut dyn Sink) {
    traverse_counted(query, scratch, &mut (), sink);
}

/// As [`traverse`]. Counts the work in `counts`.
pub fn traverse_counted<T: TraversalCounts>(
    query: &Query<'_>,
    scratch: &mut Scratch,
    counts: &mut T,
    sink: &mut dyn Sink,
) {
    let (tree_a, tree_b) = (query.a.1, query.b.1);
    scratch.reported.start();
    scratch.a.start(tree_a);
    scratch.b.start(tree_b);
    match query.leaves {
        LeafTest::Triangles => {
            let mut triangles = Triangles { query, scratch, sink };
            traverse_leaves(tree_a, tree_b, query.pose, query.boxes, &mut triangles, counts);
        }
        LeafTest::Edges => {
            let mut edges = Edges { query, scratch, sink };
            traverse_leaves(tree_a, tree_b, query.pose, query.boxes, &mut edges, counts);
        }
    }
}

/// Calls `operation` for every two leaves whose boxes share a point, with B at `pose` in A's frame.
/// Also calls it for some leaves whose boxes are disjoint: with [`BoxTest::Clipping`] those at most
/// the thickness of the cut planes and rounding apart, with [`BoxTest::AxisAligned`] those whose
/// larger axis-aligned boxes overlap.
pub fn traverse_leaves<T: TraversalCounts>(
    a: &BoxTree,
    b: &BoxTree,
    pose: &Pose,
    boxes: BoxTest,
    operation: &mut impl LeafOperation,
    counts: &mut T,
) {
    if a.nodes.is_empty() || b.nodes.is_empty() {
        return;
    }
    let frames = Frames::new(a, b, pose);
    match boxes {
        BoxTest::Clipping => run::<Clip, _>(a, b, &frames, operation, counts),
        BoxTest::AxisAligned => run::<Aligned, _>(a, b, &frames, operation, counts),
    }
}

/// A cut of one of two boxes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    /// Whether the box of A (0) or B (1) is cut.
    pub(super) side: usize,
    /// The axis, in the frame of the box.
    pub(super) axis: usize,
    pub(super) at: f64,
}

impl Cut {
    fn of(side: usize, node: &Node) -> Self {
        Self { side, axis: node.axis.into(), at: node.cut }
    }
}

/// The state of two boxes that may share a point. Either box can be cut.
pub(super) trait BoxPair: Sized {
    /// The data common to all pairs of a query.
    type Context;

    fn context(frames: &Frames) -> Self::Context;

    /// The pair of the two roots, or `None` if they are disjoint.
    fn root(
        context: &Self::Context,
        a: &BoxTree,
        b: &BoxTree,
        counts: &mut impl TraversalCounts,
    ) -> Option<Self>;

    /// Cuts one of the boxes. Returns its left and its right half paired with the other box, or
    /// `None` if they are disjoint.
    fn split(
        &self,
        context: &Self::Context,
        cut: Cut,
        counts: &mut impl TraversalCounts,
    ) -> [Option<Self>; 2];

    /// A box in A's frame around the intersection of the two boxes.
    fn region(&self, context: &Self::Context) -> Aabb;
}

fn run<P: BoxPair, T: TraversalCounts>(
    a: &BoxTree,
    b: &BoxTree,
    frames: &Frames,
    operation: &mut impl LeafOperation,
    counts: &mut T,
) {
    let context = P::context(frames);
    if let Some(pair) = P::root(&context, a, b, counts) {
        // The operation may stop the traversal. Nothing is left to do in this case.
        let _ = Traversal::<P, _, T> { a, b, context, operation, counts }.descend(&pair, 0, 0);
    }
}

struct Traversal<'w, P: BoxPair, O, T> {
    a: &'w BoxTree,
    b: &'w BoxTree,
    context: P::Context,
    operation: &'w mut O,
    counts: &'w mut T,
}

impl<P: BoxPair, O: LeafOperation, T: TraversalCounts> Traversal<'_, P, O, T> {
    /// The recursion of the thesis: if neither node is a leaf, A is cut, and then B for each half
    /// that still overlaps.
    fn descend(&mut self, pair: &P, i: u32, j: u32) -> ControlFlow<()> {
        let (a, b) = (self.a, self.b);
        let (node_a, node_b) = (a.nodes[i as usize], b.nodes[j as usize]);
        match (node_a.is_leaf(), node_b.is_leaf()) {
            (true, true) => {
                let (leaf_a, leaf_b) = (a.leaf(node_a.link), b.leaf(node_b.link));
                self.counts.leaves(leaf_a.triangles.len(), leaf_b.triangles.len());
                let region = pair.region(&self.context);
                let leaves = LeafPair { a: leaf_a, b: leaf_b, region };
                self.operation.leaf_pair(&leaves, self.counts)
            }
            (true, false) => self.cut_b(pair, i, j),
            (false, _) => {
                let halves = pair.split(&self.context, Cut::of(0, &node_a), self.counts);
                for (child, half) in (node_a.link..).zip(halves) {
                    let Some(half) = half.filter(|_| !a.is_empty_leaf(child)) else {
                        continue;
                    };
                    if node_b.is_leaf() {
                        self.descend(&half, child, j)?;
                    } else {
                        self.cut_b(&half, child, j)?;
                    }
                }
                ControlFlow::Continue(())
            }
        }
    }

    /// Cuts B's box, node `j`, and descends into the halves that still overlap.
    fn cut_b(&mut self, pair: &P, i: u32, j: u32) -> ControlFlow<()> {
        let node = self.b.nodes[j as usize];
        let halves = pair.split(&self.context, Cut::of(1, &node), self.counts);
        for (child, half) in (node.link..).zip(halves) {
            if let Some(half) = half.filter(|_| !self.b.is_empty_leaf(child)) {
                self.descend(&half, i, child)?;
            }
        }
        ControlFlow::Continue(())
    }
}
