//! The hyperboloid of Zachmann 1994, section 8.1.

use impinge::Error;
use impinge::internals::shapes::builder::Surface;
use impinge::internals::shapes::params::{bad, count, length};
use impinge::internals::shapes::revolve::revolve_surface;
use impinge::mesh::Mesh;

/// A hyperboloid of one sheet about the z axis, from `-height / 2` to `height / 2`, closed by a
/// polygon at either end.
///
/// Its radius is `waist` at `z = 0` and `rim` at the ends. `rings * segments + 2` planar polygons.
/// Closed.
///
/// # Errors
/// `BadParameter` unless `0 < waist < rim`, the height is a positive number, there are at least 2
/// rings and 3 segments.
pub fn hyperboloid(
    waist: f64,
    rim: f64,
    height: f64,
    rings: usize,
    segments: usize,
) -> Result<Mesh, Error> {
    hyperboloid_surface(waist, rim, height, rings, segments)?.finish()
}

/// The surface of the mesh that [`hyperboloid`] makes.
pub(super) fn hyperboloid_surface(
    waist: f64,
    rim: f64,
    height: f64,
    rings: usize,
    segments: usize,
) -> Result<Surface, Error> {
    length("the hyperboloid's waist", waist)?;
    length("the hyperboloid's rim", rim)?;
    length("the hyperboloid's height", height)?;
    count("the number of rings", rings, 2)?;
    if waist >= rim {
        return Err(bad(format!("the hyperboloid's waist {waist} must be below its rim {rim}")));
    }
    // r^2 = waist^2 + (k z)^2 with r = rim at the ends; t runs from -1 to 1.
    let growth = (rim - waist) * (rim + waist);
    let profile: Vec<[f64; 2]> = (0..=rings)
        .map(|i| {
            let t = (2 * i) as f64 / rings as f64 - 1.0;
            [(waist * waist + growth * t * t).sqrt(), 0.5 * height * t]
        })
        .collect();
    revolve_surface(&profile, segments)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use impinge::internals::shapes::testing::*;

    use super::*;

    #[test]
    fn it_is_closed_and_approaches_its_volume() {
        let waisted = hyperboloid(1.0, 2.0, 4.0, 64, 256).unwrap();
        assert_eq!(assert_closed(&waisted), 1);
        assert!((volume(&waisted) / (PI * 4.0 * (1.0 + 1.0)) - 1.0).abs() < 2e-3);
        for size in [1e-50, 0.5e50] {
            assert_closed(&hyperboloid(size, 2.0 * size, size, 4, 5).unwrap());
        }
    }

    #[test]
    fn counts_are_as_documented_and_faces_planar() {
        let surface = hyperboloid_surface(1.0, 2.0, 4.0, 5, 7).unwrap();
        assert_planar(&surface);
        assert_eq!(surface.polygon_count(), 37);
    }

    #[test]
    fn invalid_parameters_are_rejected() {
        assert_bad(hyperboloid(2.0, 1.0, 1.0, 4, 8), "below its rim");
    }
}
