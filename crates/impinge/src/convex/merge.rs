//! Converts the triangles of a hull to its polygons: merges coplanar neighbours and drops corners
//! that are not vertices.
//!
//! A side is *flat* if the triangles on both sides of it lie in one plane, exactly. Triangles
//! connected through flat sides form one face, a convex polygon; the other sides are its border. A
//! triangle corner where fewer than three border sides meet is not a vertex of the hull: with none
//! it lies inside a face, with two on an edge.

use super::build::{Builder, NONE};
use super::hull::Topology;
use crate::arrays::MapToVec;
use crate::exact::Sign;

/// A side of a triangle: three times the triangle's index, plus the index of the side.
type Side = usize;

/// The sources of the hull's vertices, and the topology.
///
/// Vertices and faces are numbered in the order in which the hull was built, which goes from
/// neighbour to neighbour. So close numbers are close on the hull, and a walk over it usually finds
/// its data in the cache.
pub(super) fn polygons(hull: &Builder) -> (Vec<u32>, Topology) {
    let sides = Sides::new(hull);
    let (ids, vertex_of) = corners(hull, &sides);
    // For each border side the loop edge that it is part of, and for each loop edge its first side.
    let mut loop_edge = vec![NONE; 3 * hull.faces.len()];
    let mut first_side = Vec::new();
    let mut face_starts = vec![0];
    let mut face_vertices = Vec::new();
    for start in 0..loop_edge.len() {
        let vertex = |side: Side| vertex_of[sides.start(side) as usize];
        if !sides.is_border[start] || loop_edge[start] != NONE || vertex(start) == NONE {
            continue;
        }
        let mut side = start;
        loop {
            if vertex(side) != NONE {
                face_vertices.push(vertex(side));
                first_side.push(side);
            }
            loop_edge[side] = (face_vertices.len() - 1) as u32;
            side = sides.next_border(side);
            if side == start {
                break;
            }
        }
        face_starts.push(face_vertices.len() as u32);
    }
    let twins: Vec<u32> = first_side.map_to_vec(|side| loop_edge[sides.twin(*side)]);
    let (neighbor_starts, neighbors) = adjacency(ids.len(), &face_starts, &face_vertices, &twins);
    (ids, Topology { face_starts, face_vertices, neighbor_starts, neighbors })
}

/// The sides of a hull's triangles.
struct Sides<'a> {
    hull: &'a Builder,
    /// Whether the side belongs to a current triangle and is not flat.
    is_border: Vec<bool>,
}

impl<'a> Sides<'a> {
    fn new(hull: &'a Builder) -> Self {
        let mut sides = Self { hull, is_border: vec![false; 3 * hull.faces.len()] };
        for (f, face) in hull.faces.iter().enumerate().filter(|(_, face)| face.alive) {
            for i in 0..3 {
                let across = face.across[i] as usize;
                if across < f {
                    continue;
                }
                let twin = sides.twin(3 * f + i);
                let opposite = hull.faces[across].corners[(twin + 2) % 3];
                let side = hull.side(f as u32, hull.corners[opposite as usize].point);
                debug_assert_ne!(
                    side,
                    Sign::Positive,
                    "the hull is not convex at side {i} of face {f}"
                );
                sides.is_border[3 * f + i] = !side.is_zero();
                sides.is_border[twin] = !side.is_zero();
            }
        }
        sides
    }

    /// The corner that a side starts at.
    fn start(&self, side: Side) -> u32 {
        self.hull.faces[side / 3].corners[side % 3]
    }

    /// The same side in the triangle across.
    fn twin(&self, side: Side) -> Side {
        let face = (side / 3) as u32;
        let across = self.hull.faces[side / 3].across[side % 3] as usize;
        let back = self.hull.faces[across].across;
        3 * across
            + if back[0] == face {
                0
            } else if back[1] == face {
                1
            } else {
                2
            }
    }

    /// The side after `side` in its triangle.
    fn next(side: Side) -> Side {
        if side % 3 == 2 { side - 2 } else { side + 1 }
    }

    /// The border side after `side` in its face.
    fn next_border(&self, side: Side) -> Side {
        let mut next = Self::next(side);
        while !self.is_border[next] {
            next = Self::next(self.twin(next));
        }
        next
    }
}

/// The sources of the triangle corners that are vertices of the hull, and for each triangle corner
/// its vertex, or `NONE`.
fn corners(hull: &Builder, sides: &Sides<'_>) -> (Vec<u32>, Vec<u32>) {
    let mut degree = vec![0_u8; hull.corners.len()];
    for side in (0..sides.is_border.len()).filter(|s| sides.is_border[*s]) {
        let degree = &mut degree[sides.start(side) as usize];
        *degree = degree.saturating_add(1);
    }
    let mut ids = Vec::with_capacity(hull.corners.len());
    let mut vertex_of = vec![NONE; hull.corners.len()];
    for corner in (0..degree.len()).filter(|i| degree[*i] >= 3) {
        vertex_of[corner] = ids.len() as u32;
        ids.push(hull.corners[corner].source);
    }
    (ids, vertex_of)
}

/// The neighbours of every vertex, counter-clockwise, as compressed rows.
fn adjacency(
    count: usize,
    face_starts: &[u32],
    face_vertices: &[u32],
    twins: &[u32],
) -> (Vec<u32>, Vec<u32>) {
    // For each loop edge the one before it, and for each vertex one loop edge that starts there.
    let mut before = vec![0_u32; face_vertices.len()];
    let mut leaving = vec![0; count];
    let mut starts = vec![0_u32; count + 1];
    for face in face_starts.windows(2) {
        let (low, high) = (face[0] as usize, face[1] as usize);
        for edge in low..high {
            before[edge] = (if edge == low { high - 1 } else { edge - 1 }) as u32;
            leaving[face_vertices[edge] as usize] = edge;
            starts[face_vertices[edge] as usize + 1] += 1;
        }
    }
    for vertex in 0..count {
        starts[vertex + 1] += starts[vertex];
    }
    let mut neighbors = Vec::with_capacity(face_vertices.len());
    for vertex in 0..count {
        let mut edge = leaving[vertex];
        for _ in starts[vertex]..starts[vertex + 1] {
            neighbors.push(face_vertices[twins[edge] as usize]);
            edge = twins[before[edge] as usize] as usize;
        }
    }
    (starts, neighbors)
}
