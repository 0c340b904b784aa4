//! How far balls reach beyond a surface: certified bounds.
//!
//! For a closed mesh the reach of a ball is the largest distance of its points from the solid, zero
//! if it is inside; an open mesh has no inside, and the reach is the largest distance from the
//! surface. The reach `h` of a level is the largest of its balls.
//!
//! Branch and bound. A ball whose centre is `k` deep in the solid (`-k` outside) reaches at most
//! `r - k`, and its points nearer than `k + h_lo` to the centre are of no interest once a point
//! with distance `h_lo` is known. What remains is a shell, cut into cells: cones over spherical
//! triangles, between two radii. A cell is within the convex hull of six points, and the distance
//! from a fixed triangle of the mesh is a convex function, so its value at those six points bounds
//! the distance in the cell. The triangle nearest to the middle of the outer side is taken. A cell
//! around a point that is deep in the solid is dropped. The cell with the largest bound is cut
//! next, until the largest bound is as near to a distance that was found as requested. Bounds are
//! derived in `docs/notes/spheres.md`.

use super::Ball;
use super::surface::{Surface, distance_error};
use crate::error::{Error, ErrorKind};
use crate::math::Vec3;
use crate::mesh::Mesh;
use crate::pieces::furthest::{Cells, furthest_corner};

/// Balls larger or further away than this in the unit of the mesh get only trivial bounds.
const MAX_SIZE: f64 = 1e30;

/// Bounds nearer than this, in the size of the mesh, are not brought nearer to each other.
const ABSOLUTE: f64 = 1e-9;

/// When the search for the reach ends.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ReachOptions {
    /// The search ends when the bounds differ by at most this share of the reach, or by 1e-9 of the
    /// size of the mesh. The default is 0.005.
    pub tolerance: f64,
    /// The largest number of cells that are examined; bounds hold wherever the search ends. The
    /// default is a million.
    pub max_cells: usize,
}

impl Default for ReachOptions {
    fn default() -> Self {
        Self { tolerance: 0.005, max_cells: 1_000_000 }
    }
}

impl ReachOptions {
    /// With this [`tolerance`](Self#structfield.tolerance).
    #[must_use]
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// With this [`max_cells`](Self#structfield.max_cells).
    #[must_use]
    pub fn max_cells(mut self, max_cells: usize) -> Self {
        self.max_cells = max_cells;
        self
    }
}

/// Certain bounds of the reach of a set of balls, in the unit of the mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Reach {
    /// A point of a ball is at least this far from the solid, or from the open surface.
    pub lower: f64,
    /// No point of a ball is further than this.
    pub upper: f64,
    /// The cells that were examined.
    pub cells: usize,
}

/// Bounds on how far balls reach out of the solid of a closed mesh, or to either side of the
/// surface of an open one. Balls that are 1e30 times as large as the mesh or as far from it, and
/// those with a centre or a radius that is not a number, have the upper bound infinity; the bounds
/// always hold.
///
/// # Errors
/// [`ErrorKind::Empty`] for a mesh without triangles.
///
/// ```
/// use impinge::spheres::{Ball, ReachOptions, reach};
/// use impinge::{Vec3, shapes};
///
/// let cube = shapes::cuboid([2.0, 2.0, 2.0])?;
/// let ball = Ball { center: Vec3::ZERO, radius: 1.75 };
/// let found = reach(&cube, &[ball], &ReachOptions::default())?;
/// assert!(found.lower <= 0.75 && 0.75 <= found.upper && found.upper < 0.76);
/// # Ok::<(), impinge::Error>(())
/// ```
pub fn reach(mesh: &Mesh, balls: &[Ball], options: &ReachOptions) -> Result<Reach, Error> {
    if mesh.is_empty() {
        return Err(Error::new(
            ErrorKind::Empty,
            "a mesh without triangles has no surface that balls could reach beyond",
        ));
    }
    Ok(reach_of(&Surface::of(mesh), balls, options))
}

/// As [`reach`], for a surface that is already prepared.
pub(super) fn reach_of(surface: &Surface, balls: &[Ball], options: &ReachOptions) -> Reach {
    let mut search = Search::new(surface, 0.0, true);
    for (i, ball) in balls.iter().enumerate() {
        search.add_ball(i as u32, &surface.local(ball));
    }
    let upper = search.run(options);
    let frame = &surface.frame;
    Reach {
        lower: frame.world_length_down(search.lower),
        upper: frame.world_length_up(search.lower.max(upper)),
        cells: search.cells,
    }
}

/// Bounds on how far a ball in the surface's frame reaches if that is more than `limit`, and
/// `limit` otherwise; and points of the ball that are further from the surface than that, with the
/// nearest points of the surface. For builders: up to rounding, and within the tolerance.
pub(super) fn beyond(
    surface: &Surface,
    ball: &Ball,
    limit: f64,
    options: &ReachOptions,
) -> ([f64; 2], Vec<[Vec3; 2]>) {
    let mut search = Search::new(surface, limit, false);
    search.add_ball(0, ball);
    let upper = search.run(options);
    ([search.lower, search.lower.max(upper)], search.found)
}

/// A part of a ball, in the surface's frame.
#[derive(Clone, Debug)]
struct Cell {
    /// An upper bound of the reach of its points.
    upper: f64,
    number: u32,
    ball: Ball,
    /// A lower bound of the depth of the centre; negative outside.
    depth: f64,
    /// The corners of the spherical triangle, about unit vectors; `None` for a whole ball.
    cone: Option<[Vec3; 3]>,
    inner: f64,
    outer: f64,
}

struct Search<'a> {
    surface: &'a Surface,
    /// By the number of their ball. Of cells of one ball with equal bounds, which is cut first is
    /// up to the heap, the same in every run.
    heap: Cells<Cell>,
    /// A certain distance of a point of a ball from the solid.
    lower: f64,
    cells: usize,
    /// Whether the lower bound must be certain.
    is_certain: bool,
    /// Points that raised the lower bound, each with its nearest point of the surface; only where
    /// the bound need not be certain.
    found: Vec<[Vec3; 2]>,
}

impl<'a> Search<'a> {
    fn new(surface: &'a Surface, lower: f64, is_certain: bool) -> Self {
        let (heap, found) = (Cells::new(), Vec::new());
        Self { surface, heap, lower, cells: 0, is_certain, found }
    }

    /// Cuts cells until the bounds are near to each other; returns the upper bound, or zero if no
    /// cell is left that could be above the lower bound.
    fn run(&mut self, options: &ReachOptions) -> f64 {
        let ends = |search: &Self, upper: f64| {
            let gap = upper - search.lower;
            let is_close = gap <= ABSOLUTE.max(options.tolerance * search.lower);
            is_close || search.cells >= options.max_cells || upper == f64::INFINITY
        };
        Cells::run(self, |search| &mut search.heap, ends, Self::cut)
    }

    fn add_ball(&mut self, number: u32, ball: &Ball) {
        let (center, radius) = (ball.center, ball.radius);
        let size = center.length() + radius;
        let mut cell = Cell {
            upper: f64::INFINITY,
            number,
            ball: *ball,
            depth: f64::NEG_INFINITY,
            cone: None,
            inner: 0.0,
            outer: radius,
        };
        if size.is_nan() || size >= MAX_SIZE {
            self.heap.push(cell.upper, cell.number as usize, cell);
            return;
        }
        // The centre's place in the frame is off by its rounding.
        let error = distance_error(size) + size * f64::EPSILON;
        let depth = if self.surface.contains(center) {
            self.surface.distance_down(center) - error
        } else {
            let found = self.surface.nearest(center, f64::INFINITY);
            -(found.map_or(f64::INFINITY, |n| n.square.sqrt()) + error)
        };
        cell.depth = depth;
        cell.upper = (radius - depth) * (1.0 + f64::EPSILON) + error;
        if cell.upper > self.lower {
            self.heap.push(cell.upper, cell.number as usize, cell);
        }
    }

    /// Replaces a cell by its parts.
    fn cut(&mut self, cell: &Cell) {
        let Some(cone) = cell.cone else {
            self.probe_nearest_sides(cell);
            // Eight octants.
            for i in 0..8_u32 {
                let sign = |bit: u32| if i >> bit & 1 == 1 { -1.0 } else { 1.0 };
                let cone = [Vec3::X * sign(0), Vec3::Y * sign(1), Vec3::Z * sign(2)];
                self.add_cell(Cell { cone: Some(cone), ..cell.clone() });
            }
            return;
        };
        let [a, b, c] = cone;
        let side = (a - b).length().max((b - c).length()).max((c - a).length());
        if cell.outer - cell.inner > side * cell.outer {
            let middle = 0.5 * (cell.inner + cell.outer);
            self.add_cell(Cell { inner: middle, ..cell.clone() });
            self.add_cell(Cell { outer: middle, ..cell.clone() });
            return;
        }
        let [d, e, f] = [(a + b), (b + c), (c + a)].map(Vec3::normalize);
        for cone in [[a, d, f], [d, b, e], [f, e, c], [d, e, f]] {
            self.add_cell(Cell { cone: Some(cone), ..cell.clone() });
        }
    }

    /// The point of the ball beyond the nearest point of the surface, which is often the furthest.
    fn probe_nearest_sides(&mut self, cell: &Cell) {
        let Ball { center, radius } = cell.ball;
        if let Some(found) = self.surface.nearest(center, f64::INFINITY) {
            let way = (found.point - center).normalize_or(Vec3::X);
            for p in [center + way * radius, center - way * radius, center] {
                self.probe(p, &cell.ball);
            }
        }
    }

    /// Raises the lower bound to the distance of a point of the ball, if that is larger.
    fn probe(&mut self, p: Vec3, ball: &Ball) {
        let size = ball.center.length() + ball.radius;
        // The point may be outside of the ball by its rounding.
        let error = 2.0 * distance_error(size) + 4.0 * size * f64::EPSILON;
        let Some(found) = self.surface.nearest(p, f64::INFINITY) else { return };
        if found.square.sqrt() - error <= self.lower || self.surface.contains(p) {
            return;
        }
        if self.is_certain {
            self.lower = self.lower.max(self.surface.distance_down(p) - error);
        } else {
            self.lower = found.square.sqrt();
            self.found.push([p, found.point]);
        }
    }

    /// Bounds a cell, and keeps it if it may reach further than the lower bound.
    fn add_cell(&mut self, mut cell: Cell) {
        let Some(cone) = cell.cone else { return };
        let Ball { center, radius: _ } = cell.ball;
        // Points that are nearer to the centre reach no further than the lower bound. (A ball of
        // radius zero has no shell, but it has its centre.)
        let near = cell.depth + self.lower;
        if near >= cell.outer {
            return;
        }
        cell.inner = cell.inner.max(near).max(0.0);
        self.cells += 1;
        let size = center.length() + cell.outer;
        let error = 4.0 * distance_error(2.0 * size) + 8.0 * size * f64::EPSILON;
        let middle = (cone[0] + cone[1] + cone[2]).normalize();
        // The cosine of the angle between the middle and the plane of the corners: rays through the
        // triangle of the corners, stretched by its reciprocal, pass the sphere.
        let normal = (cone[1] - cone[0]).cross(cone[2] - cone[0]).normalize_or(middle);
        let cosine = normal.dot(cone[0]).abs() * (1.0 - 64.0 * f64::EPSILON);
        if cosine.is_nan() || cosine <= 0.1 {
            self.heap.push(cell.upper, cell.number as usize, cell);
            return;
        }
        let stretched = cell.outer / cosine;
        let x = center + middle * cell.outer;
        let Some(found) = self.surface.nearest(x, f64::INFINITY) else { return };
        let (distance, triangle) = (found.square.sqrt(), *found.triangle);
        let is_inside = self.surface.contains(x);
        let corners = cone.map(|d| [center + d * cell.inner, center + d * stretched]);
        let around = corners.iter().flatten().map(|p| (*p - x).length()).fold(0.0, f64::max);
        let mut upper = cell.upper.min((cell.outer - cell.depth) + error);
        if is_inside {
            // A certain distance takes longer than the nearest point: only where it helps.
            if around < distance {
                upper = upper.min((around - self.surface.distance_down(x)).max(0.0) + error);
            }
        } else {
            upper = upper.min(distance + around + error);
            if distance - error > self.lower {
                self.probe(x, &cell.ball);
            }
        }
        if upper > self.lower {
            let far = furthest_corner(corners.iter().flatten().copied(), &triangle);
            upper = upper.min(far + error);
        }
        if upper > self.lower {
            cell.upper = upper;
            self.heap.push(cell.upper, cell.number as usize, cell);
        }
    }
}
