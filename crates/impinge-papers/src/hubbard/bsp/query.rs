//! Two meshes: the faces of one are inserted into the tree of the other.

use impinge::exact::triangles_intersect;
use impinge::internals::pair::Posed;
use impinge::internals::solid::locate_posed;
use impinge::mesh::Mesh;
use impinge::pair::Budget;
use impinge::{Aabb, Bounds, Error, ErrorKind, Pose, Vec3, Verdict, exact::Location, solid};

use super::label::is_in_core;
use super::piece::{Extent, cut, margin, middle, values};
use super::{BspTree, Child, NO_NODE};

/// What is asked about two meshes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Whether the surfaces share a point, as [`impinge::intersects`].
    Surfaces,
    /// Whether the surfaces share a point, or one mesh is inside the solid that the other bounds.
    Solids,
}

/// Why two meshes meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BspEvidence {
    /// Two triangles that share a point, of A and of B.
    Triangles(u32, u32),
    /// A point of one mesh inside the other one's solid, in A's frame, rounded.
    Inside(Vec3),
}

/// The answer of a query: separated, intersecting with evidence, or undecided if the budget ended.
pub type BspVerdict = Verdict<(), BspEvidence, Bounds>;

/// The work of queries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BspCounts {
    /// Triangles of B that were inserted.
    pub inserted: u64,
    /// Pieces compared with a plane.
    pub visits: u64,
    /// Pieces cut by a plane.
    pub cuts: u64,
    /// Pairs of triangles compared exactly.
    pub triangle_tests: u64,
}

/// A mesh with its tree, and another mesh whose faces are inserted.
#[derive(Debug)]
pub struct BspQuery<'a> {
    a: &'a Mesh,
    tree: &'a BspTree,
    b: &'a Mesh,
    cull: bool,
    scratch: Scratch,
    counts: BspCounts,
}

/// The memory of a query that is over, for the next one. Holds no results.
#[derive(Debug, Default)]
pub struct Scratch {
    vertices: Vec<Vec3>,
    pieces: Vec<Pending>,
    /// The corners of the pending pieces, one after the other.
    corners: Vec<Vec3>,
    piece: Vec<Vec3>,
    values: Vec<f64>,
}

/// A piece that has reached a node or a leaf. Its corners are at the end of the list of corners.
#[derive(Clone, Copy, Debug)]
struct Pending {
    /// The node above, and the side on which the piece lies.
    above: (u32, usize),
    corners: usize,
    error: f64,
}

/// How the insertion of a triangle ended.
enum Inserted {
    Apart,
    Meets(BspEvidence),
    OutOfBudget,
}

impl<'a> BspQuery<'a> {
    /// A query of a mesh with its tree, at rest, and another mesh, which has a pose in every query.
    ///
    /// # Errors
    /// [`ErrorKind::WrongMesh`] if the tree is that of another mesh.
    pub fn new(a: (&'a Mesh, &'a BspTree), b: &'a Mesh) -> Result<Self, Error> {
        Self::with_scratch(a, b, Scratch::default())
    }

    /// As [`BspQuery::new`], in the memory of an earlier query.
    ///
    /// # Errors
    /// As [`BspQuery::new`].
    pub fn with_scratch(
        (a, tree): (&'a Mesh, &'a BspTree),
        b: &'a Mesh,
        scratch: Scratch,
    ) -> Result<Self, Error> {
        if a.fingerprint() != tree.mesh {
            let message = format!(
                "the tree was built for the mesh {}, and mesh A is {}: build the tree of this mesh",
                tree.mesh,
                a.fingerprint()
            );
            return Err(Error::new(ErrorKind::WrongMesh, message));
        }
        Ok(Self { a, tree, b, cull: false, scratch, counts: BspCounts::default() })
    }

    /// Whether triangles of B whose boxes do not overlap the box of A are left out. The published
    /// method inserts all. Default: no.
    #[must_use]
    pub fn cull(mut self, cull: bool) -> Self {
        self.cull = cull;
        self
    }

    /// The work of all queries since the start.
    #[must_use]
    pub fn counts(&self) -> BspCounts {
        self.counts
    }

    /// The memory, for the next query.
    #[must_use]
    pub fn into_scratch(self) -> Scratch {
        self.scratch
    }

    /// The answer, with B at `pose` in A's frame; never undecided.
    pub fn meets(&mut self, pose: &Pose, question: Question) -> BspVerdict {
        self.within(pose, question, &mut Budget::unlimited())
    }

    /// As [`BspQuery::meets`], undecided if the budget ends first, with the bounds of the two
    /// boxes. A step compares a piece with a plane.
    pub fn within(
        &mut self,
        pose: &Pose,
        question: Question,
        budget: &mut Budget<'_>,
    ) -> BspVerdict {
        if self.a.is_empty() || self.b.is_empty() {
            return Verdict::Separated(());
        }
        let mut vertices = std::mem::take(&mut self.scratch.vertices);
        vertices.clear();
        vertices.extend(self.b.vertices().iter().map(|v| pose.transform_point(*v)));
        let verdict = self.of_vertices(&vertices, pose, question, budget);
        self.scratch.vertices = vertices;
        verdict
    }

    fn of_vertices(
        &mut self,
        vertices: &[Vec3],
        pose: &Pose,
        question: Question,
        budget: &mut Budget<'_>,
    ) -> BspVerdict {
        let corners = |t: &[u32; 3]| t.map(|v| vertices[v as usize]);
        let box_b = Aabb::from_points(self.b.triangles().iter().flat_map(corners));
        let box_a = self.a.bounds();
        let both = box_a.union(&box_b);
        let extent = Extent::of(both.min, both.max);
        for (number, triangle) in self.b.triangles().iter().enumerate() {
            let triangle = corners(triangle);
            if self.cull && !box_a.overlaps(&Aabb::from_points(triangle)) {
                continue;
            }
            self.counts.inserted += 1;
            match self.insert(number as u32, &triangle, &extent, question, budget) {
                Inserted::Apart => {}
                Inserted::Meets(evidence) => return Verdict::Intersecting(evidence),
                Inserted::OutOfBudget => {
                    return Verdict::Undecided(Bounds::of_boxes(&box_a, &box_b));
                }
            }
        }
        match question {
            Question::Surfaces => Verdict::Separated(()),
            Question::Solids => match contained(self.a, self.b, vertices, pose, [box_a, box_b]) {
                Some(point) => Verdict::Intersecting(BspEvidence::Inside(point)),
                None => Verdict::Separated(()),
            },
        }
    }

    /// Inserts a triangle of B into the tree.
    fn insert(
        &mut self,
        number: u32,
        triangle: &[Vec3; 3],
        extent: &Extent,
        question: Question,
        budget: &mut Budget<'_>,
    ) -> Inserted {
        let bounds = Aabb::from_points(*triangle);
        let Scratch { pieces, corners, piece, values: heights, .. } = &mut self.scratch;
        let counts = &mut self.counts;
        // The first of the triangles that meets the inserted one.
        let meets = |own: &std::ops::Range<u32>, counts: &mut BspCounts| {
            let own = &self.tree.triangles[own.start as usize..own.end as usize];
            own.iter().copied().find(|t| {
                let own = self.a.triangle(*t as usize);
                bounds.overlaps(&Aabb::from_points(own)) && {
                    counts.triangle_tests += 1;
                    triangles_intersect(&own, triangle)
                }
            })
        };
        pieces.clear();
        corners.clear();
        corners.extend_from_slice(triangle);
        pieces.push(Pending { above: (NO_NODE, 0), corners: 3, error: 0.0 });
        while let Some(Pending { above, corners: count, error }) = pieces.pop() {
            piece.clear();
            piece.extend(corners.drain(corners.len() - count..));
            let mut above = above;
            // As long as the piece lies on one side, nothing is copied.
            loop {
                let child = match above.0 {
                    NO_NODE => &self.tree.root,
                    node => &self.tree.nodes[node as usize].children[above.1],
                };
                let node = match child {
                    Child::Node(node) => *node,
                    Child::Inside if question == Question::Solids => {
                        let point = middle(piece);
                        if is_in_core(self.tree, above, point, error, extent) {
                            return Inserted::Meets(BspEvidence::Inside(point));
                        }
                        break;
                    }
                    Child::Inside | Child::Outside | Child::Unknown => break,
                    Child::Crowded(own) => match meets(own, counts) {
                        Some(t) => return Inserted::Meets(BspEvidence::Triangles(t, number)),
                        None => break,
                    },
                };
                if !budget.step() {
                    return Inserted::OutOfBudget;
                }
                counts.visits += 1;
                let at = &self.tree.nodes[node as usize];
                let margin = margin(error, at.plane.error_within(extent.reach));
                let (low, high) = values(&at.plane, piece, heights);
                if low <= at.slab + margin && high >= -(at.slab + margin) {
                    if let Some(t) = meets(&at.own, counts) {
                        return Inserted::Meets(BspEvidence::Triangles(t, number));
                    }
                }
                above = match (high >= -margin, low <= margin) {
                    (true, false) => (node, 0),
                    (false, true) => (node, 1),
                    // Both; values that are not numbers do not occur.
                    _ => {
                        counts.cuts += 1;
                        for (side, sign) in [1.0, -1.0].into_iter().enumerate() {
                            let before = corners.len();
                            cut(piece, heights, sign, margin, corners);
                            let count = corners.len() - before;
                            let error = error + extent.error_of_cut;
                            pieces.push(Pending { above: (node, side), corners: count, error });
                        }
                        break;
                    }
                };
            }
        }
        Inserted::Apart
    }
}

/// A point of one mesh inside the solid that is the other, for meshes whose surfaces do not meet:
/// the first vertex of a shell, located exactly.
fn contained(a: &Mesh, b: &Mesh, vertices: &[Vec3], pose: &Pose, boxes: [Aabb; 2]) -> Option<Vec3> {
    let firsts = |mesh: &Mesh| -> Vec<u32> {
        let first = |polygon: &u32| mesh.polygon(*polygon as usize)[0];
        mesh.shells().first_polygons().iter().map(first).collect()
    };
    if a.is_solid() {
        let inside = |p: &Vec3| {
            boxes[0].contains(*p) && solid::locate(a, *p).is_ok_and(|l| l == Location::Inside)
        };
        let point = firsts(b).into_iter().map(|v| vertices[v as usize]).find(inside);
        if point.is_some() {
            return point;
        }
    }
    if b.is_solid() {
        let mut points = firsts(a)
            .into_iter()
            .map(|v| a.vertices()[v as usize])
            .filter(|p| boxes[1].contains(*p))
            .peekable();
        points.peek()?;
        let posed = Posed::new(b, pose);
        return points.find(|p| locate_posed(*p, &posed) == Location::Inside);
    }
    None
}
