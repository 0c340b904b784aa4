//! Machine parts: plates with round holes, open boxes, hexagon bolts.

use super::builder::Surface;
use super::circle::unit_circle;
use super::params::{bad, coordinate, count, length, total};
use crate::arrays::{MapEach, MapToVec};
use crate::error::Error;
use crate::math::Vec3;
use crate::mesh::Mesh;

/// A round hole through a [`plate`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hole {
    /// Its cell in the plate's grid: column and row.
    pub cell: [usize; 2],
    /// Its radius, below half of the cell's smaller side. The hole is at the centre of its cell.
    pub radius: f64,
}

/// A plate from `z = 0` to `z = thickness` over a grid of rectangles, some with round holes.
/// Closed.
///
/// `columns` and `rows` are the x and y coordinates of the grid's lines, ascending. The rim of a
/// hole has `4 * arc` straight edges, and the face around it consists of four non-convex polygons
/// of `arc + 3` corners.
///
/// ```
/// use impinge::shapes::{Hole, plate};
///
/// let washer = plate(&[-1.0, 1.0], &[-1.0, 1.0], 0.2, &[Hole { cell: [0, 0], radius: 0.5 }], 6)?;
/// assert_eq!(washer.vertices().len(), 2 * (4 + 24));
/// # Ok::<(), impinge::Error>(())
/// ```
///
/// # Errors
/// `BadParameter` unless there are at least 2 columns and 2 rows, ascending, the thickness is a
/// positive number, `arc` is at least 1, and every hole fits into its cell, which has no other
/// hole.
pub fn plate(
    columns: &[f64],
    rows: &[f64],
    thickness: f64,
    holes: &[Hole],
    arc: usize,
) -> Result<Mesh, Error> {
    length("the plate's thickness", thickness)?;
    count("the number of pieces of a quarter of a hole", arc, 1)?;
    for lines in [columns, rows] {
        count("the number of lines of the plate", lines.len(), 2)?;
        for pair in lines.windows(2) {
            coordinate("a line of the plate", pair[0])?;
            coordinate("a line of the plate", pair[1])?;
            if pair[0] >= pair[1] {
                return Err(bad(format!(
                    "the plate's lines {} and {} must ascend",
                    pair[0], pair[1]
                )));
            }
        }
    }
    let (nx, ny) = (columns.len() - 1, rows.len() - 1);
    total("plate", &[2, nx, ny])?;
    total("plate's holes", &[arc, 4, holes.len().max(1)])?;
    let mut radius_of = vec![None; nx * ny];
    for (i, hole) in holes.iter().enumerate() {
        let [x, y] = hole.cell;
        if x >= nx || y >= ny || radius_of[y * nx + x].is_some() {
            return Err(bad(format!(
                "hole {i} is in cell {x}, {y}: it must be in one of the {nx} by {ny} cells, without another hole"
            )));
        }
        let max_radius = 0.5 * (columns[x + 1] - columns[x]).min(rows[y + 1] - rows[y]);
        if length("a hole's radius", hole.radius)? >= max_radius {
            return Err(bad(format!(
                "hole {i} has radius {}: its cell allows less than {max_radius}",
                hole.radius
            )));
        }
        radius_of[y * nx + x] = Some(hole.radius);
    }
    let mut surface = Surface::new();
    let mut sheet = |z: f64| -> Vec<u32> {
        let mut sheet = Vec::with_capacity(rows.len() * columns.len());
        for y in rows {
            for x in columns {
                sheet.push(surface.vertex(Vec3::new(*x, *y, z)));
            }
        }
        sheet
    };
    let (low, high) = (sheet(0.0), sheet(thickness));
    let node = |x: usize, y: usize| y * (nx + 1) + x;
    let corners =
        |x: usize, y: usize| [node(x + 1, y + 1), node(x, y + 1), node(x, y), node(x + 1, y)];
    for y in 0..ny {
        for x in 0..nx {
            let [above, below] = [&high, &low].map(|sheet| corners(x, y).map_each(|i| sheet[i]));
            let Some(radius) = radius_of[y * nx + x] else {
                surface.polygon(above);
                surface.polygon(below.into_iter().rev());
                continue;
            };
            let (cx, cy) = (0.5 * (columns[x] + columns[x + 1]), 0.5 * (rows[y] + rows[y + 1]));
            // The first corner is at an eighth of a turn, so the circle starts there too.
            let circle: Vec<[f64; 2]> = diagonal_circle(arc);
            let mut rim = |z: f64| -> Vec<u32> {
                circle.map_to_vec(|[c, s]| {
                    surface.vertex(Vec3::new(cx + radius * c, cy + radius * s, z))
                })
            };
            let (top, bottom) = (rim(thickness), rim(0.0));
            surface.face_with_hole(&above, &top);
            let reversed_loop = |v: &[u32]| -> Vec<u32> {
                v[..1].iter().chain(v[1..].iter().rev()).copied().collect()
            };
            surface.face_with_hole(&reversed_loop(&below), &reversed_loop(&bottom));
            wall(&mut surface, &top, &bottom);
        }
    }
    let mut edge: Vec<usize> = (0..nx).map_to_vec(|x| node(x, 0));
    edge.extend((0..ny).map(|y| node(nx, y)));
    edge.extend((1..=nx).rev().map(|x| node(x, ny)));
    edge.extend((1..=ny).rev().map(|y| node(0, y)));
    let [outer_low, outer_high] =
        [&low, &high].map_each(|sheet| edge.iter().map(|i| sheet[*i]).collect::<Vec<_>>());
    wall(&mut surface, &outer_low, &outer_high);
    surface.finish()
}

/// `4 * arc` points of the unit circle, counter-clockwise from an eighth of a turn.
fn diagonal_circle(arc: usize) -> Vec<[f64; 2]> {
    let n = 4 * arc;
    // In units of half an edge, an eighth of a turn is a whole number.
    (0..n).map_to_vec(|i| super::circle::turn(2 * i + arc, 2 * n))
}

fn wall(surface: &mut Surface, below: &[u32], above: &[u32]) {
    for i in 0..below.len() {
        let k = (i + 1) % below.len();
        surface.polygon([below[i], below[k], above[k], above[i]]);
    }
}

/// A box with walls and a floor, open at the top, on `z = 0` and centred on the z axis. Closed: 14
/// polygons.
///
/// # Errors
/// `BadParameter` unless all lengths are positive numbers and the walls leave room for the inside.
pub fn open_box(size: impl Into<Vec3>, wall_thickness: f64) -> Result<Mesh, Error> {
    open_box_surface(size.into(), wall_thickness)?.finish()
}

/// The surface of the mesh that [`open_box`] makes.
pub fn open_box_surface(size: Vec3, thickness: f64) -> Result<Surface, Error> {
    for axis in 0..3 {
        length("the box's size", size[axis])?;
    }
    length("the box's wall", thickness)?;
    if 2.0 * thickness >= size.x.min(size.y) || thickness >= size.z {
        return Err(bad(format!("walls of {thickness} leave no room inside a box of {size}")));
    }
    let mut surface = Surface::new();
    let mut rectangle = |inset: f64, z: f64| {
        let (x, y) = (0.5 * size.x - inset, 0.5 * size.y - inset);
        surface.ring([[-x, -y], [x, -y], [x, y], [-x, y]].map_each(|[x, y]| Vec3::new(x, y, z)))
    };
    // One skin: up the outside, over the rim and down the inside, from the underside to the floor.
    let rings = [
        rectangle(0.0, 0.0),
        rectangle(0.0, size.z),
        rectangle(thickness, size.z),
        rectangle(thickness, thickness),
    ];
    surface.capped_skin(&rings);
    Ok(surface)
}

/// A hexagon bolt along the z axis: head above `z = 0`, shank below. Closed.
///
/// `head` is the radius of the hexagon's corners, `shank` that of the shank, which has `6 * arc`
/// sides.
///
/// # Errors
/// `BadParameter` unless all lengths are positive numbers, the shank is thinner than the head's
/// flats and `arc` at least 1.
pub fn bolt(
    head: f64,
    head_height: f64,
    shank: f64,
    shank_length: f64,
    arc: usize,
) -> Result<Mesh, Error> {
    length("the bolt's head radius", head)?;
    length("the bolt's head height", head_height)?;
    length("the bolt's shank radius", shank)?;
    length("the bolt's shank length", shank_length)?;
    count("the number of pieces of a sixth of the shank", arc, 1)?;
    total("bolt", &[6, arc])?;
    if shank >= 0.86 * head {
        return Err(bad(format!(
            "the bolt's shank radius {shank} must be below 0.86 of the head's, {head}"
        )));
    }
    let mut surface = Surface::new();
    let mut ring = |n: usize, radius: f64, z: f64| -> Vec<u32> {
        unit_circle(n)
            .into_iter()
            .map(|[c, s]| surface.vertex(Vec3::new(radius * c, radius * s, z)))
            .collect()
    };
    let top = ring(6, head, head_height);
    let under = ring(6, head, 0.0);
    let neck = ring(6 * arc, shank, 0.0);
    let end = ring(6 * arc, shank, -shank_length);
    wall(&mut surface, &under, &top);
    wall(&mut surface, &end, &neck);
    surface.polygon(top);
    surface.polygon(end.into_iter().rev());
    let reversed_loop =
        |v: &[u32]| -> Vec<u32> { v[..1].iter().chain(v[1..].iter().rev()).copied().collect() };
    surface.face_with_hole(&reversed_loop(&under), &reversed_loop(&neck));
    surface.finish()
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;

    /// The area of a regular polygon with its corners on a circle.
    fn regular_polygon_area(n: usize, radius: f64) -> f64 {
        let n = n as f64;
        0.5 * n * radius * radius * (std::f64::consts::TAU / n).sin()
    }

    #[test]
    fn plates_with_holes_are_closed_with_their_exact_volume() {
        let hole = |x, y, radius| Hole { cell: [x, y], radius };
        let holes = [hole(0, 0, 0.4), hole(2, 1, 0.9)];
        for arc in [1, 3, 8] {
            let mesh = plate(&[0.0, 1.0, 4.0, 6.0], &[-1.0, 0.0, 2.0], 0.5, &holes, arc).unwrap();
            assert_eq!(assert_closed(&mesh), 1);
            let exact = 0.5
                * (18.0 - regular_polygon_area(4 * arc, 0.4) - regular_polygon_area(4 * arc, 0.9));
            assert!((volume(&mesh) - exact).abs() < 1e-12);
        }
        let plain = plate(&[0.0, 2.0], &[0.0, 3.0], 4.0, &[], 1).unwrap();
        assert_eq!((assert_closed(&plain), plain.triangles().len()), (1, 12));
    }

    #[test]
    fn boxes_and_bolts_are_closed_with_their_exact_volume() {
        let tray = open_box([10.0, 8.0, 6.0], 1.0).unwrap();
        assert_eq!((assert_closed(&tray), tray.triangles().len()), (1, 28));
        assert!((volume(&tray) - (480.0 - 8.0 * 6.0 * 5.0)).abs() < 1e-12);
        for arc in [1, 4] {
            let mesh = bolt(6.0, 5.0, 3.0, 12.0, arc).unwrap();
            assert_eq!(assert_closed(&mesh), 1);
            let exact =
                5.0 * regular_polygon_area(6, 6.0) + 12.0 * regular_polygon_area(6 * arc, 3.0);
            assert!((volume(&mesh) - exact).abs() < 1e-9);
        }
    }

    #[test]
    fn invalid_parameters_are_rejected() {
        let unit = [0.0, 1.0];
        let hole = |x, y, radius| Hole { cell: [x, y], radius };
        assert_bad(plate(&[0.0], &unit, 1.0, &[], 1), "lines of the plate is 1");
        assert_bad(plate(&[1.0, 0.0], &unit, 1.0, &[], 1), "ascend");
        assert_bad(plate(&[0.0, f64::NAN], &unit, 1.0, &[], 1), "line of the plate");
        assert_bad(plate(&unit, &unit, 0.0, &[], 1), "thickness");
        assert_bad(plate(&unit, &unit, 1.0, &[hole(0, 1, 0.1)], 1), "without another hole");
        assert_bad(plate(&unit, &unit, 1.0, &[hole(0, 0, 0.1); 2], 1), "hole 1");
        assert_bad(plate(&unit, &unit, 1.0, &[hole(0, 0, 0.5)], 1), "less than 0.5");
        assert_bad(plate(&unit, &unit, 1.0, &[hole(0, 0, 0.2)], 0), "quarter");
        assert_bad(open_box([2.0, 5.0, 5.0], 1.0), "no room");
        assert_bad(open_box([f64::NAN, 5.0, 5.0], 1.0), "NaN");
        assert_bad(bolt(2.0, 1.0, 1.9, 3.0, 2), "shank radius");
        assert_bad(bolt(2.0, 1.0, 1.0, 3.0, 0), "sixth");
    }
}
