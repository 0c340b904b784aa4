//! The operation on a pair of overlapping leaves (Zachmann 1994, sections 3.6.1 and 3.6.4:
//! "elementary operation").

use std::ops::ControlFlow;

use impinge::exact::{segment_triangle, triangles_intersect};
use impinge::internals::Stamps;
use impinge::math::{Aabb, Vec3};
use impinge::mesh::Mesh;
use impinge::pair::Sink;

use super::BoxTree;
use super::counts::TraversalCounts;
use super::traverse::{Query, Scratch};

/// The content of a leaf.
#[derive(Clone, Copy, Debug)]
pub struct Leaf<'t> {
    /// The number of the leaf, from zero.
    pub number: u32,
    /// Triangles of the mesh. Some may be in other leaves too.
    pub triangles: &'t [u32],
    /// Edges of the mesh, by their index in [`Mesh::edges`]. Some may be in other leaves too.
    pub edges: &'t [u32],
}

/// Two leaves whose boxes may share a point.
#[derive(Clone, Copy, Debug)]
pub struct LeafPair<'t> {
    /// The leaf of A.
    pub a: Leaf<'t>,
    /// The leaf of B.
    pub b: Leaf<'t>,
    /// A box in A's frame that contains the intersection of the boxes of the two leaves. Common
    /// points of A's and B's triangles outside of it are found in other leaves.
    pub region: Aabb,
}

/// The operation that a simultaneous traversal performs on pairs of leaves.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use impinge_papers::zachmann::box_tree::{
///     BoxTest, BoxTree, LeafOperation, LeafPair, Options, TraversalCounts, traverse_leaves,
/// };
/// use impinge::{Pose, shapes};
///
/// /// Counts leaves that come close.
/// struct Close(usize);
///
/// impl LeafOperation for Close {
///     fn leaf_pair<T: TraversalCounts>(&mut self, _: &LeafPair<'_>, _: &mut T) -> ControlFlow<()>
///     {
///         self.0 += 1;
///         ControlFlow::Continue(())
///     }
/// }
///
/// let tree = BoxTree::build(&shapes::icosphere(1.0, 4)?, &Options::default())?;
/// let mut close = Close(0);
/// let pose = Pose::from_translation([1.9, 0.0, 0.0])?;
/// traverse_leaves(&tree, &tree, &pose, BoxTest::Clipping, &mut close, &mut ());
/// assert!(close.0 > 0);
/// # Ok::<(), impinge::Error>(())
/// ```
pub trait LeafOperation {
    /// Called for every two leaves whose boxes may share a point; [`ControlFlow::Break`] ends the
    /// traversal.
    fn leaf_pair<T: TraversalCounts>(
        &mut self,
        pair: &LeafPair<'_>,
        counts: &mut T,
    ) -> ControlFlow<()>;
}

/// The number, corners and box of a triangle or an edge, in the frame of the query.
type Item<const N: usize> = (u32, [Vec3; N], Aabb);

/// The triangles and edges of the leaves that a query has visited, in its frame.
#[derive(Clone, Debug, Default)]
pub(super) struct Corners {
    faces: Items<3>,
    edges: Items<2>,
}

/// The triangles or the edges of leaves. Those of a leaf are moved at its first visit. Stamps
/// record which leaves are moved, so that nothing is cleared between queries.
#[derive(Clone, Debug, Default)]
struct Items<const N: usize> {
    visited: Stamps,
    /// In the order of the lists of the tree.
    all: Vec<Item<N>>,
    /// Those near the other leaf, as indices into `all`.
    near: Vec<u32>,
    /// The box around those near. `None` if there are none.
    around: Option<Aabb>,
}

impl Corners {
    /// Starts a query: all leaves count as not visited. Resizes the buffers for a tree.
    pub(super) fn start(&mut self, tree: &BoxTree) {
        self.faces.start(tree.leaf_count(), tree.triangles.len());
        self.edges.start(tree.leaf_count(), tree.edges.len());
    }

    /// Finds the triangles of a leaf that are near the other leaf.
    fn visit_faces(
        &mut self,
        body: (&Mesh, &BoxTree),
        at: &Visit<'_>,
        moved: impl Fn(Vec3) -> Vec3,
    ) {
        let (mesh, tree) = body;
        let first = tree.starts[at.leaf.number as usize][0];
        self.faces.visit(first, at.leaf.triangles, at, |t| mesh.triangle(t).map(&moved));
    }

    /// Finds the edges of a leaf that are near the other leaf.
    fn visit_edges(
        &mut self,
        body: (&Mesh, &BoxTree),
        at: &Visit<'_>,
        moved: impl Fn(Vec3) -> Vec3,
    ) {
        let (mesh, tree) = body;
        let (edges, vertices) = (mesh.edges(), mesh.vertices());
        let first = tree.starts[at.leaf.number as usize][1];
        let place = |e| edges.ends(e).map(|v| moved(vertices[v as usize]));
        self.edges.visit(first, at.leaf.edges, at, place);
    }
}

/// A leaf, and the region common with the other leaf. `None` without the collecting phase.
struct Visit<'t> {
    leaf: Leaf<'t>,
    region: Option<Aabb>,
}

impl<const N: usize> Items<N> {
    fn start(&mut self, leaves: usize, members: usize) {
        self.visited.reserve(leaves);
        self.visited.clear();
        if self.all.len() < members {
            self.all.resize(members, (0, [Vec3::ZERO; N], Aabb::EMPTY));
        }
    }

    fn visit(
        &mut self,
        first: u32,
        members: &[u32],
        at: &Visit<'_>,
        corners: impl Fn(usize) -> [Vec3; N],
    ) {
        let here = &mut self.all[first as usize..first as usize + members.len()];
        if self.visited.mark(at.leaf.number) {
            for (item, m) in here.iter_mut().zip(members) {
                let corners = corners(*m as usize);
                *item = (*m, corners, Aabb::from_points(corners));
            }
        }
        self.near.clear();
        self.around = None;
        for (place, (_, _, around)) in (first..).zip(here.iter()) {
            if at.region.is_none_or(|r| around.overlaps(&r)) {
                self.near.push(place);
                self.around = Some(self.around.map_or(*around, |sum| sum.union(around)));
            }
        }
    }

    fn near(&self) -> impl Iterator<Item = &Item<N>> + '_ {
        self.near.iter().map(|place| &self.all[*place as usize])
    }
}

/// Tests every triangle of one leaf against every triangle of the other.
pub(super) struct Triangles<'w, 'q> {
    pub(super) query: &'w Query<'q>,
    pub(super) scratch: &'w mut Scratch,
    pub(super) sink: &'w mut dyn Sink,
}

impl LeafOperation for Triangles<'_, '_> {
    fn leaf_pair<T: TraversalCounts>(
        &mut self,
        pair: &LeafPair<'_>,
        counts: &mut T,
    ) -> ControlFlow<()> {
        let query = self.query;
        let Scratch { reported, a: of_a, b: of_b } = &mut *self.scratch;
        let region = query.collect.then_some(pair.region);
        of_a.visit_faces(query.a, &Visit { leaf: pair.a, region }, |v| v);
        let moved = |v| query.pose.transform_point(v);
        of_b.visit_faces(query.b, &Visit { leaf: pair.b, region }, moved);
        counts.collected(of_a.faces.near.len() + of_b.faces.near.len());
        let Some(around_b) = of_b.faces.around else {
            return ControlFlow::Continue(());
        };
        let (shared_a, shared_b) = (&query.a.1.shared, &query.b.1.shared);
        for (t, corners, around) in of_a.faces.near() {
            if !around.overlaps(&around_b) {
                continue;
            }
            for (u, others, other) in of_b.faces.near() {
                counts.box_test();
                if !around.overlaps(other) {
                    continue;
                }
                // Only a triangle in several leaves can be found again.
                let may_repeat = shared_a[*t as usize] || shared_b[*u as usize];
                if may_repeat && reported.contains(*t, *u) {
                    counts.repeated();
                    continue;
                }
                counts.exact_test();
                if triangles_intersect(corners, others) {
                    if may_repeat {
                        reported.insert(*t, *u);
                    }
                    self.sink.pair(*t, *u)?;
                }
            }
        }
        ControlFlow::Continue(())
    }
}

/// Tests every edge of each leaf against the triangles of the other (section 3.2).
pub(super) struct Edges<'w, 'q> {
    pub(super) query: &'w Query<'q>,
    pub(super) scratch: &'w mut Scratch,
    pub(super) sink: &'w mut dyn Sink,
}

impl LeafOperation for Edges<'_, '_> {
    fn leaf_pair<T: TraversalCounts>(
        &mut self,
        pair: &LeafPair<'_>,
        counts: &mut T,
    ) -> ControlFlow<()> {
        let query = self.query;
        let Scratch { reported, a: of_a, b: of_b } = &mut *self.scratch;
        let region = query.collect.then_some(pair.region);
        let (at_a, at_b) = (Visit { leaf: pair.a, region }, Visit { leaf: pair.b, region });
        let moved = |v| query.pose.transform_point(v);
        let mut report = |t: u32, u: u32, counts: &mut T| {
            if reported.insert(t, u) {
                self.sink.pair(t, u)
            } else {
                counts.repeated();
                ControlFlow::Continue(())
            }
        };
        of_a.visit_edges(query.a, &at_a, |v| v);
        if !of_a.edges.near.is_empty() {
            of_b.visit_faces(query.b, &at_b, moved);
            let along = query.a.0.edges();
            edges_against(&of_a.edges, &of_b.faces, counts, |e, face, counts| {
                along.triangles(e).try_for_each(|t| report(t, face, counts))
            })?;
        }
        of_a.visit_faces(query.a, &at_a, |v| v);
        if !of_a.faces.near.is_empty() {
            of_b.visit_edges(query.b, &at_b, moved);
            let along = query.b.0.edges();
            edges_against(&of_b.edges, &of_a.faces, counts, |e, face, counts| {
                along.triangles(e).try_for_each(|u| report(face, u, counts))
            })?;
        }
        ControlFlow::Continue(())
    }
}

/// Tests the edges of one leaf against the triangles of another. Compares their boxes first.
#[inline]
fn edges_against<T: TraversalCounts>(
    edges: &Items<2>,
    faces: &Items<3>,
    counts: &mut T,
    mut found: impl FnMut(usize, u32, &mut T) -> ControlFlow<()>,
) -> ControlFlow<()> {
    counts.collected(faces.near.len());
    let Some(around_faces) = faces.around else {
        return ControlFlow::Continue(());
    };
    for (e, ends, along) in edges.near() {
        if !along.overlaps(&around_faces) {
            continue;
        }
        for (face, corners, around) in faces.near() {
            counts.box_test();
            if !along.overlaps(around) {
                continue;
            }
            counts.exact_test();
            if segment_triangle(ends[0], ends[1], corners).is_some() {
                found(*e as usize, *face, counts)?;
            }
        }
    }
    ControlFlow::Continue(())
}
