//! Open sheets: the plane and height fields.

use super::builder::Surface;
use super::params::{count, length, total};
use crate::error::Error;
use crate::math::Vec3;
use crate::mesh::Mesh;

/// A rectangle in the xy plane with its centre at the origin, divided into `cells[0] * cells[1]`
/// rectangles. Open, facing +z.
///
/// # Errors
/// `BadParameter` unless both sizes are positive numbers and both counts at least 1.
pub fn plane(size: [f64; 2], cells: [usize; 2]) -> Result<Mesh, Error> {
    plane_surface(size, cells)?.finish()
}

/// The surface of the mesh that [`plane`] makes.
pub fn plane_surface(size: [f64; 2], cells: [usize; 2]) -> Result<Surface, Error> {
    total("plane", &cells)?;
    let (mut surface, rows) = lattice(size, cells, &|_, _| 0.0)?;
    for (row, next) in rows.iter().zip(&rows[1..]) {
        for i in 0..cells[0] {
            surface.polygon([row[i], row[i + 1], next[i + 1], next[i]]);
        }
    }
    Ok(surface)
}

/// The graph of `height(x, y)` over a rectangle with its centre at the origin. Open, facing +z.
///
/// `2 * cells[0] * cells[1]` triangles.
///
/// ```
/// let bowl = impinge::shapes::height_field([2.0, 2.0], [16, 16], |x, y| x * x + y * y)?;
/// assert_eq!(bowl.triangles().len(), 512);
/// # Ok::<(), impinge::Error>(())
/// ```
///
/// # Errors
/// `BadParameter` unless both sizes are positive numbers and both counts at least 1; an error of
/// the mesh if a height is not finite or too large.
pub fn height_field(
    size: [f64; 2],
    cells: [usize; 2],
    height: impl Fn(f64, f64) -> f64,
) -> Result<Mesh, Error> {
    height_surface(size, cells, &height)?.finish()
}

/// The surface of the mesh that [`height_field`] makes.
pub fn height_surface(
    size: [f64; 2],
    cells: [usize; 2],
    height: &dyn Fn(f64, f64) -> f64,
) -> Result<Surface, Error> {
    total("height field", &[2, cells[0], cells[1]])?;
    let (mut surface, rows) = lattice(size, cells, height)?;
    for (row, next) in rows.iter().zip(&rows[1..]) {
        for i in 0..cells[0] {
            surface.polygon([row[i], row[i + 1], next[i + 1]]);
            surface.polygon([row[i], next[i + 1], next[i]]);
        }
    }
    Ok(surface)
}

type Rows = Vec<Vec<u32>>;

fn lattice(
    size: [f64; 2],
    cells: [usize; 2],
    height: &dyn Fn(f64, f64) -> f64,
) -> Result<(Surface, Rows), Error> {
    for axis in 0..2 {
        length("the sheet's size", size[axis])?;
        count("the number of cells of the sheet", cells[axis], 1)?;
    }
    let at = |axis: usize, i: usize| {
        let share = (2 * i) as f64 / cells[axis] as f64 - 1.0;
        share * (0.5 * size[axis])
    };
    let mut surface = Surface::new();
    let rows = (0..=cells[1])
        .map(|j| {
            (0..=cells[0])
                .map(|i| {
                    let (x, y) = (at(0, i), at(1, j));
                    surface.vertex(Vec3::new(x, y, height(x, y)))
                })
                .collect()
        })
        .collect();
    Ok((surface, rows))
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;

    #[test]
    fn sheets_have_the_documented_counts_and_positions() {
        let flat = plane([4.0, 2.0], [4, 3]).unwrap();
        assert_sound(&flat);
        assert_eq!((flat.vertices().len(), flat.triangles().len()), (20, 24));
        assert!((area(&flat) - 8.0).abs() < 1e-12);
        assert_eq!((flat.bounds().min.z, flat.bounds().max.x), (0.0, 2.0));
        let slope = height_field([1.0, 1.0], [3, 5], |x, y| x + 2.0 * y).unwrap();
        assert_sound(&slope);
        assert!((area(&slope) - 6.0_f64.sqrt()).abs() < 1e-12);
        assert!((0..30).all(|i| {
            let [a, b, c] = slope.triangle(i);
            (b - a).cross(c - a).z > 0.0
        }));
    }

    #[test]
    fn invalid_parameters_are_rejected() {
        assert_bad(plane([0.0, 1.0], [1, 1]), "size is 0");
        assert_bad(plane([1.0, 1.0], [0, 1]), "cells of the sheet is 0");
        assert_bad(plane([1.0, 1.0], [1 << 14, 1 << 14]), "polygons");
        assert_eq!(
            height_field([1.0, 1.0], [1, 1], |_, _| f64::NAN).unwrap_err().kind(),
            crate::ErrorKind::NotFinite
        );
    }
}
