//! Arrays of cubes, and the body made of three crossed bars.
//!
//! The arrays of cubes are among the objects of Zachmann 1994, section 5; the "axis-shaped" body of
//! 36 triangles is the flying object of the *Swept* data set in Klosowski et al. 1998, section 5.2.

use impinge::Error;
use impinge::internals::shapes::builder::Surface;
use impinge::internals::shapes::params::{bad, count, length, total};
use impinge::internals::shapes::solids::{block, cuboid_surface};
use impinge::math::Vec3;
use impinge::mesh::Mesh;

/// Separate equal cubes on a lattice about the origin: `6 nx ny nz` squares, each cube closed.
///
/// `pitch` is the distance between the centres of neighbouring cubes, and `edge`, smaller than it,
/// the edge length of a cube.
///
/// # Errors
/// `BadParameter` unless `0 < edge < pitch` and every count is at least 1.
pub fn cube_array(counts: [usize; 3], pitch: f64, edge: f64) -> Result<Mesh, Error> {
    cube_array_surface(counts, pitch, edge)?.finish()
}

/// The surface of the mesh that [`cube_array`] makes.
pub(super) fn cube_array_surface(
    counts: [usize; 3],
    pitch: f64,
    edge: f64,
) -> Result<Surface, Error> {
    length("the pitch of the cube array", pitch)?;
    length("the edge of the array's cubes", edge)?;
    if edge >= pitch {
        return Err(bad(format!(
            "the cubes' edge {edge} must be smaller than their pitch {pitch}, or they overlap"
        )));
    }
    for n in counts {
        count("a count of the cube array", n, 1)?;
    }
    total("cube array", &[6, counts[0], counts[1], counts[2]])?;
    let half = Vec3::splat(0.5 * edge);
    let mut surface = Surface::new();
    let middle = |i: usize, n: usize| (i as f64 - 0.5 * (n - 1) as f64) * pitch;
    for x in 0..counts[0] {
        for y in 0..counts[1] {
            for z in 0..counts[2] {
                let c = Vec3::new(middle(x, counts[0]), middle(y, counts[1]), middle(z, counts[2]));
                surface.append(&block(c - half, c + half), |v| v);
            }
        }
    }
    Ok(surface)
}

/// Three bars along the axes that cross at the origin: 18 rectangles, or 36 triangles; three closed
/// pieces.
///
/// `length` is the length of each bar and `width`, smaller than it, the side of its square cross
/// section. The pieces intersect each other: a polygon soup, as in the original model.
///
/// # Errors
/// `BadParameter` unless `0 < width < length`.
pub fn axis_body(length: f64, width: f64) -> Result<Mesh, Error> {
    axis_surface(length, width, 1, 1)?.finish()
}

/// The surface of the mesh that [`axis_body`] makes, with `along` cells along each bar and `across`
/// cells across.
pub(super) fn axis_surface(
    long: f64,
    width: f64,
    along: usize,
    across: usize,
) -> Result<Surface, Error> {
    length("the length of the axis body", long)?;
    length("the width of the axis body", width)?;
    if width >= long {
        return Err(bad(format!(
            "the bars' width {width} must be smaller than their length {long}"
        )));
    }
    let mut surface = Surface::new();
    for axis in 0..3 {
        let (mut size, mut cells) = (Vec3::splat(width), [across; 3]);
        size[axis] = long;
        cells[axis] = along;
        surface.append(&cuboid_surface(size, cells)?, |v| v);
    }
    Ok(surface)
}

#[cfg(test)]
mod tests {
    use impinge::internals::shapes::testing::*;

    use super::*;

    #[test]
    fn arrays_and_bars_are_made_of_closed_pieces() {
        let array = cube_array([2, 3, 4], 1.0, 0.5).unwrap();
        assert_eq!((assert_closed(&array), array.triangles().len()), (24, 24 * 12));
        assert!((volume(&array) - 3.0).abs() < 1e-12);
        let axis = axis_body(1.0, 0.125).unwrap();
        assert_eq!((assert_closed(&axis), axis.triangles().len()), (3, 36));
    }

    #[test]
    fn invalid_parameters_are_rejected() {
        assert_bad(cube_array([1, 1, 1], 1.0, 1.0), "smaller than their pitch");
        assert_bad(cube_array([usize::MAX, 2, 2], 1.0, 0.5), "count");
        assert_bad(axis_body(1.0, 2.0), "smaller than their length");
    }
}
