//! The penetration depth: the expanding polytope (van den Bergen 2001, "Proximity Queries and
//! Penetration Depth Computation on 3D Game Objects"), with both bounds certified.
//!
//! A closed surface of triangles between corners of A - B grows around the origin. Its closest face
//! gives a direction; the corner furthest in that direction either lies on the face's plane, then
//! that plane bounds A - B and no shorter translation separates the bodies, or it is added to the
//! surface.
//!
//! The surface is kept in `f32`, eight faces a block. Faces that a new corner makes fill a block of
//! their own: they are computed at once, and so is what a corner sees. What matters for the answer,
//! the closest face and those that come about as close, is computed again in `f64`.
//!
//! **Upper bound.** Moving B by `depth` along any direction separates the bodies, if all of A - B
//! lies within `depth` of the origin along it: one furthest corner tells.
//!
//! **Lower bound.** The surface is closed, and every face has the origin behind it, for certain. So
//! the surface winds around the origin at least once, and around every point that can be reached
//! from it without crossing a face: a ball whose radius is the smallest distance of a face's plane.
//! That ball is inside A - B, convex or not as the surface may be by rounding.

use glam::Vec3A;

use super::gjk::Query;
use super::rough::{Corners, Rough, SLACK};
use super::simplex::{Corner, Simplex};
use crate::math::Vec3;
use crate::wide::{Lanes3, Wide, Wide3};

/// Corners this little beyond a face's plane, relative to the size of the bodies, do not move it.
const FLAT: f64 = 1e-13;

/// What rounding makes of a face's distance, relative to the size, for a face as large as that;
/// more by as much as its height is less. Derived in `docs/notes/convex.md`, as is the next.
const HEIGHT_ERROR: f64 = 32.0 * f64::EPSILON;

/// The same in `f32`, in the unit of the search.
const ROUGH_ERROR: f32 = 96.0 * f32::EPSILON;

/// Corners that are off by so much more make the distance of a face as much more uncertain, times
/// this.
const COARSE_CORNERS: f32 = 8.0;

/// The most blocks of faces. Penetrations of hulls of thousands of vertices need about thirty.
const BLOCKS: usize = 64;

/// The most corners.
const CORNERS: usize = 128;

/// The most edges around the faces that a corner sees: all there are.
const RIM: usize = 8 * BLOCKS;

/// An edge of a face: the number of the face times four, plus that of the edge, which goes from
/// corner `k` to the next.
type Edge = u16;

/// The edges after the first, second and third, in order.
const AFTER: [[usize; 2]; 4] = [[1, 2], [2, 0], [0, 1], [0, 1]];

/// The faces of a tetrahedron with the neighbours' edges. Outward if the last corner lies below the
/// first three.
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
    /// The normal times any corner; infinite for a face that is gone, so that nothing sees it.
    heights: [f32; 8],
    /// The distance of the plane from the origin; infinite for a face that is gone.
    distances: [f32; 8],
    /// What rounding can make of the distance.
    errors: [f32; 8],
    /// Counter-clockwise seen from outside.
    corners: [[u8; 4]; 8],
    /// The edges as the neighbours have them.
    beside: [[Edge; 4]; 8],
}

/// The surface, kept from query to query of a thread.
#[derive(Debug)]
pub(super) struct Surface {
    corners: [Corner<Vec3A>; CORNERS],
    len: usize,
    blocks: [Block; BLOCKS],
    used: usize,
    /// Which faces of each block the new corner sees, as bits.
    seen: [u32; BLOCKS],
    stack: [Edge; RIM],
    rim: [Edge; RIM],
    /// What rounding makes of a face's distance, in the unit of the search, as [`ROUGH_ERROR`] is.
    error: f32,
}

impl Default for Surface {
    fn default() -> Self {
        let block = Block {
            normals: Lanes3::splat(0.0),
            heights: [0.0; 8],
            distances: [0.0; 8],
            errors: [0.0; 8],
            corners: [[0; 4]; 8],
            beside: [[0; 4]; 8],
        };
        Self {
            corners: [Corner::NONE; CORNERS],
            len: 0,
            blocks: [block; BLOCKS],
            used: 0,
            seen: [0; BLOCKS],
            stack: [0; RIM],
            rim: [0; RIM],
            error: ROUGH_ERROR,
        }
    }
}

/// How deep the bodies overlap.
#[derive(Clone, Copy, Debug)]
pub(super) struct Depth {
    pub(super) lower: f64,
    pub(super) upper: f64,
    /// From A towards B: moved so far along this, B leaves A. Of length one to rounding.
    pub(super) direction: Vec3,
    /// The corners of the closest face and their shares of the point closest to the origin.
    pub(super) shares: [(Corner<Vec3>, f64); 3],
}

/// A face in `f64`.
#[derive(Clone, Copy, Debug)]
struct Exact {
    corners: [Corner<Vec3>; 3],
    normal: Vec3,
    height: f64,
    length: f64,
}

impl Exact {
    #[inline(always)]
    fn new(corners: [Corner<Vec3>; 3]) -> Self {
        let [p, q, r] = [corners[0].w, corners[1].w, corners[2].w];
        let normal = (p - r).cross(q - r);
        Self { corners, normal, height: normal.dot(r), length: normal.length() }
    }

    /// A certain lower bound of the distance of the plane from the origin.
    #[inline(always)]
    fn low(&self, size: f64) -> f64 {
        let [p, q, r] = [self.corners[0].w, self.corners[1].w, self.corners[2].w];
        let sides = (p - r).length() + (q - r).length();
        self.height / self.length - HEIGHT_ERROR * size * (1.0 + size * sides / self.length)
    }
}

impl Surface {
    /// Grows the surface from a tetrahedron that holds the origin, inside or on its border, for
    /// certain. `None` if there is too little room, or if `f32` is too coarse.
    #[inline(always)]
    pub(super) fn expand<W: Wide, C: Corners>(
        &mut self,
        query: &Query<'_>,
        rough: &Rough<'_>,
        corners: &C,
        start: &Simplex<Vec3A>,
    ) -> Option<Depth> {
        self.error = ROUGH_ERROR + COARSE_CORNERS * rough.coarse;
        self.start::<W>(start)?;
        let flat = FLAT * query.size;
        let mut upper = f64::INFINITY;
        let mut outward = Vec3::ZERO;
        loop {
            let closest = self.closest::<W>();
            let block = &self.blocks[closest / 8 % BLOCKS];
            let (normal, height) =
                (Vec3A::from_array(block.normals.get(closest % 8)), block.heights[closest % 8]);
            let mut corner = corners.against::<W>(-normal);
            let along = normal.dot(corner.w);
            if along - height <= 2.0 * SLACK * normal.length() {
                let face = self.exact(query, closest);
                let sure = query.against(-face.normal);
                let along = face.normal.dot(sure.w);
                let reach = along / face.length + query.tiny;
                if reach < upper {
                    (upper, outward) = (reach, face.normal);
                }
                if along - face.height <= flat * face.length {
                    let Ok(lower) = self.lowest::<W>(query, rough, closest, &face) else {
                        continue;
                    };
                    // Bodies that hardly touch are known to meet, so they are no less than zero
                    // deep. Otherwise also if a face has no area.
                    if !(lower > 0.0 && upper.is_finite() || upper <= 8.0 * flat) {
                        return None;
                    }
                    let lower = lower.max(0.0);
                    let mut near = Simplex::EMPTY;
                    for corner in face.corners {
                        near.push(corner);
                    }
                    let direction = outward / outward.length();
                    return Some(Depth { lower, upper, direction, shares: near.shares() });
                }
                corner = corners.corner(sure.a, sure.b);
            }
            if !self.add::<W>(closest, corner) {
                return None;
            }
        }
    }

    #[inline(always)]
    fn start<W: Wide>(&mut self, simplex: &Simplex<Vec3A>) -> Option<()> {
        let [a, b, c, d] = simplex.tetrahedron_corners()?;
        let above = (b.w - a.w).cross(c.w - a.w).dot(d.w - a.w) > 0.0;
        self.corners[..4].copy_from_slice(&if above { [b, a, c, d] } else { [a, b, c, d] });
        self.len = 4;
        let block = &mut self.blocks[0];
        let mut sides = [Lanes3::splat(0.0); 3];
        for (lane, (corners, beside)) in TETRAHEDRON.into_iter().enumerate() {
            block.corners[lane] = corners;
            block.beside[lane] = beside;
            for k in 0..3 {
                sides[k].set(lane, self.corners[usize::from(corners[k])].w.to_array());
            }
        }
        self.used = 1;
        let [p, q, r] = &sides;
        let faces = (Wide3::load(p), Wide3::load(q), Wide3::load(r));
        fill::<W>(block, faces, 4, self.error).then_some(())
    }

    /// The face closest to the origin.
    #[inline(always)]
    fn closest<W: Wide>(&self) -> usize {
        let blocks = &self.blocks[..self.used.min(BLOCKS)];
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

    /// Replaces the faces that the corner sees by faces to the corner; false if there is no room,
    /// or if rounding makes a muddle of it.
    #[inline(always)]
    fn add<W: Wide>(&mut self, first: usize, corner: Corner<Vec3A>) -> bool {
        if self.len >= CORNERS || self.used + 2 > BLOCKS || self.used == 0 {
            return false;
        }
        let w = Wide3::<W>::splat(corner.w.to_array());
        for k in 0..self.used.min(BLOCKS) {
            let block = &self.blocks[k];
            let along = Wide3::load(&block.normals).dot(w);
            self.seen[k] = W::load(&block.heights).lt(along).bits();
        }
        let rims = self.rim(first);
        if !(3..=16).contains(&rims) {
            return false;
        }
        let apex = self.len as u8;
        self.corners[self.len % CORNERS] = corner;
        self.len += 1;
        let new = 8 * self.used as Edge;
        let last = new + rims as Edge - 1;
        // The loop is closed: after the last edge comes the first again.
        self.rim[rims % RIM] = self.rim[0];
        let mut end = self.blocks[usize::from(self.rim[0]) / 32 % BLOCKS].corners
            [usize::from(self.rim[0]) / 4 % 8][AFTER[usize::from(self.rim[0]) & 3][0]];
        for from in (0..rims).step_by(8) {
            let block = self.used % BLOCKS;
            self.used += 1;
            let count = (rims - from).min(8);
            let mut points = [[0.0_f32; 9]; 3];
            for lane in 0..=count {
                let edge = usize::from(self.rim[(from + lane) % RIM]);
                let beyond = &mut self.blocks[edge / 32 % BLOCKS];
                let corners = beyond.corners[edge / 4 % 8];
                // Seen from the other side.
                let (p, q) = (corners[AFTER[edge & 3][0]], corners[edge & 3]);
                if p != end {
                    return false;
                }
                let point = self.corners[usize::from(p) % CORNERS].w.to_array();
                for (of_axis, x) in points.iter_mut().zip(point) {
                    of_axis[lane] = x;
                }
                if lane < count {
                    end = q;
                    let number = new + (from + lane) as Edge;
                    beyond.beside[edge / 4 % 8][edge & 3] = 4 * number;
                    let next = if number == last { new } else { number + 1 };
                    let before = if number == new { last } else { number - 1 };
                    let made = &mut self.blocks[block];
                    made.corners[lane] = [p, q, apex, 0];
                    made.beside[lane] = [edge as Edge, 4 * next + 2, 4 * before + 1, 0];
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
            if !fill::<W>(&mut self.blocks[block], (p, q, w), count, self.error) {
                return false;
            }
        }
        true
    }

    /// Removes the faces that are seen and connected with the first, and lists the edges around
    /// them, as those beyond have them, in order. How many.
    #[inline(always)]
    fn rim(&mut self, first: usize) -> usize {
        let beside = self.blocks[first / 8 % BLOCKS].beside[first % 8];
        [self.stack[2], self.stack[1], self.stack[0], _] = beside;
        self.remove(first);
        self.seen[first / 8 % BLOCKS] |= 1 << (first % 8);
        let (mut rims, mut depth) = (0, 3);
        while depth > 0 {
            depth -= 1;
            let edge = usize::from(self.stack[depth % RIM]);
            let (number, lane) = (edge / 32 % BLOCKS, edge / 4 % 8);
            if self.seen[number] >> lane & 1 == 0 {
                self.rim[rims % RIM] = edge as Edge;
                rims += 1;
            } else if self.blocks[number].distances[lane] != f32::INFINITY {
                let [next, last] = AFTER[edge & 3];
                let beside = &self.blocks[number].beside[lane];
                self.stack[depth % RIM] = beside[last];
                self.stack[(depth + 1) % RIM] = beside[next];
                depth += 2;
                self.remove(8 * number + lane);
            }
        }
        rims
    }

    #[inline(always)]
    fn remove(&mut self, number: usize) {
        let block = &mut self.blocks[number / 8 % BLOCKS];
        block.distances[number % 8] = f32::INFINITY;
        block.heights[number % 8] = f32::INFINITY;
    }

    /// A face in `f64`.
    #[inline(always)]
    fn exact(&self, query: &Query<'_>, number: usize) -> Exact {
        let [p, q, r, _] = self.blocks[number / 8 % BLOCKS].corners[number % 8];
        let corner = |k: u8| {
            let corner = self.corners[usize::from(k) % CORNERS];
            query.corner(corner.a, corner.b)
        };
        Exact::new([corner(p), corner(q), corner(r)])
    }

    /// A certain lower bound of the radius of the ball around the origin that the surface holds; an
    /// error, after marking it as the closest, if another face turns out to be closer than `face`,
    /// the closest one so far.
    #[inline(always)]
    fn lowest<W: Wide>(
        &mut self,
        query: &Query<'_>,
        rough: &Rough<'_>,
        closest: usize,
        face: &Exact,
    ) -> Result<f64, ()> {
        let distance = face.height / face.length;
        let mut radius = face.low(query.size);
        let enough = (distance * rough.unit) as f32 * (1.0 + 4.0 * f32::EPSILON);
        for k in 0..self.used.min(BLOCKS) {
            let block = &self.blocks[k];
            let low = W::load(&block.distances).sub(W::load(&block.errors));
            let mut close = low.le(W::splat(enough)).bits();
            while close != 0 {
                let number = 8 * k + close.trailing_zeros() as usize;
                close &= close - 1;
                if number == closest {
                    continue;
                }
                let other = self.exact(query, number);
                let known = self.blocks[closest / 8 % BLOCKS].distances[closest % 8];
                let rough_distance = &mut self.blocks[k].distances[number % 8];
                let found = other.height / other.length;
                if found < distance - 8.0 * FLAT * query.size && *rough_distance >= known {
                    // Less, also than nothing, so that it comes next.
                    *rough_distance =
                        known - (known.abs() * 2.0 * f32::EPSILON).max(f32::MIN_POSITIVE);
                    return Err(());
                }
                radius = radius.min(other.low(query.size));
            }
        }
        Ok(radius)
    }
}

/// Eight of nine numbers, without the last or without the first.
#[inline(always)]
fn eight(points: &[f32; 9], from: usize) -> &[f32; 8] {
    points[from..].first_chunk().unwrap_or(&[0.0; 8])
}

/// Computes the first `count` faces of a block from their corners; false if one does not have the
/// origin behind it, or on it to rounding. On the way that is enough: the [lower
/// bound](Surface::lowest) counts all faces as they are in the end.
#[inline(always)]
fn fill<W: Wide>(
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
    // Not if it has no area: then the distance is no number.
    let behind = W::splat(-error).le(distance).bits();
    behind & ((1 << count) - 1) == (1 << count) - 1
}
