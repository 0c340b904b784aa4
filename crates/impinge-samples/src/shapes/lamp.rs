//! A table lamp: foot, stem, shade and bulb, each a solid of revolution about the z axis.

use impinge::Error;
use impinge::internals::shapes::builder::Surface;
use impinge::internals::shapes::params::{count, length, total};
use impinge::internals::shapes::revolve::{refine, revolve_surface};
use impinge::internals::shapes::sphere::ellipsoid_surface;
use impinge::math::Vec3;
use impinge::mesh::Mesh;

/// A table lamp of the given height, standing on `z = 0`: four closed pieces (foot, stem, shade,
/// bulb).
///
/// The stem overlaps the foot and the bulb. The shade, a cone with a wall, surrounds them without
/// contact. There are `segments` polygons around, and every straight line of the profiles is cut
/// into `pieces`: `segments * (10 * pieces + 1) + 4` polygons.
///
/// # Errors
/// `BadParameter` unless the height is a positive number, there are at least 3 segments and at
/// least 1 piece.
pub fn lamp(height: f64, segments: usize, pieces: usize) -> Result<Mesh, Error> {
    lamp_surface(height, segments, pieces)?.finish()
}

pub(super) fn lamp_surface(height: f64, segments: usize, pieces: usize) -> Result<Surface, Error> {
    length("the lamp's height", height)?;
    count("the number of segments", segments, 3)?;
    count("the number of pieces", pieces, 1)?;
    total("lamp", &[segments, 12, pieces])?;
    let mut lamp = Surface::new();
    let profiles: [(&[[f64; 2]], usize); 3] = [
        (&[[0.28, 0.0], [0.28, 0.03], [0.05, 0.07]], pieces),
        (&[[0.03, 0.05], [0.02, 0.3], [0.03, 0.62]], pieces),
        (&[[0.35, 0.55], [0.18, 1.0], [0.16, 1.0], [0.33, 0.55], [0.35, 0.55]], pieces),
    ];
    for (profile, pieces) in profiles {
        lamp.append(&revolve_surface(&refine(profile, pieces), segments)?, |v| v * height);
    }
    let bulb = ellipsoid_surface(Vec3::new(0.07, 0.07, 0.1), 2 * pieces + 1, segments)?;
    lamp.append(&bulb, |v| (v + Vec3::Z * 0.7) * height);
    Ok(lamp)
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::internals::shapes::testing::*;

    #[test]
    fn lamps_are_four_closed_pieces() {
        for (segments, pieces) in [(3, 1), (5, 2), (32, 4)] {
            let surface = lamp_surface(2.0, segments, pieces).unwrap();
            assert_eq!(surface.polygon_count(), segments * (8 * pieces + 2 * pieces + 1) + 4);
            assert_planar(&surface);
            let mesh = surface.finish().unwrap();
            assert_eq!(assert_closed(&mesh), 4);
            assert_eq!((mesh.bounds().min.z, mesh.bounds().max.z), (0.0, 2.0));
        }
    }

    #[test]
    fn invalid_parameters_are_refused() {
        assert_bad(lamp(0.0, 8, 1), "height is 0");
        assert_bad(lamp(1.0, 2, 1), "segments is 2");
        assert_bad(lamp(1.0, 8, 0), "pieces is 0");
        assert_bad(lamp(1.0, 1 << 20, 1 << 20), "polygons");
    }
}
