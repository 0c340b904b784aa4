//! Trees of hulls whose leaves are convex pieces and meshes (Leung 1996, section 5.6).
//!
//! Each node stores the hull of its subtree. A leaf is a convex piece, or a closed part of the mesh
//! that was not cut (Leung's example is a torus). Two trees are traversed together; pairs of nodes
//! whose hulls share no point are skipped with their subtrees.
//!
//! **Result.** Whether the solids share a point, boundaries included. With exact pieces (see
//! [`Decomposition::exact`]) and mesh leaves the result is that of the meshes. With pieces that are
//! not exact, "separated" is still certain, because the hulls cover the solid. "Intersecting" then
//! means that the distance of the solids is at most the sum of the two errors.
//!
//! **Frames.** B's points are `pose.transform_point(v)`, rounded once, for its triangles and for
//! the corners of its pieces. If the rotation rounds these, a piece is displaced by an ulp relative
//! to the mesh it was cut from. So the result may differ for solids within an ulp of touching.

use std::ops::ControlFlow;

use impinge::convex::Hull;
use impinge::exact::{Location, triangles_intersect};
use impinge::internals::decide::{Hint, decide};
use impinge::internals::pieces::{SolidIndex, bodies, check_closed, decompose_with_balance};
use impinge::math::{Aabb, Pose, Vec3};
use impinge::mesh::Mesh;
use impinge::pair::{First, Sink};
use impinge::pieces::Decomposition;
use impinge::{Error, ErrorKind};

/// A test whether two convex bodies, given by points in one frame, share a point. Implemented for
/// closures.
pub trait HullTest {
    /// Whether the hulls of `a` and `b` share a point. A false positive costs time at inner nodes
    /// and makes the result wrong at leaves. A false negative makes the result wrong at all nodes.
    fn meet(&mut self, a: &[Vec3], b: &[Vec3]) -> bool;
}

impl<F: FnMut(&[Vec3], &[Vec3]) -> bool> HullTest for F {
    fn meet(&mut self, a: &[Vec3], b: &[Vec3]) -> bool {
        self(a, b)
    }
}

/// A tree of hulls. Leaves are numbered from zero.
///
/// ```
/// use impinge_papers::leung::HullTree;
/// use impinge::{Pose, shapes};
///
/// let outline = [[0.0, 0.0], [3.0, 0.0], [3.0, 1.0], [1.0, 1.0], [1.0, 3.0], [0.0, 3.0]];
/// let tree = HullTree::of_mesh(&shapes::prism(&outline, 1.0)?, 16)?;
/// assert_eq!((tree.leaf_count(), tree.is_exact()), (2, true));
/// // Two L-shapes that enclose each other without contact.
/// let pose = Pose::from_axis_angle([0.0, 0.0, 1.0], std::f64::consts::PI)?;
/// let apart = Pose::from_translation([4.5, 4.5, 0.0])?.compose(&pose)?;
/// assert_eq!(tree.first_hit(&tree, &apart), None);
/// # Ok::<(), impinge::Error>(())
/// ```
#[derive(Debug)]
pub struct HullTree {
    nodes: Vec<Node>,
    leaves: Vec<LeafContent>,
    error: f64,
}

#[derive(Debug)]
struct Node {
    hull: Hull,
    kind: NodeKind,
}

#[derive(Clone, Copy, Debug)]
enum NodeKind {
    /// An inner node with two children.
    Nodes([u32; 2]),
    /// The number of a leaf.
    Leaf(u32),
}

#[derive(Debug)]
enum LeafContent {
    /// A convex piece: the hull of its node.
    Convex,
    Mesh(MeshLeaf),
}

/// A closed part of a mesh, with the interior that the whole mesh has there.
#[derive(Debug)]
struct MeshLeaf {
    index: SolidIndex,
    /// One point of every shell.
    shell_points: Vec<Vec3>,
}

impl HullTree {
    /// Builds the tree of the pieces of a decomposition. Leaf `i` is piece `i`.
    ///
    /// # Errors
    /// [`ErrorKind::Empty`] if there are no pieces.
    pub fn of_pieces(pieces: &Decomposition) -> Result<Self, Error> {
        let leaves = pieces.pieces.iter().map(|p| (p.hull.clone(), LeafContent::Convex)).collect();
        Self::of_leaves(leaves, pieces.error)
    }

    /// Builds the tree of a closed mesh. Parts that can be cut exactly into at most `max_pieces`
    /// convex pieces are cut; the others become mesh leaves. Parts are bodies whose boxes share no
    /// point.
    ///
    /// # Errors
    /// [`ErrorKind::NotSolid`] if the mesh is not closed.
    pub fn of_mesh(mesh: &Mesh, max_pieces: usize) -> Result<Self, Error> {
        check_closed(mesh)?;
        let balanced = mesh.topology().is_balanced();
        let mut leaves = Vec::new();
        for body in bodies(mesh, mesh.vertices()) {
            let part = part_of(mesh, &body)?;
            match decompose_with_balance(&part, max_pieces, balanced) {
                Ok(found) if found.exact => {
                    leaves.extend(found.pieces.into_iter().map(|p| (p.hull, LeafContent::Convex)));
                }
                _ => leaves.push(mesh_leaf(&part, balanced)?),
            }
        }
        Self::of_leaves(leaves, 0.0)
    }

    fn of_leaves(leaves: Vec<(Hull, LeafContent)>, error: f64) -> Result<Self, Error> {
        if leaves.is_empty() {
            return Err(Error::new(
                ErrorKind::Empty,
                "a hull tree cannot be built from zero hulls: give at least one piece",
            ));
        }
        let (hulls, contents): (Vec<Hull>, Vec<LeafContent>) = leaves.into_iter().unzip();
        let mut tree = Self { nodes: Vec::new(), leaves: contents, error };
        let mut ids: Vec<u32> = (0..hulls.len() as u32).collect();
        tree.build(&mut ids, &hulls)?;
        Ok(tree)
    }

    /// Adds the subtree of some leaves and returns the number of its root. Halves the leaves, so
    /// the depth is logarithmic.
    fn build(&mut self, ids: &mut [u32], hulls: &[Hull]) -> Result<u32, Error> {
        let bounds = |i: u32| Aabb::from_points(hulls[i as usize].vertices().iter().copied());
        let number = self.nodes.len();
        if let [leaf] = *ids {
            let hull = hulls[leaf as usize].clone();
            self.nodes.push(Node { hull, kind: NodeKind::Leaf(leaf) });
            return Ok(number as u32);
        }
        let points: Vec<Vec3> =
            ids.iter().flat_map(|i| hulls[*i as usize].vertices().iter().copied()).collect();
        let hull = Hull::new(&points)?;
        self.nodes.push(Node { hull, kind: NodeKind::Nodes([0, 0]) });
        let size = Aabb::from_points(ids.iter().map(|i| bounds(*i).center())).extent();
        let axis = (0..3).max_by(|a, b| size[*a].total_cmp(&size[*b])).unwrap_or(0);
        let key = |i: u32| bounds(i).center()[axis];
        ids.sort_by(|a, b| key(*a).total_cmp(&key(*b)).then(a.cmp(b)));
        let (low, high) = ids.split_at_mut(ids.len() / 2);
        let children = [self.build(low, hulls)?, self.build(high, hulls)?];
        self.nodes[number].kind = NodeKind::Nodes(children);
        Ok(number as u32)
    }

    /// The hull of the whole solid.
    #[must_use]
    pub fn hull(&self) -> &Hull {
        &self.nodes[0].hull
    }

    /// The number of leaves.
    #[must_use]
    pub fn leaf_count(&self) -> usize {
        self.leaves.len()
    }

    /// Whether a leaf is a convex piece. Otherwise it is a part of the mesh.
    ///
    /// # Panics
    /// If there is no such leaf.
    #[must_use]
    pub fn is_convex(&self, leaf: usize) -> bool {
        matches!(self.leaves[leaf], LeafContent::Convex)
    }

    /// Whether the union of the leaves is exactly the solid.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.error == 0.0
    }

    /// The maximum distance of a point of a leaf from the solid.
    #[must_use]
    pub fn error(&self) -> f64 {
        self.error
    }

    /// Finds a leaf of this solid and a leaf of another at `pose` that share a point, decided
    /// exactly. `None` if there are none.
    #[must_use]
    pub fn first_hit(&self, other: &Self, pose: &Pose) -> Option<(u32, u32)> {
        let mut first = First::default();
        self.traverse(other, pose, &mut exact, &mut first);
        first.pair
    }

    /// Sends every pair of leaves that share a point to `sink`, each once. `test` decides whether
    /// two hulls intersect: [`exact`] or a faster test.
    pub fn traverse(
        &self,
        other: &Self,
        pose: &Pose,
        test: &mut impl HullTest,
        sink: &mut dyn Sink,
    ) {
        let mut b = Posed::new(other, pose);
        let mut stack = vec![(0_u32, 0_u32)];
        while let Some((i, j)) = stack.pop() {
            let node = &self.nodes[i as usize];
            if !test.meet(node.hull.vertices(), b.outline(j)) {
                continue;
            }
            match (node.kind, other.nodes[j as usize].kind) {
                (NodeKind::Leaf(a), NodeKind::Leaf(c)) => {
                    if self.leaves_meet((i, a), (j, c), &mut b, test)
                        && sink.pair(a, c) == ControlFlow::Break(())
                    {
                        return;
                    }
                }
                // All children of one node are paired with all of the other, as in Leung.
                (NodeKind::Nodes(children), NodeKind::Leaf(_)) => {
                    stack.extend(children.iter().rev().map(|c| (*c, j)));
                }
                (NodeKind::Leaf(_), NodeKind::Nodes(children)) => {
                    stack.extend(children.iter().rev().map(|c| (i, *c)));
                }
                (NodeKind::Nodes(left), NodeKind::Nodes(right)) => {
                    stack.extend(
                        left.iter().rev().flat_map(|l| right.iter().rev().map(|r| (*l, *r))),
                    );
                }
            }
        }
    }

    fn leaves_meet(
        &self,
        (i, a): (u32, u32),
        (j, c): (u32, u32),
        b: &mut Posed<'_>,
        test: &mut impl HullTest,
    ) -> bool {
        let points = self.nodes[i as usize].hull.vertices();
        let tree = b.tree;
        match (&self.leaves[a as usize], &tree.leaves[c as usize]) {
            // The outline of a convex leaf is its corners, so the hull test has decided.
            (LeafContent::Convex, LeafContent::Convex) => true,
            (LeafContent::Convex, LeafContent::Mesh(own)) => {
                let mesh = b.mesh(c, own);
                mesh.index.any_overlapping(&bounds(points), |t| test.meet(points, t))
                    || mesh.index.locate(points[0]) != Location::Outside
            }
            (LeafContent::Mesh(mesh), LeafContent::Convex) => {
                let points = b.outline(j);
                mesh.index.any_overlapping(&bounds(points), |t| test.meet(t, points))
                    || mesh.index.locate(points[0]) != Location::Outside
            }
            (LeafContent::Mesh(mesh), LeafContent::Mesh(own)) => {
                let other = b.mesh(c, own);
                let inside = |solid: &MeshLeaf, shell_points: &[Vec3]| {
                    shell_points.iter().any(|p| solid.index.locate(*p) != Location::Outside)
                };
                mesh.index.any_pair(&other.index, triangles_intersect)
                    || inside(mesh, &other.shell_points)
                    || inside(other, &mesh.shell_points)
            }
        }
    }
}

/// Decides exactly whether two hulls intersect, with integer arithmetic where floating point is not
/// certain.
#[must_use]
pub fn exact(a: &[Vec3], b: &[Vec3]) -> bool {
    decide(a, b, &Hint::NONE).is_intersecting()
}

fn bounds(points: &[Vec3]) -> Aabb {
    Aabb::from_points(points.iter().copied())
}

/// A mesh of some triangles of a mesh, with the vertices they use.
fn part_of(mesh: &Mesh, triangles: &[u32]) -> Result<Mesh, Error> {
    let corners = || triangles.iter().map(|t| mesh.triangles()[*t as usize]);
    let mut used: Vec<u32> = corners().flatten().collect();
    used.sort_unstable();
    used.dedup();
    let vertices = used.iter().map(|v| mesh.vertices()[*v as usize]).collect();
    let number = |v: u32| used.partition_point(|u| *u < v) as u32;
    Mesh::from_triangles(vertices, corners().map(|t| t.map(number)).collect())
}

fn mesh_leaf(part: &Mesh, balanced: bool) -> Result<(Hull, LeafContent), Error> {
    let used: Vec<Vec3> =
        part.used_vertices().iter().map(|v| part.vertices()[*v as usize]).collect();
    let first = |shell: Vec<u32>| part.vertices()[part.polygon(shell[0] as usize)[0] as usize];
    let shell_points = part.shells().members().into_iter().map(first).collect();
    let leaf = MeshLeaf {
        index: SolidIndex::new(part, part.vertices()).with_balance(balanced),
        shell_points,
    };
    Ok((Hull::new(&used)?, LeafContent::Mesh(leaf)))
}

/// A tree at a pose. Nodes and meshes are moved when they are first used.
struct Posed<'a> {
    tree: &'a HullTree,
    pose: &'a Pose,
    outlines: Vec<Vec<Vec3>>,
    meshes: Vec<Option<MeshLeaf>>,
}

impl<'a> Posed<'a> {
    fn new(tree: &'a HullTree, pose: &'a Pose) -> Self {
        let meshes = tree.leaves.iter().map(|_| None).collect();
        Self { tree, pose, outlines: vec![Vec::new(); tree.nodes.len()], meshes }
    }

    /// Points whose hull contains all moved points of a subtree. For a convex leaf, its moved
    /// corners; otherwise the moved corners with a margin for the rounding of the points between
    /// them.
    fn outline(&mut self, node: u32) -> &[Vec3] {
        let outline = &mut self.outlines[node as usize];
        if outline.is_empty() {
            let Node { hull, kind } = &self.tree.nodes[node as usize];
            let moved = hull.vertices().iter().map(|v| self.pose.transform_point(*v));
            let is_whole = matches!(kind, NodeKind::Leaf(l) if self.tree.is_convex(*l as usize));
            if is_whole {
                outline.extend(moved);
            } else {
                let sizes = hull.vertices().iter().map(|v| v.abs().max_element());
                let largest = sizes.fold(self.pose.translation().abs().max_element(), f64::max);
                // Each coordinate is a sum of four numbers of at most about that size, rounded a
                // few times.
                let margin = (16.0 * f64::EPSILON) * largest + f64::MIN_POSITIVE;
                for p in moved {
                    outline.extend((0..8_u32).map(|i| {
                        let sign = |bit: u32| if i >> bit & 1 == 1 { margin } else { -margin };
                        p + Vec3::new(sign(0), sign(1), sign(2))
                    }));
                }
            }
        }
        outline
    }

    /// The moved mesh leaf `leaf`. `own` is the leaf before the move.
    fn mesh(&mut self, leaf: u32, own: &MeshLeaf) -> &MeshLeaf {
        let pose = self.pose;
        self.meshes[leaf as usize].get_or_insert_with(|| MeshLeaf {
            index: own.index.posed(pose),
            shell_points: own.shell_points.iter().map(|p| pose.transform_point(*p)).collect(),
        })
    }
}
