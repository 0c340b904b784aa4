//! Quickhull on triangles, with exact decisions.
//!
//! Barber, Dobkin & Huhdanpaa 1996, "The Quickhull Algorithm for Convex Hulls", sections 2 and 3. Every point not yet inside is in the
//! list of one face that it lies above. A step takes a face and the furthest point of its list, finds the faces
//! below that point, replaces them by the cone from the point over their border, and deals their lists out to the new faces.
//!
//! "Above" is decided exactly, and a point in the plane of a face is not above it. So the faces below a point
//! form an open disc: seen from the point they are the near side of the body, a graph over an open convex cone. It
//! follows that
//!
//! - the border is one simple cycle, and each new triangle has an area: were the point on the line of a border edge, it
//!   would lie in the plane of the face inside that edge, and not above it;
//! - a point that is above some face of the new body and was in a list of a removed face is above a new one: the faces below it are
//!   connected, so either one of them is new or two of them, one removed and one kept, share a border edge, and the new face at that edge has a
//!   normal between theirs. So only the new faces are asked;
//! - coplanar neighbours arise (the apex lies in the plane of a kept face) and do no harm. They are merged at the end.
//!
//! Floats choose the furthest point. A worse choice costs time only.

use crate::exact::{Sign, orient3d};
use crate::math::{Aabb, Vec3};

/// No entry, no face.
pub(super) const NONE: u32 = u32::MAX;

/// Half a unit in the last place of 1.
const EPS: f64 = f64::EPSILON / 2.0;

/// The relative error of a height over a face, from `docs/notes/filters.md`.
const BOUND: f64 = 10.0 * EPS;

/// The absolute error of a height over a face: more than what products that underflow can lose.
const UNDERFLOW: f64 = 1e-210;

/// A point that is not known to be inside, and the next one in the list it is in.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub(super) point: Vec3,
    /// Its place in the input.
    pub(super) source: u32,
    next: u32,
}

/// The plane of a face for floats: heights larger than the error have the right sign.
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
        Self { normal: u.cross(v), origin: a, error: BOUND * size.dot(extent) + UNDERFLOW }
    }

    /// The height of `p` in units of twice the face's area.
    #[inline(always)]
    fn height(&self, p: Vec3) -> f64 {
        self.normal.dot(p - self.origin)
    }
}

/// A triangle of the hull so far. Side `i` runs from corner `i` to corner `i + 1`.
pub(super) struct Face {
    plane: Plane,
    pub(super) corners: [u32; 3],
    /// The face across each side.
    pub(super) across: [u32; 3],
    /// The points above, linked, the furthest first.
    list: u32,
    pub(super) alive: bool,
}

/// The hull in the making, and when made.
pub(super) struct Builder {
    pub(super) entries: Vec<Entry>,
    pub(super) faces: Vec<Face>,
    free: Vec<u32>,
    extent: Vec3,
    pending: Vec<u32>,
    /// The new face whose border edge starts at an entry; valid for the entries of the current border.
    starting_at: Vec<u32>,
    removed: Vec<u32>,
    border: Vec<BorderEdge>,
    fresh: Vec<Fresh>,
}

/// A side between a removed face and a kept one.
struct BorderEdge {
    start: u32,
    end: u32,
    /// The kept face, and the number of this side there.
    outside: u32,
    side: usize,
}

/// A face that points are being dealt out to.
struct Fresh {
    plane: Plane,
    face: u32,
    list: u32,
    furthest: f64,
}

impl Builder {
    /// Starts from four of the points, the last strictly below the plane of the others.
    pub(super) fn new(points: &[Vec3], corners: [u32; 4], bounds: Aabb) -> Self {
        let mut builder = Self {
            entries: Vec::with_capacity(points.len()),
            faces: Vec::new(),
            free: Vec::new(),
            extent: bounds.max - bounds.min,
            pending: Vec::new(),
            starting_at: Vec::new(),
            removed: Vec::new(),
            border: Vec::new(),
            fresh: Vec::new(),
        };
        for source in corners {
            let point = points[source as usize];
            builder.entries.push(Entry { point, source, next: NONE });
        }
        // Across side i of face f lies the face that has the other two corners of the side.
        let faces = [
            ([0, 1, 2], [1, 2, 3]),
            ([1, 0, 3], [0, 3, 2]),
            ([2, 1, 3], [0, 1, 3]),
            ([0, 2, 3], [0, 2, 1]),
        ];
        for (corners, across) in faces {
            let face = builder.add_face(corners, across);
            builder.prepare(face);
        }
        for (source, point) in points.iter().enumerate() {
            if let Some(k) = builder.find_below(*point) {
                let source = source as u32;
                let id = builder.entries.len() as u32;
                builder.entries.push(Entry { point: *point, source, next: NONE });
                builder.deal(k, id);
            }
        }
        builder.starting_at = vec![NONE; builder.entries.len()];
        builder.settle();
        builder
    }

    /// Adds points until none is outside.
    pub(super) fn build(mut self) -> Self {
        while let Some(face) = self.pending.pop() {
            let Face { list, alive, .. } = self.faces[face as usize];
            if alive && list != NONE {
                self.add_point(face, list);
            }
        }
        self
    }

    /// Replaces the faces below the point `apex`, one of which is `seed`, by a cone.
    fn add_point(&mut self, seed: u32, apex: u32) {
        self.find_border(seed, self.entries[apex as usize].point);
        for i in 0..self.border.len() {
            let BorderEdge { start, end, outside, side } = self.border[i];
            let face = self.add_face([start, end, apex], [outside, NONE, NONE]);
            self.faces[outside as usize].across[side] = face;
            self.starting_at[start as usize] = face;
            self.prepare(face);
        }
        for i in 0..self.fresh.len() {
            let face = self.fresh[i].face;
            let next = self.starting_at[self.faces[face as usize].corners[1] as usize];
            self.faces[face as usize].across[1] = next;
            self.faces[next as usize].across[2] = face;
        }
        for i in 0..self.removed.len() {
            let mut entry = self.faces[self.removed[i] as usize].list;
            while entry != NONE {
                let Entry { point, next, .. } = self.entries[entry as usize];
                if entry != apex {
                    if let Some(k) = self.find_below(point) {
                        self.deal(k, entry);
                    }
                }
                entry = next;
            }
        }
        self.free.append(&mut self.removed);
        self.settle();
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
        self.faces[face as usize].corners.map(|v| self.entries[v as usize].point)
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

    /// Adds a face; its list is empty.
    fn add_face(&mut self, corners: [u32; 3], across: [u32; 3]) -> u32 {
        let plane = Plane::new(corners.map(|v| self.entries[v as usize].point), self.extent);
        let face = Face { plane, corners, across, list: NONE, alive: true };
        if let Some(slot) = self.free.pop() {
            self.faces[slot as usize] = face;
            slot
        } else {
            self.faces.push(face);
            (self.faces.len() - 1) as u32
        }
    }

    /// Lets a face take part in dealing.
    fn prepare(&mut self, face: u32) {
        let plane = self.faces[face as usize].plane;
        self.fresh.push(Fresh { plane, face, list: NONE, furthest: 0.0 });
    }

    /// The first new face that `p` lies above, with the height.
    #[inline]
    fn find_below(&self, p: Vec3) -> Option<(usize, f64)> {
        for (k, fresh) in self.fresh.iter().enumerate() {
            let height = fresh.plane.height(p);
            if height > fresh.plane.error {
                return Some((k, height));
            }
            if height >= -fresh.plane.error {
                let [a, b, c] = self.triangle(fresh.face);
                if orient3d(a, b, c, p) == Sign::Positive {
                    return Some((k, height));
                }
            }
        }
        None
    }

    /// Puts an entry into the list of a new face: first if it is the furthest so far, otherwise second.
    #[inline]
    fn deal(&mut self, (k, height): (usize, f64), entry: u32) {
        let fresh = &mut self.fresh[k];
        if fresh.list == NONE || height > fresh.furthest {
            self.entries[entry as usize].next = fresh.list;
            fresh.list = entry;
            fresh.furthest = height;
        } else {
            let first = fresh.list as usize;
            self.entries[entry as usize].next = self.entries[first].next;
            self.entries[first].next = entry;
        }
    }

    /// Ends the dealing: the faces keep their lists and wait for their turn.
    fn settle(&mut self) {
        for fresh in self.fresh.drain(..) {
            if fresh.list != NONE {
                self.faces[fresh.face as usize].list = fresh.list;
                self.pending.push(fresh.face);
            }
        }
    }
}
