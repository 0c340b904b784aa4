//! Tests of every edge of each mesh against the polygons of the other (Zachmann 1994, section 3.2),
//! with the three pre-checks and the relaxed modes (3.2.1).
//!
//! Two polygons intersect if and only if an edge of one intersects the other. The pre-checks
//! accumulate, in the order of the thesis' table: an edge is skipped when its box misses the other
//! object's box; a polygon is skipped when its box misses the edge's box; polygons whose box misses
//! the other object's box are removed beforehand (the collecting phase). Polygons are represented
//! by the triangles of their triangulation, so that the verdict is exact for non-planar polygons
//! too. [`Mesh::polygon_of`](impinge::Mesh::polygon_of) returns the polygon of a triangle.

use std::collections::HashSet;

use impinge::exact::segment_triangle;
use impinge::math::{Aabb, Vec3};
pub use impinge::pair::Bias;

use impinge::internals::pair::Posed;
use impinge::pair::Sink;

/// The polygons that are tested against the edges of the other mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Collecting {
    /// All polygons.
    All,
    /// Polygons whose box overlaps the other object's box.
    Boxes,
    /// Polygons with a vertex in the other object's box. Misses large polygons that extend through
    /// the box without a vertex in it.
    Vertices,
}

/// The pre-checks to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EdgePreChecks {
    /// Skip edges whose box misses the other object's box.
    pub edge_against_object: bool,
    /// Skip polygons whose box misses the edge's box.
    pub edge_against_face: bool,
    /// The polygons to collect beforehand.
    pub collecting: Collecting,
}

impl EdgePreChecks {
    /// No pre-checks.
    pub const NONE: Self =
        Self { edge_against_object: false, edge_against_face: false, collecting: Collecting::All };
    /// The first row of the thesis' table: edges against the object's box.
    pub const OBJECT_BOX: Self = Self { edge_against_object: true, ..Self::NONE };
    /// The second row: additionally edges against each polygon's box.
    pub const FACE_BOX: Self = Self { edge_against_face: true, ..Self::OBJECT_BOX };
    /// The third row: additionally polygons collected by their boxes.
    pub const COLLECT: Self = Self { collecting: Collecting::Boxes, ..Self::FACE_BOX };
    /// The fourth row: polygons collected by their vertices. The only set of pre-checks that can
    /// miss a collision.
    pub const RELAXED_COLLECT: Self = Self { collecting: Collecting::Vertices, ..Self::FACE_BOX };
}

/// The number of tests in each stage, both directions together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Edges of both meshes.
    pub edges: u64,
    /// Edges left after the check against the other object's box.
    pub edges_near: u64,
    /// Triangles of both meshes.
    pub faces: u64,
    /// Triangles left after the collecting phase.
    pub faces_collected: u64,
    /// Box comparisons of an edge and a triangle.
    pub box_tests: u64,
    /// Exact tests of an edge and a triangle.
    pub exact_tests: u64,
    /// Exact tests that found a common point.
    pub exact_hits: u64,
}

/// The result of a relaxed mode.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Relaxed {
    /// Whether the result is "collision".
    pub collision: bool,
    /// The result that can be wrong.
    pub bias: Bias,
    /// The triangles of A and B that the result is based on, if it is "collision".
    pub pair: Option<(u32, u32)>,
    /// The work done.
    pub counts: Counts,
}

impl Relaxed {
    /// Whether the result is certain, in spite of the bias.
    #[must_use]
    pub fn is_certain(&self) -> bool {
        self.collision == (self.bias == Bias::TowardsNoCollision)
    }
}

/// Sends every pair of triangles that share a point to `sink`. With [`Collecting::Vertices`] some
/// pairs may be missing.
pub fn traverse(
    a: &Posed<'_>,
    b: &Posed<'_>,
    checks: &EdgePreChecks,
    sink: &mut dyn Sink,
) -> Counts {
    let mut counts = Counts::default();
    let mut reported = HashSet::new();
    for edges_of_a in [true, false] {
        let (p, q) = if edges_of_a { (a, b) } else { (b, a) };
        let stopped =
            edges_against_faces(p, q, checks, &mut counts, |[u, v], sides, face, counts| {
                counts.exact_tests += 1;
                if segment_triangle(u, v, &q.triangle(face)).is_none() {
                    return false;
                }
                counts.exact_hits += 1;
                sides.iter().any(|side| {
                    let (i, j) = if edges_of_a { (side / 3, face) } else { (face, side / 3) };
                    reported.insert((i, j)) && sink.pair(i, j).is_break()
                })
            });
        if stopped {
            break;
        }
    }
    counts
}

/// Stops after the pre-checks: if the box of an edge overlaps that of a triangle, a collision is
/// assumed. Biased towards "collision".
#[must_use]
pub fn after_pre_checks(a: &Posed<'_>, b: &Posed<'_>) -> Relaxed {
    let mut counts = Counts::default();
    let mut pair = None;
    for edges_of_a in [true, false] {
        let (p, q) = if edges_of_a { (a, b) } else { (b, a) };
        if edges_against_faces(p, q, &EdgePreChecks::COLLECT, &mut counts, |_, sides, face, _| {
            pair = sides.first().map(|s| if edges_of_a { (s / 3, face) } else { (face, s / 3) });
            pair.is_some()
        }) {
            break;
        }
    }
    Relaxed { collision: pair.is_some(), bias: Bias::TowardsCollision, pair, counts }
}

/// Collects polygons by their vertices only. Biased towards "no collision": it fails for objects
/// with few large polygons.
#[must_use]
pub fn by_vertices(a: &Posed<'_>, b: &Posed<'_>) -> Relaxed {
    let mut first = impinge::pair::First::default();
    let counts = traverse(a, b, &EdgePreChecks::RELAXED_COLLECT, &mut first);
    let pair = first.pair;
    Relaxed { collision: pair.is_some(), bias: Bias::TowardsNoCollision, pair, counts }
}

/// Calls `leaf` with every edge of `p` and triangle of `q` that pass the checks. Its arguments are
/// the ends of the edge, the sides of triangles of `p` along it, and the triangle of `q`. Stops and
/// returns true when `leaf` returns true.
fn edges_against_faces(
    p: &Posed<'_>,
    q: &Posed<'_>,
    checks: &EdgePreChecks,
    counts: &mut Counts,
    mut leaf: impl FnMut([Vec3; 2], &[u32], u32, &mut Counts) -> bool,
) -> bool {
    let edges = p.mesh().edges();
    let faces = match checks.collecting {
        Collecting::All => q.collect(&q.bounds()),
        Collecting::Boxes => q.collect(&p.bounds()),
        Collecting::Vertices => collect_by_vertices(q, &p.bounds()),
    };
    counts.faces += q.len() as u64;
    counts.faces_collected += faces.len() as u64;
    counts.edges += edges.len() as u64;
    for e in 0..edges.len() {
        let [u, v] = edges.ends(e).map(|v| p.vertices()[v as usize]);
        let bounds = Aabb::from_corners(u, v);
        if checks.edge_against_object && !bounds.overlaps(&q.bounds()) {
            continue;
        }
        counts.edges_near += 1;
        for (face, face_bounds) in &faces {
            if checks.edge_against_face {
                counts.box_tests += 1;
                if !bounds.overlaps(face_bounds) {
                    continue;
                }
            }
            if leaf([u, v], edges.sides(e), *face, counts) {
                return true;
            }
        }
    }
    false
}

/// The triangles with a vertex in `region`, with their boxes, in ascending order. One pass over the
/// vertices, then one over the triangles.
fn collect_by_vertices(mesh: &Posed<'_>, region: &Aabb) -> Vec<(u32, Aabb)> {
    let inside: Vec<bool> = mesh.vertices().iter().map(|v| region.contains(*v)).collect();
    let mut faces = Vec::new();
    for (i, t) in mesh.mesh().triangles().iter().enumerate() {
        if t.iter().any(|v| inside[*v as usize]) {
            faces.push((i as u32, mesh.triangle_bounds(i as u32)));
        }
    }
    faces
}
