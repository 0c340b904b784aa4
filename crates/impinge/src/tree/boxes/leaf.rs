//! What happens where two leaves meet (Zachmann 1994, sections 3.6.1 and 3.6.4: "elementary operation").

use std::ops::ControlFlow;

use crate::exact::{segment_triangle, triangles_intersect};
use crate::math::{Aabb, Vec3};
use crate::mesh::Mesh;
use crate::sink::Sink;

use super::counts::Tally;
use super::traverse::{Query, Scratch};

/// What a leaf holds.
#[derive(Clone, Copy, Debug)]
pub struct Leaf<'t> {
    /// The number of the leaf, from zero.
    pub number: u32,
    /// Triangles of the mesh. Some may be at other leaves too.
    pub triangles: &'t [u32],
    /// Edges of the mesh, as [`Mesh::edges`] numbers them. Some may be at other leaves too.
    pub edges: &'t [u32],
}

/// Gives a simultaneous traversal its meaning.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use impinge::tree::boxes::{BoxTest, BoxTree, Leaf, LeafOperation, Options, Tally, traverse_leaves};
/// use impinge::{Pose, shapes};
///
/// /// Counts leaves that come close.
/// struct Close(usize);
///
/// impl LeafOperation for Close {
///     fn leaf_pair<T: Tally>(&mut self, _: &Leaf<'_>, _: &Leaf<'_>, _: &mut T) -> ControlFlow<()> {
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
    /// Called for every two leaves whose boxes may share a point; [`ControlFlow::Break`] ends the traversal.
    fn leaf_pair<T: Tally>(&mut self, a: &Leaf<'_>, b: &Leaf<'_>, tally: &mut T)
    -> ControlFlow<()>;
}

/// Something with corners, its number and its box, in the frame of the query.
type Item<const N: usize> = (u32, [Vec3; N], Aabb);

/// The triangles and edges of the last leaf that was visited, in the frame of the query.
#[derive(Clone, Debug, Default)]
pub(super) struct Corners {
    faces: Items<3>,
    edges: Items<2>,
}

/// The triangles, or the edges, of a leaf.
#[derive(Clone, Debug, Default)]
struct Items<const N: usize> {
    leaf: Option<u32>,
    all: Vec<Item<N>>,
    /// Around all of them; none without any.
    bounds: Option<Aabb>,
    /// Those left after collecting, as places in `all`.
    near: Vec<u32>,
}

impl Corners {
    /// Forgets the leaf, since the next one is another mesh's.
    pub(super) fn forget(&mut self) {
        (self.faces.leaf, self.edges.leaf) = (None, None);
    }

    fn load_faces(&mut self, mesh: &Mesh, leaf: &Leaf<'_>, moved: impl Fn(Vec3) -> Vec3) {
        self.faces.load(leaf.number, leaf.triangles, |t| mesh.triangle(t).map(&moved));
    }

    fn load_edges(&mut self, mesh: &Mesh, leaf: &Leaf<'_>, moved: impl Fn(Vec3) -> Vec3) {
        let (edges, vertices) = (mesh.edges(), mesh.vertices());
        let place = |e| edges.ends(e).map(|v| moved(vertices[v as usize]));
        self.edges.load(leaf.number, leaf.edges, place);
    }
}

impl<const N: usize> Items<N> {
    /// Does nothing if the leaf is the last one again, which it often is.
    fn load(&mut self, leaf: u32, members: &[u32], corners: impl Fn(usize) -> [Vec3; N]) {
        if self.leaf == Some(leaf) {
            return;
        }
        self.leaf = Some(leaf);
        self.all.clear();
        let mut bounds: Option<Aabb> = None;
        for m in members {
            let corners = corners(*m as usize);
            let around = Aabb::from_points(corners);
            bounds = Some(bounds.map_or(around, |b| b.union(&around)));
            self.all.push((*m, corners, around));
        }
        self.bounds = bounds;
    }

    /// Finds those whose boxes overlap `region`, all of them without one; returns the box around them.
    fn collect(&mut self, region: Option<&Aabb>) -> Aabb {
        self.near.clear();
        let mut bounds = Aabb::EMPTY;
        for (place, (_, _, around)) in self.all.iter().enumerate() {
            if region.is_none_or(|r| around.overlaps(r)) {
                self.near.push(place as u32);
                bounds = bounds.union(around);
            }
        }
        bounds
    }

    fn near(&self) -> impl Iterator<Item = &Item<N>> + '_ {
        self.near.iter().map(|place| &self.all[*place as usize])
    }
}

/// Every triangle against every triangle.
pub(super) struct Triangles<'w, 'q> {
    pub(super) query: &'w Query<'q>,
    pub(super) scratch: &'w mut Scratch,
    pub(super) sink: &'w mut dyn Sink,
}

impl LeafOperation for Triangles<'_, '_> {
    fn leaf_pair<T: Tally>(
        &mut self,
        a: &Leaf<'_>,
        b: &Leaf<'_>,
        tally: &mut T,
    ) -> ControlFlow<()> {
        let query = self.query;
        let Scratch { reported, a: of_a, b: of_b } = &mut *self.scratch;
        of_a.load_faces(query.a.0, a, |v| v);
        of_b.load_faces(query.b.0, b, |v| query.pose.transform_point(v));
        let (faces_a, faces_b) = (&mut of_a.faces, &mut of_b.faces);
        let region = faces_a.collect(faces_b.bounds.filter(|_| query.collect).as_ref());
        faces_b.collect(query.collect.then_some(&region));
        tally.collected(faces_a.near.len() + faces_b.near.len());
        let (shared_a, shared_b) = (&query.a.1.shared, &query.b.1.shared);
        for (t, corners, around) in faces_a.near() {
            for (u, others, other) in faces_b.near() {
                tally.box_test();
                if !around.overlaps(other) {
                    continue;
                }
                // Only what is at several leaves can come up again.
                let again = shared_a[*t as usize] || shared_b[*u as usize];
                if again && reported.contains(*t, *u) {
                    tally.repeated();
                    continue;
                }
                tally.exact_test();
                if triangles_intersect(corners, others) {
                    if again {
                        reported.insert(*t, *u);
                    }
                    self.sink.pair(*t, *u)?;
                }
            }
        }
        ControlFlow::Continue(())
    }
}

/// Every edge of each against the triangles of the other (section 3.2).
pub(super) struct Edges<'w, 'q> {
    pub(super) query: &'w Query<'q>,
    pub(super) scratch: &'w mut Scratch,
    pub(super) sink: &'w mut dyn Sink,
}

impl LeafOperation for Edges<'_, '_> {
    fn leaf_pair<T: Tally>(
        &mut self,
        a: &Leaf<'_>,
        b: &Leaf<'_>,
        tally: &mut T,
    ) -> ControlFlow<()> {
        let query = self.query;
        let Scratch { reported, a: of_a, b: of_b } = &mut *self.scratch;
        let moved = |v| query.pose.transform_point(v);
        of_a.load_faces(query.a.0, a, |v| v);
        of_a.load_edges(query.a.0, a, |v| v);
        of_b.load_faces(query.b.0, b, moved);
        of_b.load_edges(query.b.0, b, moved);
        let mut report = |t: u32, u: u32, tally: &mut T| {
            if reported.insert(t, u) {
                self.sink.pair(t, u)
            } else {
                tally.repeated();
                ControlFlow::Continue(())
            }
        };
        let along = query.a.0.edges();
        edges_against(&of_a.edges, &mut of_b.faces, query.collect, tally, |e, face, tally| {
            along.triangles(e).try_for_each(|t| report(t, face, tally))
        })?;
        let along = query.b.0.edges();
        edges_against(&of_b.edges, &mut of_a.faces, query.collect, tally, |e, face, tally| {
            along.triangles(e).try_for_each(|u| report(face, u, tally))
        })
    }
}

/// The edges of one leaf against the triangles of another, with the pre-checks of section 3.2. Triangles are collected by the box of the edges, not
/// of the first leaf's triangles: an edge that lies in a thick plane may be where none of its triangles is.
#[inline]
fn edges_against<T: Tally>(
    edges: &Items<2>,
    faces: &mut Items<3>,
    collect: bool,
    tally: &mut T,
    mut found: impl FnMut(usize, u32, &mut T) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let Some(region) = edges.bounds else {
        return ControlFlow::Continue(());
    };
    let within = faces.collect(collect.then_some(&region));
    tally.collected(faces.near.len());
    for (e, ends, along) in &edges.all {
        if !along.overlaps(&within) {
            continue;
        }
        for (face, corners, around) in faces.near() {
            tally.box_test();
            if !along.overlaps(around) {
                continue;
            }
            tally.exact_test();
            if segment_triangle(ends[0], ends[1], corners).is_some() {
                found(*e as usize, *face, tally)?;
            }
        }
    }
    ControlFlow::Continue(())
}
