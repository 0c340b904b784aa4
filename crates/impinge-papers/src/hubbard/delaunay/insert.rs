//! Insertion of a point: search, the cavity of cells in conflict, and the cells that fill it.

use super::predicates::{in_sphere, orientation};
use super::{Cell, Delaunay, INFINITE};

/// Memory for insertions.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    /// Cells in conflict with the point.
    cavity: Vec<u32>,
    /// Faces between the cavity and the rest: a cell of the cavity and a face.
    rim: Vec<(u32, usize)>,
    /// Edges of the rim, each with a new cell and one of its faces.
    edges: Vec<([u32; 2], u32, usize)>,
    /// By cell: whether it is known to be in conflict. Reset after each insertion.
    state: Vec<State>,
    touched: Vec<u32>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Unknown,
    Conflict,
    Kept,
}

impl Delaunay {
    /// The first tetrahedron and its four neighbours at infinity.
    pub(super) fn start(&mut self, corners: [u32; 4]) {
        self.cells.push(Cell { corners, neighbours: [1, 2, 3, 4], is_used: true });
        for face in 0..4 {
            // A point beyond a face is on the other side than the corner it replaces, so two of the
            // others are exchanged.
            let mut outside = corners;
            outside[face] = INFINITE;
            let (i, j) = ((face + 1) % 4, (face + 2) % 4);
            outside.swap(i, j);
            let mut neighbours = [0; 4];
            for (n, corner) in outside.into_iter().enumerate() {
                // Opposite to a corner is the neighbour at infinity without that corner.
                let of = corners.iter().position(|c| *c == corner).unwrap_or(usize::MAX);
                neighbours[n] = if corner == INFINITE { 0 } else { of as u32 + 1 };
            }
            self.cells.push(Cell { corners: outside, neighbours, is_used: true });
        }
    }

    /// Inserts the point of this number. Returns the number of an equal point if there is one.
    pub(super) fn insert_number(&mut self, number: u32) -> u32 {
        let first = match self.locate(number) {
            Ok(cell) => cell,
            Err(known) => return known,
        };
        let mut scratch = std::mem::take(&mut self.scratch);
        self.find_cavity(first, number, &mut scratch);
        self.fill_cavity(number, &mut scratch);
        self.scratch = scratch;
        number
    }

    /// The sign of the orientation of a cell without a vertex at infinity, or with a point in the
    /// place of one corner.
    pub(super) fn side(&self, cell: &Cell, replaced: Option<(usize, u32)>) -> i32 {
        let mut corners = cell.corners;
        if let Some((face, point)) = replaced {
            corners[face] = point;
        }
        orientation(corners.map(|i| self.points[i as usize]))
    }

    /// Whether a point, which is not a corner, is inside the sphere of a cell; for a cell at
    /// infinity, beyond its face.
    pub(super) fn conflicts(&self, cell: &Cell, point: u32) -> bool {
        let Some(infinite) = cell.corners.iter().position(|c| *c == INFINITE) else {
            let [a, b, c, d] = cell.corners;
            return in_sphere([a, b, c, d, point].map(|i| self.points[i as usize])) > 0;
        };
        match self.side(cell, Some((infinite, point))) {
            // In the plane of the face, where the spheres of all tetrahedra at the face have the
            // same circle.
            0 => self.conflicts(&self.cells[cell.neighbours[infinite] as usize], point),
            side => side > 0,
        }
    }

    /// A cell in conflict with a point, by a walk from the last one; or the number of an equal
    /// point.
    fn locate(&self, number: u32) -> Result<u32, u32> {
        let point = self.points[number as usize];
        let mut at = self.last;
        // A walk towards the point passes each tetrahedron at most once, because they are those of
        // a (perturbed) Delaunay triangulation (H. Edelsbrunner 1990, "An acyclicity theorem for
        // cell complexes in d dimensions").
        loop {
            let cell = &self.cells[at as usize];
            if let Some(infinite) = cell.corners.iter().position(|c| *c == INFINITE) {
                // Strictly, because a point in the plane of the face may be equal to a corner.
                if self.side(cell, Some((infinite, number))) > 0 {
                    return Ok(at);
                }
                at = cell.neighbours[infinite];
                continue;
            }
            match (0..4).find(|face| self.side(cell, Some((*face, number))) < 0) {
                Some(face) => at = cell.neighbours[face],
                None => {
                    let same = cell.corners.iter().find(|c| self.points[**c as usize] == point);
                    return same.map_or(Ok(at), |c| Err(*c));
                }
            }
        }
    }

    /// All cells in conflict, which are connected, and the faces around them.
    fn find_cavity(&self, first: u32, number: u32, scratch: &mut Scratch) {
        let Scratch { cavity, rim, state, touched, .. } = scratch;
        cavity.clear();
        rim.clear();
        state.resize(self.cells.len(), State::Unknown);
        cavity.push(first);
        state[first as usize] = State::Conflict;
        touched.push(first);
        let mut next = 0;
        while let Some(&at) = cavity.get(next) {
            next += 1;
            for (face, neighbour) in self.cells[at as usize].neighbours.into_iter().enumerate() {
                let known = &mut state[neighbour as usize];
                if *known == State::Unknown {
                    let conflict = self.conflicts(&self.cells[neighbour as usize], number);
                    *known = if conflict { State::Conflict } else { State::Kept };
                    touched.push(neighbour);
                    if conflict {
                        cavity.push(neighbour);
                    }
                }
                if *known == State::Kept {
                    rim.push((at, face));
                }
            }
        }
        for cell in touched.drain(..) {
            state[cell as usize] = State::Unknown;
        }
    }

    /// Replaces the cells of the cavity by cells from its rim to the point.
    fn fill_cavity(&mut self, number: u32, scratch: &mut Scratch) {
        let Scratch { cavity, rim, edges, .. } = scratch;
        edges.clear();
        for (inside, face) in rim.iter().copied() {
            let Cell { mut corners, mut neighbours, .. } = self.cells[inside as usize];
            corners[face] = number;
            let outside = neighbours[face];
            neighbours = [u32::MAX; 4];
            neighbours[face] = outside;
            let cell = Cell { corners, neighbours, is_used: true };
            debug_assert!(
                corners.contains(&INFINITE) || self.side(&cell, None) > 0,
                "a flat tetrahedron"
            );
            let new = match self.free.pop() {
                Some(new) => {
                    self.cells[new as usize] = cell;
                    new
                }
                None => {
                    self.cells.push(cell);
                    self.cells.len() as u32 - 1
                }
            };
            let outside = &mut self.cells[outside as usize];
            let back = outside.neighbours.iter().position(|n| *n == inside);
            // Two cells may share two faces only in the first few tetrahedra; the corner that is
            // not on the face identifies it.
            let on_rim = |corner: u32| corner != number && corners.contains(&corner);
            let exact = (0..4).find(|i| {
                outside.neighbours[*i] == inside
                    && (0..4).all(|j| j == *i || on_rim(outside.corners[j]))
            });
            outside.neighbours[exact.or(back).expect("neighbours know each other")] = new;
            for across in (0..4).filter(|i| *i != face) {
                // The edge of the rim on the face opposite to this corner.
                let mut edge = [0; 2];
                let rest = (0..4).filter(|i| *i != face && *i != across);
                edge.iter_mut().zip(rest).for_each(|(e, i)| *e = corners[i]);
                edge.sort_unstable();
                edges.push((edge, new, across));
            }
        }
        edges.sort_unstable();
        for pair in edges.chunks_exact(2) {
            let [(edge, a, face_a), (other, b, face_b)] = [pair[0], pair[1]];
            debug_assert_eq!(edge, other, "an edge of the rim has two faces");
            self.cells[a as usize].neighbours[face_a] = b;
            self.cells[b as usize].neighbours[face_b] = a;
        }
        self.last = edges[0].1;
        for cell in cavity.drain(..) {
            self.cells[cell as usize].is_used = false;
            self.free.push(cell);
        }
    }
}
