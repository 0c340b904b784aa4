//! Quickhull on triangles, with exact decisions.
//!
//! Barber, Dobkin & Huhdanpaa 1996, "The Quickhull Algorithm for Convex Hulls", sections 2 and 3.
//! Every point not yet inside is in the list of one face that it lies above. A step takes a face
//! and the furthest point of its list, finds the faces below that point, replaces them by the cone
//! from the point over their border, and deals their lists out to the new faces.
//!
//! "Above" is decided exactly, and a point in the plane of a face is not above it. So the faces
//! below a point form an open disc: seen from the point they are the near side of the body, a graph
//! over an open convex cone. It follows that
//!
//! - the border is one simple cycle, and each new triangle has an area: were the point on the line
//!   of a border edge, it would lie in the plane of the face inside that edge, and not above it;
//! - a point that is above some face of the new body and was in a list of a removed face is above a
//!   new one: the faces below it are connected, so either one of them is new or two of them, one
//!   removed and one kept, share a border edge, and the new face at that edge has a normal between
//!   theirs. So only the new faces are asked;
//! - coplanar neighbours arise (the apex lies in the plane of a kept face) and do no harm. They are
//!   merged at the end.
//!
//! Floats choose the furthest point. A worse choice costs time only.
//!
//! What counts for speed is memory. A list is a stretch of one array, with the coordinates in it,
//! so that dealing reads and writes in order; the dead stretches are swept out when they are the
//! greater part. The faces are taken last in, first out, so the next steps work on what is in the
//! cache. With linked lists through the points, and vertices numbered as in the input, a million
//! points took 1.4 times as long in a ball and 3.3 times on a sphere; to 100,000 points in a ball
//! it was as quick or quicker. Tried and not faster: exact arithmetic only for points that no new
//! face takes for certain.

use super::inner;
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

/// A point, and its place in the input.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub(super) point: Vec3,
    pub(super) source: u32,
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
    /// The points above, the furthest first: a stretch of the array of points outside.
    list: List,
    pub(super) alive: bool,
    /// Whether the slot is among those pending, on behalf of this face or one before it.
    waiting: bool,
}

/// A stretch of the array of points outside.
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

/// The hull in the making, and when made.
pub(super) struct Builder {
    /// The corners of the faces, dead ones too.
    pub(super) corners: Vec<Entry>,
    pub(super) faces: Vec<Face>,
    free: Vec<u32>,
    extent: Vec3,
    /// Faces with points above them, each once; some may have died since.
    pending: Vec<u32>,
    /// The lists of the living faces, and what is left of others.
    outside: Vec<Entry>,
    /// How many points the lists of the living faces hold.
    live: usize,
    /// The new face whose border edge starts at a corner; valid for the corners of the current
    /// border.
    starting_at: Vec<u32>,
    removed: Vec<u32>,
    border: Vec<BorderEdge>,
    fresh: Vec<Fresh>,
    /// The new face that each point of the removed lists goes to.
    goes_to: Vec<u32>,
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
    count: u32,
    /// The largest height so far, and the number of the point in the order of dealing.
    height: f64,
    furthest: u32,
    /// Where the next point goes.
    cursor: u32,
}

/// Fewer dead points than this are not worth a sweep.
const SWEEP: usize = 4096;

impl Builder {
    /// Starts from four of the points, the last strictly below the plane of the others.
    pub(super) fn new(points: &[Vec3], corners: [u32; 4], bounds: Aabb) -> Self {
        let mut builder = Self {
            corners: Vec::new(),
            faces: Vec::new(),
            free: Vec::new(),
            extent: bounds.max - bounds.min,
            pending: Vec::new(),
            outside: Vec::new(),
            live: 0,
            starting_at: Vec::new(),
            removed: Vec::new(),
            border: Vec::new(),
            fresh: Vec::new(),
            goes_to: Vec::with_capacity(points.len()),
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
        let inner = inner::find(points);
        for point in points {
            if inner::holds(&inner, *point) {
                builder.goes_to.push(NONE);
            } else {
                builder.choose(*point);
            }
        }
        builder.lay_out();
        for (source, point) in points.iter().enumerate() {
            let entry = Entry { point: *point, source: source as u32 };
            builder.deliver(source, entry);
        }
        builder.settle();
        builder
    }

    /// Adds points until none is outside.
    pub(super) fn build(mut self) -> Self {
        while let Some(face) = self.pending.pop() {
            let Face { list, alive, waiting, .. } = &mut self.faces[face as usize];
            *waiting = false;
            let (list, alive) = (*list, *alive);
            if alive && list.len > 0 {
                self.add_point(face, self.outside[list.start as usize]);
                self.sweep();
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
            self.starting_at[start as usize] = face;
        }
        for i in 0..self.fresh.len() {
            let face = self.fresh[i].face;
            let next = self.starting_at[self.faces[face as usize].corners[1] as usize];
            self.faces[face as usize].across[1] = next;
            self.faces[next as usize].across[2] = face;
        }
        // The apex itself, first in the first list, goes nowhere.
        self.goes_to.push(NONE);
        for i in 0..self.removed.len() {
            let list = self.faces[self.removed[i] as usize].list;
            self.live -= list.len as usize;
            for entry in list.range().skip(usize::from(i == 0)) {
                self.choose(self.outside[entry].point);
            }
        }
        self.lay_out();
        let mut number = 0;
        for i in 0..self.removed.len() {
            for entry in self.faces[self.removed[i] as usize].list.range() {
                self.deliver(number, self.outside[entry]);
                number += 1;
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
        self.faces[face as usize].corners.map(|v| self.corners[v as usize].point)
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
        self.starting_at.push(NONE);
        (self.corners.len() - 1) as u32
    }

    /// Adds a face that takes part in the next dealing.
    fn add_face(&mut self, corners: [u32; 3], across: [u32; 3]) -> u32 {
        let plane = Plane::new(corners.map(|v| self.corners[v as usize].point), self.extent);
        let added = Face { plane, corners, across, list: List::EMPTY, alive: true, waiting: false };
        let face = if let Some(slot) = self.free.pop() {
            let waiting = self.faces[slot as usize].waiting;
            let added = Face { waiting, ..added };
            self.faces[slot as usize] = added;
            slot
        } else {
            self.faces.push(added);
            (self.faces.len() - 1) as u32
        };
        self.fresh.push(Fresh { plane, face, count: 0, height: 0.0, furthest: 0, cursor: 0 });
        face
    }

    /// Notes which new face the next point goes to: the first that it lies above.
    #[inline]
    fn choose(&mut self, p: Vec3) {
        let number = self.goes_to.len() as u32;
        let mut start = 0;
        loop {
            // Most faces are certainly not below.
            let rest = &self.fresh[start..];
            let Some(k) = rest.iter().position(|f| f.plane.height(p) >= -f.plane.error) else {
                break;
            };
            let k = start + k;
            start = k + 1;
            let Fresh { plane, face, .. } = &self.fresh[k];
            let height = plane.height(p);
            if height <= plane.error {
                let [a, b, c] = self.triangle(*face);
                if orient3d(a, b, c, p) != Sign::Positive {
                    continue;
                }
            }
            let fresh = &mut self.fresh[k];
            if fresh.count == 0 || height > fresh.height {
                fresh.height = height;
                fresh.furthest = number;
            }
            fresh.count += 1;
            self.goes_to.push(k as u32);
            return;
        }
        self.goes_to.push(NONE);
    }

    /// Makes room for the lists of the new faces.
    fn lay_out(&mut self) {
        let mut start = self.outside.len() as u32;
        for fresh in &mut self.fresh {
            self.faces[fresh.face as usize].list = List { start, len: fresh.count };
            // The first place is for the furthest point.
            fresh.cursor = start + 1;
            start += fresh.count;
        }
        self.live += start as usize - self.outside.len();
        let blank = Entry { point: Vec3::ZERO, source: NONE };
        self.outside.resize(start as usize, blank);
    }

    /// Puts a point where it was noted to go.
    #[inline]
    fn deliver(&mut self, number: usize, entry: Entry) {
        let k = self.goes_to[number];
        if k == NONE {
            return;
        }
        let fresh = &mut self.fresh[k as usize];
        let place = if fresh.furthest as usize == number {
            self.faces[fresh.face as usize].list.start
        } else {
            fresh.cursor += 1;
            fresh.cursor - 1
        };
        self.outside[place as usize] = entry;
    }

    /// Ends the dealing: the faces with points wait for their turn.
    fn settle(&mut self) {
        self.goes_to.clear();
        for fresh in self.fresh.drain(..) {
            let waiting = &mut self.faces[fresh.face as usize].waiting;
            if fresh.count > 0 && !*waiting {
                *waiting = true;
                self.pending.push(fresh.face);
            }
        }
    }

    /// Moves the lists of the living faces together if most of the array is dead.
    fn sweep(&mut self) {
        if self.outside.len() < 2 * self.live + SWEEP {
            return;
        }
        let mut swept = Vec::with_capacity(2 * self.live + SWEEP);
        self.pending.retain(|face| {
            let Face { alive, list, waiting, .. } = &mut self.faces[*face as usize];
            let keep = *alive && list.len > 0;
            *waiting = keep;
            if keep {
                let start = swept.len() as u32;
                swept.extend_from_slice(&self.outside[list.range()]);
                list.start = start;
            }
            keep
        });
        self.outside = swept;
    }
}
