//! Exact pieces: a binary partition of space by planes of faces.
//!
//! A cell of space that contains some of the surface is cut by the plane of a face. Planes with all
//! the surface of the cell below them come first: they cut no face and only trim the cell. When
//! none is left, two faces meet in a notch or turn away from each other, and the plane that cuts
//! the fewest faces is used (Chazelle 1984, "Convex partitions of polyhedra: a lower bound and
//! worst-case optimal algorithm", cuts only the solid in this way). A cell without surface is
//! entirely inside or entirely outside; testing one of its points is enough. Every step is exact.
//!
//! The surface can have parts that bound no volume: both sides of them are outside, or they are
//! triangles of zero area. They belong to the solid, as [`solid::locate`](crate::solid::locate)
//! classifies them as boundary. The inner cells are subtracted from every triangle; a triangle of
//! which something is left becomes a flat piece.

use std::collections::HashMap;

use num_bigint::BigInt;

use super::cell::{Cell, Corners, Cutter};
use super::rational::{Plane, Point, Unit};
use super::{Decomposition, Piece, check_closed};
use crate::arrays::{MapEach, MapToVec};
use crate::convex::Hull;
use crate::convex::decide::{Hint, decide};
use crate::error::{Error, ErrorKind};
use crate::exact::integer::sign;
use crate::exact::{Location, Sign, is_inside, location_of, winding_number};
use crate::math::{Aabb, Vec3};
use crate::mesh::Mesh;
use crate::order::sort_numbers_by;

/// The largest number of cells that [`decompose_exactly`] examines for each allowed piece.
const MAX_CELLS_PER_PIECE: usize = 64;
/// The largest number of side tests of a corner, in addition to those for each piece. Together they
/// take some seconds.
const MAX_SIDE_TESTS: usize = 4_000_000;
/// The additional number of side tests for each allowed piece.
const MAX_SIDE_TESTS_PER_PIECE: usize = 50_000;

/// Cuts a closed mesh into convex pieces whose union is the solid.
///
/// Pieces with volume share faces at most. The number of pieces can be as large as the square of
/// the number of notches, and the time grows faster than that: use this for bodies of up to some
/// hundred faces. A triangle that is not in the pieces with volume, such as one that has the
/// outside on both sides or one of zero area away from them, is a piece itself: a polygon, a
/// segment or a point, which may overlap others. These pieces come last.
///
/// # Errors
/// [`ErrorKind::NotSolid`] if the mesh is not closed, [`ErrorKind::TooLarge`] if there would be
/// more than `max_pieces` pieces or too many cells; use [`decompose`](super::decompose) then.
///
/// ```
/// use impinge::pieces::decompose_exactly;
/// use impinge::shapes;
///
/// let outline = [[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [2.0, 1.0], [0.0, 4.0]];
/// let found = decompose_exactly(&shapes::prism(&outline, 1.0)?, 8)?;
/// assert_eq!(found.pieces.len(), 2);
/// assert!(found.error < 1e-15);
/// # Ok::<(), impinge::Error>(())
/// ```
pub fn decompose_exactly(mesh: &Mesh, max_pieces: usize) -> Result<Decomposition, Error> {
    check_closed(mesh)?;
    decompose_with_balance(mesh, max_pieces, mesh.is_balanced())
}

/// As [`decompose_exactly`], for a closed mesh. The inside is where winding numbers are not zero if
/// `balanced`, otherwise where they are odd. For a part of a mesh, use the rule of the whole mesh.
pub fn decompose_with_balance(
    mesh: &Mesh,
    max_pieces: usize,
    balanced: bool,
) -> Result<Decomposition, Error> {
    let mut partition = Partition::new(mesh, balanced);
    let cells = partition.inner_cells(max_pieces)?;
    let pieces = cells.iter().map(|cell| partition.piece(cell));
    let mut pieces = pieces.collect::<Result<Vec<Piece>, Error>>()?;
    pieces.extend(partition.flat_pieces(&cells, max_pieces)?);
    Ok(Decomposition::of(pieces))
}

/// A part of the surface.
#[derive(Clone, Debug)]
struct Patch {
    plane: u32,
    corners: Vec<u32>,
}

struct Partition {
    unit: Unit,
    planes: Vec<Plane>,
    corners: Corners,
    triangles: Vec<[Vec3; 3]>,
    /// The plane of every triangle, `None` for those of zero area, and its corners.
    sources: Vec<(Option<u32>, [u32; 3])>,
    balanced: bool,
    root: Option<(Cell, Vec<Patch>)>,
    /// The number of side tests of a corner so far.
    side_tests: usize,
}

impl Partition {
    fn new(mesh: &Mesh, balanced: bool) -> Self {
        let used: Vec<Vec3> = mesh.used_vertices().map_to_vec(|v| mesh.vertices()[*v as usize]);
        let unit = Unit::of(&used);
        let mut this = Self {
            unit,
            planes: Vec::new(),
            corners: Corners::default(),
            triangles: (0..mesh.triangles().len()).map_to_vec(|t| mesh.triangle(t)),
            sources: Vec::with_capacity(mesh.triangles().len()),
            balanced,
            root: None,
            side_tests: 0,
        };
        let mut ids = vec![None; mesh.vertices().len()];
        let mut known: HashMap<Plane, u32> = HashMap::new();
        let mut patches = Vec::new();
        for t in mesh.triangles() {
            let corners = t.map_each(|v| {
                *ids[v as usize].get_or_insert_with(|| {
                    this.corners.add(unit.point(mesh.vertices()[v as usize]))
                })
            });
            let Some(plane) = Plane::through(corners.map_each(|c| this.corners.get(c))) else {
                this.sources.push((None, corners));
                continue;
            };
            let planes = &mut this.planes;
            let plane = *known.entry(plane).or_insert_with_key(|plane| {
                planes.push(plane.clone());
                (planes.len() - 1) as u32
            });
            this.sources.push((Some(plane), corners));
            patches.push(Patch { plane, corners: corners.to_vec() });
        }
        if !patches.is_empty() {
            let bounds = mesh.bounds();
            let (low, high) = (unit.point(bounds.min), unit.point(bounds.max));
            let low = low.x.map_each(|x| x - BigInt::from(1));
            let high = high.x.map_each(|x| x + BigInt::from(1));
            let cell = Cell::cuboid(&low, &high, &mut this.planes, &mut this.corners);
            this.root = Some((cell, patches));
        }
        this
    }

    /// The cells that are inside.
    fn inner_cells(&mut self, max_pieces: usize) -> Result<Vec<Cell>, Error> {
        let mut inside = Vec::new();
        let mut open: Vec<(Cell, Vec<Patch>)> = self.root.take().into_iter().collect();
        let mut cells_examined = 0_usize;
        let max_side_tests =
            max_pieces.saturating_mul(MAX_SIDE_TESTS_PER_PIECE).saturating_add(MAX_SIDE_TESTS);
        while let Some((mut cell, patches)) = open.pop() {
            cells_examined += 1;
            if cells_examined > max_pieces.saturating_mul(MAX_CELLS_PER_PIECE).saturating_add(1_000)
            {
                return Err(too_large(max_pieces));
            }
            let Some((trims, cut)) = self.choose_planes(&patches, max_side_tests) else {
                return Err(too_large(max_pieces));
            };
            let mut outer = Vec::new();
            let mut rest: Vec<Patch> = patches;
            let mut exhausted = false;
            for plane in trims {
                rest.retain(|p| p.plane != plane);
                let [below, above] = self.cut_cell(&cell, plane);
                outer.extend(above);
                match below {
                    Some(below) => cell = below,
                    None => {
                        exhausted = true;
                        break;
                    }
                }
            }
            for leaf in outer {
                if self.is_inside(&leaf) {
                    inside.push(leaf);
                }
            }
            match cut {
                _ if exhausted => {}
                Some(plane) if !rest.is_empty() => open.extend(self.cut_all(&cell, rest, plane)),
                _ if !rest.is_empty() => open.push((cell, rest)),
                _ => {
                    if self.is_inside(&cell) {
                        inside.push(cell);
                    }
                }
            }
            if inside.len() > max_pieces {
                return Err(too_large(max_pieces));
            }
        }
        Ok(inside)
    }

    /// The planes with nothing above them, and, if there are none, the plane that cuts the fewest
    /// patches; `None` if the limit of side tests is exceeded.
    fn choose_planes(
        &mut self,
        patches: &[Patch],
        max_side_tests: usize,
    ) -> Option<(Vec<u32>, Option<u32>)> {
        let mut planes: Vec<u32> = patches.map_to_vec(|p| p.plane);
        planes.sort_unstable();
        planes.dedup();
        let mut corners: Vec<u32> = Vec::new();
        for patch in patches {
            corners.extend_from_slice(&patch.corners);
        }
        corners.sort_unstable();
        corners.dedup();
        self.side_tests =
            self.side_tests.saturating_add(planes.len().saturating_mul(corners.len()));
        if self.side_tests > max_side_tests {
            return None;
        }
        let mut trims = Vec::new();
        let mut best: Option<((usize, usize), u32)> = None;
        for plane in planes {
            let sides: Vec<Sign> = corners
                .map_to_vec(|c| sign(&self.planes[plane as usize].height(self.corners.get(*c))));
            if !sides.contains(&Sign::Positive) {
                trims.push(plane);
                continue;
            }
            let (mut split, mut above) = (0, 0);
            for patch in patches {
                let has = |s: Sign| {
                    patch
                        .corners
                        .iter()
                        .any(|c| corners.binary_search(c).is_ok_and(|i| sides[i] == s))
                };
                let up = has(Sign::Positive);
                above += usize::from(up);
                split += usize::from(up && has(Sign::Negative));
            }
            let key = (split, patches.len() - above);
            if best.is_none_or(|(k, _)| key < k) {
                best = Some((key, plane));
            }
        }
        let cut = if trims.is_empty() { best.map(|(_, plane)| plane) } else { None };
        Some((trims, cut))
    }

    fn cut_cell(&mut self, cell: &Cell, plane: u32) -> [Option<Cell>; 2] {
        let mut cutter = Cutter::new(&self.planes[plane as usize]);
        cell.cut(plane, &mut cutter, &mut self.corners)
    }

    /// Both parts of a cell with their surface. Patches in the plane are dropped: they are on the
    /// boundary of both parts.
    fn cut_all(&mut self, cell: &Cell, patches: Vec<Patch>, plane: u32) -> Vec<(Cell, Vec<Patch>)> {
        let mut cutter = Cutter::new(&self.planes[plane as usize]);
        let mut parts = [Vec::new(), Vec::new()];
        for patch in patches {
            if patch.plane == plane {
                continue;
            }
            let flat = patch.corners.iter().all(|c| cutter.side(*c, &self.corners).is_zero());
            // In the same plane, with the opposite normal.
            if flat {
                continue;
            }
            let rings = cutter.cut(&patch.corners, &mut self.corners);
            for (part, corners) in parts.iter_mut().zip(rings) {
                if corners.len() >= 3 {
                    part.push(Patch { plane: patch.plane, corners });
                }
            }
        }
        let cells = cell.cut(plane, &mut cutter, &mut self.corners);
        cells
            .into_iter()
            .zip(parts)
            .filter_map(|(cell, patches)| cell.map(|cell| (cell, patches)))
            .collect()
    }

    /// Whether a cell without surface in its interior is inside.
    fn is_inside(&self, cell: &Cell) -> bool {
        let corners = cell.corners();
        let rounded = |c: &u32| {
            let p = self.corners.get(*c);
            Vec3::from([0, 1, 2].map_each(|axis| self.unit.enclose(p, axis)[0]))
        };
        let base = rounded(&corners[0]);
        let sum: Vec3 = corners.iter().map(|c| rounded(c) - base).sum();
        let middle = base + sum / corners.len() as f64;
        let is_in = |p: &Point| {
            cell.faces.iter().all(|f| {
                let side = sign(&self.planes[f.plane as usize].height(p));
                side == if f.below { Sign::Negative } else { Sign::Positive }
            })
        };
        if middle.is_finite() && is_in(&self.unit.point(middle)) {
            let winding = winding_number(middle, self.triangles.iter().copied());
            return location_of(winding, self.balanced) == Location::Inside;
        }
        // The rounded centre is not inside the cell: use an interior point in rational numbers.
        let mut p = self.corners.get(corners[0]).clone();
        for c in &corners[1..] {
            p = Point::middle(&p, self.corners.get(*c));
        }
        is_inside(self.winding(&p), self.balanced)
    }

    /// The winding number of the surface around a rational point that is not on it: the ray of
    /// [`winding_number`] in integers.
    fn winding(&self, q: &Point) -> i64 {
        let mut winding = 0;
        for t in &self.triangles {
            let corners = t.map_each(|p| self.unit.point(p));
            let Some(plane) = Plane::through([&corners[0], &corners[1], &corners[2]]) else {
                continue;
            };
            // Coordinates y and z of a corner relative to q, times q.w.
            let rel = corners.each_ref().map(|p| [1, 2].map_each(|i| &p.x[i] * &q.w - &q.x[i]));
            let above = rel.each_ref().map_each(|p| sign(&p[1]) == Sign::Positive);
            let mut crossed = None;
            let mut twice = false;
            for i in 0..3 {
                let j = (i + 1) % 3;
                if above[i] == above[j] {
                    continue;
                }
                let (low, high) = if above[j] { (&rel[i], &rel[j]) } else { (&rel[j], &rel[i]) };
                if sign(&(&low[0] * &high[1] - &high[0] * &low[1])) == Sign::Positive {
                    twice |= crossed.is_some();
                    crossed = Some(above[j]);
                }
            }
            let Some(counter_clockwise) = crossed.filter(|_| !twice) else { continue };
            let side = sign(&plane.height(q));
            match (counter_clockwise, side) {
                (true, Sign::Negative) => winding += 1,
                (false, Sign::Positive) => winding -= 1,
                _ => {}
            }
        }
        winding
    }

    /// Flat pieces for the triangles that are not covered by `cells`: the triangles, segments and
    /// points themselves, so without error.
    fn flat_pieces(&mut self, cells: &[Cell], max_pieces: usize) -> Result<Vec<Piece>, Error> {
        // No triangle is in the interior of a cell, so only a cell with a face in its plane can
        // contain a part of it with an area.
        let unsigned_plane_ids = self.unsigned_plane_ids();
        let shapes: Vec<(Aabb, Vec<u32>)> = cells.map_to_vec(|cell| {
            let planes = cell.faces.iter().map(|f| unsigned_plane_ids[f.plane as usize]);
            (self.bounds(cell), planes.collect())
        });
        let mut flat: Vec<Vec<Vec3>> = Vec::new();
        for t in 0..self.triangles.len() {
            let (plane, corners) = self.sources[t];
            let points = self.triangles[t];
            let ring = if plane.is_some() { corners.to_vec() } else { ends(corners, points) };
            let bounds = Aabb::from_points(points);
            let level = plane.map(|p| unsigned_plane_ids[p as usize]);
            let mut rest = vec![ring.clone()];
            for (cell, (around, planes)) in cells.iter().zip(&shapes) {
                if around.overlaps(&bounds) && level.is_none_or(|l| planes.contains(&l)) {
                    let mut left = Vec::new();
                    for r in rest {
                        left.extend(self.subtract(r, cell));
                    }
                    rest = left;
                }
                if rest.is_empty() {
                    break;
                }
            }
            if !rest.is_empty() {
                let at = |c: &u32| corners.iter().position(|d| d == c).map(|k| points[k]);
                flat.push(ring.iter().filter_map(at).collect());
            }
        }
        // Triangles first: they contain most of the segments and points, and their own reversed
        // copies.
        sort_numbers_by(&mut flat, &|p, q| q.len().cmp(&p.len()));
        let mut pieces: Vec<Piece> = Vec::new();
        for points in flat {
            let bounds = Aabb::from_points(points.iter().copied());
            let held = pieces.iter().any(|piece| {
                piece.hull.bounds().contains_box(&bounds)
                    && points.iter().all(|p| {
                        decide(piece.hull.vertices(), &[*p], &Hint::NONE).is_intersecting()
                    })
            });
            if held {
                continue;
            }
            if cells.len() + pieces.len() >= max_pieces {
                return Err(too_large(max_pieces));
            }
            let hull = Hull::new(&points)?;
            let corners = hull.vertices().to_vec();
            pieces.push(Piece { hull: hull.with_vertices(corners), error: 0.0 });
        }
        Ok(pieces)
    }

    /// A number for every plane; planes with the same points, and only those, have the same number.
    fn unsigned_plane_ids(&self) -> Vec<u32> {
        let mut known: HashMap<Plane, u32> = HashMap::new();
        let number = |plane: &Plane| {
            let next = known.len() as u32;
            *known.entry(plane.unsigned()).or_insert(next)
        };
        self.planes.map_to_vec(number)
    }

    /// A box around a cell.
    fn bounds(&self, cell: &Cell) -> Aabb {
        let ends = cell.corners().into_iter().map(|c| {
            let p = self.corners.get(c);
            [0, 1, 2].map_each(|axis| self.unit.enclose(p, axis))
        });
        ends.fold(Aabb::EMPTY, |bounds, sides| {
            let [low, high] = [0, 1].map_each(|i| Vec3::from(sides.map_each(|s| s[i])));
            bounds.union(&Aabb { min: low, max: high })
        })
    }

    /// The parts of a convex polygon, a segment or a point that are not in the closed cell, without
    /// those of a lower dimension.
    fn subtract(&mut self, ring: Vec<u32>, cell: &Cell) -> Vec<Vec<u32>> {
        let mut outside = Vec::new();
        let mut inside = ring.clone();
        for face in &cell.faces {
            let mut cutter = Cutter::new(&self.planes[face.plane as usize]);
            if inside.iter().all(|c| cutter.side(*c, &self.corners).is_zero()) {
                continue;
            }
            let [below, above] = cutter.cut(&inside, &mut self.corners);
            let (inner, mut outer) = if face.below { (below, above) } else { (above, below) };
            if inner.is_empty() {
                return vec![ring];
            }
            if !outer.is_empty() {
                // A segment is a loop of two edges, which cross the plane at the same point.
                outer.dedup();
                outside.push(outer);
            }
            inside = inner;
            inside.dedup();
        }
        outside
    }

    /// The hull of a cell, with the largest distance that a corner was rounded outward as its
    /// error.
    fn piece(&self, cell: &Cell) -> Result<Piece, Error> {
        let mut points = Vec::new();
        let mut error = 0.0_f64;
        for c in cell.corners() {
            let sides = [0, 1, 2].map_each(|axis| self.unit.enclose(self.corners.get(c), axis));
            let gap = Vec3::from(sides.map_each(|[low, high]| high - low));
            if gap != Vec3::ZERO {
                // The squares of lengths near the smallest number underflow.
                let largest = gap.max_element();
                let length = (gap / largest).length() * largest * (1.0 + 4.0 * f64::EPSILON);
                // The product may have been rounded down by half the smallest number.
                error = error.max(length + f64::from_bits(1));
            }
            let firsts =
                (0..8_usize).map(|i| [0, 1, 2].map_each(|axis| sides[axis][i >> axis & 1]));
            points.extend(firsts.map(Vec3::from));
        }
        let bits = |p: &Vec3| [p.x, p.y, p.z].map_each(f64::to_bits);
        sort_numbers_by(&mut points, &|a, b| bits(a).cmp(&bits(b)));
        points.dedup();
        let hull = Hull::new(&points)?;
        let corners = hull.vertices().to_vec();
        Ok(Piece { hull: hull.with_vertices(corners), error })
    }
}

/// The ends of three points on a line, as their corner indices: two of them, or one if the points
/// are the same.
fn ends(corners: [u32; 3], points: [Vec3; 3]) -> Vec<u32> {
    let order = |a: &usize, b: &usize| {
        let key = |i: usize| points[i].to_array();
        key(*a).partial_cmp(&key(*b)).unwrap_or(std::cmp::Ordering::Equal)
    };
    let (low, high) = (0..3).fold((0, 0), |(low, high), i| {
        (
            if order(&i, &low).is_lt() { i } else { low },
            if order(&i, &high).is_gt() { i } else { high },
        )
    });
    if points[low] == points[high] { vec![corners[0]] } else { vec![corners[low], corners[high]] }
}

fn too_large(max_pieces: usize) -> Error {
    Error::new(
        ErrorKind::TooLarge,
        format!(
            "an exact decomposition needs more than {max_pieces} pieces, or too many cuts; allow more pieces, or use `decompose` with a tolerance"
        ),
    )
}
