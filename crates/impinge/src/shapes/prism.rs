//! Prisms over polygons that need not be convex: stars, any outline.
//!
//! Their ends are single polygons of many corners, the hard case for all methods that work on
//! polygons directly (Zachmann 1994, section 3.2, allows non-convex ones).

use super::builder::Surface;
use super::circle::turn;
use super::params::{bad, coordinate, count, length, total};
use crate::arrays::{MapEach, MapToVec};
use crate::error::Error;
use crate::math::Vec3;
use crate::mesh::Mesh;

/// The prism over a polygon in the xy plane, from `z = 0` to `z = height`.
///
/// Both ends are polygons with the corners of the outline, which may have either orientation and
/// need not be convex; the caller must ensure that it does not cross itself. `n + 2` planar
/// polygons, closed.
///
/// # Errors
/// `BadParameter` unless the outline has at least 3 points, all finite and different from their
/// neighbours, and an area that is not zero, and the height is a positive number.
pub fn prism(outline: &[[f64; 2]], height: f64) -> Result<Mesh, Error> {
    prism_surface(outline, height, 1)?.finish()
}

/// The surface of the mesh that [`prism`] makes.
pub fn prism_surface(outline: &[[f64; 2]], height: f64, layers: usize) -> Result<Surface, Error> {
    length("the prism's height", height)?;
    count("the number of corners of the outline", outline.len(), 3)?;
    count("the number of layers", layers, 1)?;
    total("prism", &[outline.len(), layers])?;
    let largest = outline.iter().flatten().fold(0.0_f64, |m, c| m.max(c.abs()));
    let mut area = 0.0;
    for (i, a) in outline.iter().enumerate() {
        coordinate("a coordinate of the outline", a[0])?;
        coordinate("a coordinate of the outline", a[1])?;
        let b = outline[(i + 1) % outline.len()];
        if *a == b {
            return Err(bad(format!("corner {i} of the outline and the next are the same")));
        }
        area += a[0] / largest * (b[1] / largest) - a[1] / largest * (b[0] / largest);
    }
    if area == 0.0 || !area.is_finite() {
        return Err(bad("the outline of the prism has no area"));
    }
    let mut corners = outline.to_vec();
    if area < 0.0 {
        corners.reverse();
    }
    let mut surface = Surface::new();
    let rings: Vec<_> = (0..=layers)
        .map(|i| {
            let z = height * (i as f64 / layers as f64);
            surface.ring(corners.iter().map(|[x, y]| Vec3::new(*x, *y, z)))
        })
        .collect();
    surface.capped_skin(&rings);
    Ok(surface)
}

/// The prism over a star with `points` tips at distance `outer` from the z axis and dents at
/// `inner`. Closed.
///
/// `2 * points + 2` polygons; the ends are non-convex polygons of `2 * points` corners.
///
/// # Errors
/// `BadParameter` unless `0 < inner < outer`, the height is a positive number and there are at
/// least 3 points.
pub fn star_prism(points: usize, outer: f64, inner: f64, height: f64) -> Result<Mesh, Error> {
    prism(&star_outline(points, outer, inner)?, height)
}

/// The outline of [`star_prism`], counter-clockwise.
pub fn star_outline(points: usize, outer: f64, inner: f64) -> Result<Vec<[f64; 2]>, Error> {
    length("the star's outer radius", outer)?;
    length("the star's inner radius", inner)?;
    count("the number of points of the star", points, 3)?;
    total("star", &[points, 2])?;
    if inner >= outer {
        return Err(bad(format!(
            "the star's inner radius {inner} must be below its outer radius {outer}"
        )));
    }
    Ok((0..2 * points).map_to_vec(|i| {
        turn(i, 2 * points).map_each(|c| c * if i % 2 == 0 { outer } else { inner })
    }))
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;

    #[test]
    fn stars_are_closed_with_their_exact_volume() {
        for points in [3, 5, 40] {
            let outline = star_outline(points, 2.0, 0.5).unwrap();
            let surface = prism_surface(&outline, 3.0, 1).unwrap();
            assert_eq!(surface.polygon_count(), 2 * points + 2);
            assert_planar(&surface);
            let mesh = surface.finish().unwrap();
            assert_eq!(assert_closed(&mesh), 1);
            let n = points as f64;
            let base = n * 2.0 * 0.5 * (std::f64::consts::PI / n).sin();
            assert!((volume(&mesh) - 3.0 * base).abs() < 1e-12, "{points}");
        }
    }

    #[test]
    fn either_orientation_of_the_outline_gives_an_outward_surface() {
        let l = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
        let mut reversed = l;
        reversed.reverse();
        for outline in [l, reversed] {
            let mesh = prism(&outline, 2.0).unwrap();
            assert_eq!(assert_closed(&mesh), 1);
            assert!((volume(&mesh) - 6.0).abs() < 1e-12);
        }
    }

    #[test]
    fn invalid_parameters_are_rejected() {
        assert_bad(prism(&[[0.0, 0.0], [1.0, 0.0]], 1.0), "corners of the outline is 2");
        assert_bad(prism(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]], 1.0), "no area");
        assert_bad(prism(&[[0.0, 0.0], [1.0, 0.0], [1.0, 0.0]], 1.0), "the same");
        assert_bad(prism(&[[0.0, 0.0], [1.0, f64::NAN], [1.0, 1.0]], 1.0), "coordinate");
        assert_bad(star_prism(2, 2.0, 1.0, 1.0), "points of the star is 2");
        assert_bad(star_prism(5, 1.0, 1.0, 1.0), "below its outer");
        assert_bad(star_prism(5, 2.0, 1.0, -1.0), "height is -1");
    }
}
