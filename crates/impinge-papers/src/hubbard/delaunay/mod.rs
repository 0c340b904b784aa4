//! Delaunay tetrahedra of points, and the vertices of their Voronoi diagram (section VIII): points
//! can be added at any time, as adaptive sampling needs it.
//!
//! A. Bowyer 1981, "Computing Dirichlet tessellations", and D. F. Watson 1981: a new point replaces
//! the tetrahedra whose circumscribed spheres contain it. Hull faces have neighbours with a vertex
//! at infinity. All decisions are exact (Shewchuk 1997). Five points on one
//! sphere are decided by O. Devillers, M. Teillaud 2011, "Perturbations for Delaunay and weighted
//! Delaunay 3D triangulations": each point is lifted by an infinitesimal amount, which is the
//! larger the later the point comes in lexicographic order. So the tetrahedra of a set of points do
//! not depend on the order of insertion, and none is flat.
//!
//! ```
//! use impinge::Vec3;
//! use impinge_papers::hubbard::delaunay::Delaunay;
//!
//! let corner = |i: i32| Vec3::from_array([i & 1, i >> 1 & 1, i >> 2].map(f64::from));
//! let corners: Vec<Vec3> = (0..8).map(corner).collect();
//! let cube = Delaunay::new(&corners)?;
//! // The corners of a cube lie on one sphere, and all tetrahedra have the same Voronoi vertex.
//! for tetrahedron in cube.tetrahedra() {
//!     assert_eq!(cube.voronoi_vertex(tetrahedron), Some(Vec3::splat(0.5)));
//! }
//! # Ok::<(), impinge::Error>(())
//! ```

mod insert;
mod order;
mod predicates;

use impinge::{Error, ErrorKind, Vec3};

use predicates::{is_in_range, orientation};

/// A Delaunay triangulation in space.
#[derive(Clone, Debug)]
pub struct Delaunay {
    points: Vec<Vec3>,
    cells: Vec<Cell>,
    /// Cells that were replaced and are used again.
    free: Vec<u32>,
    /// Where the search for the next point starts.
    last: u32,
    scratch: insert::Scratch,
}

/// A tetrahedron, or a hull face with the vertex at infinity.
#[derive(Clone, Copy, Debug)]
struct Cell {
    /// Positively oriented. With one corner [`INFINITE`], the orientation is positive for points
    /// outside the hull in its place.
    corners: [u32; 4],
    /// The cell on the other side of the face opposite to each corner.
    neighbours: [u32; 4],
    is_used: bool,
}

/// The number of the vertex at infinity.
const INFINITE: u32 = u32::MAX;

/// The largest number of points.
const MAX_POINTS: usize = 1 << 28;

/// A tetrahedron of a triangulation, valid until the next point is added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tetrahedron {
    /// The numbers of its corners, positively oriented: the fourth is on the side of the plane of
    /// the first three from which they run clockwise.
    pub corners: [u32; 4],
    cell: u32,
}

impl Delaunay {
    /// The triangulation of points, which may repeat.
    ///
    /// # Errors
    /// [`ErrorKind::BadParameter`] if all points lie in one plane; [`ErrorKind::OutOfRange`] if a
    /// coordinate is neither zero nor between `2^-150` and `2^150` in size, or not finite: within
    /// these limits the predicates are exact; [`ErrorKind::TooLarge`] above 2^28 points.
    pub fn new(points: &[Vec3]) -> Result<Self, Error> {
        if points.len() > MAX_POINTS {
            let message = format!("{} points: at most {MAX_POINTS} are possible", points.len());
            return Err(Error::new(ErrorKind::TooLarge, message));
        }
        if let Some(i) = points.iter().position(|p| !is_in_range(*p)) {
            return Err(out_of_range(i, points[i]));
        }
        let order = order::spatial(points);
        let first = first_tetrahedron(points, &order).ok_or_else(|| {
            let message = "the points lie in one plane; add points outside it".to_owned();
            Error::new(ErrorKind::BadParameter, message)
        })?;
        let mut this = Self {
            points: points.to_vec(),
            cells: Vec::new(),
            free: Vec::new(),
            last: 0,
            scratch: insert::Scratch::default(),
        };
        this.start(first);
        for i in order {
            this.insert_number(i);
        }
        Ok(this)
    }

    /// Adds a point and returns its number, or the number of an equal point that exists.
    ///
    /// # Errors
    /// As [`Delaunay::new`].
    pub fn insert(&mut self, point: Vec3) -> Result<u32, Error> {
        let number = self.points.len();
        if number >= MAX_POINTS {
            let message = format!("there are {MAX_POINTS} points; no more are possible");
            return Err(Error::new(ErrorKind::TooLarge, message));
        }
        if !is_in_range(point) {
            return Err(out_of_range(number, point));
        }
        self.points.push(point);
        let known = self.insert_number(number as u32);
        if known != number as u32 {
            self.points.pop();
        }
        Ok(known)
    }

    /// The points, also those that repeat others and belong to no tetrahedron.
    #[must_use]
    pub fn points(&self) -> &[Vec3] {
        &self.points
    }

    /// The tetrahedra.
    pub fn tetrahedra(&self) -> impl Iterator<Item = Tetrahedron> + '_ {
        let cells = self.cells.iter().enumerate();
        cells
            .filter(|(_, cell)| cell.is_used && !cell.corners.contains(&INFINITE))
            .map(|(i, cell)| Tetrahedron { corners: cell.corners, cell: i as u32 })
    }

    /// The tetrahedra that share a face with this one, each opposite to the corner with the same
    /// index; `None` at the hull.
    ///
    /// # Panics
    /// If the tetrahedron is not one of this triangulation.
    #[must_use]
    pub fn neighbours(&self, tetrahedron: Tetrahedron) -> [Option<Tetrahedron>; 4] {
        self.cells[tetrahedron.cell as usize].neighbours.map(|cell| {
            let corners = self.cells[cell as usize].corners;
            (!corners.contains(&INFINITE)).then_some(Tetrahedron { corners, cell })
        })
    }

    /// The vertex of the Voronoi diagram that belongs to a tetrahedron, rounded: the centre of its
    /// circumscribed sphere. `None` if the tetrahedron is so flat that `f64` does not find it.
    #[must_use]
    pub fn voronoi_vertex(&self, tetrahedron: Tetrahedron) -> Option<Vec3> {
        let [a, b, c, d] = tetrahedron.corners.map(|i| self.points[i as usize]);
        let (u, v, w) = (b - a, c - a, d - a);
        let across = v.cross(w);
        let volume = 2.0 * u.dot(across);
        let sum = across * u.length_squared()
            + w.cross(u) * v.length_squared()
            + u.cross(v) * w.length_squared();
        let centre = a + sum / volume;
        centre.is_finite().then_some(centre)
    }

    /// Checks the connections of all cells, their orientations, and that no sphere contains the
    /// opposite corner of a neighbour, which implies that none contains any point.
    ///
    /// # Errors
    /// What is wrong first, which would be a bug of this library.
    pub fn validate(&self) -> Result<(), String> {
        for (number, cell) in self.cells.iter().enumerate().filter(|(_, cell)| cell.is_used) {
            if cell.corners.iter().filter(|c| **c == INFINITE).count() > 1 {
                return Err(format!("cell {number} has two vertices at infinity"));
            }
            if !cell.corners.contains(&INFINITE) && self.side(cell, None) <= 0 {
                return Err(format!("cell {number} is flat or turned inside out"));
            }
            for (face, neighbour) in cell.neighbours.into_iter().enumerate() {
                let other = &self.cells[neighbour as usize];
                let back = other.neighbours.iter().position(|n| *n == number as u32);
                let Some(back) = back.filter(|_| other.is_used) else {
                    return Err(format!("cell {neighbour} is no neighbour of {number}"));
                };
                let shared = |corners: [u32; 4], without: usize| {
                    let mut corners: Vec<u32> =
                        (0..4).filter(|i| *i != without).map(|i| corners[i]).collect();
                    corners.sort_unstable();
                    corners
                };
                if shared(cell.corners, face) != shared(other.corners, back) {
                    return Err(format!("cells {number} and {neighbour} share no face"));
                }
                let opposite = other.corners[back];
                if opposite != INFINITE && self.conflicts(cell, opposite) {
                    return Err(format!("point {opposite} is in the sphere of cell {number}"));
                }
            }
        }
        Ok(())
    }
}

fn out_of_range(number: usize, point: Vec3) -> Error {
    let message = format!(
        "point {number} at {point}: coordinates must be zero or between 2^-150 and 2^150 in size; \
         scale the points"
    );
    Error::new(ErrorKind::OutOfRange, message)
}

/// Four points that do not lie in a plane, positively oriented.
fn first_tetrahedron(points: &[Vec3], order: &[u32]) -> Option<[u32; 4]> {
    let at = |i: u32| points[i as usize];
    let mut order = order.iter().copied();
    let a = order.next()?;
    let b = order.by_ref().find(|b| at(*b) != at(a))?;
    let c = order.by_ref().find(|c| !predicates::is_on_line([at(a), at(b), at(*c)]))?;
    // The points passed over are on the line of the first two.
    let d = order.find(|d| orientation([at(a), at(b), at(c), at(*d)]) != 0)?;
    Some(match orientation([at(a), at(b), at(c), at(d)]) {
        1 => [a, b, c, d],
        _ => [b, a, c, d],
    })
}
