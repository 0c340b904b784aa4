//! Quickhull on triangles, with exact decisions.
//!
//! Every point not yet inside is in the list of one face that it lies above. A step takes a face
//! and the furthest point of its list, finds the faces below that point, replaces them by the cone
//! from the point over their border, and distributes their lists to the new faces.
//!
//! "Above" is decided exactly, and a point in the plane of a face is not above it. So the faces
//! below a point form an open disc: seen from the point they are the near side of the body, a graph
//! over an open convex cone. It follows that
//!
//! - the border is one simple cycle, and each new triangle has a positive area: if the point were
//!   on the line of a border edge, it would lie in the plane of the face inside that edge, and not
//!   above it;
//! - a point of a removed face's list that is above some face of the new body is above a new face:
//!   the faces below it are connected, so either one of them is new, or two of them, one removed
//!   and one kept, share a border edge, and the new face at that edge has a normal between theirs.
//!   So only the new faces are tested;
//! - coplanar neighbours occur (the apex lies in the plane of a kept face). They are harmless and
//!   are merged at the end.
//!
//! Floating point chooses the furthest point. A worse choice only costs time.
//!
//! The speed depends on memory accesses. A list is a range of one array that holds the coordinates,
//! so distribution reads and writes in order; the array is compacted when more than half of it is
//! unused. Faces are processed last in, first out, so the next steps work on data in the cache.
//! With linked lists through the points, and vertices numbered as in the input, a million points
//! took 1.4 times as long in a ball and 3.3 times on a sphere; up to 100,000 points in a ball that
//! was as fast or faster. Tried and not faster: exact arithmetic only for points that no new face
//! certainly takes.

use super::inner_box;
use crate::arrays::MapEach;
use crate::exact::{Sign, orient3d};
use crate::math::rounding::UNIT_ROUNDOFF;
use crate::math::{Aabb, Vec3};

/// The index of no face and of no source.
pub(super) const NONE: u32 = u32::MAX;

/// The relative error of a height over a face, from `docs/notes/filters.md`.
const RELATIVE_ERROR: f64 = 10.0 * UNIT_ROUNDOFF;

/// The absolute error of a height over a face: more than underflow can change.
const UNDERFLOW_ERROR: f64 = 1e-210;

/// A point, and its index in the input.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub(super) point: Vec3,
    pub(super) source: u32,
}

/// The plane of a face in floating point: a height larger than the error has the right sign.
#[derive(Clone, Copy)]
pub(super) struct Plane {
    normal: Vec3,
    origin: Vec3,
    error: f64,
}

impl Plane {
    fn new([a, b, c]: [Vec3; 3], extent: Vec3) -> Self {
        let (u, v) = (b - a, c - a);
        let (s, t) = (u.abs(), v.abs());
        let size = Vec3::new(s.y * t.z + s.z * t.y, s.z * t.x + s.x * t.z, s.x * t.y + s.y * t.x);
        Self {
            normal: u.cross(v),
            origin: a,
            error: RELATIVE_ERROR * size.dot(extent) + UNDERFLOW_ERROR,
        }
    }

    /// The height of `p` in units of twice the face's area.
    #[inline(always)]
    fn height(&self, p: Vec3) -> f64 {
        self.normal.dot(p - self.origin)
    }
}

/// A triangle of the hull under construction. Side `i` runs from corner `i` to corner `i + 1`.
pub(super) struct Face {
    plane: Plane,
    pub(super) corners: [u32; 3],
    /// The face across each side.
    pub(super) across: [u32; 3],
    /// The points above, the furthest first: a range of [`Builder::outside`].
    list: List,
    pub(super) alive: bool,
    /// Whether the slot is in [`Builder::pending`], for this face or an earlier one in the same
    /// slot.
    is_pending: bool,
}

/// A range of [`Builder::outside`].
#[derive(Clone, Copy)]
struct List {
    start: u32,
    len: u32,
}

impl List {
    const EMPTY: Self = Self { start: 0, len: 0 };

    fn range(self) -> std::ops::Range<usize> {
        self.start as usize..(self.start + self.len) as usize
    }
}

/// The hull during construction and at its end.
pub(super) struct Builder {
    /// The corners of the faces, removed ones too.
    pub(super) corners: Vec<Entry>,
    pub(super) faces: Vec<Face>,
    free: Vec<u32>,
    extent: Vec3,
    /// Faces with points above them, without duplicates. Some may have been removed since.
    pending: Vec<u32>,
    /// The lists of the current faces, with unused ranges between them.
    outside: Vec<Entry>,
    /// The number of points in the lists of the current faces.
    listed_count: usize,
    /// For each corner the new face whose border edge starts there; valid for the corners of the
    /// current border.
    face_from_corner: Vec<u32>,
    removed: Vec<u32>,
    border: Vec<BorderEdge>,
    new_faces: Vec<NewFace>,
    /// For each point of the removed lists the new face that takes it, as an index of `new_faces`,
    /// or `NONE`.
    target_of_point: Vec<u32>,
}

/// A side between a removed face and a kept one.
struct BorderEdge {
    start: u32,
    end: u32,
    /// The kept face, and the index of this side there.
    outside: u32,
    side: usize,
}

/// A face of the current step, to which points are distributed.
struct NewFace {
    plane: Plane,
    face: u32,
    count: u32,
    /// The largest height so far, and the index of that point in the order of distribution.
    height: f64,
    furthest: u32,
    /// The index in [`Builder::outside`] for the next point.
    cursor: u32,
}

/// The fewest unused entries of [`Builder::outside`] for which it is compacted.
const MIN_UNUSED_TO_COMPACT: usize = 4096;

impl Builder {
    /// Starts with four of the points, the last strictly below the plane of the others.
    pub(super) fn new(points: &[Vec3], corners: [u32; 4], bounds: Aabb) -> Self {
        let mut builder = Self {
            corners: Vec::new(),
            faces: Vec::new(),
            free: Vec::new(),
            extent: bounds.max - bounds.min,
            pending: Vec::new(),
            outside: Vec::new(),
            listed_count: 0,
            face_from_corner: Vec::new(),
            removed: Vec::new(),
            border: Vec::new(),
            new_faces: Vec::new(),
            target_of_point: Vec::with_capacity(points.len()),
        };
        for source in corners {
            builder.add_corner(Entry { point: points[source as usize], source });
        }
        // Across side i of face f lies the face that has the other two corners of the side.
        let faces = [
            ([0, 1, 2], [1, 2, 3]),
            ([1, 0, 3], [0, 3, 2]),
            ([2, 1, 3], [0, 1, 3]),
            ([0, 2, 3], [0, 2, 1]),
        ];
        for (corners, across) in faces {
            builder.add_face(corners, across);
        }
        let inner_box = inner_box::find(points);
        for point in points {
            if inner_box::contains(&inner_box, *point) {
                builder.target_of_point.push(NONE);
            } else {
                builder.assign(*point);
            }
        }
        builder.allocate_lists();
        for (source, point) in points.iter().enumerate() {
            let entry = Entry { point: *point, source: source as u32 };
            builder.store_point(source, entry);
        }
        builder.end_distribution();
        builder
    }

    /// Adds points until none is outside.
    pub(super) fn build(mut self) -> Self {
        while let Some(face) = self.pending.pop() {
            let Face { list, alive, is_pending, .. } = &mut self.faces[face as usize];
            *is_pending = false;
            let (list, alive) = (*list, *alive);
            if alive && list.len > 0 {
                self.add_point(face, self.outside[list.start as usize]);
                self.compact_lists();
            }
        }
        self
    }

    /// Replaces the faces below the point `apex`, the furthest above `seed`, by a cone.
    fn add_point(&mut self, seed: u32, apex: Entry) {
        self.find_border(seed, apex.point);
        let corner = self.add_corner(apex);
        for i in 0..self.border.len() {
            let BorderEdge { start, end, outside, side } = self.border[i];
            let face = self.add_face([start, end, corner], [outside, NONE, NONE]);
            self.faces[outside as usize].across[side] = face;
            self.face_from_corner[start as usize] = face;
        }
        for i in 0..self.new_faces.len() {
            let face = self.new_faces[i].face;
            let next = self.face_from_corner[self.faces[face as usize].corners[1] as usize];
            self.faces[face as usize].across[1] = next;
            self.faces[next as usize].across[2] = face;
        }
        // The apex itself, first in the first list, is assigned to no face.
        self.target_of_point.push(NONE);
        for i in 0..self.removed.len() {
            let list = self.faces[self.removed[i] as usize].list;
            self.listed_count -= list.len as usize;
            for entry in list.range().skip(usize::from(i == 0)) {
                self.assign(self.outside[entry].point);
            }
        }
        self.allocate_lists();
        let mut number = 0;
        for i in 0..self.removed.len() {
            for entry in self.faces[self.removed[i] as usize].list.range() {
                self.store_point(number, self.outside[entry]);
                number += 1;
            }
        }
        self.free.append(&mut self.removed);
        self.end_distribution();
    }

    /// Fills `removed` with the faces below `apex` and `border` with the sides around them.
    fn find_border(&mut self, seed: u32, apex: Vec3) {
        self.border.clear();
        self.faces[seed as usize].alive = false;
        self.removed.push(seed);
        let mut next = 0;
        while let Some(face) = self.removed.get(next).copied() {
            next += 1;
            let Face { corners, across, .. } = self.faces[face as usize];
            for i in 0..3 {
                let outside = across[i];
                if !self.faces[outside as usize].alive {
                    continue;
                }
                if self.is_above(outside, apex) {
                    self.faces[outside as usize].alive = false;
                    self.removed.push(outside);
                } else {
                    let back = self.faces[outside as usize].across;
                    let side = if back[0] == face {
                        0
                    } else if back[1] == face {
                        1
                    } else {
                        2
                    };
                    let (start, end) = (corners[i], corners[(i + 1) % 3]);
                    self.border.push(BorderEdge { start, end, outside, side });
                }
            }
        }
    }

    /// The corners of a face.
    pub(super) fn triangle(&self, face: u32) -> [Vec3; 3] {
        self.faces[face as usize].corners.map_each(|v| self.corners[v as usize].point)
    }

    /// Whether a point lies strictly above a face.
    #[inline]
    fn is_above(&self, face: u32, p: Vec3) -> bool {
        self.side(face, p) == Sign::Positive
    }

    /// On which side of a face a point lies, exactly.
    #[inline]
    pub(super) fn side(&self, face: u32, p: Vec3) -> Sign {
        let plane = &self.faces[face as usize].plane;
        let height = plane.height(p);
        if height > plane.error {
            Sign::Positive
        } else if height < -plane.error {
            Sign::Negative
        } else {
            let [a, b, c] = self.triangle(face);
            orient3d(a, b, c, p)
        }
    }

    fn add_corner(&mut self, corner: Entry) -> u32 {
        self.corners.push(corner);
        self.face_from_corner.push(NONE);
        (self.corners.len() - 1) as u32
    }

    /// Adds a face to the current step.
    fn add_face(&mut self, corners: [u32; 3], across: [u32; 3]) -> u32 {
        let plane = Plane::new(corners.map_each(|v| self.corners[v as usize].point), self.extent);
        let added =
            Face { plane, corners, across, list: List::EMPTY, alive: true, is_pending: false };
        let face = if let Some(slot) = self.free.pop() {
            let is_pending = self.faces[slot as usize].is_pending;
            let added = Face { is_pending, ..added };
            self.faces[slot as usize] = added;
            slot
        } else {
            self.faces.push(added);
            (self.faces.len() - 1) as u32
        };
        self.new_faces.push(NewFace { plane, face, count: 0, height: 0.0, furthest: 0, cursor: 0 });
        face
    }

    /// Assigns the next point to the first new face that it lies above.
    #[inline]
    fn assign(&mut self, p: Vec3) {
        let number = self.target_of_point.len() as u32;
        let mut start = 0;
        loop {
            // Most faces are certainly not below the point.
            let rest = &self.new_faces[start..];
            let Some(k) = rest.iter().position(|f| f.plane.height(p) >= -f.plane.error) else {
                break;
            };
            let k = start + k;
            start = k + 1;
            let NewFace { plane, face, .. } = &self.new_faces[k];
            let height = plane.height(p);
            if height <= plane.error {
                let [a, b, c] = self.triangle(*face);
                if orient3d(a, b, c, p) != Sign::Positive {
                    continue;
                }
            }
            let new_face = &mut self.new_faces[k];
            if new_face.count == 0 || height > new_face.height {
                new_face.height = height;
                new_face.furthest = number;
            }
            new_face.count += 1;
            self.target_of_point.push(k as u32);
            return;
        }
        self.target_of_point.push(NONE);
    }

    /// Allocates the lists of the new faces.
    fn allocate_lists(&mut self) {
        let mut start = self.outside.len() as u32;
        for new_face in &mut self.new_faces {
            self.faces[new_face.face as usize].list = List { start, len: new_face.count };
            // The first entry is for the furthest point.
            new_face.cursor = start + 1;
            start += new_face.count;
        }
        self.listed_count += start as usize - self.outside.len();
        let blank = Entry { point: Vec3::ZERO, source: NONE };
        self.outside.resize(start as usize, blank);
    }

    /// Stores a point in the list of the face that it was assigned to.
    #[inline]
    fn store_point(&mut self, number: usize, entry: Entry) {
        let k = self.target_of_point[number];
        if k == NONE {
            return;
        }
        let new_face = &mut self.new_faces[k as usize];
        let index = if new_face.furthest as usize == number {
            self.faces[new_face.face as usize].list.start
        } else {
            new_face.cursor += 1;
            new_face.cursor - 1
        };
        self.outside[index as usize] = entry;
    }

    /// Ends the distribution: the new faces with points become pending.
    fn end_distribution(&mut self) {
        self.target_of_point.clear();
        for new_face in self.new_faces.drain(..) {
            let is_pending = &mut self.faces[new_face.face as usize].is_pending;
            if new_face.count > 0 && !*is_pending {
                *is_pending = true;
                self.pending.push(new_face.face);
            }
        }
    }

    /// Moves the lists of the current faces together if more than half of the array is unused.
    fn compact_lists(&mut self) {
        if self.outside.len() < 2 * self.listed_count + MIN_UNUSED_TO_COMPACT {
            return;
        }
        let mut compacted = Vec::with_capacity(2 * self.listed_count + MIN_UNUSED_TO_COMPACT);
        self.pending.retain(|face| {
            let Face { alive, list, is_pending, .. } = &mut self.faces[*face as usize];
            let keep = *alive && list.len > 0;
            *is_pending = keep;
            if keep {
                let start = compacted.len() as u32;
                compacted.extend_from_slice(&self.outside[list.range()]);
                list.start = start;
            }
            keep
        });
        self.outside = compacted;
    }
}
