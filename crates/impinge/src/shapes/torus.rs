//! The torus: the second test object of Zachmann 1994, section 3.6.

use super::builder::Surface;
use super::circle::unit_circle;
use super::params::{bad, count, length, total};
use crate::error::Error;
use crate::math::Vec3;
use crate::mesh::Mesh;

/// A torus about the z axis: a circle of radius `minor` rotated about it at distance `major`.
///
/// `around * across` planar quads, closed; `around` is the number of segments about the axis,
/// `across` about the circle.
///
/// ```
/// let ring = impinge::shapes::torus(2.0, 0.5, 24, 12)?;
/// assert_eq!(ring.vertices().len(), 24 * 12);
/// # Ok::<(), impinge::Error>(())
/// ```
///
/// # Errors
/// `BadParameter` unless `0 < minor < major` and both counts are at least 3.
pub fn torus(major: f64, minor: f64, around: usize, across: usize) -> Result<Mesh, Error> {
    torus_surface(major, minor, around, across)?.finish()
}

/// The surface of the mesh that [`torus`] makes.
pub fn torus_surface(
    major: f64,
    minor: f64,
    around: usize,
    across: usize,
) -> Result<Surface, Error> {
    check_parameters(major, minor, around, across)?;
    let section = unit_circle(across);
    let mut surface = Surface::new();
    let rings: Vec<_> = unit_circle(around)
        .into_iter()
        .map(|[c, s]| {
            // Counter-clockwise seen from the next ring: outward, then down.
            surface.ring(section.iter().map(|[x, y]| {
                let r = major + minor * x;
                Vec3::new(c * r, s * r, -minor * y)
            }))
        })
        .collect();
    surface.closed_skin(&rings);
    Ok(surface)
}

/// Checks the parameters of [`torus`].
///
/// # Errors
/// As [`torus`].
pub fn check_parameters(major: f64, minor: f64, around: usize, across: usize) -> Result<(), Error> {
    length("the torus's major radius", major)?;
    length("the torus's minor radius", minor)?;
    if minor >= major {
        return Err(bad(format!(
            "the torus's minor radius {minor} must be below its major radius {major}, or it meets itself"
        )));
    }
    count("the number of segments around the torus", around, 3)?;
    count("the number of segments across the torus", across, 3)?;
    total("torus", &[around, across])
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use std::f64::consts::PI;

    #[test]
    fn tori_are_closed_and_approach_their_volume() {
        for (n, m) in [(3, 3), (4, 5), (31, 17)] {
            let surface = torus_surface(3.0, 1.0, n, m).unwrap();
            assert_planar(&surface);
            let mesh = surface.finish().unwrap();
            assert_eq!((mesh.vertices().len(), mesh.triangles().len()), (n * m, 2 * n * m));
            assert_eq!(assert_closed(&mesh), 1);
        }
        let fine = torus(3.0, 1.0, 128, 64).unwrap();
        assert!((volume(&fine) / (6.0 * PI * PI) - 1.0).abs() < 5e-3);
    }

    #[test]
    fn invalid_parameters_are_rejected() {
        assert_bad(torus(1.0, 1.0, 8, 8), "below its major radius");
        assert_bad(torus(1.0, 0.0, 8, 8), "minor radius is 0");
        assert_bad(torus(2.0, 1.0, 2, 8), "around the torus is 2");
        assert_bad(torus(2.0, 1.0, 8, usize::MAX), "across the torus");
        assert_bad(torus(2.0, 1.0, 1 << 23, 3), "polygons");
        assert_bad(torus(1e50, 1e-50, 8, 8), "differ too much");
    }
}
