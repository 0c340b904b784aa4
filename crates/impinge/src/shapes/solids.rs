//! Solids with flat faces: boxes, tetrahedron and octahedron.

use std::collections::HashMap;

use super::builder::Surface;
use super::params::{count, length, total};
use crate::arrays::MapEach;
use crate::error::Error;
use crate::math::Vec3;
use crate::mesh::Mesh;

/// A box with its centre at the origin and edges of the given lengths along the axes: 6 rectangles,
/// closed.
///
/// ```
/// let brick = impinge::shapes::cuboid([2.0, 3.0, 4.0])?;
/// assert_eq!(brick.vertices().len(), 8);
/// assert_eq!(brick.bounds().max.to_array(), [1.0, 1.5, 2.0]);
/// # Ok::<(), impinge::Error>(())
/// ```
///
/// # Errors
/// `BadParameter` unless every length is a positive number.
pub fn cuboid(size: impl Into<Vec3>) -> Result<Mesh, Error> {
    cuboid_grid(size, [1, 1, 1])
}

/// As [`cuboid`], with every edge along axis `i` divided into `cells[i]` equal pieces: a grid of
/// rectangles on every face.
///
/// `2 (nx ny + ny nz + nz nx)` polygons, closed.
///
/// # Errors
/// `BadParameter` unless every length is a positive number and every count at least 1.
pub fn cuboid_grid(size: impl Into<Vec3>, cells: [usize; 3]) -> Result<Mesh, Error> {
    cuboid_surface(size.into(), cells)?.finish()
}

/// The surface of the mesh that [`cuboid`] makes.
pub fn cuboid_surface(size: Vec3, cells: [usize; 3]) -> Result<Surface, Error> {
    for axis in 0..3 {
        length("the box's size", size[axis])?;
        count("the number of cells of the box", cells[axis], 1)?;
        total("box", &[6, cells[axis], cells[(axis + 1) % 3]])?;
    }
    let mut surface = Surface::new();
    let mut known: HashMap<[usize; 3], u32> = HashMap::new();
    let at = |axis: usize, i: usize| {
        // The two ends are exactly at half the size, for any count.
        let share = (2 * i) as f64 / cells[axis] as f64 - 1.0;
        share * (0.5 * size[axis])
    };
    for axis in 0..3 {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        for high in [false, true] {
            for i in 0..cells[u] {
                for j in 0..cells[v] {
                    let corner = |di: usize, dj: usize| {
                        let mut c = [0; 3];
                        c[axis] = if high { cells[axis] } else { 0 };
                        c[u] = i + di;
                        c[v] = j + dj;
                        c
                    };
                    let mut square = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                    if !high {
                        square.reverse();
                    }
                    let corners = square.map_each(|c| {
                        *known.entry(c).or_insert_with(|| {
                            surface.vertex(Vec3::new(at(0, c[0]), at(1, c[1]), at(2, c[2])))
                        })
                    });
                    surface.polygon(corners);
                }
            }
        }
    }
    Ok(surface)
}

/// A box between two corners, for composite shapes. `low < high` in every coordinate.
#[cfg(any(test, feature = "internals"))]
#[must_use]
pub fn block(low: Vec3, high: Vec3) -> Surface {
    let mut surface = Surface::new();
    let v: Vec<u32> = (0..8)
        .map(|i| {
            let pick = |axis: usize| if i >> axis & 1 == 0 { low[axis] } else { high[axis] };
            surface.vertex(Vec3::new(pick(0), pick(1), pick(2)))
        })
        .collect();
    for face in [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]
    {
        surface.polygon(face.map(|i: usize| v[i]));
    }
    surface
}

/// A regular tetrahedron about the origin, its corners at the given distance from it: 4 triangles,
/// closed.
///
/// # Errors
/// `BadParameter` unless the radius is a positive number.
pub fn tetrahedron(radius: f64) -> Result<Mesh, Error> {
    length("the tetrahedron's radius", radius)?;
    let mut surface = Surface::new();
    let corners = tetrahedron_corners().map_each(|c| surface.vertex(c * radius));
    for face in TETRAHEDRON_FACES {
        surface.polygon(face.map_each(|i| corners[i]));
    }
    surface.finish()
}

/// The faces of a tetrahedron whose corner 3 lies above the counter-clockwise corners 0, 1, 2.
pub const TETRAHEDRON_FACES: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];

/// Unit vectors to the corners of a regular tetrahedron, in the order of [`TETRAHEDRON_FACES`].
#[must_use]
pub fn tetrahedron_corners() -> [Vec3; 4] {
    let s = 1.0 / 3.0_f64.sqrt();
    [[1, 1, 1], [-1, 1, -1], [1, -1, -1], [-1, -1, 1]]
        .map_each(|c| Vec3::from(c.map_each(f64::from)) * s)
}

/// A regular octahedron with its corners on the axes at the given distance: 8 triangles, closed.
///
/// # Errors
/// `BadParameter` unless the radius is a positive number.
pub fn octahedron(radius: f64) -> Result<Mesh, Error> {
    length("the octahedron's radius", radius)?;
    let mut surface = Surface::new();
    let corners = [Vec3::X, Vec3::Y, Vec3::NEG_X, Vec3::NEG_Y].map_each(|d| d * radius);
    let rings =
        [surface.pole(Vec3::NEG_Z * radius), surface.ring(corners), surface.pole(Vec3::Z * radius)];
    surface.skin(&rings);
    surface.finish()
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;

    #[test]
    fn boxes_are_closed_and_have_their_volume() {
        let plain = cuboid([2.0, 3.0, 4.0]).unwrap();
        assert_eq!((plain.vertices().len(), plain.triangles().len()), (8, 12));
        assert_eq!(assert_closed(&plain), 1);
        assert_eq!(volume(&plain), 24.0);
        let fine = cuboid_surface(Vec3::new(2.0, 3.0, 4.0), [2, 3, 5]).unwrap();
        assert_eq!(fine.polygon_count(), 2 * (6 + 15 + 10));
        assert_planar(&fine);
        let fine = fine.finish().unwrap();
        assert_eq!(assert_closed(&fine), 1);
        assert!((volume(&fine) - 24.0).abs() < 1e-12);
        assert!((area(&fine) - 52.0).abs() < 1e-12);
        let by_corners = block(Vec3::ZERO, Vec3::new(1.0, 2.0, 3.0)).finish().unwrap();
        assert_closed(&by_corners);
        assert_eq!(volume(&by_corners), 6.0);
    }

    #[test]
    fn the_regular_solids_have_their_volumes() {
        let t = tetrahedron(2.0).unwrap();
        assert_eq!(assert_closed(&t), 1);
        assert!((volume(&t) - 8.0 * 8.0 / (9.0 * 3.0_f64.sqrt())).abs() < 1e-12);
        let o = octahedron(3.0).unwrap();
        assert_eq!((assert_closed(&o), o.triangles().len()), (1, 8));
        assert!((volume(&o) - 36.0).abs() < 1e-12);
    }

    #[test]
    fn invalid_parameters_are_rejected() {
        assert_bad(cuboid([1.0, 0.0, 1.0]), "box's size is 0");
        assert_bad(cuboid([1.0, 1.0, f64::NAN]), "NaN");
        assert_bad(cuboid_grid([1.0; 3], [1, 0, 1]), "from 1");
        assert_bad(cuboid_grid([1.0; 3], [1 << 13, 1 << 13, 1]), "polygons");
        assert_bad(tetrahedron(f64::INFINITY), "radius");
        assert_bad(octahedron(-1.0), "radius");
    }

    #[test]
    fn extreme_sizes_stay_closed() {
        for scale in [1e-50, 1e-7, 1e50] {
            assert_closed(&cuboid_grid([scale; 3], [3, 3, 3]).unwrap());
            assert_closed(&octahedron(scale).unwrap());
        }
    }
}
