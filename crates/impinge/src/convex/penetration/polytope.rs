//! The expanding polytope: an exact hull of vertices added one by one.
//!
//! Whether a vertex is strictly above a face is decided exactly. So the faces below it form a disc
//! with one border (the argument is in `convex/build.rs`), and the surface stays closed and convex,
//! with coplanar neighbours at most.

use crate::arrays::MapEach;
use crate::convex::body::{UNIT_ROUNDOFF, length_up};
use crate::convex::closest::{Vertex, signed_volumes, unit};
use crate::convex::interruptible::pay;
use crate::exact::{Sign, orient3d};
use crate::math::Vec3;

const NONE: u32 = u32::MAX;

/// Units of a face that is added, or removed: up to three exact decisions.
const UNITS_OF_FACE: u64 = 2;

/// If the heights of a triangle's corners along its normal differ by more than this times their
/// size, the triangle is a sliver and the normal inaccurate.
const MAX_RELATIVE_SLANT: f64 = 1e-13;

/// A triangle of the surface. Side `i` runs from corner `i` to corner `i + 1`.
#[derive(Clone, Copy)]
pub(super) struct Face {
    pub(super) corners: [u32; 3],
    across: [u32; 3],
    pub(super) alive: bool,
    /// The outer unit normal, rounded; for a sliver, the direction of its nearest point if that is
    /// more accurate.
    pub(super) normal: Vec3,
    /// A lower bound of the distance of the triangle from the origin, along the normal. Zero or
    /// less if the origin is not strictly inside.
    pub(super) height: f64,
}

pub(super) struct Polytope {
    pub(super) vertices: Vec<Vertex>,
    pub(super) faces: Vec<Face>,
    /// For each vertex the new face whose border side starts there; valid for the current border.
    face_from_vertex: Vec<u32>,
}

impl Polytope {
    /// The hull of four vertices; `None` if they lie in one plane.
    pub(super) fn new(mut vertices: [Vertex; 4]) -> Option<Self> {
        let [a, b, c, d] = vertices.map_each(|v| v.m);
        match orient3d(a, b, c, d) {
            Sign::Zero => return None,
            Sign::Positive => vertices.swap(0, 1),
            Sign::Negative => {}
        }
        let mut polytope = Self {
            vertices: vertices.to_vec(),
            faces: Vec::new(),
            face_from_vertex: vec![NONE; 4],
        };
        let faces = [
            ([0, 1, 2], [1, 2, 3]),
            ([1, 0, 3], [0, 3, 2]),
            ([2, 1, 3], [0, 1, 3]),
            ([0, 2, 3], [0, 2, 1]),
        ];
        for (corners, across) in faces {
            polytope.add_face(corners, across);
        }
        Some(polytope)
    }

    /// The corners of a face.
    pub(super) fn corners(&self, face: u32) -> [Vec3; 3] {
        self.faces[face as usize].corners.map_each(|v| self.vertices[v as usize].m)
    }

    /// Whether a point lies strictly above a face, exactly.
    pub(super) fn is_above(&self, face: u32, p: Vec3) -> bool {
        let [a, b, c] = self.corners(face);
        orient3d(a, b, c, p) == Sign::Positive
    }

    /// Adds a vertex that is strictly above the face `seed`; returns the indices of the new faces.
    pub(super) async fn add(&mut self, vertex: Vertex, seed: u32) -> std::ops::Range<u32> {
        let border = self.remove_below(vertex.m, seed).await;
        let apex = self.vertices.len() as u32;
        self.vertices.push(vertex);
        self.face_from_vertex.push(NONE);
        let first = self.faces.len() as u32;
        for (start, end, outside, side) in border {
            pay(UNITS_OF_FACE).await;
            let face = self.add_face([start, end, apex], [outside, NONE, NONE]);
            self.faces[outside as usize].across[side] = face;
            self.face_from_vertex[start as usize] = face;
        }
        let last = self.faces.len() as u32;
        for face in first..last {
            let next = self.face_from_vertex[self.faces[face as usize].corners[1] as usize];
            self.faces[face as usize].across[1] = next;
            self.faces[next as usize].across[2] = face;
        }
        first..last
    }

    /// Removes the faces below a point; returns the sides around them, each with the kept face and
    /// its side there.
    async fn remove_below(&mut self, p: Vec3, seed: u32) -> Vec<(u32, u32, u32, usize)> {
        let mut border = Vec::new();
        let mut removed = vec![seed];
        self.faces[seed as usize].alive = false;
        let mut next = 0;
        while let Some(face) = removed.get(next).copied() {
            next += 1;
            let Face { corners, across, .. } = self.faces[face as usize];
            pay(UNITS_OF_FACE).await;
            for i in 0..3 {
                let outside = across[i];
                if !self.faces[outside as usize].alive {
                    continue;
                }
                if self.is_above(outside, p) {
                    self.faces[outside as usize].alive = false;
                    removed.push(outside);
                } else {
                    let back = self.faces[outside as usize].across;
                    let side = back.iter().position(|f| *f == face).unwrap_or(0);
                    border.push((corners[i], corners[(i + 1) % 3], outside, side));
                }
            }
        }
        border
    }

    fn add_face(&mut self, corners: [u32; 3], across: [u32; 3]) -> u32 {
        let triangle = corners.map_each(|v| self.vertices[v as usize].m);
        let (normal, height) = plane(triangle);
        self.faces.push(Face { corners, across, alive: true, normal, height });
        (self.faces.len() - 1) as u32
    }
}

/// The unit normal of a triangle and a lower bound of its distance from the origin; the bound is
/// valid only if the origin is inside.
fn plane([a, b, c]: [Vec3; 3]) -> (Vec3, f64) {
    // The two shorter sides give the most accurate normal.
    let sides = [b - a, c - b, a - c];
    let lengths = sides.map_each(Vec3::length_squared);
    let longest = (0..3).fold(0, |k, i| if lengths[i] > lengths[k] { i } else { k });
    let cross = sides[(longest + 1) % 3].cross(sides[(longest + 2) % 3]);
    let mut normal = unit(cross);
    if normal == Vec3::ZERO {
        normal = unit(a);
    }
    // Any unit vector gives a bound of the distance of a triangle; the normal gives the best one if
    // it is accurate.
    let size = length_up(a).max(length_up(b)).max(length_up(c));
    let least_height = |n: Vec3| n.dot(a).min(n.dot(b)).min(n.dot(c));
    let mut height = least_height(normal);
    if normal.dot(a).max(normal.dot(b)).max(normal.dot(c)) - height > MAX_RELATIVE_SLANT * size {
        let corners = [a, b, c];
        let to_nearest = unit(signed_volumes::reduce(&corners).sum(|i| corners[i]));
        if to_nearest != Vec3::ZERO && least_height(to_nearest) > height {
            (normal, height) = (to_nearest, least_height(to_nearest));
        }
    }
    let height = height - 16.0 * UNIT_ROUNDOFF * size - f64::MIN_POSITIVE;
    // Whether the origin is on the inner side is decided exactly.
    let outside = orient3d(a, b, c, Vec3::ZERO) == Sign::Positive;
    (normal, if outside { height.min(0.0) } else { height })
}
