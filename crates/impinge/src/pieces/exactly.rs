//! Exact pieces: a binary partition of space by planes of faces.
//!
//! A cell of space that holds some of the surface is cut by the plane of a face. Planes that have all the surface of the cell below them come first: they cut nothing and only
//! trim the cell. When there is none left, two faces meet in a notch or turn away from each other, and the plane of a notch is taken that cuts the fewest
//! other faces (Chazelle 1984, "Convex partitions of polyhedra: a lower bound and worst-case optimal algorithm", cuts the solid alone in this way). A cell
//! without surface is all inside or all outside, which one of its points tells. Every step is exact.

use std::collections::BTreeMap;

use num_bigint::BigInt;

use super::cell::{Cell, Corners, Knife};
use super::rational::{Plane, Point, Unit, sign};
use super::{Decomposition, Piece, check_closed};
use crate::convex::Hull;
use crate::error::{Error, ErrorKind};
use crate::exact::{Location, Sign, locate_point, winding_number};
use crate::math::Vec3;
use crate::mesh::Mesh;

/// For each piece, so many cells may be looked at before [`decompose_exactly`] gives up.
const CELLS: usize = 64;
/// So many times the side of a corner may be asked for in all, and for each piece: some seconds.
const SIDES: (usize, usize) = (4_000_000, 50_000);

/// Cuts a closed mesh into convex pieces whose union is the solid.
///
/// Pieces share faces at most. The number of pieces can be as large as the square of the number of notches, and the time grows faster than that: meant for bodies of
/// up to some hundred faces. Parts of the solid without volume, as are triangles of zero area, are left out.
///
/// # Errors
/// [`ErrorKind::NotSolid`] if the mesh is not closed, [`ErrorKind::TooLarge`] if there would be more than `max_pieces` pieces or too many cells; use
/// [`decompose`](super::decompose) then.
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
    let mut partition = Partition::new(mesh);
    let cells = partition.inner_cells(max_pieces)?;
    let pieces = cells.iter().map(|cell| partition.piece(cell));
    pieces.collect::<Result<Vec<Piece>, Error>>().map(Decomposition::of)
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
    balanced: bool,
    whole: Option<(Cell, Vec<Patch>)>,
    /// How many times the side of a corner was asked for.
    asked: usize,
}

impl Partition {
    fn new(mesh: &Mesh) -> Self {
        let used: Vec<Vec3> =
            mesh.used_vertices().iter().map(|v| mesh.vertices()[*v as usize]).collect();
        let unit = Unit::of(&used);
        let mut this = Self {
            unit,
            planes: Vec::new(),
            corners: Corners::default(),
            triangles: (0..mesh.triangles().len()).map(|t| mesh.triangle(t)).collect(),
            balanced: mesh.topology().is_balanced(),
            whole: None,
            asked: 0,
        };
        let mut ids = BTreeMap::new();
        let mut known: BTreeMap<Plane, u32> = BTreeMap::new();
        let mut patches = Vec::new();
        for t in mesh.triangles() {
            let corners = t.map(|v| {
                *ids.entry(v)
                    .or_insert_with(|| this.corners.add(unit.point(mesh.vertices()[v as usize])))
            });
            let Some(plane) = Plane::through(corners.map(|c| this.corners.get(c))) else {
                continue;
            };
            let planes = &mut this.planes;
            let plane = *known.entry(plane).or_insert_with_key(|plane| {
                planes.push(plane.clone());
                (planes.len() - 1) as u32
            });
            patches.push(Patch { plane, corners: corners.to_vec() });
        }
        if !patches.is_empty() {
            let bounds = mesh.bounds();
            let (low, high) = (unit.point(bounds.min), unit.point(bounds.max));
            let low = low.x.map(|x| x - BigInt::from(1));
            let high = high.x.map(|x| x + BigInt::from(1));
            let cell = Cell::cuboid(&low, &high, &mut this.planes, &mut this.corners);
            this.whole = Some((cell, patches));
        }
        this
    }

    /// The cells that are inside.
    fn inner_cells(&mut self, max_pieces: usize) -> Result<Vec<Cell>, Error> {
        let mut inside = Vec::new();
        let mut open: Vec<(Cell, Vec<Patch>)> = self.whole.take().into_iter().collect();
        let mut looked = 0_usize;
        let sides = max_pieces.saturating_mul(SIDES.1).saturating_add(SIDES.0);
        while let Some((mut cell, patches)) = open.pop() {
            looked += 1;
            if looked > max_pieces.saturating_mul(CELLS).saturating_add(1_000) {
                return Err(too_large(max_pieces));
            }
            let Some((trims, cut)) = self.choose(&patches, sides) else {
                return Err(too_large(max_pieces));
            };
            let mut outer = Vec::new();
            let mut rest: Vec<Patch> = patches;
            let mut gone = false;
            for plane in trims {
                rest.retain(|p| p.plane != plane);
                let [below, above] = self.cut_cell(&cell, plane);
                outer.extend(above);
                match below {
                    Some(below) => cell = below,
                    None => {
                        gone = true;
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
                _ if gone => {}
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

    /// The planes with nothing above them, and if there is none the best other one; `None` if that takes too long.
    fn choose(&mut self, patches: &[Patch], most: usize) -> Option<(Vec<u32>, Option<u32>)> {
        let mut planes: Vec<u32> = patches.iter().map(|p| p.plane).collect();
        planes.sort_unstable();
        planes.dedup();
        let mut corners: Vec<u32> = patches.iter().flat_map(|p| p.corners.clone()).collect();
        corners.sort_unstable();
        corners.dedup();
        self.asked = self.asked.saturating_add(planes.len().saturating_mul(corners.len()));
        if self.asked > most {
            return None;
        }
        let mut trims = Vec::new();
        let mut best: Option<((usize, usize), u32)> = None;
        for plane in planes {
            let sides: Vec<Sign> = corners
                .iter()
                .map(|c| sign(&self.planes[plane as usize].height(self.corners.get(*c))))
                .collect();
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
        let mut knife = Knife::new(&self.planes[plane as usize]);
        cell.cut(plane, &mut knife, &mut self.corners)
    }

    /// Both sides of a cell and its surface; what lies in the plane is then on the outside of both.
    fn cut_all(&mut self, cell: &Cell, patches: Vec<Patch>, plane: u32) -> Vec<(Cell, Vec<Patch>)> {
        let mut knife = Knife::new(&self.planes[plane as usize]);
        let mut parts = [Vec::new(), Vec::new()];
        for patch in patches {
            if patch.plane == plane {
                continue;
            }
            let flat = patch.corners.iter().all(|c| knife.side(*c, &self.corners).is_zero());
            // The same plane with the other side up.
            if flat {
                continue;
            }
            let rings = knife.cut(&patch.corners, &mut self.corners);
            for (part, corners) in parts.iter_mut().zip(rings) {
                if corners.len() >= 3 {
                    part.push(Patch { plane: patch.plane, corners });
                }
            }
        }
        let cells = cell.cut(plane, &mut knife, &mut self.corners);
        cells
            .into_iter()
            .zip(parts)
            .filter_map(|(cell, patches)| cell.map(|cell| (cell, patches)))
            .collect()
    }

    /// Whether a cell that no surface enters is inside.
    fn is_inside(&self, cell: &Cell) -> bool {
        let corners = cell.corners();
        let rounded = |c: &u32| {
            let p = self.corners.get(*c);
            Vec3::from([0, 1, 2].map(|axis| self.unit.enclose(p, axis)[0]))
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
            if !self.balanced {
                return locate_point(middle, self.triangles.iter().copied()) == Location::Inside;
            }
            return winding_number(middle, self.triangles.iter().copied()).is_some_and(|w| w != 0);
        }
        // The cell is finer than f64: some point inside, in rational numbers.
        let mut p = self.corners.get(corners[0]).clone();
        for c in &corners[1..] {
            p = Point::middle(&p, self.corners.get(*c));
        }
        let winding = self.winding(&p);
        if self.balanced { winding != 0 } else { winding % 2 != 0 }
    }

    /// How often the surface goes around a rational point that is not on it: the ray of [`winding_number`] in integers.
    fn winding(&self, q: &Point) -> i64 {
        let mut winding = 0;
        for t in &self.triangles {
            let corners = t.map(|p| self.unit.point(p));
            let Some(plane) = Plane::through([&corners[0], &corners[1], &corners[2]]) else {
                continue;
            };
            // Coordinates y and z of a corner relative to q, times q.w.
            let rel = corners.each_ref().map(|p| [1, 2].map(|i| &p.x[i] * &q.w - &q.x[i]));
            let above = rel.each_ref().map(|p| sign(&p[1]) == Sign::Positive);
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

    /// The hull of a cell, and how far its corners had to be rounded outward.
    fn piece(&self, cell: &Cell) -> Result<Piece, Error> {
        let mut points = Vec::new();
        let mut error = 0.0_f64;
        for c in cell.corners() {
            let sides = [0, 1, 2].map(|axis| self.unit.enclose(self.corners.get(c), axis));
            let gap = Vec3::from(sides.map(|[low, high]| high - low));
            if gap != Vec3::ZERO {
                // Lengths near the smallest number vanish when squared.
                let largest = gap.max_element();
                let length = (gap / largest).length() * largest * (1.0 + 4.0 * f64::EPSILON);
                error = error.max(length.max(f64::from_bits(2)));
            }
            let firsts = (0..8_usize).map(|i| [0, 1, 2].map(|axis| sides[axis][i >> axis & 1]));
            points.extend(firsts.map(Vec3::from));
        }
        points.sort_by(|a, b| a.to_array().map(f64::to_bits).cmp(&b.to_array().map(f64::to_bits)));
        points.dedup();
        let hull = Hull::new(&points)?;
        let corners = hull.vertices().to_vec();
        Ok(Piece { hull: hull.with_vertices(corners), error })
    }
}

fn too_large(max_pieces: usize) -> Error {
    Error::new(
        ErrorKind::TooLarge,
        format!(
            "an exact decomposition would need more than {max_pieces} pieces, or too many cuts; allow more pieces, or a tolerance"
        ),
    )
}
