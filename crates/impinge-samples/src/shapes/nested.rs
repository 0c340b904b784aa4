//! Concentric spheres with radii `1` and `1 - alpha`: the "parallel close proximity" experiment of
//! Klosowski et al. 1998, section 5.2, tables 6 and 7.

use impinge::Error;
use impinge::internals::shapes::params::bad;
use impinge::internals::shapes::sphere::ellipsoid_surface;
use impinge::math::Vec3;
use impinge::mesh::Mesh;

/// Two concentric spheres as in the experiment on parallel close proximity: radius 1, and the same
/// mesh scaled to `1 - alpha`.
///
/// Both are [`uv_sphere`](super::uv_sphere)s; the inner one is exactly the outer one's vertices
/// times `1 - alpha`, rounded once.
///
/// # Errors
/// `BadParameter` unless `0 < alpha < 1`, there are at least 2 rings and at least 3 segments.
pub fn nested_spheres(alpha: f64, rings: usize, segments: usize) -> Result<(Mesh, Mesh), Error> {
    if !(alpha > 0.0 && alpha < 1.0) {
        return Err(bad(format!("alpha is {alpha}: it must be between 0 and 1, both excluded")));
    }
    let outer = ellipsoid_surface(Vec3::ONE, rings, segments)?;
    let mut inner = outer.clone();
    inner.map(|v| v * (1.0 - alpha));
    Ok((outer.finish()?, inner.finish()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inner_of_two_nested_spheres_is_a_scaled_copy() {
        let (outer, inner) = nested_spheres(0.0001, 32, 32).unwrap();
        assert_eq!(outer.triangles(), inner.triangles());
        for (o, i) in outer.vertices().iter().zip(inner.vertices()) {
            assert_eq!(*o * (1.0 - 0.0001), *i);
        }
        for alpha in [0.0, 1.0, f64::NAN, -0.1] {
            assert!(nested_spheres(alpha, 8, 8).is_err());
        }
    }
}
