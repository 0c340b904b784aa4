//! The penetration depth: the expanding polytope (van den Bergen 2001, "Proximity Queries and
//! Penetration Depth Computation on 3D Game Objects"), with both bounds certified.
//!
//! A closed surface of triangles between corners of A - B grows around the origin. Its closest face
//! gives a direction. If the corner furthest in that direction lies on the plane of the face, the
//! plane bounds A - B, and no shorter translation separates the bodies; otherwise the corner is
//! added to the surface.
//!
//! The surface is stored in `f32`, eight faces to a block. The faces of a new corner start a new
//! block, so that they are computed together; which faces a corner sees is also computed a block at
//! a time. The closest face and the faces about as close decide the answer and are computed again
//! in `f64`.
//!
//! **Upper bound.** A translation of B by `depth` along a direction separates the bodies if all of
//! A - B lies within `depth` of the origin along it; one furthest corner shows that.
//!
//! **Lower bound.** The surface is closed, and every face certainly has the origin behind it. So
//! the surface winds around the origin at least once, and around every point that can be reached
//! from it without crossing a face. These include the ball whose radius is the smallest distance of
//! a face's plane. That ball is inside A - B, even if rounding makes the surface not convex.

use glam::Vec3A;

use super::gjk::Query;
use super::search_f32::{Corners, PLANE_ERROR_F32, QueryF32};
use super::simplex::{Corner, Simplex};
use crate::math::Vec3;
use crate::wide::{Lanes3, Wide, Wide3};

/// Corners less than this beyond a face's plane do not move it; relative to the size of the bodies.
const FACE_TOLERANCE: f64 = 1e-13;

/// The error of a face's distance in `f64`, relative to the size of the bodies, for a face whose
/// height is that size; the error is inversely proportional to the height of a smaller face.
/// Derived in `docs/notes/convex.md`, as is [`FACE_ERROR_F32`].
const FACE_ERROR_F64: f64 = 32.0 * f64::EPSILON;

/// The same in `f32`, in the unit of the search.
const FACE_ERROR_F32: f32 = 96.0 * f32::EPSILON;

/// The factor from an additional error of corners to that of a face's distance.
const CORNER_ERROR_FACTOR: f32 = 8.0;

/// The most blocks of faces. Queries of hulls with thousands of vertices need about thirty.
const MAX_BLOCKS: usize = 64;

/// The most corners of the surface.
const MAX_CORNERS: usize = 128;

/// The most edges of the horizon, the border of the faces that a corner sees: as many as the
/// surface can have faces.
const MAX_HORIZON_EDGES: usize = 8 * MAX_BLOCKS;

/// An edge of a face: four times the index of the face, plus that of the edge. Edge `k` goes from
/// corner `k` to the next.
type Edge = u16;

/// The two edges after the first, second and third, in order.
const AFTER: [[usize; 2]; 4] = [[1, 2], [2, 0], [0, 1], [0, 1]];

/// The faces of a tetrahedron, and for each edge the same edge in the neighbour. They face outward
/// if the last corner lies below the first three.
const TETRAHEDRON: [([u8; 4], [Edge; 4]); 4] = [
    ([0, 1, 2, 0], [4, 8, 12, 0]),
    ([1, 0, 3, 0], [0, 14, 9, 0]),
    ([2, 1, 3, 0], [1, 6, 13, 0]),
    ([0, 2, 3, 0], [2, 10, 5, 0]),
];

/// Eight faces.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Block {
    /// Outward, of any length.
    normals: Lanes3,
    /// The normal times any corner; infinite for a removed face, so that no corner sees it.
    heights: [f32; 8],
    /// The distance of the plane from the origin; infinite for a removed face.
    distances: [f32; 8],
    /// The error bound of the distance.
    errors: [f32; 8],
    /// Counter-clockwise seen from outside.
    corners: [[u8; 4]; 8],
    /// For each edge the same edge in the neighbour.
    neighbors: [[Edge; 4]; 8],
}

/// The surface; its memory is reused by the queries of a thread.
#[derive(Debug)]
pub(super) struct Surface {
    corners: [Corner<Vec3A>; MAX_CORNERS],
    len: usize,
    blocks: [Block; MAX_BLOCKS],
    block_count: usize,
    /// Which faces of each block the new corner sees, as bits.
    visible: [u32; MAX_BLOCKS],
    stack: [Edge; MAX_HORIZON_EDGES],
    horizon: [Edge; MAX_HORIZON_EDGES],
    /// The error of a face's distance in the unit of the search: [`FACE_ERROR_F32`] and the
    /// additional error of corners.
    error: f32,
    /// The least upper bound of the depth so far, and its direction, of any length.
    upper: f64,
    outward: Vec3,
}

impl Default for Surface {
    fn default() -> Self {
        let block = Block {
            normals: Lanes3::splat(0.0),
            heights: [0.0; 8],
            distances: [0.0; 8],
            errors: [0.0; 8],
            corners: [[0; 4]; 8],
            neighbors: [[0; 4]; 8],
        };
        Self {
            corners: [Corner::NONE; MAX_CORNERS],
            len: 0,
            blocks: [block; MAX_BLOCKS],
            block_count: 0,
            visible: [0; MAX_BLOCKS],
            stack: [0; MAX_HORIZON_EDGES],
            horizon: [0; MAX_HORIZON_EDGES],
            error: FACE_ERROR_F32,
            upper: f64::INFINITY,
            outward: Vec3::ZERO,
        }
    }
}

/// Bounds of the penetration depth.
#[derive(Clone, Copy, Debug)]
pub(super) struct Depth {
    pub(super) lower: f64,
    pub(super) upper: f64,
    /// From A towards B: B translated by `upper` along it leaves A. Of length one to rounding.
    pub(super) direction: Vec3,
    /// The corners of the closest face and their weights for its point closest to the origin.
    pub(super) weights: [(Corner<Vec3>, f64); 3],
}

/// How far a surface has grown.
#[derive(Clone, Copy, Debug)]
pub(super) enum Growth {
    /// The depth is found.
    Ended(Depth),
    /// The surface does not fit, or `f32` is too coarse.
    Failed,
    /// More corners may be needed.
    Open,
}

/// A face in `f64`.
#[derive(Clone, Copy, Debug)]
struct FaceF64 {
    corners: [Corner<Vec3>; 3],
    normal: Vec3,
    height: f64,
    length: f64,
}

impl FaceF64 {
    #[inline(always)]
    fn new(corners: [Corner<Vec3>; 3]) -> Self {
        let [p, q, r] = [corners[0].w, corners[1].w, corners[2].w];
        let normal = (p - r).cross(q - r);
        Self { corners, normal, height: normal.dot(r), length: normal.length() }
    }

    /// A certain lower bound of the distance of the plane from the origin.
    #[inline(always)]
    fn min_distance(&self, size: f64) -> f64 {
        let [p, q, r] = [self.corners[0].w, self.corners[1].w, self.corners[2].w];
        let sides = (p - r).length() + (q - r).length();
        self.height / self.length - FACE_ERROR_F64 * size * (1.0 + size * sides / self.length)
    }
}

impl Surface {
    /// Grows the surface, by at most `steps` corners.
    #[inline(always)]
    pub(super) fn grow<W: Wide, C: Corners>(
        &mut self,
        query: &Query<'_>,
        query_f32: &QueryF32<'_>,
        corners: &C,
        steps: u32,
    ) -> Growth {
        let tolerance = FACE_TOLERANCE * query.size;
        let (mut upper, mut outward) = (self.upper, self.outward);
        for _ in 0..steps {
            let closest = self.closest::<W>();
            let block = &self.blocks[closest / 8 % MAX_BLOCKS];
            let (normal, height) =
                (Vec3A::from_array(block.normals.get(closest % 8)), block.heights[closest % 8]);
            let mut corner = corners.support_against::<W>(-normal);
            let along = normal.dot(corner.w);
            if along - height <= 2.0 * PLANE_ERROR_F32 * normal.length() {
                let face = self.face_f64(query, closest);
                let corner_f64 = query.support_against(-face.normal);
                let along = face.normal.dot(corner_f64.w);
                let reach = along / face.length + query.plane_error;
                if reach < upper {
                    (upper, outward) = (reach, face.normal);
                }
                if along - face.height <= tolerance * face.length {
                    let Ok(lower) = self.inner_radius::<W>(query, query_f32, closest, &face) else {
                        continue;
                    };
                    // The bodies are known to intersect, so the depth is not negative even if they
                    // barely touch. For deeper bodies a bound that is not positive proves nothing;
                    // it can also come from a face without area.
                    if !(lower > 0.0 && upper.is_finite() || upper <= 8.0 * tolerance) {
                        return Growth::Failed;
                    }
                    let lower = lower.max(0.0);
                    let mut face_simplex = Simplex::EMPTY;
                    for corner in face.corners {
                        face_simplex.push(corner);
                    }
                    let direction = outward / outward.length();
                    return Growth::Ended(Depth {
                        lower,
                        upper,
                        direction,
                        weights: face_simplex.weights(),
                    });
                }
                corner = corners.corner(corner_f64.a, corner_f64.b);
            }
            if !self.add::<W>(closest, corner) {
                return Growth::Failed;
            }
        }
        (self.upper, self.outward) = (upper, outward);
        Growth::Open
    }

    /// The least upper bound of the depth so far; infinite if there is none.
    pub(super) fn upper(&self) -> f64 {
        self.upper
    }

    /// Starts with a tetrahedron that certainly contains the origin, inside or on its border.
    /// `None` if `f32` is too coarse.
    #[inline(always)]
    pub(super) fn start<W: Wide>(
        &mut self,
        query_f32: &QueryF32<'_>,
        simplex: &Simplex<Vec3A>,
    ) -> Option<()> {
        self.error = FACE_ERROR_F32 + CORNER_ERROR_FACTOR * query_f32.plane_error_f64;
        (self.upper, self.outward) = (f64::INFINITY, Vec3::ZERO);
        let [a, b, c, d] = simplex.tetrahedron_corners()?;
        let above = (b.w - a.w).cross(c.w - a.w).dot(d.w - a.w) > 0.0;
        self.corners[..4].copy_from_slice(&if above { [b, a, c, d] } else { [a, b, c, d] });
        self.len = 4;
        let block = &mut self.blocks[0];
        let mut sides = [Lanes3::splat(0.0); 3];
        for (lane, (corners, neighbors)) in TETRAHEDRON.into_iter().enumerate() {
            block.corners[lane] = corners;
            block.neighbors[lane] = neighbors;
            for k in 0..3 {
                sides[k].set(lane, self.corners[usize::from(corners[k])].w.to_array());
            }
        }
        self.block_count = 1;
        let [p, q, r] = &sides;
        let faces = (Wide3::load(p), Wide3::load(q), Wide3::load(r));
        compute_faces::<W>(block, faces, 4, self.error).then_some(())
    }

    /// The face closest to the origin.
    #[inline(always)]
    fn closest<W: Wide>(&self) -> usize {
        let blocks = &self.blocks[..self.block_count.min(MAX_BLOCKS)];
        let mut least = W::splat(f32::INFINITY);
        for block in blocks {
            least = least.min(W::load(&block.distances));
        }
        let least = W::splat(-W::splat(0.0).sub(least).max_lane());
        for (k, block) in blocks.iter().enumerate() {
            let here = W::load(&block.distances).le(least).bits();
            if here != 0 {
                return 8 * k + here.trailing_zeros() as usize;
            }
        }
        0
    }

    /// Replaces the faces that the corner sees by faces to the corner. False if the surface does
    /// not fit, or if rounding breaks the horizon.
    #[inline(always)]
    fn add<W: Wide>(&mut self, first: usize, corner: Corner<Vec3A>) -> bool {
        if self.len >= MAX_CORNERS || self.block_count + 2 > MAX_BLOCKS || self.block_count == 0 {
            return false;
        }
        let w = Wide3::<W>::splat(corner.w.to_array());
        for k in 0..self.block_count.min(MAX_BLOCKS) {
            let block = &self.blocks[k];
            let along = Wide3::load(&block.normals).dot(w);
            self.visible[k] = W::load(&block.heights).lt(along).bits();
        }
        let edge_count = self.find_horizon(first);
        if !(3..=16).contains(&edge_count) {
            return false;
        }
        let apex = self.len as u8;
        self.corners[self.len % MAX_CORNERS] = corner;
        self.len += 1;
        let new = 8 * self.block_count as Edge;
        let last = new + edge_count as Edge - 1;
        // The horizon is closed: the first edge follows the last.
        self.horizon[edge_count % MAX_HORIZON_EDGES] = self.horizon[0];
        let mut end = self.blocks[usize::from(self.horizon[0]) / 32 % MAX_BLOCKS].corners
            [usize::from(self.horizon[0]) / 4 % 8][AFTER[usize::from(self.horizon[0]) & 3][0]];
        for from in (0..edge_count).step_by(8) {
            let block = self.block_count % MAX_BLOCKS;
            self.block_count += 1;
            let count = (edge_count - from).min(8);
            let mut points = [[0.0_f32; 9]; 3];
            for lane in 0..=count {
                let edge = usize::from(self.horizon[(from + lane) % MAX_HORIZON_EDGES]);
                let beyond = &mut self.blocks[edge / 32 % MAX_BLOCKS];
                let corners = beyond.corners[edge / 4 % 8];
                // The new face has the edge in the opposite direction.
                let (p, q) = (corners[AFTER[edge & 3][0]], corners[edge & 3]);
                if p != end {
                    return false;
                }
                let point = self.corners[usize::from(p) % MAX_CORNERS].w.to_array();
                for (of_axis, x) in points.iter_mut().zip(point) {
                    of_axis[lane] = x;
                }
                if lane < count {
                    end = q;
                    let number = new + (from + lane) as Edge;
                    beyond.neighbors[edge / 4 % 8][edge & 3] = 4 * number;
                    let next = if number == last { new } else { number + 1 };
                    let before = if number == new { last } else { number - 1 };
                    let made = &mut self.blocks[block];
                    made.corners[lane] = [p, q, apex, 0];
                    made.neighbors[lane] = [edge as Edge, 4 * next + 2, 4 * before + 1, 0];
                }
            }
            let p = Wide3 {
                x: W::load(eight(&points[0], 0)),
                y: W::load(eight(&points[1], 0)),
                z: W::load(eight(&points[2], 0)),
            };
            let q = Wide3 {
                x: W::load(eight(&points[0], 1)),
                y: W::load(eight(&points[1], 1)),
                z: W::load(eight(&points[2], 1)),
            };
            if !compute_faces::<W>(&mut self.blocks[block], (p, q, w), count, self.error) {
                return false;
            }
        }
        true
    }

    /// Removes the visible faces that are connected with the first, and lists the horizon in order,
    /// each edge as the remaining face has it. Returns the number of edges.
    #[inline(always)]
    fn find_horizon(&mut self, first: usize) -> usize {
        let neighbors = self.blocks[first / 8 % MAX_BLOCKS].neighbors[first % 8];
        [self.stack[2], self.stack[1], self.stack[0], _] = neighbors;
        self.remove(first);
        self.visible[first / 8 % MAX_BLOCKS] |= 1 << (first % 8);
        let (mut edge_count, mut depth) = (0, 3);
        while depth > 0 {
            depth -= 1;
            let edge = usize::from(self.stack[depth % MAX_HORIZON_EDGES]);
            let (number, lane) = (edge / 32 % MAX_BLOCKS, edge / 4 % 8);
            if self.visible[number] >> lane & 1 == 0 {
                self.horizon[edge_count % MAX_HORIZON_EDGES] = edge as Edge;
                edge_count += 1;
            } else if self.blocks[number].distances[lane] != f32::INFINITY {
                let [next, last] = AFTER[edge & 3];
                let neighbors = &self.blocks[number].neighbors[lane];
                self.stack[depth % MAX_HORIZON_EDGES] = neighbors[last];
                self.stack[(depth + 1) % MAX_HORIZON_EDGES] = neighbors[next];
                depth += 2;
                self.remove(8 * number + lane);
            }
        }
        edge_count
    }

    #[inline(always)]
    fn remove(&mut self, number: usize) {
        let block = &mut self.blocks[number / 8 % MAX_BLOCKS];
        block.distances[number % 8] = f32::INFINITY;
        block.heights[number % 8] = f32::INFINITY;
    }

    /// A face in `f64`.
    #[inline(always)]
    fn face_f64(&self, query: &Query<'_>, number: usize) -> FaceF64 {
        let [p, q, r, _] = self.blocks[number / 8 % MAX_BLOCKS].corners[number % 8];
        let corner = |k: u8| {
            let corner = self.corners[usize::from(k) % MAX_CORNERS];
            query.corner(corner.a, corner.b)
        };
        FaceF64::new([corner(p), corner(q), corner(r)])
    }

    /// A certain lower bound of the radius of the ball around the origin inside the surface. An
    /// error if a face turns out to be closer than `face`, the closest one so far; it is then
    /// marked as the closest.
    #[inline(always)]
    fn inner_radius<W: Wide>(
        &mut self,
        query: &Query<'_>,
        query_f32: &QueryF32<'_>,
        closest: usize,
        face: &FaceF64,
    ) -> Result<f64, ()> {
        let distance = face.height / face.length;
        let mut radius = face.min_distance(query.size);
        let limit = (distance * query_f32.scale) as f32 * (1.0 + 4.0 * f32::EPSILON);
        for k in 0..self.block_count.min(MAX_BLOCKS) {
            let block = &self.blocks[k];
            let low = W::load(&block.distances).sub(W::load(&block.errors));
            let mut close = low.le(W::splat(limit)).bits();
            while close != 0 {
                let number = 8 * k + close.trailing_zeros() as usize;
                close &= close - 1;
                if number == closest {
                    continue;
                }
                let other = self.face_f64(query, number);
                let closest_distance = self.blocks[closest / 8 % MAX_BLOCKS].distances[closest % 8];
                let distance_f32 = &mut self.blocks[k].distances[number % 8];
                let found = other.height / other.length;
                if found < distance - 8.0 * FACE_TOLERANCE * query.size
                    && *distance_f32 >= closest_distance
                {
                    // Set just below the closest distance, so that this face comes next.
                    *distance_f32 = closest_distance
                        - (closest_distance.abs() * 2.0 * f32::EPSILON).max(f32::MIN_POSITIVE);
                    return Err(());
                }
                radius = radius.min(other.min_distance(query.size));
            }
        }
        Ok(radius)
    }
}

/// The first eight of nine numbers (`from` is 0), or the last eight (1).
#[inline(always)]
fn eight(points: &[f32; 9], from: usize) -> &[f32; 8] {
    points[from..].first_chunk().unwrap_or(&[0.0; 8])
}

/// Computes the first `count` faces of a block from their corners. False if a face has the origin
/// in front of it by more than rounding. That test is enough while the surface grows; the [lower
/// bound](Surface::inner_radius) checks all faces at the end.
#[inline(always)]
fn compute_faces<W: Wide>(
    block: &mut Block,
    (p, q, r): (Wide3<W>, Wide3<W>, Wide3<W>),
    count: usize,
    error: f32,
) -> bool {
    let (u, v) = (p.sub(r), q.sub(r));
    let normal = u.cross(v);
    let height = normal.dot(r);
    let length = normal.dot(normal).sqrt();
    let sides = u.dot(u).sqrt().add(v.dot(v).sqrt());
    let distance = height.div(length);
    let errors = W::splat(error).mul(sides.div(length).add(W::splat(1.0)));
    normal.store(&mut block.normals);
    height.store(&mut block.heights);
    distance.store(&mut block.distances);
    errors.store(&mut block.errors);
    for lane in count..8 {
        block.heights[lane] = f32::INFINITY;
        block.distances[lane] = f32::INFINITY;
    }
    // False for a face without area, whose distance is NaN.
    let behind = W::splat(-error).le(distance).bits();
    behind & ((1 << count) - 1) == (1 << count) - 1
}
